//! `sinh`, `cosh` and `tanh`: |x| = k log 2 + r, and polynomials for both hyperbolic functions of r.
//!
//! With u = 2^-2k the addition theorems give `2 cosh = 2^k (C (1+u) + S (1-u))` and `2 sinh = 2^k (C (1-u) + S (1+u))`, where
//! C and S belong to r. So one formula serves all sizes, with neither the cancellation of `e^x - e^-x` near zero nor a
//! division for `e^-x`. Nothing is odd.

use super::Unary;
use super::accuracy::{Accuracy, Double, Single};
use super::coefficients::{LN2_HI, LN2_LO};
use super::fma::{Exponent, at_most, fma, poly, round_exponent, scale};
use std::f64::consts::LOG2_E;

/// What the three functions are made of.
struct Parts {
    /// `sinh |x|` less a factor 2^(k-1).
    sinh: f64,
    /// `cosh |x|` less the same factor.
    cosh: f64,
    /// `cosh |x| - sinh |x|` less the same factor, without cancellation.
    difference: f64,
    /// k.
    n: Exponent,
}

/// The parts for `magnitude`; beyond `top` k stays that of `top`.
#[inline(always)]
fn both<A: Accuracy, const FMA: bool>(magnitude: f64, top: f64) -> Parts {
    let n = round_exponent::<FMA>(at_most(magnitude, top), LOG2_E);
    let r = fma::<FMA>(-LN2_LO, n.k, fma::<FMA>(-LN2_HI, n.k, magnitude));
    let z = r * r;
    let s = fma::<FMA>(r * z, poly::<FMA>(z, A::SINH), r);
    let c_less_one = fma::<FMA>(z * z, poly::<FMA>(z, A::COSH), 0.5 * z);
    // u is lost beside 1 from k = 27 on; the clamp keeps it a normal number.
    let root = Exponent::of(at_most(n.k, 40.0)).twice_inverse();
    let u = 0.25 * root * root;
    let (less, more) = (1.0 - u, 1.0 + u);
    let sinh = less + fma::<FMA>(c_less_one, less, s * more);
    let cosh = more + fma::<FMA>(c_less_one, more, s * less);
    let difference = 2.0 * u * ((1.0 - s) + c_less_one);
    Parts {
        sinh,
        cosh,
        difference,
        n,
    }
}

#[inline(always)]
fn sinh<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let parts = both::<A, FMA>(x.abs(), 711.0);
    scale::<FMA>(parts.sinh, parts.n.less_one()).copysign(x)
}

#[inline(always)]
fn cosh<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let parts = both::<A, FMA>(x.abs(), 711.0);
    scale::<FMA>(parts.cosh, parts.n.less_one())
}

#[inline(always)]
fn tanh<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    // From 22 on the quotient is 1.
    let magnitude = at_most(x.abs(), 22.0);
    let parts = both::<A, FMA>(magnitude, 22.0);
    // 1 less a small quotient where the plain one would add the errors of two nearly equal sums (2.8 ulp).
    let small = magnitude < 0.6;
    let quotient = (if small { parts.sinh } else { parts.difference }) / parts.cosh;
    (if small { quotient } else { 1.0 - quotient }).copysign(x)
}

/// The hyperbolic sine.
pub struct Sinh;

impl Unary<f64> for Sinh {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        sinh::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.sinh()
    }
}

impl Unary<f32> for Sinh {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        sinh::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.sinh()
    }
}

/// The hyperbolic cosine.
pub struct Cosh;

impl Unary<f64> for Cosh {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        cosh::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.cosh()
    }
}

impl Unary<f32> for Cosh {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        cosh::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.cosh()
    }
}

/// The hyperbolic tangent.
pub struct Tanh;

impl Unary<f64> for Tanh {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        tanh::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.tanh()
    }
}

impl Unary<f32> for Tanh {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        tanh::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.tanh()
    }
}
