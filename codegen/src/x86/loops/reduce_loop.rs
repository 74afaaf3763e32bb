//! The loop of a reduction over rows: of each, each fold becomes one vector of partial results, whose lanes the launcher merges.
//!
//! The main loop has several independent chains, so that no fold waits for the one before: each round accumulates a vector into each
//! chain. Sums of floats have two levels, for accuracy: [`PARTIAL_ROUNDS`] rounds make a partial result, which is added to the total.
//! So each element goes through at most `PARTIAL_ROUNDS` additions there, as in NumPy's pairwise sum, and few afterwards.
//!
//! A call runs rows that are one pitch apart, as that of a map does ([`crate::x86::loops::row_loop`]). Without lane masks (AVX2) the elements
//! that do not fill a vector are computed as a full one, which ends with the row: what overlaps the vector before is zero in sums, and
//! accumulated again in idempotent folds. A row has a vector at least, and what is stored overlaps nothing that is read.
//!
//! Idempotent folds start every chain with the first vector of the row, which is then accumulated again; others start with zero. The
//! table [`crate::ir::fold`] says which folds are idempotent; the instructions are those of the op ([`crate::x86::isel::arith`]).

use crate::x86::asm::encode::{Cond, KReg, Masking, Mem, Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::arith::{Extreme, extreme, instruction};
use crate::x86::isel::body::Body;
use crate::x86::isel::bools::Logic;
use crate::x86::isel::conventions::{
    INDEX, LANE_MASK, REMAINING, RESIDENT_BASES, ROUNDS_LEFT, ROWS, SCRATCH, StrideKind, StrideKinds, VECTOR_BYTES,
    at_arguments, without_non_temporal,
};
use crate::x86::isel::select::{EmitResult, Emitter, LoopHooks, Unsupported};
use crate::x86::loops::prologue::LoopCode;
use crate::{DType, FoldOrder, FoldRow, Inst, Op, ValueId};
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// Comparisons, as immediates of `vcmp`: true where one is a nan, too.
const NOT_GREATER: u8 = 0x1a;
const NOT_LESS: u8 = 0x15;
/// Rounds of a partial sum.
const PARTIAL_ROUNDS: i64 = 16;
/// The vector registers for folds: half of them. The body has the others.
fn registers(level: Level) -> usize {
    level.registers().count_ones() as usize / 2
}

/// What a copy of the body accumulates into.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum FoldInto {
    /// Initialises all totals.
    All,
    /// Initialises the total of the chain.
    First,
    /// The partial result of the chain.
    Partial,
    /// The total of the chain, in the lanes that are elements.
    Total,
    /// The total, in the lanes that no vector before had: the tail of a row.
    Tail,
}

/// One fold of a loop: lanes of a vector accumulate independently.
#[derive(Clone, Copy)]
pub(crate) struct LaneFold {
    pub(crate) op: Op,
    pub(crate) dtype: DType,
    /// The first of its registers: totals, then partial results where there are any.
    pub(crate) first: u8,
}

impl LaneFold {
    /// The fold's row of the table.
    pub(crate) fn row(self) -> &'static FoldRow {
        self.op.fold().expect("verified kernels fold by ops of the table")
    }

    /// Whether its accumulators start at zero.
    fn adds(self) -> bool {
        !self.row().is_idempotent(self.dtype)
    }

    /// Whether partial results have registers besides the totals.
    fn has_levels(self) -> bool {
        self.row().order == FoldOrder::Pairwise && self.row().rounds(self.dtype)
    }

    /// Registers of a chain.
    fn levels(&self) -> usize {
        1 + self.has_levels() as usize
    }

    /// The instruction that accumulates a vector, except for extremes of floats.
    pub(crate) fn form(self) -> Option<&'static Form> {
        instruction(self.op, self.dtype)
    }

    /// The extreme that it selects, for extremes of floats.
    pub(crate) fn extreme(self) -> Option<Extreme> {
        if self.dtype.is_float() { extreme(self.op) } else { None }
    }

    /// Whether there are instructions for it.
    pub(crate) fn is_known(self) -> bool {
        matches!(self.dtype, DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U32 | DType::U64)
            && (self.form().is_some() || self.extreme().is_some())
    }

    /// Whether these loops can initialise its accumulators.
    fn begins(self) -> bool {
        !self.adds() || self.row().initial(self.dtype).is_some_and(|initial| initial.bits() == 0)
    }
}

