//! The class of array objects. Its methods are in `class`, `call` and `index`.

use crate::object::header::{Header, NumpyArray};
use crate::object::payload::{Payload, PayloadCell, Repr};
use pyo3::prelude::*;

/// An n-dimensional array whose elements are computed when they are needed.
///
/// Python sees a sequence, as NumPy's arrays are. PyO3 is told that it is a mapping, because then the sequence slots are free for our
/// own: PyO3's convert every index to an int object and back.
///
/// The interpreter and compiled code name the class in their texts by the name given here, so it is NumPy's; `install` in
/// `_array/methods.py` sets `__module__`, by which Python finds the class.
#[pyclass(name = "ndarray", module = "numpy", frozen, mapping, extends = NumpyArray)]
pub(crate) struct NdArray {
    pub(crate) payload: PayloadCell,
}

impl<T: Into<Payload>> From<T> for NdArray {
    #[inline(always)]
    fn from(payload: T) -> NdArray {
        NdArray { payload: PayloadCell::new(payload.into()) }
    }
}

/// Replaces the elements of an array object.
///
/// # Errors
/// `RuntimeError` while the payload has readers ([`PayloadCell::replace`]); `MemoryError`.
pub(crate) fn replace(this: &Bound<'_, NdArray>, repr: Repr) -> PyResult<()> {
    let py = this.py();
    // SAFETY: an object of the class.
    if unsafe { Header::has_given_buffers(this.as_ptr()) }
        && let Repr::Dense(before) = &this.get().payload.open(py).repr
    {
        // A buffer of the old memory may be in use, as releases are not reported. So the old memory is never freed.
        std::mem::forget(before.clone());
    }
    this.get().payload.replace(py, repr)?;
    let me = this.get().payload.open(py);
    // SAFETY: the object is alive, and nothing else refers to its header now.
    unsafe { Header::rewrite(py, this.as_ptr(), me.array(py)?) }
}

/// The base that a view of `this` gets: the array that owns the memory.
#[inline]
pub(crate) fn root(this: &Bound<'_, NdArray>, me: &Payload) -> Py<NdArray> {
    match &me.base {
        Some(base) => base.clone_ref(this.py()),
        None => this.clone().unbind(),
    }
}
