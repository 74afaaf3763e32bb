//! Functions of the module that make arrays of what is given: `array`, `asarray` and their kin.

use crate::call::argument::{Arg, alone, quick};
use crate::call::concatenate::nested;
use crate::call::dtype;
use crate::call::parse::{Arguments, Function, entry};
use crate::deliver;
use crate::interop::foreign::{copy_of, is_numpy};
use crate::object::ndarray::{NdArray, object};
use crate::object::payload::Open;
use fastnp::{Array, Order, Value};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyTuple};

/// What `array`, `asarray` and their kin have in common: the object as an array of ours, or as NumPy makes it.
fn converted<'py>(call: Arguments<'_, 'py>, name: &str, copies: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some(array) = call.sole().and_then(|value| value.cast_exact::<NdArray>().ok()) {
        return if copies {
            object(py, deliver(py, array.open().array(py)?.copy(Order::K))?)
        } else {
            Ok(array.as_any().clone())
        };
    }
    if copies
        && let Some(value) = call.sole()
        && let Some(array) = copy_of(value, |_, _| true)?
    {
        return object(py, array);
    }
    if let [value] = call.positions()
        && let Some(array) = listed(value, call)?
    {
        return object(py, array);
    }
    // NumPy's arrays without axes count as numbers elsewhere, but have memory to share.
    if let Some(value) = call.sole()
        && !is_numpy(value)?
        && let Arg::Number(number) = quick(value)?
    {
        return object(py, deliver(py, Array::full(&[], alone(number), Order::C))?);
    }
    if let Some(value) = call.first("object").or_else(|| call.first("a"))
        && is_elsewhere(value)?
    {
        let ours = py.import("fastnp._fastnp")?.getattr(name)?;
        return py.import("fastnp._interop.interchange")?.getattr("converted")?.call1((
            ours,
            call.tuple()?,
            call.dict()?,
        ));
    }
    call.numpy(name)
}

/// Whether an object says that it has memory on a device.
fn is_elsewhere(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_known = value.is_exact_instance_of::<NdArray>()
        || value.is_instance_of::<PyList>()
        || value.is_instance_of::<PyTuple>()
        || is_numpy(value)?;
    if is_known {
        return Ok(false);
    }
    let py = value.py();
    // Asked of the class, as an object may make up what it is asked for.
    let class = value.get_type();
    if class.hasattr(intern!(py, "__cuda_array_interface__"))? {
        return Ok(value.getattr_opt(intern!(py, "__cuda_array_interface__"))?.is_some());
    }
    if !class.hasattr(intern!(py, "__dlpack_device__"))? {
        return Ok(false);
    }
    let Some(asked) = value.getattr_opt(intern!(py, "__dlpack_device__"))? else { return Ok(false) };
    py.import("fastnp._interop.interchange")?.getattr("is_elsewhere")?.call1((asked.call0()?,))?.extract()
}

/// An array of a list of numbers, with no argument but perhaps a native dtype; none where the long way has to be gone.
fn listed(value: &Bound<'_, PyAny>, call: Arguments<'_, '_>) -> PyResult<Option<Array>> {
    let types = dtype::types(value.py())?;
    let Some([_, dtype]) = call.read(["", "dtype"])? else { return Ok(None) };
    if dtype.is_none()
        && let Ok(list) = value.cast_exact::<PyList>()
        && let Some(array) = flat_list(list)?.map_or_else(|| nested(list), |array| Ok(Some(array)))?
    {
        return Ok(Some(array));
    }
    // Where the first innermost item is a number nearly always all are; NumPy reads whatever comes after it.
    let mut item = value.clone();
    for _ in 0..=fastnp::MAX_DIMS {
        let Ok(list) = item.cast_exact::<PyList>() else { break };
        match list.get_item(0) {
            Ok(first) => item = first,
            Err(_) => return Ok(None),
        }
    }
    let number = item.is_exact_instance_of::<PyFloat>()
        || item.is_exact_instance_of::<PyInt>()
        || item.is_exact_instance_of::<PyBool>()
        || item.is_exact_instance_of::<PyComplex>();
    if !number || item.is(value) {
        return Ok(None);
    }
    let made = match dtype {
        None => types.as_array(value)?,
        Some(dtype) => types.as_array_of(value, dtype)?,
    };
    if dtype::of_descriptor(&made.getattr("dtype")?)?.is_none() {
        return Ok(None);
    }
    crate::interop::foreign::from_numpy(&made).map(Some)
}

