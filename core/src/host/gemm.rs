//! Matrix products: through the `gemm` crate, by loops of ours where one side of the result is narrow, as sums of rows where a vector
//! multiplies dense rows (gemv), and strided inner products (dot). With the floating-point flags they raise.
//!
//! The flags are those of the threads that multiply, without those `gemm` raises in lanes it discards: an overflow shows in the
//! result as an infinity, an invalid operation as a nan.
//!
//! A large product is divided by sizes and strides alone, so any number of threads gives the same bits. Threads that stop at an interrupt
//! leave the rest of the result unwritten.

use fastnp_codegen::drive::fp_status;
use fastnp_codegen::host::few_terms::FewTerms;
use fastnp_codegen::host::gemv::Gemv;
use fastnp_codegen::host::inner_products::InnerProducts;
use fastnp_codegen::host::narrow_product::{MAX_COLUMNS, NarrowProduct};
use fastnp_codegen::host::skinny_product::SkinnyProduct;
use fastnp_codegen::host::small_product::SmallProduct;
use fastnp_codegen::{DType, FpFlags, ThreadPool};
use gemm::{Parallelism, gemm};
use num_complex::{Complex, ComplexFloat};
use std::ops::Add;
use std::sync::atomic::{AtomicU8, Ordering};

/// Nanoseconds of a multiplication, from the first-level cache.
const MULTIPLICATION_NS: f64 = 0.05;
/// Nanoseconds for each byte of a matrix times a vector, in the second-level cache and beyond it.
const GEMV_BYTE: (f64, f64) = (0.02, 0.035);
/// Bytes of a matrix that stays in a second-level cache.
const SECOND_LEVEL_CACHE: usize = 1 << 20;
/// Products of fewer multiplications are not divided.
const DIVIDE_FROM: usize = 1 << 18;
/// A product of fewer tiles is cut into tiles of half the size, as long as these have so many multiplications: two threads multiply 100 × 100
/// doubles in 23 µs instead of 41, 200 × 200 in 155 instead of 286.
const FEW_TILES: usize = 4;
const MIN_TILE: usize = 1 << 18;
/// Multiplications of each of two tiles, one for each of two threads: they multiply 80 × 80 doubles in 12 µs instead of 16.
const MIN_HALF: usize = 1 << 17;
/// Multiplications of a task of several small products.
const TASK_MULTIPLICATIONS: usize = 1 << 16;

/// Rows and columns of a tile of a large product, at most: `gemm` copies the factors of each, which must stay a small part.
const TILE: usize = 256;

/// Rows and columns of a tile of a matrix by its transpose, at most: of few tiles, most of those above the diagonal are not skipped.
const GRAM_TILE: usize = 128;
/// Rows and columns of such a tile are a multiple of this, as `gemm` pads what it computes.
const GRAM_STEP: usize = 16;
/// Fewer tiles along a side are made smaller, while they have enough multiplications for a task.
const FEW_ALONG: usize = 3;
/// Multiplications from which on that pays, of so many terms for each element: of few terms the copies to the other side take longer.
const MIN_GRAM: usize = 1 << 20;

/// Multiplications of a task of a matrix by a vector, at least: 4 µs in the second-level cache, three times that in memory.
const GEMV_TASK: usize = 1 << 15;
/// Tasks of one product of a matrix by a vector.
pub(crate) const GEMV_TASKS: usize = 16;

/// Elements of a left factor that is read in any order by a narrow product: it stays in the first-level cache.
const SMALL_FACTOR: usize = 1 << 11;
/// Multiplications of a task of a narrow product, and its least rows, for which the right factor is copied.
const NARROW_TASK: usize = 1 << 18;
const MIN_NARROW_ROWS: usize = 64;
/// Rows that are multiplied by a matrix in place, at most, and the columns from which on. Sixteen by 1000 × 1000 take 546 µs in place and 448
/// in tiles, of single precision 305 and 194.
const MAX_SKINNY_ROWS: usize = 8;
const MIN_SKINNY_ROW: usize = 64;
/// Bytes of a row of that matrix that a task reads: from the least to the most, for eight tasks. Eight rows by 30,000 × 2,000 floats on one
/// core of a Zen 3: 51 ms in parts of 2 KB, 39 of 4 KB, 30 of 8 KB.
const SKINNY_ROW_BYTES: (usize, usize) = (1 << 12, 1 << 13);
const SKINNY_TASKS: usize = 8;

/// Bytes of a right factor that is multiplied in place, at most: it stays in a second-level cache. On one thread 50 × 50 doubles take 6.0 µs in
/// place and 6.9 by `gemm`, 100 × 100 38 and 43, 200 × 200 299 and 314 (Zen 4).
const SMALL_PRODUCT: usize = 1 << 20;

