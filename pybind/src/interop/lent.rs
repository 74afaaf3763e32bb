//! The NumPy arrays on memory of ours that are lent to a function for one call: they have no base that says whose memory it is.

use crate::interpreter::gil_cell::GilCell;
use crate::object::ndarray::NdArray;
use pyo3::ffi;
use pyo3::prelude::*;

/// The addresses of a view that is lent, and of the array of ours it was made from, which the lender keeps alive.
struct Lent {
    view: usize,
    owner: *mut ffi::PyObject,
}

// SAFETY: the pointer is used with the GIL held.
unsafe impl Send for Lent {}

/// Those of all calls that have not returned, the latest last.
static LENT: GilCell<Vec<Lent>> = GilCell::new(Vec::new());

/// Notes that a view of an array is lent.
///
/// # Safety
/// The array lives until the view is taken back.
#[inline]
pub(crate) unsafe fn lend(view: &Bound<'_, PyAny>, owner: &Bound<'_, NdArray>) {
    let lent = Lent { view: view.as_ptr().addr(), owner: owner.as_ptr() };
    LENT.with(view.py(), |all| all.push(lent));
}

/// Ends the loan of a view, if it is lent.
#[inline]
pub(crate) fn take_back(view: &Bound<'_, PyAny>) {
    LENT.with(view.py(), |all| {
        if let Some(at) = all.iter().rposition(|lent| lent.view == view.as_ptr().addr()) {
            all.swap_remove(at);
        }
    });
}

/// The array that an object is a view of, if it is lent.
pub(crate) fn owner_of<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let address = object.as_ptr().addr();
    let owner = LENT.with(object.py(), |all| all.iter().find(|lent| lent.view == address).map(|lent| lent.owner))?;
    // SAFETY: the lender keeps it alive.
    Some(unsafe { Bound::from_borrowed_ptr(object.py(), owner) })
}
