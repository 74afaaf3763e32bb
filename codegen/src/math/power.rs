//! `power`: 2^(y log2 |x|), with the logarithm in double-word precision, and the sign of odd powers of negative numbers.
//!
//! The result's relative error is the absolute error of `y log2 x`, which may be as large as 1074: so the logarithm needs 64
//! good bits (`f32`: 31). With a table its series is so short that its first term alone is carried in a pair (Dekker 1971).
//! Without fused multiply-add that arithmetic triples; there the C library computes every element.
//!
//! The slow path takes subnormal, infinite or NaN x, y beyond the range of the integer tests, a negative x with a y that is not an
//! integer, -0, and 0 to a power that is not a positive normal number.

use super::Binary;
use super::arithmetic::{abs_bits, first_nan, is_negative, is_single, last_as_sign, poly, sign_bit, turned};
use super::exponential::{magic_sixteenths, power};
use super::real::{DoubleWord, Number, Real, Word};
use crate::Table;
use std::hint::black_box;

/// Intervals of the mantissa per unit.
const INTERVALS: f64 = 19.5;
/// Any number to a power below this is one.
const VERY_SMALL: f64 = 5e-20;

/// A logarithm as `head * factor + change * by + a * b`, the second term small beside the first and the last beside both.
struct Sum<R: Real> {
    head: R,
    factor: R,
    change: R,
    by: R,
    rest: DoubleWord<R>,
}

/// `log2 a` for positive normal `a` as a float and a correction, good to 2^-64 (`f32`: 2^-31); only for machines that fuse.
///
/// The interval of m, which decides what it is multiplied by, has one as a bound, so that it also tells whether m is below:
/// the table's logarithms have that one in them by which the exponent of `a` is less then.
#[inline(always)]
fn log2_pair<R: Real>(a: R) -> DoubleWord<R> {
    let m = a.mantissa();
    let index = m.fma::<true>(R::of(INTERVALS), R::literal(R::Number::MAGIC)).bits();
    // Exact: entries have five bits, and what is left has lost four.
    let f = m.fma::<true>(R::entry(Table::PowerInverses, index), -R::of(1.0));
    let Sum { head, factor, change, by, rest } = if is_single::<R>() { series_single(f) } else { series(f) };
    // What is added to the whole part is smaller, unless that is zero; so the difference is exact, and what it lacks of the product too.
    let whole = a.exponent() + R::entry(Table::PowerLog2High, index);
    let sum = head.fma::<true>(factor, whole);
    let lost = head.fma::<true>(factor, whole - sum);
    let low = lost + rest.0.fma::<true>(rest.1, R::entry(Table::PowerLog2Low, index));
    (sum, change.fma::<true>(by, low))
}

/// `log2(1 + f)` by the series in s = f/(2+f): its second term is a four thousandth of the first.
#[inline(always)]
fn series<R: Real>(f: R) -> Sum<R> {
    let (one, two) = (R::of(1.0), R::of(2.0));
    let inverse = one / (two + f);
    let s = f * inverse;
    // The inner difference is exact.
    let s_low = s.fma::<true>(-f, s.fma::<true>(-two, f)) * inverse;
    let z = s * s;
    let change = (s * z).fma::<true>(poly::<R, true>(z, R::Number::LOG_TAIL), s_low.fma::<true>(z, s_low));
    let (factor, factor_low) = R::parts(R::Number::TWO_INV_LN2);
    Sum { head: s, factor, change, by: factor, rest: (s, factor_low) }
}

/// The same by the series in f, of which the first two terms need a second part: beside one, what is wrong with them is multiplied by
/// as much as 128.
#[inline(always)]
fn series_single<R: Real>(f: R) -> Sum<R> {
    let (base, base_low) = R::parts(R::Number::TWO_INV_LN2);
    let (base, base_low) = (base * R::of(0.5), base_low * R::of(0.5));
    let square = f * f;
    let u = square.fma::<true>(R::of(-0.5), f);
    let u_low = square.fma::<true>(R::of(-0.5), f - u);
    let change = square.fma::<true>(poly::<R, true>(f, R::Number::LOG_TAIL), base_low);
    Sum { head: u, factor: base, change, by: f, rest: (u_low, base) }
}

/// `2^(y (l + low))`; overflow raises its flag.
#[inline(always)]
fn exponential<R: Real>(y: R, l: R, low: R) -> R {
    let sixteenths = y.fma::<true>(l + low, magic_sixteenths());
    let k = sixteenths - magic_sixteenths();
    // What is left of the product is small, so that one rounding does. Beyond all powers there are no sixteenths, and any number does.
    let r = y.fma::<true>(low, y.fma::<true>(l, -k)).bounded(R::of(1.0));
    power::<R, true>(sixteenths, poly::<R, true>(r, R::Number::EXP2_STEP)).scaled(k)
}

