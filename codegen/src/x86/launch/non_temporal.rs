//! Non-temporal stores: results that exceed the caches are written past them, which saves reading their lines first.

use crate::cost::{NON_TEMPORAL_BYTES, NON_TEMPORAL_LAUNCH_BYTES};
use crate::drive::strategy;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::launch::effects::overlap;
use crate::x86::launch::program::LoopProgram;
use crate::{Access, Launch};

impl LoopProgram {
    /// Selects non-temporal stores in a launch, or a part of one, of so many points: for results that are large, or of a launch that is, or
    /// that the kernel gives the hint for.
    #[inline]
    pub(crate) fn use_non_temporal(&self, launch: &Launch<'_>, points: usize, kinds: &mut StrideKinds) {
        let is_hinted = || self.expanded.kernel.operands.iter().any(|operand| operand.nontemporal);
        if !self.keeps_results_cached && (strategy::may_store_non_temporal(points) || is_hinted()) {
            self.select_non_temporal(launch, points, kinds);
        }
    }

    /// Selects them for results whose rows are aligned to cache lines and overlap no input.
    #[cold]
    fn select_non_temporal(&self, launch: &Launch<'_>, points: usize, kinds: &mut StrideKinds) {
        let operands = &self.expanded.kernel.operands;
        for operand in 0..kinds.len() {
            let (size, own) = (operands[operand].dtype.size(), self.byte_range(launch, operand));
            let lines = |axis: usize| {
                let stride = launch.strides_of(operand)[axis];
                launch.outer[axis] == 1 || stride == size as isize || stride % VECTOR_BYTES as isize == 0
            };
            let others = (0..kinds.len()).filter(|&o| operands[o].access == Access::Read);
            if operands[operand].access == Access::Write
                && kinds[operand] == StrideKind::Dense
                && (operands[operand].nontemporal
                    || points * size >= NON_TEMPORAL_BYTES
                    || points * self.forms.bytes >= NON_TEMPORAL_LAUNCH_BYTES)
                && self.lanes * operands[operand].dtype.real().size() == self.processor.level.vector()
                && own.start % VECTOR_BYTES as isize == 0
                && (0..launch.outer.len()).all(lines)
                && !others.map(|o| self.byte_range(launch, o)).any(|other| overlap(&own, &other))
            {
                kinds[operand] = StrideKind::NonTemporal;
            }
        }
    }
}
