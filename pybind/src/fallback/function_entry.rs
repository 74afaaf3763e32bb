//! The entry of a function of NumPy's that dispatches to other classes (NEP 18), replaced for calls with an array of ours.
//!
//! NumPy calls a function in Python for the arguments that count, looks for the `__array_function__` of each, and calls that with their classes,
//! a tuple and a dictionary: 500 ns of the 600 of `numpy.ndim(a)`, as other libraries call it. An object of NumPy's class of such functions holds
//! the address of the function that Python calls it by (vectorcall, PEP 590). After the first call that NumPy hands on with an array of ours as
//! its first argument, the address is that of [`call`]. It runs calls whose first argument is an array of ours, and whose others take no part in
//! the dispatch, or are arrays of NumPy's class or ours; it hands all others to NumPy's function.

use crate::fallback::dispatched::run_by_entry;
use crate::fallback::run::is_all_plain;
use crate::fallback::value_types::{ValueType, value_type};
use crate::interpreter::raw_call::{call_python, object_at};
use crate::interpreter::vectorcall::{ARGUMENTS_OFFSET, Vectorcall};
use crate::object::ndarray::NdArray;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::PyTuple;
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

unsafe extern "C" {
    // Part of the stable ABI from 3.12 on, and exported as declared since 3.9.
    fn PyVectorcall_Function(callable: *mut ffi::PyObject) -> *mut c_void;
}

/// NumPy's function for calls, which is one for all. Null before the first entry is replaced. Accessed with the GIL held.
static NUMPYS: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The first fields of NumPy's object, which it does not publish.
#[repr(C)]
struct DispatcherObject {
    object: ffi::PyObject,
    entry: *mut c_void,
}

/// Whether a value of a call takes no part in the dispatch, or leaves it to the array of ours before it.
#[inline]
fn leaves_dispatch(value: &Bound<'_, PyAny>) -> bool {
    match value_type(value) {
        ValueType::Plain | ValueType::Numpys | ValueType::Ours => true,
        ValueType::Sequence => is_all_plain(value),
        ValueType::Other => false,
    }
}

/// Has calls of a function of NumPy's come to [`call`] first, if it was called with an array of ours as its first argument. (That is one that takes
/// part in the dispatch: functions where it does not take a function, a file or a text there.)
///
/// # Safety
/// The object is of NumPy's class of functions that dispatch, and lives as long as the process.
pub(crate) unsafe fn replace_entry(function: &Bound<'_, PyAny>, arguments: &[Bound<'_, PyAny>]) {
    if !arguments.first().is_some_and(|first| value_type(first) == ValueType::Ours) {
        return;
    }
    // SAFETY: the caller's contract; an object of a class with the protocol is larger than that. The field is taken for the entry only if it holds
    // what Python says, and is written with the GIL held, as it is read. What is put there calls what stood there.
    unsafe {
        let entry = &mut (*function.as_ptr().cast::<DispatcherObject>()).entry;
        let known = NUMPYS.load(Ordering::Relaxed);
        if entry.is_null() || *entry != PyVectorcall_Function(function.as_ptr()) {
            return;
        }
        if known.is_null() {
            NUMPYS.store(*entry, Ordering::Relaxed);
        }
        // Where another library has replaced the function, it stays.
        if known.is_null() || known == *entry {
            *entry = call as *mut c_void;
        }
    }
}

/// A call of such a function.
unsafe extern "C" fn call(
    function: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    flags: usize,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it by the protocol, with the GIL held: the positional arguments, then one for each of the names, all of which live until
    // this returns. NumPy's is such a function.
    unsafe {
        let numpys = transmute::<*mut c_void, Vectorcall>(NUMPYS.load(Ordering::Relaxed));
        let py = Python::assume_attached();
        let positions = flags & !ARGUMENTS_OFFSET;
        if positions == 0 || ffi::Py_TYPE(*args) != NdArray::type_object_raw(py) {
            return numpys(function, args, flags, names);
        }
        let found = call_python(Err(()), |py| {
            let names = (!names.is_null()).then(|| object_at(py, names).cast_unchecked::<PyTuple>().to_owned());
            let count = positions + names.as_ref().map_or(0, |names| names.len());
            let arguments = std::slice::from_raw_parts(args.cast::<Bound<'_, PyAny>>(), count);
            if !arguments[1..].iter().all(leaves_dispatch) {
                return Ok(Ok(None));
            }
            Ok(Ok(run_by_entry(&object_at(py, function), arguments, names.as_ref())?.map(Bound::into_ptr)))
        });
        match found {
            Ok(Some(result)) => result,
            Ok(None) => numpys(function, args, flags, names),
            Err(()) => std::ptr::null_mut(),
        }
    }
}
