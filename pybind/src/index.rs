//! Reading and writing through indices.
//!
//! Basic indices (integers, slices, `None`, `...`) are views. A boolean mask of the array's own shape is a selection that
//! stays lazy. Everything else is NumPy's, on the same memory.

use crate::arg::{Arg, full, quick};
use crate::contents::{Contents, Open, Reading, Repr};
use crate::ndarray::{NdArray, object, root, view_in};
use crate::{deliver, dtype, fallback};
use fastnp::{Array, DType, ErrorKind, Index, Scalar, Selection, Value, put_selected};
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyInt, PySlice, PyTuple};
use smallvec::SmallVec;

type Parts = SmallVec<[Index; 4]>;

/// What a key that is neither one part nor a tuple of parts asks for.
enum Key<'a> {
    /// A boolean array of ours.
    Mask(Reading<'a>),
    /// An array of ours with integers.
    Positions(Reading<'a>),
    Advanced,
}

/// Reads a basic index; whether it is one. The parts are the caller's, as a list of them is 160 bytes to move.
#[inline]
fn parts_of(key: &Bound<'_, PyAny>, parts: &mut Parts) -> PyResult<bool> {
    // Tuples first: what is no part of an index takes the longest to tell.
    let Ok(tuple) = key.cast::<PyTuple>() else {
        let Some(one) = part(key)? else { return Ok(false) };
        parts.push(one);
        return Ok(true);
    };
    for item in tuple.iter_borrowed() {
        match part(&item)? {
            Some(p) => parts.push(p),
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// Reads a key that is no basic index.
fn advanced<'a>(key: &'a Bound<'_, PyAny>) -> Key<'a> {
    if let Ok(array) = key.cast::<NdArray>() {
        let array = array.open();
        return match array.dense().map(|a| (a.dtype(), a.ndim())) {
            Some((DType::Bool, 1..)) => Key::Mask(array),
            Some((dtype, 1..)) if dtype.is_integer() => Key::Positions(array),
            _ => Key::Advanced,
        };
    }
    Key::Advanced
}

/// One part of a basic index; none where it is something else.
#[inline]
fn part(item: &Bound<'_, PyAny>) -> PyResult<Option<Index>> {
    if item.is_exact_instance_of::<PyInt>() {
        // SAFETY: the object is exactly an int; what does not fit is reported as an error.
        let i = unsafe { ffi::PyLong_AsSsize_t(item.as_ptr()) };
        if i == -1
            && let Some(error) = PyErr::take(item.py())
        {
            return if error.is_instance_of::<PyOverflowError>(item.py()) { Ok(None) } else { Err(error) };
        }
        return Ok(Some(Index::At(i)));
    }
    if item.is_exact_instance_of::<PySlice>() {
        let (mut start, mut stop, mut step) = (0, 0, 0);
        // SAFETY: the object is exactly a slice.
        if unsafe { ffi::PySlice_Unpack(item.as_ptr(), &mut start, &mut stop, &mut step) } < 0 {
            // Another part of the index may be worse; NumPy knows in which order to complain.
            drop(PyErr::fetch(item.py()));
            return Ok(None);
        }
        return Ok(Some(Index::Range(Some(start), Some(stop), step)));
    }
    if item.is_none() {
        return Ok(Some(Index::NewAxis));
    }
    if item.is_exact_instance_of::<PyEllipsis>() {
        return Ok(Some(Index::Ellipsis));
    }
    if item.is_exact_instance_of::<PyBool>() || item.is_instance_of::<NdArray>() {
        return Ok(None);
    }
    match dtype::of_scalar(item)? {
        Some(s) if s.dtype().is_integer() => Ok(Some(Index::At(s.to_i64() as isize))),
        _ => Ok(None),
    }
}

/// Sets one element to a number that needs no thought; whether that was so.
#[inline]
fn set_element(array: &Array, parts: &[Index], value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if parts.len() != array.ndim() {
        return Ok(false);
    }
    let scalar = match quick(value)? {
        Arg::Number(Value::Float(x)) if array.dtype() == DType::F64 => Scalar::new(DType::F64, x),
        Arg::Number(Value::Scalar(s)) if s.dtype() == array.dtype() => s,
        Arg::Number(Value::Int(i)) if array.dtype() == DType::I64 || array.dtype() == DType::F64 => {
            Scalar::new(array.dtype(), i)
        }
        _ => return Ok(false),
    };
    deliver(value.py(), array.set_now(parts, scalar))
}

#[pymethods]
impl NdArray {
    fn __getitem__<'py>(this: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let me = this.open();
        let array = me.array(py)?;
        let mut parts = Parts::new();
        if parts_of(key, &mut parts)? {
            return basic(this, &me, array, &parts, key);
        }
        match advanced(key) {
            Key::Mask(mask) => {
                let mask = mask.array(py)?;
                if mask.shape() != array.shape() {
                    return read(this, key, ErrorKind::Unsupported);
                }
                let selection = deliver(py, Selection::new(array, mask))?;
                // What runs at once anyway is compacted at once: keeping it lazy costs more.
                if fastnp::runs_at_once(array.size()) {
                    return object(py, deliver(py, selection.to_array())?);
                }
                Ok(Bound::new(py, NdArray::from(selection))?.into_any())
            }
            Key::Positions(positions) => match array.take(positions.array(py)?) {
                Ok(taken) => object(py, deliver(py, Ok(taken))?),
                Err(error) => read(this, key, error.kind()),
            },
            Key::Advanced => read(this, key, ErrorKind::Unsupported),
        }
    }

    fn __setitem__(this: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = this.py();
        let me = this.open();
        let array = me.array(py)?;
        let mut parts = Parts::new();
        if parts_of(key, &mut parts)? {
            let done = set_basic(py, array, &parts, value)?;
            return settled(this, key, value, done);
        }
        let done = match advanced(key) {
            Key::Mask(mask) => assign_where(array, mask.array(py)?, value)?,
            Key::Positions(_) | Key::Advanced => false,
        };
        settled(this, key, value, done)
    }

    fn __delitem__(&self, _key: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(pyo3::exceptions::PyValueError::new_err("cannot delete array elements"))
    }
}

/// `this[parts]`.
#[inline]
fn basic<'py>(
    this: &Bound<'py, NdArray>,
    me: &Contents,
    array: &Array,
    parts: &[Index],
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if let Some(value) = deliver(py, array.get(parts))? {
        return dtype::to_scalar(py, value);
    }
    match array.index(parts) {
        Ok(view) => view_in(this, me, view),
        Err(error) => read(this, key, error.kind()),
    }
}

/// The end of an assignment: by NumPy, where it is not done yet.
#[inline]
fn settled(this: &Bound<'_, NdArray>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, done: bool) -> PyResult<()> {
    let py = this.py();
    if !done {
        fallback(py, "method")?.call1((this, "__setitem__", (key, value)))?;
    }
    deliver(py, Ok(()))
}

/// `array[parts] = value`; false where NumPy has to do it, or to say why it cannot be done.
#[inline]
fn set_basic(py: Python<'_>, array: &Array, parts: &[Index], value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if set_element(array, parts, value)? {
        return Ok(true);
    }
    let one = parts.len() == array.ndim() && parts.iter().all(|p| matches!(p, Index::At(_)));
    match array.index(parts) {
        // One element takes a number, not an array of one; NumPy says so.
        Ok(view) => assign(py, &view, value, one),
        Err(_) => Ok(false),
    }
}

/// NumPy's own reading of `this[key]`, or its words for what is wrong with it.
#[cold]
fn read<'py>(this: &Bound<'py, NdArray>, key: &Bound<'py, PyAny>, why: ErrorKind) -> PyResult<Bound<'py, PyAny>> {
    let method = if why == ErrorKind::Unsupported { "method" } else { "method_uncounted" };
    fallback(this.py(), method)?.call1((this, "__getitem__", (key,)))
}

/// Whether a number converts to a type without a warning or an error.
fn fits(value: Value<'_>, to: DType) -> bool {
    let complex = to.is_complex();
    if value.overflows(to) {
        return false;
    }
    match value {
        Value::Array(a) => complex || !a.dtype().is_complex(),
        Value::Scalar(s) if s.dtype().is_complex() => complex,
        Value::Scalar(s) if s.dtype().is_float() && to.is_integer() => {
            let x = s.to_f64();
            x.is_finite() && s.cast(to).to_f64() == x.trunc()
        }
        Value::Scalar(s) if s.dtype().is_integer() && to.is_integer() => s.cast(to).wide() == s.wide(),
        Value::Scalar(_) => true,
        Value::Int(_) => true,
        Value::Float(x) => {
            !to.is_integer()
                || (x.is_finite() && x.abs() < 9e15 && {
                    let scalar = fastnp::Scalar::new(to, x);
                    scalar.to_f64() == x.trunc()
                })
        }
        Value::Complex(_) => complex,
    }
}

/// `view[...] = value`; false where NumPy has to do it (or to say why it cannot be done).
fn assign(py: Python<'_>, view: &Array, value: &Bound<'_, PyAny>, one: bool) -> PyResult<bool> {
    let arg = full(value)?;
    let Some(value) = arg.value(py)? else { return Ok(false) };
    if !fits(value, view.dtype()) || (one && !value.shape().is_empty()) {
        return Ok(false);
    }
    match view.assign(value) {
        Ok(()) => Ok(true),
        Err(error) if error.kind().is_final() => Err(crate::error::raise(py, error)),
        Err(_) => Ok(false),
    }
}

/// `array[mask] = value`; false where NumPy has to do it.
fn assign_where(array: &Array, mask: &Array, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if mask.ndim() > array.ndim() || mask.shape() != &array.shape()[..mask.ndim()] {
        return Ok(false);
    }
    let arg = quick(value)?;
    match &arg {
        Arg::Number(number) if fits(*number, array.dtype()) => {
            let mut shape = mask.shape_vec();
            shape.resize(array.ndim(), 1);
            let wide = match mask.reshape(&shape) {
                Ok(wide) => wide,
                Err(_) => return Ok(false),
            };
            Ok(array.assign_where(&wide, *number).is_ok())
        }
        Arg::Ours(other) => match other.selection() {
            Some(selection)
                if selection.is_by(mask) && (array.dtype().is_complex() || !selection.dtype().is_complex()) =>
            {
                Ok(selection.assign_to(array).is_ok())
            }
            None => match other.dense() {
                Some(values) => {
                    Ok(fits(Value::Array(values), array.dtype()) && put_selected(array, mask, values).is_ok())
                }
                None => Ok(false),
            },
            Some(_) => Ok(false),
        },
        _ => Ok(false),
    }
}

/// An iterator over the first axis: evaluated once, then scalars or views.
pub(crate) fn iterate<'py>(this: &Bound<'py, NdArray>) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    if array.ndim() == 0 {
        return Err(PyTypeError::new_err("iteration over a 0-d array"));
    }
    if array.ndim() == 1 {
        deliver(py, array.evaluate())?;
    }
    Ok(Bound::new(py, Rows { array: array.clone(), root: root(this, &me), at: 0 })?.into_any())
}

/// Iterator over the first axis of an array.
#[pyclass(module = "fastnp._fastnp")]
struct Rows {
    array: Array,
    /// The owner of the memory, which rows name as their base.
    root: Py<NdArray>,
    at: usize,
}

#[pymethods]
impl Rows {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.at >= self.array.shape()[0] {
            return Ok(None);
        }
        let row = deliver(py, self.array.index(&[Index::At(self.at as isize)]))?;
        self.at += 1;
        if row.ndim() > 0 {
            let base = Some(self.root.clone_ref(py));
            return Ok(Some(Bound::new(py, NdArray::from(Contents { repr: Repr::Dense(row), base }))?.into_any()));
        }
        let value = deliver(py, row.item())?;
        dtype::to_scalar(py, value).map(Some)
    }
}
