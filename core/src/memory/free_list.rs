//! Storages whose arrays are gone, kept with their memory: the next small array takes one whole.
//!
//! A storage from the allocator, memory for it from the pool, and both back again are 400 instructions, a fifth of `a + b` on
//! ten elements. From here and back it is 60 under the engine's lock, which small operations take anyway.

use crate::memory::pool::{class_bytes, class_of, count_idle};
use crate::memory::storage_ref::Counted;

/// Size classes of memory up to 16 KB: what runs at once needs no more.
const ROWS: usize = 33;
/// Storages kept of each: 2 MB at most in all.
const KEPT: usize = 16;

/// Storages for the next arrays. The engine has one.
pub(crate) struct Shelf {
    rows: [Vec<Counted>; ROWS],
}

impl Shelf {
    pub(crate) fn new() -> Shelf {
        Shelf { rows: std::array::from_fn(|_| Vec::with_capacity(KEPT)) }
    }

    /// A storage of this size with memory of its own.
    #[inline]
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Counted> {
        let class = class_of(bytes);
        let storage = self.rows.get_mut(class as usize)?.pop()?;
        storage.reuse(bytes);
        count_idle(-(class_bytes(class) as isize));
        Some(storage)
    }

    /// Keeps a storage, if there is room for it; else it is the caller's again.
    #[inline]
    pub(crate) fn put(&mut self, storage: Counted) -> Option<Counted> {
        let Some(class) = storage.class() else { return Some(storage) };
        storage.forget_remote();
        match self.rows.get_mut(class as usize) {
            Some(row) if row.len() < KEPT => {
                row.push(storage);
                count_idle(class_bytes(class) as isize);
                None
            }
            _ => Some(storage),
        }
    }
}
