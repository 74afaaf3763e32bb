//! The fold table: what each row claims, by evaluation; and each fold on every backend, against the evaluator.

use crate::portable::evaluator::{Memory, apply, evaluate};
use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use num_complex::Complex;

/// The rows of folds by ops, with each type that they take.
fn rows() -> impl Iterator<Item = (&'static FoldRow, DType)> {
    let rows = || Fold::all().filter(|fold| matches!(fold, Fold::Op(_))).filter_map(Fold::row);
    rows().flat_map(|row| DType::ALL.map(|dtype| (row, dtype))).filter(|(row, dtype)| row.takes(*dtype))
}

/// The types of which there is arithmetic.
fn is_computed(dtype: DType) -> bool {
    dtype != DType::F16
}

/// Values of a type, all that is special among them. Of complex numbers with a nan, both parts are: which nan an op gives is free.
fn samples(dtype: DType) -> Vec<Scalar> {
    let ones = u128::MAX >> (128 - 8 * dtype.size());
    let floats = [0.0, -0.0, 1.0, -1.0, 0.5, -2.75, 1e30, -1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    match dtype.kind() {
        Kind::Bool => vec![Scalar::new(dtype, false), Scalar::new(dtype, true)],
        Kind::Signed | Kind::Unsigned => [0, 1, 2, 3, 0x55, ones, ones - 1, ones >> 1, (ones >> 1) + 1]
            .map(|bits| Scalar::from_bits(dtype, bits))
            .to_vec(),
        Kind::Float => floats.map(|x| Scalar::new(dtype, x)).to_vec(),
        Kind::Complex => {
            let pairs = floats.iter().flat_map(|&re| floats.map(|im| Complex::new(re, im)));
            let whole = |z: Complex<f64>| z.re.is_nan() == z.im.is_nan();
            pairs.filter(|&z| whole(z)).map(|z| Scalar::new(dtype, z)).collect()
        }
    }
}

fn is_nan(x: Scalar) -> bool {
    match x.wide() {
        Wide::Int(_) => false,
        Wide::Float(x) => x.is_nan(),
        Wide::Complex(re, im) => re.is_nan() || im.is_nan(),
    }
}

/// Whether two values are the same: nans are all alike.
fn same(a: Scalar, b: Scalar) -> bool {
    a == b || is_nan(a) && is_nan(b)
}

/// The same, zeros being alike as well: which of them an extreme is depends on the order.
fn alike(a: Scalar, b: Scalar) -> bool {
    same(a, b) || a.wide() == b.wide()
}

// --- what rows claim

#[test]
fn rows_agree_with_the_op_table() {
    for (row, dtype) in rows() {
        let op = row.op;
        assert!(op.arity() == 2 && op.has_loop(dtype) && op.result(dtype) == dtype, "{op} of {dtype}");
        assert_eq!(row.fold, Fold::Op(op));
        assert_eq!(op.fold(), Some(row));
        if dtype.is_float() {
            assert_eq!(row.rounds(dtype), !op.row().effects.is_empty(), "{op}: what rounds raises flags");
        }
    }
    for fold in Fold::all() {
        assert_eq!(Fold::from_name(fold.name()), Some(fold));
    }
}

#[test]
fn names_of_reductions_and_scans_are_unique() {
    let mut names: Vec<&str> =
        Fold::all().filter_map(Fold::row).flat_map(|row| [row.reduction, row.scan]).flatten().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn neutral_elements_change_nothing() {
    for (row, dtype) in rows().filter(|(_, dtype)| is_computed(*dtype)) {
        let Some(neutral) = row.neutral(dtype) else { continue };
        for x in samples(dtype) {
            for found in [apply(row.op, neutral, x), apply(row.op, x, neutral)] {
                assert!(same(found, x), "{} of {dtype}: {x} and {neutral} give {found}", row.op);
            }
        }
    }
}

#[test]
fn absorbing_elements_take_in_all_others() {
    let mut found = 0;
    for (row, dtype) in rows() {
        let Some(absorbing) = row.absorbing(dtype) else { continue };
        found += 1;
        for x in samples(dtype) {
            for result in [apply(row.op, absorbing, x), apply(row.op, x, absorbing)] {
                assert!(same(result, absorbing), "{} of {dtype}: {x} and {absorbing} give {result}", row.op);
            }
        }
    }
    assert!(found >= 4, "any, all, and the extremes of bools");
}

#[test]
fn where_no_value_is_neutral_the_identity_is_not() {
    for (row, dtype) in rows().filter(|(row, dtype)| row.neutral(*dtype).is_none()) {
        let identity = row.identity(dtype).expect("nothing to begin with");
        let changes = |x: Scalar| !same(apply(row.op, identity, x), x);
        assert!(samples(dtype).into_iter().any(changes), "{} of {dtype}: {identity} is neutral", row.op);
    }
}

#[test]
fn reductions_begin_with_the_identity() {
    for (row, dtype) in rows() {
        let (identity, neutral, start) = (row.identity(dtype), row.neutral(dtype), row.start(dtype));
        match (identity, neutral) {
            (Some(identity), Some(neutral)) if identity != neutral => {
                assert!(alike(identity, neutral), "{} of {dtype}: only a zero's sign differs", row.op);
                assert_eq!((start, row.initial(dtype)), (Some(identity), Some(identity)));
            }
            _ => assert_eq!((start, row.initial(dtype)), (None, neutral), "{} of {dtype}", row.op),
        }
    }
    // As NumPy has it: the sum of negative zeros is a positive one, their running sum stays negative.
    let sum = Op::Add.fold().expect("a fold");
    assert_eq!(sum.start(DType::F32), Some(Scalar::new(DType::F32, 0.0)));
    assert_eq!(sum.neutral(DType::F32), Some(Scalar::new(DType::F32, -0.0)));
    assert_eq!(sum.start(DType::I64), None);
}

#[test]
fn extremes_begin_with_the_ends_of_their_types() {
    let neutral = |op: Op, dtype: DType| op.fold().and_then(|row| row.neutral(dtype)).expect("a neutral element");
    for dtype in [DType::F16, DType::F32, DType::F64] {
        assert_eq!(neutral(Op::Minimum, dtype), Scalar::new(dtype, f64::INFINITY));
        assert_eq!(neutral(Op::Maximum, dtype), Scalar::new(dtype, f64::NEG_INFINITY));
        assert_eq!(neutral(Op::Fmin, dtype), Scalar::new(dtype, f64::NAN));
        assert_eq!(neutral(Op::Multiply, dtype), Scalar::new(dtype, 1.0));
    }
    let infinite = Complex::new(f64::INFINITY, f64::INFINITY);
    assert_eq!(neutral(Op::Minimum, DType::C64), Scalar::new(DType::C64, infinite));
    assert_eq!(neutral(Op::Fmax, DType::I16), Scalar::new(DType::I16, i64::from(i16::MIN)));
    assert_eq!(neutral(Op::Fmin, DType::U8), Scalar::new(DType::U8, 255i64));
    assert_eq!(neutral(Op::Minimum, DType::Bool), Scalar::new(DType::Bool, true));
    assert_eq!(Op::Multiply.fold().and_then(|row| row.neutral(DType::C128)), None);
}

#[test]
fn idempotent_folds_may_take_elements_in_twice() {
    for (row, dtype) in rows().filter(|(_, dtype)| is_computed(*dtype)) {
        let values = samples(dtype);
        let twice = |x: Scalar, y: Scalar| {
            let once = apply(row.op, x, y);
            alike(apply(row.op, once, y), once)
        };
        let found = values.iter().all(|&x| values.iter().all(|&y| twice(x, y)));
        assert_eq!(found, row.is_idempotent(dtype), "{} of {dtype}", row.op);
    }
}

#[test]
fn folds_commute_and_associate_unless_they_round() {
    for (row, dtype) in rows().filter(|(_, dtype)| is_computed(*dtype)) {
        let values = samples(dtype);
        let op = |x, y| apply(row.op, x, y);
        for (&x, &y) in values.iter().flat_map(|x| values.iter().map(move |y| (x, y))) {
            assert!(alike(op(x, y), op(y, x)), "{} of {dtype}: {x} and {y} do not commute", row.op);
            // Of complex numbers, few: there are a hundred.
            for &z in values.iter().step_by(values.len().div_ceil(16)).filter(|_| !row.rounds(dtype)) {
                let (left, right) = (op(op(x, y), z), op(x, op(y, z)));
                assert!(alike(left, right), "{} of {dtype}: {x}, {y} and {z} do not associate", row.op);
            }
        }
    }
}

#[test]
fn folds_that_share_loops_do_the_same() {
    for (row, dtype) in rows().filter(|(row, dtype)| row.on(*dtype) != *row) {
        let other = row.on(dtype);
        assert_eq!(other.on(dtype), other, "{} of {dtype} is another's twice", row.op);
        for (x, y) in samples(dtype).into_iter().flat_map(|x| samples(dtype).into_iter().map(move |y| (x, y))) {
            assert!(alike(apply(row.op, x, y), apply(other.op, x, y)), "{} and {} of {dtype}", row.op, other.op);
        }
    }
}

// --- folds on every backend

/// The fold of rows, or its running values.
fn kernel(fold: Fold, dtype: DType, template: Template) -> Verified<Kernel> {
    let mut k = KernelBuilder::new(template, 1, 1);
    let (from, to) = (k.operand(dtype, Access::Read, true), k.operand(fold.result(dtype), Access::Write, true));
    let value = k.body().load(from);
    let number = k.accumulate(fold, value);
    let result = k.epilogue().result(number);
    k.epilogue().store(to, result);
    verify(k.finish()).unwrap_or_else(|e| panic!("{e}"))
}

/// Workers that are several, one after the other, the last tasks first.
pub(crate) struct Several(pub(crate) usize);

impl ThreadPool for Several {
    fn count(&self) -> usize {
        self.0
    }
    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).rev().for_each(task);
    }
}

