//! Correlations of two vectors: sums of products at every shift.
//!
//! Neighbouring sums are accumulated together, so an element of the longer vector is loaded once for each term and one of the shorter one
//! for all of them. A sum adds its terms in order, 64 at a time, so that its error stays below that of one long chain. The blocks do
//! not depend on the number of threads.

#![allow(clippy::needless_range_loop)] // lanes and memory are indexed together

use crate::DType;
use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::inhibit_vectorization;
use num_complex::Complex;
use std::marker::PhantomData;

/// Sums that are accumulated together: eight AVX2 registers of doubles, as a multiply-add takes four cycles and two begin in each.
pub const SUMS: usize = 32;
/// Terms of a partial sum.
const CHUNK: usize = 64;
/// Up to so many terms are multiplied and added with two roundings, as NumPy computes short kernels.
const MAX_UNFUSED: usize = 11;

/// `out[i]` = sum over `j` of `a[i - left + j] * v[j]`, for every `j` with such an element.
#[derive(Clone, Copy, Debug)]
pub struct Correlation {
    /// The longer vector, dense, and its length.
    pub a: (*const u8, usize),
    /// The shorter vector, dense, and its length.
    pub v: (*const u8, usize),
    /// How far the first sum begins before the longer vector; less than the length of the shorter one.
    pub left: usize,
    /// Where sums go.
    pub out: *mut u8,
}

impl Correlation {
    /// Whether there is a loop for elements of a type.
    pub fn supports(dtype: DType) -> bool {
        lookup(dtype, Isa::detect()).is_some()
    }

    /// Computes the sums from `first` to before `end`; `first` is a multiple of [`SUMS`].
    ///
    /// # Safety
    /// All elements are valid and aligned for the type, which has a loop; there is room for the sums, which overlap no element.
    pub unsafe fn run(&self, dtype: DType, first: usize, end: usize) {
        debug_assert!(first.is_multiple_of(SUMS), "blocks begin at multiples of their length");
        if let Some(run) = lookup(dtype, Isa::detect()) {
            // SAFETY: the caller's contract; the fourth argument lives.
            unsafe { run(self.out, self.a.0, self.v.0, (&raw const *self).cast(), first, end) };
        }
    }
}

/// The loop for elements of a type at a level. Signs make no difference to integers.
fn lookup(dtype: DType, isa: Isa) -> Option<LoopFn> {
    Some(match dtype {
        DType::I32 | DType::U32 => loop_for::<CorrelationLoop<i32, SUMS>>(isa),
        DType::I64 | DType::U64 => loop_for::<CorrelationLoop<i64, SUMS>>(isa),
        DType::F32 => loop_for::<CorrelationLoop<f32, SUMS>>(isa),
        DType::F64 => loop_for::<CorrelationLoop<f64, SUMS>>(isa),
        DType::C64 => loop_for::<CorrelationLoop<Complex<f32>, 8>>(isa),
        DType::C128 => loop_for::<CorrelationLoop<Complex<f64>, 8>>(isa),
        _ => return None,
    })
}

/// A number with products that are added up.
trait Term: Copy + Default {
    /// `self * b + c`, rounded once if `FMA`.
    fn term<const FMA: bool>(self, b: Self, c: Self) -> Self;
    /// The sum.
    fn plus(self, c: Self) -> Self;
}

macro_rules! float_terms {
    ($($T:ty)*) => {$(
        impl Term for $T {
            #[inline(always)]
            fn term<const FMA: bool>(self, b: $T, c: $T) -> $T {
                if FMA { self.mul_add(b, c) } else { self * b + c }
            }
            #[inline(always)]
            fn plus(self, c: $T) -> $T {
                self + c
            }
        }
        impl Term for Complex<$T> {
            #[inline(always)]
            fn term<const FMA: bool>(self, b: Self, c: Self) -> Self {
                Complex::new(c.re + (self.re * b.re - self.im * b.im), c.im + (self.re * b.im + self.im * b.re))
            }
            #[inline(always)]
            fn plus(self, c: Self) -> Self {
                Complex::new(self.re + c.re, self.im + c.im)
            }
        }
    )*};
}

