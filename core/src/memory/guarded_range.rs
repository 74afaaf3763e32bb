//! Guarded addresses: address space without access, from which storages get the address that code outside knows them by.
//!
//! The range is reserved once and divided into regions, one for each power of two, and a region into slots of that size. A slot costs no
//! system call: it is a number. While a slot is *closed* its pages have no access, so the first touch faults, and
//! [`crate::runtime::expose`] computes the contents and *opens* the slot: moves the storage's pages there, or copies a small block.
//! Where the range cannot be reserved there are no slots, and nothing is deferred that code outside could see.
//!
//! A slot belongs to one storage from [`assign`] to [`release`]. Moving pages takes 5 to 8 µs whatever their number, if they are aligned
//! to huge pages; changing the access of pages in place takes 5 µs for 64 KB and 160 for 16 MB.

use crate::error::{Error, ErrorKind, Result};
use crate::host::interpreter_lock;
use crate::host::spin_lock::{SpinGuard, SpinLock};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The smallest slot, a page; and the largest.
const SMALLEST: u32 = 12;
const LARGEST: u32 = 36;
const REGIONS: usize = (LARGEST - SMALLEST + 1) as usize;
/// Address space of a region: 16 slots of the largest size, 2^28 of the smallest.
const REGION_BITS: u32 = 40;
/// Where the range should lie: far from where the system maps files and memory (from above) and programs (at 0x55…), so that no mapping
/// of theirs falls into the gap that moved pages leave for a moment.
const WISHED_START: usize = 0x2000_0000_0000;
/// Open slots at most. Each takes up to two of the mappings that the system grants a process (65,530 on Linux).
const MOST_OPEN: usize = 20_000;

/// The range's first address, 0 where there is none.
static START: AtomicUsize = AtomicUsize::new(0);
/// Slots that are open.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// What code outside may touch that is no storage.
pub(crate) trait Touched: Send + Sync {
    /// Makes a touched address of one of its slots accessible.
    ///
    /// # Errors
    /// `MemoryError`.
    fn touched(&self, address: usize) -> Result<()>;
}

/// Whose a slot is.
#[derive(Clone, Copy)]
pub(crate) enum SlotOwner {
    Unassigned,
    /// The address of a storage, whose type this module does not know.
    Storage(*const ()),
    /// The address of an array's guarded header, likewise.
    Header(*mut ()),
    Other(*const dyn Touched),
}

/// The slots of one size.
struct Region {
    free: Vec<u32>,
    /// The owner of each slot that was ever in use.
    owners: Vec<SlotOwner>,
}

// SAFETY: a pointer is only used while its owner lives: `release` removes it.
unsafe impl Send for Region {}

static REGIONS_LOCK: SpinLock<[Region; REGIONS]> =
    SpinLock::new([const { Region { free: Vec::new(), owners: Vec::new() } }; REGIONS]);

#[inline]
fn regions() -> SpinGuard<'static, [Region; REGIONS]> {
    REGIONS_LOCK.lock_in(interpreter_lock::exclusive_section())
}

