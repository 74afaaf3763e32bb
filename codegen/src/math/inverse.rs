//! `arcsin`, `arccos`, `arctan` and `arctan2`: the argument is brought below 1/2 or sqrt 2 - 1, the angle to add kept in two parts.
//!
//! `arcsin` and `arccos` reduce by a square root (of a negative number beyond 1, which is what raises invalid), the
//! others by one division. Only `arctan2` has odd arguments: those so large or small that sums and products of them leave
//! the exponent range.

use super::accuracy::{Accuracy, Double, Single};
use super::coefficients::{PIO2_TAIL, PIO4_PARTS};
use super::fma::{fma, poly};
use super::{Binary, Unary};
use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};

/// `base + base_tail + v (1 + z P(z))` for |v| <= base or base = 0, what the first sum loses included.
#[inline(always)]
fn add_arcsine<A: Accuracy, const FMA: bool>(base: f64, base_tail: f64, v: f64, z: f64) -> f64 {
    let sum = base + v;
    let lost = (base - sum) + v;
    sum + fma::<FMA>(v * z, poly::<FMA>(z, A::ASIN), lost + base_tail)
}

/// Whether |x| < 1/2, and t, t^2 such that the arcsine of t gives that of |x|: t = sqrt((1-|x|)/2) beyond 1/2.
#[inline(always)]
fn half_angle(magnitude: f64) -> (bool, f64, f64) {
    let small = magnitude < 0.5;
    let z = if small {
        magnitude * magnitude
    } else {
        (1.0 - magnitude) * 0.5
    };
    let t = if small { magnitude } else { z.sqrt() };
    (small, t, z)
}

#[inline(always)]
fn arcsin<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let (small, t, z) = half_angle(x.abs());
    let (base, tail) = if small {
        (0.0, 0.0)
    } else {
        (FRAC_PI_2, PIO2_TAIL)
    };
    let v = if small { t } else { -2.0 * t };
    add_arcsine::<A, FMA>(base, tail, v, z).copysign(x)
}

#[inline(always)]
fn arccos<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let (small, t, z) = half_angle(x.abs());
    let (far, far_tail) = if x < 0.0 {
        (PI, 2.0 * PIO2_TAIL)
    } else {
        (0.0, 0.0)
    };
    let (base, tail) = if small {
        (FRAC_PI_2, PIO2_TAIL)
    } else {
        (far, far_tail)
    };
    let v = if small { -x } else { (2.0 * t).copysign(x) };
    add_arcsine::<A, FMA>(base, tail, v, z)
}

/// `sign * arctan(t) + quarters pi/4`, for |t| <= sqrt 2 - 1 and `sign` 1 or -1.
#[inline(always)]
fn add_arctangent<A: Accuracy, const FMA: bool>(t: f64, quarters: f64, sign: f64) -> f64 {
    let t = t * sign;
    let z = t * t;
    let [high, low] = PIO4_PARTS;
    let small = fma::<FMA>(t * z, poly::<FMA>(z, A::ATAN), quarters * low);
    quarters * high + (t + small)
}

#[inline(always)]
fn arctan<A: Accuracy, const FMA: bool>(x: f64) -> f64 {
    let a = x.abs();
    let (middle, far) = (a > SQRT_2 - 1.0, a > SQRT_2 + 1.0);
    let top = if far {
        -1.0
    } else {
        if middle { a - 1.0 } else { a }
    };
    let bottom = if far {
        a
    } else {
        if middle { a + 1.0 } else { 1.0 }
    };
    let quarters = if far {
        2.0
    } else {
        if middle { 1.0 } else { 0.0 }
    };
    add_arctangent::<A, FMA>(top / bottom, quarters, 1.0).copysign(x)
}

/// The angle of `(x, y)`: the octant is folded onto the first half of the first, and unfolded as quarters of pi and a sign.
#[inline(always)]
fn arctan2<A: Accuracy, const FMA: bool>(y: f64, x: f64) -> f64 {
    let (ay, ax) = (y.abs(), x.abs());
    let steep = ay > ax;
    let (large, small) = if steep { (ay, ax) } else { (ax, ay) };
    let middle = small > large * (SQRT_2 - 1.0);
    let top = if middle { small - large } else { small };
    let safe = if large == 0.0 { 1.0 } else { large };
    let bottom = if middle { small + large } else { safe };
    let quarters = if middle { 1.0 } else { 0.0 };
    let (quarters, sign) = if steep {
        (2.0 - quarters, -1.0)
    } else {
        (quarters, 1.0)
    };
    let (quarters, sign) = if x.is_sign_negative() {
        (4.0 - quarters, -sign)
    } else {
        (quarters, sign)
    };
    add_arctangent::<A, FMA>(top / bottom, quarters, sign).copysign(y)
}

/// The inverse sine, in radians.
pub struct Arcsin;

impl Unary<f64> for Arcsin {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        arcsin::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.asin()
    }
}

impl Unary<f32> for Arcsin {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        arcsin::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.asin()
    }
}

/// The inverse cosine, in radians.
pub struct Arccos;

impl Unary<f64> for Arccos {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        arccos::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.acos()
    }
}

impl Unary<f32> for Arccos {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        arccos::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.acos()
    }
}

/// The inverse tangent, in radians.
pub struct Arctan;

impl Unary<f64> for Arctan {
    const CALM: f64 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        arctan::<Double, FMA>(x)
    }

    fn slow(x: f64) -> f64 {
        x.atan()
    }
}

impl Unary<f32> for Arctan {
    const CALM: f32 = 0.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        arctan::<Single, FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.atan()
    }
}

/// The angle of the point whose *second* argument is its abscissa: `arctan2(y, x)`, in radians from -pi to pi.
pub struct Arctan2;

impl Binary<f64> for Arctan2 {
    const CALM: (f64, f64) = (1.0, 1.0);

    #[inline(always)]
    fn fast<const FMA: bool>(y: f64, x: f64) -> f64 {
        arctan2::<Double, FMA>(y, x)
    }

    #[inline(always)]
    fn is_odd(y: f64, x: f64) -> bool {
        let (ay, ax) = (y.abs(), x.abs());
        let large = if ay > ax { ay } else { ax };
        (large > 1e300) | ((large < 1e-290) & (large != 0.0))
    }

    fn slow(y: f64, x: f64) -> f64 {
        y.atan2(x)
    }
}

impl Binary<f32> for Arctan2 {
    const CALM: (f32, f32) = (1.0, 1.0);

    #[inline(always)]
    fn fast<const FMA: bool>(y: f32, x: f32) -> f32 {
        arctan2::<Single, FMA>(f64::from(y), f64::from(x)) as f32
    }

    #[inline(always)]
    fn is_odd(y: f32, x: f32) -> bool {
        (y.abs() == f32::INFINITY) | (x.abs() == f32::INFINITY)
    }

    fn slow(y: f32, x: f32) -> f32 {
        y.atan2(x)
    }
}
