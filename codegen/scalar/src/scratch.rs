//! Memory of a run: scratch, taken piece by piece and given back at the end, and numbered buffers for values that last.
//!
//! Each thread keeps what its runs needed last, so that the next run need not allocate. What is in a buffer stays there until the
//! thread's next run.

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
            self.chunks.push(chunk(bytes.max(last.checked_mul(2)?))?);
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

/// A larger buffer is freed when the next run begins.
const KEPT: usize = 1 << 20;

/// A chunk with this room at least; `None` if there is no memory.
fn chunk(bytes: usize) -> Option<Chunk> {
    let layout = Layout::from_size_align(bytes.max(1).checked_next_multiple_of(ALIGN)?, ALIGN).ok()?;
    // SAFETY: the size is not 0.
    let start = unsafe { alloc(layout) };
    (!start.is_null()).then_some(Chunk { start, layout })
}

thread_local! {
    static BUFFERS: RefCell<Vec<Option<Chunk>>> = const { RefCell::new(Vec::new()) };
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// The address of so many bytes, which are the caller's until [`reset`]; 0 if there is no memory.
pub(crate) extern "C" fn take(bytes: i64) -> i64 {
    let taken = usize::try_from(bytes).ok().and_then(|bytes| SCRATCH.with_borrow_mut(|scratch| scratch.take(bytes)));
    taken.map_or(0, |start| start.addr() as i64)
}

/// Takes back all memory that was given on this thread.
pub(crate) fn reset() {
    SCRATCH.with_borrow_mut(Scratch::reset);
}

/// The address of a numbered buffer with room for so many bytes; 0 if there is no memory, and then the buffer is as it was.
pub(crate) extern "C" fn buffer(number: i64, bytes: i64) -> i64 {
    let (Ok(number), Ok(bytes)) = (usize::try_from(number), usize::try_from(bytes)) else { return 0 };
    BUFFERS.with_borrow_mut(|buffers| {
        if buffers.len() <= number {
            buffers.resize_with(number + 1, || None);
        }
        let have = &mut buffers[number];
        if have.as_ref().is_none_or(|chunk| chunk.layout.size() < bytes) {
            let Some(larger) = chunk(bytes) else { return 0 };
            *have = Some(larger);
        }
        have.as_ref().map_or(0, |chunk| chunk.start.addr() as i64)
    })
}

/// Frees large buffers of the run before.
pub(crate) fn begin() {
    BUFFERS.with_borrow_mut(|buffers| {
        for buffer in buffers {
            buffer.take_if(|chunk| chunk.layout.size() > KEPT);
        }
    });
}

/// Copies bytes; the two places may overlap.
///
/// # Safety
/// Both have so many bytes.
pub(crate) unsafe extern "C" fn copy(to: i64, from: i64, bytes: i64) {
    // SAFETY: the caller's contract.
    unsafe { std::ptr::copy(from as *const u8, to as *mut u8, bytes as usize) }
}
