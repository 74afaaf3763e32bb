//! Methods of ufuncs that take positions: `at` and `reduceat`. Arguments that are not native, and errors, are left to NumPy.

use crate::call::argument::{Arg, parse_any, strong_scalar};
use crate::call::array_arguments::native;
use crate::call::ufunc::Ufunc;
use crate::index::subscript::{array_part, parts_of};
use crate::interpreter::error::to_py_result;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, ErrorKind, IndexPart, Value, fold_segments, update_at};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

#[pymethods]
impl Ufunc {
    #[pyo3(signature = (*args, **kwargs))]
    fn at<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let is_native = kwargs.is_none() && args.len() == self.op().arity() + 1;
        let done = if is_native { update(self, args)? } else { None };
        or_numpy(self, "at", (args, kwargs), done, |()| Ok(py.None().into_bound(py)))
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn reduceat<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let done = folded(self, args, kwargs)?;
        or_numpy(self, "reduceat", (args, kwargs), done, |result| new_object(py, result))
    }
}

/// The result of a method as an object. NumPy's method is called where the arguments are not native (`None`), and after an error, so that
/// NumPy raises its own, unless the error is final.
fn or_numpy<'py, T>(
    ufunc: &Ufunc,
    method: &str,
    (args, kwargs): (&Bound<'py, PyTuple>, Option<&Bound<'py, PyDict>>),
    done: Option<fastnp::Result<T>>,
    to_object: impl FnOnce(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = args.py();
    match done {
        None => ufunc.numpy(py, method, args, kwargs, ErrorKind::Unsupported),
        Some(Err(error)) if !error.kind().is_final() => ufunc.numpy(py, method, args, kwargs, error.kind()),
        Some(result) => to_object(to_py_result(py, result)?),
    }
}

/// `ufunc.at(a, indices[, b])`; `None` where the arguments are not native.
fn update(ufunc: &Ufunc, args: &Bound<'_, PyTuple>) -> PyResult<Option<fastnp::Result<()>>> {
    let py = args.py();
    let (first, indices) = (args.get_item(0)?, args.get_item(1)?);
    let Ok(array) = first.cast_exact::<NdArray>() else { return Ok(None) };
    let Some(parts) = parts_of(&indices)? else { return Ok(None) };
    let me = array.open();
    let array = me.array(py)?;
    if args.len() == 2 {
        return Ok(Some(update_at(array, &parts, ufunc.op(), None)));
    }
    let third = args.get_item(2)?;
    let operand = parse_any(&third)?;
    let operand = match &operand {
        // Numbers are arrays here, whose types count in promotion.
        Arg::Number(number) => Some(Value::Scalar(strong_scalar(*number))),
        other => other.value(py)?,
    };
    Ok(operand.map(|operand| update_at(array, &parts, ufunc.op(), Some(operand))))
}

/// `ufunc.reduceat(array, indices, axis=0, dtype=None, out=None)`; `None` where the arguments are not native.
fn folded<'py>(
    ufunc: &Ufunc,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<fastnp::Result<Array>>> {
    let py = args.py();
    let names = ["array", "indices", "axis", "dtype", "out"];
    if args.len() > names.len() {
        return Ok(None);
    }
    let mut given: [Option<Bound<'py, PyAny>>; 5] = [const { None }; 5];
    args.iter().zip(&mut given).for_each(|(value, place)| *place = Some(value));
    for (name, value) in kwargs.into_iter().flat_map(|kwargs| kwargs.iter()) {
        let name = name.cast::<PyString>()?;
        let place = names.iter().position(|&known| name == known).filter(|&place| given[place].is_none());
        let Some(place) = place else { return Ok(None) };
        given[place] = Some(value);
    }
    let [Some(array), Some(indices), axis, dtype, out] = given else { return Ok(None) };
    let axis = match axis.map(|axis| axis.extract::<isize>()) {
        None => 0,
        Some(Ok(axis)) => axis,
        Some(Err(_)) => return Ok(None),
    };
    let Some(dtype) = native(dtype.as_ref())? else { return Ok(None) };
    if out.is_some_and(|out| !out.is_none()) {
        return Ok(None);
    }
    // They do not cast to positions.
    let is_unsigned = |x: &NdArray| x.payload.open(py).array(py).is_ok_and(|x| x.dtype() == DType::U64);
    if indices.cast_exact::<NdArray>().is_ok_and(|indices| is_unsigned(indices.get())) {
        return Ok(None);
    }
    let (array, Some(IndexPart::Positions(positions))) = (parse_any(&array)?, array_part(&indices)?) else {
        return Ok(None);
    };
    match array.value(py)? {
        Some(Value::Array(array)) => Ok(Some(fold_segments(array, &positions, axis, ufunc.op(), dtype))),
        _ => Ok(None),
    }
}
