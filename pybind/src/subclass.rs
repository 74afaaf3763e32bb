//! Arrays of classes derived from `ndarray`: making them, and NumPy's `__array_finalize__`.
//!
//! A derived class is a Python class, so its objects have a dictionary and their own attributes. The engine knows nothing of them: views
//! and copies keep the class here, every computation goes to NumPy, which knows the rules (`__array_priority__`,
//! `__array_wrap__`), with a stand-in for the object.

use crate::contents::{Contents, Open, Repr};
use crate::dtype;
use crate::foreign::import;
use crate::ndarray::NdArray;
use pyo3::PyClassInitializer;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{PyDict, PyTuple, PyType};

/// `ndarray(shape, dtype, buffer, …)` of a class: NumPy reads the arguments, its memory becomes ours. Types that are not
/// native, and memory that is not aligned, stay NumPy's.
pub(crate) fn construct<'py>(
    cls: &Bound<'py, PyType>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cls.py();
    let made = dtype::types(py)?.array.bind(py).call(args, kwargs)?;
    match import(&made) {
        Ok(contents) => derive(cls, contents, None),
        Err(error) if cls.is(NdArray::type_object(py)) && error.is_instance_of::<PyTypeError>(py) => Ok(made),
        Err(error) => Err(error),
    }
}

/// Whether objects of a class are laid out as ours: it is our class or derives from it. Not `issubclass`, for which the
/// metaclass answers, and counts NumPy's classes in.
pub(crate) fn is_ours(cls: &Bound<'_, PyType>) -> bool {
    // SAFETY: both are types, alive as long as the call.
    unsafe { ffi::PyType_IsSubtype(cls.as_type_ptr(), NdArray::type_object_raw(cls.py())) != 0 }
}

/// An object of a class with these contents, after its `__array_finalize__` has seen what it was made from.
pub(crate) fn derive<'py>(
    cls: &Bound<'py, PyType>,
    contents: Contents,
    source: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = cls.py();
    if cls.is(NdArray::type_object(py)) {
        return Ok(Bound::new(py, NdArray::from(contents))?.into_any());
    }
    if !is_ours(cls) {
        return Err(PyTypeError::new_err("the class does not derive from fastnp.ndarray"));
    }
    let initializer = PyClassInitializer::from(NdArray::from(contents));
    // SAFETY: the class derives from ours, so memory laid out for it begins with our object; the call returns a new reference.
    let made = unsafe {
        let object = pyo3::impl_::pymethods::tp_new_impl::<_, NdArray>(py, initializer, cls.as_type_ptr())?;
        Bound::from_owned_ptr(py, object)
    };
    let finalize = made.getattr("__array_finalize__")?;
    if !finalize.is_none() {
        finalize.call1((source,))?;
    }
    Ok(made)
}

/// `derive(cls, x, source)`: the array `x` as an object of a class, made from `source`.
#[pyfunction(name = "derive")]
pub(crate) fn py_derive<'py>(
    cls: &Bound<'py, PyType>,
    x: &Bound<'py, NdArray>,
    source: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let me = x.open();
    let base = me.base.as_ref().map(|b| b.clone_ref(x.py()));
    let contents = Contents { repr: Repr::Dense(me.array(x.py())?.clone()), base };
    derive(cls, contents, Some(source))
}

/// `replace(x, y)`: from now on `x` is what `y` is; for what changes an array in place.
#[pyfunction]
pub(crate) fn replace(x: &Bound<'_, NdArray>, y: &Bound<'_, NdArray>) -> PyResult<()> {
    let array = y.open().array(x.py())?.clone();
    x.get().contents.replace(x.py(), Repr::Dense(array))
}

/// `set_class(ndarray, metaclass)`: gives the array class its metaclass, which the class could not be made with.
///
/// # Errors
/// `TypeError` unless the metaclass derives from `type` without adding to its layout.
#[pyfunction]
pub(crate) fn set_metaclass(py: Python<'_>, metaclass: &Bound<'_, PyType>) -> PyResult<()> {
    let of_types = py.get_type::<PyType>();
    let size = |t: &Bound<'_, PyType>| t.getattr("__basicsize__")?.extract::<usize>();
    if !metaclass.is_subclass(&of_types)? || size(metaclass)? != size(&of_types)? {
        return Err(PyTypeError::new_err("the metaclass must be a type laid out as `type` is"));
    }
    let class = NdArray::type_object(py);
    // SAFETY: a type object is an object whose type may be any of this layout; the class holds a reference to it for good,
    // as it does to any type made at run time.
    unsafe { (*class.as_ptr()).ob_type = metaclass.clone().into_ptr().cast() };
    Ok(())
}
