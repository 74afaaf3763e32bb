//! `sin` and `cos`: x = n pi/2 + r with |r| <= pi/4, and polynomials for both circular functions of r. `tan`: x = n pi/16 + r, a
//! polynomial for the tangent of r, and a table for that of the rest.
//!
//! The reduction is Cody and Waite's with enough parts of pi/2 to be right to the last bit, also beside its multiples, for |x|
//! up to 2^20 (`f32`: 2^16; an eighth of that for `tan`). Larger arguments take the slow path.

use super::Unary;
use super::arithmetic::{abs_bits, fast_two_sum, is_not_finite, is_single, poly, second_last_as_sign, turned_by};
use super::coefficients::PIO2_PARTS;
use super::real::{DoubleWord, Number, Real, Word};
use crate::Table;
use std::f64::consts::FRAC_2_PI;

/// The part of pi/2 that is pi/16.
const SIXTEENTH: f64 = 0.125;

/// `x = n pi/2 part + r - excess`, part a power of two, and bits that end in those of n. Zero has its sign in r, and no other in
/// the excess than the positive one.
#[inline(always)]
fn reduce<R: Real, const FMA: bool>(x: R, part: f64) -> (R, R, R::Word) {
    let of = |constant: R::Number| R::literal(constant) * R::of(part);
    let shifted = x.fma::<FMA>(R::of(FRAC_2_PI / part), R::literal(R::Number::MAGIC));
    let n = shifted - R::literal(R::Number::MAGIC);
    let (r, excess) = if FMA {
        // Exact, as its last bit is worth no less than that of the first part of pi/2.
        let first = n.fma::<true>(-of(R::Number::QUARTER.0), x);
        // The product is rounded first: only then is the difference of the differences itself a float, whichever is larger.
        let r = first - n * of(R::Number::QUARTER.1);
        let excess = n.fma::<true>(of(R::Number::QUARTER.1), r - first);
        (r, n.fma::<true>(of(R::Number::QUARTER_REST), excess))
    } else {
        rest(x, n, part)
    };
    (r, excess, shifted.bits())
}

/// `x - n pi/2 part` and the excess on a machine that does not fuse, for n as large as it is at the largest angle.
#[inline(always)]
fn rest<R: Real>(x: R, n: R, part: f64) -> DoubleWord<R> {
    let [p0, p1, p2, p3] = PIO2_PARTS.map(|p| p * part);
    if R::Number::MANTISSA < 52 {
        // In double: parts of pi/2 short enough for exact products would be too many.
        let (x, n) = (x.double(), n.double());
        let r = (x - n * R::Double::of(p0)) - n * R::Double::of(p1 + p2);
        let high = R::from_double(r);
        return (high, R::from_double(high.double() - r));
    }
    // Three differences whose products are exact, each with what it loses.
    let r0 = x - n * R::of(p0);
    let r1 = r0 - n * R::of(p1);
    let excess1 = n * R::of(p1) - (r0 - r1);
    let r2 = r1 - n * R::of(p2);
    let excess2 = n * R::of(p2) - (r1 - r2);
    (r2, excess1 + excess2 + n * R::of(p3))
}

/// `sin(r - excess)` for |r| <= pi/4, as two parts whose sum it is, the first larger.
#[inline(always)]
fn sine<R: Real, const FMA: bool>(r: R, excess: R, z: R) -> DoubleWord<R> {
    // The cosine that belongs to the excess is 1 - z/2 to the accuracy asked; of singles 1, for a tenth of a unit.
    let excess = if is_single::<R>() { excess } else { (z * excess).fma::<FMA>(R::of(-0.5), excess) };
    (r, (r * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::SIN), -excess))
}

/// `cos(r - excess)` for |r| <= pi/4, as two parts whose sum it is, the first larger.
#[inline(always)]
fn cosine<R: Real, const FMA: bool>(r: R, excess: R, z: R) -> DoubleWord<R> {
    let half = R::of(-0.5);
    let top = z.fma::<FMA>(half, R::of(1.0));
    let lost = r.fma::<FMA>(excess, z.fma::<FMA>(half, R::of(1.0) - top));
    (top, (z * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::COS), lost))
}

