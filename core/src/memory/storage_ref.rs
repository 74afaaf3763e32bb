//! Storage reference: an intrusive reference count.
//!
//! An `Arc` makes an atomic exchange for every reference that comes or goes: 5 ns, and more after a kernel, as it waits for all its
//! stores to arrive. A view and its end are two of them, a recorded node two for each operand. Where the interpreter lock
//! serialises threads the count is a plain number; while a thread has released that lock it is exchanged atomically.

use crate::host::interpreter_lock;
use crate::memory::ref_count::RefCount;
use crate::memory::storage::Storage;
use std::ops::Deref;
use std::ptr::NonNull;

/// Aligned to cache lines, as [`Storage`] counts on.
#[repr(C, align(64))]
struct Inner {
    count: RefCount,
    storage: Storage,
}

/// A counted reference to a storage, which lives as long as one of them does.
pub struct StorageRef(NonNull<Inner>);

// SAFETY: it gives shared access to a storage, which is `Sync`; the thread that drops the last reference drops the storage; the
// count changes on one thread at a time, or atomically.
unsafe impl Send for StorageRef {}
// SAFETY: as above.
unsafe impl Sync for StorageRef {}

impl StorageRef {
    /// The first reference to a storage.
    pub fn new(storage: Storage) -> StorageRef {
        StorageRef(NonNull::from(Box::leak(Box::new(Inner { count: RefCount::one(), storage }))))
    }

    /// A new reference to a storage.
    ///
    /// # Safety
    /// The storage is one that references count, and another reference to it lives.
    pub(crate) unsafe fn of_storage(storage: *const Storage) -> StorageRef {
        let inner = storage.cast_mut().cast::<u8>().wrapping_sub(std::mem::offset_of!(Inner, storage)).cast::<Inner>();
        // SAFETY: the caller's contract: the storage is within such an allocation.
        let reference = std::mem::ManuallyDrop::new(StorageRef(unsafe { NonNull::new_unchecked(inner) }));
        StorageRef::clone(&reference)
    }

    #[inline(always)]
    fn inner(&self) -> &Inner {
        // SAFETY: the allocation lives as long as a reference does.
        unsafe { self.0.as_ref() }
    }

    /// How many references there are.
    #[inline(always)]
    pub fn count(this: &StorageRef) -> usize {
        this.inner().count.get()
    }

    /// Whether both refer to the same storage.
    #[inline(always)]
    pub fn ptr_eq(a: &StorageRef, b: &StorageRef) -> bool {
        a.0 == b.0
    }

    /// The storage itself, where this is the only reference.
    #[inline]
    pub fn get_mut(this: &mut StorageRef) -> Option<&mut Storage> {
        if StorageRef::count(this) != 1 {
            return None;
        }
        // SAFETY: this is the only reference, and no other is made while it is mutably borrowed.
        Some(unsafe { &mut this.0.as_mut().storage })
    }

    /// Frees the storage after its last reference.
    ///
    /// # Safety
    /// No reference is left.
    #[cold]
    unsafe fn free(inner: NonNull<Inner>) {
        // SAFETY: it came from a box, and no reference to it is left.
        drop(unsafe { Box::from_raw(inner.as_ptr()) });
    }
}

impl Clone for StorageRef {
    #[inline]
    fn clone(&self) -> StorageRef {
        self.inner().count.increment(interpreter_lock::exclusive_section());
        StorageRef(self.0)
    }
}

impl Drop for StorageRef {
    #[inline]
    fn drop(&mut self) {
        if self.inner().count.decrement(interpreter_lock::exclusive_section()) {
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
