//! `arcsinh`, `arccosh` and `arctanh`, as logarithms of 1 + something small where the result is small.
//!
//! They cost a division (and a root) more than `log1p`. Far out the first two are `log 2|x|`, as the squares in the general
//! form would overflow later on. Odd is what lies outside the domain of `arccosh` and `arctanh`.

use super::Unary;
use super::arithmetic::{
    fast_two_sum, is_single, is_within, near_root_parts, product_parts, quotient_parts, root_parts, size_bits, two_sum,
};
use super::logarithm::log_of_sum;
use super::real::{Number, Parts, Real, Word};

/// What the square of is nothing beside it, in either width.
const VERY_SMALL: f64 = 1e-17;

/// Below this the fifth power is nothing beside a double.
const SERIES_END: f64 = 1.0 / 8192.0;

/// Below this `arcsinh` and `arctanh` are their argument: the cube is nothing beside it.
#[inline(always)]
fn least<R: Real>() -> R {
    R::of(if R::Number::MANTISSA < 52 { 2e-5 } else { 2e-9 })
}

/// `log(1 + small + low)`.
#[inline(always)]
fn log1p<R: Real, const FMA: bool>((small, low): Parts<R>) -> R {
    let (near, lost) = two_sum(R::of(1.0), small);
    log_of_sum::<R, FMA>(near, lost + low, R::of(0.0))
}

/// `log(1 + small + low)`, or `log 2x` where `far`.
#[inline(always)]
fn log1p_or_double<R: Real, const FMA: bool>((small, low): Parts<R>, x: R, far: R::Mask) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let (near, lost) = two_sum(one, small);
    let lost = lost + low;
    let [sum, lost, doublings] = R::pick_all(far, [x, zero, one], [near, lost, zero]);
    log_of_sum::<R, FMA>(sum, lost, doublings)
}

/// The inverse hyperbolic sine.
pub struct Arcsinh;

impl<R: Real> Unary<R> for Arcsinh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let one = R::of(1.0);
        let a = x.size();
        let far = a.above(R::literal(R::Number::AREA_FAR));
        let b = R::pick(far, one, a);
        if FMA && !is_single::<R>() {
            // Of b + sqrt(1 + b^2) itself, with what each step loses; small numbers by the first terms of the series.
            let (square, square_low) = product_parts::<R, FMA>(b, b);
            let (under, under_low) = two_sum(one, square);
            let (root, root_low) = near_root_parts::<R, FMA>(under, under_low + square_low);
            let (sum, lost) = fast_two_sum(root, b);
            let [sum, lost, doublings] = R::pick_all(far, [a, R::of(0.0), one], [sum, lost + root_low, R::of(0.0)]);
            let value = log_of_sum::<R, FMA>(sum, lost, doublings);
            let near = (b * square).fma::<FMA>(R::of(-1.0 / 6.0), b);
            let value = R::pick(a.below(R::of(SERIES_END)), near, value);
            return R::pick(a.below(R::literal(R::Number::INFINITY)), value, a).signed(x);
        }
        // b + b^2 / (1 + sqrt(1 + b^2)), each step with what it loses. Very small squares would underflow, and are nothing.
        let seen = R::pick(b.below(R::of(VERY_SMALL)), R::of(0.0), b);
        let (square, square_low) = product_parts::<R, FMA>(seen, seen);
        let (under, under_low) = two_sum(one, square);
        let (root, root_low) = root_parts::<R, FMA>(under, under_low + square_low);
        let (bottom, bottom_low) = fast_two_sum(root, one);
        let (q, q_low) = quotient_parts::<R, FMA>((square, square_low), (bottom, bottom_low + root_low));
        let (small, low) = fast_two_sum(b, q);
        let value = log1p_or_double::<R, FMA>((small, low + q_low), a, far);
        // Zero, small numbers and infinity are their own values.
        let plain = a.reaches(least()) & a.below(R::literal(R::Number::INFINITY));
        R::pick(plain, value, a).signed(x)
    }
}

/// The inverse hyperbolic cosine.
pub struct Arccosh;

impl<R: Real> Unary<R> for Arccosh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let far = x.above(R::literal(R::Number::AREA_FAR));
        let t = R::pick(far, R::of(1.0), x - R::of(1.0));
        if is_single::<R>() {
            let small = t + t.fma::<FMA>(t, t + t).root();
            return log1p_or_double::<R, FMA>((small, R::of(0.0)), x, far);
        }
        // t + sqrt(t^2 + 2t), each step with what it loses.
        let (square, square_low) = product_parts::<R, FMA>(t, t);
        let (under, under_low) = two_sum(t + t, square);
        let (root, root_low) = root_parts::<R, FMA>(under, under_low + square_low);
        let (small, low) = fast_two_sum(root, t);
        log1p_or_double::<R, FMA>((small, low + root_low), x, far)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        !is_within(x.bits(), R::of(1.0), R::literal(R::Number::INFINITY))
    }

    /// The root raises invalid, which the standard library's function does not; infinity and NaN are their own.
    fn slow(x: R) -> R
    where
        R: Number,
    {
        (x - R::of(1.0)).root()
    }
}

/// The inverse hyperbolic tangent.
pub struct Arctanh;

impl<R: Real> Unary<R> for Arctanh {
    const CALM: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let a = x.size();
        if is_single::<R>() {
            let small = (a + a) / (R::of(1.0) - a);
            return (R::of(0.5) * log1p::<R, FMA>((small, R::of(0.0)))).signed(x);
        }
        let bottom = fast_two_sum(R::of(1.0), -a);
        let small = quotient_parts::<R, FMA>((a + a, R::of(0.0)), bottom);
        let value = R::of(0.5) * log1p::<R, FMA>(small);
        R::pick(a.reaches(least()), value, a).signed(x)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        size_bits(x).reaches(R::of(1.0).bits())
    }

    /// Infinite at 1 by a division by zero, the root of a negative number beyond.
    fn slow(x: R) -> R
    where
        R: Number,
    {
        let rest = R::of(1.0) - x.size();
        if rest == R::of(0.0) { x / rest } else { rest.root() }
    }
}
