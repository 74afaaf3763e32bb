//! Launches whose short rows become long ones: what is the same in all rows is repeated in scratch memory.
//!
//! `images * weights` has rows of three elements, which fill no vector; rows of 50 doubles end in part of a vector, and begin anywhere in
//! a cache line, so that no result can be written by non-temporal stores. Where all other operands are dense, some hundred rows follow each other
//! in memory. With as many copies of the row that is broadcast they are one row of the launch.

use crate::cost::items_of_lines;
use crate::drive::block_copy::{StridedBlock, copy_block};
use crate::drive::fp_status;
use crate::drive::scratch::with as with_scratch;
use crate::drive::strategy::{self, MIN_REPEATED_POINTS, REPEATED_ELEMENTS, SHORT_REPEATED_ROW};
use crate::x86::isel::conventions::{StrideKind, VECTOR_BYTES};
use crate::x86::launch::program::LoopProgram;
use crate::{Access, Launch, RaisedFlags, ThreadPool};
use smallvec::SmallVec;

/// How rows of a launch are joined.
pub(crate) struct RepeatedRows {
    /// The axes of rows and columns.
    rows: usize,
    columns: usize,
    /// The operands that are the same in all rows, whose rows are repeated.
    repeated: SmallVec<[usize; 4]>,
    /// Rows that are joined.
    count: usize,
}

impl LoopProgram {
    /// How rows of a launch can be joined, where that pays.
    #[inline]
    pub(crate) fn repeated_rows(&self, launch: &Launch<'_>, columns: usize) -> Option<RepeatedRows> {
        let points: usize = launch.outer.iter().product();
        let rows = (0..columns).rev().find(|&axis| launch.outer[axis] != 1)?;
        let n = launch.outer[columns];
        if points < MIN_REPEATED_POINTS || n > REPEATED_ELEMENTS {
            return None;
        }
        let mut repeated = SmallVec::new();
        let mut line = 1;
        for operand in 0..launch.addresses.len() {
            let (strides, size) = (launch.strides_of(operand), self.size_of(operand));
            let is_dense = strides[columns] == size as isize && strides[rows] == (n * size) as isize;
            let is_shared = strides[..columns].iter().zip(launch.outer).all(|(&stride, &n)| stride == 0 || n == 1);
            match self.access_of(operand) {
                // What is accessed by offsets has no place in the domain.
                _ if self.dense_kinds()[operand] != StrideKind::Dense => return None,
                Access::Write if is_dense => line = line.max(items_of_lines(n * size)),
                _ if is_dense => {}
                Access::Read if is_shared && strides[columns] == 0 => {}
                Access::Read if is_shared => repeated.push(operand),
                _ => return None,
            }
        }
        // Longer rows gain by non-temporal stores alone, for which a row's bytes are whole cache lines.
        let gains = n < SHORT_REPEATED_ROW || line > 1 && strategy::may_store_non_temporal(&self.forms, points);
        let count = (REPEATED_ELEMENTS / n).next_multiple_of(line).min(launch.outer[rows]);
        (gains && count > 1 && !repeated.is_empty()).then_some(RepeatedRows { rows, columns, repeated, count })
    }

    /// Runs a launch with joined rows.
    ///
    /// # Safety
    /// The contract of the launch.
    pub(crate) unsafe fn launch_repeated(
        &self,
        launch: &Launch<'_>,
        joined: &RepeatedRows,
        workers: &dyn ThreadPool,
    ) -> RaisedFlags {
        let &RepeatedRows { rows, columns, ref repeated, count } = joined;
        let n = launch.outer[columns];
        let room = |operand: usize| (count * n * self.size_of(operand)).next_multiple_of(VECTOR_BYTES);
        with_scratch(repeated.iter().map(|&o| room(o)).sum(), |mut scratch| {
            let mut addresses: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(launch.addresses);
            let mut strides: SmallVec<[isize; 24]> = SmallVec::from_slice(launch.strides);
            let axes = launch.outer.len();
            for operand in 0..addresses.len() {
                strides[operand * axes + rows] *= count as isize;
            }
            for &operand in repeated {
                let (from, along_row) = (launch.addresses[operand], launch.strides_of(operand)[columns]);
                let pitch = (n * self.size_of(operand)) as isize;
                let block = StridedBlock { rows: count, columns: n, along_row, along_column: 0, pitch };
                // SAFETY: the scratch has room for so many rows of each operand.
                unsafe { copy_block(scratch, from, &block, self.size_of(operand)) };
                addresses[operand] = scratch;
                strides[operand * axes + columns] = self.size_of(operand) as isize;
                scratch = scratch.wrapping_add(room(operand));
            }
            let mut outer: SmallVec<[usize; 8]> = SmallVec::from_slice(launch.outer);
            [outer[rows], outer[columns]] = [launch.outer[rows] / count, count * n];
            let origin: SmallVec<[usize; 4]> = SmallVec::from_elem(0, axes);
            let points = launch.outer.iter().product();
            let whole = Launch { outer: &outer, addresses: &addresses, strides: &strides, ..*launch };
            // SAFETY: the caller's contract, for the same points in other rows.
            let mut raised = unsafe {
                match self.plan(&whole) {
                    Some(plan) => self.run_plan(&plan, workers),
                    None => self.run_alone(&whole, &origin, points),
                }
            };
            let left = launch.outer[rows] % count;
            if left > 0 {
                for (operand, address) in addresses.iter_mut().enumerate() {
                    let stride = strides[operand * axes + rows];
                    *address = address.wrapping_offset(outer[rows] as isize * stride);
                }
                [outer[rows], outer[columns]] = [1, left * n];
                let rest = Launch { outer: &outer, addresses: &addresses, strides: &strides, ..*launch };
                // SAFETY: as above, for the last points.
                fp_status::merge(&mut raised, unsafe { self.run_alone(&rest, &origin, points) });
            }
            raised
        })
    }
}
