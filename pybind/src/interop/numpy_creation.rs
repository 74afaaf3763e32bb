//! Arrays of types that are NumPy's alone (objects, records), made by the functions of NumPy's C API: NumPy's functions in Python parse their
//! arguments again, which have been read, 400 of the 2,700 instructions of `numpy.empty(10, object)`.

use fastnp::MAX_DIMS;
use numpy::npyffi::{
    NPY_ARRAY_ENSUREARRAY, NPY_ARRAY_ENSURECOPY, NPY_ARRAY_FORCECAST, NPY_TYPES, PY_ARRAY_API, PyArray_Descr,
};
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use smallvec::SmallVec;
use std::ffi::c_int;

/// The `numpy.dtype` that a `dtype=` argument stands for: a reference that the caller owns.
fn descriptor_of(dtype: &Bound<'_, PyAny>) -> PyResult<*mut PyArray_Descr> {
    let (py, mut found) = (dtype.py(), std::ptr::null_mut());
    // SAFETY: the object is alive; the place is written before the call returns, if it succeeds.
    unsafe {
        if dtype.as_ptr() == PyAny::type_object_raw(py).cast() {
            found = PY_ARRAY_API.PyArray_DescrFromType(py, NPY_TYPES::NPY_OBJECT as c_int);
        } else {
            PY_ARRAY_API.PyArray_DescrConverter(py, dtype.as_ptr(), &mut found);
        }
    }
    if found.is_null() { Err(PyErr::fetch(py)) } else { Ok(found) }
}

/// `numpy.empty(shape, dtype)`, or `numpy.zeros` if it is `zeroed`; `None` for a shape whose error NumPy's function words.
pub(crate) fn new_array<'py>(
    shape: &[usize],
    dtype: &Bound<'py, PyAny>,
    zeroed: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = dtype.py();
    let extents: Option<SmallVec<[isize; 4]>> = shape.iter().map(|&n| isize::try_from(n).ok()).collect();
    let Some(mut extents) = extents.filter(|extents| extents.len() <= MAX_DIMS) else { return Ok(None) };
    let descriptor = descriptor_of(dtype)?;
    let (axes, at) = (extents.len() as c_int, extents.as_mut_ptr());
    // SAFETY: there are so many extents; NumPy takes over the reference to the type, and returns a new one to the array.
    unsafe {
        let made = match zeroed {
            true => PY_ARRAY_API.PyArray_Zeros(py, axes, at, descriptor, 0),
            false => PY_ARRAY_API.PyArray_Empty(py, axes, at, descriptor, 0),
        };
        Bound::from_owned_ptr_or_err(py, made).map(Some)
    }
}

/// `numpy.array(value, dtype)` if it `copies`, else `numpy.asarray(value, dtype)`, of a list or tuple that holds no array of ours.
pub(crate) fn of_sequence<'py>(
    value: &Bound<'py, PyAny>,
    dtype: &Bound<'py, PyAny>,
    copies: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    let copy = if copies { NPY_ARRAY_ENSURECOPY } else { 0 };
    let flags = NPY_ARRAY_ENSUREARRAY | NPY_ARRAY_FORCECAST | copy;
    let descriptor = descriptor_of(dtype)?;
    // SAFETY: the object is alive; NumPy takes over the reference to the type, and returns a new one to the array. Any depth is 0 to 0.
    unsafe {
        let made = PY_ARRAY_API.PyArray_CheckFromAny(py, value.as_ptr(), descriptor, 0, 0, flags, std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(py, made)
    }
}
