//! The end of a row that fills no vector, where no masks leave lanes out.
//!
//! The loop runs there on one more vector, in which the row's last element stands for those that are missing: it raises no flag
//! that no element raised, and computes nothing outside the domain. Operands that lie densely are copied to the arguments and
//! back; of strided ones the missing lanes have the last one's offset, so what they store is what that stores. Nothing is
//! computed twice from what was replaced, as would be where the last vectors overlapped.

use crate::Access;
use crate::x86::asm::level::Level;
use crate::x86::loops::arguments::Arguments;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::Step;
use smallvec::SmallVec;

/// An operand that does not stay.
#[derive(Clone, Copy)]
struct Part {
    operand: usize,
    size: usize,
    access: Access,
    dense: bool,
    /// Whether the loop's own address is where it is, and not the row's.
    goes_on: bool,
}

/// What is done about the end of rows.
pub(crate) struct Tail {
    lanes: usize,
    parts: SmallVec<[Part; 4]>,
    /// Whether coordinates may be asked for.
    counts: bool,
}

impl Tail {
    /// What rows of a body need for operands with these steps, the first ones, where it is the caller's to do.
    pub(crate) fn of(body: &Body<'_>, steps: &[Step]) -> Option<Tail> {
        let parts = body.kernel.operands.iter().zip(steps).enumerate();
        let parts = parts.filter(|(o, (_, step))| **step != Step::Still && body.touches(*o));
        let parts = parts.map(|(operand, (decl, step))| Part {
            operand,
            size: decl.dtype.size(),
            access: decl.access,
            dense: *step != Step::Strided,
            goes_on: decl.dtype.is_complex(),
        });
        let counts = body.lanes * 8 == body.level.vector();
        (body.level == Level::Avx2).then(|| Tail { lanes: body.lanes, parts: parts.collect(), counts })
    }

    /// How many elements of a row of `n` are left for its end.
    #[inline]
    pub(crate) fn left(&self, n: usize) -> usize {
        n % self.lanes
    }

    /// Prepares the end of a row of `n` elements.
    ///
    /// # Safety
    /// The block holds all arguments of the row's loop otherwise; something is left.
    #[cold]
    pub(crate) unsafe fn put(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        let left = self.left(n);
        let missing = |lane: usize| lane.min(left - 1);
        // SAFETY: the caller's contract: everything is within the block, and the elements are the row's.
        unsafe {
            let lanes = block.add(arguments.tail_lanes());
            (0..self.lanes).for_each(|lane| lanes.add(lane).write(if lane < left { 0xFF } else { 0 }));
            if self.counts {
                let numbers = block.add(arguments.offsets(None, true)).cast::<i64>();
                (0..self.lanes).for_each(|lane| numbers.add(lane).write(missing(lane) as i64));
            }
            for part in &self.parts {
                if !part.dense {
                    let from = block.add(arguments.offsets(Some(part.operand), false)).cast::<i64>();
                    let to = block.add(arguments.offsets(Some(part.operand), true)).cast::<i64>();
                    (0..self.lanes).for_each(|lane| to.add(lane).write(from.add(missing(lane)).read()));
                    continue;
                }
                let (to, from) = part.places(arguments, block, n - left);
                // The loop adds what it has done.
                let address = if part.goes_on { to } else { to.wrapping_sub((n - left) * part.size) };
                block.add(arguments.tail_address(part.operand)).cast::<*mut u8>().write(address);
                if part.access == Access::Write {
                    continue;
                }
                match part.size {
                    1 => fill::<u8>(to, from, left, self.lanes),
                    2 => fill::<u16>(to, from, left, self.lanes),
                    4 => fill::<u32>(to, from, left, self.lanes),
                    8 => fill::<u64>(to, from, left, self.lanes),
                    _ => fill::<[u64; 2]>(to, from, left, self.lanes),
                }
            }
        }
    }

    /// Puts the results of the end of a row of `n` elements where they belong.
    ///
    /// # Safety
    /// As [`Tail::put`], after which the loop ran.
    #[cold]
    pub(crate) unsafe fn take(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        let left = self.left(n);
        for part in self.parts.iter().filter(|part| part.dense && part.access != Access::Read) {
            // SAFETY: the caller's contract.
            unsafe {
                let (from, to) = part.places(arguments, block, n - left);
                std::ptr::copy_nonoverlapping(from, to, left * part.size);
            }
        }
    }
}

impl Part {
    /// Where its elements at the end are in the arguments, and where they belong.
    ///
    /// # Safety
    /// The block has the operand's address.
    unsafe fn places(&self, arguments: &Arguments, block: *mut u8, done: usize) -> (*mut u8, *mut u8) {
        // SAFETY: the caller's contract.
        unsafe {
            let address = block.add(arguments.address(self.operand)).cast::<*mut u8>().read();
            (block.add(arguments.tail_elements(self.operand)), address.wrapping_add(done * self.size))
        }
    }
}

/// Copies elements, the last one over and over.
///
/// # Safety
/// There are so many elements, and room for a vector of lanes.
#[inline]
unsafe fn fill<T: Copy>(to: *mut u8, from: *const u8, left: usize, lanes: usize) {
    let (to, from) = (to.cast::<T>(), from.cast::<T>());
    for lane in 0..lanes {
        // SAFETY: the caller's contract.
        unsafe { to.add(lane).write(from.add(lane.min(left - 1)).read()) };
    }
}
