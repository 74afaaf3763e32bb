//! Subscripts: `x[key]` and `x[key] = value`.
//!
//! Basic indexing (integers, slices, `None`, `...`) makes views. A boolean mask of the array's own shape makes a lazy selection.
//! Arrays and lists of integers and booleans, alone or among basic items, are fancy indices. Everything else, and errors, are left to
//! NumPy, on the same memory.

use crate::call::argument::{Arg, parse_any, parse_fast};
use crate::call::assign::{Assigned, LEFT_TO_NUMPY, fits, put};
use crate::fallback::method::numpy_method_after;
use crate::interpreter::cast::exactly;
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::int_at;
use crate::interpreter::raw_call::{call_python, object_at};
use crate::object::construct::{new_object, new_view_with};
use crate::object::ndarray::{NdArray, root};
use crate::object::payload::{Open, Payload, PayloadRef, Repr};
use crate::object::raw_slots::{array_at, of_array};
use fastnp::{Array, DType, ErrorKind, Index, IndexPart, Scalar, Selection, Value, put_selected, select_now};
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::impl_::pyclass::{PyClassImpl, PyClassItems};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyFloat, PyInt, PyList, PySlice, PyTuple};
use smallvec::SmallVec;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A key that is not a basic index.
enum Key<'a> {
    /// One boolean array object.
    Mask(PayloadRef<'a>),
    /// One array object of integers.
    Positions(PayloadRef<'a>),
    /// Several items, some of them arrays.
    Parts(Vec<IndexPart>),
    /// A key that is left to NumPy.
    Other,
}

/// Calls `then` with a basic index; `None` for any other key. One item needs no list, which is 160 bytes to move.
#[inline(always)]
fn with_basic_index<T>(key: &Bound<'_, PyAny>, then: impl FnOnce(&[Index]) -> PyResult<T>) -> PyResult<Option<T>> {
    let tuple = match exactly::<PyTuple>(key) {
        Some(tuple) => tuple,
        None => match basic_part(key)? {
            Some(one) => return then(&[one]).map(Some),
            // A class derived from tuples.
            None if key.is_instance_of::<PyTuple>() => key.cast::<PyTuple>()?,
            None => return Ok(None),
        },
    };
    let mut parts: SmallVec<[Index; 4]> = SmallVec::new();
    for item in tuple.iter_borrowed() {
        match basic_part(&item)? {
            Some(p) => parts.push(p),
            None => return Ok(None),
        }
    }
    then(&parts).map(Some)
}

/// Parses a key that is not a basic index.
fn parse_advanced<'a>(key: &'a Bound<'_, PyAny>) -> PyResult<Key<'a>> {
    let py = key.py();
    if let Ok(array) = key.cast::<NdArray>() {
        let array = array.open();
        return Ok(match array.array(py).map(|a| (a.dtype(), a.ndim()))? {
            (DType::Bool, 1..) => Key::Mask(array),
            (dtype, 1..) if dtype.is_integer() => Key::Positions(array),
            _ => Key::Other,
        });
    }
    let Ok(tuple) = key.cast::<PyTuple>() else {
        return Ok(array_part(key)?.map_or(Key::Other, |part| Key::Parts(vec![part])));
    };
    let mut parts = Vec::with_capacity(tuple.len());
    for item in tuple.iter_borrowed() {
        let found = match basic_part(&item)? {
            Some(basic) => Some(IndexPart::Basic(basic)),
            None => array_part(&item)?,
        };
        match found {
            Some(part) => parts.push(part),
            None => return Ok(Key::Other),
        }
    }
    Ok(Key::Parts(parts))
}

/// The items of an index; `None` for one that is left to NumPy.
pub(crate) fn parts_of(key: &Bound<'_, PyAny>) -> PyResult<Option<Vec<IndexPart>>> {
    let py = key.py();
    if let Some(parts) = with_basic_index(key, |parts| Ok(parts.iter().copied().map(IndexPart::Basic).collect()))? {
        return Ok(Some(parts));
    }
    Ok(match parse_advanced(key)? {
        Key::Mask(mask) => Some(vec![IndexPart::Mask(mask.array(py)?.clone())]),
        Key::Positions(positions) => Some(vec![IndexPart::Positions(positions.array(py)?.clone())]),
        Key::Parts(parts) => Some(parts),
        Key::Other => None,
    })
}

/// An item of an index that is an array or a list; `None` if it is neither, or has another type than integers and booleans.
pub(crate) fn array_part(item: &Bound<'_, PyAny>) -> PyResult<Option<IndexPart>> {
    let py = item.py();
    let array = match item.cast::<NdArray>() {
        Ok(array) => array.open().array(py)?.clone(),
        Err(_) => match parse_any(item)? {
            // As an index, an empty list has integers; elsewhere it has floats.
            Arg::Converted(array) if array.size() == 0 && item.is_exact_instance_of::<PyList>() => {
                array.cast(DType::I64)
            }
            Arg::Converted(array) => Ok(*array),
            Arg::Ours(_) | Arg::Number(_) | Arg::Other => return Ok(None),
        }
        .map_err(|e| crate::interpreter::error::to_py_err(py, e))?,
    };
    Ok(match array.dtype() {
        _ if array.ndim() == 0 => None,
        DType::Bool => Some(IndexPart::Mask(array)),
        dtype if dtype.is_integer() => Some(IndexPart::Positions(array)),
        _ => None,
    })
}

/// One item of a basic index; `None` if it is none.
///
/// Inlined into its callers, as is all that follows up to the object of a view. Otherwise results are moved in memory: a wide load
/// of what narrow stores have just written stalls the processor (5 ns of the 100 of `a[1:-1]`, which had four such moves).
#[inline(always)]
fn basic_part(item: &Bound<'_, PyAny>) -> PyResult<Option<Index>> {
    if item.is_exact_instance_of::<PyInt>() {
        // SAFETY: the object is exactly an int; an overflow is reported as an error.
        let i = unsafe { ffi::PyLong_AsSsize_t(item.as_ptr()) };
        // SAFETY: the GIL is held. (`PyErr::take` alone is slower, and -1 is a common index.)
        let failed = i == -1 && unsafe { !ffi::PyErr_Occurred().is_null() };
        if failed && let Some(error) = PyErr::take(item.py()) {
            return if error.is_instance_of::<PyOverflowError>(item.py()) { Ok(None) } else { Err(error) };
        }
        return Ok(Some(Index::At(i)));
    }
    if item.is_exact_instance_of::<PySlice>() {
        let (mut start, mut stop, mut step) = (0, 0, 0);
        // SAFETY: the object is exactly a slice.
        if unsafe { ffi::PySlice_Unpack(item.as_ptr(), &mut start, &mut stop, &mut step) } < 0 {
            // NumPy decides which of several errors in an index is raised.
            drop(PyErr::fetch(item.py()));
            return Ok(None);
        }
        return Ok(Some(Index::Range(Some(start), Some(stop), step)));
    }
    other_basic_part(item)
}

/// [`basic_part`] of what is neither a plain integer nor a slice.
fn other_basic_part(item: &Bound<'_, PyAny>) -> PyResult<Option<Index>> {
    if item.is_exact_instance_of::<NdArray>() {
        return Ok(None);
    }
    if item.is_none() {
        return Ok(Some(Index::NewAxis));
    }
    if item.is_exact_instance_of::<PyEllipsis>() {
        return Ok(Some(Index::Ellipsis));
    }
    if item.is_exact_instance_of::<PyBool>() {
        return Ok(None);
    }
    match dtype::of_scalar(item)? {
        Some(s) if s.dtype().is_integer() => Ok(Some(Index::At(s.to_i64() as isize))),
        _ => Ok(None),
    }
}

/// Sets one element to a number if the cast needs no warning; returns whether it was done.
#[inline]
fn set_element(array: &Array, parts: &[Index], value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if parts.len() != array.ndim() {
        return Ok(false);
    }
    let dtype = array.dtype();
    let Some(scalar) = element(value, dtype)? else { return Ok(false) };
    to_py_result(value.py(), array.set_now(parts, scalar))
}

/// The element for a number whose cast needs no warning.
#[inline(always)]
fn element(value: &Bound<'_, PyAny>, dtype: DType) -> PyResult<Option<Scalar>> {
    // Doubles of NumPy and of Python, to which the general form adds 12 ns, then integers and scalars of the array's type.
    // SAFETY: the object is alive.
    let numpys = unsafe { dtype::double_at(value.py(), value.as_ptr()) };
    if let Some(x) = numpys.or_else(|| exactly::<PyFloat>(value).map(|x| x.value())) {
        return Ok(match dtype {
            DType::F64 => Some(Scalar::new(dtype, x)),
            // The casts from and to `i64` are exact where `x` has no fraction and less than 63 bits.
            DType::I64 if (x as i64) as f64 == x.trunc() && x.abs() < (1u64 << 62) as f64 => {
                Some(Scalar::new(dtype, x as i64))
            }
            _ if dtype.is_float() && !Value::Float(x).overflows(dtype) => Some(Scalar::new(dtype, x)),
            _ => {
                let double = Scalar::new(DType::F64, x);
                fits(Value::Scalar(double), dtype).then(|| double.cast(dtype))
            }
        });
    }
    // SAFETY: the object is alive.
    unsafe {
        if let Some(i) = int_at(value.as_ptr()) {
            return Ok(element_of_int(i, dtype));
        }
        if let Some(same) = dtype::scalar_of(value.py(), value.as_ptr(), dtype) {
            return Ok(Some(same));
        }
    }
    Ok(match parse_fast(value)? {
        Arg::Number(Value::Scalar(s)) if fits(Value::Scalar(s), dtype) => Some(s.cast(dtype)),
        _ => None,
    })
}

/// [`element`] for a Python integer.
#[inline(always)]
fn element_of_int(i: i64, dtype: DType) -> Option<Scalar> {
    match dtype {
        DType::I64 => Some(Scalar::from_bits(dtype, u128::from(i as u64))),
        DType::F64 => Some(Scalar::from_bits(dtype, u128::from((i as f64).to_bits()))),
        DType::Bool => None,
        // An integer that the type does not hold is an error, and NumPy rounds to other floats from doubles.
        _ if dtype.is_integer() => {
            let scalar = Scalar::new(dtype, i);
            (scalar.wide() == Scalar::new(DType::I64, i).wide()).then_some(scalar)
        }
        _ if dtype.is_float() && i.unsigned_abs() < 1 << f64::MANTISSA_DIGITS => {
            (!Value::Int(i).overflows(dtype)).then(|| Scalar::new(dtype, i))
        }
        _ => None,
    }
}

/// `this[key]`.
#[inline(always)]
fn get<'py>(this: &Bound<'py, NdArray>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let me = this.open();
    let array = me.array(this.py())?;
    match with_basic_index(key, |parts| basic(this, &me, array, parts, key))? {
        Some(found) => Ok(found),
        None => get_advanced(this, array, key),
    }
}

