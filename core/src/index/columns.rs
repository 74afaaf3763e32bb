//! Columns copied at once: the rows at one position of many blocks, as far apart as the blocks are.
//!
//! Where a block has few rows, or few of them follow each other, copying it row by row takes a call for each: 5 ns for eight bytes, in a
//! column 1 ns. Columns are copied for so many blocks at a time that the next columns find their rows in the cache.

/// Blocks whose columns are copied together: of 64 bytes each, they fit the first cache.
pub(crate) const BLOCKS_TOGETHER: usize = 256;

/// Fewer blocks are copied row by row.
pub(crate) const LEAST_BLOCKS: usize = 8;

/// Where rows are, and how far apart.
#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub(crate) start: *const u8,
    pub(crate) step: usize,
}

/// Copies `count` rows of so many bytes to places that are `step` apart.
///
/// # Safety
/// The rows are there, and room for them, and they do not overlap.
pub(crate) unsafe fn copy_column(from: Column, (to, step): (*mut u8, usize), count: usize, row: usize) {
    /// The same for rows of the size of `T`.
    unsafe fn typed<T: Copy>(from: Column, (to, step): (*mut u8, usize), count: usize) {
        for i in 0..count {
            // SAFETY: the caller's contract; alignment is not assumed.
            unsafe {
                let element = from.start.add(i * from.step).cast::<T>().read_unaligned();
                to.add(i * step).cast::<T>().write_unaligned(element);
            }
        }
    }
    // SAFETY: the caller's contract.
    unsafe {
        match row {
            1 => typed::<u8>(from, (to, step), count),
            2 => typed::<u16>(from, (to, step), count),
            4 => typed::<u32>(from, (to, step), count),
            8 => typed::<u64>(from, (to, step), count),
            16 => typed::<u128>(from, (to, step), count),
            _ => {
                for i in 0..count {
                    std::ptr::copy_nonoverlapping(from.start.add(i * from.step), to.add(i * step), row);
                }
            }
        }
    }
}
