//! Released count: whether any thread runs code of this crate without the interpreter lock.
//!
//! A thread that releases the lock counts itself while it holds it. A thread that never held it, and must run code of this crate now,
//! comes unannounced. So what relies on being alone does so in a section of a few instructions, marked by a store before and after.
//! The newcomer counts itself, has every thread of the process pass a memory barrier (a system call), and waits for the end of a section
//! that began before. So the barrier costs the newcomer and not the sections (an asymmetric Dekker lock).

use crate::host::sync::{AtomicBool, AtomicUsize, compiler_fence, yield_now};
use std::sync::atomic::Ordering;

/// Reasons why threads are not serialised: one while no interpreter lock is relied on, one for each thread that has released it, and one for
/// each that came without it.
pub(crate) struct ReleasedCount {
    reasons: AtomicUsize,
    /// Whether a thread is in a section.
    in_section: AtomicBool,
}

/// A section in which no other thread runs code of this crate.
pub(crate) struct ExclusiveSection<'a>(&'a ReleasedCount);

impl Drop for ExclusiveSection<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.in_section.store(false, Ordering::Release);
    }
}

impl ReleasedCount {
    /// No interpreter lock is relied on.
    #[cfg(not(loom))]
    pub(crate) const fn unserialised() -> ReleasedCount {
        ReleasedCount { reasons: AtomicUsize::new(1), in_section: AtomicBool::new(false) }
    }

    /// The primitives of a model are no constants.
    #[cfg(loom)]
    pub(crate) fn unserialised() -> ReleasedCount {
        ReleasedCount { reasons: AtomicUsize::new(1), in_section: AtomicBool::new(false) }
    }

    /// One reason more.
    pub(crate) fn add(&self) {
        self.reasons.fetch_add(1, Ordering::Relaxed);
    }

    /// One reason less. What its thread did comes before.
    pub(crate) fn remove(&self) {
        self.reasons.fetch_sub(1, Ordering::Release);
    }

    /// One reason more, by a thread without the interpreter lock. `barrier` has every other thread pass a memory barrier.
    pub(crate) fn add_unannounced(&self, barrier: impl Fn()) {
        self.reasons.fetch_add(1, Ordering::SeqCst);
        barrier();
        while self.in_section.load(Ordering::Acquire) {
            yield_now();
        }
    }

    /// A section, if this thread, which holds the interpreter lock or is counted here, is the only one that can run code of this crate.
    #[inline(always)]
    pub(crate) fn section(&self) -> Option<ExclusiveSection<'_>> {
        if self.reasons.load(Ordering::Acquire) != 0 {
            return None;
        }
        self.in_section.store(true, Ordering::Relaxed);
        let section = ExclusiveSection(self);
        compiler_fence(Ordering::SeqCst);
        (self.reasons.load(Ordering::Acquire) == 0).then_some(section)
    }

    /// Sets the count in the child of a fork, which has no other threads.
    pub(crate) fn reset(&self, reasons: usize) {
        self.reasons.store(reasons, Ordering::Relaxed);
        self.in_section.store(false, Ordering::Relaxed);
    }
}
