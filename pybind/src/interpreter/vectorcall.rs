//! The vectorcall protocol (PEP 590): calls by it, and classes whose objects are called by it.
//!
//! A class of PyO3's with `__call__` is called with a tuple and a dictionary: of the 3700 instructions of `np.sqrt(a)` the tuple takes 350.

use pyo3::PyClass;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::pyclass::boolean_struct::True;
use pyo3::types::{PyString, PyTuple, PyType};
use std::ffi::{CStr, c_ulong};

/// The type flags of the protocol, and of methods that are called without an object of their own. The stable ABI names them from 3.12 on;
/// they are the same since 3.9.
const HAVE_VECTORCALL: c_ulong = 1 << 11;
const METHOD_DESCRIPTOR: c_ulong = 1 << 17;
/// The flag in the argument count: there is a free place before the first argument.
pub(crate) const ARGUMENTS_OFFSET: usize = 1 << (usize::BITS - 1);

/// A function of the protocol.
pub(crate) type Vectorcall = unsafe extern "C" fn(
    *mut ffi::PyObject,
    *const *mut ffi::PyObject,
    usize,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;

unsafe extern "C" {
    // Part of the stable ABI from 3.12 on, and exported as declared since 3.9.
    pub(crate) fn PyObject_Vectorcall(
        callable: *mut ffi::PyObject,
        args: *const *mut ffi::PyObject,
        count: usize,
        names: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;

    fn PyObject_VectorcallMethod(
        name: *mut ffi::PyObject,
        args: *const *mut ffi::PyObject,
        count: usize,
        names: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject;
}

/// Calls a method without arguments. With a tuple of none it takes three times as long.
pub(crate) fn call_method(object: &Bound<'_, PyAny>, name: &Bound<'_, PyString>) -> PyResult<()> {
    let arguments = [object.as_ptr()];
    // SAFETY: one argument, the object.
    let result = unsafe {
        let result = PyObject_VectorcallMethod(name.as_ptr(), arguments.as_ptr(), 1, std::ptr::null_mut());
        Bound::from_owned_ptr_or_err(object.py(), result)
    };
    result.map(drop)
}

/// Calls an object with arguments, the last of which are those of the names.
///
/// # Safety
/// There are as many arguments as names at least.
#[inline]
pub(crate) unsafe fn call_given<'py>(
    function: &Bound<'py, PyAny>,
    arguments: &[Bound<'py, PyAny>],
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = arguments.len() - names.map_or(0, |names| names.len());
    let names = names.map_or(std::ptr::null_mut(), |names| names.as_ptr());
    // SAFETY: the caller's contract; a `Bound` is a pointer to an object, which lives during the call.
    unsafe {
        let result = PyObject_Vectorcall(function.as_ptr(), arguments.as_ptr().cast(), count, names);
        Bound::from_owned_ptr_or_err(function.py(), result)
    }
}

/// Calls an object with the arguments after the first place, which is free; the last of them are those of the names.
///
/// # Safety
/// The arguments are objects that live during the call.
#[inline]
pub(crate) unsafe fn call_vector<'py>(
    function: &Bound<'py, PyAny>,
    objects: &mut [*mut ffi::PyObject],
    names: Option<&Bound<'py, PyTuple>>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = objects.len() - 1 - names.map_or(0, |names| names.len());
    let names = names.map_or(std::ptr::null_mut(), |names| names.as_ptr());
    // SAFETY: the caller's contract; the place before the arguments may be written to during the call.
    unsafe {
        let first = objects.as_mut_ptr().add(1);
        let result = PyObject_Vectorcall(function.as_ptr(), first, count | ARGUMENTS_OFFSET, names);
        Bound::from_owned_ptr_or_err(function.py(), result)
    }
}

/// A class derived from one of PyO3's to add vectorcall; the offset of the vectorcall pointer in its objects.
pub(crate) struct Callable {
    pub(crate) class: Py<PyType>,
    offset: usize,
}

impl Callable {
    /// The class of this name, derived from `T`'s. If its objects `are_methods` they are bound as functions are.
    pub(crate) fn derive<T: PyClass>(py: Python<'_>, name: &'static CStr, are_methods: bool) -> PyResult<Callable> {
        let base = py.get_type::<T>();
        let size: usize = base.getattr("__basicsize__")?.extract()?;
        let member = |name, offset| ffi::PyMemberDef {
            name,
            type_code: ffi::Py_T_PYSSIZET,
            offset,
            flags: ffi::Py_READONLY,
            doc: std::ptr::null(),
        };
        let mut members = [member(c"__vectorcalloffset__".as_ptr(), size as isize), member(std::ptr::null(), 0)];
        let mut slots = [
            ffi::PyType_Slot { slot: ffi::Py_tp_members, pfunc: members.as_mut_ptr().cast() },
            ffi::PyType_Slot { slot: 0, pfunc: std::ptr::null_mut() },
        ];
        let method = if are_methods { METHOD_DESCRIPTOR } else { 0 };
        let flags = ffi::Py_TPFLAGS_DEFAULT | HAVE_VECTORCALL | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION | method;
        let mut spec = ffi::PyType_Spec {
            name: name.as_ptr(),
            basicsize: (size + size_of::<Vectorcall>()) as i32,
            itemsize: 0,
            flags: flags as u32,
            slots: slots.as_mut_ptr(),
        };
        let bases = PyTuple::new(py, [base])?;
        // SAFETY: the specification lives until the call returns, which copies the members; the name is static.
        let class =
            unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpecWithBases(&mut spec, bases.as_ptr()))? };
        Ok(Callable { class: class.cast_into::<PyType>()?.unbind(), offset: size })
    }

    /// A new object of the class, with this value, called by this function.
    ///
    /// # Safety
    /// The class was derived from `T`'s, and the function expects an object of it.
    pub(crate) unsafe fn object<'py, T: PyClass<Frozen = True> + Sync>(
        &self,
        py: Python<'py>,
        value: T,
        called: Vectorcall,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the class is PyO3's with room for a pointer at the offset. The fields that PyO3 keeps beside the value are zero in a new
        // object, as allocated.
        unsafe {
            let object = ffi::PyType_GenericAlloc(self.class.as_ptr().cast(), 0);
            let object = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked::<T>();
            std::ptr::from_ref(object.get()).cast_mut().write(value);
            object.as_ptr().byte_add(self.offset).cast::<Vectorcall>().write(called);
            Ok(object.into_any())
        }
    }
}
