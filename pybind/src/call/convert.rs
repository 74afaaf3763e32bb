//! Conversion functions: `array`, `asarray`, `copy`, `ascontiguousarray` and others.

use crate::call::argument::{Arg, parse_fast, strong_scalar};
use crate::call::array_list::of_arrays;
use crate::call::number_list::of_numbers;
use crate::fallback::by_name::{numpy, numpy_counted, numpys_own};
use crate::fallback::run::is_all_plain;
use crate::interop::numpy_creation::of_sequence;
use crate::interop::numpy_memory::{copy_of, import, is_dense, is_numpy};
use crate::interpreter::cast::exactly;
use crate::interpreter::dtype;
use crate::interpreter::dtype::{RequestedType, is_numpys_alone};
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::{Arguments, Function, entry};
use crate::interpreter::protocol;
use crate::interpreter::raw_call::{new_reference, object_at};
use crate::interpreter::sequence_items::Items;
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::identity::{imported, remember_import};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, Order};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyBool, PyComplex, PyFloat, PyInt, PyList, PyTuple};

/// `array`, `asarray`, `asanyarray` and `copy`: natively for common arguments, else by NumPy.
fn converted<'py>(call: Arguments<'_, 'py>, name: &'static str, copies: bool) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some(array) = call.sole().and_then(exactly::<NdArray>) {
        return if copies {
            new_object(py, to_py_result(py, array.open().array(py)?.copy(Order::K))?)
        } else {
            Ok(array.as_any().clone())
        };
    }
    if let Some(value) = call.sole()
        && is_numpys(value)
    {
        if copies {
            if let Some(array) = copy_of(value, |_| true)? {
                return new_object(py, array);
            }
        } else if let Some(array) = shared(value)? {
            return Ok(array);
        }
    }
    if let [value] | [value, _] = call.positions()
        && (value.is_exact_instance_of::<PyList>() || value.is_exact_instance_of::<PyTuple>())
        && let Some([_, Some(dtype)]) = call.read(["", "dtype"])?
        && is_numpys_alone(dtype)
    {
        return match is_all_plain(value) {
            true if name != "copy" => of_sequence(value, dtype, copies),
            true => numpys_own(call, name),
            false => numpy(call, name),
        };
    }
    if let [value] | [value, _] = call.positions()
        && name != "copy"
        && let Ok(array) = value.cast_exact::<NdArray>()
        && let Some([_, Some(dtype)]) = call.read(["", "dtype"])?
        && !dtype.is_none()
        && let RequestedType::Native(dtype) = dtype::requested(dtype)?
    {
        let me = array.open();
        let given = me.array(py)?;
        return match given.dtype() == dtype {
            true if !copies => Ok(array.as_any().clone()),
            true => new_object(py, to_py_result(py, given.copy(Order::K))?),
            false => numpy(call, name),
        };
    }
    if let [value] | [value, _] = call.positions()
        && (name != "copy" || call.positions().len() == 1)
        && let Some(array) = from_list(value, call)?
    {
        return new_object(py, array);
    }
    // NumPy's arrays without axes are numbers in operations, but have memory that `asarray` must share.
    if let Some(value) = call.sole()
        && !is_numpys(value)
        && let Arg::Number(number) = parse_fast(value)?
        && !is_numpy(value)?
    {
        return new_object(py, to_py_result(py, Array::full(&[], strong_scalar(number), Order::C))?);
    }
    if let Some(value) = call.first("object").or_else(|| call.first("a"))
        && is_on_device(value)?
    {
        let ours = py.import("fastnp._fastnp")?.getattr(name)?;
        return py.import("fastnp._interop.interchange")?.getattr("converted")?.call1((
            ours,
            call.tuple()?,
            call.dict()?,
        ));
    }
    numpy(call, name)
}

