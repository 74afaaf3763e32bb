//! Bins of equal width at every level of instructions.

use fastnp_codegen::white_box::{Isa, bins_loop};

#[test]
fn numbers_at_edges_are_in_the_bin_above_and_those_outside_in_none() {
    let edges: Vec<f64> = (0..=30).map(|i| 0.1 * f64::from(i)).collect();
    let numbers: Vec<f64> = edges.iter().copied().chain([-0.5, 3.5, f64::NAN, -0.0, f64::INFINITY, 2.95]).collect();
    for isa in Isa::available() {
        let mut bins = vec![77i64; numbers.len() + 1];
        let (from, at) = (numbers.as_ptr().cast(), edges.as_ptr().cast());
        // SAFETY: there are so many numbers and edges, a bin for each number, and the edges are of a finite width.
        unsafe {
            bins_loop(isa)(bins.as_mut_ptr().cast(), from, at, std::ptr::null(), numbers.len(), edges.len());
        }
        let expected = (0..30).chain([29]).chain([30, 30, 30, 0, 30, 29, 77]);
        assert!(bins.iter().copied().eq(expected), "{bins:?}");
    }
}
