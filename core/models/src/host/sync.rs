//! The primitives of `core/src/host/sync.rs`, as loom's: each use of one is a step between which other threads may run.
//!
//! Loom takes a `SeqCst` access for an `AcqRel` one, and knows a total order of fences only. So a `SeqCst` store or exchange is
//! followed by a fence here, which is what processors of the x86 family do, and what those of others do at least as strictly.

use loom::sync::atomic::fence as loom_fence;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::{AtomicU32, fence};
pub(crate) use loom::thread::{park, yield_now};

fn order(ordering: Ordering) {
    if ordering == Ordering::SeqCst {
        loom_fence(Ordering::SeqCst);
    }
}

/// A fence for the compiler becomes one for the processor where another thread has the system do that (`membarrier`).
pub(crate) fn compiler_fence(ordering: Ordering) {
    loom_fence(ordering);
}

pub(crate) struct AtomicBool(loom::sync::atomic::AtomicBool);

impl AtomicBool {
    pub(crate) fn new(value: bool) -> AtomicBool {
        AtomicBool(loom::sync::atomic::AtomicBool::new(value))
    }

    pub(crate) fn load(&self, ordering: Ordering) -> bool {
        self.0.load(ordering)
    }

    pub(crate) fn store(&self, value: bool, ordering: Ordering) {
        self.0.store(value, ordering);
        order(ordering);
    }

    /// Stores only what is not there yet: loom gives the store of an exchange that changes nothing no place among other stores, and lets
    /// its thread read it for ever.
    pub(crate) fn swap(&self, value: bool, ordering: Ordering) -> bool {
        let before = self.0.compare_exchange(!value, value, ordering, Ordering::Acquire).unwrap_or_else(|same| same);
        order(ordering);
        before
    }
}

#[derive(Default)]
pub(crate) struct AtomicUsize(loom::sync::atomic::AtomicUsize);

impl AtomicUsize {
    pub(crate) fn new(value: usize) -> AtomicUsize {
        AtomicUsize(loom::sync::atomic::AtomicUsize::new(value))
    }

    pub(crate) fn load(&self, ordering: Ordering) -> usize {
        self.0.load(ordering)
    }

    pub(crate) fn store(&self, value: usize, ordering: Ordering) {
        self.0.store(value, ordering);
        order(ordering);
    }

    pub(crate) fn fetch_add(&self, value: usize, ordering: Ordering) -> usize {
        let before = self.0.fetch_add(value, ordering);
        order(ordering);
        before
    }

    pub(crate) fn fetch_sub(&self, value: usize, ordering: Ordering) -> usize {
        let before = self.0.fetch_sub(value, ordering);
        order(ordering);
        before
    }
}

/// `parking_lot`'s interface.
pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Mutex<T> {
        Mutex(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().expect("no thread panics while it holds the lock")
    }
}

/// Other threads run meanwhile.
pub(crate) fn sleep(_: Duration) {
    yield_now();
}

/// A clock for which any wait is long: workers sleep as soon as they may.
#[derive(Clone, Copy)]
pub(crate) struct Instant;

impl Instant {
    pub(crate) fn now() -> Instant {
        Instant
    }

    pub(crate) fn elapsed(self) -> Duration {
        Duration::MAX
    }
}
