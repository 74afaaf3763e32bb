//! Rows whose results are stored in whole cache lines: the elements before the first line are computed apart, by the code of the tail.
//!
//! Rows of 100 doubles begin anywhere in a line, and a vector is stored to two. One result takes hardly longer for that. Several do, as
//! the stores of each wait for lines of the others: two results of 300 rows of 100 doubles take 1.03 ns a point and 0.64 aligned, four 2.9
//! and 1.5; where lines are prefetched ([`crate::x86::isel::body::Body::prefetch_stores`]), 0.75 and 0.65, 1.4 and 1.2 (Sapphire Rapids).

use crate::Access;
use crate::x86::asm::encode::{Cond, Label};
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{INDEX, REMAINING, SCRATCH, StrideKind, VECTOR_BYTES, at_arguments};
use crate::x86::isel::select::Emitter;
use crate::x86::isel::shifted_loads::Shifts;

/// Vectors of the shortest row that is aligned: of shorter ones the elements before the line take as long as is won.
const SHORTEST: usize = 4;

/// How a loop aligns its rows.
#[derive(Clone, Copy)]
pub(crate) struct AlignedRows {
    /// The result by which it does.
    result: usize,
    /// The slot with the elements behind those before the first line, while these are computed; else zero.
    rest: usize,
}

impl AlignedRows {
    /// For a loop that stores several results by whole vectors, and computes little: what takes longer than the stores hides them.
    pub(crate) fn of(e: &mut Emitter<'_>) -> Option<AlignedRows> {
        let body = e.body;
        let is_plain = |kind: &StrideKind| matches!(kind, StrideKind::Dense | StrideKind::Broadcast);
        let is_result = |&operand: &usize| {
            let decl = &body.kernel.operands[operand];
            decl.access == Access::Write && body.lanes * decl.dtype.size() == VECTOR_BYTES
        };
        let has_parts = body.kernel.operands.iter().any(|operand| operand.dtype.is_complex());
        let is_simple = body.level == Level::Avx512 && body.nests() && !body.is_long() && !body.scatters();
        if !is_simple || has_parts || e.shifts != Shifts::default() || !e.kinds.iter().all(is_plain) {
            return None;
        }
        let mut results = (0..e.kinds.len()).filter(|&o| e.kinds[o] == StrideKind::Dense).filter(is_result);
        let (result, _) = (results.next()?, results.next()?);
        let rest = e.arguments.slot(8);
        e.asm.xor(SCRATCH, SCRATCH);
        e.asm.store_gpr(at_arguments(rest), SCRATCH);
        Some(AlignedRows { result, rest })
    }

    /// Goes to the code of the tail with the elements before the first line, if there are any and the row is long.
    pub(crate) fn begin(self, e: &mut Emitter<'_>, tail: Label) {
        let (base, aligned) = (e.base(self.result), e.asm.label());
        let size = VECTOR_BYTES / e.lanes();
        e.asm.cmp_imm(REMAINING, (SHORTEST * e.lanes()) as i32);
        e.asm.jump_if(Cond::Below, aligned);
        e.asm.mov(SCRATCH, base);
        e.asm.neg(SCRATCH);
        e.asm.and_imm(SCRATCH, VECTOR_BYTES as i32 - 1);
        e.asm.shift_right(SCRATCH, size.trailing_zeros() as u8);
        e.asm.jump_if(Cond::Equal, aligned);
        e.asm.sub(REMAINING, SCRATCH);
        e.asm.store_gpr(at_arguments(self.rest), REMAINING);
        e.asm.mov(REMAINING, SCRATCH);
        e.asm.jmp(tail);
        e.asm.bind(aligned);
    }

    /// Jumps to `done`, unless the elements before the first line were just computed: then the rest of the row follows.
    pub(crate) fn go_on(self, e: &mut Emitter<'_>, done: Label) {
        let rest = at_arguments(self.rest);
        e.asm.load(SCRATCH, rest);
        e.asm.test(SCRATCH, SCRATCH);
        e.asm.jump_if(Cond::Equal, done);
        e.asm.add(INDEX, REMAINING);
        e.asm.mov(REMAINING, SCRATCH);
        e.asm.xor(SCRATCH, SCRATCH);
        e.asm.store_gpr(rest, SCRATCH);
        e.set_full_mask();
    }
}
