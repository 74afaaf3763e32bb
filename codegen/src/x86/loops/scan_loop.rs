//! Running folds within a row's loop: the body, what runs along, and the epilogue in one pass over a row.
//!
//! The two fragments become one, in which an [`Inst::Result`] reads what the accumulator folds. The value before the vector at
//! hand is in every lane of a register that is kept for it, and in the arguments between pieces of a row. It begins with a
//! number that changes none: -0.0 is one for sums, where 0.0 would make -0.0 another.
//!
//! Sums and products of floats are taken one after the other, in the order of the row, as rounding asks for it: all lanes hold
//! the running value, a lane's number is added to all, and each lane of the result is cut off in its turn. So it is the time of
//! one addition an element, in which everything else is computed. What has no rounding runs along the vector first, in as many
//! steps as its number of lanes has bits, and then once from vector to vector.

use crate::ir::build::visit;
use crate::ir::kernel;
use crate::x86::asm::encode::{KReg, Masking, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::avx2_emulation::is_one;
use crate::x86::isel::bools::Truth;
use crate::x86::isel::select::{Emitter, Result, by_float};
use crate::x86::loops::arguments::Arguments;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{LANES, VECTOR, at_arguments};
use crate::x86::loops::reduce_loop::Fold;
use crate::{DType, Expanded, Inst, Kernel, Scalar, Trail, ValueId};
use smallvec::SmallVec;

/// Accumulators of a kernel, at most: each takes a register for good.
const MOST: usize = 2;
/// Instructions of a scan in which little is computed.
const SHORT: usize = 24;
/// The register of the first one's running value; the next one's is that before.
const FIRST: VReg = VReg(12);
/// Where vectors come together lane by lane: registers that `VPBLENDD` reaches, and not the one that AVX2 may have taken.
const HALVES: [VReg; 2] = [VReg(13), VReg(14)];

/// One accumulator in a loop.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    fold: Fold,
    /// The register with the running value, where it is in the arguments, and where a vector is taken apart there.
    carry: VReg,
    at: usize,
    apart: usize,
}

impl Along {
    /// Whether values have to be taken one after the other.
    fn rounds(self) -> bool {
        self.fold.row().rounds(self.fold.dtype)
    }

    /// What changes no other value.
    fn neutral(self) -> Scalar {
        self.fold.row().neutral(self.fold.dtype).expect("what has none is refused")
    }
}

/// The kernel of a scan with its epilogue behind its body, in one fragment. Instructions of the epilogue count on from those of
/// the body, before they were written out as well.
pub(crate) fn in_one(expanded: Expanded, kernel: &Kernel) -> Expanded {
    let Expanded { kernel: mut merged, mut body, epilogue } = expanded;
    let (shift, original) = (merged.body.insts.len() as u32, kernel.body.insts.len() as u32);
    let end = std::mem::take(&mut merged.epilogue);
    merged.body.types.extend(end.types);
    merged.body.insts.extend(end.insts.into_iter().map(|mut inst| {
        visit(&mut inst, |value| value.0 += shift);
        inst
    }));
    body.origin.extend(epilogue.origin.iter().map(|at| at + original));
    body.odd.extend(
        epilogue
            .odd
            .iter()
            .map(|odd| crate::Odd { value: ValueId(odd.value.0 + shift), mask: ValueId(odd.mask.0 + shift) }),
    );
    Expanded { kernel: merged, body, epilogue: Trail::default() }
}

/// Whether the level of all else is none for a scan of so many instructions: where all that runs along is added in order, and
/// little is computed, smaller vectors are better. While none of 64 bytes is at work, an addition takes two cycles instead of
/// three: `np.cumsum(x * y)` of doubles 0.6 ns an element instead of 1.0.
pub(crate) fn wants_small_vectors(kernel: &Kernel, length: usize) -> bool {
    let waits = |a: &kernel::Accumulator| a.fold.row().is_some_and(|row| row.rounds(kernel.body.dtype(a.value)));
    length <= SHORT && kernel.accumulators.iter().all(waits)
}

