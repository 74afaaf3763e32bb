//! NumPy's functions by name, for native functions whose arguments are left to NumPy.

use crate::fallback::function::run_in_python;
use crate::fallback::run::Call;
use crate::interpreter::fallback::NOT_COVERED;
use crate::interpreter::fastcall::Arguments;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};

/// NumPy's function of a name.
pub(crate) fn function<'py>(py: Python<'py>, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let numpy = NUMPY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("numpy")?.into_any().unbind()))?;
    numpy.bind(py).getattr(name)
}

/// Calls NumPy's function of a name with these arguments.
pub(crate) fn numpy<'py>(call: Arguments<'_, 'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let (py, names) = (call.py(), call.names());
    let name = PyString::new(py, name);
    let function = function(py, &name)?;
    // With `like=` another class makes the array, so the call counts as a fallback.
    let is_like = names.is_some_and(|names| names.contains(intern!(py, "like")).unwrap_or(true));
    let entry = is_like.then(|| (&name, intern!(py, NOT_COVERED)));
    if !is_like
        && let Some(result) = (Call { function: &function, entry, is_ufunc: false }).run(call.after(0), names)?
    {
        return Ok(result);
    }
    run_in_python(&function, call.tuple()?.as_any(), &call.dict()?, entry)
}

/// [`numpy`], entered in the ledger of fallbacks.
pub(crate) fn numpy_counted<'py>(call: Arguments<'_, 'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let (py, names) = (call.py(), call.names());
    let name = PyString::new(py, name);
    let function = function(py, &name)?;
    let entry = Some((&name, intern!(py, NOT_COVERED)));
    if let Some(result) = (Call { function: &function, entry, is_ufunc: false }).run(call.after(0), names)? {
        return Ok(result);
    }
    run_in_python(&function, call.tuple()?.as_any(), &call.dict()?, entry)
}

/// Calls NumPy's function of a name with positional arguments, and others for the names.
pub(crate) fn numpy_with<'py>(
    py: Python<'py>,
    name: &str,
    args: &[Bound<'py, PyAny>],
    kwargs: Option<&Bound<'py, PyDict>>,
    is_counted: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let name = PyString::new(py, name);
    let function = function(py, &name)?;
    let entry = is_counted.then(|| (&name, intern!(py, NOT_COVERED)));
    if kwargs.is_none_or(|kwargs| kwargs.is_empty())
        && let Some(result) = (Call { function: &function, entry, is_ufunc: false }).run(args, None)?
    {
        return Ok(result);
    }
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    run_in_python(&function, PyTuple::new(py, args)?.as_any(), &kwargs, entry)
}
