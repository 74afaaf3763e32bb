//! Writes where a mask is true: `copyto`, and what `putmask` and `place` have in common with it.

use crate::call::argument::parse_any;
use crate::fallback::by_name::numpy_counted;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::{Arguments, entry};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, Error, ErrorKind, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyModule, PyString};

/// NumPy's `copyto`. A class of another library that implements it decides what it returns.
fn copyto<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    let is_same_kind = |casting: &Bound<'py, PyAny>| casting.cast::<PyString>().is_ok_and(|rule| rule == "same_kind");
    if let Some([Some(dst), Some(src), casting, mask]) = call.read(["dst", "src", "casting", "where"])?
        && casting.is_none_or(is_same_kind)
        && let Ok(target) = dst.cast::<NdArray>()
    {
        let (target, source) = (target.open(), parse_any(src)?);
        let target = target.array(py)?;
        let everywhere = PyBool::new(py, true);
        let mask = mask.filter(|mask| !mask.is(everywhere.as_any())).map(parse_any).transpose()?;
        let mask = mask.as_ref().map(|mask| mask.value(py)).transpose()?;
        if let Some(value) = source.value(py)?
            && converts(value, target.dtype())
            && match mask {
                None => matches!(value, Value::Array(_)) && target.assign(value).is_ok(),
                Some(Some(Value::Array(mask))) => assign_where(target, mask, value).is_ok(),
                Some(_) => false,
            }
        {
            return to_py_result(py, Ok(py.None().into_bound(py)));
        }
    }
    numpy_counted(call, "copyto")
}

/// Whether a value may be cast to a type by NumPy's rule "same_kind", without a warning.
fn converts(value: Value<'_>, to: DType) -> bool {
    match value {
        Value::Array(a) => fastnp::can_cast(a.dtype(), to, fastnp::Casting::SameKind),
        Value::Scalar(s) => fastnp::can_cast(s.dtype(), to, fastnp::Casting::SameKind),
        Value::Int(_) => to != DType::Bool && !value.overflows(to),
        Value::Float(_) => (to.is_float() || to.is_complex()) && !value.overflows(to),
        Value::Complex(_) => to.is_complex() && !value.overflows(to),
    }
}

/// `target[mask] = value`, with both broadcast to the target.
fn assign_where(target: &Array, mask: &Array, value: Value<'_>) -> fastnp::Result<()> {
    if mask.dtype() != DType::Bool {
        return Err(Error::new(ErrorKind::Unsupported, "a mask that is not bool"));
    }
    if let Value::Array(v) = value
        && v.shape() != target.shape()
    {
        // NumPy drops leading axes of extent one. Other shapes that do not fit are an error, which NumPy words.
        v.broadcast_to(target.shape())?;
    }
    if mask.shape() == target.shape() {
        return target.assign_where(mask, value);
    }
    target.assign_where(&mask.broadcast_to(target.shape())?, value)
}

/// `target[mask] = value` for a mask of the target's shape, and a number or values of that shape.
pub(crate) fn put_where(target: &Array, mask: &Array, value: Value<'_>) -> fastnp::Result<()> {
    let is_alike =
        |v: &Array| v.shape() == target.shape() && fastnp::can_cast(v.dtype(), target.dtype(), fastnp::Casting::Safe);
    let fits = if let Value::Array(v) = value { is_alike(v) } else { true };
    if mask.shape() != target.shape() || !fits {
        return Err(Error::new(ErrorKind::Unsupported, "values that are repeated, or do not convert"));
    }
    assign_where(target, mask, value)
}

/// Adds the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let text = c"copyto(dst, src, casting='same_kind', where=True)\n--\n\n";
    crate::interpreter::fastcall::add(module, &[(c"copyto", text, entry!(copyto))])
}
