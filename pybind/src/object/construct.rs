//! New array objects: of new arrays, of selections, and views of other array objects.

use crate::object::ndarray::{NdArray, root};
use crate::object::payload::{Contents, Open, Repr};
use fastnp::Array;
use pyo3::prelude::*;

/// A new object of a new array, or of other contents.
#[inline(always)]
pub(crate) fn object(py: Python<'_>, contents: impl Into<Contents>) -> PyResult<Bound<'_, PyAny>> {
    Ok(crate::object::object_pool::born(py, contents)?.into_any())
}

/// A view that `lay` makes of a view of no elements of an array; or what `lay` says is wrong.
#[inline(always)]
pub(crate) fn view_laid<'py>(
    this: &Bound<'py, NdArray>,
    me: &Contents,
    array: &Array,
    lay: impl FnOnce(&mut Array) -> fastnp::Result<()>,
) -> PyResult<fastnp::Result<Bound<'py, PyAny>>> {
    let nothing = Contents { repr: Repr::Dense(array.view_of_nothing()), base: Some(root(this, me)) };
    crate::object::object_pool::laid(this.py(), nothing, lay)
}

/// A view of an array, that knows whose memory it is.
#[inline]
pub(crate) fn view_of<'py>(this: &Bound<'py, NdArray>, view: Array) -> PyResult<Bound<'py, PyAny>> {
    view_in(this, &this.open(), view)
}

/// [`view_of`] for a caller that has the array object open already.
#[inline(always)]
pub(crate) fn view_in<'py>(this: &Bound<'py, NdArray>, me: &Contents, view: Array) -> PyResult<Bound<'py, PyAny>> {
    object(this.py(), Contents { repr: Repr::Dense(view), base: Some(root(this, me)) })
}
