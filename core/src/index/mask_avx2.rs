//! Stream compaction and expansion with AVX2: the positions that a mask selects, the elements there, and the inverse.
//!
//! AVX2 has no compression of vectors: eight bits of a mask look up a permutation of eight lanes. Each function processes full words of
//! [`MASK_WORD_BYTES`] mask bytes, as long as a whole word fits into the output, and returns how many mask bytes it processed and how many
//! of them were true. The caller ([`crate::index::mask_loops`]) processes the rest. On other processors, and for elements of sixteen
//! bytes, that is everything. (40,000 floats under a random mask take 13 µs, one by one 28; doubles 17 and 24.)

/// Bytes of a mask that are processed together.
pub(crate) const MASK_WORD_BYTES: usize = 8;

/// Writes the positions of bytes that are not zero, as long as a full word fits into `out`.
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
pub(crate) unsafe fn expand<T: Copy>(values: *const T, mask: &[u8], target: *mut T, count: usize) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_supported::<T>() {
        // SAFETY: the processor has the instructions; the caller's contract.
        return unsafe { x86::expand(values, mask, target, count) };
    }
    let _ = (values, mask, target, count);
    (0, 0)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::MASK_WORD_BYTES;
    use std::arch::x86_64::*;

    /// By eight bits: a byte for each lane of the output, the lane of the input that compaction moves there.
    static COMPACTED: [u64; 256] = lane_table(true);
    /// By eight bits: a byte for each lane of the output, the lane of the input that expansion moves there.
    static EXPANDED: [u64; 256] = lane_table(false);

    const fn lane_table(compacts: bool) -> [u64; 256] {
        let mut table = [0; 256];
        let mut bits = 0;
        while bits < 256 {
            let (mut lane, mut rank) = (0, 0);
            while lane < 8 {
                table[bits] |= if !compacts {
                    rank << (8 * lane)
                } else if bits >> lane & 1 == 1 {
                    lane << (8 * rank)
                } else {
                    0
                };
                rank += (bits >> lane & 1) as u64;
                lane += 1;
            }
            bits += 1;
        }
        table
    }

    /// As the tables of bytes, by four bits: the doublewords of four quadwords.
    static COMPACTED_QUADWORDS: [[u32; 8]; 16] = quadword_table(&COMPACTED);
    static EXPANDED_QUADWORDS: [[u32; 8]; 16] = quadword_table(&EXPANDED);

    const fn quadword_table(lanes: &[u64; 256]) -> [[u32; 8]; 16] {
        let mut table = [[0; 8]; 16];
        let mut at = 0;
        while at < 16 * 8 {
            let (bits, doubleword) = (at / 8, at % 8);
            let lane = lanes[bits] >> (8 * (doubleword / 2)) & 0xFF;
            table[bits][doubleword] = lane as u32 * 2 + doubleword as u32 % 2;
            at += 1;
        }
        table
    }

    /// Whether the processor has the instructions, and there is a loop for elements of this size.
    pub(crate) fn is_supported<T>() -> bool {
        !cfg!(miri) && size_of::<T>() <= 8 && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt")
    }

    /// One bit for each byte of a word, set if it is not zero.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn bits(word: &[u8; MASK_WORD_BYTES]) -> usize {
        let bytes = _mm_cvtsi64_si128(i64::from_ne_bytes(*word));
        !_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128())) as usize & 0xFF
    }

    /// The bits of the two halves of a word, with the first lane of each.
    #[inline(always)]
    fn halves(bits: usize) -> [(usize, usize); 2] {
        [(0, bits & 0xF), (4, bits >> 4)]
    }

    /// Moves lanes of doublewords: those that bytes of a table name.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn moved_doublewords(from: __m256i, lanes: u64) -> __m256i {
        _mm256_permutevar8x32_epi32(from, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(lanes.cast_signed())))
    }

    /// Moves doublewords: those that a row of a table names.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn moved_quadwords(from: __m256i, doublewords: &[u32; 8]) -> __m256i {
        // SAFETY: the row is a vector.
        _mm256_permutevar8x32_epi32(from, unsafe { _mm256_loadu_si256(doublewords.as_ptr().cast()) })
    }

    /// Moves lanes of words or bytes: those that bytes of a table name.
    #[inline]
    #[target_feature(enable = "avx2,popcnt")]
    fn moved_small<T>(from: __m128i, lanes: u64) -> __m128i {
        let lanes = _mm_cvtsi64_si128(lanes.cast_signed());
        if size_of::<T>() == 1 {
            return _mm_shuffle_epi8(from, lanes);
        }
        let low = _mm_add_epi8(lanes, lanes);
        _mm_shuffle_epi8(from, _mm_unpacklo_epi8(low, _mm_add_epi8(low, _mm_set1_epi8(1))))
    }

    #[target_feature(enable = "avx2,popcnt")]
    pub(crate) fn positions(mask: &[u8], out: &mut [i64]) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        for word in mask.as_chunks::<MASK_WORD_BYTES>().0 {
            if selected + MASK_WORD_BYTES > out.len() {
                break;
            }
            let bits = bits(word);
            if bits == 0 {
                first += MASK_WORD_BYTES;
                continue;
            }
            for (lane, bits) in halves(bits) {
                let lanes = _mm256_cvtepu8_epi64(_mm_cvtsi64_si128(COMPACTED[bits].cast_signed()));
                let positions = _mm256_add_epi64(lanes, _mm256_set1_epi64x((first + lane) as i64));
                // SAFETY: a whole word fits from the position on where it began, and no half is stored further on than after the other.
                unsafe { _mm256_storeu_si256(out.as_mut_ptr().add(selected).cast(), positions) };
                selected += bits.count_ones() as usize;
            }
            first += MASK_WORD_BYTES;
        }
        (first, selected)
    }

    /// As [`super::compact`].
    ///
    /// # Safety
    /// As there, for elements of at most eight bytes.
    #[target_feature(enable = "avx2,popcnt")]
    pub(crate) unsafe fn compact<T: Copy>(
        values: *const T,
        mask: &[u8],
        target: *mut T,
        count: usize,
    ) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        for word in mask.as_chunks::<MASK_WORD_BYTES>().0 {
            if selected + MASK_WORD_BYTES > count {
                break;
            }
            let bits = bits(word);
            if bits == 0 {
                first += MASK_WORD_BYTES;
                continue;
            }
            // SAFETY: the vectors' elements are among the values, and the target has room for a whole word from this position on.
            unsafe {
                let (from, to) = (values.add(first), target.add(selected));
                match size_of::<T>() {
                    1 => _mm_storel_epi64(to.cast(), moved_small::<T>(_mm_loadl_epi64(from.cast()), COMPACTED[bits])),
                    2 => _mm_storeu_si128(to.cast(), moved_small::<T>(_mm_loadu_si128(from.cast()), COMPACTED[bits])),
                    4 => _mm256_storeu_si256(
                        to.cast(),
                        moved_doublewords(_mm256_loadu_si256(from.cast()), COMPACTED[bits]),
                    ),
                    _ => {
                        let [(_, low), (lane, high)] = halves(bits);
                        let part = moved_quadwords(_mm256_loadu_si256(from.cast()), &COMPACTED_QUADWORDS[low]);
                        _mm256_storeu_si256(to.cast(), part);
                        let part =
                            moved_quadwords(_mm256_loadu_si256(from.add(lane).cast()), &COMPACTED_QUADWORDS[high]);
                        _mm256_storeu_si256(to.add(low.count_ones() as usize).cast(), part);
                    }
                }
            }
            selected += bits.count_ones() as usize;
            first += MASK_WORD_BYTES;
        }
        (first, selected)
    }

    /// As [`super::expand`].
    ///
    /// # Safety
    /// As there, for elements of at most eight bytes.
    #[target_feature(enable = "avx2,popcnt")]
    pub(crate) unsafe fn expand<T: Copy>(
        values: *const T,
        mask: &[u8],
        target: *mut T,
        count: usize,
    ) -> (usize, usize) {
        let (mut first, mut selected) = (0, 0);
        for word in mask.as_chunks::<MASK_WORD_BYTES>().0 {
            if selected + MASK_WORD_BYTES > count {
                break;
            }
            let bits = bits(word);
            if bits == 0 {
                first += MASK_WORD_BYTES;
                continue;
            }
            let is_selected = _mm_cmpeq_epi8(_mm_cvtsi64_si128(i64::from_ne_bytes(*word)), _mm_setzero_si128());
            // SAFETY: a whole word of values is left, and the target has an element for each byte of the mask. Lanes that are not selected
            // are stored as they were.
            unsafe {
                let (from, to) = (values.add(selected), target.add(first));
                match size_of::<T>() {
                    1 => {
                        let part = moved_small::<T>(_mm_loadl_epi64(from.cast()), EXPANDED[bits]);
                        _mm_storel_epi64(to.cast(), _mm_blendv_epi8(part, _mm_loadl_epi64(to.cast()), is_selected));
                    }
                    2 => {
                        let part = moved_small::<T>(_mm_loadu_si128(from.cast()), EXPANDED[bits]);
                        let own = _mm_cvtepi8_epi16(is_selected);
                        _mm_storeu_si128(to.cast(), _mm_blendv_epi8(part, _mm_loadu_si128(to.cast()), own));
                    }
                    4 => {
                        let part = moved_doublewords(_mm256_loadu_si256(from.cast()), EXPANDED[bits]);
                        let own = _mm256_cvtepi8_epi32(is_selected);
                        _mm256_storeu_si256(to.cast(), _mm256_blendv_epi8(part, _mm256_loadu_si256(to.cast()), own));
                    }
                    _ => {
                        let mut from = from;
                        for (lane, bits) in halves(bits) {
                            let part = moved_quadwords(_mm256_loadu_si256(from.cast()), &EXPANDED_QUADWORDS[bits]);
                            let own = if lane == 0 { is_selected } else { _mm_srli_si128::<4>(is_selected) };
                            let (own, to) = (_mm256_cvtepi8_epi64(own), to.add(lane));
                            _mm256_storeu_si256(
                                to.cast(),
                                _mm256_blendv_epi8(part, _mm256_loadu_si256(to.cast()), own),
                            );
                            from = from.add(bits.count_ones() as usize);
                        }
                    }
                }
            }
            selected += bits.count_ones() as usize;
            first += MASK_WORD_BYTES;
        }
        (first, selected)
    }
}
