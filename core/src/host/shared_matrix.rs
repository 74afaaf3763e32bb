//! Several products of vectors with one matrix, in one pass over it: rows of the matrix are read into a cache by the first product, and
//! multiplied there by the others. A product may use the elements that an earlier one makes of the same rows: `(a @ x) @ a`.
//!
//! Each product computes what it computes by itself, and is divided as it is then.

use crate::host::gemm::{Gemm, GemmElement, PartialSums, parallel};
use fastnp_codegen::host::gemv::Gemv;
use fastnp_codegen::{DType, FpFlags, ThreadPool};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU8, Ordering};

/// Bytes of the rows that stay in a second-level cache from one product to the next.
const BLOCK_BYTES: usize = 256 << 10;
/// Bytes of a matrix from which on a second pass over it costs more than the blocks.
const MIN_MATRIX_BYTES: usize = 1 << 20;
/// Bytes of the longest row: as many of them as a sum of rows unrolls are a block at the least.
const MAX_ROW_BYTES: usize = 128 << 10;
/// Rows and columns of the matrix, at least.
const MIN_EXTENT: usize = 64;

/// A matrix of dense rows in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct DenseRows {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: isize,
}

impl DenseRows {
    /// The matrix of a product with a vector, and the number of the operand that it is; `None` for other products, and for matrices that a
    /// second pass reads as fast. The domain and strides are as in [`run_batch`](crate::host::gemm::run_batch).
    pub(crate) fn of(dtype: DType, domain: &[usize], strides: &[isize]) -> Option<(usize, DenseRows)> {
        let &[m, n, _] = domain else { return None };
        if !Gemv::supports(dtype) || (m == 1) == (n == 1) {
            return None;
        }
        let product = Gemm::first(dtype, domain, strides, &[std::ptr::null_mut(); 3]);
        let (_, across, along) = product.matrix();
        let (outputs, terms) = (m * n, product.k);
        let (rows, columns, pitch, step) = match product.is_by_outputs() {
            true => (outputs, terms, across, along),
            false => (terms, outputs, along, across),
        };
        let row_bytes = columns * dtype.size();
        let pays =
            rows.min(columns) >= MIN_EXTENT && row_bytes <= MAX_ROW_BYTES && rows * row_bytes >= MIN_MATRIX_BYTES;
        let is_dense = step == dtype.size() as isize;
        (pays && is_dense).then_some((usize::from(n != 1), DenseRows { rows, columns, pitch }))
    }
}

/// Whether a product with a vector makes the element of its result that belongs to a row from that row alone.
pub(crate) fn is_row_by_row(dtype: DType, domain: &[usize], strides: &[isize]) -> bool {
    Gemm::first(dtype, domain, strides, &[std::ptr::null_mut(); 3]).is_by_outputs()
}

/// Runs products with one matrix, and gives the flags that each raised. Domain, strides and addresses of each are as in
/// [`run_batch`](crate::host::gemm::run_batch).
pub(crate) fn run(
    dtype: DType,
    products: &[(&[usize], &[isize], &[*mut u8])],
    workers: &dyn ThreadPool,
) -> SmallVec<[FpFlags; 2]> {
    let (domain, strides, _) = products[0];
    let (_, matrix) = DenseRows::of(dtype, domain, strides).expect("products share a matrix of dense rows");
    let products: SmallVec<[Gemm; 2]> =
        products.iter().map(|&(domain, strides, addresses)| Gemm::first(dtype, domain, strides, addresses)).collect();
    match dtype {
        DType::F32 => run_as(matrix, &products, workers, 0.0_f32, 1.0),
        _ => run_as(matrix, &products, workers, 0.0_f64, 1.0),
    }
}

fn run_as<T: GemmElement>(
    matrix: DenseRows,
    products: &[Gemm],
    workers: &dyn ThreadPool,
    zero: T,
    one: T,
) -> SmallVec<[FpFlags; 2]> {
    let DenseRows { rows, columns, .. } = matrix;
    let size = size_of::<T>();
    let block = (BLOCK_BYTES / (columns * size) / Gemv::UNROLL).max(1) * Gemv::UNROLL;
    let summed = || products.iter().filter(|product| !product.is_by_outputs());
    let each = summed().map(Gemm::terms_of_task).next().unwrap_or_else(|| rows.div_ceil(16).next_multiple_of(block));
    let tasks = rows.div_ceil(each);
    let mut sums = vec![zero; summed().count() * tasks * columns];
    let partial = PartialSums(sums.as_mut_ptr());
    let raised: SmallVec<[AtomicU8; 2]> = products.iter().map(|_| AtomicU8::new(0)).collect();
    let nanoseconds = products.iter().map(Gemm::gemv_nanoseconds).sum::<f64>() / products.len() as f64;
    parallel(workers, tasks, nanoseconds / tasks as f64, |task| {
        let end = rows.min((task + 1) * each);
        for start in (task * each..end).step_by(block) {
            let count = block.min(end - start);
            let mut own = partial.get().wrapping_add(task * columns);
            for (product, raised) in products.iter().zip(&raised) {
                let flags = if product.is_by_outputs() {
                    let (some, all) = ((start, count), (0, 1));
                    let part = if product.n == 1 { product.tile(some, all) } else { product.tile(all, some) };
                    part.zero_vector(zero);
                    part.of_result::<T>(part.multiply(Some(one), one))
                } else {
                    let part = product.range_of_k(start, count, own.cast(), size as isize);
                    own = own.wrapping_add(tasks * columns);
                    part.add_rows()
                };
                raised.fetch_or(flags.0, Ordering::Relaxed);
            }
        }
        FpFlags::NONE
    });
    let mut sums = sums.chunks_exact_mut(tasks * columns);
    let flags = products.iter().zip(raised).map(|(product, raised)| {
        let raised = FpFlags(raised.into_inner());
        if product.is_by_outputs() {
            return raised;
        }
        product.store_sums(sums.next().expect("each sum of rows has partial sums"), raised)
    });
    flags.collect()
}
