//! Inputs that results overwrite: a chunk that is run again has to find them as they were.
//!
//! Many loops leave before they overwrite what matters ([`crate::x86::isel::side_exits`]). What is left of a call is then
//! run by a version of the program without such exits. That saves the inputs which a chunk overwrites to scratch memory, before the chunk runs.

use crate::drive::block_copy::{StridedBlock, copy_block};
use crate::drive::fp_status;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::launch::compiled_loop::{CompiledLoop, Exit};
use crate::x86::launch::effects::{common_divisor, overlap};
use crate::x86::launch::program::LoopProgram;
use crate::x86::launch::re_execution::Chunk;
use crate::x86::launch::row_chunks::{RowBegin, RowChunks, RowSpan};
use crate::x86::launch::turns::LeftShare;
use crate::{Access, FpFlags, Launch, RaisedFlags, Scalar};
use smallvec::SmallVec;
use std::ops::Range;

/// What a loop left, and the version of the program that is to run it: the portable one where there is no other.
#[derive(Clone, Copy)]
pub(crate) struct Left<'a> {
    exit: Exit,
    by: Option<&'a LoopProgram>,
}

impl LoopProgram {
    /// Whether elements of two operands do not overlap though the ranges of their addresses may: all strides are multiples of one step, in
    /// which they lie side by side, like columns of a matrix.
    fn are_interleaved(&self, launch: &Launch<'_>, a: usize, b: usize) -> bool {
        let strides = |operand| launch.strides_of(operand).iter().zip(launch.outer).filter(|(_, n)| **n > 1);
        let step =
            strides(a).chain(strides(b)).fold(0, |step, (stride, _)| common_divisor(step, stride.unsigned_abs()));
        if step == 0 {
            return false;
        }
        let between = (launch.addresses[b] as isize - launch.addresses[a] as isize).rem_euclid(step as isize) as usize;
        between >= self.size_of(a) && between + self.size_of(b) <= step
    }

    /// Alias analysis: the inputs that results of the launch overlap, and that are saved; none if an element is read again along a row.
    pub(crate) fn clobbered_inputs(&self, launch: &Launch<'_>, kinds: &StrideKinds) -> Option<SmallVec<[usize; 4]>> {
        let of = |access| {
            (0..self.expanded.kernel.operands.len()).filter(move |&o| self.expanded.kernel.operands[o].access == access)
        };
        let written: SmallVec<[(usize, Range<isize>); 4]> =
            of(Access::Write).map(|operand| (operand, self.byte_range(launch, operand))).collect();
        let mut clobbered = SmallVec::new();
        for operand in of(Access::Read) {
            let read = self.byte_range(launch, operand);
            if written.iter().any(|(w, range)| overlap(range, &read) && !self.are_interleaved(launch, *w, operand)) {
                if kinds[operand] == StrideKind::Broadcast {
                    return None;
                }
                clobbered.push(operand);
            }
        }
        Some(clobbered)
    }

    pub(crate) fn saved_bytes(&self, operand: usize, rows: &RowChunks<'_>) -> usize {
        (rows.chunk * rows.most * self.size_of(operand)).next_multiple_of(VECTOR_BYTES)
    }

