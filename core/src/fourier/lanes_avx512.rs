//! Eight lanes: a vector register of AVX-512.

use crate::fourier::lanes::Lanes;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

/// Eight lanes, in a register of AVX-512.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Lanes8(__m512d);

impl Add for Lanes8 {
    type Output = Lanes8;
    #[inline(always)]
    fn add(self, other: Lanes8) -> Lanes8 {
        // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
        Lanes8(unsafe { _mm512_add_pd(self.0, other.0) })
    }
}

impl Sub for Lanes8 {
    type Output = Lanes8;
    #[inline(always)]
    fn sub(self, other: Lanes8) -> Lanes8 {
        // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
        Lanes8(unsafe { _mm512_sub_pd(self.0, other.0) })
    }
}

impl Mul for Lanes8 {
    type Output = Lanes8;
    #[inline(always)]
    fn mul(self, other: Lanes8) -> Lanes8 {
        // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
        Lanes8(unsafe { _mm512_mul_pd(self.0, other.0) })
    }
}

// SAFETY of all blocks: `Lanes::run` promises the instructions; addresses are the caller's contract.
impl Lanes for Lanes8 {
    const COUNT: usize = 8;

    #[inline(always)]
    fn splat(x: f64) -> Lanes8 {
        // SAFETY: see above.
        Lanes8(unsafe { _mm512_set1_pd(x) })
    }

    #[inline(always)]
    fn mul_add(self, b: Lanes8, c: Lanes8) -> Lanes8 {
        // SAFETY: see above.
        Lanes8(unsafe { _mm512_fmadd_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn mul_sub(self, b: Lanes8, c: Lanes8) -> Lanes8 {
        // SAFETY: see above.
        Lanes8(unsafe { _mm512_fmsub_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    unsafe fn read(from: *const f64) -> Lanes8 {
        // SAFETY: see above.
        Lanes8(unsafe { _mm512_loadu_pd(from) })
    }

    #[inline(always)]
    unsafe fn read_single(from: *const f32) -> Lanes8 {
        // SAFETY: see above.
        Lanes8(unsafe { _mm512_cvtps_pd(_mm256_loadu_ps(from)) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut f64) {
        // SAFETY: see above.
        unsafe { _mm512_storeu_pd(to, self.0) }
    }

    #[inline(always)]
    unsafe fn write_single(self, to: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_ps(to, _mm512_cvtpd_ps(self.0)) }
    }

    #[inline(always)]
    unsafe fn transpose(rows: *mut Lanes8) {
        // SAFETY: see above.
        unsafe {
            let rows = rows.cast::<[__m512d; 8]>();
            let [a, b, c, d, e, f, g, h] = rows.read();
            // Pairs of numbers of even positions, and of odd ones, are transposed as elements of four by four.
            let even = [
                _mm512_unpacklo_pd(a, b),
                _mm512_unpacklo_pd(c, d),
                _mm512_unpacklo_pd(e, f),
                _mm512_unpacklo_pd(g, h),
            ];
            let odd = [
                _mm512_unpackhi_pd(a, b),
                _mm512_unpackhi_pd(c, d),
                _mm512_unpackhi_pd(e, f),
                _mm512_unpackhi_pd(g, h),
            ];
            let ([r0, r2, r4, r6], [r1, r3, r5, r7]) = (transpose_pairs(even), transpose_pairs(odd));
            rows.write([r0, r1, r2, r3, r4, r5, r6, r7]);
        }
    }

    #[inline(always)]
    fn deinterleave(a: Lanes8, b: Lanes8) -> (Lanes8, Lanes8) {
        // SAFETY: see above.
        unsafe {
            let re = _mm512_permutex2var_pd(a.0, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b.0);
            let im = _mm512_permutex2var_pd(a.0, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b.0);
            (Lanes8(re), Lanes8(im))
        }
    }

    #[inline(always)]
    fn interleave(re: Lanes8, im: Lanes8) -> (Lanes8, Lanes8) {
        // SAFETY: see above.
        unsafe {
            let first = _mm512_permutex2var_pd(re.0, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), im.0);
            let second = _mm512_permutex2var_pd(re.0, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), im.0);
            (Lanes8(first), Lanes8(second))
        }
    }

    #[inline(always)]
    fn reversed(self) -> Lanes8 {
        // SAFETY: see above.
        Lanes8(unsafe { _mm512_permutexvar_pd(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), self.0) })
    }

    #[inline(always)]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx512f")]
        fn enabled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: the caller's contract.
        unsafe { enabled(work) }
    }
}

/// Transposes four rows of four pairs of numbers.
///
/// # Safety
/// The processor has AVX-512.
#[inline(always)]
unsafe fn transpose_pairs([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
    // SAFETY: the caller's contract.
    unsafe {
        let (ab_even, ab_odd) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0xdd>(a, b));
        let (cd_even, cd_odd) = (_mm512_shuffle_f64x2::<0x88>(c, d), _mm512_shuffle_f64x2::<0xdd>(c, d));
        [
            _mm512_shuffle_f64x2::<0x88>(ab_even, cd_even),
            _mm512_shuffle_f64x2::<0x88>(ab_odd, cd_odd),
            _mm512_shuffle_f64x2::<0xdd>(ab_even, cd_even),
            _mm512_shuffle_f64x2::<0xdd>(ab_odd, cd_odd),
        ]
    }
}
