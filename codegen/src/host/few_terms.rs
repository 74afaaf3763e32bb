//! A matrix of short rows that follow each other, times a vector: points times a direction.
//!
//! An element of the result is a sum of so few terms that the rows of several are read together, which LLVM makes vectors of. It adds its
//! terms in order, rounded once a term if the processor has FMA, as every BLAS does for small matrices.

use crate::DType;
use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::host::gemv::MulAdd;
use std::marker::PhantomData;

/// Most terms of a sum of doubles; singles may have one more. Of three doubles a row takes 0.3 ns, and by the `gemm` crate 1.7; of seven 0.6 and 2.4; of three singles 0.15 and 2.9.
/// Of eight doubles LLVM makes no vectors.
pub const MAX_TERMS: usize = 7;

/// `out = rows @ factors`.
#[derive(Clone, Copy, Debug)]
pub struct FewTerms {
    /// The first row; the others follow.
    pub rows: *const u8,
    /// The first factor, and the bytes from one to the next.
    pub factors: (*const u8, isize),
    /// Rows, and terms of each: two to [`MAX_TERMS`], or eight of singles.
    pub size: (usize, usize),
}

impl FewTerms {
    /// Whether there is a loop for elements of a type and so many terms.
    pub fn supports(dtype: DType, terms: usize) -> bool {
        lookup(dtype, terms, Isa::Baseline).is_some()
    }

    /// Multiplies. Returns whether there is a loop for the type and so many terms.
    ///
    /// # Safety
    /// All rows, factors and as many elements at `out` as rows are valid and aligned for the type, and `out` overlaps none of the others.
    pub unsafe fn run(&self, dtype: DType, out: *mut u8) -> bool {
        let Some(run) = lookup(dtype, self.size.1, Isa::detect()) else { return false };
        // SAFETY: the caller's contract; the fourth argument lives.
        unsafe { run(out, self.rows, self.factors.0, (&raw const *self).cast(), 0, 0) };
        true
    }
}

/// The loop for elements of a type and so many terms at a level.
pub fn lookup(dtype: DType, terms: usize, isa: Isa) -> Option<LoopFn> {
    match dtype {
        DType::F32 => of_terms::<f32>(terms, isa),
        DType::F64 if terms <= MAX_TERMS => of_terms::<f64>(terms, isa),
        _ => None,
    }
}

fn of_terms<T: MulAdd + Default>(terms: usize, isa: Isa) -> Option<LoopFn> {
    match terms {
        2 => Some(loop_for::<RowLoop<T, 2>>(isa)),
        3 => Some(loop_for::<RowLoop<T, 3>>(isa)),
        4 => Some(loop_for::<RowLoop<T, 4>>(isa)),
        5 => Some(loop_for::<RowLoop<T, 5>>(isa)),
        6 => Some(loop_for::<RowLoop<T, 6>>(isa)),
        7 => Some(loop_for::<RowLoop<T, 7>>(isa)),
        8 => Some(loop_for::<RowLoop<T, 8>>(isa)),
        _ => None,
    }
}

/// Sums of `K` terms.
struct RowLoop<T, const K: usize>(PhantomData<T>);

impl<T: MulAdd + Default, const K: usize> InnerLoop for RowLoop<T, K> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, _: usize, _: usize) {
        // SAFETY: the caller passes a [`FewTerms`] of `K` terms; `out` overlaps neither rows nor factors.
        unsafe {
            let of = &*c.cast::<FewTerms>();
            let factor = |i: usize| b.wrapping_offset(i as isize * of.factors.1).cast::<T>().read();
            let factors: [T; K] = std::array::from_fn(factor);
            let rows = std::slice::from_raw_parts(a.cast::<[T; K]>(), of.size.0);
            let sums = std::slice::from_raw_parts_mut(out.cast::<T>(), of.size.0);
            for (sum, row) in sums.iter_mut().zip(rows) {
                let mut total = T::default();
                for i in 0..K {
                    total = row[i].term::<FMA>(factors[i], total);
                }
                *sum = total;
            }
        }
    }
}
