//! Decomposition of functions by the bits of floats: `nextafter`, `spacing`, `ldexp`, `frexp` and `heaviside`, by the formulas of
//! [`crate::math::float_bits`].
//!
//! `frexp` takes the slow path for subnormal arguments, but for its special version. The others are right for all; lanes whose result
//! overflows or is subnormal take the slow path for the flag alone.

use super::traced::{FloatWidth, Tape, Traced};
use crate::math::float_bits;
use crate::{DType, Op, ValueId, Version};

/// Whether an op of floats is decomposed here.
pub(super) fn is_decomposed(op: Op) -> bool {
    matches!(op, Op::Nextafter | Op::Spacing | Op::Ldexp | Op::FrexpMantissa | Op::FrexpExponent | Op::Heaviside)
}

/// Decomposes an op. Returns its value, and the mask of lanes that need the slow path, if any may.
pub(super) fn decompose(tape: &Tape, op: Op, args: [ValueId; 2], dtype: DType) -> (ValueId, Option<ValueId>) {
    match dtype {
        DType::F32 => recorded::<f32>(tape, op, args),
        _ => recorded::<f64>(tape, op, args),
    }
}

/// The same in one width.
fn recorded<N: FloatWidth>(tape: &Tape, op: Op, args: [ValueId; 2]) -> (ValueId, Option<ValueId>) {
    let [x, y] = args.map(|v| Traced::<N>::Made(v, tape));
    let is_special = tape.version == Version::Special;
    let (value, slow) = match op {
        Op::Nextafter => {
            let next = float_bits::nextafter(x, y);
            (next, Some(float_bits::nextafter_raises(x, y, next)))
        }
        Op::Spacing => (float_bits::spacing(x), Some(float_bits::spacing_raises(x))),
        Op::Ldexp => (float_bits::ldexp(x, y), None),
        Op::FrexpMantissa if is_special => (float_bits::frexp_mantissa(x), None),
        Op::FrexpMantissa => (float_bits::frexp_mantissa_of_normal(x), Some(float_bits::is_subnormal(x))),
        Op::FrexpExponent if is_special => (float_bits::frexp_exponent(x), None),
        Op::FrexpExponent => (float_bits::frexp_exponent_of_normal(x), Some(float_bits::is_subnormal(x))),
        _ => (float_bits::heaviside(x, y), None),
    };
    let value = value.value(tape);
    let value = if op == Op::FrexpExponent { tape.cast(value, DType::I32) } else { value };
    (value, slow.map(|mask| mask.value(tape)))
}