/// The values that change no other, by accumulator; none where one of them does not run in a loop, or there is none.
pub(crate) fn neutrals(kernel: &Kernel, level: Level) -> Option<SmallVec<[Scalar; MOST]>> {
    let is_read =
        |i: usize| kernel.epilogue.insts.iter().any(|inst| matches!(inst, Inst::Result(r) if *r as usize == i));
    let count = kernel.accumulators.len();
    if !(1..=MOST).contains(&count) || !(0..count).all(is_read) {
        return None;
    }
    let of = |a: &kernel::Accumulator| {
        let (dtype, kernel::Fold::Op(op)) = (kernel.body.dtype(a.value), a.fold) else { return None };
        let fold = Fold { op, dtype, first: 0 };
        // What rounds takes one instruction. What AVX2 makes of several takes 0.7 ns an element instead of the 0.5 of one after
        // the other.
        let runs = match fold.form() {
            Some(form) => is_one(level, form),
            None => !fold.row().rounds(dtype),
        };
        if fold.is_known() && runs { fold.row().neutral(dtype) } else { None }
    };
    kernel.accumulators.iter().map(of).collect()
}

impl Emitter<'_> {
    /// Keeps registers for what runs along, and makes room for it.
    pub(crate) fn reserve_along(&mut self) {
        let body = self.body;
        if body.accumulated.is_empty() {
            return;
        }
        let mut reserved = 0;
        self.arguments.carries = self.arguments.rooms(body.accumulated.len(), VECTOR);
        for (i, a) in body.kernel.accumulators.iter().enumerate() {
            let kernel::Fold::Op(op) = a.fold else { continue };
            let fold = Fold { op, dtype: body.kernel.body.dtype(a.value), first: 0 };
            let (carry, at) = (VReg(FIRST.0 - i as u8), self.arguments.carry(i));
            let along = Along { fold, carry, at, apart: 0 };
            let apart = if along.rounds() { self.arguments.room(VECTOR) } else { 0 };
            self.along.push(Along { apart, ..along });
            reserved |= 1 << carry.0;
            if along.rounds() {
                reserved |= HALVES.iter().fold(0, |all, half| all | 1 << half.0);
            }
        }
        self.reserve(reserved);
    }

    /// Takes up what ran along so far.
    pub(crate) fn take_up_along(&mut self) {
        for along in self.along.clone() {
            self.copy(along.carry, Rm::Mem(at_arguments(along.at)));
        }
    }

    /// Leaves it for the next piece.
    pub(crate) fn leave_along(&mut self) {
        for along in self.along.clone() {
            self.put(along.at, along.carry);
        }
    }

    /// The value at hand is the running value of an accumulator.
    pub(crate) fn run_along(&mut self, accumulator: usize) -> Result<()> {
        let value = self.body.accumulated[accumulator];
        let along = *self.along.get(accumulator).ok_or("results of folds")?;
        let register = self.vector(value);
        let vector = if self.rest { self.or_neutral(along, register) } else { register };
        if along.rounds() {
            self.one_by_one(along, vector);
        } else {
            let out = self.take_over(value).unwrap_or_else(|| self.define_vector());
            if out != vector {
                self.copy(out, Rm::Reg(vector));
            }
            self.by_halves(along, out);
        }
        self.bury(&[value]);
        Ok(())
    }

    /// In vectors of half the size where there are larger ones: those add in three cycles instead of four.
    fn one_by_one(&mut self, along: Along, value: VReg) {
        let (dtype, size) = (along.fold.dtype, along.fold.dtype.size());
        let form = along.fold.form().expect("what rounds takes one instruction");
        let (width, per) = match self.width(dtype) {
            Width::W512 => (Width::W256, self.lanes() / 2),
            width => (width, self.lanes()),
        };
        self.put(along.apart, value);
        let [low, high] = HALVES;
        for lane in 0..self.lanes() {
            let from = at_arguments(along.apart + lane * size);
            match self.level() {
                Level::Avx512 => {
                    let from = Rm::Broadcast(from);
                    self.asm.vector(form, width, along.carry, along.carry, from, Masking::NONE, None);
                }
                Level::Avx2 => {
                    let broadcast = by_float(dtype, &f::VPBROADCASTD, &f::VPBROADCASTQ);
                    self.asm.vex(broadcast, width, high, VReg(0), Rm::Mem(from), None);
                    self.asm.vex(form, width, along.carry, along.carry, Rm::Reg(high), None);
                }
            }
            let half = if lane < per { low } else { high };
            if lane % per == 0 {
                self.emit(&f::VMOVUPS, width, half, VReg(0), Rm::Reg(along.carry), Masking::NONE, None);
            } else {
                // It goes to any port, where a blend by a mask would compete with the sum.
                let words = 0xFFu32 << (lane % per * size / 4);
                self.asm.vex(&f::VPBLENDD, width, half, half, Rm::Reg(along.carry), Some(words as u8));
            }
        }
        let out = self.define_vector();
        if per < self.lanes() {
            self.asm.vector(&f::VINSERTI64X4, Width::W512, out, low, Rm::Reg(high), Masking::NONE, Some(1));
        } else {
            self.copy(out, Rm::Reg(low));
        }
    }

    /// A vector with what changes nothing in the lanes that are not there at the row's end: they raise no flag, and the last
    /// lane there is stays to the end.
    fn or_neutral(&mut self, along: Along, value: VReg) -> VReg {
        let dtype = along.fold.dtype;
        let (neutral, out) = (self.filled(along.neutral()), self.moment());
        match self.level() {
            Level::Avx512 => self.blend(out, Truth(LANES.0), Rm::Reg(value), neutral, dtype),
            Level::Avx2 => {
                let lanes = self.moment();
                let form = if dtype.size() == 8 { &f::VPMOVSXBQ } else { &f::VPMOVSXBD };
                let from = Rm::Mem(at_arguments(self.arguments.tail_lanes()));
                self.asm.vex(form, self.width(dtype), lanes, VReg(0), from, None);
                self.asm.vex_blend(&f::VPBLENDVB, self.width(dtype), out, neutral, Rm::Reg(value), lanes);
            }
        }
        out
    }

    /// Runs along a vector, and goes on from the vectors before.
    fn by_halves(&mut self, along: Along, out: VReg) {
        let dtype = along.fold.dtype;
        let moved = self.moment();
        let mut by = 1;
        while by < self.lanes() {
            match self.level() {
                Level::Avx512 => {
                    let neutral = self.filled(along.neutral());
                    self.move_up(moved, (out, neutral), by, dtype);
                    self.combine(along, out, moved, out);
                }
                Level::Avx2 => {
                    let combined = self.moment();
                    self.bring_up(moved, out, by, dtype);
                    self.combine(along, combined, moved, out);
                    // In halves of a vector, or of the halves, the lower half's lanes stay.
                    let kept = (0..8).filter(|word| (word * 4 / dtype.size()) & by != 0);
                    let words = kept.fold(0u8, |all, word| all | 1 << word);
                    let words = if self.width(dtype) == Width::W128 { words & 0xF } else { words };
                    self.asm.vex(&f::VPBLENDD, self.width(dtype), out, out, Rm::Reg(combined), Some(words));
                }
            }
            self.keep_moments(&[moved, out]);
            by *= 2;
        }
        self.spread_last(moved, out, dtype);
        self.combine(along, out, along.carry, out);
        self.keep_moments(&[moved, out]);
        self.combine(along, moved, along.carry, moved);
        self.copy(along.carry, Rm::Reg(moved));
    }

    /// `out` = the lanes of `x` so many further up, and below them those of another vector.
    fn move_up(&mut self, out: VReg, (x, below): (VReg, VReg), by: usize, dtype: DType) {
        let form = if dtype.size() == 8 { &f::VALIGNQ } else { &f::VALIGND };
        let first = (self.lanes() - by) as u8;
        self.asm.vector(form, self.width(dtype), out, x, Rm::Reg(below), Masking::NONE, Some(first));
    }

    /// `out` = in the upper half of so many lanes times two, the last one of the lower half; anything in the lower half.
    fn bring_up(&mut self, out: VReg, x: VReg, lanes: usize, dtype: DType) {
        // Within 16 bytes; from one half of the vector to the other; or both.
        let (half, words) = match lanes * dtype.size() {
            4 => (x, 0b10_10_00_00),
            8 if dtype.size() == 4 => (x, 0b01_01_01_01),
            8 => (x, 0b01_00_01_00),
            bytes => {
                debug_assert_eq!(bytes, 16, "half a vector");
                self.asm.vex(&f::VPERM2I128, Width::W256, out, x, Rm::Reg(x), Some(0));
                (out, if dtype.size() == 4 { 0b11_11_11_11 } else { 0b11_10_11_10 })
            }
        };
        self.asm.vex(&f::VPSHUFD, self.width(dtype), out, VReg(0), Rm::Reg(half), Some(words));
    }

    /// `out` = the last lane of `x` in all lanes.
    fn spread_last(&mut self, out: VReg, x: VReg, dtype: DType) {
        let (width, wide) = (self.width(dtype), dtype.size() == 8);
        match self.level() {
            Level::Avx512 => {
                let (form, index) = if wide { (&f::VPERMQ, DType::U64) } else { (&f::VPERMD, DType::U32) };
                let last = self.filled(Scalar::new(index, self.lanes() as i64 - 1));
                self.asm.vector(form, width, out, last, Rm::Reg(x), Masking::NONE, None);
            }
            Level::Avx2 if wide => self.asm.vex(&f::VPERMQ_IMM, width, out, VReg(0), Rm::Reg(x), Some(0xFF)),
            Level::Avx2 => {
                let mut half = x;
                if width == Width::W256 {
                    self.asm.vex(&f::VPERM2I128, width, out, x, Rm::Reg(x), Some(0x11));
                    half = out;
                }
                self.asm.vex(&f::VPSHUFD, width, out, VReg(0), Rm::Reg(half), Some(0xFF));
            }
        }
    }

    /// `out` = what is folded of `a`, then `b`.
    fn combine(&mut self, along: Along, out: VReg, a: VReg, b: VReg) {
        let dtype = along.fold.dtype;
        if let Some(form) = along.fold.form() {
            return self.emit(form, self.width(dtype), out, a, Rm::Reg(b), Masking::NONE, None);
        }
        let masks = [self.moment_mask(), self.moment_mask()];
        let which = along.fold.extreme().expect("what has no instruction is an extreme");
        self.pick_extreme(which, out, [a, b], dtype, (masks, KReg(0)));
    }
}

