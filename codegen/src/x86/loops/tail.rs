//! The tail of a row without lane masks (AVX2): the elements that do not fill a vector.
//!
//! In scans and where elements are stored by offsets, the loop runs on one more vector, in which copies of the row's last element fill the
//! missing lanes: these raise no flag that the row's own elements do not raise, and compute nothing outside the domain.
//! Dense operands are copied to the argument block and back. Missing lanes of strided operands have the offset of the last element, so
//! they store what it stores. This takes 50 ns for an addition, 90 for a stencil of five points.
//!
//! Reductions ([`crate::x86::loops::reduce_loop`]) and other maps ([`crate::x86::loops::row_loop`]) compute a full vector that overlaps the one
//! before. Of rows that are shorter than a vector, maps run such a copy as a row of one full vector.

use crate::Access;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::StrideKind;
use smallvec::SmallVec;
use std::ops::Range;

/// An operand that is not broadcast.
#[derive(Clone, Copy)]
struct TailOperand {
    number: usize,
    size: usize,
    access: Access,
    dense: bool,
    /// Whether the loop advances the base pointer itself, instead of an index.
    is_advanced: bool,
}

/// How a loop computes the tail.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TailForm {
    /// A copy, as one more vector.
    Copy,
    /// The loop itself computes an overlapping vector, and rows of one vector.
    Overlapping,
    /// The same, which is folded in the lanes that the vector before did not have. No row is shorter than a vector.
    Folded,
}

/// The work of a launch before and after a loop with a tail.
pub(crate) struct Tail {
    lanes: usize,
    form: TailForm,
    operands: SmallVec<[TailOperand; 4]>,
    /// Whether the loop may use coordinates.
    uses_coordinates: bool,
}

impl Tail {
    /// The tail of a body's loop, for its first operands with these stride kinds; none with AVX-512, whose loops mask it.
    pub(crate) fn of(body: &Body<'_>, kinds: &[StrideKind], form: TailForm) -> Option<Tail> {
        let operands = body.kernel.operands.iter().zip(kinds).enumerate();
        let operands = operands.filter(|(o, (_, kind))| **kind != StrideKind::Broadcast && body.touches(*o));
        let operands = operands.map(|(number, (decl, kind))| TailOperand {
            number,
            size: decl.dtype.size(),
            access: decl.access,
            dense: *kind != StrideKind::Strided,
            is_advanced: decl.dtype.is_complex(),
        });
        let uses_coordinates = body.lanes * 8 == body.level.vector();
        let (lanes, operands) = (body.lanes, operands.collect());
        (body.level == Level::Avx2).then_some(Tail { lanes, form, operands, uses_coordinates })
    }

    /// The number of elements in the tail of a row of `n`.
    #[inline]
    fn remainder(&self, n: usize) -> usize {
        n & (self.lanes - 1)
    }

    /// Elements of the shortest rows of which a call may run several.
    pub(crate) fn shortest_row(&self) -> usize {
        if self.form == TailForm::Copy { usize::MAX } else { self.lanes }
    }

    /// Runs a loop on rows of `n` elements.
    ///
    /// # Safety
    /// The block holds all other arguments of the loop; there is one row, or `n` is not less than [`Tail::shortest_row`].
    #[inline]
    pub(crate) unsafe fn run(&self, arguments: &Arguments, block: *mut u8, n: usize, entry: impl Fn(usize)) {
        let overlaps = self.form != TailForm::Copy;
        if self.remainder(n) == 0 && (n > 0 || !overlaps) {
            entry(n);
        } else if overlaps && n >= self.lanes {
            // SAFETY: the caller's contract.
            unsafe {
                self.set_distances(arguments, block, n);
                if self.form == TailForm::Folded {
                    self.set_lanes(arguments, block, self.lanes - self.remainder(n)..self.lanes);
                }
            }
            entry(n);
        } else if n > 0 {
            // SAFETY: the caller's contract; the tail is not empty.
            unsafe {
                self.prepare(arguments, block, n);
                entry(if overlaps { self.lanes } else { n });
                self.write_back(arguments, block, n);
            }
        }
    }

    /// Says which lanes of the tail count.
    ///
    /// # Safety
    /// As [`Tail::run`].
    #[inline]
    unsafe fn set_lanes(&self, arguments: &Arguments, block: *mut u8, counted: Range<usize>) {
        let byte = |lane| if counted.contains(&lane) { 0xFF } else { 0 };
        // SAFETY: the caller's contract: the block has room for a byte a lane.
        (0..self.lanes).for_each(|lane| unsafe { block.add(arguments.tail_lanes() + lane).write(byte(lane)) });
    }

    /// Stores how far the overlapping tail is from the first element, for operands whose base pointers the loop advances.
    ///
    /// # Safety
    /// As [`Tail::run`].
    #[inline]
    unsafe fn set_distances(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        for operand in self.operands.iter().filter(|operand| operand.is_advanced || !operand.dense) {
            // SAFETY: the caller's contract: everything is within the block.
            unsafe {
                let stride = operand.stride(arguments, block, self.lanes);
                let distance = stride * (n - self.lanes) as isize;
                block.add(arguments.tail_distance(operand.number)).cast::<isize>().write(distance);
            }
        }
    }

