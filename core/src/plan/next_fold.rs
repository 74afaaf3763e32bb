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
pub(crate) struct NextFoldProfile {
    next: Mutex<Option<TypedFold>>,
    rate: HitRate,
}

impl NextFoldProfile {
    /// The fold that is likely to follow.
    pub(crate) fn predicted(&self) -> Option<TypedFold> {
        self.next.lock().filter(|_| self.rate.is_good())
    }

    /// Notes that the predicted fold was asked for, or that it was not: then it is forgotten, until it follows again.
    pub(crate) fn count(&self, hit: bool) {
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
            *self.next_fold.next.lock() = Some(next);
            self.next_fold.rate.count(true);
        }
    }
}

/// Whether a fold gives the same bits and no floating-point flags whatever else its kernel computes, and reads every element in any case.
pub(crate) fn can_share((fold, compute): TypedFold) -> bool {
    let Fold::Op(op) = fold else { return false };
    op.fold().is_some_and(|row| row.takes(compute) && !row.rounds(compute) && row.absorbing(compute).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastnp_codegen::Op;

    #[test]
    fn what_rounds_or_stops_early_has_a_kernel_of_its_own() {
        let shares = |op, compute| can_share((Fold::Op(op), compute));
        assert!(shares(Op::Minimum, DType::F64) && shares(Op::Maximum, DType::F32) && shares(Op::Add, DType::I64));
        assert!(!shares(Op::Add, DType::F64) && !shares(Op::Multiply, DType::F32));
        assert!(!shares(Op::LogicalOr, DType::Bool) && !shares(Op::Maximum, DType::Bool));
        assert!(!can_share((Fold::ArgMax, DType::F64)));
    }

    #[test]
    fn a_fold_that_does_not_follow_is_forgotten() {
        let profile = NextFoldProfile::default();
        let least = (Fold::Op(Op::Minimum), DType::F64);
        *profile.next.lock() = Some(least);
        assert_eq!(profile.predicted(), Some(least));
        profile.count(false);
        assert_eq!(profile.predicted(), None);
        *profile.next.lock() = Some(least);
        assert_eq!(profile.predicted(), Some(least), "one miss is allowed");
        profile.count(false);
        *profile.next.lock() = Some(least);
        assert_eq!(profile.predicted(), None, "it was wrong twice and never right");
    }
}
