//! NumPy's entry points that change an array's header in place, one that declines arrays of ours, and `numpy.asarray`.
//!
//! `numpy.ndarray.shape.__set__(x, …)`, `numpy.ndarray.resize(x, …)` and `PyArray_Resize` of NumPy's C API write shape, strides, type and
//! address into the header of `x`, and give the memory for its shape back to NumPy's allocator. An array of ours would keep its own
//! shape, and the memory is not NumPy's to free. NumPy finds these functions by tables: the setters and methods of its class, and the
//! C API, which compiled code reads at every call. So the entries are replaced here by functions that run the attribute or the method of
//! this module's class for an array of ours, and NumPy's function for all others.
//!
//! `numpy.ndarray.__array_ufunc__` declines operands whose class has one of its own. A class that derives from NumPy's calls it with the
//! operands that it was given, and for its programs ours are NumPy's: they are passed as NumPy's views.
//!
//! `numpy.asarray(x)` makes a new view of an array of ours at each call. Libraries call it at the head of each function, and some ask whether
//! two arguments are one array; so it returns the view it made before, while that lives.

use crate::interpreter::dtype;
use crate::interpreter::fallback::fallback;
use crate::interpreter::raw_call::{call_python, object_at};
use crate::object::header::NumpyArray;
use crate::object::identity::{known_view, remember_view};
use crate::object::ndarray::NdArray;
use numpy::npyffi::{NPY_ARRAY_C_CONTIGUOUS, NPY_ORDER, PY_ARRAY_API, PyArray_Dims, PyArrayObject};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::{IntoPyDict, PyCapsule, PyDict, PySequence, PyString, PyTuple};
use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A function of NumPy's, and its name.
struct TableEntry {
    name: &'static CStr,
    /// Null until it is replaced. Accessed with the GIL held.
    numpys: AtomicPtr<c_void>,
}

impl TableEntry {
    const fn new(name: &'static CStr) -> TableEntry {
        TableEntry { name, numpys: AtomicPtr::new(std::ptr::null_mut()) }
    }

    fn name(&self) -> &'static str {
        self.name.to_str().expect("ASCII")
    }

    fn numpys(&self) -> *mut c_void {
        self.numpys.load(Ordering::Relaxed)
    }
}

static SETTERS: [TableEntry; 4] =
    [TableEntry::new(c"shape"), TableEntry::new(c"strides"), TableEntry::new(c"dtype"), TableEntry::new(c"data")];
static METHODS: [TableEntry; 3] =
    [TableEntry::new(c"resize"), TableEntry::new(c"setflags"), TableEntry::new(c"__setstate__")];
static ARRAY_UFUNC: TableEntry = TableEntry::new(c"__array_ufunc__");
static ASARRAY: TableEntry = TableEntry::new(c"asarray");
static RESIZE: TableEntry = TableEntry::new(c"resize");

/// The place of `PyArray_Resize` in NumPy's C API, which does not change.
const PLACE_OF_RESIZE: usize = 80;

/// Whether it is an array of ours. Classes that derive from the class derive from NumPy's.
///
/// # Safety
/// The object is one.
#[inline]
unsafe fn is_ours(py: Python<'_>, object: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract.
    std::ptr::eq(unsafe { ffi::Py_TYPE(object) }, NdArray::type_object_raw(py))
}

/// A setter of NumPy's class.
unsafe extern "C" fn set<const INDEX: usize>(
    this: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
    closure: *mut c_void,
) -> c_int {
    // SAFETY: Python calls the setter with an array and a value, or null, and the GIL held. NumPy's function is a setter.
    unsafe {
        let entry = &SETTERS[INDEX];
        if !is_ours(Python::assume_attached(), this) {
            return transmute::<*mut c_void, ffi::setter>(entry.numpys())(this, value, closure);
        }
        call_python(-1, |py| {
            let this = object_at(py, this);
            if value.is_null() {
                this.delattr(entry.name())?;
            } else {
                this.setattr(entry.name(), object_at(py, value))?;
            }
            Ok(0)
        })
    }
}

