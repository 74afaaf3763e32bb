//! The loop of a map over rows, or of a scan over one row: unrolled main loop, or the loop over blocks of a body in slices;
//! single-vector loop; tail. What goes from row to row is in `row_loop`.
//!
//! The loop reads operands and one argument block ([`Arguments`]). Scalars and constants are broadcast from the block by the
//! instructions that use them where these can broadcast; for the others the block has whole vectors of them.
//!
//! A loop is compiled for one pattern of stride kinds ([`StrideKind`]), so it tests no strides.

use crate::x86::asm::encode::{Cond, Label};
use crate::x86::isel::arguments::{Arguments, MAX_STRIDED_LANES};
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{
    REMAINING, RESIDENT_BASES, ROWS, StrideKind, StrideKinds, TURNS_LEFT, at_arguments,
};
use crate::x86::isel::select::{Emitter, Unsupported};
use crate::x86::isel::shifted_loads::Shifts;
use crate::x86::isel::slices::Slices;
use crate::x86::loops::aligned_rows::AlignedRows;
use crate::x86::loops::prologue::LoopCode;
use crate::x86::loops::scan_loop::ScanTerms;

impl Body<'_> {
    /// Compiles the loop for a pattern of stride kinds, whose dense operands may be shifted against each other.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn lower(&self, kinds: &StrideKinds, shifts: &Shifts) -> Result<LoopCode, Unsupported> {
        let operands = self.kernel.operands.len();
        if kinds.contains(&StrideKind::Strided) && self.lanes > MAX_STRIDED_LANES {
            return Err(Unsupported { at: 0, what: "strided elements of one or two bytes".into() });
        }
        let mut e = Emitter::new(self, kinds, Arguments::of(self));
        e.overlaps = self.overlaps_tail();
        e.shifts.clone_from(shifts);
        let nests = self.nests();
        if nests {
            let at = at_arguments(e.arguments.rows());
            e.asm.store_gpr(at, ROWS);
        }
        let scan = ScanTerms::reserve(&mut e);
        if self.has_loops() && scan.is_some() {
            return Err(Unsupported { at: 0, what: "a scan of what loops give".into() });
        }
        let may_slice = e.reserve_frames();
        if self.has_loops() {
            e.resident_bases = RESIDENT_BASES;
            e.begin_counting_turns();
        }
        let aligned = AlignedRows::of(&mut e);
        self.prologue(&mut e, operands);
        let (row, [hoists, hoists_elements]) = (e.asm.label(), e.hoists());
        if nests && hoists && !hoists_elements {
            self.begin_row(&mut e);
            e.hoist()?;
        }
        if nests && !hoists_elements {
            e.keep_constants_in_rows(self.copies(&e))?;
        }
        let (finished, plane, end) = (e.asm.label(), e.asm.label(), e.asm.label());
        if nests && e.shifts.is_one_pitch {
            e.arguments.planes = Some(e.arguments.slots(3, 8));
        }
        e.asm.bind(plane);
        self.shared_rows(&mut e, operands, finished)?;
        e.asm.bind(row);
        self.begin_row(&mut e);
        if !nests || hoists_elements {
            e.hoist()?;
        }
        if let Some(scan) = &scan {
            scan.load_carries(&mut e);
        }
        let slices = if may_slice { e.cut(self.last_cut(), 1)? } else { None };
        let (tail, done) = (e.asm.label(), e.asm.label());
        // The tail is emitted first: it counts which constants are worth a register (see `const_registers`).
        if e.overlaps {
            self.overlapping_tail(&mut e)?;
            self.vectors(&mut e, slices.as_ref(), tail)?;
            e.asm.bind(tail);
            self.store_tail(&mut e)?;
        } else {
            let (full, aligned) = (e.asm.label(), aligned.filter(|_| slices.is_none()));
            if let Some(aligned) = aligned {
                aligned.begin(&mut e, tail);
            }
            e.asm.cmp_imm(REMAINING, self.lanes as i32 + e.left_over());
            e.asm.jump_if(Cond::AboveEqual, full);
            e.asm.bind(tail);
            e.asm.test(REMAINING, REMAINING);
            e.asm.jump_if(Cond::Equal, done);
            self.set_tail_mask(&mut e, operands);
            e.body(1, true)?;
            match aligned {
                Some(aligned) => aligned.go_on(&mut e, done),
                None => e.asm.jmp(done),
            }
            e.asm.bind(full);
            self.vectors(&mut e, slices.as_ref(), tail)?;
            e.asm.jmp(tail);
            e.asm.bind(done);
        }
        if let Some(scan) = &scan {
            scan.store_carries(&mut e);
        }
        if nests {
            self.next_row(&mut e, operands, row);
        }
        e.asm.bind(finished);
        self.next_plane(&mut e, operands, plane);
        e.asm.bind(end);
        self.epilogue(&mut e, operands);
        if self.has_loops() {
            e.asm.pop(TURNS_LEFT);
        }
        e.restore_frames(may_slice);
        if kinds.contains(&StrideKind::NonTemporal) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        e.finish_side_exits(end);
        let pushed = e.callee_saved(operands).len() + 1;
        e.poll_routine(pushed);
        e.check_missing(self.fragment.insts.len())?;
        Ok(LoopCode::new(e, slices.as_ref()))
    }

    /// Emits the loops over full vectors, of which there is one at least; goes to `tail`, or on behind them.
    ///
    /// # Errors
    /// As [`Body::lower`].
    fn vectors(&self, e: &mut Emitter<'_>, slices: Option<&Slices>, tail: Label) -> Result<(), Unsupported> {
        let unroll = self.copies(e);
        let more = e.left_over();
        if !e.const_registers.are_loaded {
            if slices.is_none() {
                e.reserve_streams(unroll);
            }
            e.load_const_registers(unroll);
        }
        if let Some(slices) = slices {
            e.release_streams();
            e.stream_ahead = 0;
            self.blocks(e, slices, unroll, |e, block, slice| self.slice_loop(e, block, slice, unroll))?;
            e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
            e.asm.jump_if(Cond::Below, tail);
        } else if unroll > 1 {
            let (one, many) = (e.asm.label(), (unroll * self.lanes) as i32 + more.max(e.stream_ahead));
            e.asm.cmp_imm(REMAINING, many);
            e.asm.jump_if(Cond::Below, one);
            let (again, start) = (e.asm.label(), e.asm.len());
            e.asm.bind(again);
            e.load_streams();
            self.prefetch_stores(e, unroll, (1, 0));
            e.body(unroll, false)?;
            if self.is_prefetched() {
                e.prefetch_first_read(unroll);
            }
            self.advance(e, unroll, |_| true);
            e.asm.cmp_imm(REMAINING, many);
            e.asm.jump_if(Cond::AboveEqual, again);
            e.record_loop(start, unroll);
            e.release_streams();
            e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
            e.asm.jump_if(Cond::Below, tail);
            e.asm.bind(one);
        }
        let (again, start) = (e.asm.label(), e.asm.len());
        e.asm.bind(again);
        if unroll == 1 {
            self.prefetch_stores(e, 1, (1, 0));
        }
        e.body(1, false)?;
        if self.is_prefetched() {
            e.prefetch_first_read(1);
        }
        self.advance(e, 1, |_| true);
        e.asm.cmp_imm(REMAINING, self.lanes as i32 + more);
        e.asm.jump_if(Cond::AboveEqual, again);
        if slices.is_none() && unroll == 1 {
            e.record_loop(start, 1);
        }
        Ok(())
    }

    /// Whether operands are prefetched.
    pub(crate) fn is_prefetched(&self) -> bool {
        self.has_scan() || self.is_long()
    }

    /// The copies of the body in an iteration of the loop over several vectors.
    fn copies(&self, e: &Emitter<'_>) -> usize {
        if e.kinds.contains(&StrideKind::Strided) { 1 } else { self.unroll() }
    }

    /// The unroll factor: enough copies of short bodies to hide their latency. Of long ones two, for whose work the loop's own
    /// instructions, prefetches above all, are done once: one `exp`, `sin`, `log` or `tanh` takes 0.81 to 0.98 times as long.
    fn unroll(&self) -> usize {
        match self.length() {
            // Four have too few mask registers, or vector registers with AVX2.
            _ if self.has_loops() => 2,
            // The dependence chain of a scan takes so long that it hides all other latency.
            _ if self.has_scan() => 1,
            0..=8 => 4,
            _ => 2,
        }
    }
}
