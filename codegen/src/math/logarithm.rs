//! `log`, `log2`, `log10` and `log1p`: x = 2^k m with m in [sqrt(1/2), sqrt 2), and log m as a series in s = f/(2+f), f = m-1.
//!
//! One division an element bounds the speed (0.7 ns); a polynomial in f without it needs 22 terms and loses on AVX2, a
//! table needs a gather. Zero, negative numbers, infinity and (for `f64`) subnormals are odd: the C library raises their
//! flags.

use super::Unary;
use super::accuracy::{Accuracy, Double, Single};
use super::coefficients::{
    INV_LN2_HI, INV_LN2_LO, INV_LN10_HI, INV_LN10_LO, LN2_HI, LN2_HI_F32, LN2_LO, LN2_LO_F32,
    LOG_F32, LOG10_2_HI, LOG10_2_LO,
};
use super::fma::{fma, fma32, poly, poly32};

/// Bits of sqrt(1/2), where m begins.
const BEGIN: u64 = 0x3fe6_a09e_667f_3bcd;
/// Bits of 1.0.
const ONE: u64 = 0x3ff0_0000_0000_0000;
/// The mantissa of a double.
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;

/// A normal positive number as its exponent and `m - 1`, and the exponent as it stands in the bits (1023 more).
#[inline(always)]
pub(super) fn parts(x: f64) -> (f64, f64, u64) {
    let moved = x.to_bits().wrapping_add(ONE - BEGIN);
    let biased = moved >> 52;
    let m = f64::from_bits((moved & MANTISSA).wrapping_add(BEGIN));
    // The exponent becomes a double by being the last bits of 2^52; `as f64` from 64 bits has no instruction before AVX-512.
    let k = f64::from_bits(biased | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    (k, m - 1.0, biased)
}

/// `s (f^2/2 + R)` and `f^2/2`, where log(1+f) = f - (f^2/2 - s (f^2/2 + R)): the series starts after what is exact.
#[inline(always)]
fn series<A: Accuracy, const FMA: bool>(f: f64) -> (f64, f64) {
    let s = f / (2.0 + f);
    let z = s * s;
    let half_square = 0.5 * f * f;
    (
        s * fma::<FMA>(z, poly::<FMA>(z, A::LOG), half_square),
        half_square,
    )
}

/// `k log 2 + log(1 + f)`, the large parts added last.
#[inline(always)]
pub(super) fn natural<A: Accuracy, const FMA: bool>(k: f64, f: f64) -> f64 {
    let (tail, half_square) = series::<A, FMA>(f);
    fma::<FMA>(k, LN2_HI, f - (half_square - fma::<FMA>(k, LN2_LO, tail)))
}

/// Whether `x` has no logarithm in the fast form. NaN has.
#[inline(always)]
fn is_odd64(x: f64) -> bool {
    (x < f64::MIN_POSITIVE) | (x == f64::INFINITY)
}

/// [`is_odd64`] for singles that are computed in double, where their subnormals are ordinary.
#[inline(always)]
fn is_odd32(x: f32) -> bool {
    (x <= 0.0) | (x == f32::INFINITY)
}

/// `value`, or NaN where `x` is: the bit tricks above make a number of it.
#[inline(always)]
fn keep_nan(x: f64, value: f64) -> f64 {
    if x.is_nan() { x } else { value }
}

/// The natural logarithm.
pub struct Log;

impl Unary<f64> for Log {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        let (k, f, _) = parts(x);
        keep_nan(x, natural::<Double, FMA>(k, f))
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        is_odd64(x)
    }

    fn slow(x: f64) -> f64 {
        x.ln()
    }
}

impl Unary<f32> for Log {
    const CALM: f32 = 1.0;

    /// In single throughout, twice as fast as through double; subnormals are odd.
    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        const BEGIN: u32 = 0x3f35_04f3;
        let moved = x.to_bits().wrapping_add(0x3f80_0000 - BEGIN);
        let m = f32::from_bits((moved & 0x007f_ffff).wrapping_add(BEGIN));
        let k = f32::from_bits((moved >> 23) | 0x4b00_0000) - (8_388_608.0 + 127.0);
        let f = m - 1.0;
        let s = f / (2.0 + f);
        let z = s * s;
        let half_square = 0.5 * f * f;
        let tail = s * fma32::<FMA>(z, poly32::<FMA>(z, &LOG_F32), half_square);
        let low = half_square - fma32::<FMA>(k, LN2_LO_F32, tail);
        let value = fma32::<FMA>(k, LN2_HI_F32, f - low);
        if x.is_nan() { x } else { value }
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        (x < f32::MIN_POSITIVE) | (x == f32::INFINITY)
    }

    fn slow(x: f32) -> f32 {
        x.ln()
    }
}

