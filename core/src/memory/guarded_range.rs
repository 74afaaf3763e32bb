//! Guarded addresses: address space without access, from which storages get the address that code outside knows them by.
//!
//! The range is reserved once and divided into regions, and a region into slots of one size, a power of two. A slot costs no
//! system call: it is a number. While a slot is *closed* its pages have no access, so the first touch faults, and
//! [`crate::runtime::expose`] computes the contents and *opens* the slot. Where the range cannot be reserved there are no slots, and nothing
//! is deferred that code outside could see.
//!
//! A slot belongs to one storage from [`assign`] to [`release`]. Its address alone is decided here; [`crate::memory::slot_pages`] opens and
//! closes it. Before contents of at most [`MOST_COPIED`] bytes lies a *front page* for the shape that code outside reads, in the same slot:
//! both are opened together.

use crate::error::Result;
use crate::host::interpreter_lock;
use crate::host::spin_lock::{SpinGuard, SpinLock};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The smallest slot, a page; and the largest.
const SMALLEST: u32 = 12;
const LARGEST: u32 = 36;
/// Bytes of a page, of which slots have a whole number.
pub const SLOT_PAGE: usize = 1 << SMALLEST;
/// Regions of slots without a front page: of the smallest size for shapes and lengths, of larger ones for large contents.
pub(super) const PLAIN_REGIONS: usize = (LARGEST - SMALLEST + 1) as usize;
/// The smallest and the largest slot with a front page. Their regions follow the plain ones.
const SMALLEST_FRONTED: u32 = 13;
const LARGEST_FRONTED: u32 = 21;
const REGIONS: usize = PLAIN_REGIONS + (LARGEST_FRONTED - SMALLEST_FRONTED + 1) as usize;
/// Contents of at most so many bytes are copied when their slot is opened, and have a front page. (A touch of 400 KB, which
/// are copied, takes 26 µs, of 1 MB, which is moved, 39, with what computed them.)
pub const MOST_COPIED: usize = (1 << 19) - SLOT_PAGE;
/// Contents of at most so many bytes may have a front page: larger ones than [`MOST_COPIED`] only if their slot was open from the beginning.
pub const MOST_FRONTED: usize = (1 << LARGEST_FRONTED) - SLOT_PAGE;
/// Address space of a region: 16 slots of the largest size, 2^28 of the smallest.
const REGION_BITS: u32 = 40;
/// Where the range should lie: far from where the system maps files and memory (from above) and programs (at 0x55…), so that no mapping
/// of theirs falls into the gap that moved pages leave for a moment.
const WISHED_START: usize = 0x2000_0000_0000;
/// Open slots at most. Each takes up to two of the mappings that the system grants a process (65,530 on Linux).
const MOST_OPEN: usize = 20_000;

/// The range's first address, 0 where there is none.
static START: AtomicUsize = AtomicUsize::new(0);
/// Whether arrays are seen by code outside that reads addresses unasked.
static IS_IN_USE: AtomicBool = AtomicBool::new(false);
/// Slots that are open.
pub(super) static OPEN: AtomicUsize = AtomicUsize::new(0);

/// What code outside may touch that is no storage.
pub trait Touched: Send + Sync {
    /// Makes a touched address of one of its slots accessible.
    ///
    /// # Errors
    /// `MemoryError`.
    fn touched(&self, address: usize) -> Result<()>;
}

/// Whose a slot is.
#[derive(Clone, Copy)]
pub enum SlotOwner {
    /// No array owns it.
    Unassigned,
    /// The address of a storage, whose type this module does not know.
    Storage(*const ()),
    /// The address of an array's guarded header, likewise.
    Header(*mut ()),
    /// Something else's.
    Other(*const dyn Touched),
}

/// The slots of one size.
pub(super) struct Region {
    /// Closed slots without an owner.
    pub(super) free: Vec<u32>,
    /// Open slots without an owner: with pages, and those whose pages were moved away.
    pub(super) staging: Vec<u32>,
    pub(super) emptied: Vec<u32>,
    /// The owner of each slot that was ever in use.
    pub(super) owners: Vec<SlotOwner>,
}

// SAFETY: a pointer is only used while its owner lives: `release` removes it.
unsafe impl Send for Region {}

static REGIONS_LOCK: SpinLock<[Region; REGIONS]> = SpinLock::new(
    [const { Region { free: Vec::new(), staging: Vec::new(), emptied: Vec::new(), owners: Vec::new() } }; REGIONS],
);

#[inline]
pub(super) fn regions() -> SpinGuard<'static, [Region; REGIONS]> {
    REGIONS_LOCK.lock_in(interpreter_lock::exclusive_section())
}

/// Whether code outside sees arrays, and their contents may be computed when it touches them.
#[inline]
pub(crate) fn is_in_use() -> bool {
    IS_IN_USE.load(Ordering::Relaxed)
}

/// Sets [`is_in_use`].
pub(crate) fn set_in_use(is: bool) {
    IS_IN_USE.store(is, Ordering::Relaxed);
}