/// Terms of a sum up to which `gemm` does not start from zero, as every BLAS does: a sum of such as -0.0 would stay that.
const UNSUMMED_TERMS: usize = 2;

/// Elements of the longest row that a vector is multiplied by here: `gemm` takes 1.4 ns for each multiplication by so short ones.
const AXPY_ROW: usize = 8;
/// Rows and columns of a result that is made of inner products, where both factors are dense along the terms. Of a matrix of two rows of 50,000 and
/// its transpose they take 45 µs, as a narrow product 150.
const MAX_PRODUCTS: usize = 8;
const MIN_PRODUCT_TERMS: usize = 256;
/// Terms of a sum from which that pays. Of fewer `gemm` makes what every BLAS makes, to the bit: it rounds once a term.
const MANY_TERMS: usize = 64;

/// Products by the name NumPy gives them in warnings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Product {
    /// `dot`.
    Dot,
    /// `matmul`.
    Matmul,
}

impl Product {
    /// All of them, in the order of their numbers.
    pub(crate) const ALL: [Product; 2] = [Product::Dot, Product::Matmul];

    /// NumPy's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Product::Dot => "dot",
            Product::Matmul => "matmul",
        }
    }
}

/// Runs a batch of matrix products and returns the flags raised. The domain is `[batch…, m, n, k]`; all extents are at least one
/// except `k`.
pub(crate) fn run_batch(
    dtype: DType,
    domain: &[usize],
    strides: &[isize],
    addresses: &[*mut u8],
    workers: &dyn ThreadPool,
) -> FpFlags {
    let rank = domain.len();
    let batch = &domain[..rank - 3];
    let of = |operand: usize| &strides[operand * rank..][..rank];
    let (a, b, c) = (of(0), of(1), of(2));
    let total: usize = batch.iter().product();
    let first = Gemm::first(dtype, domain, strides, addresses);
    let Gemm { m, n, k, .. } = first;
    let one = |number: usize| {
        let (mut number, mut offset) = (number, [0isize; 3]);
        for axis in (0..batch.len()).rev() {
            let i = (number % batch[axis]) as isize;
            number /= batch[axis];
            offset = [offset[0] + i * a[axis], offset[1] + i * b[axis], offset[2] + i * c[axis]];
        }
        let one = first.advanced(offset);
        match dtype {
            DType::F32 => one.run::<f32>(0.0, 1.0, workers),
            DType::F64 => one.run::<f64>(0.0, 1.0, workers),
            DType::C64 => one.run::<Complex<f32>>(Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), workers),
            DType::C128 => one.run::<Complex<f64>>(Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), workers),
            other => unreachable!("products of {other} are folds"),
        }
    };
    let each = TASK_MULTIPLICATIONS.div_ceil((m * n * k).max(1));
    if total == 1 || m * n * k >= DIVIDE_FROM {
        return (0..total).fold(FpFlags::NONE, |raised, number| raised | one(number));
    }
    let nanoseconds = (each * m * n * k) as f64 * MULTIPLICATION_NS;
    if let &[_] = batch
        && first.is_narrow()
    {
        let pitch = [a[0], b[0], c[0]];
        return parallel(workers, total.div_ceil(each), nanoseconds, |task| {
            let start = task * each;
            let at = first.advanced(pitch.map(|step| step * start as isize));
            at.multiply_narrow(each.min(total - start), pitch)
        });
    }
    parallel(workers, total.div_ceil(each), nanoseconds, |task| {
        (task * each..total.min((task + 1) * each)).fold(FpFlags::NONE, |raised, number| raised | one(number))
    })
}

/// An element type that `gemm` multiplies.
pub(crate) trait GemmElement: Copy + Send + Sync + Add<Output = Self> + ComplexFloat + 'static {
    /// The flags that may have produced this number: none for a finite one.
    #[inline]
    fn implied_flags(self) -> FpFlags {
        if self.is_finite() {
            FpFlags::NONE
        } else if self.is_nan() {
            FpFlags::OVERFLOW | FpFlags::INVALID
        } else {
            FpFlags::OVERFLOW
        }
    }
}
impl<T: Copy + Send + Sync + Add<Output = T> + ComplexFloat + 'static> GemmElement for T {}

/// One product. Each matrix is an address, a row stride and a column stride in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Gemm {
    pub(crate) dtype: DType,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
    pub(crate) a: (*mut u8, isize, isize),
    pub(crate) b: (*mut u8, isize, isize),
    pub(crate) c: (*mut u8, isize, isize),
}

// SAFETY: the addresses are used by one product at a time, which hands disjoint parts of the destination to its threads.
unsafe impl Send for Gemm {}
// SAFETY: as above.
unsafe impl Sync for Gemm {}

