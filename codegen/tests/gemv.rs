//! Gemv at every level of instructions: sums add their terms in the order of rows.

use fastnp_codegen::DType;
use fastnp_codegen::host::gemv::Gemv;
use fastnp_codegen::white_box::{Isa, gemv_loop};

#[test]
fn rows_are_added_in_order_whatever_is_done_together() {
    for (count, columns) in [(1, 1), (7, 40), (8, 15), (21, 33), (64, 16)] {
        let matrix: Vec<f64> = (0..count * 50).map(|i| ((i * 37 % 101) as f64).sqrt()).collect();
        let factors: Vec<f64> = (0..count * 3).map(|i| 1.0 / (i + 1) as f64).collect();
        for isa in Isa::available() {
            let mut sums = vec![1.0; columns];
            let gemv =
                Gemv { rows: (matrix.as_ptr().cast(), 400), factors: (factors.as_ptr().cast(), 24), count, columns };
            let run = gemv_loop(DType::F64, isa).unwrap();
            let (rows, factors_at) = (gemv.rows.0, gemv.factors.0);
            // SAFETY: there are so many rows of 50 elements, three times as many factors, and the sums.
            unsafe {
                run(sums.as_mut_ptr().cast(), rows, factors_at, (&raw const gemv).cast(), columns, count);
            }
            for (j, &sum) in sums.iter().enumerate() {
                let term = |sum: f64, i: usize| match isa {
                    Isa::Baseline => factors[3 * i] * matrix[50 * i + j] + sum,
                    #[cfg(target_arch = "x86_64")]
                    Isa::V3 | Isa::V4 => factors[3 * i].mul_add(matrix[50 * i + j], sum),
                };
                assert_eq!(sum, (0..count).fold(1.0, term), "{isa:?} {count} {columns} {j}");
            }
        }
    }
}
