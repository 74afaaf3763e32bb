//! The entry of a ufunc of NumPy's class, replaced for calls with arrays of ours.
//!
//! NumPy finds at each call that an argument has an `__array_ufunc__`, and calls that with a tuple and a dictionary: 1,900 of the 7,700 instructions
//! of `special.expit(a)` on ten elements. A ufunc object holds the address of the function that Python calls it by (vectorcall, PEP 590). After
//! the first call that NumPy hands on, the address is that of a function of ours: [`call`] for other libraries' ufuncs, one of `call::ufunc` for
//! those with a version here. [`call`] runs calls whose positional arguments are arrays of ours and numbers, and hands all others to NumPy's
//! function, with an array of ours among other operands too.

use crate::fallback::ufunc::run_foreign;
use crate::fallback::value_types::{ValueType, value_type};
use crate::interpreter::raw_call::{call_python, object_at};
use crate::interpreter::vectorcall::{ARGUMENTS_OFFSET, Vectorcall};
use numpy::npyffi::PyUFuncObject;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

/// NumPy's function for calls of a ufunc, which is one for all. Null before the first ufunc is seen. Accessed with the GIL held.
static NUMPYS: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// Has calls of a ufunc of NumPy's class come to a function first, which may hand them to NumPy's ([`by_numpy`]).
///
/// # Safety
/// The object is of exactly that class, and lives as long as the process.
pub(crate) unsafe fn replace_entry(ufunc: &Bound<'_, PyAny>, first: Vectorcall) {
    // SAFETY: the caller's contract; the field is written with the GIL held, as it is read. What is put there calls what stood there.
    unsafe {
        let entry = &mut (*ufunc.as_ptr().cast::<PyUFuncObject>()).fields.vectorcall;
        let known = NUMPYS.load(Ordering::Relaxed);
        if known.is_null() {
            NUMPYS.store(*entry, Ordering::Relaxed);
        }
        // Where another library has replaced the function, it stays.
        if !entry.is_null() && (known.is_null() || known == *entry) {
            *entry = first as *mut c_void;
        }
    }
}

/// NumPy's function for calls of a ufunc.
///
/// # Safety
/// The entry of a ufunc was replaced.
#[inline]
pub(crate) unsafe fn by_numpy() -> Vectorcall {
    // SAFETY: the caller's contract; this is what stood there.
    unsafe { transmute::<*mut c_void, Vectorcall>(NUMPYS.load(Ordering::Relaxed)) }
}

/// A call of another library's ufunc.
pub(crate) unsafe extern "C" fn call(
    ufunc: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it by the protocol, with the GIL held: so many arguments, which live until this returns. NumPy's is such a function.
    unsafe {
        let numpys = by_numpy();
        let py = Python::assume_attached();
        let arguments = match flags & !ARGUMENTS_OFFSET {
            0 => &[],
            count => std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), count),
        };
        let of = |wanted| arguments.iter().any(|value| value_type(value) == wanted);
        if !names.is_null() || !of(ValueType::Ours) || of(ValueType::Other) || of(ValueType::Numpys) {
            return numpys(ufunc, args, flags, names);
        }
        let found =
            call_python(Err(()), |_| Ok(Ok(run_foreign(&object_at(py, ufunc), arguments)?.map(Bound::into_ptr))));
        match found {
            Ok(Some(result)) => result,
            Ok(None) => numpys(ufunc, args, flags, names),
            Err(()) => std::ptr::null_mut(),
        }
    }
}
