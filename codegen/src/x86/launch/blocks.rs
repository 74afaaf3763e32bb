//! Launches in blocks of rows and columns, for which some operands are copied to scratch memory.
//!
//! In a transposed operand the elements of a row lie far apart: each is on a cache line of its own, and often on a page. A copy of what of
//! it belongs to a block reads each line once and as a whole; a result is copied from there. The loop then finds every operand as it is
//! without transposition.
//!
//! Where rows are short and an operand is broadcast, or has gaps, a loop would run a vector or two and begin anew. With copies of such
//! operands a block is one long row: `np.exp(x) * weights` of three columns takes a fifteenth of the time of the interpreter, which is what
//! runs rows shorter than a vector.

use crate::cost::items_of_lines;
use crate::drive::block_copy::{StridedBlock, copy_block};
use crate::drive::fp_status;
use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::scratch::with as with_scratch;
use crate::drive::strategy::{MIN_REPEATED_POINTS, MIN_SHARED_ROW, SHORT_NESTED_ROW};
use crate::x86::isel::conventions::{StrideKind, VECTOR_BYTES};
use crate::x86::launch::program::LoopProgram;
use crate::x86::launch::repeated_rows::RepeatedRows;
use crate::{Access, Launch, RaisedFlags, ThreadPool};
use smallvec::SmallVec;
use std::ops::Range;

/// Columns of a block, and its elements, about: three operands of eight bytes fit the second-level cache by far.
const BLOCK_COLUMNS: usize = 128;
const BLOCK_ELEMENTS: usize = 4096;
/// The least rows and columns for which it pays to copy a transposed operand: half a cache line of doubles, and two vectors.
const MIN_ROWS: usize = 4;
const MIN_COLUMNS: usize = 16;
/// Nanoseconds of an element for which it pays to make one row of short ones of a vector or more: where the copies are made once, and where
/// elements that lie apart are copied for each block. Measure: `python -m benches.composed`, the lines of scaled exponentials.
const COSTLY_ELEMENT: [f64; 2] = [0.4, 0.8];
/// Nanoseconds of an element of another copy for each block, against those of the lanes that rows leave empty: a sine and an exponential of rows of
/// 10 doubles with an element a row each take 2.9 ns an element, and 2.3 with copies; of 16 1.7 and 2.1, of 50 1.8 and 2.2 (Zen 4). Measure:
/// as above.
const COPIED_NS: f64 = 0.27;
/// The same for short rows of less than a vector in small launches. In others it always pays: of products of 2 or 4 doubles by one the
/// interpreter takes 0.6 ns an element and 1.8 to 2.1 from memory, copies and a loop 0.5 and 1.0 to 1.3.
const CHEAP_ELEMENT: f64 = 0.25;
/// Nanoseconds of an element that is copied, for the cost model.
const COPY_NS: f64 = 0.2;

/// How a launch runs in blocks.
pub(crate) enum LaunchBlocks {
    /// Operands are copied for each block.
    Copied(CopiedBlocks),
    /// What is the same in all rows is copied once.
    Repeated(RepeatedRows),
}

/// A launch in blocks for which operands are copied.
pub(crate) struct CopiedBlocks {
    /// The axes of rows and columns.
    rows: usize,
    columns: usize,
    /// The operands that are copied.
    copied: SmallVec<[usize; 4]>,
    /// Rows and columns of a block.
    block: [usize; 2],
    /// Whether a block is one row: all operands are dense once these are copied.
    is_one_row: bool,
}

impl LoopProgram {
    /// The blocks in which it pays to run a launch, if any.
    #[inline]
    pub(crate) fn blocks(&self, launch: &Launch<'_>) -> Option<LaunchBlocks> {
        let columns = launch.outer.iter().rposition(|&n| n != 1)?;
        if !self.may_part() {
            return None;
        }
        if let Some(repeated) = self.repeated_rows(launch, columns) {
            return Some(LaunchBlocks::Repeated(repeated));
        }
        let copied = self.short_rows(launch, columns).or_else(|| self.transposed(launch, columns));
        copied.map(LaunchBlocks::Copied)
    }

