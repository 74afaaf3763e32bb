//! Protocols: attributes of an object's class, by which the object takes part in what NumPy and others do with it.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};
use std::ffi::c_void;
use std::sync::LazyLock;

/// An attribute of a class or a base, borrowed; null if there is none.
type Lookup = unsafe extern "C" fn(*mut ffi::PyTypeObject, *mut ffi::PyObject) -> *mut ffi::PyObject;

/// CPython's own look-up, where it exports it. It is not in the limited API, whose way makes an exception for an attribute that is not there:
/// 300 ns.
static LOOKUP: LazyLock<Option<Lookup>> = LazyLock::new(|| {
    // SAFETY: a name that ends with a zero; what has it is this function, in every version so far.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"_PyType_Lookup".as_ptr());
        (!found.is_null()).then(|| std::mem::transmute::<*mut c_void, Lookup>(found))
    }
});

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

/// Whether it is known that neither a class nor its metaclass, nor a base of these, has an attribute, and that the metaclass invents none. The
/// name is that of a protocol, which `type` has not.
fn is_nowhere(class: &Bound<'_, PyType>, name: &Bound<'_, PyString>) -> bool {
    let Some(lookup) = *LOOKUP else { return false };
    // SAFETY: a class, its class, and a string, which live during the calls; what is found is not used. Every class has the slot.
    unsafe {
        let metaclass = ffi::Py_TYPE(class.as_ptr());
        let usual = &raw mut ffi::PyType_Type;
        let getter = |class| ffi::PyType_GetSlot(class, ffi::Py_tp_getattro);
        let has_none = |class| lookup(class, name.as_ptr()).is_null();
        debug_assert!(has_none(usual), "an attribute of classes");
        has_none(class.as_type_ptr())
            && (metaclass == usual || getter(metaclass) == getter(usual) && has_none(metaclass))
    }
}
