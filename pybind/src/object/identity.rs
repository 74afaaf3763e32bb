//! One object for one array: `np.asarray(x)` of NumPy's array `x` gives the same array of ours each time, and `numpy.asarray(a)` of ours the
//! same array of NumPy's, while the last one lives.
//!
//! Under NumPy both calls return their argument, so programs convert two arguments and ask whether they are one array, and a callback that is
//! given the same array again converts it with 250 instructions instead of 1,600.
//!
//! A pair is found by the address of the array that was converted. It is used only while both headers say the same: shape, strides, type,
//! address and flags of either may have been set since. Arrays of ours note that they are in the table, and leave it when they end. Arrays
//! of NumPy's are held by weak references.

use crate::interpreter::gil_cell::GilCell;
use crate::interpreter::raw_call::new_reference;
use crate::object::header::{Header, is_numpys};
use crate::object::import_table::{self, PLACES, place_of};
use crate::object::ndarray::NdArray;
use numpy::npyffi::{
    NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS, NPY_ARRAY_WRITEABLE, PyArrayObject,
};
use pyo3::ffi;
use pyo3::prelude::*;

/// The flags of a header that say what an array is. Who owns the memory differs between the two arrays of a pair.
const FLAGS: i32 = NPY_ARRAY_ALIGNED | NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_WRITEABLE;

/// An array of ours, by its address, and a weak reference to the array of NumPy's on its memory.
struct Export {
    ours: usize,
    view: *mut ffi::PyObject,
}

// SAFETY: the pointer is used with the GIL held.
unsafe impl Send for Export {}

static EXPORTS: GilCell<[Export; PLACES]> =
    GilCell::new([const { Export { ours: 0, view: std::ptr::null_mut() } }; PLACES]);

/// Whether two arrays have the same elements in the same order, by their headers.
///
/// # Safety
/// Both are arrays, of NumPy's class or of ours.
#[inline]
unsafe fn are_alike(a: *mut ffi::PyObject, b: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract; there are so many extents and strides. A guarded page is opened when it is read.
    unsafe {
        let (a, b) = (&(*a.cast::<PyArrayObject>()).fields, &(*b.cast::<PyArrayObject>()).fields);
        a.data == b.data
            && a.nd == b.nd
            && a.descr == b.descr
            && (a.flags ^ b.flags) & FLAGS == 0
            && (0..a.nd as usize)
                .all(|i| *a.dimensions.add(i) == *b.dimensions.add(i) && *a.strides.add(i) == *b.strides.add(i))
    }
}

/// The array of ours for an array of NumPy's, if [`remember_import`] was told of one that lives and is still like it.
#[inline]
pub(crate) fn imported<'py>(numpys: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let (py, address) = (numpys.py(), numpys.as_ptr());
    let ours = import_table::find(py, address.addr())?;
    // SAFETY: an array leaves the table when it ends, so this is one. Without references it is ending now.
    if unsafe { ffi::Py_REFCNT(ours) } == 0 {
        return None;
    }
    // SAFETY: as above. A header may have to be computed, which lets other threads run, so the array is held.
    let ours = unsafe { Bound::from_owned_ptr(py, new_reference(ours)) };
    // SAFETY: the caller's is an array of NumPy's class.
    unsafe { are_alike(address, ours.as_ptr()) }.then_some(ours)
}

/// Notes the array of ours that an array of NumPy's was converted to.
#[inline]
pub(crate) fn remember_import<'py>(numpys: &Bound<'py, PyAny>, ours: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    let address = numpys.as_ptr().addr();
    if ours.is_exact_instance_of::<NdArray>() {
        import_table::add(ours.py(), address, ours.as_ptr());
        // SAFETY: the object is of the class.
        unsafe { Header::set_imported_from(ours.as_ptr(), address) };
    }
    ours
}

/// The array of NumPy's that [`remember_view`] was told of for an array of ours, if it lives and is still like it: a new reference, or null.
///
/// # Safety
/// The object is an array of ours.
#[inline]
pub(crate) unsafe fn known_view(py: Python<'_>, ours: *mut ffi::PyObject) -> *mut ffi::PyObject {
    let found = EXPORTS.with(py, |all| {
        let known = &all[place_of(ours.addr())];
        if known.ours != ours.addr() {
            return None;
        }
        // SAFETY: the table has a reference to the weak reference. Where its array is gone this is `None`.
        unsafe { Some(Bound::from_owned_ptr(py, new_reference(ffi::PyWeakref_GetObject(known.view)))) }
    });
    let Some(view) = found.filter(is_numpys) else { return std::ptr::null_mut() };
    // SAFETY: an array of NumPy's on the memory of one of ours keeps it as its base; one whose base it is not belongs to an array that was at
    // this address before. The caller's is an array of ours.
    let is_view =
        unsafe { (*view.as_ptr().cast::<PyArrayObject>()).fields.base == ours && are_alike(view.as_ptr(), ours) };
    if is_view { view.into_ptr() } else { std::ptr::null_mut() }
}

/// Notes the array of NumPy's that an array of ours was converted to, if it has that one as its base.
///
/// # Safety
/// The first object is an array of ours.
pub(crate) unsafe fn remember_view(py: Python<'_>, ours: *mut ffi::PyObject, view: *mut ffi::PyObject) {
    // SAFETY: the caller's contract, and the class is checked before the base is read.
    unsafe {
        if view.is_null()
            || !is_numpys(&Bound::from_borrowed_ptr(py, view))
            || (*view.cast::<PyArrayObject>()).fields.base != ours
        {
            return;
        }
        let weak = ffi::PyWeakref_NewRef(view, std::ptr::null_mut());
        if weak.is_null() {
            // Without memory there is no pair.
            return ffi::PyErr_Clear();
        }
        let known = Export { ours: ours.addr(), view: weak };
        let before = EXPORTS.with(py, |all| std::mem::replace(&mut all[place_of(ours.addr())], known));
        ffi::Py_XDECREF(before.view);
    }
}