impl Gemm {
    /// The first product of a batch, as [`run_batch`] takes it.
    pub(crate) fn first(dtype: DType, domain: &[usize], strides: &[isize], addresses: &[*mut u8]) -> Gemm {
        let rank = domain.len();
        let of = |operand: usize, axis: usize| strides[operand * rank + axis];
        let (m, n, k) = (rank - 3, rank - 2, rank - 1);
        Gemm {
            dtype,
            m: domain[m],
            n: domain[n],
            k: domain[k],
            a: (addresses[0], of(0, m), of(0, k)),
            b: (addresses[1], of(1, k), of(1, n)),
            c: (addresses[2], of(2, m), of(2, n)),
        }
    }

    /// Multiplies, and gives the flags raised.
    fn run<T: GemmElement>(self, zero: T, one: T, workers: &dyn ThreadPool) -> FpFlags {
        if self.m == 1 || self.n == 1 { self.run_gemv(zero, one, workers) } else { self.run_tiles(zero, one, workers) }
    }

    /// Of flags raised, also in lanes that are discarded, those that the elements of the result may have raised.
    pub(crate) fn of_result<T: GemmElement>(self, raised: FpFlags) -> FpFlags {
        if raised.is_empty() { raised } else { raised & (self.implied_flags::<T>() | FpFlags::UNDERFLOW) }
    }

    /// The flags that the elements of the result imply.
    fn implied_flags<T: GemmElement>(self) -> FpFlags {
        let mut implied = FpFlags::NONE;
        for i in 0..self.m as isize {
            for j in 0..self.n as isize {
                // SAFETY: an element of the destination, aligned for T and written.
                implied |= unsafe { self.c.0.offset(i * self.c.1 + j * self.c.2).cast::<T>().read() }.implied_flags();
            }
        }
        implied
    }

    /// A matrix by a matrix, in tiles; row by row where both are so narrow that tiles would be mostly padding (two columns of ten
    /// thousand by themselves: 68 µs in tiles, 9 so).
    fn run_tiles<T: GemmElement>(self, zero: T, one: T, workers: &dyn ThreadPool) -> FpFlags {
        if self.k >= MANY_TERMS && self.m < AXPY_ROW && self.n < AXPY_ROW && self.b.2 == size_of::<T>() as isize {
            let row = |i| self.tile((i, 1), (0, self.n)).gemv(zero, one);
            return self.of_result::<T>((0..self.m).fold(FpFlags::NONE, |raised, i| raised | row(i)));
        }
        let size = size_of::<T>() as isize;
        let is_dense_along_terms = self.a.2 == size && self.b.1 == size;
        if is_dense_along_terms && self.k >= MIN_PRODUCT_TERMS && self.m.max(self.n) <= MAX_PRODUCTS && self.is_real() {
            return self.of_result::<T>(self.multiply_inner());
        }
        if self.is_narrow() {
            return self.run_narrow(workers);
        }
        if self.transposed().is_narrow() {
            return self.transposed().run_narrow(workers);
        }
        let is_dense_along_rows = self.b.2 == size && self.c.2 == size;
        if self.m <= MAX_SKINNY_ROWS
            && self.n >= MIN_SKINNY_ROW
            && is_dense_along_rows
            && SkinnyProduct::supports(self.dtype)
        {
            return self.run_skinny(zero, workers);
        }
        if self.is_gram() {
            return self.run_gram(one, workers);
        }
        let edge = |n: usize| if self.m * self.n * self.k < DIVIDE_FROM { n } else { n.div_ceil(n.div_ceil(TILE)) };
        let (mut height, mut width) = (edge(self.m), edge(self.n));
        let tiles = |height: usize, width: usize| self.m.div_ceil(height) * self.n.div_ceil(width);
        let least = |tiles: usize| if tiles == 1 { MIN_HALF } else { MIN_TILE };
        while tiles(height, width) < FEW_TILES && height * width * self.k >= 2 * least(tiles(height, width)) {
            let longer = if height >= width { &mut height } else { &mut width };
            *longer = longer.div_ceil(2);
        }
        let (rows, columns) = (self.m.div_ceil(height), self.n.div_ceil(width));
        parallel(workers, rows * columns, (height * width * self.k) as f64 * MULTIPLICATION_NS, |task| {
            let tile = self.tile((task / columns * height, height), (task % columns * width, width));
            if tile.is_small() {
                return tile.of_result::<T>(tile.multiply_small());
            }
            let keep = (self.k <= UNSUMMED_TERMS).then_some(one);
            if keep.is_some() {
                (0..tile.m).for_each(|i| tile.tile((i, 1), (0, tile.n)).zero_vector(zero));
            }
            tile.of_result::<T>(tile.multiply(keep, one))
        })
    }

