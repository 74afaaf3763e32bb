//! Attributes that are slots of their class, read without looking them up by name.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_void;

/// An attribute that is a slot of its class: its descriptor, and the function that reads it. An attribute by name takes three times as long.
pub(crate) struct Slot {
    descriptor: Py<PyAny>,
    get: ffi::descrgetfunc,
}

impl Slot {
    /// The slot of a descriptor.
    ///
    /// # Errors
    /// `TypeError` for an object that is no descriptor.
    pub(crate) fn new(descriptor: &Bound<'_, PyAny>) -> PyResult<Slot> {
        // SAFETY: every object has a class, which has the slot or not; the slot is a function of this type.
        let get = unsafe {
            let get = ffi::PyType_GetSlot(ffi::Py_TYPE(descriptor.as_ptr()), ffi::Py_tp_descr_get);
            std::mem::transmute::<*mut c_void, Option<ffi::descrgetfunc>>(get)
        };
        let get = get.ok_or_else(|| PyTypeError::new_err("the attribute is no slot"))?;
        Ok(Slot { descriptor: descriptor.clone().unbind(), get })
    }

    /// The attribute of an object.
    ///
    /// # Errors
    /// `TypeError` if the object is of another class; `AttributeError` if it has none yet.
    pub(crate) fn of<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the function takes the descriptor, any object and its class, and returns a new reference or null.
        unsafe {
            let class = ffi::Py_TYPE(object.as_ptr());
            let value = (self.get)(self.descriptor.as_ptr(), object.as_ptr(), class.cast());
            Bound::from_owned_ptr_or_err(object.py(), value)
        }
    }
}
