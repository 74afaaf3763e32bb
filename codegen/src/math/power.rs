//! `power`: 2^(y log2 |x|), with the logarithm in two doubles, and the sign of odd powers of negative numbers.
//!
//! The result's relative error is the absolute error of `y log2 x`, which may be as large as 1074: so the logarithm needs 64
//! good bits. Its series in s = f/(2+f) is therefore carried in pairs of doubles (Dekker 1971) up to the cubic term. Without
//! fused multiply-add that arithmetic triples; there, `f64` asks the C library for every element. Singles need one double.
//!
//! Odd: subnormal, infinite or NaN x, |y| beyond 1e15, a negative x with a y that is no integer, zero to a power not positive.

use super::Binary;
use super::accuracy::{Double, Single};
use super::coefficients::{LOG_TAIL, THIRD_TAIL, TWO_INV_LN2, TWO_INV_LN2_TAIL};
use super::fma::{
    MAGIC, at_least, at_most, fast_two_sum, fma, poly, round_exponent, scale, two_product,
};
use super::logarithm::{natural, parts};
use crate::math::accuracy::Accuracy;
use std::f64::consts::LOG2_E;

/// Beyond it the exponential overflows or vanishes whatever the mantissa.
const LIMIT: f64 = 1100.0;

/// `log2 a` for positive normal `a` as a double and a correction, good to 2^-65; only for machines that fuse.
#[inline(always)]
fn log2_pair(a: f64) -> (f64, f64) {
    let (k, f, _) = parts(a);
    let divisor = 2.0 + f;
    let divisor_low = f - (divisor - 2.0);
    let inverse = 1.0 / divisor;
    let s = f * inverse;
    let s_low = s.mul_add(-divisor_low, s.mul_add(-divisor, f)) * inverse;
    // s^2 and 1/3 + s^2/5 + ...
    let (z, z_low) = two_product(s, s);
    let z_low = (s + s).mul_add(s_low, z_low);
    let (t, t_low) = fast_two_sum(1.0 / 3.0, z * poly::<true>(z, &LOG_TAIL));
    let t_low = t_low + THIRD_TAIL;
    // Their product, and that times s.
    let (w, w_low) = two_product(z, t);
    let w_low = z.mul_add(t_low, z_low.mul_add(t, w_low));
    let (v, v_low) = two_product(s, w);
    let v_low = s.mul_add(w_low, s_low.mul_add(w, v_low));
    let (h, h_low) = fast_two_sum(s, v);
    let h_low = h_low + (s_low + v_low);
    // To base 2, and the exponent.
    let (p, p_low) = two_product(h, TWO_INV_LN2);
    let p_low = h.mul_add(TWO_INV_LN2_TAIL, h_low.mul_add(TWO_INV_LN2, p_low));
    let (sum, lost) = fast_two_sum(k, p);
    (sum, lost + p_low)
}

/// `2^(e + tail)`; overflow raises its flag.
#[inline(always)]
fn exponential<A: Accuracy, const FMA: bool>(e: f64, tail: f64) -> f64 {
    let bounded = at_most(at_least(e, -LIMIT), LIMIT);
    // Far out the tail is no longer small, and meaningless.
    let tail = if e.abs() > LIMIT { 0.0 } else { tail };
    let n = round_exponent::<FMA>(bounded, 1.0);
    let r = (bounded - n.k) + tail;
    scale::<FMA>(fma::<FMA>(r, poly::<FMA>(r, A::EXP2), 1.0), n)
}

/// `value` with the sign of x^y, and zero for x = 0; |y| < 2^51.
#[inline(always)]
fn finish(x: f64, y: f64, value: f64) -> f64 {
    let y_is_odd = (y + MAGIC).to_bits() << 63;
    let value = if x == 0.0 { 0.0 } else { value };
    f64::from_bits(value.to_bits() ^ (x.to_bits() & y_is_odd))
}

/// Whether `x` to the `y` has no fast form, `smallest` being the least |x| but zero that has.
#[inline(always)]
fn is_odd(x: f64, y: f64, smallest: f64) -> bool {
    let a = x.abs();
    let ordinary = ((a >= smallest) & (a < f64::INFINITY)) | ((a == 0.0) & (y > 0.0));
    let whole = (y + MAGIC) - MAGIC == y;
    !(ordinary & (y.abs() <= 1e15) & (whole | (x >= 0.0)))
}

/// `x` to the power `y`.
pub struct Power;

impl Binary<f64> for Power {
    const CALM: (f64, f64) = (1.0, 1.0);

    #[inline(always)]
    fn fast<const FMA: bool>(x: f64, y: f64) -> f64 {
        if !FMA {
            return x.powf(y);
        }
        let (l, l_low) = log2_pair(x.abs());
        let (e, e_low) = two_product(y, l);
        finish(
            x,
            y,
            exponential::<Double, true>(e, y.mul_add(l_low, e_low)),
        )
    }

    #[inline(always)]
    fn is_odd(x: f64, y: f64) -> bool {
        is_odd(x, y, f64::MIN_POSITIVE)
    }

    fn slow(x: f64, y: f64) -> f64 {
        x.powf(y)
    }
}

impl Binary<f32> for Power {
    const CALM: (f32, f32) = (1.0, 1.0);

    #[inline(always)]
    fn fast<const FMA: bool>(x: f32, y: f32) -> f32 {
        let (x, y) = (f64::from(x), f64::from(y));
        let (k, f, _) = parts(x.abs());
        // The logarithm to double accuracy: y multiplies its error by up to 128.
        let l = fma::<FMA>(natural::<Double, FMA>(0.0, f), LOG2_E, k);
        finish(x, y, exponential::<Single, FMA>(y * l, 0.0)) as f32
    }

    #[inline(always)]
    fn is_odd(x: f32, y: f32) -> bool {
        is_odd(f64::from(x), f64::from(y), 1e-50)
    }

    fn slow(x: f32, y: f32) -> f32 {
        x.powf(y)
    }
}
