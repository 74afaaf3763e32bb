//! An array's handle to its storage.
//!
//! `Drop` is in [`crate::runtime::allocate`], because the last handle gives the storage to the free list, and that is behind the
//! runtime's lock.

use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use std::mem::ManuallyDrop;
use std::ops::Deref;

/// An array's share of a storage. With the last one the storage goes back to the shelf, or at least without its memory to
/// those for later results.
#[derive(Clone)]
pub(crate) struct Share(pub(crate) ManuallyDrop<Counted>);

impl From<Counted> for Share {
    #[inline]
    fn from(storage: Counted) -> Share {
        Share(ManuallyDrop::new(storage))
    }
}

impl From<Storage> for Share {
    #[inline]
    fn from(storage: Storage) -> Share {
        Share::from(Counted::new(storage))
    }
}

impl Deref for Share {
    type Target = Counted;
    #[inline]
    fn deref(&self) -> &Counted {
        &self.0
    }
}
