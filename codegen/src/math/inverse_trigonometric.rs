//! Inverse trigonometric functions: `arcsin`, `arccos`, `arctan`, `arctan2`. The argument is reduced below 1/2, 1 or 0.133; the angle to add
//! is in two parts, of singles in one.
//!
//! `arcsin` and `arccos` reduce by a square root, the others by one division: of doubles to what is left of one of fourteen
//! angles of a table, whose series is half as long as that to the nearest multiple of pi/4. The slow path takes arguments
//! beyond 1 of the former and, of `arctan2`, those so large or small that sums and products of them leave the exponent range.

use super::arithmetic::{
    abs_bits, first_nan, invalid_where, is_negative, is_not_finite, is_signed, is_single, is_within, poly, sign_bit,
    turned, twice_root,
};
use super::real::{DoubleWord, Number, Real, Word};
use super::{Binary, Unary};
use crate::Table;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// `base + low + v (1 + z P(z))` for |v| <= base or base = 0, what the first sum loses included.
#[inline(always)]
fn add_arcsine<R: Real, const FMA: bool>(base: R, v: R, low: R, z: R) -> R {
    if is_single::<R>() {
        return base + (v * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ASIN), v);
    }
    let sum = base + v;
    let lost = (base - sum) + v + low;
    sum + (v * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ASIN), lost)
}

/// Whether |x| < 1/2, z such that the arcsine of its root gives that of |x|, and twice that root with its excess: z = (1-|x|)/2
/// beyond 1/2.
#[inline(always)]
fn half_angle<R: Real, const FMA: bool>(size: R) -> (R::Mask, R, DoubleWord<R>) {
    let half = R::of(0.5);
    let small = size.below(half);
    let z = R::select(small, size * size, size.fma::<FMA>(-half, half));
    (small, z, twice_root::<R, FMA>(z))
}

/// The inverse sine, in radians.
pub struct Arcsin;

impl<R: Real> Unary<R> for Arcsin {
    const SAFE_ARGUMENT: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (zero, (quarter, quarter_low)) = (R::of(0.0), R::parts(R::Number::PIO2));
        let (small, z, (twice, excess)) = half_angle::<R, FMA>(x.abs());
        let (base, v) = R::select_pair(small, (zero, x.abs()), (quarter, -twice));
        let low = R::select(small, zero, quarter_low + excess);
        add_arcsine::<R, FMA>(base, v, low, z).copysign(x)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        abs_bits(x).above(R::of(1.0).bits())
    }

    /// NaN, and what is beyond one.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        abs_bits(x).above(R::of(1.0).bits())
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        invalid_where(is_negative(R::of(1.0) - x.abs()), first_nan(x, value))
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().asin())
    }
}

/// The inverse cosine, in radians.
pub struct Arccos;

impl<R: Real> Unary<R> for Arccos {
    const SAFE_ARGUMENT: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (zero, (quarter, quarter_low)) = (R::of(0.0), R::parts(R::Number::PIO2));
        let (small, z, (twice, excess)) = half_angle::<R, FMA>(x.abs());
        let sign = sign_bit(x);
        let (log_of_twice, far_low) = R::select_pair(x.below(zero), R::parts(R::Number::PI), (zero, zero));
        let (base, v) = R::select_pair(small, (quarter, -x), (log_of_twice, turned(twice, sign)));
        let low = R::select(small, quarter_low, far_low - turned(excess, sign));
        add_arcsine::<R, FMA>(base, v, low, z)
    }

    #[inline(always)]
    fn needs_slow_path(x: R) -> R::Mask {
        abs_bits(x).above(R::of(1.0).bits())
    }

    /// NaN, and what is beyond one.
    #[inline(always)]
    fn is_special(x: R) -> R::Mask {
        abs_bits(x).above(R::of(1.0).bits())
    }

    #[inline(always)]
    fn with_specials(value: R, x: R) -> R {
        invalid_where(is_negative(R::of(1.0) - x.abs()), first_nan(x, value))
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().acos())
    }
}

/// Bits whose lowest four say which half octave from 1/16 to 16 the quotient of two sizes is in, or nearest to, within an eighth.
/// `distance` is by how much the bits of the dividend exceed those of the divisor, as what floats have for logarithms.
#[inline(always)]
fn half_octave<R: Real>(distance: R::Word) -> R::Word {
    // Made positive by the sign bit; 7 is what the exponent of 1 ends in.
    let octave = |exponent: u64| R::Word::of(exponent << R::Number::MANTISSA).wrapping_add(sign_bit(-R::of(1.0)));
    let (least, end) = (octave(3), octave(11));
    distance.wrapping_add(octave(7)).larger(least).smaller(end.wrapping_sub(R::Word::of(1)))
        >> (R::Number::MANTISSA - 1)
}

/// `high + low + arctan(t)` for |t| < 0.133.
#[inline(always)]
fn add_arctangent<R: Real, const FMA: bool>(t: R, (high, low): DoubleWord<R>) -> R {
    let z = t * t;
    high + (t + (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATAN), low))
}

/// The inverse tangent, in radians.
pub struct Arctan;

