//! NumPy's protocols: `__array__`, NEP 13 and NEP 18, the buffer protocol, pickling.

use crate::interop::numpy_memory::numpy_of;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::Arguments;
use crate::interpreter::raw_call::call_python;
use crate::object::header::NumpyArray;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::object::raw_slots::{array_at, method, method_entry, of_array};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use std::ffi::{c_int, c_void};

/// `__array_ufunc__`.
fn array_ufunc<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    // `scalar * array` with a NumPy scalar calls this, so it must be as fast as NumPy's own path.
    if call.named().next().is_none()
        && let Some(result) = crate::call::ufunc::called_by_numpy(call.py(), call.positions())?
    {
        return Ok(result);
    }
    let [ufunc, method, inputs @ ..] = call.positions() else {
        return Err(PyTypeError::new_err("__array_ufunc__ requires at least 4 arguments"));
    };
    let py = call.py();
    if let Some(result) = crate::fallback::ufunc::called_by_numpy(ufunc, method, call.after(2), call.names())? {
        return Ok(result);
    }
    let inputs = PyTuple::new(py, inputs)?;
    py.import("fastnp._array.protocols")?.getattr("array_ufunc")?.call1((this, ufunc, method, inputs, call.dict()?))
}

pyo3::inventory::submit! {
    of_array(
        &[method(c"__array_ufunc__", method_entry!(array_ufunc))],
        &[ffi::PyType_Slot { slot: ffi::Py_bf_getbuffer, pfunc: getbuffer as *mut c_void }],
    )
}

#[pymethods]
impl NdArray {
    #[pyo3(
        signature = (dtype=None, *, copy=None),
        text_signature = "($self, dtype=None, /, *, copy=None)"
    )]
    fn __array__<'py>(
        this: &Bound<'py, Self>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        if copy == Some(false) && this.open().array(py)?.is_exported_on_device() {
            return Err(PyValueError::new_err("Unable to avoid copy while creating an array as requested."));
        }
        let view = numpy_of(this)?;
        let kwargs = PyDict::new(py);
        kwargs.set_item("copy", copy)?;
        match dtype.filter(|d| !d.is_none()) {
            None if copy != Some(true) => Ok(view),
            None => view.call_method0("copy"),
            Some(dtype) => py.import("numpy")?.getattr("array")?.call((view, dtype), Some(&kwargs)),
        }
    }

    fn __array_function__<'py>(
        this: &Bound<'py, Self>,
        func: &Bound<'py, PyAny>,
        types: &Bound<'py, PyAny>,
        args: &Bound<'py, PyAny>,
        kwargs: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(result) = crate::fallback::dispatched::called_by_numpy(func, types, args, kwargs)? {
            return Ok(result);
        }
        this.py().import("fastnp._array.protocols")?.getattr("array_function")?.call1((func, types, args, kwargs))
    }

    #[pyo3(text_signature = "($self, protocol, /)")]
    fn __reduce_ex__<'py>(this: &Bound<'py, Self>, protocol: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        this.py().import("fastnp._pickle")?.getattr("reduce")?.call1((this, protocol))
    }
}

/// The slot `bf_getbuffer`.
unsafe extern "C" fn getbuffer(this: *mut ffi::PyObject, view: *mut ffi::Py_buffer, flags: c_int) -> c_int {
    // SAFETY: Python calls it with an object of the class, the structure to fill, or null, and the GIL held.
    unsafe {
        call_python(-1, |py| {
            if view.is_null() {
                return Err(PyBufferError::new_err("the view is null"));
            }
            // What is not filled has no owner.
            (*view).obj = std::ptr::null_mut();
            fill_buffer(&array_at(py, this), view, flags)
        })
    }
}

/// Fills the structure of the buffer protocol; -1 with an exception set if NumPy does so.
///
/// # Safety
/// `view` is such a structure.
unsafe fn fill_buffer(this: &Bound<'_, NdArray>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<c_int> {
    let py = this.py();
    // `x.__buffer__(flags)` of Python 3.12 passes on any flags: these two mean a simple buffer to NumPy and an error to Python.
    let flags = if matches!(flags, ffi::PyBUF_READ | ffi::PyBUF_WRITE) { ffi::PyBUF_SIMPLE } else { flags };
    let me = this.open();
    let array = me.array(py)?;
    // The class has no slot `bf_releasebuffer`, as NumPy's has none: `PyArg_ParseTuple` refuses a type with that slot for `y#`. So it is
    // not known when a buffer is released, and the storage stays open.
    array.stay_open();
    if array.is_exported_on_device() {
        let array = numpy_of(this)?;
        // SAFETY: NumPy fills the structure for its own array, whose base keeps the memory alive; that array is the owner.
        return Ok(unsafe { ffi::PyObject_GetBuffer(array.as_ptr(), view, flags) });
    }
    to_py_result(py, array.expose())?;
    // SAFETY: the object begins with NumPy's header, whose memory is evaluated and stays where it is while the object lives, which is
    // the owner.
    Ok(unsafe { numpys_getbuffer(py)(this.as_ptr(), view, flags) })
}

/// The slot `bf_getbuffer` of NumPy's class.
fn numpys_getbuffer(py: Python<'_>) -> ffi::getbufferproc {
    static SLOT: PyOnceLock<ffi::getbufferproc> = PyOnceLock::new();
    // SAFETY: NumPy's class has the slot.
    *SLOT.get_or_init(py, || unsafe {
        let slot = ffi::PyType_GetSlot(NumpyArray::type_object_raw(py), ffi::Py_bf_getbuffer);
        std::mem::transmute::<*mut c_void, ffi::getbufferproc>(slot)
    })
}
