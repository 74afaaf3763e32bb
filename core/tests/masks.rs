//! What a mask selects: positions, compaction and expansion.

use fastnp::white_box::{compact, count_true, expand, write_positions};

/// Masks of several densities and lengths, with true bytes other than one.
fn masks() -> Vec<Vec<u8>> {
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        state >> 33
    };
    let lengths = [0, 1, 7, 8, 9, 63, 64, 65, 200, 1000, 20_000];
    let densities = [0, 1, 30, 500, 970, 1000];
    let pairs = lengths.into_iter().flat_map(|n| densities.map(|density| (n, density)));
    pairs.map(|(n, density)| (0..n).map(|_| ((random() % 1000 < density) as u8) << (random() % 8)).collect()).collect()
}

#[test]
fn what_a_mask_chooses() {
    for mask in masks() {
        let expected: Vec<i64> = (0..mask.len()).filter(|&i| mask[i] != 0).map(|i| i as i64).collect();
        let count = count_true(&mask);
        assert_eq!(count, expected.len());
        let mut positions = vec![-1; count];
        assert_eq!(write_positions(&mask, &mut positions), count);
        assert_eq!(positions, expected);
        for size in [1, 2, 4, 8, 16] {
            // Unaligned, and followed by bytes that must not change.
            let values: Vec<u8> = (0..mask.len() * size).map(|i| (i * 31 + i / 256) as u8).collect();
            let mut compacted = vec![0xEE; (count + 1) * size];
            let mut back = vec![0xEE; (mask.len() + 1) * size];
            // SAFETY: there is a value for each mask byte, and room for each selected one.
            unsafe {
                compact(values.as_ptr(), &mask, compacted.as_mut_ptr(), count, size);
                expand(compacted.as_ptr(), &mask, back.as_mut_ptr(), count, size);
            }
            let item = |i: usize| &values[i * size..][..size];
            let wanted: Vec<u8> = expected.iter().flat_map(|&i| item(i as usize).to_vec()).collect();
            assert_eq!(compacted[..count * size], wanted);
            assert!(compacted[count * size..].iter().all(|&byte| byte == 0xEE));
            let filled = (0..mask.len()).flat_map(|i| if mask[i] != 0 { item(i).to_vec() } else { vec![0xEE; size] });
            assert_eq!(back, filled.chain(vec![0xEE; size]).collect::<Vec<u8>>());
        }
    }
}
