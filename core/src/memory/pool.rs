//! Memory pool: aligned blocks for array elements, kept for reuse.
//!
//! Fresh pages cost more than the arithmetic on them (32 MB `a + b`: 13 ms on fresh pages, 4 ms on reused ones), so a freed block
//! goes to a free list of its size class. From 2 MB on, blocks are aligned for huge pages and ask for them; smaller ones are cut from
//! chunks that do: a huge page costs as much as 23 small ones on a virtual machine (29 and 1.2 µs). The free blocks are bounded, and
//! are released first when a large block of another class is needed: so the process takes hardly more than its peak of live memory.
//! The bound is a fraction of the available memory, updated as large blocks are freed: fresh pages for a result of 2 GB take half as
//! long again as computing it.

use crate::error::{Error, ErrorKind, Result};
use crate::host::interpreter_lock;
use crate::host::spin_lock::{SpinGuard, SpinLock};
#[cfg(all(unix, debug_assertions))]
use crate::memory::guard;
use crate::memory::guarded_range::{self, MOST_COPIED, SlotOwner};
use crate::memory::slot_pages;
use fastnp_codegen::backend::fault;
use std::alloc::{Layout as BlockLayout, alloc, dealloc};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::{Duration, Instant};

/// Alignment of every block: a cache line, and an AVX-512 register (1.3 to 2 times as fast in L1).
pub const BLOCK_ALIGN: usize = 64;
const SYSTEM_PAGE: usize = 1 << 12;
const HUGE_PAGE: usize = 2 << 20;
/// From this size on blocks ask for huge pages (5.9 against 13 ms for 32 MB of fresh memory).
const HUGE_PAGES_FROM: usize = 2 << 20;
/// Blocks that are smaller, and mappings, are cut from a chunk of huge pages where pages are known to be small. They are freed one by one.
const IS_CUT: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));
const CHUNK: usize = 4 << 20;
/// Blocks that are cut begin this much later in their first page than the one before: a kernel that reads and writes sixteen arrays at
/// equal offsets in pages misses a cache of twelve ways at each line (16,000 elements of each: 3.4 µs for one result of sixteen, 1.1 so).
const COLOUR_STEP: usize = 5 * BLOCK_ALIGN;
/// Bytes of free blocks kept when a large block of another class is needed.
const CACHED_BESIDE_LARGE: usize = 128 << 20;
/// The bound on free blocks, at least, where the user sets none.
const DEFAULT_LIMIT: usize = 512 << 20;
/// The fraction (one in so many) of available and free memory that free blocks may take: the rest is left to other programs and to
/// other memory of this one.
const CACHE_FRACTION: usize = 4;
/// How long the bound is valid. Finding it takes some 100 µs.
const LIMIT_VALID: Duration = Duration::from_millis(100);
const CLASSES: usize = 4 * 48;
/// From this size on a block is a mapping of its own, whose pages can be moved. (The allocator of the C library begins at 128 KB.)
const MAPPED_FROM: usize = 64 << 10;
/// Free blocks of a class among which one with a front page is looked for.
const SEARCHED: usize = 16;
/// Beside the size class: the memory is at the storage's guarded address.
const OPENED: u32 = 1 << 30;

/// A block, returned to the pool when dropped. Its contents are unspecified.
pub struct Buffer {
    start: NonNull<u8>,
    class: u32,
}

// SAFETY: a Buffer is the only owner of its block; access through its pointer is governed by the code that launches kernels.
unsafe impl Send for Buffer {}
// SAFETY: as above; `&Buffer` only gives the address.
unsafe impl Sync for Buffer {}

struct Pool {
    free: Vec<Vec<NonNull<u8>>>,
    /// What is left of the chunk that blocks are cut from, and what decides where in its first page the last one begins.
    chunk: (NonNull<u8>, usize),
    colour: usize,
    /// Bytes of free blocks, and their bound.
    cached: usize,
    limit: usize,
    /// Whether the user set the bound; when it was last updated otherwise.
    is_set: bool,
    updated: Option<Instant>,
    /// Bytes of live blocks, now and at most. (Separate atomics would double the cost of the lock.)
    live: usize,
    peak: usize,
}

// SAFETY: the pool owns the blocks in its lists.
unsafe impl Send for Pool {}

static POOL: SpinLock<Pool> = SpinLock::new(Pool {
    free: Vec::new(),
    chunk: (NonNull::dangling(), 0),
    colour: 0,
    cached: 0,
    limit: DEFAULT_LIMIT,
    is_set: false,
    updated: None,
    live: 0,
    peak: 0,
});