/// An array of a list that holds nothing but floats, or nothing but integers that fit.
pub(crate) fn flat_list(list: &Bound<'_, PyList>) -> PyResult<Option<Array>> {
    let Ok(first) = list.get_item(0) else { return Ok(None) };
    if first.is_exact_instance_of::<PyFloat>() {
        let mut values: Vec<f64> = Vec::with_capacity(list.len());
        for item in list {
            match item.cast_exact::<PyFloat>() {
                Ok(x) => values.push(x.value()),
                Err(_) => return Ok(None),
            }
        }
        return Ok(Array::from_slice(&values, &[values.len()]).ok());
    }
    if !first.is_exact_instance_of::<PyInt>() {
        return Ok(None);
    }
    let mut values: Vec<i64> = Vec::with_capacity(list.len());
    for item in list {
        match quick(&item)? {
            Arg::Number(Value::Int(i)) => values.push(i),
            _ => return Ok(None),
        }
    }
    Ok(Array::from_slice(&values, &[values.len()]).ok())
}

/// `ascontiguousarray` and `asfortranarray`.
fn dense<'py>(call: Arguments<'_, 'py>, name: &str, order: Order) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some(given) = call.sole().and_then(|value| value.cast_exact::<NdArray>().ok()) {
        let me = given.open();
        let array = me.array(py)?;
        if array.ndim() > 0 {
            let already = if order == Order::C { array.is_c_contiguous() } else { array.is_f_contiguous() };
            return if already { Ok(given.as_any().clone()) } else { object(py, deliver(py, array.copy(order))?) };
        }
    }
    call.numpy(name)
}

/// `asarray`, or `asanyarray` where `ANY`, which mostly are given an array and give it back: before anything is read of the call,
/// which takes as long again as NumPy's answer.
unsafe extern "C" fn as_array<const ANY: bool>(
    module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it by its convention, with the GIL held; one argument is there where it counts one.
    unsafe {
        if count == 1 && names.is_null() {
            let class = NdArray::type_object_raw(Python::assume_attached());
            if ffi::Py_TYPE(*args) == class {
                ffi::Py_IncRef(*args);
                return *args;
            }
        }
        let entry = if ANY {
            entry!(|call| converted(call, "asanyarray", false))
        } else {
            entry!(|call| converted(call, "asarray", false))
        };
        entry(module, args, count, names)
    }
}

/// NumPy's functions of these names.
const FUNCTIONS: [Function; 6] = [
    (
        c"array",
        c"array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, ndmax=0, like=None)\n--\n\n",
        entry!(|call| converted(call, "array", true)),
    ),
    (c"copy", c"copy(a, order='K', subok=False)\n--\n\n", entry!(|call| converted(call, "copy", true))),
    (
        c"asarray",
        c"asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n",
        as_array::<false>,
    ),
    (
        c"asanyarray",
        c"asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)\n--\n\n",
        as_array::<true>,
    ),
    (
        c"ascontiguousarray",
        c"ascontiguousarray(a, dtype=None, *, like=None)\n--\n\n",
        entry!(|call| dense(call, "ascontiguousarray", Order::C)),
    ),
    (
        c"asfortranarray",
        c"asfortranarray(a, dtype=None, *, like=None)\n--\n\n",
        entry!(|call| dense(call, "asfortranarray", Order::F)),
    ),
];

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::call::parse::add(module, &FUNCTIONS)
}
