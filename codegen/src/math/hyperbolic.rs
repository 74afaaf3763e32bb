//! `sinh` and `cosh`: |x| = k log 2 + r, and polynomials for both hyperbolic functions of r; `tanh` by way of e^2x - 1.
//!
//! With u = 2^-2k the addition theorems give `2 cosh = 2^k (C (1+u) + S (1-u))` and `2 sinh = 2^k (C (1-u) + S (1+u))`, where
//! C and S belong to r. So one formula serves all sizes, with neither the cancellation of `e^x - e^-x` near zero nor a
//! division for `e^-x`. Nothing is odd.

use super::Unary;
use super::arithmetic::{at_most, fast_two_sum, is_single, poly, product_parts, rounded};
use super::exponential::{ordinary, reduce, reduce_parts, unscaled};
use super::real::{Number, Parts, Real};
use std::f64::consts::LOG2_E;

/// What both functions are made of.
struct Both<R: Real> {
    /// `sinh |x|` less a factor 2^(k-1).
    sinh: R,
    /// `cosh |x|` less the same factor.
    cosh: R,
    /// The exponent.
    k: R,
}

/// Both functions of `size`; beyond `top` k stays that of `top`.
#[inline(always)]
fn both<R: Real, const FMA: bool>(size: R, top: R) -> Both<R> {
    let one = R::of(1.0);
    let k = rounded::<R, FMA>(at_most(size, top), R::of(LOG2_E));
    let (r, r_low) = reduce_parts::<R, FMA>(size, k);
    let z = r * r;
    // The series after r.
    let s_rest = (r * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SINH), r_low);
    let c_less_one = (z * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::COSH), R::of(0.5) * z);
    let u = one.scaled(k * R::of(-2.0));
    let (less, more) = (one - u, one + u);
    // The factor of C is zero or larger than the product with r; what both roundings lose joins the small terms.
    let combined = |c_factor: R, c_low: R, s_factor: R| {
        let (product, product_lost) = product_parts::<R, FMA>(ordinary(r), s_factor);
        let (sum, sum_lost) = fast_two_sum(c_factor, product);
        let small = c_less_one.fma::<FMA>(c_factor, s_rest * s_factor);
        sum + (small + (sum_lost + product_lost + c_low))
    };
    let sinh = combined(less, (one - less) - u, more);
    let cosh = combined(more, (one - more) + u, less);
    Both { sinh, cosh, k }
}

/// Half of e^x and half of its inverse, of singles of which neither has to be right to the last bit.
#[inline(always)]
fn halves<R: Real, const FMA: bool>(x: R) -> Parts<R> {
    let (p, k) = unscaled::<R, FMA>(x);
    let half = p.scaled(k - R::of(1.0));
    (half, R::of(0.25) / half)
}

/// The hyperbolic sine.
pub struct Sinh;

impl<R: Real> Unary<R> for Sinh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (half, inverse) = halves::<R, FMA>(x.size());
            let z = x * x;
            let near = (x * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SINH_WIDE), x);
            return R::pick(x.size().below(R::of(1.0)), near, (half - inverse).signed(x));
        }
        let both = both::<R, FMA>(x.size(), R::literal(R::Number::SINH_TOP));
        both.sinh.scaled(both.k - R::of(1.0)).signed(x)
    }
}

/// The hyperbolic cosine.
pub struct Cosh;

impl<R: Real> Unary<R> for Cosh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (half, inverse) = halves::<R, FMA>(x.size());
            return half + inverse;
        }
        let both = both::<R, FMA>(x.size(), R::literal(R::Number::SINH_TOP));
        both.cosh.scaled(both.k - R::of(1.0))
    }
}

/// The hyperbolic tangent.
pub struct Tanh;

impl<R: Real> Unary<R> for Tanh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        // E / (E + 2) with E = e^2x - 1 = 2^k (e^r - 1) + (2^k - 1): 2 ulp. From 22 on it is 1.
        let (one, two) = (R::of(1.0), R::of(2.0));
        let twice = x.bounded(R::of(22.0)) * two;
        let k = rounded::<R, FMA>(twice, R::of(LOG2_E));
        let r = reduce::<R, FMA>(twice, k);
        let rest = (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP), r);
        let power = one.scaled(k);
        let e = power.fma::<FMA>(rest, power - one);
        (e / (e + two)).signed(x)
    }
}
