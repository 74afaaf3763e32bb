//! Assignment of any Python value to an array. It is native if the cast needs no warning, else left to NumPy.

use crate::call::argument::parse_any;
use fastnp::{Array, DType, ErrorKind, Value};
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
        Some(value) if fits(value, array.dtype()) => done(py, set(value)),
        _ => Ok(LEFT_TO_NUMPY),
    }
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
