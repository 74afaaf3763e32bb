//! `arcsin`, `arccos`, `arctan`, `arctan2`: the argument is brought below 1/2 or sqrt 2 - 1, the angle to add is in two parts.
//!
//! `arcsin` and `arccos` reduce by a square root, the others by one division. Odd are, for the former, arguments beyond 1
//! and, for `arctan2`, those so large or small that sums and products of them leave the exponent range.

use super::arithmetic::{is_signed, is_within, poly, size_bits};
use super::real::{Parts, Real, Word};
use super::{Binary, Unary};
use std::f64::consts::SQRT_2;

/// An angle of which the tangent is no other number, in either width.
const VERY_SMALL: f64 = 1e-9;

/// `base + v (1 + z P(z))` for |v| <= base or base = 0, what the first sum loses included.
#[inline(always)]
fn add_arcsine<R: Real, const FMA: bool>(base: Parts<R>, v: R, z: R) -> R {
    let sum = base.0 + v;
    let lost = (base.0 - sum) + v;
    sum + (v * z).fma::<FMA>(poly::<R, FMA>(z, R::ASIN), lost + base.1)
}

/// Whether |x| < 1/2, and t, t^2 such that the arcsine of t gives that of |x|: t = sqrt((1-|x|)/2) beyond 1/2.
#[inline(always)]
fn half_angle<R: Real>(size: R) -> (bool, R, R) {
    let half = R::of(0.5);
    let small = size < half;
    let z = if small { size * size } else { (R::of(1.0) - size) * half };
    let t = if small { size } else { z.root() };
    (small, t, z)
}

/// One of two constants.
#[inline(always)]
fn choose<R: Real>(first: bool, a: Parts<R>, b: Parts<R>) -> Parts<R> {
    if first { a } else { b }
}

/// The inverse sine, in radians.
pub struct Arcsin;

impl<R: Real> Unary<R> for Arcsin {
    const CALM: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (small, t, z) = half_angle(x.size());
        let base = choose(small, (R::of(0.0), R::of(0.0)), R::PIO2);
        let v = if small { t } else { -(t + t) };
        add_arcsine::<R, FMA>(base, v, z).signed(x)
    }

    #[inline(always)]
    fn is_odd(x: R) -> bool {
        size_bits(x) > R::of(1.0).bits()
    }

    fn slow(x: R) -> R {
        R::of(x.wide().asin())
    }
}

/// The inverse cosine, in radians.
pub struct Arccos;

impl<R: Real> Unary<R> for Arccos {
    const CALM: f64 = 0.5;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (small, t, z) = half_angle(x.size());
        let far = choose(x < R::of(0.0), R::PI, (R::of(0.0), R::of(0.0)));
        let v = if small { -x } else { (t + t).signed(x) };
        add_arcsine::<R, FMA>(choose(small, R::PIO2, far), v, z)
    }

    #[inline(always)]
    fn is_odd(x: R) -> bool {
        size_bits(x) > R::of(1.0).bits()
    }

    fn slow(x: R) -> R {
        R::of(x.wide().acos())
    }
}

/// `arctan(t) + quarters pi/4`, for |t| <= sqrt 2 - 1.
#[inline(always)]
fn add_arctangent<R: Real, const FMA: bool>(t: R, quarters: R) -> R {
    // The square of a very small number would underflow.
    let seen = if t.size() < R::of(VERY_SMALL) { R::of(0.0) } else { t };
    let z = seen * seen;
    let small = (t * z).fma::<FMA>(poly::<R, FMA>(z, R::ATAN), quarters * R::PIO4.1);
    quarters * R::PIO4.0 + (t + small)
}

/// The inverse tangent, in radians.
pub struct Arctan;

impl<R: Real> Unary<R> for Arctan {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let (zero, one, two) = (R::of(0.0), R::of(1.0), R::of(2.0));
        let a = x.size();
        // One choice of all three, not three choices: from those LLVM makes a division for each arm.
        let (top, bottom, quarters) = if a > R::of(SQRT_2 + 1.0) {
            (-one, a, two)
        } else if a > R::of(SQRT_2 - 1.0) {
            (a - one, a + one, one)
        } else {
            (a, one, zero)
        };
        add_arctangent::<R, FMA>(top / bottom, quarters).signed(x)
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
        let steep = ay > ax;
        let (large, small) = if steep { (ay, ax) } else { (ax, ay) };
        let left = is_signed(x);
        // Beside quarters of a turn a quotient below 2^-60 is nothing, and might underflow.
        let nothing = size_bits(large).minus(size_bits(small)) > R::Word::of(60 << R::MANTISSA);
        let small = if nothing & (steep | left) { zero } else { small };
        let (top, bottom, quarters) = if small > large * R::of(SQRT_2 - 1.0) {
            (small - large, small + large, one)
        } else {
            // At the origin the angle is that of 0 / 1.
            (small, if large == zero { one } else { large }, zero)
        };
        let t = top / bottom;
        let (quarters, t) = if steep { (R::of(2.0) - quarters, -t) } else { (quarters, t) };
        let (quarters, t) = if left { (R::of(4.0) - quarters, -t) } else { (quarters, t) };
        add_arctangent::<R, FMA>(t, quarters).signed(y)
    }

    #[inline(always)]
    fn is_odd(y: R, x: R) -> bool {
        let large = size_bits(y).max(size_bits(x));
        let (lowest, highest) = R::ARCTAN2_RANGE;
        !(is_within(large, lowest, highest) | (large == R::Word::of(0)))
    }

    fn slow(y: R, x: R) -> R {
        R::of(y.wide().atan2(x.wide()))
    }
}
