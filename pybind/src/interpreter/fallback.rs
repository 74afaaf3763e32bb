//! The fallback to NumPy for what is not native: `fastnp._fallback.call` in Python calls NumPy and keeps the ledger of fallbacks.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The reason in the ledger for a function without a native version.
pub(crate) const NOT_NATIVE: &str = "not native";
/// The reason for one whose native version does not take the arguments.
pub(crate) const NOT_COVERED: &str = "these arguments are not native";

/// A function of `fastnp._fallback.call`.
pub(crate) fn fallback<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    MODULE.get_or_try_init(py, || Ok::<_, PyErr>(py.import("fastnp._fallback.call")?.unbind()))?.bind(py).getattr(name)
}
