//! Gemv: a vector times a row-major matrix, as a sum of scaled rows (axpy).
//!
//! Several rows are unrolled, so that a sum is loaded and stored once for all of them: from the second-level cache that takes half the
//! time of one row at a time. Each sum adds its terms in the order of the rows, rounded once a term if the processor has FMA, so its
//! bits do not depend on the unrolling.

use crate::DType;
use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::{inhibit_vectorization, store_chunk};
use std::marker::PhantomData;

/// A matrix of dense rows and a vector of factors, each with any stride.
#[derive(Clone, Copy, Debug)]
pub struct Gemv {
    /// The first row, and the bytes from one to the next.
    pub rows: (*const u8, isize),
    /// The first factor, and the bytes from one to the next.
    pub factors: (*const u8, isize),
    /// How many rows.
    pub count: usize,
    /// Elements of a row.
    pub columns: usize,
}

impl Gemv {
    /// Rows unrolled: with four, sums are loaded and stored twice as often; with sixteen, the factors do not fit into registers.
    pub const UNROLL: usize = 8;

    /// Whether there is a loop for elements of a type.
    pub fn supports(dtype: DType) -> bool {
        lookup(dtype, Isa::Baseline).is_some()
    }

    /// Adds the rows, times their factors, to the elements at `out`. Returns whether there is a loop for the type.
    ///
    /// # Safety
    /// Rows, factors and `columns` elements at `out` are valid and aligned for the type, and `out` overlaps none of the others.
    pub unsafe fn add(&self, dtype: DType, out: *mut u8) -> bool {
        let Some(run) = lookup(dtype, Isa::detect()) else { return false };
        // SAFETY: the caller's contract; the fourth argument lives.
        unsafe { run(out, self.rows.0, self.factors.0, (&raw const *self).cast(), self.columns, self.count) };
        true
    }
}

/// The loop for elements of a type at a level.
pub fn lookup(dtype: DType, isa: Isa) -> Option<LoopFn> {
    match dtype {
        DType::F32 => Some(loop_for::<GemvLoop<f32, 32, 8>>(isa)),
        DType::F64 => Some(loop_for::<GemvLoop<f64, 16, 4>>(isa)),
        _ => None,
    }
}

/// A float with multiply-add.
pub(crate) trait MulAdd: Copy {
    /// `self * b + c`, rounded once if `FMA`.
    fn term<const FMA: bool>(self, b: Self, c: Self) -> Self;
}

macro_rules! terms {
    ($($T:ty)*) => {
        $(impl MulAdd for $T {
            #[inline(always)]
            fn term<const FMA: bool>(self, b: $T, c: $T) -> $T {
                if FMA { self.mul_add(b, c) } else { self * b + c }
            }
        })*
    };
}
terms! { f32 f64 }

/// Sums `N` columns at a time, then `Q`, then one by one.
struct GemvLoop<T, const N: usize, const Q: usize>(PhantomData<T>);

impl<T: MulAdd, const N: usize, const Q: usize> InnerLoop for GemvLoop<T, N, Q> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
        // SAFETY: the caller passes a [`Gemv`] of `m` rows of `n` elements; `out` overlaps neither them nor the factors.
        unsafe {
            let (pitch, step) = ((*c.cast::<Gemv>()).rows.1, (*c.cast::<Gemv>()).factors.1);
            let factor = |i: usize| b.wrapping_offset(i as isize * step).cast::<T>().read();
            let whole = m - m % Gemv::UNROLL;
            for i in (0..whole).step_by(Gemv::UNROLL) {
                let factors: [T; Gemv::UNROLL] = std::array::from_fn(|r| factor(i + r));
                add::<T, N, Q, { Gemv::UNROLL }, FMA>(
                    out.cast(),
                    (a.wrapping_offset(i as isize * pitch), pitch),
                    &factors,
                    n,
                );
            }
            for i in whole..m {
                add::<T, N, Q, 1, FMA>(out.cast(), (a.wrapping_offset(i as isize * pitch), pitch), &[factor(i)], n);
            }
        }
    }
}

/// Adds `R` rows of `n` elements.
///
/// # Safety
/// As for the [`Gemv`] they are part of.
#[inline(always)]
unsafe fn add<T: MulAdd, const N: usize, const Q: usize, const R: usize, const FMA: bool>(
    out: *mut T,
    rows: (*const u8, isize),
    factors: &[T; R],
    n: usize,
) {
    let mut j = 0;
    // SAFETY: the caller's contract.
    unsafe {
        while j + N <= n {
            add_chunk::<T, N, R, FMA>(out.add(j), rows, factors, j);
            j += N;
        }
        while j + Q <= n {
            add_chunk::<T, Q, R, FMA>(out.add(j), rows, factors, j);
            j += Q;
        }
        while j < n {
            add_chunk::<T, 1, R, FMA>(out.add(j), rows, factors, j);
            j += 1;
        }
    }
}

/// Adds the `N` elements of `R` rows that begin with element `j`.
///
/// # Safety
/// As for the [`Gemv`] they are part of.
#[inline(always)]
unsafe fn add_chunk<T: MulAdd, const N: usize, const R: usize, const FMA: bool>(
    out: *mut T,
    (rows, pitch): (*const u8, isize),
    factors: &[T; R],
    j: usize,
) {
    inhibit_vectorization();
    // SAFETY: the caller's contract.
    unsafe {
        let mut sums: [T; N] = std::array::from_fn(|l| out.add(l).read());
        for (r, &factor) in factors.iter().enumerate() {
            let row = rows.wrapping_offset(r as isize * pitch).cast::<T>().add(j);
            sums = std::array::from_fn(|l| factor.term::<FMA>(row.add(l).read(), sums[l]));
        }
        store_chunk(out, sums);
    }
}
