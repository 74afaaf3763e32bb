//! Fused multiply-add, rounded once on every machine: where none fuses the C library computes each element, some 20 ns.

use crate::DType;
use crate::drive::isa::{Isa, Loop, Routine, Rowwise, pick};
use crate::drive::vector_hints::{put, stay_scalar};
use std::marker::PhantomData;

/// A float that multiplies and adds at once.
trait Fuse: Copy {
    fn fuse(self, b: Self, c: Self) -> Self;
}

impl Fuse for f32 {
    #[inline(always)]
    fn fuse(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl Fuse for f64 {
    #[inline(always)]
    fn fuse(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}

/// `out[i] = a[i] * b[i] + c[i]`, in chunks of `N` as [`crate::portable::loops::elementwise::in_chunks`].
struct Fused<T, const N: usize>(PhantomData<T>);

impl<T: Fuse, const N: usize> Routine for Fused<T, N> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        let (out, a, b, c) = (out.cast::<T>(), a.cast::<T>(), b.cast::<T>(), c.cast::<T>());
        // SAFETY: the caller passes buffers of `n` elements, `out` apart from the others or one of them.
        unsafe {
            let at = |i: usize| a.add(i).read().fuse(b.add(i).read(), c.add(i).read());
            if n < N {
                for i in 0..n {
                    stay_scalar();
                    out.add(i).write(at(i));
                }
                return;
            }
            // The last chunk first, so that `out` may be a source.
            let last = n - N;
            let end: [T; N] = std::array::from_fn(|j| at(last + j));
            let mut i = 0;
            while i < last {
                stay_scalar();
                let z: [T; N] = std::array::from_fn(|j| at(i + j));
                put(out.add(i), z);
                i += N;
            }
            put(out.add(last), end);
        }
    }
}

/// The loop of a type.
pub(crate) fn lookup(dtype: DType, isa: Isa) -> Option<Loop> {
    match dtype {
        DType::F32 => Some(pick::<Rowwise<Fused<f32, 16>>>(isa)),
        DType::F64 => Some(pick::<Rowwise<Fused<f64, 8>>>(isa)),
        _ => None,
    }
}