    /// Where inputs are saved that results clobber: the operand, and its memory.
    fn saves<'a>(
        &'a self,
        rows: &'a RowChunks<'_>,
        mut spare: *mut u8,
    ) -> impl Iterator<Item = (usize, *mut u8)> + use<'a> {
        rows.saved.iter().map(move |&operand| {
            let at = spare;
            spare = spare.wrapping_add(self.saved_bytes(operand, rows));
            (operand, at)
        })
    }

    /// Saves the inputs that results are about to clobber, of some rows of some elements, densely.
    #[inline(never)]
    pub(crate) fn save_clobbered_inputs(&self, rows: &RowChunks<'_>, begin: &RowBegin, span: RowSpan, spare: *mut u8) {
        let launch = rows.launch.get();
        for (operand, to) in self.saves(rows, spare) {
            let (strides, size) = (launch.strides_of(operand), self.size_of(operand));
            let block = StridedBlock {
                rows: span.rows,
                columns: span.len,
                along_row: rows.axis.filter(|_| span.len > 1).map_or(size as isize, |axis| strides[axis]),
                along_column: rows.across.map_or(0, |across| strides[across]),
                pitch: (span.len * size) as isize,
            };
            // SAFETY: the operand is valid, and the spare memory has room for each in turn.
            unsafe { copy_block(to, begin.address(rows, operand, span.first), &block, size) };
        }
    }

    /// Some rows of some elements, as they can be read after results clobbered inputs.
    #[cold]
    pub(crate) fn chunk_to_re_execute(
        &self,
        rows: &RowChunks<'_>,
        begin: &RowBegin,
        span: RowSpan,
        spare: *mut u8,
        carries: SmallVec<[Scalar; 2]>,
    ) -> Chunk {
        let RowSpan { first, len, rows: count } = span;
        let mut origin = begin.origin.clone();
        begin.coordinates(rows, first).for_each(|(axis, at)| origin[axis] = at);
        let mut addresses: SmallVec<[*mut u8; 12]> =
            (0..begin.addresses.len()).map(|operand| begin.address(rows, operand, first)).collect();
        self.saves(rows, spare).for_each(|(operand, at)| addresses[operand] = at);
        let (strides, across) = (self.readable_strides(rows, len), rows.across);
        Chunk { origin, addresses, len, rows: count, across, strides, carries }
    }

    /// The strides at which operands can be read after inputs were saved from rows of so many elements.
    #[cold]
    fn readable_strides(&self, rows: &RowChunks<'_>, len: usize) -> SmallVec<[isize; 24]> {
        let launch = rows.launch.get();
        let mut strides = SmallVec::from_slice(launch.strides);
        for &operand in &rows.saved {
            let (of, size) = (operand * launch.outer.len(), self.size_of(operand));
            if let Some(axis) = rows.axis {
                strides[of + axis] = size as isize;
            }
            if let (Some(across), true) = (rows.across, rows.most > 1) {
                strides[of + across] = (len * size) as isize;
            }
        }
        strides
    }

    /// The version of the program that saves inputs; none if it can't be made.
    #[cold]
    pub(crate) fn saving(&self) -> Option<&LoopProgram> {
        self.saving.get_or_init(|| self.fallback.loop_as(self.version).map(Box::new)).as_deref()
    }

    /// Runs a loop with side exits on so many rows of `n` elements; what it left, if it did. The second version of the program runs all of it
    /// at once where many arguments are special.
    ///
    /// # Safety
    /// As [`CompiledLoop::run`].
    #[inline]
    pub(crate) unsafe fn run_leaving(
        &self,
        found: &CompiledLoop,
        block: *mut u8,
        (n, rows): (usize, usize),
        share: &mut LeftShare,
    ) -> Option<Left<'_>> {
        share.all += n * rows;
        if let Some(second) = self.second.at_once() {
            return Some(Left { exit: Exit { done: 0, rows }, by: Some(second) });
        }
        // SAFETY: the caller's contract.
        if let Some(exit) = unsafe { found.run_to_exit(block, n, rows) } {
            share.left += n * exit.rows - exit.done;
            return Some(Left { exit, by: self.saving() });
        }
        if self.second.avoids_underflow() {
            self.second.after_fast(n * rows, || self.make_second());
            fp_status::clear();
        }
        None
    }

    /// Whether a launch is to save inputs at once: underflow, which leaves results finite, is reported, or loops lately left most of a launch.
    #[inline]
    pub(crate) fn saves_inputs(&self) -> bool {
        fp_status::reports_underflow() && self.fp_mask.contains(FpFlags::UNDERFLOW) || self.saving_turns.take()
    }

    /// Takes note of how much loops left in a launch, or in a part of it.
    #[inline]
    pub(crate) fn note_left(&self, share: &LeftShare) {
        if 2 * share.left > share.all {
            self.saving_turns.begin();
        } else if share.left == 0 && self.tested.is_some() {
            self.saving_turns.forget();
        }
    }

    /// Runs what a loop left of so many elements of a dense row, from the first of these on.
    ///
    /// # Safety
    /// The contract of the launch: what is left is not stored.
    #[cold]
    pub(crate) unsafe fn run_rest_of_row(
        &self,
        launch: &Launch<'_>,
        (first, len): (usize, usize),
        Left { exit, by }: Left<'_>,
        raised: &mut RaisedFlags,
    ) {
        let rest = first + exit.done..first + len;
        let first = |operand: usize| launch.addresses[operand].wrapping_add(rest.start * self.size_of(operand));
        let addresses: SmallVec<[*mut u8; 12]> = (0..launch.addresses.len()).map(first).collect();
        let mut outer: SmallVec<[usize; 4]> = SmallVec::from_elem(1, launch.outer.len());
        if let Some(axis) = launch.outer.iter().rposition(|&n| n != 1) {
            outer[axis] = rest.len();
        }
        // SAFETY: the caller's contract.
        unsafe { self.run_rest(&Launch { outer: &outer, addresses: &addresses, ..*launch }, by, raised) };
    }

    /// Runs what a loop left of a call: the rest of a row, and the rows after it.
    ///
    /// # Safety
    /// As [`LoopProgram::run_rest_of_row`].
    #[cold]
    pub(crate) unsafe fn run_rest_of_call(
        &self,
        rows: &RowChunks<'_>,
        begin: &mut RowBegin,
        span: RowSpan,
        Left { exit, by }: Left<'_>,
        raised: &mut RaisedFlags,
    ) {
        let launch = rows.launch.get();
        let mut run = |begin: &RowBegin, done: usize, count: usize| {
            let first = |operand: usize| begin.address(rows, operand, span.first + done);
            let addresses: SmallVec<[*mut u8; 12]> = (0..begin.addresses.len()).map(first).collect();
            let mut outer: SmallVec<[usize; 4]> = SmallVec::from_elem(1, launch.outer.len());
            if let Some(axis) = rows.axis {
                outer[axis] = span.len - done;
            }
            if let (Some(across), true) = (rows.across, count > 1) {
                outer[across] = count;
            }
            // SAFETY: the caller's contract.
            unsafe { self.run_rest(&Launch { outer: &outer, addresses: &addresses, ..launch }, by, raised) };
        };
        let mut left = exit.rows;
        begin.advance_to(rows, begin.row + span.rows - left);
        if exit.done > 0 {
            run(begin, exit.done, 1);
            left -= 1;
            begin.advance_to(rows, begin.row + (left > 0) as usize);
        }
        if left > 0 {
            run(begin, 0, left);
        }
    }

    /// Runs what a loop left, as a launch of its own, by a version of the program.
    ///
    /// # Safety
    /// As [`LoopProgram::run_rest_of_row`].
    unsafe fn run_rest(&self, rest: &Launch<'_>, by: Option<&LoopProgram>, raised: &mut RaisedFlags) {
        let origin: SmallVec<[usize; 4]> = SmallVec::from_elem(0, rest.outer.len());
        fp_status::clear();
        // SAFETY: the caller's contract.
        let found = unsafe {
            match by {
                Some(version) => version.run_alone(rest, &origin, rest.outer.iter().product()),
                None => self.fallback.get().run_part(rest, &origin),
            }
        };
        fp_status::merge(raised, found);
    }
}
