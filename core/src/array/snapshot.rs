//! An array as it is now, without a copy for as long as nobody writes to it.
//!
//! A capture reads the array's storage itself. The first write recorded after it records a copy before itself and points the
//! capture there; so most captures never cost anything, and none ever sees the write.

use crate::array::array::Array;
use crate::array::layout::Order;
use crate::error::Result;
use parking_lot::Mutex;
use std::sync::{Arc, Weak};

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
        array.storage.watch(Arc::downgrade(&capture.held));
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

/// Those who captured a storage and are still there.
pub(crate) type Watchers = Vec<Weak<Held>>;
