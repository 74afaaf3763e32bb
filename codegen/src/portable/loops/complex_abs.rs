//! Magnitudes of complex numbers, eight at a time. Chunks with a part infinite and the other nan take the scalar slow path.

use crate::DType;
use crate::math::{Number, complex};
use crate::portable::loops::element::Element;

/// Elements of a chunk.
pub(crate) const ABS_CHUNK: usize = 8;

/// Writes the magnitudes of a chunk. Returns false, and does nothing, if an element needs the slow path.
///
/// # Safety
/// `a` has [`ABS_CHUNK`] elements, and `out` room for as many of their parts' type.
#[inline(always)]
pub(crate) unsafe fn chunk<T: Element>(out: *mut u8, a: *const T) -> bool {
    // SAFETY: the casts are to what `T` is; the caller's contract.
    unsafe {
        match T::DTYPE {
            DType::C128 => magnitudes::<f64>(out.cast(), a.cast()),
            DType::C64 => magnitudes::<f32>(out.cast(), a.cast()),
            _ => false,
        }
    }
}

#[inline(always)]
unsafe fn magnitudes<R: Number>(out: *mut R, a: *const R) -> bool {
    // SAFETY: the caller's contract.
    let parts = |j: usize| unsafe { [a.add(2 * j).read(), a.add(2 * j + 1).read()] };
    let mut needs_scalar = false;
    for j in 0..ABS_CHUNK {
        needs_scalar |= complex::magnitude_needs_slow_path(parts(j));
    }
    if needs_scalar {
        return false;
    }
    let z: [R; ABS_CHUNK] = std::array::from_fn(|j| complex::magnitude(parts(j)));
    for (j, z) in z.into_iter().enumerate() {
        // SAFETY: the caller's contract.
        unsafe { out.add(j).write(z) };
    }
    true
}
