//! The memory of dead array objects, kept for new ones.

use pyo3::ffi;
use pyo3::prelude::*;
use std::cell::UnsafeCell;

/// As many objects as a deep expression has temporaries, 27 KB at most.
const CAPACITY: usize = 128;

/// Objects without references: payload dropped, no weak references, untracked by the garbage collector.
struct FreeList {
    objects: [*mut ffi::PyObject; CAPACITY],
    count: usize,
}

/// State that is accessed with the GIL held.
struct Guarded(UnsafeCell<FreeList>);

// SAFETY: only `take` and `put` access it, with the GIL held and without calling anything.
unsafe impl Sync for Guarded {}

static FREE: Guarded = Guarded(UnsafeCell::new(FreeList { objects: [std::ptr::null_mut(); CAPACITY], count: 0 }));

/// The memory of a dead object, now the caller's.
#[inline]
pub(crate) fn take(_py: Python<'_>) -> Option<*mut ffi::PyObject> {
    // SAFETY: the GIL is held, so there is no other access.
    let free = unsafe { &mut *FREE.0.get() };
    free.count = free.count.checked_sub(1)?;
    Some(free.objects[free.count])
}

/// Keeps the memory of a dead object; whether there was room for it.
#[inline]
pub(crate) fn put(_py: Python<'_>, object: *mut ffi::PyObject) -> bool {
    // SAFETY: the GIL is held, so there is no other access.
    let free = unsafe { &mut *FREE.0.get() };
    if free.count == CAPACITY {
        return false;
    }
    free.objects[free.count] = object;
    free.count += 1;
    true
}
