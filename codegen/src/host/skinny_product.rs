//! Products of few rows with a matrix of long dense rows, which is read once.
//!
//! Rows of the matrix are taken a few at a time. A chunk of them stays in registers while every row of the result adds its terms to it, so
//! the matrix streams through while the result stays in the first-level cache. Each element of the result adds its terms in order, rounded
//! once a term if the processor has FMA.

use crate::DType;
use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::{inhibit_vectorization, prefetch, store_chunk};
use crate::host::gemv::MulAdd;
use std::marker::PhantomData;

/// `out += a @ b`.
#[derive(Clone, Copy, Debug)]
pub struct SkinnyProduct {
    /// The left factor, with any strides: its first element, the bytes to the next row and to the next column.
    pub a: (*const u8, [isize; 2]),
    /// The matrix: the first of its dense rows, and the bytes from one to the next.
    pub b: (*const u8, isize),
    /// The result: the first of its dense rows, and the bytes from one to the next.
    pub out: (*mut u8, isize),
    /// Rows of the result, terms of a sum, columns of the result.
    pub size: (usize, usize, usize),
}

impl SkinnyProduct {
    /// Whether there is a loop for elements of a type.
    pub fn supports(dtype: DType) -> bool {
        lookup(dtype, Isa::Baseline).is_some()
    }

    /// Adds the product to the result. Returns whether there is a loop for the type.
    ///
    /// # Safety
    /// All elements are valid and aligned for the type, and the result overlaps no factor.
    pub unsafe fn add(&self, dtype: DType) -> bool {
        let Some(run) = lookup(dtype, Isa::detect()) else { return false };
        // SAFETY: the caller's contract; the fourth argument lives.
        unsafe { run(self.out.0, self.a.0, self.b.0, (&raw const *self).cast(), 0, 0) };
        true
    }
}

/// The loop for elements of a type at a level.
pub fn lookup(dtype: DType, isa: Isa) -> Option<LoopFn> {
    match dtype {
        DType::F32 => Some(loop_for::<SkinnyLoop<f32, 16, 4>>(isa)),
        DType::F64 => Some(loop_for::<SkinnyLoop<f64, 8, 2>>(isa)),
        _ => None,
    }
}

/// Rows of the matrix that are taken at once: eight vectors of 256 bits with a chunk of 64 bytes. With two rows the result is loaded and stored
/// too often, with eight the chunks do not fit into the registers of AVX2. (Eight rows by 30,000 × 2,000 floats on one core of a Zen 3: 30 ms,
/// with two rows 110. Summing the matrix takes 26.)
const SKINNY_DEPTH: usize = 4;

/// Chunks of `N` columns, then of `Q`, then of one.
struct SkinnyLoop<T, const N: usize, const Q: usize>(PhantomData<T>);

impl<T: MulAdd, const N: usize, const Q: usize> InnerLoop for SkinnyLoop<T, N, Q> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(_: *mut u8, _: *const u8, _: *const u8, c: *const u8, _: usize, _: usize) {
        // SAFETY: the caller passes a [`SkinnyProduct`], whose contract holds.
        unsafe {
            let product = &*c.cast::<SkinnyProduct>();
            let terms = product.size.1;
            let whole = terms - terms % SKINNY_DEPTH;
            for first in (0..whole).step_by(SKINNY_DEPTH) {
                columns::<T, N, Q, SKINNY_DEPTH, FMA>(product, first);
            }
            for first in whole..terms {
                columns::<T, N, Q, 1, FMA>(product, first);
            }
        }
    }
}

/// Adds `D` terms, from one on, to all columns.
///
/// # Safety
/// As for the [`SkinnyProduct`].
#[inline(always)]
unsafe fn columns<T: MulAdd, const N: usize, const Q: usize, const D: usize, const FMA: bool>(
    product: &SkinnyProduct,
    first: usize,
) {
    let n = product.size.2;
    let mut j = 0;
    // SAFETY: the caller's contract.
    unsafe {
        while j + N <= n {
            chunk::<T, N, D, FMA>(product, first, j);
            j += N;
        }
        while j + Q <= n {
            chunk::<T, Q, D, FMA>(product, first, j);
            j += Q;
        }
        while j < n {
            chunk::<T, 1, D, FMA>(product, first, j);
            j += 1;
        }
    }
}

/// Adds `D` terms, from one on, to the `N` columns from column `j` on, of every row of the result.
///
/// # Safety
/// As for the [`SkinnyProduct`].
#[inline(always)]
unsafe fn chunk<T: MulAdd, const N: usize, const D: usize, const FMA: bool>(
    product: &SkinnyProduct,
    first: usize,
    j: usize,
) {
    inhibit_vectorization();
    let (_, [row, column]) = product.a;
    let of_row = |d: usize| product.b.0.wrapping_offset((first + d) as isize * product.b.1).cast::<T>().wrapping_add(j);
    // The rows after these: the hardware follows a row, but begins anew at each. It halves the time where a row has 2 KB.
    (D..2 * D).for_each(|d| prefetch(of_row(d).cast()));
    // SAFETY: the caller's contract.
    unsafe {
        let rows: [[T; N]; D] = std::array::from_fn(|d| std::array::from_fn(|l| of_row(d).add(l).read()));
        for i in 0..product.size.0 as isize {
            inhibit_vectorization();
            let factors = product.a.0.wrapping_offset(i * row + first as isize * column);
            let out = product.out.0.wrapping_offset(i * product.out.1).cast::<T>().add(j);
            let mut sums: [T; N] = std::array::from_fn(|l| out.add(l).read());
            for (d, row) in rows.iter().enumerate() {
                let factor = factors.wrapping_offset(d as isize * column).cast::<T>().read();
                sums = std::array::from_fn(|l| factor.term::<FMA>(row[l], sums[l]));
            }
            store_chunk(out, sums);
        }
    }
}
