//! Reference count: a plain number where threads are serialised, exchanged atomically where they are not.

use crate::host::released_count::ExclusiveSection;
use crate::host::sync::{AtomicUsize, fence};
use std::sync::atomic::Ordering;

/// How many references there are to something.
pub(crate) struct RefCount(AtomicUsize);

impl RefCount {
    /// The count of the first reference.
    pub(crate) fn one() -> RefCount {
        RefCount(AtomicUsize::new(1))
    }

    /// The references now.
    #[inline(always)]
    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Acquire)
    }

    /// Counts one reference more.
    #[inline(always)]
    pub(crate) fn increment(&self, section: Option<ExclusiveSection<'_>>) {
        if let Some(_section) = section {
            self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        } else {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts one reference less; whether it was the last.
    #[inline(always)]
    pub(crate) fn decrement(&self, section: Option<ExclusiveSection<'_>>) -> bool {
        let left = if let Some(_section) = section {
            let left = self.0.load(Ordering::Relaxed) - 1;
            self.0.store(left, Ordering::Relaxed);
            left
        } else {
            self.0.fetch_sub(1, Ordering::Release) - 1
        };
        if left == 0 {
            // Every access through another reference comes before its decrement.
            fence(Ordering::Acquire);
        }
        left == 0
    }
}
