//! `arcsin`, `arccos`, `arctan`, `arctan2`: the argument is brought below 1/2, 1 or sqrt 2 - 1, the angle to add is in two
//! parts; of singles in one.
//!
//! `arcsin` and `arccos` reduce by a square root, the others by one division. Odd are, for the former, arguments beyond 1
//! and, for `arctan2`, those so large or small that sums and products of them leave the exponent range.

use super::arithmetic::{
    at_most, fast_two_sum, is_signed, is_single, is_within, poly, quotient_parts, root_parts, sign_bit, size_bits,
    turned, two_sum,
};
use super::real::{Number, Parts, Real, Word};
use super::{Binary, Unary};
use std::f64::consts::SQRT_2;

/// An angle of which the tangent is no other number, in either width.
const VERY_SMALL: f64 = 1e-9;

/// `base + v (1 + z P(z))` for |v| <= base or base = 0, what the first sum loses and the lower part of v included.
#[inline(always)]
fn add_arcsine<R: Real, const FMA: bool>(base: Parts<R>, v: R, v_low: R, z: R) -> R {
    if is_single::<R>() {
        return base.0 + (v * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ASIN), v);
    }
    let sum = base.0 + v;
    let lost = (base.0 - sum) + v + v_low;
    sum + (v * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ASIN), lost + base.1)
}

/// Whether |x| < 1/2, z such that the arcsine of its root gives that of |x|, and that root in two parts: z = (1-|x|)/2
/// beyond 1/2.
#[inline(always)]
fn half_angle<R: Real, const FMA: bool>(size: R) -> (R::Mask, R, Parts<R>) {
    let half = R::of(0.5);
    let small = size.below(half);
    let z = R::pick(small, size * size, (R::of(1.0) - size) * half);
    (small, z, root_parts::<R, FMA>(z, R::of(0.0)))
}

/// The inverse sine, in radians.
pub struct Arcsin;

impl<R: Real> Unary<R> for Arcsin {
    const CALM: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (small, z, (root, root_low)) = half_angle::<R, FMA>(x.size());
        let base = R::pick_pair(small, (R::of(0.0), R::of(0.0)), R::parts(R::Number::PIO2));
        let (v, low) = R::pick_pair(small, (x.size(), R::of(0.0)), (root * R::of(-2.0), root_low + root_low));
        add_arcsine::<R, FMA>(base, v, -low, z).signed(x)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        size_bits(x).above(R::of(1.0).bits())
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
    const CALM: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (small, z, (root, root_low)) = half_angle::<R, FMA>(x.size());
        let sign = sign_bit(x);
        let far = R::pick_pair(x.below(R::of(0.0)), R::parts(R::Number::PI), (R::of(0.0), R::of(0.0)));
        let (v, low) =
            R::pick_pair(small, (-x, R::of(0.0)), (turned(root + root, sign), turned(root_low + root_low, sign)));
        add_arcsine::<R, FMA>(R::pick_pair(small, R::parts(R::Number::PIO2), far), v, low, z)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        size_bits(x).above(R::of(1.0).bits())
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().acos())
    }
}

/// `arctan(t) + quarters pi/4`, for |t| <= sqrt 2 - 1 in two parts.
#[inline(always)]
fn add_arctangent<R: Real, const FMA: bool>((t, t_low): Parts<R>, quarters: R) -> R {
    // The square of a very small number would underflow.
    let seen = R::pick(t.size().below(R::of(VERY_SMALL)), R::of(0.0), t);
    let z = seen * seen;
    let small = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATAN), quarters * R::literal(R::Number::PIO4.1));
    // The derivative of the angle is 1 - z to the accuracy asked.
    let low = t_low.fma::<FMA>(-z, t_low);
    let (sum, lost) = fast_two_sum(quarters * R::literal(R::Number::PIO4.0), t);
    sum + (small + (low + lost))
}

/// The inverse tangent, in radians.
pub struct Arctan;

