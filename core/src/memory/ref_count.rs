//! Reference count: a plain number where threads are serialised, exchanged atomically where they are not.

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

    /// Counts one reference more. With `is_exclusive` no other thread runs code of this crate.
    #[inline(always)]
    pub(crate) fn increment(&self, is_exclusive: bool) {
        if is_exclusive {
            self.0.store(self.0.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        } else {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts one reference less; whether it was the last.
    #[inline(always)]
    pub(crate) fn decrement(&self, is_exclusive: bool) -> bool {
        let left = if is_exclusive {
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
