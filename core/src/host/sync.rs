//! Synchronisation primitives: the atomics, cells and waits that the locks, counts and queues of this crate are made of.
//!
//! The crate `models` compiles those files against a `sync` of its own, whose primitives try every order of steps. So a file that is
//! modelled takes its primitives from here, and reaches what is in a cell by `with` and `with_mut`, which a model can watch.

pub(crate) use parking_lot::Mutex;
pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, compiler_fence, fence};
pub(crate) use std::thread::{park, sleep, yield_now};
pub(crate) use std::time::Instant;

/// A value that a shared reference can change. Who may when is the user's protocol.
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Reads the value.
    #[inline(always)]
    pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// Changes the value.
    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        change(self.0.get())
    }
}