    /// Whether it multiplies a large matrix by its own transpose: the result is symmetric.
    fn is_gram(&self) -> bool {
        self.m == self.n
            && (self.a.0, self.a.1, self.a.2) == (self.b.0, self.b.2, self.b.1)
            && self.m >= 2 * GRAM_STEP
            && self.k >= MANY_TERMS
            && self.m * self.n * self.k >= MIN_GRAM
    }

    /// A matrix by its transpose: the tiles on and below the diagonal are computed, and copied to the other side, as BLAS does (syrk).
    fn run_gram<T: GemmElement>(self, one: T, workers: &dyn ThreadPool) -> FpFlags {
        let mut along = self.m.div_ceil(GRAM_TILE);
        while along < FEW_ALONG && (self.m / (along + 1)).pow(2) * self.k >= MIN_TILE {
            along += 1;
        }
        let edge = self.m.div_ceil(along).next_multiple_of(GRAM_STEP);
        let along = self.m.div_ceil(edge);
        let tasks = along * (along + 1) / 2;
        parallel(workers, tasks, (edge * edge * self.k) as f64 * MULTIPLICATION_NS, |task| {
            // The largest row whose tiles on and below the diagonal begin at this task or before it.
            let row = (0..along).rev().find(|row| row * (row + 1) / 2 <= task).unwrap_or(0);
            let column = task - row * (row + 1) / 2;
            let tile = self.tile((row * edge, edge), (column * edge, edge));
            let raised = tile.of_result::<T>(tile.multiply(None, one));
            let mirror = self.tile((column * edge, edge), (row * edge, edge));
            for i in 0..tile.m {
                // Complex products depend on the order of their factors in the last bit, so the diagonal's tiles are mirrored, too.
                for j in 0..if column < row { tile.n } else { i } {
                    let (i, j) = (i as isize, j as isize);
                    // SAFETY: elements of the destination, aligned for T; the tile was written, and no other task writes its mirror image.
                    unsafe {
                        let x = tile.c.0.offset(i * tile.c.1 + j * tile.c.2).cast::<T>().read();
                        mirror.c.0.offset(j * mirror.c.1 + i * mirror.c.2).cast::<T>().write(x);
                    }
                }
            }
            raised
        })
    }

    /// Whether there are loops for inner products of the type.
    fn is_real(&self) -> bool {
        InnerProducts::supports(self.dtype)
    }

    /// A few rows by a few columns, all dense along the terms.
    fn multiply_inner(self) -> FpFlags {
        let products = InnerProducts {
            rows: (self.a.0.cast_const(), self.a.1),
            columns: (self.b.0.cast_const(), self.b.2),
            out: (self.c.0, [self.c.1, self.c.2]),
            count: (self.m, self.n),
            terms: self.k,
        };
        // SAFETY: as in `multiply_narrow`.
        flags_of(|| unsafe {
            products.run(self.dtype);
        })
    }

    /// Whether the result has few columns, and the left factor's rows are dense or small.
    fn is_narrow(&self) -> bool {
        self.n <= MAX_COLUMNS
            && NarrowProduct::supports(self.dtype)
            && (self.a.2 == self.dtype.size() as isize || self.m * self.k <= SMALL_FACTOR)
    }

    /// The product of the transposed factors in the other order, which is the transposed result.
    fn transposed(self) -> Gemm {
        let flip = |(at, rows, columns)| (at, columns, rows);
        Gemm { m: self.n, n: self.m, a: flip(self.b), b: flip(self.a), c: flip(self.c), ..self }
    }

    /// A narrow product, in parts of its rows.
    fn run_narrow(self, workers: &dyn ThreadPool) -> FpFlags {
        let each = (NARROW_TASK / (self.n * self.k).max(1)).max(MIN_NARROW_ROWS).min(self.m);
        let nanoseconds = (each * self.n * self.k) as f64 * MULTIPLICATION_NS;
        parallel(workers, self.m.div_ceil(each), nanoseconds, |task| {
            self.tile((task * each, each), (0, self.n)).multiply_narrow(1, [0; 3])
        })
    }

    /// A stack of narrow products on this thread, so many bytes apart.
    fn multiply_narrow(self, count: usize, [a, b, c]: [isize; 3]) -> FpFlags {
        let product = NarrowProduct {
            a: (self.a.0, [self.a.1, self.a.2, a]),
            b: (self.b.0, [self.b.1, self.b.2, b]),
            c: (self.c.0, [self.c.1, self.c.2, c]),
            size: (self.m, self.k, self.n),
            count,
        };
        // SAFETY: the planner gives addresses and strides that stay within their storages over the domain, and the destination overlaps
        // neither factor.
        let raised = flags_of(|| unsafe {
            product.run(self.dtype);
        });
        if raised.is_empty() {
            return raised;
        }
        let implied = |number: usize| {
            let one = self.advanced([a, b, c].map(|step| step * number as isize));
            if self.dtype == DType::F32 { one.implied_flags::<f32>() } else { one.implied_flags::<f64>() }
        };
        raised & ((0..count).map(implied).fold(FpFlags::UNDERFLOW, |all, flags| all | flags))
    }

