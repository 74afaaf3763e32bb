//! The arrays of ours that arrays of NumPy's were converted to, by the address of these. What it is for stands in [`crate::object::identity`].

use crate::interpreter::gil_cell::GilCell;
use pyo3::ffi;
use pyo3::prelude::*;

/// Places of a table; an array has one of them, by its address.
pub(crate) const PLACES: usize = 64;

/// An array of NumPy's, by its address, and the array of ours on its memory, which is alive or ending.
#[derive(Clone, Copy)]
struct Import {
    numpys: usize,
    ours: *mut ffi::PyObject,
}

// SAFETY: the pointer is used with the GIL held.
unsafe impl Send for Import {}

const NONE: Import = Import { numpys: 0, ours: std::ptr::null_mut() };

static IMPORTS: GilCell<[Import; PLACES]> = GilCell::new([NONE; PLACES]);

/// The place of an address. Objects are 16 bytes apart at least.
#[inline(always)]
pub(crate) fn place_of(address: usize) -> usize {
    (address >> 4 ^ address >> 10) % PLACES
}

/// The array of ours for the array of NumPy's at an address.
#[inline]
pub(crate) fn find(py: Python<'_>, numpys: usize) -> Option<*mut ffi::PyObject> {
    let known = IMPORTS.with(py, |all| all[place_of(numpys)]);
    (known.numpys == numpys).then_some(known.ours)
}

/// Notes the array of ours for the array of NumPy's at an address. It must be removed when it ends.
#[inline]
pub(crate) fn add(py: Python<'_>, numpys: usize, ours: *mut ffi::PyObject) {
    IMPORTS.with(py, |all| all[place_of(numpys)] = Import { numpys, ours });
}

/// Removes an array of ours that ends, and was converted from the array of NumPy's at this address.
#[cold]
pub(crate) fn remove(py: Python<'_>, numpys: usize, ours: *mut ffi::PyObject) {
    IMPORTS.with(py, |all| {
        let known = &mut all[place_of(numpys)];
        if known.ours == ours {
            *known = NONE;
        }
    });
}
