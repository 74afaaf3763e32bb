//! Conversion of the core's results and errors to Python's. It is the only one.

use crate::interpreter::errstate::report;
use fastnp::{Error, ErrorKind, Result};
use pyo3::exceptions::{
    PyBufferError, PyIndexError, PyKeyboardInterrupt, PyMemoryError, PyNotImplementedError, PyOverflowError,
    PyRuntimeError, PySystemError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;

/// A result of the core as Python's, after the pending floating-point flags were reported.
#[inline]
pub(crate) fn to_py_result<T>(py: Python<'_>, result: Result<T>) -> PyResult<T> {
    if fastnp::has_fp_reports() {
        report(py)?;
    }
    result.map_err(|e| to_py_err(py, e))
}

/// A Python exception of NumPy's type with NumPy's text.
#[cold]
pub(crate) fn to_py_err(py: Python<'_>, error: Error) -> PyErr {
    let text = error.message().to_owned();
    match error.kind() {
        ErrorKind::Value => PyValueError::new_err(text),
        ErrorKind::Type => PyTypeError::new_err(text),
        ErrorKind::Index => PyIndexError::new_err(text),
        ErrorKind::Overflow => PyOverflowError::new_err(text),
        ErrorKind::Memory => PyMemoryError::new_err(text),
        ErrorKind::Buffer => PyBufferError::new_err(text),
        ErrorKind::Device => PyRuntimeError::new_err(text),
        ErrorKind::Internal => PySystemError::new_err(text),
        // The signal is still pending in Python, whose handler raises the exception.
        ErrorKind::Interrupted => py.check_signals().err().unwrap_or_else(|| PyKeyboardInterrupt::new_err(text)),
        ErrorKind::Unsupported => PyNotImplementedError::new_err(text),
        ErrorKind::Axis => {
            let made = py.import("numpy.exceptions").and_then(|m| m.getattr("AxisError")?.call1((text.clone(),)));
            match made {
                Ok(exception) => PyErr::from_value(exception),
                Err(error) => error,
            }
        }
    }
}
