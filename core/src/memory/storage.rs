//! Storage: memory that several arrays may alias.
//!
//! A storage has a size, contents once a node has produced them, a version that counts writes, and a mark that holds its
//! slot in the pending trace. All of it changes under the runtime's lock only; the atomics express that in safe code, at the price
//! of plain loads and stores.
//!
//! Contents are in the host's memory, on a device, or both. Reading on the other side copies them; writing on one side invalidates
//! the other. Code that needs an address on the host calls [`Storage::materialize`] and need not know of devices.
//!
//! While other libraries share the memory on a device (it is exported there), the device has the only valid copy: there is no host
//! address; a read on the host downloads into a mirror, and a write on the host uploads it.

use crate::error::Result;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::export_count::ExportCount;
use crate::memory::front_layout::FrontLayout;
use crate::memory::guarded_range::{self, SlotOwner};
use crate::memory::header_page::HeaderPage;
use crate::memory::pool::{BLOCK_ALIGN, Buffer};
use parking_lot::Mutex;
use std::any::Any;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

/// Contents of up to so many bytes are shown to code outside where they are, once they are computed: a fault and a page of its own for each
/// would cost more than a copy of them for each pending node that reads them.
pub(crate) const SHOWN_AT_ONCE: usize = 16 << 10;
/// Touches by code outside after which a storage stays open: the cost of closing (8 µs) and the next fault is more than fusion wins.
const MOST_TOUCHES: u32 = 3;
/// A call that opens a storage again sooner counts as a touch by code outside: opening and closing (some 10 µs) would be a twentieth of the
/// time.
const OFTEN: Duration = Duration::from_micros(200);

/// Who opens a storage.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Toucher {
    /// Code outside, which may do so again at any time.
    Outside,
    /// A call of code that has the address until it returns: a compiled loop, a ufunc's loop.
    Call,
}

/// What times of opening count from.
static EPOCH: OnceLock<Instant> = OnceLock::new();

/// The owner of foreign memory, which keeps it alive.
pub trait Owner: Send + Sync {
    /// Whether code outside this crate can reach the memory now. While it can, operations on the memory are not deferred.
    fn is_shared(&self) -> bool;

    /// Whether nothing but arrays of this crate leads to the memory, until code outside looks at one of them.
    fn is_private(&self) -> bool {
        false
    }

    /// The owner itself, for a downcast.
    fn as_any(&self) -> &dyn Any;
}

/// A snapshot that reads a storage, as the storage knows it: `runtime::snapshot` knows its type.
pub type Watcher = dyn Any + Send + Sync;

/// Memory that several arrays may alias.
///
/// Recording a node and dropping its trace touch the fields up to `front` alone, which lie in two cache lines with the reference count: a trace
/// has up to a thousand storages.
#[repr(C)]
pub struct Storage {
    /// Epoch of the trace that last touched this storage (upper half) and its slot there (lower half).
    mark: AtomicU64,
    bytes: AtomicUsize,
    /// The address of the contents in host memory, null where they are not there, and the size class of the block, where it is the
    /// pool's. (A `OnceLock` of the buffer makes two atomic exchanges when it is set: 10 ns for every result.)
    address: AtomicPtr<u8>,
    size_class: AtomicU32,
    /// What made the contents, as the prediction of touches knows it, plus one; zero where that is not known. And whether it was open from the
    /// beginning, for that prediction.
    creation: AtomicU32,
    was_predicted: AtomicBool,
    /// Whether there are contents on a device.
    is_on_device: AtomicBool,
    /// Whether a reference from outside is never given back.
    is_exposed: AtomicBool,
    is_watched: AtomicBool,
    /// References from outside to the memory, on the host or on a device.
    exports: ExportCount,
    /// The address that code outside knows the first byte by; null where there is none yet. Where it is that of the contents the storage is
    /// *open*: code outside may read and write it at any time. Else it is the guarded address.
    shown: AtomicPtr<u8>,
    version: AtomicU64,
    /// The owner of foreign memory, and its address, which stays valid while the contents are on a device alone.
    owner: Option<(Box<dyn Owner>, *mut u8)>,
    /// The guarded address, null where there is none; kept when the storage is reused.
    slot: AtomicPtr<u8>,
    /// How often it was opened by code outside.
    touches: AtomicU32,
    /// References from outside to the memory on a device.
    device_exports: ExportCount,
    /// What code outside reads on the front page, if the guarded address has one.
    front: FrontLayout,
    identity: AtomicU64,
    /// When it was opened last: nanoseconds from some time on.
    opened_at: AtomicU64,
    /// The header pages that are open since it was opened. An object takes its page out before it goes.
    open_headers: Mutex<Vec<*const HeaderPage>>,
    /// The contents on a device.
    device_buffer: Mutex<Option<DeviceBuffer>>,
    watchers: Mutex<Vec<Weak<Watcher>>>,
}

