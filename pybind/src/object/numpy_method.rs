//! NumPy's own method on an array object, for arguments that are not native and for NumPy's error messages.

use crate::interpreter::fallback::fallback;
use crate::object::ndarray::NdArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Calls NumPy's method of this name on this array, counted as a fallback.
pub(crate) fn numpy_method<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    fallback(this.py(), "method")?.call1((this, name, args, kwargs))
}

/// Calls NumPy's method after the core found an error, so that NumPy raises the same error with its own text.
#[cold]
pub(crate) fn numpy_error<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    error: fastnp::Error,
) -> PyResult<Bound<'py, PyAny>> {
    match error.kind() {
        kind if kind.is_final() => Err(crate::interpreter::error::to_py_err(this.py(), error)),
        fastnp::ErrorKind::Unsupported => numpy_method(this, name, args, kwargs),
        _ => fallback(this.py(), "method_uncounted")?.call1((this, name, args, kwargs)),
    }
}
