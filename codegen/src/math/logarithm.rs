//! Logarithms, `log`, `log2`, `log10` and `log1p`, by table-driven range reduction: x = 2^k m with m in [3/4, 3/2), and log m is -log r
//! plus a series in f = r m - 1, where r approximates the inverse of the multiple of 1/20 nearest to m, from a table, so |f| < 0.035.
//! Near one r is 1 and |f| < 0.075: f is m - 1 there, and nothing cancels. A division for a shorter series would take 16 cycles for eight doubles, eleven terms
//! take less than half of it. Singles do with nine terms in m - 1 itself, without a table; to bases 2 and 10 with five, beside
//! sixteenths of an octave. Zero, negative numbers, infinity and subnormals take the slow path: the C library raises their flags.

use super::Unary;
use super::arithmetic::{is_single, is_within, octave, poly, sum_with_one};
use super::real::{DoubleWord, Number, Real, Word};
use crate::Table;
use std::f64::consts::{LOG2_E, LOG10_2, LOG10_E};

/// A positive normal number as its exponent of 2, the rest of it, and which entry of the tables belongs to that.
#[inline(always)]
pub(super) fn parts<R: Real, const FMA: bool>(x: R) -> (R, R, R::Word) {
    let m = x.mantissa();
    let twentieths = m.fma::<FMA>(R::of(20.0), R::literal(R::Number::MAGIC));
    (x.exponent() - m.exponent(), m, twentieths.bits())
}

/// `r m - 1`, rounded once: entries of the table have half a mantissa.
#[inline(always)]
pub(super) fn rest<R: Real, const FMA: bool>(m: R, r: R) -> R {
    let one = R::of(1.0);
    if FMA {
        return m.fma::<true>(r, -one);
    }
    let high = R::from_bits(m.bits() & R::Word::of(R::Number::UPPER_HALF));
    (high * r - one) + (m - high) * r
}

/// The constants of a logarithm to one base.
struct Base<R: Real> {
    /// The logarithm of 2, its first part exact in products with exponents.
    two: DoubleWord<R>,
    /// The factor of f, rounded.
    factor: R,
    /// The tables of -log r.
    tables: (Table, Table),
    /// The logarithm of 1 + f less the factor times f, by f: the series.
    series: &'static [R::Number],
}

/// The logarithm of a positive normal double, the large parts added last.
#[inline(always)]
fn of_double<R: Real, const FMA: bool>(x: R, base: Base<R>) -> R {
    let (k, m, index) = parts::<R, FMA>(x);
    let f = rest::<R, FMA>(m, R::entry(Table::Inverses, index));
    let high = k.fma::<FMA>(base.two.0, R::entry(base.tables.0, index));
    let low = k.fma::<FMA>(base.two.1, R::entry(base.tables.1, index));
    let low = f.fma::<FMA>(poly::<R, FMA>(f, base.series), low);
    high + f.fma::<FMA>(base.factor, low)
}

/// `log(sum + lost)`, where `lost` is the rounding error of the sum.
#[inline(always)]
pub(super) fn log_of_sum<R: Real, const FMA: bool>(sum: R, lost: R) -> R {
    // The exponent's negative, which scales, and multiplies negative constants.
    let m = sum.mantissa();
    let down = m.exponent() - sum.exponent();
    let two = R::parts(R::Number::LN2);
    let (two, two_low) = (-two.0, -two.1);
    if is_single::<R>() {
        let f = m - R::of(1.0);
        let c = lost.scaled(down);
        let tail = (f * f).fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG_PLAIN), c.fma::<FMA>(f.fma::<FMA>(f, -f), c));
        let low = down.fma::<FMA>(two_low, tail);
        return down.fma::<FMA>(two, f + low);
    }
    let (_, _, index) = parts::<R, FMA>(sum);
    let r = R::entry(Table::Inverses, index);
    let f = rest::<R, FMA>(m, r);
    // log(1 + f + c) = log(1 + f) + c / (1 + f), of which the quotient is wanted to a few bits.
    let c = lost.scaled(down) * r;
    let high = down.fma::<FMA>(two, R::entry(Table::LogHigh, index));
    let low = down.fma::<FMA>(two_low, R::entry(Table::LogLow, index));
    let series = f.fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG_STEP), -c);
    high + (f + f.fma::<FMA>(series, low + c))
}

