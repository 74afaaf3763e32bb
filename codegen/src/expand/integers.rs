//! Decomposition of functions of integers: the count of set bits, reciprocals, and powers.
//!
//! Powers are products of the repeated squares of the base that the exponent's bits select, the lowest six of them. Larger exponents need
//! the slow path, and so do negative ones. Reciprocals of zero are right, and take the slow
//! path for their flags alone.

use super::traced::{Tape, Traced};
use crate::math::Word;
use crate::{DType, Inst, Kind, Op, Scalar, ValueId};

/// How many bits of an exponent the fast path of a power takes.
const EXPONENT_BITS: u32 = 6;

/// Whether an op of integers of a type is decomposed here. Not powers of eight bytes: AVX2 has no such product, so that ten of them take
/// 3.1 ns an element, and the portable loop for `i ** 3` 0.8 ns. (Of four bytes, 0.64 and 0.54 ns; of unequal exponents, 0.64 and 1.9.)
pub(super) fn is_decomposed(op: Op, dtype: DType) -> bool {
    matches!(op, Op::BitwiseCount | Op::Reciprocal) || op == Op::Power && dtype.size() < 8
}

/// Decomposes an op. Returns its value, and the mask of lanes that need the slow path, if any may.
pub(super) fn decompose(tape: &Tape, op: Op, [a, b]: [ValueId; 2], dtype: DType) -> (ValueId, Option<ValueId>) {
    match op {
        Op::BitwiseCount => (bitwise_count(tape, a, dtype), None),
        Op::Reciprocal => {
            let (value, is_zero) = reciprocal(tape, a, dtype);
            (value, Some(is_zero))
        }
        _ => {
            let (value, needs_slow) = power(tape, a, b, dtype);
            (value, Some(needs_slow))
        }
    }
}

/// The unsigned integer of a size.
fn unsigned(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// The set bits of the magnitude. Vectors of four bytes and more have the shifts.
fn bitwise_count(tape: &Tape, a: ValueId, dtype: DType) -> ValueId {
    let magnitude = match dtype.kind() {
        Kind::Signed => tape.emit(Inst::Apply(Op::Absolute, [a, a]), dtype),
        _ => a,
    };
    let bits = tape.cast(magnitude, unsigned(dtype));
    let count = match dtype.size() {
        8 => set_bits(Traced::<u64>::Made(bits, tape), 64).value(tape),
        size => {
            let bits = tape.cast(bits, DType::U32);
            set_bits(Traced::<u32>::Made(bits, tape), 8 * size as u32).value(tape)
        }
    };
    tape.cast(count, DType::U8)
}

/// How many of a word's lowest bits are set, where no others are: counts of pairs, of fours, of bytes, and their sum (Warren,
/// Hacker's Delight, 5-1).
fn set_bits<W: Word>(x: W, bits: u32) -> W {
    let [pairs, fours, bytes] = [0x5555_5555_5555_5555, 0x3333_3333_3333_3333, 0x0f0f_0f0f_0f0f_0f0f].map(W::of);
    let x = x.wrapping_sub((x >> 1) & pairs);
    let x = (x & fours).wrapping_add((x >> 2) & fours);
    let mut x = x.wrapping_add(x >> 4) & bytes;
    let mut width = 8;
    while width < bits {
        x = x.wrapping_add(x >> width);
        width *= 2;
    }
    // The lowest byte holds the count; a cast to a byte takes it.
    x
}

/// One over an integer, truncated, and whether it is zero: then what the hardware makes of infinity.
fn reciprocal(tape: &Tape, a: ValueId, dtype: DType) -> (ValueId, ValueId) {
    let literal = |value: i64| tape.emit(Inst::Const(Scalar::new(dtype, value)), dtype);
    let equals = |value| tape.emit(Inst::Apply(Op::Equal, [a, literal(value)]), DType::Bool);
    let is_zero = equals(0);
    if dtype.kind() == Kind::Unsigned {
        return (tape.cast(equals(1), dtype), is_zero);
    }
    let is_unit = tape.emit(Inst::Apply(Op::BitwiseOr, [equals(1), equals(-1)]), DType::Bool);
    let value = tape.select(is_unit, a, literal(0), dtype);
    if dtype.size() < 4 {
        return (value, is_zero);
    }
    let lowest = tape.emit(Inst::Const(Scalar::from_bits(dtype, 1 << (8 * dtype.size() - 1))), dtype);
    (tape.select(is_zero, lowest, value, dtype), is_zero)
}

/// The power for exponents of few bits, and whether the exponent has more.
fn power(tape: &Tape, a: ValueId, b: ValueId, dtype: DType) -> (ValueId, ValueId) {
    // Products of bytes are products of words; the low bits of either are the same, and so are those of signed numbers.
    let wide = if dtype.size() == 1 { DType::U16 } else { unsigned(dtype) };
    let literal = |value: u64| tape.emit(Inst::Const(Scalar::from_bits(wide, value.into())), wide);
    let apply = |op, x, y| tape.emit(Inst::Apply(op, [x, y]), wide);
    let exponent = tape.cast(tape.cast(b, unsigned(dtype)), wide);
    let limit = literal(1 << EXPONENT_BITS);
    let needs_slow = tape.emit(Inst::Apply(Op::GreaterEqual, [exponent, limit]), DType::Bool);
    let (mut square, mut result) = (tape.cast(a, wide), literal(1));
    for bit in 0..EXPONENT_BITS {
        let is_set = tape.cast(apply(Op::BitwiseAnd, exponent, literal(1 << bit)), DType::Bool);
        let product = if bit == 0 { square } else { apply(Op::Multiply, result, square) };
        result = tape.select(is_set, product, result, wide);
        if bit + 1 < EXPONENT_BITS {
            square = apply(Op::Multiply, square, square);
        }
    }
    (tape.cast(result, dtype), needs_slow)
}