/// The pool, locked.
#[inline]
fn pool() -> SpinGuard<'static, Pool> {
    POOL.lock_in(interpreter_lock::exclusive_section())
}

/// Size classes: 64 bytes, then four to each doubling, so that at most a quarter of a block is unused.
pub fn class_of(bytes: usize) -> u32 {
    if bytes <= BLOCK_ALIGN {
        return 0;
    }
    let top = (bytes - 1).ilog2();
    let quarter = (bytes - 1) >> (top - 2) & 3;
    (top - 6) * 4 + quarter as u32 + 1
}

/// Bytes of the blocks of a size class.
pub fn class_bytes(class: u32) -> usize {
    if class == 0 {
        return BLOCK_ALIGN;
    }
    let (top, quarter) = ((class - 1) / 4 + 6, (class - 1) as usize % 4);
    (1usize << top) / 4 * (5 + quarter)
}

fn block_layout(class: u32) -> BlockLayout {
    let bytes = class_bytes(class).next_multiple_of(BLOCK_ALIGN);
    BlockLayout::from_size_align(bytes, BLOCK_ALIGN).expect("class sizes are below isize::MAX")
}

impl Buffer {
    /// A block of at least `bytes`.
    ///
    /// # Errors
    /// `MemoryError` where the system has none, even after free blocks were released.
    pub fn new(bytes: usize) -> Result<Buffer> {
        let class = class_of(bytes);
        if class as usize >= CLASSES || fault::strikes() {
            return Err(out_of_memory(bytes));
        }
        #[cfg(all(unix, debug_assertions))]
        if guard::is_on() {
            let start = guard::allocate(bytes).ok_or_else(|| out_of_memory(bytes))?;
            return Ok(Buffer { start, class: guard::GUARDED });
        }
        let reused = {
            let mut pool = pool();
            if pool.free.is_empty() {
                pool.free.resize_with(CLASSES, Vec::new);
            }
            let (block, size) = (pool.free[class as usize].pop(), class_bytes(class));
            if block.is_some() {
                pool.cached -= size;
            } else if size >= HUGE_PAGES_FROM {
                pool.trim(CACHED_BESIDE_LARGE);
            }
            pool.live += size;
            pool.peak = pool.peak.max(pool.used());
            block
        };
        let start = reused.or_else(|| allocate_or_trim(class)).ok_or_else(|| {
            pool().live -= class_bytes(class);
            out_of_memory(bytes)
        })?;
        Ok(Buffer { start, class })
    }

