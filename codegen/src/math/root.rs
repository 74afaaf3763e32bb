//! `cbrt` and `hypot`.
//!
//! The cube root starts from a polynomial for m^(-1/3) and multiplies its way to the root: no division, no table. `hypot` is
//! the plain root of the sum of squares wherever these keep within the exponent range, and odd elsewhere; singles are
//! squared in double, where they always do.

use super::arithmetic::{half_inverse_root, is_within, poly, power_of_two, size_bits, two_product};
use super::real::{Number, Real, Word};
use super::{Binary, Unary};

/// 2^(-1/3) and 2^(-2/3).
const STEPS: [f64; 2] = [0.793_700_525_984_099_8, 0.629_960_524_947_436_6];

/// The cube root of a positive normal number.
#[inline(always)]
fn cube_root<R: Real, const FMA: bool>(a: R) -> R {
    let (zero, one, third) = (R::of(0.0), R::of(1.0), R::literal(R::Number::THIRD.0));
    let mantissa = (R::Word::of(1) << R::Number::MANTISSA).minus(R::Word::of(1));
    let m = R::from_bits((a.bits() & mantissa) | one.bits());
    let k = a.exponent();
    // The exponent is 3q + j, j = 0, 1, 2: a third of k-1 rounds to the quotient rounded down.
    let shifted = (k - one).fma::<FMA>(third, R::literal(R::Number::MAGIC));
    let j = (shifted - R::literal(R::Number::MAGIC)).fma::<FMA>(R::of(-3.0), k);
    let (step, whole) = R::pick_pair(j.equals(one), (R::of(STEPS[0]), R::of(2.0)), (R::of(STEPS[1]), R::of(4.0)));
    let (step, whole) = R::pick_pair(j.equals(zero), (one, one), (step, whole));
    let part = m * whole;
    // The inverse root, from 15 bits to 42 (`f32`: from 12) in one step of third order.
    let y = poly::<R, FMA>(m, R::Number::CBRT) * step;
    let h = (-part * y).fma::<FMA>(y * y, one);
    let y = (y * h).fma::<FMA>(h.fma::<FMA>(R::of(2.0 / 9.0), third), y);
    // The root itself, and a last step for its remainder, in which what the square loses is a third of a unit.
    let square = y * y;
    let c = part * square;
    let rest = (c * c).fma::<FMA>(-c, part);
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
        R::pick(a.above(R::of(0.0)) & a.below(R::literal(R::Number::INFINITY)), value, x)
    }

    #[inline(always)]
    fn is_odd(x: R) -> R::Mask {
        // Subnormals, less one so that zero leaves at the other end; and NaN.
        let (size, one) = (size_bits(x), R::Word::of(1));
        let least = R::literal(R::Number::LEAST_NORMAL).bits();
        size.minus(one).below(least.minus(one)) | size.above(R::literal(R::Number::INFINITY).bits())
    }

    fn slow(x: R) -> R
    where
        R: Number,
    {
        R::of(x.wide().cbrt())
    }
}

/// The length of the hypotenuse: `sqrt(x^2 + y^2)` without undue overflow.
pub struct Hypot;

impl<R: Real> Binary<R> for Hypot {
    #[inline(always)]
    fn fast<const FMA: bool>(x: R, y: R) -> R {
        if R::Number::MANTISSA < 52 {
            let (x, y) = (x.double(), y.double());
            return R::from_double(x.fma::<FMA>(x, y * y).root());
        }
        let (x, y) = (x.size(), y.size());
        let (large, small) = R::pick_pair(x.above(y), (x, y), (y, x));
        // What is nothing beside the other one would underflow.
        let small = R::pick(small.below(large * R::of(1e-17)), R::of(0.0), small);
        let sum = large.fma::<FMA>(large, small * small);
        let length = sum.root();
        if !FMA {
            return length;
        }
        // One step for what the squares and the root lost (Borges 2021): 0.6 ulp instead of 1.1.
        let (square, square_low) = two_product(length, length);
        let (leg, leg_low) = two_product(large, large);
        let rest = small.fma::<true>(-small, square - leg) + (square_low - leg_low);
        length - rest * half_inverse_root(sum)
    }

    #[inline(always)]
    fn is_odd(x: R, y: R) -> R::Mask {
        let large = size_bits(x).larger(size_bits(y));
        if R::Number::MANTISSA < 52 {
            return large.reaches(R::literal(R::Number::INFINITY).bits());
        }
        !(is_within(large, R::of(1e-120), R::of(1e150)) | large.equals(R::Word::of(0)))
    }

    fn slow(x: R, y: R) -> R
    where
        R: Number,
    {
        x.length(y)
    }
}
