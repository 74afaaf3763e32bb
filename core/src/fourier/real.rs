//! Transforms of real numbers, and to them, by complex ones of half the length: the even elements are real parts, the odd ones imaginary.

use crate::fourier::dense::DenseNumbers;
use crate::fourier::lanes::{ComplexLanes, ComplexNumber, Lanes, MAX_LANES, widths};
use crate::fourier::roots::Roots;
use crate::fourier::split::tasks_of;
#[cfg(target_arch = "x86_64")]
use crate::fourier::{lanes_avx2::Lanes4, lanes_avx512::Lanes8};
use fastnp_codegen::ThreadPool;
use std::ops::Range;

/// Nanoseconds for each complex number of one transform that is made of packed ones, or packed.
const REAL_NUMBER_NS: f64 = 1.0;

/// `exp(-2πik/n)` for the `n / 4` first `k` and one more, for an even `n`.
pub fn half_twiddles(n: usize) -> Vec<ComplexNumber> {
    let roots = Roots::new(n);
    (0..=n / 4).map(|k| roots.at(k)).collect()
}

/// Numbers `k` and `half - k` of a spectrum of `2 * half` real numbers, from those of the transform of pairs of them: `a`, and the conjugate
/// `b` of the other.
#[inline(always)]
fn spectrum_pair<V: Lanes>([a, b, twiddle]: [ComplexLanes<V>; 3]) -> [ComplexLanes<V>; 2] {
    let one_half = V::splat(0.5);
    let (even, odd) = ((a + b).scaled(one_half), a.minus_i_times_difference(b).scaled(one_half));
    let odd = odd * twiddle;
    [even + odd, (even - odd).conj()]
}

/// The inverse of [`spectrum_pair`] but for a factor of `2 * half`: what a forward transform makes packed numbers of, with real and imaginary
/// parts exchanged before and after.
#[inline(always)]
fn packed_pair<V: Lanes>([a, b, twiddle]: [ComplexLanes<V>; 3]) -> [ComplexLanes<V>; 2] {
    let (even, odd) = (a + b, (a - b) * twiddle.conj());
    // `odd` times `i`.
    let odd = ComplexLanes { re: V::splat(0.0) - odd.im, im: odd.re };
    [(even + odd).swapped(), (even - odd).conj().swapped()]
}

/// The first half of the spectrum of `2 * half` real numbers, from the transform of as many complex ones as `half`. It is one number longer.
///
/// # Safety
/// There are so many numbers, and room for the result; they do not overlap. The processor has the instructions of `V`.
#[inline(always)]
pub unsafe fn from_packed<V: Lanes>(
    half: usize,
    twiddles: &[ComplexNumber],
    packed: *const ComplexLanes<V>,
    spectrum: *mut ComplexLanes<V>,
) {
    let zero = V::splat(0.0);
    // SAFETY: the caller's contract.
    unsafe {
        let first = *packed;
        *spectrum = ComplexLanes { re: first.re + first.im, im: zero };
        *spectrum.add(half) = ComplexLanes { re: first.re - first.im, im: zero };
        for k in 1..=half / 2 {
            let twiddle = ComplexLanes::splat(*twiddles.get_unchecked(k));
            let [low, high] = spectrum_pair([*packed.add(k), (*packed.add(half - k)).conj(), twiddle]);
            (*spectrum.add(k), *spectrum.add(half - k)) = (low, high);
        }
    }
}

/// The inverse of [`from_packed`], as `packed_pair` is.
///
/// # Safety
/// As [`from_packed`].
#[inline(always)]
pub unsafe fn to_packed<V: Lanes>(
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
            let twiddle = ComplexLanes::splat(*twiddles.get_unchecked(k));
            let [low, high] = packed_pair([*spectrum.add(k), (*spectrum.add(half - k)).conj(), twiddle]);
            (*packed.add(k), *packed.add(half - k)) = (low, high);
        }
    }
}

/// One transform whose numbers are adjacent: neighbours of it are a vector.
pub struct DenseReal<'a> {
    /// Half the real numbers.
    pub half: usize,
    /// Those of [`half_twiddles`].
    pub twiddles: &'a [ComplexNumber],
    /// Whether a spectrum is packed, rather than made of packed numbers.
    pub packs: bool,
    /// What it reads.
    pub from: DenseNumbers,
    /// What it writes.
    pub to: DenseNumbers,
}

