//! CUDA C's spelling of literals, ops and conversions: patterns in which `a` and `b` are the arguments, and `T`, `U`, `R` and `_F`
//! mean what they mean in `functions.cu`.

use crate::{DType, Kind, Op, Scalar, Wide};
use std::borrow::Cow;

/// Fills a pattern: types for `T`, `U`, `R` and `_F`, and arguments for `a` and `b`.
pub(crate) fn filled(pattern: &str, dtype: DType, args: &[&str]) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let real = dtype.real();
    let word = match dtype {
        DType::F32 | DType::C64 => DType::U32,
        DType::F64 | DType::C128 => DType::U64,
        other => unsigned(other),
    };
    let mut rest = pattern;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        out += &rest[..start];
        rest = &rest[start..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        // A letter after a number is its suffix.
        let is_suffix = out.ends_with(|c: char| c.is_ascii_digit());
        match name {
            _ if is_suffix => out += name,
            "a" | "b" if !args.is_empty() => out += args[usize::from(name == "b").min(args.len() - 1)],
            "T" => out += dtype.ir_name(),
            "U" => out += word.ir_name(),
            "R" => out += real.ir_name(),
            _ => match name.rsplit_once('_') {
                Some((stem, "T")) => out += &[stem, "_", dtype.ir_name()].concat(),
                Some((stem, "U")) => out += &[stem, "_", word.ir_name()].concat(),
                Some((stem, "R")) => out += &[stem, "_", real.ir_name()].concat(),
                Some((stem, "F")) => out += &[stem, if real == DType::F32 { "f" } else { "" }].concat(),
                _ => out += name,
            },
        }
        rest = after;
    }
    out + rest
}

