//! Scratch memory of a run: taken piece by piece, given back all at once.
//!
//! Each thread keeps what its runs needed last, so that a statement in a loop allocates once.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::RefCell;

/// Pieces begin at multiples of a cache line.
const ALIGN: usize = 64;

/// The least that is allocated.
const CHUNK: usize = 64 << 10;

struct Chunk {
    start: *mut u8,
    layout: Layout,
}

impl Drop for Chunk {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout, and nothing refers to it any more.
        unsafe { dealloc(self.start, self.layout) }
    }
}

#[derive(Default)]
struct Scratch {
    /// The largest and last one has room behind `used`.
    chunks: Vec<Chunk>,
    used: usize,
}

impl Scratch {
    fn take(&mut self, bytes: usize) -> Option<*mut u8> {
        let bytes = bytes.max(1).checked_next_multiple_of(ALIGN)?;
        if self.chunks.last().is_none_or(|chunk| chunk.layout.size() - self.used < bytes) {
            let last = self.chunks.last().map_or(CHUNK, |chunk| chunk.layout.size());
            let layout = Layout::from_size_align(bytes.max(last.checked_mul(2)?), ALIGN).ok()?;
            // SAFETY: the size is not 0.
            let start = unsafe { alloc(layout) };
            if start.is_null() {
                return None;
            }
            self.chunks.push(Chunk { start, layout });
            self.used = 0;
        }
        let start = self.chunks.last()?.start.wrapping_add(self.used);
        self.used += bytes;
        Some(start)
    }

    fn reset(&mut self) {
        self.used = 0;
        if self.chunks.len() > 1 {
            self.chunks.drain(..self.chunks.len() - 1);
        }
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The address of so many bytes, which are the caller's until [`reset`]; 0 if there is no memory.
pub(crate) extern "C" fn take(bytes: i64) -> i64 {
    let taken = usize::try_from(bytes).ok().and_then(|bytes| SCRATCH.with_borrow_mut(|scratch| scratch.take(bytes)));
    taken.map_or(0, |start| start.addr() as i64)
}

/// Takes back all memory that was given on this thread.
pub(crate) extern "C" fn reset() {
    SCRATCH.with_borrow_mut(Scratch::reset);
}
