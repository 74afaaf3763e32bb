//! Arguments of common calls ([`crate::call::common_calls`]), and what such calls return.

use crate::call::number_list::of_numbers;
use crate::call::ufunc_call::wrap;
use crate::interop::numpy_memory::{MAX_COPIED_OPERAND, copy_of};
use crate::interpreter::cast::exactly;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::int_at;
use crate::object::ndarray::NdArray;
use crate::object::payload::{Open, PayloadRef};
use fastnp::{Array, Result};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyTuple};

/// An argument as an array of ours, not of a derived class.
pub(crate) fn ours<'a, 'py>(value: &'a Bound<'py, PyAny>) -> Option<PayloadRef<'a>> {
    exactly::<NdArray>(value).map(|array| array.open())
}

/// An argument as a Python integer.
pub(crate) fn integer(value: &Bound<'_, PyAny>) -> Option<isize> {
    // SAFETY: the object is alive.
    value.is_exact_instance_of::<PyInt>().then(|| unsafe { int_at(value.as_ptr()) }).flatten().map(|i| i as isize)
}

/// What a call returns. After an error that is not final the function in Python runs, which finds it again, or has another way.
pub(crate) fn done<'py, T>(
    py: Python<'py>,
    result: Result<T>,
    to_object: impl FnOnce(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match result {
        Err(error) if !error.kind().is_final() => Ok(None),
        result => to_object(to_py_result(py, result)?).map(Some),
    }
}

/// Calls `run` with an array of ours, that of a list or tuple of numbers, or a copy of few elements of NumPy's.
pub(crate) fn with_numbers<'py>(
    value: &Bound<'py, PyAny>,
    run: impl FnOnce(&Array) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(me) = ours(value) {
        return me.dense().map_or(Ok(None), run);
    }
    if let Some(array) = copy_of(value, |bytes| bytes <= MAX_COPIED_OPERAND)? {
        return run(&array);
    }
    let is_sequence = value.is_exact_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>();
    match is_sequence.then(|| of_numbers(value, None)).flatten() {
        Some(array) => run(&array),
        None => Ok(None),
    }
}

/// The result of a function of two arrays.
pub(crate) fn of_two<'py>(
    [a, b]: [&Bound<'py, PyAny>; 2],
    run: impl FnOnce(&Array, &Array) -> Result<Array>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (Some(x), Some(y)) = (ours(a), ours(b)) else { return Ok(None) };
    let (Some(x), Some(y)) = (x.dense(), y.dense()) else { return Ok(None) };
    done(a.py(), run(x, y), |result| wrap(a.py(), result))
}

/// The result of a function of one array, if that is as it takes it.
pub(crate) fn of_one<'py>(
    a: &Bound<'py, PyAny>,
    takes: impl FnOnce(&Array) -> bool,
    run: impl FnOnce(&Array) -> Result<Array>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match ours(a).as_ref().and_then(|a| a.dense()).filter(|a| takes(a)) {
        Some(array) => done(a.py(), run(array), |result| wrap(a.py(), result)),
        None => Ok(None),
    }
}
