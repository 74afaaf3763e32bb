//! Matrix products through the `gemm` crate, and the floating-point flags they raise.
//!
//! The flags are those of the caller's thread, less what `gemm` raises in lanes that it throws away: an overflow shows in the
//! result as something infinite, and an invalid operation as nan. A product that ran on other threads is looked at for these,
//! and where there are any run again on one thread. Such a product never reports underflow.

use crate::threads::{self, Pooled};
use fastnp_codegen::portable::flags;
use fastnp_codegen::{DType, FpFlags, Workers};
use gemm::{Parallelism, gemm};
use num_complex::{Complex, ComplexFloat};
use std::ops::Add;

/// Products of fewer multiplications run on the caller's thread (waking another costs what 300,000 multiplications cost).
const PARALLEL_FROM: usize = 300_000;

/// Multiplications of a task of a matrix by a vector: 30 µs in the second-level cache, twice that in memory.
const VECTOR_TASK: usize = 1 << 17;
/// Tasks of one product of a matrix by a vector.
const VECTOR_TASKS: usize = 16;

/// Products by the name NumPy gives them in warnings.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Product {
    Dot,
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

/// Runs a batch of matrix products, and gives the flags they raised. The domain is `[batch…, m, n, k]`, all extents at least one except `k`.
pub(crate) fn run(dtype: DType, domain: &[usize], strides: &[isize], addresses: &[*mut u8]) -> FpFlags {
    let rank = domain.len();
    let batch = &domain[..rank - 3];
    let (m, n, k) = (domain[rank - 3], domain[rank - 2], domain[rank - 1]);
    let of = |operand: usize| &strides[operand * rank..][..rank];
    let (a, b, c) = (of(0), of(1), of(2));
    let total: usize = batch.iter().product();
    let mut at: Vec<usize> = vec![0; batch.len()];
    let mut raised = FpFlags::NONE;
    for _ in 0..total {
        let offset = |s: &[isize]| at.iter().zip(s).map(|(&i, &s)| i as isize * s).sum::<isize>();
        let one = One {
            m,
            n,
            k,
            a: (addresses[0].wrapping_offset(offset(a)), a[rank - 3], a[rank - 1]),
            b: (addresses[1].wrapping_offset(offset(b)), b[rank - 1], b[rank - 2]),
            c: (addresses[2].wrapping_offset(offset(c)), c[rank - 3], c[rank - 2]),
        };
        raised |= match dtype {
            DType::F32 => one.run::<f32>(0.0, 1.0),
            DType::F64 => one.run::<f64>(0.0, 1.0),
            DType::C64 => one.run::<Complex<f32>>(Complex::new(0.0, 0.0), Complex::new(1.0, 0.0)),
            DType::C128 => one.run::<Complex<f64>>(Complex::new(0.0, 0.0), Complex::new(1.0, 0.0)),
            other => unreachable!("products of {other} are folds"),
        };
        for axis in (0..batch.len()).rev() {
            at[axis] += 1;
            if at[axis] < batch[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
    raised
}

/// What `gemm` multiplies.
trait Element: Copy + Send + Sync + Add<Output = Self> + ComplexFloat + 'static {
    /// The flags that made such a number, if numbers did: none for finite ones.
    #[inline]
    fn shows(self) -> FpFlags {
        if self.is_finite() {
            FpFlags::NONE
        } else if self.is_nan() {
            FpFlags::OVERFLOW | FpFlags::INVALID
        } else {
            FpFlags::OVERFLOW
        }
    }
}
impl<T: Copy + Send + Sync + Add<Output = T> + ComplexFloat + 'static> Element for T {}

/// One product; each matrix by its address, row stride and column stride in bytes.
#[derive(Clone, Copy)]
struct One {
    m: usize,
    n: usize,
    k: usize,
    a: (*mut u8, isize, isize),
    b: (*mut u8, isize, isize),
    c: (*mut u8, isize, isize),
}

// SAFETY: the addresses are used by one product at a time, which hands disjoint parts of the destination to its threads.
unsafe impl Send for One {}
// SAFETY: as above.
unsafe impl Sync for One {}

impl One {
    /// Multiplies, and gives the flags raised.
    fn run<T: Element>(self, zero: T, one: T) -> FpFlags {
        let large = self.m * self.n * self.k >= PARALLEL_FROM;
        if large && threads::count() > 1 {
            self.compute(zero, one, true);
            let shown = self.shows::<T>();
            return if shown.is_empty() { shown } else { self.again(zero, one) & shown };
        }
        flags::clear();
        self.compute(zero, one, large);
        let raised = flags::read();
        if raised.is_empty() {
            return raised;
        }
        flags::clear();
        raised & (self.shows::<T>() | FpFlags::UNDERFLOW)
    }

    /// The flags that one thread raises.
    #[cold]
    fn again<T: Element>(self, zero: T, one: T) -> FpFlags {
        // To a place of its own: the sums of another division differ in their last bits.
        let mut place = vec![zero; self.m * self.n];
        let size = size_of::<T>() as isize;
        flags::clear();
        One { c: (place.as_mut_ptr().cast(), self.n as isize * size, size), ..self }.multiply(
            None,
            one,
            Parallelism::None,
        );
        let raised = flags::read();
        flags::clear();
        raised
    }

    /// What the elements of the result show.
    fn shows<T: Element>(self) -> FpFlags {
        let mut shown = FpFlags::NONE;
        for i in 0..self.m as isize {
            for j in 0..self.n as isize {
                // SAFETY: an element of the destination, aligned for T and written.
                shown |= unsafe { self.c.0.offset(i * self.c.1 + j * self.c.2).cast::<T>().read() }.shows();
            }
        }
        shown
    }

    fn compute<T: Element>(self, zero: T, one: T, large: bool) {
        if self.m == 1 || self.n == 1 {
            return self.run_vector(zero, one, large);
        }
        match large.then(threads::pool).flatten() {
            // Inside the pool: gemm's own default would be rayon's global pool, which does not survive a fork.
            Some(pool) => pool.install(move || self.multiply(None, one, Parallelism::Rayon(threads::count()))),
            None => self.multiply(None, one, Parallelism::None),
        }
    }

    /// A matrix by a vector, which `gemm` runs on one thread. It is divided by sizes and strides alone, so that any number of
    /// threads gives the same bits, and so that every task reads memory in its order: half as many columns of a row-major
    /// matrix take as long as all of them.
    fn run_vector<T: Element>(self, zero: T, one: T, large: bool) {
        let outputs = self.m * self.n;
        let (across, along) = if self.n == 1 { (self.a.1, self.a.2) } else { (self.b.2, self.b.1) };
        let tasks = if large { (outputs * self.k / VECTOR_TASK).clamp(1, VECTOR_TASKS) } else { 1 };
        if across.abs() >= along.abs() {
            let each = outputs.div_ceil(tasks);
            Pooled.run(outputs.div_ceil(each), &|task| {
                let start = task * each;
                let part = self.elements(start, each.min(outputs - start));
                part.clear(zero);
                part.multiply(Some(one), one, Parallelism::None);
            });
            return;
        }
        if tasks == 1 {
            self.clear(zero);
            return self.multiply(Some(one), one, Parallelism::None);
        }
        let each = self.k.div_ceil(tasks);
        let mut sums = vec![zero; self.k.div_ceil(each) * outputs];
        let places = Sums(sums.as_mut_ptr());
        Pooled.run(sums.len() / outputs, &|task| {
            let start = task * each;
            let at = places.get().wrapping_add(task * outputs).cast::<u8>();
            self.terms(start, each.min(self.k - start), at, size_of::<T>() as isize).multiply(
                Some(one),
                one,
                Parallelism::None,
            );
        });
        for i in 0..outputs {
            let sum = sums[i..].iter().step_by(outputs).skip(1).fold(sums[i], |sum, &part| sum + part);
            // SAFETY: element `i` of a destination of one column or one row, aligned for T.
            unsafe { self.element(i).cast::<T>().write(sum) };
        }
    }

    /// Some elements of a product that is a vector, with what they are made of.
    fn elements(self, start: usize, count: usize) -> One {
        if self.n == 1 {
            One { m: count, a: moved(self.a, start, self.a.1), c: moved(self.c, start, self.c.1), ..self }
        } else {
            One { n: count, b: moved(self.b, start, self.b.2), c: moved(self.c, start, self.c.2), ..self }
        }
    }

    /// Some terms of every element, to a vector elsewhere.
    fn terms(self, start: usize, count: usize, to: *mut u8, step: isize) -> One {
        One {
            k: count,
            a: moved(self.a, start, self.a.2),
            b: moved(self.b, start, self.b.1),
            c: (to, step, step),
            ..self
        }
    }

    /// Where an element of a product that is a vector is.
    fn element(self, i: usize) -> *mut u8 {
        self.c.0.wrapping_offset(i as isize * if self.n == 1 { self.c.1 } else { self.c.2 })
    }

    /// Zeros for a vector: `gemm` does not start from zero as every BLAS does, and would give -0.0 for a sum of such.
    fn clear<T: Element>(self, zero: T) {
        for i in 0..self.m * self.n {
            // SAFETY: element `i` of a destination of one column or one row, aligned for T.
            unsafe { self.element(i).cast::<T>().write(zero) };
        }
    }

    /// `c = keep * c + a @ b`; without `keep`, `c = a @ b`.
    fn multiply<T: Element>(self, keep: Option<T>, one: T, parallelism: Parallelism) {
        let One { m, n, k, a, b, c } = self;
        let step = |bytes: isize| bytes / size_of::<T>() as isize;
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
                parallelism,
            );
        }
    }
}

/// A matrix from its row or column `start` on, `step` bytes for each.
fn moved((at, rows, columns): (*mut u8, isize, isize), start: usize, step: isize) -> (*mut u8, isize, isize) {
    (at.wrapping_offset(start as isize * step), rows, columns)
}

/// Where partial sums go.
#[derive(Clone, Copy)]
struct Sums<T>(*mut T);

impl<T> Sums<T> {
    fn get(&self) -> *mut T {
        self.0
    }
}

// SAFETY: each task writes to its own part.
unsafe impl<T: Send> Sync for Sums<T> {}
