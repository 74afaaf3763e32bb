//! The portable backend's kernels, by element, on one thread and memory that is there.

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fastnp_benches::{Doubles, chain, compile, fold, launch, map};
use fastnp_codegen::{Fold, Kernel, Op};
use std::hint::black_box;
use std::time::Duration;

/// Times one kernel over contiguous operands of `n` elements.
fn contiguous(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, kernel: Kernel, n: usize) {
    let operands = kernel.operands.len();
    let program = compile(kernel);
    let mut memory: Vec<Doubles> = (0..operands).map(|_| Doubles::new(n)).collect();
    let addresses: Vec<*mut u8> = memory.iter_mut().map(|m| m.at(0)).collect();
    let strides = vec![8; operands];
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function(format!("{name}/{n}"), |b| {
        // SAFETY: every operand has n elements of memory of its own.
        b.iter(|| unsafe { black_box(launch(&*program, (&[n], &[]), &addresses, &strides)) });
    });
}

/// Times a fold of a matrix of `rows` by `columns` with the given strides of input and output.
fn folded(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    how: Fold,
    (rows, columns): (usize, usize),
    strides: [isize; 4],
) {
    let program = compile(fold(1, how));
    let (mut from, mut to) = (Doubles::new(rows * columns), Doubles::new(rows));
    let addresses = [from.at(0), to.at(0)];
    group.throughput(Throughput::Elements((rows * columns) as u64));
    group.bench_function(format!("{name}/{rows}x{columns}"), |b| {
        // SAFETY: the strides lead through the matrix, and one result for each of the outer points fits.
        b.iter(|| unsafe { black_box(launch(&*program, (&[rows], &[columns]), &addresses, &strides)) });
    });
}

/// A five-point stencil over the interior of a square grid.
fn stencil(group: &mut BenchmarkGroup<'_, WallTime>, side: usize) {
    let program = compile(map(2, 5, |body, v| {
        let sum = v[1..].iter().fold(v[0], |sum, &value| body.apply(Op::Add, &[sum, value]));
        body.apply(Op::Multiply, &[sum, v[0]])
    }));
    let row = side + 2;
    let (mut from, mut to) = (Doubles::new(row * row), Doubles::new(row * row));
    let mut addresses: Vec<*mut u8> =
        [row + 1, 1, 2 * row + 1, row, row + 2].into_iter().map(|at| from.at(at)).collect();
    addresses.push(to.at(row + 1));
    let strides = [row as isize * 8, 8].repeat(6);
    group.throughput(Throughput::Elements((side * side) as u64));
    group.bench_function(format!("stencil/{side}x{side}"), |b| {
        // SAFETY: the interior and its neighbours lie within the two grids.
        b.iter(|| unsafe { black_box(launch(&*program, (&[side, side], &[]), &addresses, &strides)) });
    });
}

fn kernels(c: &mut Criterion) {
    let mut group = c.benchmark_group("kernels");
    group.sample_size(20).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(600));
    let add = || map(1, 2, |body, v| body.apply(Op::Add, v));
    for n in [1_000, 1_000_000] {
        contiguous(&mut group, "add", add(), n);
        contiguous(&mut group, "chain of ten", map(1, 2, chain), n);
    }
    let select = map(1, 2, |body, v| {
        let less = body.apply(Op::Less, v);
        body.select(less, v[0], v[1])
    });
    contiguous(&mut group, "select", select, 10_000);
    let circle = map(1, 1, |body, v| {
        let (sin, cos) = (body.apply(Op::Sin, v), body.apply(Op::Cos, v));
        let (sin, cos) = (body.apply(Op::Square, &[sin]), body.apply(Op::Square, &[cos]));
        body.apply(Op::Add, &[sin, cos])
    });
    contiguous(&mut group, "sin^2 + cos^2", circle, 100_000);
    for op in [Op::Exp, Op::Log, Op::Tanh] {
        contiguous(&mut group, op.name(), map(1, 1, |body, v| body.apply(op, v)), 100_000);
    }
    contiguous(&mut group, "power", map(1, 2, |body, v| body.apply(Op::Power, v)), 100_000);
    let sum = Fold::Op(Op::Add);
    folded(&mut group, "sum of rows", sum, (1000, 1000), [8000, 8, 8, 0]);
    folded(&mut group, "sum of columns", sum, (1000, 1000), [8, 8000, 8, 0]);
    folded(&mut group, "max of short rows", Fold::Op(Op::Maximum), (10_000, 16), [128, 8, 8, 0]);
    folded(&mut group, "argmax of rows", Fold::ArgMax, (1000, 128), [1024, 8, 8, 0]);
    stencil(&mut group, 300);
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