impl Body<'_> {
    /// Whether something runs along rows, of types for which there are instructions.
    pub(crate) fn runs_along(&self) -> bool {
        !self.accumulated.is_empty()
    }
}

impl Arguments {
    /// Where the running value of an accumulator is, in every lane.
    fn carry(&self, accumulator: usize) -> usize {
        self.carries + VECTOR * accumulator
    }

    /// Writes the running values to a block of arguments.
    ///
    /// # Safety
    /// The block has room for all arguments, and is aligned to eight bytes; there are so many accumulators.
    #[inline]
    pub(crate) unsafe fn put_carries(&self, block: *mut u8, values: &[Scalar]) {
        for (i, &value) in values.iter().enumerate() {
            let words = [self.pattern(value); VECTOR / 8];
            // SAFETY: the caller's contract.
            unsafe { block.add(self.carry(i)).cast::<[u64; VECTOR / 8]>().write(words) };
        }
    }

    /// Reads them again; of the types that these values have.
    ///
    /// # Safety
    /// As [`Arguments::put_carries`].
    #[inline]
    pub(crate) unsafe fn carried(&self, block: *mut u8, values: &[Scalar]) -> SmallVec<[Scalar; 2]> {
        // SAFETY: the caller's contract.
        let read = |i: usize| unsafe { block.add(self.carry(i)).cast::<u64>().read() };
        values.iter().enumerate().map(|(i, value)| Scalar::from_bits(value.dtype(), read(i).into())).collect()
    }
}
