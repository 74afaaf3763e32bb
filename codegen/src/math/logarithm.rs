//! `log`, `log2`, `log10` and `log1p`: x = 2^k m with m in [sqrt(1/2), sqrt 2), and log m as a series in s = f/(2+f), f = m-1.
//!
//! One division an element bounds the speed of doubles (0.7 ns); a polynomial in f without it needs 22 terms. Singles do with
//! nine, and have one. Zero, negative numbers, infinity and subnormals are odd: the C library raises their flags.

use super::Unary;
use super::arithmetic::{exponent_of, is_single, poly, size_bits};
use super::real::{Number, Parts, Real, Word};

/// A positive normal number as its exponent k and m - 1, and 2^(1-k) for who needs it.
#[inline(always)]
pub(super) fn parts<R: Real>(x: R) -> (R, R, R) {
    let begin = R::Word::of(R::Number::ROOT_HALF_BITS);
    let one = R::of(1.0).bits();
    let mantissa = (R::Word::of(1) << R::Number::MANTISSA).minus(R::Word::of(1));
    let moved = x.bits().plus(one.minus(begin));
    let m = R::from_bits((moved & mantissa).plus(begin));
    // One power more than 2^-k, so that it is zero and not out of range at the largest x.
    let unscale = R::Word::of(2 * R::Number::BIAS + 1).minus(moved >> R::Number::MANTISSA);
    (exponent_of(moved), m - R::of(1.0), R::from_bits(unscale << R::Number::MANTISSA))
}

/// `s (f^2/2 + R)` and `f^2/2`, where log(1+f) = f - (f^2/2 - s (f^2/2 + R)): the series starts after what is exact.
#[inline(always)]
fn series<R: Real, const FMA: bool>(f: R) -> (R, R) {
    let s = f / (R::of(2.0) + f);
    let z = s * s;
    let half_square = R::of(0.5) * f * f;
    (s * z.fma::<FMA>(poly::<R, FMA>(z, R::Number::LOG), half_square), half_square)
}

/// `k log 2 + log(1 + f)`, the large parts added last.
#[inline(always)]
fn natural<R: Real, const FMA: bool>(k: R, f: R) -> R {
    let (tail, half_square) = series::<R, FMA>(f);
    let low = half_square - k.fma::<FMA>(R::literal(R::Number::LN2.1), tail);
    k.fma::<FMA>(R::literal(R::Number::LN2.0), f - low)
}

/// `log(sum + lost) + doublings * log 2`, where `lost` is what was rounded off the sum.
#[inline(always)]
pub(super) fn log_of_sum<R: Real, const FMA: bool>(sum: R, lost: R, doublings: R) -> R {
    if is_single::<R>() {
        let (k, f) = plain_parts(sum);
        let c = lost.scaled(-k);
        let tail = (f * f).fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG_PLAIN), c.fma::<FMA>(f.fma::<FMA>(f, -f), c));
        let k = k + doublings;
        let low = k.fma::<FMA>(R::literal(R::Number::LN2.1), tail);
        return k.fma::<FMA>(R::literal(R::Number::LN2.0), f + low);
    }
    let (k, f, twice_unscale) = parts(sum);
    let k = k + doublings;
    let (tail, half_square) = series::<R, FMA>(f);
    // log(1 + f + c) = log(1 + f) + c / (1 + f), of which the quotient is wanted to a few bits.
    let c = lost * (R::of(0.5) * twice_unscale);
    let c = c.fma::<FMA>(f.fma::<FMA>(f, -f), c);
    let low = half_square - k.fma::<FMA>(R::literal(R::Number::LN2.1), tail + c);
    k.fma::<FMA>(R::literal(R::Number::LN2.0), f - low)
}

/// `log(1 + f)` times a constant in two parts, plus `k` times another: the products of leading parts are exact.
#[inline(always)]
fn to_base<R: Real, const FMA: bool>(k: R, f: R, inverse: Parts<R>, unit: Parts<R>) -> R {
    let (tail, half_square) = series::<R, FMA>(f);
    // Half a mantissa of it: what the masked bits held joins the lower part.
    let high = R::from_bits((f - half_square).bits() & R::Word::of(R::Number::UPPER_HALF));
    let low = (f - high) - half_square + tail;
    let main = high * inverse.0;
    let rest = (low + high).fma::<FMA>(inverse.1, low * inverse.0);
    let rest = k.fma::<FMA>(unit.1, rest);
    let whole = k * unit.0;
    let sum = whole + main;
    sum + (rest + ((whole - sum) + main))
}

/// A positive normal single as its exponent k and m - 1, m in [3/4, 3/2): for polynomials in m - 1 itself, as a division is
/// worth twenty of their terms here.
#[inline(always)]
fn plain_parts<R: Real>(x: R) -> (R, R) {
    let m = x.mantissa();
    (x.exponent() - m.exponent(), m - R::of(1.0))
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
        let (k, f, _) = parts(x);
        natural::<R, FMA>(k, f)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        x.is_unusual()
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
            let (k, f) = plain_parts(x);
            return f.fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG2_PLAIN), k);
        }
        let (k, f, _) = parts(x);
        to_base::<R, FMA>(k, f, R::parts(R::Number::INV_LN2), (R::of(1.0), R::of(0.0)))
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        x.is_unusual()
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
            // Of a sum that is rounded: 2 ulp.
            let (k, f) = plain_parts(x);
            return f.fma::<FMA>(poly::<R, FMA>(f, R::Number::LOG2_PLAIN), k) * R::of(std::f64::consts::LOG10_2);
        }
        let (k, f, _) = parts(x);
        to_base::<R, FMA>(k, f, R::parts(R::Number::INV_LN10), R::parts(R::Number::LOG10_2))
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        x.is_unusual()
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
        let sum = R::of(1.0) + x;
        let value = log_of_sum::<R, FMA>(sum, x - (sum - R::of(1.0)), R::of(0.0));
        // Zero keeps its sign.
        value.signed(x)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        x.bits().reaches(R::of(-1.0).bits()) | size_bits(x).reaches(R::literal(R::Number::INFINITY).bits())
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().ln_1p())
    }
}