/// A method of NumPy's class that takes keyword arguments too.
unsafe extern "C" fn call_with_keywords<const INDEX: usize>(
    this: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the method with an array, a tuple and a dictionary, or null, and the GIL held. NumPy's is such a method.
    unsafe {
        let entry = &METHODS[INDEX];
        if !is_ours(Python::assume_attached(), this) {
            return transmute::<*mut c_void, ffi::PyCFunctionWithKeywords>(entry.numpys())(this, args, kwargs);
        }
        call_ours(entry, this, args, kwargs)
    }
}

/// A method of NumPy's class that takes no keyword arguments.
unsafe extern "C" fn call_without_keywords<const INDEX: usize>(
    this: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as above, without a dictionary.
    unsafe {
        let entry = &METHODS[INDEX];
        if !is_ours(Python::assume_attached(), this) {
            return transmute::<*mut c_void, ffi::PyCFunction>(entry.numpys())(this, args);
        }
        call_ours(entry, this, args, std::ptr::null_mut())
    }
}

/// The method of our class.
///
/// # Safety
/// The arguments are those of a method, and the GIL is held.
unsafe fn call_ours(
    entry: &TableEntry,
    this: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's contract.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let args = object_at(py, args).to_owned().cast_into::<PyTuple>()?;
            let kwargs = match kwargs.is_null() {
                true => None,
                false => Some(object_at(py, kwargs).to_owned().cast_into::<PyDict>()?),
            };
            let method = object_at(py, this).getattr(entry.name())?;
            Ok(method.call(args, kwargs.as_ref())?.into_ptr())
        })
    }
}

/// Whether a tuple or its item is an array of ours.
///
/// # Safety
/// The object is one.
unsafe fn has_ours(py: Python<'_>, object: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract, and the items of a tuple that lives.
    unsafe {
        let items = if ffi::PyTuple_Check(object) != 0 { ffi::PyTuple_Size(object) } else { 0 };
        is_ours(py, object) || (0..items).any(|i| is_ours(py, ffi::PyTuple_GetItem(object, i)))
    }
}

/// `__array_ufunc__` of NumPy's class.
unsafe extern "C" fn array_ufunc(
    this: *mut ffi::PyObject,
    args: *mut ffi::PyObject,
    kwargs: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the method with an array, a tuple and a dictionary, or null, and the GIL held. NumPy's is such a method.
    unsafe {
        let numpys = transmute::<*mut c_void, ffi::PyCFunctionWithKeywords>(ARRAY_UFUNC.numpys());
        let py = Python::assume_attached();
        let mut found = has_ours(py, args);
        let (mut place, mut value) = (0, std::ptr::null_mut());
        while !found && !kwargs.is_null() && ffi::PyDict_Next(kwargs, &mut place, std::ptr::null_mut(), &mut value) != 0
        {
            found = has_ours(py, value);
        }
        if !found {
            return numpys(this, args, kwargs);
        }
        call_python(std::ptr::null_mut(), |py| {
            let named = if kwargs.is_null() { PyDict::new(py).into_any() } else { object_at(py, kwargs).to_owned() };
            let views = fallback(py, "to_views")?.call1((object_at(py, args), named))?;
            let args = views.get_item(0)?.cast_into::<PySequence>()?.to_tuple()?;
            let named = views.get_item(1)?.cast_into::<PyDict>()?;
            let result = numpys(this, args.as_ptr(), named.as_ptr());
            let result = Bound::from_owned_ptr_or_err(py, result)?;
            Ok(fallback(py, "owners_of")?.call1((result, views.get_item(2)?))?.into_ptr())
        })
    }
}

/// `numpy.asarray`.
unsafe extern "C" fn as_array(
    module: *mut ffi::PyObject,
    args: *const *mut ffi::PyObject,
    count: ffi::Py_ssize_t,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the function by the fastcall convention with the GIL held; with a count of one there is one argument, before those of
    // the names. NumPy's is such a function.
    unsafe {
        let numpys = transmute::<*mut c_void, ffi::PyCFunctionFastWithKeywords>(ASARRAY.numpys());
        let py = Python::assume_attached();
        if count != 1 || !is_ours(py, *args) || !names.is_null() && !names_own_form(py, args, names) {
            return numpys(module, args, count, names);
        }
        let known = known_view(py, *args);
        if !known.is_null() {
            return known;
        }
        // What NumPy's function makes after it has looked for the type of its argument: a view of NumPy's class. With the note 120 to 310 ns
        // instead of 340 to 410.
        let made = PY_ARRAY_API.PyArray_View(py, (*args).cast(), std::ptr::null_mut(), NumpyArray::type_object_raw(py));
        // Most views end with the function that made them, and the note takes as long as the view.
        if names.is_null() {
            remember_view(py, *args, made);
        }
        made
    }
}