/// The array of ours on the memory of a NumPy array: the one it was converted to before, if that lives. `None` if its type is not native, or it
/// is unaligned.
pub(crate) fn shared<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(known) = imported(value) {
        return Ok(Some(known));
    }
    match import(value) {
        Ok(payload) => Ok(Some(remember_import(value, new_object(value.py(), payload)?))),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether an object exports memory on a device.
fn is_on_device(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_exact_instance_of::<NdArray>() || value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>()
    {
        return Ok(false);
    }
    let py = value.py();
    // The class is asked, because an object may invent any attribute.
    let class = value.get_type();
    let has_interface = protocol::has(&class, intern!(py, "__cuda_array_interface__"))?;
    if !has_interface && !protocol::has(&class, intern!(py, "__dlpack_device__"))? || is_numpy(value)? {
        return Ok(false);
    }
    if has_interface {
        return Ok(value.getattr_opt(intern!(py, "__cuda_array_interface__"))?.is_some());
    }
    let Some(requested) = value.getattr_opt(intern!(py, "__dlpack_device__"))? else { return Ok(false) };
    py.import("fastnp._interop.interchange")?.getattr("is_device_memory")?.call1((requested.call0()?,))?.extract()
}

/// An array of a (nested) list of numbers, with no other argument but a native dtype; `None` if it is left to NumPy.
fn from_list(value: &Bound<'_, PyAny>, call: Arguments<'_, '_>) -> PyResult<Option<Array>> {
    if !value.is_exact_instance_of::<PyList>() && !value.is_exact_instance_of::<PyTuple>() {
        return Ok(None);
    }
    let types = dtype::types(value.py())?;
    let Some([_, dtype]) = call.read(["", "dtype"])? else { return Ok(None) };
    let dtype = dtype.filter(|dtype| !dtype.is_none());
    let native = match dtype.map(dtype::requested).transpose()? {
        Some(RequestedType::Native(dtype)) => Some(dtype),
        Some(RequestedType::Other) => return Ok(None),
        None => None,
    };
    if let Some(array) = of_numbers(value, native) {
        return Ok(Some(array));
    }
    if dtype.is_none()
        && let Some(array) = of_arrays(value)?
    {
        return Ok(Some(array));
    }
    // Only lists whose first innermost item is a number: then nearly always all items are. NumPy parses the list.
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
    crate::interop::numpy_memory::from_numpy(&made).map(Some)
}

/// `fromiter`: natively for all numbers of a list or tuple, else by NumPy.
fn from_iter<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(items), Some(dtype), count]) = call.read(["iter", "dtype", "count"])?
        && let Some(length) = length_of(items)
        && let Some(count) = count.map_or(Some(-1), |count| count.extract::<isize>().ok())
        && (count == -1 || count == length)
        && let RequestedType::Native(dtype) = dtype::requested(dtype)?
        && let Some(array) = of_numbers(items, Some(dtype)).filter(|array| array.ndim() == 1)
    {
        return new_object(call.py(), array);
    }
    numpy_counted(call, "fromiter")
}

/// How many items a list or tuple has.
fn length_of(items: &Bound<'_, PyAny>) -> Option<isize> {
    Items::of(items).map(|items| items.count as isize)
}

/// `ascontiguousarray` and `asfortranarray`.
fn dense<'py>(call: Arguments<'_, 'py>, name: &'static str, order: Order) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some(given) = call.sole().and_then(exactly::<NdArray>) {
        let me = given.open();
        let array = me.array(py)?;
        if array.ndim() > 0 {
            let already = if order == Order::C { array.is_c_contiguous() } else { array.is_f_contiguous() };
            return if already {
                Ok(given.as_any().clone())
            } else {
                new_object(py, to_py_result(py, array.copy(order))?)
            };
        }
    }
    if let Some(given) = call.sole()
        && is_numpys(given)
        && is_dense(given, order)
        && let Some(array) = shared(given)?
    {
        return Ok(array);
    }
    numpy(call, name)
}

/// `asarray`, or `asanyarray` if `ANY`. The common call gets an array and returns it, or the one it was converted to: these cases come
/// before the arguments are parsed, which would take as long as NumPy's whole call.
unsafe extern "C" fn as_array<const ANY: bool>(
    module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls it by the fastcall convention with the GIL held; with a count of one there is one argument.
    unsafe {
        if count == 1 && names.is_null() {
            let py = Python::assume_attached();
            if ffi::Py_TYPE(*args) == NdArray::type_object_raw(py) {
                return new_reference(*args);
            }
            let given = object_at(py, *args);
            if is_numpys(&given)
                && let Some(known) = imported(&given)
            {
                return known.into_ptr();
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

/// `ascontiguousarray`. The common call gets an array of NumPy's that it was given before: 30 ns, 40 where the arguments are parsed.
unsafe extern "C" fn as_contiguous(
    module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as for `as_array`.
    unsafe {
        if count == 1 && names.is_null() {
            let given = object_at(Python::assume_attached(), *args);
            if is_numpys(&given)
                && is_dense(&given, Order::C)
                && let Some(known) = imported(&given)
            {
                return known.into_ptr();
            }
        }
        entry!(|call| dense(call, "ascontiguousarray", Order::C))(module, args, count, names)
    }
}

/// The functions of this file, by NumPy's names.
const CONVERT_FUNCTIONS: [Function; 7] = [
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
    (c"fromiter", c"fromiter(iter, dtype, count=-1, *, like=None)\n--\n\n", entry!(from_iter)),
    (c"ascontiguousarray", c"ascontiguousarray(a, dtype=None, *, like=None)\n--\n\n", as_contiguous),
    (
        c"asfortranarray",
        c"asfortranarray(a, dtype=None, *, like=None)\n--\n\n",
        entry!(|call| dense(call, "asfortranarray", Order::F)),
    ),
];

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::interpreter::fastcall::add(module, &CONVERT_FUNCTIONS)
}
