//! Memory for array elements: aligned blocks, kept for reuse.
//!
//! Fresh pages cost more than the arithmetic done on them (32 MB `a + b`: 13 ms on fresh pages, 4 ms on reused ones), so a
//! freed block waits in a list of its size class for the next taker. From 2 MB on, blocks are aligned for huge pages and ask for
//! them. What waits is bounded, and is given back first when a block of another size is needed.

use crate::error::{Error, ErrorKind, Result};
use crate::host;
use crate::lock::{Guard, Lock};
use std::alloc::{Layout as BlockLayout, alloc, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicIsize, Ordering};

/// Alignment of every block: a cache line, and an AVX-512 register (worth 1.3 to 2 times in L1).
pub(crate) const ALIGN: usize = 64;
const HUGE_PAGE: usize = 2 << 20;
/// From here on blocks ask for huge pages (5.9 against 13 ms for 32 MB of fresh memory).
const HUGE_FROM: usize = 4 << 20;
/// What may go on waiting when a large block of another size is needed.
const KEPT_BESIDE: usize = 128 << 20;
/// Waiting memory above this goes back to the system.
const KEPT_LIMIT: usize = 512 << 20;
const CLASSES: usize = 4 * 48;

/// A block of memory, returned to the pool when dropped. Contents are whatever was there before.
pub(crate) struct Buffer {
    start: NonNull<u8>,
    class: u32,
}

// SAFETY: a Buffer is the only owner of its block; access through its pointer is governed by those who launch kernels.
unsafe impl Send for Buffer {}
// SAFETY: as above; `&Buffer` only gives the address.
unsafe impl Sync for Buffer {}

struct Pool {
    free: Vec<Vec<NonNull<u8>>>,
    /// Bytes that wait, and what may.
    kept: usize,
    limit: usize,
    /// Bytes in use, and the most that ever were. (Atomics of their own would double what the lock costs.)
    live: usize,
    peak: usize,
}

// SAFETY: the pool owns the blocks in its lists.
unsafe impl Send for Pool {}

static POOL: Lock<Pool> = Lock::new(Pool { free: Vec::new(), kept: 0, limit: KEPT_LIMIT, live: 0, peak: 0 });

/// The pool, locked.
#[inline]
fn pool() -> Guard<'static, Pool> {
    if host::is_alone() {
        // SAFETY: no other thread gets here meanwhile.
        if let Some(pool) = unsafe { POOL.try_lock_alone() } {
            return pool;
        }
    }
    POOL.lock()
}

/// Size classes: 64 bytes, then four to each doubling, so that at most a quarter of a block is unused.
pub(crate) fn class_of(bytes: usize) -> u32 {
    if bytes <= ALIGN {
        return 0;
    }
    let top = (bytes - 1).ilog2();
    let quarter = (bytes - 1) >> (top - 2) & 3;
    (top - 6) * 4 + quarter as u32 + 1
}

pub(crate) fn class_bytes(class: u32) -> usize {
    if class == 0 {
        return ALIGN;
    }
    let (top, quarter) = ((class - 1) / 4 + 6, (class - 1) as usize % 4);
    (1usize << top) / 4 * (5 + quarter)
}

fn block_layout(class: u32) -> BlockLayout {
    let bytes = class_bytes(class).next_multiple_of(ALIGN);
    let align = if bytes >= HUGE_FROM { HUGE_PAGE } else { ALIGN };
    BlockLayout::from_size_align(bytes, align).expect("class sizes are below isize::MAX")
}

impl Buffer {
    /// A block of at least `bytes`.
    ///
    /// # Errors
    /// `MemoryError` where the system has none, after what waits was given back.
    pub(crate) fn new(bytes: usize) -> Result<Buffer> {
        let class = class_of(bytes);
        if class as usize >= CLASSES {
            return Err(out_of_memory(bytes));
        }
        let reused = {
            let mut pool = pool();
            if pool.free.is_empty() {
                pool.free.resize_with(CLASSES, Vec::new);
            }
            let (block, size) = (pool.free[class as usize].pop(), class_bytes(class));
            if block.is_some() {
                pool.kept -= size;
            } else if size >= HUGE_FROM {
                pool.trim(KEPT_BESIDE);
            }
            pool.live += size;
            pool.peak = pool.peak.max(pool.used());
            block
        };
        let start = reused.or_else(|| fresh_after_all(class)).ok_or_else(|| {
            pool().live -= class_bytes(class);
            out_of_memory(bytes)
        })?;
        Ok(Buffer { start, class })
    }

