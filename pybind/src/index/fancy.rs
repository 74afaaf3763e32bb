//! Methods that take positions: `take`, `put`, `nonzero`. Arguments that are not native are left to NumPy.

use crate::call::assign::put;
use crate::fallback::method::{numpy_error, numpy_method};
use crate::index::subscript::array_part;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::Arguments;
use crate::object::construct::{new_object, view_of};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::object::raw_slots::{method, method_entry, of_array};
use fastnp::{Array, Error, ErrorKind, Index, IndexPart, Value, normalize_axis};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

type Object<'py> = Bound<'py, PyAny>;

/// Whether an argument was left out, or has its default value.
fn is_default(value: Option<&Object<'_>>, default: &str) -> bool {
    value.is_none_or(|v| v.is_none() || v.extract::<&str>().is_ok_and(|s| s == default))
}

/// Integer positions; `None` for anything else.
fn positions(indices: &Object<'_>) -> PyResult<Option<Array>> {
    Ok(match array_part(indices)? {
        Some(IndexPart::Positions(positions)) => Some(positions),
        _ => None,
    })
}

/// The array and the axis that `axis=` names; the flattened array if it is not given.
fn along_axis(array: &Array, axis: Option<&Object<'_>>) -> fastnp::Result<(Array, usize)> {
    match axis.filter(|a| !a.is_none()) {
        None if array.ndim() == 1 => Ok((array.clone(), 0)),
        None => Ok((array.reshape(&[array.size()])?, 0)),
        Some(axis) => {
            let unread = |_| Error::new(ErrorKind::Unsupported, "an axis that is no integer");
            let axis = normalize_axis(axis.extract().map_err(unread)?, array.ndim())?;
            Ok((array.clone(), axis))
        }
    }
}

/// `take`.
fn take<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    if let Some([Some(indices), axis, out, mode]) = call.read(["indices", "axis", "out", "mode"])?
        && out.is_none_or(|o| o.is_none())
        && is_default(mode, "raise")
        && let Some(positions) = positions(indices)?
    {
        let me = this.open();
        let array = me.array(py)?;
        return match along_axis(array, axis).and_then(|(array, axis)| array.take(&positions, axis)) {
            Ok(taken) => new_object(py, to_py_result(py, Ok(taken))?),
            Err(error) => numpy_error(this, "take", &call.tuple()?, Some(&call.dict()?), error),
        };
    }
    numpy_method(this, "take", &call.tuple()?, Some(&call.dict()?))
}

/// `put`.
fn put_at<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    let py = this.py();
    if let Some([Some(indices), Some(values), mode]) = call.read(["indices", "values", "mode"])?
        && is_default(mode, "raise")
        && let Some(positions) = positions(indices)?
    {
        let me = this.open();
        let array = me.array(py)?;
        if array.is_c_contiguous() && put(array, values, |value| put_flat(array, &positions, value))?.is_ok() {
            to_py_result(py, Ok(()))?;
            return Ok(py.None().into_bound(py));
        }
    }
    numpy_method(this, "put", &call.tuple()?, Some(&call.dict()?))
}

pyo3::inventory::submit! {
    of_array(&[method(c"take", method_entry!(take)), method(c"put", method_entry!(put_at))], &[])
}

#[pymethods]
impl NdArray {
    fn nonzero<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let py = this.py();
        let me = this.open();
        let array = me.array(py)?;
        if array.ndim() == 0 {
            return numpy_method(this, "nonzero", &PyTuple::empty(py), None);
        }
        let found = to_py_result(py, array.nonzero())?;
        // As in NumPy, the results are columns of one array.
        let whole = new_object(py, found.clone())?;
        let whole = whole.cast::<NdArray>()?;
        let columns = (0..array.ndim())
            .map(|i| view_of(whole, to_py_result(py, found.index(&[(..).into(), Index::At(i as isize)]))?))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(PyTuple::new(py, columns)?.into_any())
    }
}

/// `array.flat[positions] = value`, for one value or one for each position.
fn put_flat(array: &Array, positions: &Array, value: Value<'_>) -> fastnp::Result<()> {
    let flat = array.reshape(&[array.size()])?;
    let positions = positions.reshape(&[positions.size()])?;
    match value {
        Value::Array(v) if v.size() == 1 => flat.set_at(&positions, Value::Array(&v.reshape(&[])?)),
        Value::Array(v) if v.size() == positions.size() => {
            flat.set_at(&positions, Value::Array(&v.reshape(&[v.size()])?))
        }
        Value::Array(_) => Err(Error::new(ErrorKind::Unsupported, "values that are repeated or left over")),
        number => flat.set_at(&positions, number),
    }
}
