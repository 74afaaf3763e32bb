//! Rows of running folds by machine code, against the portable backend.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// Running folds of `a`, or of `a * b + 1`, and of the first the square.
fn kernel(ops: &[Op], dtype: DType, computed: bool) -> Verified<Kernel> {
    let mut k = KernelBuilder::new(Template::Scan, 1, 1);
    let (a, b) = (k.operand(dtype, Access::Read, false), k.operand(dtype, Access::Read, false));
    let outs: Vec<_> = (0..=ops.len()).map(|_| k.operand(dtype, Access::Write, false)).collect();
    let mut value = k.body().load(a);
    if computed {
        let other = k.body().load(b);
        let product = k.body().apply(Op::Multiply, &[value, other]);
        let one = k.body().constant(Scalar::new(dtype, 1i64));
        value = k.body().apply(Op::Add, &[product, one]);
    }
    let accumulators: Vec<_> = ops.iter().map(|&op| k.accumulate(Fold::Op(op), value)).collect();
    for (&accumulator, &out) in accumulators.iter().zip(&outs) {
        let result = k.epilogue().result(accumulator);
        k.epilogue().store(out, result);
    }
    let result = k.epilogue().result(accumulators[0]);
    let square = k.epilogue().apply(Op::Square, &[result]);
    k.epilogue().store(outs[ops.len()], square);
    verify(k.finish()).expect("right")
}

/// Numbers of any size; now and then a nan, an infinity or a zero of either sign, where that is wanted.
fn numbers(dtype: DType, n: usize, special: bool) -> Vec<u8> {
    let mut state = n as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let mut number = || {
        if !dtype.is_float() {
            return Scalar::from_bits(
                dtype,
                u128::from(next().rotate_left(20)) & (u128::MAX >> (128 - 8 * dtype.size())),
            );
        }
        let x = match next() % 200 {
            0 if special => f64::NAN,
            1 if special => f64::INFINITY,
            2 if special => -f64::INFINITY,
            3..9 if special => 0.0,
            9..15 if special => -0.0,
            _ => next() as f64 / 2f64.powi(52) - 0.99,
        };
        Scalar::new(dtype, x)
    };
    let mut bytes = Vec::with_capacity(n * dtype.size());
    (0..n).for_each(|_| bytes.extend_from_slice(&number().bits().to_le_bytes()[..dtype.size()]));
    bytes
}

/// How the elements of rows lie.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Layout {
    Rows,
    Columns,
    Backward,
    /// Two elements from each to the next.
    Apart,
}

use Layout::{Apart, Backward, Columns, Rows};

/// Replaces every nan among elements by one.
fn make_alike<const SIZE: usize>(elements: &mut [u8], nan: [u8; SIZE], is_nan: fn([u8; SIZE]) -> bool) {
    elements.as_chunks_mut().0.iter_mut().filter(|x| is_nan(**x)).for_each(|x| *x = nan);
}

