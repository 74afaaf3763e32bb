//! `sin`, `cos` and `tan`: x = n pi/2 + r with |r| <= pi/4, and polynomials for both circular functions of r.
//!
//! The reduction is Cody and Waite's with enough parts of pi/2 to be right to the last bit, also beside its multiples, for |x|
//! up to 2^20 (`f32`: 2^16). Larger arguments are odd.

use super::Unary;
use super::arithmetic::{fast_two_sum, last_as_sign, poly, sign_bit, size_bits, turned};
use super::coefficients::PIO2_PARTS;
use super::real::{Number, Parts, Real, Word};
use std::f64::consts::FRAC_2_PI;

/// `x = n pi/2 + r + tail`, and bits whose lowest two are those of n.
#[inline(always)]
fn reduce<R: Real, const FMA: bool>(x: R) -> (R, R, R::Word) {
    let shifted = x.fma::<FMA>(R::of(FRAC_2_PI), R::literal(R::Number::MAGIC));
    let n = shifted - R::literal(R::Number::MAGIC);
    let (r, tail) = if FMA {
        // Exact, as its last bit is worth no less than that of the rounded pi/2.
        let first = n.fma::<true>(-R::literal(R::Number::PIO2.0), x);
        // The product is rounded first: only then is what the difference loses itself a float, whichever is larger.
        let part = n * R::literal(R::Number::PIO2.1);
        let r = first - part;
        let lost = n.fma::<true>(R::literal(R::Number::PIO2_REST), n.fma::<true>(R::literal(R::Number::PIO2.1), -part));
        (r, ((first - r) - part) - lost)
    } else {
        quarter_rest(x, n)
    };
    (r, tail, shifted.bits())
}

/// `x - n pi/2` as two parts on a machine that does not fuse, for |x| at most the largest angle.
#[inline(always)]
fn quarter_rest<R: Real>(x: R, n: R) -> Parts<R> {
    let [p0, p1, p2, p3] = PIO2_PARTS;
    if R::Number::MANTISSA < 52 {
        // In double: parts of pi/2 short enough for exact products would be too many.
        let (x, n) = (x.double(), n.double());
        let r = (x - n * R::Double::of(p0)) - n * R::Double::of(p1 + p2);
        let high = R::from_double(r);
        return (high, R::from_double(r - high.double()));
    }
    // Three differences whose products are exact, each with what it loses.
    let r0 = x - n * R::of(p0);
    let r1 = r0 - n * R::of(p1);
    let lost1 = (r0 - r1) - n * R::of(p1);
    let r2 = r1 - n * R::of(p2);
    let lost2 = (r1 - r2) - n * R::of(p2);
    (r2, lost1 + lost2 - n * R::of(p3))
}

/// `sin(r + tail)` for |r| <= pi/4, as two parts whose sum it is, the first larger.
#[inline(always)]
fn sine<R: Real, const FMA: bool>(r: R, tail: R, z: R) -> Parts<R> {
    // The cosine that belongs to the tail is 1 - z/2 to the accuracy asked.
    let tail = (z * tail).fma::<FMA>(R::of(-0.5), tail);
    (r, (r * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SIN), tail))
}

/// `cos(r + tail)` for |r| <= pi/4, as two parts whose sum it is, the first larger.
#[inline(always)]
fn cosine<R: Real, const FMA: bool>(r: R, tail: R, z: R) -> Parts<R> {
    let half = R::of(0.5) * z;
    let top = R::of(1.0) - half;
    let lost = ((R::of(1.0) - top) - half) - r * tail;
    (top, (z * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::COS), lost))
}

/// `sin(x + turns pi/2)`: the quarter's bits choose the function and its sign.
#[inline(always)]
fn circle<R: Real, const FMA: bool>(x: R, turns: u64) -> R {
    let (r, tail, bits) = reduce::<R, FMA>(x);
    let quarter = bits.plus(R::Word::of(turns));
    let z = r * r;
    let (s, s_rest) = sine::<R, FMA>(r, tail, z);
    let (c, c_rest) = cosine::<R, FMA>(r, tail, z);
    let even = (quarter & R::Word::of(1)).equals(R::Word::of(0));
    let chosen = R::pick(even, s + s_rest, c + c_rest);
    turned(chosen, last_as_sign::<R>(quarter >> 1))
}

/// Whether the reduction cannot take `x`.
#[inline(always)]
fn is_odd<R: Real>(x: R) -> R::Mask {
    size_bits(x).above(R::literal(R::Number::LARGEST_ANGLE).bits())
}

/// The sine of an angle in radians.
pub struct Sin;

impl<R: Real> Unary<R> for Sin {
    /// The sine of the size, with the sign of x: the reduction would lose that of zero.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        turned(circle::<R, FMA>(x.size(), 0), sign_bit(x))
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        is_odd(x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().sin())
    }
}

/// The cosine of an angle in radians.
pub struct Cos;

impl<R: Real> Unary<R> for Cos {
    /// The cosine of the size is the same, and has its steps in common with the sine (4 % of the time of a loop).
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        circle::<R, FMA>(if R::SHARES { x.size() } else { x }, 1)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        is_odd(x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().cos())
    }
}

/// The tangent of an angle in radians.
pub struct Tan;

impl<R: Real> Unary<R> for Tan {
    /// The quotient of both functions of the size or its negated inverse, with the sign of x.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (r, tail, bits) = reduce::<R, FMA>(x.size());
        let z = r * r;
        let (s, s_rest) = sine::<R, FMA>(r, tail, z);
        let (c, c_rest) = cosine::<R, FMA>(r, tail, z);
        // What the square lost is up to a fifth of a unit of the cosine: 0.94 ulp instead of 1.03.
        let c_rest = r.fma::<FMA>(r, -z).fma::<FMA>(R::of(-0.5), c_rest);
        let (s, s_lost) = fast_two_sum(s, s_rest);
        let (c, c_lost) = fast_two_sum(c, c_rest);
        let even = (bits & R::Word::of(1)).equals(R::Word::of(0));
        // The sine is zero only where x is (no float is a multiple of pi/2), so the divisor never is.
        let (top, top_lost) = R::pick_pair(even, (s, s_lost), (c, c_lost));
        let (bottom, bottom_lost) = R::pick_pair(even, (c, c_lost), (s, s_lost));
        let quotient = if FMA {
            // One step for the remainder, roundings of both functions included: 0.9 ulp instead of 2.1.
            let inverse = R::of(1.0) / bottom;
            let q = top * inverse;
            let rest = q.fma::<true>(-bottom, top) + q.fma::<true>(-bottom_lost, top_lost);
            rest.fma::<true>(inverse, q)
        } else {
            top / bottom
        };
        turned(quotient, last_as_sign::<R>(bits) ^ sign_bit(x))
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        is_odd(x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().tan())
    }
}
