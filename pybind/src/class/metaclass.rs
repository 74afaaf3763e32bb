//! The array class as an object: its constructor, its metaclass, and replacement of an array's payload.
//!
//! No class derives from it: the metaclass makes classes that programs derive from `ndarray` derive from NumPy's.

use crate::interop::numpy_memory::adopt;
use crate::interpreter::dtype;
use crate::interpreter::fallback::fallback;
use crate::interpreter::gil_cell::GilCell;
use crate::object::ndarray::NdArray;
use crate::object::payload::{Open, Repr};
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyDict, PySequence, PyTuple, PyType};
use std::ffi::{c_int, c_void};

/// `ndarray(shape, dtype, buffer, …)`: NumPy parses the arguments, and its memory is imported. The result stays a NumPy array if its
/// type is not native or its memory unaligned.
///
/// A buffer that is an array of ours is passed as NumPy's view of it. NumPy's constructor releases a buffer at once and keeps its owner, so
/// the owner must be what says that the memory is in use: then later operations on the array are not deferred.
pub(crate) fn construct<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let kwargs = kwargs.map_or_else(|| PyDict::new(py), Bound::clone);
    let views = fallback(py, "to_views")?.call1((args, kwargs))?;
    let args = views.get_item(0)?.cast_into::<PySequence>()?.to_tuple()?;
    let kwargs = views.get_item(1)?.cast_into::<PyDict>()?;
    let made = dtype::types(py)?.array.bind(py).call(args, Some(&kwargs))?;
    match adopt(&made) {
        Ok(contents) => crate::object::construct::new_object(py, contents),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(made),
        Err(error) => Err(error),
    }
}

/// `replace(x, y)`: gives `x` the array of `y`, for operations that change an array in place.
#[pyfunction]
pub(crate) fn replace(x: &Bound<'_, NdArray>, y: &Bound<'_, NdArray>) -> PyResult<()> {
    let array = y.open().array(x.py())?.clone();
    crate::object::ndarray::replace(x, Repr::Dense(array))
}

/// The values of attributes that are read from the class itself, by name.
static UNBOUND: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// `metaclass(unbound)`: a metaclass that returns these attributes for its class, before the class's own.
///
/// It affects `ndarray.sum`, not attributes of objects. It is a C slot, because NumPy reads protocols from the class at every
/// operation with a scalar, which `__getattribute__` in Python makes twice as slow.
#[pyfunction]
pub(crate) fn metaclass<'py>(py: Python<'py>, unbound: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyAny>> {
    UNBOUND.set(py, unbound.unbind()).map_err(|_| PyRuntimeError::new_err("the metaclass was made before"))?;
    let mut slots = [
        ffi::PyType_Slot { slot: ffi::Py_tp_getattro, pfunc: class_getattr as *mut c_void },
        ffi::PyType_Slot { slot: 0, pfunc: std::ptr::null_mut() },
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"fastnp._fastnp.Metaclass".as_ptr(),
        basicsize: 0,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_BASETYPE) as u32,
        slots: slots.as_mut_ptr(),
    };
    let bases = PyTuple::new(py, [py.get_type::<PyType>()])?;
    // SAFETY: the specification lives until the call returns, and the name is static; a size of 0 is the base's.
    unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpecWithBases(&mut spec, bases.as_ptr())) }
}

/// The attribute that NumPy reads from the class at every operation with a scalar, four times for `scalar * array`: the name, the
/// class, and the method, which is never replaced. (The general path takes 150 instructions.)
static PROTOCOL: PyOnceLock<[Py<PyAny>; 3]> = PyOnceLock::new();

/// Where the interpreter was when `__array_function__` was last read from the class: the frame's address and its instruction.
///
/// NumPy's dispatch reads it there, and then sorts the arguments: one that is an instance of another's class goes first. NumPy's arrays,
/// which are instances of ours for programs, must not go before ours, or NumPy's own implementation runs. A program that asks is at another
/// instruction by then.
static DISPATCH: GilCell<(usize, c_int)> = GilCell::new((0, 0));

/// The frame that runs and its instruction; zeros where there is none.
fn position(py: Python<'_>) -> (usize, c_int) {
    // SAFETY: a borrowed reference to the frame that runs, which lives as long as this call.
    unsafe {
        let frame = ffi::PyEval_GetFrame();
        let instruction = Bound::from_borrowed_ptr_or_opt(py, frame.cast())
            .and_then(|frame| frame.getattr(intern!(py, "f_lasti")).ok()?.extract::<c_int>().ok());
        instruction.map_or((0, 0), |instruction| (frame.addr(), instruction))
    }
}

