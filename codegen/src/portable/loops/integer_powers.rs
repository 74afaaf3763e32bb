//! Powers of integers, eight at a time if they have one exponent: multiplications are vectors then, and the exponent is tested once for
//! all. `i ** 3` of int64 took 1.4 ns an element one by one.

#![allow(clippy::needless_range_loop)] // arrays and memory are indexed together

use crate::DType;
use crate::portable::loops::element::Element;

/// Elements of a chunk.
pub(crate) const POWER_CHUNK: usize = crate::portable::loops::remainder::REMAINDER_CHUNK;

/// Computes a chunk. Returns false, and does nothing, unless the type is an integer and all exponents are equal and not negative.
///
/// # Safety
/// The pointers are valid for [`POWER_CHUNK`] elements, and `out` overlaps no other.
#[inline(always)]
pub(crate) unsafe fn chunk<T: Element>(out: *mut T, a: *const T, b: *const T) -> bool {
    // SAFETY: the casts are to what `T` is; the caller's contract.
    unsafe {
        match T::DTYPE {
            DType::I8 => i8s(out.cast(), a.cast(), b.cast()),
            DType::U8 => u8s(out.cast(), a.cast(), b.cast()),
            DType::I16 => i16s(out.cast(), a.cast(), b.cast()),
            DType::U16 => u16s(out.cast(), a.cast(), b.cast()),
            DType::I32 => i32s(out.cast(), a.cast(), b.cast()),
            DType::U32 => u32s(out.cast(), a.cast(), b.cast()),
            DType::I64 => i64s(out.cast(), a.cast(), b.cast()),
            DType::U64 => u64s(out.cast(), a.cast(), b.cast()),
            DType::Bool | DType::F16 | DType::F32 | DType::F64 | DType::C64 | DType::C128 => false,
        }
    }
}

macro_rules! powers {
    ($($name:ident: $T:ident;)*) => {$(
        #[allow(unused_comparisons)] // for the types that are unsigned
        #[inline(always)]
        unsafe fn $name(out: *mut $T, a: *const $T, b: *const $T) -> bool {
            // SAFETY: the caller's contract.
            let load = |p: *const $T, j: usize| unsafe { p.add(j).read() };
            let exponent = load(b, 0);
            let mut others = 0;
            for j in 1..POWER_CHUNK {
                others |= load(b, j) ^ exponent;
            }
            if others != 0 || exponent < 0 {
                return false;
            }
            let (mut base, mut z, mut left) = ([0; POWER_CHUNK], [1; POWER_CHUNK], exponent);
            for j in 0..POWER_CHUNK {
                base[j] = load(a, j);
            }
            while left != 0 {
                if left & 1 != 0 {
                    for j in 0..POWER_CHUNK {
                        z[j] = $T::wrapping_mul(z[j], base[j]);
                    }
                }
                left >>= 1;
                for j in 0..POWER_CHUNK {
                    base[j] = $T::wrapping_mul(base[j], base[j]);
                }
            }
            for (j, z) in z.into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { out.add(j).write(z) };
            }
            true
        }
    )*};
}

powers! { i8s: i8; u8s: u8; i16s: i16; u16s: u16; i32s: i32; u32s: u32; i64s: i64; u64s: u64; }
