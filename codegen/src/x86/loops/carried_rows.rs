//! The loop nest down short rows, a vector of each ([`crate::x86::isel::carried_rows`]), before that along rows, which computes a single one.

use crate::x86::asm::encode::{Cond, Label};
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{INDEX, REMAINING, SCRATCH, at_arguments};
use crate::x86::isel::row_vectors::CarriedRows;
use crate::x86::isel::select::{Emitter, Unsupported};

/// Slots of the argument block.
#[derive(Clone, Copy)]
struct Slots {
    /// The rows of the strip, the elements of them that are left, and those that are done.
    rows: usize,
    left: usize,
    column: usize,
}

impl Body<'_> {
    /// Emits the loops down the rows of so many operands, if there are to be any; goes to `finished` unless there is one row.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn carried_rows(
        &self,
        e: &mut Emitter<'_>,
        operands: usize,
        finished: Label,
    ) -> Result<(), Unsupported> {
        let Some(mut carried) = e.carried.take() else { return Ok(()) };
        let first = e.arguments.slots(3, 8);
        let slots = Slots { rows: first, left: first + 8, column: first + 16 };
        let rows = at_arguments(e.arguments.rows());
        let [single, strip, last, whole, tail, done] = [(); 6].map(|()| e.asm.label());
        e.asm.load(SCRATCH, rows);
        e.asm.cmp_imm(SCRATCH, 2);
        e.asm.jump_if(Cond::Below, single);
        e.asm.bind(strip);
        self.begin_row(e);
        e.asm.load(SCRATCH, rows);
        e.asm.cmp_imm(SCRATCH, carried.strip);
        e.asm.jump_if(Cond::BelowEqual, last);
        e.asm.mov_imm(SCRATCH, carried.strip.into());
        e.asm.bind(last);
        e.asm.store_gpr(at_arguments(slots.rows), SCRATCH);
        e.asm.cmp_imm(REMAINING, self.lanes as i32);
        e.asm.jump_if(Cond::Below, tail);
        e.asm.bind(whole);
        carried = self.column(e, slots, carried, false)?;
        e.asm.add_imm(INDEX, self.lanes as i32);
        e.asm.sub_imm(REMAINING, self.lanes as i32);
        e.asm.cmp_imm(REMAINING, self.lanes as i32);
        e.asm.jump_if(Cond::AboveEqual, whole);
        e.asm.test(REMAINING, REMAINING);
        e.asm.jump_if(Cond::Equal, done);
        e.asm.bind(tail);
        self.set_tail_mask(e, operands);
        carried = self.column(e, slots, carried, true)?;
        e.asm.bind(done);
        // SCRATCH has the elements from the first row to behind the last one.
        let size = self.kernel.operands[0].dtype.size();
        (0..size.trailing_zeros()).for_each(|_| e.asm.add(SCRATCH, SCRATCH));
        (0..operands).for_each(|operand| e.update_base(operand, |asm, base| asm.add(base, SCRATCH)));
        // At `finished` that is the whole row.
        e.asm.add(REMAINING, INDEX);
        e.asm.xor(INDEX, INDEX);
        e.asm.load(SCRATCH, at_arguments(slots.rows));
        e.asm.neg(SCRATCH);
        e.asm.add_mem(SCRATCH, rows);
        e.asm.jump_if(Cond::Equal, finished);
        e.asm.store_gpr(rows, SCRATCH);
        e.asm.jmp(strip);
        e.asm.bind(single);
        e.release_carried(&carried);
        e.shares_rows = true;
        Ok(())
    }

    /// Emits the loop down the rows with one vector of each.
    fn column(
        &self,
        e: &mut Emitter<'_>,
        slots: Slots,
        carried: CarriedRows,
        is_tail: bool,
    ) -> Result<CarriedRows, Unsupported> {
        let elements = carried.pitch / self.kernel.operands[0].dtype.size() as i32;
        let again = e.asm.label();
        (e.is_tail, e.unroll_index) = (is_tail, 0);
        e.asm.store_gpr(at_arguments(slots.left), REMAINING);
        e.asm.store_gpr(at_arguments(slots.column), INDEX);
        e.load_first_rows(&carried);
        // What a dense vector of rows is computed of does not count elements left.
        e.asm.load(REMAINING, at_arguments(slots.rows));
        let start = e.asm.len();
        e.asm.bind(again);
        e.load_next_row(&carried);
        e.carried = Some(carried);
        let emitted = e.body(1, is_tail);
        let carried = e.carried.take().expect("it was set above");
        emitted?;
        e.carry_on(&carried);
        e.asm.add_imm(INDEX, elements);
        e.asm.sub_imm(REMAINING, 1);
        e.asm.jump_if(Cond::NotEqual, again);
        if !is_tail {
            e.record_loop(start, 1);
        }
        e.asm.load(REMAINING, at_arguments(slots.left));
        e.asm.mov(SCRATCH, INDEX);
        e.asm.load(INDEX, at_arguments(slots.column));
        e.asm.sub(SCRATCH, INDEX);
        Ok(carried)
    }
}
