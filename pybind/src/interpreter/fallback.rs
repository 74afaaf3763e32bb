//! The fallback to NumPy for what is not native: `fastnp._fallback.call` in Python calls NumPy and keeps the ledger of fallbacks.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};

/// A function of `fastnp._fallback.call`.
pub(crate) fn fallback<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("fastnp._fallback.call")?.unbind()))?.bind(py).getattr(name)
}

/// Calls NumPy's function of a name, through the fallback.
pub(crate) fn numpy<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("numpy")?.getattr(name)?;
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    // With `like=` another class makes the array, so the call counts as a fallback.
    let run = if kwargs.contains("like")? { "call" } else { "uncounted" };
    fallback(py, run)?.call1((function, args, kwargs))
}
