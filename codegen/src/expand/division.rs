//! Decomposition of ops that vectors have no instructions for: rounding divisions (those of integers through floats), products and
//! shifts of bytes through words, and conversions.
//!
//! Integers of two bytes and less divide as singles, others as doubles. Zero divisors need the slow path, and so do divisions that
//! overflow, which raise a flag, and integers with too many bits for a double.

use super::traced::{FloatWidth, Tape, Traced};
use crate::math::division;
use crate::{DType, Inst, Kind, Op, Scalar, ValueId};

/// Integers up to this size divide exactly as doubles.
const EXACT_DIVIDENDS: u64 = 1 << 50;

/// A conversion, in several steps where it has no instruction.
pub(super) fn cast(tape: &Tape, value: ValueId, to: DType) -> ValueId {
    let from = tape.draft(|draft| draft.types[value.0 as usize]);
    if is_converted(from, to) { converted(tape, value, from, to) } else { tape.cast(value, to) }
}

/// Whether a conversion is decomposed here.
pub(super) fn is_converted(from: DType, to: DType) -> bool {
    matches!((from, to), (DType::F32 | DType::F64, DType::U64))
        || from == DType::F16 && (to.is_integer() || to == DType::Bool)
        || to == DType::F16 && from.is_integer()
}

/// A conversion in several steps. Halves convert through singles: integers that are not exact as singles are infinite as halves. The
/// upper half of unsigned words is converted through the lower half.
fn converted(tape: &Tape, value: ValueId, from: DType, to: DType) -> ValueId {
    if from == DType::F16 && to == DType::U64 {
        return converted(tape, tape.cast(value, DType::F32), DType::F32, to);
    }
    if from == DType::F16 || to == DType::F16 {
        return tape.cast(tape.cast(value, DType::F32), to);
    }
    let literal = |scalar: Scalar| tape.emit(Inst::Const(scalar), scalar.dtype());
    let half = literal(Scalar::new(from, 9_223_372_036_854_775_808.0));
    let is_upper = tape.emit(Inst::Apply(Op::GreaterEqual, [value, half]), DType::Bool);
    let less = tape.emit(Inst::Apply(Op::Subtract, [value, half]), from);
    let low = tape.cast(tape.cast(tape.select(is_upper, less, value, from), DType::I64), to);
    let (top, zero) = (literal(Scalar::from_bits(to, 1 << 63)), literal(Scalar::zero(to)));
    let high = tape.select(is_upper, top, zero, to);
    tape.emit(Inst::Apply(Op::BitwiseXor, [low, high]), to)
}

/// Whether an op in a type is decomposed here.
pub(super) fn is_decomposed(op: Op, dtype: DType) -> bool {
    match op {
        Op::FloorDivide | Op::Remainder | Op::Fmod => dtype.is_integer() || dtype.is_float(),
        Op::Multiply | Op::Square | Op::LeftShift | Op::RightShift => dtype.is_integer() && dtype.size() == 1,
        _ => false,
    }
}

/// Decomposes an op. Returns its value and the mask of lanes that need the slow path, if any may.
pub(super) fn decompose(tape: &Tape, op: Op, args: [ValueId; 2], dtype: DType) -> (ValueId, Option<ValueId>) {
    match op {
        Op::FloorDivide | Op::Remainder | Op::Fmod if dtype == DType::F32 => float_divided::<f32>(tape, op, args),
        Op::FloorDivide | Op::Remainder | Op::Fmod if dtype == DType::F64 => float_divided::<f64>(tape, op, args),
        Op::FloorDivide | Op::Remainder | Op::Fmod if dtype.size() < 4 => divided::<f32>(tape, op, args, dtype),
        Op::FloorDivide | Op::Remainder | Op::Fmod => divided::<f64>(tape, op, args, dtype),
        _ => (widened(tape, op, args, dtype), None),
    }
}

