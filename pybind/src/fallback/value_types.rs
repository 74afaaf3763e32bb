//! What a value is to a call of NumPy's, by its type: whether it may hold an array of ours, or take part in NumPy's protocols.

use crate::interpreter::address_hash::AddressHash;
use crate::interpreter::dtype::{self, Types};
use crate::interpreter::gil_cell::GilCell;
use crate::interpreter::protocol;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use pyo3::exceptions::PyRuntimeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyFloat, PyFrozenSet, PyInt, PyList, PyTuple, PyType};
use std::collections::HashSet;
use std::ffi::c_ulong;
use std::hash::BuildHasherDefault;

/// The types whose objects hold no array and implement no protocol, by address, and the set that keeps them.
static PLAIN: PyOnceLock<(HashSet<usize, AddressHash>, Py<PyFrozenSet>)> = PyOnceLock::new();

/// The flag of types that are made at run time.
const HEAP_TYPE: c_ulong = 1 << 9;

/// Other types whose objects may be passed to NumPy's functions as they are, by address: all are static, so they live and stay as they are.
static OPAQUE: GilCell<HashSet<usize, AddressHash>> = GilCell::new(HashSet::with_hasher(BuildHasherDefault::new()));

/// What a value is to a call of NumPy's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueType {
    /// Passed as it is: a number, a string, a dtype.
    Plain,
    /// An array of NumPy's own class.
    Numpys,
    /// An array of ours.
    Ours,
    /// A list or tuple.
    Sequence,
    /// Anything else.
    Other,
}

/// What a value is, by its type alone. Inlined, as calls ask it of each argument two or three times: as a function it takes 30 instructions.
#[inline(always)]
pub(crate) fn value_type(value: &Bound<'_, PyAny>) -> ValueType {
    if value.is_exact_instance_of::<NdArray>() {
        return ValueType::Ours;
    }
    if is_numpys(value) {
        return ValueType::Numpys;
    }
    // The usual numbers, and types as `dtype=`, are found without the table of types.
    if value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyType>()
    {
        return ValueType::Plain;
    }
    if value.is_exact_instance_of::<PyTuple>() || value.is_exact_instance_of::<PyList>() {
        return ValueType::Sequence;
    }
    other_type(value)
}

/// [`value_type`] of a value of another type.
#[inline(never)]
fn other_type(value: &Bound<'_, PyAny>) -> ValueType {
    // SAFETY: every object has a type.
    let kind = unsafe { ffi::Py_TYPE(value.as_ptr()) }.addr();
    if PLAIN.get(value.py()).is_some_and(|(types, _)| types.contains(&kind)) {
        return ValueType::Plain;
    }
    ValueType::Other
}

/// Whether [`is_opaque`] has found that a value of another type may be passed to NumPy's functions as it is.
#[inline]
pub(crate) fn is_known_opaque(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: every object has a type.
    let class = unsafe { ffi::Py_TYPE(value.as_ptr()) }.addr();
    OPAQUE.with(value.py(), |opaque| opaque.contains(&class))
}

/// Whether an object of another type may be passed to a function of NumPy's, or a ufunc, as it is: NumPy knows its class, or sees no array in
/// it.
pub(crate) fn is_opaque(value: &Bound<'_, PyAny>, by_ufunc: bool) -> PyResult<bool> {
    let py = value.py();
    let (types, class) = (dtype::types(py)?, value.get_type());
    // A class made at run time may get a protocol later, and may end.
    // SAFETY: a type object.
    let is_static = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) } & HEAP_TYPE == 0;
    if is_static && !by_ufunc {
        let address = class.as_ptr().addr();
        if OPAQUE.with(py, |opaque| opaque.contains(&address)) {
            return Ok(true);
        }
        let found = sees_no_array(&class, types, by_ufunc)?;
        if found {
            OPAQUE.with(py, |opaque| opaque.insert(address));
        }
        return Ok(found);
    }
    sees_no_array(&class, types, by_ufunc)
}

/// [`is_opaque`] of the objects of a class.
fn sees_no_array(class: &Bound<'_, PyType>, types: &Types, by_ufunc: bool) -> PyResult<bool> {
    let py = class.py();
    let derives_from = |base: &Bound<'_, PyType>| {
        // SAFETY: two classes.
        unsafe { ffi::PyType_IsSubtype(class.as_type_ptr(), base.as_type_ptr()) != 0 }
    };
    let has_own_ufuncs = protocol::has(class, intern!(py, "__array_ufunc__"))?;
    let has_own_functions = protocol::has(class, intern!(py, "__array_function__"))?;
    // A function asks a class such as `pandas.Series` for its array, which is not one that stands for an array of ours.
    if has_own_ufuncs && !has_own_functions && !by_ufunc || derives_from(types.generic.bind(py)) {
        return Ok(true);
    }
    let array = types.array.bind(py);
    if derives_from(array) {
        // Unless it has its own version of NumPy's functions.
        let protocol = if by_ufunc { intern!(py, "__array_ufunc__") } else { intern!(py, "__array_function__") };
        return Ok(class.getattr(protocol)?.is(&array.getattr(protocol)?));
    }
    if by_ufunc && has_own_ufuncs || has_own_functions {
        return Ok(false);
    }
    Ok(has_own_ufuncs || !protocol::has(class, intern!(py, "__array__"))?)
}

/// `set_plain_types(types)`: the types whose objects hold no array.
#[pyfunction]
pub(crate) fn set_plain_types(types: &Bound<'_, PyFrozenSet>) -> PyResult<()> {
    let addresses = types.iter().map(|kind| kind.as_ptr().addr()).collect();
    PLAIN
        .set(types.py(), (addresses, types.clone().unbind()))
        .map_err(|_| PyRuntimeError::new_err("the types were set before"))
}
