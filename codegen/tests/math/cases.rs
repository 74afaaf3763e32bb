//! The table of what is tested: every function with its error bound, the truth in double, and an ordinary range.

use super::levels::{BinaryLoop, UnaryLoop, binary, unary};
use fastnp_codegen::math::*;

/// A function of one argument.
pub(crate) struct Case<T> {
    /// NumPy's name, also that of the file with exact values.
    pub(crate) name: &'static str,
    /// The largest error allowed, in units of the last place.
    pub(crate) bound: f64,
    /// Ordinary arguments, within the domain.
    pub(crate) range: (f64, f64),
    /// The function in double by the C library, the truth for `f32`.
    pub(crate) truth: fn(f64) -> f64,
    /// What is tested: one loop for each instruction set.
    pub(crate) levels: Vec<(&'static str, UnaryLoop<T>)>,
}

/// A function of two arguments.
pub(crate) struct Pair<T> {
    /// NumPy's name, also that of the file with exact values.
    pub(crate) name: &'static str,
    /// The largest error allowed, in units of the last place.
    pub(crate) bound: f64,
    /// The function in double by the C library, the truth for `f32`.
    pub(crate) truth: fn(f64, f64) -> f64,
    /// What is tested: one loop for each instruction set.
    pub(crate) levels: Vec<(&'static str, BinaryLoop<T>)>,
}

fn case<F: Unary<T>, T: Number>(name: &'static str, bound: f64, range: (f64, f64), truth: fn(f64) -> f64) -> Case<T> {
    Case { name, bound, range, truth, levels: unary::<F, T>() }
}

fn pair<F: Binary<T>, T: Number>(name: &'static str, bound: f64, truth: fn(f64, f64) -> f64) -> Pair<T> {
    Pair { name, bound, truth, levels: binary::<F, T>() }
}

/// All functions of one `f64`.
pub(crate) fn unary64() -> Vec<Case<f64>> {
    vec![
        case::<Exp, f64>("exp", 1.0, (-20.0, 20.0), f64::exp),
        case::<Exp2, f64>("exp2", 1.5, (-20.0, 20.0), f64::exp2),
        case::<Expm1, f64>("expm1", 2.0, (-2.0, 2.0), f64::exp_m1),
        case::<Log, f64>("log", 1.0, (0.01, 100.0), f64::ln),
        case::<Log2, f64>("log2", 1.5, (0.01, 100.0), f64::log2),
        case::<Log10, f64>("log10", 1.5, (0.01, 100.0), f64::log10),
        case::<Log1p, f64>("log1p", 2.0, (-0.9, 100.0), f64::ln_1p),
        case::<Sin, f64>("sin", 1.0, (-100.0, 100.0), f64::sin),
        case::<Cos, f64>("cos", 1.0, (-100.0, 100.0), f64::cos),
        case::<Tan, f64>("tan", 3.0, (-100.0, 100.0), f64::tan),
        case::<Arcsin, f64>("arcsin", 1.5, (-1.0, 1.0), f64::asin),
        case::<Arccos, f64>("arccos", 1.5, (-1.0, 1.0), f64::acos),
        case::<Arctan, f64>("arctan", 2.0, (-5.0, 5.0), f64::atan),
        case::<Sinh, f64>("sinh", 2.5, (-5.0, 5.0), f64::sinh),
        case::<Cosh, f64>("cosh", 1.5, (-5.0, 5.0), f64::cosh),
        case::<Tanh, f64>("tanh", 3.0, (-5.0, 5.0), f64::tanh),
        case::<Arcsinh, f64>("arcsinh", 2.0, (-5.0, 5.0), |x| asinh(x)),
        case::<Arccosh, f64>("arccosh", 2.5, (1.0, 10.0), |x| acosh(x)),
        case::<Arctanh, f64>("arctanh", 2.5, (-0.99, 0.99), |x| atanh(x)),
        case::<Cbrt, f64>("cbrt", 1.5, (-5.0, 5.0), f64::cbrt),
    ]
}

/// All functions of one `f32`.
pub(crate) fn unary32() -> Vec<Case<f32>> {
    vec![
        case::<Exp, f32>("exp", 1.0, (-20.0, 20.0), f64::exp),
        case::<Exp2, f32>("exp2", 1.5, (-20.0, 20.0), f64::exp2),
        case::<Expm1, f32>("expm1", 1.5, (-2.0, 2.0), f64::exp_m1),
        case::<Log, f32>("log", 1.0, (0.01, 100.0), f64::ln),
        case::<Log2, f32>("log2", 3.0, (0.01, 100.0), f64::log2),
        case::<Log10, f32>("log10", 3.0, (0.01, 100.0), f64::log10),
        case::<Log1p, f32>("log1p", 2.0, (-0.9, 100.0), f64::ln_1p),
        case::<Sin, f32>("sin", 1.0, (-100.0, 100.0), f64::sin),
        case::<Cos, f32>("cos", 1.0, (-100.0, 100.0), f64::cos),
        case::<Tan, f32>("tan", 3.0, (-100.0, 100.0), f64::tan),
        case::<Arcsin, f32>("arcsin", 2.5, (-1.0, 1.0), f64::asin),
        case::<Arccos, f32>("arccos", 1.5, (-1.0, 1.0), f64::acos),
        case::<Arctan, f32>("arctan", 3.0, (-5.0, 5.0), f64::atan),
        case::<Sinh, f32>("sinh", 2.0, (-5.0, 5.0), f64::sinh),
        case::<Cosh, f32>("cosh", 2.0, (-5.0, 5.0), f64::cosh),
        case::<Tanh, f32>("tanh", 3.0, (-5.0, 5.0), f64::tanh),
        case::<Arcsinh, f32>("arcsinh", 2.0, (-5.0, 5.0), |x| asinh(x)),
        case::<Arccosh, f32>("arccosh", 2.5, (1.0, 10.0), |x| acosh(x)),
        case::<Arctanh, f32>("arctanh", 3.0, (-0.99, 0.99), |x| atanh(x)),
        case::<Cbrt, f32>("cbrt", 1.5, (-5.0, 5.0), f64::cbrt),
    ]
}

/// The C library's power, but that zero to minus infinity is a pole, which it passes over and NumPy does not.
fn power(x: f64, y: f64) -> f64 {
    if x == 0.0 && y == f64::NEG_INFINITY { 1.0 / x.abs() } else { x.powf(y) }
}

/// All functions of two `f64`.
pub(crate) fn binary64() -> Vec<Pair<f64>> {
    vec![
        pair::<Arctan2, f64>("arctan2", 2.0, f64::atan2),
        pair::<Power, f64>("power", 1.5, power),
        pair::<Hypot, f64>("hypot", 1.5, f64::hypot),
    ]
}

/// All functions of two `f32`.
pub(crate) fn binary32() -> Vec<Pair<f32>> {
    vec![
        pair::<Arctan2, f32>("arctan2", 3.5, f64::atan2),
        pair::<Power, f32>("power", 3.5, power),
        pair::<Hypot, f32>("hypot", 1.5, f64::hypot),
    ]
}

unsafe extern "C" {
    // The standard library has its own formulas for these, which raise other flags and lose digits.
    safe fn asinh(x: f64) -> f64;
    safe fn acosh(x: f64) -> f64;
    safe fn atanh(x: f64) -> f64;
}
