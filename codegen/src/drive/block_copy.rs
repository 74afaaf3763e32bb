//! Copies of blocks to rows of elements that follow each other: of transposed ones, and of what is broadcast.

use crate::drive::vector_hints::{inhibit_vectorization, prefetch};

/// A block, wherever its elements are.
pub struct StridedBlock {
    /// Its rows.
    pub rows: usize,
    /// Elements of a row.
    pub columns: usize,
    /// Bytes from an element to the next in its row.
    pub along_row: isize,
    /// In its column.
    pub along_column: isize,
    /// Bytes from a row to the next where it is written; its elements follow each other.
    pub pitch: isize,
}

/// Elements of a column, and columns, that go through registers together.
const SQUARE: usize = 8;
/// Columns between what is copied and what is prefetched: columns are too short for the processor to find what comes next, which may be in
/// the next block.
const PREFETCH_DISTANCE: usize = 32;

/// An item, moved as an integer of its size; its address may be unaligned.
trait Item: Copy {
    /// Copies a square: column `j` is at `from + j * step` bytes, and row `i` goes to `to + i * pitch` bytes.
    ///
    /// # Safety
    /// All are valid, and do not overlap.
    #[inline(always)]
    unsafe fn copy_square(from: *const u8, step: isize, to: *mut u8, pitch: isize) {
        for i in 0..SQUARE {
            for j in 0..SQUARE {
                // SAFETY: the caller's contract.
                unsafe {
                    let item = from.offset(j as isize * step).cast::<Self>().add(i).read_unaligned();
                    to.offset(i as isize * pitch).cast::<Self>().add(j).write_unaligned(item);
                }
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod items {
    use super::Item;

    impl Item for u8 {}
    impl Item for u16 {}
    impl Item for u32 {}
    impl Item for u64 {}
}

impl Item for [u64; 2] {}

/// By interleaving registers of 16 bytes, which every x86-64 has: 0.4 cycles an element, where one by one takes 1.4.
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod items {
    use super::{Item, SQUARE};
    use std::arch::x86_64::{
        __m128i, _mm_loadl_epi64, _mm_loadu_si128, _mm_storel_epi64, _mm_storeu_si128, _mm_unpackhi_epi16,
        _mm_unpackhi_epi32, _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32,
        _mm_unpacklo_epi64,
    };

    /// A column's items as a register, and a row's from one.
    #[inline(always)]
    unsafe fn load(from: *const u8) -> __m128i {
        // SAFETY: the caller passes the address of 16 bytes.
        unsafe { _mm_loadu_si128(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(to: *mut u8, items: __m128i) {
        // SAFETY: as above.
        unsafe { _mm_storeu_si128(to.cast(), items) }
    }

    /// The columns of four registers of four words as registers.
    #[inline(always)]
    fn columns_of(x: [__m128i; 4]) -> [__m128i; 4] {
        // SAFETY: every x86-64 has these instructions.
        unsafe {
            let (a, b) = (_mm_unpacklo_epi32(x[0], x[1]), _mm_unpackhi_epi32(x[0], x[1]));
            let (c, d) = (_mm_unpacklo_epi32(x[2], x[3]), _mm_unpackhi_epi32(x[2], x[3]));
            [_mm_unpacklo_epi64(a, c), _mm_unpackhi_epi64(a, c), _mm_unpacklo_epi64(b, d), _mm_unpackhi_epi64(b, d)]
        }
    }

    impl Item for u8 {
        #[inline(always)]
        unsafe fn copy_square(from: *const u8, step: isize, to: *mut u8, pitch: isize) {
            // SAFETY: the caller's contract.
            unsafe {
                let c: [__m128i; SQUARE] =
                    std::array::from_fn(|j| _mm_loadl_epi64(from.offset(j as isize * step).cast()));
                let pairs: [__m128i; 4] = std::array::from_fn(|j| _mm_unpacklo_epi8(c[2 * j], c[2 * j + 1]));
                let (a, b) = (_mm_unpacklo_epi16(pairs[0], pairs[1]), _mm_unpackhi_epi16(pairs[0], pairs[1]));
                let (c, d) = (_mm_unpacklo_epi16(pairs[2], pairs[3]), _mm_unpackhi_epi16(pairs[2], pairs[3]));
                let two_rows = [
                    _mm_unpacklo_epi32(a, c),
                    _mm_unpackhi_epi32(a, c),
                    _mm_unpacklo_epi32(b, d),
                    _mm_unpackhi_epi32(b, d),
                ];
                for (i, rows) in two_rows.into_iter().enumerate() {
                    let row = to.offset(2 * i as isize * pitch);
                    _mm_storel_epi64(row.cast(), rows);
                    _mm_storel_epi64(row.offset(pitch).cast(), _mm_unpackhi_epi64(rows, rows));
                }
            }
        }
    }

    impl Item for u16 {
        #[inline(always)]
        unsafe fn copy_square(from: *const u8, step: isize, to: *mut u8, pitch: isize) {
            // SAFETY: the caller's contract.
            unsafe {
                let c: [__m128i; SQUARE] = std::array::from_fn(|j| load(from.offset(j as isize * step)));
                // Words of two columns, of rows 0 to 3 and 4 to 7.
                let low = std::array::from_fn(|j| _mm_unpacklo_epi16(c[2 * j], c[2 * j + 1]));
                let high = std::array::from_fn(|j| _mm_unpackhi_epi16(c[2 * j], c[2 * j + 1]));
                for (i, row) in columns_of(low).into_iter().chain(columns_of(high)).enumerate() {
                    store(to.offset(i as isize * pitch), row);
                }
            }
        }
    }

    impl Item for u32 {
        #[inline(always)]
        unsafe fn copy_square(from: *const u8, step: isize, to: *mut u8, pitch: isize) {
            for (r, c) in [(0, 0), (0, 4), (4, 0), (4, 4)] {
                // SAFETY: the caller's contract.
                unsafe {
                    let x = std::array::from_fn(|j| load(from.offset((c + j as isize) * step + 4 * r)));
                    for (i, row) in columns_of(x).into_iter().enumerate() {
                        store(to.offset((r + i as isize) * pitch + 4 * c), row);
                    }
                }
            }
        }
    }

    impl Item for u64 {
        #[inline(always)]
        unsafe fn copy_square(from: *const u8, step: isize, to: *mut u8, pitch: isize) {
            for r in (0..SQUARE as isize).step_by(2) {
                for c in (0..SQUARE as isize).step_by(2) {
                    // SAFETY: the caller's contract.
                    unsafe {
                        let (a, b) = (load(from.offset(c * step + 8 * r)), load(from.offset((c + 1) * step + 8 * r)));
                        let to = to.offset(r * pitch + 8 * c);
                        store(to, _mm_unpacklo_epi64(a, b));
                        store(to.offset(pitch), _mm_unpackhi_epi64(a, b));
                    }
                }
            }
        }
    }
}

unsafe fn copy<T: Item>(to: *mut u8, from: *const u8, block: &StridedBlock) {
    let at = |r: usize, c: usize| from.wrapping_offset(r as isize * block.along_column + c as isize * block.along_row);
    let place = |r: usize, c: usize| to.wrapping_offset(r as isize * block.pitch + (c * size_of::<T>()) as isize);
    let has_squares = block.along_column == size_of::<T>() as isize;
    let squares = |n: usize| if has_squares { n / SQUARE * SQUARE } else { 0 };
    let (rows, columns) = (squares(block.rows), squares(block.columns));
    for c in (0..columns).step_by(SQUARE) {
        for r in (0..rows).step_by(SQUARE) {
            (0..SQUARE).for_each(|j| prefetch(at(r, c + PREFETCH_DISTANCE + j).cast()));
            // SAFETY: the caller's contract.
            unsafe { T::copy_square(at(r, c), block.along_row, place(r, c), block.pitch) };
        }
    }
    for r in 0..block.rows {
        let first = if r < rows { columns } else { 0 };
        for c in first..block.columns {
            inhibit_vectorization();
            // SAFETY: as above.
            unsafe { place(r, c).cast::<T>().write_unaligned(at(r, c).cast::<T>().read_unaligned()) };
        }
    }
}

/// Writes each of `rows` items, `stride` bytes apart, `columns` times after each other.
unsafe fn repeat<T: Copy>(to: *mut u8, from: *const u8, stride: isize, rows: usize, columns: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match columns {
            0..=4 => repeat_in_chunks::<T, 4>(to, from, stride, rows, columns),
            _ => repeat_in_chunks::<T, 8>(to, from, stride, rows, columns),
        }
    }
}

/// The same in chunks. What one writes past its row the next row overwrites; the last rows are written to their end.
#[inline(always)]
unsafe fn repeat_in_chunks<T: Copy, const N: usize>(
    to: *mut u8,
    from: *const u8,
    stride: isize,
    rows: usize,
    columns: usize,
) {
    let (chunks, count) = (columns.div_ceil(N), rows * columns);
    // Rows whose chunks end within the last row.
    let whole = (count + columns).saturating_sub(chunks * N) / columns;
    // SAFETY: the caller's contract.
    unsafe {
        let item = |r: usize| from.offset(r as isize * stride).cast::<T>().read_unaligned();
        for r in 0..whole {
            inhibit_vectorization();
            let (item, row) = (item(r), to.cast::<T>().add(r * columns));
            for i in 0..chunks {
                row.add(i * N).cast::<[T; N]>().write_unaligned([item; N]);
            }
        }
        for r in whole..rows {
            let (item, row) = (item(r), to.cast::<T>().add(r * columns));
            for i in 0..columns {
                inhibit_vectorization();
                row.add(i).write_unaligned(item);
            }
        }
    }
}

/// Copies contiguous rows of so many bytes. Short ones by moves of registers: a call of `memcpy` takes 5 ns, and slices of two columns of three
/// took 0.8 ms of 100,000 rows instead of 0.3 (Sapphire Rapids).
unsafe fn copy_rows(to: *mut u8, from: *const u8, block: &StridedBlock, bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        match bytes {
            4 => copy_rows_of(to, from, block, 4),
            8 => copy_rows_of(to, from, block, 8),
            12 => copy_rows_of(to, from, block, 12),
            16 => copy_rows_of(to, from, block, 16),
            24 => copy_rows_of(to, from, block, 24),
            32 => copy_rows_of(to, from, block, 32),
            40 => copy_rows_of(to, from, block, 40),
            48 => copy_rows_of(to, from, block, 48),
            64 => copy_rows_of(to, from, block, 64),
            _ => copy_rows_of(to, from, block, bytes),
        }
    }
}

/// The same, where it is inlined with the number.
#[inline(always)]
unsafe fn copy_rows_of(to: *mut u8, from: *const u8, block: &StridedBlock, bytes: usize) {
    for r in 0..block.rows as isize {
        let (from, to) = (from.wrapping_offset(r * block.along_column), to.wrapping_offset(r * block.pitch));
        // SAFETY: the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    }
}

/// Copies a block of items of `size` bytes: one whose columns are contiguous by squares; one that is broadcast along short rows in chunks
/// (of eight doubles a row takes 0.5 ns, one after the other 1.6); contiguous rows as a whole; a row that all rows repeat once, and then all that
/// is there, twice as much each time.
///
/// # Safety
/// All its items are valid at `from`, and there is room for them at `to`, which they do not overlap.
pub unsafe fn copy_block(to: *mut u8, from: *const u8, block: &StridedBlock, size: usize) {
    let bytes = block.columns * size;
    let is_packed = block.pitch == bytes as isize;
    if block.along_column == 0 && block.along_row != 0 && is_packed && block.rows > 1 {
        // SAFETY: the caller's contract; each copy is of what was written before.
        unsafe {
            copy_block(to, from, &StridedBlock { rows: 1, ..*block }, size);
            let mut done = bytes;
            while done < block.rows * bytes {
                let next = done.min(block.rows * bytes - done);
                std::ptr::copy_nonoverlapping(to, to.add(done), next);
                done += next;
            }
        }
        return;
    }
    if block.along_row == size as isize {
        // SAFETY: the caller's contract.
        return unsafe { copy_rows(to, from, block, bytes) };
    }
    let repeats = block.along_row == 0 && is_packed;
    // SAFETY: the caller's contract.
    unsafe {
        match size {
            1 if repeats => repeat::<u8>(to, from, block.along_column, block.rows, block.columns),
            2 if repeats => repeat::<u16>(to, from, block.along_column, block.rows, block.columns),
            4 if repeats => repeat::<u32>(to, from, block.along_column, block.rows, block.columns),
            8 if repeats => repeat::<u64>(to, from, block.along_column, block.rows, block.columns),
            _ if repeats => repeat::<[u64; 2]>(to, from, block.along_column, block.rows, block.columns),
            1 => copy::<u8>(to, from, block),
            2 => copy::<u16>(to, from, block),
            4 => copy::<u32>(to, from, block),
            8 => copy::<u64>(to, from, block),
            _ => copy::<[u64; 2]>(to, from, block),
        }
    }
}
