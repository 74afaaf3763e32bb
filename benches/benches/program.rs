//! Small programs through the array layer: recording, planning, memory, kernels and threads together.

use criterion::{Criterion, criterion_group, criterion_main};
use fastnp::{Array, Index, Op, Reduction, Result, apply};
use fastnp_benches::array;
use std::hint::black_box;
use std::time::Duration;

/// The rows and columns of a square without `first` at the start and `last` at the end.
fn part(a: &Array, rows: (isize, isize), columns: (isize, isize)) -> Result<Array> {
    let range = |(first, last): (isize, isize), n: usize| Index::from(first..n as isize - last);
    a.index(&[range(rows, a.shape()[0]), range(columns, a.shape()[1])])
}

/// One sweep of Jacobi's iteration: `b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + …)`.
fn sweep(a: &Array, b: &Array) -> Result<()> {
    let sum = &part(a, (1, 1), (1, 1))? + &part(a, (1, 1), (0, 2))?;
    let sum = &(&sum + &part(a, (1, 1), (2, 0))?) + &part(a, (2, 0), (1, 1))?;
    let sum = &sum + &part(a, (0, 2), (1, 1))?;
    part(b, (1, 1), (1, 1))?.assign(&(0.2 * &sum))
}

fn jacobi(a: &Array, b: &Array, steps: usize) -> Result<()> {
    for _ in 0..steps {
        sweep(a, b)?;
        sweep(b, a)?;
    }
    a.evaluate()
}

fn softmax(x: &Array) -> Result<Array> {
    let largest = x.reduce(Reduction::Max, Some(&[-1]), None, true)?;
    let powers = apply(Op::Exp, &[(&(x - &largest)).into()])?;
    let sum = powers.reduce(Reduction::Sum, Some(&[-1]), None, true)?;
    let result = &powers / &sum;
    result.evaluate()?;
    Ok(result)
}

fn chain(x: &Array) -> Result<Array> {
    let y = &(&(&(x * 2.0) + 1.0) / 3.0) - 0.5;
    let y = &apply(Op::Sqrt, &[(&apply(Op::Absolute, &[(&y).into()])?).into()])? + x;
    let y = apply(Op::Maximum, &[(&y).into(), 1.0.into()])?;
    let y = &(&(&y * &y) - x) + 4.0;
    y.evaluate()?;
    Ok(y)
}

fn programs(c: &mut Criterion) {
    let mut group = c.benchmark_group("program");
    group.sample_size(20).warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1));
    for side in [100, 1000] {
        let square = |x: Array| x.reshape(&[side, side]).expect("the size fits");
        let (a, b) = (square(array(side * side)), square(array(side * side)));
        group.bench_function(format!("jacobi, ten sweeps/{side}x{side}"), |bench| {
            bench.iter(|| jacobi(&a, &b, 5).expect("shapes fit"));
        });
        group.bench_function(format!("softmax of rows/{side}x{side}"), |bench| {
            bench.iter(|| black_box(softmax(&a).expect("shapes fit")));
        });
    }
    for n in [100, 10_000, 1_000_000] {
        let x = array(n);
        group.bench_function(format!("chain of ten/{n}"), |bench| {
            bench.iter(|| black_box(chain(&x).expect("shapes fit")));
        });
    }
    group.finish();
}

criterion_group!(benches, programs);
criterion_main!(benches);
