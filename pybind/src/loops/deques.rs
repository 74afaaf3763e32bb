//! Deques, which lie in the memory of a compiled loop as lists do.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};

/// The class of deques.
pub(crate) fn deque<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyType>> {
    static DEQUE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DEQUE.import(py, "collections", "deque")
}

/// The items of a deque without a greatest length; none of another object.
pub(crate) fn items_of_deque<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyList>>> {
    let py = object.py();
    if !object.is_exact_instance(deque(py)?) || !object.getattr(intern!(py, "maxlen"))?.is_none() {
        return Ok(None);
    }
    Ok(Some(object.try_iter()?.collect::<PyResult<Vec<_>>>().and_then(|items| PyList::new(py, items))?))
}
