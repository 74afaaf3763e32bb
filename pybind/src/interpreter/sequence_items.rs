//! The items of lists and tuples where they lie in memory: a call of Python's for each takes 2 ns.
//!
//! Where they lie has no name in the stable ABI. The places are those of every Python so far, and they are used only if the item of a list and
//! of a tuple is found there.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyTuple};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes from a list to the pointer to its items.
const OF_LIST: usize = 3 * size_of::<usize>();
/// Bytes from a tuple to its first item: behind its length, and from Python 3.14 on behind its hash.
const OF_TUPLE: [usize; 2] = [3 * size_of::<usize>(), 4 * size_of::<usize>()];

/// What [`find`] found; zero where the items are at none of the places. Accessed with the GIL held.
static LIST: AtomicUsize = AtomicUsize::new(0);
static TUPLE: AtomicUsize = AtomicUsize::new(0);

/// Finds the places.
pub(crate) fn find(py: Python<'_>) -> PyResult<()> {
    // Two, so that a tuple of either layout is as large as what is read of it.
    let items = [PyFloat::new(py, 0.5), PyFloat::new(py, 1.5)];
    let (list, tuple) = (PyList::new(py, &items)?, PyTuple::new(py, &items)?);
    let known = items[0].as_ptr();
    // SAFETY: a list object is larger than that; the pointer there leads to the items, or is no address of the heap and null.
    unsafe {
        let in_list = list.as_ptr().byte_add(OF_LIST).cast::<*mut *mut ffi::PyObject>().read();
        if !in_list.is_null() && *in_list == known {
            LIST.store(OF_LIST, Ordering::Relaxed);
        }
        let is_there = |place: &usize| tuple.as_ptr().byte_add(*place).cast::<*mut ffi::PyObject>().read() == known;
        TUPLE.store(OF_TUPLE.into_iter().find(is_there).unwrap_or(0), Ordering::Relaxed);
    }
    Ok(())
}

/// The items of a list; null where it has no memory for any, or they are not at the known place.
///
/// # Safety
/// The object is a list, and the GIL is held. The items are where the pointer says as long as the list does not change.
#[inline(always)]
pub(crate) unsafe fn of_list(list: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
    match LIST.load(Ordering::Relaxed) {
        0 => std::ptr::null_mut(),
        // SAFETY: the caller's contract; the place was checked.
        place => unsafe { list.byte_add(place).cast::<*mut *mut ffi::PyObject>().read() },
    }
}

/// The items of a tuple; null where they are not at a known place.
///
/// # Safety
/// The object is a tuple, and the GIL is held.
#[inline(always)]
pub(crate) unsafe fn of_tuple(tuple: *mut ffi::PyObject) -> *mut *mut ffi::PyObject {
    match TUPLE.load(Ordering::Relaxed) {
        0 => std::ptr::null_mut(),
        // SAFETY: the caller's contract; the place was checked.
        place => unsafe { tuple.byte_add(place).cast() },
    }
}

/// The items of a list or tuple, as borrowed references.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a, 'py> {
    pub(crate) sequence: &'a Bound<'py, PyAny>,
    pub(crate) count: usize,
    is_list: bool,
    /// Null where Python is to be asked for each.
    at: *mut *mut ffi::PyObject,
}

impl<'a, 'py> Items<'a, 'py> {
    /// Of an object whose class is exactly that of lists or of tuples.
    #[inline]
    pub(crate) fn of(sequence: &'a Bound<'py, PyAny>) -> Option<Items<'a, 'py>> {
        let object = sequence.as_ptr();
        // SAFETY: the classes are checked.
        unsafe {
            if ffi::PyList_CheckExact(object) != 0 {
                let (count, at) = (ffi::PyList_Size(object) as usize, of_list(object));
                return Some(Items { sequence, count, is_list: true, at });
            }
            if ffi::PyTuple_CheckExact(object) != 0 {
                let (count, at) = (ffi::PyTuple_Size(object) as usize, of_tuple(object));
                return Some(Items { sequence, count, is_list: false, at });
            }
        }
        None
    }

    /// # Safety
    /// The index is less than the count, and the sequence has not changed.
    #[inline(always)]
    pub(crate) unsafe fn get(self, i: usize) -> *mut ffi::PyObject {
        // SAFETY: the caller's contract.
        unsafe {
            match (self.at.is_null(), self.is_list) {
                (false, _) => self.at.add(i).read(),
                (true, true) => ffi::PyList_GetItem(self.sequence.as_ptr(), i as isize),
                (true, false) => ffi::PyTuple_GetItem(self.sequence.as_ptr(), i as isize),
            }
        }
    }
}
