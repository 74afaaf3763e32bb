//! `cbrt` and `hypot`.
//!
//! The cube root starts from a polynomial for m^(-1/3) and multiplies its way to the root: no division, no table. `hypot` is
//! the plain root of the sum of squares wherever these keep within the exponent range, and odd elsewhere.

use super::coefficients::CBRT;
use super::fma::{MAGIC, fma, poly, power_of_two};
use super::{Binary, Unary};

/// The cube root of a positive normal number.
#[inline(always)]
fn cbrt<const FMA: bool>(a: f64) -> f64 {
    let bits = a.to_bits();
    let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) | 0x3ff0_0000_0000_0000);
    let k =
        f64::from_bits((bits >> 52) | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    // The exponent is 3q + j, j = 0, 1, 2: a third of k-1 rounds to the quotient rounded down.
    let shifted = fma::<FMA>(k - 1.0, 1.0 / 3.0, MAGIC);
    let j = k - 3.0 * (shifted - MAGIC);
    const SECOND: f64 = 0.793_700_525_984_099_8; // 2^(-1/3)
    const THIRD: f64 = 0.629_960_524_947_436_6; // 2^(-2/3)
    let step = if j == 0.0 {
        1.0
    } else {
        if j == 1.0 { SECOND } else { THIRD }
    };
    let part = m
        * (if j == 0.0 {
            1.0
        } else {
            if j == 1.0 { 2.0 } else { 4.0 }
        });
    // The inverse root, from 15 bits to 42 in one step of third order.
    let y = poly::<FMA>(m, &CBRT) * step;
    let h = fma::<FMA>(-part * y, y * y, 1.0);
    let y = fma::<FMA>(y * h, fma::<FMA>(h, 2.0 / 9.0, 1.0 / 3.0), y);
    // The root itself, and a last step for its remainder.
    let square = y * y;
    let c = part * square;
    let rest = if FMA {
        let c2 = c * c;
        c.mul_add(-c2, part) - c * c.mul_add(c, -c2)
    } else {
        part - c * c * c
    };
    let root = fma::<FMA>(rest * square, 1.0 / 3.0, c);
    root * power_of_two(shifted.to_bits())
}

/// The cube root, of negative numbers too.
pub struct Cbrt;

impl Unary<f64> for Cbrt {
    const CALM: f64 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64) -> f64 {
        let a = x.abs();
        let value = cbrt::<FMA>(a).copysign(x);
        // Zero, infinity and NaN are their own roots.
        if (a > 0.0) & (a < f64::INFINITY) {
            value
        } else {
            x
        }
    }

    #[inline(always)]
    fn is_odd(x: f64) -> bool {
        (x.abs() < f64::MIN_POSITIVE) & (x != 0.0)
    }

    fn slow(x: f64) -> f64 {
        x.cbrt()
    }
}

impl Unary<f32> for Cbrt {
    const CALM: f32 = 1.0;

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32) -> f32 {
        <Cbrt as Unary<f64>>::fast::<FMA>(f64::from(x)) as f32
    }

    fn slow(x: f32) -> f32 {
        x.cbrt()
    }
}

/// The length of the hypotenuse: `sqrt(x^2 + y^2)` without undue overflow.
pub struct Hypot;

impl Binary<f64> for Hypot {
    const CALM: (f64, f64) = (1.0, 1.0);

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64, y: f64) -> f64 {
        fma::<FMA>(x, x, y * y).sqrt()
    }

    #[inline(always)]
    fn is_odd(x: f64, y: f64) -> bool {
        let (a, b) = (x.abs(), y.abs());
        let large = if a > b { a } else { b };
        (a > 1e150) | (b > 1e150) | ((large < 1e-140) & (large != 0.0))
    }

    fn slow(x: f64, y: f64) -> f64 {
        x.hypot(y)
    }
}

impl Binary<f32> for Hypot {
    const CALM: (f32, f32) = (1.0, 1.0);

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32, y: f32) -> f32 {
        let (x, y) = (f64::from(x), f64::from(y));
        fma::<FMA>(x, x, y * y).sqrt() as f32
    }

    #[inline(always)]
    fn is_odd(x: f32, y: f32) -> bool {
        (x.abs() == f32::INFINITY) | (y.abs() == f32::INFINITY)
    }

    fn slow(x: f32, y: f32) -> f32 {
        x.hypot(y)
    }
}
