//! Instruction selection of ops, for each class of types.

use crate::x86::asm::encode::{KReg, Masking, Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::bools::{Logic, MaskReg};
use crate::x86::isel::select::{EmitResult, Emitter, by_float, by_size, is_real};
use crate::{DType, Kind, Op, Scalar, ValueId};

/// The immediate of a comparison: of `vcmp` for floats (quiet), of `vpcmp` for integers.
pub(crate) fn predicate(op: Op, float: bool) -> Option<u8> {
    Some(match (op, float) {
        (Op::Equal, _) => 0,
        (Op::NotEqual, _) => 4,
        (Op::Less, true) => 0x11,
        (Op::LessEqual, true) => 0x12,
        (Op::Greater, true) => 0x1e,
        (Op::GreaterEqual, true) => 0x1d,
        (Op::Less, false) => 1,
        (Op::LessEqual, false) => 2,
        (Op::GreaterEqual, false) => 5,
        (Op::Greater, false) => 6,
        _ => return None,
    })
}
/// The instruction of an op on two numbers, for floats and for the sizes of integers that have one.
pub(crate) fn instruction(op: Op, dtype: DType) -> Option<&'static Form> {
    let (signed, bytes) = (dtype.kind() == Kind::Signed, dtype.size() == 1);
    if is_real(dtype) {
        return Some(match op {
            Op::Add => by_float(dtype, &f::VADDPS, &f::VADDPD),
            Op::Subtract => by_float(dtype, &f::VSUBPS, &f::VSUBPD),
            Op::Multiply => by_float(dtype, &f::VMULPS, &f::VMULPD),
            Op::Divide => by_float(dtype, &f::VDIVPS, &f::VDIVPD),
            _ => return None,
        });
    }
    if !dtype.is_integer() {
        return None;
    }
    Some(match op {
        Op::Add => by_size(dtype, [&f::VPADDB, &f::VPADDW, &f::VPADDD, &f::VPADDQ]),
        Op::Subtract => by_size(dtype, [&f::VPSUBB, &f::VPSUBW, &f::VPSUBD, &f::VPSUBQ]),
        Op::Multiply if !bytes => by_size(dtype, [&f::VPMULLW, &f::VPMULLW, &f::VPMULLD, &f::VPMULLQ]),
        Op::BitwiseAnd if dtype.size() == 8 => &f::VPANDQ,
        Op::BitwiseOr if dtype.size() == 8 => &f::VPORQ,
        Op::BitwiseXor if dtype.size() == 8 => &f::VPXORQ,
        Op::BitwiseAnd => &f::VPANDD,
        Op::BitwiseOr => &f::VPORD,
        Op::BitwiseXor => &f::VPXORD,
        Op::Maximum | Op::Fmax if signed => by_size(dtype, [&f::VPMAXSB, &f::VPMAXSW, &f::VPMAXSD, &f::VPMAXSQ]),
        Op::Minimum | Op::Fmin if signed => by_size(dtype, [&f::VPMINSB, &f::VPMINSW, &f::VPMINSD, &f::VPMINSQ]),
        Op::Maximum | Op::Fmax => by_size(dtype, [&f::VPMAXUB, &f::VPMAXUW, &f::VPMAXUD, &f::VPMAXUQ]),
        Op::Minimum | Op::Fmin => by_size(dtype, [&f::VPMINUB, &f::VPMINUW, &f::VPMINUD, &f::VPMINUQ]),
        Op::LeftShift if !bytes => by_size(dtype, [&f::VPSLLVW, &f::VPSLLVW, &f::VPSLLVD, &f::VPSLLVQ]),
        Op::RightShift if !bytes && signed => by_size(dtype, [&f::VPSRAVW, &f::VPSRAVW, &f::VPSRAVD, &f::VPSRAVQ]),
        Op::RightShift if !bytes => by_size(dtype, [&f::VPSRLVW, &f::VPSRLVW, &f::VPSRLVD, &f::VPSRLVQ]),
        _ => return None,
    })
}

