//! Scalar arithmetic of the op table on complex numbers.
//!
//! Products, quotients and orderings are NumPy's own formulas ([`crate::math::complex`]). Elementary functions are the C library's (`cexp`, …), as in NumPy, so
//! special values agree.

use crate::drive::fp_status::raise_invalid;
use crate::math::complex as parts;
use num_complex::Complex;

/// Complex arithmetic and functions; `R` is the type of the parts.
pub(crate) trait ComplexNumber: Copy {
    /// The type of the parts.
    type R;
    /// Product, by NumPy's formula: two roundings in each part where the instruction set fuses, three elsewhere.
    fn product<const FMA: bool>(self, b: Self) -> Self;
    /// Quotient by Smith's algorithm.
    fn quotient(self, b: Self) -> Self;
    /// One over the number.
    fn reciprocal(self) -> Self;
    /// The number over its magnitude.
    fn sign(self) -> Self;
    /// Magnitude.
    fn magnitude(self) -> Self::R;
    /// Lexicographic `<`, false with nan.
    fn less(self, b: Self) -> bool;
    /// Lexicographic `<=`, false with nan.
    fn less_equal(self, b: Self) -> bool;
    /// Whether a part is nan.
    fn has_nan(self) -> bool;
    /// The larger; nan if either has one.
    fn larger(self, b: Self) -> Self;
    /// The smaller; nan if either has one.
    fn smaller(self, b: Self) -> Self;
    /// The larger; the other where one has nan.
    fn fmax(self, b: Self) -> Self;
    /// The smaller; the other where one has nan.
    fn fmin(self, b: Self) -> Self;
    /// Whether a part is not zero.
    fn truth(self) -> bool;
    /// A function applied to both parts.
    fn each(self, f: impl Fn(Self::R) -> Self::R) -> Self;
    /// Power.
    fn power(self, b: Self) -> Self;
    /// Two raised to it.
    fn exp2(self) -> Self;
    /// `exp(z) - 1`.
    fn expm1(self) -> Self;
    /// Logarithm to base two.
    fn log2(self) -> Self;
    /// Logarithm to base ten.
    fn log10(self) -> Self;
    /// `log(1 + z)`.
    fn log1p(self) -> Self;
    /// An elementary function of the C library.
    fn elementary(self, f: LibmFunction) -> Self;
}

/// Functions the C library has for complex numbers.
#[derive(Clone, Copy)]
pub(crate) enum LibmFunction {
    Exp,
    Log,
    Sqrt,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
}

/// The quotient by a zero, which is not negative.
#[cold]
#[inline(never)]
fn by_zero<T: Copy + std::ops::Div<Output = T>>(z: Complex<T>, zero: T) -> Complex<T> {
    Complex::new(z.re / zero, z.im / zero)
}

