//! AVX2 code of the primitives of elementary functions: what [`crate::math`] defines, in a few instructions.
//!
//! Magnitudes are compared as integers, which raises no flag for NaN. A power of two that is a normal number, as in nearly
//! all uses, is one factor; where it is not in any lane, all lanes take the slow path of two factors.
//!
//! Exponentials skip most of it where all lanes are ordinary ([`crate::x86::isel::common_range`]).
//!
//! Tables lie in the argument block. A table of singles is two vectors, and one permutation of each gives the candidates. Entries of
//! doubles are loaded one by one. Their indices go through a general register: by way of memory, four loads from what one store wrote, an
//! entry took 10 to 18 cycles instead of 4.5, a gather 8.3 (Zen 3). Functions that read several tables by one index load rows of all of
//! them, and transpose: three entries take 6.9 cycles instead of 13.8.

use crate::math::table_words;
use crate::x86::asm::encode::{Cond, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::isel::conventions::{ARGUMENTS, SCRATCH, at_arguments};
use crate::x86::isel::registers::ValueNumber;
use crate::x86::isel::select::Emitter;
use crate::{DType, Inst, Primitive, Scalar, Table, ValueId};
use smallvec::SmallVec;

/// Entries of a row of interleaved tables: those that a vector holds.
const ROW_ENTRIES: usize = 4;
/// The mode of `vroundpd` that rounds down and raises no inexact flag.
const DOWN: u8 = 9;
/// The modes of `vcmppd` for ordered comparisons that raise no flag.
const AT_MOST: u8 = 0x12;
const EQUAL: u8 = 0;

/// The types, constants and instructions of single or double precision.
struct FloatForms {
    dtype: DType,
    word: DType,
    /// Bits of the mantissa, the bias of the exponent, and the number whose sum with an integer has that in its lowest bits.
    mantissa: u32,
    bias: f64,
    magic: f64,
    add: &'static Form,
    subtract: &'static Form,
    multiply: &'static Form,
    divide: &'static Form,
    compare: &'static Form,
    round: &'static Form,
    choose: &'static Form,
    /// Instructions on integers of the same size.
    plus: &'static Form,
    minus: &'static Form,
    above: &'static Form,
    equal: &'static Form,
    left: &'static Form,
    right: &'static Form,
}

static SINGLE: FloatForms = FloatForms {
    dtype: DType::F32,
    word: DType::U32,
    mantissa: 23,
    bias: 127.0,
    magic: 12_582_912.0,
    add: &f::VADDPS,
    subtract: &f::VSUBPS,
    multiply: &f::VMULPS,
    divide: &f::VDIVPS,
    compare: &f::VCMPPS_VEX,
    round: &f::VROUNDPS,
    choose: &f::VBLENDVPS,
    plus: &f::VPADDD,
    minus: &f::VPSUBD,
    above: &f::VPCMPGTD_VEX,
    equal: &f::VPCMPEQD_VEX,
    left: &f::VPSLLD_IMM,
    right: &f::VPSRLD_IMM,
};

static DOUBLE: FloatForms = FloatForms {
    dtype: DType::F64,
    word: DType::U64,
    mantissa: 52,
    bias: 1023.0,
    magic: 6_755_399_441_055_744.0,
    add: &f::VADDPD,
    subtract: &f::VSUBPD,
    multiply: &f::VMULPD,
    divide: &f::VDIVPD,
    compare: &f::VCMPPD_VEX,
    round: &f::VROUNDPD,
    choose: &f::VBLENDVPD,
    plus: &f::VPADDQ,
    minus: &f::VPSUBQ,
    above: &f::VPCMPGTQ_VEX,
    equal: &f::VPCMPEQQ_VEX,
    left: &f::VPSLLQ_IMM,
    right: &f::VPSRLQ_IMM,
};

impl FloatForms {
    fn of(dtype: DType) -> &'static FloatForms {
        if dtype == DType::F64 { &DOUBLE } else { &SINGLE }
    }

    /// The bits of a number.
    fn bits(&self, value: f64) -> u64 {
        Scalar::new(self.dtype, value).bits() as u64
    }

    /// The sign bit.
    fn sign(&self) -> u64 {
        self.bits(-0.0)
    }

    /// A word with its highest bit flipped: a signed comparison of such words orders them as unsigned ones.
    fn flipped(&self, word: u64) -> u64 {
        word ^ self.sign()
    }
}

