//! The steps of [`Primitive`](crate::Primitive) on floats: their definitions, without branches.
//!
//! Each does what one instruction of AVX-512 does, by instructions of every processor, special values and flags included.

use super::arithmetic::{abs_bits, exponent_of, is_negative, is_within};
use super::real::{Index, Number, Word};
use crate::Table;

/// Whether `x` is neither infinite nor nan. The sign is shifted out: LLVM recognises a masked sign as `fabs` and then compares floats, which raises invalid.
#[inline(always)]
fn is_finite<N: Number>(x: N) -> bool {
    (x.bits() << 1).below(N::INFINITY.bits() << 1)
}

/// `p 2^floor(k)`, rounded once.
///
/// Two factors, as one would have to exceed the exponent range; the first product is exact, so it rounds once.
#[inline(always)]
pub(super) fn scale<N: Number>(p: N, k: N) -> N {
    // Near twice the range all products overflow, or vanish; non-finite exponents are handled by a select.
    let finite = is_finite(k);
    let kept = N::select(finite, bound(k.floor(), N::of((2 * N::BIAS - 10) as f64)), N::of(0.0));
    let shifted = N::MAGIC + N::of(2.0 * N::BIAS as f64);
    let whole = (kept + shifted).bits();
    let half = (kept * N::of(0.5) + (N::MAGIC + N::of(N::BIAS as f64))).bits();
    let rest = whole.wrapping_sub(half);
    let scaled = p * N::from_bits(half << N::MANTISSA) * N::from_bits(rest << N::MANTISSA);
    // Zero for minus infinity; plus infinity and nan are returned unchanged.
    let beyond = N::select(k.equals_quietly(-N::INFINITY), N::of(0.0), k);
    N::select(finite, scaled, beyond)
}

/// `x`, clamped to the magnitude of `size`.
#[inline(always)]
pub(super) fn bound<N: Number>(x: N, size: N) -> N {
    N::select(abs_bits(x).below(size.bits()), x, size.copysign(x))
}

/// The remainder of `x` by the nearest multiple of 1/16.
#[inline(always)]
pub(super) fn fraction<N: Number>(x: N) -> N {
    let sixteenths = N::MAGIC * N::of(1.0 / 16.0);
    let has_one = abs_bits(x).below(sixteenths.bits());
    let seen = N::select(has_one, x, N::of(0.0));
    let rest = seen - ((seen + sixteenths) - sixteenths);
    N::select(x.is_nan(), x, rest)
}

/// `x` where it is nan or plus infinity, zero where it is minus infinity, else `p`.
#[inline(always)]
pub(super) fn limit<N: Number>(p: N, x: N) -> N {
    let finite = is_finite(x);
    N::select(finite, p, N::select(x.equals_quietly(-N::INFINITY), N::of(0.0), x))
}

/// `x` where it is nan or plus infinity, minus infinity where it is zero, nan where it is negative, else `p`.
#[inline(always)]
pub(super) fn log_limit<N: Number>(p: N, x: N) -> N {
    let (zero, one) = (N::of(0.0), N::of(1.0));
    let (top, bottom) = N::select_pair(abs_bits(x).equals(zero.bits()), (-one, zero), (x, one));
    let (top, bottom) = N::select_pair(is_negative(x), (zero, zero), (top, bottom));
    N::select(is_within(x.bits(), N::from_bits(N::Word::of(1)), N::INFINITY), p, top / bottom)
}

/// The exponent of 2 in `x`.
#[inline(always)]
pub(super) fn exponent<N: Number>(x: N) -> N {
    exponent_of(x.bits())
}

/// `x` with the exponent that brings it to [3/4, 3/2).
#[inline(always)]
pub(super) fn mantissa<N: Number>(x: N) -> N {
    let begin = N::of(0.75).bits();
    let stored = (N::Word::of(1) << N::MANTISSA).wrapping_sub(N::Word::of(1));
    N::from_bits((x.bits().wrapping_add(N::of(1.0).bits().wrapping_sub(begin)) & stored).wrapping_add(begin))
}

/// Whether `x` is anything but a positive normal number.
#[inline(always)]
pub(super) fn not_positive_normal<N: Number>(x: N) -> bool {
    !is_within(x.bits(), N::LEAST_NORMAL, N::INFINITY)
}

/// An entry of a table.
#[inline(always)]
pub(super) fn entry<N: Number>(table: Table, index: N::Word) -> N {
    N::table(table)[index.lowest(4)]
}

/// A table as words of eight bytes, in order.
pub(crate) fn table_words(table: Table, dtype: crate::DType) -> Vec<u64> {
    if dtype == crate::DType::F64 {
        return f64::table(table).iter().map(|x| x.to_bits()).collect();
    }
    let pair = |x: &[f32]| u64::from(x[0].to_bits()) | u64::from(x[1].to_bits()) << 32;
    f32::table(table).chunks(2).map(pair).collect()
}
