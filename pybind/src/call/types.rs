//! `result_type` and `can_cast`: NumPy's own, which reads the type that an array of ours has.

use crate::fallback::by_name::{direct, function};
use crate::fallback::value_types::{ValueType, value_type};
use crate::interpreter::fastcall::{Arguments, Function, entry};
use crate::interpreter::vectorcall::PyObject_Vectorcall;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyTuple};

/// Calls NumPy's function of a name, which looks at types only. Where an argument may have its own version of it NumPy gets the types of
/// arrays of ours in their place.
fn of_types<'py>(call: Arguments<'_, 'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    let (py, all) = (call.py(), call.after(0));
    let is_known =
        |value: &Bound<'_, PyAny>| matches!(value_type(value), ValueType::Plain | ValueType::Numpys | ValueType::Ours);
    if all.iter().all(is_known) {
        let names = call.names().map_or(std::ptr::null_mut(), |names| names.as_ptr());
        let function = direct(py, name)?;
        // SAFETY: a `Bound` is a pointer to an object, and the arguments live during the call; the last are those of the names.
        return unsafe {
            let result = PyObject_Vectorcall(function.as_ptr(), all.as_ptr().cast(), call.positions().len(), names);
            Bound::from_owned_ptr_or_err(py, result)
        };
    }
    let typed = |value: &Bound<'py, PyAny>| match value_type(value) {
        ValueType::Ours => value.getattr(intern!(py, "dtype")),
        _ => Ok(value.clone()),
    };
    let positions = call.positions().iter().map(typed).collect::<PyResult<Vec<_>>>()?;
    let named = PyDict::new(py);
    for (name, value) in call.named() {
        named.set_item(name, typed(value)?)?;
    }
    function(py, name)?.call(PyTuple::new(py, positions)?, Some(&named))
}

/// The functions of this file, by NumPy's names.
const TYPE_FUNCTIONS: [Function; 2] = [
    (c"result_type", c"result_type(*arrays_and_dtypes)\n--\n\n", entry!(|call| of_types(call, "result_type"))),
    (c"can_cast", c"can_cast(from_, to, casting='safe')\n--\n\n", entry!(|call| of_types(call, "can_cast"))),
];

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::interpreter::fastcall::add(module, &TYPE_FUNCTIONS)
}
