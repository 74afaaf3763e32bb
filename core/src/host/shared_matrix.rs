//! Several products of vectors with one matrix, in one pass over it: rows of the matrix are read into a cache by the first product, and
//! multiplied there by the others. A product may use the elements that an earlier one makes of the same rows: `(a @ x) @ a`. So may other work
//! on the rows between the two.
//!
//! A sum of rows is divided as it is by itself, and has the same bits. Inner products with rows are those of blocks: `gemm` computes the last
//! rows of a block otherwise, which may show in the last bit of short rows.

use crate::host::gemm::{GEMV_TASKS, Gemm, GemmElement, PartialSums, parallel};
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
/// Rows and columns of the matrix, at least: products with shorter rows are others ([`Gemm`]).
const MIN_EXTENTS: (usize, usize) = (64, 16);

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
        let pays = rows >= MIN_EXTENTS.0
            && columns >= MIN_EXTENTS.1
            && row_bytes <= MAX_ROW_BYTES
            && rows * row_bytes >= MIN_MATRIX_BYTES;
        let is_dense = step == dtype.size() as isize;
        (pays && is_dense).then_some((usize::from(n != 1), DenseRows { rows, columns, pitch }))
    }
}

/// Whether a product with a vector makes the element of its result that belongs to a row from that row alone.
pub(crate) fn is_row_by_row(dtype: DType, domain: &[usize], strides: &[isize]) -> bool {
    Gemm::first(dtype, domain, strides, &[std::ptr::null_mut(); 3]).is_by_outputs()
}

/// What is done with each block of rows.
pub(crate) enum RowWork<'a> {
    /// A product: domain, strides and addresses are as in [`run_batch`](crate::host::gemm::run_batch).
    Product(&'a [usize], &'a [isize], &'a [*mut u8]),
    /// Other work on some rows: the first one, and how many.
    Rows(&'a (dyn Fn(usize, usize) + Sync)),
}

/// [`RowWork`] with products of an element type.
enum BlockWork<'a> {
    Product(Gemm),
    Rows(&'a (dyn Fn(usize, usize) + Sync)),
}

/// Does work with one matrix, in order, and gives the flags that each part raised; other work than products reports its own.
pub(crate) fn run(dtype: DType, work: &[RowWork<'_>], workers: &dyn ThreadPool) -> SmallVec<[FpFlags; 4]> {
    let matrix = work.iter().find_map(|part| match part {
        RowWork::Product(domain, strides, _) => DenseRows::of(dtype, domain, strides),
        RowWork::Rows(_) => None,
    });
    let (_, matrix) = matrix.expect("products share a matrix of dense rows");
    let parts = work.iter().map(|part| match *part {
        RowWork::Product(domain, strides, addresses) => {
            BlockWork::Product(Gemm::first(dtype, domain, strides, addresses))
        }
        RowWork::Rows(work) => BlockWork::Rows(work),
    });
    let parts: SmallVec<[BlockWork<'_>; 4]> = parts.collect();
    match dtype {
        DType::F32 => run_as(matrix, &parts, workers, 0.0_f32, 1.0),
        _ => run_as(matrix, &parts, workers, 0.0_f64, 1.0),
    }
}

fn run_as<T: GemmElement>(
    matrix: DenseRows,
    parts: &[BlockWork<'_>],
    workers: &dyn ThreadPool,
    zero: T,
    one: T,
) -> SmallVec<[FpFlags; 4]> {
    let DenseRows { rows, columns, .. } = matrix;
    let size = size_of::<T>();
    let block = (BLOCK_BYTES / (columns * size) / Gemv::UNROLL).max(1) * Gemv::UNROLL;
    let products = || {
        parts.iter().filter_map(|part| match part {
            BlockWork::Product(product) => Some(product),
            BlockWork::Rows(_) => None,
        })
    };
    let summed = || products().filter(|product| !product.is_by_outputs());
    let by_rows = || rows.div_ceil(GEMV_TASKS).next_multiple_of(block);
    let each = summed().map(Gemm::terms_of_task).next().unwrap_or_else(by_rows);
    let tasks = rows.div_ceil(each);
    let mut sums = vec![zero; summed().count() * tasks * columns];
    let partial = PartialSums(sums.as_mut_ptr());
    let raised: SmallVec<[AtomicU8; 4]> = parts.iter().map(|_| AtomicU8::new(0)).collect();
    // One pass takes about as long as one product.
    let nanoseconds = products().map(Gemm::gemv_nanoseconds).sum::<f64>() / products().count() as f64;
    parallel(workers, tasks, nanoseconds / tasks as f64, |task| {
        let end = rows.min((task + 1) * each);
        for start in (task * each..end).step_by(block) {
            let count = block.min(end - start);
            let mut own = partial.get().wrapping_add(task * columns);
            for (part, raised) in parts.iter().zip(&raised) {
                let flags = match part {
                    BlockWork::Rows(work) => {
                        work(start, count);
                        FpFlags::NONE
                    }
                    BlockWork::Product(product) if product.is_by_outputs() => {
                        let (some, all) = ((start, count), (0, 1));
                        let part = if product.n == 1 { product.tile(some, all) } else { product.tile(all, some) };
                        part.zero_vector(zero);
                        part.of_result::<T>(part.multiply(Some(one), one))
                    }
                    BlockWork::Product(product) => {
                        let part = product.range_of_k(start, count, own.cast(), size as isize);
                        own = own.wrapping_add(tasks * columns);
                        part.add_rows()
                    }
                };
                raised.fetch_or(flags.0, Ordering::Relaxed);
            }
        }
        FpFlags::NONE
    });
    let mut sums = sums.chunks_exact_mut(tasks * columns);
    let flags = parts.iter().zip(raised).map(|(part, raised)| {
        let raised = FpFlags(raised.into_inner());
        match part {
            BlockWork::Product(product) if !product.is_by_outputs() => {
                product.store_sums(sums.next().expect("each sum of rows has partial sums"), raised)
            }
            BlockWork::Product(_) | BlockWork::Rows(_) => raised,
        }
    });
    flags.collect()
}
