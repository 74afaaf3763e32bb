//! A body and the folds of its values as one loop: a row becomes one vector for each fold, whose lanes are merged elsewhere.
//!
//! The loop goes on in several chains, so that no fold waits for the one before: a round takes a vector into each. Sums of
//! floats run in two levels, for the sake of rounding: [`ROUNDS`] rounds make a partial result, which goes into the total.
//! So each element goes through at most `ROUNDS` additions there, as through NumPy's pairwise sum, and few afterwards.
//!
//! Idempotent folds begin with the row's first vector in every chain, since to take elements in twice changes nothing; others with zero.
//! Which folds are which, [`crate::ir::fold`] says; the instructions are those of the op ([`crate::x86::isel::arith`]).

use crate::x86::asm::encode::{Cond, Gpr, KReg, Masking, Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::arith::{Extreme, extreme, instruction};
use crate::x86::isel::bools::{Logic, Truth};
use crate::x86::isel::select::{Emitter, by_float};
use crate::x86::loops::arguments::Arguments;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{BASES, COUNT, LANES, Lowered, Steps, Unsupported, VECTOR, at_arguments};
use crate::{DType, FoldOrder, FoldRow, Op, ValueId};
use smallvec::SmallVec;

/// Comparisons, as immediates of `vcmp`: true where one is a nan, too.
const NOT_GREATER: u8 = 0x1a;
const NOT_LESS: u8 = 0x15;
/// Rounds of a partial sum.
const ROUNDS: i64 = 16;
/// Vector registers for folds, with so many; the others are the body's.
fn registers(level: Level) -> usize {
    level.registers().count_ones() as usize / 2
}
/// The register with the rounds left; it belongs to the caller.
const LEFT: Gpr = BASES[BASES.len() - 1];

/// What stores become while a body is emitted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Into {
    /// The beginning of all totals.
    All,
    /// A part of the chain's partial result.
    Partial,
    /// A part of the chain's total.
    Total,
}

/// One fold.
#[derive(Clone, Copy)]
pub(crate) struct Fold {
    pub(crate) op: Op,
    pub(crate) dtype: DType,
    /// The first of its registers: totals, then partial results where there are any.
    pub(crate) first: u8,
}

impl Fold {
    /// What the fold table says of it.
    pub(crate) fn row(self) -> &'static FoldRow {
        self.op.fold().expect("verified kernels fold by ops of the table")
    }

    /// Whether it begins with zero, and not with the row's first vector.
    fn adds(self) -> bool {
        !self.row().is_idempotent(self.dtype)
    }

    /// Whether partial results are apart from totals.
    fn has_levels(self) -> bool {
        self.row().order == FoldOrder::Pairwise && self.row().rounds(self.dtype)
    }

    /// The instruction that takes a vector in, but for extremes of floats.
    pub(crate) fn form(self) -> Option<&'static Form> {
        instruction(self.op, self.dtype)
    }

    /// What it picks, for extremes of floats.
    pub(crate) fn extreme(self) -> Option<Extreme> {
        if self.dtype.is_float() { extreme(self.op) } else { None }
    }

    /// Whether there are instructions for it.
    pub(crate) fn is_known(self) -> bool {
        matches!(self.dtype, DType::F32 | DType::F64 | DType::I32 | DType::I64 | DType::U32 | DType::U64)
            && (self.form().is_some() || self.extreme().is_some())
    }

    /// Whether it may begin as loops here do.
    fn begins(self) -> bool {
        !self.adds() || self.row().initial(self.dtype).is_some_and(|initial| initial.bits() == 0)
    }
}

/// The folds of a loop.
pub(crate) struct Folds {
    all: SmallVec<[Fold; 4]>,
    /// Operands before those that are folded instead of stored.
    inputs: usize,
    chains: usize,
    into: Into,
}

impl Folds {
    /// Gives registers to folds, as many chains as there is room for and as a body so long is worth.
    fn new(body: &Body<'_>, ops: &[Op]) -> Option<Folds> {
        let kernel = body.kernel;
        let inputs = kernel.operands.len() - ops.len();
        let fold = |(&op, operand): (&Op, &crate::OperandDecl)| Fold { op, dtype: operand.dtype, first: 0 };
        let mut all: SmallVec<[Fold; 4]> = ops.iter().zip(&kernel.operands[inputs..]).map(fold).collect();
        if !all.iter().all(|fold| fold.is_known() && fold.begins()) {
            return None;
        }
        let levels = |fold: &Fold| 1 + fold.has_levels() as usize;
        let needed: usize = all.iter().map(levels).sum();
        let wish = match body.length() {
            0..=8 => 8,
            9..=24 => 4,
            _ => 2,
        };
        let room = registers(body.level);
        let chains = [8, 4, 2, 1].into_iter().find(|&chains| chains <= wish && chains * needed <= room)?;
        // The last register of AVX2 may be taken.
        let mut next = 2 * room - (body.level == Level::Avx2) as usize - chains * needed;
        for fold in &mut all {
            fold.first = next as u8;
            next += chains * levels(fold);
        }
        Some(Folds { all, inputs, chains, into: Into::Total })
    }

