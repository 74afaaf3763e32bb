//! The payload of an array object, and its reader count.
//!
//! Python code may change an array's shape or type in place while a caller reads it. PyO3's own guards count readers with atomics,
//! four of them for `a + b`, a tenth of its time. Here the count is a plain number, because readers hold the GIL (the module is
//! built for the stable ABI, which no Python without a GIL loads).

use crate::interpreter::error::to_py_result;
use crate::object::ndarray::NdArray;
use fastnp::{Array, DType, LazySelection, Selection};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;

/// What an array object holds.
pub(crate) struct Payload {
    pub(crate) repr: Repr,
    /// For a view, the array that owns the memory: NumPy's `.base`. It never changes.
    pub(crate) base: Option<Py<NdArray>>,
}

/// The elements of an array object.
pub(crate) enum Repr {
    Dense(Array),
    /// `a[mask]`, perhaps not compacted yet.
    LazySelection(Box<LazySelection>),
}

impl From<Array> for Payload {
    #[inline]
    fn from(array: Array) -> Payload {
        Payload { repr: Repr::Dense(array), base: None }
    }
}

impl From<Selection> for Payload {
    fn from(selection: Selection) -> Payload {
        Payload { repr: Repr::LazySelection(Box::new(selection.into())), base: None }
    }
}

impl Payload {
    /// The array; a selection is compacted.
    #[inline(always)]
    pub(crate) fn array(&self, py: Python<'_>) -> PyResult<&Array> {
        match &self.repr {
            Repr::Dense(array) => Ok(array),
            Repr::LazySelection(selected) => to_py_result(py, selected.array()),
        }
    }

    /// The array, unless it is a selection that was not compacted.
    #[inline]
    pub(crate) fn dense(&self) -> Option<&Array> {
        match &self.repr {
            Repr::Dense(array) => Some(array),
            Repr::LazySelection(selected) => selected.compacted(),
        }
    }

    /// The element type, which a selection has without being compacted.
    pub(crate) fn dtype(&self, py: Python<'_>) -> PyResult<DType> {
        match self.selection() {
            Some(selection) => Ok(selection.dtype()),
            None => Ok(self.array(py)?.dtype()),
        }
    }

    /// The selection, if it was not compacted.
    pub(crate) fn selection(&self) -> Option<&Selection> {
        match &self.repr {
            Repr::Dense(_) => None,
            Repr::LazySelection(selected) => selected.selection(),
        }
    }
}

/// A payload that is read through [`PayloadRef`], and replaced only while it has no readers.
pub(crate) struct PayloadCell {
    payload: UnsafeCell<Payload>,
    readers: Cell<u32>,
}

// SAFETY: the payload is `Send` and `Sync`; the reader count and the payload change only in `open`, `replace` and the drop of a
// `PayloadRef`, all of which run with the GIL held.
unsafe impl Sync for PayloadCell {}

impl PayloadCell {
    #[inline(always)]
    pub(crate) fn new(payload: Payload) -> PayloadCell {
        PayloadCell { payload: UnsafeCell::new(payload), readers: Cell::new(0) }
    }

    /// Opens the payload for reading.
    #[inline]
    pub(crate) fn open<'a>(&'a self, _py: Python<'_>) -> PayloadRef<'a> {
        self.readers.set(self.readers.get() + 1);
        PayloadRef { cell: self, held: PhantomData }
    }

    /// The payload, for code that runs none of Python's while it reads.
    ///
    /// # Safety
    /// The reference is not used any more when Python code may run.
    #[inline(always)]
    pub(crate) unsafe fn peek(&self) -> &Payload {
        // SAFETY: the caller's contract: the GIL is held, and nothing replaces the payload meanwhile.
        unsafe { &*self.payload.get() }
    }

    /// The elements of a new object.
    ///
    /// # Safety
    /// There is no other reference to the array object.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the caller's alone")]
    pub(crate) unsafe fn repr_mut(&self) -> &mut Repr {
        // SAFETY: the caller's contract.
        unsafe { &mut (*self.payload.get()).repr }
    }

    /// The payload of an object that ends.
    ///
    /// # Safety
    /// There are no readers, and nothing reads it again.
    #[inline(always)]
    pub(crate) unsafe fn take(&self) -> Payload {
        // SAFETY: the caller's contract.
        unsafe { self.payload.get().read() }
    }

    /// Replaces the elements.
    ///
    /// # Errors
    /// `RuntimeError` while the payload has readers: Python code that an operation calls must not change the operation's arrays.
    pub(crate) fn replace(&self, _py: Python<'_>, repr: Repr) -> PyResult<()> {
        if self.readers.get() > 0 {
            return Err(PyRuntimeError::new_err("the array is in use by the operation that called this code"));
        }
        // SAFETY: there are no readers, and none can begin while this thread holds the GIL.
        let old = unsafe { std::mem::replace(&mut (*self.payload.get()).repr, repr) };
        drop(old);
        Ok(())
    }
}

/// The payload of an array object, open for reading.
pub(crate) struct PayloadRef<'a> {
    cell: &'a PayloadCell,
    /// Makes the type neither `Send` nor `Sync`: other threads may not hold the GIL.
    held: PhantomData<Python<'a>>,
}

impl std::ops::Deref for PayloadRef<'_> {
    type Target = Payload;
    #[inline]
    fn deref(&self) -> &Payload {
        // SAFETY: nothing replaces the payload while there are readers.
        unsafe { &*self.cell.payload.get() }
    }
}

impl Drop for PayloadRef<'_> {
    #[inline]
    fn drop(&mut self) {
        self.cell.readers.set(self.cell.readers.get() - 1);
    }
}

/// Opens an array object.
pub(crate) trait Open {
    /// Its payload, for reading.
    fn open(&self) -> PayloadRef<'_>;
}

impl Open for Bound<'_, NdArray> {
    #[inline]
    fn open(&self) -> PayloadRef<'_> {
        self.get().payload.open(self.py())
    }
}
