//! Free list: storages of dropped arrays, kept with their memory; the next small array takes one whole.
//!
//! A storage from the allocator, memory for it from the pool, and both back are 400 instructions, a fifth of `a + b` on ten
//! elements. With the free list they are 60, under the runtime's lock, which small operations take anyway.

#[cfg(all(unix, debug_assertions))]
use crate::memory::guard;
use crate::memory::pool::{class_bytes, class_of, count_idle};
use crate::memory::storage_ref::StorageRef;

/// Size classes up to 16 KB: no operation that runs eagerly needs more.
const FREE_LIST_CLASSES: usize = 33;
/// Storages kept of each class: 2 MB at most in all.
const FREE_LIST_DEPTH: usize = 16;

/// Storages for the next arrays. The runtime has one such list.
pub(crate) struct FreeList {
    classes: [Vec<StorageRef>; FREE_LIST_CLASSES],
}

impl FreeList {
    pub(crate) fn new() -> FreeList {
        FreeList { classes: std::array::from_fn(|_| Vec::with_capacity(FREE_LIST_DEPTH)) }
    }

    /// A storage of this size with memory of its own.
    #[inline]
    pub(crate) fn take(&mut self, bytes: usize) -> Option<StorageRef> {
        #[cfg(all(unix, debug_assertions))]
        if guard::is_on() {
            return None;
        }
        let class = class_of(bytes);
        let storage = self.classes.get_mut(class as usize)?.pop()?;
        storage.reuse(bytes);
        count_idle(-(class_bytes(class) as isize));
        Some(storage)
    }

    /// Keeps a storage if there is room for it, else returns it.
    #[inline]
    pub(crate) fn put(&mut self, storage: StorageRef) -> Option<StorageRef> {
        let Some(class) = storage.size_class() else { return Some(storage) };
        storage.drop_device_buffer();
        match self.classes.get_mut(class as usize) {
            Some(class_list) if class_list.len() < FREE_LIST_DEPTH => {
                class_list.push(storage);
                count_idle(class_bytes(class) as isize);
                None
            }
            _ => Some(storage),
        }
    }
}
