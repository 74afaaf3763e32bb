//! Storage: the memory that several arrays may alias.
//!
//! A storage has a size, contents once something has produced them, a version that counts recorded writes, and a mark that
//! says where it stands in the pending trace. All of it changes only under the engine's lock; the atomics are there so that safe code
//! can say so at the price of plain loads and stores.
//!
//! Contents are in the host's memory, on a device, or at both places. Reading them elsewhere copies them; writing them at one
//! place forgets the other. Whoever has no address here asks [`Storage::materialize`] for one, and need not know of devices.
//!
//! While others can reach the memory on a device (it is lent), that memory is the truth: there is no address here, what is read
//! here is fetched afresh into a mirror, and what is written here goes back.

use crate::error::Result;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::pool::{ALIGN, Buffer};
use parking_lot::Mutex;
use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Who keeps foreign memory alive.
pub trait Owner: Send + Sync {
    /// Whether anyone but this engine can reach the memory now. While that is so, operations on it are not deferred.
    fn is_shared(&self) -> bool;

    /// The owner itself, for those who know its type.
    fn as_any(&self) -> &dyn Any;
}

/// A snapshot that reads a storage, as the storage knows it: `runtime::snapshot` knows its type.
pub(crate) type Watcher = dyn Any + Send + Sync;

/// Memory that several arrays may alias.
pub(crate) struct Storage {
    bytes: AtomicUsize,
    /// The first byte of the host's memory, where the contents are there, and the class of the buffer it was, where nobody else
    /// owns it. (A `OnceLock` of the buffer makes two atomic exchanges where it is set: 10 ns for every result.)
    address: AtomicPtr<u8>,
    size_class: AtomicU32,
    /// Who owns foreign memory, and its first byte, which stays where it is when the contents are on a device alone.
    owner: Option<(Box<dyn Owner>, *mut u8)>,
    /// The contents on a device, where they are there, and whether they are.
    device_buffer: Mutex<Option<DeviceBuffer>>,
    is_on_device: AtomicBool,
    /// Epoch of the trace that last touched this storage (upper half) and its slot there (lower half).
    mark: AtomicU64,
    version: AtomicU64,
    identity: AtomicU64,
    /// How many outside hold on to the memory, on the host or on a device, and how many of them on a device.
    exports: AtomicU32,
    device_exports: AtomicU32,
    is_watched: AtomicBool,
    watchers: Mutex<Vec<Weak<Watcher>>>,
}