/// The unsigned counterpart of an integer type.
fn unsigned(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// The pattern of an op: an operator where C has one that does what NumPy does, one of CUDA's own functions, or a call.
#[deny(clippy::wildcard_enum_match_arm)]
pub(crate) fn op(op: Op, dtype: DType) -> Cow<'static, str> {
    let kind = dtype.kind();
    let call = || -> Cow<'static, str> {
        let args = if op.arity() == 1 { "a" } else { "a, b" };
        format!("{}_T({args})", op.name()).into()
    };
    let of_floats = |pattern: &'static str| if kind == Kind::Float { pattern.into() } else { call() };
    let of_complex = |pattern: &'static str| if kind == Kind::Complex { call() } else { pattern.into() };
    let degrees = |of_singles: f32, of_doubles: f64| {
        let factor = if dtype == DType::F32 { f64::from(of_singles) } else { of_doubles };
        format!("a * (T){factor:?}").into()
    };
    match op {
        Op::Add | Op::Maximum | Op::Fmax if kind == Kind::Bool => "a | b".into(),
        Op::Multiply | Op::Minimum | Op::Fmin if kind == Kind::Bool => "a & b".into(),
        Op::Fmax if dtype.is_integer() => "maximum_T(a, b)".into(),
        Op::Fmin if dtype.is_integer() => "minimum_T(a, b)".into(),
        Op::Maximum | Op::Fmax | Op::Minimum | Op::Fmin => call(),
        Op::Add => of_floats("a + b"),
        Op::Subtract => of_floats("a - b"),
        Op::Multiply => of_floats("a * b"),
        Op::Divide => of_floats("a / b"),
        Op::Negative => of_floats("-a"),
        Op::Square => of_floats("a * a"),
        Op::Reciprocal => of_floats("(T)1 / a"),
        Op::Fmod => of_floats("fmod_F(a, b)"),
        Op::Sqrt => of_floats("sqrt_F(a)"),
        Op::Rint => of_floats("rint_F(a)"),
        Op::Floor | Op::Ceil | Op::Trunc if kind == Kind::Float => format!("{}_F(a)", op.name()).into(),
        Op::Floor | Op::Ceil | Op::Trunc | Op::Positive => "a".into(),
        Op::Absolute if matches!(kind, Kind::Bool | Kind::Unsigned) => "a".into(),
        Op::Absolute | Op::Fabs => of_floats("fabs_F(a)"),
        Op::Conjugate if kind != Kind::Complex => "a".into(),
        Op::Copysign => "copysign_F(a, b)".into(),
        Op::Deg2rad | Op::Radians => degrees(std::f32::consts::PI / 180.0, std::f64::consts::PI / 180.0),
        Op::Rad2deg | Op::Degrees => degrees(180.0 / std::f32::consts::PI, 180.0 / std::f64::consts::PI),
        Op::BitwiseCount => "(u8)__popcll((u64)magnitude_T(a))".into(),
        Op::BitwiseAnd => "a & b".into(),
        Op::BitwiseOr => "a | b".into(),
        Op::BitwiseXor => "a ^ b".into(),
        Op::Invert => if kind == Kind::Bool { "!a" } else { "~a" }.into(),
        Op::Equal => of_complex("a == b"),
        Op::NotEqual => if kind == Kind::Complex { "!equal_T(a, b)" } else { "a != b" }.into(),
        Op::Less => of_complex("a < b"),
        Op::LessEqual => of_complex("a <= b"),
        Op::Greater => if kind == Kind::Complex { "less_T(b, a)" } else { "a > b" }.into(),
        Op::GreaterEqual => if kind == Kind::Complex { "less_equal_T(b, a)" } else { "a >= b" }.into(),
        Op::LogicalAnd => truths(kind, "a & b", "truth_T(a) & truth_T(b)", "(a != 0) & (b != 0)"),
        Op::LogicalOr => truths(kind, "a | b", "truth_T(a) | truth_T(b)", "(a != 0) | (b != 0)"),
        Op::LogicalXor => truths(kind, "a ^ b", "truth_T(a) ^ truth_T(b)", "(a != 0) ^ (b != 0)"),
        Op::LogicalNot => truths(kind, "!a", "!truth_T(a)", "a == 0"),
        Op::Isnan | Op::Isinf if !matches!(kind, Kind::Float | Kind::Complex) => "false".into(),
        Op::Isfinite if !matches!(kind, Kind::Float | Kind::Complex) => "true".into(),
        Op::FloorDivide
        | Op::Remainder
        | Op::Power
        | Op::Sign
        | Op::Conjugate
        | Op::Nextafter
        | Op::Spacing
        | Op::Ldexp
        | Op::FrexpMantissa
        | Op::FrexpExponent
        | Op::Heaviside
        | Op::Gcd
        | Op::Lcm
        | Op::Cbrt
        | Op::Exp
        | Op::Exp2
        | Op::Expm1
        | Op::Log
        | Op::Log2
        | Op::Log10
        | Op::Log1p
        | Op::Logaddexp
        | Op::Logaddexp2
        | Op::Sin
        | Op::Cos
        | Op::Tan
        | Op::Arcsin
        | Op::Arccos
        | Op::Arctan
        | Op::Arctan2
        | Op::Hypot
        | Op::Sinh
        | Op::Cosh
        | Op::Tanh
        | Op::Arcsinh
        | Op::Arccosh
        | Op::Arctanh
        | Op::LeftShift
        | Op::RightShift
        | Op::Isnan
        | Op::Isinf
        | Op::Isfinite
        | Op::Signbit => call(),
    }
}

