//! Logarithms of sums of exponentials, `logaddexp` and `logaddexp2`: the larger argument, plus `log(1 + e^d)`, where d <= 0 is the difference.
//!
//! The second term is at most log 2, so the error is below 2 ulp of the larger of the argument and one; where the two cancel, digits are
//! lost, as in NumPy's formula. Infinite arguments take the slow path: their difference would be invalid.

use super::Binary;
use super::Unary;
use super::arithmetic::{abs_bits, sum_with_one};
use super::exponential::{Exp, Exp2};
use super::logarithm::log_of_sum;
use super::real::{Number, Real, Word};
use std::f64::consts::{LN_2, LOG2_E};
use std::hint::black_box;

/// The larger argument, and the negative distance of the other one.
#[inline(always)]
fn larger_and_distance<R: Real>(x: R, y: R) -> (R, R) {
    let d = x - y;
    let first = d.above(R::of(0.0));
    (R::select(first, x, y), R::select(first, -d, d))
}

/// `log(1 + t)` for t from 0 to 1.
#[inline(always)]
fn log1p<R: Real, const FMA: bool>(t: R) -> R {
    let (sum, lost) = sum_with_one(t);
    log_of_sum::<R, FMA>(sum, lost)
}

/// Whether an argument is infinite or nan.
#[inline(always)]
fn is_special<R: Real>(x: R, y: R) -> R::Mask {
    abs_bits(x).larger(abs_bits(y)).reaches(R::literal(R::Number::INFINITY).bits())
}

/// The sum for such arguments: the larger one, or NaN, of which NumPy's comparison is invalid.
#[inline(always)]
fn special<R: Real>(x: R, y: R) -> R {
    let (zero, infinity) = (R::of(0.0), R::literal(R::Number::INFINITY));
    let is_nan = x.is_nan() | y.is_nan();
    let (first, second) = R::select_pair(is_nan, (infinity, infinity), (x, y));
    let larger = R::select(first.above(second), first, second);
    let nothing = R::select(is_nan, infinity, zero);
    // The second term of the others is zero, which -0 becomes.
    R::select(is_nan, nothing + -nothing, larger + zero)
}

/// `slow` of both functions: `equal` is added to equal arguments, `rest` computes the second term.
fn of_special<R: Number>(x: R, y: R, equal: f64, rest: impl FnOnce(R) -> R) -> R {
    if x == y {
        return x + R::of(equal); // infinities of one sign
    }
    let (larger, d) = larger_and_distance(x, y);
    if d.is_nan() {
        // NumPy's comparison of it is invalid. A sum that the compiler cannot see raises the flag.
        black_box(black_box(R::INFINITY) - R::INFINITY);
        return d;
    }
    larger + rest(d)
}

/// `log(e^x + e^y)`.
pub struct Logaddexp;

impl<R: Real> Binary<R> for Logaddexp {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R, y: R) -> R {
        let (larger, d) = larger_and_distance(x, y);
        larger + log1p::<R, FMA>(Exp::fast::<FMA>(d))
    }

    #[inline(always)]
    fn needs_slow_path(x: R, y: R) -> R::Mask {
        is_special(x, y)
    }

    #[inline(always)]
    fn is_special(x: R, y: R) -> R::Mask {
        is_special(x, y)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R, y: R) -> R {
        R::select(is_special(x, y), special(x, y), value)
    }

    fn slow(x: R, y: R) -> R
    where
        R: Number,
    {
        of_special(x, y, LN_2, |d| R::of(d.wide().exp().ln_1p()))
    }
}

/// `log2(2^x + 2^y)`; exact for equal arguments.
pub struct Logaddexp2;

impl<R: Real> Binary<R> for Logaddexp2 {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R, y: R) -> R {
        let (larger, d) = larger_and_distance(x, y);
        let rest = R::of(LOG2_E) * log1p::<R, FMA>(Exp2::fast::<FMA>(d));
        larger + R::select(d.equals(R::of(0.0)), R::of(1.0), rest)
    }

    #[inline(always)]
    fn needs_slow_path(x: R, y: R) -> R::Mask {
        is_special(x, y)
    }

    #[inline(always)]
    fn is_special(x: R, y: R) -> R::Mask {
        is_special(x, y)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R, y: R) -> R {
        R::select(is_special(x, y), special(x, y), value)
    }

    fn slow(x: R, y: R) -> R
    where
        R: Number,
    {
        of_special(x, y, 1.0, |d| R::of(LOG2_E * d.wide().exp2().ln_1p()))
    }
}
