//! References to storages, which count themselves.
//!
//! An `Arc` makes an atomic exchange for every reference that comes or goes: 5 ns, and more after a kernel, as it waits for all
//! that was written to arrive. A view and its end are two of them, a node that is recorded and run two for each operand. Where
//! the host keeps threads apart the count is a plain number; while one of them is aside it is exchanged as everywhere else.

use crate::host::interpreter_lock;
use crate::memory::storage::Storage;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering, fence};

struct Inner {
    count: AtomicUsize,
    storage: Storage,
}

/// A reference to a storage, which lives as long as one of them does.
pub(crate) struct StorageRef(NonNull<Inner>);

// SAFETY: it gives shared access to a storage, which any thread may have, and whichever thread drops the last one drops the
// storage; the count changes as if by one thread, or atomically.
unsafe impl Send for StorageRef {}
// SAFETY: as above.
unsafe impl Sync for StorageRef {}

impl StorageRef {
    /// The first reference to a storage.
    pub(crate) fn new(storage: Storage) -> StorageRef {
        StorageRef(NonNull::from(Box::leak(Box::new(Inner { count: AtomicUsize::new(1), storage }))))
    }

    #[inline(always)]
    fn inner(&self) -> &Inner {
        // SAFETY: it lives as long as a reference does.
        unsafe { self.0.as_ref() }
    }

    /// How many references there are.
    #[inline(always)]
    pub(crate) fn count(this: &StorageRef) -> usize {
        this.inner().count.load(Ordering::Acquire)
    }

    /// Whether both are to the same storage.
    #[inline(always)]
    pub(crate) fn ptr_eq(a: &StorageRef, b: &StorageRef) -> bool {
        a.0 == b.0
    }

    /// The storage itself, where this is the only reference.
    #[inline]
    pub(crate) fn get_mut(this: &mut StorageRef) -> Option<&mut Storage> {
        if StorageRef::count(this) != 1 {
            return None;
        }
        // SAFETY: nobody else has a reference, nor gets one while this one is borrowed.
        Some(unsafe { &mut this.0.as_mut().storage })
    }

    /// Drops the storage after its last reference.
    ///
    /// # Safety
    /// There is none any more.
    #[cold]
    unsafe fn free(inner: NonNull<Inner>) {
        // SAFETY: it was a box, and nobody knows it now.
        drop(unsafe { Box::from_raw(inner.as_ptr()) });
    }
}

impl Clone for StorageRef {
    #[inline]
    fn clone(&self) -> StorageRef {
        let count = &self.inner().count;
        if interpreter_lock::is_exclusive() {
            count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        } else {
            count.fetch_add(1, Ordering::Relaxed);
        }
        StorageRef(self.0)
    }
}

impl Drop for StorageRef {
    #[inline]
    fn drop(&mut self) {
        let count = &self.inner().count;
        let left = if interpreter_lock::is_exclusive() {
            let left = count.load(Ordering::Relaxed) - 1;
            count.store(left, Ordering::Relaxed);
            left
        } else {
            count.fetch_sub(1, Ordering::Release) - 1
        };
        if left == 0 {
            // Whoever had a reference before has done with it.
            fence(Ordering::Acquire);
            // SAFETY: this was the last one.
            unsafe { StorageRef::free(self.0) };
        }
    }
}

impl Deref for StorageRef {
    type Target = Storage;
    #[inline(always)]
    fn deref(&self) -> &Storage {
        &self.inner().storage
    }
}

impl std::fmt::Debug for StorageRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Storage({} bytes)", self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_counted_by_all_threads() {
        let mut first = StorageRef::new(Storage::pending(8));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| drop(first.clone())));
            }
        });
        let second = first.clone();
        assert!(
            StorageRef::ptr_eq(&first, &second)
                && StorageRef::count(&first) == 2
                && StorageRef::get_mut(&mut first).is_none()
        );
        drop(second);
        assert_eq!(StorageRef::get_mut(&mut first).map(|storage| storage.bytes()), Some(8));
    }
}