    /// Blocks for transposed operands: those that take larger steps along the rows of the launch than along another axis.
    fn transposed(&self, launch: &Launch<'_>, columns: usize) -> Option<CopiedBlocks> {
        let smaller_axis = |operand: usize| {
            let strides = launch.strides_of(operand);
            let step = strides[columns].unsigned_abs();
            let is_smaller =
                |&axis: &usize| launch.outer[axis] >= MIN_ROWS && (1..step).contains(&strides[axis].unsigned_abs());
            (step >= VECTOR_BYTES).then(|| (0..columns).rev().find(is_smaller)).flatten()
        };
        if launch.outer[columns] < MIN_COLUMNS {
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
        let copied: SmallVec<[usize; 4]> =
            candidates().filter(|&o| smaller_axis(o) == Some(rows) && !has_gaps(o, rows)).collect();
        let columns_of_block = launch.outer[columns].min(BLOCK_COLUMNS);
        let line = copied.iter().map(|&o| VECTOR_BYTES / self.size_of(o)).max()?;
        let rows_of_block = (BLOCK_ELEMENTS / columns_of_block).max(line).min(launch.outer[rows]);
        Some(CopiedBlocks { rows, columns, copied, block: [rows_of_block, columns_of_block], is_one_row: false })
    }

    /// Blocks for short rows, where an element takes long enough.
    fn short_rows(&self, launch: &Launch<'_>, columns: usize) -> Option<CopiedBlocks> {
        let n = launch.outer[columns];
        let rows = (0..columns).rev().find(|&axis| launch.outer[axis] != 1)?;
        let points: usize = launch.outer.iter().product();
        if n >= MIN_SHARED_ROW || launch.outer[rows] < MIN_COLUMNS {
            return None;
        }
        let all = || 0..launch.addresses.len();
        let is_dense = |&operand: &usize| {
            let (strides, size) = (launch.strides_of(operand), self.size_of(operand) as isize);
            strides[columns] == size && strides[rows] == n as isize * size
        };
        let copied: SmallVec<[usize; 4]> = all().filter(|operand| !is_dense(operand)).collect();
        // An operand accessed by offsets is none of the domain's.
        let is_in_domain = |operand: usize| self.dense_kinds()[operand] == StrideKind::Dense;
        if copied.is_empty()
            || !all().all(is_in_domain)
            || copied.iter().any(|&operand| self.access_of(operand) != Access::Read)
        {
            return None;
        }
        let written = all().filter(|&operand| self.access_of(operand) == Access::Write);
        let lines = written.map(|operand| items_of_lines(n * self.size_of(operand))).max().unwrap_or(1);
        let cost = self.forms.cost;
        let lies_apart =
            |operand: usize| ![0, self.size_of(operand) as isize].contains(&launch.strides_of(operand)[columns]);
        let empty = (n.next_multiple_of(self.lanes) - n) as f64 / n as f64;
        let pays = match n {
            n if n < SHORT_NESTED_ROW => points >= MIN_REPEATED_POINTS || cost >= CHEAP_ELEMENT,
            _ if copied.iter().all(|&o| launch.strides_of(o)[rows] == 0) => cost >= COSTLY_ELEMENT[0],
            _ if copied.iter().any(|&o| lies_apart(o)) => cost >= COSTLY_ELEMENT[1],
            _ => empty * cost >= COPIED_NS * copied.len() as f64,
        };
        let count = (BLOCK_ELEMENTS / n).next_multiple_of(lines).min(launch.outer[rows]);
        let block = [count, n];
        pays.then_some(CopiedBlocks { rows, columns, copied, block, is_one_row: true })
    }

    /// Runs a launch in blocks.
    ///
    /// # Safety
    /// The contract of the launch.
    pub(crate) unsafe fn launch_in_blocks(
        &self,
        launch: &Launch<'_>,
        blocks: &LaunchBlocks,
        workers: &dyn ThreadPool,
    ) -> RaisedFlags {
        let blocks = match blocks {
            LaunchBlocks::Copied(blocks) => blocks,
            // SAFETY: the caller's contract.
            LaunchBlocks::Repeated(rows) => return unsafe { self.launch_repeated(launch, rows, workers) },
        };
        let points: usize = launch.outer.iter().product();
        let cost = self.forms.cost + COPY_NS * blocks.copied.len() as f64;
        let shared = SharedLaunch(*launch);
        let nanoseconds = estimate_ns(points, cost, self.forms.bytes);
        parallel_for(blocks.count(launch), nanoseconds, workers, &|range, raised| {
            // SAFETY: the caller's contract; no two blocks have points in common.
            unsafe { self.run_blocks(&shared.get(), blocks, range, raised) }
        })
    }

    /// Runs some blocks.
    ///
    /// # Safety
    /// The contract of the launch.
    unsafe fn run_blocks(
        &self,
        launch: &Launch<'_>,
        blocks: &CopiedBlocks,
        range: Range<usize>,
        raised: &mut RaisedFlags,
    ) {
        let room = |operand: usize| (blocks.block[0] * self.pitch(blocks, operand)).next_multiple_of(VECTOR_BYTES);
        let bytes: usize = blocks.copied.iter().map(|&o| room(o)).sum();
        let points = launch.outer.iter().product();
        let strides = self.strides_of_blocks(launch, blocks);
        // What is broadcast to all rows is the same in the next block.
        let mut last: SmallVec<[(*mut u8, usize); 4]> =
            SmallVec::from_elem((std::ptr::null_mut(), 0), blocks.copied.len());
        with_scratch(bytes, |scratch| {
            for unit in range {
                let (origin, extents) = blocks.block_of(launch, unit);
                let places = addresses_at(launch, &origin);
                let mut addresses = places.clone();
                let mut outer: SmallVec<[usize; 8]> = SmallVec::from_elem(1, launch.outer.len());
                match blocks.is_one_row {
                    true => outer[blocks.columns] = extents[0] * extents[1],
                    false => [outer[blocks.rows], outer[blocks.columns]] = extents,
                }
                let mut to = scratch;
                for (&operand, last) in blocks.copied.iter().zip(&mut last) {
                    let is_shared = launch.strides_of(operand)[blocks.rows] == 0;
                    let is_there = is_shared && last.0 == places[operand] && extents[0] <= last.1;
                    if self.access_of(operand) == Access::Read && !is_there {
                        let block = self.block_to_rows(launch, blocks, operand, extents);
                        // SAFETY: the block is part of the launch, and the scratch has room for it.
                        unsafe { copy_block(to, places[operand], &block, self.size_of(operand)) };
                        *last = (places[operand], extents[0]);
                    }
                    addresses[operand] = to;
                    to = to.wrapping_add(room(operand));
                }
                let part = Launch { outer: &outer, addresses: &addresses, strides: &strides, ..*launch };
                // SAFETY: the caller's contract, for a part of the domain.
                fp_status::merge(raised, unsafe { self.run_alone(&part, &origin, points) });
                for &operand in blocks.copied.iter().filter(|&&o| self.access_of(o) == Access::Write) {
                    let block = StridedBlock {
                        rows: extents[1],
                        columns: extents[0],
                        along_row: self.pitch(blocks, operand) as isize,
                        along_column: self.size_of(operand) as isize,
                        pitch: launch.strides_of(operand)[blocks.columns],
                    };
                    // SAFETY: as above.
                    unsafe { copy_block(places[operand], addresses[operand], &block, self.size_of(operand)) };
                }
            }
        });
    }

    /// Bytes from a row to the next of a copy: a cache line more than a row, so that rows do not fall on the same lines of the cache; or a
    /// row.
    fn pitch(&self, blocks: &CopiedBlocks, operand: usize) -> usize {
        let row = blocks.block[1] * self.size_of(operand);
        if blocks.is_one_row { row } else { row.next_multiple_of(VECTOR_BYTES) + VECTOR_BYTES }
    }

    /// The strides of a block.
    fn strides_of_blocks(&self, launch: &Launch<'_>, blocks: &CopiedBlocks) -> SmallVec<[isize; 24]> {
        let mut strides: SmallVec<[isize; 24]> = SmallVec::from_slice(launch.strides);
        for &operand in &blocks.copied {
            let first = operand * launch.outer.len();
            strides[first + blocks.columns] = self.size_of(operand) as isize;
            strides[first + blocks.rows] = self.pitch(blocks, operand) as isize;
        }
        strides
    }

    /// What of an operand belongs to a block, as it is copied to rows.
    fn block_to_rows(
        &self,
        launch: &Launch<'_>,
        blocks: &CopiedBlocks,
        operand: usize,
        [rows, columns]: [usize; 2],
    ) -> StridedBlock {
        let strides = launch.strides_of(operand);
        StridedBlock {
            rows,
            columns,
            along_row: strides[blocks.columns],
            along_column: strides[blocks.rows],
            pitch: self.pitch(blocks, operand) as isize,
        }
    }
}

impl CopiedBlocks {
    /// How many blocks the launch has: one for each range of rows and columns, and each point of the other axes.
    fn count(&self, launch: &Launch<'_>) -> usize {
        (0..launch.outer.len()).map(|axis| launch.outer[axis].div_ceil(self.step(axis))).product()
    }

