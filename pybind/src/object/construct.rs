//! New array objects: of new arrays, of selections, and views of other array objects.

use crate::object::ndarray::{NdArray, root};
use crate::object::payload::{Open, Payload, Repr};
use fastnp::Array;
use pyo3::prelude::*;

/// A new array object with an array or another payload.
#[inline(always)]
pub(crate) fn new_object(py: Python<'_>, payload: impl Into<Payload>) -> PyResult<Bound<'_, PyAny>> {
    Ok(crate::object::object_pool::allocate(py, payload)?.into_any())
}

/// A new view of `this`: `build` turns an empty view into it, in its final place. The inner error is that of `build`.
#[inline(always)]
pub(crate) fn new_view_with<'py>(
    this: &Bound<'py, NdArray>,
    me: &Payload,
    array: &Array,
    build: impl FnOnce(&mut Array) -> fastnp::Result<()>,
) -> PyResult<fastnp::Result<Bound<'py, PyAny>>> {
    let empty_view = Payload { repr: Repr::Dense(array.empty_view()), base: Some(root(this, me)) };
    crate::object::object_pool::allocate_view(this.py(), empty_view, build)
}

/// A new array object with a view of `this`, whose base is set.
#[inline]
pub(crate) fn view_of<'py>(this: &Bound<'py, NdArray>, view: Array) -> PyResult<Bound<'py, PyAny>> {
    view_of_open(this, &this.open(), view)
}

/// [`view_of`] for a caller that has the payload open already.
#[inline(always)]
pub(crate) fn view_of_open<'py>(this: &Bound<'py, NdArray>, me: &Payload, view: Array) -> PyResult<Bound<'py, PyAny>> {
    new_object(this.py(), Payload { repr: Repr::Dense(view), base: Some(root(this, me)) })
}
