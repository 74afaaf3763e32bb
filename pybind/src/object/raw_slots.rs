//! Slots and methods of the array class that Python calls directly, without PyO3's wrappers.
//!
//! PyO3 wraps a method in three functions: they count attached threads, check the type of `self`, which is known in a slot, and catch
//! panics. Together they take 170 of the 885 instructions of `a[3]`. Here only panics are caught.

use crate::interpreter::raw_call::object_at;
use crate::object::ndarray::NdArray;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::impl_::pymethods::{PyMethodDef, PyMethodDefType};
use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};
use std::ffi::CStr;

/// The `self` of a slot of the array class.
///
/// # Safety
/// As [`object_at`], and the object is an `NdArray`.
#[inline(always)]
pub(crate) unsafe fn array_at<'a, 'py>(py: Python<'py>, object: *mut ffi::PyObject) -> Borrowed<'a, 'py, NdArray> {
    // SAFETY: the caller's contract.
    unsafe { object_at(py, object).cast_unchecked() }
}

type Inventory = <NdArray as PyClassImpl>::Inventory;

/// Methods and slots to submit to the array class, as `#[pymethods]` submits its own.
pub(crate) const fn of_array(methods: &'static [PyMethodDefType], slots: &'static [ffi::PyType_Slot]) -> Inventory {
    Inventory::new(PyClassItems { methods, slots })
}

/// The C function for a method of the array class: a body that takes the array, then [`crate::interpreter::fastcall::Arguments`].
macro_rules! method_entry {
    ($body:expr) => {{
        unsafe extern "C" fn entry(
            this: *mut pyo3::ffi::PyObject,
            args: *const *mut pyo3::ffi::PyObject,
            count: pyo3::ffi::Py_ssize_t,
            names: *mut pyo3::ffi::PyObject,
        ) -> *mut pyo3::ffi::PyObject {
            // SAFETY: Python calls a method by the convention that its definition names, with an object of the class.
            unsafe {
                crate::interpreter::fastcall::called(args, count, names, |call| {
                    $body(&crate::object::raw_slots::array_at(call.py(), this), call)
                })
            }
        }
        entry as pyo3::ffi::PyCFunctionFastWithKeywords
    }};
}
pub(crate) use method_entry;

/// A method of the array class. Its documentation and signature are set later, to NumPy's.
pub(crate) const fn method(name: &'static CStr, called: ffi::PyCFunctionFastWithKeywords) -> PyMethodDefType {
    PyMethodDefType::Method(PyMethodDef::fastcall_cfunction_with_keywords(name, called, c""))
}
