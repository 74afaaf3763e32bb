//! An array as it is now, without a copy for as long as nobody writes to it.
//!
//! A capture reads the array's storage itself. The first write recorded after it records a copy before itself and points the
//! capture there; so most captures never cost anything, and none ever sees the write.

use crate::array::array::Array;
use crate::array::layout::Order;
use crate::error::Result;
use crate::memory::storage::Watcher;
use crate::memory::storage_ref::Counted;
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::state::Engine;
use parking_lot::Mutex;
use std::sync::Arc;

/// The array's contents at one version.
#[derive(Clone)]
pub(crate) struct Capture {
    held: Arc<Held>,
}

/// What a capture reads, as storages know it.
pub(crate) struct Held {
    array: Mutex<Array>,
}

impl Capture {
    /// Captures an array. Memory that others can write to unseen is copied at once.
    pub(crate) fn of(array: &Array) -> Result<Capture> {
        if array.storage.is_shared() {
            return Ok(Capture::fixed(array.copy(Order::C)?));
        }
        let capture = Capture::fixed(array.clone());
        let watcher: Arc<Watcher> = capture.held.clone();
        array.storage.watch(Arc::downgrade(&watcher));
        Ok(capture)
    }

    /// A capture of an array that nobody else will ever write to.
    pub(crate) fn fixed(array: Array) -> Capture {
        Capture { held: Arc::new(Held { array: Mutex::new(array) }) }
    }

    /// The array to read now. It is valid until the next write is recorded.
    pub(crate) fn array(&self) -> Array {
        self.held.array.lock().clone()
    }
}

impl Held {
    /// What is read now.
    pub(crate) fn array(&self) -> Array {
        self.array.lock().clone()
    }

    /// Reads something else from now on.
    pub(crate) fn replace(&self, array: Array) {
        *self.array.lock() = array;
    }
}

impl Engine {
    /// Records copies for those who captured a storage that is about to be written.
    #[cold]
    pub(crate) fn leave_copies(&mut self, storage: &Counted) -> Result<()> {
        let watchers = storage.take_watchers();
        for (i, held) in watchers.iter().enumerate() {
            let Ok(held) = held.clone().downcast::<Held>() else { unreachable!("only snapshots watch storages") };
            if let Err(error) = self.leave_copy(&held) {
                // The write does not happen either, so they go on watching.
                watchers[i..].iter().for_each(|held| storage.watch(Arc::downgrade(held)));
                return Err(error);
            }
        }
        Ok(())
    }

    fn leave_copy(&mut self, held: &Held) -> Result<()> {
        let array = held.array();
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
        held.replace(copy);
        Ok(())
    }
}
