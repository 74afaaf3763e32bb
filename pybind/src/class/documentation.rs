//! Documentation of the extension's functions and methods: the text of the installed NumPy.
//!
//! Python reads the text and the signature of a builtin from its definition, which is compiled in. So each builtin is defined again
//! around the same function with NumPy's text. That takes 2 us each at import, and nothing at a call.

use crate::interpreter::error::to_py_result;
use crate::object::ndarray::NdArray;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyString, PyType};
use std::ffi::CString;

/// Sets NumPy's text on every function of the module and every method of the array class that NumPy has under the same name.
pub(crate) fn document(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let numpy = py.import("numpy")?;
    for (name, value) in module.dict() {
        let name = name.cast_into::<PyString>()?;
        let Ok(function) = value.cast_into::<PyCFunction>() else { continue };
        if let Some(original) = numpy.getattr_opt(&name)?
            && let Some(text) = text(&function, &original)?
        {
            module.setattr(&name, redefined(&function, None, text)?)?;
        }
    }
    let class = py.get_type::<NdArray>();
    let numpys = numpy.getattr("ndarray")?;
    // From a slice, not by an operation: nothing is compiled at import.
    let sample = to_py_result(py, fastnp::Array::from_slice(&[0.0], &[1]))?;
    let sample = crate::object::construct::new_object(py, sample)?;
    for name in class.getattr("__dict__")?.call_method0("copy")?.try_iter()? {
        let name = name?.cast_into::<PyString>()?;
        // Only methods are builtins when read from an object.
        let defined = class.getattr("__dict__")?.get_item(&name)?;
        if defined.get_type().name()? != "method_descriptor" {
            continue;
        }
        let method = sample.getattr(&name)?.cast_into::<PyCFunction>()?;
        if let Some(original) = numpys.getattr_opt(&name)?
            && let Some(text) = text(&method, &original)?
        {
            class.setattr(&name, redefined(&method, Some(&class), text)?)?;
        }
    }
    Ok(())
}

/// The text of a definition: the signature in Python's format (NumPy's if it has one), then NumPy's text. `None` if NumPy was loaded
/// without docstrings.
fn text(function: &Bound<'_, PyCFunction>, original: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let Ok(text) = original.getattr("__doc__")?.extract::<String>() else { return Ok(None) };
    let signature = |of: &Bound<'_, PyAny>| -> PyResult<Option<String>> {
        Ok(of.getattr_opt("__text_signature__")?.and_then(|s| s.extract().ok()))
    };
    Ok(Some(match signature(original)?.map_or_else(|| signature(function), |s| Ok(Some(s)))? {
        Some(signature) => {
            let name = function.getattr("__name__")?;
            format!("{name}{signature}\n--\n\n{text}")
        }
        None => text,
    }))
}

/// The same function with another text: a method of `class`, or a function of the module.
fn redefined<'py>(
    function: &Bound<'py, PyCFunction>,
    class: Option<&Bound<'py, PyType>>,
    text: String,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let name = CString::new(function.getattr("__name__")?.extract::<String>()?)?;
    let text = CString::new(text)?;
    // SAFETY: the object is a builtin function; function, flags and name are those of its own definition. The new definition
    // and its strings are leaked, because a builtin keeps a pointer to its definition: some 90, once a process.
    unsafe {
        let called = ffi::PyCFunction_GetFunction(function.as_ptr()).ok_or_else(|| PyErr::fetch(py))?;
        let definition = Box::leak(Box::new(ffi::PyMethodDef {
            ml_name: name.into_raw(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunction: called },
            ml_flags: ffi::PyCFunction_GetFlags(function.as_ptr()),
            ml_doc: text.into_raw(),
        }));
        let made = match class {
            Some(class) => ffi::PyDescr_NewMethod(class.as_type_ptr(), definition),
            None => {
                let module = function.getattr("__module__")?;
                let slf = ffi::PyCFunction_GetSelf(function.as_ptr());
                ffi::PyCFunction_NewEx(definition, slf, module.as_ptr())
            }
        };
        Bound::from_owned_ptr_or_err(py, made)
    }
}
