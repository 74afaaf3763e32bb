//! Where array objects are made, and where the memory of dead ones waits for the next.
//!
//! PyO3 makes an object by calling `object.__new__` with an empty tuple, and Python frees it through its allocator and the
//! collector's lists: together 420 of the 1560 instructions of `a[1:-1]`. An object that waits here is made by setting its
//! type and its contents, in 50. The first ones, and those beyond what waits, are made by PyO3.

use crate::object::ndarray::NdArray;
use crate::object::payload::Payload;
use crate::object::raw_slots::of_array;
use fastnp::Array;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use std::cell::UnsafeCell;
use std::ffi::c_void;

/// How many dead objects wait: as many as a deep expression has temporaries, and 18 KB at most.
const POOL_SIZE: usize = 128;

/// The memory of dead objects, each as PyO3 leaves one: contents dropped, no weak references, unknown to the collector.
struct Pool {
    objects: [*mut ffi::PyObject; POOL_SIZE],
    count: usize,
}

/// What only those who hold the GIL touch.
struct Guarded(UnsafeCell<Pool>);

// SAFETY: `take` and `free` alone reach what is inside, with the GIL held and without calling anything.
unsafe impl Sync for Guarded {}

static POOL: Guarded = Guarded(UnsafeCell::new(Pool { objects: [std::ptr::null_mut(); POOL_SIZE], count: 0 }));

impl Guarded {
    /// The memory of a dead object, which is the caller's.
    #[inline]
    fn take(&self, _py: Python<'_>) -> Option<*mut ffi::PyObject> {
        // SAFETY: the GIL is held, and nobody else looks meanwhile.
        let waiting = unsafe { &mut *self.0.get() };
        waiting.count = waiting.count.checked_sub(1)?;
        Some(waiting.objects[waiting.count])
    }
}

/// A new array object.
#[inline(always)]
pub(crate) fn allocate(py: Python<'_>, payload: impl Into<Payload>) -> PyResult<Bound<'_, NdArray>> {
    // The object before its contents, which are then written where they stay.
    let object = match POOL.take(py) {
        // SAFETY: the memory is that of a dead object of this very class, which nobody knows. Initialising it makes the type
        // and the count anew; what PyO3 keeps beside the contents is as in a new object.
        Some(memory) => unsafe { ffi::PyObject_Init(memory, NdArray::type_object_raw(py)) },
        None => first(py)?,
    };
    // SAFETY: a new object of the class, which gets its contents before anybody else knows it.
    unsafe {
        let object = Bound::from_owned_ptr(py, object).cast_into_unchecked::<NdArray>();
        std::ptr::from_ref(object.get()).cast_mut().write(NdArray::from(payload.into()));
        Ok(object)
    }
}

/// An array object without contents, its memory from Python.
#[cold]
fn first(py: Python<'_>) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the class is PyO3's. All that PyO3 keeps in a new object beside its contents is nothing yet, as the zeros are
    // that it is allocated with. The collector could not look into it anyway, so that it would be walked past for nothing, as
    // NumPy's arrays are not.
    unsafe {
        let object = ffi::PyType_GenericAlloc(NdArray::type_object_raw(py), 0);
        if object.is_null() {
            return Err(PyErr::fetch(py));
        }
        ffi::PyObject_GC_UnTrack(object.cast());
        Ok(object)
    }
}

/// A view of an array object that `lay` makes, where it stays, of a view of no elements; or what `lay` says is wrong.
#[inline(always)]
pub(crate) fn allocate_view<'py>(
    py: Python<'py>,
    nothing: Payload,
    lay: impl FnOnce(&mut Array) -> fastnp::Result<()>,
) -> PyResult<fastnp::Result<Bound<'py, PyAny>>> {
    let object = allocate(py, nothing)?;
    // SAFETY: the object is new, and nobody else knows it yet.
    let view = unsafe { object.get().payload.array_mut() };
    Ok(lay(view).map(|()| object.into_any()))
}

/// The slot `tp_free`: what happens to the memory of an object after its end.
unsafe extern "C" fn free(object: *mut c_void) {
    // SAFETY: Python frees objects with the GIL held, and nobody else looks meanwhile.
    let waiting = unsafe { &mut *POOL.0.get() };
    if waiting.count < POOL_SIZE {
        waiting.objects[waiting.count] = object.cast();
        waiting.count += 1;
    } else {
        // SAFETY: the memory of an object of a class that the collector knows, and nothing derives from it.
        unsafe { ffi::PyObject_GC_Del(object) };
    }
}

pyo3::inventory::submit! {
    of_array(&[], &[ffi::PyType_Slot { slot: ffi::Py_tp_free, pfunc: free as *mut c_void }])
}