    /// Few rows by a matrix of long dense rows, which is read once.
    fn run_skinny<T: GemmElement>(self, zero: T, workers: &dyn ThreadPool) -> FpFlags {
        let (least, most) = SKINNY_ROW_BYTES;
        let columns = self.n.div_ceil(SKINNY_TASKS).clamp(least / size_of::<T>(), most / size_of::<T>());
        let nanoseconds = (self.m * self.k * columns) as f64 * MULTIPLICATION_NS;
        parallel(workers, self.n.div_ceil(columns), nanoseconds, |task| {
            let part = self.tile((0, self.m), (task * columns, columns));
            (0..self.m).for_each(|i| part.tile((i, 1), (0, part.n)).zero_vector(zero));
            let product = SkinnyProduct {
                a: (part.a.0.cast_const(), [part.a.1, part.a.2]),
                b: (part.b.0.cast_const(), part.b.1),
                out: (part.c.0, part.c.1),
                size: (part.m, part.k, part.n),
            };
            // SAFETY: as in `multiply_narrow`; the columns of the matrix and of the result are dense.
            part.of_result::<T>(flags_of(|| unsafe {
                product.add(self.dtype);
            }))
        })
    }

    /// Whether its factors and its result are multiplied in place: the right factor is small, and rows of it and of the result are dense.
    fn is_small(&self) -> bool {
        let size = self.dtype.size();
        self.n * self.k * size <= SMALL_PRODUCT
            && (self.b.2, self.c.2) == (size as isize, size as isize)
            && SmallProduct::supports(self.dtype)
    }

    fn multiply_small(self) -> FpFlags {
        let product = SmallProduct {
            a: (self.a.0.cast_const(), [self.a.1, self.a.2]),
            b: (self.b.0.cast_const(), self.b.1),
            out: (self.c.0, self.c.1),
            size: (self.m, self.k, self.n),
        };
        // SAFETY: as in `multiply_narrow`; the columns of the right factor and of the result are dense.
        flags_of(|| unsafe { product.run(self.dtype) })
    }

    /// The tile of these rows and columns, each given by the first and the most there are.
    pub(crate) fn tile(self, rows: (usize, usize), columns: (usize, usize)) -> Gemm {
        Gemm {
            m: rows.1.min(self.m - rows.0),
            n: columns.1.min(self.n - columns.0),
            a: advanced(self.a, rows.0, self.a.1),
            b: advanced(self.b, columns.0, self.b.2),
            c: advanced(advanced(self.c, rows.0, self.c.1), columns.0, self.c.2),
            ..self
        }
    }

    /// The product at these byte offsets.
    fn advanced(self, [a, b, c]: [isize; 3]) -> Gemm {
        Gemm { a: advanced(self.a, 1, a), b: advanced(self.b, 1, b), c: advanced(self.c, 1, c), ..self }
    }

    /// A matrix by a vector, which `gemm` runs on one thread. It is divided by sizes and strides alone, so any number of threads
    /// gives the same bits, and every task reads memory in order.
    fn run_gemv<T: GemmElement>(self, zero: T, one: T, workers: &dyn ThreadPool) -> FpFlags {
        let outputs = self.m * self.n;
        let nanoseconds = |part: usize, whole: usize| self.gemv_nanoseconds() * part as f64 / whole as f64;
        let tasks = self.gemv_tasks();
        let is_by_outputs = self.is_by_outputs();
        // Of few terms every element is one sum, as every BLAS makes it.
        if is_by_outputs || self.k < MANY_TERMS {
            let each = outputs.div_ceil(tasks);
            return parallel(workers, outputs.div_ceil(each), nanoseconds(each, outputs), |task| {
                let (all, some) = ((0, 1), (task * each, each));
                let part = if self.n == 1 { self.tile(some, all) } else { self.tile(all, some) };
                if !is_by_outputs {
                    return part.of_result::<T>(part.gemv(zero, one));
                }
                if let Some(raised) = part.multiply_few_terms() {
                    return part.of_result::<T>(raised);
                }
                part.zero_vector(zero);
                part.of_result::<T>(part.multiply(Some(one), one))
            });
        }
        if tasks == 1 {
            return self.of_result::<T>(self.gemv(zero, one));
        }
        let each = self.terms_of_task();
        let mut sums = vec![zero; self.k.div_ceil(each) * outputs];
        let partial = PartialSums(sums.as_mut_ptr());
        let raised = parallel(workers, sums.len() / outputs, nanoseconds(each, self.k), |task| {
            let start = task * each;
            let at = partial.get().wrapping_add(task * outputs).cast::<u8>();
            self.range_of_k(start, each.min(self.k - start), at, size_of::<T>() as isize).gemv(zero, one)
        });
        self.store_sums(&mut sums, raised)
    }

