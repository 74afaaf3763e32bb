//! Type promotion: common types, casting rules, and the loop that an op computes in.
//!
//! The rules are NumPy's since NEP 50: promotion does not look at values. Python's own numbers are *weak*: they take the type of the
//! other arguments, if that is of the same kind or a higher one.

use crate::array::value::Value;
use crate::error::{Error, ErrorKind, Result};
use fastnp_codegen::{DType, Kind, Op};
use std::sync::LazyLock;

/// The type of an argument: an array's, or that of a Python number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgType {
    /// The type of an array or of a NumPy scalar.
    Strong(DType),
    /// A Python `int`.
    WeakInt,
    /// A Python `float`.
    WeakFloat,
    /// A Python `complex`.
    WeakComplex,
}

/// Which casts are allowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Casting {
    /// The same type only.
    No,
    /// Casts that keep every value.
    Safe,
    /// Also casts to a smaller type of the same kind.
    SameKind,
    /// Every cast.
    Unsafe,
}

/// The smallest type that holds both without loss, as NumPy promotes.
///
/// ```
/// use fastnp::{DType, promote_types};
/// assert_eq!(promote_types(DType::I32, DType::F32), DType::F64);
/// assert_eq!(promote_types(DType::I64, DType::U64), DType::F64);
/// ```
pub fn promote_types(a: DType, b: DType) -> DType {
    use DType::*;
    if a == b {
        return a;
    }
    let (a, b) = if a.kind() <= b.kind() { (a, b) } else { (b, a) };
    match (a.kind(), b.kind()) {
        (Kind::Bool, _) => b,
        (Kind::Signed, Kind::Signed) | (Kind::Unsigned, Kind::Unsigned) | (Kind::Float, Kind::Float) => {
            if a.size() >= b.size() { a } else { b }
        }
        (Kind::Complex, Kind::Complex) => C128,
        (Kind::Signed, Kind::Unsigned) => match b.size().max(a.size() / 2) {
            _ if a.size() > b.size() => a,
            1 => I16,
            2 => I32,
            4 => I64,
            _ => F64,
        },
        (Kind::Signed | Kind::Unsigned, Kind::Float) => {
            let needed = match a.size() {
                1 => F16,
                2 => F32,
                _ => F64,
            };
            promote_types(needed, b)
        }
        (Kind::Signed | Kind::Unsigned, Kind::Complex) => {
            if a.size() <= 2 {
                b
            } else {
                C128
            }
        }
        (Kind::Float, Kind::Complex) => {
            if a == F64 {
                C128
            } else {
                b
            }
        }
        (high, low) => unreachable!("kinds are in order: {high:?}, {low:?}"),
    }
}

/// Whether a cast is allowed under a rule.
///
/// ```
/// use fastnp::{Casting, DType, can_cast};
/// assert!(can_cast(DType::I32, DType::F64, Casting::Safe));
/// assert!(!can_cast(DType::F64, DType::I32, Casting::SameKind));
/// ```
pub fn can_cast(from: DType, to: DType, casting: Casting) -> bool {
    match casting {
        Casting::No => from == to,
        Casting::Safe => promote_types(from, to) == to,
        Casting::SameKind => {
            let rank = |d: DType| match d.kind() {
                Kind::Bool => 0,
                Kind::Unsigned => 1,
                Kind::Signed => 2,
                Kind::Float => 3,
                Kind::Complex => 4,
            };
            can_cast(from, to, Casting::Safe) || rank(from) <= rank(to)
        }
        Casting::Unsafe => true,
    }
}

/// The common type of arguments.
///
/// ```
/// use fastnp::{ArgType, DType, result_type};
/// assert_eq!(result_type(&[ArgType::Strong(DType::F32), ArgType::WeakFloat]), DType::F32);
/// assert_eq!(result_type(&[ArgType::Strong(DType::I8), ArgType::WeakFloat]), DType::F64);
/// ```
pub fn result_type(args: &[ArgType]) -> DType {
    let mut strong: Option<DType> = None;
    let (mut int, mut float, mut complex) = (false, false, false);
    for arg in args {
        match *arg {
            ArgType::Strong(d) => strong = Some(strong.map_or(d, |s| promote_types(s, d))),
            ArgType::WeakInt => int = true,
            ArgType::WeakFloat => float = true,
            ArgType::WeakComplex => complex = true,
        }
    }
    let Some(mut dtype) = strong else {
        return if complex {
            DType::C128
        } else if float {
            DType::F64
        } else {
            DType::I64
        };
    };
    if int && dtype == DType::Bool {
        dtype = DType::I64;
    }
    if float && !dtype.is_float() && !dtype.is_complex() {
        dtype = DType::F64;
    }
    if complex && !dtype.is_complex() {
        dtype = match dtype {
            DType::F16 | DType::F32 => DType::C64,
            _ => DType::C128,
        };
    }
    dtype
}

/// For each op and type, a bit set of the op's loops that take it. It is computed once, because a search of the op's row takes 200 ns.
static LOOPS: LazyLock<Vec<[u16; 14]>> = LazyLock::new(|| {
    let bits = |op: Op, from: DType| {
        let loops = op.row().loops.bytes().filter_map(DType::from_code).enumerate();
        loops.filter(|&(_, to)| can_cast(from, to, Casting::Safe)).fold(0, |bits, (i, _)| bits | 1 << i)
    };
    Op::ALL.iter().map(|&op| DType::ALL.map(|from| bits(op, from))).collect()
});

