//! Bins of equal width: for each number the bin that it is in, by NumPy's formula, corrected by the edges.

use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};

/// Writes the bin of each number, between edges that increase and are evenly spaced; the number of bins for numbers outside and for nan. A
/// number at the last edge is in the last bin.
///
/// # Panics
/// Where there are fewer than two edges, where the last is not above the first by a finite width, and where there are more numbers than room.
pub fn find_bins(edges: &[f64], numbers: &[f64], bins: &mut [i64]) {
    let (first, last) = (edges[0], edges[edges.len() - 1]);
    assert!(last > first && (last - first).is_finite(), "bins of a width");
    let bins = &mut bins[..numbers.len()];
    let run = lookup(Isa::detect());
    let (to, n) = (bins.as_mut_ptr().cast(), numbers.len());
    // SAFETY: there are so many numbers, bins and edges, which do not overlap, and the width is finite.
    unsafe { run(to, numbers.as_ptr().cast(), edges.as_ptr().cast(), std::ptr::null(), n, edges.len()) };
}

/// The loop for a level. Its arguments are (bins, numbers, edges, -, number of numbers, number of edges), as [`find_bins`] says.
pub fn lookup(isa: Isa) -> LoopFn {
    loop_for::<FindBins>(isa)
}

/// (bins, numbers, edges, -, number of numbers, number of edges)
struct FindBins;

impl InnerLoop for FindBins {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(
        out: *mut u8,
        numbers: *const u8,
        edges: *const u8,
        _c: *const u8,
        n: usize,
        m: usize,
    ) {
        // SAFETY: the caller passes so many numbers, bins and edges.
        let (numbers, edges, out) = unsafe {
            (
                std::slice::from_raw_parts(numbers.cast::<f64>(), n),
                std::slice::from_raw_parts(edges.cast::<f64>(), m),
                std::slice::from_raw_parts_mut(out.cast::<i64>(), n),
            )
        };
        let count = m as i64 - 1;
        let (first, last) = (edges[0], edges[m - 1]);
        let (width, factor) = (last - first, count as f64);
        for (bin, &x) in out.iter_mut().zip(numbers) {
            // No branches, so that several numbers are in a vector.
            let is_inside = (x >= first) & (x <= last);
            let position = (x - first) / width * factor;
            // SAFETY: of a number inside it is finite, not negative and at most the count.
            let at: i64 = unsafe { (if is_inside { position } else { 0.0 }).to_int_unchecked() };
            let at = at.min(count - 1);
            // SAFETY: it is a bin.
            let at = (at - i64::from(x < unsafe { *edges.get_unchecked(at as usize) })).max(0);
            // SAFETY: it is a bin, whose end is an edge.
            let end = unsafe { *edges.get_unchecked(at as usize + 1) };
            let at = at + i64::from((x >= end) & (at != count - 1));
            *bin = if is_inside { at } else { count };
        }
    }
}
