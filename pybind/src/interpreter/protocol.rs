//! Protocols: attributes of an object's class, by which the object takes part in what NumPy and others do with it.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

unsafe extern "C" {
    // Every CPython exports this function. It is not in the limited API, whose way makes an exception for an attribute that is not there:
    // 300 ns.
    fn _PyType_Lookup(class: *mut ffi::PyTypeObject, name: *mut ffi::PyObject) -> *mut ffi::PyObject;
}

/// An attribute of a class; `None` if it has none.
pub(crate) fn of_class<'py>(
    class: &Bound<'py, PyType>,
    name: &Bound<'py, PyString>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_nowhere(class, name) { Ok(None) } else { class.getattr_opt(name) }
}

/// Whether a class has an attribute.
pub(crate) fn has(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> PyResult<bool> {
    Ok(!is_nowhere(class, name) && class.hasattr(name)?)
}

/// Whether neither a class nor its metaclass, nor a base of these, has an attribute, and the metaclass invents none.
fn is_nowhere(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> bool {
    // SAFETY: a class, its class, and a string, which live during the calls; what is found is not used. Every class has the slot.
    unsafe {
        let metaclass = ffi::Py_TYPE(class.as_ptr());
        let usual = &raw mut ffi::PyType_Type;
        let getter = |class| ffi::PyType_GetSlot(class, ffi::Py_tp_getattro);
        (metaclass == usual || getter(metaclass) == getter(usual))
            && _PyType_Lookup(class.as_type_ptr(), name.as_ptr()).is_null()
            && _PyType_Lookup(metaclass, name.as_ptr()).is_null()
    }
}
