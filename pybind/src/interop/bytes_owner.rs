//! `bytes` as the owner of an array's memory.

use fastnp::Owner;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::any::Any;

/// `bytes` that an array was made on.
pub(crate) struct BytesOwner(Py<PyBytes>);

impl BytesOwner {
    pub(crate) fn new(bytes: &Bound<'_, PyBytes>) -> BytesOwner {
        BytesOwner(bytes.clone().unbind())
    }

    /// The object.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.bind(py).clone().into_any()
    }
}

impl Owner for BytesOwner {
    fn is_shared(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
