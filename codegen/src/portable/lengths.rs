//! Magnitudes of complex numbers, eight at a time where their squares neither overflow nor vanish.
//!
//! The root of the sum of squares is within one ulp of the truth there, as the C library's `hypot` is, and takes a fifth of
//! its 5 ns. Anything else (asked of the bits, as comparing floats would raise a flag for a nan) goes the scalar way. Single
//! precision is computed in double, where all finite numbers are ordinary.

use super::element::Element;
use crate::DType;

/// Elements of a chunk.
pub(crate) const CHUNK: usize = 8;

/// Writes the magnitudes of a chunk, if all are ordinary; else does nothing and says so.
///
/// # Safety
/// `a` has [`CHUNK`] elements, and `out` room for as many of their parts' type.
#[inline(always)]
pub(crate) unsafe fn chunk<T: Element>(out: *mut u8, a: *const T) -> bool {
    // SAFETY: the casts are to what `T` is; the caller's contract.
    unsafe {
        match T::DTYPE {
            DType::C128 => doubles(out.cast(), a.cast()),
            DType::C64 => singles(out.cast(), a.cast()),
            _ => false,
        }
    }
}

#[inline(always)]
unsafe fn doubles(out: *mut f64, a: *const f64) -> bool {
    const TINY: u64 = (1023 - 480) << 53;
    const HUGE: u64 = (1023 + 510) << 53;
    // SAFETY: the caller's contract.
    let part = |j: usize| unsafe { a.add(j).read() };
    let mut odd = 0u64;
    for j in 0..CHUNK {
        let larger = (part(2 * j).to_bits() << 1).max(part(2 * j + 1).to_bits() << 1);
        odd |= ((larger.wrapping_sub(TINY) > HUGE - TINY) & (larger != 0)) as u64;
    }
    if odd != 0 {
        return false;
    }
    let z: [f64; CHUNK] = std::array::from_fn(|j| {
        let (re, im) = (part(2 * j), part(2 * j + 1));
        (re * re + im * im).sqrt()
    });
    for (j, z) in z.into_iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { out.add(j).write(z) };
    }
    true
}

#[inline(always)]
unsafe fn singles(out: *mut f32, a: *const f32) -> bool {
    // SAFETY: the caller's contract.
    let part = |j: usize| unsafe { a.add(j).read() };
    let mut odd = 0u32;
    for j in 0..2 * CHUNK {
        odd |= (part(j).to_bits() << 1 >= 0xff << 24) as u32;
    }
    if odd != 0 {
        return false;
    }
    let z: [f32; CHUNK] = std::array::from_fn(|j| {
        let (re, im) = (part(2 * j) as f64, part(2 * j + 1) as f64);
        (re * re + im * im).sqrt() as f32
    });
    for (j, z) in z.into_iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { out.add(j).write(z) };
    }
    true
}
