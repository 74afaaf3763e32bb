//! `arcsinh`, `arccosh` and `arctanh`, as logarithms of 1 + something small where the result is small.
//!
//! They cost a division (and a root) more than `log1p`. Beyond 1e10 the first two are `log 2|x|`, as the squares in the
//! general form would overflow later on. Odd is what lies outside the domain of `arccosh` and `arctanh`.

use super::Unary;
use super::accuracy::{Accuracy, Double, Single};
use super::fma::fma;
use super::logarithm::log_of_sum;

/// From here on `log 2x` is the answer to the last bit.
const FAR: f64 = 1e10;

/// `log(1 + small)`, or `log 2x` where `far`.
#[inline(always)]
fn log1p_or_double<A: Accuracy, const FMA: bool>(small: f64, x: f64, far: bool) -> f64 {
    let near = 1.0 + small;
    let lost = small - (near - 1.0);
    let (sum, lost, doublings) = if far {
        (x, 0.0, 1.0)
    } else {
        (near, lost, 0.0)
    };
    log_of_sum::<A, FMA>(sum, lost, doublings)
}

#[inline(always)]
fn arcsinh<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let a = x.abs();
    let far = a > FAR;
    let b = if far { 1.0 } else { a };
    let square = b * b;
    let small = b + square / (1.0 + (1.0 + square).sqrt());
    let value = log1p_or_double::<A, FMA>(small, a, far);
    // Zero, infinity and NaN are their own values; below 1e-300 so is the rest.
    (if (a > 1e-300) & (a < f64::INFINITY) {
        value
    } else {
        a
    })
    .copysign(x)
}

#[inline(always)]
fn arccosh<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let far = x > FAR;
    let t = if far { 1.0 } else { x - 1.0 };
    let small = t + fma::<FMA>(t, t, 2.0 * t).sqrt();
    let value = log1p_or_double::<A, FMA>(small, x, far);
    if (x > 1.0) & (x < f64::INFINITY) {
        value
    } else if x == 1.0 {
        0.0
    } else {
        x
    }
}

#[inline(always)]
fn arctanh<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let a = x.abs();
    let small = (a + a) / (1.0 - a);
    let value = 0.5 * log1p_or_double::<A, FMA>(small, 1.0, false);
    (if a > 1e-300 { value } else { a }).copysign(x)
}

/// The inverse hyperbolic sine.
pub struct Arcsinh;

impl Unary<f64> for Arcsinh {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        arcsinh::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.asinh()
    }
}

impl Unary<f32> for Arcsinh {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        arcsinh::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.asinh()
    }
}

/// The inverse hyperbolic cosine.
pub struct Arccosh;

impl Unary<f64> for Arccosh {
    const CALM: f64 = 2.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        arccosh::<Double, FMA>(x)
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        x < 1.0
    }

    /// The root raises invalid, which std's function does not.
    fn slow(x: f64) -> f64 {
        if x < 1.0 { (x - 1.0).sqrt() } else { x.acosh() }
    }
}

impl Unary<f32> for Arccosh {
    const CALM: f32 = 2.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        arccosh::<Single, FMA>(f64::from(x)) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        x < 1.0
    }

    fn slow(x: f32) -> f32 {
        if x < 1.0 { (x - 1.0).sqrt() } else { x.acosh() }
    }
}

/// The inverse hyperbolic tangent.
pub struct Arctanh;

impl Unary<f64> for Arctanh {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        arctanh::<Double, FMA>(x)
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        x.abs() >= 1.0
    }

    /// Of the odd: infinite at 1 with a division by zero, a root of a negative number beyond.
    fn slow(x: f64) -> f64 {
        let rest = 1.0 - x.abs();
        if rest == 0.0 {
            x / rest
        } else if rest < 0.0 {
            rest.sqrt()
        } else {
            x.atanh()
        }
    }
}

impl Unary<f32> for Arctanh {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        arctanh::<Single, FMA>(f64::from(x)) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        x.abs() >= 1.0
    }

    fn slow(x: f32) -> f32 {
        let rest = 1.0 - x.abs();
        if rest == 0.0 {
            x / rest
        } else if rest < 0.0 {
            rest.sqrt()
        } else {
            x.atanh()
        }
    }
}
