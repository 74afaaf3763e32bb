//! The array class: its state, its operators, iteration and conversion to Python's own types.

use crate::object::payload::{Payload, PayloadCell};
use pyo3::prelude::*;

/// An n-dimensional array whose elements are computed when somebody needs them.
///
/// A sequence to Python, as NumPy's. To PyO3 it is a mapping, for which it leaves a sequence's slots to us: its own makes an int of
/// every position, to read it again.
#[pyclass(name = "ndarray", module = "fastnp", frozen, weakref, mapping)]
pub(crate) struct NdArray {
    pub(crate) payload: PayloadCell,
}

impl<T: Into<Payload>> From<T> for NdArray {
    #[inline(always)]
    fn from(payload: T) -> NdArray {
        NdArray { payload: PayloadCell::new(payload.into()) }
    }
}

/// The array that a view of `this` names as its base: the one that owns the memory.
#[inline]
pub(crate) fn root(this: &Bound<'_, NdArray>, me: &Payload) -> Py<NdArray> {
    match &me.base {
        Some(base) => base.clone_ref(this.py()),
        None => this.clone().unbind(),
    }
}
