//! Fused multiply-add, rounded once on every machine: without the instruction the C library computes each element in some 20 ns.

use crate::DType;
use crate::drive::isa::{EachRow, InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::{inhibit_vectorization, store_chunk};
use std::marker::PhantomData;

/// A float with fused multiply-add.
trait MultiplyAdd: Copy {
    fn jit(self, b: Self, c: Self) -> Self;
}

impl MultiplyAdd for f32 {
    #[inline(always)]
    fn jit(self, b: f32, c: f32) -> f32 {
        self.mul_add(b, c)
    }
}

impl MultiplyAdd for f64 {
    #[inline(always)]
    fn jit(self, b: f64, c: f64) -> f64 {
        self.mul_add(b, c)
    }
}

/// `out[i] = a[i] * b[i] + c[i]`, in chunks of `N` as [`crate::portable::loops::elementwise::in_chunks`].
struct MultiplyAddLoop<T, const N: usize>(PhantomData<T>);

impl<T: MultiplyAdd, const N: usize> InnerLoop for MultiplyAddLoop<T, N> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        let (out, a, b, c) = (out.cast::<T>(), a.cast::<T>(), b.cast::<T>(), c.cast::<T>());
        // SAFETY: the caller passes buffers of `n` elements, `out` overlaps none of the others or is one of them.
        unsafe {
            let at = |i: usize| a.add(i).read().jit(b.add(i).read(), c.add(i).read());
            if n < N {
                for i in 0..n {
                    inhibit_vectorization();
                    out.add(i).write(at(i));
                }
                return;
            }
            // The last chunk first, so that `out` may be a source.
            let last = n - N;
            let end: [T; N] = std::array::from_fn(|j| at(last + j));
            let mut i = 0;
            while i < last {
                inhibit_vectorization();
                let z: [T; N] = std::array::from_fn(|j| at(i + j));
                store_chunk(out.add(i), z);
                i += N;
            }
            store_chunk(out.add(last), end);
        }
    }
}

/// The loop of a type.
pub(crate) fn lookup(dtype: DType, isa: Isa) -> Option<LoopFn> {
    match dtype {
        DType::F32 => Some(loop_for::<EachRow<MultiplyAddLoop<f32, 16>>>(isa)),
        DType::F64 => Some(loop_for::<EachRow<MultiplyAddLoop<f64, 8>>>(isa)),
        _ => None,
    }
}
