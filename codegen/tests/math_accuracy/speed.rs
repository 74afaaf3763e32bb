//! Nanoseconds an element in L1, printed: `cargo test --release -p fastnp-codegen --test math_accuracy -- --ignored speed --nocapture`.

use crate::cases::{self, Case, Pair};
use fastnp_codegen::math::Real;
use std::hint::black_box;
use std::time::Instant;

/// Small enough that argument and result of either width stay in L1.
const N: usize = 1024;

/// The best of several timings of `call`, in ns an element.
fn time(mut call: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        for _ in 0..40 {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() / (40 * N) as f64 * 1e9);
    }
    best
}

fn row<T: Real>(case: &Case<T>, width: &str, at: impl Fn(f64) -> T) {
    let (lo, hi) = case.range;
    let x: Vec<T> = (0..N)
        .map(|i| at(lo + (hi - lo) * ((i * 617) % N) as f64 / N as f64))
        .collect();
    let mut out = x.clone();
    print!("{:10}{width}", case.name);
    for (level, f) in &case.levels {
        print!(
            "  {level} {:6.3}",
            time(|| f(black_box(&mut out), black_box(&x)))
        );
    }
    println!();
}

fn pair_row<T: Real>(case: &Pair<T>, width: &str, at: impl Fn(f64) -> T) {
    let x: Vec<T> = (0..N)
        .map(|i| at(0.1 + 3.0 * ((i * 617) % N) as f64 / N as f64))
        .collect();
    let y: Vec<T> = (0..N)
        .map(|i| at(0.1 + 5.0 * ((i * 419) % N) as f64 / N as f64))
        .collect();
    let mut out = x.clone();
    print!("{:10}{width}", case.name);
    for (level, f) in &case.levels {
        print!(
            "  {level} {:6.3}",
            time(|| f(black_box(&mut out), black_box(&x), black_box(&y)))
        );
    }
    println!();
}

#[test]
#[ignore = "prints timings; nothing to assert on a shared machine"]
fn speed() {
    cases::unary64()
        .iter()
        .for_each(|case| row(case, " f64", |v| v));
    cases::unary32()
        .iter()
        .for_each(|case| row(case, " f32", |v| v as f32));
    cases::binary64()
        .iter()
        .for_each(|case| pair_row(case, " f64", |v| v));
    cases::binary32()
        .iter()
        .for_each(|case| pair_row(case, " f32", |v| v as f32));
}
