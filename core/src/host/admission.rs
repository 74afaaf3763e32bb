//! Admission: how threads wait for a lock that is polled, so that each of them gets it.
//!
//! Waiters sleep between two polls. A thread that finds others waiting lets one of them go first.

use crate::host::sync::{AtomicUsize, sleep};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Sleep between two polls of a taken lock: at first, and at most.
const FIRST_SLEEP: Duration = Duration::from_micros(50);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);
/// Sleeps for which a thread lets earlier waiters go first. One is enough for a model.
const TURNS: usize = if cfg!(loom) { 1 } else { 20 };

/// Threads that wait for a lock, and how many waiters ever got it.
pub(crate) struct Admission {
    waiters: AtomicUsize,
    admitted: AtomicUsize,
}

impl Admission {
    #[cfg(not(loom))]
    pub(crate) const fn new() -> Admission {
        Admission { waiters: AtomicUsize::new(0), admitted: AtomicUsize::new(0) }
    }

    /// The primitives of a model are no constants.
    #[cfg(loom)]
    pub(crate) fn new() -> Admission {
        Admission { waiters: AtomicUsize::new(0), admitted: AtomicUsize::new(0) }
    }

    /// Whether threads wait.
    #[inline]
    pub(crate) fn has_waiters(&self) -> bool {
        self.waiters.load(Ordering::Relaxed) > 0
    }

    /// Waits until `try_lock` takes the lock. `release` runs what it is given without the interpreter lock, and takes that again.
    pub(crate) fn wait<T>(
        &self,
        is_taken: impl Fn() -> bool,
        try_lock: impl Fn() -> Option<T>,
        release: impl Fn(&mut dyn FnMut()),
    ) -> T {
        let admitted = self.admitted.load(Ordering::Relaxed);
        release(&mut || {
            // Earlier waiters come first, but need time to wake up: without this, a thread in a loop of long computations would take
            // the lock in front of them again and again.
            let mut turns = TURNS;
            while self.has_waiters() && self.admitted.load(Ordering::Relaxed) == admitted && turns > 0 {
                sleep(FIRST_SLEEP);
                turns -= 1;
            }
            self.waiters.fetch_add(1, Ordering::Relaxed);
        });
        // The thread waits without the interpreter lock, but takes the other under it: other threads may be blocked by it.
        let mut pause = FIRST_SLEEP;
        let taken = loop {
            if let Some(taken) = try_lock() {
                break taken;
            }
            release(&mut || {
                while is_taken() {
                    sleep(pause);
                    pause = (pause * 2).min(LONGEST_SLEEP);
                }
            });
        };
        self.waiters.fetch_sub(1, Ordering::Relaxed);
        self.admitted.fetch_add(1, Ordering::Relaxed);
        taken
    }

    /// Resets the count of waiters in the child of a fork, where they do not exist.
    pub(crate) fn reset(&self) {
        self.waiters.store(0, Ordering::Relaxed);
    }
}
