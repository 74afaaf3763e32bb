//! Readers of the arguments that many functions share: `axis=`, `dtype=`, `order=` and shapes.

use crate::interpreter::dtype::{RequestedType, requested};
use fastnp::{DType, Order, Shape};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyTuple};
use smallvec::SmallVec;

/// Parses `axis=`: none, an integer, or a tuple of integers.
pub(crate) fn axes_of(axis: Option<&Bound<'_, PyAny>>) -> PyResult<Option<SmallVec<[isize; 4]>>> {
    let Some(axis) = axis.filter(|a| !a.is_none()) else { return Ok(None) };
    if let Ok(tuple) = axis.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|axis| integer(&axis)).collect::<PyResult<_>>().map(Some);
    }
    Ok(Some(SmallVec::from_iter([integer(axis)?])))
}

/// A number of elements or of an axis. NumPy takes no bool for one.
pub(crate) fn integer<'a, 'py, T: FromPyObject<'a, 'py, Error = PyErr>>(number: &'a Bound<'py, PyAny>) -> PyResult<T> {
    if number.is_exact_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err("an integer is required"));
    }
    number.extract::<T>()
}

/// Parses `dtype=`: `Some(None)` if not given, `None` if it is not native.
pub(crate) fn native(dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Option<DType>>> {
    match dtype.filter(|d| !d.is_none()) {
        None => Ok(Some(None)),
        Some(d) => Ok(match requested(d)? {
            RequestedType::Native(d) => Some(Some(d)),
            RequestedType::Other => None,
        }),
    }
}

/// Parses `order=`; `None` if NumPy has to reject it.
pub(crate) fn order_of(order: Option<&str>, default: Order) -> Option<Order> {
    Some(match order {
        None => default,
        Some("C" | "c") => Order::C,
        Some("F" | "f") => Order::F,
        Some("A" | "a") => Order::A,
        Some("K" | "k") => Order::K,
        Some(_) => return None,
    })
}

/// Parses a shape; `None` if it is left to NumPy.
pub(crate) fn shape_of(shape: &Bound<'_, PyAny>) -> Option<Shape> {
    if shape.is_exact_instance_of::<PyInt>() {
        // SAFETY: the object is exactly an int; one that is no extent is negative, or reported as an overflow.
        let n = unsafe { ffi::PyLong_AsSsize_t(shape.as_ptr()) };
        if let Ok(n) = usize::try_from(n) {
            return Some(SmallVec::from_iter([n]));
        }
        drop(PyErr::take(shape.py()));
        return None;
    }
    // Tuples first: a failed `extract` makes an exception, which costs more than the array.
    if let Ok(tuple) = shape.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|n| integer::<usize>(&n).ok()).collect();
    }
    if let Ok(n) = integer::<usize>(shape) {
        return Some(SmallVec::from_iter([n]));
    }
    shape.try_iter().ok()?.map(|n| integer::<usize>(&n.ok()?).ok()).collect()
}

/// `dtype=` of a creation function, or its default; `None` if it is not native.
pub(crate) fn type_of(dtype: Option<&Bound<'_, PyAny>>, default: DType) -> PyResult<Option<DType>> {
    match dtype.filter(|d| !d.is_none()) {
        None => Ok(Some(default)),
        Some(d) => Ok(match requested(d)? {
            RequestedType::Native(d) => Some(d),
            RequestedType::Other => None,
        }),
    }
}

/// `order=` of a creation function, or its default; `None` if it is left to NumPy.
pub(crate) fn order_argument(order: Option<&Bound<'_, PyAny>>, default: Order) -> Option<Order> {
    match order.filter(|o| !o.is_none()) {
        None => Some(default),
        Some(order) => order_of(Some(order.extract::<&str>().ok()?), default),
    }
}
