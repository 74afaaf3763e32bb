//! State that the GIL protects: an uncontended mutex takes 10 ns, and a call of NumPy's on two arrays passed twelve of them.

use pyo3::prelude::*;
use std::cell::{Cell, UnsafeCell};

/// State that is accessed with the GIL held.
pub(crate) struct GilCell<T> {
    state: UnsafeCell<T>,
    is_open: Cell<bool>,
}

// SAFETY: `with` needs the GIL, so accesses of several threads follow each other. (The module is built for the stable ABI, which no Python
// without a GIL loads.) An access that begins within another, in this thread or because that one released the GIL, panics.
unsafe impl<T: Send> Sync for GilCell<T> {}

/// Ends an access.
struct Access<'a>(&'a Cell<bool>);

impl Drop for Access<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.set(false);
    }
}

impl<T> GilCell<T> {
    /// The state at the start of the process.
    pub(crate) const fn new(state: T) -> GilCell<T> {
        GilCell { state: UnsafeCell::new(state), is_open: Cell::new(false) }
    }

    /// Calls `with` on the state. It must not run Python's code: nothing that may end an object, for example.
    ///
    /// # Panics
    /// Within another access.
    #[inline(always)]
    pub(crate) fn with<R>(&self, _py: Python<'_>, with: impl FnOnce(&mut T) -> R) -> R {
        assert!(!self.is_open.replace(true), "state is accessed within an access to it");
        let _access = Access(&self.is_open);
        // SAFETY: the GIL is held, and no other access is under way.
        with(unsafe { &mut *self.state.get() })
    }
}
