//! The multiplier and shift that replace a division in kernels' texts.

use fastnp_codegen::white_box::reciprocal;

#[test]
fn products_with_reciprocals_divide() {
    for d in (2..3000).chain([65_535, 65_536, 1 << 30, (1 << 31) - 1]) {
        let (m, s) = reciprocal(d);
        for n in [0, 1, d - 1, d, d.saturating_add(1), 2 * (d / 2), 1 << 30, (1 << 31) - 2, (1 << 31) - 1] {
            assert_eq!((((u64::from(n) * u64::from(m)) >> 32) as u32) >> s, n / d, "{n} / {d}");
        }
    }
}
