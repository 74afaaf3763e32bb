//! Plans: launches in order, with their operands, donations and releases, and the profile of their dead results.

use crate::array::layout::{Shape, count};
use crate::host::gemm::Product;
use crate::plan::group::KernelLimits;
use crate::plan::next_fold::NextFoldProfile;
use crate::plan::trace::Composite;
use fastnp_codegen::backend::composed::OperandPlace;
use fastnp_codegen::{Access, DType, Kernel, Launch, Program, Scalar, Template, Verified};
use smallvec::SmallVec;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Runs after whose end a plan's results are observed.
const OBSERVED_RUNS: u32 = 2;

/// A speculation must be right so many times for each time it was wrong.
const HITS_PER_MISS: u32 = 16;

/// Launches in order, with their buffers.
pub(crate) struct Plan {
    pub(crate) steps: Vec<PlanStep>,
    /// Bytes of the copies of operands that it makes, whose slots follow those of the trace.
    pub(crate) copied_bytes: SmallVec<[usize; 2]>,
    /// Points of all its launches.
    pub(crate) points: usize,
    /// Results that it omits.
    pub(crate) omitted: Option<OmittedResults>,
    /// Whether its results died unread, and which fold followed.
    pub(crate) profile: DeadResultProfile,
    pub(crate) next_fold: NextFoldProfile,
    /// The target it was made for, and whether a device has prepared its launches.
    pub(crate) target: PlanTarget,
    pub(crate) is_prepared: AtomicBool,
}

/// The target of a plan.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PlanTarget {
    /// Index of the execution target.
    pub(crate) index: usize,
    /// The limits of its kernels.
    pub(crate) limits: KernelLimits,
    /// Nanoseconds of an instruction there, by the cost model.
    pub(crate) instruction_ns: f64,
    /// Whether it is the host, which runs composed kernels and which the cost model knows.
    pub(crate) is_host: bool,
}

/// One launch.
pub(crate) struct PlanStep {
    pub(crate) kind: StepKind,
    /// The nodes it computes, by index in program order.
    pub(crate) nodes: SmallVec<[u32; 4]>,
    /// Slot and byte offset of each operand, in the kernel's order.
    pub(crate) operands: SmallVec<[(u32, isize); 6]>,
    /// Slots that take over the memory of dead ones, if possible: (taker, giver).
    pub(crate) donations: SmallVec<[(u32, u32); 1]>,
    /// Slots that are dead afterwards.
    pub(crate) releases: SmallVec<[u32; 2]>,
}

impl PlanStep {
    /// Whether it writes an operand.
    pub(crate) fn writes(&self, operand: usize) -> bool {
        match &self.kind {
            StepKind::Kernel(work) => work.kernel.operands[operand].access == Access::Write,
            StepKind::Composed(work) => work.writes(operand),
            StepKind::Product(_) => operand == PRODUCT_OPERANDS - 1,
            StepKind::SharedMatrix(parts) => {
                let mut first = 0;
                let part = parts.iter().find(|part| {
                    first += part.operands();
                    operand < first
                });
                part.is_some_and(|part| part.writes(operand + part.operands() - first))
            }
        }
    }
}

/// What a step does.
pub(crate) enum StepKind {
    /// Launches a program.
    Kernel(KernelLaunch),
    /// Launches programs block by block.
    Composed(ComposedLaunch),
    /// Multiplies matrices.
    Product(ProductLaunch),
    /// Multiplies vectors with one matrix, in one pass over its rows. Each part has its operands after those of the parts before.
    SharedMatrix(Vec<SharedPart>),
}

/// What is done with each block of rows of a matrix.
pub(crate) enum SharedPart {
    /// A product of the matrix with a vector.
    Product(ProductLaunch),
    /// A map with one axis, whose points are rows of the matrix.
    Map(KernelLaunch),
}

impl SharedPart {
    /// How many operands it has.
    pub(crate) fn operands(&self) -> usize {
        match self {
            SharedPart::Product(_) => PRODUCT_OPERANDS,
            SharedPart::Map(work) => work.kernel.operands.len(),
        }
    }

    /// Whether it writes one of its operands.
    fn writes(&self, operand: usize) -> bool {
        match self {
            SharedPart::Product(_) => operand == PRODUCT_OPERANDS - 1,
            SharedPart::Map(work) => work.kernel.operands[operand].access == Access::Write,
        }
    }

    fn points(&self) -> usize {
        match self {
            SharedPart::Product(work) => work.points(),
            SharedPart::Map(work) => work.points(),
        }
    }
}

impl fmt::Display for SharedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SharedPart::Product(work) => write!(f, "{} over {:?}", work.product.name(), work.domain),
            SharedPart::Map(work) => write!(f, "{}", **work.kernel),
        }
    }
}

/// Operands of a product: two factors and the result.
pub(crate) const PRODUCT_OPERANDS: usize = 3;

/// A batch of matrix products. The domain is `[batch…, m, n, k]`, strides as in a kernel's launch.
pub(crate) struct ProductLaunch {
    pub(crate) product: Product,
    pub(crate) dtype: DType,
    pub(crate) domain: Shape,
    pub(crate) strides: Vec<isize>,
}

impl ProductLaunch {
    /// Its multiplications.
    pub(crate) fn points(&self) -> usize {
        count(&self.domain)
    }
}

impl StepKind {
    /// Points: multiplications of a product, elements of a kernel's domain.
    pub(crate) fn points(&self) -> usize {
        match self {
            StepKind::Kernel(work) => work.points(),
            StepKind::Composed(work) => work.points(),
            StepKind::Product(work) => work.points(),
            StepKind::SharedMatrix(parts) => parts.iter().map(SharedPart::points).sum(),
        }
    }

