//! Matrix products through the `gemm` crate.

use crate::threads;
use fastnp_codegen::DType;
use gemm::{Parallelism, gemm};
use num_complex::Complex;

/// Products of fewer multiplications run on the caller's thread (waking another costs what 300,000 multiplications cost).
const PARALLEL_FROM: usize = 300_000;

/// Runs a batch of matrix products. The domain is `[batch…, m, n, k]`, all extents at least one except `k`.
pub(crate) fn run(dtype: DType, domain: &[usize], strides: &[isize], addresses: &[*mut u8]) {
    let rank = domain.len();
    let batch = &domain[..rank - 3];
    let (m, n, k) = (domain[rank - 3], domain[rank - 2], domain[rank - 1]);
    let of = |operand: usize| &strides[operand * rank..][..rank];
    let (a, b, c) = (of(0), of(1), of(2));
    let total: usize = batch.iter().product();
    let mut at: Vec<usize> = vec![0; batch.len()];
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
        match dtype {
            DType::F32 => one.run::<f32>(0.0, 1.0),
            DType::F64 => one.run::<f64>(0.0, 1.0),
            DType::C64 => one.run::<Complex<f32>>(Complex::new(0.0, 0.0), Complex::new(1.0, 0.0)),
            DType::C128 => one.run::<Complex<f64>>(Complex::new(0.0, 0.0), Complex::new(1.0, 0.0)),
            other => unreachable!("products of {other} are folds"),
        }
        for axis in (0..batch.len()).rev() {
            at[axis] += 1;
            if at[axis] < batch[axis] {
                break;
            }
            at[axis] = 0;
        }
    }
}

/// One product; each matrix by its address, row stride and column stride in bytes.
struct One {
    m: usize,
    n: usize,
    k: usize,
    a: (*mut u8, isize, isize),
    b: (*mut u8, isize, isize),
    c: (*mut u8, isize, isize),
}

impl One {
    fn run<T: Copy + Send + Sync + 'static>(&self, zero: T, one: T) {
        let pool = (self.m * self.n * self.k >= PARALLEL_FROM).then(threads::pool).flatten();
        let this = Shared(self);
        let go = move |parallelism| {
            let One { m, n, k, a, b, c } = this.get();
            let step = |bytes: isize| bytes / size_of::<T>() as isize;
            // For a vector `gemm` does not start from zero as every BLAS does, and would give -0.0 for a sum of such.
            let vector = *m == 1 || *n == 1;
            if vector {
                for i in 0..(*m).max(*n) as isize {
                    let at = c.0.wrapping_offset(i * if *n == 1 { c.1 } else { c.2 });
                    // SAFETY: row or column `i` of a destination of one column or one row, aligned for T.
                    unsafe { at.cast::<T>().write(zero) };
                }
            }
            // SAFETY: the planner gives addresses and strides that stay within their storages over the domain, and the
            // destination overlaps neither factor.
            unsafe {
                gemm(
                    *m,
                    *n,
                    *k,
                    c.0.cast::<T>(),
                    step(c.2),
                    step(c.1),
                    vector,
                    a.0.cast::<T>(),
                    step(a.2),
                    step(a.1),
                    b.0.cast::<T>(),
                    step(b.2),
                    step(b.1),
                    if vector { one } else { zero },
                    one,
                    false,
                    false,
                    false,
                    parallelism,
                );
            }
        };
        match pool {
            // Inside the pool: gemm's own default would be rayon's global pool, which does not survive a fork.
            Some(pool) => pool.install(move || go(Parallelism::Rayon(threads::count()))),
            None => go(Parallelism::None),
        }
    }
}

#[derive(Clone, Copy)]
struct Shared<'a>(&'a One);

impl<'a> Shared<'a> {
    fn get(&self) -> &'a One {
        self.0
    }
}

// SAFETY: the addresses are used by one product at a time, which hands disjoint parts of the destination to its threads.
unsafe impl Send for Shared<'_> {}
