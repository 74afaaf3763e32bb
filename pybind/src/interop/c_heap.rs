//! The C library's heap, where the results of NumPy's functions lie, and their scratch memory.
//!
//! glibc maps blocks of 128 KB and more one by one, and gives the end of its heap back to the system, until a larger block is freed: from
//! then on it keeps as much. A program of NumPy's alone frees such blocks soon. Where arrays lie in memory of ours it may free none, and
//! each call of a function that is NumPy's pays for the first touch of all pages of its result: half the time of a Fourier transform of
//! Stockham's, a third of a Cholesky decomposition of 1,000 rows.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;

/// The largest block that glibc learns from is 32 MB, with its own words.
const LARGEST: usize = (32 << 20) - (16 << 10);

/// Makes the C library keep memory that is freed, as it does once a program has freed a large block. No page of that block is touched.
pub(crate) fn keep_freed_memory() {
    let layout = Layout::from_size_align(LARGEST, 16).expect("a size, and a power of two");
    // SAFETY: the size is not 0; the block is freed once, with its layout. The compiler may not leave both calls out.
    unsafe {
        let block = black_box(System.alloc(layout));
        if !block.is_null() {
            System.dealloc(block, layout);
        }
    }
}