    /// Stores the sum of partial sums, and gives the flags of all.
    pub(crate) fn store_sums<T: GemmElement>(self, sums: &mut [T], raised: FpFlags) -> FpFlags {
        let outputs = self.m * self.n;
        let (total, parts) = sums.split_at_mut(outputs);
        let summing = flags_of(|| {
            for part in parts.chunks_exact(outputs) {
                total.iter_mut().zip(part).for_each(|(sum, &part)| *sum = *sum + part);
            }
            self.store_vector(total);
        });
        self.of_result::<T>(raised | summing)
    }

    /// The matrix of a product with a vector: its address, the byte stride from one element of the result to the next, and along the terms
    /// of one.
    pub(crate) fn matrix(&self) -> (*mut u8, isize, isize) {
        if self.n == 1 { self.a } else { (self.b.0, self.b.2, self.b.1) }
    }

    /// Whether a product with a vector makes its elements one by one, each an inner product with a row of the matrix in memory, rather than
    /// all together as a sum of rows.
    pub(crate) fn is_by_outputs(&self) -> bool {
        let (_, across, along) = self.matrix();
        across.abs() >= along.abs()
    }

    /// Predicted nanoseconds of a product with a vector.
    pub(crate) fn gemv_nanoseconds(&self) -> f64 {
        let bytes = self.m * self.n * self.k * self.dtype.size();
        bytes as f64 * if bytes <= SECOND_LEVEL_CACHE { GEMV_BYTE.0 } else { GEMV_BYTE.1 }
    }

    /// The most tasks of a product with a vector.
    fn gemv_tasks(&self) -> usize {
        (self.m * self.n * self.k / GEMV_TASK).clamp(1, GEMV_TASKS)
    }

    /// Terms that each task of a sum of rows has.
    pub(crate) fn terms_of_task(&self) -> usize {
        self.k.div_ceil(self.gemv_tasks()).next_multiple_of(Gemv::UNROLL)
    }

    /// Adds a vector times a matrix of dense rows to a dense vector, and gives the flags raised.
    pub(crate) fn add_rows(self) -> FpFlags {
        let (matrix, _, pitch) = self.matrix();
        let vector = if self.n == 1 { (self.b.0, self.b.1) } else { (self.a.0, self.a.2) };
        let (rows, factors) = ((matrix.cast_const(), pitch), (vector.0.cast_const(), vector.1));
        let gemv = Gemv { rows, factors, count: self.k, columns: self.m * self.n };
        // SAFETY: the planner gives addresses and strides that stay within their storages over the domain, and the destination overlaps
        // neither factor.
        flags_of(|| unsafe {
            gemv.add(self.dtype, self.c.0);
        })
    }

    /// Sums of few terms, where the rows of the matrix follow each other, and so does the result; the flags raised, unless there is no loop.
    fn multiply_few_terms(self) -> Option<FpFlags> {
        let (rows, across, along) = self.matrix();
        let (size, terms) = (self.dtype.size() as isize, self.k);
        let is_dense = along == size && across == size * terms as isize && self.step() == size;
        if !is_dense || !FewTerms::supports(self.dtype, terms) {
            return None;
        }
        let factors = if self.n == 1 { (self.b.0, self.b.1) } else { (self.a.0, self.a.2) };
        let product = FewTerms { rows, factors: (factors.0.cast_const(), factors.1), size: (self.m * self.n, terms) };
        // SAFETY: as in `add_rows`.
        Some(flags_of(|| unsafe {
            product.run(self.dtype, self.c.0);
        }))
    }

    /// A vector by a matrix on this thread: by [`axpy_rows`] where rows are short, by rows where they are dense, else by `gemm`.
    fn gemv<T: GemmElement>(self, zero: T, one: T) -> FpFlags {
        let (matrix, vector) = if self.n == 1 {
            ((self.a.0, self.a.2, self.a.1), (self.b.0, self.b.1))
        } else {
            ((self.b.0, self.b.1, self.b.2), (self.a.0, self.a.2))
        };
        let (outputs, size) = (self.m * self.n, size_of::<T>() as isize);
        let is_narrow = (2..=AXPY_ROW).contains(&outputs) && self.k >= MANY_TERMS;
        let is_dense = matrix.2 == size;
        if is_dense && is_narrow {
            return self.gemv_narrow((matrix.0, matrix.1), vector, zero);
        }
        self.zero_vector(zero);
        if is_dense && self.step() == size && Gemv::supports(self.dtype) {
            return self.add_rows();
        }
        self.multiply(Some(one), one)
    }

