//! Products of matrices whose result has few columns, and stacks of such.
//!
//! A general product copies its factors into panels first, which pays only where each element is used many times. Here the narrow factor
//! alone is copied, and the other one is read once, in place. Each element of the result adds its terms in order, rounded once a term if the
//! processor has FMA, as every BLAS does for small matrices.

use crate::DType;
use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::inhibit_vectorization;
use crate::host::gemv::MulAdd;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Most columns of the result.
pub const MAX_COLUMNS: usize = 16;

/// Rows of the narrow factor that are copied at once: with 16 columns of doubles as large as a first-level cache.
const DEPTH: usize = 256;

/// `c = a @ b` for a stack of matrices. A matrix is the address of its first element, and bytes to the next row, to the next column, and to
/// the next matrix of the stack.
#[derive(Clone, Copy, Debug)]
pub struct NarrowProduct {
    /// The left factor: `m` rows of `k` elements.
    pub a: (*const u8, [isize; 3]),
    /// The right factor: `k` rows of `n` elements.
    pub b: (*const u8, [isize; 3]),
    /// The result: `m` rows of `n` elements.
    pub c: (*mut u8, [isize; 3]),
    /// `m`, `k` and `n`, which is at most [`MAX_COLUMNS`].
    pub size: (usize, usize, usize),
    /// Matrices of the stack.
    pub count: usize,
}

impl NarrowProduct {
    /// Whether there is a loop for elements of a type.
    pub fn supports(dtype: DType) -> bool {
        matches!(dtype, DType::F32 | DType::F64)
    }

    /// Multiplies. Returns whether there is a loop for the type.
    ///
    /// # Safety
    /// All elements are valid and aligned for the type, and the result overlaps no factor.
    pub unsafe fn run(&self, dtype: DType) -> bool {
        debug_assert!(self.size.2 <= MAX_COLUMNS, "the result is narrow");
        let Some(run) = lookup(dtype, self.size.2, Isa::detect()) else { return false };
        // SAFETY: the caller's contract; the fourth argument lives.
        unsafe { run(self.c.0, self.a.0, self.b.0, (&raw const *self).cast(), 0, 0) };
        true
    }
}

/// The loop for elements of a type and so many columns at a level: that of the next power of two.
fn lookup(dtype: DType, n: usize, isa: Isa) -> Option<LoopFn> {
    match (dtype, n.next_power_of_two().max(2)) {
        (DType::F32, 2) => Some(loop_for::<NarrowLoop<f32, 2, 8>>(isa)),
        (DType::F32, 4) => Some(loop_for::<NarrowLoop<f32, 4, 8>>(isa)),
        (DType::F32, 8) => Some(loop_for::<NarrowLoop<f32, 8, 8>>(isa)),
        (DType::F32, 16) => Some(loop_for::<NarrowLoop<f32, 16, 4>>(isa)),
        (DType::F64, 2) => Some(loop_for::<NarrowLoop<f64, 2, 8>>(isa)),
        (DType::F64, 4) => Some(loop_for::<NarrowLoop<f64, 4, 8>>(isa)),
        (DType::F64, 8) => Some(loop_for::<NarrowLoop<f64, 8, 4>>(isa)),
        (DType::F64, 16) => Some(loop_for::<NarrowLoop<f64, 16, 2>>(isa)),
        _ => None,
    }
}

/// Results of `N` columns, `R` rows at a time: eight sums in vector registers, as a multiply-add takes four cycles and two begin in each.
struct NarrowLoop<T, const N: usize, const R: usize>(PhantomData<T>);

impl<T: MulAdd + Default, const N: usize, const R: usize> InnerLoop for NarrowLoop<T, N, R> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, _: usize, _: usize) {
        // SAFETY: the caller passes a [`NarrowProduct`], whose contract holds; the first `depth` rows of the panel are filled.
        unsafe {
            let product = &*c.cast::<NarrowProduct>();
            let (k, n) = (product.size.1, product.size.2);
            // Filled as far as it is used: for small products zeroing all of it would take longer than they do.
            let mut panel = [const { MaybeUninit::<[T; N]>::uninit() }; DEPTH];
            for matrix in 0..product.count as isize {
                let at = |start: *const u8, steps: &[isize; 3]| start.wrapping_offset(matrix * steps[2]);
                let (a, b) = (at(a, &product.a.1), at(b, &product.b.1));
                let out = out.wrapping_offset(matrix * product.c.1[2]);
                let mut first = 0;
                loop {
                    let depth = DEPTH.min(k - first);
                    for (i, row) in panel[..depth].iter_mut().enumerate() {
                        let source = b.wrapping_offset((first + i) as isize * product.b.1[0]);
                        let row = row.write([T::default(); N]);
                        for (j, element) in row[..n].iter_mut().enumerate() {
                            *element = source.wrapping_offset(j as isize * product.b.1[1]).cast::<T>().read();
                        }
                    }
                    let a = a.wrapping_offset(first as isize * product.a.1[1]);
                    let filled = std::slice::from_raw_parts(panel.as_ptr().cast::<[T; N]>(), depth);
                    rows::<T, N, R, FMA>(product, a, filled, out, first > 0);
                    first += depth;
                    if first >= k {
                        break;
                    }
                }
            }
        }
    }
}

/// All rows of a result, or what a part of the terms adds to them.
///
/// # Safety
/// As for the [`NarrowProduct`].
#[inline(always)]
unsafe fn rows<T: MulAdd + Default, const N: usize, const R: usize, const FMA: bool>(
    product: &NarrowProduct,
    a: *const u8,
    panel: &[[T; N]],
    out: *mut u8,
    adds: bool,
) {
    let m = product.size.0;
    let mut i = 0;
    // SAFETY: the caller's contract.
    unsafe {
        while i + R <= m {
            block::<T, N, R, FMA>(product, (a, i), panel, out, adds);
            i += R;
        }
        while i < m {
            block::<T, N, 1, FMA>(product, (a, i), panel, out, adds);
            i += 1;
        }
    }
}

/// `R` rows of a result, from row `i` on.
///
/// # Safety
/// As for the [`NarrowProduct`].
#[inline(always)]
unsafe fn block<T: MulAdd + Default, const N: usize, const R: usize, const FMA: bool>(
    product: &NarrowProduct,
    (a, i): (*const u8, usize),
    panel: &[[T; N]],
    out: *mut u8,
    adds: bool,
) {
    inhibit_vectorization();
    let (n, [row, column, _], to) = (product.size.2, product.a.1, product.c.1);
    let a = a.wrapping_offset(i as isize * row);
    let element = |r: usize, j: usize| out.wrapping_offset((i + r) as isize * to[0] + j as isize * to[1]).cast::<T>();
    let mut sums = [[T::default(); N]; R];
    // SAFETY: the caller's contract.
    unsafe {
        if adds {
            for (r, sums) in sums.iter_mut().enumerate() {
                sums[..n].iter_mut().enumerate().for_each(|(j, sum)| *sum = element(r, j).read());
            }
        }
        for (at, terms) in panel.iter().enumerate() {
            let a = a.wrapping_offset(at as isize * column);
            for (r, sums) in sums.iter_mut().enumerate() {
                let factor = a.wrapping_offset(r as isize * row).cast::<T>().read();
                *sums = std::array::from_fn(|j| factor.term::<FMA>(terms[j], sums[j]));
            }
        }
        for (r, sums) in sums.iter().enumerate() {
            sums[..n].iter().enumerate().for_each(|(j, sum)| element(r, j).write(*sum));
        }
    }
}