macro_rules! integer_terms {
    ($($T:ty)*) => {$(
        impl Term for $T {
            #[inline(always)]
            fn term<const FMA: bool>(self, b: $T, c: $T) -> $T {
                self.wrapping_mul(b).wrapping_add(c)
            }
            #[inline(always)]
            fn plus(self, c: $T) -> $T {
                self.wrapping_add(c)
            }
        }
    )*};
}

float_terms! { f32 f64 }
integer_terms! { i32 i64 }

/// The sums from the `n`-th to before the `m`-th, `N` at a time, then four, then one by one.
struct CorrelationLoop<T, const N: usize>(PhantomData<T>);

impl<T: Term, const N: usize> InnerLoop for CorrelationLoop<T, N> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, _a: *const u8, _b: *const u8, c: *const u8, n: usize, m: usize) {
        // SAFETY: the caller passes a [`Correlation`], whose contract holds.
        unsafe {
            let correlation = &*c.cast::<Correlation>();
            let out = out.cast::<T>();
            if correlation.v.1 <= MAX_UNFUSED {
                all::<T, N, false>(correlation, out, n, m);
            } else {
                all::<T, N, FMA>(correlation, out, n, m);
            }
        }
    }
}

/// The sums from `i` to before `end`.
///
/// # Safety
/// As for the [`Correlation`].
#[inline(always)]
unsafe fn all<T: Term, const N: usize, const FMA: bool>(c: &Correlation, out: *mut T, mut i: usize, end: usize) {
    // SAFETY: the caller's contract.
    unsafe {
        while end - i >= N {
            out.add(i).cast::<[T; N]>().write(sums::<T, N, FMA>(c, i));
            i += N;
        }
        while end - i >= 4 {
            out.add(i).cast::<[T; 4]>().write(sums::<T, 4, FMA>(c, i));
            i += 4;
        }
        while i < end {
            out.add(i).write(sums::<T, 1, FMA>(c, i)[0]);
            i += 1;
        }
    }
}

/// `N` sums from the `i`-th on.
///
/// # Safety
/// As for the [`Correlation`]; the last one is among the sums.
#[inline(always)]
unsafe fn sums<T: Term, const N: usize, const FMA: bool>(c: &Correlation, i: usize) -> [T; N] {
    let (a, v) = (c.a.0.cast::<T>(), c.v.0.cast::<T>());
    let (length, terms) = (c.a.1 as isize, c.v.1 as isize);
    let shift = i as isize - c.left as isize;
    // The terms that each sum has: those of its shift, and those that all of them have.
    let of = |shift: isize| ((-shift).max(0), terms.min(length - shift));
    let first = of(shift).0;
    let end = of(shift + N as isize - 1).1.max(first);
    let mut total = [T::default(); N];
    // SAFETY: terms from `first` to `end` have an element for each of the sums; the others are those of their sum.
    unsafe {
        let mut j = first;
        while j < end {
            let mut part = [T::default(); N];
            for j in j..end.min(j + CHUNK as isize) {
                inhibit_vectorization();
                let (factor, row) = (v.offset(j).read(), a.wrapping_offset(shift + j));
                for k in 0..N {
                    part[k] = row.add(k).read().term::<FMA>(factor, part[k]);
                }
            }
            for k in 0..N {
                total[k] = total[k].plus(part[k]);
            }
            j += CHUNK as isize;
        }
        if first > 0 || end < terms {
            for (k, total) in total.iter_mut().enumerate() {
                let own = of(shift + k as isize);
                for j in (own.0..first.min(own.1)).chain(end..own.1) {
                    *total = a.offset(shift + k as isize + j).read().term::<FMA>(v.offset(j).read(), *total);
                }
            }
        }
    }
    total
}
