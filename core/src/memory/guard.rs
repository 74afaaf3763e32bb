//! Guard pages: blocks between inaccessible pages, so that an access beyond a block faults.
//!
//! A test switches them on. Of two blocks one ends where a page without access begins, and one begins where such a page ends; a freed block
//! is unmapped. A block is as aligned as its size is, which is what a kernel may rely on: an element's alignment. Blocks of the pool are
//! aligned to cache lines and have room up to their size class, which no code may need. Without debug assertions there is no such module.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering};

/// The size class of a guarded block.
pub(crate) const GUARDED: u32 = u32::MAX;
/// A multiple of the page of any system: 4 KiB on x86, up to 64 on ARM.
pub const PAGE: usize = 1 << 16;

static IS_ON: AtomicBool = AtomicBool::new(false);

/// The mappings of live blocks, and how many there were.
static MAPPINGS: Mutex<(BTreeMap<usize, Mapping>, usize)> = Mutex::new((BTreeMap::new(), 0));

/// Where a block's pages begin, those of its guards included, and their bytes.
#[derive(Clone, Copy)]
struct Mapping {
    start: usize,
    bytes: usize,
}

/// Guards the blocks that are allocated from now on, or no more.
pub fn set(on: bool) {
    IS_ON.store(on, Ordering::Relaxed);
}

/// Whether blocks are guarded.
#[inline]
pub(crate) fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// A block of exactly so many bytes, if there is memory for it.
pub fn allocate(bytes: usize) -> Option<NonNull<u8>> {
    let room = bytes.max(1).checked_next_multiple_of(PAGE)?;
    let mapped = room.checked_add(2 * PAGE)?;
    // SAFETY: a new private mapping, at an address that the system chooses.
    let start = unsafe {
        libc::mmap(std::ptr::null_mut(), mapped, libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)
    };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the pages between the guards are within the mapping.
    unsafe {
        let opened = libc::mprotect(start.byte_add(PAGE), room, libc::PROT_READ | libc::PROT_WRITE);
        if opened != 0 {
            libc::munmap(start, mapped);
            return None;
        }
    }
    let mut mappings = MAPPINGS.lock();
    mappings.1 += 1;
    let offset = if mappings.1.is_multiple_of(2) { PAGE } else { PAGE + room - bytes };
    let block = start.cast::<u8>().wrapping_add(offset);
    mappings.0.insert(block as usize, Mapping { start: start as usize, bytes: mapped });
    NonNull::new(block)
}

/// Unmaps a block.
///
/// # Panics
/// Where it is no live block.
pub fn free(block: NonNull<u8>) {
    let mapping = MAPPINGS.lock().0.remove(&(block.as_ptr() as usize)).expect("a guarded block is freed once");
    // SAFETY: the mapping is the block's, which is not used any more.
    unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(mapping.start), mapping.bytes) };
}
