//! The loop of a map or a scan over one row: unrolled main loop, single-vector loop, tail.
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
        self.prologue(&mut e, operands);
        e.hoist()?;
        if let Some(scan) = &scan {
            scan.load_carries(&mut e);
        }
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
        e.body(0, true)?;
        e.asm.bind(done);
        if let Some(scan) = &scan {
            scan.store_carries(&mut e);
        }
        self.epilogue(&mut e, operands);
        if kinds.contains(&StrideKind::NonTemporal) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        e.asm.bind(full);
        e.load_const_registers();
        if unroll > 1 {
            let (one, many) = (e.asm.label(), (unroll * self.lanes) as i32 + more);
            e.asm.cmp_imm(REMAINING, many);
            e.asm.jump_if(Cond::Below, one);
            let again = e.asm.label();
            e.asm.bind(again);
            for copy in 0..unroll {
                e.body(copy, false)?;
            }
            self.advance(&mut e, unroll);
            e.asm.cmp_imm(REMAINING, many);
            e.asm.jump_if(Cond::AboveEqual, again);
            e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
            e.asm.jump_if(Cond::Below, tail);
            e.asm.bind(one);
        }
        let again = e.asm.label();
        e.asm.bind(again);
        e.body(0, false)?;
        if self.unroll() == 1 {
            self.prefetch(&mut e, kinds);
        }
        self.advance(&mut e, 1);
        e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.asm.jmp(tail);
        e.check_missing(self.fragment.insts.len())?;
        Ok(LoopCode { code: e.asm.finish(), arguments: e.arguments, spans: e.spans })
    }

    /// The unroll factor: enough copies of short bodies to hide their latency.
    fn unroll(&self) -> usize {
        match self.length() {
            // The dependence chain of a scan takes so long that it hides all other latency.
            _ if self.has_scan() => 1,
            0..=8 => 4,
            9..=24 => 2,
            _ => 1,
        }
    }
}
