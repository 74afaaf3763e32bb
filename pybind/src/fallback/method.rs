//! NumPy's own method on an array object, for arguments that are not native and for NumPy's error messages.

use crate::fallback::function::joined;
use crate::fallback::run::Call;
use crate::interpreter::dtype;
use crate::interpreter::fallback::{NOT_COVERED, fallback};
use crate::object::ndarray::NdArray;
use fastnp::ErrorKind;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyEllipsis, PyInt, PyList, PySlice, PyString, PyTuple};

/// Calls NumPy's method of this name on this array, counted as a fallback.
pub(crate) fn numpy_method<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    numpy_method_after(this, name, args, kwargs, ErrorKind::Unsupported)
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
        kind => numpy_method_after(this, name, args, kwargs, kind),
    }
}

/// Calls NumPy's method for the reason `why`. It is counted where the arguments are not native, and not where they are wrong.
///
/// No frame of Python's is between NumPy and the caller as a rule, so that warnings and errors have the caller's line.
#[cold]
pub(crate) fn numpy_method_after<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    why: ErrorKind,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    let is_counted = why == ErrorKind::Unsupported;
    let is_by_keyword = is_indexed(name) && args.is_empty();
    if !is_by_keyword {
        let args = if is_indexed(name) { &with_private_index(args)? } else { args };
        let function = dtype::types(py)?.array.bind(py).getattr(name)?;
        let (arguments, names) = joined(std::iter::once(this.clone().into_any()).chain(args.iter()), kwargs)?;
        let label = PyString::new(py, &format!("ndarray.{name}"));
        let entry = is_counted.then_some((&label, intern!(py, NOT_COVERED)));
        if let Some(result) = Call::new(&function, entry).run(&arguments, names.as_ref())? {
            return Ok(result);
        }
    }
    let general = if is_counted { "method" } else { "method_uncounted" };
    fallback(py, general)?.call1((this, name, args, kwargs))
}

/// Whether the first argument of a method is an index, the arrays in which NumPy gets copies of.
fn is_indexed(name: &str) -> bool {
    matches!(name, "__getitem__" | "__setitem__" | "take" | "put")
}

/// The arguments with a copy of the index in the first one.
fn with_private_index<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyTuple>> {
    let (py, index) = (args.py(), args.get_item(0)?);
    if is_basic(&index) {
        return Ok(args.clone());
    }
    let private = fallback(py, "private_index")?.call1((index,))?;
    let arguments: Vec<_> = std::iter::once(private).chain(args.iter().skip(1)).collect();
    PyTuple::new(py, arguments)
}

/// Whether an index has no arrays. NumPy makes an array of its own of a list.
fn is_basic(index: &Bound<'_, PyAny>) -> bool {
    match index.cast_exact::<PyTuple>() {
        Ok(parts) => parts.iter_borrowed().all(|part| is_basic_part(&part)),
        Err(_) => is_basic_part(index),
    }
}

fn is_basic_part(part: &Bound<'_, PyAny>) -> bool {
    part.is_none()
        || part.is_exact_instance_of::<PyInt>()
        || part.is_exact_instance_of::<PySlice>()
        || part.is_exact_instance_of::<PyEllipsis>()
        || part.is_exact_instance_of::<PyList>()
}
