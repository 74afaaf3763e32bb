//! Rounding divisions (floor division, remainder, fmod), eight elements at a time.
//!
//! `fmod` is a loop over bits and `idiv` a serial instruction (5 and 2 ns an element); a vector division takes 0.8, and its correction
//! little more ([`crate::math::division`]). A chunk with an element that needs the slow path, such as a zero divisor, is computed by
//! scalars. The test compares bits: comparing floats would raise the invalid flag for a nan.

#![allow(clippy::needless_range_loop)] // arrays and memory are indexed together

use crate::math::division;
use crate::portable::loops::element::Element;
use crate::{DType, Op};

/// Elements of a chunk.
pub(crate) const REMAINDER_CHUNK: usize = 8;

/// Whether an op is a rounding division.
pub(crate) const fn is_division(op: Op) -> bool {
    matches!(op, Op::FloorDivide | Op::Remainder | Op::Fmod)
}

/// Divides a chunk. Returns false, and does nothing, if the type has no fast path or an element needs the slow path.
///
/// # Safety
/// The pointers are valid for [`REMAINDER_CHUNK`] elements, and `out` overlaps no other.
#[inline(always)]
pub(crate) unsafe fn chunk<T: Element, const FMA: bool>(op: Op, out: *mut T, a: *const T, b: *const T) -> bool {
    // SAFETY: the casts are to what `T` is; the caller's contract.
    unsafe {
        match T::DTYPE {
            DType::F64 if FMA => doubles(op, out.cast(), a.cast(), b.cast()),
            DType::F32 if FMA => singles(op, out.cast(), a.cast(), b.cast()),
            DType::I64 => longs(op, out.cast(), a.cast(), b.cast()),
            DType::U64 => unsigned_longs(op, out.cast(), a.cast(), b.cast()),
            DType::I32 => ints(op, out.cast(), a.cast(), b.cast()),
            DType::U32 => unsigned_ints(op, out.cast(), a.cast(), b.cast()),
            DType::I16 => shorts(op, out.cast(), a.cast(), b.cast()),
            DType::U16 => unsigned_shorts(op, out.cast(), a.cast(), b.cast()),
            DType::I8 => bytes(op, out.cast(), a.cast(), b.cast()),
            DType::U8 => unsigned_bytes(op, out.cast(), a.cast(), b.cast()),
            _ => false,
        }
    }
}

macro_rules! floats {
    ($name:ident $T:ident) => {
        #[inline(always)]
        unsafe fn $name(op: Op, out: *mut $T, a: *const $T, b: *const $T) -> bool {
            // SAFETY: the caller's contract.
            let load = |p: *const $T, j: usize| unsafe { p.add(j).read() };
            let mut needs_scalar = false;
            for j in 0..REMAINDER_CHUNK {
                needs_scalar |= division::needs_slow_path(load(a, j), load(b, j));
            }
            if needs_scalar {
                return false;
            }
            let mut z: [$T; REMAINDER_CHUNK] = [0.0; REMAINDER_CHUNK];
            for j in 0..REMAINDER_CHUNK {
                let (x, y) = (load(a, j), load(b, j));
                z[j] = match op {
                    Op::Fmod => division::fmod(x, y),
                    Op::Remainder => division::remainder(x, y),
                    _ => division::floor_divide(x, y),
                };
            }
            for (j, z) in z.into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { out.add(j).write(z) };
            }
            true
        }
    };
}

floats!(doubles f64);
floats!(singles f32);

macro_rules! integers {
    ($($name:ident: $T:ident, $F:ident, $Whole:ident, |$x:ident, $y:ident| $needs_scalar:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name(op: Op, out: *mut $T, a: *const $T, b: *const $T) -> bool {
            // SAFETY: the caller's contract.
            let load = |p: *const $T, j: usize| unsafe { p.add(j).read() };
            let mut needs_scalar = false;
            for j in 0..REMAINDER_CHUNK {
                let ($x, $y) = (load(a, j), load(b, j));
                needs_scalar |= $needs_scalar;
            }
            if needs_scalar {
                return false;
            }
            let mut z: [$T; REMAINDER_CHUNK] = [0; REMAINDER_CHUNK];
            for j in 0..REMAINDER_CHUNK {
                let (x, y) = (load(a, j) as $F, load(b, j) as $F);
                let whole = match op {
                    Op::FloorDivide => division::floor_quotient(x, y),
                    Op::Remainder => division::floor_rest(x, y),
                    _ => division::rest(x, y),
                };
                // SAFETY: no larger in magnitude than the arguments.
                z[j] = unsafe { whole.to_int_unchecked::<$Whole>() } as $T;
            }
            for (j, z) in z.into_iter().enumerate() {
                // SAFETY: the caller's contract.
                unsafe { out.add(j).write(z) };
            }
            true
        }
    )*};
}

/// Integers up to this size divide exactly as doubles.
const EXACT_CHUNK_DIVIDENDS: u64 = 1 << 50;

integers! {
    bytes: i8, f32, i32, |x, y| (y == 0) | ((y == -1) & (x == i8::MIN));
    unsigned_bytes: u8, f32, i32, |_x, y| y == 0;
    shorts: i16, f32, i32, |x, y| (y == 0) | ((y == -1) & (x == i16::MIN));
    unsigned_shorts: u16, f32, i32, |_x, y| y == 0;
    // The most negative number divided by minus one has no quotient.
    ints: i32, f64, i32, |x, y| (y == 0) | ((y == -1) & (x == i32::MIN));
    unsigned_ints: u32, f64, i64, |_x, y| y == 0;
    longs: i64, f64, i64, |x, y| {
        (x.wrapping_add(EXACT_CHUNK_DIVIDENDS as i64) as u64 > 2 * EXACT_CHUNK_DIVIDENDS) | (y.wrapping_add(EXACT_CHUNK_DIVIDENDS as i64) as u64 > 2 * EXACT_CHUNK_DIVIDENDS) | (y == 0)
    };
    unsigned_longs: u64, f64, i64, |x, y| (x > EXACT_CHUNK_DIVIDENDS) | (y > EXACT_CHUNK_DIVIDENDS) | (y == 0);
}
