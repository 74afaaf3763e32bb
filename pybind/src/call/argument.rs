//! Arguments of operations: Python objects as values of the core.

use crate::call::array_list::of_arrays;
use crate::call::number_list::of_numbers;
use crate::interop::numpy_memory::{from_numpy, operand};
use crate::interpreter::cast::exactly;
use crate::interpreter::dtype;
use crate::interpreter::exact_int::int_at;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::{Open, PayloadRef};
use fastnp::{Array, Complex, DType, Scalar, Value};
use numpy::npyffi::PyArrayObject;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyTuple};

/// A Python object as an argument.
pub(crate) enum Arg<'a> {
    /// An array object.
    Ours(PayloadRef<'a>),
    /// A number.
    Number(Value<'static>),
    /// An array converted from an array-like object for this call.
    Converted(Box<Array>),
    /// An object that is left to NumPy.
    Other,
}

/// Parses array objects, NumPy's arrays and numbers; everything else is `Other`.
#[inline]
pub(crate) fn parse_fast<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Arg<'a>> {
    if let Some(array) = exactly::<NdArray>(object) {
        return Ok(Arg::Ours(array.open()));
    }
    if object.is_exact_instance_of::<PyFloat>() {
        // SAFETY: the object is exactly a float.
        return Ok(Arg::Number(Value::Float(unsafe { ffi::PyFloat_AsDouble(object.as_ptr()) })));
    }
    parse_other(object)
}

/// [`parse_fast`] of what is neither an array object nor a float. Apart, so that those two are parsed where they are used: otherwise
/// `a + b` takes 20 ns longer.
#[inline(never)]
fn parse_other<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Arg<'a>> {
    // SAFETY: the object is alive.
    if let Some(value) = unsafe { dtype::double_at(object.py(), object.as_ptr()) } {
        return Ok(Arg::Number(Value::Scalar(Scalar::new(DType::F64, value))));
    }
    if object.is_exact_instance_of::<PyInt>() {
        // SAFETY: the object is alive.
        let value = unsafe { int_at(object.as_ptr()) };
        return Ok(value.map_or(Arg::Other, |value| Arg::Number(Value::Int(value))));
    }
    if let Some(value) = exactly::<PyBool>(object) {
        return Ok(Arg::Number(Value::from(value.is_true())));
    }
    if let Some(value) = exactly::<PyComplex>(object) {
        return Ok(Arg::Number(Value::Complex(Complex::new(value.real(), value.imag()))));
    }
    let scalar = match axes_of_numpys(object) {
        None => dtype::of_scalar(object)?,
        // In a comparison with a scalar on the left NumPy passes it on as an array without axes.
        Some(0) => dtype::of_scalar(&object.get_item(PyTuple::empty(object.py()))?)?,
        Some(_) => return Ok(operand(object)?.map_or(Arg::Other, |array| Arg::Converted(Box::new(array)))),
    };
    Ok(scalar.map_or(Arg::Other, |scalar| Arg::Number(Value::Scalar(scalar))))
}

/// The number of axes, if an object is exactly a `numpy.ndarray`.
fn axes_of_numpys(object: &Bound<'_, PyAny>) -> Option<usize> {
    // SAFETY: the object is exactly a NumPy array; its header is read while the GIL is held.
    is_numpys(object).then(|| unsafe { (*object.as_ptr().cast::<PyArrayObject>()).fields.nd } as usize)
}

/// Whether an object is a NumPy array with axes.
pub(crate) fn is_numpys_with_axes(object: &Bound<'_, PyAny>) -> bool {
    axes_of_numpys(object).is_some_and(|axes| axes > 0)
}

/// The element of an array made of a number alone: weak numbers get their default type.
pub(crate) fn strong_scalar(number: Value<'_>) -> Scalar {
    match number {
        Value::Scalar(scalar) => scalar,
        Value::Int(i) => Scalar::new(DType::I64, i),
        Value::Float(x) => Scalar::new(DType::F64, x),
        Value::Complex(z) => Scalar::new(DType::C128, z),
        Value::Array(_) => unreachable!("an array is no number"),
    }
}

/// Whether an object is a list or a tuple.
pub(crate) fn is_sequence(object: &Bound<'_, PyAny>) -> bool {
    object.is_exact_instance_of::<PyList>() || object.is_exact_instance_of::<PyTuple>()
}

/// As [`parse_fast`], and also converts lists and tuples if their elements are native.
pub(crate) fn parse_any<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Arg<'a>> {
    match parse_fast(object)? {
        Arg::Other => {}
        known => return Ok(known),
    }
    let py = object.py();
    if let Some(array) = of_numbers(object, None) {
        return Ok(Arg::Converted(Box::new(array)));
    }
    if let Some(array) = of_arrays(object)? {
        return Ok(Arg::Converted(Box::new(array)));
    }
    let array = if is_sequence(object) {
        dtype::types(py)?.as_array(object)?
    } else {
        return Ok(Arg::Other);
    };
    match dtype::of_descriptor(&array.getattr("dtype")?)? {
        Some(_) => Ok(Arg::Converted(Box::new(from_numpy(&array)?))),
        None => Ok(Arg::Other),
    }
}

impl Arg<'_> {
    /// The value, if the argument is native. A selection is compacted.
    pub(crate) fn value(&self, py: Python<'_>) -> PyResult<Option<Value<'_>>> {
        Ok(match self {
            Arg::Ours(array) => Some(Value::Array(array.array(py)?)),
            Arg::Number(number) => Some(*number),
            Arg::Converted(array) => Some(Value::Array(array)),
            Arg::Other => None,
        })
    }
}
