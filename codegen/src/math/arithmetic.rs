//! Polynomials, exponent manipulation and double-word arithmetic: the building blocks of elementary functions.
//!
//! Each is one straight line that LLVM vectorises at any width, with bit tricks where x86 lacks the instruction. Constants
//! are in [`Real`].

use super::real::{DoubleWord, Number, Real, Word};

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

/// The exponent in the bits of a positive number, as a float.
///
/// It becomes one by being the last bits of 2^MANTISSA; `as f64` from 64 bits has no instruction before AVX-512.
#[inline(always)]
pub(super) fn exponent_of<R: Real>(bits: R::Word) -> R {
    let unit = R::Word::of(R::Number::BIAS + u64::from(R::Number::MANTISSA)) << R::Number::MANTISSA;
    let bias = R::from_bits(unit) + R::of(R::Number::BIAS as f64);
    R::from_bits((bits >> R::Number::MANTISSA) | unit) - bias
}

/// The mantissa of a number, in [1, 2).
#[inline(always)]
pub(super) fn octave<R: Real>(x: R) -> R {
    let mantissa = (R::Word::of(1) << R::Number::MANTISSA).wrapping_sub(R::Word::of(1));
    R::from_bits((x.bits() & mantissa) | R::of(1.0).bits())
}

/// `x` where it is at least `bottom`, else `bottom`. (`max` does more, for NaN, at the cost of two instructions.)
#[inline(always)]
pub(super) fn at_least<R: Real>(x: R, bottom: R) -> R {
    R::select(x.below(bottom), bottom, x)
}

/// The number of bits of a float.
#[inline(always)]
fn word_bits<R: Real>() -> u32 {
    std::mem::size_of::<R::Number>() as u32 * 8
}

/// Whether the sign bit of `x` is set, zero and NaN included.
#[inline(always)]
pub(super) fn is_signed<R: Real>(x: R) -> R::Mask {
    (x.bits() >> (word_bits::<R>() - 1)).equals(R::Word::of(1))
}

/// The bits of |x|, which are ordered as |x| is, then infinity, then NaN.
#[inline(always)]
pub(super) fn abs_bits<R: Real>(x: R) -> R::Word {
    x.abs().bits()
}

/// Whether `low <= x < high`, compared as bits. 0 <= `low`, so that negative numbers are outside.
#[inline(always)]
pub(super) fn is_within<R: Real>(bits: R::Word, low: R, high: R) -> R::Mask {
    bits.wrapping_sub(low.bits()).below(high.bits().wrapping_sub(low.bits()))
}

/// Whether `x` is infinite or NaN.
#[inline(always)]
pub(super) fn is_not_finite<R: Real>(x: R) -> R::Mask {
    abs_bits(x).reaches(R::literal(R::Number::INFINITY).bits())
}

/// Whether `x` is below zero, compared as bits: neither a zero nor NaN.
#[inline(always)]
pub(super) fn is_negative<R: Real>(x: R) -> R::Mask {
    let zero = (-R::of(0.0)).bits();
    let infinity = (-R::literal(R::Number::INFINITY)).bits();
    let one = R::Word::of(1);
    x.bits().wrapping_sub(zero.wrapping_add(one)).below(infinity.wrapping_sub(zero))
}

/// NaN by an invalid operation where that is so; else a number, without a flag. Zero times infinity takes less than zero over zero.
#[inline(always)]
pub(super) fn invalid_where<R: Real>(is_outside: R::Mask, otherwise: R) -> R {
    let (a, b) = (R::literal(R::Number::INFINITY), R::of(0.0));
    let (a, b) = R::select_pair(is_outside, (a, b), (otherwise, R::of(1.0)));
    a * b
}

