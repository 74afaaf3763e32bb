//! What dictionaries and sets hold where a compiled loop is entered: their items in order, and how a set lies in memory, which says in which
//! order it has what is added later.

use crate::loops::list_layout::{Item, Number, Owner, TableClass};
use fastnp_scalar::tables::{self, Form, REMOVED};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFloat, PyInt, PyList, PySet, PyType};

/// The items of a dictionary, or of a set, each its own value: references that the object has, and nothing else holds.
pub(crate) struct Entries {
    pub(crate) items: Vec<(*mut ffi::PyObject, *mut ffi::PyObject)>,
    /// Of a set the slots, and how many of them are or were used.
    pub(crate) slots: Option<(Vec<u32>, usize)>,
}

/// A set as CPython has it (`Include/cpython/setobject.h`), as far as it is read here.
#[repr(C)]
struct SetObject {
    base: ffi::PyObject,
    fill: isize,
    used: isize,
    mask: isize,
    table: *const SetEntry,
}

#[repr(C)]
struct SetEntry {
    key: *mut ffi::PyObject,
    hash: isize,
}

/// The items of a dictionary or a set of exactly a class; none of other objects.
pub(crate) fn of(object: &Bound<'_, PyAny>, class: TableClass) -> PyResult<Option<Entries>> {
    let py = object.py();
    let is_one = match class {
        TableClass::Set => return Ok(object.cast_exact::<PySet>().ok().and_then(of_set)),
        TableClass::Dict => object.is_exact_instance_of::<PyDict>(),
        TableClass::Counter => object.is_exact_instance(counter(py)?),
        TableClass::DefaultOfInt
        | TableClass::DefaultOfFloat
        | TableClass::DefaultOfList
        | TableClass::DefaultOfSet => {
            object.is_exact_instance(default_dict(py)?)
                && object.getattr(intern!(py, "default_factory"))?.is(factory(py, class))
        }
    };
    Ok(if is_one { of_dict(object.cast()?) } else { None })
}

/// A dictionary or a set of a class, which is empty.
pub(crate) fn made(py: Python<'_>, class: TableClass) -> PyResult<Bound<'_, PyAny>> {
    match class {
        TableClass::Set => Ok(PySet::empty(py)?.into_any()),
        TableClass::Dict => Ok(PyDict::new(py).into_any()),
        TableClass::Counter => counter(py)?.call0(),
        TableClass::DefaultOfInt
        | TableClass::DefaultOfFloat
        | TableClass::DefaultOfList
        | TableClass::DefaultOfSet => default_dict(py)?.call1((factory(py, class),)),
    }
}

fn counter(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static COUNTER: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    COUNTER.import(py, "collections", "Counter")
}

fn default_dict(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static DEFAULT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    DEFAULT.import(py, "collections", "defaultdict")
}

/// What makes the value of a key that is missing.
fn factory(py: Python<'_>, class: TableClass) -> Bound<'_, PyType> {
    match class {
        TableClass::DefaultOfFloat => py.get_type::<PyFloat>(),
        TableClass::DefaultOfList => py.get_type::<PyList>(),
        TableClass::DefaultOfSet => py.get_type::<PySet>(),
        TableClass::Set | TableClass::Dict | TableClass::Counter | TableClass::DefaultOfInt => py.get_type::<PyInt>(),
    }
}

fn of_dict(dictionary: &Bound<'_, PyDict>) -> Option<Entries> {
    let mut items = Vec::with_capacity(dictionary.len());
    let (mut at, mut key, mut value) = (0, std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: a dictionary that is held, and nothing changes it meanwhile.
    while unsafe { ffi::PyDict_Next(dictionary.as_ptr(), &raw mut at, &raw mut key, &raw mut value) } != 0 {
        items.push((key, value));
    }
    Some(Entries { items, slots: None })
}

fn of_set(set: &Bound<'_, PySet>) -> Option<Entries> {
    // SAFETY: an object of exactly the class, which nothing changes while the interpreter is held and no Python code runs. The package asks
    // `replayed_set` first whether the sets of this Python are those of the sources that are named above.
    unsafe {
        let found = &*set.as_ptr().cast::<SetObject>();
        if found.used != set.len() as isize || !(found.mask + 1).cast_unsigned().is_power_of_two() {
            return None;
        }
        let (mut items, mut slots) = (Vec::with_capacity(set.len()), vec![0; (found.mask + 1) as usize]);
        for (at, slot) in slots.iter_mut().enumerate() {
            let entry = &*found.table.add(at);
            if entry.key.is_null() {
                continue;
            }
            if entry.hash == -1 {
                *slot = REMOVED;
                continue;
            }
            items.push((entry.key, entry.key));
            *slot = items.len() as u32;
        }
        Some(Entries { items, slots: Some((slots, found.fill as usize)) })
    }
}

/// Reads one of Python's numbers, or a tuple of them, to words: whether it is one; none where the item may be something else.
///
/// # Safety
/// The object stays during the call, and the interpreter is held.
pub(crate) unsafe fn read_plain(object: *mut ffi::PyObject, item: &Item, words: &mut [u64]) -> Option<bool> {
    let is_plain = |number: &Number| number.owner == Owner::Python && !number.has_tag();
    // SAFETY: the caller's contract; a tuple has its items as long as it is there.
    unsafe {
        match item {
            Item::Number(number) if is_plain(number) => {
                let word = number.word_of_pythons(object);
                words[0] = word.unwrap_or(0);
                Some(word.is_some())
            }
            Item::Tuple(fields) if fields.iter().all(is_plain) => {
                if ffi::PyTuple_CheckExact(object) == 0 || ffi::PyTuple_Size(object) != fields.len() as isize {
                    return Some(false);
                }
                Some(fields.iter().zip(words).enumerate().all(|(k, (field, word))| {
                    let found = field.word_of_pythons(ffi::PyTuple_GetItem(object, k as isize));
                    *word = found.unwrap_or(0);
                    found.is_some_and(|word| !field.is_nan(word))
                }))
            }
            _ => None,
        }
    }
}

/// `replayed_set(operations, width)`: the keys of a set in order, as compiled loops have them, after operations on an empty set: whether a
/// key is added, else removed, and the key, of so many integers, which is a tuple if there are several.
#[pyfunction]
fn replayed_set(operations: Vec<(bool, Vec<i64>)>, width: usize) -> PyResult<Vec<Vec<i64>>> {
    if !(1..=8).contains(&width) || operations.iter().any(|(_, key)| key.len() != width) {
        return Err(PyValueError::new_err("keys of other lengths"));
    }
    let words = |key: Vec<i64>| key.into_iter().map(i64::cast_unsigned).collect();
    let operations: Vec<(bool, Vec<u64>)> =
        operations.into_iter().map(|(is_added, key)| (is_added, words(key))).collect();
    let found = tables::replayed(Form::new(width, 0, width > 1, true), &operations);
    Ok(found.into_iter().map(|key| key.into_iter().map(u64::cast_signed).collect()).collect())
}

/// Adds the function.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(replayed_set, module)?)?;
    Ok(())
}
