//! What a mask's bytes choose: how selected, at which positions, the elements there.
//!
//! A mask is looked at eight bytes at a time, as a word. Words of zeros are skipped; of any other, something is written for each
//! byte where the next selected_bits one goes, and most of it written over: no branch that depends on single bytes, which a processor
//! would guess wrong half of the time. Only the last few places, behind which nothing may be written, are filled one by one.
//!
//! Processors that compress vectors come first (see [`crate::index::mask_avx512`]), and leave the end to this.

use crate::index::mask_avx512;

/// Bytes of a mask looked at together.
const MASK_WORD_BYTES: usize = 8;

/// Puts what a mask chooses, from a byte of the mask and from a number on, as long as there is room; how selected there are then.
///
/// `put` gets a place, the number of the next selected_bits one, and whether it is this: of a word with room for all of its bytes it gets
/// every place, so that what it puts for others has to be put over, or be what was there.
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

/// Writes the positions of bytes that are not zero, as selected as there is room for; how selected there are.
///
/// Of a random mask it takes 0.44 ns an element, 0.63 where every place is checked, and with a branch for each byte 5.2.
pub(crate) fn write_positions(mask: &[u8], out: &mut [i64]) -> usize {
    for_each_selected(mask, mask_avx512::positions(mask, out), out.len(), |place, at, _| {
        // SAFETY: there is room for the position of every number that is asked for.
        unsafe { *out.get_unchecked_mut(at) = place as i64 };
    })
}

/// Copies consecutive elements to the places whose mask byte is not zero. Others are written as they are.
///
/// # Safety
/// There are `count` values, as selected as the mask selects, and the target has as selected as the mask; they do not overlap.
pub(crate) unsafe fn expand(values: *const u8, mask: &[u8], target: *mut u8, count: usize, itemsize: usize) {
    /// As [`expand`], for elements of a size the compiler knows.
    unsafe fn typed<T: Copy>(values: *const u8, mask: &[u8], target: *mut u8, count: usize) {
        let (values, target) = (values.cast::<T>(), target.cast::<T>());
        // SAFETY: the caller's contract.
        let start = unsafe { mask_avx512::expand(values, mask, target) };
        // SAFETY: numbers are below `count`, and places are the mask's.
        for_each_selected(mask, start, count, |place, at, is_selected| unsafe {
            let (own, next) = (target.add(place).read_unaligned(), values.add(at).read_unaligned());
            target.add(place).write_unaligned(if is_selected { next } else { own });
        });
    }
    // SAFETY: as the caller promises.
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

/// Copies the elements whose mask byte is not zero to consecutive places.
///
/// # Safety
/// `values` has as selected elements as the mask, of which `count` are selected, and `target` room for those; they do not overlap.
pub(crate) unsafe fn compact(values: *const u8, mask: &[u8], target: *mut u8, count: usize, itemsize: usize) {
    /// As [`compact`], for elements of a size the compiler knows.
    unsafe fn typed<T: Copy>(values: *const u8, mask: &[u8], target: *mut u8, count: usize) {
        let (values, target) = (values.cast::<T>(), target.cast::<T>());
        // SAFETY: the caller's contract.
        let start = unsafe { mask_avx512::compact(values, mask, target, count) };
        // SAFETY: numbers are below `count`, and places are the mask's.
        for_each_selected(mask, start, count, |place, at, _| unsafe {
            target.add(at).write_unaligned(values.add(place).read_unaligned());
        });
    }
    // SAFETY: as the caller promises.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::count_true::count_true;

    /// Masks of every density and some lengths, with true bytes that are not one.
    fn masks() -> Vec<Vec<u8>> {
        let mut state = 1u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state >> 33
        };
        let lengths = [0, 1, 7, 8, 9, 63, 64, 65, 200, 1000, 20_000];
        let densities = [0, 1, 30, 500, 970, 1000];
        let pairs = lengths.into_iter().flat_map(|n| densities.map(|density| (n, density)));
        pairs
            .map(|(n, density)| (0..n).map(|_| ((random() % 1000 < density) as u8) << (random() % 8)).collect())
            .collect()
    }

    #[test]
    fn what_a_mask_chooses() {
        for mask in masks() {
            let expected: Vec<i64> = (0..mask.len()).filter(|&i| mask[i] != 0).map(|i| i as i64).collect();
            let count = count_true(&mask);
            assert_eq!(count, expected.len());
            let mut positions = vec![-1; count];
            assert_eq!(write_positions(&mask, &mut positions), count);
            assert_eq!(positions, expected);
            for size in [1, 2, 4, 8, 16] {
                // Not aligned, and with something behind that has to stay.
                let values: Vec<u8> = (0..mask.len() * size).map(|i| (i * 31 + i / 256) as u8).collect();
                let mut selected_bits = vec![0xEE; (count + 1) * size];
                let mut back = vec![0xEE; (mask.len() + 1) * size];
                // SAFETY: as selected values as the mask has bytes, and as selected selected_bits as it has true ones.
                unsafe {
                    compact(values.as_ptr(), &mask, selected_bits.as_mut_ptr(), count, size);
                    expand(selected_bits.as_ptr(), &mask, back.as_mut_ptr(), count, size);
                }
                let item = |i: usize| &values[i * size..][..size];
                let wanted: Vec<u8> = expected.iter().flat_map(|&i| item(i as usize).to_vec()).collect();
                assert_eq!(selected_bits[..count * size], wanted);
                assert!(selected_bits[count * size..].iter().all(|&byte| byte == 0xEE));
                let filled =
                    (0..mask.len()).flat_map(|i| if mask[i] != 0 { item(i).to_vec() } else { vec![0xEE; size] });
                assert_eq!(back, filled.chain(vec![0xEE; size]).collect::<Vec<u8>>());
            }
        }
    }
}