/// `log(sum + lost)` for singles of 5/4 or more: sixteen inverses beside numbers from 1 to 2 do, as no logarithm cancels there.
#[inline(always)]
pub(super) fn log_of_large<R: Real, const FMA: bool>(sum: R, lost: Option<R>) -> R {
    let k = sum.exponent();
    let index = sum.bits() >> (R::Number::MANTISSA - 4);
    let inverse = R::entry(Table::OctaveInverses, index);
    let high = k.fma::<FMA>(R::literal(R::Number::LN2.0), R::entry(Table::OctaveLogHigh, index));
    let low = k.fma::<FMA>(R::literal(R::Number::LN2.1), R::entry(Table::OctaveLogLow, index));
    let (f, low) = match lost {
        None => (rest::<R, FMA>(octave(sum), inverse), low),
        Some(lost) => {
            let inverse = inverse.scaled(-k);
            (rest::<R, FMA>(sum, inverse), lost.fma::<FMA>(inverse, low))
        }
    };
    high + (f + (f * f).fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG_STEP), low))
}

/// `r m - 1` for a positive normal single with the mantissa m in [1, 2), r about its inverse, and bits that end in the entry of
/// the tables that belongs to that: their entries take four terms off the polynomial in m - 1.
#[inline(always)]
fn sixteenth_parts<R: Real, const FMA: bool>(x: R) -> (R, R::Word) {
    let index = x.bits() >> (R::Number::MANTISSA - 4);
    let (m, r) = (octave(x), R::entry(Table::Inverses, index));
    let one = R::of(1.0);
    let f = if FMA { m.fma::<true>(r, -one) } else { R::from_double(m.double() * r.double() - one.double()) };
    (f, index)
}

/// A positive normal single as its exponent k and m - 1, m in [3/4, 3/2): for polynomials in m - 1 itself, as a division is
/// worth twenty of their terms here.
#[inline(always)]
fn plain_parts<R: Real>(x: R) -> (R, R) {
    let m = x.mantissa();
    (x.exponent() - m.exponent(), m - R::of(1.0))
}

/// Whether `x` is anything but a positive finite number.
#[inline(always)]
fn is_not_positive_finite<R: Real>(x: R) -> R::Mask {
    let least = R::from_bits(R::Word::of(1));
    !is_within(x.bits(), least, R::literal(R::Number::INFINITY))
}

/// The natural logarithm.
pub struct Log;

impl<R: Real> Unary<R> for Log {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (k, f) = plain_parts(x);
            let tail = f * f * poly::<R, FMA>(f, R::Number::LOG_PLAIN);
            let low = k.fma::<FMA>(R::literal(R::Number::LN2.1), tail);
            return k.fma::<FMA>(R::literal(R::Number::LN2.0), f + low);
        }
        let (k, m, index) = parts::<R, FMA>(x);
        let f = rest::<R, FMA>(m, R::entry(Table::Inverses, index));
        let high = k.fma::<FMA>(R::literal(R::Number::LN2.0), R::entry(Table::LogHigh, index));
        let low = k.fma::<FMA>(R::literal(R::Number::LN2.1), R::entry(Table::LogLow, index));
        high + (f + (f * f).fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG_STEP), low))
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        x.is_not_positive_normal()
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_positive_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        value.log_limited(x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().ln())
    }
}

/// The logarithm to base 2; exact at powers of two.
pub struct Log2;

impl<R: Real> Unary<R> for Log2 {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (f, index) = sixteenth_parts::<R, FMA>(x);
            let high = x.exponent() + R::entry(Table::Log2High, index);
            return f.fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG2_STEP), high);
        }
        let base = Base {
            two: (R::of(1.0), R::of(0.0)),
            factor: R::of(LOG2_E),
            tables: (Table::Log2High, Table::Log2Low),
            series: R::Number::LOG2_STEP,
        };
        of_double::<R, FMA>(x, base)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        x.is_not_positive_normal()
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_positive_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        value.log_limited(x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().log2())
    }
}

/// The logarithm to base 10.
pub struct Log10;

impl<R: Real> Unary<R> for Log10 {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        if is_single::<R>() {
            let (f, index) = sixteenth_parts::<R, FMA>(x);
            let high = x.exponent().fma::<FMA>(R::of(LOG10_2), R::entry(Table::Log10High, index));
            return f.fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG10_STEP), high);
        }
        let base = Base {
            two: R::parts(R::Number::LOG10_2),
            factor: R::of(LOG10_E),
            tables: (Table::Log10High, Table::Log10Low),
            series: R::Number::LOG10_STEP,
        };
        of_double::<R, FMA>(x, base)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        x.is_not_positive_normal()
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_positive_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        value.log_limited(x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().log10())
    }
}

/// `log(1 + x)`, accurate near zero too.
pub struct Log1p;

impl<R: Real> Unary<R> for Log1p {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (sum, lost) = sum_with_one(x);
        let value = log_of_sum::<R, FMA>(sum, lost);
        // Zero keeps its sign.
        value.copysign(x)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        (R::of(1.0) + x).is_not_positive_normal()
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_positive_finite(R::of(1.0) + x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        value.log_limited(R::of(1.0) + x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().ln_1p())
    }
}