    /// Asks whether there would be such a block now, and touches none.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub(crate) fn foresee(bytes: usize) -> Result<()> {
        let class = class_of(bytes);
        if pool().free.get(class as usize).is_some_and(|waiting| !waiting.is_empty()) {
            return Ok(());
        }
        let there = if (class as usize) < CLASSES { fresh_after_all(class) } else { None };
        let start = there.ok_or_else(|| out_of_memory(bytes))?;
        // SAFETY: the block was just allocated with this class's layout.
        unsafe { dealloc(start.as_ptr(), block_layout(class)) };
        Ok(())
    }

    /// What [`Buffer::from_raw`] makes a buffer of again: the block is its finder's.
    #[inline]
    pub(crate) fn into_raw(self) -> (*mut u8, u32) {
        let buffer = std::mem::ManuallyDrop::new(self);
        (buffer.start.as_ptr(), buffer.class)
    }

    /// The buffer that was made into these.
    ///
    /// # Safety
    /// They came from [`Buffer::into_raw`], and no other buffer was made of them.
    #[inline]
    pub(crate) unsafe fn from_raw(start: *mut u8, class: u32) -> Buffer {
        // SAFETY: a block's address is not null.
        Buffer { start: unsafe { NonNull::new_unchecked(start) }, class }
    }

    /// The block's address.
    #[inline]
    pub(crate) fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }
}

fn fresh(class: u32) -> Option<NonNull<u8>> {
    let layout = block_layout(class);
    // SAFETY: the layout's size is not zero.
    let start = NonNull::new(unsafe { alloc(layout) })?;
    #[cfg(target_os = "linux")]
    if layout.align() == HUGE_PAGE {
        // SAFETY: the range was just allocated; the advice changes no contents and may fail harmlessly.
        unsafe { libc::madvise(start.as_ptr().cast(), layout.size(), libc::MADV_HUGEPAGE) };
    }
    Some(start)
}

/// A block from the system, if need be after what waits was given back.
fn fresh_after_all(class: u32) -> Option<NonNull<u8>> {
    fresh(class).or_else(|| {
        pool().trim(0);
        fresh(class)
    })
}

#[cold]
fn out_of_memory(bytes: usize) -> Error {
    Error::new(ErrorKind::Memory, format!("Unable to allocate {} for an array", human(bytes)))
}

/// A size as NumPy prints it in `MemoryError`: `7.45 GiB`.
pub(crate) fn human(bytes: usize) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = if bytes == 0 { 0 } else { (bytes.ilog2() / 10) as usize };
    let n = bytes as f64 / (1u64 << (10 * unit)) as f64;
    if unit == 0 {
        format!("{bytes} bytes")
    } else if n < 10.0 {
        format!("{n:.2} {}", units[unit])
    } else if n < 100.0 {
        format!("{n:.1} {}", units[unit])
    } else {
        format!("{n:.0}. {}", units[unit])
    }
}

impl Pool {
    /// Bytes of blocks that are taken and serve somebody.
    fn used(&self) -> usize {
        self.live.saturating_sub(IDLE.load(Ordering::Relaxed) as usize)
    }

    /// Gives waiting blocks back, largest first, until at most `bytes` wait.
    fn trim(&mut self, bytes: usize) {
        for class in (0..self.free.len() as u32).rev() {
            while self.kept > bytes {
                let Some(block) = self.free[class as usize].pop() else { break };
                self.kept -= class_bytes(class);
                // SAFETY: the block was allocated with this class's layout and nobody else knows it.
                unsafe { dealloc(block.as_ptr(), block_layout(class)) };
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let bytes = class_bytes(self.class);
        let mut pool = pool();
        pool.live -= bytes;
        pool.free[self.class as usize].push(self.start);
        pool.kept += bytes;
        if pool.kept > pool.limit {
            let limit = pool.limit;
            pool.trim(limit);
        }
    }
}

/// Bytes of blocks that are taken and serve nobody.
static IDLE: AtomicIsize = AtomicIsize::new(0);

/// Counts bytes that begin, or end, to serve nobody. Under the engine's lock.
#[inline]
pub(crate) fn count_idle(bytes: isize) {
    IDLE.store(IDLE.load(Ordering::Relaxed) + bytes, Ordering::Relaxed);
}

/// Bytes in use, the most that ever were, and bytes waiting for reuse.
pub(crate) fn usage() -> (usize, usize, usize) {
    let pool = pool();
    let idle = IDLE.load(Ordering::Relaxed) as usize;
    (pool.used(), pool.peak, pool.kept + idle)
}

/// Starts measuring the most bytes in use anew.
pub(crate) fn reset_peak() {
    let mut pool = pool();
    pool.peak = pool.used();
}

/// Bounds the memory that waits for reuse.
pub(crate) fn set_limit(bytes: usize) {
    let mut pool = pool();
    pool.limit = bytes;
    pool.trim(bytes);
}

/// The bound on memory that waits for reuse.
pub(crate) fn limit() -> usize {
    pool().limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes() {
        for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1, 80_000_000, 1 << 40]) {
            let class = class_of(bytes);
            assert!(class_bytes(class) >= bytes, "{bytes}");
            assert!(class == 0 || class_bytes(class - 1) < bytes, "{bytes}");
        }
    }

    #[test]
    fn freed_blocks_are_taken_again() {
        let first = Buffer::new(12345).unwrap();
        let address = first.address();
        assert_eq!(address as usize % ALIGN, 0);
        drop(first);
        let again: Vec<Buffer> = (0..4).map(|_| Buffer::new(12345).unwrap()).collect();
        assert!(again.iter().any(|b| b.address() == address));
    }
}
