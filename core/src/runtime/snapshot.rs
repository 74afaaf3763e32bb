//! Snapshot: an array at one version, copied only if it is written (copy-on-write).
//!
//! A snapshot reads the array's own storage. The first write recorded after it records a copy before itself and redirects the
//! snapshot there; so most snapshots cost nothing, and none sees the write.

use crate::array::array::Array;
use crate::array::layout::Order;
use crate::error::Result;
use crate::memory::storage::{Storage, Watcher};
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::state::Runtime;
use parking_lot::Mutex;
use std::sync::Arc;

/// An array's contents at one version.
#[derive(Clone)]
pub(crate) struct Snapshot {
    cell: Arc<SnapshotCell>,
}

/// The array a snapshot reads now; storages hold weak references to it.
pub(crate) struct SnapshotCell {
    array: Mutex<Array>,
}

impl Snapshot {
    /// Takes a snapshot. Memory that code outside can write unseen is copied immediately.
    pub(crate) fn of(array: &Array) -> Result<Snapshot> {
        if array.storage.is_shared() {
            return Ok(Snapshot::fixed(array.copy(Order::C)?));
        }
        let snapshot = Snapshot::fixed(array.clone());
        let watcher: Arc<Watcher> = snapshot.cell.clone();
        array.storage.add_watcher(Arc::downgrade(&watcher));
        Ok(snapshot)
    }

    /// A snapshot of an array that is never written again.
    pub(crate) fn fixed(array: Array) -> Snapshot {
        Snapshot { cell: Arc::new(SnapshotCell { array: Mutex::new(array) }) }
    }

    /// The array to read now, valid until the next write is recorded.
    pub(crate) fn array(&self) -> Array {
        self.cell.array.lock().clone()
    }
}

impl SnapshotCell {
    /// The array to read now.
    pub(crate) fn array(&self) -> Array {
        self.array.lock().clone()
    }

    /// Redirects the snapshot.
    pub(crate) fn replace(&self, array: Array) {
        *self.array.lock() = array;
    }
}

impl Runtime {
    /// Records a copy for every snapshot of a storage that is about to be written, or to be shown to code that may.
    #[cold]
    pub(crate) fn copy_on_write(&mut self, storage: &Storage) -> Result<()> {
        let watchers = storage.take_watchers();
        for (i, cell) in watchers.iter().enumerate() {
            let Ok(cell) = cell.clone().downcast::<SnapshotCell>() else {
                unreachable!("only snapshots watch storages")
            };
            if let Err(error) = self.copy_for(&cell) {
                // The write does not happen either, so the snapshots stay registered.
                watchers[i..].iter().for_each(|cell| storage.add_watcher(Arc::downgrade(cell)));
                return Err(error);
            }
        }
        Ok(())
    }

    fn copy_for(&mut self, cell: &SnapshotCell) -> Result<()> {
        let array = cell.array();
        let copy = Array::by_rows(array.shape(), array.dtype())?;
        self.submit(&Statement {
            op: Operation::Copy,
            compute: array.dtype(),
            domain: array.shape(),
            reduced: 0,
            inputs: &[Input::Memory(array.over(array.shape()))],
            target: copy.over(array.shape()),
            covers: true,
        })?;
        cell.replace(copy);
        Ok(())
    }
}
