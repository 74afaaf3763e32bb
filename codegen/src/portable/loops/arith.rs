//! Scalar arithmetic of the op table on integers and real floats, beyond the standard library.
//!
//! The rules are NumPy's: integers wrap, division by zero gives zero and raises the divide flag, shifts by the width or more give
//! zero or the sign. Everything is inlined into the loops. Complex numbers are in [`crate::portable::loops::complex`], elementary functions
//! in [`crate::math`].

use crate::drive::fp_status::{raise_divide, raise_invalid, raise_overflow, raise_underflow};
use crate::math::float_bits;

/// Integer arithmetic.
pub(crate) trait IntegerOps: Copy {
    /// Largest whole number not above the quotient.
    fn floor_divide(self, b: Self) -> Self;
    /// Remainder with the divisor's sign.
    fn remainder(self, b: Self) -> Self;
    /// Remainder with the dividend's sign.
    fn fmod(self, b: Self) -> Self;
    /// Power, wrapping; for a negative exponent what truncating the rational gives (NumPy refuses those earlier).
    fn power(self, b: Self) -> Self;
    /// One over the number, truncated; what the hardware makes of infinity for zero.
    fn reciprocal(self) -> Self;
    /// -1, 0 or 1.
    fn sign(self) -> Self;
    /// Shifted left; zero from the width on.
    fn left_shift(self, b: Self) -> Self;
    /// Shifted right; only the sign from the width on.
    fn right_shift(self, b: Self) -> Self;
    /// Set bits of the magnitude.
    fn bitwise_count(self) -> u8;
    /// Greatest common divisor.
    fn gcd(self, b: Self) -> Self;
    /// Lowest common multiple.
    fn lcm(self, b: Self) -> Self;
}

macro_rules! integers {
    ($($T:ident $U:ident $signed:literal;)*) => {$(
        #[allow(unused_comparisons, clippy::unnecessary_cast)] // for the types that are unsigned, or the widest already
        impl IntegerOps for $T {
            #[inline(always)]
            fn floor_divide(self, b: $T) -> $T {
                if b == 0 {
                    raise_divide();
                    return 0;
                }
                let (q, overflow) = self.overflowing_div(b);
                if overflow {
                    raise_overflow();
                    return q;
                }
                if $signed && (self % b != 0) && ((self < 0) != (b < 0)) { q - 1 } else { q }
            }
            #[inline(always)]
            fn remainder(self, b: $T) -> $T {
                let r = self.fmod(b);
                if $signed && r != 0 && ((r < 0) != (b < 0)) { r.wrapping_add(b) } else { r }
            }
            #[inline(always)]
            fn fmod(self, b: $T) -> $T {
                if b == 0 {
                    raise_divide();
                    return 0;
                }
                self.wrapping_rem(b)
            }
            #[inline(always)]
            fn power(self, b: $T) -> $T {
                if $signed && b < 0 {
                    let odd = b & 1 != 0;
                    return if self == 1 { 1 } else if self.wrapping_add(1) == 0 { if odd { self } else { 1 } } else { 0 };
                }
                let (mut base, mut left, mut result) = (self, b, 1 as $T);
                while left != 0 {
                    if left & 1 != 0 {
                        result = result.wrapping_mul(base);
                    }
                    left >>= 1;
                    base = base.wrapping_mul(base);
                }
                result
            }
            #[inline(always)]
            fn reciprocal(self) -> $T {
                if self == 0 {
                    raise_divide();
                    raise_invalid();
                    return if $T::BITS >= 32 { $T::MIN } else { 0 };
                }
                (1 as $T).wrapping_div(self)
            }
            #[inline(always)]
            fn sign(self) -> $T {
                ((self > 0) as $T).wrapping_sub((self < 0) as $T)
            }
            #[inline(always)]
            fn left_shift(self, b: $T) -> $T {
                if (b as $U) < $T::BITS as $U { self.wrapping_shl(b as u32) } else { 0 }
            }
            #[inline(always)]
            fn right_shift(self, b: $T) -> $T {
                let last = $T::BITS - 1;
                let by = if (b as $U) < $T::BITS as $U { b as u32 } else { last };
                let shifted = self.wrapping_shr(by);
                if $signed || (b as $U) < $T::BITS as $U { shifted } else { 0 }
            }
            #[inline(always)]
            fn bitwise_count(self) -> u8 {
                let magnitude = if $signed && self < 0 { (self as $U).wrapping_neg() } else { self as $U };
                magnitude.count_ones() as u8
            }
            #[inline(always)]
            fn gcd(self, b: $T) -> $T {
                let magnitude = |x: $T| if $signed && x < 0 { (x as $U).wrapping_neg() } else { x as $U };
                let (mut x, mut y) = (magnitude(self), magnitude(b));
                while y != 0 {
                    (x, y) = (y, x % y);
                }
                x as $T
            }
            #[inline(always)]
            fn lcm(self, b: $T) -> $T {
                let divisor = self.gcd(b);
                if divisor == 0 {
                    return 0;
                }
                let magnitude = |x: $T| if $signed && x < 0 { (x as $U).wrapping_neg() } else { x as $U };
                (magnitude(self) / (divisor as $U)).wrapping_mul(magnitude(b)) as $T
            }
        }
    )*};
}

integers! {
    i8 u8 true; u8 u8 false; i16 u16 true; u16 u16 false;
    i32 u32 true; u32 u32 false; i64 u64 true; u64 u64 false;
}

