//! Vectors of numbers of several transforms, a lane for each, and complex numbers of them.

use std::ops::{Add, Mul, Sub};

/// Numbers of [`Lanes::COUNT`] transforms that are computed together.
pub(crate) trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
    /// How many.
    const COUNT: usize;

    /// The same number in all lanes.
    fn splat(x: f64) -> Self;

    /// `self * b + c`.
    fn mul_add(self, b: Self, c: Self) -> Self;

    /// `self * b - c`.
    fn mul_sub(self, b: Self, c: Self) -> Self;

    /// Reads adjacent numbers.
    ///
    /// # Safety
    /// So many of them can be read.
    unsafe fn read(from: *const f64) -> Self;

    /// Reads adjacent numbers of single precision.
    ///
    /// # Safety
    /// As [`Lanes::read`].
    unsafe fn read_single(from: *const f32) -> Self;

    /// Writes adjacent numbers.
    ///
    /// # Safety
    /// There is room for so many.
    unsafe fn write(self, to: *mut f64);

    /// Writes adjacent numbers in single precision.
    ///
    /// # Safety
    /// As [`Lanes::write`].
    unsafe fn write_single(self, to: *mut f32);

    /// Transposes [`Lanes::COUNT`] vectors.
    ///
    /// # Safety
    /// There are so many.
    unsafe fn transpose(rows: *mut Self);

    /// The real and the imaginary parts of complex numbers that two vectors have in order.
    fn deinterleave(a: Self, b: Self) -> (Self, Self);

    /// The inverse of [`Lanes::deinterleave`].
    fn interleave(re: Self, im: Self) -> (Self, Self);

    /// Runs work that is compiled for the instructions of these vectors.
    ///
    /// # Safety
    /// The processor has them.
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R;
}

impl Lanes for f64 {
    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn mul_add(self, b: f64, c: f64) -> f64 {
        self * b + c
    }

    #[inline(always)]
    fn mul_sub(self, b: f64, c: f64) -> f64 {
        self * b - c
    }

    #[inline(always)]
    unsafe fn read(from: *const f64) -> f64 {
        // SAFETY: the caller's contract.
        unsafe { from.read_unaligned() }
    }

    #[inline(always)]
    unsafe fn read_single(from: *const f32) -> f64 {
        // SAFETY: the caller's contract.
        f64::from(unsafe { from.read_unaligned() })
    }

    #[inline(always)]
    unsafe fn write(self, to: *mut f64) {
        // SAFETY: the caller's contract.
        unsafe { to.write_unaligned(self) }
    }

    #[inline(always)]
    unsafe fn write_single(self, to: *mut f32) {
        // SAFETY: the caller's contract.
        unsafe { to.write_unaligned(self as f32) }
    }

    #[inline(always)]
    unsafe fn transpose(_: *mut f64) {}

    #[inline(always)]
    fn deinterleave(a: f64, b: f64) -> (f64, f64) {
        (a, b)
    }

    #[inline(always)]
    fn interleave(re: f64, im: f64) -> (f64, f64) {
        (re, im)
    }

    #[inline(always)]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) use x86::Wide;

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Lanes;
    use std::arch::x86_64::*;
    use std::ops::{Add, Mul, Sub};

    /// Four lanes, in a register of AVX2.
    #[derive(Clone, Copy)]
    #[repr(transparent)]
    pub(crate) struct Wide(__m256d);

    impl Add for Wide {
        type Output = Wide;
        #[inline(always)]
        fn add(self, other: Wide) -> Wide {
            // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
            Wide(unsafe { _mm256_add_pd(self.0, other.0) })
        }
    }

    impl Sub for Wide {
        type Output = Wide;
        #[inline(always)]
        fn sub(self, other: Wide) -> Wide {
            // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
            Wide(unsafe { _mm256_sub_pd(self.0, other.0) })
        }
    }