    /// Checks that such a block could be allocated now, without touching its pages.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub(crate) fn check_allocatable(bytes: usize) -> Result<()> {
        let class = class_of(bytes);
        if pool().free.get(class as usize).is_some_and(|waiting| !waiting.is_empty()) {
            return Ok(());
        }
        let there = if (class as usize) < CLASSES { allocate_or_trim(class) } else { None };
        let start = there.ok_or_else(|| out_of_memory(bytes))?;
        // SAFETY: the block was just allocated.
        unsafe { free_block(start, class) };
        Ok(())
    }

    /// The address and size class, from which [`Buffer::from_raw`] makes the buffer again. Ownership passes to the caller.
    #[inline]
    pub(crate) fn into_raw(self) -> (*mut u8, u32) {
        let buffer = std::mem::ManuallyDrop::new(self);
        (buffer.start.as_ptr(), buffer.class)
    }

    /// The buffer of an address and a size class.
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
    pub fn address(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// A block at a guarded address that is open from the beginning, for a storage of so many bytes; `None` where there is none.
    pub(crate) fn in_open_slot(bytes: usize, owner: SlotOwner) -> Option<Buffer> {
        #[cfg(all(unix, debug_assertions))]
        if guard::is_on() {
            return None;
        }
        let class = class_of(bytes);
        let size = class_bytes(class);
        let start = if bytes > MOST_COPIED {
            // Free blocks of the pool have room for their class.
            let known = pool().take_fronted(class).filter(|start| slot_pages::own(start.as_ptr(), owner));
            known.or_else(|| NonNull::new(slot_pages::open_new(size, owner)?))?
        } else {
            NonNull::new(slot_pages::open_new(bytes, owner)?)?
        };
        let mut pool = pool();
        pool.live += size;
        pool.peak = pool.peak.max(pool.used());
        Some(Buffer { start, class: class | OPENED })
    }

    /// Moves the block of a storage of so many bytes to its guarded address, whose slot is closed. The contents stay. If the address has a
    /// front page, `front` is what code outside reads there.
    ///
    /// # Errors
    /// `MemoryError` where the system does not move it; then the block is where it was.
    pub(crate) fn open_at(&mut self, slot: NonNull<u8>, bytes: usize, front: &[isize]) -> Result<()> {
        let class = class_of(bytes);
        let size = class_bytes(class);
        // SAFETY: the slot is closed and large enough, as the caller says; the block is this buffer's alone.
        unsafe {
            if guarded_range::has_front(slot.as_ptr()) {
                slot_pages::open_with_copy(slot.as_ptr(), front, self.start.as_ptr(), bytes)
                    .map_err(|_| out_of_memory(bytes))?;
                pool().live += size;
                *self = Buffer { start: slot, class: class | OPENED };
                return Ok(());
            }
            if self.class == class && size >= MAPPED_FROM && offset_in_page(self.start) == 0 {
                slot_pages::open_with_pages(slot.as_ptr(), self.start.as_ptr(), size)
                    .map_err(|_| out_of_memory(bytes))?;
                (self.start, self.class) = (slot, class | OPENED);
                return Ok(());
            }
            let copy = map_block(size).ok_or_else(|| out_of_memory(bytes))?;
            std::ptr::copy_nonoverlapping(self.start.as_ptr(), copy.as_ptr(), bytes);
            if slot_pages::open_with_pages(slot.as_ptr(), copy.as_ptr(), size).is_err() {
                unmap_block(copy, size);
                return Err(out_of_memory(bytes));
            }
            pool().live += size;
            *self = Buffer { start: slot, class: class | OPENED };
        }
        Ok(())
    }

    /// Moves the block of a storage of so many bytes from its guarded address, whose slot is closed then, to a place of its own.
    ///
    /// # Errors
    /// As [`Buffer::open_at`].
    pub(crate) fn close(&mut self, bytes: usize) -> Result<()> {
        let class = self.class & !OPENED;
        let size = class_bytes(class);
        if guarded_range::has_front(self.start.as_ptr()) {
            let block = Buffer::new(bytes)?;
            // SAFETY: both have so many bytes, and the block is new.
            unsafe { slot_pages::close_with_copy(self.start.as_ptr(), block.address(), bytes) }
                .map_err(|_| out_of_memory(bytes))?;
            pool().live -= size;
            std::mem::forget(std::mem::replace(self, block));
            return Ok(());
        }
        if size < MAPPED_FROM {
            let block = Buffer::new(size)?;
            // SAFETY: both have so many bytes, and the block is new.
            unsafe { block.address().copy_from_nonoverlapping(self.start.as_ptr(), size) };
            slot_pages::close(self.start.as_ptr());
            pool().live -= size;
            std::mem::forget(std::mem::replace(self, block));
            return Ok(());
        }
        let place = map_block(size).ok_or_else(|| out_of_memory(size))?;
        // SAFETY: the slot is this buffer's and open; nothing is at the new place.
        if unsafe { slot_pages::close_to(self.start.as_ptr(), place.as_ptr(), size) }.is_err() {
            // SAFETY: it was just mapped.
            unsafe { unmap_block(place, size) };
            return Err(out_of_memory(size));
        }
        (self.start, self.class) = (place, class);
        Ok(())
    }

    /// Frees a block whose storage ends. Whether its slot goes with it, if it is at a guarded address: without a system call, whatever its size,
    /// it is open for the next block.
    pub(crate) fn free_with_slot(self) -> bool {
        if !Buffer::is_opened(self.class) {
            return false;
        }
        let class = self.class & !OPENED;
        let size = class_bytes(class);
        let start = self.start.as_ptr();
        // A free block of the pool has room for its class.
        if guarded_range::has_front(start) && (size <= MOST_COPIED || size > guarded_range::capacity(start)) {
            pool().live -= size;
            slot_pages::retire(self.into_raw().0);
            return true;
        }
        if size < MAPPED_FROM {
            return false;
        }
        slot_pages::disown(self.start.as_ptr());
        let (start, _) = self.into_raw();
        // SAFETY: the parts of this buffer, of which nothing is left. As many pages as the class has are there.
        drop(unsafe { Buffer::from_raw(start, class) });
        true
    }

    /// Whether a block of this size class is at a guarded address.
    #[inline]
    pub(crate) fn is_opened(class: u32) -> bool {
        class & OPENED != 0 && class != u32::MAX
    }
}

