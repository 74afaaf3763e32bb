//! Storage: the memory that several arrays may alias.
//!
//! A storage has a size, memory once something has produced it, a version that counts recorded writes, and a mark that
//! says where it stands in the pending trace. All of it changes only under the engine's lock; the atomics are there so that safe code
//! can say so at the price of plain loads and stores.

use crate::capture::{Held, Watchers};
use crate::memory::Buffer;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// Who keeps foreign memory alive.
pub trait Owner: Send + Sync {
    /// Whether anyone but this engine can reach the memory now. While that is so, operations on it are not deferred.
    fn is_shared(&self) -> bool;

    /// The owner itself, for those who know its type.
    fn as_any(&self) -> &dyn std::any::Any;
}

pub(crate) enum Memory {
    Own(Buffer),
    Foreign(Foreign),
}

pub(crate) struct Foreign {
    address: *mut u8,
    owner: Box<dyn Owner>,
}

// SAFETY: the owner keeps the memory alive from any thread; accesses are governed by those who launch kernels.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

/// Memory that several arrays may alias.
pub(crate) struct Storage {
    bytes: AtomicUsize,
    memory: OnceLock<Memory>,
    /// Epoch of the trace that last touched this storage (upper half) and its slot there (lower half).
    mark: AtomicU64,
    version: AtomicU64,
    exports: AtomicU32,
    watched: AtomicBool,
    watchers: Mutex<Watchers>,
}

impl Storage {
    /// A storage without memory yet.
    pub(crate) fn pending(bytes: usize) -> Storage {
        Storage {
            bytes: AtomicUsize::new(bytes),
            memory: OnceLock::new(),
            mark: AtomicU64::new(0),
            version: AtomicU64::new(0),
            exports: AtomicU32::new(0),
            watched: AtomicBool::new(false),
            watchers: Mutex::new(Watchers::new()),
        }
    }

    /// A storage with memory of its own, and its first byte.
    pub(crate) fn made(bytes: usize) -> crate::Result<(Storage, *mut u8)> {
        let buffer = Buffer::new(bytes)?;
        let address = buffer.address();
        Ok((Storage { memory: OnceLock::from(Memory::Own(buffer)), ..Storage::pending(bytes) }, address))
    }

    /// A storage on memory that somebody else owns.
    pub(crate) fn foreign(address: *mut u8, bytes: usize, owner: Box<dyn Owner>) -> Storage {
        let storage = Storage::pending(bytes);
        let _ = storage.memory.set(Memory::Foreign(Foreign { address, owner }));
        storage
    }

    /// Makes a storage that nobody else holds as good as new; what it held is dropped. Not one on foreign memory; whether it did.
    pub(crate) fn clear(&mut self) -> bool {
        if self.owner().is_some() {
            return false;
        }
        *self = Storage::pending(0);
        true
    }

    /// Says how large a cleared storage is to be.
    pub(crate) fn set_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Size in bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The first byte, where there is memory.
    #[inline]
    pub(crate) fn address(&self) -> Option<*mut u8> {
        match self.memory.get()? {
            Memory::Own(buffer) => Some(buffer.address()),
            Memory::Foreign(foreign) => Some(foreign.address),
        }
    }

    /// The first byte, giving the storage memory if it has none.
    pub(crate) fn materialize(&self) -> crate::Result<*mut u8> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        let buffer = Buffer::new(self.bytes())?;
        let address = buffer.address();
        let _ = self.memory.set(Memory::Own(buffer));
        Ok(address)
    }

    /// Takes the memory out of a storage that nobody else holds; none where it is foreign or missing.
    pub(crate) fn take_memory(&mut self) -> Option<Buffer> {
        match self.memory.take() {
            Some(Memory::Own(buffer)) => Some(buffer),
            Some(foreign) => {
                let _ = self.memory.set(foreign);
                None
            }
            None => None,
        }
    }

    /// Gives a storage without memory this block.
    pub(crate) fn adopt(&self, buffer: Buffer) {
        let adopted = self.memory.set(Memory::Own(buffer));
        debug_assert!(adopted.is_ok(), "a storage has memory once");
    }

    /// The owner of foreign memory.
    pub(crate) fn owner(&self) -> Option<&dyn Owner> {
        match self.memory.get()? {
            Memory::Own(_) => None,
            Memory::Foreign(foreign) => Some(foreign.owner.as_ref()),
        }
    }

    /// Whether anyone outside the engine can reach the memory now.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.exports.load(Ordering::Relaxed) > 0
            || matches!(self.memory.get(), Some(Memory::Foreign(f)) if f.owner.is_shared())
    }

    /// One more (or one less) outside reference.
    pub(crate) fn export(&self, more: bool) {
        if more {
            self.exports.fetch_add(1, Ordering::Relaxed);
        } else {
            self.exports.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// The slot in the trace of this epoch, where the storage has one.
    #[inline]
    pub(crate) fn slot(&self, epoch: u32) -> Option<u32> {
        let mark = self.mark.load(Ordering::Relaxed);
        ((mark >> 32) as u32 == epoch).then_some(mark as u32)
    }

    #[inline]
    pub(crate) fn set_slot(&self, epoch: u32, slot: u32) {
        self.mark.store((epoch as u64) << 32 | slot as u64, Ordering::Relaxed);
    }

    /// How many writes were recorded or run: what a captured read compares with later.
    #[inline]
    pub(crate) fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Counts a write.
    #[inline]
    pub(crate) fn written(&self) {
        self.version.store(self.version() + 1, Ordering::Relaxed);
    }

    /// Whether somebody captured the contents, so that a write has to leave them a copy.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.watched.load(Ordering::Relaxed)
    }

    /// Notes a capture.
    pub(crate) fn watch(&self, held: Weak<Held>) {
        let mut watchers = self.watchers.lock();
        watchers.retain(|w| w.strong_count() > 0);
        watchers.push(held);
        self.watched.store(true, Ordering::Relaxed);
    }

    /// Takes the captures that are still there.
    pub(crate) fn take_watchers(&self) -> Vec<Arc<Held>> {
        self.watched.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.watchers.lock()).iter().filter_map(Weak::upgrade).collect()
    }
}