    impl Mul for Wide {
        type Output = Wide;
        #[inline(always)]
        fn mul(self, other: Wide) -> Wide {
            // SAFETY: `Lanes::run` promises the instructions, and all work with vectors runs in it.
            Wide(unsafe { _mm256_mul_pd(self.0, other.0) })
        }
    }

    // SAFETY of all blocks: `Lanes::run` promises the instructions; addresses are the caller's contract.
    impl Lanes for Wide {
        const COUNT: usize = 4;

        #[inline(always)]
        fn splat(x: f64) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm256_set1_pd(x) })
        }

        #[inline(always)]
        fn mul_add(self, b: Wide, c: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm256_fmadd_pd(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn mul_sub(self, b: Wide, c: Wide) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm256_fmsub_pd(self.0, b.0, c.0) })
        }

        #[inline(always)]
        unsafe fn read(from: *const f64) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm256_loadu_pd(from) })
        }

        #[inline(always)]
        unsafe fn read_single(from: *const f32) -> Wide {
            // SAFETY: see above.
            Wide(unsafe { _mm256_cvtps_pd(_mm_loadu_ps(from)) })
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
        unsafe fn transpose(rows: *mut Wide) {
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
        fn deinterleave(a: Wide, b: Wide) -> (Wide, Wide) {
            // SAFETY: see above.
            unsafe {
                let low = _mm256_permute2f128_pd::<0x20>(a.0, b.0);
                let high = _mm256_permute2f128_pd::<0x31>(a.0, b.0);
                (Wide(_mm256_unpacklo_pd(low, high)), Wide(_mm256_unpackhi_pd(low, high)))
            }
        }

        #[inline(always)]
        fn interleave(re: Wide, im: Wide) -> (Wide, Wide) {
            // SAFETY: see above.
            unsafe {
                let (low, high) = (_mm256_unpacklo_pd(re.0, im.0), _mm256_unpackhi_pd(re.0, im.0));
                let first = _mm256_permute2f128_pd::<0x20>(low, high);
                (Wide(first), Wide(_mm256_permute2f128_pd::<0x31>(low, high)))
            }
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
}

/// Lanes of the widest vectors of the processor.
pub(crate) fn width() -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        return Wide::COUNT;
    }
    1
}

/// A complex number in memory.
pub(crate) type ComplexNumber = ComplexLanes<f64>;

/// Complex numbers, a lane for each transform.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ComplexLanes<V> {
    pub(crate) re: V,
    pub(crate) im: V,
}

impl<V: Lanes> ComplexLanes<V> {
    /// The same number in all lanes.
    #[inline(always)]
    pub(crate) fn splat(x: ComplexLanes<f64>) -> Self {
        ComplexLanes { re: V::splat(x.re), im: V::splat(x.im) }
    }

    /// `-i * (self - b)`.
    #[inline(always)]
    pub(crate) fn minus_i_times_difference(self, b: Self) -> Self {
        ComplexLanes { re: self.im - b.im, im: b.re - self.re }
    }

    /// With the real and the imaginary parts exchanged: before and after a forward transform, that makes it the inverse one.
    #[inline(always)]
    pub(crate) fn swapped(self) -> Self {
        ComplexLanes { re: self.im, im: self.re }
    }

    /// The complex conjugate.
    #[inline(always)]
    pub(crate) fn conj(self) -> Self {
        ComplexLanes { re: self.re, im: V::splat(0.0) - self.im }
    }

    /// The product with a real number.
    #[inline(always)]
    pub(crate) fn scaled(self, factor: V) -> Self {
        ComplexLanes { re: self.re * factor, im: self.im * factor }
    }
}

impl<V: Lanes> Add for ComplexLanes<V> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        ComplexLanes { re: self.re + b.re, im: self.im + b.im }
    }
}

impl<V: Lanes> Sub for ComplexLanes<V> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        ComplexLanes { re: self.re - b.re, im: self.im - b.im }
    }
}

impl<V: Lanes> Mul for ComplexLanes<V> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        ComplexLanes { re: self.re.mul_sub(b.re, self.im * b.im), im: self.re.mul_add(b.im, self.im * b.re) }
    }
}
