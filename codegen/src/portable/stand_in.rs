//! Elementary functions that [`crate::math`] does not have yet, by the C library, one call an element.

use crate::math::{Binary, Unary};

macro_rules! stand_ins {
    ($($Name:ident ($($a:ident),*) $Trait:ident $body:expr, $body32:expr;)*) => {$(
        pub(crate) struct $Name;
        stand_ins!(@impl $Trait $Name f64 ($($a),*) $body);
        stand_ins!(@impl $Trait $Name f32 ($($a),*) $body32);
    )*};
    (@impl Unary $Name:ident $T:ty, ($a:ident) $body:expr) => {};
    (@impl Unary $Name:ident $T:ident ($a:ident) $body:expr) => {
        impl Unary<$T> for $Name {
            const CALM: $T = 1.0;
            #[inline(always)]
            fn fast<const FMA: bool>($a: $T) -> $T { $body }
            fn slow($a: $T) -> $T { $body }
        }
    };
    (@impl Binary $Name:ident $T:ident ($a:ident, $b:ident) $body:expr) => {
        impl Binary<$T> for $Name {
            const CALM: ($T, $T) = (1.0, 1.0);
            #[inline(always)]
            fn fast<const FMA: bool>($a: $T, $b: $T) -> $T { $body }
            #[inline(always)]
            fn is_odd(_: $T, _: $T) -> bool { false }
            fn slow($a: $T, $b: $T) -> $T { $body }
        }
    };
}

fn logaddexp(a: f64, b: f64) -> f64 {
    if a == b {
        return a + std::f64::consts::LN_2;
    }
    let d = a - b;
    if d > 0.0 { a + (-d).exp().ln_1p() } else if d <= 0.0 { b + d.exp().ln_1p() } else { d }
}

fn logaddexp2(a: f64, b: f64) -> f64 {
    if a == b {
        return a + 1.0;
    }
    let log2_1p = |x: f64| x.ln_1p() * std::f64::consts::LOG2_E;
    let d = a - b;
    if d > 0.0 { a + log2_1p((-d).exp2()) } else if d <= 0.0 { b + log2_1p(d.exp2()) } else { d }
}

stand_ins! {
    Cbrt(a) Unary a.cbrt(), a.cbrt();
    Arcsin(a) Unary a.asin(), a.asin();
    Arccos(a) Unary a.acos(), a.acos();
    Arctan(a) Unary a.atan(), a.atan();
    Sinh(a) Unary a.sinh(), a.sinh();
    Cosh(a) Unary a.cosh(), a.cosh();
    Tanh(a) Unary a.tanh(), a.tanh();
    Arcsinh(a) Unary a.asinh(), a.asinh();
    Arccosh(a) Unary a.acosh(), a.acosh();
    Arctanh(a) Unary a.atanh(), a.atanh();
    Arctan2(a, b) Binary a.atan2(b), a.atan2(b);
    Hypot(a, b) Binary a.hypot(b), a.hypot(b);
    Power(a, b) Binary a.powf(b), a.powf(b);
    Logaddexp(a, b) Binary logaddexp(a, b), logaddexp(a as f64, b as f64) as f32;
    Logaddexp2(a, b) Binary logaddexp2(a, b), logaddexp2(a as f64, b as f64) as f32;
}