/// [`get`] for a key that is not a basic index.
#[inline(never)]
fn get_advanced<'py>(
    this: &Bound<'py, NdArray>,
    array: &Array,
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    let taken = match parse_advanced(key)? {
        Key::Mask(mask) => {
            let mask = mask.array(py)?;
            if mask.shape() == array.shape() {
                return selected(py, array, mask);
            }
            array.fancy_index(&[IndexPart::Mask(mask.clone())]).and_then(|p| p.get())
        }
        Key::Positions(positions) => array.at(positions.array(py)?),
        Key::Parts(parts) => match &parts[..] {
            [IndexPart::Positions(positions)] => array.at(positions),
            parts => array.fancy_index(parts).and_then(|p| p.get()),
        },
        Key::Other => return numpy_getitem(this, key, ErrorKind::Unsupported),
    };
    match taken {
        Ok(taken) => new_object(py, to_py_result(py, Ok(taken))?),
        Err(error) if error.kind().is_final() => Err(crate::interpreter::error::to_py_err(py, error)),
        Err(error) => numpy_getitem(this, key, error.kind()),
    }
}

/// `this[key] = value`.
fn set(this: &Bound<'_, NdArray>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    if let Some(done) = with_basic_index(key, |parts| set_basic(array, parts, value))? {
        return finish_assignment(this, key, value, done);
    }
    let done = match parse_advanced(key)? {
        Key::Mask(mask) => assign_where(array, mask.array(py)?, value)?,
        Key::Positions(positions) => {
            let positions = positions.array(py)?;
            put(array, value, |value| array.set_at(positions, value))?
        }
        Key::Parts(parts) => match &parts[..] {
            [IndexPart::Mask(mask)] => assign_where(array, mask, value)?,
            [IndexPart::Positions(positions)] => put(array, value, |value| array.set_at(positions, value))?,
            parts => put(array, value, |value| array.fancy_index(parts)?.set(value))?,
        },
        Key::Other => LEFT_TO_NUMPY,
    };
    finish_assignment(this, key, value, done)
}