/// An op on bytes as one on words. A shift by eight bits and more moves all of them out of the byte, or leaves the sign.
fn widened(tape: &Tape, op: Op, [a, b]: [ValueId; 2], dtype: DType) -> ValueId {
    // AVX2 shifts words of four bytes.
    let wide = match (op, dtype.kind() == Kind::Signed) {
        (Op::LeftShift | Op::RightShift, true) => DType::I32,
        (Op::LeftShift | Op::RightShift, false) => DType::U32,
        (_, true) => DType::I16,
        (_, false) => DType::U16,
    };
    let x = tape.cast(a, wide);
    let y = match op {
        Op::Square => x,
        Op::Multiply => tape.cast(b, wide),
        // Shift counts are not negative.
        _ => tape.cast(tape.cast(b, DType::U8), wide),
    };
    tape.cast(tape.emit(Inst::Apply(op, [x, y]), wide), dtype)
}

/// A division of floats, and the mask of lanes that need the slow path.
fn float_divided<N: FloatWidth>(tape: &Tape, op: Op, args: [ValueId; 2]) -> (ValueId, Option<ValueId>) {
    let [x, y] = args.map(|v| Traced::<N>::Made(v, tape));
    let result = match op {
        Op::FloorDivide => division::floor_divide(x, y),
        Op::Remainder => division::remainder(x, y),
        _ => division::fmod(x, y),
    };
    (result.value(tape), Some(division::needs_slow_path(x, y).value(tape)))
}

/// A division of integers through floats, and the mask of lanes that need the slow path.
fn divided<N: FloatWidth>(tape: &Tape, op: Op, [a, b]: [ValueId; 2], dtype: DType) -> (ValueId, Option<ValueId>) {
    let float = |v| Traced::<N>::Made(tape.cast(v, N::DTYPE), tape);
    let (x, y) = (float(a), float(b));
    let result = match op {
        Op::FloorDivide => division::floor_quotient(x, y),
        Op::Remainder => division::floor_rest(x, y),
        _ => division::rest(x, y),
    };
    let whole = if dtype == DType::U64 { DType::I64 } else { dtype };
    let result = tape.cast(tape.cast(result.value(tape), whole), dtype);
    let literal = |value| tape.emit(Inst::Const(value), dtype);
    let test = |op, x, y| tape.emit(Inst::Apply(op, [x, y]), DType::Bool);
    let mut needs_slow = test(Op::Equal, b, literal(Scalar::zero(dtype)));
    if dtype.size() == 8 {
        let inexact = test(Op::BitwiseOr, is_inexact_dividend(tape, a, dtype), is_inexact_dividend(tape, b, dtype));
        needs_slow = test(Op::BitwiseOr, needs_slow, inexact);
    } else if dtype.kind() == Kind::Signed && op == Op::FloorDivide {
        let least = Scalar::from_bits(dtype, 1 << (8 * dtype.size() - 1));
        let is_minus_one = test(Op::Equal, b, literal(Scalar::new(dtype, -1i64)));
        // A loop-invariant divisor keeps the test out of the loop: it is rarely minus one.
        let is_invariant = tape.draft(|draft| matches!(draft.insts[b.0 as usize], Inst::Param(_) | Inst::Const(_)));
        let overflows = if is_invariant {
            is_minus_one
        } else {
            test(Op::BitwiseAnd, test(Op::Equal, a, literal(least)), is_minus_one)
        };
        needs_slow = test(Op::BitwiseOr, needs_slow, overflows);
    }
    (result, Some(needs_slow))
}

/// Whether an integer of eight bytes does not divide exactly as a double.
fn is_inexact_dividend(tape: &Tape, value: ValueId, dtype: DType) -> ValueId {
    let word = |bits: u64| tape.emit(Inst::Const(Scalar::from_bits(DType::U64, bits.into())), DType::U64);
    let (size, most) = match dtype.kind() {
        Kind::Signed => {
            let args = [tape.cast(value, DType::U64), word(EXACT_DIVIDENDS)];
            (tape.emit(Inst::Apply(Op::Add, args), DType::U64), 2 * EXACT_DIVIDENDS)
        }
        _ => (value, EXACT_DIVIDENDS),
    };
    tape.emit(Inst::Apply(Op::Greater, [size, word(most)]), DType::Bool)
}