/// For each op, a bit set of the types that it computes in without a cast.
static OWN: LazyLock<Vec<u16>> = LazyLock::new(|| {
    let own = |op: Op, d: DType| search(op, &[ArgType::Strong(d), ArgType::Strong(d)][..op.arity()]) == Ok(d);
    Op::ALL.iter().map(|&op| DType::ALL.into_iter().fold(0, |bits, d| bits | (own(op, d) as u16) << d as u16)).collect()
});

/// The type an op computes in: its first loop that each argument casts to safely.
///
/// # Errors
/// `TypeError` where the op has no loop for the arguments.
///
/// ```
/// use fastnp::{ArgType, DType, Op, resolve};
/// assert_eq!(resolve(Op::Divide, &[ArgType::Strong(DType::I8); 2])?, DType::F64);
/// assert!(resolve(Op::BitwiseAnd, &[ArgType::Strong(DType::F64); 2]).is_err());
/// # Ok::<(), fastnp::Error>(())
/// ```
#[inline]
pub fn resolve(op: Op, args: &[ArgType]) -> Result<DType> {
    own_type(op, args.iter().copied()).map_or_else(|| search(op, args), Ok)
}

/// The one type of the arguments, if the op computes in it. That is the common case.
#[inline(always)]
pub(crate) fn own_type(op: Op, args: impl Iterator<Item = ArgType>) -> Option<DType> {
    one_type(args).filter(|&d| OWN[op as usize] >> d as u16 & 1 != 0)
}

/// The one type of the arguments, if the Python numbers among them take it.
#[inline(always)]
fn one_type(args: impl Iterator<Item = ArgType>) -> Option<DType> {
    // A bit for each kind of Python number.
    let (mut found, mut numbers) = (None, 0);
    for arg in args {
        match arg {
            ArgType::Strong(d) if found.is_some_and(|other| other != d) => return None,
            ArgType::Strong(d) => found = Some(d),
            ArgType::WeakInt => numbers |= 1,
            ArgType::WeakFloat => numbers |= 2,
            ArgType::WeakComplex => numbers |= 4,
        }
    }
    let takes = |d: DType| {
        (numbers & 1 == 0 || d != DType::Bool)
            && (numbers & 2 == 0 || d >= DType::F16)
            && (numbers & 4 == 0 || d.is_complex())
    };
    found.filter(|&d| numbers == 0 || takes(d))
}

fn search(op: Op, args: &[ArgType]) -> Result<DType> {
    let common = result_type(args);
    // NumPy has these as special cases: bools have no sign, no difference and no divisor, and integers divide in float64.
    match op {
        Op::Subtract | Op::Negative | Op::Positive | Op::Sign | Op::Gcd | Op::Lcm if common == DType::Bool => {
            return Err(no_loop(op));
        }
        Op::Divide if !common.is_float() && !common.is_complex() => return Ok(DType::F64),
        _ => {}
    }
    // int8 and uint8 both fit float16, though their common type int16 does not: each argument is checked on its own.
    // Python's numbers count as the common type.
    let fitting = args.iter().fold(u16::MAX, |bits, arg| {
        let dtype = if let ArgType::Strong(dtype) = arg { *dtype } else { common };
        bits & LOOPS[op as usize][dtype as usize]
    });
    let loops = op.row().loops.as_bytes();
    let found = loops.get(fitting.trailing_zeros() as usize).and_then(|&code| DType::from_code(code));
    found.ok_or_else(|| no_loop(op))
}

#[cold]
fn no_loop(op: Op) -> Error {
    let text = match op {
        Op::Subtract => {
            "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, the `^` operator, \
                         or the logical_xor function instead."
                .to_owned()
        }
        Op::Negative => "The numpy boolean negative, the `-` operator, is not supported, use the `~` operator or the \
                         logical_not function instead."
            .to_owned(),
        Op::Sign => {
            "ufunc 'sign' did not contain a loop with signature matching types <class 'numpy.dtypes.BoolDType'> -> \
                     None"
                .to_owned()
        }
        Op::Gcd | Op::Lcm => format!(
            "ufunc '{op}' did not contain a loop with signature matching types (<class 'numpy.dtypes.BoolDType'>, <class \
             'numpy.dtypes.BoolDType'>) -> None"
        ),
        _ => format!(
            "ufunc '{op}' not supported for the input types, and the inputs could not be safely coerced to any supported \
             types according to the casting rule ''safe''"
        ),
    };
    Error::new(ErrorKind::Type, text)
}

impl Value<'_> {
    /// What it counts as in promotion.
    #[inline]
    pub fn arg_type(&self) -> ArgType {
        match self {
            Value::Array(a) => ArgType::Strong(a.dtype()),
            Value::Scalar(s) => ArgType::Strong(s.dtype()),
            Value::Int(_) => ArgType::WeakInt,
            Value::Float(_) => ArgType::WeakFloat,
            Value::Complex(_) => ArgType::WeakComplex,
        }
    }
}