/// The slot of `this[key]`.
unsafe extern "C" fn subscript(this: *mut ffi::PyObject, key: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot of a class with one of its objects, a key that lives as long as the call, and the GIL held.
    unsafe { call_python(std::ptr::null_mut(), |py| Ok(get(&array_at(py, this), &object_at(py, key))?.into_ptr())) }
}

/// The slot of `this[key] = value` and, without a value, of `del this[key]`.
unsafe extern "C" fn assign_subscript(
    this: *mut ffi::PyObject,
    key: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> c_int {
    // SAFETY: as in `subscript`.
    unsafe {
        call_python(-1, |py| {
            if value.is_null() {
                return Err(PyValueError::new_err("cannot delete array elements"));
            }
            set(&array_at(py, this), &object_at(py, key), &object_at(py, value)).map(|()| 0)
        })
    }
}

pyo3::inventory::submit! {
    of_array(&[], &[
        ffi::PyType_Slot { slot: ffi::Py_mp_subscript, pfunc: subscript as *mut c_void },
        ffi::PyType_Slot { slot: ffi::Py_mp_ass_subscript, pfunc: assign_subscript as *mut c_void },
    ])
}

/// `this[parts]` for a basic index.
#[inline(always)]
fn basic<'py>(
    this: &Bound<'py, NdArray>,
    me: &Payload,
    array: &Array,
    parts: &[Index],
    key: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if let Some(value) = to_py_result(py, array.get(parts))? {
        return dtype::to_scalar(py, value);
    }
    match new_view_with(this, me, array, |view| view.set_index_of(array, parts))? {
        Ok(view) => Ok(view),
        Err(error) => numpy_getitem(this, key, error.kind()),
    }
}

