//! Lists and tuples of arrays of ours: as the array that NumPy makes of them, and folded without making it.

use crate::interpreter::cast::exactly;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, Op, Value, apply, stack};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use smallvec::SmallVec;

/// Visits the items of a list or tuple until one is refused; whether none was. Any other object is refused.
pub(crate) fn visit_items<'py>(
    sequence: &Bound<'py, PyAny>,
    mut accepts: impl FnMut(&Bound<'py, PyAny>) -> PyResult<bool>,
) -> PyResult<bool> {
    if let Some(list) = exactly::<PyList>(sequence) {
        for item in list {
            if !accepts(&item)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let Some(tuple) = exactly::<PyTuple>(sequence) else { return Ok(false) };
    for item in tuple.iter_borrowed() {
        if !accepts(&item)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The items of a list or tuple of arrays of ours with one shape, which has axes; `None` for any other object.
fn items_of(sequence: &Bound<'_, PyAny>) -> PyResult<Option<SmallVec<[Array; 4]>>> {
    let py = sequence.py();
    let mut items: SmallVec<[Array; 4]> = SmallVec::new();
    let add = |item: &Bound<'_, PyAny>| -> PyResult<bool> {
        let Some(item) = exactly::<NdArray>(item) else { return Ok(false) };
        let me = item.open();
        let array = me.array(py)?;
        if array.ndim() == 0 || items.first().is_some_and(|first| first.shape() != array.shape()) {
            return Ok(false);
        }
        items.push(array.clone());
        Ok(true)
    };
    let all = visit_items(sequence, add)?;
    Ok((all && !items.is_empty()).then_some(items))
}

/// The items of a list or tuple along a new first axis; `None` unless all are arrays of ours, dense, with one shape.
pub(crate) fn of_arrays(sequence: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    let Some(items) = items_of(sequence)?.filter(|items| items.iter().all(Array::is_c_contiguous)) else {
        return Ok(None);
    };
    let rows: SmallVec<[&Array; 4]> = items.iter().collect();
    Ok(stack(&rows).ok())
}

/// The fold of the items of a list or tuple along a first axis, as NumPy folds the array that it makes of them: item by item. `None` where
/// that may differ in more than time: in types, in the order of axes, or in warnings, which name the fold.
pub(crate) fn fold_items(op: Op, sequence: &Bound<'_, PyAny>) -> PyResult<Option<fastnp::Result<Array>>> {
    let raises_nothing = matches!(
        op,
        Op::Minimum
            | Op::Maximum
            | Op::Fmin
            | Op::Fmax
            | Op::LogicalAnd
            | Op::LogicalOr
            | Op::LogicalXor
            | Op::BitwiseAnd
            | Op::BitwiseOr
            | Op::BitwiseXor
    );
    if !raises_nothing {
        return Ok(None);
    }
    let Some(items) = items_of(sequence)? else { return Ok(None) };
    let [first, rest @ ..] = &items[..] else { return Ok(None) };
    let is_in_order = |item: &Array| item.ndim() == 1 || item.is_c_contiguous();
    if rest.is_empty() || rest.iter().any(|item| item.dtype() != first.dtype()) || !items.iter().all(is_in_order) {
        return Ok(None);
    }
    Ok(Some(
        rest.iter().try_fold(first.clone(), |folded, item| apply(op, &[Value::Array(&folded), Value::Array(item)])),
    ))
}
