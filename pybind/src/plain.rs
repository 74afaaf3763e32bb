//! Arrays as Python's own numbers and lists of them. What has no such number, and the words for it, are NumPy's.

use crate::contents::Open;
use crate::deliver;
use crate::dtype::to_python;
use crate::foreign::numpy_of;
use crate::ndarray::NdArray;
use fastnp::{Array, DType, Scalar};
use pyo3::ffi;
use pyo3::prelude::*;

type Object<'py> = Bound<'py, PyAny>;

/// `array.tolist()`.
pub(crate) fn listed<'py>(py: Python<'py>, array: &Array) -> PyResult<Object<'py>> {
    let start = deliver(py, array.address())?;
    // SAFETY: the array's memory is settled, and stays while the array is borrowed.
    unsafe { nested(py, start, array.shape(), array.strides(), array.dtype()) }
}

/// The elements from an address on as lists in lists.
///
/// # Safety
/// There are elements of the type at all places that the extents and strides name.
unsafe fn nested<'py>(
    py: Python<'py>,
    start: *const u8,
    shape: &[usize],
    strides: &[isize],
    dtype: DType,
) -> PyResult<Object<'py>> {
    let (&[n, ref shape @ ..], &[stride, ref strides @ ..]) = (shape, strides) else {
        // SAFETY: the caller's contract.
        return unsafe { number(py, start, dtype) };
    };
    // SAFETY: a new list; what is in it so far goes with it where an item cannot be made.
    let list = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyList_New(n as isize))? };
    for i in 0..n {
        let at = start.wrapping_offset(i as isize * stride);
        // SAFETY: the caller's contract; the list is new and has room for so many items, each of which it takes over.
        unsafe {
            let item = if shape.is_empty() { number(py, at, dtype)? } else { nested(py, at, shape, strides, dtype)? };
            ffi::PyList_SetItem(list.as_ptr(), i as isize, item.into_ptr());
        }
    }
    Ok(list)
}

/// The number at an address.
///
/// # Safety
/// There is an element of the type.
#[inline]
unsafe fn number(py: Python<'_>, at: *const u8, dtype: DType) -> PyResult<Object<'_>> {
    // SAFETY: the caller's contract; the bytes are initialised, as all memory of arrays is, and need not be aligned.
    unsafe {
        match dtype {
            DType::F64 => Bound::from_owned_ptr_or_err(py, ffi::PyFloat_FromDouble(at.cast::<f64>().read_unaligned())),
            DType::I64 => Bound::from_owned_ptr_or_err(py, ffi::PyLong_FromLongLong(at.cast::<i64>().read_unaligned())),
            _ => {
                let mut bytes = [0u8; 16];
                std::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), dtype.size());
                to_python(py, Scalar::from_bits(dtype, u128::from_le_bytes(bytes)))
            }
        }
    }
}

/// What one of Python's conversions makes of the number of an array without axes; of any other array, what NumPy's method does.
fn converted<'py>(
    this: &Bound<'py, NdArray>,
    (method, takes): (&str, fn(DType) -> bool),
    convert: unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject,
) -> PyResult<Object<'py>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    if array.ndim() == 0 && takes(array.dtype()) {
        let number = to_python(py, deliver(py, array.item())?)?;
        // SAFETY: a live object, and the GIL is held.
        return unsafe { Bound::from_owned_ptr_or_err(py, convert(number.as_ptr())) };
    }
    numpy_of(this)?.call_method0(method)
}

#[pymethods]
impl NdArray {
    fn tolist<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        listed(this.py(), this.open().array(this.py())?)
    }

    fn __float__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        converted(this, ("__float__", |dtype| !dtype.is_complex()), ffi::PyNumber_Float)
    }

    fn __int__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        converted(this, ("__int__", |dtype| !dtype.is_complex()), ffi::PyNumber_Long)
    }

    fn __complex__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        numpy_of(this)?.call_method0("__complex__")
    }

    fn __index__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        converted(this, ("__index__", DType::is_integer), ffi::PyNumber_Index)
    }
}