    /// Prepares the tail of a row of `n` elements.
    ///
    /// # Safety
    /// The block holds all other arguments of the loop; the tail is not empty.
    #[cold]
    unsafe fn prepare(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        let count = self.remainder(n);
        let (missing, overlaps) = (|lane: usize| lane.min(count - 1), self.form != TailForm::Copy);
        // SAFETY: the caller's contract: everything is within the block, and the elements are the row's.
        unsafe {
            self.set_lanes(arguments, block, 0..count);
            if self.uses_coordinates {
                let numbers = block.add(arguments.offsets(None, !overlaps)).cast::<i64>();
                (0..self.lanes).for_each(|lane| numbers.add(lane).write(missing(lane) as i64));
            }
            for operand in &self.operands {
                if !operand.dense {
                    let stride = operand.stride(arguments, block, self.lanes);
                    let to = block.add(arguments.offsets(Some(operand.number), !overlaps)).cast::<isize>();
                    (0..self.lanes).for_each(|lane| to.add(lane).write(missing(lane) as isize * stride));
                    continue;
                }
                let (to, from) = operand.addresses(arguments, block, n - count);
                let [own, tail] = [arguments.address(operand.number), arguments.tail_address(operand.number)]
                    .map(|at| block.add(at).cast::<*mut u8>());
                if overlaps {
                    // The copy is the row.
                    tail.write(from);
                    own.write(to);
                } else {
                    // The loop adds the index, the number of elements done.
                    let done = if operand.is_advanced { 0 } else { (n - count) * operand.size };
                    tail.write(to.wrapping_sub(done));
                }
                if operand.access == Access::Write {
                    continue;
                }
                match operand.size {
                    1 => fill::<u8>(to, from, count, self.lanes),
                    2 => fill::<u16>(to, from, count, self.lanes),
                    4 => fill::<u32>(to, from, count, self.lanes),
                    8 => fill::<u64>(to, from, count, self.lanes),
                    _ => fill::<[u64; 2]>(to, from, count, self.lanes),
                }
            }
        }
    }

    /// Restores what [`Tail::prepare`] changed of a row that is shorter than a vector.
    ///
    /// # Safety
    /// As [`Tail::prepare`], after which the loop ran.
    unsafe fn restore(&self, arguments: &Arguments, block: *mut u8) {
        // SAFETY: the caller's contract: everything is within the block.
        unsafe {
            if self.uses_coordinates {
                let numbers = block.add(arguments.offsets(None, false)).cast::<i64>();
                (0..self.lanes).for_each(|lane| numbers.add(lane).write(lane as i64));
            }
            for operand in &self.operands {
                if operand.dense {
                    let own = block.add(arguments.tail_address(operand.number)).cast::<*mut u8>().read();
                    block.add(arguments.address(operand.number)).cast::<*mut u8>().write(own);
                } else {
                    let stride = operand.stride(arguments, block, self.lanes);
                    let to = block.add(arguments.offsets(Some(operand.number), false)).cast::<isize>();
                    (0..self.lanes).for_each(|lane| to.add(lane).write(lane as isize * stride));
                }
            }
        }
    }

    /// Copies the results in the tail of a row of `n` elements to their operands, unless the loop left before it had them.
    ///
    /// # Safety
    /// As [`Tail::prepare`], after which the loop ran.
    #[cold]
    unsafe fn write_back(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        let count = self.remainder(n);
        if self.form != TailForm::Copy {
            // SAFETY: the caller's contract.
            unsafe { self.restore(arguments, block) };
        }
        // SAFETY: as above.
        if unsafe { arguments.exit(block) }.is_some() {
            return;
        }
        for operand in self.operands.iter().filter(|operand| operand.dense && operand.access != Access::Read) {
            // SAFETY: the caller's contract.
            unsafe {
                let (from, to) = operand.addresses(arguments, block, n - count);
                std::ptr::copy_nonoverlapping(from, to, count * operand.size);
            }
        }
    }
}

impl TailOperand {
    /// The bytes from one element to the next.
    ///
    /// # Safety
    /// The block has the strides.
    unsafe fn stride(&self, arguments: &Arguments, block: *mut u8, lanes: usize) -> isize {
        if self.dense {
            return self.size as isize;
        }
        // SAFETY: the caller's contract.
        unsafe { block.add(arguments.vector_stride(self.number)).cast::<isize>().read() / lanes as isize }
    }

    /// The addresses of its copy in the argument block, and of its own elements at the tail.
    ///
    /// # Safety
    /// The block has the operand's address.
    unsafe fn addresses(&self, arguments: &Arguments, block: *mut u8, done: usize) -> (*mut u8, *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            let address = block.add(arguments.address(self.number)).cast::<*mut u8>().read();
            (block.add(arguments.tail_elements(self.number)), address.wrapping_add(done * self.size))
        }
    }
}

/// Copies elements, and fills the missing lanes with the last one.
///
/// # Safety
/// There are so many elements, and room for a vector of lanes.
#[inline]
unsafe fn fill<T: Copy>(to: *mut u8, from: *const u8, count: usize, lanes: usize) {
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    for lane in 0..lanes {
        // SAFETY: the caller's contract.
        unsafe { to.add(lane).write(from.add(lane.min(count - 1)).read()) };
    }
}