/// The end of an assignment: by NumPy, if it was not done.
#[inline]
fn finish_assignment(
    this: &Bound<'_, NdArray>,
    key: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    done: Assigned,
) -> PyResult<()> {
    let py = this.py();
    if let Err(why) = done {
        numpy_method_after(this, "__setitem__", &PyTuple::new(py, [key, value])?, None, why)?;
    }
    to_py_result(py, Ok(()))
}

/// `array[parts] = value` for a basic index.
#[inline]
fn set_basic(array: &Array, parts: &[Index], value: &Bound<'_, PyAny>) -> PyResult<Assigned> {
    if set_element(array, parts, value)? {
        return Ok(Ok(()));
    }
    let one = parts.len() == array.ndim() && parts.iter().all(|p| matches!(p, Index::At(_)));
    match array.index(parts) {
        // NumPy raises an error for an array that is assigned to one element.
        Ok(view) => put(&view, value, |value| {
            if one && !value.shape().is_empty() {
                return Err(fastnp::Error::new(ErrorKind::Unsupported, "one element takes a number"));
            }
            view.assign(value)
        }),
        Err(error) => Ok(Err(error.kind())),
    }
}

/// `array[mask]` for a mask of the array's shape.
fn selected<'py>(py: Python<'py>, array: &Array, mask: &Array) -> PyResult<Bound<'py, PyAny>> {
    if let Some(taken) = to_py_result(py, select_now(array, mask))? {
        return new_object(py, taken);
    }
    let selection = to_py_result(py, Selection::new(array, mask))?;
    new_object(py, selection)
}