/// `sin(x + turns pi/2)`, and bits whose sign bit negates it: the bits of the quadrant select the function and its sign.
#[inline(always)]
fn circle<R: Real, const FMA: bool>(x: R, turns: u64) -> (R, R::Word) {
    let (r, excess, bits) = reduce::<R, FMA>(x, 1.0);
    let quarter = bits.wrapping_add(R::Word::of(turns));
    let z = r * r;
    let (s, s_rest) = sine::<R, FMA>(r, excess, z);
    let (c, c_rest) = cosine::<R, FMA>(r, excess, z);
    let even = (quarter & R::Word::of(1)).equals(R::Word::of(0));
    (R::select(even, s + s_rest, c + c_rest), second_last_as_sign::<R>(quarter))
}

/// Whether `x` is too large for the range reduction by parts of pi/2.
#[inline(always)]
fn needs_slow_path<R: Real>(x: R, part: f64) -> R::Mask {
    abs_bits(x).above((R::literal(R::Number::LARGEST_ANGLE) * R::of(part)).bits())
}

/// `value`, but NaN of NaN, and of infinities, for which it raises invalid.
#[inline(always)]
fn with_infinities<R: Real>(value: R, x: R) -> R {
    R::select(is_not_finite(x), x + -x, value)
}

/// The sine of an angle in radians.
pub struct Sin;

impl<R: Real> Unary<R> for Sin {
    /// The sine of the size, with the sign of x: the reduction would lose that of zero.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (size, sign) = circle::<R, FMA>(x.abs(), 0);
        turned_by(size, sign ^ x.bits())
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        needs_slow_path(x, 1.0)
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        with_infinities(value, x)
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
        let (value, sign) = circle::<R, FMA>(if R::SHARES_STEPS { x.abs() } else { x }, 1);
        turned_by(value, sign)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        needs_slow_path(x, 1.0)
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        with_infinities(value, x)
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
    /// The addition theorem: (T + t) / (1 - T t) with T = tan(j pi/16) from a table, as a quotient, and t = tan r.
    /// Zero is its own value, sign included: the dividend for it is the negative zero, and what quotients exceed is taken away.
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (r, excess, index) = reduce::<R, FMA>(x, SIXTEENTH);
        let (over, under) = (R::entry(Table::TanTop, index), R::entry(Table::TanBottom, index));
        let z = r * r;
        let series = (r * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::TAN), -excess);
        if is_single::<R>() {
            let t = r + series;
            if !FMA {
                // In double, as two more roundings are too many.
                let (t, over, under) = (t.double(), over.double(), under.double());
                return R::from_double((t * under + over) / (under - t * over));
            }
            return t.fma::<true>(under, over) / t.fma::<true>(-over, under);
        }
        let (t, low) = fast_two_sum(r, series);
        // Both with what they lose: 0.9 ulp instead of 2, which do for singles.
        let top = t.fma::<FMA>(under, over);
        let top_low = low.fma::<FMA>(under, t.fma::<FMA>(under, over - top));
        let bottom = t.fma::<FMA>(-over, under);
        let bottom_low = low.fma::<FMA>(-over, t.fma::<FMA>(-over, under - bottom));
        // The divisor is never zero, as no float is a multiple of pi/2.
        if FMA {
            let inverse = R::of(1.0) / bottom;
            let q = top * inverse;
            let excess = q.fma::<true>(bottom, -top) + q.fma::<true>(bottom_low, -top_low);
            excess.fma::<true>(-inverse, q)
        } else {
            (top - (R::of(0.0) - top_low)) / (bottom + bottom_low)
        }
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        needs_slow_path(x, SIXTEENTH)
    }

    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        is_not_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        with_infinities(value, x)
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().tan())
    }
}
