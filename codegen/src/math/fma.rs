//! Multiply-add and the bit tricks every elementary function is built from.
//!
//! Each is one straight line of arithmetic that LLVM vectorises at any width. `FMA` says whether the surrounding code is
//! compiled for a machine that fuses: `mul_add` elsewhere is a call into libm (some 20 ns an element, and no vectors),
//! so it is written only here. What is computed with these pieces is left to the files named after functions.

/// `a * b + c`: rounded once where `FMA`, twice otherwise. The callers keep their error bounds both ways.
#[inline(always)]
pub(super) fn fma<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// [`fma`] in single.
#[inline(always)]
pub(super) fn fma32<const FMA: bool>(a: f32, b: f32, c: f32) -> f32 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The polynomial with coefficients `c`, lowest power first, at `x`, by Horner's rule.
///
/// Horner's chain is long, but iterations of the surrounding loop overlap in the machine; Estrin's scheme spends more
/// instructions to shorten a latency that is already hidden.
#[inline(always)]
pub(super) fn poly<const FMA: bool>(x: f64, c: &[f64]) -> f64 {
    let mut i = c.len() - 1;
    let mut sum = c[i];
    while i > 0 {
        i -= 1;
        sum = fma::<FMA>(sum, x, c[i]);
    }
    sum
}

/// [`poly`] in single.
#[inline(always)]
pub(super) fn poly32<const FMA: bool>(x: f32, c: &[f32]) -> f32 {
    let mut i = c.len() - 1;
    let mut sum = c[i];
    while i > 0 {
        i -= 1;
        sum = fma32::<FMA>(sum, x, c[i]);
    }
    sum
}

/// Adding it rounds a double below 2^51 in size to an integer, which then lies in the low bits of the sum.
///
/// `as i64` saturates, for which x86 has no instruction before AVX-512, and `round` is a libm call before SSE4.1.
pub(super) const MAGIC: f64 = 6_755_399_441_055_744.0;

/// [`MAGIC`] for single, good below 2^22.
pub(super) const MAGIC32: f32 = 12_582_912.0;

/// `a * b` rounded to an integer, as a double and as bits whose low half is that integer.
#[inline(always)]
pub(super) fn round_product<const FMA: bool>(a: f64, b: f64) -> (f64, u64) {
    let shifted = fma::<FMA>(a, b, MAGIC);
    (shifted - MAGIC, shifted.to_bits())
}

/// `2^k` for `k` in the low bits of `bits` (the rest is shifted out), -1022 <= k <= 1023.
#[inline(always)]
pub(super) fn power_of_two(bits: u64) -> f64 {
    f64::from_bits(bits.wrapping_add(1023) << 52)
}

/// [`MAGIC`] with 2 * 1023 in its low bits, for integers that become exponents: see [`scale`].
const SCALE_MAGIC: f64 = MAGIC + 2046.0;

/// [`SCALE_MAGIC`] for single.
const SCALE_MAGIC32: f32 = MAGIC32 + 254.0;

/// An integer `k` as a double, and the low bits of `k + 2046`, as [`scale`] wants them.
#[derive(Clone, Copy)]
pub(super) struct Exponent {
    /// The integer.
    pub(super) k: f64,
    /// Its sum with [`SCALE_MAGIC`].
    pub(super) bits: u64,
}

/// [`Exponent`] in single.
#[derive(Clone, Copy)]
pub(super) struct Exponent32 {
    /// The integer.
    pub(super) k: f32,
    /// Its sum with [`SCALE_MAGIC32`].
    pub(super) bits: u32,
}

/// `a * b` rounded to an integer.
#[inline(always)]
pub(super) fn round_exponent<const FMA: bool>(a: f64, b: f64) -> Exponent {
    let shifted = fma::<FMA>(a, b, SCALE_MAGIC);
    Exponent {
        k: shifted - SCALE_MAGIC,
        bits: shifted.to_bits(),
    }
}

/// [`round_exponent`] in single.
#[inline(always)]
pub(super) fn round_exponent32<const FMA: bool>(a: f32, b: f32) -> Exponent32 {
    let shifted = fma32::<FMA>(a, b, SCALE_MAGIC32);
    Exponent32 {
        k: shifted - SCALE_MAGIC32,
        bits: shifted.to_bits(),
    }
}

impl Exponent {
    /// That of an integer.
    #[inline(always)]
    pub(super) fn of(k: f64) -> Self {
        Exponent {
            k,
            bits: (k + SCALE_MAGIC).to_bits(),
        }
    }

    /// `2^(1-k)` for -1021 <= k <= 1024; zero at the upper end, as the exponent field is.
    #[inline(always)]
    pub(super) fn twice_inverse(self) -> f64 {
        f64::from_bits((1024u64 + 2046).wrapping_sub(self.bits) << 52)
    }

    /// One less.
    #[inline(always)]
    pub(super) fn less_one(self) -> Self {
        Exponent {
            k: self.k - 1.0,
            bits: self.bits.wrapping_sub(1),
        }
    }
}

/// `p * 2^k`, right (and raising the right flags) wherever the product overflows or falls among the subnormals.
///
/// Two factors, as one would have to exceed the exponent range; the first product is exact, so it rounds once. The halves
/// of k are found by floating-point rounding with the bias already in the magic number: four instructions less than with
/// integers, and no arithmetic shift, which AVX2 lacks. |k| <= 2040.
#[inline(always)]
pub(super) fn scale<const FMA: bool>(p: f64, exponent: Exponent) -> f64 {
    let half = fma::<FMA>(exponent.k, 0.5, MAGIC + 1023.0).to_bits();
    let rest = exponent.bits.wrapping_sub(half);
    p * f64::from_bits(half << 52) * f64::from_bits(rest << 52)
}

/// [`scale`] in single, |k| <= 250.
#[inline(always)]
pub(super) fn scale32<const FMA: bool>(p: f32, exponent: Exponent32) -> f32 {
    let half = fma32::<FMA>(exponent.k, 0.5, MAGIC32 + 127.0).to_bits();
    let rest = exponent.bits.wrapping_sub(half);
    p * f32::from_bits(half << 23) * f32::from_bits(rest << 23)
}

/// `x` where it is at most `top`, else `top`; a NaN stays. (`f64::min` would drop it, at the cost of two instructions.)
#[inline(always)]
pub(super) fn at_most(x: f64, top: f64) -> f64 {
    if x > top { top } else { x }
}

/// `x` where it is at least `bottom`, else `bottom`; a NaN stays.
#[inline(always)]
pub(super) fn at_least(x: f64, bottom: f64) -> f64 {
    if x < bottom { bottom } else { x }
}

/// `a + b` rounded and what the rounding lost, for |a| >= |b| (Dekker 1971).
#[inline(always)]
pub(super) fn fast_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a * b` rounded and what the rounding lost; only for machines that fuse.
#[inline(always)]
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    (product, a.mul_add(b, -product))
}
