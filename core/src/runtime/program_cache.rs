//! Program cache: every plan and every compiled kernel, each under the cheapest key that tells it from the others.
//!
//! | what | key |
//! |---|---|
//! | plans | the tape, with liveness and target behind it |
//! | kernels of plans, by target | the kernel itself, which holds no sizes |
//! | kernels of single statements that run at once | a word made of operation, types and ranks |
//! | kernels of ops on dense arrays of one type | an index into a table, without a hash: the commonest by far |

use crate::plan::plan::Plan;
use crate::runtime::eager_kernels::DENSE_KINDS;
use crate::runtime::exec_target::HOST_TARGET;
use fastnp_codegen::{DType, Kernel, Op, Program, Verified};
use hashbrown::HashMap;
use std::hash::BuildHasher;
use std::sync::Arc;

/// Plans kept. A plan is a few kilobytes.
const MAX_PLANS: usize = 2048;
/// Kernels kept, with their programs: tens of kilobytes each. A program in a plan lives as long as the plan.
const MAX_KERNELS: usize = 2048;

/// A kernel and its program.
pub(crate) type CompiledKernel = (Arc<Verified<Kernel>>, Arc<dyn Program>);

/// A map with a hash that is the same in every process.
type FastMap<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// Plans and compiled kernels.
pub(crate) struct ProgramCache {
    plans: FastMap<Box<[u64]>, Arc<Plan>>,
    /// By execution target.
    kernels: Vec<FastMap<Kernel, CompiledKernel>>,
    eager: FastMap<u64, CompiledKernel>,
    /// By op, type and kinds of arguments.
    dense: Vec<Option<CompiledKernel>>,
}

impl ProgramCache {
    pub(crate) fn new() -> ProgramCache {
        ProgramCache {
            plans: HashMap::default(),
            kernels: Vec::new(),
            eager: HashMap::default(),
            dense: vec![None; Op::ALL.len() * DType::ALL.len() * DENSE_KINDS],
        }
    }

    /// The plan of a tape.
    pub(crate) fn plan(&self, tape: &[u64]) -> Option<Arc<Plan>> {
        let hash = self.plans.hasher().hash_one(tape);
        self.plans.raw_entry().from_hash(hash, |key| **key == *tape).map(|(_, plan)| plan.clone())
    }

    /// Keeps a plan.
    pub(crate) fn insert_plan(&mut self, tape: Box<[u64]>, plan: Arc<Plan>) {
        if self.plans.len() >= MAX_PLANS {
            self.plans.clear();
        }
        self.plans.insert(tape, plan);
    }

    /// The program of a kernel on a target.
    pub(crate) fn kernel(&self, target: usize, kernel: &Kernel) -> Option<CompiledKernel> {
        self.kernels.get(target)?.get(kernel).cloned()
    }

    /// Keeps the program of a kernel on a target.
    pub(crate) fn insert_kernel(&mut self, target: usize, kernel: Kernel, compiled: CompiledKernel) {
        if self.kernels.len() <= target {
            self.kernels.resize_with(target + 1, HashMap::default);
        }
        let kernels = &mut self.kernels[target];
        if kernels.len() >= MAX_KERNELS {
            kernels.clear();
        }
        kernels.insert(kernel, compiled);
    }

    /// The program of a single statement.
    #[inline]
    pub(crate) fn eager(&self, key: u64) -> Option<&CompiledKernel> {
        self.eager.get(&key)
    }

    /// Keeps the program of a single statement.
    pub(crate) fn insert_eager(&mut self, key: u64, compiled: CompiledKernel) -> &CompiledKernel {
        self.eager.entry(key).or_insert(compiled)
    }

    /// The index of the program of an op on dense arrays.
    #[inline]
    pub(crate) fn dense_index(op: Op, compute: DType, kinds: usize) -> usize {
        (op as usize * DType::ALL.len() + compute as usize) * DENSE_KINDS + kinds
    }

    /// The program of an op on dense arrays.
    #[inline]
    pub(crate) fn dense(&self, index: usize) -> Option<&CompiledKernel> {
        self.dense[index].as_ref()
    }

    /// Keeps the program of an op on dense arrays.
    pub(crate) fn insert_dense(&mut self, index: usize, compiled: CompiledKernel) -> &CompiledKernel {
        self.dense[index].insert(compiled)
    }

    /// Drops every plan and every program of the host, after its backend changed.
    pub(crate) fn forget_host(&mut self) {
        self.plans.clear();
        self.eager.clear();
        self.dense.fill_with(|| None);
        if let Some(kernels) = self.kernels.get_mut(HOST_TARGET) {
            kernels.clear();
        }
    }
}
