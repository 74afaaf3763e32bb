//! Population count of a mask: how many of its bytes are true.
//!
//! Reductions count a small boolean array by it, and [`crate::index`] sizes the result of stream compaction.

/// How many bytes of a mask are not zero.
///
/// Counts are bytes, which are widened before one can overflow: a quarter of the time of 64-bit counts.
pub(crate) fn count_true(mask: &[u8]) -> usize {
    /// Counters side by side.
    const COUNTERS: usize = 64;
    /// How often a counter of one byte may be incremented.
    const INCREMENTS: usize = u8::MAX as usize;
    let count_block = |mask: &[u8]| {
        let mut counts = [0u8; COUNTERS];
        let (rows, rest) = mask.as_chunks::<COUNTERS>();
        for row in rows {
            counts.iter_mut().zip(row).for_each(|(count, &flag)| *count += (flag != 0) as u8);
        }
        let rest = rest.iter().filter(|flag| **flag != 0).count();
        counts.iter().map(|&count| count as usize).sum::<usize>() + rest
    };
    mask.chunks(COUNTERS * INCREMENTS).map(count_block).sum()
}