// SAFETY: the address of foreign memory is only handed out; who may use it is what the owner says.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// A storage without memory yet.
    pub(crate) fn pending(bytes: usize) -> Storage {
        Storage {
            bytes: AtomicUsize::new(bytes),
            address: AtomicPtr::new(std::ptr::null_mut()),
            size_class: AtomicU32::new(0),
            owner: None,
            device_buffer: Mutex::new(None),
            is_on_device: AtomicBool::new(false),
            mark: AtomicU64::new(0),
            version: AtomicU64::new(0),
            identity: AtomicU64::new(0),
            exports: AtomicU32::new(0),
            device_exports: AtomicU32::new(0),
            is_watched: AtomicBool::new(false),
            watchers: Mutex::new(Vec::new()),
        }
    }

    /// A storage on memory that somebody else owns.
    pub(crate) fn foreign(address: *mut u8, bytes: usize, owner: Box<dyn Owner>) -> Storage {
        let mut storage = Storage::pending(bytes);
        // Empty memory may be nowhere.
        let address = if address.is_null() { std::ptr::without_provenance_mut(ALIGN) } else { address };
        storage.address = AtomicPtr::new(address);
        storage.owner = Some((owner, address));
        storage
    }

    /// A storage on a device's memory that somebody else owns, who can reach it for as long as the storage lives.
    pub(crate) fn on_foreign_device(device_buffer: DeviceBuffer, bytes: usize, owner: Box<dyn Owner>) -> Storage {
        let mut storage = Storage::pending(bytes);
        storage.owner = Some((owner, device_buffer.start()));
        storage.set_device_buffer(device_buffer);
        storage.count_device_export(true);
        storage
    }

    /// Makes a storage that nobody else holds as good as new; what it held is dropped. Not one on foreign memory; whether it did.
    pub(crate) fn reset(&mut self) -> bool {
        if self.owner().is_some() {
            return false;
        }
        *self = Storage::pending(0);
        true
    }

    /// Whether there is nothing to it but its size and its memory, once the last array goes.
    #[inline]
    pub(crate) fn is_reusable(&self) -> bool {
        self.owner.is_none() && self.exports.load(Ordering::Relaxed) == 0 && !self.has_snapshots()
    }

    /// The class of its own memory on the host, where it has some.
    #[inline]
    pub(crate) fn size_class(&self) -> Option<u32> {
        let own = self.owner.is_none() && !self.address.load(Ordering::Relaxed).is_null();
        own.then(|| self.size_class.load(Ordering::Relaxed))
    }

    /// Gives the memory of a plain storage that nobody else holds back to the pool, and makes it as good as new.
    pub(crate) fn release_memory(&self) {
        if let Some(size_class) = self.size_class() {
            let address = self.address.load(Ordering::Relaxed);
            self.address.store(std::ptr::null_mut(), Ordering::Relaxed);
            // SAFETY: `set_memory` took them from a buffer, and now nothing is left of it here.
            drop(unsafe { Buffer::from_raw(address, size_class) });
        }
        self.drop_device_buffer();
        self.mark.store(0, Ordering::Relaxed);
        self.reuse(0);
    }

    /// Makes a storage that is nothing but its memory serve for an array of another size.
    #[inline]
    pub(crate) fn reuse(&self, bytes: usize) {
        self.set_bytes(bytes);
        self.version.store(0, Ordering::Relaxed);
        self.identity.store(0, Ordering::Relaxed);
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

    /// The first byte in the host's memory, where the contents are there.
    #[inline]
    pub(crate) fn address(&self) -> Option<*mut u8> {
        let address = self.address.load(Ordering::Acquire);
        (!address.is_null()).then_some(address)
    }

    /// The first byte of the memory that others may reach too: the host's that the contents have, or had before they went to a
    /// device, or the device's while it is lent.
    pub(crate) fn known_address(&self) -> Option<*mut u8> {
        if self.is_exported_on_device() {
            return self.with_device_buffer(DeviceBuffer::start);
        }
        self.address().or_else(|| self.owner.as_ref().map(|owner| owner.1))
    }

    /// The first byte in the host's memory, with the contents, if there are such; giving the storage memory if it has none. What is
    /// written there counts once that is said ([`Storage::note_write`], [`Storage::invalidate_device`]).
    ///
    /// # Errors
    /// `MemoryError`; those of a device that has the contents.
    pub(crate) fn materialize(&self) -> Result<*mut u8> {
        if let Some(address) = self.address() {
            return Ok(address);
        }
        if self.has_device_buffer() {
            return self.download();
        }
        Ok(self.set_memory(Buffer::new(self.bytes())?))
    }

    /// Copies the contents from a device, where they stay too.
    #[cold]
    fn download(&self) -> Result<*mut u8> {
        let mut device_buffer = self.device_buffer.lock();
        let device_buffer = device_buffer.as_mut().expect("it is there");
        if self.is_exported_on_device() {
            return device_buffer.download_to_mirror();
        }
        match &self.owner {
            Some((_, start)) => {
                // SAFETY: the owner keeps so many bytes alive, and nobody else looks at them now.
                unsafe { device_buffer.download(0, *start, self.bytes())? };
                self.address.store(*start, Ordering::Release);
                Ok(*start)
            }
            None => {
                let buffer = device_buffer.take_mirror().map_or_else(|| Buffer::new(self.bytes()), Ok)?;
                // SAFETY: the buffer has room for so many bytes.
                unsafe { device_buffer.download(0, buffer.address(), self.bytes())? };
                Ok(self.set_memory(buffer))
            }
        }
    }

    /// The first byte that [`Storage::materialize`] gave last, with what has been written there since.
    ///
    /// # Errors
    /// `MemoryError`.
    #[inline]
    pub(crate) fn place_here(&self) -> Result<*mut u8> {
        if !self.is_exported_on_device() {
            return self.materialize();
        }
        self.device_buffer.lock().as_mut().expect("what is lent is on a device").mirror()
    }

    /// Whether the contents are on a device.
    #[inline]
    pub(crate) fn has_device_buffer(&self) -> bool {
        self.is_on_device.load(Ordering::Relaxed)
    }

    /// Whether the contents are on a device alone.
    #[inline]
    pub(crate) fn is_device_only(&self) -> bool {
        self.address().is_none() && self.has_device_buffer()
    }

    /// Whether anything has memory for the contents.
    pub(crate) fn has_memory(&self) -> bool {
        self.address().is_some() || self.has_device_buffer()
    }

    /// Does something with the contents on a device, where they are there.
    pub(crate) fn with_device_buffer<T>(&self, with: impl FnOnce(&DeviceBuffer) -> T) -> Option<T> {
        if self.has_device_buffer() { self.device_buffer.lock().as_ref().map(with) } else { None }
    }

    /// Says that these are the contents on a device.
    pub(crate) fn set_device_buffer(&self, device_buffer: DeviceBuffer) {
        *self.device_buffer.lock() = Some(device_buffer);
        self.is_on_device.store(true, Ordering::Relaxed);
    }

    /// Takes the contents on a device away.
    pub(crate) fn take_device_buffer(&self) -> Option<DeviceBuffer> {
        if !self.has_device_buffer() {
            return None;
        }
        self.is_on_device.store(false, Ordering::Relaxed);
        self.device_buffer.lock().take()
    }

    /// Forgets the contents on a device, which nobody else can reach.
    #[inline]
    pub(crate) fn drop_device_buffer(&self) {
        drop(self.take_device_buffer());
    }

    /// Notes that the contents on the host are newer than those on a device: which are forgotten, or brought up to date where others
    /// can reach them.
    ///
    /// # Errors
    /// Those of a device that failed.
    #[inline]
    pub(crate) fn invalidate_device(&self) -> Result<()> {
        if self.has_device_buffer() { self.update_device_export() } else { Ok(()) }
    }

    #[cold]
    fn update_device_export(&self) -> Result<()> {
        if !self.is_exported_on_device() {
            self.drop_device_buffer();
            return Ok(());
        }
        self.device_buffer.lock().as_mut().map_or(Ok(()), DeviceBuffer::upload_mirror)
    }

    /// Notes that the contents on a device are newer than those on the host, which are forgotten.
    pub(crate) fn invalidate_host(&self) {
        let address = self.address.swap(std::ptr::null_mut(), Ordering::Relaxed);
        if self.owner.is_none() && !address.is_null() {
            // SAFETY: `set_memory` took them from a buffer, and now nothing is left of it here.
            drop(unsafe { Buffer::from_raw(address, self.size_class.load(Ordering::Relaxed)) });
        }
    }

    /// Takes the host's memory out of a storage that nobody else holds; none where it is foreign or missing.
    pub(crate) fn take_memory(&mut self) -> Option<Buffer> {
        if self.owner.is_some() || self.address.get_mut().is_null() {
            return None;
        }
        let address = std::mem::replace(self.address.get_mut(), std::ptr::null_mut());
        // SAFETY: `set_memory` took them from a buffer, and now nothing is left of it here.
        Some(unsafe { Buffer::from_raw(address, *self.size_class.get_mut()) })
    }

    /// Gives a storage without memory on the host this block; its first byte.
    #[inline]
    pub(crate) fn set_memory(&self, buffer: Buffer) -> *mut u8 {
        debug_assert!(self.address().is_none(), "a storage has memory once");
        let (address, size_class) = buffer.into_raw();
        self.size_class.store(size_class, Ordering::Relaxed);
        self.address.store(address, Ordering::Release);
        address
    }

    /// The owner of foreign memory.
    pub(crate) fn owner(&self) -> Option<&dyn Owner> {
        self.owner.as_ref().map(|owner| &*owner.0)
    }

    /// Whether anyone outside the engine can reach the memory now.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        self.exports.load(Ordering::Relaxed) > 0 || self.owner.as_ref().is_some_and(|owner| owner.0.is_shared())
    }

    /// Whether others can reach the contents on a device.
    #[inline]
    pub(crate) fn is_exported_on_device(&self) -> bool {
        self.device_exports.load(Ordering::Relaxed) > 0
    }

    /// One more (or one less) who can reach the contents on a device, where they are alone.
    pub(crate) fn count_device_export(&self, more: bool) {
        if more {
            self.invalidate_host();
            self.device_exports.fetch_add(1, Ordering::Relaxed);
            self.exports.fetch_add(1, Ordering::Relaxed);
        } else {
            self.exports.fetch_sub(1, Ordering::Relaxed);
            self.device_exports.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// One more (or one less) outside reference.
    pub(crate) fn count_export(&self, more: bool) {
        if more {
            // Others may write it unseen.
            self.drop_device_buffer();
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

    /// Counts a write that was recorded.
    #[inline]
    pub(crate) fn bump_version(&self) {
        self.version.store(self.version() + 1, Ordering::Relaxed);
    }

    /// Counts a write to the host's memory, where the contents are from now on.
    ///
    /// # Errors
    /// Those of a device that others can reach them on.
    #[inline]
    pub(crate) fn note_write(&self) -> Result<()> {
        self.bump_version();
        self.invalidate_device()
    }

    /// A number that no other storage has, nor this one once it serves for other arrays.
    pub(crate) fn identity(&self) -> u64 {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        match self.identity.load(Ordering::Relaxed) {
            0 => {
                let identity = NEXT.fetch_add(1, Ordering::Relaxed);
                self.identity.store(identity, Ordering::Relaxed);
                identity
            }
            identity => identity,
        }
    }

    /// Whether somebody captured the contents, so that a write has to leave them a copy.
    #[inline]
    pub(crate) fn has_snapshots(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    /// Notes a capture.
    pub(crate) fn add_watcher(&self, watcher: Weak<Watcher>) {
        let mut watchers = self.watchers.lock();
        watchers.retain(|w| w.strong_count() > 0);
        watchers.push(watcher);
        self.is_watched.store(true, Ordering::Relaxed);
    }

    /// Takes the captures that are still there.
    pub(crate) fn take_watchers(&self) -> Vec<Arc<Watcher>> {
        self.is_watched.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.watchers.lock()).iter().filter_map(Weak::upgrade).collect()
    }
}

impl Drop for Storage {
    #[inline]
    fn drop(&mut self) {
        drop(self.take_memory());
    }
}