/// Whether the named arguments of a call are the type and the order that the first one, an array of ours, has.
///
/// # Safety
/// The arguments are one by position and one for each of the names, and the GIL is held.
unsafe fn names_own_form(py: Python<'_>, args: *const *mut ffi::PyObject, names: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract; names are a tuple of strings, and an array holds a reference to its type.
    unsafe {
        let of = &(*(*args).cast::<PyArrayObject>()).fields;
        let is_type = |given: *mut ffi::PyObject| {
            given == of.descr.cast()
                || dtype::from_number((*of.descr).fields.type_num)
                    .is_some_and(|own| dtype::stands_for(&object_at(py, given), own))
        };
        let is_order = |given: *mut ffi::PyObject| match object_at(py, given).cast_exact::<PyString>() {
            Ok(order) => match order.to_str() {
                Ok("C" | "c") => of.flags & NPY_ARRAY_C_CONTIGUOUS != 0,
                order => matches!(order, Ok("K" | "k")),
            },
            Err(_) => false,
        };
        (0..ffi::PyTuple_Size(names)).all(|i| {
            let (name, given) = (ffi::PyTuple_GetItem(names, i), *args.add(1 + i as usize));
            let is_none = given == ffi::Py_None();
            match name {
                name if name == intern!(py, "dtype").as_ptr() => is_none || is_type(given),
                name if name == intern!(py, "order").as_ptr() => is_none || is_order(given),
                _ => false,
            }
        })
    }
}

/// A function in C as an object: CPython's `PyCFunctionObject`, whose first field after the object's is the entry of its table.
#[repr(C)]
struct FunctionObject {
    object: ffi::PyObject,
    entry: *mut ffi::PyMethodDef,
}

/// Replaces `numpy.asarray`, if it takes its arguments as the replacement does.
fn replace_as_array(py: Python<'_>) -> PyResult<()> {
    let module = py.import("numpy._core._multiarray_umath")?;
    let function = module.getattr(ASARRAY.name())?;
    // SAFETY: the object is a function in C, as its class is checked; its entry is a variable of NumPy's that lasts as long as the process.
    // `PyCFunction_GetFunction` gives the same address if the layout of the object is the one that is assumed here.
    unsafe {
        if ffi::PyCFunction_CheckExact(function.as_ptr()) == 0 || !ASARRAY.numpys().is_null() {
            return Ok(());
        }
        let entry = &mut *(*function.as_ptr().cast::<FunctionObject>()).entry;
        let known = ffi::PyCFunction_GetFunction(function.as_ptr());
        let is_same = known.is_some_and(|known| known as *mut c_void == entry.ml_meth.as_ptr());
        if is_same && entry.ml_flags == ffi::METH_FASTCALL | ffi::METH_KEYWORDS {
            ASARRAY.numpys.store(entry.ml_meth.as_ptr(), Ordering::Relaxed);
            entry.ml_meth.PyCFunctionFastWithKeywords = as_array;
        }
    }
    Ok(())
}

type Resize = unsafe extern "C" fn(*mut ffi::PyObject, *mut PyArray_Dims, c_int, NPY_ORDER) -> *mut ffi::PyObject;

/// `PyArray_Resize`.
unsafe extern "C" fn resize(
    this: *mut ffi::PyObject,
    shape: *mut PyArray_Dims,
    check_references: c_int,
    order: NPY_ORDER,
) -> *mut ffi::PyObject {
    // SAFETY: compiled code calls the function with an array, a shape and the GIL held.
    unsafe {
        if !is_ours(Python::assume_attached(), this) {
            return transmute::<*mut c_void, Resize>(RESIZE.numpys())(this, shape, check_references, order);
        }
        call_python(std::ptr::null_mut(), |py| {
            let axes = usize::try_from((*shape).len).unwrap_or(0);
            let wanted = match axes {
                0 => PyTuple::empty(py),
                _ => PyTuple::new(py, std::slice::from_raw_parts((*shape).ptr, axes))?,
            };
            let check = [("refcheck", check_references != 0)].into_py_dict(py)?;
            Ok(object_at(py, this).call_method(RESIZE.name(), (wanted,), Some(&check))?.into_ptr())
        })
    }
}

