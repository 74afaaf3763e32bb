//! Next fold: which fold of the same elements a program asks for after a plan gave it one.
//!
//! `x.min()` runs at once, and `x.max()` reads the same memory again. So where one fold to a number follows another, the plan of the first
//! learns it, and the next time [`crate::runtime::fold_memo`] computes both in one pass. The kernel of a fold that rounds is left as it is:
//! the last bits of a sum depend on what else its kernel computes.

use crate::plan::plan::{HitRate, KernelLaunch, Plan, PlanStep, SharedPart, StepKind};
use fastnp_codegen::{DType, Fold};
use parking_lot::Mutex;

/// A fold, and the type it computes in.
pub(crate) type TypedFold = (Fold, DType);

/// The fold that followed a plan: the evidence for computing it along with the plan's own. Changes under the runtime's lock only.
#[derive(Default)]
pub struct NextFoldProfile {
    next: Mutex<Option<TypedFold>>,
    rate: HitRate,
}

impl NextFoldProfile {
    /// The fold that is likely to follow.
    pub fn predicted(&self) -> Option<TypedFold> {
        self.next.lock().filter(|_| self.rate.is_good())
    }

    /// Notes which fold followed.
    pub fn learn(&self, next: TypedFold) {
        *self.next.lock() = Some(next);
        self.rate.count(true);
    }

    /// Notes that the predicted fold was asked for, or that it was not: then it is forgotten, until it follows again.
    pub fn count(&self, hit: bool) {
        self.rate.count(hit);
        if !hit {
            *self.next.lock() = None;
        }
    }
}

impl Plan {
    /// Notes which fold followed this plan, if it may be computed along with it.
    pub(crate) fn learn_next(&self, next: TypedFold) {
        let is_exact = |work: &KernelLaunch| {
            let kernel = &work.kernel;
            kernel.accumulators.iter().all(|a| a.fold.row().is_some_and(|row| !row.rounds(kernel.body.dtype(a.value))))
        };
        let is_unchanged = |step: &PlanStep| match &step.kind {
            StepKind::Kernel(work) => is_exact(work),
            StepKind::Composed(work) => work.stages.iter().all(|stage| is_exact(&stage.work)),
            StepKind::Product(_) => true,
            StepKind::SharedMatrix(parts) => parts.iter().all(|part| match part {
                SharedPart::Product(_) => true,
                SharedPart::Map(work) => is_exact(work),
            }),
        };
        if can_share(next) && self.steps.iter().all(is_unchanged) {
            self.next_fold.learn(next);
        }
    }
}

/// Whether a fold gives the same bits and no floating-point flags whatever else its kernel computes, and reads every element in any case.
pub fn can_share((fold, compute): TypedFold) -> bool {
    let Fold::Op(op) = fold else { return false };
    op.fold().is_some_and(|row| row.takes(compute) && !row.rounds(compute) && row.absorbing(compute).is_none())
}
