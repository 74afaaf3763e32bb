//! The items of lists of Python's numbers, as they lie in memory: read where a compiled loop is entered, stored back where it ends.
//!
//! Only exact classes are taken, so reading runs no Python code.

use crate::loops::parameter::word_of_int;
use pyo3::buffer::{Element, PyBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyList};

/// The type of a list's items, by the character of NumPy's for their memory.
#[derive(Clone, Copy)]
enum ItemKind {
    Int,
    Float,
    Bool,
}

impl ItemKind {
    fn of(char: &str) -> PyResult<ItemKind> {
        match char {
            "l" => Ok(ItemKind::Int),
            "d" => Ok(ItemKind::Float),
            "?" => Ok(ItemKind::Bool),
            _ => Err(PyValueError::new_err("items of lists are `l`, `d` or `?`")),
        }
    }

    fn size(self) -> usize {
        match self {
            ItemKind::Int | ItemKind::Float => 8,
            ItemKind::Bool => 1,
        }
    }

    /// Writes the items of a list into memory of their size; false if one is of another type, or an integer of more than 64 bits.
    fn read(self, list: &Bound<'_, PyList>, memory: &mut [u8]) -> bool {
        let list = list.as_ptr();
        let mut places = memory.chunks_exact_mut(self.size()).enumerate();
        // SAFETY: `list` is a list. An item stays while the interpreter is held and no Python code runs, which exact numbers run none of;
        // beyond the end there is none. References to items are not counted: that takes as long as all else.
        places.all(|(i, place)| unsafe {
            let item = ffi::PyList_GetItem(list, i as isize);
            let word = match self {
                _ if item.is_null() => None,
                ItemKind::Int => word_of_int(item),
                ItemKind::Float if ffi::PyFloat_CheckExact(item) != 0 => Some(ffi::PyFloat_AsDouble(item).to_bits()),
                ItemKind::Bool if item == ffi::Py_True() => Some(1),
                ItemKind::Bool if item == ffi::Py_False() => Some(0),
                ItemKind::Float | ItemKind::Bool => None,
            };
            let Some(word) = word else { return false };
            match place {
                [truth] => *truth = word as u8,
                _ => place.copy_from_slice(&word.to_ne_bytes()),
            }
            true
        })
    }
}

/// `list_items(list, char)`: the items as bytes, 3 to 5 ns an item; `None` if they are not all of this type.
#[pyfunction]
#[pyo3(signature = (list, char, /))]
fn list_items<'py>(list: &Bound<'py, PyList>, char: &str) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let items = ItemKind::of(char)?;
    let mut is_read = false;
    let bytes = PyBytes::new_with(list.py(), list.len() * items.size(), |memory| {
        is_read = items.read(list, memory);
        Ok(())
    })?;
    Ok(is_read.then_some(bytes))
}

/// `list_rows(list, char)`: the items of the lists in a list as bytes, row by row, and the identities of these lists, 8 bytes each. `None`
/// if they are not lists of one length with items of this type.
#[pyfunction]
#[pyo3(signature = (list, char, /))]
fn list_rows<'py>(
    list: &Bound<'py, PyList>,
    char: &str,
) -> PyResult<Option<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)>> {
    let (py, items) = (list.py(), ItemKind::of(char)?);
    let row = |number: usize| list.get_item(number).ok().and_then(|row| row.cast_into_exact::<PyList>().ok());
    let Some(width) = row(0).map(|first| first.len()) else { return Ok(None) };
    let (bytes, mut is_read) = (width * items.size(), true);
    let identities = PyBytes::new_with(py, list.len() * 8, |memory| {
        for (number, place) in memory.chunks_exact_mut(8).enumerate() {
            let Some(row) = row(number).filter(|row| row.len() == width) else {
                is_read = false;
                break;
            };
            place.copy_from_slice(&row.as_ptr().addr().to_ne_bytes());
        }
        Ok(())
    })?;
    if !is_read {
        return Ok(None);
    }
    let found = PyBytes::new_with(py, list.len() * bytes, |memory| {
        for number in 0..if bytes == 0 { 0 } else { list.len() } {
            let place = &mut memory[number * bytes..(number + 1) * bytes];
            is_read = is_read && row(number).is_some_and(|row| items.read(&row, place));
        }
        Ok(())
    })?;
    Ok(is_read.then_some((found, identities)))
}

/// `put_list_items(list, char, after, before)`: stores in a list the items that are different after a run; both are their bits as unsigned
/// integers.
///
/// # Errors
/// `IndexError` where the list has become shorter meanwhile.
#[pyfunction]
#[pyo3(signature = (list, char, after, before, /))]
fn put_list_items(
    list: &Bound<'_, PyList>,
    char: &str,
    after: &Bound<'_, PyAny>,
    before: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let py = list.py();
    match ItemKind::of(char)? {
        ItemKind::Int => put::<u64>(after, before, |i, word| list.set_item(i, word.cast_signed())),
        ItemKind::Float => {
            put::<u64>(after, before, |i, word| list.set_item(i, PyFloat::new(py, f64::from_bits(word))))
        }
        ItemKind::Bool => put::<u8>(after, before, |i, byte| list.set_item(i, PyBool::new(py, byte != 0))),
    }
}

fn put<T: Element + Copy + PartialEq>(
    after: &Bound<'_, PyAny>,
    before: &Bound<'_, PyAny>,
    store: impl Fn(usize, T) -> PyResult<()>,
) -> PyResult<()> {
    let (after, before) = (PyBuffer::<T>::get(after)?, PyBuffer::<T>::get(before)?);
    if !(after.is_c_contiguous() && before.is_c_contiguous()) {
        return Err(PyValueError::new_err("the items do not lie one after another"));
    }
    for i in 0..after.item_count().min(before.item_count()) {
        // SAFETY: both have so many elements of type `T`, dense and aligned, as long as the buffers are held.
        let (new, old) = unsafe { (*after.buf_ptr().cast::<T>().add(i), *before.buf_ptr().cast::<T>().add(i)) };
        if new != old {
            store(i, new)?;
        }
    }
    Ok(())
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(list_items, module)?)?;
    module.add_function(wrap_pyfunction!(list_rows, module)?)?;
    module.add_function(wrap_pyfunction!(put_list_items, module)?)
}