/// The pattern of an op on truth values, by the kind of its arguments.
fn truths(kind: Kind, of_bools: &'static str, of_complex: &'static str, of_others: &'static str) -> Cow<'static, str> {
    match kind {
        Kind::Bool => of_bools.into(),
        Kind::Complex => of_complex.into(),
        Kind::Signed | Kind::Unsigned | Kind::Float => of_others.into(),
    }
}

/// The pattern of CUDA's own function for a decomposed one, which computes what the fast path leaves. None where the fast path is right
/// for all arguments, and leaves only flags, which a GPU does not have.
pub(crate) fn builtin(op: Op) -> Option<String> {
    let args = if op.arity() == 1 { "a" } else { "a, b" };
    let name = match op {
        Op::Nextafter | Op::Spacing | Op::Reciprocal => return None,
        // Of infinities and nans. The second term is 0 where one argument is finite, and makes 0 of -0.
        Op::Logaddexp | Op::Logaddexp2 => {
            return Some("a == b ? a : a - b != a - b ? a - b : (a > b ? a : b) + 0".to_owned());
        }
        // Of subnormal numbers.
        Op::FrexpMantissa => return Some("ldexp_F(a, -1 - ilogb_F(a))".to_owned()),
        Op::FrexpExponent => return Some("ilogb_F(a) + 1".to_owned()),
        Op::Power => "pow",
        Op::Arctan2 => "atan2",
        _ => &op.name().replacen("arc", "a", 1),
    };
    Some(format!("{name}_F({args})"))
}

/// The pattern of a conversion; `T` is the type that it comes from.
pub(crate) fn cast(from: DType, to: DType) -> String {
    let name = to.ir_name();
    match (from.kind(), to.kind()) {
        _ if from == to => "a".to_owned(),
        (Kind::Complex, Kind::Complex) => {
            let part = to.real().ir_name();
            format!("complex_{name}(({part})a.re, ({part})a.im)")
        }
        (Kind::Complex, Kind::Bool) => "truth_T(a)".to_owned(),
        (Kind::Complex, Kind::Signed | Kind::Unsigned | Kind::Float) => on(&cast(from.real(), to), "a.re", from.real()),
        _ if from == DType::F16 => on(&cast(DType::F32, to), "f32_of_f16(a)", DType::F32),
        (_, Kind::Complex) => format!("complex_{name}({}, 0)", cast(from, to.real())),
        (_, Kind::Bool) => "a != 0".to_owned(),
        (Kind::Float, _) if to == DType::F16 => "f16_of_T(a)".to_owned(),
        _ if to == DType::F16 => "f16_of_f64((f64)a)".to_owned(),
        (Kind::Float, Kind::Signed | Kind::Unsigned) => match to {
            DType::I64 | DType::U64 => format!("{name}_of_T(a)"),
            DType::U32 => "(u32)i64_of_T(a)".to_owned(),
            _ => format!("({name})i32_of_T(a)"),
        },
        (Kind::Bool | Kind::Signed | Kind::Unsigned | Kind::Float, Kind::Signed | Kind::Unsigned | Kind::Float) => {
            format!("({name})a")
        }
    }
}

/// Fills a pattern for an argument of another type.
fn on(pattern: &str, argument: &str, dtype: DType) -> String {
    filled(pattern, dtype, &[argument])
}

/// A literal.
pub(crate) fn literal(value: Scalar) -> String {
    let dtype = value.dtype();
    let text = match value.wide() {
        Wide::Int(i) => match dtype {
            DType::Bool => return (i != 0).to_string(),
            DType::I32 if i == i128::from(i32::MIN) => return "(-2147483647 - 1)".to_owned(),
            DType::I64 if i == i128::from(i64::MIN) => return "(-9223372036854775807LL - 1)".to_owned(),
            DType::I32 => i.to_string(),
            DType::U32 => format!("{i}U"),
            DType::I64 => format!("{i}LL"),
            DType::U64 => format!("{i}ULL"),
            _ => format!("({}){i}", dtype.ir_name()),
        },
        Wide::Float(_) if dtype == DType::F16 => format!("(f16){:#x}", value.bits()),
        Wide::Float(x) if !x.is_finite() => {
            let suffix = if dtype == DType::F64 { "ULL" } else { "U" };
            return format!("from_bits_{}({:#x}{suffix})", dtype.ir_name(), value.bits());
        }
        Wide::Float(x) if dtype == DType::F32 => format!("{:?}f", x as f32),
        Wide::Float(x) => format!("{x:?}"),
        Wide::Complex(..) => {
            let part = dtype.real();
            let [re, im] = [0, 8 * part.size()].map(|shift| literal(Scalar::from_bits(part, value.bits() >> shift)));
            return format!("complex_{}({re}, {im})", dtype.ir_name());
        }
    };
    if text.starts_with('-') { format!("({text})") } else { text }
}
