//! Launches with transposed operands, in blocks of rows and columns.
//!
//! In a transposed operand the elements of a row lie far apart: each is on a cache line of its own, and often on a page. So what of it
//! belongs to a block is copied to rows in scratch memory, which reads each line once and as a whole, and a result from there. The loop
//! then finds every operand as it is without transposition.

use crate::drive::fp_status;
use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::scratch::with as with_scratch;
use crate::drive::transpose::{TransposedBlock, transpose};
use crate::x86::isel::conventions::{StrideKind, VECTOR_BYTES};
use crate::x86::launch::program::LoopProgram;
use crate::{Access, Launch, RaisedFlags, ThreadPool};
use smallvec::SmallVec;
use std::ops::Range;

/// Columns of a block, and its elements, about: three operands of eight bytes fit the second-level cache by far.
const BLOCK_COLUMNS: usize = 128;
const BLOCK_ELEMENTS: usize = 4096;
/// The least rows and columns for which it pays: half a cache line of doubles, and two vectors.
const MIN_ROWS: usize = 4;
const MIN_COLUMNS: usize = 16;

/// A launch with transposed operands.
pub(crate) struct TransposedLaunch {
    /// The axis along which a loop runs, and the one along which those operands take smaller steps.
    columns: usize,
    rows: usize,
    /// The operands.
    operands: SmallVec<[usize; 4]>,
    /// Rows and columns of a block.
    block: [usize; 2],
}

impl LoopProgram {
    /// Finds transposed operands: those that take larger steps along the rows of the launch than along another axis.
    #[inline]
    pub(crate) fn transposed(&self, launch: &Launch<'_>) -> Option<TransposedLaunch> {
        let columns = launch.outer.iter().rposition(|&n| n != 1)?;
        let smaller_axis = |operand: usize| {
            let strides = launch.strides_of(operand);
            let step = strides[columns].unsigned_abs();
            let is_smaller =
                |&axis: &usize| launch.outer[axis] >= MIN_ROWS && (1..step).contains(&strides[axis].unsigned_abs());
            (step >= VECTOR_BYTES).then(|| (0..columns).rev().find(is_smaller)).flatten()
        };
        if launch.outer[columns] < MIN_COLUMNS || !self.may_part() {
            return None;
        }
        // What is accessed by offsets has no place in the domain. Results are copied back to columns without gaps.
        let may_copy = |&operand: &usize| self.dense_kinds()[operand] == StrideKind::Dense;
        let has_gaps = |operand: usize, rows: usize| {
            self.access_of(operand) == Access::Write
                && launch.strides_of(operand)[rows] != self.size_of(operand) as isize
        };
        let candidates = || (0..launch.addresses.len()).filter(may_copy);
        let rows = candidates().find_map(smaller_axis)?;
        let operands: SmallVec<[usize; 4]> =
            candidates().filter(|&o| smaller_axis(o) == Some(rows) && !has_gaps(o, rows)).collect();
        let columns_of_block = launch.outer[columns].min(BLOCK_COLUMNS);
        let line = operands.iter().map(|&o| VECTOR_BYTES / self.size_of(o)).max()?;
        let rows_of_block = (BLOCK_ELEMENTS / columns_of_block).max(line).min(launch.outer[rows]);
        Some(TransposedLaunch { columns, rows, operands, block: [rows_of_block, columns_of_block] })
    }

    /// Runs a launch with transposed operands.
    ///
    /// # Safety
    /// The contract of the launch.
    pub(crate) unsafe fn launch_transposed(
        &self,
        launch: &Launch<'_>,
        transposed: &TransposedLaunch,
        workers: &dyn ThreadPool,
    ) -> RaisedFlags {
        let points: usize = launch.outer.iter().product();
        // A copy takes about as long as two instructions.
        let copies = 0.3 * transposed.operands.len() as f64;
        let nanoseconds = estimate_ns(points, self.forms.cost + copies, self.forms.bytes);
        let shared = SharedLaunch(*launch);
        parallel_for(transposed.blocks(launch), nanoseconds, workers, &|range, raised| {
            // SAFETY: the caller's contract; no two blocks have points in common.
            unsafe { self.run_blocks(&shared.get(), transposed, range, raised) }
        })
    }

