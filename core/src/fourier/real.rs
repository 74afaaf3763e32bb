//! Transforms of real numbers, and to them, by complex ones of half the length: the even elements are real parts, the odd ones imaginary.

use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes};
use crate::fourier::roots::Roots;

/// `exp(-2πik/n)` for the `n / 4` first `k` and one more, for an even `n`.
pub(crate) fn half_twiddles(n: usize) -> Vec<ComplexNumber> {
    let roots = Roots::new(n);
    (0..=n / 4).map(|k| roots.at(k)).collect()
}

/// The first half of the spectrum of `2 * half` real numbers, from the transform of as many complex ones as `half`. It is one number longer.
///
/// # Safety
/// There are so many numbers, and room for the result; they do not overlap. The processor has the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn from_packed<V: Lanes>(
    half: usize,
    twiddles: &[ComplexNumber],
    packed: *const ComplexLanes<V>,
    spectrum: *mut ComplexLanes<V>,
) {
    let (zero, one_half) = (V::splat(0.0), V::splat(0.5));
    // SAFETY: the caller's contract.
    unsafe {
        let first = *packed;
        *spectrum = ComplexLanes { re: first.re + first.im, im: zero };
        *spectrum.add(half) = ComplexLanes { re: first.re - first.im, im: zero };
        for k in 1..=half / 2 {
            let (a, b) = (*packed.add(k), (*packed.add(half - k)).conj());
            let (even, odd) = ((a + b).scaled(one_half), a.minus_i_times_difference(b).scaled(one_half));
            let odd = odd * ComplexLanes::splat(*twiddles.get_unchecked(k));
            *spectrum.add(k) = even + odd;
            *spectrum.add(half - k) = (even - odd).conj();
        }
    }
}

/// The inverse of [`from_packed`] but for a factor of `2 * half`: what a forward transform makes packed numbers of, with real and imaginary
/// parts exchanged before and after.
///
/// # Safety
/// As [`from_packed`].
#[inline(always)]
pub(crate) unsafe fn to_packed<V: Lanes>(
    half: usize,
    twiddles: &[ComplexNumber],
    spectrum: *const ComplexLanes<V>,
    packed: *mut ComplexLanes<V>,
) {
    // SAFETY: the caller's contract.
    unsafe {
        let (first, last) = ((*spectrum).re, (*spectrum.add(half)).re);
        *packed = ComplexLanes { re: first - last, im: first + last };
        for k in 1..=half / 2 {
            let (a, b) = (*spectrum.add(k), (*spectrum.add(half - k)).conj());
            let (even, odd) = (a + b, (a - b) * ComplexLanes::splat(twiddles.get_unchecked(k).conj()));
            // `odd` times `i`.
            let odd = ComplexLanes { re: V::splat(0.0) - odd.im, im: odd.re };
            *packed.add(k) = (even + odd).swapped();
            *packed.add(half - k) = (even - odd).conj().swapped();
        }
    }
}

/// The whole spectrum of an odd number of real numbers, from its first half; both with real and imaginary parts exchanged.
///
/// # Safety
/// As [`from_packed`].
#[inline(always)]
pub(crate) unsafe fn whole_spectrum<V: Lanes>(n: usize, half: *const ComplexLanes<V>, whole: *mut ComplexLanes<V>) {
    // SAFETY: the caller's contract.
    unsafe {
        *whole = ComplexLanes { re: V::splat(0.0), im: (*half).im };
        for k in 1..=n / 2 {
            let x = *half.add(k);
            *whole.add(k) = x;
            *whole.add(n - k) = ComplexLanes { re: V::splat(0.0) - x.re, im: x.im };
        }
    }
}

/// Completes the first half of the spectrum of real numbers; all of it conjugate for the inverse transform.
///
/// # Safety
/// There is room for `n` numbers. The processor has the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn mirror<V: Lanes>(n: usize, is_inverse: bool, spectrum: *mut ComplexLanes<V>) {
    // SAFETY: the caller's contract.
    unsafe {
        for k in 1..n.div_ceil(2) {
            let x = *spectrum.add(k);
            *spectrum.add(n - k) = x.conj();
            if is_inverse {
                (*spectrum.add(k), *spectrum.add(n - k)) = (x.conj(), x);
            }
        }
    }
}

/// Complex numbers with these real parts.
///
/// # Safety
/// As [`from_packed`].
#[inline(always)]
pub(crate) unsafe fn with_zeros<V: Lanes>(n: usize, parts: *const V, numbers: *mut ComplexLanes<V>) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { *numbers.add(i) = ComplexLanes { re: *parts.add(i), im: V::splat(0.0) } };
    }
}

/// The imaginary parts of complex numbers.
///
/// # Safety
/// As [`from_packed`].
#[inline(always)]
pub(crate) unsafe fn imaginary_parts<V: Lanes>(n: usize, numbers: *const ComplexLanes<V>, parts: *mut V) {
    for i in 0..n {
        // SAFETY: the caller's contract.
        unsafe { *parts.add(i) = (*numbers.add(i)).im };
    }
}