/// Arithmetic of real floats.
pub(crate) trait FloatOps: Copy {
    /// Largest whole number not above the quotient, by NumPy's `npy_floor_divide`.
    fn floor_divide(self, b: Self) -> Self;
    /// Remainder with the divisor's sign, by NumPy's `npy_remainder`.
    fn remainder(self, b: Self) -> Self;
    /// Remainder with the dividend's sign: C's `fmod`.
    fn fmod(self, b: Self) -> Self;
    /// -1, 0, 1 or nan.
    fn sign(self) -> Self;
    /// The larger, nan if either is; the second of equals, as the vector instructions have it.
    fn larger(self, b: Self) -> Self;
    /// The smaller, nan if either is; the second of equals.
    fn smaller(self, b: Self) -> Self;
    /// The larger, the other one if one is nan.
    fn fmax(self, b: Self) -> Self;
    /// The smaller, the other one if one is nan.
    fn fmin(self, b: Self) -> Self;
    /// The next number towards `b`.
    fn nextafter(self, b: Self) -> Self;
    /// Distance to the next number of larger magnitude.
    fn spacing(self) -> Self;
    /// Times two to the power of the floor of `n`.
    fn ldexp(self, n: Self) -> Self;
    /// The mantissa, in [1/2, 1).
    fn frexp_mantissa(self) -> Self;
    /// The exponent of two beside that.
    fn frexp_exponent(self) -> i32;
    /// 0, `b` or 1 by the sign.
    fn heaviside(self, b: Self) -> Self;
    /// Degrees as radians.
    fn deg2rad(self) -> Self;
    /// Radians as degrees.
    fn rad2deg(self) -> Self;
}

macro_rules! reals {
    ($($T:ident $U:ident $pi:expr;)*) => {$(
        impl FloatOps for $T {
            #[inline(always)]
            fn floor_divide(self, b: $T) -> $T {
                if b == 0.0 {
                    return self / b;
                }
                let mut rest = self % b;
                if rest.is_nan() {
                    return rest; // comparing it would raise the invalid flag
                }
                let mut quotient = (self - rest) / b;
                if rest != 0.0 && ((b < 0.0) != (rest < 0.0)) {
                    rest += b;
                    quotient -= 1.0;
                }
                let _ = rest;
                if quotient != 0.0 {
                    let whole = quotient.floor();
                    if quotient - whole > 0.5 { whole + 1.0 } else { whole }
                } else {
                    (0.0 as $T).copysign(self / b)
                }
            }
            #[inline(always)]
            fn remainder(self, b: $T) -> $T {
                let rest = self % b;
                if b == 0.0 || rest.is_nan() {
                    return rest; // comparing a nan would raise the invalid flag
                }
                if rest != 0.0 {
                    if (b < 0.0) != (rest < 0.0) { rest + b } else { rest }
                } else {
                    (0.0 as $T).copysign(b)
                }
            }
            #[inline(always)]
            fn fmod(self, b: $T) -> $T {
                self % b
            }
            #[inline(always)]
            fn sign(self) -> $T {
                let s = if self > 0.0 { 1.0 } else { 0.0 };
                let s = if self < 0.0 { -1.0 } else { s };
                if self.is_nan() { self } else { s }
            }
            #[inline(always)]
            fn larger(self, b: $T) -> $T {
                let m = if self > b { self } else { b };
                if self.is_nan() { self } else { m }
            }
            #[inline(always)]
            fn smaller(self, b: $T) -> $T {
                let m = if self < b { self } else { b };
                if self.is_nan() { self } else { m }
            }
            #[inline(always)]
            fn fmax(self, b: $T) -> $T {
                let m = if self > b { self } else { b };
                if b.is_nan() { self } else { m }
            }
            #[inline(always)]
            fn fmin(self, b: $T) -> $T {
                let m = if self < b { self } else { b };
                if b.is_nan() { self } else { m }
            }
            #[inline(always)]
            fn nextafter(self, b: $T) -> $T {
                let next = float_bits::nextafter(self, b);
                if float_bits::nextafter_raises(self, b, next) {
                    if next.is_infinite() { raise_overflow() } else { raise_underflow() }
                }
                next
            }
            #[inline(always)]
            fn spacing(self) -> $T {
                if float_bits::spacing_raises(self) {
                    if self.abs() == $T::MAX { raise_overflow() } else { raise_underflow() }
                }
                float_bits::spacing(self)
            }
            #[inline(always)]
            fn ldexp(self, n: $T) -> $T {
                float_bits::ldexp(self, n)
            }
            #[inline(always)]
            fn frexp_mantissa(self) -> $T {
                float_bits::frexp_mantissa(self)
            }
            #[inline(always)]
            fn frexp_exponent(self) -> i32 {
                float_bits::frexp_exponent(self) as i32
            }
            #[inline(always)]
            fn heaviside(self, b: $T) -> $T {
                float_bits::heaviside(self, b)
            }
            #[inline(always)]
            fn deg2rad(self) -> $T {
                self * ($pi / 180.0)
            }
            #[inline(always)]
            fn rad2deg(self) -> $T {
                self * (180.0 / $pi)
            }
        }
    )*};
}

reals! { f32 u32 std::f32::consts::PI; f64 u64 std::f64::consts::PI; }
