//! Inner products of a few long rows with a few long columns, all of them dense along their terms: a product with a small result.
//!
//! Two rows and two columns are read together, so each of their elements is loaded once for two products. A sum has several lanes, and is
//! added up in blocks of `PRODUCT_BLOCK` vectors, so that its error stays below that of one long chain. The blocks do not depend on the number of
//! threads.

#![allow(clippy::needless_range_loop)] // lanes and memory are indexed together

use crate::DType;
use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::inhibit_vectorization;
use crate::host::gemv::MulAdd;
use std::marker::PhantomData;
use std::ops::AddAssign;

/// Vectors of terms that are added up before they are added to the total.
const PRODUCT_BLOCK: usize = 64;

/// Rows of one factor and columns of the other one, with the bytes from one to the next, and where their products go.
#[derive(Clone, Copy, Debug)]
pub struct InnerProducts {
    /// The first row, and the bytes to the next one.
    pub rows: (*const u8, isize),
    /// The first column, and the bytes to the next one.
    pub columns: (*const u8, isize),
    /// The first product, and the bytes to that of the next row and of the next column.
    pub out: (*mut u8, [isize; 2]),
    /// How many rows and columns.
    pub count: (usize, usize),
    /// Terms of a product.
    pub terms: usize,
}

impl InnerProducts {
    /// Whether there is a loop for elements of a type.
    pub fn supports(dtype: DType) -> bool {
        lookup(dtype, Isa::Baseline).is_some()
    }

    /// Computes the products. Returns whether there is a loop for the type.
    ///
    /// # Safety
    /// All elements are valid and aligned for the type, and the products overlap none of the others.
    pub unsafe fn run(&self, dtype: DType) -> bool {
        let Some(run) = lookup(dtype, Isa::detect()) else { return false };
        // SAFETY: the caller's contract; the fourth argument lives.
        unsafe { run(self.out.0, self.rows.0, self.columns.0, (&raw const *self).cast(), self.terms, self.count.0) };
        true
    }
}

/// The loop for elements of a type at a level: two AVX2 registers of lanes for each of four sums.
pub fn lookup(dtype: DType, isa: Isa) -> Option<LoopFn> {
    match dtype {
        DType::F32 => Some(loop_for::<ProductLoop<f32, 16>>(isa)),
        DType::F64 => Some(loop_for::<ProductLoop<f64, 8>>(isa)),
        _ => None,
    }
}

/// Sums of `N` lanes.
struct ProductLoop<T, const N: usize>(PhantomData<T>);

impl<T: MulAdd + Default + AddAssign, const N: usize> InnerLoop for ProductLoop<T, N> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, m: usize) {
        // SAFETY: the caller passes an [`InnerProducts`] of `m` rows and `n` terms.
        unsafe {
            let of = &*c.cast::<InnerProducts>();
            let mut i = 0;
            while i < m {
                let mut j = 0;
                let a = (a.wrapping_offset(i as isize * of.rows.1).cast::<T>(), of.rows.1);
                while j < of.count.1 {
                    let b = (b.wrapping_offset(j as isize * of.columns.1).cast::<T>(), of.columns.1);
                    let to = out.wrapping_offset(i as isize * of.out.1[0] + j as isize * of.out.1[1]);
                    let to = (to.cast::<T>(), of.out.1);
                    match (m - i, of.count.1 - j) {
                        (1, 1) => products::<T, N, 1, 1, FMA>(to, a, b, n),
                        (1, _) => products::<T, N, 1, 2, FMA>(to, a, b, n),
                        (_, 1) => products::<T, N, 2, 1, FMA>(to, a, b, n),
                        _ => products::<T, N, 2, 2, FMA>(to, a, b, n),
                    }
                    j += 2;
                }
                i += 2;
            }
        }
    }
}

/// The products of `R` rows and `C` columns.
///
/// # Safety
/// As for the [`InnerProducts`] they are part of.
#[inline(always)]
unsafe fn products<T: MulAdd + Default + AddAssign, const N: usize, const R: usize, const C: usize, const FMA: bool>(
    (out, to): (*mut T, [isize; 2]),
    (a, row): (*const T, isize),
    (b, column): (*const T, isize),
    n: usize,
) {
    let mut totals = [[[T::default(); N]; C]; R];
    let whole = n - n % N;
    let mut start = 0;
    // SAFETY: the caller's contract.
    unsafe {
        while start < whole {
            let end = whole.min(start + PRODUCT_BLOCK * N);
            let mut sums = [[[T::default(); N]; C]; R];
            while start < end {
                inhibit_vectorization();
                // Without closures, which may become functions without the instructions of the level.
                for c in 0..C {
                    let y = b.wrapping_byte_offset(c as isize * column).add(start).cast::<[T; N]>().read();
                    for r in 0..R {
                        let x = a.wrapping_byte_offset(r as isize * row).add(start).cast::<[T; N]>().read();
                        for l in 0..N {
                            sums[r][c][l] = x[l].term::<FMA>(y[l], sums[r][c][l]);
                        }
                    }
                }
                start += N;
            }
            for r in 0..R {
                for c in 0..C {
                    for l in 0..N {
                        totals[r][c][l] += sums[r][c][l];
                    }
                }
            }
        }
        for r in 0..R {
            for c in 0..C {
                let (a, b) = (a.wrapping_byte_offset(r as isize * row), b.wrapping_byte_offset(c as isize * column));
                let total = &mut totals[r][c];
                for i in whole..n {
                    let sum = &mut total[i - whole];
                    *sum = a.add(i).read().term::<FMA>(b.add(i).read(), *sum);
                }
                let mut lanes = N / 2;
                while lanes > 0 {
                    for l in 0..lanes {
                        let other = total[lanes + l];
                        total[l] += other;
                    }
                    lanes /= 2;
                }
                out.wrapping_byte_offset(r as isize * to[0] + c as isize * to[1]).write(total[0]);
            }
        }
    }
}
