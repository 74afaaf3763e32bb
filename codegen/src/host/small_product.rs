//! Products of small matrices, in place: neither factor is copied.
//!
//! A block of the result, of up to eight rows and three vectors of columns, stays in registers while all terms are added to it. A general
//! product copies its factors into panels first, and computes the padding of their last vectors: of 50 × 50 doubles a fifth of its
//! time. Here the last vector of a row has a mask, and rows and vectors are divided evenly among blocks. (A last vector of 256 bits, where that
//! suffices, gains nothing on Zen 4.) Each element of the result adds its
//! terms in order, rounded once a term, as every BLAS does for small matrices. It needs AVX-512.

use crate::DType;
#[cfg(target_arch = "x86_64")]
use crate::drive::isa::Isa;

/// `out = a @ b`.
#[derive(Clone, Copy, Debug)]
pub struct SmallProduct {
    /// The left factor, with any strides: its first element, the bytes to the next row and to the next column.
    pub a: (*const u8, [isize; 2]),
    /// The right factor: the first of its dense rows, and the bytes from one to the next.
    pub b: (*const u8, isize),
    /// The result: the first of its dense rows, and the bytes from one to the next.
    pub out: (*mut u8, isize),
    /// Rows of the result, terms of a sum, columns of the result.
    pub size: (usize, usize, usize),
}

