//! `sinh` and `cosh` by the addition theorems, `tanh` by way of e^2x - 1.
//!
//! For `sinh`, |x| = k log 2 + r and it is C (h-u) + S (h+u) with h = 2^(k-1) and u = 2^(-k-1), where C and S belong to r. So one
//! formula serves all sizes, without the cancellation of `e^x - e^-x` near zero. `cosh` has none, and so the tables of `exp` for
//! e^x and e^-x, and shorter series. Arguments near or beyond overflow take the slow path in these two.

use super::Unary;
use super::arithmetic::{abs_bits, fast_two_sum, is_single, poly};
use super::exponential::{overflowing, power, power_beside, reduce, reduce_parts, to_sixteenths};
use super::real::{DoubleWord, Number, Real, Word};
use crate::Table;
use std::f64::consts::{LN_2, LOG2_E};

/// Half of e^x and half of its inverse, of singles, neither correct to the last bit.
#[inline(always)]
fn halves<R: Real, const FMA: bool>(x: R) -> DoubleWord<R> {
    let (sixteenths, k) = to_sixteenths::<R, FMA>(x);
    let p = poly::<R, FMA>(reduce::<R, FMA>(x, k), R::Number::EXP_STEP);
    let half = power::<R, FMA>(sixteenths, p).scaled(k - R::of(1.0));
    (half, R::of(0.25) / half)
}

/// The hyperbolic sine.
pub struct Sinh;

impl<R: Real> Unary<R> for Sinh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let size = x.abs();
        let (half, k) = power_beside::<R, FMA>(size, -1.0);
        // 2^(-k-1), as exponents are what bits begin with.
        let ones = R::Word::of(2 * (R::Number::BIAS - 1)) << R::Number::MANTISSA;
        let inverse = R::from_bits(ones.wrapping_sub(half.bits()));
        let (less, more) = (half - inverse, half + inverse);
        if is_single::<R>() {
            let r = reduce::<R, FMA>(size, k);
            let z = r * r;
            let s_rest = r * z * poly::<R, FMA>(z, R::Number::SINH);
            let c_less_one = z * z.fma::<FMA>(poly::<R, FMA>(z, R::Number::COSH), R::of(0.5));
            return (r.fma::<FMA>(more, less) + c_less_one.fma::<FMA>(less, s_rest * more)).copysign(x);
        }
        let (r, r_low) = reduce_parts::<R, FMA>(size, k);
        let z = r * r;
        // The series without its first term r.
        let s_rest = (r * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SINH), r_low);
        let c_less_one = z * z.fma::<FMA>(poly::<R, FMA>(z, R::Number::COSH), R::of(0.5));
        // The difference is zero or larger than the product with r; what both lose joins the small terms.
        let sum = r.fma::<FMA>(more, less);
        let lost = r.fma::<FMA>(more, less - sum) + ((half - less) - inverse);
        let small = c_less_one.fma::<FMA>(less, s_rest.fma::<FMA>(more, lost));
        (sum + small).copysign(x)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        // From here on the inverse is no normal number.
        let top = R::of(if is_single::<R>() { 86.9 } else { 707.0 });
        abs_bits(x).above(top.bits())
    }

    /// NaN, infinities, and what overflows for certain.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        abs_bits(x).above(R::literal(R::Number::SINH_MAX).bits())
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        overflowing(<Self as Unary<R>>::is_special(x), x, value)
    }

    /// The cosine where it is finite, as both are the same there and the C library's is a unit off.
    fn slow(x: R) -> R
    where
        R: Number,
    {
        if <Cosh as Unary<R>>::needs_slow_path(x) {
            return R::of(x.wide().sinh());
        }
        <Cosh as Unary<R>>::fast::<false>(x).copysign(x)
    }
}

/// The hyperbolic cosine.
pub struct Cosh;

impl<R: Real> Unary<R> for Cosh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (half, inverse) = halves::<R, FMA>(x.abs());
            return half + inverse;
        }
        // With A and B the functions of n log(2)/16, from a table: A cosh r + B sinh r.
        let size = x.abs();
        let (sixteenths, k) = to_sixteenths::<R, FMA>(size);
        let r = reduce::<R, FMA>(size, k);
        let z = r * r;
        // A quarter of each, as e^x is out of range where half of it is not.
        let (two, index) = (R::of(2.0), sixteenths.bits());
        let grown = R::entry(Table::Powers, index).scaled(k - two);
        let shrunk = R::entry(Table::PowersBack, index).scaled(-(k + two));
        let (a, lost) = fast_two_sum(grown, shrunk);
        let rest = (grown - shrunk).fma::<FMA>(r * poly::<R, FMA>(z, R::Number::SINH_STEP), lost);
        let half = a + a.fma::<FMA>(poly::<R, FMA>(z, R::Number::COSH_STEP), rest);
        half + half
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        abs_bits(x).above(R::literal(R::Number::SINH_MAX).bits())
    }

    /// NaN, infinities, and what overflows for certain.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        abs_bits(x).above(R::literal(R::Number::SINH_MAX).bits())
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        overflowing(<Self as Unary<R>>::is_special(x), x.abs(), value)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().cosh())
    }
}

/// The hyperbolic tangent.
pub struct Tanh;

impl<R: Real> Unary<R> for Tanh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        // E / (E + 1) with E = (e^2x - 1) / 2 = (2^k (e^2r - 1) + (2^k - 1)) / 2: 2 ulp. From 22 on it is 1. The multiple of
        // log 2 may be off by a few units, as its effect shrinks faster than they grow.
        let (one, half) = (R::of(1.0), R::of(0.5));
        let x = x.bounded(R::of(22.0));
        let magic = R::literal(R::Number::MAGIC) + R::of(R::Number::BIAS as f64);
        let shifted = x.fma::<FMA>(R::of(2.0 * LOG2_E), magic);
        let r = (shifted - magic).fma::<FMA>(R::of(-0.5 * LN_2), x);
        let rest = (r * r).fma::<FMA>(poly::<R, FMA>(r, R::Number::EXP_TWICE), r);
        let power = R::from_bits(shifted.bits() << R::Number::MANTISSA);
        let e = power.fma::<FMA>(rest, power.fma::<FMA>(half, -half));
        (e / (e + one)).copysign(x)
    }
}