/// `x` where it is NaN, else `y`: an argument that raises no flag with others.
#[inline(always)]
pub(super) fn first_nan<R: Real>(x: R, y: R) -> R {
    R::select(x.is_nan(), x, y)
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

/// The last bit but one moved to where the sign is, above others.
#[inline(always)]
pub(super) fn second_last_as_sign<R: Real>(bits: R::Word) -> R::Word {
    bits << (word_bits::<R>() - 2)
}

/// `x`, negated where `sign` has that bit, whatever other bits it has.
#[inline(always)]
pub(super) fn turned_by<R: Real>(x: R, sign: R::Word) -> R {
    turned(x, sign & sign_bit(-R::of(1.0)))
}

/// `x`, negated where `sign` has that bit.
#[inline(always)]
pub(super) fn turned<R: Real>(x: R, sign: R::Word) -> R {
    R::from_bits(x.bits() ^ sign)
}

/// `a + b` rounded, and the rounding error, for |a| >= |b| (Dekker 1971).
#[inline(always)]
pub(super) fn fast_two_sum<R: Real>(a: R, b: R) -> DoubleWord<R> {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `1 + x` rounded, and the rounding error, for x above -1: the sum less one is exact as long as one matters beside x.
#[inline(always)]
pub(super) fn sum_with_one<R: Real>(x: R) -> DoubleWord<R> {
    let one = R::of(1.0);
    let sum = one + x;
    (sum, x - (sum - one))
}

/// `a + b` rounded, and the rounding error, whichever is larger (Knuth 1969).
#[inline(always)]
pub(super) fn two_sum<R: Real>(a: R, b: R) -> DoubleWord<R> {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// `a * b` rounded, and the rounding error; only with FMA.
#[inline(always)]
pub(super) fn two_product<R: Real>(a: R, b: R) -> DoubleWord<R> {
    let product = a * b;
    (product, a.fma::<true>(b, -product))
}

/// The same; without FMA the rounding error is dropped.
#[inline(always)]
pub(super) fn product_parts<R: Real, const FMA: bool>(a: R, b: R) -> DoubleWord<R> {
    if FMA { two_product(a, b) } else { (a * b, R::of(0.0)) }
}

/// The square root of `a + a_low` in two parts; only the root without FMA.
#[inline(always)]
pub(super) fn root_parts<R: Real, const FMA: bool>(a: R, a_low: R) -> DoubleWord<R> {
    let root = a.sqrt();
    if !FMA {
        return (root, R::of(0.0));
    }
    (root, (root.fma::<true>(-root, a) + a_low) * half_inverse_root(a))
}

/// The same to 70 bits: the inverse root is brought from 4 % to 17 bits by Newton's steps, which take a third of a division.
#[inline(always)]
pub(super) fn near_root_parts<R: Real, const FMA: bool>(a: R, a_low: R) -> DoubleWord<R> {
    let root = a.sqrt();
    if !FMA {
        return (root, R::of(0.0));
    }
    let inverse = half_inverse_root(a);
    let better = |h: R| h.fma::<true>(h.fma::<true>(-(root + root), R::of(1.0)), h);
    (root, (root.fma::<true>(-root, a) + a_low) * better(better(inverse)))
}

/// Twice the square root of `a`, and by how much that is too large; zero without FMA.
#[inline(always)]
pub(super) fn twice_root<R: Real, const FMA: bool>(a: R) -> DoubleWord<R> {
    let root = a.sqrt();
    let twice = root + root;
    if !FMA {
        return (twice, R::of(0.0));
    }
    // One more in the exponent: that of `half_inverse_root` doubled.
    let magic = R::Number::HALF_INVERSE_ROOT + (1 << R::Number::MANTISSA);
    let inverse = R::from_bits(R::Word::of(magic).wrapping_sub(a.bits() >> 1));
    (twice, root.fma::<true>(root, -a) * inverse)
}

/// `1 / (2 sqrt a)` within 4 %, for the rounding error of the root: two instructions instead of a division. Finite for zero.
#[inline(always)]
pub(super) fn half_inverse_root<R: Real>(a: R) -> R {
    R::from_bits(R::Word::of(R::Number::HALF_INVERSE_ROOT).wrapping_sub(a.bits() >> 1))
}

/// Whether numbers are singles, which are to be within four units where NumPy's are beyond one.
#[inline(always)]
pub(super) const fn is_single<R: Real>() -> bool {
    R::Number::MANTISSA < 52
}