/// The folds of a body's last operands, if these loops can do them.
fn folds_of(body: &Body<'_>, ops: &[Op]) -> Option<SmallVec<[LaneFold; 4]>> {
    let operands = &body.kernel.operands[body.kernel.operands.len() - ops.len()..];
    let fold = |(&op, operand): (&Op, &crate::OperandDecl)| LaneFold { op, dtype: operand.dtype, first: 0 };
    let all: SmallVec<[LaneFold; 4]> = ops.iter().zip(operands).map(fold).collect();
    all.iter().all(|fold| fold.is_known() && fold.begins()).then_some(all)
}

/// The chains of a loop: as many as fit the registers and as hide the latency of a body so long.
pub(crate) fn chains_of(body: &Body<'_>, ops: &[Op]) -> Option<usize> {
    let needed: usize = folds_of(body, ops)?.iter().map(LaneFold::levels).sum();
    let wish = match body.length() {
        0..=8 => 8,
        9..=24 => 4,
        _ => 2,
    };
    let room = registers(body.level);
    [8, 4, 2, 1].into_iter().find(|&chains| chains <= wish && chains * needed <= room)
}

/// The folds of a loop.
pub(crate) struct Folds {
    pub(crate) all: SmallVec<[LaneFold; 4]>,
    /// The number of operands before those that are folded instead of stored.
    pub(crate) inputs: usize,
    chains: usize,
    into: Cell<FoldInto>,
}

impl Folds {
    /// Assigns registers to folds of so many chains.
    pub(crate) fn new(body: &Body<'_>, ops: &[Op], chains: usize) -> Option<Folds> {
        let (inputs, mut all) = (body.kernel.operands.len() - ops.len(), folds_of(body, ops)?);
        let (room, needed) = (registers(body.level), all.iter().map(LaneFold::levels).sum::<usize>());
        // The last register of AVX2 is reserved for slow-path lanes.
        let mut next = 2 * room - (body.level == Level::Avx2) as usize - chains * needed;
        for fold in &mut all {
            fold.first = next as u8;
            next += chains * fold.levels();
        }
        Some(Folds { all, inputs, chains, into: Cell::new(FoldInto::Total) })
    }

    /// Their registers and those above, a bit each.
    pub(crate) fn registers(&self) -> u32 {
        self.all.first().map_or(0, |fold| u32::MAX << fold.first)
    }

    pub(crate) fn total(&self, fold: LaneFold, chain: usize) -> VReg {
        VReg(fold.first + chain as u8)
    }

    fn partial(&self, fold: LaneFold, chain: usize) -> VReg {
        VReg(fold.first + (chain + if fold.has_levels() { self.chains } else { 0 }) as u8)
    }
}

impl LoopHooks for Folds {
    /// Accumulates a value that the body stores to a folded operand.
    fn store(&self, e: &mut Emitter<'_>, operand: usize, value: ValueId) -> bool {
        let Some(number) = operand.checked_sub(self.inputs) else { return false };
        let (fold, into, chain) = (self.all[number], self.into.get(), e.unroll_index);
        let (total, partial) = (self.total(fold, chain), self.partial(fold, chain));
        match into {
            FoldInto::All if fold.adds() => {}
            FoldInto::All => {
                let from = Rm::Reg(e.vector(value));
                for chain in 0..self.chains {
                    let to = VReg(fold.first + chain as u8);
                    e.copy(to, from);
                }
            }
            FoldInto::First => {
                let from = Rm::Reg(e.vector(value));
                e.copy(total, from);
            }
            FoldInto::Partial => {
                let x = e.vector(value);
                e.accumulate(fold, partial, x, KReg(0));
            }
            FoldInto::Total => {
                let x = e.vector(value);
                e.accumulate(fold, total, x, if e.is_tail { LANE_MASK } else { KReg(0) });
            }
            FoldInto::Tail => {
                let mut x = e.vector(value);
                if e.level() == Level::Avx2 && fold.adds() {
                    x = e.zero_overlap(x, fold.dtype);
                }
                e.accumulate(fold, total, x, if e.is_tail { LANE_MASK } else { KReg(0) });
            }
        }
        true
    }