/// Calls NumPy's `__getitem__`: for a key that is not native, or for its error.
#[cold]
fn numpy_getitem<'py>(
    this: &Bound<'py, NdArray>,
    key: &Bound<'py, PyAny>,
    why: ErrorKind,
) -> PyResult<Bound<'py, PyAny>> {
    numpy_method_after(this, "__getitem__", &PyTuple::new(this.py(), [key])?, None, why)
}

/// `array[mask] = value`.
fn assign_where(array: &Array, mask: &Array, value: &Bound<'_, PyAny>) -> PyResult<Assigned> {
    if mask.ndim() > array.ndim() || mask.shape() != &array.shape()[..mask.ndim()] {
        return Ok(Err(ErrorKind::Index));
    }
    if let Arg::Ours(other) = parse_fast(value)?
        && let Some(selection) = other.selection()
        && selection.is_by(mask)
        && (array.dtype().is_complex() || !selection.dtype().is_complex())
        && selection.assign_to(array).is_ok()
    {
        return Ok(Ok(()));
    }
    put(array, value, |value| match value {
        Value::Array(values) if values.ndim() > 1 && mask.ndim() == array.ndim() => {
            Err(fastnp::Error::new(ErrorKind::Value, "values of several axes for a list of positions"))
        }
        Value::Array(values) if mask.ndim() == array.ndim() && values.may_share_memory(array) => {
            Err(fastnp::Error::new(ErrorKind::Unsupported, "NumPy reads what it has written by then"))
        }
        Value::Array(values) if values.ndim() == 1 && mask.ndim() == array.ndim() => put_selected(array, mask, values)
            .or_else(|_| array.fancy_index(&[IndexPart::Mask(mask.clone())])?.set(value)),
        Value::Array(_) => array.fancy_index(&[IndexPart::Mask(mask.clone())])?.set(value),
        number => {
            let mut shape = mask.shape_vec();
            shape.resize(array.ndim(), 1);
            array.assign_where(&mask.reshape(&shape)?, number)
        }
    })
}

/// An iterator over the first axis. An array of one axis is evaluated first.
pub(crate) fn iterate<'py>(this: &Bound<'py, NdArray>) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    let me = this.open();
    let array = me.array(py)?;
    if array.ndim() == 0 {
        return Err(PyTypeError::new_err("iteration over a 0-d array"));
    }
    if array.ndim() == 1 {
        to_py_result(py, array.address())?;
    }
    Ok(Bound::new(py, RowIterator { array: array.clone(), root: root(this, &me), at: AtomicUsize::new(0) })?.into_any())
}

/// Iterator over the first axis of an array.
#[pyclass(module = "fastnp._fastnp", frozen)]
struct RowIterator {
    array: Array,
    /// The owner of the memory, which is the base of each row.
    root: Py<NdArray>,
    at: AtomicUsize,
}

