//! Stream compaction and expansion by a mask's bytes: the positions that it selects, the elements there, and the inverse.
//!
//! The loops read eight mask bytes at a time, as a word. A word of zeros is skipped. For any other word each byte writes to the
//! output position of the next selected element, and most of these writes are overwritten: no branch depends on a single byte,
//! which a processor would mispredict half of the time. The last elements, after which the output ends, are written one by one.
//!
//! Processors with vector compression run [`crate::index::mask_avx512`] first, those with AVX2 [`crate::index::mask_avx2`], and only the
//! rest here.

use crate::index::mask_avx2::MASK_WORD_BYTES;
use crate::index::{mask_avx2, mask_avx512};

/// Calls `put` for the bytes a mask selects, from byte `start` and output position `selected` on, until `room` is reached; returns
/// the next output position.
///
/// `put` gets a mask position, the next output position, and whether this byte is selected. For a word whose bytes all fit, it is
/// called for every byte: what it writes for a byte that is not selected must be overwritten later, or restore the old value.
#[inline(always)]
fn for_each_selected(
    mask: &[u8],
    (start, mut selected): (usize, usize),
    room: usize,
    mut put: impl FnMut(usize, usize, bool),
) -> usize {
    let (words, rest) = mask[start..].as_chunks::<MASK_WORD_BYTES>();
    let words = words.iter().map(|word| &word[..]).chain(std::iter::once(rest));
    for (word, first) in words.zip((start..).step_by(MASK_WORD_BYTES)) {
        if <[u8; MASK_WORD_BYTES]>::try_from(word).is_ok_and(|word| u64::from_ne_bytes(word) == 0) {
            continue;
        }
        if word.len() == MASK_WORD_BYTES && selected + MASK_WORD_BYTES <= room {
            for (i, &flag) in word.iter().enumerate() {
                put(first + i, selected, flag != 0);
                selected += (flag != 0) as usize;
            }
        } else {
            for (i, _) in word.iter().enumerate().filter(|(_, flag)| **flag != 0) {
                if selected == room {
                    return selected;
                }
                put(first + i, selected, true);
                selected += 1;
            }
        }
    }
    selected
}

/// How far one way has come, or else another one.
fn first_of(one: (usize, usize), other: impl FnOnce() -> (usize, usize)) -> (usize, usize) {
    if one.0 > 0 { one } else { other() }
}

/// Writes the positions of bytes that are not zero, up to the length of `out`; returns their number.
///
/// A random mask takes 0.44 ns an element, 0.63 if every position is checked, and 5.2 with a branch for each byte.
pub fn write_positions(mask: &[u8], out: &mut [i64]) -> usize {
    let start = first_of(mask_avx512::positions(mask, out), || mask_avx2::positions(mask, out));
    for_each_selected(mask, start, out.len(), |position, rank, _| {
        // SAFETY: output positions are below `out.len()`.
        unsafe { *out.get_unchecked_mut(rank) = position as i64 };
    })
}

/// Expansion: copies consecutive elements to the positions where the mask is true. Others keep their value.
///
/// # Safety
/// There are `count` values, as many as the mask selects; the target has an element for each mask byte; they do not overlap.
pub unsafe fn expand(values: *const u8, mask: &[u8], target: *mut u8, count: usize, itemsize: usize) {
    /// As [`expand`], for elements of a size known to the compiler.
    unsafe fn typed<T: Copy>(values: *const u8, mask: &[u8], target: *mut u8, count: usize) {
        let (values, target) = (values.cast::<T>(), target.cast::<T>());
        // SAFETY: the caller's contract.
        let start = unsafe {
            first_of(mask_avx512::expand(values, mask, target), || mask_avx2::expand(values, mask, target, count))
        };
        // SAFETY: input positions are below `count`, and target positions are the mask's.
        for_each_selected(mask, start, count, |position, rank, is_selected| unsafe {
            let (own, next) = (target.add(position).read_unaligned(), values.add(rank).read_unaligned());
            target.add(position).write_unaligned(if is_selected { next } else { own });
        });
    }
    // SAFETY: the caller's contract.
    unsafe {
        match itemsize {
            1 => typed::<u8>(values, mask, target, count),
            2 => typed::<u16>(values, mask, target, count),
            4 => typed::<u32>(values, mask, target, count),
            8 => typed::<u64>(values, mask, target, count),
            _ => typed::<u128>(values, mask, target, count),
        }
    }
}

/// Compaction: copies the elements where the mask is true to consecutive positions.
///
/// # Safety
/// `values` has an element for each mask byte, `count` of which are true; `target` has room for `count`; they do not overlap.
pub unsafe fn compact(values: *const u8, mask: &[u8], target: *mut u8, count: usize, itemsize: usize) {
    /// As [`compact`], for elements of a size known to the compiler.
    unsafe fn typed<T: Copy>(values: *const u8, mask: &[u8], target: *mut u8, count: usize) {
        let (values, target) = (values.cast::<T>(), target.cast::<T>());
        // SAFETY: the caller's contract.
        let start = unsafe {
            first_of(mask_avx512::compact(values, mask, target, count), || {
                mask_avx2::compact(values, mask, target, count)
            })
        };
        // SAFETY: output positions are below `count`, and input positions are the mask's.
        for_each_selected(mask, start, count, |position, rank, _| unsafe {
            target.add(rank).write_unaligned(values.add(position).read_unaligned());
        });
    }
    // SAFETY: the caller's contract.
    unsafe {
        match itemsize {
            1 => typed::<u8>(values, mask, target, count),
            2 => typed::<u16>(values, mask, target, count),
            4 => typed::<u32>(values, mask, target, count),
            8 => typed::<u64>(values, mask, target, count),
            _ => typed::<u128>(values, mask, target, count),
        }
    }
}
