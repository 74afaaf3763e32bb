//! `arcsinh`, `arccosh` and `arctanh`, as logarithms of 1 + something small where the result is small.
//!
//! They cost a division (and a root) more than `log1p`. Far out the first two are `log 2|x|`, as the squares in the general
//! form would overflow later on. Odd is what lies outside the domain of `arccosh` and `arctanh`.

use super::Unary;
use super::arithmetic::{is_within, size_bits};
use super::logarithm::log_of_sum;
use super::real::Real;

/// `log(1 + small)`, or `log 2x` where `far`.
#[inline(always)]
fn log1p_or_double<R: Real, const FMA: bool>(small: R, x: R, far: bool) -> R {
    let (zero, one) = (R::of(0.0), R::of(1.0));
    let near = one + small;
    let lost = small - (near - one);
    let (sum, lost, doublings) = if far { (x, zero, one) } else { (near, lost, zero) };
    log_of_sum::<R, FMA>(sum, lost, doublings)
}

/// The inverse hyperbolic sine.
pub struct Arcsinh;

impl<R: Real> Unary<R> for Arcsinh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let one = R::of(1.0);
        let a = x.size();
        let far = a > R::AREA_FAR;
        let b = if far { one } else { a };
        let square = b * b;
        let small = b + square / (one + (one + square).root());
        let value = log1p_or_double::<R, FMA>(small, a, far);
        // Zero, subnormals and infinity are their own values.
        (if (a >= R::LEAST_NORMAL) & (a < R::INFINITY) { value } else { a }).signed(x)
    }
}

/// The inverse hyperbolic cosine.
pub struct Arccosh;

impl<R: Real> Unary<R> for Arccosh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let far = x > R::AREA_FAR;
        let t = if far { R::of(1.0) } else { x - R::of(1.0) };
        let small = t + t.fma::<FMA>(t, t + t).root();
        log1p_or_double::<R, FMA>(small, x, far)
    }

    #[inline(always)]
    fn is_odd(x: R) -> bool {
        !is_within(x.bits(), R::of(1.0), R::INFINITY)
    }

    /// The root raises invalid, which the standard library's function does not; infinity and NaN are their own.
    fn slow(x: R) -> R {
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
        let small = (a + a) / (R::of(1.0) - a);
        let value = R::of(0.5) * log1p_or_double::<R, FMA>(small, R::of(1.0), false);
        (if a >= R::LEAST_NORMAL { value } else { a }).signed(x)
    }

    #[inline(always)]
    fn is_odd(x: R) -> bool {
        size_bits(x) >= R::of(1.0).bits()
    }

    /// Infinite at 1 by a division by zero, the root of a negative number beyond.
    fn slow(x: R) -> R {
        let rest = R::of(1.0) - x.size();
        if rest == R::of(0.0) { x / rest } else { rest.root() }
    }
}