    /// Bits of their registers, and of those above.
    fn registers(&self) -> u32 {
        self.all.first().map_or(0, |fold| u32::MAX << fold.first)
    }

    fn total(&self, fold: Fold, chain: usize) -> VReg {
        VReg(fold.first + chain as u8)
    }

    fn partial(&self, fold: Fold, chain: usize) -> VReg {
        VReg(fold.first + (chain + if fold.has_levels() { self.chains } else { 0 }) as u8)
    }
}

impl Emitter<'_> {
    /// Which fold takes what is stored to an operand.
    pub(crate) fn folded(&self, operand: usize) -> Option<usize> {
        let folds = self.folds.as_ref()?;
        operand.checked_sub(folds.inputs)
    }

    /// Takes a value into a fold.
    pub(crate) fn fold(&mut self, number: usize, value: ValueId, copy: usize, rest: bool) {
        let Some(folds) = &self.folds else { return };
        let (fold, into, chains) = (folds.all[number], folds.into, folds.chains);
        let (total, partial) = (folds.total(fold, copy), folds.partial(fold, copy));
        match into {
            Into::All if fold.adds() => {}
            Into::All => {
                let from = Rm::Reg(self.vector(value));
                for chain in 0..chains {
                    let to = VReg(fold.first + chain as u8);
                    self.copy(to, from);
                }
            }
            Into::Partial | Into::Total => {
                let to = if into == Into::Total { total } else { partial };
                let mut x = self.vector(value);
                if rest && self.level() == Level::Avx2 && fold.adds() {
                    x = self.only_lanes(x, fold.dtype);
                }
                self.take_in(fold, to, x, if rest { LANES } else { KReg(0) });
            }
        }
    }

    /// Takes a vector into a register of a fold, in the lanes of a mask.
    fn take_in(&mut self, fold: Fold, to: VReg, x: VReg, lanes: KReg) {
        let width = self.width(fold.dtype);
        match (fold.form(), fold.extreme()) {
            (None, Some(Extreme { larger, nan_wins })) => {
                // The total is not kept where it is not the better, and what must be no nan for that is none.
                let replaced = self.moment_mask();
                const ORDERED: u8 = 7;
                let predicate = if larger { NOT_GREATER } else { NOT_LESS };
                let asked = if nan_wins { to } else { x };
                self.compare_in(replaced, to, x, fold.dtype, predicate, lanes);
                match self.level() {
                    Level::Avx512 => self.compare_in(replaced, asked, asked, fold.dtype, ORDERED, replaced.k()),
                    Level::Avx2 => {
                        let ordered = self.moment_mask();
                        self.compare(ordered, asked, Rm::Reg(asked), fold.dtype, ORDERED);
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

    /// Compares floats in the lanes of a mask, where there are masks.
    pub(crate) fn compare_in(&mut self, out: Truth, a: VReg, b: VReg, dtype: DType, predicate: u8, lanes: KReg) {
        match self.level() {
            Level::Avx512 => {
                let form = by_float(dtype, &f::VCMPPS, &f::VCMPPD);
                self.asm.compare(form, self.width(dtype), out.k(), a, Rm::Reg(b), lanes, Some(predicate));
            }
            Level::Avx2 => self.compare(out, a, Rm::Reg(b), dtype, predicate),
        }
    }

    /// A vector with zero in the lanes that are not there at the row's end: the others are there once only to be added.
    fn only_lanes(&mut self, x: VReg, dtype: DType) -> VReg {
        let (lanes, width) = (self.moment(), self.width(dtype));
        let form = if dtype.size() == 8 { &f::VPMOVSXBQ } else { &f::VPMOVSXBD };
        let from = Rm::Mem(at_arguments(self.arguments.tail_lanes()));
        self.emit(form, width, lanes, VReg(0), from, Masking::NONE, None);
        self.emit(&f::VPANDD, width, lanes, lanes, Rm::Reg(x), Masking::NONE, None);
        lanes
    }
}

impl Body<'_> {
    /// The loop of a row whose last operands, all that are written, are folded by these ops instead of stored. A vector of
    /// each fold is left in the arguments.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(crate) fn lower_fold(&self, steps: &Steps, ops: &[Op]) -> Result<Lowered, Unsupported> {
        let refused = |what: &str| Unsupported { at: 0, what: what.into() };
        let folds = Folds::new(self, ops).ok_or_else(|| refused("a fold"))?;
        let (inputs, chains, all) = (folds.inputs, folds.chains, folds.all.clone());
        let mut e = Emitter::new(self, steps, Arguments::of(self));
        e.reserve(folds.registers());
        let room: SmallVec<[usize; 4]> = all.iter().map(|_| e.arguments.room(VECTOR)).collect();
        e.arguments.folded = room.first().copied().unwrap_or(0);
        let totals: SmallVec<[VReg; 32]> =
            all.iter().flat_map(|&fold| (0..chains).map(move |c| VReg(fold.first + c as u8))).collect();
        e.folds = Some(folds);
        e.asm.push(LEFT);
        self.enter(&mut e, inputs);
        e.once()?;
        totals.iter().for_each(|&register| e.zero(register));
        if all.iter().any(|fold| !fold.adds()) {
            e.body_into(Into::All, 0, false)?;
        }
        let (full, rest, done) = (e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.cmp_imm(COUNT, self.lanes as i32);
        e.asm.jump_if(Cond::AboveEqual, full);
        // The row's end comes first: it shows which constants are worth a register (see `held`).
        e.asm.bind(rest);
        e.asm.test(COUNT, COUNT);
        e.asm.jump_if(Cond::Equal, done);
        self.some_lanes(&mut e, inputs);
        e.body_into(Into::Total, 0, true)?;
        e.asm.bind(done);
        e.merge_chains(&room);
        self.leave(&mut e, inputs);
        e.asm.pop(LEFT);
        e.asm.vzeroupper();
        e.asm.ret();
        e.asm.bind(full);
        e.hold();
        self.rounds(&mut e, chains)?;
        e.asm.cmp_imm(COUNT, self.lanes as i32);
        e.asm.jump_if(Cond::Below, rest);
        let again = e.asm.label();
        e.asm.bind(again);
        e.body_into(Into::Total, 0, false)?;
        self.go_on(&mut e, 1);
        e.asm.cmp_imm(COUNT, self.lanes as i32);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.asm.jmp(rest);
        e.check(self.fragment.insts.len())?;
        Ok(Lowered { code: e.asm.finish(), arguments: e.arguments })
    }

    /// The loop that takes a vector into each chain at a time, as often as there are so many.
    fn rounds(&self, e: &mut Emitter<'_>, chains: usize) -> Result<(), Unsupported> {
        let many = (chains * self.lanes) as i32;
        let one = e.asm.label();
        e.asm.cmp_imm(COUNT, many);
        e.asm.jump_if(Cond::Below, one);
        let (group, round, full) = (e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.bind(group);
        e.clear_partials();
        e.asm.mov_imm(LEFT, ROUNDS);
        e.asm.bind(round);
        for copy in 0..chains {
            e.body_into(Into::Partial, copy, false)?;
        }
        self.go_on(e, chains);
        e.asm.sub_imm(LEFT, 1);
        e.asm.jump_if(Cond::Equal, full);
        e.asm.cmp_imm(COUNT, many);
        e.asm.jump_if(Cond::AboveEqual, round);
        e.asm.bind(full);
        e.add_partials();
        e.asm.cmp_imm(COUNT, many);
        e.asm.jump_if(Cond::AboveEqual, group);
        e.asm.bind(one);
        Ok(())
    }
}

impl Emitter<'_> {
    fn body_into(&mut self, into: Into, copy: usize, rest: bool) -> Result<(), Unsupported> {
        if let Some(folds) = &mut self.folds {
            folds.into = into;
        }
        self.body(copy, rest)
    }

    /// The registers of partial results, each with its total and fold.
    fn partials(&self) -> SmallVec<[(Fold, VReg, VReg); 16]> {
        let folds = self.folds.iter();
        let each = |folds: &Folds| -> SmallVec<[(Fold, VReg, VReg); 16]> {
            let apart = folds.all.iter().copied().filter(|fold| fold.has_levels());
            apart.flat_map(|x| (0..folds.chains).map(move |c| (x, folds.partial(x, c), folds.total(x, c)))).collect()
        };
        folds.flat_map(each).collect()
    }

    fn clear_partials(&mut self) {
        self.partials().into_iter().for_each(|(_, partial, _)| self.zero(partial));
    }

    fn add_partials(&mut self) {
        for (fold, partial, total) in self.partials() {
            self.take_in(fold, total, partial, KReg(0));
        }
    }

    /// Merges the chains pairwise, and puts the results into the arguments.
    fn merge_chains(&mut self, room: &[usize]) {
        let Some(folds) = &self.folds else { return };
        let (all, mut chains) = (folds.all.clone(), folds.chains);
        while chains > 1 {
            chains /= 2;
            for &fold in &all {
                for chain in 0..chains {
                    let (to, from) = (fold.first + chain as u8, fold.first + (chain + chains) as u8);
                    self.take_in(fold, VReg(to), VReg(from), KReg(0));
                    self.forget_moments();
                }
            }
        }
        for (fold, &at) in all.iter().zip(room) {
            self.put(at, VReg(fold.first));
        }
    }
}