impl<R: Real> Unary<R> for Arctan {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (zero, one, two) = (R::of(0.0), R::of(1.0), R::of(2.0));
        if is_single::<R>() {
            // One quotient below 1, which is the argument or the inverse.
            let a = x.size();
            let far = a.above(one);
            let (top, bottom) = R::pick_pair(far, (-one, a), (a, one));
            let t = top / bottom;
            let z = t * t;
            let angle = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATAN_WIDE), t);
            return (R::pick(far, R::literal(R::Number::PIO2.0), zero) + angle).signed(x);
        }
        // From 1e17 on the angle is a right one, and infinity would be divided by.
        let a = at_most(x.size(), R::of(1e30));
        let (less, less_low) = two_sum(a, -one);
        let (more, more_low) = two_sum(a, one);
        // One choice of all five, not five choices: from those LLVM makes a division for each arm.
        let middle = [less, less_low, more, more_low, one];
        let near = R::pick_all(a.above(R::of(SQRT_2 - 1.0)), middle, [a, zero, one, zero, zero]);
        let far = a.above(R::of(SQRT_2 + 1.0));
        let [top, top_low, bottom, bottom_low, quarters] = R::pick_all(far, [-one, zero, a, zero, two], near);
        let t = quotient_parts::<R, FMA>((top, top_low), (bottom, bottom_low));
        add_arctangent::<R, FMA>(t, quarters).signed(x)
    }
}

/// The angle of the point whose *second* argument is its abscissa: `arctan2(y, x)`, in radians from -pi to pi.
pub struct Arctan2;

impl<R: Real> Binary<R> for Arctan2 {
    /// The plane is folded onto half an octant, and the angle there unfolded as quarters of pi and a sign.
    #[inline(always)]
    fn fast<const FMA: bool>(y: R, x: R) -> R {
        let (zero, one) = (R::of(0.0), R::of(1.0));
        let (ay, ax) = (y.size(), x.size());
        let steep = ay.above(ax);
        let (large, small) = R::pick_pair(steep, (ay, ax), (ax, ay));
        let left = is_signed(x);
        if is_single::<R>() {
            // At the origin the angle is that of zero over the least number there is: no choice, which LLVM would make after
            // dividing.
            let divisor = R::from_bits(large.bits().larger(R::Word::of(1)));
            // What would underflow beside quarters of a turn is nothing there.
            let nothing = small.below(large * R::of(1e-20));
            let t = R::pick(nothing & (steep | left), zero, small) / divisor;
            let z = t * t;
            let angle = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::Number::ATAN_WIDE), t);
            let angle = R::pick(steep, R::literal(R::Number::PIO2.0) - angle, angle);
            return R::pick(left, R::literal(R::Number::PI.0) - angle, angle).signed(y);
        }
        // Beside quarters of a turn a quotient below 2^-60 is nothing, and might underflow.
        let nothing = size_bits(large).minus(size_bits(small)).above(R::Word::of(60 << R::Number::MANTISSA));
        let small = R::pick(nothing & (steep | left), zero, small);
        let (less, less_low) = fast_two_sum(-large, small);
        let (more, more_low) = fast_two_sum(large, small);
        // At the origin the angle is that of 0 / 1.
        let divisor = R::pick(large.equals(zero), one, large);
        let [top, top_low, bottom, bottom_low, quarters] = R::pick_all(
            small.above(large * R::of(SQRT_2 - 1.0)),
            [less, less_low, more, more_low, one],
            [small, zero, divisor, zero, zero],
        );
        let (t, low) = quotient_parts::<R, FMA>((top, top_low), (bottom, bottom_low));
        let quarters = R::pick(steep, R::of(2.0) - quarters, quarters);
        let quarters = R::pick(left, R::of(4.0) - quarters, quarters);
        let (t, low) = R::pick_pair(steep ^ left, (-t, -low), (t, low));
        add_arctangent::<R, FMA>((t, low), quarters).signed(y)
    }

    #[inline(always)]
    fn is_odd(y: R, x: R) -> R::Mask {
        let (a, b) = (size_bits(y), size_bits(x));
        if is_single::<R>() {
            return a.larger(b).reaches(R::literal(R::Number::INFINITY).bits());
        }
        let (lowest, highest) = R::parts(R::Number::ARCTAN2_RANGE);
        let none = R::Word::of(0);
        // What is left of a very small one by the other would be cut off.
        let fits = |v: R::Word| is_within(v, lowest, highest) | v.equals(none);
        !(fits(a) & fits(b))
    }

    fn slow(y: R, x: R) -> R
    where
        R: Number,
    {
        R::of(y.wide().atan2(x.wide()))
    }
}
