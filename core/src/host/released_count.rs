//! Released count: whether any thread runs code of this crate without the interpreter lock.

use crate::host::sync::AtomicU32;
use std::sync::atomic::Ordering;

/// Reasons why threads are not serialised: one while no interpreter lock is relied on, and one for each thread that has released
/// it. Changes only while the interpreter lock is held, so a thread that holds it sees every change, and one that has released it
/// sees its own.
pub(crate) struct ReleasedCount(AtomicU32);

impl ReleasedCount {
    /// No interpreter lock is relied on.
    #[cfg(not(loom))]
    pub(crate) const fn unserialised() -> ReleasedCount {
        ReleasedCount(AtomicU32::new(1))
    }

    /// The primitives of a model are no constants.
    #[cfg(loom)]
    pub(crate) fn unserialised() -> ReleasedCount {
        ReleasedCount(AtomicU32::new(1))
    }

    /// One reason more.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One reason less.
    pub(crate) fn remove(&self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether this thread, which holds the interpreter lock or is counted here, is the only one that can run code of this crate.
    #[inline]
    pub(crate) fn is_zero(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Sets the count in the child of a fork, which has no other threads.
    pub(crate) fn reset(&self, reasons: u32) {
        self.0.store(reasons, Ordering::Relaxed);
    }
}