/// Replaces the entries of NumPy's tables. What this NumPy does not have is left out.
pub(crate) fn replace_entries(py: Python<'_>) -> PyResult<()> {
    let class = NumpyArray::type_object_raw(py);
    // SAFETY: the tables of NumPy's class are its own variables, which end with an entry without a name and last as long as the
    // process; Python reads them while the GIL is held, as here. What is put there takes the arguments of what stood there.
    unsafe {
        let mut setter = ffi::PyType_GetSlot(class, ffi::Py_tp_getset).cast::<ffi::PyGetSetDef>();
        while !setter.is_null() && !(*setter).name.is_null() {
            let name = CStr::from_ptr((*setter).name);
            let replacements: [ffi::setter; SETTERS.len()] = [set::<0>, set::<1>, set::<2>, set::<3>];
            for (entry, replacement) in SETTERS.iter().zip(replacements) {
                if let Some(numpys) = (*setter).set.filter(|_| entry.name == name && entry.numpys().is_null()) {
                    entry.numpys.store(numpys as *mut c_void, Ordering::Relaxed);
                    (*setter).set = Some(replacement);
                }
            }
            setter = setter.add(1);
        }
        let mut method = ffi::PyType_GetSlot(class, ffi::Py_tp_methods).cast::<ffi::PyMethodDef>();
        while !method.is_null() && !(*method).ml_name.is_null() {
            let name = CStr::from_ptr((*method).ml_name);
            if name == ARRAY_UFUNC.name
                && ARRAY_UFUNC.numpys().is_null()
                && (*method).ml_flags == ffi::METH_VARARGS | ffi::METH_KEYWORDS
            {
                ARRAY_UFUNC.numpys.store((*method).ml_meth.as_ptr(), Ordering::Relaxed);
                (*method).ml_meth.PyCFunctionWithKeywords = array_ufunc;
            }
            if let Some(index) = METHODS.iter().position(|entry| entry.name == name && entry.numpys().is_null()) {
                replace_method(&mut *method, index);
            }
            method = method.add(1);
        }
    }
    replace_as_array(py)?;
    let capsule = py.import("numpy._core._multiarray_umath")?.getattr("_ARRAY_API")?.cast_into::<PyCapsule>()?;
    // SAFETY: the capsule, whatever its name, holds NumPy's table of functions.
    unsafe {
        let table = ffi::PyCapsule_GetPointer(capsule.as_ptr(), ffi::PyCapsule_GetName(capsule.as_ptr()));
        let place = table.cast::<*mut c_void>().add(PLACE_OF_RESIZE);
        if !table.is_null() && RESIZE.numpys().is_null() {
            RESIZE.numpys.store(*place, Ordering::Relaxed);
            *place = resize as *mut c_void;
        }
    }
    Ok(())
}

/// Replaces a method, if it takes its arguments as a tuple, with or without a dictionary.
fn replace_method(method: &mut ffi::PyMethodDef, index: usize) {
    let with: [ffi::PyCFunctionWithKeywords; METHODS.len()] =
        [call_with_keywords::<0>, call_with_keywords::<1>, call_with_keywords::<2>];
    let without: [ffi::PyCFunction; METHODS.len()] =
        [call_without_keywords::<0>, call_without_keywords::<1>, call_without_keywords::<2>];
    let numpys = method.ml_meth.as_ptr();
    if method.ml_flags == ffi::METH_VARARGS | ffi::METH_KEYWORDS {
        method.ml_meth.PyCFunctionWithKeywords = with[index];
    } else if method.ml_flags == ffi::METH_VARARGS {
        method.ml_meth.PyCFunction = without[index];
    } else {
        return;
    }
    METHODS[index].numpys.store(numpys, Ordering::Relaxed);
}
