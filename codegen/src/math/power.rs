//! `power`: 2^(y log2 |x|), with the logarithm in two numbers, and the sign of odd powers of negative numbers.
//!
//! The result's relative error is the absolute error of `y log2 x`, which may be as large as 1074: so the logarithm needs 64
//! good bits (`f32`: 32). Its series in s = f/(2+f) is therefore carried in pairs (Dekker 1971) up to the cubic term. Without
//! fused multiply-add that arithmetic triples; there the C library computes every element.
//!
//! Odd: subnormal, infinite or NaN x, y beyond the reach of the integer tests, a negative x with a y that is no integer, -0,
//! and 0 to a power not positive.

use super::Binary;
use super::arithmetic::{
    at_least, at_most, fast_two_sum, is_signed, is_within, last_as_sign, poly, rounded, sign_bit, size_bits, turned,
    two_product,
};
use super::logarithm::parts;
use super::real::{Number, Parts, Real, Word};
use std::hint::black_box;

/// A number to this power is one, whatever the number.
const VERY_SMALL: f64 = 5e-20;

/// `log2 a` for positive normal `a` as a float and a correction, good to 2^-65 (`f32`: 2^-38); only for machines that fuse.
#[inline(always)]
fn log2_pair<R: Real>(a: R) -> Parts<R> {
    let (k, f, _) = parts(a);
    let two = R::of(2.0);
    let divisor = two + f;
    let divisor_low = f - (divisor - two);
    let inverse = R::of(1.0) / divisor;
    let s = f * inverse;
    let s_low = s.fma::<true>(-divisor_low, s.fma::<true>(-divisor, f)) * inverse;
    // s^2 and 1/3 + s^2/5 + ...
    let (z, z_low) = two_product(s, s);
    let z_low = (s + s).fma::<true>(s_low, z_low);
    let (t, t_low) = fast_two_sum(R::literal(R::Number::THIRD.0), z * poly::<R, true>(z, R::Number::LOG_TAIL));
    let t_low = t_low + R::literal(R::Number::THIRD.1);
    // Their product, and that times s.
    let (w, w_low) = two_product(z, t);
    let w_low = z.fma::<true>(t_low, z_low.fma::<true>(t, w_low));
    let (v, v_low) = two_product(s, w);
    let v_low = s.fma::<true>(w_low, s_low.fma::<true>(w, v_low));
    let (h, h_low) = fast_two_sum(s, v);
    let h_low = h_low + (s_low + v_low);
    // To base 2, and the exponent.
    let (base, base_low) = R::parts(R::Number::TWO_INV_LN2);
    let (p, p_low) = two_product(h, base);
    let p_low = h.fma::<true>(base_low, h_low.fma::<true>(base, p_low));
    let (sum, lost) = fast_two_sum(k, p);
    (sum, lost + p_low)
}

/// `2^(e + tail)`; overflow raises its flag.
#[inline(always)]
fn exponential<R: Real>(e: R, tail: R) -> R {
    let bounded = at_most(at_least(e, -R::literal(R::Number::POWER_LIMIT)), R::literal(R::Number::POWER_LIMIT));
    // Far out the tail is no longer small, and meaningless.
    let tail = R::pick(e.size().above(R::literal(R::Number::POWER_LIMIT)), R::of(0.0), tail);
    let k = rounded::<R, true>(bounded, R::of(1.0));
    let r = (bounded - k) + tail;
    r.fma::<true>(poly::<R, true>(r, R::Number::EXP2), R::of(1.0)).scaled(k)
}

/// One over zero, with its flag. A call, because a compiler that knows no flags divides before it asks whether to.
#[cold]
#[inline(never)]
fn pole<R: Number>(zero: R) -> R {
    R::of(1.0) / black_box(zero)
}

/// `x` to the power `y`.
pub struct Power;

impl<R: Real> Binary<R> for Power {
    const FUSED_ONLY: bool = true;

    #[inline(always)]
    fn fast<const FMA: bool>(x: R, y: R) -> R {
        // The logarithm of zero would underflow on the way.
        let zero = x.equals(R::of(0.0));
        let (l, l_low) = log2_pair(R::pick(zero, R::of(1.0), x.size()));
        // What is as good as no power at all would underflow in the product's lower part.
        let y = R::pick(y.size().below(R::of(VERY_SMALL)), R::of(0.0), y);
        let (e, e_low) = two_product(y, l);
        let value = exponential(e, y.fma::<true>(l_low, e_low));
        let value = R::pick(zero, R::of(0.0), value);
        let y_is_odd = last_as_sign::<R>((y + R::literal(R::Number::MAGIC)).bits());
        turned(value, sign_bit(x) & y_is_odd)
    }

    #[inline(always)]
    fn is_odd(x: R, y: R) -> R::Mask {
        let y_size = size_bits(y);
        let zero_to_positive = x.bits().equals(R::Word::of(0)) & y.bits().equals(y_size) & !y_size.equals(x.bits());
        let ordinary = is_within(size_bits(x), R::literal(R::Number::LEAST_NORMAL), R::literal(R::Number::INFINITY))
            | zero_to_positive;
        let magic = R::literal(R::Number::MAGIC);
        let whole = ((y + magic) - magic).equals(y);
        let large = y_size.above(R::literal(R::Number::POWER_LARGEST).bits());
        !ordinary | large | !(whole | !is_signed(x))
    }

    fn slow(x: R, y: R) -> R
    where
        R: Number,
    {
        if (x == R::of(0.0)) & (y == -R::INFINITY) {
            return pole(x.size()); // which the C library may pass over
        }
        R::of(x.wide().powf(y.wide()))
    }
}
