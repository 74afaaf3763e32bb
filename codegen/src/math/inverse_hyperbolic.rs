//! Inverse hyperbolic functions: `arcsinh` and `arccosh` as logarithms, in the form log(1 + small) where the result is small (singles use
//! series there); `arctanh` by its addition theorem.
//!
//! Arguments outside the domain of `arccosh` and `arctanh` take the slow path, and so do those whose squares would overflow.

use super::Unary;
use super::arithmetic::{
    abs_bits, fast_two_sum, first_nan, invalid_where, is_negative, is_not_finite, is_single, is_within,
    near_root_parts, poly, product_parts, root_parts, sum_with_one, two_sum,
};
use super::logarithm::{log_of_large, log_of_sum};
use super::real::{DoubleWord, Number, Real, Word};
use crate::Table;
use std::f64::consts::{LN_2, SQRT_2};

/// Below this the fifth power is negligible beside the argument, in doubles.
const SERIES_END: f64 = 1.0 / 8192.0;

/// The logarithm of twice a number too large to square, infinity or nan, through its square root, which cannot overflow.
fn log_of_twice<R: Number>(size: R) -> R {
    R::of(2.0 * (size.wide().sqrt() * SQRT_2).ln())
}

/// `log(1 + small + low)`.
#[inline(always)]
fn log1p<R: Real, const FMA: bool>((small, low): DoubleWord<R>) -> R {
    let (near, lost) = sum_with_one(small);
    log_of_sum::<R, FMA>(near, lost + low)
}

/// `a + sqrt(1 + a^2)` for singles, and the rounding error of the sum.
#[inline(always)]
fn sum_with_root<R: Real, const FMA: bool>(a: R) -> DoubleWord<R> {
    let one = R::of(1.0);
    if !FMA {
        let a = a.double();
        let sum = a + (a * a + R::Double::of(1.0)).sqrt();
        let high = R::from_double(sum);
        return (high, R::from_double(sum - high.double()));
    }
    let under = a.fma::<true>(a, one);
    let (root, root_low) = root_parts::<R, true>(under, a.fma::<true>(a, one - under));
    let (sum, lost) = fast_two_sum(root, a);
    (sum, lost + root_low)
}

/// The inverse hyperbolic sine.
pub struct Arcsinh;

impl<R: Real> Unary<R> for Arcsinh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let one = R::of(1.0);
        let a = x.abs();
        if is_single::<R>() {
            // Bounded, as powers of large numbers would overflow.
            let b = a.bounded(R::of(0.25));
            let z = b * b;
            let near = (b * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ASINH), b);
            let (sum, lost) = sum_with_root::<R, FMA>(a);
            let value = log_of_large::<R, FMA>(sum, Some(lost));
            return R::select(a.below(R::of(0.25)), near, value).copysign(x);
        }
        let (square, square_low) = product_parts::<R, FMA>(a, a);
        let (under, under_low) = sum_with_one(square);
        let value = if FMA {
            // Of a + sqrt(1 + a^2) itself, with what each step loses.
            let (root, root_low) = near_root_parts::<R, FMA>(under, under_low + square_low);
            let (sum, lost) = fast_two_sum(root, a);
            log_of_sum::<R, FMA>(sum, lost + root_low)
        } else {
            log1p::<R, FMA>(fast_two_sum(a, square / (under.sqrt() + one)))
        };
        // Small numbers by the first terms of the series.
        let near = (a * square).fma::<FMA>(R::of(-1.0 / 6.0), a);
        R::select(a.below(R::of(SERIES_END)), near, value).copysign(x)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        abs_bits(x).above(R::literal(R::Number::ASINH_MAX).bits())
    }

    /// NaN and infinities, which are their own values.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        R::select(is_not_finite(x), x + R::of(0.0), value)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        log_of_twice(x.abs()).copysign(x)
    }
}

/// The inverse hyperbolic cosine.
pub struct Arccosh;

impl<R: Real> Unary<R> for Arccosh {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let t = x - R::of(1.0);
        if is_single::<R>() {
            // The root of 2t times a series, or the logarithm of x + sqrt(x^2 - 1).
            let near = t.below(R::of(0.5));
            let root = R::select(near, t + t, t.fma::<FMA>(t, t + t)).sqrt();
            let value = log_of_large::<R, FMA>(x + root, None);
            // Bounded, as powers of large numbers would overflow.
            let series = poly::<R, FMA>(t.bounded(R::of(0.5)), R::Number::ACOSH);
            return R::select(near, root * series, value);
        }
        // t + sqrt(t^2 + 2t), each step with what it loses.
        let (square, square_low) = product_parts::<R, FMA>(t, t);
        let (under, under_low) = two_sum(t + t, square);
        let (root, root_low) = root_parts::<R, FMA>(under, under_low + square_low);
        let (small, low) = fast_two_sum(root, t);
        log1p::<R, FMA>((small, low + root_low))
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        !is_within(x.bits(), R::of(1.0), R::literal(R::Number::ASINH_MAX))
    }

    /// NaN, infinity, and what is below one.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        !is_within(x.bits(), R::of(1.0), R::literal(R::Number::INFINITY))
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        let value = invalid_where(is_negative(x - R::of(1.0)), value);
        R::select(is_not_finite(x) & !is_negative(x), x + R::of(0.0), value)
    }

    /// The root raises invalid, which the standard library's function does not.
    fn slow(x: R) -> R
    where
        R: Number,
    {
        if x < R::of(1.0) { (x - R::of(1.0)).sqrt() } else { log_of_twice(x) }
    }
}

