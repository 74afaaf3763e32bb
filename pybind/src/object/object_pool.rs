//! Allocation of array objects.
//!
//! PyO3 makes an object by calling `object.__new__` with an empty tuple, and Python frees it through its allocator and the garbage
//! collector's lists: together 420 of the 1560 instructions of `a[1:-1]`. An object from the free list only gets its type and payload
//! set, in 50 instructions. If the list is empty the object is allocated, and if it is full the memory is freed.

use crate::object::free_list;
use crate::object::header::{Header, NumpyArray};
use crate::object::ndarray::NdArray;
use crate::object::payload::{Payload, Repr};
use crate::object::raw_slots::{array_at, of_array};
use fastnp::Array;
use pyo3::ffi;
use pyo3::impl_::pycell::PyClassObjectBaseLayout;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use std::ffi::c_void;
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A new array object.
#[inline(always)]
pub(crate) fn allocate(py: Python<'_>, payload: impl Into<Payload>) -> PyResult<Bound<'_, NdArray>> {
    let object = with_payload(py, payload)?;
    // SAFETY: the object is new, and nothing else refers to its payload and header.
    unsafe {
        match object.get().payload.repr_mut() {
            Repr::Dense(array) => Header::write(py, object.as_ptr(), array)?,
            Repr::LazySelection(selection) => Header::write_selection(py, object.as_ptr(), selection)?,
        }
    }
    Ok(object)
}

/// A new array object whose header is not written yet.
#[inline(always)]
fn with_payload(py: Python<'_>, payload: impl Into<Payload>) -> PyResult<Bound<'_, NdArray>> {
    // The object first: the payload is then written once, to its final place.
    let object = match free_list::take(py) {
        // SAFETY: the memory is that of a dead object of this class, without references. Initialising it sets the type and the
        // reference count; the fields that PyO3 keeps beside the payload are as in a new object.
        Some(memory) => unsafe { ffi::PyObject_Init(memory, NdArray::type_object_raw(py)) },
        None => first(py)?,
    };
    // SAFETY: a new object of the class without other references; its payload is written here.
    unsafe {
        let object = Bound::from_owned_ptr(py, object).cast_into_unchecked::<NdArray>();
        std::ptr::from_ref(object.get()).cast_mut().write(NdArray::from(payload.into()));
        Ok(object)
    }
}

/// An array object without a payload, in memory allocated by Python.
#[cold]
fn first(py: Python<'_>) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the class is PyO3's. The fields that PyO3 keeps beside the payload are zero in a new object, as allocated. The garbage
    // collector has nothing to traverse here, so the object is untracked, as NumPy's arrays are.
    unsafe {
        let object = ffi::PyType_GenericAlloc(NdArray::type_object_raw(py), 0);
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        ffi::PyObject_GC_UnTrack(object.cast());
        Header::init(object);
        Ok(object)
    }
}

/// A new object with a view that `build` makes in place from an empty view. The inner error is that of `build`.
#[inline(always)]
pub(crate) fn allocate_view<'py>(
    py: Python<'py>,
    empty_view: Payload,
    build: impl FnOnce(&mut Array) -> fastnp::Result<()>,
) -> PyResult<fastnp::Result<Bound<'py, PyAny>>> {
    let object = with_payload(py, empty_view)?;
    // SAFETY: the object is new and has no other reference.
    let Repr::Dense(view) = (unsafe { object.get().payload.repr_mut() }) else {
        unreachable!("a view is no selection")
    };
    let built = build(view);
    // SAFETY: as above.
    unsafe { Header::write(py, object.as_ptr(), view)? };
    Ok(built.map(|()| object.into_any()))
}

/// Bytes from a type object to its slot `tp_dealloc`, which has no name in the stable ABI.
const DEALLOC: usize = 6 * size_of::<usize>();

/// PyO3's function for the slot `tp_dealloc`. Accessed with the GIL held.
static PYO3S: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());

/// The slot `tp_dealloc`. PyO3's function counts attached threads, which dropping a Python object needs that foreign memory belongs to; 5 of
/// the 64 ns of `a.ravel()`.
unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: Python calls the slot with a dead object of the class and the GIL held. Its payload is taken once, and has no readers.
    unsafe {
        let py = Python::assume_attached();
        let array: &NdArray = array_at(py, object).get();
        match array.payload.repr_mut() {
            Repr::Dense(array) if array.owner().is_none() => {}
            _ => {
                let pyo3s = PYO3S.load(Ordering::Relaxed);
                return transmute::<*mut c_void, ffi::destructor>(pyo3s)(object);
            }
        }
        let Payload { repr, base } = array.payload.take();
        drop(repr);
        drop(base.map(|base| base.into_bound(py)));
        Header::tp_dealloc(py, object);
    }
}

/// Replaces PyO3's function for the slot `tp_dealloc`, where every Python so far has it.
pub(crate) fn replace_dealloc(py: Python<'_>) {
    let class = NdArray::type_object_raw(py);
    // SAFETY: the class, and one of Python's slots.
    let told = unsafe { ffi::PyType_GetSlot(class, ffi::Py_tp_dealloc) };
    // SAFETY: a type object of the size that Python documents.
    let place = unsafe { class.byte_add(DEALLOC).cast::<*mut c_void>() };
    // SAFETY: as above; the class is a variable of this module, and what is put there takes the arguments of what stood there.
    unsafe {
        if *place == told && told != dealloc as *mut c_void {
            PYO3S.store(told, Ordering::Relaxed);
            *place = dealloc as *mut c_void;
        }
    }
}

/// The slot `tp_free`, for an object that NumPy ends: it has freed what the header refers to.
unsafe extern "C" fn free_ended(object: *mut c_void) {
    // SAFETY: the memory of a dead object of a class with garbage collection.
    unsafe { ffi::PyObject_GC_Del(object) };
}

/// The slot `tp_alloc`: an array of NumPy's own class. Only this module makes objects of the class: NumPy calls the slot for a new array
/// that is like one of ours, whose type and memory may be such as ours do not have.
unsafe extern "C" fn allocate_numpys(_class: *mut ffi::PyTypeObject, items: ffi::Py_ssize_t) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with the GIL held.
    unsafe { ffi::PyType_GenericAlloc(NumpyArray::type_object_raw(Python::assume_attached()), items) }
}

pyo3::inventory::submit! {
    of_array(&[], &[
        ffi::PyType_Slot { slot: ffi::Py_tp_free, pfunc: free_ended as *mut c_void },
        ffi::PyType_Slot { slot: ffi::Py_tp_alloc, pfunc: allocate_numpys as *mut c_void },
    ])
}
