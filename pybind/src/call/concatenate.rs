//! Functions that join arrays: each reshapes its parts in its own way, and they are concatenated along an axis.
//!
//! Calls with other keywords, parts of other classes, and errors are left to NumPy.

use crate::call::argument::{Arg, parse_any, strong_scalar};
use crate::call::array_arguments::integer;
use crate::call::array_list::visit_items;
use crate::fallback::by_name::numpy_counted;
use crate::interop::numpy_memory::lent_elements;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::{Arguments, Function, entry};
use crate::interpreter::raw_call::object_at;
use crate::interpreter::sequence_items::Items;
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, Index, Order};
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyString, PyTuple};
use smallvec::SmallVec;

/// The parts of a join; four fit without an allocation.
type Parts = SmallVec<[Array; 4]>;

/// The items of a list or a tuple as arrays, or the rows of an array; `None` if one is left to NumPy.
fn parts_of(sequence: &Bound<'_, PyAny>) -> PyResult<Option<Parts>> {
    let py = sequence.py();
    let mut parts = Parts::new();
    if let Ok(array) = sequence.cast_exact::<NdArray>() {
        let me = array.open();
        let array = me.array(py)?;
        if array.ndim() == 0 {
            return Ok(None);
        }
        for i in 0..array.shape()[0] {
            parts.push(to_py_result(py, array.index(&[Index::At(i as isize)]))?);
        }
        return Ok(Some(parts));
    }
    let add = |item: &Bound<'_, PyAny>| -> PyResult<bool> {
        let part = match parse_any(item)? {
            Arg::Ours(array) => array.array(py)?.clone(),
            Arg::Converted(array) => *array,
            Arg::Number(number) => to_py_result(py, Array::full(&[], strong_scalar(number), Order::C))?,
            Arg::Other => return Ok(false),
        };
        parts.push(part);
        Ok(true)
    };
    let all = visit_items(sequence, add)?;
    Ok(all.then_some(parts))
}

/// Reshapes the parts of a joining function, and returns the axis to concatenate along.
type AxisOfParts = fn(&mut Parts, axis: Option<isize>) -> fastnp::Result<isize>;

/// Joins the parts after `prepare` reshaped them.
fn join(parts: &mut Parts, axis: Option<isize>, prepare: AxisOfParts) -> fastnp::Result<Array> {
    let axis = prepare(parts, axis)?;
    let parts: SmallVec<[&Array; 4]> = parts.iter().collect();
    fastnp::concatenate(&parts, axis)
}

/// Replaces each part.
fn map_parts(parts: &mut Parts, prepare: impl Fn(&Array) -> fastnp::Result<Array>) -> fastnp::Result<()> {
    for part in parts.iter_mut() {
        *part = prepare(part)?;
    }
    Ok(())
}

/// A view with a new axis at a position.
fn with_axis(part: &Array, at: usize) -> fastnp::Result<Array> {
    let mut index: SmallVec<[Index; 4]> = SmallVec::from_elem(Index::from(..), at);
    index.push(Index::NewAxis);
    part.index(&index)
}

/// A view with at least so many axes, new ones first.
fn with_axes(part: &Array, least: usize) -> fastnp::Result<Array> {
    let mut part = part.clone();
    while part.ndim() < least {
        part = with_axis(&part, 0)?;
    }
    Ok(part)
}

fn concatenated(_: &mut Parts, axis: Option<isize>) -> fastnp::Result<isize> {
    Ok(axis.unwrap_or(0))
}

fn stacked(parts: &mut Parts, axis: Option<isize>) -> fastnp::Result<isize> {
    let at = fastnp::normalize_axis(axis.unwrap_or(0), parts[0].ndim() + 1)?;
    map_parts(parts, |part| with_axis(part, at.min(part.ndim())))?;
    Ok(at as isize)
}

fn in_rows(parts: &mut Parts, _: Option<isize>) -> fastnp::Result<isize> {
    map_parts(parts, |part| with_axes(part, 2))?;
    Ok(0)
}

fn in_line(parts: &mut Parts, _: Option<isize>) -> fastnp::Result<isize> {
    map_parts(parts, |part| with_axes(part, 1))?;
    Ok((parts[0].ndim() > 1).into())
}

fn in_depth(parts: &mut Parts, _: Option<isize>) -> fastnp::Result<isize> {
    map_parts(parts, |part| match part.ndim() {
        0 | 1 => with_axis(&with_axes(part, 2)?, 2),
        2 => with_axis(part, 2),
        _ => Ok(part.clone()),
    })?;
    Ok(2)
}

fn in_columns(parts: &mut Parts, _: Option<isize>) -> fastnp::Result<isize> {
    map_parts(parts, |part| if part.ndim() < 2 { with_axis(&with_axes(part, 1)?, 1) } else { Ok(part.clone()) })?;
    Ok(1)
}

fn appended(parts: &mut Parts, axis: Option<isize>) -> fastnp::Result<isize> {
    if axis.is_none() {
        map_parts(parts, |part| part.reshape(&[part.size()]))?;
    }
    Ok(axis.unwrap_or(0))
}

