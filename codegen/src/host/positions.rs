//! Bounds of positions along an axis.

use crate::drive::isa::{InnerLoop, Isa, loop_for};

/// The signs of positions and of their distances to the last one, combined: negative if any position is, or is beyond the last.
pub fn combined_signs(positions: &[i64], last: i64) -> i64 {
    let (mut signs, run) = (0i64, loop_for::<CombinedSigns>(Isa::detect()));
    let (to, last) = ((&raw mut signs).cast(), (&raw const last).cast());
    // SAFETY: there are so many positions, and the numbers live.
    unsafe { run(to, positions.as_ptr().cast(), last, std::ptr::null(), positions.len(), 0) };
    signs
}

/// (signs, positions, last, -, number of positions, -)
struct CombinedSigns;

impl InnerLoop for CombinedSigns {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, _c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes so many positions, the last one, and room for the signs.
        unsafe {
            let (positions, last) = (std::slice::from_raw_parts(a.cast::<i64>(), n), *b.cast::<i64>());
            *out.cast::<i64>() = positions.iter().fold(0, |signs, &i| signs | i | last.wrapping_sub(i));
        }
    }
}
