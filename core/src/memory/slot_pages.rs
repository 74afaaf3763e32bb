//! Slot pages: how the slots of the guarded range get their pages, and lose them.
//!
//! Other threads may touch a slot at any time, so its pages must come and go at once, with what they hold:
//!
//! - Large contents are opened by moving the pages of their block: 5 to 8 µs whatever their number, if they are aligned to huge pages. When
//!   the storage dies the slot stays open, and is a free block of the pool's ([`disown`]).
//! - Contents of at most [`MOST_COPIED`] bytes are copied to a *staging slot*, a free slot of the region that is open, and the pages are
//!   moved from there. When the storage dies its slot stays open and is the next staging slot ([`retire`]); the one before has lost its pages
//!   and is closed with fifteen others. So a touch and what follows makes one system call and needs no fresh pages: 4 µs for 16 KB and 9 for
//!   256 KB on a virtual machine, where a fresh mapping that is moved and unmapped takes 20 and 160. (Changing the access of pages in place is
//!   as fast up to 16 KB and takes 31 µs for 256 KB; and other threads would see the contents before they are complete.)
//!
//! - Contents that code outside is likely to touch are computed in a staging slot, which is theirs and open from the beginning
//!   ([`open_new`]): no system call, and the pages stay where they were used last. They have at most [`MOST_FRONTED`] bytes. Slots of large
//!   ones are free blocks of the pool when the storage dies, and are [`own`]ed again.
//!
//! [`MOST_COPIED`]: crate::memory::guarded_range::MOST_COPIED

use crate::error::{Error, ErrorKind, Result};
use crate::memory::guarded_range::{
    MOST_FRONTED, OPEN, PLAIN_REGIONS, SLOT_PAGE, SlotOwner, front_bytes, fronted_region, hand_over, is_available,
    regions, release, slot_at, slot_bits, slot_start,
};
use libc::c_int;
use std::sync::atomic::Ordering;

/// Staging slots that a region keeps, in bytes; at least two and at most as many slots as are closed at once.
const KEPT_STAGING: usize = 1 << 20;
/// Slots without pages that are closed at once.
pub const CLOSED_AT_ONCE: usize = 16;
/// Moved pages leave empty ones where they were (from Linux 5.7 on).
#[cfg(target_os = "linux")]
const LEAVE_EMPTY: c_int = libc::MREMAP_DONTUNMAP;
#[cfg(not(target_os = "linux"))]
const LEAVE_EMPTY: c_int = 0;

/// Opens a slot of one page that begins with these numbers.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn open_filled(slot: *mut u8, numbers: &[isize]) -> Result<()> {
    debug_assert!(size_of_val(numbers) <= SLOT_PAGE);
    // SAFETY: the slot is a page, which has room for the numbers.
    unsafe { open_with_copy(slot, &[], numbers.as_ptr().cast(), size_of_val(numbers)) }
        .map_err(|error| Error::new(ErrorKind::Memory, error.to_string()))
}

/// Opens a slot with a copy of contents, and of numbers on its front page.
///
/// # Errors
/// What the system says; then the slot stays closed.
///
/// # Safety
/// The slot is closed and has a front page, or is a page and there are no numbers for a front page. There are so many bytes of
/// contents, for which it has room.
pub unsafe fn open_with_copy(to: *mut u8, front: &[isize], contents: *const u8, bytes: usize) -> std::io::Result<()> {
    let (index, slot) = slot_at(to.addr()).expect("the address is a slot's");
    let size = 1 << slot_bits(index);
    loop {
        let (staging, is_new) = staging_slot(index)?;
        let from = slot_start(index, staging as usize);
        // SAFETY: the staging slot is this function's alone, and as large as the other.
        unsafe {
            from.cast::<isize>().copy_from_nonoverlapping(front.as_ptr(), front.len());
            from.add(front_bytes(index)).copy_from_nonoverlapping(contents, bytes);
        }
        let Err(error) = move_pages_and_keep(from, slot_start(index, slot), size) else {
            OPEN.fetch_add(1, Ordering::Relaxed);
            note_emptied(index, staging);
            return Ok(());
        };
        map_closed(from, size);
        regions()[index].free.push(staging);
        // Pages that were an array's cannot be moved if code outside gave a part of them other properties (`madvise`, `mlock`).
        if is_new {
            return Err(error);
        }
    }
}

