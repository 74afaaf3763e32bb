//! Launches with transposed operands, in parts of the rows.
//!
//! In a transposed operand the elements of a row lie far apart: each is on a cache line of its own, and often on a page, which the next
//! rows use again. A row that is too long for them to be there still is run in parts, all rows of a part before the next part.

use crate::drive::fp_status;
use crate::x86::isel::conventions::VECTOR_BYTES;
use crate::x86::launch::program::{LoopProgram, RowPlan};
use crate::{Launch, RaisedFlags, ThreadPool};
use smallvec::SmallVec;

/// Elements of a part, about: the cache lines of three operands fit the first-level cache. Sums of a matrix and two or three transposed
/// ones, of 1000 × 1000 doubles, take 1.9 and 3.2 ns an element on one thread instead of 8.2 and 17.5 (Sapphire Rapids). No bench covers it.
const PART: usize = 256;

impl LoopProgram {
    /// The axis of rows that are to be run in parts: an operand takes larger steps along it than along another axis.
    #[inline]
    pub(crate) fn transposed_axis(&self, launch: &Launch<'_>) -> Option<usize> {
        let axis = launch.outer.iter().rposition(|&n| n != 1)?;
        let takes_lines = |operand: &usize| {
            let strides = launch.strides_of(*operand);
            let step = strides[axis].unsigned_abs();
            let is_smaller =
                |other: usize| launch.outer[other] > 1 && (1..step).contains(&strides[other].unsigned_abs());
            step >= VECTOR_BYTES && (0..axis).any(is_smaller)
        };
        let may_part = launch.outer[axis] >= 2 * PART && self.may_part();
        (may_part && (0..launch.addresses.len()).any(|operand| takes_lines(&operand))).then_some(axis)
    }

    /// Runs a launch in parts of its rows; none where it does not pay to run it by rows.
    ///
    /// # Safety
    /// The contract of the launch.
    pub(crate) unsafe fn launch_in_parts(
        &self,
        launch: &Launch<'_>,
        axis: usize,
        workers: &dyn ThreadPool,
    ) -> Option<RaisedFlags> {
        let n = launch.outer[axis];
        let count = n / PART;
        // About equal, as a short part would be run slowly; and of whole cache lines.
        let begin_of = |part: usize| if part == count { n } else { n * part / count / VECTOR_BYTES * VECTOR_BYTES };
        let part_of = |part: usize| {
            let first = begin_of(part);
            let mut outer: SmallVec<[usize; 8]> = SmallVec::from_slice(launch.outer);
            outer[axis] = begin_of(part + 1) - first;
            let begin = |(operand, address): (usize, &*mut u8)| {
                address.wrapping_offset(first as isize * launch.strides_of(operand)[axis])
            };
            let addresses: SmallVec<[*mut u8; 12]> = launch.addresses.iter().enumerate().map(begin).collect();
            (outer, addresses)
        };
        let parts: Vec<_> = (0..count).map(part_of).collect();
        let plan = |(outer, addresses)| self.plan(&Launch { outer, addresses, ..*launch });
        // All are planned before the first runs: what it overwrites would be gone where another part cannot be run so.
        let plans: Vec<RowPlan<'_>> =
            parts.iter().map(|(outer, addresses)| plan((outer, addresses))).collect::<Option<_>>()?;
        let mut raised = RaisedFlags::new();
        for plan in &plans {
            // SAFETY: the caller's contract, for a part of the domain.
            fp_status::merge(&mut raised, unsafe { self.run_plan(plan, workers) });
        }
        Some(raised)
    }
}
