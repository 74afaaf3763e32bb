//! Python's integers of 64 bits at most: read without an exception, and made.

use pyo3::ffi;

/// The value of an object that is exactly an `int`; `None` for any other object, and for more than 64 bits.
///
/// # Safety
/// `object` points to a live object, and the GIL is held.
#[inline(always)]
pub(crate) unsafe fn int_at(object: *mut ffi::PyObject) -> Option<i64> {
    let mut overflow = 0;
    // SAFETY: the caller's contract. An exact int runs no Python code and sets no exception: too large a one is reported in `overflow`.
    unsafe {
        if ffi::PyLong_CheckExact(object) == 0 {
            return None;
        }
        let value = ffi::PyLong_AsLongLongAndOverflow(object, &raw mut overflow);
        (overflow == 0).then_some(value)
    }
}

/// A new reference to an `int`; null with an exception set if there is no memory.
///
/// Up to 3.13 `PyLong_FromLong` alone has a way for numbers of one digit of Python's: `PyLong_FromSsize_t` and `PyLong_FromLongLong` take 2 ns more,
/// of the 37 of `a.shape`.
///
/// # Safety
/// The GIL is held.
#[inline(always)]
pub(crate) unsafe fn new_int(value: i64) -> *mut ffi::PyObject {
    // SAFETY: the caller's contract.
    unsafe {
        #[cfg(all(unix, target_pointer_width = "64"))]
        return ffi::PyLong_FromLong(value);
        #[cfg(not(all(unix, target_pointer_width = "64")))]
        return ffi::PyLong_FromLongLong(value);
    }
}
