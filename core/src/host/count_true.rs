//! Population count of a byte mask.

/// Number of non-zero bytes of a mask. Counted in bytes for as long as none overflows, which takes a quarter of the time.
pub fn count_true(mask: &[u8]) -> usize {
    /// Counts kept side by side, and how often each may grow.
    const LANES: usize = 64;
    const TIMES: usize = u8::MAX as usize;
    let few = |mask: &[u8]| {
        let mut counts = [0u8; LANES];
        let (rows, rest) = mask.as_chunks::<LANES>();
        for row in rows {
            counts.iter_mut().zip(row).for_each(|(count, &flag)| *count += (flag != 0) as u8);
        }
        let rest = rest.iter().filter(|flag| **flag != 0).count();
        counts.iter().map(|&count| count as usize).sum::<usize>() + rest
    };
    mask.chunks(LANES * TIMES).map(few).sum()
}