macro_rules! complexes {
    ($($T:ident: $hypot:ident $pow:ident $($Name:ident $f:ident)*;)*) => {$(
        #[allow(improper_ctypes)] // `Complex` is two floats in C's layout, passed as `_Complex` is
        unsafe extern "C" {
            fn $hypot(x: $T, y: $T) -> $T;
            fn $pow(z: Complex<$T>, w: Complex<$T>) -> Complex<$T>;
            $(fn $f(z: Complex<$T>) -> Complex<$T>;)*
        }

        impl ComplexNumber for Complex<$T> {
            type R = $T;
            #[inline(always)]
            fn product<const FMA: bool>(self, b: Self) -> Self {
                let [re, im] = parts::product::<$T, FMA>([self.re, self.im], [b.re, b.im]);
                Complex::new(re, im)
            }
            #[inline(always)]
            fn quotient(self, b: Self) -> Self {
                if b.has_nan() {
                    raise_invalid(); // as NumPy's comparison of the parts does
                    return Complex::new($T::NAN, $T::NAN);
                }
                let is_zero = b.re == 0.0 && b.im == 0.0;
                // Selected before the division, because LLVM would divide before it branches.
                let (x, y) = if is_zero { ([0.0, 0.0], [1.0, 0.0]) } else { ([self.re, self.im], [b.re, b.im]) };
                let [re, im] = parts::quotient(x, y);
                if is_zero { by_zero(self, b.re.abs()) } else { Complex::new(re, im) }
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                let [re, im] = parts::reciprocal([self.re, self.im]);
                Complex::new(re, im)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                // SAFETY: a pure function of the C library, which raises no flag for parts that are nothing beside the other.
                let length = unsafe { $hypot(self.re, self.im) };
                let unit = |x: $T| if x.is_infinite() { x.signum() } else { 0.0 };
                if length.is_nan() || (self.re.is_infinite() && self.im.is_infinite()) {
                    Complex::new($T::NAN, $T::NAN)
                } else if length.is_infinite() {
                    Complex::new(unit(self.re), unit(self.im))
                } else if length == 0.0 {
                    Complex::new(0.0, 0.0)
                } else {
                    Complex::new(self.re / length, self.im / length)
                }
            }
            #[inline(always)]
            fn magnitude(self) -> $T {
                if !parts::magnitude_needs_slow_path([self.re, self.im]) {
                    return parts::magnitude([self.re, self.im]);
                }
                // SAFETY: a pure function of the C library.
                unsafe { $hypot(self.re, self.im) }
            }
            #[inline(always)]
            fn less(self, b: Self) -> bool {
                parts::less([self.re, self.im], [b.re, b.im])
            }
            #[inline(always)]
            fn less_equal(self, b: Self) -> bool {
                parts::less_equal([self.re, self.im], [b.re, b.im])
            }
            #[inline(always)]
            fn has_nan(self) -> bool {
                parts::has_nan([self.re, self.im])
            }
            #[inline(always)]
            fn larger(self, b: Self) -> Self {
                if parts::is_larger([self.re, self.im], [b.re, b.im]) { self } else { b }
            }
            #[inline(always)]
            fn smaller(self, b: Self) -> Self {
                if parts::is_smaller([self.re, self.im], [b.re, b.im]) { self } else { b }
            }
            #[inline(always)]
            fn fmax(self, b: Self) -> Self {
                if parts::is_fmax([self.re, self.im], [b.re, b.im]) { self } else { b }
            }
            #[inline(always)]
            fn fmin(self, b: Self) -> Self {
                if parts::is_fmin([self.re, self.im], [b.re, b.im]) { self } else { b }
            }
            #[inline(always)]
            fn truth(self) -> bool {
                parts::truth([self.re, self.im])
            }
            #[inline(always)]
            fn each(self, f: impl Fn($T) -> $T) -> Self {
                Complex::new(f(self.re), f(self.im))
            }
            /// NumPy's `npy_cpow`: small whole exponents by squaring, the rest by the C library.
            fn power(self, b: Self) -> Self {
                let one = Complex::new(1.0, 0.0);
                if b.re == 0.0 && b.im == 0.0 {
                    return one;
                }
                if self.re == 0.0 && self.im == 0.0 {
                    if b.re > 0.0 {
                        return Complex::new(0.0, 0.0);
                    }
                    raise_invalid();
                    return Complex::new($T::NAN, $T::NAN);
                }
                if b.im == 0.0 && b.re.abs() < 100.0 && b.re.fract() == 0.0 {
                    let n = b.re as i32;
                    let (mut left, mut base, mut result) = (n.unsigned_abs(), self, one);
                    match n {
                        1 => return self,
                        2 => return self.product::<false>(self),
                        3 => return self.product::<false>(self.product::<false>(self)),
                        _ => {}
                    }
                    loop {
                        if left & 1 != 0 {
                            result = result.product::<false>(base);
                        }
                        left >>= 1;
                        if left == 0 {
                            break;
                        }
                        base = base.product::<false>(base);
                    }
                    return if n < 0 { one.quotient(result) } else { result };
                }
                // SAFETY: a pure function of the C library.
                unsafe { $pow(self, b) }
            }
            fn exp2(self) -> Self {
                self.each(|x| x * std::$T::consts::LN_2).elementary(LibmFunction::Exp)
            }
            fn expm1(self) -> Self {
                let half = (self.im * 0.5).sin();
                Complex::new(
                    self.re.exp_m1() * self.im.cos() - 2.0 * half * half,
                    self.re.exp() * self.im.sin(),
                )
            }
            fn log2(self) -> Self {
                self.elementary(LibmFunction::Log).each(|x| x * std::$T::consts::LOG2_E)
            }
            fn log10(self) -> Self {
                self.elementary(LibmFunction::Log).each(|x| x * std::$T::consts::LOG10_E)
            }
            fn log1p(self) -> Self {
                // SAFETY: as in `sign`.
                let length = unsafe { $hypot(self.re + 1.0, self.im) };
                Complex::new(length.ln(), self.im.atan2(self.re + 1.0))
            }
            fn elementary(self, f: LibmFunction) -> Self {
                // SAFETY: pure functions of the C library.
                unsafe { match f { $(LibmFunction::$Name => $f(self)),* } }
            }
        }
    )*};
}

complexes! {
    f32: hypotf cpowf Exp cexpf Log clogf Sqrt csqrtf Sin csinf Cos ccosf Tan ctanf Asin casinf Acos cacosf Atan catanf
        Sinh csinhf Cosh ccoshf Tanh ctanhf Asinh casinhf Acosh cacoshf Atanh catanhf;
    f64: hypot cpow Exp cexp Log clog Sqrt csqrt Sin csin Cos ccos Tan ctan Asin casin Acos cacos Atan catan
        Sinh csinh Cosh ccosh Tanh ctanh Asinh casinh Acosh cacosh Atanh catanh;
}