/// A fold of one row that stops at an absorbing element gives what one gives that does not.
#[test]
fn one_deviating_bool_is_found_wherever_it_is() {
    for (fold, absorbing) in [(Op::LogicalOr, 1u8), (Op::LogicalAnd, 0), (Op::Maximum, 1), (Op::Minimum, 0)] {
        let kernel = kernel(Fold::Op(fold), DType::Bool, Template::Reduce);
        for backend in ["portable", "x86"].into_iter().filter_map(registry::select) {
            let program = backend.compile(&kernel).expect("compiles");
            for n in [1, 100, 8192, 8193, 40_000, 200_000] {
                let mut row = vec![1 - absorbing; n];
                let run = |row: &mut [u8], workers: &dyn ThreadPool| {
                    let mut total = 2u8;
                    let launch = Launch {
                        outer: &[1],
                        inner: &[n],
                        addresses: &[row.as_mut_ptr(), &raw mut total],
                        strides: &[n as isize, 1, 1, 0],
                        scalars: &[],
                    };
                    // SAFETY: the row has `n` elements, the result is one.
                    unsafe { program.launch(&launch, workers) }.expect("the host's memory is there");
                    total
                };
                assert_eq!(run(&mut row, &SingleThread), 1 - absorbing, "{fold} of {n}");
                for at in [0, 1, n / 3, n / 2, n.saturating_sub(2), n - 1].into_iter().filter(|&at| at < n) {
                    row[at] = absorbing;
                    for workers in [1, 2, 5] {
                        assert_eq!(run(&mut row, &Several(workers)), absorbing, "{fold} of {n}, {at}");
                    }
                    row[at] = 1 - absorbing;
                }
            }
        }
    }
}