/// A mapping of so many bytes, a multiple of the page's; from the size of huge pages on it is aligned for them and asks for them.
fn map_block(bytes: usize) -> Option<NonNull<u8>> {
    let bytes = bytes.next_multiple_of(SYSTEM_PAGE);
    let slack = if bytes >= HUGE_PAGES_FROM { HUGE_PAGE } else { 0 };
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping, of which only the aligned part is kept.
    unsafe {
        let start = libc::mmap(std::ptr::null_mut(), bytes + slack, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return None;
        }
        let start = start.cast::<u8>();
        if slack == 0 {
            return NonNull::new(start);
        }
        let before = start.align_offset(HUGE_PAGE);
        let block = start.add(before);
        if before > 0 {
            libc::munmap(start.cast(), before);
        }
        if slack > before {
            libc::munmap(block.add(bytes).cast(), slack - before);
        }
        #[cfg(target_os = "linux")]
        libc::madvise(block.cast(), bytes, libc::MADV_HUGEPAGE);
        NonNull::new(block)
    }
}

/// Frees a mapping.
///
/// # Safety
/// It is a whole mapping of [`map_block`] with this size, or whole pages of one, and is not used any more.
unsafe fn unmap_block(start: NonNull<u8>, bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe { libc::munmap(start.as_ptr().cast(), bytes.next_multiple_of(SYSTEM_PAGE)) };
}

/// Frees a block of a size class.
///
/// # Safety
/// It came from [`allocate_block`] with this class, or its slot is the pool's, and it is not used any more.
unsafe fn free_block(start: NonNull<u8>, class: u32) {
    // SAFETY: the caller's contract.
    unsafe {
        match class_bytes(class) {
            bytes if bytes >= MAPPED_FROM => {
                if !slot_pages::free_disowned(start.as_ptr()) {
                    let before = offset_in_page(start);
                    unmap_block(start.sub(before), before + bytes);
                }
            }
            _ => dealloc(start.as_ptr(), block_layout(class)),
        }
    }
}

fn allocate_block(class: u32) -> Option<NonNull<u8>> {
    match class_bytes(class) {
        bytes if IS_CUT && (MAPPED_FROM..HUGE_PAGES_FROM).contains(&bytes) => pool().cut(bytes),
        bytes if bytes >= MAPPED_FROM => map_block(bytes),
        // SAFETY: the layout's size is not zero.
        _ => NonNull::new(unsafe { alloc(block_layout(class)) }),
    }
}

/// How far after the first byte of a page a block begins: not at all where its pages may be moved.
fn offset_in_page(block: NonNull<u8>) -> usize {
    block.addr().get() % SYSTEM_PAGE
}

/// Bytes of the page that a block of a class may begin in later than at its first byte: none where its pages are mostly moved.
fn page_of_colour(class_bytes: usize) -> usize {
    if IS_CUT && class_bytes < guarded_range::MOST_COPIED { SYSTEM_PAGE } else { 0 }
}

