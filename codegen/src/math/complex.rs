//! Arithmetic of complex numbers on their parts, by NumPy's formulas.
//!
//! It is written over [`Real`], so without branches: arguments that need one (a divisor of zero or nan) take the caller's slow path.

use super::arithmetic::{abs_bits, is_single};
use super::real::{Number, Real, Word};

/// The real part and the imaginary one.
pub(crate) type ComplexParts<R> = [R; 2];

/// The product: two roundings in each part with FMA, three without.
#[inline(always)]
pub(crate) fn product<R: Real, const FMA: bool>([a, b]: ComplexParts<R>, [c, d]: ComplexParts<R>) -> ComplexParts<R> {
    if FMA {
        return [a.fma::<true>(c, -(b * d)), a.fma::<true>(d, b * c)];
    }
    [a * c - b * d, a * d + b * c]
}

/// The quotient by Smith's algorithm, for divisors that do not need the slow path.
#[inline(always)]
pub(crate) fn quotient<R: Real>([a, b]: ComplexParts<R>, [c, d]: ComplexParts<R>) -> ComplexParts<R> {
    let steep = abs_bits(d).above(abs_bits(c));
    let (large, small) = R::select_pair(steep, (d, c), (c, d));
    let (x, y) = R::select_pair(steep, (b, a), (a, b));
    let ratio = small / large;
    let scale = R::of(1.0) / (large + small * ratio);
    let part = x * ratio;
    let (minuend, subtrahend) = R::select_pair(steep, (part, y), (y, part));
    [(x + y * ratio) * scale, (minuend - subtrahend) * scale]
}

/// One over a number, by Smith's algorithm; right for all.
#[inline(always)]
pub(crate) fn reciprocal<R: Real>([a, b]: ComplexParts<R>) -> ComplexParts<R> {
    let (steep, one) = (abs_bits(b).above(abs_bits(a)), R::of(1.0));
    let (large, small) = R::select_pair(steep, (b, a), (a, b));
    let ratio = small / large;
    let divisor = large + small * ratio;
    let (x, y) = R::select_pair(steep, (ratio, one), (one, ratio));
    [x / divisor, -y / divisor]
}

/// Whether a divisor needs the slow path: it is zero or has a nan.
#[inline(always)]
pub(crate) fn divisor_needs_slow_path<R: Real>([c, d]: ComplexParts<R>) -> R::Mask {
    let large = abs_bits(c).larger(abs_bits(d));
    large.equals(R::Word::of(0)) | large.above(R::literal(R::Number::INFINITY).bits())
}

/// The magnitude, for numbers that do not need the slow path: the root of the sum of squares is within one ulp of the truth, as the C library's
/// `hypot` is, and takes a fifth of its 5 ns. Singles are squared in double, doubles brought to where squares neither overflow
/// nor vanish.
#[inline(always)]
pub(crate) fn magnitude<R: Real>([a, b]: ComplexParts<R>) -> R {
    if is_single::<R>() {
        let (a, b) = (a.double(), b.double());
        return R::from_double((a * a + b * b).sqrt());
    }
    let large = abs_bits(a).larger(abs_bits(b));
    const UP: f64 = f64::from_bits((1023 + 600) << 52);
    let (one, up, down) = (R::of(1.0), R::of(UP), R::of(1.0 / UP));
    let scales = R::select_pair(large.below(R::of(1e-144).bits()), (up, down), (one, one));
    let (scale, back) = R::select_pair(large.above(R::of(1e153).bits()), (down, up), scales);
    let (a, b) = (a * scale, b * scale);
    (a * a + b * b).sqrt() * back
}

/// Whether a magnitude needs the slow path: one part is infinite and the other nan, so it is infinite.
#[inline(always)]
pub(crate) fn magnitude_needs_slow_path<R: Real>([a, b]: ComplexParts<R>) -> R::Mask {
    let (a, b, infinity) = (abs_bits(a), abs_bits(b), R::literal(R::Number::INFINITY).bits());
    a.larger(b).above(infinity) & (a.equals(infinity) | b.equals(infinity))
}

/// Lexicographic `<`, false with nan.
#[inline(always)]
pub(crate) fn less<R: Real>([a, b]: ComplexParts<R>, [c, d]: ComplexParts<R>) -> R::Mask {
    a.below(c) & !b.is_nan() & !d.is_nan() | a.equals(c) & b.below(d)
}

/// Lexicographic `<=`, false with nan.
#[inline(always)]
pub(crate) fn less_equal<R: Real>([a, b]: ComplexParts<R>, [c, d]: ComplexParts<R>) -> R::Mask {
    a.below(c) & !b.is_nan() & !d.is_nan() | a.equals(c) & d.reaches(b)
}

/// Whether a part is nan.
#[inline(always)]
pub(crate) fn has_nan<R: Real>([a, b]: ComplexParts<R>) -> R::Mask {
    a.is_nan() | b.is_nan()
}

/// Whether a part is infinite.
#[inline(always)]
pub(crate) fn is_infinite<R: Real>([a, b]: ComplexParts<R>) -> R::Mask {
    let infinity = R::literal(R::Number::INFINITY);
    a.abs().equals(infinity) | b.abs().equals(infinity)
}

/// Whether both parts are neither infinite nor nan.
#[inline(always)]
pub(crate) fn is_finite<R: Real>([a, b]: ComplexParts<R>) -> R::Mask {
    let infinity = R::literal(R::Number::INFINITY);
    a.abs().below(infinity) & b.abs().below(infinity)
}

/// Whether a part is not zero.
#[inline(always)]
pub(crate) fn truth<R: Real>([a, b]: ComplexParts<R>) -> R::Mask {
    !(a.equals(R::of(0.0)) & b.equals(R::of(0.0)))
}

/// Whether the first is the larger of two; one with a nan is.
#[inline(always)]
pub(crate) fn is_larger<R: Real>(a: ComplexParts<R>, b: ComplexParts<R>) -> R::Mask {
    less_equal(b, a) | has_nan(a)
}

/// Whether the first is the smaller of two; one with a nan is.
#[inline(always)]
pub(crate) fn is_smaller<R: Real>(a: ComplexParts<R>, b: ComplexParts<R>) -> R::Mask {
    less_equal(a, b) | has_nan(a)
}

/// The same, ignoring nan.
#[inline(always)]
pub(crate) fn is_fmax<R: Real>(a: ComplexParts<R>, b: ComplexParts<R>) -> R::Mask {
    less_equal(b, a) | has_nan(b)
}

/// The same, ignoring nan.
#[inline(always)]
pub(crate) fn is_fmin<R: Real>(a: ComplexParts<R>, b: ComplexParts<R>) -> R::Mask {
    less_equal(a, b) | has_nan(b)
}
