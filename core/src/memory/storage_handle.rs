//! An array's handle to its storage.
//!
//! `Drop` is in [`crate::runtime::allocate`], because the last handle gives the storage to the free list, and that is behind the
//! runtime's lock.

use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// A handle: dropping the last one gives the storage to the free list or, without its memory, to the trace for later results.
#[derive(Clone)]
pub struct StorageHandle(pub(crate) ManuallyDrop<StorageRef>);

impl From<StorageRef> for StorageHandle {
    #[inline]
    fn from(storage: StorageRef) -> StorageHandle {
        StorageHandle(ManuallyDrop::new(storage))
    }
}

impl From<Storage> for StorageHandle {
    #[inline]
    fn from(storage: Storage) -> StorageHandle {
        StorageHandle::from(StorageRef::new(storage))
    }
}

impl Deref for StorageHandle {
    type Target = StorageRef;
    #[inline]
    fn deref(&self) -> &StorageRef {
        &self.0
    }
}
