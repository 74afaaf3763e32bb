//! Where array objects are made, and where the memory of dead ones waits for the next.
//!
//! PyO3 makes an object by calling `object.__new__` with an empty tuple, and Python frees it through its allocator and the
//! collector's lists: together 420 of the 1560 instructions of `a[1:-1]`. An object that waits here is made by setting its
//! type and its contents, in 50. The first ones, and those beyond what waits, are made by PyO3.

use crate::contents::Contents;
use crate::ndarray::NdArray;
use crate::slot::of_array;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use std::cell::UnsafeCell;
use std::ffi::c_void;

/// How many dead objects wait: as many as a deep expression has temporaries, and 18 KB at most.
const KEPT: usize = 128;

/// The memory of dead objects, each as PyO3 leaves one: contents dropped, no weak references, unknown to the collector.
struct Waiting {
    objects: [*mut ffi::PyObject; KEPT],
    count: usize,
}

/// What only those who hold the GIL touch.
struct Guarded(UnsafeCell<Waiting>);

// SAFETY: `take` and `free` alone reach what is inside, with the GIL held and without calling anything.
unsafe impl Sync for Guarded {}

static WAITING: Guarded = Guarded(UnsafeCell::new(Waiting { objects: [std::ptr::null_mut(); KEPT], count: 0 }));

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
pub(crate) fn born(py: Python<'_>, contents: impl Into<Contents>) -> PyResult<Bound<'_, NdArray>> {
    let array = NdArray::from(contents.into());
    let Some(memory) = WAITING.take(py) else { return first(py, array) };
    // SAFETY: the memory is that of a dead object of this very class, which nobody knows. Initialising it makes the type and
    // the count anew; what PyO3 keeps beside the contents is as in a new object; the contents follow.
    unsafe {
        let object = ffi::PyObject_Init(memory, NdArray::type_object_raw(py));
        let object = Bound::from_owned_ptr(py, object).cast_into_unchecked::<NdArray>();
        std::ptr::from_ref(object.get()).cast_mut().write(array);
        Ok(object)
    }
}

/// An array object made by PyO3.
#[cold]
fn first(py: Python<'_>, array: NdArray) -> PyResult<Bound<'_, NdArray>> {
    let object = Bound::new(py, array)?;
    // SAFETY: a live object of a class that the collector knows. The collector cannot look
    // into it anyway, so that it would be walked past for nothing, as NumPy's arrays are not.
    unsafe { ffi::PyObject_GC_UnTrack(object.as_ptr().cast()) };
    Ok(object)
}

/// The slot `tp_free`: what happens to the memory of an object after its end.
unsafe extern "C" fn free(object: *mut c_void) {
    // SAFETY: Python frees objects with the GIL held, and nobody else looks meanwhile.
    let waiting = unsafe { &mut *WAITING.0.get() };
    if waiting.count < KEPT {
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
