//! Plans: launches in order, with their operands, their releases and what became of their results.

use crate::array::layout::{Shape, count};
use crate::host::gemm::Product;
use fastnp_codegen::{DType, Kernel, Launch, Program, Scalar, Verified};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// How many times a plan's results are watched, at first.
const OBSERVED_RUNS: u32 = 2;

/// Of so many times that results were left out, once they may have been read.
const HITS_PER_MISS: u32 = 16;

/// Groups in order, with their buffers.
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    /// Points that its kernels run over, together.
    pub(crate) points: usize,
    /// Results that it leaves out.
    pub(crate) omitted: Option<OmittedResults>,
    /// What became of its results.
    pub(crate) profile: DeadResultProfile,
    /// Where it runs, and whether a device was told what is to come.
    pub(crate) target: PlanTarget,
    pub(crate) is_prepared: AtomicBool,
}

/// Where a plan is to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlanTarget {
    /// Which of the engine's sites it is.
    pub(crate) index: usize,
    /// Points up to which a launch of its own costs more there than sharing one.
    pub(crate) pack_points: usize,
}

/// One launch.
pub(crate) struct PlanStep {
    pub(crate) kind: StepKind,
    /// The nodes it computes, by their place in program order.
    pub(crate) nodes: SmallVec<[u32; 4]>,
    /// Slot and byte offset of each operand, in the kernel's order.
    pub(crate) operands: SmallVec<[(u32, isize); 6]>,
    /// Slots which take over the memory of dying ones, where that is possible: (taker, giver).
    pub(crate) donations: SmallVec<[(u32, u32); 1]>,
    /// Slots whose memory nobody needs afterwards.
    pub(crate) releases: SmallVec<[u32; 2]>,
}

/// What a step does.
pub(crate) enum StepKind {
    /// Launches a program.
    Kernel(KernelLaunch),
    /// A batch of matrix products by the `gemm` crate. The domain is `[batch…, m, n, k]`, strides as in a kernel's launch.
    Product { product: Product, dtype: DType, domain: Shape, strides: Vec<isize> },
}

impl StepKind {
    /// Points it runs over: multiplications of a product, elements of a kernel's domain.
    pub(crate) fn points(&self) -> usize {
        match self {
            StepKind::Kernel(work) => count(&work.outer).saturating_mul(count(&work.inner)),
            StepKind::Product { domain, .. } => count(domain),
        }
    }
}

/// A program with the sizes it is launched with.
pub(crate) struct KernelLaunch {
    pub(crate) program: Arc<dyn Program>,
    pub(crate) kernel: Arc<Verified<Kernel>>,
    pub(crate) outer: Shape,
    pub(crate) inner: Shape,
    pub(crate) strides: Vec<isize>,
    /// Which of the trace's scalars are the kernel's parameters.
    pub(crate) scalars: SmallVec<[u32; 4]>,
    /// Its instructions that are steps of products.
    pub(crate) product_insts: Vec<ProductInst>,
}

impl KernelLaunch {
    pub(crate) fn launch<'a>(&'a self, addresses: &'a [*mut u8], scalars: &'a [Scalar]) -> Launch<'a> {
        Launch { outer: &self.outer, inner: &self.inner, addresses, strides: &self.strides, scalars }
    }
}

/// An instruction that is a step of a product.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProductInst {
    pub(crate) in_epilogue: bool,
    pub(crate) inst: u32,
    pub(crate) product: Product,
}

/// What a plan leaves out.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct OmittedResults {
    /// The slots of the results.
    pub(crate) slots: SmallVec<[u32; 2]>,
    /// The nodes that compute them once the plan has run, by their place in program order.
    pub(crate) nodes: Vec<u32>,
    /// Slots whose memory those nodes read.
    pub(crate) reads: SmallVec<[u32; 4]>,
}

/// What became of a plan's results, as far as it was seen. It changes under the engine's lock only.
#[derive(Default)]
pub(crate) struct DeadResultProfile {
    observed: AtomicU32,
    /// How many times results were left out and died unread, and how many times they did not.
    hits: AtomicU32,
    misses: AtomicU32,
    pub(crate) reduced: OnceLock<Option<Arc<Plan>>>,
}

impl DeadResultProfile {
    /// The plan that leaves out what died unread, if that is likely to go well.
    pub(crate) fn reduced(&self) -> Option<&Arc<Plan>> {
        let plan = self.reduced.get()?.as_ref()?;
        let (hits, misses) = (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed));
        (misses.saturating_mul(HITS_PER_MISS) <= hits.saturating_add(HITS_PER_MISS)).then_some(plan)
    }

    /// Whether to watch what becomes of the results this time.
    pub(crate) fn should_observe(&self) -> bool {
        let observed = self.observed.load(Ordering::Relaxed);
        self.observed.store((observed + 1).min(OBSERVED_RUNS), Ordering::Relaxed);
        observed < OBSERVED_RUNS && self.reduced.get().is_none()
    }

    pub(crate) fn count(&self, hit: bool) {
        let counter = if hit { &self.hits } else { &self.misses };
        counter.store(counter.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }
}
