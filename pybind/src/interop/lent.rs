//! The NumPy arrays on memory of ours that are lent to a function for one call: they have no base that says whose memory it is.

use crate::object::ndarray::NdArray;
use pyo3::ffi;
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The addresses of a view that is lent, and of the array of ours it was made from, which the lender keeps alive.
struct Lent {
    view: usize,
    owner: *mut ffi::PyObject,
}

// SAFETY: the pointer is used with the GIL held.
unsafe impl Send for Lent {}

/// Those of all calls that have not returned, the latest last. Locked with the GIL held, and never while Python runs.
static LENT: Mutex<Vec<Lent>> = Mutex::new(Vec::new());

fn lent() -> MutexGuard<'static, Vec<Lent>> {
    LENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Notes that a view of an array is lent.
///
/// # Safety
/// The array lives until the view is taken back.
pub(crate) unsafe fn lend(view: &Bound<'_, PyAny>, owner: &Bound<'_, NdArray>) {
    lent().push(Lent { view: view.as_ptr().addr(), owner: owner.as_ptr() });
}

/// Ends the loan of a view, if it is lent.
pub(crate) fn take_back(view: &Bound<'_, PyAny>) {
    let mut lent = lent();
    if let Some(at) = lent.iter().rposition(|lent| lent.view == view.as_ptr().addr()) {
        lent.swap_remove(at);
    }
}

/// The array that an object is a view of, if it is lent.
pub(crate) fn owner_of<'py>(object: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let lent = lent();
    let found = lent.iter().find(|lent| lent.view == object.as_ptr().addr())?;
    // SAFETY: the lender keeps it alive.
    Some(unsafe { Bound::from_borrowed_ptr(object.py(), found.owner) })
}