impl SmallProduct {
    /// Whether there is a loop for elements of a type on this processor.
    pub fn supports(dtype: DType) -> bool {
        #[cfg(target_arch = "x86_64")]
        return matches!(dtype, DType::F32 | DType::F64) && Isa::detect() == Isa::V4;
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = dtype;
            false
        }
    }

    /// Multiplies.
    ///
    /// # Safety
    /// [`SmallProduct::supports`] holds, all elements are valid for the type, and the result overlaps no factor.
    pub unsafe fn run(&self, dtype: DType) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the caller's contract; the processor has the instructions.
        unsafe {
            match dtype {
                DType::F32 => avx512::run::<std::arch::x86_64::__m512>(self),
                _ => avx512::run::<std::arch::x86_64::__m512d>(self),
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            let _ = dtype;
            unreachable!("there is no loop for this processor");
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::SmallProduct;
    use std::arch::x86_64::{
        __m512, __m512d, _mm512_fmadd_pd, _mm512_fmadd_ps, _mm512_mask_storeu_pd, _mm512_mask_storeu_ps,
        _mm512_maskz_loadu_pd, _mm512_maskz_loadu_ps, _mm512_set1_pd, _mm512_set1_ps, _mm512_setzero_pd,
        _mm512_setzero_ps,
    };

    /// Rows and vectors of columns of a block, at most: 24 sums, a row of the right factor and an element of the left one have registers.
    const ROWS: usize = 8;
    const VECTORS: usize = 3;
    /// Bytes of a vector.
    const VECTOR_BYTES: usize = 64;
    /// The mask of all lanes.
    const ALL: u16 = u16::MAX;

    /// A vector of elements.
    ///
    /// # Safety
    /// Every method needs AVX-512, and addresses that are valid for the lanes of the mask.
    pub(super) trait Vector: Copy {
        /// Elements of a vector.
        const LANES: usize;
        /// Zero in each lane.
        unsafe fn zero() -> Self;
        /// The elements at an address, zero in lanes that are not in the mask.
        unsafe fn load(at: *const u8, mask: u16) -> Self;
        /// One element in each lane.
        unsafe fn broadcast(at: *const u8) -> Self;
        /// `a * b + self`, rounded once.
        unsafe fn add_product(self, a: Self, b: Self) -> Self;
        /// Stores the lanes in the mask.
        unsafe fn store(self, at: *mut u8, mask: u16);
    }

    impl Vector for __m512d {
        const LANES: usize = 8;

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn zero() -> Self {
            _mm512_setzero_pd()
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn load(at: *const u8, mask: u16) -> Self {
            // SAFETY: the caller's contract.
            unsafe { _mm512_maskz_loadu_pd(mask as u8, at.cast()) }
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn broadcast(at: *const u8) -> Self {
            // SAFETY: the caller's contract.
            _mm512_set1_pd(unsafe { at.cast::<f64>().read_unaligned() })
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            _mm512_fmadd_pd(a, b, self)
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn store(self, at: *mut u8, mask: u16) {
            // SAFETY: the caller's contract.
            unsafe { _mm512_mask_storeu_pd(at.cast(), mask as u8, self) };
        }
    }

    impl Vector for __m512 {
        const LANES: usize = 16;

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn zero() -> Self {
            _mm512_setzero_ps()
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn load(at: *const u8, mask: u16) -> Self {
            // SAFETY: the caller's contract.
            unsafe { _mm512_maskz_loadu_ps(mask, at.cast()) }
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn broadcast(at: *const u8) -> Self {
            // SAFETY: the caller's contract.
            _mm512_set1_ps(unsafe { at.cast::<f32>().read_unaligned() })
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn add_product(self, a: Self, b: Self) -> Self {
            _mm512_fmadd_ps(a, b, self)
        }

        #[inline]
        #[target_feature(enable = "avx512f")]
        unsafe fn store(self, at: *mut u8, mask: u16) {
            // SAFETY: the caller's contract.
            unsafe { _mm512_mask_storeu_ps(at.cast(), mask, self) };
        }
    }

    /// A block of the result: the product, the bytes from its first element to those of the block's rows and columns, and the mask of the last
    /// vector.
    type Block = unsafe fn(&SmallProduct, [isize; 2], isize, u16);

    /// All columns of the result, a few vectors at a time, and of these all rows.
    ///
    /// # Safety
    /// As [`SmallProduct::run`]; the processor has AVX-512.
    pub(super) unsafe fn run<V: Vector>(product: &SmallProduct) {
        let (rows, _, columns) = product.size;
        let (blocks, vectors) = (blocks::<V>(), columns.div_ceil(V::LANES));
        let (strips, all) = (vectors.div_ceil(VECTORS), rows.div_ceil(ROWS));
        let mut vector = 0;
        for strip in 0..strips {
            let width = (vectors - vector).div_ceil(strips - strip);
            let last = (columns - (vector + width - 1) * V::LANES).min(V::LANES);
            let mask = ALL >> (u16::BITS as usize - last);
            let mut row = 0;
            for block in 0..all {
                let height = (rows - row).div_ceil(all - block);
                let from = [row as isize * product.a.1[0], row as isize * product.out.1];
                // SAFETY: the rows and columns are the product's; the caller's contract.
                unsafe { blocks[height - 1][width - 1](product, from, (vector * VECTOR_BYTES) as isize, mask) };
                row += height;
            }
            vector += width;
        }
    }

    /// The loops, by rows and by vectors.
    fn blocks<V: Vector>() -> [[Block; VECTORS]; ROWS] {
        [
            [block::<V, 1, 1>, block::<V, 1, 2>, block::<V, 1, 3>],
            [block::<V, 2, 1>, block::<V, 2, 2>, block::<V, 2, 3>],
            [block::<V, 3, 1>, block::<V, 3, 2>, block::<V, 3, 3>],
            [block::<V, 4, 1>, block::<V, 4, 2>, block::<V, 4, 3>],
            [block::<V, 5, 1>, block::<V, 5, 2>, block::<V, 5, 3>],
            [block::<V, 6, 1>, block::<V, 6, 2>, block::<V, 6, 3>],
            [block::<V, 7, 1>, block::<V, 7, 2>, block::<V, 7, 3>],
            [block::<V, 8, 1>, block::<V, 8, 2>, block::<V, 8, 3>],
        ]
    }

    /// `R` rows of `C` vectors of the result, from these bytes on in the left factor and in the result, and along the columns.
    ///
    /// # Safety
    /// As [`run`]; the block's rows and columns are the product's.
    #[target_feature(enable = "avx512f")]
    unsafe fn block<V: Vector, const R: usize, const C: usize>(
        product: &SmallProduct,
        [left, below]: [isize; 2],
        along: isize,
        mask: u16,
    ) {
        let ((a, [row, column]), (b, pitch), (out, step)) = (product.a, product.b, product.out);
        let (a, b) = (a.wrapping_offset(left), b.wrapping_offset(along));
        let out = out.wrapping_offset(below + along);
        // SAFETY: the caller's contract.
        unsafe {
            let mut sums = [[V::zero(); C]; R];
            for term in 0..product.size.1 as isize {
                let (a, b) = (a.wrapping_offset(term * column), b.wrapping_offset(term * pitch));
                let mut terms = [V::zero(); C];
                for (j, to) in terms.iter_mut().enumerate() {
                    *to = V::load(b.wrapping_add(j * VECTOR_BYTES), if j + 1 == C { mask } else { ALL });
                }
                for (i, sums) in sums.iter_mut().enumerate() {
                    let factor = V::broadcast(a.wrapping_offset(i as isize * row));
                    for (sum, term) in sums.iter_mut().zip(terms) {
                        *sum = sum.add_product(factor, term);
                    }
                }
            }
            for (i, sums) in sums.iter().enumerate() {
                for (j, sum) in sums.iter().enumerate() {
                    let at = out.wrapping_offset(i as isize * step).wrapping_add(j * VECTOR_BYTES);
                    sum.store(at, if j + 1 == C { mask } else { ALL });
                }
            }
        }
    }
}
