//! Rows folded by machine code: every fold, against the portable backend, on numbers whose sums are exact.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use crate::folds::Several;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// The folds of `a`, or of `a * b + 1`, over rows.
fn kernel(ops: &[Op], dtype: DType, computed: bool) -> Verified<Kernel> {
    let mut k = KernelBuilder::new(Template::Reduce, 1, 1);
    let (a, b) = (k.operand(dtype, Access::Read, true), k.operand(dtype, Access::Read, true));
    let outs: Vec<_> = ops.iter().map(|_| k.operand(dtype, Access::Write, true)).collect();
    let mut value = k.body().load(a);
    if computed {
        let other = k.body().load(b);
        let product = k.body().apply(Op::Multiply, &[value, other]);
        let one = k.body().constant(Scalar::new(dtype, 1i64));
        value = k.body().apply(Op::Add, &[product, one]);
    }
    let accumulators: Vec<_> = ops.iter().map(|&op| k.accumulate(Fold::Op(op), value)).collect();
    for (accumulator, out) in accumulators.into_iter().zip(outs) {
        let result = k.epilogue().result(accumulator);
        k.epilogue().store(out, result);
    }
    verify(k.finish()).expect("right")
}

/// Small numbers, and what is special of floats where that is wanted.
fn numbers(dtype: DType, n: usize, special: bool) -> Vec<u8> {
    let mut state = n as u64 ^ 0x9e37_79b9_7f4a_7c15;
    (0..n)
        .flat_map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let small = (state >> 33) % 17;
            let x = match (state >> 50) % 400 {
                0 if special => f64::NAN,
                1 if special => f64::INFINITY,
                _ => (small as f64 - 8.0) / if dtype.is_float() { 8.0 } else { 1.0 },
            };
            let x =
                if dtype.kind() == Kind::Unsigned { Scalar::new(dtype, small as i64) } else { Scalar::new(dtype, x) };
            x.bits().to_le_bytes()[..dtype.size()].to_vec()
        })
        .collect()
}

fn run(
    program: &dyn Program,
    shape: (usize, usize),
    input: &[u8],
    dtype: DType,
    folds: usize,
    workers: usize,
) -> Vec<u128> {
    let size = dtype.size() as isize;
    run_with(program, shape, [shape.1 as isize * size, size], input, dtype, folds, workers)
}