/// The address for contents of so many bytes, whatever they are now, in an open slot with a front page for an owner; `None` where there is
/// none.
pub fn open_new(bytes: usize, owner: SlotOwner) -> Option<*mut u8> {
    if bytes > MOST_FRONTED || !is_available() {
        return None;
    }
    let index = fronted_region(bytes);
    let (slot, _) = staging_slot(index).ok()?;
    regions()[index].owners[slot as usize] = owner;
    OPEN.fetch_add(1, Ordering::Relaxed);
    Some(slot_start(index, slot as usize).wrapping_add(front_bytes(index)))
}

/// Gives an open slot that [`disown`] gave away to an owner again; false, and it is closed, where too many are open.
pub fn own(address: *mut u8, owner: SlotOwner) -> bool {
    if !is_available() {
        free_disowned(address);
        return false;
    }
    hand_over(address, owner);
    OPEN.fetch_add(1, Ordering::Relaxed);
    true
}

/// An open slot of a region without an owner, now the caller's, and whether it is new.
fn staging_slot(index: usize) -> std::io::Result<(u32, bool)> {
    let slot = {
        let mut regions = regions();
        let region = &mut regions[index];
        if let Some(slot) = region.staging.pop() {
            return Ok((slot, false));
        }
        region.take_free(slot_bits(index)).ok_or(std::io::ErrorKind::OutOfMemory)?
    };
    let (start, bytes) = (slot_start(index, slot as usize), 1 << slot_bits(index));
    // SAFETY: the pages are the slot's.
    if unsafe { libc::mprotect(start.cast(), bytes, libc::PROT_READ | libc::PROT_WRITE) } != 0 {
        let error = std::io::Error::last_os_error();
        regions()[index].free.push(slot);
        return Err(error);
    }
    Ok((slot, true))
}

/// Notes an open slot without an owner whose pages were moved away. It is closed with others, as many at once as lie beside each other.
fn note_emptied(index: usize, slot: u32) {
    let mut emptied = {
        let emptied = &mut regions()[index].emptied;
        emptied.push(slot);
        if emptied.len() < CLOSED_AT_ONCE {
            return;
        }
        std::mem::take(emptied)
    };
    // The lowest comes last, and is taken first.
    emptied.sort_unstable_by(|a, b| b.cmp(a));
    for run in emptied.chunk_by(|a, b| a - 1 == *b) {
        let lowest = run[run.len() - 1] as usize;
        close_empty(index, slot_start(index, lowest), run.len() << slot_bits(index));
    }
    regions()[index].free.append(&mut emptied);
}

/// Closes a slot that [`open_with_copy`] has opened, and copies the contents that it had.
///
/// # Errors
/// What the system says; then the slot stays open.
///
/// # Safety
/// The slot is open, and has so many bytes of contents, for which there is room in `copy`.
pub unsafe fn close_with_copy(contents: *mut u8, copy: *mut u8, bytes: usize) -> std::io::Result<()> {
    let (index, slot) = slot_at(contents.addr()).expect("the address is a slot's");
    let (start, size) = (slot_start(index, slot), 1 << slot_bits(index));
    let to = regions()[index].take_free(slot_bits(index)).ok_or(std::io::ErrorKind::OutOfMemory)?;
    let place = slot_start(index, to as usize);
    // The pages go first: what code outside writes until then is copied.
    if let Err(error) = move_pages(start, place, size) {
        regions()[index].free.push(to);
        return Err(error);
    }
    close_gap(start, size);
    // SAFETY: the caller's contract; the pages are this function's alone.
    unsafe { copy.copy_from_nonoverlapping(place.add(front_bytes(index)), bytes) };
    OPEN.fetch_add(1, Ordering::Relaxed);
    retire(place);
    Ok(())
}

/// Gives back the slot at this address, which [`open_with_copy`] has opened. Its pages are used to open others.
pub fn retire(address: *mut u8) {
    let Some((index, slot)) = slot_at(address.addr()) else { return };
    let most = (KEPT_STAGING >> slot_bits(index)).clamp(2, CLOSED_AT_ONCE);
    {
        let mut regions = regions();
        let region = &mut regions[index];
        if region.staging.len() < most {
            region.owners[slot] = SlotOwner::Unassigned;
            region.staging.push(slot as u32);
            OPEN.fetch_sub(1, Ordering::Relaxed);
            return;
        }
    }
    close(address);
    release(address);
}

