//! Polynomials, powers of two and two-number sums: the pieces every elementary function is made of.
//!
//! Each is one straight line that LLVM vectorises at any width, with bit tricks where x86 lacks the instruction. What is
//! computed with them is left to the files named after functions, the constants to [`Real`].

use super::real::{Number, Parts, Real, Word};

/// The polynomial with coefficients `c`, lowest power first, at `x`, by Horner's rule.
///
/// Horner's chain is long, but iterations of the surrounding loop overlap in the machine; Estrin's scheme spends more
/// instructions to shorten a latency that is already hidden.
#[inline(always)]
pub(super) fn poly<R: Real, const FMA: bool>(x: R, c: &[R::Number]) -> R {
    let mut i = c.len() - 1;
    let mut sum = R::literal(c[i]);
    while i > 0 {
        i -= 1;
        sum = sum.fma::<FMA>(x, R::literal(c[i]));
    }
    sum
}

/// An integer `k` as a float, and bits whose low end is `k + 2 BIAS`: see [`scale`].
#[derive(Clone, Copy)]
pub(super) struct Exponent<R: Real> {
    /// The integer.
    pub(super) k: R,
    /// Those of its sum with [`scale_magic`].
    bits: R::Word,
}

/// The magic number with twice the bias in its low bits, for integers that become exponents.
#[inline(always)]
fn scale_magic<R: Real>() -> R {
    R::literal(R::Number::MAGIC) + R::of((2 * R::Number::BIAS) as f64)
}

/// `a * b` rounded to an integer.
#[inline(always)]
pub(super) fn round_exponent<R: Real, const FMA: bool>(a: R, b: R) -> Exponent<R> {
    let shifted = a.fma::<FMA>(b, scale_magic());
    Exponent { k: shifted - scale_magic(), bits: shifted.bits() }
}

impl<R: Real> Exponent<R> {
    /// `2^(extra-k)` for `extra` < 1 + BIAS + k and k <= BIAS + `extra`; zero at the upper end, as the exponent field is.
    #[inline(always)]
    pub(super) fn inverse(self, extra: u64) -> R {
        R::from_bits(R::Word::of(3 * R::Number::BIAS + extra).minus(self.bits) << R::Number::MANTISSA)
    }

    /// One less.
    #[inline(always)]
    pub(super) fn less_one(self) -> Self {
        Exponent { k: self.k - R::of(1.0), bits: self.bits.minus(R::Word::of(1)) }
    }
}

/// `p * 2^k`, right (and raising the right flags) wherever the product overflows or falls among the subnormals.
///
/// Two factors, as one would have to exceed the exponent range; the first product is exact, so it rounds once. The halves
/// of k are found by floating-point rounding with the bias already in the magic number: four instructions less than with
/// integers, and no arithmetic shift, which AVX2 lacks. |k| <= 2 BIAS - 10.
#[inline(always)]
pub(super) fn scale<R: Real, const FMA: bool>(p: R, exponent: Exponent<R>) -> R {
    let half = exponent.k.fma::<FMA>(R::of(0.5), R::literal(R::Number::MAGIC) + R::of(R::Number::BIAS as f64)).bits();
    let rest = exponent.bits.minus(half);
    p * R::from_bits(half << R::Number::MANTISSA) * R::from_bits(rest << R::Number::MANTISSA)
}

/// `2^k` for `k` in the low bits of `bits` (the rest is shifted out), within the range of normal numbers.
#[inline(always)]
pub(super) fn power_of_two<R: Real>(bits: R::Word) -> R {
    R::from_bits(bits.plus(R::Word::of(R::Number::BIAS)) << R::Number::MANTISSA)
}

/// The exponent in the bits of a positive number, as a float.
///
/// It becomes one by being the last bits of 2^MANTISSA; `as f64` from 64 bits has no instruction before AVX-512.
#[inline(always)]
pub(super) fn exponent_of<R: Real>(bits: R::Word) -> R {
    let unit = R::Word::of(R::Number::BIAS + u64::from(R::Number::MANTISSA)) << R::Number::MANTISSA;
    let bias = R::from_bits(unit) + R::of(R::Number::BIAS as f64);
    R::from_bits((bits >> R::Number::MANTISSA) | unit) - bias
}

