//! The steps of elementary functions where there is no AVX-512: what [`crate::math`] defines, in a few instructions of AVX2.
//!
//! Sizes of numbers are compared as words, which raises no flag for any nan. A power of two that is a normal number, as nearly
//! all are that functions ask for, is one factor; where one of a vector is not, all take the long way of two factors.
//!
//! Tables lie in the arguments. One of singles is two vectors, from each of which a permutation takes an entry. Entries of doubles are
//! loaded one by one, by indices that go through memory as well.

use crate::math::table_words;
use crate::x86::asm::encode::{Cond, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::isel::select::Emitter;
use crate::x86::loops::map_loop::{ARGUMENTS, SPARE, VECTOR, at_arguments};
use crate::{DType, Primitive, Scalar, Table, ValueId};

/// How `vroundpd` rounds to the number below, without a flag for what is left.
const DOWN: u8 = 9;

/// What is different between singles and doubles.
struct Kind {
    dtype: DType,
    word: DType,
    /// Bits of the mantissa, the bias of the exponent, and the sum of which the last bits are an integer.
    mantissa: u32,
    bias: f64,
    magic: f64,
    add: &'static Form,
    subtract: &'static Form,
    multiply: &'static Form,
    round: &'static Form,
    choose: &'static Form,
    /// Of words.
    plus: &'static Form,
    minus: &'static Form,
    above: &'static Form,
    equal: &'static Form,
    left: &'static Form,
    right: &'static Form,
}

static SINGLE: Kind = Kind {
    dtype: DType::F32,
    word: DType::U32,
    mantissa: 23,
    bias: 127.0,
    magic: 12_582_912.0,
    add: &f::VADDPS,
    subtract: &f::VSUBPS,
    multiply: &f::VMULPS,
    round: &f::VROUNDPS,
    choose: &f::VBLENDVPS,
    plus: &f::VPADDD,
    minus: &f::VPSUBD,
    above: &f::VPCMPGTD_VEX,
    equal: &f::VPCMPEQD_VEX,
    left: &f::VPSLLD_IMM,
    right: &f::VPSRLD_IMM,
};

static DOUBLE: Kind = Kind {
    dtype: DType::F64,
    word: DType::U64,
    mantissa: 52,
    bias: 1023.0,
    magic: 6_755_399_441_055_744.0,
    add: &f::VADDPD,
    subtract: &f::VSUBPD,
    multiply: &f::VMULPD,
    round: &f::VROUNDPD,
    choose: &f::VBLENDVPD,
    plus: &f::VPADDQ,
    minus: &f::VPSUBQ,
    above: &f::VPCMPGTQ_VEX,
    equal: &f::VPCMPEQQ_VEX,
    left: &f::VPSLLQ_IMM,
    right: &f::VPSRLQ_IMM,
};

impl Kind {
    fn of(dtype: DType) -> &'static Kind {
        if dtype == DType::F64 { &DOUBLE } else { &SINGLE }
    }

    /// The bits of a number.
    fn bits(&self, value: f64) -> u64 {
        Scalar::new(self.dtype, value).bits() as u64
    }

    /// The bit of the sign.
    fn sign(&self) -> u64 {
        self.bits(-0.0)
    }

    /// A bit turned in unsigned words puts them into the order of signed ones: their difference to a word, so turned.
    fn turned(&self, word: u64) -> u64 {
        word ^ self.sign()
    }
}