/// An op that selects one of two floats. It has no instruction: `vmaxpd` raises a flag for any nan.
#[derive(Clone, Copy)]
pub(crate) struct Extreme {
    /// Whether it selects the larger.
    pub(crate) larger: bool,
    /// Whether it selects a nan if one operand is a nan; else it selects the other operand.
    pub(crate) nan_wins: bool,
}

/// How an op selects one of two floats, if it does.
pub(crate) fn extreme(op: Op) -> Option<Extreme> {
    match op {
        Op::Maximum => Some(Extreme { larger: true, nan_wins: true }),
        Op::Minimum => Some(Extreme { larger: false, nan_wins: true }),
        Op::Fmax => Some(Extreme { larger: true, nan_wins: false }),
        Op::Fmin => Some(Extreme { larger: false, nan_wins: false }),
        _ => None,
    }
}

const UNORDERED: u8 = 3;
const GREATER: u8 = 0x1e;
const LESS: u8 = 0x11;
/// Truth tables of `vpternlog` over the destination, another source and the constant of the sign bit: the sign of the other and the
/// rest of the destination; the sign of the destination and the rest of the other.
const SIGN_OF_OTHER: u8 = 0b1101_1000;
const SIGN_OF_OUT: u8 = 0b1110_0100;

impl Emitter<'_> {
    pub(crate) fn apply(&mut self, op: Op, a: ValueId, b: ValueId) -> EmitResult<()> {
        let dtype = self.dtype(a);
        let done = match dtype.kind() {
            _ if self.apply_finite_test(op, a) => true,
            Kind::Bool => self.apply_bool(op, a, b),
            Kind::Float if is_real(dtype) => self.apply_float(op, a, b, dtype),
            Kind::Signed | Kind::Unsigned => self.apply_integer(op, a, b, dtype),
            Kind::Float | Kind::Complex => false,
        };
        if done { Ok(()) } else { Err(format!("{op} of {dtype}")) }
    }

    /// `isnan`, `isinf` and `isfinite` of integers and bools, which are constants; whether the op is one of them.
    fn apply_finite_test(&mut self, op: Op, a: ValueId) -> bool {
        let dtype = self.dtype(a);
        if !matches!(op, Op::Isnan | Op::Isinf | Op::Isfinite) || dtype.is_float() || dtype.is_complex() {
            return false;
        }
        let out = self.define_mask();
        self.logic(Logic::Xor, out, out, out);
        if op == Op::Isfinite {
            self.invert(out, out);
        }
        self.free_dead(&[a]);
        true
    }

    /// Ops on bools; whether the op is one.
    fn apply_bool(&mut self, op: Op, a: ValueId, b: ValueId) -> bool {
        // (the bit op, whether the arguments are swapped, whether the result is inverted)
        let (logic, swapped, inverted) = match op {
            Op::Add | Op::Maximum | Op::Fmax | Op::LogicalOr | Op::BitwiseOr => (Logic::Or, false, false),
            Op::Multiply | Op::Minimum | Op::Fmin | Op::LogicalAnd | Op::BitwiseAnd => (Logic::And, false, false),
            Op::LogicalXor | Op::BitwiseXor | Op::NotEqual => (Logic::Xor, false, false),
            Op::Equal => (Logic::Equal, false, false),
            Op::Less => (Logic::Except, false, false),
            Op::Greater => (Logic::Except, true, false),
            Op::LessEqual => (Logic::Except, true, true),
            Op::GreaterEqual => (Logic::Except, false, true),
            Op::Invert | Op::LogicalNot => {
                let x = self.mask(a);
                self.free_dead(&[a]);
                let out = self.define_mask();
                self.invert(out, x);
                return true;
            }
            Op::Absolute | Op::Floor | Op::Ceil | Op::Trunc => {
                self.copy_value(a);
                return true;
            }
            _ => return false,
        };
        let (x, y) = (self.mask(a), self.mask(b));
        self.free_dead(&[a, b]);
        let out = self.define_mask();
        let (x, y) = if swapped { (y, x) } else { (x, y) };
        self.logic(logic, out, x, y);
        if inverted {
            self.invert(out, out);
        }
        true
    }

    /// Predicates that floats and integers share; whether the op is one.
    fn apply_predicate(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) -> bool {
        if let Some(predicate) = predicate(op, is_real(dtype)) {
            let (x, y) = (self.vector(a), self.operand(b));
            self.define_comparison(x, y, dtype, predicate);
            self.free_dead(&[a, b]);
            return true;
        }
        let logic = match op {
            Op::LogicalAnd => Logic::And,
            Op::LogicalOr => Logic::Or,
            Op::LogicalXor => Logic::Xor,
            Op::LogicalNot => {
                let x = self.vector(a);
                let out = self.define_mask();
                self.nonzero(out, x, dtype);
                self.widen_to_bool(out, dtype);
                self.invert(out, out);
                self.free_dead(&[a]);
                return true;
            }
            _ => return false,
        };
        let (x, y) = (self.vector(a), self.vector(b));
        let (left, out) = (self.temp_mask(), self.define_mask());
        self.nonzero(left, x, dtype);
        self.nonzero(out, y, dtype);
        self.logic(logic, out, out, left);
        self.widen_to_bool(out, dtype);
        self.free_dead(&[a, b]);
        true
    }

    fn apply_float(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) -> bool {
        if self.apply_predicate(op, a, b, dtype) {
            return true;
        }
        if op == Op::Divide {
            self.quotient(a, b, dtype);
            return true;
        }
        if self.is_by_product(self.current as usize) {
            self.sum_by_product(op, a, b, dtype);
            return true;
        }
        if let Some(form) = instruction(op, dtype) {
            self.binary(form, a, b, dtype, true);
            return true;
        }
        if let Some(which) = extreme(op) {
            self.extreme(which, a, b, dtype);
            return true;
        }
        let bits = |x: f64| Scalar::new(dtype, x);
        let sign = bits(-0.0);
        let magnitude = match dtype {
            DType::F64 => Scalar::from_bits(dtype, (u64::MAX >> 1) as u128),
            _ => Scalar::from_bits(dtype, (u32::MAX >> 1) as u128),
        };
        let and = by_float(dtype, &f::VPANDD, &f::VPANDQ);
        match op {
            Op::Square => self.binary(by_float(dtype, &f::VMULPS, &f::VMULPD), a, a, dtype, true),
            Op::Sqrt => self.sqrt(a, dtype),
            Op::Rint => self.unary(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(8)),
            Op::Floor => self.unary(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(9)),
            Op::Ceil => self.unary(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(10)),
            Op::Trunc => self.unary(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(11)),
            Op::Reciprocal => {
                let x = self.operand(a);
                let one = self.constant_vector(bits(1.0));
                self.free_dead(&[a]);
                let out = self.define_vector();
                let (width, mask) = (self.width(dtype), self.masking(dtype));
                self.emit(by_float(dtype, &f::VDIVPS, &f::VDIVPD), width, out, one, x, mask, None);
            }
            Op::Negative => self.binary_constant(by_float(dtype, &f::VPXORD, &f::VPXORQ), a, sign, false),
            Op::Absolute | Op::Fabs => self.binary_constant(and, a, magnitude, false),
            Op::Positive | Op::Conjugate => self.copy_value(a),
            Op::Copysign => {
                self.copysign(a, b, sign);
            }
            Op::Sign => {
                let x = self.vector(a);
                let mask = self.temp_mask();
                let (zero, one) = (self.constant(bits(0.0)), self.constant(bits(1.0)));
                let out = self.define_vector();
                self.compare(mask, x, zero, dtype, GREATER);
                self.zero(out);
                self.blend(out, mask, one, out, dtype);
                self.compare(mask, x, zero, dtype, LESS);
                let less = self.constant(bits(-1.0));
                self.blend(out, mask, less, out, dtype);
                self.compare(mask, x, Rm::Reg(x), dtype, UNORDERED);
                self.blend(out, mask, Rm::Reg(x), out, dtype);
                self.free_dead(&[a]);
            }
            Op::Isnan => {
                let x = self.vector(a);
                self.define_comparison(x, Rm::Reg(x), dtype, UNORDERED);
                self.free_dead(&[a]);
            }
            Op::Isinf | Op::Isfinite => {
                let x = self.vector(a);
                let out = self.define_mask();
                self.class(out, x, dtype, op == Op::Isfinite);
                self.widen_to_bool(out, dtype);
                self.free_dead(&[a]);
            }
            Op::Signbit => {
                let x = self.vector(a);
                let out = self.define_mask();
                self.signs(out, x, dtype);
                self.widen_to_bool(out, dtype);
                self.free_dead(&[a]);
            }
            Op::Deg2rad | Op::Radians | Op::Rad2deg | Op::Degrees => {
                let up = matches!(op, Op::Rad2deg | Op::Degrees);
                // The factor is a constant rounded to the type.
                let factor = match dtype {
                    DType::F64 if up => bits(180.0 / std::f64::consts::PI),
                    DType::F64 => bits(std::f64::consts::PI / 180.0),
                    _ if up => bits(f64::from(180.0 / std::f32::consts::PI)),
                    _ => bits(f64::from(std::f32::consts::PI / 180.0)),
                };
                self.binary_constant(by_float(dtype, &f::VMULPS, &f::VMULPD), a, factor, true);
            }
            _ => return false,
        }
        true
    }

    /// Defines the current value, a sum or a difference, by a fused multiply-add, `a * 1 + b`
    /// ([`crate::x86::isel::port_balance`]).
    pub(crate) fn sum_by_product(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) {
        let (width, mask) = (self.width(dtype), self.masking(dtype));
        let [onto_product, onto_sum] = match op {
            Op::Subtract => {
                [by_float(dtype, &f::VFMSUB213PS, &f::VFMSUB213PD), by_float(dtype, &f::VFMSUB231PS, &f::VFMSUB231PD)]
            }
            _ => [by_float(dtype, &f::VFMADD213PS, &f::VFMADD213PD), by_float(dtype, &f::VFMADD231PS, &f::VFMADD231PD)],
        };
        let (x, y) = (self.vector(a), self.operand(b));
        let one = self.constant_vector(Scalar::new(dtype, 1.0));
        if let Some(out) = self.reuse(a) {
            self.emit(onto_product, width, out, one, y, mask, None);
        } else if let (Rm::Reg(_), Some(out)) = (y, self.reuse(b)) {
            self.emit(onto_sum, width, out, x, Rm::Reg(one), mask, None);
        } else {
            let out = self.define_vector();
            self.copy(out, Rm::Reg(x));
            self.emit(onto_product, width, out, one, y, mask, None);
        }
        self.free_dead(&[a, b]);
    }

    /// `a` with the sign of `b`; `sign` has only the sign bit.
    fn copysign(&mut self, a: ValueId, b: ValueId, sign: Scalar) {
        let dtype = sign.dtype();
        let (x, y, sign, width) = (self.vector(a), self.vector(b), self.constant(sign), self.width(dtype));
        if self.level() == Level::Avx2 {
            let out = self.choose_bits(sign, x, y, width);
            self.assign(out);
            self.free_dead(&[a, b]);
            return;
        }
        // The instruction overwrites a source: one that dies here, if there is one.
        let (out, other, choice) = if let Some(out) = self.reuse(a) {
            (out, y, SIGN_OF_OTHER)
        } else if let Some(out) = self.reuse(b) {
            (out, x, SIGN_OF_OUT)
        } else {
            let out = self.define_vector();
            self.copy(out, Rm::Reg(x));
            (out, y, SIGN_OF_OTHER)
        };
        let form = by_float(dtype, &f::VPTERNLOGD, &f::VPTERNLOGQ);
        self.asm.vector(form, width, out, other, sign, Masking::NONE, Some(choice));
        self.free_dead(&[a, b]);
    }

    fn extreme(&mut self, which: Extreme, a: ValueId, b: ValueId, dtype: DType) {
        let (x, y) = (self.vector(a), self.vector(b));
        let masks = [self.temp_mask(), self.temp_mask()];
        let out = self.define_vector();
        let lanes = self.masking(dtype).k;
        self.pick_extreme(which, out, [x, y], dtype, (masks, lanes));
        self.free_dead(&[a, b]);
    }

    /// The larger or smaller of two floats in the lanes of a mask, elsewhere the second one, by quiet comparisons: `vmaxpd` raises a
    /// flag for any NaN. `which` says whether a NaN is selected.
    pub(crate) fn pick_extreme(
        &mut self,
        which: Extreme,
        out: VReg,
        [x, y]: [VReg; 2],
        dtype: DType,
        ([first, second], lanes): ([MaskReg; 2], KReg),
    ) {
        let nan = if which.nan_wins { x } else { y };
        self.compare_in(first, x, y, dtype, if which.larger { GREATER } else { LESS }, lanes);
        self.compare_in(second, nan, nan, dtype, UNORDERED, lanes);
        self.logic(Logic::Or, first, first, second);
        self.blend(out, first, Rm::Reg(x), y, dtype);
    }

    fn apply_integer(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) -> bool {
        if self.apply_predicate(op, a, b, dtype) {
            return true;
        }
        if let Some(form) = instruction(op, dtype) {
            self.binary(form, a, b, dtype, false);
            return true;
        }
        let signed = dtype.kind() == Kind::Signed;
        match op {
            Op::Square => match instruction(Op::Multiply, dtype) {
                Some(form) => self.binary(form, a, a, dtype, false),
                None => return false,
            },
            Op::Positive | Op::Conjugate | Op::Floor | Op::Ceil | Op::Trunc => self.copy_value(a),
            Op::Absolute if !signed => self.copy_value(a),
            Op::Absolute => {
                self.unary(by_size(dtype, [&f::VPABSB, &f::VPABSW, &f::VPABSD, &f::VPABSQ]), a, dtype, None);
            }
            Op::Sign => {
                let (top, bottom) = (self.constant(Scalar::new(dtype, 1i64)), self.constant(Scalar::new(dtype, -1i64)));
                let x = self.vector(a);
                let out = self.define_vector();
                let (width, none) = (self.width(dtype), Masking::NONE);
                if signed {
                    let min = by_size(dtype, [&f::VPMINSB, &f::VPMINSW, &f::VPMINSD, &f::VPMINSQ]);
                    self.emit(min, width, out, x, top, none, None);
                    let max = by_size(dtype, [&f::VPMAXSB, &f::VPMAXSW, &f::VPMAXSD, &f::VPMAXSQ]);
                    self.emit(max, width, out, out, bottom, none, None);
                } else {
                    let min = by_size(dtype, [&f::VPMINUB, &f::VPMINUW, &f::VPMINUD, &f::VPMINUQ]);
                    self.emit(min, width, out, x, top, none, None);
                }
                self.free_dead(&[a]);
            }
            Op::Negative => {
                let zero = self.constant_vector(Scalar::zero(dtype));
                let x = self.vector(a);
                self.free_dead(&[a]);
                let out = self.define_vector();
                let form = by_size(dtype, [&f::VPSUBB, &f::VPSUBW, &f::VPSUBD, &f::VPSUBQ]);
                self.emit(form, self.width(dtype), out, zero, Rm::Reg(x), Masking::NONE, None);
            }
            Op::Invert => {
                let ones = self.constant_vector(Scalar::new(dtype, -1i64));
                let x = self.vector(a);
                self.free_dead(&[a]);
                let out = self.define_vector();
                self.emit(&f::VPXORD, self.width(dtype), out, x, Rm::Reg(ones), Masking::NONE, None);
            }
            _ => return false,
        }
        true
    }
}
