//! Rounding divisions: of integers by a reciprocal, which is loop-invariant if the divisor is, and of floats by one division.
//!
//! The quotient of doubles, truncated, is the right one or one too large in magnitude, the fused `x - t * y` is exact, and one
//! addition corrects it. Other arguments, such as zero divisors, need the slow path.

use super::arithmetic::{abs_bits, is_single};
use super::real::{Real, Word};

/// The largest whole number not above `x / y`, for whole numbers, `x` below half of 2^`MANTISSA` in size and `y` not zero.
///
/// Half a unit more in the dividend brings the quotient `1 / 2y` away from whole numbers, which is more than the roundings of
/// the reciprocal and the product take it back.
#[inline(always)]
pub(crate) fn floor_quotient<R: Real>(x: R, y: R) -> R {
    ((x + R::of(0.5).copysign(y)) * (R::of(1.0) / y)).floor()
}

/// The remainder of floor division, with the divisor's sign: exact.
#[inline(always)]
pub(crate) fn floor_rest<R: Real>(x: R, y: R) -> R {
    x - floor_quotient(x, y) * y
}

/// The remainder of truncating division, with the dividend's sign: exact.
#[inline(always)]
pub(crate) fn rest<R: Real>(x: R, y: R) -> R {
    floor_rest(x.abs(), y.abs()).copysign(x)
}

/// Whether dividend or divisor is not finite, or one of them or the quotient is near an end of the range of doubles.
#[inline(always)]
pub(crate) fn needs_slow_path<R: Real>(x: R, y: R) -> R::Mask {
    type Bits<R> = <<R as Real>::Double as Real>::Word;
    const TINY: u64 = (1023 - 500) << 52;
    const HUGE: u64 = (1023 + 500) << 52;
    let (x, y) = (abs_bits(x.double()), abs_bits(y.double()));
    let word = |bits: u64| Bits::<R>::of(bits);
    let tiny = x.wrapping_sub(word(1)).below(word(TINY - 1));
    tiny | x.above(word(HUGE))
        | y.wrapping_sub(word(TINY)).above(word(HUGE - TINY))
        | x.above(y.wrapping_add(word(50 << 52)))
}

/// The remainder of truncating division, except the sign of zero.
#[inline(always)]
fn truncating_rest<D: Real>(x: D, y: D) -> D {
    let zero = D::of(0.0);
    let rest = (-(x / y).trunc()).fma::<true>(y, x);
    let beyond = !rest.equals(zero) & (rest.below(zero) ^ x.below(zero));
    rest + D::select(beyond, y.abs().copysign(x), zero)
}

/// The same in either width, and whether its sign differs from the divisor's.
#[inline(always)]
fn rest_and_sign<R: Real>(x: R, y: R) -> (R, R::Mask) {
    let (rest, zero) = (R::from_double(truncating_rest(x.double(), y.double())), R::of(0.0));
    (rest, !rest.equals(zero) & (rest.below(zero) ^ y.below(zero)))
}

/// C's `fmod` of numbers that do not need the slow path.
#[inline(always)]
pub(crate) fn fmod<R: Real>(x: R, y: R) -> R {
    rest_and_sign(x, y).0.copysign(x)
}

/// NumPy's `remainder` of numbers that do not need the slow path.
#[inline(always)]
pub(crate) fn remainder<R: Real>(x: R, y: R) -> R {
    let (rest, mixed) = rest_and_sign(x, y);
    let same = R::select(mixed, rest + y, rest);
    R::select(rest.equals(R::of(0.0)), same.copysign(y), same)
}

/// NumPy's `floor_divide` of numbers that do not need the slow path.
#[inline(always)]
pub(crate) fn floor_divide<R: Real>(x: R, y: R) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let (rest, mixed) = rest_and_sign(x, y);
    let quotient = (x - rest) / y - R::select(mixed, one, zero);
    let whole = quotient.floor();
    let whole = whole + R::select((quotient - whole).above(R::of(0.5)), one, zero);
    let vanishes = quotient.equals(zero);
    // NumPy divides for the sign of a zero, and singles may underflow by that; there, and nowhere else.
    let sign = match is_single::<R>() {
        true => R::select(vanishes, x, y) / y,
        false => R::from_bits(x.bits() ^ y.bits()),
    };
    R::select(vanishes, whole.copysign(sign), whole)
}
