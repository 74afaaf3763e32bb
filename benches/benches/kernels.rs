//! The portable backend's kernels: time an element, on one thread and allocated memory.

use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime};
use fastnp_benches::{Numbers, chain, compile, fold, fold_of, launch, map, map_of};
use fastnp_codegen::{DType, Fold, FragmentBuilder, Kernel, Op, Scalar};
use std::hint::black_box;
use std::time::Duration;

/// Times one kernel over contiguous operands of `n` elements.
fn contiguous(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, kernel: Kernel, n: usize) {
    let operands = kernel.operands.len();
    let program = compile(kernel);
    let mut memory: Vec<Numbers> = (0..operands).map(|_| Numbers::new(n)).collect();
    let addresses: Vec<*mut u8> = memory.iter_mut().map(|m| m.at(0)).collect();
    let strides = vec![8; operands];
    group.throughput(Throughput::Elements(n as u64));
    group.bench_function(format!("{name}/{n}"), |b| {
        // SAFETY: each operand has separate memory of n elements.
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
    let (mut from, mut to) = (Numbers::new(rows * columns), Numbers::new(rows));
    let addresses = [from.at(0), to.at(0)];
    group.throughput(Throughput::Elements((rows * columns) as u64));
    group.bench_function(format!("{name}/{rows}x{columns}"), |b| {
        // SAFETY: the strides stay within the matrix, and the output has an element for each outer point.
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
    let (mut from, mut to) = (Numbers::new(row * row), Numbers::new(row * row));
    let mut addresses: Vec<*mut u8> =
        [row + 1, 1, 2 * row + 1, row, row + 2].into_iter().map(|at| from.at(8 * at)).collect();
    addresses.push(to.at(8 * (row + 1)));
    let strides = [row as isize * 8, 8].repeat(6);
    group.throughput(Throughput::Elements((side * side) as u64));
    group.bench_function(format!("stencil/{side}x{side}"), |b| {
        // SAFETY: the interior and its neighbours lie within the two grids.
        b.iter(|| unsafe { black_box(launch(&*program, (&[side, side], &[]), &addresses, &strides)) });
    });
}

/// Times a kernel over given extents and strides of all operands; no stride is negative.
fn spread(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    kernel: Kernel,
    shape: [&[usize]; 2],
    strides: &[isize],
) {
    let [outer, inner] = shape;
    let extents = [outer, inner].concat();
    let mut memory: Vec<Numbers> = vec![];
    for (operand, strides) in kernel.operands.iter().zip(strides.chunks(extents.len())) {
        let bytes: usize = strides.iter().zip(&extents).map(|(&stride, &extent)| stride as usize * (extent - 1)).sum();
        let number = |i: usize| Scalar::new(DType::Bool, i * i % 7 < 3);
        memory.push(match operand.dtype {
            DType::Bool => Numbers::of(DType::Bool, bytes + 1, number),
            dtype => Numbers::new((bytes + dtype.size()).div_ceil(8)),
        });
    }
    assert_eq!(strides.len(), memory.len() * extents.len(), "a stride for every operand and axis");
    let addresses: Vec<*mut u8> = memory.iter_mut().map(|m| m.at(0)).collect();
    let program = compile(kernel);
    group.throughput(Throughput::Elements(extents.iter().product::<usize>() as u64));
    let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
    group.bench_function(format!("{name}/{}", extents.join("x")), |b| {
        // SAFETY: each operand has separate memory up to its largest offset; operands of bools hold bools.
        b.iter(|| unsafe { black_box(launch(&*program, (outer, inner), &addresses, strides)) });
    });
}

/// Columns of matrices, a transposed matrix, and all pairs of a row and a column.
fn strided(group: &mut BenchmarkGroup<'_, WallTime>) {
    spread(group, "chain of ten on columns", map(1, 2, chain), [&[400], &[]], &[3224; 3]);
    let double = map(1, 1, |body, v| body.apply(Op::Add, &[v[0], v[0]]));
    spread(group, "column doubled", double, [&[400], &[]], &[3224, 8]);
    let add = map(2, 2, |body, v| body.apply(Op::Add, v));
    spread(group, "transposed matrix added", add, [&[300, 300], &[]], &[2400, 8, 8, 2400, 2400, 8]);
    let pairs = map_of(2, &[DType::I32; 3], |body, v| {
        let sum = body.apply(Op::Add, &v[1..]);
        body.apply(Op::Minimum, &[v[0], sum])
    });
    spread(group, "all pairs", pairs, [&[200, 200], &[]], &[800, 4, 800, 0, 0, 4, 800, 4]);
}

/// A mean under a mask, and folds of bools and of products.
fn masked(group: &mut BenchmarkGroup<'_, WallTime>) {
    let sum = Fold::Op(Op::Add);
    let count = |body: &mut FragmentBuilder<'_>, mask| (sum, body.cast(mask, DType::I64));
    for n in [100, 10_000, 1_000_000] {
        let mean = fold_of(0, &[DType::F64, DType::Bool], |body, v| {
            let zero = body.constant(Scalar::new(DType::F64, 0.0));
            vec![(sum, body.select(v[1], v[0], zero)), count(body, v[1])]
        });
        spread(group, "masked mean", mean, [&[], &[n]], &[8, 1, 0, 0]);
        let any = fold_of(0, &[DType::Bool], |_, v| vec![(Fold::Op(Op::LogicalOr), v[0])]);
        spread(group, "any", any, [&[], &[n]], &[1, 0]);
        spread(group, "count", fold_of(0, &[DType::Bool], |body, v| vec![count(body, v[0])]), [&[], &[n]], &[1, 0]);
        let dot = fold_of(0, &[DType::F64; 2], |body, v| vec![(sum, body.apply(Op::Multiply, v))]);
        spread(group, "sum of products", dot, [&[], &[n]], &[8, 8, 0]);
    }
}

/// Short rows of what is computed: of products, and of squared distances from a number a row.
fn short_rows(group: &mut BenchmarkGroup<'_, WallTime>) {
    let sum = Fold::Op(Op::Add);
    for n in [8, 20, 50, 200] {
        let row = n as isize * 8;
        let products = fold_of(1, &[DType::F64; 2], |body, v| vec![(sum, body.apply(Op::Multiply, v))]);
        spread(group, "sum of short rows of products", products, [&[1000], &[n]], &[row, 8, row, 8, 8, 0]);
        let distances = fold_of(1, &[DType::F64; 2], |body, v| {
            let difference = body.apply(Op::Subtract, v);
            vec![(sum, body.apply(Op::Square, &[difference]))]
        });
        spread(group, "sum of short rows of distances", distances, [&[1000], &[n]], &[row, 8, 8, 0, 8, 0]);
    }
}

/// The inner step of the Mandelbrot set, single complex operations, and divisions that round.
fn complex_and_division(group: &mut BenchmarkGroup<'_, WallTime>) {
    let step = map_of(1, &[DType::C128; 2], |body, v| {
        let (length, two) = (body.apply(Op::Absolute, &v[..1]), body.constant(Scalar::new(DType::F64, 2.0)));
        let inside = body.apply(Op::Less, &[length, two]);
        let square = body.apply(Op::Multiply, &[v[0], v[0]]);
        let next = body.apply(Op::Add, &[square, v[1]]);
        body.select(inside, next, v[0])
    });
    spread(group, "mandelbrot step", step, [&[15_625], &[]], &[16; 3]);
    for (op, size) in [(Op::Absolute, 8), (Op::Square, 16), (Op::Negative, 16)] {
        let kernel = map_of(1, &[DType::C128], |body, v| body.apply(op, v));
        spread(group, &format!("{op} of c128"), kernel, [&[1000], &[]], &[16, size]);
    }
    for op in [Op::FloorDivide, Op::Remainder, Op::Fmod] {
        contiguous(group, op.name(), map(1, 2, |body, v| body.apply(op, v)), 1000);
        for dtype in [DType::I64, DType::I32] {
            let kernel = map_of(1, &[dtype], |body, v| {
                let seven = body.constant(Scalar::new(dtype, 7i64));
                body.apply(op, &[v[0], seven])
            });
            let strides = [dtype.size() as isize; 2];
            spread(group, &format!("{op} of {dtype} by a scalar"), kernel, [&[1000], &[]], &strides);
        }
    }
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
    for n in [60, 70, 128, 600] {
        let row = n as isize * 8;
        folded(&mut group, "sum of short rows", sum, (20, n), [row, 8, 8, 0]);
    }
    folded(&mut group, "sum of rows of three", sum, (10_000, 3), [24, 8, 8, 0]);
    folded(&mut group, "sum of three columns", sum, (3, 10_000), [8, 24, 8, 0]);
    folded(&mut group, "sum of many short columns", sum, (100_000, 4), [8, 800_000, 8, 0]);
    for side in [8, 59, 300] {
        stencil(&mut group, side);
    }
    strided(&mut group);
    masked(&mut group);
    short_rows(&mut group);
    complex_and_division(&mut group);
    group.finish();
}

criterion_group!(benches, kernels);
criterion_main!(benches);