/// Opens a slot with the pages of a mapping or of a slot that [`disown`] gave away, which are gone from where they were.
///
/// # Errors
/// What the system says; then the pages are where they were.
///
/// # Safety
/// The slot is closed and as large; the pages are the whole mapping or begin such a slot, and nothing else uses them.
pub unsafe fn open_with_pages(slot: *mut u8, from: *mut u8, bytes: usize) -> std::io::Result<()> {
    let bytes = bytes.next_multiple_of(SLOT_PAGE);
    match slot_at(from.addr()) {
        None => move_pages(from, slot, bytes)?,
        Some((index, emptied)) => {
            move_pages_and_keep(from, slot, bytes)?;
            note_emptied(index, emptied as u32);
        }
    }
    OPEN.fetch_add(1, Ordering::Relaxed);
    Ok(())
}

/// Takes an open slot from its owner, for good: its pages are the caller's, who gives it back by [`free_disowned`], or moves them away by
/// [`open_with_pages`].
pub fn disown(address: *mut u8) {
    hand_over(address, SlotOwner::Unassigned);
    OPEN.fetch_sub(1, Ordering::Relaxed);
}

/// Closes and gives back a slot that [`disown`] gave away; whether it is one.
pub fn free_disowned(address: *mut u8) -> bool {
    let Some((region, slot)) = slot_at(address.addr()) else { return false };
    map_closed(slot_start(region, slot), 1 << slot_bits(region));
    release(address);
    true
}

/// Closes a slot and moves its pages to a free range of addresses.
///
/// # Errors
/// What the system says; then the slot stays open.
///
/// # Safety
/// The slot is open and has so many bytes; nothing uses the address `to`, which is mapped without need.
pub(crate) unsafe fn close_to(slot: *mut u8, to: *mut u8, bytes: usize) -> std::io::Result<()> {
    move_pages(slot, to, bytes.next_multiple_of(SLOT_PAGE))?;
    close_gap(slot, bytes.next_multiple_of(SLOT_PAGE));
    Ok(())
}

/// Closes the slot at an address and frees its pages.
pub(crate) fn close(address: *mut u8) {
    if let Some((region, slot)) = slot_at(address.addr()) {
        close_gap(slot_start(region, slot), 1 << slot_bits(region));
    }
}

fn close_gap(start: *mut u8, bytes: usize) {
    map_closed(start, bytes);
    OPEN.fetch_sub(1, Ordering::Relaxed);
}

/// Closes slots of a region that have no pages.
fn close_empty(index: usize, start: *mut u8, bytes: usize) {
    // Slots that are staged are the reserved mapping's. Taking the access away lets the system join them with it, which costs 1 µs less for each
    // touch than a new mapping. The pages of large contents came from elsewhere, and count as memory in use.
    let is_staged = index == 0 || index >= PLAIN_REGIONS;
    // SAFETY: the addresses are the slots', which nothing uses.
    let closed = is_staged && unsafe { libc::mprotect(start.cast(), bytes, libc::PROT_NONE) } == 0;
    if !closed {
        map_closed(start, bytes);
    }
}

/// Maps pages without access where slots are.
fn map_closed(start: *mut u8, bytes: usize) {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: the addresses are the slots', whose pages are not needed any more.
    let made = unsafe { libc::mmap(start.cast(), bytes, libc::PROT_NONE, flags, -1, 0) };
    assert!(made != libc::MAP_FAILED, "the pages of a slot are given back");
}

/// Moves pages; where they were there is no mapping then.
fn move_pages(from: *mut u8, to: *mut u8, bytes: usize) -> std::io::Result<()> {
    remap(from, to, bytes, 0)
}

/// Moves pages; where they were there are empty ones then, or, before Linux 5.7, ones without access.
fn move_pages_and_keep(from: *mut u8, to: *mut u8, bytes: usize) -> std::io::Result<()> {
    remap(from, to, bytes, LEAVE_EMPTY).or_else(|_| {
        move_pages(from, to, bytes)?;
        map_closed(from, bytes);
        Ok(())
    })
}

#[cfg(target_os = "linux")]
fn remap(from: *mut u8, to: *mut u8, bytes: usize, more: c_int) -> std::io::Result<()> {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | more;
    // SAFETY: the callers own both ranges; what was mapped at the second one is not needed.
    let moved = unsafe { libc::mremap(from.cast(), bytes, bytes, flags, to) };
    if moved == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// Other systems cannot move pages, and reserve no range.
#[cfg(not(target_os = "linux"))]
fn remap(_: *mut u8, _: *mut u8, _: usize, _: c_int) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
