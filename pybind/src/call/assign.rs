//! Assignment of any Python value to an array. It is native if the cast needs no warning, else left to NumPy.

use crate::call::argument::{is_sequence, parse_any};
use fastnp::{Array, Casting, DType, ErrorKind, Scalar, Value, Wide};
use pyo3::prelude::*;

/// Whether an assignment was done; if not, the kind of error for which NumPy has to do it, or to raise.
pub(crate) type Assigned = Result<(), ErrorKind>;

/// An assignment that is left to NumPy.
pub(crate) const LEFT_TO_NUMPY: Assigned = Err(ErrorKind::Unsupported);

/// The outcome of an assignment by the core.
fn done(py: Python<'_>, result: fastnp::Result<()>) -> PyResult<Assigned> {
    match result {
        Ok(()) => Ok(Ok(())),
        Err(error) if error.kind().is_final() => Err(crate::interpreter::error::to_py_err(py, error)),
        Err(error) => Ok(Err(error.kind())),
    }
}

/// Parses a value, and calls `set` with it if it casts to the array's type without a warning.
pub(crate) fn put(
    array: &Array,
    value: &Bound<'_, PyAny>,
    set: impl FnOnce(Value<'_>) -> fastnp::Result<()>,
) -> PyResult<Assigned> {
    let py = value.py();
    let arg = parse_any(value)?;
    match arg.value(py)? {
        Some(parsed) if stores(value, parsed, array.dtype()) => done(py, set(parsed)),
        _ => Ok(LEFT_TO_NUMPY),
    }
}

/// Whether what an object was parsed as casts to a type without a warning or an error. NumPy converts the items of a list one by one: an
/// integer out of range is an error there, and in an array it wraps.
pub(crate) fn stores(object: &Bound<'_, PyAny>, parsed: Value<'_>, to: DType) -> bool {
    fits(parsed, to)
        && if let Value::Array(items) = parsed { !is_sequence(object) || items_fit(items, to) } else { true }
}

/// Floats of this magnitude and more are no integers of their own: a list of both has lost some.
const INEXACT: f64 = (1u64 << 53) as f64;

/// Whether each item of a list is in the range of a type.
fn items_fit(items: &Array, to: DType) -> bool {
    let from = items.dtype();
    if to == DType::Bool || fastnp::can_cast(from, to, Casting::Safe) {
        return true;
    }
    let largest = match to {
        DType::F16 => 65_519.0,
        DType::F32 | DType::C64 => f64::from(f32::MAX),
        _ => f64::MAX,
    };
    if from.is_complex() || from == DType::U64 {
        return false;
    }
    if from.is_integer() && to.is_integer() {
        let numbers = items.cast(DType::I64).and_then(|items| items.to_vec::<i64>());
        return numbers.is_ok_and(|all| all.iter().all(|&i| Scalar::new(to, i).wide() == Wide::Int(i.into())));
    }
    let numbers = items.cast(DType::F64).and_then(|items| items.to_vec::<f64>());
    numbers.is_ok_and(|all| {
        all.iter().all(|&x| {
            if to.is_integer() {
                x.abs() < INEXACT && Scalar::new(to, x).to_f64() == x.trunc()
            } else {
                !x.is_finite() || x.abs() <= largest
            }
        })
    })
}

/// Whether a value casts to a type without a warning or an error.
pub(crate) fn fits(value: Value<'_>, to: DType) -> bool {
    let complex = to.is_complex();
    if value.overflows(to) {
        return false;
    }
    match value {
        Value::Array(a) => complex || !a.dtype().is_complex(),
        Value::Scalar(s) if s.dtype().is_complex() => complex,
        Value::Scalar(s) if s.dtype().is_float() && to.is_integer() => {
            let x = s.to_f64();
            x.is_finite() && s.cast(to).to_f64() == x.trunc()
        }
        Value::Scalar(s) if s.dtype().is_integer() && to.is_integer() => s.cast(to).wide() == s.wide(),
        Value::Scalar(_) => true,
        Value::Int(_) => true,
        Value::Float(x) => {
            !to.is_integer()
                || (x.is_finite() && x.abs() < 9e15 && {
                    let scalar = fastnp::Scalar::new(to, x);
                    scalar.to_f64() == x.trunc()
                })
        }
        Value::Complex(_) => complex,
    }
}
