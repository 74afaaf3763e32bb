//! The loop nest over several rows at once ([`crate::x86::isel::jammed_rows`]), before that of single rows, which computes those that are left.

use crate::x86::asm::encode::{Cond, Label};
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{INDEX, LANE_MASK, REMAINING, SCRATCH, at_arguments};
use crate::x86::isel::row_vectors::JammedRows;
use crate::x86::isel::select::{Emitter, Unsupported};

impl Body<'_> {
    /// Emits the loops in which rows of so many operands share vectors, if there are to be any; goes to `finished` where no row is left.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn shared_rows(&self, e: &mut Emitter<'_>, operands: usize, finished: Label) -> Result<(), Unsupported> {
        self.carried_rows(e, operands, finished)?;
        self.jammed_rows(e, operands, finished)
    }

    /// Emits the loops over several rows of so many operands, if there are to be any; goes to `finished` where no row is left.
    ///
    /// # Errors
    /// The first instruction without machine code.
    fn jammed_rows(&self, e: &mut Emitter<'_>, operands: usize, finished: Label) -> Result<(), Unsupported> {
        let Some(jammed) = e.jammed.take() else { return Ok(()) };
        let (lanes, count) = (self.lanes as i32, jammed.rows as i32);
        let left = at_arguments(e.arguments.rows());
        let (again, single, tail, row_done) = (e.asm.label(), e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.bind(again);
        e.asm.load(SCRATCH, left);
        e.asm.cmp_imm(SCRATCH, count);
        e.asm.jump_if(Cond::Below, single);
        e.asm.sub_imm(SCRATCH, count);
        e.asm.store_gpr(left, SCRATCH);
        self.begin_row(e);
        e.load_first_vectors(&jammed);
        // The next vectors have to be the operands' as well.
        let full = 2 * lanes - jammed.furthest as i32;
        e.asm.cmp_imm(REMAINING, full);
        e.asm.jump_if(Cond::Below, tail);
        let (vectors, start) = (e.asm.label(), e.asm.len());
        e.asm.bind(vectors);
        let jammed = self.iteration(e, jammed, false)?;
        self.advance(e, 1, |_| true);
        e.asm.cmp_imm(REMAINING, full);
        e.asm.jump_if(Cond::AboveEqual, vectors);
        e.record_loop(start, jammed.rows);
        e.asm.test(REMAINING, REMAINING);
        e.asm.jump_if(Cond::Equal, row_done);
        e.asm.bind(tail);
        e.asm.mov_imm(SCRATCH, -1);
        e.asm.bzhi(SCRATCH, SCRATCH, REMAINING);
        e.asm.mask_from(LANE_MASK, SCRATCH);
        e.asm.add_imm(REMAINING, jammed.furthest as i32);
        e.asm.mov_imm(SCRATCH, -1);
        e.asm.bzhi(SCRATCH, SCRATCH, REMAINING);
        e.asm.shift_right(SCRATCH, lanes as u8);
        e.asm.mask_from(jammed.next_lanes, SCRATCH);
        e.asm.sub_imm(REMAINING, jammed.furthest as i32);
        let jammed = self.iteration(e, jammed, true)?;
        self.advance(e, 1, |_| true);
        e.asm.jump_if(Cond::Above, tail);
        e.asm.bind(row_done);
        // The elements of a row: those done, less those that the last vector had too many.
        e.asm.add(REMAINING, INDEX);
        e.asm.xor(INDEX, INDEX);
        let rows = count * jammed.pitch;
        (0..operands).for_each(|operand| e.update_base(operand, |asm, base| asm.add_imm(base, rows)));
        e.asm.jmp(again);
        e.asm.bind(single);
        e.asm.test(SCRATCH, SCRATCH);
        e.asm.jump_if(Cond::Equal, finished);
        e.release_rows(&jammed);
        e.shares_rows = true;
        Ok(())
    }

    /// Emits one vector of each row.
    fn iteration(&self, e: &mut Emitter<'_>, jammed: JammedRows, is_tail: bool) -> Result<JammedRows, Unsupported> {
        e.load_row_vectors(&jammed, is_tail);
        if !is_tail {
            self.prefetch_stores(e, 1, (jammed.rows, jammed.pitch));
        }
        let rows = jammed.rows;
        e.jammed = Some(jammed);
        let emitted = e.body(rows, is_tail);
        let jammed = e.jammed.take().expect("it was set above");
        e.keep_row_vectors(&jammed);
        emitted.map(|()| jammed)
    }
}