#[pymethods]
impl RowIterator {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    /// `(iter, (array,), position)`, as iterators of NumPy's arrays.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyAny>,), usize)> {
        let whole = Payload { repr: Repr::Dense(self.array.clone()), base: Some(self.root.clone_ref(py)) };
        let iter = py.import("builtins")?.getattr("iter")?;
        Ok((iter, (crate::object::construct::new_object(py, whole)?,), self.at.load(Ordering::Relaxed)))
    }

    /// Goes to a position.
    fn __setstate__(&self, at: usize) {
        self.at.store(at, Ordering::Relaxed);
    }
}

impl RowIterator {
    #[inline(always)]
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let at = self.at.load(Ordering::Relaxed);
        if at >= self.array.shape()[0] {
            return Ok(None);
        }
        // The load and the store are no atomic pair, but the GIL is held.
        self.at.store(at + 1, Ordering::Relaxed);
        if let Some(value) = to_py_result(py, self.array.element(at))? {
            return dtype::to_scalar(py, value).map(Some);
        }
        let at = [Index::At(at as isize)];
        let nothing = Payload { repr: Repr::Dense(self.array.empty_view()), base: Some(self.root.clone_ref(py)) };
        to_py_result(
            py,
            crate::object::object_pool::allocate_view(py, nothing, |row| row.set_index_of(&self.array, &at))?,
        )
        .map(Some)
    }
}

/// The slot of `next(rows)`.
unsafe extern "C" fn next_row(this: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot of a class with one of its objects and the GIL held. A null pointer without an exception ends it.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let this = object_at(py, this).cast_unchecked::<RowIterator>();
            Ok(this.get().next(py)?.map_or(std::ptr::null_mut(), Bound::into_ptr))
        })
    }
}

pyo3::inventory::submit! {
    of_row_iterator(&[ffi::PyType_Slot { slot: ffi::Py_tp_iternext, pfunc: next_row as *mut c_void }])
}

/// Slots to submit to the class of iterators.
const fn of_row_iterator(slots: &'static [ffi::PyType_Slot]) -> <RowIterator as PyClassImpl>::Inventory {
    <RowIterator as PyClassImpl>::Inventory::new(PyClassItems { methods: &[], slots })
}

/// The slot of `PySequence_GetItem`, which also ends a loop over the sequence protocol by `IndexError`.
unsafe extern "C" fn item(this: *mut ffi::PyObject, at: ffi::Py_ssize_t) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot of a class with one of its objects and the GIL held.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let this = array_at(py, this);
            let me = this.open();
            let array = me.array(py)?;
            let n = array.shape().first().map_or(0, |&n| n as isize);
            if at < 0 || at >= n {
                return Err(past_the_end(at, n));
            }
            let parts = [Index::At(at)];
            if let Some(value) = to_py_result(py, array.get(&parts))? {
                return dtype::to_scalar(py, value).map(Bound::into_ptr);
            }
            to_py_result(py, new_view_with(&this, &me, array, |view| view.set_index_of(array, &parts))?)
                .map(Bound::into_ptr)
        })
    }
}

/// The error for a position after the last item.
#[cold]
fn past_the_end(at: isize, n: isize) -> PyErr {
    PyIndexError::new_err(format!("index {at} is out of bounds for axis 0 with size {n}"))
}

/// The slot of `PySequence_SetItem`.
unsafe extern "C" fn assign_item(this: *mut ffi::PyObject, at: ffi::Py_ssize_t, value: *mut ffi::PyObject) -> c_int {
    // SAFETY: as in `item`; the key lives as long as the call.
    unsafe {
        call_python(-1, |py| {
            let key = at.into_pyobject(py)?;
            Ok(assign_subscript(this, key.as_ptr(), value))
        })
    }
}

pyo3::inventory::submit! {
    of_array(&[], &[
        ffi::PyType_Slot { slot: ffi::Py_sq_item, pfunc: item as *mut c_void },
        ffi::PyType_Slot { slot: ffi::Py_sq_ass_item, pfunc: assign_item as *mut c_void },
    ])
}