/// Whether `x` is positive zero.
#[inline(always)]
fn is_zero<R: Real>(x: R) -> R::Mask {
    x.bits().equals(R::Word::of(0))
}

/// Whether `y` is an integer, within the range of the test.
#[inline(always)]
fn is_whole<R: Real>(y: R) -> R::Mask {
    let magic = R::literal(R::Number::MAGIC);
    ((y + magic) - magic).equals(y)
}

/// Whether `y` is beyond the range of the integer test, or NaN.
#[inline(always)]
fn is_beyond<R: Real>(y: R) -> R::Mask {
    abs_bits(y).above(R::literal(R::Number::POWER_LARGEST).bits())
}

/// Whether `x` is zero or infinite and `y` in the range of the integer test.
#[inline(always)]
fn is_end_in_range<R: Real>(x: R, y: R) -> R::Mask {
    let size = abs_bits(x);
    (size.equals(R::Word::of(0)) | size.equals(R::literal(R::Number::INFINITY).bits())) & !is_beyond(y)
}

/// Whether `x` is a negative normal number and `y` no integer, which its test can tell.
#[inline(always)]
fn is_root_of_negative<R: Real>(x: R, y: R) -> R::Mask {
    is_negative(x) & !x.abs().is_not_positive_normal() & !is_whole(y) & !is_beyond(y)
}

/// One over zero, with its flag. A call, because the compiler ignores flags and would divide before the branch.
#[cold]
#[inline(never)]
fn pole<R: Number>(zero: R) -> R {
    R::of(1.0) / black_box(zero)
}

/// `x` to the power `y`.
pub struct Power;

impl<R: Real> Binary<R> for Power {
    const FUSED_ONLY: bool = true;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R, y: R) -> R {
        // The logarithm of zero would underflow in an intermediate step.
        let zero = is_zero(x);
        let y_is_odd = last_as_sign::<R>((y + R::literal(R::Number::MAGIC)).bits());
        let (l, l_low) = log2_pair(R::select(zero, R::of(1.0), x.abs()));
        // Exponents so small would underflow in the products.
        let y = R::select(y.abs().below(R::of(VERY_SMALL)), R::of(0.0), y);
        let value = R::select(zero, R::of(0.0), exponential(y, l, l_low));
        turned(value, x.bits() & y_is_odd)
    }

    #[inline(always)]
    fn needs_slow_path(x: R, y: R) -> R::Mask {
        let whole = is_whole(y);
        let negative = x.bits().reaches(sign_bit(-R::of(1.0)));
        // Of zero it is the power that must be positive.
        let not_positive_normal = R::select(is_zero(x), y, x.abs()).is_not_positive_normal();
        not_positive_normal | is_beyond(y) | (negative & !whole)
    }

    #[inline(always)]
    fn is_special(x: R, y: R) -> R::Mask {
        x.is_nan() | y.is_nan() | is_end_in_range(x, y) | is_root_of_negative(x, y)
    }

    /// One quotient: of NaN itself, unless one is to any power, or anything to the power zero; the power of zero or infinity, or one over it.
    #[inline(always)]
    fn with_specials(value: R, x: R, y: R) -> R {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        // Zero or infinity with the sign that its power has.
        let is_odd = last_as_sign::<R>((y + R::literal(R::Number::MAGIC)).bits());
        let end = R::select(is_whole(y), R::from_bits(abs_bits(x) | (sign_bit(x) & is_odd)), x.abs());
        let of_end = R::select_pair(is_negative(y), (one, end), (end, one));
        let (top, bottom) = R::select_pair(is_root_of_negative(x, y), (zero, zero), (value, one));
        let (top, bottom) = R::select_pair(is_end_in_range(x, y), of_end, (top, bottom));
        let (top, bottom) = R::select_pair(x.is_nan() | y.is_nan(), (first_nan(x, y), one), (top, bottom));
        let is_one = x.bits().equals(one.bits()) | abs_bits(y).equals(R::Word::of(0));
        R::select(is_one, one, top / bottom)
    }

    fn slow(x: R, y: R) -> R
    where
        R: Number,
    {
        if (x == R::of(0.0)) & (y == -R::INFINITY) {
            return pole(x.abs()); // which the C library may pass over
        }
        R::of(x.wide().powf(y.wide()))
    }
}
