//! Functions by the bits of floats: `nextafter`, `spacing`, `ldexp`, `frexp`, and the Heaviside step function.
//!
//! They are total and exact, `ldexp` is rounded once; which of them must raise a flag, say `nextafter_raises` and `spacing_raises`. The
//! portable loops raise it; decompositions take the slow path for it. Nothing here but the products of `ldexp` raises a flag that the op
//! table names.

use super::arithmetic::abs_bits;
use super::real::{Number, Real, Word};

/// The bits of infinity.
#[inline(always)]
fn infinity<R: Real>() -> R::Word {
    R::literal(R::Number::INFINITY).bits()
}

/// The nan that NumPy returns.
#[inline(always)]
fn quiet_nan<R: Real>() -> R {
    R::from_bits(infinity::<R>() | (R::Word::of(1) << (R::Number::MANTISSA - 1)))
}

/// The number with the bits that follow.
#[inline(always)]
fn following<R: Real>(x: R) -> R {
    R::from_bits(x.bits().wrapping_add(R::Word::of(1)))
}

/// The next number towards `y`; `y` where they are equal, nan where one is nan.
#[inline(always)]
pub(crate) fn nextafter<R: Real>(x: R, y: R) -> R {
    let zero = R::of(0.0);
    let preceding = R::from_bits(x.bits().wrapping_sub(R::Word::of(1)));
    let grows = !(y.above(x) ^ x.above(zero));
    let next = R::select(grows, following(x), preceding);
    let next = R::select(x.equals(zero), R::from_bits(R::Word::of(1)).copysign(y), next);
    let next = R::select(x.equals(y), y, next);
    R::select(x.is_nan() | y.is_nan(), quiet_nan(), next)
}

/// Whether the step from `x` towards `y` to `next` overflows, or ends at a number that is not normal.
#[inline(always)]
pub(crate) fn nextafter_raises<R: Real>(x: R, y: R, next: R) -> R::Mask {
    let least = R::literal(R::Number::LEAST_NORMAL).bits();
    let is_normal = abs_bits(next).wrapping_sub(least).below(infinity::<R>().wrapping_sub(least));
    (x.below(y) | x.above(y)) & !is_normal
}

/// The distance to the next number of larger magnitude, with the sign of `x`; that of zero is positive. Nan of the infinite.
#[inline(always)]
pub(crate) fn spacing<R: Real>(x: R) -> R {
    let is_finite = abs_bits(x).below(infinity::<R>());
    // The sum makes zeros positive, and changes no other number.
    let x = R::select(is_finite, x, R::of(1.0)) + R::of(0.0);
    R::select(is_finite, following(x) - x, quiet_nan())
}

/// Whether the number that follows `x` is infinite, or subnormal and `x` not zero.
#[inline(always)]
pub(crate) fn spacing_raises<R: Real>(x: R) -> R::Mask {
    let (least, one) = (R::literal(R::Number::LEAST_NORMAL).bits(), R::Word::of(1));
    let size = abs_bits(x);
    let last = infinity::<R>().wrapping_sub(one);
    let limit = least.wrapping_sub(one).wrapping_sub(one);
    size.equals(last) | size.wrapping_sub(one).below(limit)
}