/// Allocates a block from the system, if need be after free blocks were released.
fn allocate_or_trim(class: u32) -> Option<NonNull<u8>> {
    allocate_block(class).or_else(|| {
        pool().trim(0);
        allocate_block(class)
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
    /// Bytes of live blocks that hold an array, not those in the free list of storages.
    fn used(&self) -> usize {
        self.live.saturating_sub(IDLE.load(Ordering::Relaxed) as usize)
    }

    /// Updates the bound on free blocks.
    #[cold]
    fn update_limit(&mut self) {
        if self.is_set || self.updated.is_some_and(|then| then.elapsed() < LIMIT_VALID) {
            return;
        }
        self.limit = available().map_or(0, |bytes| (bytes + self.cached) / CACHE_FRACTION).max(DEFAULT_LIMIT);
        self.updated = Some(Instant::now());
    }

    /// Cuts a block of so many bytes from a chunk, in pages of its own.
    fn cut(&mut self, bytes: usize) -> Option<NonNull<u8>> {
        let colours = page_of_colour(bytes);
        let bytes = bytes + colours;
        if self.chunk.1 < bytes {
            let fresh = map_block(CHUNK)?;
            let (rest, left) = std::mem::replace(&mut self.chunk, (fresh, CHUNK));
            if left > 0 {
                // SAFETY: no block was cut from the rest of the chunk, and none will be.
                unsafe { unmap_block(rest, left) };
            }
        }
        let (start, left) = self.chunk;
        self.colour = (self.colour + COLOUR_STEP) % (SYSTEM_PAGE - BLOCK_ALIGN);
        // An offset tells that a page was added for it, so it is never zero.
        let offset = if colours > 0 { BLOCK_ALIGN + self.colour } else { 0 };
        // SAFETY: the chunk has so many bytes left, and a block with a page for its offset has room for it.
        unsafe {
            self.chunk = (start.add(bytes), left - bytes);
            Some(start.add(offset))
        }
    }

    /// Takes a free block of a class that is in a slot with a front page, if one was freed lately.
    fn take_fronted(&mut self, class: u32) -> Option<NonNull<u8>> {
        let list = self.free.get_mut(class as usize)?;
        let at = (list.len().saturating_sub(SEARCHED)..list.len())
            .rev()
            .find(|&i| guarded_range::has_front(list[i].as_ptr()))?;
        self.cached -= class_bytes(class);
        Some(list.swap_remove(at))
    }

    /// Releases free blocks, largest first, until at most `bytes` are left.
    fn trim(&mut self, bytes: usize) {
        for class in (0..self.free.len() as u32).rev() {
            while self.cached > bytes {
                let Some(block) = self.free[class as usize].pop() else { break };
                self.cached -= class_bytes(class);
                // SAFETY: a block of this class, which is in no list any more.
                unsafe { free_block(block, class) };
            }
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        #[cfg(all(unix, debug_assertions))]
        if self.class == guard::GUARDED {
            return guard::free(self.start);
        }
        if Buffer::is_opened(self.class) {
            let size = class_bytes(self.class & !OPENED);
            let is_copied = size < MAPPED_FROM || guarded_range::has_front(self.start.as_ptr());
            if is_copied || self.close(size).is_err() {
                slot_pages::close(self.start.as_ptr());
                pool().live -= size;
                return;
            }
        }
        let bytes = class_bytes(self.class);
        let mut pool = pool();
        pool.live -= bytes;
        pool.free[self.class as usize].push(self.start);
        pool.cached += bytes;
        if bytes >= HUGE_PAGES_FROM && pool.cached > DEFAULT_LIMIT {
            pool.update_limit();
        }
        if pool.cached > pool.limit {
            let limit = pool.limit;
            pool.trim(limit);
        }
    }
}

/// Bytes of live blocks in the free list of storages.
static IDLE: AtomicIsize = AtomicIsize::new(0);

/// Counts bytes into (or out of) the free list of storages. Under the runtime's lock.
#[inline]
pub(crate) fn count_idle(bytes: isize) {
    IDLE.store(IDLE.load(Ordering::Relaxed) + bytes, Ordering::Relaxed);
}

/// Bytes in use now, at most, and bytes free for reuse.
pub(crate) fn usage() -> (usize, usize, usize) {
    let pool = pool();
    let idle = IDLE.load(Ordering::Relaxed) as usize;
    (pool.used(), pool.peak, pool.cached + idle)
}

/// Resets the peak to the bytes in use.
pub(crate) fn reset_peak() {
    let mut pool = pool();
    pool.peak = pool.used();
}

/// Bounds the free blocks; without a value the bound is a fraction of available memory.
pub(crate) fn set_limit(bytes: Option<usize>) {
    let mut pool = pool();
    (pool.is_set, pool.updated, pool.limit) = (bytes.is_some(), None, bytes.unwrap_or(DEFAULT_LIMIT));
    let limit = pool.limit;
    pool.trim(limit);
}

/// The bound on free blocks, if the user set one.
pub(crate) fn limit() -> Option<usize> {
    let pool = pool();
    pool.is_set.then_some(pool.limit)
}

/// Bytes that the system and the cgroups of this process would still give out; `None` where they do not say.
pub fn available() -> Option<usize> {
    let meminfo = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let system = line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()? << 10;
    let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    Some(groups.lines().filter_map(available_in_cgroup).fold(system, usize::min))
}

/// Bytes a cgroup (a line `number:controllers:path`) and its parents may still take; `None` where they have no limit.
pub fn available_in_cgroup(line: &str) -> Option<usize> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    let (root, most, taken) = if controllers.is_empty() {
        ("/sys/fs/cgroup", "memory.max", "memory.current")
    } else if controllers.split(',').any(|name| name == "memory") {
        ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
    } else {
        return None;
    };
    let left = |group: &Path| {
        let folder = Path::new(root).join(group.strip_prefix("/").ok()?);
        let number = |name| std::fs::read_to_string(folder.join(name)).ok()?.trim().parse::<usize>().ok();
        Some(number(most)?.saturating_sub(number(taken)?))
    };
    Path::new(path).ancestors().filter_map(left).min()
}