/// Numbers whose folds are exact, and now and then a special one where that is wanted.
fn numbers(fold: Fold, dtype: DType, n: usize, special: bool) -> Vec<Scalar> {
    let mut state = n as u64 ^ 0x9e37_79b9_7f4a_7c15;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let in_lanes = fold.row().is_some_and(|row| row.order == FoldOrder::Lanes);
    let values = samples(dtype);
    let mut small = || match next() % 8 {
        x if in_lanes => [1.0, -1.0, 2.0, 0.5, 1.0, 1.0, -0.5, -2.0][x as usize],
        x => (x as f64 - 4.0) / 8.0,
    };
    let mut number = |i: usize| match dtype.kind() {
        _ if special && i % 61 == 17 => values[i / 61 % values.len()],
        Kind::Bool | Kind::Signed | Kind::Unsigned => values[(i * 7 + i / 9) % values.len()],
        Kind::Float => Scalar::new(dtype, small()),
        Kind::Complex if in_lanes => Scalar::new(dtype, small()),
        Kind::Complex => Scalar::new(dtype, Complex::new(small(), small())),
    };
    (0..n).map(&mut number).collect()
}

/// How elements lie: rows after rows, or columns after columns.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Layout {
    Rows,
    Columns,
}

/// What a run of a kernel leaves, by a program or the evaluator.
fn run(
    kernel: &Verified<Kernel>,
    program: Option<&dyn Program>,
    (rows, n, layout): (usize, usize, Layout),
    input: &[Scalar],
) -> Vec<Scalar> {
    let [from, to] = [0, 1].map(|operand| kernel.operands[operand].dtype);
    let count = if kernel.template == Template::Scan { rows * n } else { rows };
    let room = (input.len() * from.size()).next_multiple_of(64);
    let mut memory = vec![0u128; (room + count * to.size()) / 16 + 1];
    let start = memory.as_mut_ptr().cast::<u8>();
    // SAFETY: the memory as bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(start, memory.len() * 16) };
    for (element, value) in bytes.chunks_mut(from.size()).zip(input) {
        element.copy_from_slice(&value.bytes()[..from.size()]);
    }
    let each = |dtype: DType| {
        let size = dtype.size() as isize;
        if layout == Layout::Rows { [n as isize * size, size] } else { [size, rows as isize * size] }
    };
    let mut strides = [each(from), each(to)].concat();
    if kernel.template == Template::Reduce {
        strides[2..].copy_from_slice(&[to.size() as isize, 0]);
    }
    let (outer, inner) = ([rows], [n]);
    let addresses = [start, start.wrapping_add(room)];
    let launch = Launch { outer: &outer, inner: &inner, addresses: &addresses, strides: &strides, scalars: &[] };
    match program {
        // SAFETY: both operands have so many elements.
        Some(program) => drop(unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there")),
        None => evaluate(kernel, &launch, &mut Memory { start: start.addr(), bytes: &mut *bytes }),
    }
    let scalar = |bytes: &[u8]| {
        let mut bits = [0; 16];
        bits[..to.size()].copy_from_slice(bytes);
        Scalar::from_bits(to, u128::from_le_bytes(bits))
    };
    bytes[room..].chunks(to.size()).take(count).map(scalar).collect()
}

/// Whether a result is right: of what rounds, nearly, as the order is the backend's.
fn is_right(rounds: bool, expected: Scalar, found: Scalar) -> bool {
    let (a, b) = (expected.to_complex(), found.to_complex());
    let unit = if matches!(found.dtype(), DType::F32 | DType::C64) { 1e-6 } else { 1e-15 };
    alike(expected, found) || rounds && (a - b).norm() <= 64.0 * unit * a.norm()
}

fn backends() -> Vec<Box<dyn Backend>> {
    let portable = Portable::every_level().into_iter().map(|backend| Box::new(backend) as Box<dyn Backend>);
    #[cfg(all(target_arch = "x86_64", unix, not(miri)))]
    let portable = portable.chain(x86::X86::every_level().into_iter().map(|backend| Box::new(backend) as _));
    portable.collect()
}

#[test]
fn every_fold_runs_on_every_backend() {
    use Layout::{Columns, Rows};
    let rows = [(1, 1), (3, 7), (2, 8), (5, 9), (1, 64), (2, 300), (1, 1000), (1, 9000)].map(|(r, n)| (r, n, Rows));
    let columns = [(3, 5), (9, 40), (33, 20), (200, 70)].map(|(r, n)| (r, n, Columns));
    let backends = backends();
    for (fold, dtype) in Fold::all().flat_map(|fold| DType::ALL.map(|dtype| (fold, dtype))) {
        let row = fold.row().expect("in the table");
        if !row.takes(dtype) || !is_computed(dtype) {
            continue;
        }
        for template in [Template::Reduce, Template::Scan] {
            if template == Template::Scan && matches!(fold, Fold::ArgMin | Fold::ArgMax) {
                continue;
            }
            let kernel = kernel(fold, dtype, template);
            let programs: Vec<_> = backends.iter().map(|backend| backend.compile(&kernel).expect("compiles")).collect();
            for shape in rows.into_iter().chain(columns) {
                // Most numbers are as ever beside special ones. What a product of complex infinities is depends on the order.
                let which = match (row.rounds(dtype), dtype.is_float()) {
                    (false, _) => &[true][..],
                    (true, true) => &[false, true],
                    (true, false) => &[false],
                };
                for &special in which {
                    let input = numbers(fold, dtype, shape.0 * shape.1, special);
                    let expected = run(&kernel, None, shape, &input);
                    for (program, backend) in programs.iter().zip(&backends) {
                        let found = run(&kernel, Some(&**program), shape, &input);
                        for (i, (&e, &f)) in expected.iter().zip(&found).enumerate() {
                            let what =
                                format!("{template} {fold} of {dtype}, {shape:?}, special {special}, element {i}");
                            assert!(is_right(row.rounds(dtype), e, f), "{}: {what}: {f}, not {e}", backend.name());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn negative_zeros_are_numpys() {
    let backends = backends();
    for (row, dtype) in rows().filter(|(row, dtype)| row.start(*dtype).is_some() && is_computed(*dtype)) {
        let (neutral, start) = (row.neutral(dtype).expect("known"), row.start(dtype).expect("known"));
        for (template, expected) in [(Template::Reduce, start), (Template::Scan, neutral)] {
            let kernel = kernel(row.fold, dtype, template);
            for backend in &backends {
                let program = backend.compile(&kernel).expect("compiles");
                for n in [1, 5, 9, 40, 300, 5000] {
                    let found = run(&kernel, Some(&*program), (2, n, Layout::Rows), &vec![neutral; 2 * n]);
                    assert!(found.iter().all(|&x| x == expected), "{}: {template} {} of {n}", backend.name(), row.op);
                }
            }
        }
    }
}

#[test]
fn every_fold_prints_as_cuda() {
    for (fold, dtype) in Fold::all().flat_map(|fold| DType::ALL.map(|dtype| (fold, dtype))) {
        if !fold.row().is_some_and(|row| row.takes(dtype)) || !is_computed(dtype) {
            continue;
        }
        let kernel = kernel(fold, dtype, Template::Reduce);
        let (size, result) = (dtype.size() as isize, fold.result(dtype).size() as isize);
        let (addresses, strides) = ([std::ptr::null_mut(); 2], [100 * size, size, result, 0]);
        let launch = Launch { outer: &[10], inner: &[100], addresses: &addresses, strides: &strides, scalars: &[] };
        let (text, _) = cuda::render(&kernel, &launch).expect("there are points");
        assert!(text.contains("Folded join(const Folded a, const Folded b)"), "{fold} of {dtype}:\n{text}");
    }
}
