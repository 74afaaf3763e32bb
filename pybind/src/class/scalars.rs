//! Conversion to Python's numbers and lists: `tolist`, `float`, `int`, `complex`, `operator.index`. Errors are NumPy's.

use crate::interop::numpy_memory::numpy_of;
use crate::interpreter::dtype::to_python;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::new_int;
use crate::interpreter::sequence_items;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, Scalar};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;

type Object<'py> = Bound<'py, PyAny>;

/// `array.tolist()`.
pub(crate) fn to_list<'py>(py: Python<'py>, array: &Array) -> PyResult<Object<'py>> {
    let start = to_py_result(py, array.address())?;
    // SAFETY: the array is evaluated, and its memory stays while the array is borrowed.
    unsafe { nested(py, start, array.shape(), array.strides(), array.dtype()) }
}

/// The elements from an address on as nested lists.
///
/// # Safety
/// Every index of the extents and strides is an element of the type.
unsafe fn nested<'py>(
    py: Python<'py>,
    start: *const u8,
    shape: &[usize],
    strides: &[isize],
    dtype: DType,
) -> PyResult<Object<'py>> {
    // SAFETY: the caller's contract, for each axis and each row.
    unsafe {
        match (shape, strides) {
            (&[n], &[stride]) => row(py, StridedRow { start, n, stride }, dtype),
            (&[n, ref shape @ ..], &[stride, ref strides @ ..]) => list(py, StridedRow { start, n, stride }, |at| {
                nested(py, at, shape, strides, dtype).map_or_else(|error| restored(py, error), Bound::into_ptr)
            }),
            _ => number(py, start, dtype),
        }
    }
}

/// The elements of a row: their number and stride.
struct StridedRow {
    start: *const u8,
    n: usize,
    stride: isize,
}

/// A list of `item` of each address. A null pointer from `item` means that an exception was set.
fn list<'py>(
    py: Python<'py>,
    row_of: StridedRow,
    item: impl Fn(*const u8) -> *mut ffi::PyObject,
) -> PyResult<Object<'py>> {
    let StridedRow { start, n, stride } = row_of;
    // SAFETY: a new list with room for `n` items, which it takes over; it is released with its items so far if an item fails.
    unsafe {
        let list = Bound::from_owned_ptr_or_err(py, ffi::PyList_New(n as isize))?.cast_into_unchecked::<PyList>();
        let items = sequence_items::of_list(list.as_ptr());
        for i in 0..n as isize {
            let item = item(start.wrapping_offset(i * stride));
            if item.is_null() {
                return Err(PyErr::fetch(py));
            }
            match items.is_null() {
                false => items.offset(i).write(item),
                true => _ = ffi::PyList_SetItem(list.as_ptr(), i, item),
            }
        }
        Ok(list.into_any())
    }
}

/// A list of the elements of a row. Each type has a loop of its own.
///
/// # Safety
/// There are elements of the type.
unsafe fn row<'py>(py: Python<'py>, row_of: StridedRow, dtype: DType) -> PyResult<Object<'py>> {
    // SAFETY: the caller's contract; an element need not be aligned.
    unsafe {
        match dtype {
            DType::F64 => floats::<f64>(py, row_of),
            DType::F32 => floats::<f32>(py, row_of),
            DType::I64 => integers::<i64>(py, row_of),
            DType::I32 => integers::<i32>(py, row_of),
            DType::I16 => integers::<i16>(py, row_of),
            DType::I8 => integers::<i8>(py, row_of),
            DType::U32 => integers::<u32>(py, row_of),
            DType::U16 => integers::<u16>(py, row_of),
            DType::U8 => integers::<u8>(py, row_of),
            DType::U64 => list(py, row_of, |at| ffi::PyLong_FromUnsignedLongLong(at.cast::<u64>().read_unaligned())),
            DType::Bool | DType::F16 | DType::C64 | DType::C128 => {
                list(py, row_of, |at| number(py, at, dtype).map_or_else(|error| restored(py, error), Bound::into_ptr))
            }
        }
    }
}

/// [`row`] for elements that convert to a double.
///
/// # Safety
/// As [`row`].
unsafe fn floats<T: Copy + Into<f64>>(py: Python<'_>, row_of: StridedRow) -> PyResult<Object<'_>> {
    // SAFETY: the caller's contract.
    list(py, row_of, |at| unsafe { ffi::PyFloat_FromDouble(at.cast::<T>().read_unaligned().into()) })
}

/// [`row`] for integers of at most 64 bits.
///
/// # Safety
/// As [`row`].
unsafe fn integers<T: Copy + Into<i64>>(py: Python<'_>, row_of: StridedRow) -> PyResult<Object<'_>> {
    // SAFETY: the caller's contract.
    list(py, row_of, |at| unsafe { new_int(at.cast::<T>().read_unaligned().into()) })
}

/// Sets an exception again, and returns the null pointer that reports it.
#[cold]
fn restored(py: Python<'_>, error: PyErr) -> *mut ffi::PyObject {
    error.restore(py);
    std::ptr::null_mut()
}

/// The number at an address.
///
/// # Safety
/// There is an element of the type.
unsafe fn number(py: Python<'_>, at: *const u8, dtype: DType) -> PyResult<Object<'_>> {
    let mut bytes = [0u8; 16];
    // SAFETY: the caller's contract; the bytes are initialised, as all memory of arrays is, and need not be aligned.
    unsafe { std::ptr::copy_nonoverlapping(at, bytes.as_mut_ptr(), dtype.size()) };
    to_python(py, Scalar::from_bits(dtype, u128::from_le_bytes(bytes)))
}

/// Applies one of Python's conversions to the element of an array without axes; NumPy's method for any other array.
fn converted<'py>(
    this: &Bound<'py, NdArray>,
    (method, takes): (&str, fn(DType) -> bool),
    convert: unsafe extern "C" fn(*mut ffi::PyObject) -> *mut ffi::PyObject,
) -> PyResult<Object<'py>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    if array.ndim() == 0 && takes(array.dtype()) {
        let number = to_python(py, to_py_result(py, array.item())?)?;
        // SAFETY: a live object, and the GIL is held.
        return unsafe { Bound::from_owned_ptr_or_err(py, convert(number.as_ptr())) };
    }
    numpy_of(this)?.call_method0(method)
}

#[pymethods]
impl NdArray {
    fn tolist<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        to_list(this.py(), this.open().array(this.py())?)
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