    /// [`Gemm::gemv`] for rows of two to eight elements.
    fn gemv_narrow<T: GemmElement>(self, matrix: (*mut u8, isize), vector: (*mut u8, isize), zero: T) -> FpFlags {
        let (outputs, k) = (self.m * self.n, self.k);
        let mut sums = [zero; AXPY_ROW];
        let matrix = (matrix.0.cast_const(), matrix.1);
        flags_of(|| {
            // SAFETY: `k` rows of so many elements, aligned for T, and as many elements of the vector.
            unsafe {
                match outputs {
                    2 => axpy_rows::<T, 2, 8>(matrix, vector, k, &mut sums),
                    3 => axpy_rows::<T, 3, 4>(matrix, vector, k, &mut sums),
                    4 => axpy_rows::<T, 4, 4>(matrix, vector, k, &mut sums),
                    5 => axpy_rows::<T, 5, 2>(matrix, vector, k, &mut sums),
                    6 => axpy_rows::<T, 6, 2>(matrix, vector, k, &mut sums),
                    7 => axpy_rows::<T, 7, 2>(matrix, vector, k, &mut sums),
                    _ => axpy_rows::<T, 8, 2>(matrix, vector, k, &mut sums),
                }
            }
            self.store_vector(&sums[..outputs]);
        })
    }

    /// The part of the product over a range of `k`, to a vector at another address.
    pub(crate) fn range_of_k(self, start: usize, count: usize, to: *mut u8, step: isize) -> Gemm {
        Gemm {
            k: count,
            a: advanced(self.a, start, self.a.2),
            b: advanced(self.b, start, self.b.1),
            c: (to, step, step),
            ..self
        }
    }

    /// Byte stride of a product that is a vector.
    fn step(self) -> isize {
        if self.n == 1 { self.c.1 } else { self.c.2 }
    }

    /// Stores a product that is a vector.
    fn store_vector<T: GemmElement>(self, elements: &[T]) {
        for (i, &element) in elements.iter().enumerate() {
            // SAFETY: element `i` of a destination of one column or one row, aligned for T.
            unsafe { self.c.0.wrapping_offset(i as isize * self.step()).cast::<T>().write(element) };
        }
    }

    /// Sets a vector to zero: `gemm` does not start from zero as every BLAS does, and would give -0.0 for a sum of such.
    pub(crate) fn zero_vector<T: GemmElement>(self, zero: T) {
        for i in 0..(self.m * self.n) as isize {
            // SAFETY: element `i` of a destination of one column or one row, aligned for T.
            unsafe { self.c.0.wrapping_offset(i * self.step()).cast::<T>().write(zero) };
        }
    }

    /// `c = keep * c + a @ b`; without `keep`, `c = a @ b`. Returns the flags raised, also in lanes that are discarded.
    pub(crate) fn multiply<T: GemmElement>(self, keep: Option<T>, one: T) -> FpFlags {
        let Gemm { m, n, k, a, b, c, .. } = self;
        let step = |bytes: isize| bytes / size_of::<T>() as isize;
        flags_of(|| {
            // SAFETY: the planner gives addresses and strides that stay within their storages over the domain, and the
            // destination overlaps neither factor. Without `keep` its factor is not used.
            unsafe {
                gemm(
                    m,
                    n,
                    k,
                    c.0.cast::<T>(),
                    step(c.2),
                    step(c.1),
                    keep.is_some(),
                    a.0.cast::<T>(),
                    step(a.2),
                    step(a.1),
                    b.0.cast::<T>(),
                    step(b.2),
                    step(b.1),
                    keep.unwrap_or(one),
                    one,
                    false,
                    false,
                    false,
                    Parallelism::None,
                );
            }
        })
    }
}

