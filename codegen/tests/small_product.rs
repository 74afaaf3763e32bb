//! Small products beside sums written out, for every shape of a block.

use approx::assert_relative_eq;
use fastnp_codegen::DType;
use fastnp_codegen::host::small_product::SmallProduct;

/// A product of every number of rows and columns of a block, and of several blocks, with rows of all matrices longer than they are.
#[test]
fn every_block_is_multiplied_and_nothing_else_is_written() {
    if !SmallProduct::supports(DType::F64) {
        return;
    }
    for (m, k, n) in (1..=9).flat_map(|m| [0, 1, 7].into_iter().flat_map(move |k| (1..=26).map(move |n| (m, k, n)))) {
        let (left, right, width) = (k + 2, n + 3, n + 1);
        let a: Vec<f64> = (0..m * left).map(|i| (i * 7 % 11) as f64 - 5.0).collect();
        let b: Vec<f64> = (0..k * right).map(|i| (i * 5 % 13) as f64 / 4.0).collect();
        let mut out = vec![9.0; m * width];
        let bytes = |elements: usize| (elements * size_of::<f64>()) as isize;
        let product = SmallProduct {
            a: (a.as_ptr().cast(), [bytes(left), bytes(1)]),
            b: (b.as_ptr().cast(), bytes(right)),
            out: (out.as_mut_ptr().cast(), bytes(width)),
            size: (m, k, n),
        };
        // SAFETY: the matrices have so many rows and columns.
        unsafe { product.run(DType::F64) };
        for (i, row) in out.chunks(width).enumerate() {
            for (j, &found) in row[..n].iter().enumerate() {
                let terms = (0..k).map(|t| a[i * left + t] * b[t * right + j]);
                assert_relative_eq!(found, terms.sum::<f64>(), epsilon = 1e-12);
            }
            assert_eq!(row[n], 9.0, "the element past row {i} of {m} × {k} × {n}");
        }
    }
}

#[test]
fn singles_are_multiplied_by_columns_of_the_left_factor() {
    if !SmallProduct::supports(DType::F32) {
        return;
    }
    let (m, k, n) = (19, 5, 53);
    let a: Vec<f32> = (0..m * k).map(|i| (i % 9) as f32 - 4.0).collect();
    let b: Vec<f32> = (0..k * n).map(|i| (i % 7) as f32 / 2.0).collect();
    let mut out = vec![0f32; m * n];
    let bytes = |elements: usize| (elements * size_of::<f32>()) as isize;
    let product = SmallProduct {
        a: (a.as_ptr().cast(), [bytes(1), bytes(m)]),
        b: (b.as_ptr().cast(), bytes(n)),
        out: (out.as_mut_ptr().cast(), bytes(n)),
        size: (m, k, n),
    };
    // SAFETY: the matrices have so many rows and columns.
    unsafe { product.run(DType::F32) };
    for (at, &found) in out.iter().enumerate() {
        let expected: f32 = (0..k).map(|t| a[t * m + at / n] * b[t * n + at % n]).sum();
        assert_eq!(found, expected, "element {at}");
    }
}