impl Emitter<'_> {
    /// Defines the current value by a primitive.
    pub(crate) fn step_avx2(&mut self, step: Primitive, a: ValueId, b: ValueId) {
        let forms = FloatForms::of(self.dtype(a));
        match step {
            Primitive::Scale => self.scale_avx2(forms, a, b),
            Primitive::Bound => self.bound_avx2(forms, a, b),
            Primitive::Fraction => self.fraction_avx2(forms, a),
            Primitive::Limit => self.limit_avx2(forms, a, b),
            Primitive::LogLimit => self.log_limit_avx2(forms, a, b),
            Primitive::Exponent => self.exponent_avx2(forms, a),
            Primitive::Mantissa => self.mantissa_avx2(forms, a),
            Primitive::Unusual => self.unusual_avx2(forms, a),
            Primitive::Entry(table) if self.dtype(a) == DType::U32 => self.entry_of_singles(table, a),
            Primitive::Entry(_) => self.entry_of_doubles(a),
        }
        self.free_dead(&[a, b]);
    }

    fn word(&mut self, forms: &FloatForms, bits: u64) -> Rm {
        self.constant(Scalar::from_bits(forms.word, bits.into()))
    }

    fn number(&mut self, forms: &FloatForms, value: f64) -> Rm {
        self.constant(Scalar::new(forms.dtype, value))
    }

    /// The magnitude of a number.
    fn magnitude_avx2(&mut self, forms: &FloatForms, out: VReg, x: VReg) {
        let all_but_sign = self.word(forms, forms.sign() - 1);
        self.asm.vex(&f::VPAND, self.width(forms.dtype), out, x, all_but_sign, None);
    }

    /// Limits a magnitude to `most`, both as integers; `spare` is a temporary.
    fn limit_magnitude(&mut self, forms: &FloatForms, size: VReg, most: Rm, spare: VReg) {
        let width = self.width(forms.dtype);
        if forms.mantissa == 23 {
            self.asm.vex(&f::VPMINSD, width, size, size, most, None);
        } else {
            self.asm.vex(forms.above, width, spare, size, most, None);
            self.asm.vex_blend(forms.choose, width, size, size, most, spare);
        }
    }

    fn bound_avx2(&mut self, forms: &FloatForms, a: ValueId, b: ValueId) {
        let (x, most, width) = (self.vector(a), self.operand(b), self.width(forms.dtype));
        let (spare, out) = (self.temp(), self.define_vector());
        let exponential = self.body.exponential_from(self.current);
        let exponential = exponential.filter(|e| e.scale < self.slice_end && self.is_emitted(e.scale as usize));
        let common = self.asm.label();
        if let Some(e) = &exponential {
            let (slot, limit) = (self.arguments.slot(8), self.word(forms, forms.bits(e.limit)));
            self.magnitude_avx2(forms, spare, x);
            self.asm.vex(forms.above, width, spare, spare, limit, None);
            self.asm.vex_signs(SCRATCH, spare);
            self.asm.store_gpr(at_arguments(slot), SCRATCH);
            self.copy(out, Rm::Reg(x));
            self.asm.test(SCRATCH, SCRATCH);
            self.asm.jump_if(Cond::Equal, common);
            let number = self.in_copy(self.current);
            self.common_ranges.push((number, slot));
        }
        self.magnitude_avx2(forms, out, x);
        self.limit_magnitude(forms, out, most, spare);
        let sign = self.word(forms, forms.sign());
        self.asm.vex(&f::VPAND, width, spare, x, sign, None);
        self.asm.vex(&f::VPOR, width, out, out, Rm::Reg(spare), None);
        if exponential.is_some() {
            self.asm.bind(common);
        }
    }

    fn fraction_avx2(&mut self, forms: &FloatForms, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(forms.dtype));
        let (size, whole, out) = (self.temp(), self.temp(), self.define_vector());
        let sixteenths = self.number(forms, forms.magic / 16.0);
        let below = self.word(forms, forms.bits(forms.magic / 16.0) - 1);
        let infinite = self.word(forms, forms.bits(f64::INFINITY));
        self.magnitude_avx2(forms, size, x);
        self.asm.vex(forms.above, width, out, size, below, None);
        self.asm.vex(&f::VPANDN, width, out, out, Rm::Reg(x), None);
        self.asm.vex(forms.add, width, whole, out, sixteenths, None);
        self.asm.vex(forms.subtract, width, whole, whole, sixteenths, None);
        self.asm.vex(forms.subtract, width, out, out, Rm::Reg(whole), None);
        self.asm.vex(forms.above, width, size, size, infinite, None);
        self.asm.vex(&f::VPAND, width, size, size, Rm::Reg(x), None);
        self.asm.vex(&f::VPOR, width, out, out, Rm::Reg(size), None);
    }

    /// The limits of an exponential in the lanes where `x` is not finite, and the mask of those lanes.
    fn nonfinite_limits(&mut self, forms: &FloatForms, (out, mask): (VReg, VReg), x: VReg) {
        let width = self.width(forms.dtype);
        let largest = self.word(forms, forms.bits(f64::INFINITY) - 1);
        let least = self.word(forms, forms.bits(f64::NEG_INFINITY));
        self.magnitude_avx2(forms, mask, x);
        self.asm.vex(forms.above, width, mask, mask, largest, None);
        self.asm.vex(forms.equal, width, out, x, least, None);
        self.asm.vex(&f::VPANDN, width, out, out, Rm::Reg(x), None);
    }

    fn limit_avx2(&mut self, forms: &FloatForms, a: ValueId, b: ValueId) {
        let (p, x, width) = (self.vector(a), self.vector(b), self.width(forms.dtype));
        let exponential = self.body.exponential_of_limit(self.current);
        if let Some(e) = exponential.filter(|e| self.is_common_tested(e.bound)) {
            let (mask, other) = (self.temp(), self.temp());
            let out = self.reuse(a).unwrap_or_else(|| {
                let out = self.define_vector();
                self.copy(out, Rm::Reg(p));
                out
            });
            let common = self.asm.label();
            self.jump_if_common(e.bound, common);
            self.nonfinite_limits(forms, (other, mask), x);
            self.asm.vex_blend(forms.choose, width, out, out, Rm::Reg(other), mask);
            self.asm.bind(common);
            return;
        }
        let (mask, out) = (self.temp(), self.define_vector());
        self.nonfinite_limits(forms, (out, mask), x);
        self.asm.vex_blend(forms.choose, width, out, p, Rm::Reg(out), mask);
    }

    /// The limits of a logarithm; where all lanes are positive and finite, a jump leads past the division.
    fn log_limit_avx2(&mut self, forms: &FloatForms, a: ValueId, b: ValueId) {
        let (p, x, width) = (self.vector(a), self.vector(b), self.width(forms.dtype));
        let ([mask, top, bottom], out) = ([(); 3].map(|()| self.temp()), self.define_vector());
        // Less one, and as unsigned numbers, the bits of what is positive and finite come first.
        let (first, last) = (self.word(forms, forms.flipped(1)), forms.bits(f64::INFINITY) - 2);
        let last = self.word(forms, forms.flipped(last));
        let (zero, one, minus_one) = (self.number(forms, 0.0), self.number(forms, 1.0), self.number(forms, -1.0));
        let common = self.asm.label();
        self.copy(out, Rm::Reg(p));
        self.asm.vex(forms.minus, width, mask, x, first, None);
        self.asm.vex(forms.above, width, mask, mask, last, None);
        self.asm.vex_signs(SCRATCH, mask);
        self.asm.test(SCRATCH, SCRATCH);
        self.asm.jump_if(Cond::Equal, common);
        self.asm.vex_blend(forms.choose, width, out, out, Rm::Reg(x), mask);
        // Minus one over zero, zero over zero, and where NaN or positive numbers are zero over one.
        self.asm.vex(forms.compare, width, mask, x, zero, Some(AT_MOST));
        self.asm.vex(forms.compare, width, top, x, zero, Some(EQUAL));
        self.asm.vex(&f::VPAND, width, top, top, minus_one, None);
        self.asm.vex(&f::VPANDN, width, bottom, mask, one, None);
        self.asm.vex(forms.divide, width, top, top, Rm::Reg(bottom), None);
        self.asm.vex_blend(forms.choose, width, out, out, Rm::Reg(top), mask);
        self.asm.bind(common);
    }

    /// The exponent as a float: its bits become the lowest bits of a large number, as in `math/arithmetic.rs`.
    fn exponent_avx2(&mut self, forms: &FloatForms, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(forms.dtype));
        let out = self.define_vector();
        let unit = (1u64 << forms.mantissa) as f64;
        let (units, bias) = (self.word(forms, forms.bits(unit)), self.number(forms, unit + forms.bias));
        self.asm.vex(forms.right, width, out, VReg(0), Rm::Reg(x), Some(forms.mantissa as u8));
        self.asm.vex(&f::VPOR, width, out, out, units, None);
        self.asm.vex(forms.subtract, width, out, out, bias, None);
    }

    fn mantissa_avx2(&mut self, forms: &FloatForms, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(forms.dtype));
        let out = self.define_vector();
        let begin = self.word(forms, forms.bits(0.75));
        let to_begin = self.word(forms, forms.bits(1.0) - forms.bits(0.75));
        let stored = self.word(forms, (1 << forms.mantissa) - 1);
        self.asm.vex(forms.plus, width, out, x, to_begin, None);
        self.asm.vex(&f::VPAND, width, out, out, stored, None);
        self.asm.vex(forms.plus, width, out, out, begin, None);
    }

    fn unusual_avx2(&mut self, forms: &FloatForms, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(forms.dtype));
        let out = self.define_mask();
        let least = 1 << forms.mantissa;
        let (first, last) = (self.word(forms, forms.flipped(least)), forms.bits(f64::INFINITY) - least - 1);
        let last = self.word(forms, forms.flipped(last));
        self.asm.vex(forms.minus, width, out.v(), x, first, None);
        self.asm.vex(forms.above, width, out.v(), out.v(), last, None);
        self.widen_to_bool(out, forms.dtype);
    }

    fn scale_avx2(&mut self, forms: &FloatForms, a: ValueId, b: ValueId) {
        let (p, k, width) = (self.vector(a), self.vector(b), self.width(forms.dtype));
        let (power, spare, out) = (self.temp(), self.temp(), self.define_vector());
        let (shifted, least) = (forms.magic + forms.bias, forms.magic + 1.0);
        let unit = self.number(forms, shifted);
        let first = self.word(forms, forms.flipped(forms.bits(least)));
        let last = self.word(forms, forms.flipped(2 * forms.bias as u64 - 1));
        let (short, done) = (self.asm.label(), self.asm.label());
        self.asm.vex(forms.round, width, power, VReg(0), Rm::Reg(k), Some(DOWN));
        self.asm.vex(forms.add, width, power, power, unit, None);
        if let Some(e) = self.body.exponential(self.current) {
            self.jump_if_common(e.bound, short);
        }
        self.asm.vex(forms.minus, width, spare, power, first, None);
        self.asm.vex(forms.above, width, spare, spare, last, None);
        self.asm.vex_signs(SCRATCH, spare);
        self.asm.test(SCRATCH, SCRATCH);
        self.asm.jump_if(Cond::Equal, short);
        self.scale_by_two_factors(forms, (out, p, k), [power, spare]);
        self.asm.jmp(done);
        self.asm.bind(short);
        self.asm.vex(forms.left, width, power, VReg(0), Rm::Reg(power), Some(forms.mantissa as u8));
        self.asm.vex(forms.multiply, width, out, p, Rm::Reg(power), None);
        self.asm.bind(done);
    }

    /// `p 2^floor(k)` by two factors, the first product of which is exact.
    fn scale_by_two_factors(&mut self, forms: &FloatForms, (out, p, k): (VReg, VReg, VReg), [mask, power]: [VReg; 2]) {
        let width = self.width(forms.dtype);
        let most = self.number(forms, 2.0 * forms.bias - 10.0);
        let (sign, unit) = (self.word(forms, forms.sign()), self.number(forms, forms.magic + 2.0 * forms.bias));
        // Beyond these limits all products overflow or become zero.
        self.asm.vex(forms.round, width, mask, VReg(0), Rm::Reg(k), Some(DOWN));
        self.magnitude_avx2(forms, power, mask);
        self.limit_magnitude(forms, power, most, out);
        self.asm.vex(&f::VPAND, width, mask, mask, sign, None);
        self.asm.vex(&f::VPOR, width, power, power, Rm::Reg(mask), None);
        // A factor of one where `k` is not finite.
        self.nonfinite_limits(forms, (out, mask), k);
        self.asm.vex(&f::VPANDN, width, power, mask, Rm::Reg(power), None);
        self.asm.vex(forms.add, width, power, power, unit, None);
        self.asm.vex(forms.right, width, out, VReg(0), Rm::Reg(power), Some(1));
        self.asm.vex(forms.minus, width, power, power, Rm::Reg(out), None);
        self.asm.vex(forms.left, width, out, VReg(0), Rm::Reg(out), Some(forms.mantissa as u8));
        self.asm.vex(forms.left, width, power, VReg(0), Rm::Reg(power), Some(forms.mantissa as u8));
        self.asm.vex(forms.multiply, width, out, p, Rm::Reg(out), None);
        self.asm.vex(forms.multiply, width, out, out, Rm::Reg(power), None);
        self.nonfinite_limits(forms, (power, mask), k);
        self.asm.vex_blend(forms.choose, width, out, out, Rm::Reg(power), mask);
    }

    fn entry_of_singles(&mut self, table: Table, a: ValueId) {
        let at = self.arguments.table(&table_words(table, DType::F32));
        let x = self.vector(a);
        let (upper, which, out) = (self.temp(), self.temp(), self.define_vector());
        let half = |number: usize| Rm::Mem(at_arguments(at + 32 * number));
        self.asm.vex(&f::VPERMPS, Width::W256, out, x, half(0), None);
        self.asm.vex(&f::VPERMPS, Width::W256, upper, x, half(1), None);
        // The fourth bit of the index selects the half.
        self.asm.vex(&f::VPSLLD_IMM, Width::W256, which, VReg(0), Rm::Reg(x), Some(28));
        self.asm.vex_blend(&f::VBLENDVPS, Width::W256, out, out, Rm::Reg(upper), which);
    }

    /// The entries of a table of doubles, along with those of other tables for the same indices that the body reads later.
    fn entry_of_doubles(&mut self, a: ValueId) {
        if self.location(self.current).is_defined() {
            return;
        }
        let entries = self.entries_of(a);
        let (x, width) = (self.vector(a), Width::W256);
        let outs: SmallVec<[VReg; 4]> = entries.iter().map(|&(at, _)| VReg(self.alloc(Some(at), false))).collect();
        let at = self.interleaved(&entries);
        let (low, high) = (self.temp(), self.temp());
        let bits = self.constant(Scalar::from_bits(DType::U64, 15));
        self.asm.vex(&f::VPAND, width, low, x, bits, None);
        if entries.len() > 1 {
            let shift = if entries.len() == 2 { 1 } else { 2 };
            self.asm.vex(&f::VPSLLQ_IMM, width, low, VReg(0), Rm::Reg(low), Some(shift));
        }
        self.asm.vex_part(&f::VEXTRACTI128, width, high, low, Some(1));
        let from = Rm::Mem(Mem::indexed(ARGUMENTS, SCRATCH, 8, at as i32));
        match outs[..] {
            [out] => {
                let upper = self.temp();
                for (part, indices) in [(out, low), (upper, high)] {
                    self.asm.vex_to_gpr(SCRATCH, indices, false);
                    self.asm.vex(&f::VMOVQ, Width::W128, part, part, from, None);
                    self.asm.vex_to_gpr(SCRATCH, indices, true);
                    self.asm.vex(&f::VPINSRQ, Width::W128, part, part, from, Some(1));
                }
                self.asm.vex(&f::VINSERTI128, width, out, out, Rm::Reg(upper), Some(1));
            }
            [first, second] => {
                let odd = self.temp();
                for (indices, half) in [(low, 0), (high, 1)] {
                    for (part, is_second) in [(second, false), (odd, true)] {
                        self.asm.vex_to_gpr(SCRATCH, indices, is_second);
                        match half {
                            0 => self.asm.vex(&f::VMOVUPS, Width::W128, part, VReg(0), from, None),
                            _ => self.asm.vex(&f::VINSERTI128, width, part, part, from, Some(1)),
                        }
                    }
                }
                self.asm.vex(&f::VPUNPCKLQDQ, width, first, second, Rm::Reg(odd), None);
                self.asm.vex(&f::VPUNPCKHQDQ, width, second, second, Rm::Reg(odd), None);
            }
            _ => self.transpose_rows(&outs, [low, high], from),
        }
    }

    /// The entries of three or four tables: loads a row for each lane, and transposes.
    fn transpose_rows(&mut self, outs: &[VReg], [low, high]: [VReg; 2], from: Rm) {
        let (width, [third, second, first]) = (Width::W256, [outs[0], outs[1], outs[2]]);
        let fourth = outs.get(3).copied().unwrap_or_else(|| self.temp());
        // The registers of the first three hold the rows of other lanes meanwhile.
        let rows = [(second, low, false), (first, low, true), (third, high, false), (fourth, high, true)];
        for (row, indices, is_second) in rows {
            self.asm.vex_to_gpr(SCRATCH, indices, is_second);
            self.asm.vex(&f::VMOVUPS, width, row, VReg(0), from, None);
        }
        let mut pair = |form, to, a, b| self.asm.vex(form, width, to, a, Rm::Reg(b), None);
        pair(&f::VPUNPCKLQDQ, low, second, first);
        pair(&f::VPUNPCKHQDQ, second, second, first);
        pair(&f::VPUNPCKLQDQ, high, third, fourth);
        pair(&f::VPUNPCKHQDQ, third, third, fourth);
        const UPPER_HALVES: u8 = 0x31;
        self.asm.vex(&f::VPERM2I128, width, first, low, Rm::Reg(high), Some(UPPER_HALVES));
        if outs.len() > 3 {
            self.asm.vex(&f::VPERM2I128, width, fourth, second, Rm::Reg(third), Some(UPPER_HALVES));
        }
        self.asm.vex(&f::VINSERTI128, width, second, second, Rm::Reg(third), Some(1));
        self.asm.vex(&f::VINSERTI128, width, third, low, Rm::Reg(high), Some(1));
    }

    /// The current instruction, and later ones that read other tables by the same indices, at most [`ROW_ENTRIES`] in all.
    fn entries_of(&self, a: ValueId) -> SmallVec<[(ValueNumber, Table); ROW_ENTRIES]> {
        let is_within = |at: &u32| {
            *at == self.current || *at > self.current && *at < self.slice_end && self.is_emitted(*at as usize)
        };
        let entry = |&at: &u32| match self.body.fragment.insts[at as usize] {
            Inst::Step(Primitive::Entry(table), [indices, _]) if indices == a => Some((at, table)),
            _ => None,
        };
        self.body.uses[a.0 as usize].iter().filter(|at| is_within(at)).filter_map(entry).take(ROW_ENTRIES).collect()
    }

    /// The slot of tables of which each row has the entries of one index: of one table, of two, or of up to four.
    fn interleaved(&mut self, entries: &[(ValueNumber, Table)]) -> usize {
        let tables: SmallVec<[Vec<u64>; ROW_ENTRIES]> =
            entries.iter().map(|&(_, table)| table_words(table, DType::F64)).collect();
        let row = tables.len().next_power_of_two();
        let word = |index: usize, place: usize| tables.get(place).map_or(0, |table| table[index]);
        let words: Vec<u64> = (0..tables[0].len())
            .flat_map(|i| (0..row).map(move |place| (i, place)))
            .map(|(i, place)| word(i, place))
            .collect();
        self.arguments.table(&words)
    }
}
