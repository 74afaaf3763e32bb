//! Roots: `cbrt` and `hypot`.
//!
//! The cube root of m in [1, 2) is that of a near number, from a table, times a short series. `hypot` is
//! the plain root of the sum of squares wherever these keep within the exponent range, and the slow path elsewhere; singles are
//! squared in double, where they always do.

use super::arithmetic::{
    abs_bits, first_nan, half_inverse_root, is_not_finite, is_single, is_within, octave, poly, product_parts,
    two_product,
};
use super::logarithm::rest;
use super::real::{Number, Real, Word};
use super::{Binary, Unary};
use crate::Table;

/// The cube root of a positive normal number.
#[inline(always)]
fn cube_root<R: Real, const FMA: bool>(a: R) -> R {
    let m = octave(a);
    let index = a.bits() >> (R::Number::MANTISSA - 4);
    let f = rest::<R, FMA>(m, R::entry(Table::OctaveInverses, index));
    // A third of the exponent is q + (2j+1)/6, j = 0, 1, 2, of which the nearest quarters are q + (j+1)/4.
    let third = a.exponent().fma::<FMA>(R::of(1.0 / 3.0), R::of(1.0 / 6.0));
    let quarters = third + R::literal(R::Number::MAGIC) * R::of(0.25);
    let (root, step) = (R::entry(Table::CbrtRoots, index), R::entry(Table::CbrtSteps, quarters.bits()));
    let (near, lost) = if is_single::<R>() { (root * step, R::of(0.0)) } else { product_parts::<R, FMA>(root, step) };
    let change = (near * f).fma::<FMA>(poly::<R, FMA>(f, R::Number::CBRT), lost);
    (near + change).scaled(third)
}

/// The cube root, of negative numbers too.
pub struct Cbrt;

impl<R: Real> Unary<R> for Cbrt {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let a = x.abs();
        let value = cube_root::<R, FMA>(a).copysign(x);
        // Zero and infinity are their own roots.
        R::select(a.is_not_positive_normal(), x, value)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        // Subnormals and NaN: of what is not normal only zero and infinity have no mantissa.
        let mantissa = x.bits() & R::Word::of((1 << R::Number::MANTISSA) - 1);
        x.abs().is_not_positive_normal() & !mantissa.equals(R::Word::of(0))
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().cbrt())
    }
}

/// The length of the hypotenuse: `sqrt(x^2 + y^2)` without undue overflow.
pub struct Hypot;

impl<R: Real> Binary<R> for Hypot {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R, y: R) -> R {
        if R::Number::MANTISSA < 52 {
            let (x, y) = (x.double(), y.double());
            return R::from_double(x.fma::<FMA>(x, y * y).sqrt());
        }
        let (x, y) = (x.abs(), y.abs());
        let (large, small) = R::select_pair(x.above(y), (x, y), (y, x));
        // A leg that is negligible beside the other one would underflow.
        let small = R::select(small.below(large * R::of(1e-17)), R::of(0.0), small);
        let sum = large.fma::<FMA>(large, small * small);
        let length = sum.sqrt();
        if !FMA {
            return length;
        }
        // One step for what the squares and the root lost (Borges 2021): 0.6 ulp instead of 1.1.
        let (square, square_low) = two_product(length, length);
        let (leg, leg_low) = two_product(large, large);
        let rest = small.fma::<true>(-small, square - leg) + (square_low - leg_low);
        length - rest * half_inverse_root(sum)
    }

    #[inline(always)]
    fn needs_slow_path(x: R, y: R) -> R::Mask {
        let large = abs_bits(x).larger(abs_bits(y));
        if R::Number::MANTISSA < 52 {
            return large.reaches(R::literal(R::Number::INFINITY).bits());
        }
        !(is_within(large, R::of(1e-120), R::of(1e150)) | large.equals(R::Word::of(0)))
    }

    /// A pair with NaN or an infinity, which is longer than NaN.
    #[inline(always)]
    fn is_special(x: R, y: R) -> R::Mask {
        is_not_finite(x) | is_not_finite(y)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R, y: R) -> R {
        let infinity = R::literal(R::Number::INFINITY);
        let is_infinite = |v: R| abs_bits(v).equals(infinity.bits());
        R::select(is_infinite(x) | is_infinite(y), infinity, first_nan(x, first_nan(y, value)) + R::of(0.0))
    }

    fn slow(x: R, y: R) -> R
    where
        R: Number,
    {
        x.length(y)
    }
}
