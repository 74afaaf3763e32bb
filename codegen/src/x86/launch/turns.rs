//! Turns of the version of a program that is slower and always right, after a faster one failed: before the faster one is tried again.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Turns at first, and at the most, where the faster version fails each time.
const TURNS: (usize, usize) = (15, 255);

/// How many elements the faster version had to compute, and how many of them it left.
#[derive(Default)]
pub(crate) struct LeftShare {
    pub(crate) all: usize,
    pub(crate) left: usize,
}

/// The turns left, and those after the next failure. Threads that count at the same time may miss one another.
pub(crate) struct Turns {
    left: AtomicUsize,
    next: AtomicUsize,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns { left: AtomicUsize::new(0), next: AtomicUsize::new(TURNS.0) }
    }
}

impl Turns {
    /// Whether turns are left.
    #[inline]
    pub(crate) fn are_left(&self) -> bool {
        self.left.load(Ordering::Relaxed) > 0
    }

    /// Takes a turn, if one is left.
    #[inline]
    pub(crate) fn take(&self) -> bool {
        let left = self.left.load(Ordering::Relaxed);
        if left > 0 {
            self.left.store(left - 1, Ordering::Relaxed);
        }
        left > 0
    }

    /// The faster version failed.
    #[cold]
    pub(crate) fn begin(&self) {
        let turns = self.next.load(Ordering::Relaxed);
        self.left.store(turns, Ordering::Relaxed);
        self.next.store((2 * turns).min(TURNS.1), Ordering::Relaxed);
    }

    /// It did not fail.
    #[inline]
    pub(crate) fn forget(&self) {
        if self.next.load(Ordering::Relaxed) != TURNS.0 {
            self.next.store(TURNS.0, Ordering::Relaxed);
        }
    }
}
