//! Export count: how many references code outside this crate has to a storage's memory.

use crate::host::sync::AtomicU32;
use std::sync::atomic::Ordering;

/// References from outside. They are added under the runtime's lock and removed anywhere.
pub(crate) struct ExportCount(AtomicU32);

impl ExportCount {
    /// No reference.
    pub(crate) fn none() -> ExportCount {
        ExportCount(AtomicU32::new(0))
    }

    /// One reference more.
    pub(crate) fn add(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// One reference less. What was written through it comes before.
    pub(crate) fn remove(&self) {
        self.0.fetch_sub(1, Ordering::Release);
    }

    /// Whether there are any. If not, everything written through those that there were can be seen.
    #[inline]
    pub(crate) fn is_positive(&self) -> bool {
        self.0.load(Ordering::Acquire) > 0
    }
}
