//! Allocation of array objects, with a free list of the memory of dead ones.
//!
//! PyO3 makes an object by calling `object.__new__` with an empty tuple, and Python frees it through its allocator and the garbage
//! collector's lists: together 420 of the 1560 instructions of `a[1:-1]`. An object from the free list only gets its type and payload
//! set, in 50 instructions. If the list is empty the object is allocated, and if it is full the memory is freed.

use crate::object::ndarray::NdArray;
use crate::object::payload::Payload;
use crate::object::raw_slots::of_array;
use fastnp::Array;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use std::cell::UnsafeCell;
use std::ffi::c_void;

/// Capacity of the free list: as many objects as a deep expression has temporaries, 18 KB at most.
const POOL_SIZE: usize = 128;

/// The memory of dead objects: payload dropped, no weak references, untracked by the garbage collector.
struct Pool {
    objects: [*mut ffi::PyObject; POOL_SIZE],
    count: usize,
}

/// State that is accessed with the GIL held.
struct Guarded(UnsafeCell<Pool>);

// SAFETY: only `take` and `free` access it, with the GIL held and without calling anything.
unsafe impl Sync for Guarded {}

static POOL: Guarded = Guarded(UnsafeCell::new(Pool { objects: [std::ptr::null_mut(); POOL_SIZE], count: 0 }));

impl Guarded {
    /// The memory of a dead object, now owned by the caller.
    #[inline]
    fn take(&self, _py: Python<'_>) -> Option<*mut ffi::PyObject> {
        // SAFETY: the GIL is held, so there is no other access.
        let waiting = unsafe { &mut *self.0.get() };
        waiting.count = waiting.count.checked_sub(1)?;
        Some(waiting.objects[waiting.count])
    }
}

/// A new array object.
#[inline(always)]
pub(crate) fn allocate(py: Python<'_>, payload: impl Into<Payload>) -> PyResult<Bound<'_, NdArray>> {
    // The object first: the payload is then written once, to its final place.
    let object = match POOL.take(py) {
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
    let object = allocate(py, empty_view)?;
    // SAFETY: the object is new and has no other reference.
    let view = unsafe { object.get().payload.array_mut() };
    Ok(build(view).map(|()| object.into_any()))
}

/// The slot `tp_free`: keeps the memory in the free list, or frees it.
unsafe extern "C" fn free(object: *mut c_void) {
    // SAFETY: Python frees objects with the GIL held, so there is no other access.
    let waiting = unsafe { &mut *POOL.0.get() };
    if waiting.count < POOL_SIZE {
        waiting.objects[waiting.count] = object.cast();
        waiting.count += 1;
    } else {
        // SAFETY: the memory of an object of a class with garbage collection, from which nothing derives.
        unsafe { ffi::PyObject_GC_Del(object) };
    }
}

pyo3::inventory::submit! {
    of_array(&[], &[ffi::PyType_Slot { slot: ffi::Py_tp_free, pfunc: free as *mut c_void }])
}
