//! Planning: a chain of sixteen operations whose plan is in the cache, and one whose plan is not, over so few elements that the
//! kernel's time is small.
//!
//! The budgets are 30 ns a node and 1 µs for a cached plan, 300 ns a node for a new one, besides recording.

use criterion::{Criterion, criterion_group, criterion_main};
use fastnp::{Array, Op, apply, flush, settings};
use fastnp_benches::array;
use std::hint::black_box;
use std::time::Duration;

const NODES: u64 = 16;

/// Records a chain on `x` and runs it.
fn chain(x: &Array) -> usize {
    let mut value = x.clone();
    for _ in 0..NODES {
        value = apply(Op::Add, &[(&value).into(), x.into()]).expect("shapes fit");
    }
    flush().expect("there is memory");
    black_box(value).size()
}

fn plan(c: &mut Criterion) {
    let mut group = c.benchmark_group("plan");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    group.throughput(criterion::Throughput::Elements(NODES));
    // Without this setting a chain on so few elements runs eagerly.
    assert!(settings::set("tiny", 0).unwrap());
    let x = array(16);
    group.bench_function("record and run a known trace", |b| b.iter(|| chain(&x)));
    // Extents are part of a plan and not of a kernel: another length makes a new plan and compiles nothing. A plan is
    // evicted from the cache before its length is used again.
    let mut lengths = (1usize..=5000).cycle();
    let long = array(5001);
    group.bench_function("record, plan and run a new trace", |b| {
        b.iter(|| {
            let n = lengths.next().unwrap_or(1) as isize;
            chain(&long.index(&[(0..n).into()]).expect("within bounds"))
        });
    });
    group.finish();
}

criterion_group!(benches, plan);
criterion_main!(benches);
