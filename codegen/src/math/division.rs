//! Division of whole numbers that rounds, by a reciprocal: one that loops divide by is computed once.

use super::real::Real;

/// The largest whole number not above `x / y`, for whole numbers, `x` below half of 2^`MANTISSA` in size and `y` not zero.
///
/// Half a unit more in the dividend brings the quotient `1 / 2y` away from whole numbers, which is more than the roundings of
/// the reciprocal and the product take it back.
#[inline(always)]
pub(crate) fn floor_quotient<R: Real>(x: R, y: R) -> R {
    ((x + R::of(0.5).signed(y)) * (R::of(1.0) / y)).whole()
}

/// What the largest whole number not above the quotient leaves, with the divisor's sign: exact.
#[inline(always)]
pub(crate) fn floor_rest<R: Real>(x: R, y: R) -> R {
    x - floor_quotient(x, y) * y
}

/// What the quotient without its fraction leaves, with the dividend's sign: exact.
#[inline(always)]
pub(crate) fn rest<R: Real>(x: R, y: R) -> R {
    floor_rest(x.size(), y.size()).signed(x)
}
