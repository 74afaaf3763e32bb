//! Which results of a launch are written by non-temporal stores, which saves reading their lines first: large ones, or all of a launch that
//! leaves nothing in the caches anyway.

use crate::cost::{NON_TEMPORAL_BYTES, NON_TEMPORAL_FOOTPRINT};
use crate::drive::strategy;
use crate::x86::isel::conventions::{StrideKind, StrideKinds};
use crate::x86::launch::effects::overlap;
use crate::x86::launch::program::LoopProgram;
use crate::{Access, Launch};
use smallvec::SmallVec;
use std::ops::Range;

impl LoopProgram {
    /// Selects non-temporal stores in a launch, or a part of one, of so many points: for results that are large, that the launch has no room in
    /// the caches for, or that the kernel gives the hint for.
    #[inline]
    pub(crate) fn use_non_temporal(&self, launch: &Launch<'_>, points: usize, kinds: &mut StrideKinds) {
        let is_hinted = || self.expanded.kernel.operands.iter().any(|operand| operand.nontemporal);
        if !self.keeps_results_cached && (strategy::may_store_non_temporal(&self.forms, points) || is_hinted()) {
            self.select_non_temporal(launch, points, kinds);
        }
    }

    /// Selects them for results whose rows are aligned to cache lines and overlap no input.
    #[cold]
    fn select_non_temporal(&self, launch: &Launch<'_>, points: usize, kinds: &mut StrideKinds) {
        let operands = &self.expanded.kernel.operands;
        let exceeds_caches = self.footprint(launch, points) >= NON_TEMPORAL_FOOTPRINT;
        for operand in 0..kinds.len() {
            let (size, own) = (operands[operand].dtype.size(), self.byte_range(launch, operand));
            let others = (0..kinds.len()).filter(|&o| operands[o].access == Access::Read);
            if operands[operand].access == Access::Write
                && kinds[operand] == StrideKind::Dense
                && (operands[operand].nontemporal || exceeds_caches || points * size >= NON_TEMPORAL_BYTES)
                && self.lanes * operands[operand].dtype.real().size() == self.processor.level.vector()
                && strategy::begins_lines(launch, operand, size)
                && !others.map(|o| self.byte_range(launch, o)).any(|other| overlap(&own, &other))
            {
                kinds[operand] = StrideKind::NonTemporal;
            }
        }
    }

    /// Bytes of memory that a launch of so many points accesses, by what it accesses or a part of it. Those of overlapping operands, such as the
    /// neighbours in a stencil, count once.
    fn footprint(&self, part: &Launch<'_>, points: usize) -> usize {
        let own: usize = part.outer.iter().product();
        let range = |operand| (self.byte_range(part, operand), own * self.size_of(operand));
        let mut ranges: SmallVec<[(Range<isize>, usize); 12]> =
            (0..self.expanded.kernel.operands.len()).map(range).collect();
        ranges.sort_unstable_by_key(|(range, _)| range.start);
        let (mut end, mut bytes) = (isize::MIN, 0);
        for (range, most) in ranges {
            bytes += most.min(usize::try_from(range.end - range.start.max(end)).unwrap_or(0));
            end = end.max(range.end);
        }
        (bytes as f64 * points as f64 / own as f64) as usize
    }
}
