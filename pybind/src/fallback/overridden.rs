//! Calls of ufuncs that an operand's class overrides (NEP 13), in their common form: operands only, and one class that overrides.
//!
//! Every other form, and classes that name fastnp, are left to `fastnp._fallback.override` in Python, which takes 3 µs. No frame of Python's is
//! between the class and the caller here.

use crate::fallback::value_types::{ValueType, value_type};
use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::dtype;
use crate::interpreter::fallback::fallback;
use crate::interpreter::gil_cell::GilCell;
use crate::interpreter::protocol;
use crate::interpreter::vectorcall::call_given;
use crate::object::header::is_numpys;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};
use smallvec::SmallVec;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;

/// How many classes are known not to name fastnp.
const MAX_CLASSES: usize = 256;

/// Weak references to those classes, by address.
static FOREIGN: GilCell<HashMap<usize, Py<PyAny>, AddressHash>> =
    GilCell::new(HashMap::with_hasher(BuildHasherDefault::new()));

/// The result of the `__array_ufunc__` of the one class among the operands that overrides a call of NumPy's ufunc; `None` if the call has another
/// form, or no class overrides it.
pub(crate) fn by_class<'py>(
    ufunc: &Bound<'py, PyAny>,
    operands: &[Bound<'py, PyAny>],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = ufunc.py();
    let mut found: Option<(&Bound<'py, PyAny>, Bound<'py, PyAny>)> = None;
    for operand in operands.iter().filter(|operand| value_type(operand) == ValueType::Other) {
        let class = operand.get_type();
        let Some(method) = protocol::of_class(&class, intern!(py, "__array_ufunc__"))? else { continue };
        match &found {
            Some((first, _)) if first.get_type().is(&class) => {}
            // Classes that derive from NumPy's may have its method.
            None if !method.is_none() && !class.is_subclass(dtype::types(py)?.array.bind(py))? => {
                found = Some((operand, method));
            }
            _ => return Ok(None),
        }
    }
    let Some((operand, method)) = found else { return Ok(None) };
    if !is_foreign(&operand.get_type())? {
        return Ok(None);
    }
    let mut arguments: SmallVec<[Bound<'py, PyAny>; 5]> = SmallVec::new();
    arguments.extend([operand.clone(), ufunc.clone(), intern!(py, "__call__").clone().into_any()]);
    arguments.extend(operands.iter().cloned());
    // SAFETY: positional arguments only.
    let result = unsafe { call_given(&method, &arguments, None)? };
    if is_numpys(&result) || result.is_instance_of::<PyTuple>() || result.is(py.NotImplemented()) {
        let operands = PyTuple::new(py, operands)?;
        return fallback(py, "of_override")?.call1((ufunc, operand, operands, result)).map(Some);
    }
    Ok(Some(result))
}

/// Whether the code of a class's `__array_ufunc__` does not name fastnp.
fn is_foreign(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let (py, address) = (class.py(), class.as_ptr().addr());
    let is_known = FOREIGN.with(py, |known| {
        known.get(&address).is_some_and(|weak| {
            // SAFETY: a weak reference. A class at the address of one that has ended is another object.
            unsafe { ffi::PyWeakref_GetObject(weak.as_ptr()) == class.as_ptr() }
        })
    });
    if is_known {
        return Ok(true);
    }
    if fallback(py, "names_fastnp")?.call1((class, intern!(py, "__array_ufunc__")))?.is_truthy()? {
        return Ok(false);
    }
    // SAFETY: classes can be referenced weakly.
    let weak =
        unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyWeakref_NewRef(class.as_ptr(), std::ptr::null_mut()))? };
    // Those of classes that have ended are among the many.
    let many =
        FOREIGN.with(py, |known| if known.len() < MAX_CLASSES { HashMap::default() } else { std::mem::take(known) });
    drop(many);
    let before = FOREIGN.with(py, |known| known.insert(address, weak.unbind()));
    drop(before);
    Ok(true)
}