/// Reserves the range; whether there is one.
pub(crate) fn reserve() -> bool {
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

/// The index of the region for so many bytes.
#[inline]
fn region_of(bytes: usize) -> Option<usize> {
    let bits = bytes.max(1).next_power_of_two().trailing_zeros().max(SMALLEST);
    (bits <= LARGEST).then_some((bits - SMALLEST) as usize)
}

/// The region and number of the slot that an address lies in.
fn slot_at(address: usize) -> Option<(usize, usize)> {
    let start = START.load(Ordering::Relaxed);
    let offset = address.checked_sub(start).filter(|_| start != 0)?;
    let region = offset >> REGION_BITS;
    (region < REGIONS).then(|| (region, (offset & ((1 << REGION_BITS) - 1)) >> (region as u32 + SMALLEST)))
}

/// A closed slot of so many bytes for an owner; `None` where there are no more.
pub(crate) fn assign(bytes: usize, owner: SlotOwner) -> Option<*mut u8> {
    let start = START.load(Ordering::Relaxed);
    if start == 0 || OPEN.load(Ordering::Relaxed) >= MOST_OPEN {
        return None;
    }
    let index = region_of(bytes)?;
    let bits = index as u32 + SMALLEST;
    let mut regions = regions();
    let region = &mut regions[index];
    let slot = match region.free.pop() {
        Some(slot) => slot,
        None if region.owners.len() < 1 << (REGION_BITS - bits) => {
            region.owners.push(SlotOwner::Unassigned);
            region.owners.len() as u32 - 1
        }
        None => return None,
    };
    region.owners[slot as usize] = owner;
    Some(std::ptr::with_exposed_provenance_mut(start + (index << REGION_BITS) + ((slot as usize) << bits)))
}

/// Gives back the slot at this address, which is closed.
pub(crate) fn release(address: *mut u8) {
    if let Some((region, slot)) = slot_at(address.addr()) {
        let mut regions = regions();
        regions[region].owners[slot] = SlotOwner::Unassigned;
        regions[region].free.push(slot as u32);
    }
}

/// Whether the slot at this address is large enough for so many bytes, and not four times larger.
#[inline]
pub(crate) fn suits(address: *mut u8, bytes: usize) -> bool {
    match (slot_at(address.addr()), region_of(bytes)) {
        (Some((region, _)), Some(needed)) => region == needed,
        _ => false,
    }
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

/// Bytes of the slot at an address.
pub(crate) fn slot_bytes(address: *mut u8) -> usize {
    slot_at(address.addr()).map_or(0, |(region, _)| 1 << (region as u32 + SMALLEST))
}

/// Whose slot an address lies in.
pub(crate) fn owner_at(address: usize) -> SlotOwner {
    let Some((region, slot)) = slot_at(address) else { return SlotOwner::Unassigned };
    regions()[region].owners.get(slot).copied().unwrap_or(SlotOwner::Unassigned)
}

/// Opens a slot of one page that begins with these numbers.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn open_filled(slot: *mut u8, numbers: &[isize]) -> Result<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, which is filled within its bounds; the slot is closed.
    unsafe {
        let page = libc::mmap(std::ptr::null_mut(), pages(1), libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if page == libc::MAP_FAILED {
            return Err(Error::new(ErrorKind::Memory, "Unable to allocate a page"));
        }
        page.cast::<isize>().copy_from_nonoverlapping(numbers.as_ptr(), numbers.len());
        open_with_pages(slot, page.cast(), pages(1)).map_err(|error| Error::new(ErrorKind::Memory, error.to_string()))
    }
}

/// Pages that hold so many bytes.
fn pages(bytes: usize) -> usize {
    bytes.next_multiple_of(1 << SMALLEST)
}

/// Opens a slot with the pages of a mapping, which is gone from where it was.
///
/// # Errors
/// What the system says; then the pages are where they were.
///
/// # Safety
/// The slot is closed and as large; the pages are a whole mapping, which nothing else uses.
pub(crate) unsafe fn open_with_pages(slot: *mut u8, from: *mut u8, bytes: usize) -> std::io::Result<()> {
    move_pages(from, slot, pages(bytes))?;
    OPEN.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// Closes a slot and moves its pages to a free range of addresses.
///
/// # Errors
/// What the system says; then the slot stays open.
///
/// # Safety
/// The slot is open and has so many bytes; nothing uses the address `to`, which is mapped without need.
pub(crate) unsafe fn close_to(slot: *mut u8, to: *mut u8, bytes: usize) -> std::io::Result<()> {
    move_pages(slot, to, pages(bytes))?;
    close_gap(slot, pages(bytes));
    Ok(())
}

/// Closes a slot and frees its pages.
pub(crate) fn close(slot: *mut u8, bytes: usize) {
    close_gap(slot, pages(bytes));
}

fn close_gap(slot: *mut u8, bytes: usize) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the addresses are the slot's, whose pages are not needed any more.
    let made = unsafe { libc::mmap(slot.cast(), bytes, libc::PROT_NONE, flags, -1, 0) };
    assert!(made != libc::MAP_FAILED, "the pages of a slot are given back");
    OPEN.fetch_sub(1, Ordering::Relaxed);
}

/// Other systems cannot move pages, and reserve no range.
#[cfg(not(target_os = "linux"))]
fn move_pages(_: *mut u8, _: *mut u8, _: usize) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn move_pages(from: *mut u8, to: *mut u8, bytes: usize) -> std::io::Result<()> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the callers own both ranges; what was mapped at the second one is not needed.
    let moved = unsafe { libc::mremap(from.cast(), bytes, bytes, flags, to) };
    if moved == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// The addresses of the range.
pub(crate) fn range() -> Range<usize> {
    let start = START.load(Ordering::Relaxed);
    start..start + if start == 0 { 0 } else { REGIONS << REGION_BITS }
}
