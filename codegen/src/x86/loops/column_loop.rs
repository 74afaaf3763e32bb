//! The loop of a reduction by columns: rows are folded one after the other, element by element.
//!
//! The accumulators of a few vectors of columns stay in registers from the first row of a group to the last. In memory, where each row would
//! load and store them all, they wait for the stores of results: of 100 × 300 doubles, a choice that is kept and its maxima by columns, the
//! loop takes 10 µs, and 17 with accumulators in memory (Sapphire Rapids).

use crate::x86::asm::encode::{Cond, Mem, VReg};
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{
    INDEX, REMAINING, RESIDENT_BASES, ROUNDS_LEFT, ROWS, SCRATCH, StrideKind, StrideKinds, at_arguments,
    without_non_temporal,
};
use crate::x86::isel::select::{Emitter, Unsupported};
use crate::x86::loops::prologue::LoopCode;
use crate::x86::loops::reduce_loop::{FoldInto, Folds, chains_of};
use crate::{DType, Op};
use std::rc::Rc;

impl Body<'_> {
    /// Compiles the loop over groups of rows whose last operands are folded by these ops instead of stored. The addresses of those operands
    /// are those of a result a column, whose contents before matter if a word in the argument block is not zero (AVX-512). There are as many
    /// columns as lanes at least.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn lower_columns(&self, kinds: &StrideKinds, ops: &[Op]) -> Result<LoopCode, Unsupported> {
        let refused = |what: &str| Unsupported { at: 0, what: what.into() };
        let vectors = chains_of(self, ops).ok_or_else(|| refused("a fold"))?;
        let folds = Rc::new(Folds::new(self, ops, vectors).ok_or_else(|| refused("a fold"))?);
        let unaligned_kinds = without_non_temporal(kinds);
        let mut e = Emitter::new(self, kinds, Arguments::of(self));
        let [hoists, hoists_elements] = e.hoists();
        let has_parts = self.kernel.operands.iter().any(|operand| operand.dtype.is_complex());
        if self.has_loops() || has_parts {
            return Err(refused("a fold of columns of such a body"));
        }
        e.reserve(folds.registers());
        e.hooks = Some(folds.clone());
        e.resident_bases = RESIDENT_BASES + 1;
        let rows = at_arguments(e.arguments.rows());
        e.asm.store_gpr(rows, ROWS);
        e.arguments.folded = e.arguments.slot(8);
        e.arguments.next_rows = e.arguments.slots(self.kernel.operands.len(), 8);
        e.asm.push(ROUNDS_LEFT);
        self.prologue(&mut e, folds.inputs);
        self.begin_row(&mut e);
        // What depends on a row's elements would be computed before few vectors, and is within.
        if hoists && !hoists_elements {
            e.hoist()?;
        }
        let done = e.asm.label();
        for vectors in [vectors, 1] {
            let (again, fewer, columns) = (e.asm.label(), e.asm.label(), (vectors * self.lanes) as i32);
            e.asm.cmp_imm(REMAINING, columns);
            e.asm.jump_if(Cond::Below, fewer);
            e.asm.bind(again);
            self.columns(&mut e, &folds, vectors, false)?;
            self.advance(&mut e, vectors, |_| true);
            e.asm.cmp_imm(REMAINING, columns);
            e.asm.jump_if(Cond::AboveEqual, again);
            e.asm.bind(fewer);
        }
        e.asm.test(REMAINING, REMAINING);
        e.asm.jump_if(Cond::Equal, done);
        match self.level {
            Level::Avx512 => self.set_tail_mask(&mut e, folds.inputs),
            // Results are stored twice, as nothing that is read is overwritten.
            Level::Avx2 => {
                e.asm.add(INDEX, REMAINING);
                e.asm.sub_imm(INDEX, self.lanes as i32);
                e.kinds = &unaligned_kinds;
            }
        }
        self.columns(&mut e, &folds, 1, self.level == Level::Avx512)?;
        e.kinds = kinds;
        e.asm.bind(done);
        self.epilogue(&mut e, folds.inputs);
        e.asm.pop(ROUNDS_LEFT);
        if kinds.contains(&StrideKind::NonTemporal) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        e.check_missing(self.fragment.insts.len())?;
        Ok(LoopCode::new(e, None))
    }

    /// Folds so many vectors of columns of all rows, and stores the results.
    fn columns(&self, e: &mut Emitter<'_>, folds: &Folds, vectors: usize, is_tail: bool) -> Result<(), Unsupported> {
        let rows = at_arguments(e.arguments.rows());
        let [begin, again, row, last] = [(); 4].map(|()| e.asm.label());
        e.asm.load(ROUNDS_LEFT, rows);
        let is_continued = at_arguments(e.arguments.folded);
        e.asm.load(SCRATCH, is_continued);
        e.asm.test(SCRATCH, SCRATCH);
        e.asm.jump_if(Cond::Equal, begin);
        e.is_tail = is_tail;
        self.accumulators(e, folds, vectors, |e, at, register, dtype| e.load_dense(register, at, dtype));
        e.asm.jmp(row);
        e.asm.bind(begin);
        folds.body_into(e, FoldInto::First, vectors, is_tail)?;
        e.asm.sub_imm(ROUNDS_LEFT, 1);
        e.asm.jump_if(Cond::Equal, last);
        let start = e.asm.len();
        e.asm.bind(again);
        for operand in 0..folds.inputs {
            let pitch = at_arguments(e.arguments.pitch(operand));
            e.update_base(operand, |asm, base| asm.add_mem(base, pitch));
        }
        e.asm.bind(row);
        self.prefetch_next_rows(e, folds.inputs, vectors);
        folds.body_into(e, FoldInto::Total, vectors, is_tail)?;
        e.asm.sub_imm(ROUNDS_LEFT, 1);
        e.asm.jump_if(Cond::NotEqual, again);
        if vectors > 1 {
            e.record_loop(start, vectors);
        }
        e.asm.bind(last);
        self.accumulators(e, folds, vectors, |e, at, register, dtype| e.store_contiguous(at, register, dtype));
        for operand in 0..folds.inputs {
            let at = e.arguments.address(operand);
            e.load_base(operand, at);
        }
        Ok(())
    }

    /// Prefetches what the next call accesses where this one accesses so many vectors of a row of each operand.
    fn prefetch_next_rows(&self, e: &mut Emitter<'_>, operands: usize, vectors: usize) {
        let mut known = None;
        for (operand, line) in self.lines(e, vectors, |operand| operand < operands) {
            if known.replace(operand) != Some(operand) {
                let distance = at_arguments(e.arguments.next_rows + 8 * operand);
                let base = e.base(operand);
                e.asm.load(SCRATCH, distance);
                e.asm.add(SCRATCH, base);
            }
            let size = self.kernel.operands[operand].dtype.size();
            e.asm.prefetcht1(Mem::indexed(SCRATCH, INDEX, size as u8, line));
        }
    }

    /// Moves so many vectors of each accumulator between memory and its registers.
    fn accumulators<'e>(
        &self,
        e: &mut Emitter<'e>,
        folds: &Folds,
        vectors: usize,
        mut access: impl FnMut(&mut Emitter<'e>, Mem, VReg, DType),
    ) {
        for (number, &fold) in folds.all.iter().enumerate() {
            let (at, size) = (at_arguments(e.arguments.address(folds.inputs + number)), fold.dtype.size());
            e.asm.load(SCRATCH, at);
            for vector in 0..vectors {
                let disp = (vector * self.lanes * size) as i32;
                let at = Mem { base: SCRATCH, index: Some((INDEX, size as u8)), disp };
                access(e, at, folds.total(fold, vector), fold.dtype);
            }
        }
    }
}
