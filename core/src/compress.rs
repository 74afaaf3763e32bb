//! What a mask's bytes choose, a vector at a time, where the processor has the instructions of AVX-512 that compress and expand.
//!
//! Each function takes as many groups of [`TOGETHER`] elements as it can and says where it stopped: how many bytes of the mask it
//! looked at, and how many elements those chose. The rest is the caller's ([`crate::choice`]), everything on other processors.

/// Bytes of a mask looked at together.
#[cfg(target_arch = "x86_64")]
const TOGETHER: usize = 64;

/// Positions of bytes that are not zero, as many as there is room for.
pub(crate) fn positions(mask: &[u8], out: &mut [i64]) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_there() {
        // SAFETY: the processor has the instructions.
        return unsafe { x86::positions(mask, out) };
    }
    let _ = (mask, out);
    (0, 0)
}

/// As [`crate::choice::compact`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn compact(
    values: *const u8,
    mask: &[u8],
    target: *mut u8,
    count: usize,
    size: usize,
) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_there() {
        // SAFETY: the processor has the instructions; the caller's contract.
        return unsafe {
            match size {
                1 => x86::compact::<1>(values, mask, target, count),
                2 => x86::compact::<2>(values, mask, target, count),
                4 => x86::compact::<4>(values, mask, target, count),
                8 => x86::compact::<8>(values, mask, target, count),
                _ => (0, 0),
            }
        };
    }
    let _ = (values, mask, target, count, size);
    (0, 0)
}

/// As [`crate::choice::expand`].
///
/// # Safety
/// As there.
pub(crate) unsafe fn expand(values: *const u8, mask: &[u8], target: *mut u8, size: usize) -> (usize, usize) {
    #[cfg(target_arch = "x86_64")]
    if x86::is_there() {
        // SAFETY: the processor has the instructions; the caller's contract.
        return unsafe {
            match size {
                1 => x86::expand::<1>(values, mask, target),
                2 => x86::expand::<2>(values, mask, target),
                4 => x86::expand::<4>(values, mask, target),
                8 => x86::expand::<8>(values, mask, target),
                _ => (0, 0),
            }
        };
    }
    let _ = (values, mask, target, size);
    (0, 0)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::TOGETHER;
    use std::arch::x86_64::*;

    /// Whether the processor has the instructions for elements of all sizes.
    pub(super) fn is_there() -> bool {
        !cfg!(miri)
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi2")
    }

    /// A bit for each byte of a group that is not zero.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    fn bits(group: &[u8; TOGETHER]) -> u64 {
        // SAFETY: the group has as many bytes as a vector.
        let bytes = unsafe { _mm512_loadu_si512(group.as_ptr().cast()) };
        _mm512_test_epi8_mask(bytes, bytes)
    }

    /// The bits of each vector's lanes of a group, by the vector's number.
    #[inline(always)]
    fn lanes<const SIZE: usize>(bits: u64) -> impl Iterator<Item = (usize, u64)> {
        let lanes = TOGETHER / SIZE;
        (0..SIZE).map(move |i| (i * lanes, bits >> (i * lanes) & (u64::MAX >> (TOGETHER - lanes))))
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) fn positions(mask: &[u8], out: &mut [i64]) -> (usize, usize) {
        let (mut first, mut many) = (0, 0);
        let mut numbers = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        for group in mask.as_chunks::<TOGETHER>().0 {
            if many + TOGETHER > out.len() {
                break;
            }
            for (_, chosen) in lanes::<8>(bits(group)) {
                let positions = _mm512_maskz_compress_epi64(chosen as u8, numbers);
                // SAFETY: there is room for the whole group from where its first position goes.
                unsafe { _mm512_storeu_si512(out.as_mut_ptr().add(many).cast(), positions) };
                many += chosen.count_ones() as usize;
                numbers = _mm512_add_epi64(numbers, _mm512_set1_epi64(8));
            }
            first += TOGETHER;
        }
        (first, many)
    }

    /// As [`super::compact`].
    ///
    /// # Safety
    /// As there, for elements of `SIZE` bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) unsafe fn compact<const SIZE: usize>(
        values: *const u8,
        mask: &[u8],
        target: *mut u8,
        count: usize,
    ) -> (usize, usize) {
        let (mut first, mut many) = (0, 0);
        for group in mask.as_chunks::<TOGETHER>().0 {
            if many + TOGETHER > count {
                break;
            }
            for (lane, chosen) in lanes::<SIZE>(bits(group)) {
                // SAFETY: the vector's elements are among the values, and the target has room for the whole group from where its
                // first element goes.
                unsafe {
                    let all = _mm512_loadu_si512(values.add((first + lane) * SIZE).cast());
                    // Through a register: stores that compress are microcode on some processors.
                    let packed = match SIZE {
                        1 => _mm512_maskz_compress_epi8(chosen, all),
                        2 => _mm512_maskz_compress_epi16(chosen as u32, all),
                        4 => _mm512_maskz_compress_epi32(chosen as u16, all),
                        _ => _mm512_maskz_compress_epi64(chosen as u8, all),
                    };
                    _mm512_storeu_si512(target.add(many * SIZE).cast(), packed);
                }
                many += chosen.count_ones() as usize;
            }
            first += TOGETHER;
        }
        (first, many)
    }

    /// As [`super::expand`].
    ///
    /// # Safety
    /// As there, for elements of `SIZE` bytes.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
    pub(super) unsafe fn expand<const SIZE: usize>(values: *const u8, mask: &[u8], target: *mut u8) -> (usize, usize) {
        let (mut first, mut many) = (0, 0);
        for group in mask.as_chunks::<TOGETHER>().0 {
            for (lane, chosen) in lanes::<SIZE>(bits(group)) {
                // SAFETY: as many values are read as the lanes are chosen, and no other lane of the target is written.
                unsafe {
                    let (from, to) = (values.add(many * SIZE), target.add((first + lane) * SIZE));
                    match SIZE {
                        1 => _mm512_mask_storeu_epi8(
                            to.cast(),
                            chosen,
                            _mm512_maskz_expandloadu_epi8(chosen, from.cast()),
                        ),
                        2 => {
                            let lanes = chosen as u32;
                            _mm512_mask_storeu_epi16(
                                to.cast(),
                                lanes,
                                _mm512_maskz_expandloadu_epi16(lanes, from.cast()),
                            );
                        }
                        4 => {
                            let lanes = chosen as u16;
                            _mm512_mask_storeu_epi32(
                                to.cast(),
                                lanes,
                                _mm512_maskz_expandloadu_epi32(lanes, from.cast()),
                            );
                        }
                        _ => {
                            let lanes = chosen as u8;
                            _mm512_mask_storeu_epi64(
                                to.cast(),
                                lanes,
                                _mm512_maskz_expandloadu_epi64(lanes, from.cast()),
                            );
                        }
                    }
                }
                many += chosen.count_ones() as usize;
            }
            first += TOGETHER;
        }
        (first, many)
    }
}