// SAFETY: the address of foreign memory is only handed out; its owner says who may use it.
unsafe impl Send for Storage {}
// SAFETY: as above.
unsafe impl Sync for Storage {}

impl Storage {
    /// A storage without memory yet.
    pub fn pending(bytes: usize) -> Storage {
        Storage {
            bytes: AtomicUsize::new(bytes),
            address: AtomicPtr::new(std::ptr::null_mut()),
            size_class: AtomicU32::new(0),
            shown: AtomicPtr::new(std::ptr::null_mut()),
            slot: AtomicPtr::new(std::ptr::null_mut()),
            front: FrontLayout::none(),
            touches: AtomicU32::new(0),
            creation: AtomicU32::new(0),
            was_predicted: AtomicBool::new(false),
            opened_at: AtomicU64::new(0),
            open_headers: Mutex::new(Vec::new()),
            owner: None,
            device_buffer: Mutex::new(None),
            is_on_device: AtomicBool::new(false),
            mark: AtomicU64::new(0),
            version: AtomicU64::new(0),
            identity: AtomicU64::new(0),
            exports: ExportCount::none(),
            device_exports: ExportCount::none(),
            is_exposed: AtomicBool::new(false),
            is_watched: AtomicBool::new(false),
            watchers: Mutex::new(Vec::new()),
        }
    }

    /// A storage on foreign memory.
    pub(crate) fn foreign(address: *mut u8, bytes: usize, owner: Box<dyn Owner>) -> Storage {
        let mut storage = Storage::pending(bytes);
        // Empty memory may have a null address.
        let address = if address.is_null() { std::ptr::without_provenance_mut(BLOCK_ALIGN) } else { address };
        storage.address = AtomicPtr::new(address);
        storage.shown = AtomicPtr::new(address);
        storage.owner = Some((owner, address));
        storage
    }

    /// A storage on a device's foreign memory. It counts as exported, since its owner can reach it for as long as the storage
    /// lives.
    pub(crate) fn on_foreign_device(device_buffer: DeviceBuffer, bytes: usize, owner: Box<dyn Owner>) -> Storage {
        let mut storage = Storage::pending(bytes);
        storage.owner = Some((owner, device_buffer.start()));
        storage.set_device_buffer(device_buffer);
        storage.count_device_export(true);
        storage
    }

    /// Whether the storage has nothing but a size and memory of its own once its last array is dropped: no owner, no exports, no
    /// snapshots.
    #[inline]
    pub(crate) fn is_reusable(&self) -> bool {
        self.owner.is_none() && !self.exports.is_positive() && !self.has_snapshots()
    }

    /// The size class of its memory on the host, where that is the pool's.
    #[inline]
    pub(crate) fn size_class(&self) -> Option<u32> {
        let own = self.owner.is_none() && !self.address.load(Ordering::Relaxed).is_null();
        own.then(|| self.size_class.load(Ordering::Relaxed)).filter(|&class| !Buffer::is_opened(class))
    }

