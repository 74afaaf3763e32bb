//! What a mask's bytes choose, a vector at a time, where the processor has the instructions of AVX-512 that compress and expand.
//!
//! Each function takes as selected groups of [`MASK_GROUP_BYTES`] elements as it can and says where it stopped: how selected bytes of the mask it
//! looked at, and how selected elements those chose. The rest is the caller's ([`crate::index::mask_loops`]), everything on other processors and of
//! elements of sixteen bytes.

/// Bytes of a mask looked at together.
#[cfg(target_arch = "x86_64")]
const MASK_GROUP_BYTES: usize = 64;

/// Positions of bytes that are not zero, as selected as there is room for.
pub(crate) fn positions(mask: &[u8], out: &mut [i64]) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_supported::<i64>() {
        // SAFETY: the processor has the instructions.
        return unsafe { x86::positions(mask, out) };
    }
    let _ = (mask, out);
    (0, 0)
}

/// As [`crate::index::mask_loops::compact`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn compact<T: Copy>(values: *const T, mask: &[u8], target: *mut T, count: usize) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_supported::<T>() {
        // SAFETY: the processor has the instructions; the caller's contract.
        return unsafe { x86::compact(values, mask, target, count) };
    }
    let _ = (values, mask, target, count);
    (0, 0)
}

/// As [`crate::index::mask_loops::expand`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn expand<T: Copy>(values: *const T, mask: &[u8], target: *mut T) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_supported::<T>() {
        // SAFETY: the processor has the instructions; the caller's contract.
        return unsafe { x86::expand(values, mask, target) };
    }
    let _ = (values, mask, target);
    (0, 0)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::MASK_GROUP_BYTES;
    use std::arch::x86_64::*;

    /// Whether there are instructions for elements of this size, and the processor has those for all of them.
    pub(crate) fn is_supported<T>() -> bool {
        !cfg!(miri)
            && size_of::<T>() <= 8
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
    }

    /// A bit for each byte of a group that is not zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn bits(group: &[u8; MASK_GROUP_BYTES]) -> u64 {
        // SAFETY: the group has as selected bytes as a vector.
        let bytes = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
        _mm512_test_epi8_mask(bytes, bytes)
    }

    /// The first lane of each vector of a group, and the bits of its lanes.
    #[inline(always)]
    fn lanes<T>(bits: u64) -> impl Iterator<Item = (usize, u64)> {
        let lanes = MASK_GROUP_BYTES / size_of::<T>();
        (0..size_of::<T>()).map(move |i| (i * lanes, bits >> (i * lanes) & (u64::MAX >> (MASK_GROUP_BYTES - lanes))))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(crate) fn positions(mask: &[u8], out: &mut [i64]) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        let mut numbers = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        for group in mask.as_chunks::<MASK_GROUP_BYTES>().0 {
            if selected + MASK_GROUP_BYTES > out.len() {
                break;
            }
            for (_, selected_bits) in lanes::<i64>(bits(group)) {
                let positions = _mm512_maskz_compress_epi64(selected_bits as u8, numbers);
                // SAFETY: there is room for the whole group from where its first position goes.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(selected).cast(), positions) };
                selected += selected_bits.count_ones() as usize;
                numbers = _mm512_add_epi64(numbers, _mm512_set1_epi64(8));
            }
            first += MASK_GROUP_BYTES;
        }
        (first, selected)
    }

    /// As [`super::compact`].
    ///
    /// # Safety
    /// As there, for elements of at most eight bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(crate) unsafe fn compact<T: Copy>(
        values: *const T,
        mask: &[u8],
        target: *mut T,
        count: usize,
    ) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        for group in mask.as_chunks::<MASK_GROUP_BYTES>().0 {
            if selected + MASK_GROUP_BYTES > count {
                break;
            }
            for (lane, selected_bits) in lanes::<T>(bits(group)) {
                // SAFETY: the vector's elements are among the values, and the target has room for the whole group from where its
                // first element goes.
                unsafe {
                    let all = _mm512_loadu_si512(values.add(first + lane).cast());
                    // Through a register: stores that compress are microcode on some processors.
                    let packed = match size_of::<T>() {
                        1 => _mm512_maskz_compress_epi8(selected_bits, all),
                        2 => _mm512_maskz_compress_epi16(selected_bits as u32, all),
                        4 => _mm512_maskz_compress_epi32(selected_bits as u16, all),
                        _ => _mm512_maskz_compress_epi64(selected_bits as u8, all),
                    };
                    _mm512_storeu_si512(target.add(selected).cast(), packed);
                }
                selected += selected_bits.count_ones() as usize;
            }
            first += MASK_GROUP_BYTES;
        }
        (first, selected)
    }

    /// As [`super::expand`].
    ///
    /// # Safety
    /// As there, for elements of at most eight bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(crate) unsafe fn expand<T: Copy>(values: *const T, mask: &[u8], target: *mut T) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        for group in mask.as_chunks::<MASK_GROUP_BYTES>().0 {
            for (lane, selected_bits) in lanes::<T>(bits(group)) {
                // SAFETY: as selected values are read as the lanes are selected_bits, and no other lane of the target is written.
                unsafe { expand_lanes(values.add(selected), selected_bits, target.add(first + lane)) };
                selected += selected_bits.count_ones() as usize;
            }
            first += MASK_GROUP_BYTES;
        }
        (first, selected)
    }

    /// Puts consecutive values into the selected_bits lanes of a vector in memory.
    ///
    /// # Safety
    /// There are as selected values as lanes are selected_bits, and memory for those lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    unsafe fn expand_lanes<T>(values: *const T, selected_bits: u64, target: *mut T) {
        // SAFETY: only selected_bits lanes are read for and written.
        unsafe {
            match size_of::<T>() {
                1 => {
                    let lanes = _mm512_maskz_expandloadu_epi8(selected_bits, values.cast());
                    _mm512_mask_storeu_epi8(target.cast(), selected_bits, lanes);
                }
                2 => {
                    let lanes = _mm512_maskz_expandloadu_epi16(selected_bits as u32, values.cast());
                    _mm512_mask_storeu_epi16(target.cast(), selected_bits as u32, lanes);
                }
                4 => {
                    let lanes = _mm512_maskz_expandloadu_epi32(selected_bits as u16, values.cast());
                    _mm512_mask_storeu_epi32(target.cast(), selected_bits as u16, lanes);
                }
                _ => {
                    let lanes = _mm512_maskz_expandloadu_epi64(selected_bits as u8, values.cast());
                    _mm512_mask_storeu_epi64(target.cast(), selected_bits as u8, lanes);
                }
            }
        }
    }
}
