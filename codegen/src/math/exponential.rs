//! `exp`, `exp2` and `expm1`: x = k log 2 + r with |r| <= log(2)/2, a polynomial for e^r, and 2^k through the exponent.
//!
//! Nothing is odd here. Overflow and underflow raise their flags in the last product, as they should, while infinities pass
//! through the polynomial (whose coefficients are all positive) without a flag.

use super::Unary;
use super::arithmetic::{at_least, at_most, fast_two_sum, poly, round_exponent, scale};
use super::real::{Number, Parts, Real};
use std::f64::consts::LOG2_E;

/// `x - k log 2`, after Cody and Waite: the first product is exact.
#[inline(always)]
pub(super) fn reduce<R: Real, const FMA: bool>(x: R, k: R) -> R {
    k.fma::<FMA>(-R::literal(R::Number::LN2.1), k.fma::<FMA>(-R::literal(R::Number::LN2.0), x))
}

/// The same in two parts; the second is some small number where the first is infinite.
#[inline(always)]
pub(super) fn reduce_parts<R: Real, const FMA: bool>(x: R, k: R) -> Parts<R> {
    let high = k.fma::<FMA>(-R::literal(R::Number::LN2.0), x);
    let r = k.fma::<FMA>(-R::literal(R::Number::LN2.1), high);
    (r, k.fma::<FMA>(-R::literal(R::Number::LN2.1), ordinary(high) - ordinary(r)))
}

/// A remainder as it is, or one for the infinite.
#[inline(always)]
pub(super) fn ordinary<R: Real>(r: R) -> R {
    at_most(r, R::of(1.0))
}

/// `e^r - 1` for |r| <= log(2)/2.
#[inline(always)]
fn near_zero<R: Real, const FMA: bool>(r: R) -> R {
    (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP), r)
}

/// `p`, or zero for the exponent minus infinity: scaling anything else would raise the underflow flag.
#[inline(always)]
fn or_zero<R: Real>(x: R, p: R) -> R {
    R::pick(x.equals(R::of(f64::NEG_INFINITY)), R::of(0.0), p)
}

/// What is nothing beside one, in either width.
const VERY_SMALL: f64 = 1e-18;

/// `e^x`.
pub struct Exp;

impl<R: Real> Unary<R> for Exp {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (lowest, highest) = R::parts(R::Number::EXP_RANGE);
        let bounded = at_least(x, lowest);
        // The square of a very small number would underflow.
        let bounded = R::pick(x.size().below(R::of(VERY_SMALL)), R::of(0.0), bounded);
        let n = round_exponent::<R, FMA>(at_most(bounded, highest), R::of(LOG2_E));
        scale::<R, FMA>(or_zero(x, R::of(1.0) + near_zero::<R, FMA>(reduce::<R, FMA>(bounded, n.k))), n)
    }
}

/// `2^x`; exact where `x` is an integer.
pub struct Exp2;

impl<R: Real> Unary<R> for Exp2 {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (lowest, highest) = R::parts(R::Number::EXP2_RANGE);
        let bounded = at_least(x, lowest);
        let n = round_exponent::<R, FMA>(at_most(bounded, highest), R::of(1.0));
        let r = bounded - n.k;
        scale::<R, FMA>(or_zero(x, r.fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP2), R::of(1.0))), n)
    }
}

/// `e^x - 1`, accurate near zero too.
pub struct Expm1;

impl<R: Real> Unary<R> for Expm1 {
    /// `2^k ((e^r - 1) + (1 - 2^-k))`: one form for all k, as the second bracket is exact or beyond notice.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let bounded = at_least(x, R::literal(R::Number::EXPM1_FLOOR));
        // The upper clamp keeps 2^(1-k) in range.
        let n = round_exponent::<R, FMA>(at_most(bounded, R::literal(R::Number::EXP_RANGE.1)), R::of(LOG2_E));
        let (r, r_low) = reduce_parts::<R, FMA>(bounded, n.k);
        let rest = n.inverse(1).fma::<FMA>(R::of(-0.5), R::of(1.0));
        // The bracket is zero or larger than r; the series after r is added last, with what the sum of both lost.
        let finite = ordinary(r);
        let (sum, lost) = fast_two_sum(rest, finite);
        let rest_low = n.inverse(1).fma::<FMA>(R::of(-0.5), R::of(1.0) - rest);
        // The square takes its rounding along (the polynomial is about a half): 0.97 ulp instead of 1.05.
        let square_low = finite.fma::<FMA>(finite, -(finite * finite));
        let low = square_low.fma::<FMA>(R::of(0.5), lost + (r_low + rest_low));
        let series = (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP), low);
        scale::<R, FMA>(sum + series, n).signed(x)
    }
}
