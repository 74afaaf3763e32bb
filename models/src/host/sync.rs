//! The primitives of `core/src/host/sync.rs`, as loom's: each use of one is a step between which other threads may run.
//!
//! Loom takes a `SeqCst` access for an `AcqRel` one, and knows a total order of fences only. So a `SeqCst` store or exchange is
//! followed by a fence here, which is what processors of the x86 family do, and what those of others do at least as strictly.

use loom::sync::atomic::fence as loom_fence;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::atomic::fence;
pub(crate) use loom::thread::{park, yield_now};

fn order(ordering: Ordering) {
    if ordering == Ordering::SeqCst {
        loom_fence(Ordering::SeqCst);
    }
}

macro_rules! atomic {
    ($name:ident, $value:ty) => {
        pub(crate) struct $name(loom::sync::atomic::$name);

        impl $name {
            pub(crate) fn new(value: $value) -> $name {
                $name(loom::sync::atomic::$name::new(value))
            }

            pub(crate) fn load(&self, ordering: Ordering) -> $value {
                self.0.load(ordering)
            }

            pub(crate) fn store(&self, value: $value, ordering: Ordering) {
                self.0.store(value, ordering);
                order(ordering);
            }
        }
    };
}

macro_rules! counter {
    ($name:ident, $value:ty) => {
        atomic!($name, $value);

        impl Default for $name {
            fn default() -> $name {
                $name::new(0)
            }
        }

        impl $name {
            pub(crate) fn fetch_add(&self, value: $value, ordering: Ordering) -> $value {
                let before = self.0.fetch_add(value, ordering);
                order(ordering);
                before
            }

            pub(crate) fn fetch_sub(&self, value: $value, ordering: Ordering) -> $value {
                let before = self.0.fetch_sub(value, ordering);
                order(ordering);
                before
            }
        }
    };
}

atomic!(AtomicBool, bool);

impl AtomicBool {
    /// Stores only what is not there yet: loom gives the store of an exchange that changes nothing no place among other stores, and lets
    /// its thread read it for ever.
    pub(crate) fn swap(&self, value: bool, ordering: Ordering) -> bool {
        let before = self.0.compare_exchange(!value, value, ordering, Ordering::Acquire).unwrap_or_else(|same| same);
        order(ordering);
        before
    }
}

counter!(AtomicU32, u32);
counter!(AtomicUsize, usize);

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
