//! Four lanes: a vector register of AVX2.

use crate::fourier::lanes::Lanes;
use std::arch::x86_64::*;
use std::ops::{Add, Mul, Sub};

/// Four lanes, in a register of AVX2.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Lanes4(__m256d);

impl Add for Lanes4 {
    type Output = Lanes4;
    #[inline(always)]
    fn add(self, other: Lanes4) -> Lanes4 {
        // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
        Lanes4(unsafe { _mm256_add_pd(self.0, other.0) })
    }
}

impl Sub for Lanes4 {
    type Output = Lanes4;
    #[inline(always)]
    fn sub(self, other: Lanes4) -> Lanes4 {
        // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
        Lanes4(unsafe { _mm256_sub_pd(self.0, other.0) })
    }
}

impl Mul for Lanes4 {
    type Output = Lanes4;
    #[inline(always)]
    fn mul(self, other: Lanes4) -> Lanes4 {
        // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
        Lanes4(unsafe { _mm256_mul_pd(self.0, other.0) })
    }
}

// SAFETY of all blocks: `Lanes::run` promises the instructions; addresses are the caller's contract.
impl Lanes for Lanes4 {
    const COUNT: usize = 4;

    #[inline(always)]
    fn splat(x: f64) -> Lanes4 {
        // SAFETY: see above.
        Lanes4(unsafe { _mm256_set1_pd(x) })
    }

    #[inline(always)]
    fn mul_add(self, b: Lanes4, c: Lanes4) -> Lanes4 {
        // SAFETY: see above.
        Lanes4(unsafe { _mm256_fmadd_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    fn mul_sub(self, b: Lanes4, c: Lanes4) -> Lanes4 {
        // SAFETY: see above.
        Lanes4(unsafe { _mm256_fmsub_pd(self.0, b.0, c.0) })
    }

    #[inline(always)]
    unsafe fn read(from: *const f64) -> Lanes4 {
        // SAFETY: see above.
        Lanes4(unsafe { _mm256_loadu_pd(from) })
    }

    #[inline(always)]
    unsafe fn read_single(from: *const f32) -> Lanes4 {
        // SAFETY: see above.
        Lanes4(unsafe { _mm256_cvtps_pd(_mm_loadu_ps(from)) })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut f64) {
        // SAFETY: see above.
        unsafe { _mm256_storeu_pd(to, self.0) }
    }

    #[inline(always)]
    unsafe fn write_single(self, to: *mut f32) {
        // SAFETY: see above.
        unsafe { _mm_storeu_ps(to, _mm256_cvtpd_ps(self.0)) }
    }

    #[inline(always)]
    unsafe fn transpose(rows: *mut Lanes4) {
        // SAFETY: see above.
        unsafe {
            let [a, b, c, d] = rows.cast::<[__m256d; 4]>().read();
            let (ab0, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
            let (cd0, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
            rows.cast::<[__m256d; 4]>().write([
                _mm256_permute2f128_pd::<0x20>(ab0, cd0),
                _mm256_permute2f128_pd::<0x20>(ab1, cd1),
                _mm256_permute2f128_pd::<0x31>(ab0, cd0),
                _mm256_permute2f128_pd::<0x31>(ab1, cd1),
            ]);
        }
    }

    #[inline(always)]
    fn deinterleave(a: Lanes4, b: Lanes4) -> (Lanes4, Lanes4) {
        // SAFETY: see above.
        unsafe {
            let low = _mm256_permute2f128_pd::<0x20>(a.0, b.0);
            let high = _mm256_permute2f128_pd::<0x31>(a.0, b.0);
            (Lanes4(_mm256_unpacklo_pd(low, high)), Lanes4(_mm256_unpackhi_pd(low, high)))
        }
    }

    #[inline(always)]
    fn interleave(re: Lanes4, im: Lanes4) -> (Lanes4, Lanes4) {
        // SAFETY: see above.
        unsafe {
            let (low, high) = (_mm256_unpacklo_pd(re.0, im.0), _mm256_unpackhi_pd(re.0, im.0));
            let first = _mm256_permute2f128_pd::<0x20>(low, high);
            (Lanes4(first), Lanes4(_mm256_permute2f128_pd::<0x31>(low, high)))
        }
    }

    #[inline(always)]
    fn reversed(self) -> Lanes4 {
        // SAFETY: see above.
        Lanes4(unsafe { _mm256_permute4x64_pd::<0b00_01_10_11>(self.0) })
    }

    #[inline(always)]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        #[target_feature(enable = "avx2,fma")]
        fn enabled<R>(work: impl FnOnce() -> R) -> R {
            work()
        }
        // SAFETY: the caller's contract.
        unsafe { enabled(work) }
    }
}