/// What a launch leaves in the results, and the flags; nans are alike.
fn run(
    program: &dyn Program,
    (rows, n, layout): (usize, usize, Layout),
    input: &[u8],
    dtype: DType,
    results: usize,
    in_place: bool,
) -> (Vec<u8>, RaisedFlags) {
    let size = dtype.size() as isize;
    let mut inputs = [input.to_vec(), input.to_vec()];
    let mut outs = vec![vec![0u8; input.len()]; results];
    let mut addresses: Vec<*mut u8> = inputs.iter_mut().map(|x| x.as_mut_ptr()).collect();
    addresses.extend(outs.iter_mut().map(|out| out.as_mut_ptr()));
    if in_place {
        addresses[2] = addresses[0];
    }
    let each = match layout {
        Rows => [n as isize * size, size],
        Columns => [size, rows as isize * size],
        Backward => [n as isize * size, -size],
        Apart => [2 * n as isize * size, 2 * size],
    };
    if layout == Backward && n > 0 {
        addresses.iter_mut().for_each(|address| *address = address.wrapping_offset((n as isize - 1) * size));
    }
    let strides = each.repeat(2 + results);
    let launch = Launch { outer: &[rows], inner: &[n], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: all have so many rows and columns.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    if in_place {
        outs[0].copy_from_slice(&inputs[0]);
    }
    for out in &mut outs {
        match dtype {
            DType::F32 => make_alike(out, f32::NAN.to_le_bytes(), |x| f32::from_le_bytes(x).is_nan()),
            DType::F64 => make_alike(out, f64::NAN.to_le_bytes(), |x| f64::from_le_bytes(x).is_nan()),
            _ => (),
        }
    }
    (outs.concat(), raised)
}

/// A product that becomes too small late in a row: what ran along is not lost where a flag is looked at, be it one instruction's
/// alone or one of several.
#[test]
fn products_go_on_where_they_raise_flags() {
    let alone = "kernel scan(outer 1, inner 1) {\n m0: read f64\n m1: read f64\n m2: write f64\n body:\n v0: f64 = load m0\n \
                 v1: f64 = negative v0\n fold:\n a0 = multiply v1\n epilogue:\n w0: f64 = result a0\n store m2, w0: f64\n }";
    let alone = verify(alone.parse().unwrap()).unwrap();
    let n = 40_000;
    let input: Vec<u8> = (0..n).flat_map(|i| (0.975 + i as f64 % 7.0 / 1e4).to_le_bytes()).collect();
    for x86 in X86::every_level() {
        for (kernel, results) in [(&alone, 1), (&kernel(&[Op::Multiply], DType::F64, false), 2)] {
            let programs = [Portable::new().compile(kernel).unwrap(), x86.compile(kernel).unwrap()];
            assert!(programs[1].listing().starts_with("x86"));
            let [expected, found] = programs.map(|p| run(&*p, (1, n, Rows), &input, DType::F64, results, false));
            assert_eq!(expected.0.iter().zip(&found.0).position(|(a, b)| a != b), None, "{}", x86.name());
            assert_eq!(expected.1, found.1);
            assert!(!expected.1.is_empty());
        }
    }
}

#[test]
fn scans_are_the_portable_backends() {
    const REAL: [Op; 6] = [Op::Add, Op::Multiply, Op::Maximum, Op::Minimum, Op::Fmax, Op::Fmin];
    const WHOLE: [Op; 7] =
        [Op::Add, Op::Multiply, Op::Maximum, Op::Minimum, Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor];
    let rows =
        [(1, 1), (1, 7), (1, 64), (3, 16), (5, 77), (1, 8192), (2, 8200), (1, 30_011)].map(|(r, n)| (r, n, Rows));
    let columns = [(3, 600), (64, 3), (70, 30), (2500, 4), (500, 1)].map(|(r, n)| (r, n, Columns));
    let others = [(3, 77), (1, 3000)].into_iter().flat_map(|(r, n)| [(r, n, Backward), (r, n, Apart)]);
    let empty = [(0, 600, Rows), (600, 0, Columns), (1, 0, Rows)];
    let shapes: Vec<(usize, usize, Layout)> = rows.into_iter().chain(columns).chain(others).chain(empty).collect();
    for dtype in [DType::F32, DType::F64, DType::I32, DType::I64, DType::U32, DType::U64] {
        let single = if dtype.is_float() { &REAL[..] } else { &WHOLE[..] };
        let mut cases: Vec<Vec<Op>> = single.iter().map(|&op| vec![op]).collect();
        cases.extend([vec![Op::Add, Op::Maximum], vec![Op::Fmax, Op::Multiply]]);
        for (ops, computed) in cases.iter().flat_map(|ops| [(ops, false), (ops, true)]) {
            let kernel = kernel(ops, dtype, computed);
            let portable = Portable::new().compile(&kernel).unwrap();
            let levels: Vec<_> =
                X86::every_level().into_iter().map(|x86| (x86.name(), x86.compile(&kernel).unwrap())).collect();
            for (name, machine) in &levels {
                // AVX2 has no instruction for most of what 64-bit integers do.
                let lacks = *name == "x86-avx2" && matches!(dtype, DType::I64 | DType::U64);
                assert!(lacks || machine.listing().starts_with("x86"), "{ops:?} of {dtype}");
            }
            for (rows, n, layout) in shapes.iter().copied() {
                for (special, in_place) in [(false, false), (true, false), (false, true), (true, true)] {
                    let input = numbers(dtype, rows * n * if layout == Apart { 2 } else { 1 }, special);
                    let run =
                        |program: &dyn Program| run(program, (rows, n, layout), &input, dtype, ops.len() + 1, in_place);
                    let expected = run(&*portable);
                    for (name, machine) in &levels {
                        let found = run(&**machine);
                        let what = format!(
                            "{name}, {ops:?} of {dtype}, computed {computed}, {rows} rows of {n}, {layout:?}, special {special}, \
                             in place {in_place}"
                        );
                        let place = expected.0.iter().zip(&found.0).position(|(a, b)| a != b);
                        assert_eq!(place, None, "{what}: the first byte that differs");
                        assert_eq!(expected.1, found.1, "{what}: flags");
                    }
                }
            }
        }
    }
}

#[test]
fn coordinates_behind_a_scan_are_those_of_the_launch() {
    // Sums that are zero leave remainders out of the loop, in every row.
    let text = "kernel scan(outer 1, inner 1) {\n m0: read i64\n m1: write i64\n m2: write i64\n body:\n \
                v0: i64 = load m0\n fold:\n a0 = add v0\n epilogue:\n w0: i64 = result a0\n w1: i64 = index 0\n \
                w2: i64 = fmod w1, w0\n store m1, w2: i64\n store m2, w1: i64\n }";
    let kernel = verify(text.parse().unwrap()).unwrap();
    let (rows, n) = (5, 190);
    let terms: Vec<i64> = (0..rows * n).map(|i| [1, -1, 2][i % 3]).collect();
    for x86 in X86::every_level() {
        let (mut rests, mut row_of) = (vec![0i64; rows * n], vec![0i64; rows * n]);
        let addresses = [terms.as_ptr().cast_mut().cast(), rests.as_mut_ptr().cast(), row_of.as_mut_ptr().cast()];
        let pitch = 8 * n as isize;
        let strides = [pitch, 8, pitch, 8, pitch, 8];
        let launch = Launch { outer: &[rows], inner: &[n], addresses: &addresses, strides: &strides, scalars: &[] };
        // SAFETY: all have as many numbers as there are points.
        unsafe { x86.compile(&kernel).unwrap().launch(&launch, &SingleThread) }.unwrap();
        for row in 0..rows {
            let mut sum = 0;
            for i in row * n..(row + 1) * n {
                sum += terms[i];
                let rest = if sum == 0 { 0 } else { row as i64 % sum };
                assert_eq!((row_of[i], rests[i]), (row as i64, rest), "{}, row {row}, sum {sum}", x86.name());
            }
        }
    }
}