/// A joining function, by NumPy's name, its arguments' names, and how many of them may be positional.
fn joined<'py, const N: usize>(
    call: Arguments<'_, 'py>,
    (name, names, positions): (&'static str, [&'static str; N], usize),
    prepare: AxisOfParts,
) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if call.positions().len() <= positions
        && let Some(given) = call.read(names)?
        && let Some(parts) = given[0]
        && check_count(name, parts)?
        && let Some(axis) = read_axis(&names, &given)?
    {
        if name == "concatenate"
            && axis.is_none_or(|axis| axis == 0)
            && let Some(joined) = join_numpys(parts)?
        {
            return new_object(py, joined);
        }
        if let Some(mut parts) = parts_of(parts)?
            && !parts.is_empty()
            && let Ok(joined) = join(&mut parts, axis, prepare)
        {
            return new_object(py, to_py_result(py, Ok(joined))?);
        }
    }
    numpy_counted(call, name)
}

/// Up to this size vectors of NumPy's are copied into the result one by one. As operands each is copied twice, a tenth of two of a thousand
/// doubles.
const MAX_JOINED_BYTES: usize = 1 << 16;

/// Vectors of NumPy's of one native type, one after the other; `None` where a part is anything else.
fn join_numpys(parts: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    let py = parts.py();
    let Some(items) = Items::of(parts) else { return Ok(None) };
    // SAFETY: there are so many items, and nothing here runs code of Python's, which could change the list.
    let part = |i| unsafe { object_at(py, items.get(i)) };
    let (mut n, mut common, mut pieces) = (0, None, SmallVec::<[(*const u8, usize); 8]>::new());
    for i in 0..items.count {
        let part = part(i);
        // SAFETY: as above.
        let Some(lent) = (if is_numpys(&part) { unsafe { lent_elements(&part)? } } else { None }) else {
            return Ok(None);
        };
        let &[extent] = lent.shape else { return Ok(None) };
        if common.replace(lent.dtype).is_some_and(|before| before != lent.dtype) {
            return Ok(None);
        }
        n += extent;
        pieces.push((lent.start, extent * lent.dtype.size()));
    }
    let Some(dtype) = common.filter(|dtype| n > 0 && n * dtype.size() <= MAX_JOINED_BYTES) else { return Ok(None) };
    let (joined, mut at) = to_py_result(py, Array::unwritten(&[n], dtype))?;
    for (start, bytes) in pieces {
        // SAFETY: the list or tuple keeps the parts, and so their elements; together they have as many as the new array.
        unsafe {
            std::ptr::copy_nonoverlapping(start, at, bytes);
            at = at.add(bytes);
        }
    }
    Ok(Some(joined))
}

/// Reads the arguments past the first: the axis if it is given; `None` for a value that is left to NumPy.
fn read_axis(names: &[&str], given: &[Option<&Bound<'_, PyAny>>]) -> PyResult<Option<Option<isize>>> {
    let mut axis = None;
    for (&name, value) in names.iter().zip(given).skip(1) {
        let Some(value) = value else { continue };
        match name {
            "axis" => match integer::<isize>(value) {
                Ok(named) => axis = Some(named),
                Err(_) => return Ok(None),
            },
            "casting" => match value.cast::<PyString>() {
                Ok(rule) if rule == "same_kind" => {}
                _ => return Ok(None),
            },
            _ if value.is_none() => {}
            _ => return Ok(None),
        }
    }
    Ok(Some(axis))
}

/// Rejects more arrays than NumPy joins, before they are read.
fn check_count(name: &str, parts: &Bound<'_, PyAny>) -> PyResult<bool> {
    match parts.len() {
        Ok(n) if n > i32::MAX as usize && name == "concatenate" => Err(pyo3::exceptions::PyValueError::new_err(
            format!("concatenate() only supports up to {} arrays but got {n}.", i32::MAX),
        )),
        _ => Ok(true),
    }
}

/// `append`: its two arguments are the parts.
fn append<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some([Some(array), Some(values), axis]) = call.read(["arr", "values", "axis"])?
        && let Some(axis) = read_axis(&["", "axis"], &[None, axis.filter(|a| !a.is_none())])?
        && let Some(mut parts) = parts_of(PyTuple::new(py, [array, values])?.as_any())?
        && let Ok(joined) = join(&mut parts, axis, appended)
    {
        return new_object(py, to_py_result(py, Ok(joined))?);
    }
    numpy_counted(call, "append")
}

/// The functions of this file, by NumPy's names.
const CONCATENATE_FUNCTIONS: [Function; 7] = [
    (
        c"concatenate",
        c"concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')\n--\n\n",
        entry!(|call| joined(call, ("concatenate", ["", "axis", "out", "dtype", "casting"], 3), concatenated)),
    ),
    (
        c"stack",
        c"stack(arrays, axis=0, out=None, *, dtype=None, casting='same_kind')\n--\n\n",
        entry!(|call| joined(call, ("stack", ["arrays", "axis", "out", "dtype", "casting"], 3), stacked)),
    ),
    (
        c"vstack",
        c"vstack(tup, *, dtype=None, casting='same_kind')\n--\n\n",
        entry!(|call| joined(call, ("vstack", ["tup", "dtype", "casting"], 1), in_rows)),
    ),
    (
        c"hstack",
        c"hstack(tup, *, dtype=None, casting='same_kind')\n--\n\n",
        entry!(|call| joined(call, ("hstack", ["tup", "dtype", "casting"], 1), in_line)),
    ),
    (c"dstack", c"dstack(tup)\n--\n\n", entry!(|call| joined(call, ("dstack", ["tup"], 1), in_depth))),
    (
        c"column_stack",
        c"column_stack(tup)\n--\n\n",
        entry!(|call| joined(call, ("column_stack", ["tup"], 1), in_columns)),
    ),
    (c"append", c"append(arr, values, axis=None)\n--\n\n", entry!(append)),
];

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::interpreter::fastcall::add(module, &CONCATENATE_FUNCTIONS)
}
