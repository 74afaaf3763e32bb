//! Arithmetic of complex numbers on their parts, by NumPy's formulas.
//!
//! As everywhere in this module numbers may be yet to come, so there are no branches: what cannot be had without one (a divisor
//! of zero or nan) is *odd*, and the caller's.

use super::arithmetic::{is_single, size_bits};
use super::real::{Number, Real, Word};

/// The real part and the imaginary one.
pub(crate) type Parts<R> = [R; 2];

/// The product: two roundings in each part where the machine fuses, three elsewhere.
#[inline(always)]
pub(crate) fn product<R: Real, const FMA: bool>([a, b]: Parts<R>, [c, d]: Parts<R>) -> Parts<R> {
    if FMA {
        return [a.fma::<true>(c, -(b * d)), a.fma::<true>(d, b * c)];
    }
    [a * c - b * d, a * d + b * c]
}

/// The quotient by Smith's algorithm, for divisors that are not odd.
#[inline(always)]
pub(crate) fn quotient<R: Real>([a, b]: Parts<R>, [c, d]: Parts<R>) -> Parts<R> {
    let steep = size_bits(d).above(size_bits(c));
    let (large, small) = R::pick_pair(steep, (d, c), (c, d));
    let (x, y) = R::pick_pair(steep, (b, a), (a, b));
    let ratio = small / large;
    let scale = R::of(1.0) / (large + small * ratio);
    let part = x * ratio;
    let (minuend, subtrahend) = R::pick_pair(steep, (part, y), (y, part));
    [(x + y * ratio) * scale, (minuend - subtrahend) * scale]
}

/// Whether a divisor is zero or has a nan.
#[inline(always)]
pub(crate) fn is_odd_divisor<R: Real>([c, d]: Parts<R>) -> R::Mask {
    let large = size_bits(c).larger(size_bits(d));
    large.equals(R::Word::of(0)) | large.above(R::literal(R::Number::INFINITY).bits())
}

/// The length, for numbers that are not odd: the root of the sum of squares is within one ulp of the truth, as the C library's
/// `hypot` is, and takes a fifth of its 5 ns. Singles are squared in double, doubles brought to where squares neither overflow
/// nor vanish.
#[inline(always)]
pub(crate) fn magnitude<R: Real>([a, b]: Parts<R>) -> R {
    if is_single::<R>() {
        let (a, b) = (a.double(), b.double());
        return R::from_double((a * a + b * b).root());
    }
    let large = size_bits(a).larger(size_bits(b));
    const UP: f64 = f64::from_bits((1023 + 600) << 52);
    let (one, up, down) = (R::of(1.0), R::of(UP), R::of(1.0 / UP));
    let scales = R::pick_pair(large.below(R::of(1e-144).bits()), (up, down), (one, one));
    let (scale, back) = R::pick_pair(large.above(R::of(1e153).bits()), (down, up), scales);
    let (a, b) = (a * scale, b * scale);
    (a * a + b * b).root() * back
}

/// Whether a part is infinite and the other one nan: then the length is infinite.
#[inline(always)]
pub(crate) fn is_odd_magnitude<R: Real>([a, b]: Parts<R>) -> R::Mask {
    let (a, b, infinity) = (size_bits(a), size_bits(b), R::literal(R::Number::INFINITY).bits());
    a.larger(b).above(infinity) & (a.equals(infinity) | b.equals(infinity))
}

/// Lexicographic `<`, false with nan.
#[inline(always)]
pub(crate) fn less<R: Real>([a, b]: Parts<R>, [c, d]: Parts<R>) -> R::Mask {
    a.below(c) & !b.is_nan() & !d.is_nan() | a.equals(c) & b.below(d)
}

/// Lexicographic `<=`, false with nan.
#[inline(always)]
pub(crate) fn less_equal<R: Real>([a, b]: Parts<R>, [c, d]: Parts<R>) -> R::Mask {
    a.below(c) & !b.is_nan() & !d.is_nan() | a.equals(c) & d.reaches(b)
}

/// Whether a part is nan.
#[inline(always)]
pub(crate) fn has_nan<R: Real>([a, b]: Parts<R>) -> R::Mask {
    a.is_nan() | b.is_nan()
}

/// Whether a part is infinite.
#[inline(always)]
pub(crate) fn is_infinite<R: Real>([a, b]: Parts<R>) -> R::Mask {
    let infinity = R::literal(R::Number::INFINITY);
    a.size().equals(infinity) | b.size().equals(infinity)
}

/// Whether both parts are neither infinite nor nan.
#[inline(always)]
pub(crate) fn is_finite<R: Real>([a, b]: Parts<R>) -> R::Mask {
    let infinity = R::literal(R::Number::INFINITY);
    a.size().below(infinity) & b.size().below(infinity)
}

/// Whether a part is not zero.
#[inline(always)]
pub(crate) fn truth<R: Real>([a, b]: Parts<R>) -> R::Mask {
    !(a.equals(R::of(0.0)) & b.equals(R::of(0.0)))
}

/// Whether the first is the larger of two; one with a nan is.
#[inline(always)]
pub(crate) fn is_larger<R: Real>(a: Parts<R>, b: Parts<R>) -> R::Mask {
    less_equal(b, a) | has_nan(a)
}

/// Whether the first is the smaller of two; one with a nan is.
#[inline(always)]
pub(crate) fn is_smaller<R: Real>(a: Parts<R>, b: Parts<R>) -> R::Mask {
    less_equal(a, b) | has_nan(a)
}

/// The same, but that nan loses.
#[inline(always)]
pub(crate) fn is_fmax<R: Real>(a: Parts<R>, b: Parts<R>) -> R::Mask {
    less_equal(b, a) | has_nan(b)
}

/// The same, but that nan loses.
#[inline(always)]
pub(crate) fn is_fmin<R: Real>(a: Parts<R>, b: Parts<R>) -> R::Mask {
    less_equal(a, b) | has_nan(b)
}