    /// Runs some blocks.
    ///
    /// # Safety
    /// The contract of the launch.
    unsafe fn run_blocks(
        &self,
        launch: &Launch<'_>,
        transposed: &TransposedLaunch,
        range: Range<usize>,
        raised: &mut RaisedFlags,
    ) {
        let (rank, [rows, columns]) = (launch.outer.len(), transposed.block);
        // A cache line more than a row, so that rows do not fall on the same lines of the cache.
        let pitch = |operand: usize| (columns * self.size_of(operand)).next_multiple_of(VECTOR_BYTES) + VECTOR_BYTES;
        let bytes: usize = transposed.operands.iter().map(|&o| rows * pitch(o)).sum();
        let mut strides: SmallVec<[isize; 24]> = SmallVec::from_slice(launch.strides);
        for &operand in &transposed.operands {
            strides[operand * rank + transposed.columns] = self.size_of(operand) as isize;
            strides[operand * rank + transposed.rows] = pitch(operand) as isize;
        }
        with_scratch(bytes, |scratch| {
            for unit in range {
                let (origin, [rows, columns]) = transposed.block_of(launch, unit);
                let mut addresses: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(launch.addresses);
                for (operand, address) in addresses.iter_mut().enumerate() {
                    let offset = |(&at, &stride): (&usize, &isize)| at as isize * stride;
                    *address = address.wrapping_offset(origin.iter().zip(launch.strides_of(operand)).map(offset).sum());
                }
                let places = addresses.clone();
                let mut outer: SmallVec<[usize; 8]> = SmallVec::from_elem(1, rank);
                (outer[transposed.rows], outer[transposed.columns]) = (rows, columns);
                let mut to = scratch;
                for &operand in &transposed.operands {
                    if self.access_of(operand) == Access::Read {
                        let block = TransposedBlock {
                            rows,
                            columns,
                            along_row: launch.strides_of(operand)[transposed.columns],
                            along_column: launch.strides_of(operand)[transposed.rows],
                            pitch: pitch(operand) as isize,
                        };
                        // SAFETY: the block is part of the launch, and the scratch has room for it.
                        unsafe { transpose(to, places[operand], &block, self.size_of(operand)) };
                    }
                    addresses[operand] = to;
                    to = to.wrapping_add(transposed.block[0] * pitch(operand));
                }
                let block = Launch { outer: &outer, addresses: &addresses, strides: &strides, ..*launch };
                // SAFETY: the caller's contract, for a part of the domain.
                fp_status::merge(raised, unsafe { self.run_alone(&block, &origin) });
                fp_status::clear();
                for &operand in transposed.operands.iter().filter(|&&o| self.access_of(o) == Access::Write) {
                    let place = launch.strides_of(operand);
                    let block = TransposedBlock {
                        rows: columns,
                        columns: rows,
                        along_row: pitch(operand) as isize,
                        along_column: self.size_of(operand) as isize,
                        pitch: place[transposed.columns],
                    };
                    // SAFETY: as above.
                    unsafe { transpose(places[operand], addresses[operand], &block, self.size_of(operand)) };
                }
            }
        });
    }
}

impl TransposedLaunch {
    /// How many blocks the launch has: one for each range of rows and columns, and each point of the other axes.
    fn blocks(&self, launch: &Launch<'_>) -> usize {
        let of = |axis: usize, block: usize| launch.outer[axis].div_ceil(block);
        let others = (0..launch.outer.len()).filter(|&axis| axis != self.rows && axis != self.columns);
        of(self.rows, self.block[0])
            * of(self.columns, self.block[1])
            * others.map(|a| launch.outer[a]).product::<usize>()
    }

    /// The first point of a block, and its rows and columns.
    fn block_of(&self, launch: &Launch<'_>, unit: usize) -> (SmallVec<[usize; 4]>, [usize; 2]) {
        let mut origin: SmallVec<[usize; 4]> = SmallVec::from_elem(0, launch.outer.len());
        let (mut rest, [rows, columns]) = (unit, self.block);
        for (axis, &extent) in launch.outer.iter().enumerate().rev() {
            let step = match axis {
                axis if axis == self.columns => columns,
                axis if axis == self.rows => rows,
                _ => 1,
            };
            let count = extent.div_ceil(step);
            origin[axis] = rest % count * step;
            rest /= count;
        }
        let left = |axis: usize| launch.outer[axis] - origin[axis];
        let extents = [rows.min(left(self.rows)), columns.min(left(self.columns))];
        (origin, extents)
    }
}
