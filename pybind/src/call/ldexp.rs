//! `ldexp`: arrays of floats by powers of two, whose exponents are integers. What is not native is left to NumPy's ufunc.

use crate::call::argument::{Arg, parse_any};
use crate::call::ufunc_call::wrap;
use crate::interpreter::error::to_py_err;
use fastnp::{DType, Op, Options, Value, apply_with};
use pyo3::prelude::*;

/// NumPy's `ldexp` of two arguments; `None` where NumPy's function is to be called.
pub(crate) fn ldexp<'py>(x: &Bound<'py, PyAny>, exponent: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = x.py();
    let (x, exponent) = (parse_any(x)?, parse_any(exponent)?);
    // Numbers alone are left to NumPy.
    if matches!(x, Arg::Number(_)) {
        return Ok(None);
    }
    let Some(Value::Array(x)) = x.value(py)? else { return Ok(None) };
    // NumPy has loops of `float16`, to which it casts small integers, too.
    let dtype = match x.dtype() {
        DType::F32 | DType::I16 | DType::U16 => DType::F32,
        DType::F64 | DType::I32 | DType::U32 | DType::I64 | DType::U64 => DType::F64,
        _ => return Ok(None),
    };
    let is_exponent = |dtype: DType| dtype == DType::Bool || dtype.is_integer() && dtype != DType::U64;
    let exponent = match exponent.value(py)? {
        Some(Value::Array(exponents)) if is_exponent(exponents.dtype()) => Value::Array(exponents),
        Some(Value::Scalar(scalar)) if is_exponent(scalar.dtype()) => Value::Scalar(scalar),
        Some(Value::Int(exponent)) if i32::try_from(exponent).is_ok() => Value::Int(exponent),
        _ => return Ok(None),
    };
    let options = Options { dtype: Some(dtype), ..Options::default() };
    match apply_with(Op::Ldexp, &[Value::Array(x), exponent], options) {
        Ok(scaled) => wrap(py, scaled).map(Some),
        Err(error) if error.kind().is_final() => Err(to_py_err(py, error)),
        Err(_) => Ok(None),
    }
}