    fn result(&self, _: &mut Emitter<'_>, _: usize) -> EmitResult<()> {
        Err("results of folds".into())
    }
}

impl Emitter<'_> {
    /// Accumulates a vector into a register of a fold, in the lanes of a mask.
    fn accumulate(&mut self, fold: LaneFold, to: VReg, x: VReg, lanes: KReg) {
        let width = self.width(fold.dtype);
        match (fold.form(), fold.extreme()) {
            (None, Some(Extreme { larger, nan_wins })) => {
                // The total is replaced in lanes where it is not better and `tested` is no NaN: neither a NaN total is replaced where NaN
                // wins, nor a total by NaN where NaN loses.
                let replaced = self.temp_mask();
                const ORDERED: u8 = 7;
                let predicate = if larger { NOT_GREATER } else { NOT_LESS };
                let tested = if nan_wins { to } else { x };
                self.compare_in(replaced, to, x, fold.dtype, predicate, lanes);
                match self.level() {
                    Level::Avx512 => self.compare_in(replaced, tested, tested, fold.dtype, ORDERED, replaced.k()),
                    Level::Avx2 => {
                        let ordered = self.temp_mask();
                        self.compare(ordered, tested, Rm::Reg(tested), fold.dtype, ORDERED);
                        self.logic(Logic::And, replaced, replaced, ordered);
                    }
                }
                self.blend(to, replaced, Rm::Reg(x), to, fold.dtype);
            }
            (Some(form), _) => {
                self.emit(form, width, to, to, Rm::Reg(x), Masking { k: lanes, zero: false }, None);
            }
            (None, None) => unreachable!("folds without instructions are refused"),
        }
    }

    /// A vector with zero in the lanes that the vector before had, where AVX2's tail overlaps it.
    fn zero_overlap(&mut self, x: VReg, dtype: DType) -> VReg {
        let (lanes, width) = (self.temp(), self.width(dtype));
        let form = if dtype.size() == 8 { &f::VPMOVSXBQ } else { &f::VPMOVSXBD };
        let from = Rm::Mem(at_arguments(self.arguments.tail_lanes()));
        self.emit(form, width, lanes, VReg(0), from, Masking::NONE, None);
        self.emit(&f::VPANDD, width, lanes, lanes, Rm::Reg(x), Masking::NONE, None);
        lanes
    }
}