impl<R: Real> Unary<R> for Arctan {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        if is_single::<R>() {
            // One quotient below 1, which is the argument or the inverse.
            let a = x.abs();
            let log_of_twice = a.above(one);
            let (top, bottom) = R::select_pair(log_of_twice, (-one, a), (a, one));
            let t = top / bottom;
            let z = t * t;
            let angle = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATAN_WIDE), t);
            return (R::select(log_of_twice, R::literal(R::Number::PIO2.0), zero) + angle).copysign(x);
        }
        // With c of the table for a, or none: (a - c) / (1 + a c) or -1/a, the dividend exact. Infinity would be nan in it.
        let a = x.abs().bounded(R::of(1e300));
        let index = half_octave::<R>(a.bits().wrapping_sub(one.bits()));
        let (c, unit) = (R::entry(Table::AtanTop, index), R::entry(Table::AtanBottom, index));
        let t = a.fma::<FMA>(unit, -c) / a.fma::<FMA>(c, unit);
        let angle = (R::entry(Table::AtanHigh, index), R::entry(Table::AtanLow, index));
        add_arctangent::<R, FMA>(t, angle).copysign(x)
    }
}

/// The angle of the point whose *second* argument is its abscissa: `arctan2(y, x)`, in radians from -pi to pi.
pub struct Arctan2;

impl<R: Real> Binary<R> for Arctan2 {
    /// The left half plane is reflected onto the right one; singles are reflected once more, onto an octant.
    #[inline(always)]
    fn fast<const FMA: bool>(y: R, x: R) -> R {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let (ay, ax) = (y.abs(), x.abs());
        let left = is_signed(x);
        if is_single::<R>() {
            let steep = ay.above(ax);
            let (large, small) = R::select_pair(steep, (ay, ax), (ax, ay));
            // At the origin the angle is that of zero over the least number there is: no choice, which LLVM would make after
            // dividing.
            let divisor = R::from_bits(large.bits().larger(R::Word::of(1)));
            // Quotients that would underflow are negligible beside quarters of a turn.
            let nothing = small.below(large * R::of(1e-20));
            let t = R::select(nothing & (steep | left), zero, small) / divisor;
            let z = t * t;
            let angle = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATAN_WIDE), t);
            let angle = R::select(steep, R::literal(R::Number::PIO2.0) - angle, angle);
            return R::select(left, R::literal(R::Number::PI.0) - angle, angle).copysign(y);
        }
        // At the origin the angle is that of 0 / 1.
        let ax = R::select((ay.bits() | ax.bits()).equals(R::Word::of(0)), one, ax);
        let index = half_octave::<R>(ay.bits().wrapping_sub(ax.bits()));
        // Beside quarters of a turn a quotient below 2^-60 is nothing, and might underflow.
        let nothing = |small: R, large: R| (small * R::of(1e18)).below(large);
        let ay = R::select(left & nothing(ay, ax), zero, ay);
        let ax = R::select(nothing(ax, ay), zero, ax);
        let (c, unit) = (R::entry(Table::AtanTop, index), R::entry(Table::AtanBottom, index));
        let top = ax.fma::<FMA>(-c, ay * unit);
        let bottom = ay.fma::<FMA>(c, ax * unit);
        let (high, low) = (R::entry(Table::AtanHigh, index), R::entry(Table::AtanLow, index));
        let (t, low) = if FMA {
            // With what the quotient loses, which is a unit where the angle is just below a power of two.
            let inverse = one / bottom;
            let t = top * inverse;
            (t, t.fma::<true>(-bottom, top).fma::<true>(inverse, low))
        } else {
            (top / bottom, low)
        };
        let (pi, pi_low) = R::parts(R::Number::PI_CUT);
        let [t, high, low] = R::select_all(left, [-t, pi - high, pi_low - low], [t, high, low]);
        add_arctangent::<R, FMA>(t, (high, low)).copysign(y)
    }

    #[inline(always)]
    fn needs_slow_path(y: R, x: R) -> R::Mask {
        let (a, b) = (abs_bits(y), abs_bits(x));
        if is_single::<R>() {
            return a.larger(b).reaches(R::literal(R::Number::INFINITY).bits());
        }
        let (lowest, highest) = R::parts(R::Number::ARCTAN2_RANGE);
        let none = R::Word::of(0);
        // What is left of a very small one by the other would be cut off.
        let fits = |v: R::Word| is_within(v, lowest, highest) | v.equals(none);
        !(fits(a) & fits(b))
    }

    /// A pair with NaN or an infinity.
    #[inline(always)]
    fn is_special(y: R, x: R) -> R::Mask {
        is_not_finite(y) | is_not_finite(x)
    }

    #[inline(always)]
    fn with_specials(value: R, y: R, x: R) -> R {
        let left = is_signed(x);
        let diagonal = R::select(left, R::of(0.75 * PI), R::of(FRAC_PI_4));
        let flat = R::select(left, R::of(PI), R::of(0.0));
        let steep = R::select(is_not_finite(x), diagonal, R::of(FRAC_PI_2));
        let infinite = R::select(is_not_finite(y), steep, flat).copysign(y);
        let value = R::select(is_not_finite(y) | is_not_finite(x), infinite, value);
        first_nan(y, first_nan(x, value)) * R::of(1.0)
    }

    fn slow(y: R, x: R) -> R
    where
        R: Number,
    {
        R::of(y.wide().atan2(x.wide()))
    }
}