/// Reserves the range; whether there is one.
pub fn reserve() -> bool {
    if START.load(Ordering::Relaxed) != 0 {
        return true;
    }
    let bytes = REGIONS << REGION_BITS;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping without access; the wished address is a hint.
    let start = unsafe { libc::mmap(WISHED_START as *mut _, bytes, libc::PROT_NONE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return false;
    }
    START.store(start as usize, Ordering::Relaxed);
    true
}

/// The binary logarithm of the size of a region's slots.
#[inline]
pub(super) fn slot_bits(region: usize) -> u32 {
    if region < PLAIN_REGIONS { SMALLEST + region as u32 } else { SMALLEST_FRONTED + (region - PLAIN_REGIONS) as u32 }
}

/// Bytes before the contents in a slot of a region.
#[inline]
pub(super) fn front_bytes(region: usize) -> usize {
    if region < PLAIN_REGIONS { 0 } else { SLOT_PAGE }
}

/// The region without front pages for so many bytes.
#[inline]
fn plain_region(bytes: usize) -> Option<usize> {
    let bits = bytes.max(1).next_power_of_two().trailing_zeros().max(SMALLEST);
    (bits <= LARGEST).then_some((bits - SMALLEST) as usize)
}

/// The region for contents of so many bytes.
#[inline]
fn contents_region(bytes: usize) -> Option<usize> {
    if bytes > MOST_COPIED { plain_region(bytes) } else { Some(fronted_region(bytes)) }
}

/// The region with front pages for at most [`MOST_FRONTED`] bytes.
#[inline]
pub(super) fn fronted_region(bytes: usize) -> usize {
    let bits = (SLOT_PAGE + bytes.max(1)).next_power_of_two().trailing_zeros();
    PLAIN_REGIONS + (bits - SMALLEST_FRONTED) as usize
}

/// Whether there are slots, and not too many of them open.
#[inline]
pub(super) fn is_available() -> bool {
    START.load(Ordering::Relaxed) != 0 && OPEN.load(Ordering::Relaxed) < MOST_OPEN
}

/// The region and number of the slot that an address lies in.
#[inline]
pub(super) fn slot_at(address: usize) -> Option<(usize, usize)> {
    let start = START.load(Ordering::Relaxed);
    let offset = address.checked_sub(start).filter(|_| start != 0)?;
    let region = offset >> REGION_BITS;
    (region < REGIONS).then(|| (region, (offset & ((1 << REGION_BITS) - 1)) >> slot_bits(region)))
}

/// The first byte of a slot.
pub(super) fn slot_start(region: usize, slot: usize) -> *mut u8 {
    let start = START.load(Ordering::Relaxed);
    std::ptr::with_exposed_provenance_mut(start + (region << REGION_BITS) + (slot << slot_bits(region)))
}

impl Region {
    /// The number of a closed slot without an owner; `None` where there are no more.
    pub(super) fn take_free(&mut self, bits: u32) -> Option<u32> {
        self.free.pop().or_else(|| {
            let number = self.owners.len();
            (number < 1 << (REGION_BITS - bits)).then(|| {
                self.owners.push(SlotOwner::Unassigned);
                number as u32
            })
        })
    }
}

/// A closed slot of so many bytes for an owner; `None` where there are no more.
pub(crate) fn assign(bytes: usize, owner: SlotOwner) -> Option<*mut u8> {
    assign_in(plain_region(bytes)?, owner)
}

/// The address for contents of so many bytes in a closed slot for an owner; `None` where there are no more.
pub fn assign_contents(bytes: usize, owner: SlotOwner) -> Option<*mut u8> {
    assign_in(contents_region(bytes)?, owner)
}

fn assign_in(index: usize, owner: SlotOwner) -> Option<*mut u8> {
    if !is_available() {
        return None;
    }
    let mut regions = regions();
    let region = &mut regions[index];
    let slot = region.take_free(slot_bits(index))? as usize;
    region.owners[slot] = owner;
    Some(slot_start(index, slot).wrapping_add(front_bytes(index)))
}

/// Gives back the slot at this address, which is closed.
pub(crate) fn release(address: *mut u8) {
    if let Some((region, slot)) = slot_at(address.addr()) {
        let mut regions = regions();
        regions[region].owners[slot] = SlotOwner::Unassigned;
        regions[region].free.push(slot as u32);
    }
}

/// Whether the slot at this address is one that contents of so many bytes would get.
#[inline]
pub fn suits(address: *mut u8, bytes: usize) -> bool {
    match (slot_at(address.addr()), contents_region(bytes)) {
        (Some((region, _)), Some(needed)) => region == needed,
        _ => false,
    }
}

/// Whether the contents at this address have a front page before them, and are copied there.
#[inline]
pub fn has_front(address: *mut u8) -> bool {
    slot_at(address.addr()).is_some_and(|(region, _)| region >= PLAIN_REGIONS)
}

/// The front page of contents in a slot that has one.
#[inline]
pub fn front_page(contents: *mut u8) -> *mut isize {
    contents.wrapping_sub(SLOT_PAGE).cast()
}

/// Gives a slot to another owner.
pub(crate) fn hand_over(address: *mut u8, owner: SlotOwner) {
    if let Some((region, slot)) = slot_at(address.addr()) {
        regions()[region].owners[slot] = owner;
    }
}

/// Whether an address lies in the slot at another.
pub(crate) fn is_same_slot(address: usize, slot: *mut u8) -> bool {
    slot_at(address).is_some() && slot_at(address) == slot_at(slot.addr())
}

/// Bytes that contents at this address, in a slot, may have.
pub fn capacity(contents: *mut u8) -> usize {
    slot_at(contents.addr()).map_or(0, |(region, _)| (1 << slot_bits(region)) - front_bytes(region))
}

/// Whose slot an address lies in.
pub(crate) fn owner_at(address: usize) -> SlotOwner {
    let Some((region, slot)) = slot_at(address) else { return SlotOwner::Unassigned };
    regions()[region].owners.get(slot).copied().unwrap_or(SlotOwner::Unassigned)
}

/// Whether an address lies in the range.
pub(crate) fn contains(address: usize) -> bool {
    slot_at(address).is_some()
}

/// The addresses of the range.
pub(crate) fn range() -> Range<usize> {
    let start = START.load(Ordering::Relaxed);
    start..start + if start == 0 { 0 } else { REGIONS << REGION_BITS }
}
