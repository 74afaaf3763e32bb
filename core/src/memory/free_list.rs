//! Storages whose arrays are gone, kept with their memory: the next small array takes one whole.
//!
//! A storage from the allocator, memory for it from the pool, and both back again are 400 instructions, a fifth of `a + b` on
//! ten elements. From here and back it is 60 under the engine's lock, which small operations take anyway.

use crate::memory::pool::{class_bytes, class_of, count_idle};
use crate::memory::storage::Storage;
use crate::memory::storage_ref::Counted;
use crate::runtime::dead_results::array_died;
use crate::runtime::recorder::retire;
use std::mem::ManuallyDrop;
use std::ops::Deref;

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

/// An array's share of a storage. With the last one the storage goes back to the shelf, or at least without its memory to
/// those for later results.
#[derive(Clone)]
pub(crate) struct Share(ManuallyDrop<Counted>);

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

impl Drop for Share {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: this is the end of the share, which nobody touches again.
        let storage = unsafe { ManuallyDrop::take(&mut self.0) };
        if Counted::count(&storage) == 1 && storage.is_plain() {
            retire(storage);
        } else {
            drop(storage);
            array_died();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array, DType};

    #[test]
    fn storages_serve_again() {
        let address = |a: &Array| a.address().unwrap() as usize;
        let all: Vec<usize> = (0..100)
            .map(|i| {
                let a =
                    Array::full(&[i % 3 + 40], fastnp_codegen::Scalar::new(DType::F64, 1i64), crate::Order::C).unwrap();
                address(&a)
            })
            .collect();
        // Other tests run beside this one and take storages, too; but not a new one each time.
        let mut different = all.clone();
        different.sort_unstable();
        different.dedup();
        assert!(different.len() < all.len(), "{all:?}");
    }

    #[test]
    fn what_somebody_holds_is_not_given_away() {
        let a = Array::ones(&[10], DType::F64);
        let view = a.index(&[(2..4).into()]).unwrap();
        drop(a);
        let others: Vec<Array> = (0..40).map(|_| Array::zeros(&[10], DType::F64)).collect();
        assert_eq!(view.to_vec::<f64>().unwrap(), [1.0, 1.0]);
        let export = view.export().unwrap();
        drop(view);
        let more: Vec<Array> = (0..40).map(|_| Array::zeros(&[10], DType::F64)).collect();
        // SAFETY: the export lives, and two elements are there.
        assert_eq!(unsafe { std::slice::from_raw_parts(export.address().cast::<f64>(), 2) }, [1.0, 1.0]);
        drop((others, more));
    }
}
