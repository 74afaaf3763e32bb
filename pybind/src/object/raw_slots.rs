//! Slots of the array class that Python calls with nothing of PyO3 between: what is asked for so often, and does so little,
//! that the way there counts.
//!
//! PyO3 wraps a method in three functions that count who is attached to the interpreter, check the type of `self`, which a
//! slot of its class knows, and catch panics: 170 of the 885 instructions of `a[3]`. Only the last is done here.

use crate::object::ndarray::NdArray;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::impl_::pymethods::PyMethodDefType;
use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `body` gives a slot, or `failed` where it has set an exception instead.
///
/// # Safety
/// The GIL is held.
#[inline(always)]
pub(crate) unsafe fn answer<'py, T>(failed: T, body: impl FnOnce(Python<'py>) -> PyResult<T>) -> T {
    // SAFETY: the caller's contract.
    let py = unsafe { Python::assume_attached() };
    // Set within, so that what comes out is a word, not a word or an error.
    let found = catch_unwind(AssertUnwindSafe(|| body(py).map_err(|error| error.restore(py)).ok()));
    match found {
        Ok(Some(value)) => value,
        Ok(None) => failed,
        Err(panic) => {
            raise(py, &*panic);
            failed
        }
    }
}

/// A panic as Python's exception, as PyO3 raises it.
#[cold]
fn raise(py: Python<'_>, panic: &(dyn std::any::Any + Send)) {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PanicException::new_err((text.unwrap_or("a bug of fastnp").to_owned(),)).restore(py);
}

/// An argument of a slot.
///
/// # Safety
/// The object lives as long as the slot runs, which holds the GIL.
#[inline(always)]
pub(crate) unsafe fn object_at<'a, 'py>(py: Python<'py>, object: *mut ffi::PyObject) -> Borrowed<'a, 'py, PyAny> {
    // SAFETY: the caller's contract.
    unsafe { Borrowed::from_ptr(py, object) }
}

/// The `self` of a slot of the array class.
///
/// # Safety
/// As [`object_at`], and the object is an array of ours.
#[inline(always)]
pub(crate) unsafe fn array_at<'a, 'py>(py: Python<'py>, object: *mut ffi::PyObject) -> Borrowed<'a, 'py, NdArray> {
    // SAFETY: the caller's contract.
    unsafe { object_at(py, object).cast_unchecked() }
}

type Inventory = <NdArray as PyClassImpl>::Inventory;

/// Methods and slots to be submitted to the array class, as `#[pymethods]` submits its own.
pub(crate) const fn of_array(methods: &'static [PyMethodDefType], slots: &'static [ffi::PyType_Slot]) -> Inventory {
    Inventory::new(PyClassItems { methods, slots })
}
