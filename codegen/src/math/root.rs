//! `cbrt` and `hypot`.
//!
//! The cube root starts from a polynomial for m^(-1/3) and multiplies its way to the root: no division, no table. `hypot` is
//! the plain root of the sum of squares wherever these keep within the exponent range, and odd elsewhere; singles are
//! squared in double, where they always do.

use super::arithmetic::{exponent_of, is_within, poly, power_of_two, size_bits, two_product};
use super::real::{Real, Word};
use super::{Binary, Unary};

/// 2^(-1/3) and 2^(-2/3).
const STEPS: [f64; 2] = [0.793_700_525_984_099_8, 0.629_960_524_947_436_6];

/// The cube root of a positive normal number.
#[inline(always)]
fn cube_root<R: Real, const FMA: bool>(a: R) -> R {
    let (zero, one, third) = (R::of(0.0), R::of(1.0), R::THIRD.0);
    let mantissa = (R::Word::of(1) << R::MANTISSA).minus(R::Word::of(1));
    let m = R::from_bits((a.bits() & mantissa) | one.bits());
    let k = exponent_of::<R>(a.bits());
    // The exponent is 3q + j, j = 0, 1, 2: a third of k-1 rounds to the quotient rounded down.
    let shifted = (k - one).fma::<FMA>(third, R::MAGIC);
    let j = k - R::of(3.0) * (shifted - R::MAGIC);
    let step = if j == one { R::of(STEPS[0]) } else { R::of(STEPS[1]) };
    let step = if j == zero { one } else { step };
    let whole = if j == one { R::of(2.0) } else { R::of(4.0) };
    let part = m * (if j == zero { one } else { whole });
    // The inverse root, from 15 bits to 42 (`f32`: from 12) in one step of third order.
    let y = poly::<R, FMA>(m, R::CBRT) * step;
    let h = (-part * y).fma::<FMA>(y * y, one);
    let y = (y * h).fma::<FMA>(h.fma::<FMA>(R::of(2.0 / 9.0), third), y);
    // The root itself, and a last step for its remainder.
    let square = y * y;
    let c = part * square;
    let rest = if FMA {
        let c2 = c * c;
        c.fma::<true>(-c2, part) - c * c.fma::<true>(c, -c2)
    } else {
        part - c * c * c
    };
    let root = (rest * square).fma::<FMA>(third, c);
    root * power_of_two(shifted.bits())
}

/// The cube root, of negative numbers too.
pub struct Cbrt;

impl<R: Real> Unary<R> for Cbrt {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R) -> R {
        let a = x.size();
        let value = cube_root::<R, FMA>(a).signed(x);
        // Zero and infinity are their own roots.
        if (a > R::of(0.0)) & (a < R::INFINITY) { value } else { x }
    }

    #[inline(always)]
    fn is_odd(x: R) -> bool {
        // Subnormals, less one so that zero leaves at the other end; and NaN.
        let (size, one) = (size_bits(x), R::Word::of(1));
        (size.minus(one) < R::LEAST_NORMAL.bits().minus(one)) | (size > R::INFINITY.bits())
    }

    fn slow(x: R) -> R {
        R::of(x.wide().cbrt())
    }
}

/// The length of the hypotenuse: `sqrt(x^2 + y^2)` without undue overflow.
pub struct Hypot;

impl Binary<f64> for Hypot {
    #[inline(always)]
    fn fast<const FMA: bool>(x: f64, y: f64) -> f64 {
        let (x, y) = (x.abs(), y.abs());
        let (large, small) = if x > y { (x, y) } else { (y, x) };
        // What is nothing beside the other one would underflow.
        let small = if small < large * 1e-17 { 0.0 } else { small };
        let length = large.fma::<FMA>(large, small * small).sqrt();
        if !FMA {
            return length;
        }
        // One step for what the squares and the root lost (Borges 2021): 0.6 ulp instead of 1.1.
        let (square, square_low) = two_product(length, length);
        let (leg, leg_low) = two_product(large, large);
        let rest = small.fma::<true>(-small, square - leg) + (square_low - leg_low);
        length - rest / (length + length + f64::MIN_POSITIVE)
    }

    #[inline(always)]
    fn is_odd(x: f64, y: f64) -> bool {
        let large = size_bits(x).max(size_bits(y));
        !(is_within(large, 1e-120, 1e150) | (large == 0))
    }

    fn slow(x: f64, y: f64) -> f64 {
        x.hypot(y)
    }
}

impl Binary<f32> for Hypot {
    #[inline(always)]
    fn fast<const FMA: bool>(x: f32, y: f32) -> f32 {
        let (x, y) = (f64::from(x), f64::from(y));
        x.fma::<FMA>(x, y * y).sqrt() as f32
    }

    #[inline(always)]
    fn is_odd(x: f32, y: f32) -> bool {
        size_bits(x).max(size_bits(y)) >= f32::INFINITY.to_bits()
    }

    fn slow(x: f32, y: f32) -> f32 {
        x.hypot(y)
    }
}