impl DenseReal<'_> {
    /// Does as [`from_packed`], or as [`to_packed`], with the widest vectors of the processor.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn run(&self, threads: Option<&dyn ThreadPool>) {
        // SAFETY: the caller's contract.
        unsafe {
            let first: ComplexNumber = self.from.read(0);
            if self.packs {
                let last: ComplexNumber = self.from.read(self.half);
                self.to.write(0, ComplexLanes { re: first.re - last.re, im: first.re + last.re });
            } else {
                self.to.write(0, ComplexLanes { re: first.re + first.im, im: 0.0 });
                self.to.write(self.half, ComplexLanes { re: first.re - first.im, im: 0.0 });
            }
        }
        let tasks = tasks_of(threads, self.half as f64 * REAL_NUMBER_NS);
        let in_task = (self.half / 2).div_ceil(tasks).next_multiple_of(MAX_LANES);
        let task = |task: usize| {
            let ks = 1 + task * in_task..1 + (self.half / 2).min((task + 1) * in_task);
            // SAFETY: the caller's contract; the processor has vectors of so many lanes.
            unsafe {
                match widths()[0] {
                    #[cfg(target_arch = "x86_64")]
                    Lanes8::COUNT => self.pairs::<Lanes8>(ks),
                    #[cfg(target_arch = "x86_64")]
                    Lanes4::COUNT => self.pairs::<Lanes4>(ks),
                    _ => self.pairs::<f64>(ks),
                }
            }
        };
        match threads {
            Some(threads) if tasks > 1 => threads.run(tasks, &task),
            _ => (0..tasks).for_each(task),
        }
    }

    /// The numbers `k` and `half - k`, for each `k` of a range.
    ///
    /// # Safety
    /// As [`from_packed`].
    pub unsafe fn pairs<V: Lanes>(&self, ks: Range<usize>) {
        // SAFETY: the caller's contract; a vector from `half - last` on ends with the number `half - k`.
        unsafe {
            V::run(
                #[inline(always)]
                || {
                    let mut k = ks.start;
                    while k + V::COUNT <= ks.end {
                        self.pair::<V>(k);
                        k += V::COUNT;
                    }
                    while k < ks.end {
                        self.pair::<f64>(k);
                        k += 1;
                    }
                },
            );
        }
    }

    /// The numbers from `k` on, and as many up to `half - k`.
    ///
    /// # Safety
    /// As [`from_packed`].
    #[inline(always)]
    unsafe fn pair<V: Lanes>(&self, k: usize) {
        let other = self.half + 1 - k - V::COUNT;
        // SAFETY: the caller's contract.
        unsafe {
            let twiddles = DenseNumbers::at(self.twiddles.as_ptr().cast_mut());
            let numbers = [self.from.read(k), self.from.read(other).reversed().conj(), twiddles.read::<V>(k)];
            let [low, high] = if self.packs { packed_pair(numbers) } else { spectrum_pair(numbers) };
            self.to.write(k, low);
            self.to.write(other, high.reversed());
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

/// The conjugate of the whole spectrum of an odd number of real numbers, from its first half: the forward transform of it is the inverse one.
///
/// # Safety
/// `half` has `n / 2 + 1` numbers, `whole` has room for `n`; they do not overlap.
pub(crate) unsafe fn dense_spectrum(n: usize, half: DenseNumbers, whole: DenseNumbers) {
    // SAFETY: the caller's contract.
    unsafe {
        let first: ComplexNumber = half.read(0);
        whole.write(0, ComplexLanes { re: first.re, im: 0.0 });
        for k in 1..=n / 2 {
            let x: ComplexNumber = half.read(k);
            whole.write(k, x.conj());
            whole.write(n - k, x);
        }
    }
}

/// Does as [`mirror`], in memory.
///
/// # Safety
/// As there.
pub(crate) unsafe fn dense_mirror(n: usize, is_inverse: bool, spectrum: DenseNumbers) {
    // SAFETY: the caller's contract.
    unsafe {
        for k in 1..n.div_ceil(2) {
            let x: ComplexNumber = spectrum.read(k);
            let (low, high) = if is_inverse { (x.conj(), x) } else { (x, x.conj()) };
            spectrum.write(k, low);
            spectrum.write(n - k, high);
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