impl Emitter<'_> {
    /// The value at hand, a step of others.
    pub(crate) fn step_instead(&mut self, step: Primitive, a: ValueId, b: ValueId) {
        let kind = Kind::of(self.dtype(a));
        match step {
            Primitive::Scale => self.scale_instead(kind, a, b),
            Primitive::Bound => self.bound_instead(kind, a, b),
            Primitive::Fraction => self.fraction_instead(kind, a),
            Primitive::Limit => self.limit_instead(kind, a, b),
            Primitive::Exponent => self.exponent_instead(kind, a),
            Primitive::Mantissa => self.mantissa_instead(kind, a),
            Primitive::Unusual => self.unusual_instead(kind, a),
            Primitive::Entry(table) if self.dtype(a) == DType::U32 => self.entry_of_singles(table, a),
            Primitive::Entry(table) => self.entry_of_doubles(table, a),
        }
        self.bury(&[a, b]);
    }

    fn word(&mut self, kind: &Kind, bits: u64) -> Rm {
        self.constant(Scalar::from_bits(kind.word, bits.into()))
    }

    fn number(&mut self, kind: &Kind, value: f64) -> Rm {
        self.constant(Scalar::new(kind.dtype, value))
    }

    /// The size of a number.
    fn size_instead(&mut self, kind: &Kind, out: VReg, x: VReg) {
        let all_but_sign = self.word(kind, kind.sign() - 1);
        self.asm.vex(&f::VPAND, self.width(kind.dtype), out, x, all_but_sign, None);
    }

    /// `size`, at most `most`, both as words; `spare` is a register for a moment.
    fn least(&mut self, kind: &Kind, size: VReg, most: Rm, spare: VReg) {
        let width = self.width(kind.dtype);
        if kind.mantissa == 23 {
            self.asm.vex(&f::VPMINSD, width, size, size, most, None);
        } else {
            self.asm.vex(kind.above, width, spare, size, most, None);
            self.asm.vex_blend(kind.choose, width, size, size, most, spare);
        }
    }

    fn bound_instead(&mut self, kind: &Kind, a: ValueId, b: ValueId) {
        let (x, most, width) = (self.vector(a), self.operand(b), self.width(kind.dtype));
        let (spare, out) = (self.moment(), self.define_vector());
        self.size_instead(kind, out, x);
        self.least(kind, out, most, spare);
        let sign = self.word(kind, kind.sign());
        self.asm.vex(&f::VPAND, width, spare, x, sign, None);
        self.asm.vex(&f::VPOR, width, out, out, Rm::Reg(spare), None);
    }

    fn fraction_instead(&mut self, kind: &Kind, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(kind.dtype));
        let (size, whole, out) = (self.moment(), self.moment(), self.define_vector());
        let sixteenths = self.number(kind, kind.magic / 16.0);
        let below = self.word(kind, kind.bits(kind.magic / 16.0) - 1);
        let infinite = self.word(kind, kind.bits(f64::INFINITY));
        self.size_instead(kind, size, x);
        self.asm.vex(kind.above, width, out, size, below, None);
        self.asm.vex(&f::VPANDN, width, out, out, Rm::Reg(x), None);
        self.asm.vex(kind.add, width, whole, out, sixteenths, None);
        self.asm.vex(kind.subtract, width, whole, whole, sixteenths, None);
        self.asm.vex(kind.subtract, width, out, out, Rm::Reg(whole), None);
        self.asm.vex(kind.above, width, size, size, infinite, None);
        self.asm.vex(&f::VPAND, width, size, size, Rm::Reg(x), None);
        self.asm.vex(&f::VPOR, width, out, out, Rm::Reg(size), None);
    }

    /// What is not finite as limits have it, in one register, and where that is in another.
    fn beyond(&mut self, kind: &Kind, (out, mask): (VReg, VReg), x: VReg) {
        let width = self.width(kind.dtype);
        let largest = self.word(kind, kind.bits(f64::INFINITY) - 1);
        let least = self.word(kind, kind.bits(f64::NEG_INFINITY));
        self.size_instead(kind, mask, x);
        self.asm.vex(kind.above, width, mask, mask, largest, None);
        self.asm.vex(kind.equal, width, out, x, least, None);
        self.asm.vex(&f::VPANDN, width, out, out, Rm::Reg(x), None);
    }

    fn limit_instead(&mut self, kind: &Kind, a: ValueId, b: ValueId) {
        let (p, x) = (self.vector(a), self.vector(b));
        let (mask, out) = (self.moment(), self.define_vector());
        self.beyond(kind, (out, mask), x);
        self.asm.vex_blend(kind.choose, self.width(kind.dtype), out, p, Rm::Reg(out), mask);
    }

    /// The exponent becomes the last bits of a number, as in `math/arithmetic.rs`.
    fn exponent_instead(&mut self, kind: &Kind, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(kind.dtype));
        let out = self.define_vector();
        let unit = (1u64 << kind.mantissa) as f64;
        let (units, bias) = (self.word(kind, kind.bits(unit)), self.number(kind, unit + kind.bias));
        self.asm.vex(kind.right, width, out, VReg(0), Rm::Reg(x), Some(kind.mantissa as u8));
        self.asm.vex(&f::VPOR, width, out, out, units, None);
        self.asm.vex(kind.subtract, width, out, out, bias, None);
    }

    fn mantissa_instead(&mut self, kind: &Kind, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(kind.dtype));
        let out = self.define_vector();
        let begin = self.word(kind, kind.bits(0.75));
        let to_begin = self.word(kind, kind.bits(1.0) - kind.bits(0.75));
        let stored = self.word(kind, (1 << kind.mantissa) - 1);
        self.asm.vex(kind.plus, width, out, x, to_begin, None);
        self.asm.vex(&f::VPAND, width, out, out, stored, None);
        self.asm.vex(kind.plus, width, out, out, begin, None);
    }

    fn unusual_instead(&mut self, kind: &Kind, a: ValueId) {
        let (x, width) = (self.vector(a), self.width(kind.dtype));
        let out = self.define_mask();
        let least = 1 << kind.mantissa;
        let (first, last) = (self.word(kind, kind.turned(least)), kind.bits(f64::INFINITY) - least - 1);
        let last = self.word(kind, kind.turned(last));
        self.asm.vex(kind.minus, width, out.v(), x, first, None);
        self.asm.vex(kind.above, width, out.v(), out.v(), last, None);
        self.settle(out, kind.dtype);
    }

    fn scale_instead(&mut self, kind: &Kind, a: ValueId, b: ValueId) {
        let (p, k, width) = (self.vector(a), self.vector(b), self.width(kind.dtype));
        let (power, spare, out) = (self.moment(), self.moment(), self.define_vector());
        let (shifted, least) = (kind.magic + kind.bias, kind.magic + 1.0);
        let unit = self.number(kind, shifted);
        let first = self.word(kind, kind.turned(kind.bits(least)));
        let last = self.word(kind, kind.turned(2 * kind.bias as u64 - 1));
        let (short, done) = (self.asm.label(), self.asm.label());
        self.asm.vex(kind.round, width, power, VReg(0), Rm::Reg(k), Some(DOWN));
        self.asm.vex(kind.add, width, power, power, unit, None);
        self.asm.vex(kind.minus, width, spare, power, first, None);
        self.asm.vex(kind.above, width, spare, spare, last, None);
        self.asm.vex_signs(SPARE, spare);
        self.asm.test(SPARE, SPARE);
        self.asm.jump_if(Cond::Equal, short);
        self.scale_in_two(kind, (out, p, k), [power, spare]);
        self.asm.jmp(done);
        self.asm.bind(short);
        self.asm.vex(kind.left, width, power, VReg(0), Rm::Reg(power), Some(kind.mantissa as u8));
        self.asm.vex(kind.multiply, width, out, p, Rm::Reg(power), None);
        self.asm.bind(done);
    }

    /// `p 2^floor(k)` by two factors, the first product of which is exact.
    fn scale_in_two(&mut self, kind: &Kind, (out, p, k): (VReg, VReg, VReg), [mask, power]: [VReg; 2]) {
        let width = self.width(kind.dtype);
        let most = self.number(kind, 2.0 * kind.bias - 10.0);
        let (sign, unit) = (self.word(kind, kind.sign()), self.number(kind, kind.magic + 2.0 * kind.bias));
        // Beyond that all products overflow, or vanish.
        self.asm.vex(kind.round, width, mask, VReg(0), Rm::Reg(k), Some(DOWN));
        self.size_instead(kind, power, mask);
        self.least(kind, power, most, out);
        self.asm.vex(&f::VPAND, width, mask, mask, sign, None);
        self.asm.vex(&f::VPOR, width, power, power, Rm::Reg(mask), None);
        // What is not finite multiplies by one.
        self.beyond(kind, (out, mask), k);
        self.asm.vex(&f::VPANDN, width, power, mask, Rm::Reg(power), None);
        self.asm.vex(kind.add, width, power, power, unit, None);
        self.asm.vex(kind.right, width, out, VReg(0), Rm::Reg(power), Some(1));
        self.asm.vex(kind.minus, width, power, power, Rm::Reg(out), None);
        self.asm.vex(kind.left, width, out, VReg(0), Rm::Reg(out), Some(kind.mantissa as u8));
        self.asm.vex(kind.left, width, power, VReg(0), Rm::Reg(power), Some(kind.mantissa as u8));
        self.asm.vex(kind.multiply, width, out, p, Rm::Reg(out), None);
        self.asm.vex(kind.multiply, width, out, out, Rm::Reg(power), None);
        self.beyond(kind, (power, mask), k);
        self.asm.vex_blend(kind.choose, width, out, out, Rm::Reg(power), mask);
    }

    fn entry_of_singles(&mut self, table: Table, a: ValueId) {
        let at = self.arguments.table(&table_words(table, DType::F32));
        let x = self.vector(a);
        let (upper, which, out) = (self.moment(), self.moment(), self.define_vector());
        let half = |number: usize| Rm::Mem(at_arguments(at + 32 * number));
        self.asm.vex(&f::VPERMPS, Width::W256, out, x, half(0), None);
        self.asm.vex(&f::VPERMPS, Width::W256, upper, x, half(1), None);
        // The fourth bit of the index says which one.
        self.asm.vex(&f::VPSLLD_IMM, Width::W256, which, VReg(0), Rm::Reg(x), Some(28));
        self.asm.vex_blend(&f::VBLENDVPS, Width::W256, out, out, Rm::Reg(upper), which);
    }

    fn entry_of_doubles(&mut self, table: Table, a: ValueId) {
        let at = self.arguments.table(&table_words(table, DType::F64));
        let indices = self.indices(a);
        let (upper, out) = (self.moment(), self.define_vector());
        for (half, part) in [out, upper].into_iter().enumerate() {
            for (lane, form, number) in [(2 * half, &f::VMOVQ, None), (2 * half + 1, &f::VPINSRQ, Some(1))] {
                self.asm.load(SPARE, at_arguments(indices + 8 * lane));
                let from = Rm::Mem(Mem::indexed(ARGUMENTS, SPARE, 8, at as i32));
                self.asm.vex(form, Width::W128, part, part, from, number);
            }
        }
        self.asm.vex(&f::VINSERTI128, Width::W256, out, out, Rm::Reg(upper), Some(1));
    }

    /// Where the arguments have the last four bits of each lane, the numbers of entries. They stay there for other tables.
    fn indices(&mut self, a: ValueId) -> usize {
        if let Some(&(_, at)) = self.indices.iter().find(|(value, _)| *value == a.0) {
            return at;
        }
        let x = self.vector(a);
        let (last, at) = (self.moment(), self.arguments.room(VECTOR));
        let bits = self.constant(Scalar::from_bits(DType::U64, 15));
        self.asm.vex(&f::VPAND, Width::W256, last, x, bits, None);
        self.put(at, last);
        self.indices.push((a.0, at));
        at
    }
}