/// `is_instance(value)`: whether `isinstance(value, ndarray)` holds: for our arrays and NumPy's, except when NumPy's dispatch asks for the
/// order of its arguments.
#[pyfunction]
pub(crate) fn is_instance(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = value.py();
    let array = dtype::types(py)?.array.bind(py);
    if value.is_exact_instance(array) {
        let dispatch = DISPATCH.with(py, std::mem::take);
        return Ok(dispatch == (0, 0) || dispatch != position(py));
    }
    value.is_instance(array)
}

/// The slot `tp_getattro` of the metaclass.
unsafe extern "C" fn class_getattr(class: *mut ffi::PyObject, name: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls a slot with the GIL held.
    let py = unsafe { Python::assume_attached() };
    if let Some([protocol, ours, method]) = PROTOCOL.get(py)
        && name == protocol.as_ptr()
        && class == ours.as_ptr()
    {
        return method.clone_ref(py).into_ptr();
    }
    if name == intern!(py, "__array_function__").as_ptr() {
        let position = position(py);
        DISPATCH.with(py, |dispatch| *dispatch = position);
    }
    if let Some(unbound) = UNBOUND.get(py) {
        // SAFETY: a dictionary and a string; the borrowed reference becomes the caller's own.
        unsafe {
            let found = ffi::PyDict_GetItemWithError(unbound.as_ptr(), name);
            if !found.is_null() {
                ffi::Py_INCREF(found);
                return found;
            }
        }
    }
    static OF_TYPES: PyOnceLock<ffi::getattrofunc> = PyOnceLock::new();
    // SAFETY: the slot of `type` takes the same arguments as this one.
    unsafe {
        let of_types = OF_TYPES.get_or_init(py, || {
            let slot = ffi::PyType_GetSlot(&raw mut ffi::PyType_Type, ffi::Py_tp_getattro);
            std::mem::transmute::<*mut c_void, ffi::getattrofunc>(slot)
        });
        of_types(class, name)
    }
}

/// `set_metaclass(metaclass)`: sets the metaclass of the array class, which PyO3 cannot create it with.
///
/// # Errors
/// `TypeError` unless the metaclass derives from `type` without adding to its layout.
#[pyfunction]
pub(crate) fn set_metaclass(py: Python<'_>, metaclass: &Bound<'_, PyType>) -> PyResult<()> {
    let class = NdArray::type_object(py);
    let name = intern!(py, "__array_ufunc__");
    let known = [name.clone().into_any(), class.clone().into_any(), class.getattr(name)?].map(Bound::unbind);
    PROTOCOL.set(py, known).map_err(|_| PyRuntimeError::new_err("the metaclass was set before"))?;
    give_metaclass(&class, metaclass)
}

/// `set_ufunc_metaclass(ufunc, metaclass)`: the same for the class of ufuncs.
///
/// # Errors
/// As above; `TypeError` for another class.
#[pyfunction]
pub(crate) fn set_ufunc_metaclass(class: &Bound<'_, PyType>, metaclass: &Bound<'_, PyType>) -> PyResult<()> {
    if !class.is_subclass_of::<crate::call::ufunc::Ufunc>()? {
        return Err(PyTypeError::new_err("not the class of ufuncs"));
    }
    give_metaclass(class, metaclass)
}

/// Sets the metaclass of a class of this module.
fn give_metaclass(class: &Bound<'_, PyType>, metaclass: &Bound<'_, PyType>) -> PyResult<()> {
    let of_types = class.py().get_type::<PyType>();
    let size = |t: &Bound<'_, PyType>| t.getattr("__basicsize__")?.extract::<usize>();
    if !metaclass.is_subclass(&of_types)? || size(metaclass)? != size(&of_types)? {
        return Err(PyTypeError::new_err("the metaclass must be a type laid out as `type` is"));
    }
    // SAFETY: the type of a type object may be any metaclass of this layout; the class keeps a reference to it for ever, as to any type
    // made at run time.
    unsafe { (*class.as_ptr()).ob_type = metaclass.clone().into_ptr().cast() };
    Ok(())
}