/// The same for singles, of which t may be ((1-c) + a (1+c)) / ((1+c) + a (1-c)), each rounded once, and the logarithm one number.
#[inline(always)]
fn arctanh_single<R: Real, const FMA: bool>(x: R) -> R {
    let one = R::of(1.0);
    let a = x.abs();
    let place = R::Number::MANTISSA - 3;
    let apart = (one + a).bits().wrapping_sub((one - a).bits()).wrapping_add(one.bits());
    let c = R::from_bits(apart & R::Word::of(u64::MAX << place));
    let (less, more) = (one - c, one + c);
    let product = |factor: R, sum: R| {
        if FMA { a.fma::<true>(factor, sum) } else { R::from_double(a.double() * factor.double() + sum.double()) }
    };
    let t = product(more, less) / product(less, more);
    let z = t * t;
    let half = c.exponent().fma::<FMA>(R::of(0.5 * LN_2), R::entry(Table::EighthHigh, apart >> place));
    let value = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATANH), t);
    (half + value).copysign(x)
}

/// The inverse hyperbolic tangent.
pub struct Arctanh;

impl<R: Real> Unary<R> for Arctanh {
    const SAFE_ARGUMENT: f64 = 0.5;

    /// Of (1+a) / (1-a) = c (1+t) / (1-t), where c is the quotient's first bits: half the logarithm of c, from a table, and a short
    /// series in t, which is a where c is 1. What the sum and the difference lose is carried.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            return arctanh_single::<R, FMA>(x);
        }
        let one = R::of(1.0);
        let a = x.abs();
        let (p, q) = (one + a, one - a);
        let (p_low, q_low) = (a - (p - one), (one - q) - a);
        // What floats have for logarithms is within an eighth of the quotient, and cut to as much. It is 1 a little longer: beside
        // the least logarithm that is none, t is to be small.
        let place = R::Number::MANTISSA - 3;
        let cut = p.bits().wrapping_sub(q.bits()).wrapping_add(one.bits()) & R::Word::of(u64::MAX << place);
        let c = R::select(a.below(R::of(1.0 / 16.0)), one, R::from_bits(cut));
        let index = c.bits() >> place;
        let top = if FMA {
            c.fma::<true>(-q, p)
        } else {
            let high = R::from_bits(q.bits() & R::Word::of(R::Number::UPPER_HALF));
            (p - c * high) - c * (q - high)
        };
        let (top, bottom) = (top + c.fma::<FMA>(-q_low, p_low), c.fma::<FMA>(q, p));
        let t = top / bottom;
        let z = t * t;
        let k = c.exponent();
        let (two, two_low) = R::parts(R::Number::LN2);
        let half = R::of(0.5);
        let high = k.fma::<FMA>(two * half, R::entry(Table::EighthHigh, index));
        let low = k.fma::<FMA>(two_low * half, R::entry(Table::EighthLow, index));
        let (sum, lost) = fast_two_sum(high, t);
        // What the quotient loses counts where the divisor is about 2.
        let lost = if FMA { t.fma::<true>(-bottom, top).fma::<true>(half, lost) } else { lost };
        let series = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATANH), low + lost);
        (sum + series).copysign(x)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        // Of singles 1 + c is to be exact.
        abs_bits(x).reaches(R::of(if is_single::<R>() { 0.99999 } else { 1.0 }).bits())
    }

    /// NaN, one, and what is beyond.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        abs_bits(x).reaches(R::of(1.0).bits())
    }

    /// Infinite at 1 by a division by zero, zero over zero beyond.
    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let rest = one - x.abs();
        let (top, bottom) = R::select_pair(rest.bits().equals(zero.bits()), (x, zero), (value, one));
        let (top, bottom) = R::select_pair(is_negative(rest), (zero, zero), (top, bottom));
        first_nan(x, top / bottom)
    }

    /// Infinite at 1 by a division by zero, the root of a negative number beyond.
    fn slow(x: R) -> R
    where
        R: Number,
    {
        let rest = R::of(1.0) - x.abs();
        if rest > R::of(0.0) {
            return R::of(0.5 * ((1.0 + x.abs().wide()) / rest.wide()).ln()).copysign(x);
        }
        if rest == R::of(0.0) { x / rest } else { rest.sqrt() }
    }
}