/// `x` where it is at most `top`, else `top`. (`min` does more, for NaN, at the cost of two instructions.)
#[inline(always)]
pub(super) fn at_most<R: Real>(x: R, top: R) -> R {
    R::pick(x.above(top), top, x)
}

/// `x` where it is at least `bottom`, else `bottom`.
#[inline(always)]
pub(super) fn at_least<R: Real>(x: R, bottom: R) -> R {
    R::pick(x.below(bottom), bottom, x)
}

/// How many bits a number has.
#[inline(always)]
fn word_bits<R: Real>() -> u32 {
    std::mem::size_of::<R::Number>() as u32 * 8
}

/// Whether the sign bit of `x` is set, zero and NaN included.
#[inline(always)]
pub(super) fn is_signed<R: Real>(x: R) -> R::Mask {
    (x.bits() >> (word_bits::<R>() - 1)).equals(R::Word::of(1))
}

/// The bits of |x|: they grow with it, infinity and then NaN the last.
#[inline(always)]
pub(super) fn size_bits<R: Real>(x: R) -> R::Word {
    x.size().bits()
}

/// Whether `low <= x < high` for bits that grow with their numbers. 0 <= `low`, so that negative numbers are outside.
#[inline(always)]
pub(super) fn is_within<R: Real>(bits: R::Word, low: R, high: R) -> R::Mask {
    bits.minus(low.bits()).below(high.bits().minus(low.bits()))
}

/// The sign bit of `x`, alone.
#[inline(always)]
pub(super) fn sign_bit<R: Real>(x: R) -> R::Word {
    x.bits() & last_as_sign::<R>(R::Word::of(1))
}

/// The last bit moved to where the sign is.
#[inline(always)]
pub(super) fn last_as_sign<R: Real>(bits: R::Word) -> R::Word {
    bits << (word_bits::<R>() - 1)
}

/// `x`, its sign turned where `sign` has that bit.
#[inline(always)]
pub(super) fn turned<R: Real>(x: R, sign: R::Word) -> R {
    R::from_bits(x.bits() ^ sign)
}

/// `a + b` rounded and what the rounding lost, for |a| >= |b| (Dekker 1971).
#[inline(always)]
pub(super) fn fast_two_sum<R: Real>(a: R, b: R) -> Parts<R> {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a + b` rounded and what the rounding lost, whichever is larger (Knuth 1969).
#[inline(always)]
pub(super) fn two_sum<R: Real>(a: R, b: R) -> Parts<R> {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// `a * b` rounded and what the rounding lost; only for machines that fuse.
#[inline(always)]
pub(super) fn two_product<R: Real>(a: R, b: R) -> Parts<R> {
    let product = a * b;
    (product, a.fma::<true>(b, -product))
}

/// The same, but that machines that do not fuse lose what the rounding lost.
#[inline(always)]
pub(super) fn product_parts<R: Real, const FMA: bool>(a: R, b: R) -> Parts<R> {
    if FMA { two_product(a, b) } else { (a * b, R::of(0.0)) }
}

/// `(a + a_low) / (b + b_low)` in two parts, by one division; just the quotient on machines that do not fuse.
#[inline(always)]
pub(super) fn quotient_parts<R: Real, const FMA: bool>((a, a_low): Parts<R>, (b, b_low): Parts<R>) -> Parts<R> {
    if !FMA {
        return (a / b, R::of(0.0));
    }
    let inverse = R::of(1.0) / b;
    let q = a * inverse;
    let rest = q.fma::<true>(-b, a) + q.fma::<true>(-b_low, a_low);
    (q, rest * inverse)
}

/// The square root of `a + a_low` in two parts; just the root on machines that do not fuse.
#[inline(always)]
pub(super) fn root_parts<R: Real, const FMA: bool>(a: R, a_low: R) -> Parts<R> {
    let root = a.root();
    if !FMA {
        return (root, R::of(0.0));
    }
    // Zero is its own root. No choice: LLVM would make a division for each arm, and so 0 / 0.
    (root, (root.fma::<true>(-root, a) + a_low) / (root + root + R::literal(R::Number::LEAST_NORMAL)))
}
