//! The boundary of C functions that Python calls: exceptions are set, and panics become exceptions.

use pyo3::panic::PanicException;
use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of `body`, or `failed` after an exception was set.
///
/// # Safety
/// The GIL is held.
#[inline(always)]
pub(crate) unsafe fn call_python<'py, T>(failed: T, body: impl FnOnce(Python<'py>) -> PyResult<T>) -> T {
    // SAFETY: the caller's contract.
    let py = unsafe { Python::assume_attached() };
    // The error is restored inside, so that the closure returns a word and not a word or an error.
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

/// Sets a panic as the exception that PyO3 would raise.
#[cold]
fn raise(py: Python<'_>, panic: &(dyn std::any::Any + Send)) {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    PanicException::new_err((text.unwrap_or("a bug of fastnp").to_owned(),)).restore(py);
}

/// An argument of a C function.
///
/// # Safety
/// The object lives as long as the call, and the GIL is held.
#[inline(always)]
pub(crate) unsafe fn object_at<'a, 'py>(py: Python<'py>, object: *mut ffi::PyObject) -> Borrowed<'a, 'py, PyAny> {
    // SAFETY: the caller's contract.
    unsafe { Borrowed::from_ptr(py, object) }
}

/// A new reference to an object. `Py_INCREF` of PyO3 is a call into the interpreter, 1 ns of the 10 that `a.dtype` takes. Python allows what is done
/// here: it is what `Py_INCREF` of the stable ABI is up to 3.11, compiled into the extensions that were built for that.
///
/// # Safety
/// The object is alive, and the GIL is held.
#[inline(always)]
pub(crate) unsafe fn new_reference(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller's contract. An object begins with its count of references.
    unsafe { *object.cast::<ffi::Py_ssize_t>() += 1 };
    object
}
