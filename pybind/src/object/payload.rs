//! What an array object holds, and the one way to it.
//!
//! Python may change an array's shape or type in place, while somebody further up the stack reads it. PyO3's own guards
//! count readers with atomics, four of them for `a + b`, a tenth of what it costs; here a plain number does, since
//! whoever opens an array holds the GIL (the module is built for the stable ABI, which no Python without one loads).

use crate::interpreter::error::deliver;
use crate::object::ndarray::NdArray;
use fastnp::{Array, DType, Selection};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::cell::{Cell, UnsafeCell};
use std::marker::PhantomData;
use std::sync::OnceLock;

/// What an array object holds.
pub(crate) struct Contents {
    pub(crate) repr: Repr,
    /// The array this one is a view of: the one that owns the memory, as NumPy's `.base` says it. Never changes.
    pub(crate) base: Option<Py<NdArray>>,
}

/// Its elements.
pub(crate) enum Repr {
    Dense(Array),
    /// `a[mask]` that nobody has looked into yet.
    Selected(Box<Selected>),
}

/// A selection, and the array it was compacted to once somebody looked.
pub(crate) struct Selected {
    pub(crate) selection: Selection,
    pub(crate) array: OnceLock<Array>,
}

impl Selected {
    fn compacted(&self, py: Python<'_>) -> PyResult<&Array> {
        if self.array.get().is_none() {
            let array = deliver(py, self.selection.to_array())?;
            let _ = self.array.set(array);
        }
        self.array.get().ok_or_else(|| PyValueError::new_err("a selection was not compacted"))
    }
}

impl From<Array> for Contents {
    #[inline]
    fn from(array: Array) -> Contents {
        Contents { repr: Repr::Dense(array), base: None }
    }
}

impl From<Selection> for Contents {
    fn from(selection: Selection) -> Contents {
        Contents { repr: Repr::Selected(Box::new(Selected { selection, array: OnceLock::new() })), base: None }
    }
}

impl Contents {
    /// The array; a selection is compacted.
    #[inline(always)]
    pub(crate) fn array(&self, py: Python<'_>) -> PyResult<&Array> {
        match &self.repr {
            Repr::Dense(array) => Ok(array),
            Repr::Selected(selected) => selected.compacted(py),
        }
    }

    /// The array, where there is one without work.
    #[inline]
    pub(crate) fn dense(&self) -> Option<&Array> {
        match &self.repr {
            Repr::Dense(array) => Some(array),
            Repr::Selected(selected) => selected.array.get(),
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
            Repr::Selected(selected) => selected.array.get().is_none().then_some(&selected.selection),
        }
    }
}

/// Contents that are read through [`Reading`] and replaced while nobody reads.
pub(crate) struct ContentsCell {
    contents: UnsafeCell<Contents>,
    readers: Cell<u32>,
}

// SAFETY: the contents are `Send` and `Sync` themselves; the number of readers and the contents change only in `open`,
// `replace` and the drop of a `Reading`, all of which run with the GIL held.
unsafe impl Sync for ContentsCell {}

impl ContentsCell {
    #[inline(always)]
    pub(crate) fn new(contents: Contents) -> ContentsCell {
        ContentsCell { contents: UnsafeCell::new(contents), readers: Cell::new(0) }
    }

    /// Opens the contents for reading.
    #[inline]
    pub(crate) fn open<'a>(&'a self, _py: Python<'_>) -> Reading<'a> {
        self.readers.set(self.readers.get() + 1);
        Reading { cell: self, held: PhantomData }
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
        match unsafe { &mut (*self.contents.get()).repr } {
            Repr::Dense(array) => array,
            Repr::Selected(_) => unreachable!("a selection is no array yet"),
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
        let old = unsafe { std::mem::replace(&mut (*self.contents.get()).repr, repr) };
        drop(old);
        Ok(())
    }
}

/// The contents of an array object, open for reading.
pub(crate) struct Reading<'a> {
    cell: &'a ContentsCell,
    /// Not to be sent to a thread that may not hold the GIL.
    held: PhantomData<Python<'a>>,
}

impl std::ops::Deref for Reading<'_> {
    type Target = Contents;
    #[inline]
    fn deref(&self) -> &Contents {
        // SAFETY: nothing replaces the contents while there are readers.
        unsafe { &*self.cell.contents.get() }
    }
}

impl Drop for Reading<'_> {
    #[inline]
    fn drop(&mut self) {
        self.cell.readers.set(self.cell.readers.get() - 1);
    }
}

/// Opening an array object.
pub(crate) trait Open {
    /// Its contents, for reading.
    fn open(&self) -> Reading<'_>;
}

impl Open for Bound<'_, NdArray> {
    #[inline]
    fn open(&self) -> Reading<'_> {
        self.get().contents.open(self.py())
    }
}
