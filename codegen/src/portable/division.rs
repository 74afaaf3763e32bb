//! Division that rounds, eight elements at a time where they are ordinary.
//!
//! `fmod` is a loop of bits and `idiv` a serial instruction (5 and 2 ns an element); a vector division takes 0.8. The
//! quotient of doubles, truncated, is the right one or one too large in magnitude, the fused `x - t * y` is exact, and one
//! addition mends it. Integers of up to 50 bits divide as floats ([`crate::math::division`]).
//! Whatever is not so ordinary, zero divisors first of all, makes a chunk go the scalar way.
//!
//! What is ordinary is asked of the bits: comparing floats would raise the invalid flag for a nan.

#![allow(clippy::needless_range_loop)] // arrays and memory run along with the index

use super::element::Element;
use crate::math::division::{floor_quotient, floor_rest, rest};
use crate::{DType, Op};

/// Elements of a chunk.
pub(crate) const CHUNK: usize = 8;

/// Whether an op is a division that rounds.
pub(crate) const fn is_division(op: Op) -> bool {
    matches!(op, Op::FloorDivide | Op::Remainder | Op::Fmod)
}

/// Divides a chunk, if its type has a fast way and its elements are ordinary; else does nothing and says so.
///
/// # Safety
/// The pointers are valid for [`CHUNK`] elements, and `out` overlaps no other.
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

/// Whether a dividend and a divisor are not finite, or the divisor or the quotient near an end of the range.
#[inline(always)]
fn is_odd(x: f64, y: f64) -> bool {
    let (x, y) = (x.to_bits() << 1 >> 1, y.to_bits() << 1 >> 1);
    const TINY: u64 = (1023 - 500) << 52;
    const HUGE: u64 = (1023 + 500) << 52;
    (x > HUGE) | (y.wrapping_sub(TINY) > HUGE - TINY) | (x as i64 - y as i64 > 50 << 52)
}

/// `fmod` of ordinary doubles, a zero unsigned.
#[inline(always)]
fn rest_of(x: f64, y: f64) -> f64 {
    let rest = (-(x / y).trunc()).mul_add(y, x);
    let beyond = (rest != 0.0) & ((rest < 0.0) != (x < 0.0));
    rest + if beyond { y.abs().copysign(x) } else { 0.0 }
}

macro_rules! floats {
    ($name:ident $T:ident) => {
        #[inline(always)]
        unsafe fn $name(op: Op, out: *mut $T, a: *const $T, b: *const $T) -> bool {
            // SAFETY: the caller's contract.
            let load = |p: *const $T, j: usize| unsafe { p.add(j).read() };
            let mut odd = 0u64;
            for j in 0..CHUNK {
                odd |= is_odd(load(a, j) as f64, load(b, j) as f64) as u64;
            }
            if odd != 0 {
                return false;
            }
            let mut z: [$T; CHUNK] = [0.0; CHUNK];
            for j in 0..CHUNK {
                let (x, y) = (load(a, j), load(b, j));
                let rest = rest_of(x as f64, y as f64) as $T;
                let mixed = (rest != 0.0) & ((rest < 0.0) != (y < 0.0));
                z[j] = match op {
                    Op::Fmod => rest.copysign(x),
                    Op::Remainder => {
                        let same = if mixed { rest + y } else { rest };
                        if rest == 0.0 { same.copysign(y) } else { same }
                    }
                    _ => {
                        let quotient = (x - rest) / y - if mixed { 1.0 } else { 0.0 };
                        let whole = quotient.floor();
                        let whole = whole + if quotient - whole > 0.5 { 1.0 } else { 0.0 };
                        if quotient == 0.0 { whole.copysign(x / y) } else { whole }
                    }
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
    ($($name:ident: $T:ident, $F:ident, $Whole:ident, |$x:ident, $y:ident| $odd:expr;)*) => {$(
        #[inline(always)]
        unsafe fn $name(op: Op, out: *mut $T, a: *const $T, b: *const $T) -> bool {
            // SAFETY: the caller's contract.
            let load = |p: *const $T, j: usize| unsafe { p.add(j).read() };
            let mut odd = false;
            for j in 0..CHUNK {
                let ($x, $y) = (load(a, j), load(b, j));
                odd |= $odd;
            }
            if odd {
                return false;
            }
            let mut z: [$T; CHUNK] = [0; CHUNK];
            for j in 0..CHUNK {
                let (x, y) = (load(a, j) as $F, load(b, j) as $F);
                let whole = match op {
                    Op::FloorDivide => floor_quotient(x, y),
                    Op::Remainder => floor_rest(x, y),
                    _ => rest(x, y),
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

/// Half of the integers that divide as doubles.
const LONG: u64 = 1 << 50;

integers! {
    bytes: i8, f32, i32, |x, y| (y == 0) | ((y == -1) & (x == i8::MIN));
    unsigned_bytes: u8, f32, i32, |_x, y| y == 0;
    shorts: i16, f32, i32, |x, y| (y == 0) | ((y == -1) & (x == i16::MIN));
    unsigned_shorts: u16, f32, i32, |_x, y| y == 0;
    // The most negative number divided by minus one has no quotient.
    ints: i32, f64, i32, |x, y| (y == 0) | ((y == -1) & (x == i32::MIN));
    unsigned_ints: u32, f64, i64, |_x, y| y == 0;
    longs: i64, f64, i64, |x, y| {
        (x.wrapping_add(LONG as i64) as u64 > 2 * LONG) | (y.wrapping_add(LONG as i64) as u64 > 2 * LONG) | (y == 0)
    };
    unsigned_longs: u64, f64, i64, |x, y| (x > LONG) | (y > LONG) | (y == 0);
}
