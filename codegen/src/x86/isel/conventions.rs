//! Register conventions: what each fixed register of a compiled loop holds, and how operands are strided.
//!
//! A loop is a function of three arguments in the System V convention: the address of its argument block
//! ([`crate::x86::isel::arguments`]), a number of elements and a number of rows. All fixed registers are named here and nowhere else. The
//! register allocator ([`crate::x86::isel::registers`]) hands out the other vector and mask registers.

use crate::x86::asm::encode::{Gpr, KReg, Mem, VReg};
use smallvec::SmallVec;

/// The stride of an operand along a row. A loop is compiled for one kind of each operand, so it tests no strides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StrideKind {
    /// Contiguous elements.
    Dense,
    /// Contiguous elements, written by non-temporal stores.
    NonTemporal,
    /// Stride zero: one element for the whole row.
    Broadcast,
    /// Every second element: deinterleaved from two vectors.
    Stride2,
    /// Stride minus one: contiguous elements in reverse order.
    Reversed,
    /// Any other stride.
    Strided,
}

/// The stride kinds of all operands.
pub(crate) type StrideKinds = SmallVec<[StrideKind; 8]>;

/// The kinds of a vector whose results need not begin with a cache line: non-temporal stores of whole vectors must.
pub(crate) fn without_non_temporal(kinds: &StrideKinds) -> StrideKinds {
    let kind = |kind: &StrideKind| if *kind == StrideKind::NonTemporal { StrideKind::Dense } else { *kind };
    kinds.iter().map(kind).collect()
}

/// Bytes of the largest vector register.
pub(crate) const VECTOR_BYTES: usize = 64;

/// The address of the argument block: the first parameter.
pub(crate) const ARGUMENTS: Gpr = Gpr::RDI;
/// The number of elements left: the second parameter.
pub(crate) const REMAINING: Gpr = Gpr::RSI;
/// The number of rows: the third parameter, which the prologue stores, as the register is a base register.
pub(crate) const ROWS: Gpr = Gpr::RDX;
/// The number of elements done.
pub(crate) const INDEX: Gpr = Gpr::RAX;
/// A scratch register: no value lives in it from one instruction of the fragment to the next.
pub(crate) const SCRATCH: Gpr = Gpr::R11;
/// Base registers: the addresses of the first operands. Those from [`CALLEE_SAVED_FROM`] on are callee-saved.
pub(crate) const BASES: [Gpr; 10] =
    [Gpr::RCX, Gpr::RDX, Gpr::R8, Gpr::R9, Gpr::R10, Gpr::RBX, Gpr::RBP, Gpr::R12, Gpr::R13, Gpr::R14];
pub(crate) const CALLEE_SAVED_FROM: usize = 5;
/// Operands that have a base register in every loop: a reduction takes the last base register for [`ROUNDS_LEFT`], a loop over slices
/// the one before for [`FRAMES`].
pub(crate) const RESIDENT_BASES: usize = BASES.len() - 2;
/// The register that a spilled base pointer is loaded into; callee-saved.
pub(crate) const SPILLED_BASE: Gpr = Gpr::R15;
/// In a reduction: the rounds left of a partial sum; callee-saved.
pub(crate) const ROUNDS_LEFT: Gpr = BASES[BASES.len() - 1];
/// Where a body has loops: the turns until it asks whether to stop; callee-saved. Neither reductions nor slices have such bodies.
pub(crate) const TURNS_LEFT: Gpr = ROUNDS_LEFT;
/// In a loop over slices: the address of the frames of the block, less that of the block's first element in units of a frame
/// ([`crate::x86::isel::slices`]); callee-saved.
pub(crate) const FRAMES: Gpr = BASES[BASES.len() - 2];

/// AVX-512: the mask of the lanes that are elements of the row: all lanes, or at the tail the first ones.
pub(crate) const LANE_MASK: KReg = KReg(1);
/// AVX-512: the mask of the lanes in which every elementary function took its fast path so far.
pub(crate) const FAST_LANES: KReg = KReg(7);
/// AVX2: a vector of ones in the slow-path lanes so far.
pub(crate) const SLOW_VECTOR: VReg = VReg(15);
/// In a scan: the register with the carry of the first accumulator; the second one's is the register before.
pub(crate) const FIRST_CARRY: VReg = VReg(12);
/// In a scan: where result vectors are assembled lane by lane. `VPBLENDD` reaches these registers, and they are not
/// [`SLOW_VECTOR`].
pub(crate) const HALVES: [VReg; 2] = [VReg(13), VReg(14)];

/// An address in the argument block.
pub(crate) fn at_arguments(bytes: usize) -> Mem {
    Mem { base: ARGUMENTS, index: None, disp: bytes as i32 }
}
