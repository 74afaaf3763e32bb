//! Nanoseconds an element in L1, printed by
//! `cargo test --release -p fastnp-codegen --test main -- --ignored speed --nocapture`.

use super::cases::{self, Case, Pair};
use fastnp_codegen::math::Number;
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

/// N numbers beginning at a cache line, as every buffer of ours does: a vector that straddles two costs a fifth.
struct Aligned<T>(Vec<T>, usize);

impl<T: Number> Aligned<T> {
    fn new(at: impl Fn(usize) -> T) -> Self {
        let line = 64 / size_of::<T>();
        let mut numbers = vec![T::of(0.0); N + line];
        let offset = numbers.as_ptr().align_offset(64);
        (0..N).for_each(|i| numbers[offset + i] = at(i));
        Aligned(numbers, offset)
    }

    fn numbers(&mut self) -> &mut [T] {
        &mut self.0[self.1..self.1 + N]
    }
}

/// A fraction for every index, in an order without pattern.
fn fraction(i: usize, step: usize) -> f64 {
    ((i * step) % N) as f64 / N as f64
}

fn row<T: Number>(case: &Case<T>, width: &str) {
    let (lo, hi) = case.range;
    let mut x = Aligned::new(|i| T::of(lo + (hi - lo) * fraction(i, 617)));
    let mut out = Aligned::new(|_| T::of(0.0));
    print!("{:10}{width}", case.name);
    for (level, f) in &case.levels {
        let ns = time(|| f(black_box(out.numbers()), black_box(x.numbers())));
        print!("  {level} {ns:6.3}");
    }
    println!();
}

fn pair_row<T: Number>(case: &Pair<T>, width: &str) {
    let mut x = Aligned::new(|i| T::of(0.1 + 3.0 * fraction(i, 617)));
    let mut y = Aligned::new(|i| T::of(0.1 + 5.0 * fraction(i, 419)));
    let mut out = Aligned::new(|_| T::of(0.0));
    print!("{:10}{width}", case.name);
    for (level, f) in &case.levels {
        let ns = time(|| f(black_box(out.numbers()), black_box(x.numbers()), black_box(y.numbers())));
        print!("  {level} {ns:6.3}");
    }
    println!();
}

#[test]
#[ignore = "prints timings; nothing to assert on a shared machine"]
fn speed() {
    cases::unary64().iter().for_each(|case| row(case, " f64"));
    cases::unary32().iter().for_each(|case| row(case, " f32"));
    cases::binary64().iter().for_each(|case| pair_row(case, " f64"));
    cases::binary32().iter().for_each(|case| pair_row(case, " f32"));
}
