//! The tail of a row without lane masks (AVX2): the elements that do not fill a vector.
//!
//! The loop runs on one more vector, in which copies of the row's last element fill the missing lanes: these raise no flag
//! that the row's own elements do not raise, and compute nothing outside the domain. Dense operands are copied to the argument block and
//! back. Missing lanes of strided operands have the offset of the last element, so they store what it stores. Overlapping the last two
//! vectors instead would compute elements twice from inputs that results had clobbered.

use crate::Access;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::StrideKind;
use smallvec::SmallVec;

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

/// The work of a launch before and after a loop with a tail.
pub(crate) struct Tail {
    lanes: usize,
    operands: SmallVec<[TailOperand; 4]>,
    /// Whether the loop may use coordinates.
    uses_coordinates: bool,
}

impl Tail {
    /// The tail of a body's loop, for its first operands with these stride kinds; none with AVX-512, whose loops mask it.
    pub(crate) fn of(body: &Body<'_>, kinds: &[StrideKind]) -> Option<Tail> {
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
        (body.level == Level::Avx2).then(|| Tail { lanes: body.lanes, operands: operands.collect(), uses_coordinates })
    }

    /// The number of elements in the tail of a row of `n`.
    #[inline]
    pub(crate) fn remainder(&self, n: usize) -> usize {
        n % self.lanes
    }

    /// Prepares the tail of a row of `n` elements.
    ///
    /// # Safety
    /// The block holds all other arguments of the loop; the tail is not empty.
    #[cold]
    pub(crate) unsafe fn prepare(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        let count = self.remainder(n);
        let missing = |lane: usize| lane.min(count - 1);
        // SAFETY: the caller's contract: everything is within the block, and the elements are the row's.
        unsafe {
            let lanes = block.add(arguments.tail_lanes());
            (0..self.lanes).for_each(|lane| lanes.add(lane).write(if lane < count { 0xFF } else { 0 }));
            if self.uses_coordinates {
                let numbers = block.add(arguments.offsets(None, true)).cast::<i64>();
                (0..self.lanes).for_each(|lane| numbers.add(lane).write(missing(lane) as i64));
            }
            for operand in &self.operands {
                if !operand.dense {
                    let from = block.add(arguments.offsets(Some(operand.number), false)).cast::<i64>();
                    let to = block.add(arguments.offsets(Some(operand.number), true)).cast::<i64>();
                    (0..self.lanes).for_each(|lane| to.add(lane).write(from.add(missing(lane)).read()));
                    continue;
                }
                let (to, from) = operand.addresses(arguments, block, n - count);
                // The loop adds the index, the number of elements done.
                let address = if operand.is_advanced { to } else { to.wrapping_sub((n - count) * operand.size) };
                block.add(arguments.tail_address(operand.number)).cast::<*mut u8>().write(address);
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

    /// Copies the results in the tail of a row of `n` elements to their operands.
    ///
    /// # Safety
    /// As [`Tail::prepare`], after which the loop ran.
    #[cold]
    pub(crate) unsafe fn write_back(&self, arguments: &Arguments, block: *mut u8, n: usize) {
        let count = self.remainder(n);
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
