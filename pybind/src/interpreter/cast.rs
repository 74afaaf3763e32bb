//! Casts of objects whose answer may well be no.

use pyo3::PyTypeInfo;
use pyo3::prelude::*;

/// An object as one of exactly the class `T`, not of a derived one. [`Bound::cast_exact`] takes and releases a reference to the class for
/// its error where the answer is no: four nanoseconds.
#[inline(always)]
pub(crate) fn exactly<'a, 'py, T: PyTypeInfo>(object: &'a Bound<'py, PyAny>) -> Option<&'a Bound<'py, T>> {
    // SAFETY: the object is of that class.
    object.is_exact_instance_of::<T>().then(|| unsafe { object.cast_unchecked() })
}
