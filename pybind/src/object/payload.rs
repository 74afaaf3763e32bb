//! What an array object holds, and the one way to it.
//!
//! Python may change an array's shape or type in place, while somebody further up the stack reads it. PyO3's own guards
//! count readers with atomics, four of them for `a + b`, a tenth of what it costs; here a plain number does, since
//! whoever opens an array holds the GIL (the module is built for the stable ABI, which no Python without one loads).

use crate::interpreter::error::to_py_result;
use crate::object::ndarray::NdArray;
use fastnp::{Array, DType, Selection};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::sync::OnceLock;

/// What an array object holds.
pub(crate) struct Payload {
    pub(crate) repr: Repr,
    /// The array this one is a view of: the one that owns the memory, as NumPy's `.base` says it. Never changes.
    pub(crate) base: Option<Py<NdArray>>,
}

/// Its elements.
pub(crate) enum Repr {
    Dense(Array),
    /// `a[mask]` that nobody has looked into yet.
    LazySelection(Box<LazySelection>),
}

/// A selection, and the array it was compacted to once somebody looked.
pub(crate) struct LazySelection {
    pub(crate) selection: Selection,
    pub(crate) array: OnceLock<Array>,
}

impl LazySelection {
    fn compacted(&self, py: Python<'_>) -> PyResult<&Array> {
        if self.array.get().is_none() {
            let array = to_py_result(py, self.selection.to_array())?;
            let _ = self.array.set(array);
        }
        self.array.get().ok_or_else(|| PyValueError::new_err("a selection was not compacted"))
    }
}

impl From<Array> for Payload {
    #[inline]
    fn from(array: Array) -> Payload {
        Payload { repr: Repr::Dense(array), base: None }
    }
}

impl From<Selection> for Payload {
    fn from(selection: Selection) -> Payload {
        Payload { repr: Repr::LazySelection(Box::new(LazySelection { selection, array: OnceLock::new() })), base: None }
    }
}

impl Payload {
    /// The array; a selection is compacted.
    #[inline(always)]
    pub(crate) fn array(&self, py: Python<'_>) -> PyResult<&Array> {
        match &self.repr {
            Repr::Dense(array) => Ok(array),
            Repr::LazySelection(selected) => selected.compacted(py),
        }
    }

    /// The array, where there is one without work.
    #[inline]
    pub(crate) fn dense(&self) -> Option<&Array> {
        match &self.repr {
            Repr::Dense(array) => Some(array),
            Repr::LazySelection(selected) => selected.array.get(),
        }
    }

    /// The element type, which a selection has without being compacted.
    pub(crate) fn dtype(&self, py: Python<'_>) -> PyResult<DType> {
        match self.selection() {
            Some(selection) => Ok(selection.dtype()),
            None => Ok(self.array(py)?.dtype()),
        }
    }

    /// The selection, where nobody has looked into it.
    pub(crate) fn selection(&self) -> Option<&Selection> {
        match &self.repr {
            Repr::Dense(_) => None,
            Repr::LazySelection(selected) => selected.array.get().is_none().then_some(&selected.selection),
        }
    }
}

/// Contents that are read through [`PayloadRef`] and replaced while nobody reads.
pub(crate) struct PayloadCell {
    payload: UnsafeCell<Payload>,
    readers: Cell<u32>,
}

// SAFETY: the contents are `Send` and `Sync` themselves; the number of readers and the contents change only in `open`,
// `replace` and the drop of a `PayloadRef`, all of which run with the GIL held.
unsafe impl Sync for PayloadCell {}

impl PayloadCell {
    #[inline(always)]
    pub(crate) fn new(payload: Payload) -> PayloadCell {
        PayloadCell { payload: UnsafeCell::new(payload), readers: Cell::new(0) }
    }

    /// Opens the contents for reading.
    #[inline]
    pub(crate) fn open<'a>(&'a self, _py: Python<'_>) -> PayloadRef<'a> {
        self.readers.set(self.readers.get() + 1);
        PayloadRef { cell: self, held: PhantomData }
    }

    /// The array of contents that are one.
    ///
    /// # Safety
    /// Nobody else knows the array object.
    ///
    /// # Panics
    /// For a selection.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the caller's alone")]
    pub(crate) unsafe fn array_mut(&self) -> &mut Array {
        // SAFETY: the caller's contract.
        match unsafe { &mut (*self.payload.get()).repr } {
            Repr::Dense(array) => array,
            Repr::LazySelection(_) => unreachable!("a selection is no array yet"),
        }
    }

    /// Puts other elements in place.
    ///
    /// # Errors
    /// `RuntimeError` while somebody reads: Python code that an operation calls must not change the operation's arrays.
    pub(crate) fn replace(&self, _py: Python<'_>, repr: Repr) -> PyResult<()> {
        if self.readers.get() > 0 {
            return Err(PyRuntimeError::new_err("the array is in use by the operation that called this code"));
        }
        // SAFETY: nobody reads, and nobody can begin to while this thread holds the GIL.
        let old = unsafe { std::mem::replace(&mut (*self.payload.get()).repr, repr) };
        drop(old);
        Ok(())
    }
}

/// The contents of an array object, open for reading.
pub(crate) struct PayloadRef<'a> {
    cell: &'a PayloadCell,
    /// Not to be sent to a thread that may not hold the GIL.
    held: PhantomData<Python<'a>>,
}

impl std::ops::Deref for PayloadRef<'_> {
    type Target = Payload;
    #[inline]
    fn deref(&self) -> &Payload {
        // SAFETY: nothing replaces the contents while there are readers.
        unsafe { &*self.cell.payload.get() }
    }
}

impl Drop for PayloadRef<'_> {
    #[inline]
    fn drop(&mut self) {
        self.cell.readers.set(self.cell.readers.get() - 1);
    }
}

/// Opening an array object.
pub(crate) trait Open {
    /// Its contents, for reading.
    fn open(&self) -> PayloadRef<'_>;
}

impl Open for Bound<'_, NdArray> {
    #[inline]
    fn open(&self) -> PayloadRef<'_> {
        self.get().payload.open(self.py())
    }
}