/// Adds `k` rows of `N` elements, each times one element of a vector (axpy), with `UNROLL` independent accumulators.
///
/// # Safety
/// The rows and the elements of the vector exist at the given byte strides, aligned for T.
#[inline]
unsafe fn axpy_rows<T: GemmElement, const N: usize, const UNROLL: usize>(
    (matrix, row): (*const u8, isize),
    (vector, step): (*mut u8, isize),
    k: usize,
    to: &mut [T; AXPY_ROW],
) {
    let mut sums = [[to[0]; N]; UNROLL];
    // SAFETY: the caller's contract.
    let mut add = |to: usize, i: usize| unsafe {
        let factor = vector.offset(i as isize * step).cast::<T>().read();
        let row = matrix.offset(i as isize * row).cast::<T>();
        for (j, sum) in sums[to].iter_mut().enumerate() {
            *sum = *sum + factor * row.add(j).read();
        }
    };
    let whole = k - k % UNROLL;
    for i in (0..whole).step_by(UNROLL) {
        for to in 0..UNROLL {
            add(to, i + to);
        }
    }
    (whole..k).for_each(|i| add(0, i));
    for j in 0..N {
        to[j] = sums[1..].iter().fold(sums[0][j], |sum, lane| sum + lane[j]);
    }
}

/// The inner product of two strided vectors, and the flags it raised; `None` for types without such a loop.
///
/// The vectors are read in place: packing them first, as loops over dense vectors need, takes 1.1 us for 600 elements, and this
/// 0.7.
///
/// # Safety
/// Both vectors have `n` elements at the given byte strides; the result has room for one.
pub(crate) unsafe fn strided_dot(
    dtype: DType,
    n: usize,
    x: (*const u8, isize),
    y: (*const u8, isize),
    to: *mut u8,
) -> Option<FpFlags> {
    // SAFETY: the caller's contract.
    unsafe {
        match dtype {
            DType::F32 => Some(strided_dot_of(n, x, y, to, 0f32)),
            DType::F64 => Some(strided_dot_of(n, x, y, to, 0f64)),
            _ => None,
        }
    }
}

/// Accumulators of an inner product, and how many terms go into them before they are added to the totals, so that rounding errors
/// stay those of a pairwise sum.
const DOT_LANES: usize = 8;
const DOT_BLOCK: usize = 16 * DOT_LANES;

/// As [`strided_dot`].
unsafe fn strided_dot_of<T: GemmElement + std::ops::AddAssign>(
    n: usize,
    (x, x_step): (*const u8, isize),
    (y, y_step): (*const u8, isize),
    to: *mut u8,
    zero: T,
) -> FpFlags {
    // SAFETY: the caller's contract, for the elements before `n`.
    let term = |i: usize| unsafe {
        let at = |start: *const u8, step: isize| start.offset(i as isize * step).cast::<T>().read_unaligned();
        at(x, x_step) * at(y, y_step)
    };
    flags_of(|| {
        let (mut totals, whole) = ([zero; DOT_LANES], n - n % DOT_LANES);
        for start in (0..whole).step_by(DOT_BLOCK) {
            let mut sums = [zero; DOT_LANES];
            for i in (start..whole.min(start + DOT_BLOCK)).step_by(DOT_LANES) {
                sums.iter_mut().enumerate().for_each(|(lane, sum)| *sum += term(i + lane));
            }
            totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        (whole..n).for_each(|i| totals[i % DOT_LANES] += term(i));
        let [a, b, c, d, e, f, g, h] = totals;
        // SAFETY: the caller's contract.
        unsafe { to.cast::<T>().write(((a + b) + (c + d)) + ((e + f) + (g + h))) };
    })
}

/// The flags that `work` raises. It leaves its results in memory, so it is complete when the flags are read.
#[inline(always)]
fn flags_of(work: impl FnOnce()) -> FpFlags {
    fp_status::clear();
    work();
    let raised = fp_status::read();
    fp_status::clear();
    raised
}

/// Runs tasks of so many nanoseconds each on these threads, and returns the flags they raise.
pub(crate) fn parallel(
    workers: &dyn ThreadPool,
    tasks: usize,
    nanoseconds: f64,
    task: impl Fn(usize) -> FpFlags + Sync,
) -> FpFlags {
    let raised = AtomicU8::new(0);
    let run = |i| {
        raised.fetch_or(task(i).0, Ordering::Relaxed);
    };
    if workers.tasks(tasks as f64 * nanoseconds) > 1 {
        workers.run(tasks, &run);
    } else {
        (0..tasks).for_each(run);
    }
    FpFlags(raised.into_inner())
}

/// A matrix from row or column `start` on, `step` bytes for each.
fn advanced((at, rows, columns): (*mut u8, isize, isize), start: usize, step: isize) -> (*mut u8, isize, isize) {
    (at.wrapping_offset(start as isize * step), rows, columns)
}

/// The address of the partial sums.
#[derive(Clone, Copy)]
pub(crate) struct PartialSums<T>(pub(crate) *mut T);

impl<T> PartialSums<T> {
    pub(crate) fn get(&self) -> *mut T {
        self.0
    }
}

// SAFETY: each task writes to its own part.
unsafe impl<T: Send> Sync for PartialSums<T> {}
