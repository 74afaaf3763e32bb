//! The boundary of functions that Python calls through a C pointer: exceptions and panics become Python's.

use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `body` gives a slot, or `failed` where it has set an exception instead.
///
/// # Safety
/// The GIL is held.
#[inline(always)]
pub(crate) unsafe fn call_python<'py, T>(failed: T, body: impl FnOnce(Python<'py>) -> PyResult<T>) -> T {
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
