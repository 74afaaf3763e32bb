//! Gemv and products of few rows at every level of instructions: sums add their terms in the order of rows, inner products in lanes.

use fastnp_codegen::DType;
use fastnp_codegen::host::few_terms::{FewTerms, MAX_TERMS};
use fastnp_codegen::host::gemv::Gemv;
use fastnp_codegen::host::inner_products::InnerProducts;
use fastnp_codegen::host::skinny_product::SkinnyProduct;
use fastnp_codegen::white_box::{Isa, few_terms_loop, gemv_loop, inner_loop, skinny_loop};

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

#[test]
fn few_terms_are_added_in_order() {
    for terms in 2..=MAX_TERMS {
        for count in [1, 3, 8, 37] {
            let matrix: Vec<f64> = (0..count * terms).map(|i| ((i * 37 % 101) as f64).sqrt() - 4.0).collect();
            let factors: Vec<f64> = (0..terms * 3).map(|i| 1.0 / (i + 1) as f64).collect();
            for isa in Isa::available() {
                let mut sums = vec![1.0; count];
                let rows = matrix.as_ptr().cast();
                let product = FewTerms { rows, factors: (factors.as_ptr().cast(), 24), size: (count, terms) };
                let run = few_terms_loop(DType::F64, terms, isa).unwrap();
                // SAFETY: there are so many rows of so many elements, three times as many factors, and the sums.
                unsafe {
                    run(sums.as_mut_ptr().cast(), rows, product.factors.0, (&raw const product).cast(), 0, 0);
                }
                for (i, &sum) in sums.iter().enumerate() {
                    let term = |sum: f64, k: usize| match isa {
                        Isa::Baseline => matrix[terms * i + k] * factors[3 * k] + sum,
                        #[cfg(target_arch = "x86_64")]
                        Isa::V3 | Isa::V4 => matrix[terms * i + k].mul_add(factors[3 * k], sum),
                    };
                    assert_eq!(sum, (0..terms).fold(0.0, term), "{isa:?} {count} {terms} {i}");
                }
            }
        }
    }
}

#[test]
fn terms_of_several_rows_are_added_in_order() {
    for (rows, terms, columns) in [(1, 1, 1), (3, 7, 40), (8, 8, 21), (2, 21, 35), (5, 64, 16), (4, 0, 9)] {
        let matrix: Vec<f32> = (0..terms * 50).map(|i| ((i * 37 % 101) as f32).sqrt()).collect();
        let factors: Vec<f32> = (0..rows * terms * 3).map(|i| 1.0 / (i + 1) as f32).collect();
        for isa in Isa::available() {
            let mut sums = vec![1.0f32; rows * 60];
            let product = SkinnyProduct {
                a: (factors.as_ptr().cast(), [12, rows as isize * 12]),
                b: (matrix.as_ptr().cast(), 200),
                out: (sums.as_mut_ptr().cast(), 240),
                size: (rows, terms, columns),
            };
            let run = skinny_loop(DType::F32, isa).unwrap();
            // SAFETY: the factors are every third number, a column after the other; there are so many rows of 50 elements, and of 60 sums.
            unsafe {
                run(product.out.0, product.a.0, product.b.0, (&raw const product).cast(), 0, 0);
            }
            for (at, &sum) in sums.iter().enumerate() {
                let (i, j) = (at / 60, at % 60);
                let term = |sum: f32, k: usize| match isa {
                    Isa::Baseline => factors[3 * (k * rows + i)] * matrix[50 * k + j] + sum,
                    #[cfg(target_arch = "x86_64")]
                    Isa::V3 | Isa::V4 => factors[3 * (k * rows + i)].mul_add(matrix[50 * k + j], sum),
                };
                let expected = if j < columns { (0..terms).fold(1.0, term) } else { 1.0 };
                assert_eq!(sum, expected, "{isa:?} {rows} {terms} {columns} {at}");
            }
        }
    }
}

#[test]
fn inner_products_of_a_few_rows_and_columns() {
    for (rows, columns, terms) in [(1, 1, 1), (1, 2, 7), (2, 3, 8), (3, 1, 513), (5, 4, 1030), (8, 8, 600)] {
        // Small multiples of a power of two: sums are exact in any order.
        let element = |i: usize| (i * 37 % 101) as f64 / 4.0 - 12.0;
        let a: Vec<f64> = (0..rows * 1100).map(element).collect();
        let b: Vec<f64> = (0..columns * 1200).map(|i| element(i + 5)).collect();
        for isa in Isa::available() {
            let mut out = vec![-1.0f64; rows * 20];
            let products = InnerProducts {
                rows: (a.as_ptr().cast(), 8800),
                columns: (b.as_ptr().cast(), 9600),
                out: (out.as_mut_ptr().cast(), [160, 16]),
                count: (rows, columns),
                terms,
            };
            let run = inner_loop(DType::F64, isa).unwrap();
            // SAFETY: there are so many rows of 1,100 and columns of 1,200 elements, and of 20 products, of which every second is written.
            unsafe {
                let of = (&raw const products).cast();
                run(products.out.0, products.rows.0, products.columns.0, of, terms, rows);
            }
            for (at, &found) in out.iter().enumerate() {
                let (i, j) = (at / 20, at % 20);
                let sum = || (0..terms).map(|k| a[1100 * i + k] * b[1200 * (j / 2) + k]).sum();
                let expected = if j % 2 == 0 && j / 2 < columns { sum() } else { -1.0 };
                assert_eq!(found, expected, "{isa:?} {rows} {columns} {terms} {at}");
            }
        }
    }
}