/// `log(1 + f)` as a leading part of 20 bits and the rest, for products with a split constant.
#[inline(always)]
fn split<const FMA: bool>(f: f64) -> (f64, f64) {
    let (tail, half_square) = series::<Double, FMA>(f);
    let high = f64::from_bits((f - half_square).to_bits() & 0xffff_ffff_0000_0000);
    (high, (f - high) - half_square + tail)
}

/// The logarithm to base 2; exact at powers of two.
pub struct Log2;

impl Unary<f64> for Log2 {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        let (k, f, _) = parts(x);
        let (high, low) = split::<FMA>(f);
        let main = high * INV_LN2_HI;
        let rest = fma::<FMA>(low + high, INV_LN2_LO, low * INV_LN2_HI);
        let sum = k + main;
        keep_nan(x, sum + (rest + ((k - sum) + main)))
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        is_odd64(x)
    }

    fn slow(x: f64) -> f64 {
        x.log2()
    }
}

impl Unary<f32> for Log2 {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        let wide = f64::from(x);
        let (k, f, _) = parts(wide);
        let value = fma::<FMA>(natural::<Single, FMA>(0.0, f), std::f64::consts::LOG2_E, k);
        keep_nan(wide, value) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        is_odd32(x)
    }

    fn slow(x: f32) -> f32 {
        x.log2()
    }
}

/// The logarithm to base 10.
pub struct Log10;

impl Unary<f64> for Log10 {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        let (k, f, _) = parts(x);
        let (high, low) = split::<FMA>(f);
        let main = high * INV_LN10_HI;
        let rest = fma::<FMA>(low + high, INV_LN10_LO, low * INV_LN10_HI);
        let rest = fma::<FMA>(k, LOG10_2_LO, rest);
        let whole = k * LOG10_2_HI;
        let sum = whole + main;
        keep_nan(x, sum + (rest + ((whole - sum) + main)))
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        is_odd64(x)
    }

    fn slow(x: f64) -> f64 {
        x.log10()
    }
}

impl Unary<f32> for Log10 {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        let wide = f64::from(x);
        let (k, f, _) = parts(wide);
        keep_nan(
            wide,
            natural::<Single, FMA>(k, f) * std::f64::consts::LOG10_E,
        ) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        is_odd32(x)
    }

    fn slow(x: f32) -> f32 {
        x.log10()
    }
}

/// `log(1 + x)`, accurate near zero too.
pub struct Log1p;

/// `log(sum + lost) + doublings * log 2`, where `lost` is what was rounded off the sum.
#[inline(always)]
pub(super) fn log_of_sum<A: Accuracy, const FMA: bool>(sum: f64, lost: f64, doublings: f64) -> f64 {
    let (k, f, biased) = parts(sum);
    // 2^(1-k), one more than needed, so that it is zero and not out of range at the largest sum.
    let unscale = f64::from_bits(2047u64.wrapping_sub(biased) << 52);
    natural::<A, FMA>(k + doublings, f + lost * (0.5 * unscale))
}

/// `log(1 + x)` for x > -1: what 1 + x rounds away is given back.
#[inline(always)]
fn log1p<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let sum = 1.0 + x;
    let value = log_of_sum::<A, FMA>(sum, x - (sum - 1.0), 0.0);
    // Zero keeps its sign, and NaN stays.
    if x.abs() > 1e-300 { value } else { x }
}

impl Unary<f64> for Log1p {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        log1p::<Double, FMA>(x)
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        (x <= -1.0) | (x == f64::INFINITY)
    }

    fn slow(x: f64) -> f64 {
        x.ln_1p()
    }
}

impl Unary<f32> for Log1p {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        log1p::<Single, FMA>(f64::from(x)) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        (x <= -1.0) | (x == f32::INFINITY)
    }

    fn slow(x: f32) -> f32 {
        x.ln_1p()
    }
}
