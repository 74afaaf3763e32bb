//! `sin`, `cos` and `tan`: x = n pi/2 + r with |r| <= pi/4, and polynomials for both circular functions of r.
//!
//! The reduction is Cody and Waite's with enough parts of pi/2 to be right to the last bit for |x| <= 2^20, also beside the
//! multiples of pi/2. Larger arguments are odd; infinity is not, as it turns into NaN by itself (and raises invalid).

use super::Unary;
use super::accuracy::{Accuracy, Double, Single};
use super::coefficients::{PIO2_PARTS, PIO2_REST, PIO2_TAIL};
use super::fma::{fast_two_sum, fma, poly, round_product};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Beyond it the products with the parts of pi/2 are no longer exact.
const LARGEST: f64 = 1_048_576.0;

/// `x = n pi/2 + r + tail`, and bits whose lowest two are those of n.
#[inline(always)]
fn reduce<A: Accuracy, const FMA: bool>(x: f64) -> (f64, f64, u64) {
    let (n, bits) = round_product::<FMA>(x, FRAC_2_PI);
    if FMA {
        // Exact, as its last bit is worth no less than that of the rounded pi/2.
        let r1 = n.mul_add(-FRAC_PI_2, x);
        if !A::DOUBLE {
            return (n.mul_add(-PIO2_TAIL, r1), 0.0, bits);
        }
        // The product is rounded first: only then is what the difference loses itself a double, whichever is larger.
        let part = n * PIO2_TAIL;
        let r2 = r1 - part;
        let lost = n.mul_add(PIO2_REST, n.mul_add(PIO2_TAIL, -part));
        return (r2, ((r1 - r2) - part) - lost, bits);
    }
    let [a, b, c, d] = PIO2_PARTS;
    let r1 = x - n * a;
    let r2 = r1 - n * b;
    if !A::DOUBLE {
        return (r2 - n * c, 0.0, bits);
    }
    let lost2 = (r1 - r2) - n * b;
    let r3 = r2 - n * c;
    let lost3 = (r2 - r3) - n * c;
    (r3, lost2 + lost3 - n * d, bits)
}

/// `sin(r + tail)` for |r| <= pi/4, as two parts whose sum it is.
#[inline(always)]
fn sine_parts<A: Accuracy, const FMA: bool>(r: f64, tail: f64, z: f64) -> [f64; 2] {
    let p = poly::<FMA>(z, A::SIN);
    // The cosine that belongs to the tail is 1 - z/2 to the accuracy asked.
    let tail = if A::DOUBLE {
        fma::<FMA>(-0.5 * z, tail, tail)
    } else {
        0.0
    };
    [r, fma::<FMA>(r * z, p, tail)]
}

/// `cos(r + tail)` for |r| <= pi/4, as two parts whose sum it is.
#[inline(always)]
fn cosine_parts<A: Accuracy, const FMA: bool>(r: f64, tail: f64, z: f64) -> [f64; 2] {
    let p = poly::<FMA>(z, A::COS);
    let half = 0.5 * z;
    let top = 1.0 - half;
    let lost = if A::DOUBLE {
        ((1.0 - top) - half) - r * tail
    } else {
        0.0
    };
    [top, fma::<FMA>(z * z, p, lost)]
}

/// `sin(x + turns pi/2)`, |x| <= 2^20: the bits of the quarter choose the function and its sign.
#[inline(always)]
fn circle<A: Accuracy, const FMA: bool>(x: f64, turns: u64) -> f64 {
    let (r, tail, bits) = reduce::<A, FMA>(x);
    let quarter = bits.wrapping_add(turns);
    let z = r * r;
    let [s, s_rest] = sine_parts::<A, FMA>(r, tail, z);
    let [c, c_rest] = cosine_parts::<A, FMA>(r, tail, z);
    let chosen = if quarter & 1 == 0 {
        s + s_rest
    } else {
        c + c_rest
    };
    f64::from_bits(chosen.to_bits() ^ ((quarter & 2) << 62))
}

/// `x` without its sign, and the sign as a bit.
#[inline(always)]
fn unsigned(x: f64) -> (f64, u64) {
    (x.abs(), x.to_bits() & (1 << 63))
}

/// `sin |x|` with the sign of x: the reduction would lose that of zero.
#[inline(always)]
fn sin<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let (magnitude, sign) = unsigned(x);
    f64::from_bits(circle::<A, FMA>(magnitude, 0).to_bits() ^ sign)
}

/// Whether the reduction cannot take `x`.
#[inline(always)]
fn is_odd64(x: f64) -> bool {
    (x.abs() > LARGEST) & (x.abs() < f64::INFINITY)
}

/// [`is_odd64`] for singles.
#[inline(always)]
fn is_odd32(x: f32) -> bool {
    (x.abs() > LARGEST as f32) & (x.abs() < f32::INFINITY)
}

/// The sine of an angle in radians.
pub struct Sin;

impl Unary<f64> for Sin {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        sin::<Double, FMA>(x)
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        is_odd64(x)
    }

    fn slow(x: f64) -> f64 {
        x.sin()
    }
}

impl Unary<f32> for Sin {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        sin::<Single, FMA>(f64::from(x)) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        is_odd32(x)
    }

    fn slow(x: f32) -> f32 {
        x.sin()
    }
}

/// The cosine of an angle in radians.
pub struct Cos;

impl Unary<f64> for Cos {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        circle::<Double, FMA>(x, 1)
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        is_odd64(x)
    }

    fn slow(x: f64) -> f64 {
        x.cos()
    }
}

impl Unary<f32> for Cos {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        circle::<Single, FMA>(f64::from(x), 1) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        is_odd32(x)
    }

    fn slow(x: f32) -> f32 {
        x.cos()
    }
}

/// The tangent of an angle in radians.
pub struct Tan;

/// `tan |x|` with the sign of x, as the quotient of the two functions or its negated inverse.
#[inline(always)]
fn tan<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let (magnitude, sign) = unsigned(x);
    let (r, tail, bits) = reduce::<A, FMA>(magnitude);
    let z = r * r;
    let [s, s_rest] = sine_parts::<A, FMA>(r, tail, z);
    let [c, c_rest] = cosine_parts::<A, FMA>(r, tail, z);
    let (s, s_lost) = fast_two_sum(s, s_rest);
    let (c, c_lost) = fast_two_sum(c, c_rest);
    let even = bits & 1 == 0;
    // The sine is zero only where x is (no double is a multiple of pi/2), so the divisor never is.
    let (top, top_lost) = if even { (s, s_lost) } else { (c, c_lost) };
    let (bottom, bottom_lost) = if even { (c, c_lost) } else { (s, s_lost) };
    let quotient = if A::DOUBLE && FMA {
        // One step for the remainder, roundings of both functions included: 0.6 ulp instead of 2.1.
        let inverse = 1.0 / bottom;
        let q = top * inverse;
        let rest = q.mul_add(-bottom, top) + q.mul_add(-bottom_lost, top_lost);
        rest.mul_add(inverse, q)
    } else {
        top / bottom
    };
    f64::from_bits(quotient.to_bits() ^ (bits << 63) ^ sign)
}

impl Unary<f64> for Tan {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        tan::<Double, FMA>(x)
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        is_odd64(x)
    }

    fn slow(x: f64) -> f64 {
        x.tan()
    }
}

impl Unary<f32> for Tan {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        tan::<Single, FMA>(f64::from(x)) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32) -> bool {
        is_odd32(x)
    }

    fn slow(x: f32) -> f32 {
        x.tan()
    }
}