    /// Whether a launch is divided between threads once, into tasks each of which reads nothing that another one writes, nor keeps
    /// anything for what comes after them all. Folds combine parts.
    pub(crate) fn is_divided_once(&self) -> bool {
        match self {
            StepKind::Kernel(work) => matches!(work.kernel.template, Template::Map | Template::Scan),
            StepKind::Composed(_) => true,
            StepKind::Product(_) | StepKind::SharedMatrix(_) => false,
        }
    }
}

impl fmt::Display for StepKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepKind::Kernel(work) => write!(f, "over {:?}, {:?}: {}", work.outer, work.inner, **work.kernel),
            StepKind::Composed(work) => {
                write!(f, "blocks of {} of {}", work.block, work.extent)?;
                work.stages
                    .iter()
                    .try_for_each(|stage| write!(f, ", over {:?}: {}", stage.work.outer, **stage.work.kernel))
            }
            StepKind::Product(work) => write!(f, "{} over {:?}", work.product.name(), work.domain),
            StepKind::SharedMatrix(parts) => {
                write!(f, "one pass")?;
                parts.iter().try_for_each(|part| write!(f, ", {part}"))
            }
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
    /// Its instructions that are steps of something else.
    pub(crate) parts: Vec<PartInst>,
}

impl KernelLaunch {
    /// What an instruction is a step of.
    pub(crate) fn part_of(&self, in_epilogue: bool, inst: u32) -> Option<Composite> {
        self.parts.iter().find(|part| (part.in_epilogue, part.inst) == (in_epilogue, inst)).map(|part| part.of)
    }

    pub(crate) fn points(&self) -> usize {
        count(&self.outer).saturating_mul(count(&self.inner))
    }

    pub(crate) fn launch<'a>(&'a self, addresses: &'a [*mut u8], scalars: &'a [Scalar]) -> Launch<'a> {
        Launch { outer: &self.outer, inner: &self.inner, addresses, strides: &self.strides, scalars }
    }
}

/// Programs that run one after the other on each block of an axis.
pub(crate) struct ComposedLaunch {
    pub(crate) stages: Vec<ComposedStage>,
    /// Indices of the axis, and of a block.
    pub(crate) extent: usize,
    pub(crate) block: usize,
    /// Bytes of scratch memory of a block.
    pub(crate) scratch_bytes: usize,
}

impl ComposedLaunch {
    /// Points of all stages, with those of a last block as of the others.
    pub(crate) fn points(&self) -> usize {
        let block: usize = self.stages.iter().map(|stage| stage.work.points()).sum();
        block.saturating_mul(self.extent.div_ceil(self.block))
    }

    /// Whether a program writes an operand of the step.
    pub(crate) fn writes(&self, operand: usize) -> bool {
        self.stages.iter().any(|stage| {
            let mut operands = stage.operands.iter().zip(&stage.work.kernel.operands);
            operands.any(|(of_step, decl)| *of_step == Some(operand as u32) && decl.access == Access::Write)
        })
    }
}

/// A program of a composed launch, with the sizes of the first block.
pub(crate) struct ComposedStage {
    pub(crate) work: KernelLaunch,
    /// The outer axis that holds the shared one, and its points by index of the shared one.
    pub(crate) axis: (usize, usize),
    /// By operand: where it is, and the number of the step's operand that it is, if it is in memory.
    pub(crate) places: SmallVec<[OperandPlace; 6]>,
    pub(crate) operands: SmallVec<[Option<u32>; 6]>,
}

/// An instruction that is a step of something else, which its flags are reported of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartInst {
    pub(crate) in_epilogue: bool,
    pub(crate) inst: u32,
    pub(crate) of: Composite,
}

/// Results that a plan omits, and how to compute them afterwards.
#[derive(PartialEq, Eq, Debug)]
pub struct OmittedResults {
    /// The slots of the results.
    pub(crate) slots: SmallVec<[u32; 2]>,
    /// The nodes that compute them after the plan has run, by index in program order.
    pub nodes: Vec<u32>,
    /// Slots whose memory those nodes read.
    pub reads: SmallVec<[u32; 4]>,
}

/// Profile of a plan's results that died unread: the evidence for speculative dead-result elimination. Changes under the runtime's
/// lock only.
#[derive(Default)]
pub(crate) struct DeadResultProfile {
    observed: AtomicU32,
    /// Omitted results that died unread are hits, others misses.
    pub(crate) rate: HitRate,
    pub(crate) reduced: OnceLock<Option<Arc<Plan>>>,
}

impl DeadResultProfile {
    /// The plan that omits the results that died unread, if that is likely to pay.
    pub(crate) fn reduced(&self) -> Option<&Arc<Plan>> {
        self.reduced.get()?.as_ref().filter(|_| self.rate.is_good())
    }

    /// Whether to observe the results of this run.
    pub(crate) fn should_observe(&self) -> bool {
        let observed = self.observed.load(Ordering::Relaxed);
        self.observed.store((observed + 1).min(OBSERVED_RUNS), Ordering::Relaxed);
        observed < OBSERVED_RUNS && self.reduced.get().is_none()
    }
}

/// How often a speculation was right, and how often wrong. Changes under the runtime's lock only.
#[derive(Default)]
pub(crate) struct HitRate {
    hits: AtomicU32,
    misses: AtomicU32,
}

impl HitRate {
    /// Whether the speculation is likely to be right again.
    pub(crate) fn is_good(&self) -> bool {
        let (hits, misses) = (self.hits.load(Ordering::Relaxed), self.misses.load(Ordering::Relaxed));
        misses.saturating_mul(HITS_PER_MISS) <= hits.saturating_add(HITS_PER_MISS)
    }

    pub(crate) fn count(&self, hit: bool) {
        let counter = if hit { &self.hits } else { &self.misses };
        counter.store(counter.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }
}
