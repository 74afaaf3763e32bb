//! Vectors of numbers of several transforms, a lane for each, and complex numbers of them.

use std::ops::{Add, Mul, Sub};

/// Numbers of [`Lanes::COUNT`] transforms that are computed together.
pub trait Lanes: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> {
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

    /// With the lanes in the opposite order.
    fn reversed(self) -> Self;

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
    fn reversed(self) -> f64 {
        self
    }

    #[inline(always)]
    unsafe fn run<R>(work: impl FnOnce() -> R) -> R {
        work()
    }
}

/// The most lanes that a vector has.
pub(crate) const MAX_LANES: usize = 8;

/// Lanes of the vectors that the processor has, the widest first; one if it has none.
pub fn widths() -> &'static [usize] {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return &[8, 4];
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return &[4];
        }
    }
    &[1]
}

/// A complex number in memory.
pub type ComplexNumber = ComplexLanes<f64>;

/// Complex numbers, a lane for each transform.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ComplexLanes<V> {
    /// The real parts.
    pub re: V,
    /// The imaginary parts.
    pub im: V,
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

    /// With the lanes in the opposite order.
    #[inline(always)]
    pub(crate) fn reversed(self) -> Self {
        ComplexLanes { re: self.re.reversed(), im: self.im.reversed() }
    }

    /// The complex conjugate.
    #[inline(always)]
    pub(crate) fn conj(self) -> Self {
        ComplexLanes { re: self.re, im: V::splat(0.0) - self.im }
    }

    /// The product with a real number.
    #[inline(always)]
    pub fn scaled(self, factor: V) -> Self {
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
