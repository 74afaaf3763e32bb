//! The loop of a map or a scan over one row: unrolled main loop, or the loop over blocks of a body in slices; single-vector loop; tail.
//!
//! The loop reads operands and one argument block ([`Arguments`]). Scalars and constants are broadcast from the block by the
//! instructions that use them where these can broadcast; for the others the block has whole vectors of them.
//!
//! A loop is compiled for one pattern of stride kinds ([`StrideKind`]), so it tests no strides.

use crate::x86::asm::encode::Cond;
use crate::x86::isel::arguments::{Arguments, MAX_STRIDED_LANES};
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{REMAINING, StrideKind, StrideKinds};
use crate::x86::isel::select::{Emitter, Unsupported};
use crate::x86::loops::prologue::LoopCode;
use crate::x86::loops::scan_loop::ScanTerms;

impl Body<'_> {
    /// Compiles the loop for a pattern of stride kinds.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn lower(&self, kinds: &StrideKinds) -> Result<LoopCode, Unsupported> {
        let operands = self.kernel.operands.len();
        let strided = kinds.contains(&StrideKind::Strided);
        if strided && self.lanes > MAX_STRIDED_LANES {
            return Err(Unsupported { at: 0, what: "strided elements of one or two bytes".into() });
        }
        let mut e = Emitter::new(self, kinds, Arguments::of(self));
        let scan = ScanTerms::reserve(&mut e);
        let may_slice = e.reserve_frames();
        self.prologue(&mut e, operands);
        e.hoist()?;
        if let Some(scan) = &scan {
            scan.load_carries(&mut e);
        }
        let slices = if may_slice { e.cut(usize::MAX, 1) } else { None };
        let unroll = if strided { 1 } else { self.unroll() };
        // The two vectors that contain every second element end with an element that may be outside the operand, so the last element is
        // left to the tail.
        let more = kinds.contains(&StrideKind::Stride2) as i32;
        let (full, tail, done) = (e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
        e.asm.jump_if(Cond::AboveEqual, full);
        // The tail is emitted first: it counts which constants are worth a register (see `const_registers`).
        e.asm.bind(tail);
        e.asm.test(REMAINING, REMAINING);
        e.asm.jump_if(Cond::Equal, done);
        self.set_tail_mask(&mut e, operands);
        e.body(1, true)?;
        e.asm.bind(done);
        if let Some(scan) = &scan {
            scan.store_carries(&mut e);
        }
        self.epilogue(&mut e, operands);
        e.restore_frames(may_slice);
        if kinds.contains(&StrideKind::NonTemporal) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        e.asm.bind(full);
        e.load_const_registers(unroll);
        if let Some(slices) = &slices {
            self.blocks(&mut e, slices, unroll, |e, slice, accessed| {
                self.slice_loop(e, slices, slice, unroll, accessed)
            })?;
            e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
            e.asm.jump_if(Cond::Below, tail);
        } else if unroll > 1 {
            let (one, many) = (e.asm.label(), (unroll * self.lanes) as i32 + more);
            e.asm.cmp_imm(REMAINING, many);
            e.asm.jump_if(Cond::Below, one);
            let again = e.asm.label();
            e.asm.bind(again);
            e.body(unroll, false)?;
            if self.is_prefetched() {
                self.prefetch(&mut e, unroll, |_| true);
            }
            self.advance(&mut e, unroll, |_| true);
            e.asm.cmp_imm(REMAINING, many);
            e.asm.jump_if(Cond::AboveEqual, again);
            e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
            e.asm.jump_if(Cond::Below, tail);
            e.asm.bind(one);
        }
        let again = e.asm.label();
        e.asm.bind(again);
        e.body(1, false)?;
        if self.is_prefetched() {
            self.prefetch(&mut e, 1, |_| true);
        }
        self.advance(&mut e, 1, |_| true);
        e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.asm.jmp(tail);
        e.check_missing(self.fragment.insts.len())?;
        Ok(LoopCode::new(e, slices.as_ref()))
    }

    /// Whether operands are prefetched.
    fn is_prefetched(&self) -> bool {
        self.has_scan() || self.is_long()
    }

    /// The unroll factor: enough copies of short bodies to hide their latency. Of long ones two, for whose work the loop's own
    /// instructions, prefetches above all, are done once: one `exp`, `sin`, `log` or `tanh` takes 0.81 to 0.98 times as long.
    fn unroll(&self) -> usize {
        match self.length() {
            // The dependence chain of a scan takes so long that it hides all other latency.
            _ if self.has_scan() => 1,
            0..=8 => 4,
            _ => 2,
        }
    }
}
