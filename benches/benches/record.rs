//! Recording: what one operation costs before anything runs. The budget is 100 ns.
//!
//! Results are dropped, so the flushes that the trace starts every few dozen operations have nothing to run. Their time is part of
//! the figures, as in any program.

use criterion::{Criterion, criterion_group, criterion_main};
use fastnp::{Array, Index, Op, Reduction, Value, apply};
use fastnp_benches::array;
use std::hint::black_box;
use std::time::Duration;

fn record(c: &mut Criterion) {
    let mut group = c.benchmark_group("record");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    let n = 100_000;
    let (x, y) = (array(n), array(n));
    let (a, b) = (square(&x), square(&y));
    let of = |op: Op, args: &[Value<'_>]| black_box(apply(op, args).expect("shapes fit")).size();
    group.bench_function("sqrt(x)", |bench| bench.iter(|| of(Op::Sqrt, &[(&x).into()])));
    group.bench_function("x + y", |bench| bench.iter(|| of(Op::Add, &[(&x).into(), (&y).into()])));
    group.bench_function("x + 1.0", |bench| bench.iter(|| of(Op::Add, &[(&x).into(), 1.0.into()])));
    group.bench_function("a + b in two dimensions", |bench| bench.iter(|| of(Op::Add, &[(&a).into(), (&b).into()])));
    group.bench_function("a + a[0], broadcast", |bench| {
        let row = a.index(&[Index::At(0)]).expect("there is a row");
        bench.iter(|| of(Op::Add, &[(&a).into(), (&row).into()]));
    });
    group.bench_function("a.sum(axis=0)", |bench| {
        bench.iter(|| black_box(a.reduce(Reduction::Sum, Some(&[0]), None, false).expect("there is an axis")).size());
    });
    group.bench_function("a view: a[1:-1, 1:-1]", |bench| {
        bench.iter(|| black_box(a.index(&[(1..99).into(), (1..999).into()]).expect("within bounds")).size());
    });
    fastnp::flush().expect("there is memory");
    group.finish();
}

/// The same elements in a hundred rows.
fn square(x: &Array) -> Array {
    x.reshape(&[100, x.size() / 100]).expect("the size fits")
}

criterion_group!(benches, record);
criterion_main!(benches);