/// The folds of rows whose elements have these strides.
fn run_with(
    program: &dyn Program,
    (rows, n): (usize, usize),
    input_strides: [isize; 2],
    input: &[u8],
    dtype: DType,
    folds: usize,
    workers: usize,
) -> Vec<u128> {
    let size = dtype.size() as isize;
    let mut outs = vec![vec![0u8; rows * dtype.size()]; folds];
    let mut addresses = vec![input.as_ptr().cast_mut(), input.as_ptr().cast_mut()];
    addresses.extend(outs.iter_mut().map(|out| out.as_mut_ptr()));
    let mut strides = input_strides.repeat(2);
    strides.extend([size, 0].repeat(folds));
    let launch = Launch { outer: &[rows], inner: &[n], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: operands have so many rows and columns, results so many rows.
    unsafe { program.launch(&launch, &Several(workers)) }.unwrap();
    let element = |bytes: &[u8]| {
        let mut bits = [0; 16];
        bits[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(dtype, u128::from_le_bytes(bits))
    };
    let all = outs.iter().flat_map(|out| out.chunks(dtype.size()));
    // Zeros are alike, as are nans.
    all.map(element)
        .map(|x| {
            if dtype.is_float() && x.to_f64().is_nan() {
                1
            } else if x.to_f64() == 0.0 {
                0
            } else {
                x.bits()
            }
        })
        .collect()
}

#[test]
fn folds_are_the_portable_backends() {
    for x86 in X86::every_level() {
        const REAL: [Op; 5] = [Op::Add, Op::Maximum, Op::Minimum, Op::Fmax, Op::Fmin];
        const WHOLE: [Op; 6] = [Op::Add, Op::Maximum, Op::Minimum, Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor];
        let types = [DType::F32, DType::F64, DType::I32, DType::I64, DType::U32, DType::U64];
        for dtype in types {
            let single = if dtype.is_float() { &REAL[..] } else { &WHOLE[..] };
            let mut cases: Vec<Vec<Op>> = single.iter().map(|&op| vec![op]).collect();
            cases.extend([vec![Op::Add, Op::Maximum], vec![Op::Minimum, Op::Add, Op::Maximum]]);
            for ops in cases {
                for computed in [false, true] {
                    let kernel = kernel(&ops, dtype, computed);
                    let (portable, machine) =
                        (Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap());
                    assert!(machine.listing().contains("fold over"), "{ops:?} of {dtype}");
                    for shape in [
                        (1, 127),
                        (1, 128),
                        (1, 200),
                        (1, 1000),
                        (1, 8192),
                        (1, 8193),
                        (1, 20_000),
                        // More pieces than a call takes.
                        (1, 280_000),
                        (3, 20_000),
                        (3, 600),
                        (40, 513),
                    ] {
                        for special in [false, true] {
                            let input = numbers(dtype, shape.0 * shape.1, special && dtype.is_float());
                            let expected = run(&*portable, shape, &input, dtype, ops.len(), 1);
                            let found = run(&*machine, shape, &input, dtype, ops.len(), 1);
                            assert_eq!(
                                expected, found,
                                "{ops:?} of {dtype}, computed {computed}, {shape:?}, special {special}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Columns, short and so long that a call folds a few rows at a time.
#[test]
fn columns_are_the_portable_backends() {
    for x86 in X86::every_level() {
        for dtype in [DType::F32, DType::F64, DType::I32, DType::U64] {
            for ops in [&[Op::Add][..], &[Op::Maximum], &[Op::Minimum, Op::Add, Op::Maximum]] {
                let kernel = kernel(ops, dtype, true);
                let (portable, machine) = (Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap());
                for (columns, rows) in [(70, 50), (256, 16), (300, 50), (515, 17), (640, 40), (1000, 37), (3000, 21)] {
                    for special in [false, true] {
                        let input = numbers(dtype, columns * rows, special && dtype.is_float());
                        let size = dtype.size() as isize;
                        let of = |program: &dyn Program| {
                            let strides = [size, columns as isize * size];
                            run_with(program, (columns, rows), strides, &input, dtype, ops.len(), 1)
                        };
                        let what = format!("{ops:?} of {dtype}, {columns} columns of {rows}, special {special}");
                        assert_eq!(of(&*portable), of(&*machine), "{what}");
                    }
                }
            }
        }
    }
}

/// Sums that round: no worse than a sum by pairs, and the same for any number of workers.
#[test]
fn sums_are_accurate_and_alike_for_any_number_of_workers() {
    for x86 in X86::every_level() {
        for (computed, n) in [(false, 100_000), (true, 100_000), (false, 3_000_000)] {
            let kernel = kernel(&[Op::Add], DType::F64, computed);
            let machine = x86.compile(&kernel).unwrap();
            let values: Vec<f64> = (0..n).map(|i| 1.0 / (i as f64 + 3.0)).collect();
            let input: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            let found = run(&*machine, (1, n), &input, DType::F64, 1, 1);
            for workers in [2, 8] {
                assert_eq!(
                    found,
                    run(&*machine, (1, n), &input, DType::F64, 1, workers),
                    "{n} elements, {workers} workers"
                );
            }
            // Backwards the terms grow, and a sum with the rest of each addition is as good as exact.
            let (mut sum, mut rest) = (0.0f64, 0.0f64);
            for x in values.iter().rev().map(|x| if computed { x * x + 1.0 } else { *x }) {
                let next = sum + x;
                rest += if sum > x { (sum - next) + x } else { (x - next) + sum };
                sum = next;
            }
            let error = (f64::from_bits(found[0] as u64) - (sum + rest)).abs() / sum;
            assert!(error < 4.0 * f64::EPSILON, "{n} elements, computed {computed}: {error:e}");
        }
    }
}

/// A fold of a short part of a body that is cut into slices, whose values are stored: one loop does all of it.
#[test]
fn long_bodies_are_stored_by_the_loop_that_folds() {
    for x86 in X86::every_level() {
        let mut k = KernelBuilder::new(Template::Reduce, 1, 1);
        let (b, c) = (k.operand(DType::F64, Access::Read, true), k.operand(DType::F64, Access::Read, true));
        let stored: Vec<_> = (0..4).map(|_| k.operand(DType::F64, Access::Write, true)).collect();
        let out = k.operand(DType::F64, Access::Write, true);
        let (b, c) = (k.body().load(b), k.body().load(c));
        let one = k.body().constant(Scalar::new(DType::F64, 1.0));
        let mut apply = |op: Op, args: &[ValueId]| k.body().apply(op, args);
        let size = apply(Op::Absolute, &[b]);
        let above = apply(Op::Add, &[size, one]);
        let quotient = apply(Op::Divide, &[c, above]);
        let square = apply(Op::Square, &[c]);
        let larger = apply(Op::Maximum, &[b, square]);
        let difference = apply(Op::Subtract, &[one, square]);
        let distance = apply(Op::Absolute, &[difference]);
        let root = apply(Op::Sqrt, &[distance]);
        let negative = apply(Op::Negative, &[root]);
        let exponential = apply(Op::Exp, &[negative]);
        for (&operand, value) in stored.iter().zip([quotient, square, larger, exponential]) {
            k.body().store(operand, value);
        }
        let sum = k.accumulate(Fold::Op(Op::Add), square);
        let sum = k.epilogue().result(sum);
        k.epilogue().store(out, sum);
        let kernel = verify(k.finish()).expect("right");
        let programs = [Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap()];
        assert!(programs[1].listing().contains("fold and store over"), "{}", x86.name());
        for (rows, n) in [(1, 200), (7, 1000), (3, 2049)] {
            let input: Vec<f64> = (0..rows * n + 5).map(|i| (i * 617 % 41) as f64 / 8.0 - 2.0).collect();
            let [expected, found] = [0, 1].map(|program: usize| {
                let mut outs = vec![vec![0.0; rows * n]; 4];
                let mut sums = vec![0.0; rows];
                let mut addresses = vec![input[5..].as_ptr().cast_mut().cast(), input.as_ptr().cast_mut().cast::<u8>()];
                addresses.extend(outs.iter_mut().map(|out| out.as_mut_ptr().cast()));
                addresses.push(sums.as_mut_ptr().cast());
                let mut strides = [n as isize * 8, 8].repeat(6);
                strides.extend([8, 0]);
                let launch =
                    Launch { outer: &[rows], inner: &[n], addresses: &addresses, strides: &strides, scalars: &[] };
                // SAFETY: operands and what is stored have so many rows and columns, the sums so many rows.
                unsafe { programs[program].launch(&launch, &Several(2)) }.unwrap();
                outs.push(sums);
                outs
            });
            assert_eq!(expected, found, "{rows} rows of {n}, {}", x86.name());
        }
    }
}

/// Rows of numbers and their sums: `2 * a`, stored by non-temporal stores, folded along rows or columns.
fn stored_and_folded(program: &dyn Program, [rows, n, pitch]: [usize; 3], by_columns: bool) -> [Vec<f64>; 2] {
    let input: Vec<f64> = (0..rows * n).map(|i| (i * 617 % 41) as f64 / 8.0 - 2.0).collect();
    let mut stored = vec![0.0; rows * pitch + 8];
    let mut sums = vec![0.0; rows.max(n)];
    let begin = stored.as_ptr().align_offset(64);
    let addresses = [input.as_ptr().cast_mut().cast(), stored[begin..].as_mut_ptr().cast(), sums.as_mut_ptr().cast()];
    let [row, pitch] = [n, pitch].map(|numbers| numbers as isize * 8);
    let (outer, inner, strides) = match by_columns {
        false => ([rows], [n], [row, 8, pitch, 8, 8, 0]),
        true => ([n], [rows], [8, row, 8, pitch, 8, 0]),
    };
    let launch = Launch { outer: &outer, inner: &inner, addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: the input and what is stored have so many rows and columns, and there are enough sums.
    unsafe { program.launch(&launch, &Several(2)) }.unwrap();
    [stored[begin..][..rows * pitch as usize / 8].to_vec(), sums]
}

/// The last vector of a row need not begin with a cache line, where a non-temporal store of a whole vector is a fault.
#[test]
fn rows_end_anywhere_with_non_temporal_stores() {
    let mut k = KernelBuilder::new(Template::Reduce, 1, 1);
    let a = k.operand(DType::F64, Access::Read, true);
    let [stored, out] = [(); 2].map(|()| k.operand(DType::F64, Access::Write, true));
    let a = k.body().load(a);
    let twice = k.body().apply(Op::Add, &[a, a]);
    k.body().store(stored, twice);
    let sum = k.accumulate(Fold::Op(Op::Add), twice);
    let sum = k.epilogue().result(sum);
    k.epilogue().store(out, sum);
    let mut kernel = k.finish();
    kernel.operands[1].nontemporal = true;
    let kernel = verify(kernel).expect("right");
    for x86 in X86::every_level() {
        let programs = [Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap()];
        for (rows, n) in (1..=17usize).map(|more| (1, 1000 + more)).chain((1..=17usize).map(|more| (9, 300 + more))) {
            for by_columns in [false, true] {
                let shape = [rows, n, n.next_multiple_of(8)];
                let [expected, found] =
                    programs.each_ref().map(|program| stored_and_folded(&**program, shape, by_columns));
                assert_eq!(expected, found, "{rows} rows of {n}, by columns {by_columns}, {}", x86.name());
            }
        }
    }
}

/// Values that replace what they are computed from, when that is not needed any more. A fold that begins with the first vector must not store it.
#[test]
fn folded_values_replace_their_operand_once() {
    let mut k = KernelBuilder::new(Template::Reduce, 0, 2);
    let [a, b] = [Access::Read, Access::Write].map(|access| k.operand(DType::I64, access, false));
    let out = k.operand(DType::U32, Access::Write, true);
    let value = k.body().load(a);
    let narrow = k.body().cast(value, DType::U32);
    let wide = k.body().cast(narrow, DType::I64);
    let square = k.body().apply(Op::Multiply, &[wide, wide]);
    k.body().store(b, square);
    let largest = k.accumulate(Fold::Op(Op::Fmax), narrow);
    let largest = k.epilogue().result(largest);
    k.epilogue().store(out, largest);
    let kernel = verify(k.finish()).expect("right");
    for x86 in X86::every_level() {
        let program = x86.compile(&kernel).unwrap();
        for (rows, n) in [(1, 256), (23, 256), (23, 200), (5, 1000)] {
            let mut numbers: Vec<i64> = (3..3 + (rows * n) as i64).collect();
            let expected: Vec<i64> = numbers.iter().map(|x| x * x).collect();
            let (from, mut largest) = (numbers.as_mut_ptr().cast::<u8>(), 0u32);
            let addresses = [from, from, std::ptr::from_mut(&mut largest).cast()];
            let row = n as isize * 8;
            let (inner, strides) = ([rows, n], [row, 8, row, 8, 0, 0]);
            let launch = Launch { outer: &[], inner: &inner, addresses: &addresses, strides: &strides, scalars: &[] };
            // SAFETY: there are so many numbers, and one result.
            unsafe { program.launch(&launch, &Several(2)) }.unwrap();
            assert_eq!(largest as usize, rows * n + 2, "{rows} rows of {n}, {}", x86.name());
            assert_eq!(numbers, expected, "{rows} rows of {n}, {}", x86.name());
        }
    }
}