    /// Elements of a block along an axis.
    fn step(&self, axis: usize) -> usize {
        match axis {
            axis if axis == self.rows => self.block[0],
            axis if axis == self.columns => self.block[1],
            _ => 1,
        }
    }

    /// The first point of a block, and its rows and columns.
    fn block_of(&self, launch: &Launch<'_>, unit: usize) -> (SmallVec<[usize; 4]>, [usize; 2]) {
        let mut origin: SmallVec<[usize; 4]> = SmallVec::from_elem(0, launch.outer.len());
        let mut rest = unit;
        for (axis, &extent) in launch.outer.iter().enumerate().rev() {
            let count = extent.div_ceil(self.step(axis));
            origin[axis] = rest % count * self.step(axis);
            rest /= count;
        }
        let extents = [self.rows, self.columns].map(|axis| self.step(axis).min(launch.outer[axis] - origin[axis]));
        (origin, extents)
    }
}

/// The addresses of operands at a point of the domain.
fn addresses_at(launch: &Launch<'_>, point: &[usize]) -> SmallVec<[*mut u8; 12]> {
    let mut addresses: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(launch.addresses);
    for (operand, address) in addresses.iter_mut().enumerate() {
        let offset: isize =
            point.iter().zip(launch.strides_of(operand)).map(|(&at, &stride)| at as isize * stride).sum();
        *address = (*address).wrapping_offset(offset);
    }
    addresses
}
