//! Exponentials, `exp`, `exp2` and `expm1`: range reduction to x = k log 2 + r (Cody and Waite), a polynomial for e^r, and scaling by 2^k.
//!
//! The first two have no slow path, not even for nan. Overflow and underflow raise their flags in the scaling by 2^k; infinities are
//! handled by a select.

use super::Unary;
use super::arithmetic::{at_least, is_single, is_within, poly};
use super::real::{DoubleWord, Mask, Number, Real, Word};
use crate::Table;
use std::f64::consts::LOG2_E;

/// `x - k log 2`, after Cody and Waite: the first product is exact.
#[inline(always)]
pub(super) fn reduce<R: Real, const FMA: bool>(x: R, k: R) -> R {
    k.fma::<FMA>(-R::literal(R::Number::LN2.1), k.fma::<FMA>(-R::literal(R::Number::LN2.0), x))
}

/// The same in two parts, of what is finite.
#[inline(always)]
pub(super) fn reduce_parts<R: Real, const FMA: bool>(x: R, k: R) -> DoubleWord<R> {
    let high = k.fma::<FMA>(-R::literal(R::Number::LN2.0), x);
    let r = k.fma::<FMA>(-R::literal(R::Number::LN2.1), high);
    (r, k.fma::<FMA>(-R::literal(R::Number::LN2.1), high - r))
}

/// `2^(k + r)` by tables of sixteenths: 2^k is left to the exponent, p is the rest less 1, and what `sixteenths` ends in says which.
#[inline(always)]
pub(super) fn power<R: Real, const FMA: bool>(sixteenths: R, p: R) -> R {
    let power = R::entry(Table::Powers, sixteenths.bits());
    power.fma::<FMA>(p, power)
}

/// Adding it rounds a number to a multiple of 1/16, whose last bits are those of the sum.
#[inline(always)]
pub(super) fn magic_sixteenths<R: Real>() -> R {
    R::literal(R::Number::MAGIC) * R::of(1.0 / 16.0)
}

/// `x / log 2` rounded to sixteenths: with bits that end in their number, and as it is.
#[inline(always)]
pub(super) fn to_sixteenths<R: Real, const FMA: bool>(x: R) -> (R, R) {
    let sixteenths = x.fma::<FMA>(R::of(LOG2_E), magic_sixteenths());
    (sixteenths, sixteenths - magic_sixteenths())
}

/// `2^(k+more)` and k, the multiple of log 2 nearest to x, where that exponent is in range.
#[inline(always)]
pub(super) fn power_beside<R: Real, const FMA: bool>(x: R, more: f64) -> (R, R) {
    let magic = R::literal(R::Number::MAGIC) + R::of(R::Number::BIAS as f64 + more);
    let shifted = x.fma::<FMA>(R::of(LOG2_E), magic);
    (R::from_bits(shifted.bits() << R::Number::MANTISSA), shifted - magic)
}

/// `e^x` less a factor 2^k, and k.
#[inline(always)]
pub(super) fn unscaled<R: Real, const FMA: bool>(x: R) -> (R, R) {
    // Beyond this everything overflows or underflows, and raises its flag.
    let finite = x.bounded(R::literal(R::Number::EXP_LIMIT));
    let (sixteenths, k) = to_sixteenths::<R, FMA>(finite);
    let p = poly::<R, FMA>(reduce::<R, FMA>(finite, k), R::Number::EXP_STEP);
    (power::<R, FMA>(sixteenths, p).limited(x), k)
}

/// `value`, but where `x` is so large that its exponential overflows infinity of its sign, with that flag; infinity and NaN themselves.
#[inline(always)]
pub(super) fn overflowing<R: Real>(overflows: R::Mask, x: R, value: R) -> R {
    let power =
        R::from_bits(R::literal(R::Number::INFINITY).bits().wrapping_sub(R::Word::of(1 << R::Number::MANTISSA)));
    let (a, b) = R::select_pair(overflows, (x, power), (value, R::of(1.0)));
    a * b
}

/// Whether `x` is below a negative number, compared as bits: not NaN.
#[inline(always)]
fn is_below<R: Real>(x: R, top: f64) -> R::Mask {
    let (top, infinity) = (R::of(top).bits(), (-R::literal(R::Number::INFINITY)).bits());
    let first = top.wrapping_add(R::Word::of(1));
    x.bits().wrapping_sub(first).below(infinity.wrapping_sub(top))
}

/// `e^x`.
pub struct Exp;

impl<R: Real> Unary<R> for Exp {
    /// 2^(n/16) e^r with |r| <= log(2)/32: the table makes the polynomial half as long.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (p, k) = unscaled::<R, FMA>(x);
        p.scaled(k)
    }

    #[inline(always)]
    fn needs_slow_path(_: R) -> R::Mask {
        R::Mask::FALSE
    }

    #[inline(always)]
    fn vanishes(x: R) -> R::Mask {
        is_below(x, if is_single::<R>() { -104.0 } else { -746.0 })
    }
}

/// `2^x`; exact where `x` is an integer.
pub struct Exp2;

impl<R: Real> Unary<R> for Exp2 {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let r = x.fraction();
        let k = x - r;
        power::<R, FMA>(k + magic_sixteenths(), poly::<R, FMA>(r, R::Number::EXP2_STEP)).scaled(k)
    }

    #[inline(always)]
    fn needs_slow_path(_: R) -> R::Mask {
        R::Mask::FALSE
    }

    #[inline(always)]
    fn vanishes(x: R) -> R::Mask {
        is_below(x, if is_single::<R>() { -151.0 } else { -1076.0 })
    }
}

/// `e^x - 1`, accurate near zero too.
pub struct Expm1;

impl<R: Real> Unary<R> for Expm1 {
    /// `2^k (e^r - 1) + (2^k - 1)`: one form for all k, as the bracket is exact or beyond notice.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (one, half) = (R::of(1.0), R::of(0.5));
        let near = at_least(x, R::literal(R::Number::EXPM1_FLOOR));
        let (power, k) = power_beside::<R, FMA>(near, 0.0);
        if is_single::<R>() {
            let r = reduce::<R, FMA>(near, k);
            let p = (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP), r);
            return power.fma::<FMA>(p, power - one).copysign(x);
        }
        let (r, r_low) = reduce_parts::<R, FMA>(near, k);
        let rest = power - one;
        // The bracket is zero or larger than the product with r; the series after r is added last, with what was lost.
        let sum = power.fma::<FMA>(r, rest);
        let lost = power.fma::<FMA>(r, rest - sum) + ((power - rest) - one);
        // The square takes its rounding along (the polynomial is about a half): 0.97 ulp instead of 1.05.
        let square_low = r.fma::<FMA>(r, -(r * r));
        let low = square_low.fma::<FMA>(half, r_low);
        let series = (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP), low);
        (sum + power.fma::<FMA>(series, lost)).copysign(x)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        x.is_nan() | is_within(x.bits(), R::literal(R::Number::EXP_MAX), -R::of(0.0))
    }

    /// NaN, infinity, and what overflows for certain.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        x.is_nan() | is_within(x.bits(), R::literal(R::Number::SINH_MAX), -R::of(0.0))
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        overflowing(<Self as Unary<R>>::is_special(x), x, value)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().exp_m1())
    }
}