/// `x 2^floor(n)`, rounded once; nan where `n` is nan.
///
/// Three powers of two, as one would have to exceed the exponent range; those that are not needed are one. Where several are needed, a
/// product before the last is exact, or overflows as the result does, or is below the normal numbers: then at least the factor
/// 2^-(`MANTISSA` + 2) follows, and the result is zero.
#[inline(always)]
pub(crate) fn ldexp<R: Real>(x: R, n: R) -> R {
    let (bias, digits) = (R::Number::BIAS as f64, f64::from(R::Number::MANTISSA));
    let (least, most) = (R::of(1.0 - bias), R::of(bias));
    let power = |n: R| R::from_bits((n + (R::literal(R::Number::MAGIC) + R::of(bias))).bits() << R::Number::MANTISSA);
    // Compared as bits: a signalling nan raises no flag.
    let is_nan = || infinity::<R>().below(abs_bits(n));
    // Beyond the bounds the results of all numbers overflow, or vanish; of nan, which either bound may take the place of, none does.
    let mut rest = R::select(is_nan(), R::of(0.0), n.bounded(R::of(4.0 * bias)).floor());
    let mut scaled = x;
    for _ in 0..2 {
        let part = R::select(rest.below(least), R::of(2.0 - bias + digits), R::select(rest.above(most), most, rest));
        scaled = scaled * power(part);
        rest = rest - part;
    }
    let last = R::select(rest.below(least), least, R::select(rest.above(most), most, rest));
    R::select(is_nan(), n, scaled * power(last))
}

/// The power of two that makes subnormal numbers normal, by its exponent.
const fn normalizing<R: Real>() -> u32 {
    R::Number::MANTISSA + 2
}

/// Whether `x` is subnormal, compared as bits.
#[inline(always)]
pub(crate) fn is_subnormal<R: Real>(x: R) -> R::Mask {
    let (one, least) = (R::Word::of(1), R::literal(R::Number::LEAST_NORMAL).bits());
    abs_bits(x).wrapping_sub(one).below(least.wrapping_sub(one))
}

/// Whether `x` is zero, infinite or nan, compared as bits.
#[inline(always)]
fn has_no_exponent<R: Real>(x: R) -> R::Mask {
    let one = R::Word::of(1);
    abs_bits(x).wrapping_sub(one).reaches(infinity::<R>().wrapping_sub(one))
}

/// `x`, by the power of two that makes it normal where it is subnormal. Exact; a signalling nan becomes quiet, as by the C library.
#[inline(always)]
fn normalized<R: Real>(x: R) -> R {
    let power = R::of((1u64 << normalizing::<R>()) as f64);
    x * R::select(is_subnormal(x), power, R::of(1.0))
}

/// The mantissa of `x`, 1/2 or more in size and below 1, with its sign; `x` itself where it is zero, infinite or nan.
#[inline(always)]
pub(crate) fn frexp_mantissa<R: Real>(x: R) -> R {
    frexp_mantissa_of_normal(normalized(x))
}

/// The exponent of 2 beside [`frexp_mantissa`]; zero where `x` is zero, infinite or nan, as in the GNU C library.
#[inline(always)]
pub(crate) fn frexp_exponent<R: Real>(x: R) -> R {
    let normalizing = R::select(is_subnormal(x), R::of(f64::from(normalizing::<R>())), R::of(0.0));
    frexp_exponent_of_normal(normalized(x)) - normalizing
}

/// [`frexp_mantissa`] where `x` is not subnormal.
#[inline(always)]
pub(crate) fn frexp_mantissa_of_normal<R: Real>(x: R) -> R {
    let others = R::Word::of(u64::MAX) ^ infinity::<R>();
    let mantissa = R::from_bits((x.bits() & others) | R::of(0.5).bits());
    R::select(has_no_exponent(x), x, mantissa)
}

/// [`frexp_exponent`] where `x` is not subnormal. The exponent that is stored is that of a mantissa from 1 on.
#[inline(always)]
pub(crate) fn frexp_exponent_of_normal<R: Real>(x: R) -> R {
    let exponent = R::from_bits(abs_bits(x)).exponent() + R::of(1.0);
    R::select(has_no_exponent(x), R::of(0.0), exponent)
}

/// Zero, `y` or one, where `x` is negative, zero or positive; `x` where it is nan.
#[inline(always)]
pub(crate) fn heaviside<R: Real>(x: R, y: R) -> R {
    let zero = R::of(0.0);
    let step = R::select(x.below(zero), zero, R::of(1.0));
    let step = R::select(x.equals(zero), y, step);
    R::select(x.is_nan(), x, step)
}
