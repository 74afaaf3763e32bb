//! Stream compaction and expansion with AVX-512: the positions that a mask selects, the elements there, and the inverse.
//!
//! Each function processes full groups of [`MASK_GROUP_BYTES`] mask bytes and returns how many mask bytes it processed and how many
//! of them were true. The caller ([`crate::index::mask_loops`]) processes the rest. On other processors, and for elements of
//! sixteen bytes, that is everything.

/// Bytes of a mask that are processed together.
#[cfg(target_arch = "x86_64")]
const MASK_GROUP_BYTES: usize = 64;

/// Writes the positions of bytes that are not zero, as long as a full group fits into `out`.
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

    /// Whether the processor has the instructions, and they have a form for elements of this size.
    pub(crate) fn is_supported<T>() -> bool {
        !cfg!(miri)
            && size_of::<T>() <= 8
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
    }

    /// One bit for each byte of a group, set if it is not zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn bits(group: &[u8; MASK_GROUP_BYTES]) -> u64 {
        // SAFETY: the group has as many bytes as a vector.
        let bytes = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
        _mm512_test_epi8_mask(bytes, bytes)
    }

    /// The first lane of each vector of a group, with the bits of its lanes.
    #[inline(always)]
    fn lanes<T>(bits: u64) -> impl Iterator<Item = (usize, u64)> {
        let lanes = MASK_GROUP_BYTES / size_of::<T>();
        (0..size_of::<T>()).map(move |i| (i * lanes, bits >> (i * lanes) & (u64::MAX >> (MASK_GROUP_BYTES - lanes))))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(crate) fn positions(mask: &[u8], out: &mut [i64]) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        let mut lane_positions = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        for group in mask.as_chunks::<MASK_GROUP_BYTES>().0 {
            if selected + MASK_GROUP_BYTES > out.len() {
                break;
            }
            for (_, selected_bits) in lanes::<i64>(bits(group)) {
                let positions = _mm512_maskz_compress_epi64(selected_bits as u8, lane_positions);
                // SAFETY: a whole group fits from this position on.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(selected).cast(), positions) };
                selected += selected_bits.count_ones() as usize;
                lane_positions = _mm512_add_epi64(lane_positions, _mm512_set1_epi64(8));
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
                // SAFETY: the vector's elements are among the values, and the target has room for a whole group from this position on.
                unsafe {
                    let all = _mm512_loadu_si512(values.add(first + lane).cast());
                    // Compress in a register and store: compressing stores are microcoded on some processors.
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
                // SAFETY: as many values are read as bits are set, and no other lane of the target is written.
                unsafe { expand_lanes(values.add(selected), selected_bits, target.add(first + lane)) };
                selected += selected_bits.count_ones() as usize;
            }
            first += MASK_GROUP_BYTES;
        }
        (first, selected)
    }

    /// Expands consecutive values into the selected lanes of a vector in memory.
    ///
    /// # Safety
    /// There is a value for each set bit, and memory for the selected lanes.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    unsafe fn expand_lanes<T>(values: *const T, selected_bits: u64, target: *mut T) {
        // SAFETY: only selected lanes are loaded and stored.
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