impl Body<'_> {
    /// Compiles the loop over rows whose last operands are folded by these ops, in so many chains, instead of stored. It stores a vector of
    /// each row for each fold, one after the other, from the address in the argument block on.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn lower_reduce(
        &self,
        kinds: &StrideKinds,
        (ops, chains): (&[Op], usize),
    ) -> Result<LoopCode, Unsupported> {
        let refused = |what: &str| Unsupported { at: 0, what: what.into() };
        if self.has_loops() {
            return Err(refused("a fold of what loops give"));
        }
        let folds = Rc::new(Folds::new(self, ops, chains).ok_or_else(|| refused("a fold"))?);
        let inputs = folds.inputs;
        let unaligned_kinds = without_non_temporal(kinds);
        let mut e = Emitter::new(self, kinds, Arguments::of(self));
        e.reserve(folds.registers());
        e.arguments.folded = e.arguments.slot(8);
        e.hooks = Some(folds.clone());
        e.resident_bases = RESIDENT_BASES + 1;
        let rows = at_arguments(e.arguments.rows());
        e.asm.store_gpr(rows, ROWS);
        e.asm.push(ROUNDS_LEFT);
        let may_slice = e.reserve_frames();
        self.prologue(&mut e, inputs);
        let (row, [hoists, hoists_elements]) = (e.asm.label(), e.hoists());
        if hoists && !hoists_elements {
            self.begin_row(&mut e);
            e.hoist()?;
        }
        e.asm.bind(row);
        self.begin_row(&mut e);
        if hoists_elements {
            e.hoist()?;
        }
        for &fold in &folds.all {
            (0..chains).for_each(|chain| e.zero(folds.total(fold, chain)));
        }
        if folds.all.iter().any(|fold| !fold.adds()) {
            folds.body_into(&mut e, FoldInto::All, 1, false)?;
        }
        // Blocks have whole groups of rounds where those have partial results. A body that would be cut otherwise is left to blocks of calls.
        let rounds = if folds.all.iter().any(|fold| fold.has_levels()) { PARTIAL_ROUNDS as usize } else { 1 };
        let slices = if may_slice { e.cut(folds.first_store(self), chains * rounds)? } else { None };
        let (full, tail, done) = (e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.cmp_imm(REMAINING, self.lanes as i32);
        e.asm.jump_if(Cond::AboveEqual, full);
        // The tail is emitted first: it counts which constants are worth a register (see `const_registers`).
        e.asm.bind(tail);
        e.asm.test(REMAINING, REMAINING);
        e.asm.jump_if(Cond::Equal, done);
        self.last_vector(&mut e, &folds, &unaligned_kinds)?;
        e.asm.bind(done);
        folds.merge_chains(&mut e);
        self.next_row(&mut e, inputs, row);
        self.epilogue(&mut e, inputs);
        e.restore_frames(may_slice);
        e.asm.pop(ROUNDS_LEFT);
        if kinds.contains(&StrideKind::NonTemporal) {
            e.asm.sfence();
        }
        e.asm.vzeroupper();
        e.asm.ret();
        e.asm.bind(full);
        e.load_const_registers(chains);
        match &slices {
            // A block has whole groups of rounds, so sums are divided as if there were none.
            Some(slices) => self.blocks(&mut e, slices, chains, |e, block, slice| {
                let round = |e: &mut Emitter<'_>| {
                    e.slice(slices, slice, chains)?;
                    self.prefetch_next_block(e, block, slice, chains, inputs);
                    Ok(())
                };
                self.emit_rounds(e, &folds, round, |operand| block.accesses(slice, operand))
            })?,
            None => {
                let round = |e: &mut Emitter<'_>| {
                    e.body(chains, false)?;
                    if self.is_prefetched() {
                        self.prefetch(e, chains, |operand| operand < inputs);
                    }
                    Ok(())
                };
                self.emit_rounds(&mut e, &folds, round, |_| true)?;
            }
        }
        e.asm.cmp_imm(REMAINING, self.lanes as i32);
        e.asm.jump_if(Cond::Below, tail);
        let again = e.asm.label();
        e.asm.bind(again);
        folds.body_into(&mut e, FoldInto::Total, 1, false)?;
        self.advance(&mut e, 1, |_| true);
        e.asm.cmp_imm(REMAINING, self.lanes as i32);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.asm.jmp(tail);
        e.check_missing(self.fragment.insts.len())?;
        Ok(LoopCode::new(e, slices.as_ref()))
    }

    /// Folds the elements that are left of a row, fewer than a vector's.
    fn last_vector<'a>(
        &self,
        e: &mut Emitter<'a>,
        folds: &Folds,
        unaligned_kinds: &'a StrideKinds,
    ) -> Result<(), Unsupported> {
        let kinds = e.kinds;
        match self.level {
            Level::Avx512 => self.set_tail_mask(e, folds.inputs),
            Level::Avx2 => {
                self.go_back(e, folds.inputs);
                e.kinds = unaligned_kinds;
            }
        }
        folds.body_into(e, FoldInto::Tail, 1, self.level == Level::Avx512)?;
        e.kinds = kinds;
        Ok(())
    }

    /// Goes back to the vector that ends with the row.
    fn go_back(&self, e: &mut Emitter<'_>, inputs: usize) {
        for operand in (0..inputs).filter(|&operand| self.touches(operand)) {
            if e.is_advanced(operand) {
                let (at, distance) = (e.arguments.address(operand), at_arguments(e.arguments.tail_distance(operand)));
                e.load_base(operand, at);
                e.update_base(operand, |asm, base| asm.add_mem(base, distance));
            }
        }
        e.asm.add(INDEX, REMAINING);
        e.asm.sub_imm(INDEX, self.lanes as i32);
        e.asm.mov_imm(REMAINING, self.lanes as i64);
    }

    /// Emits the main loop: rounds that accumulate a vector into each chain, while there are so many. `body` emits a copy for each
    /// chain, which accesses `among` the operands.
    fn emit_rounds(
        &self,
        e: &mut Emitter<'_>,
        folds: &Folds,
        body: impl FnOnce(&mut Emitter<'_>) -> Result<(), Unsupported>,
        among: impl Fn(usize) -> bool,
    ) -> Result<(), Unsupported> {
        let many = (folds.chains * self.lanes) as i32;
        let one = e.asm.label();
        e.asm.cmp_imm(REMAINING, many);
        e.asm.jump_if(Cond::Below, one);
        let (group, round, full) = (e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.bind(group);
        folds.clear_partials(e);
        e.asm.mov_imm(ROUNDS_LEFT, PARTIAL_ROUNDS);
        e.asm.bind(round);
        let start = e.asm.len();
        folds.into.set(FoldInto::Partial);
        body(e)?;
        self.advance(e, folds.chains, among);
        e.asm.sub_imm(ROUNDS_LEFT, 1);
        e.asm.jump_if(Cond::Equal, full);
        e.asm.cmp_imm(REMAINING, many);
        e.asm.jump_if(Cond::AboveEqual, round);
        e.record_loop(start, folds.chains);
        e.asm.bind(full);
        folds.accumulate_partials(e);
        e.asm.cmp_imm(REMAINING, many);
        e.asm.jump_if(Cond::AboveEqual, group);
        e.asm.bind(one);
        Ok(())
    }
}

impl Folds {
    /// Emits copies of the body that accumulate into as many chains.
    pub(crate) fn body_into(
        &self,
        e: &mut Emitter<'_>,
        into: FoldInto,
        chains: usize,
        is_tail: bool,
    ) -> Result<(), Unsupported> {
        self.into.set(into);
        e.body(chains, is_tail)
    }

    /// The first instruction that stores to a folded operand.
    fn first_store(&self, body: &Body<'_>) -> usize {
        let is_folded = |inst: &Inst| matches!(inst, Inst::Store(operand, _) if operand.0 as usize >= self.inputs);
        body.fragment.insts.iter().position(is_folded).unwrap_or(body.fragment.insts.len())
    }

    /// The registers of partial results, each with its total and fold.
    fn partials(&self) -> SmallVec<[(LaneFold, VReg, VReg); 16]> {
        let folds = self.all.iter().copied().filter(|fold| fold.has_levels());
        folds.flat_map(|x| (0..self.chains).map(move |c| (x, self.partial(x, c), self.total(x, c)))).collect()
    }

    fn clear_partials(&self, e: &mut Emitter<'_>) {
        self.partials().into_iter().for_each(|(_, partial, _)| e.zero(partial));
    }

    fn accumulate_partials(&self, e: &mut Emitter<'_>) {
        for (fold, partial, total) in self.partials() {
            e.accumulate(fold, total, partial, KReg(0));
        }
    }

    /// Merges the chains pairwise, and stores the results of a row. A row too short for a round has one chain, and no time to lose: of rows of
    /// eight products merging eight chains took half.
    fn merge_chains(&self, e: &mut Emitter<'_>) {
        let (mut chains, merged) = (self.chains, e.asm.label());
        if chains > 1 {
            e.asm.mov(SCRATCH, INDEX);
            e.asm.add(SCRATCH, REMAINING);
            e.asm.cmp_imm(SCRATCH, (chains * e.lanes()) as i32);
            e.asm.jump_if(Cond::Below, merged);
        }
        while chains > 1 {
            chains /= 2;
            for &fold in &self.all {
                for chain in 0..chains {
                    let (to, from) = (fold.first + chain as u8, fold.first + (chain + chains) as u8);
                    e.accumulate(fold, VReg(to), VReg(from), KReg(0));
                    e.free_temps();
                }
            }
        }
        e.asm.bind(merged);
        let folded = at_arguments(e.arguments.folded);
        e.asm.load(SCRATCH, folded);
        for (number, fold) in self.all.iter().enumerate() {
            e.store_lanes(Mem::at(SCRATCH, (number * VECTOR_BYTES) as i32), VReg(fold.first));
        }
        e.asm.add_imm(SCRATCH, (self.all.len() * VECTOR_BYTES) as i32);
        e.asm.store_gpr(folded, SCRATCH);
    }
}