    /// Returns the memory of a reusable storage without other references to the pool, and resets it.
    pub(crate) fn release_memory(&self) {
        self.free_block();
        self.drop_device_buffer();
        self.mark.store(0, Ordering::Relaxed);
        self.reuse(0);
    }

    /// Makes a reusable storage serve for an array of another size.
    #[inline]
    pub(crate) fn reuse(&self, bytes: usize) {
        self.shown.store(std::ptr::null_mut(), Ordering::Relaxed);
        self.front.clear();
        self.set_bytes(bytes);
        self.version.store(0, Ordering::Relaxed);
        self.identity.store(0, Ordering::Relaxed);
        self.touches.store(0, Ordering::Relaxed);
    }

    /// Sets the size of a reset storage.
    #[inline]
    pub(crate) fn set_bytes(&self, bytes: usize) {
        self.bytes.store(bytes, Ordering::Relaxed);
        if bytes <= SHOWN_AT_ONCE {
            return;
        }
        self.creation.store(0, Ordering::Relaxed);
        self.was_predicted.store(false, Ordering::Relaxed);
    }

    /// Size in bytes.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Relaxed)
    }

    /// The address of the contents in host memory, where they are there.
    #[inline]
    pub(crate) fn address(&self) -> Option<*mut u8> {
        let address = self.address.load(Ordering::Acquire);
        (!address.is_null()).then_some(address)
    }

    /// The address that code outside may know: in host memory, also while the contents are on a device, or on the device while the
    /// memory is exported there.
    pub(crate) fn known_address(&self) -> Option<*mut u8> {
        if self.is_exported_on_device() {
            return self.with_device_buffer(DeviceBuffer::start);
        }
        self.address().or_else(|| self.owner.as_ref().map(|owner| owner.1))
    }

    /// The address in host memory: downloads the contents if they are on a device only, allocates memory if there is none. A write
    /// there must be followed by [`Storage::invalidate_device`]; eager work gets addresses and that from `runtime::eager_gate`.
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

    /// Gives a storage without contents memory in a slot that is open from the beginning, which it shows; the address, or `None` where there
    /// is no such slot. Code outside does not know the storage yet.
    pub(crate) fn materialize_open(&self) -> Option<*mut u8> {
        debug_assert!(self.owner.is_none() && !self.has_memory() && self.front.is_none());
        let block = Buffer::in_open_slot(self.bytes(), self.as_slot_owner())?;
        let address = self.set_memory(block);
        let before = self.slot.swap(address, Ordering::Relaxed);
        if !before.is_null() {
            guarded_range::release(before);
        }
        self.shown.store(address, Ordering::Relaxed);
        self.was_predicted.store(true, Ordering::Relaxed);
        self.bump_version();
        Some(address)
    }

    /// Takes away the memory of a storage that is open and that code outside does not know yet.
    pub(crate) fn discard_open(&self) {
        self.shown.store(std::ptr::null_mut(), Ordering::Relaxed);
        self.was_predicted.store(false, Ordering::Relaxed);
        self.free_block();
    }

    /// What made the contents of a storage that is not shown where they are for being small, if it is known: a number of 16 bits.
    pub(crate) fn creation(&self) -> Option<u16> {
        let creation = self.creation.load(Ordering::Relaxed);
        (creation != 0 && self.bytes() > SHOWN_AT_ONCE).then(|| (creation - 1) as u16)
    }

    /// Sets what made the contents, or that it is not known.
    pub(crate) fn set_creation(&self, creation: Option<u16>) {
        self.creation.store(creation.map_or(0, |number| u32::from(number) + 1), Ordering::Relaxed);
    }

    /// Whether the storage was open from the beginning.
    pub(crate) fn was_predicted(&self) -> bool {
        self.bytes() > SHOWN_AT_ONCE && self.was_predicted.load(Ordering::Relaxed)
    }

    /// Downloads the contents, which stay on the device too.
    #[cold]
    fn download(&self) -> Result<*mut u8> {
        let mut device_buffer = self.device_buffer.lock();
        let device_buffer = device_buffer.as_mut().expect("the contents are on a device");
        if self.is_exported_on_device() {
            return device_buffer.download_to_mirror();
        }
        match &self.owner {
            Some((_, start)) => {
                // SAFETY: the owner keeps so many bytes alive, and no other code uses them now.
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
    pub(crate) fn address_to_write(&self) -> Result<*mut u8> {
        if !self.is_exported_on_device() {
            return self.materialize();
        }
        self.device_buffer.lock().as_mut().expect("exported memory is on a device").mirror()
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

    /// Calls `with` on the device buffer, where there is one.
    pub(crate) fn with_device_buffer<T>(&self, with: impl FnOnce(&DeviceBuffer) -> T) -> Option<T> {
        if self.has_device_buffer() { self.device_buffer.lock().as_ref().map(with) } else { None }
    }

    /// Sets the device buffer.
    pub(crate) fn set_device_buffer(&self, device_buffer: DeviceBuffer) {
        *self.device_buffer.lock() = Some(device_buffer);
        self.is_on_device.store(true, Ordering::Relaxed);
    }

    /// Takes the device buffer.
    pub(crate) fn take_device_buffer(&self) -> Option<DeviceBuffer> {
        if !self.has_device_buffer() {
            return None;
        }
        self.is_on_device.store(false, Ordering::Relaxed);
        self.device_buffer.lock().take()
    }

    /// Drops the device buffer.
    #[inline]
    pub(crate) fn drop_device_buffer(&self) {
        drop(self.take_device_buffer());
    }

    /// Invalidates the contents on a device after a write on the host: the buffer is dropped, or uploaded again while it is
    /// exported.
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

    /// Invalidates the contents on the host after a write on a device.
    pub(crate) fn invalidate_host(&self) {
        if self.owner.is_some() {
            self.address.store(std::ptr::null_mut(), Ordering::Relaxed);
        }
        drop(self.take_block());
    }

    /// Frees the block of memory of its own, as the storage ends. One at a guarded address takes that along: the storage has none then.
    fn free_block(&self) {
        let Some(block) = self.take_block() else { return };
        if block.free_with_slot() {
            self.slot.store(std::ptr::null_mut(), Ordering::Relaxed);
        }
    }

    /// Takes the block of memory of its own.
    fn take_block(&self) -> Option<Buffer> {
        if self.owner.is_some() {
            return None;
        }
        let address = self.address.load(Ordering::Relaxed);
        self.address.store(std::ptr::null_mut(), Ordering::Relaxed);
        // SAFETY: `set_memory` took them from a buffer, and now nothing is left of it here.
        (!address.is_null()).then(|| unsafe { Buffer::from_raw(address, self.size_class.load(Ordering::Relaxed)) })
    }

    /// Takes the host memory out of an unshared storage; `None` where it is foreign or missing.
    pub(crate) fn take_memory(&mut self) -> Option<Buffer> {
        if self.owner.is_some() || self.address.get_mut().is_null() {
            return None;
        }
        let address = std::mem::replace(self.address.get_mut(), std::ptr::null_mut());
        // SAFETY: `set_memory` took them from a buffer, and now nothing is left of it here.
        Some(unsafe { Buffer::from_raw(address, *self.size_class.get_mut()) })
    }

    /// Frees the host memory, which was got for a step that did not run, so that the contents are pending as before.
    pub(crate) fn discard_memory(&self) {
        let address = self.address.swap(std::ptr::null_mut(), Ordering::Relaxed);
        debug_assert!(self.owner.is_none() && !address.is_null());
        // SAFETY: `set_memory` took them from a buffer; the storage has not shown its address, as the contents were never there.
        drop(unsafe { Buffer::from_raw(address, self.size_class.load(Ordering::Relaxed)) });
    }

    /// Moves the memory, on the host and on a device, to a storage of the same size that has none. Both storages' memory is their own.
    pub(crate) fn move_memory_to(&self, other: &Storage) {
        let address = self.address.swap(std::ptr::null_mut(), Ordering::Relaxed);
        if !address.is_null() {
            other.size_class.store(self.size_class.load(Ordering::Relaxed), Ordering::Relaxed);
            other.address.store(address, Ordering::Release);
        }
        if let Some(device_buffer) = self.take_device_buffer() {
            other.set_device_buffer(device_buffer);
        }
    }

    /// Gives a storage without host memory this block; its address.
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

    /// Whether code outside this crate can reach the memory now.
    #[inline]
    pub(crate) fn is_shared(&self) -> bool {
        match &self.owner {
            None => self.is_open() || self.exports.is_positive(),
            Some(owner) => {
                self.touches.load(Ordering::Relaxed) > 0 || owner.0.is_shared() || self.exports.is_positive()
            }
        }
    }

    /// Whether code outside knows the address of the contents, so that it may read and write them without a fault.
    #[inline]
    pub(crate) fn is_open(&self) -> bool {
        let shown = self.shown.load(Ordering::Relaxed);
        !shown.is_null() && shown == self.address.load(Ordering::Relaxed)
    }

    /// Whether code outside knows it by a guarded address where it may still fault, now or after the next operation; or it is foreign
    /// memory that code outside has not looked at yet.
    #[inline]
    pub(crate) fn is_guarded(&self) -> bool {
        let touches = self.touches.load(Ordering::Relaxed);
        let shown = self.shown.load(Ordering::Relaxed);
        match &self.owner {
            None => !shown.is_null() && shown == self.slot.load(Ordering::Relaxed) && touches <= MOST_TOUCHES,
            Some(owner) => touches == 0 && owner.0.is_private(),
        }
    }

    /// Whether every write to the contents counts as a version: code outside cannot reach them, and once it can, that counts as one.
    #[inline]
    pub(crate) fn counts_all_writes(&self) -> bool {
        !self.is_shared() && (self.owner.is_none() || self.is_guarded())
    }

    /// Counts a touch by code outside. Foreign memory, which cannot be moved away, is shared from the first on.
    pub(crate) fn count_touch(&self) {
        self.touches.store(self.touches.load(Ordering::Relaxed).saturating_add(1), Ordering::Relaxed);
    }

    /// Registers an open header page, to be closed with the storage.
    pub(crate) fn remember_header(&self, page: &HeaderPage) {
        self.open_headers.lock().push(page);
    }

    /// Takes out a header page.
    pub(crate) fn forget_header(&self, page: &HeaderPage) {
        self.open_headers.lock().retain(|&known| !std::ptr::eq(known, page));
    }

    /// Whether the contents are few and open, so that a pending node would read a copy of them.
    #[inline]
    pub(crate) fn is_small_open(&self) -> bool {
        self.is_open() && self.owner.is_none() && self.bytes() <= SHOWN_AT_ONCE
    }

    /// The address that code outside knows the first byte by, where there is one.
    #[inline]
    pub(crate) fn shown(&self) -> Option<*mut u8> {
        let shown = self.shown.load(Ordering::Relaxed);
        (!shown.is_null()).then_some(shown)
    }

    /// Shows an address to code outside for the first time: that of the contents, if they are computed, few and used by no pending node,
    /// which is `is_idle`; else a guarded one. `None` where there is none.
    pub(crate) fn show(&self, is_idle: bool) -> Option<*mut u8> {
        let address = self.address.load(Ordering::Relaxed);
        if is_idle && !address.is_null() && self.bytes() <= SHOWN_AT_ONCE {
            return Some(self.show_contents());
        }
        let slot = self.slot.load(Ordering::Relaxed);
        let slot = if guarded_range::suits(slot, self.bytes()) {
            slot
        } else {
            guarded_range::release(slot);
            let slot = guarded_range::assign_contents(self.bytes(), self.as_slot_owner());
            self.slot.store(slot.unwrap_or(std::ptr::null_mut()), Ordering::Relaxed);
            slot?
        };
        self.shown.store(slot, Ordering::Relaxed);
        Some(slot)
    }

    /// [`Storage::show`] of a new storage, under the lock that it was made under, where code outside gets the address next.
    #[inline]
    pub(crate) fn show_new(&self, is_idle: bool) {
        if guarded_range::is_in_use() && self.shown().is_none() {
            // Where no address is free, the array that is asked for it returns the error.
            self.show(is_idle);
        }
    }

    /// The front page of the guarded address for an array of this layout, if it has one that shows this layout. The first array that asks
    /// says what it shows.
    #[inline]
    pub(crate) fn front_page(&self, shape: &[usize], strides: &[isize]) -> Option<*mut isize> {
        let slot = self.slot.load(Ordering::Relaxed);
        if self.owner.is_some() || self.shown() != Some(slot) || !guarded_range::has_front(slot) {
            return None;
        }
        if self.front.is_none() {
            if self.is_exported_on_device() || !self.front.set(shape, strides) {
                self.front.refuse();
                return None;
            }
            if self.is_open() {
                let numbers = self.front.numbers();
                // SAFETY: the page before open contents is open, and nothing knows it yet.
                unsafe { guarded_range::front_page(slot).copy_from_nonoverlapping(numbers.as_ptr(), numbers.len()) };
            }
        } else if !self.front.is(shape, strides) {
            return None;
        }
        Some(guarded_range::front_page(slot))
    }

    fn as_slot_owner(&self) -> SlotOwner {
        SlotOwner::Storage(std::ptr::from_ref(self).cast())
    }

    /// Makes a slot that code outside knows already that of a new storage, which has shown nothing.
    pub(crate) fn adopt_slot(&self, slot: *mut u8) {
        debug_assert!(self.shown().is_none(), "it shows no other slot");
        let before = self.slot.load(Ordering::Relaxed);
        if !before.is_null() {
            guarded_range::release(before);
        }
        guarded_range::hand_over(slot, self.as_slot_owner());
        self.slot.store(slot, Ordering::Relaxed);
        self.front.refuse();
        self.shown.store(slot, Ordering::Relaxed);
    }

    /// Shows the address of the contents, which are in host memory. Code outside may write them unseen from now on.
    pub(crate) fn show_contents(&self) -> *mut u8 {
        self.bump_version();
        let address = self.address.load(Ordering::Relaxed);
        self.shown.store(address, Ordering::Relaxed);
        address
    }

    /// Opens a storage whose contents are in host memory of its own: moves them, and the front layout, to the guarded address.
    ///
    /// # Errors
    /// `MemoryError`; then it stays as it is.
    pub(crate) fn open(&self, toucher: Toucher) -> Result<()> {
        let Some(slot) = NonNull::new(self.shown.load(Ordering::Relaxed)) else { return Ok(()) };
        if self.is_open() {
            return Ok(());
        }
        if self.is_exported_on_device() {
            // Code outside gets a copy: what it writes does not reach the device.
            let front = self.front.numbers();
            let mut device_buffer = self.device_buffer.lock();
            return device_buffer.as_mut().map_or(Ok(()), |device_buffer| device_buffer.show_mirror(slot, &front));
        }
        // Code outside may write the contents unseen.
        self.bump_version();
        self.drop_device_buffer();
        let Some(mut block) = self.take_block() else { return Ok(()) };
        let opened = block.open_at(slot, self.bytes(), &self.front.numbers());
        let now = EPOCH.get_or_init(Instant::now).elapsed().as_nanos() as u64;
        let before = self.opened_at.swap(now, Ordering::Relaxed);
        if toucher == Toucher::Outside || before != 0 && now - before < OFTEN.as_nanos() as u64 {
            self.count_touch();
        }
        self.set_memory(block);
        opened
    }

    /// Keeps a storage open from its next opening on.
    pub(crate) fn stay_open(&self) {
        if self.owner.is_none() && self.touches.load(Ordering::Relaxed) <= MOST_TOUCHES {
            self.touches.fetch_max(MOST_TOUCHES + 1, Ordering::Relaxed);
        }
    }

    /// Closes an open storage, so that the next touch by code outside faults; whether it is closed now. One that code outside touches again
    /// and again stays open, and so does one that it has a reference to.
    pub(crate) fn close(&self) -> bool {
        let class = self.size_class.load(Ordering::Relaxed);
        if self.owner.is_some()
            || !Buffer::is_opened(class)
            || self.exports.is_positive()
            || self.touches.load(Ordering::Relaxed) > MOST_TOUCHES
        {
            return false;
        }
        let Some(mut block) = self.take_block() else { return false };
        let closed = block.close(self.bytes());
        self.set_memory(block);
        for page in self.open_headers.lock().drain(..) {
            // SAFETY: it lives: its object would have taken it out.
            unsafe { (*page).close() };
        }
        closed.is_ok()
    }

    /// Whether other libraries can reach the memory on a device.
    #[inline]
    pub(crate) fn is_exported_on_device(&self) -> bool {
        self.device_exports.is_positive()
    }

    /// Adds (or removes) an export of the memory on a device, which then has the only valid copy.
    pub(crate) fn count_device_export(&self, more: bool) {
        if more {
            self.bump_version();
            self.invalidate_host();
            self.device_exports.add();
            self.exports.add();
        } else {
            self.exports.remove();
            self.device_exports.remove();
        }
    }

    /// Notes that an outside reference to the contents on the host is never given back.
    pub(crate) fn stay_exposed(&self) {
        self.is_exposed.store(true, Ordering::Relaxed);
    }

    /// Whether code outside has had the contents on the host for good, and they are there: no operation on them is deferred.
    pub(crate) fn is_exposed(&self) -> bool {
        self.is_exposed.load(Ordering::Relaxed) && self.address().is_some() && !self.is_exported_on_device()
    }

    /// Adds (or removes) an outside reference.
    pub(crate) fn count_export(&self, more: bool) {
        if more {
            // Code outside may write the memory unseen.
            self.bump_version();
            self.drop_device_buffer();
            self.exports.add();
        } else {
            self.exports.remove();
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

    /// Number of writes recorded or run, and of times that code outside got access; a cached read compares it later.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Relaxed)
    }

    /// Counts a write.
    #[inline]
    pub(crate) fn bump_version(&self) {
        self.version.store(self.version() + 1, Ordering::Relaxed);
    }

    /// An identity that no other storage has, renewed when this one is reused.
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

    /// Whether snapshots read the storage, so that a write must copy it first.
    #[inline]
    pub(crate) fn has_snapshots(&self) -> bool {
        self.is_watched.load(Ordering::Relaxed)
    }

    /// Registers a snapshot.
    pub fn add_watcher(&self, watcher: Weak<Watcher>) {
        let mut watchers = self.watchers.lock();
        watchers.retain(|w| w.strong_count() > 0);
        watchers.push(watcher);
        self.is_watched.store(true, Ordering::Relaxed);
    }

    /// Takes the live snapshots and unregisters them.
    pub fn take_watchers(&self) -> Vec<Arc<Watcher>> {
        self.is_watched.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.watchers.lock()).iter().filter_map(Weak::upgrade).collect()
    }
}

impl Drop for Storage {
    #[inline]
    fn drop(&mut self) {
        self.free_block();
        self.drop_device_buffer();
        if !self.slot.get_mut().is_null() {
            guarded_range::release(*self.slot.get_mut());
        }
    }
}
