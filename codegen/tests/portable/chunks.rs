//! Every op gives in the middle of a row, and in place, what it gives alone: chunks, their overlaps and their fast forms
//! change nothing.

use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use num_complex::Complex;

/// One op over one or two operands and a result, dense, of one axis or of rows.
fn program(backend: &Portable, op: Op, dtype: DType, rank: u8) -> std::sync::Arc<dyn Program> {
    let mut body = Fragment::default();
    let mut operands = vec![];
    let mut operand = |dtype, access| {
        operands.push(OperandDecl { dtype, access, restrict: false, nontemporal: false });
        OperandId(operands.len() as u16 - 1)
    };
    for _ in 0..2 {
        body.insts.push(Inst::Load(operand(dtype, Access::Read)));
        body.types.push(dtype);
    }
    let out = op.result(dtype);
    body.insts.push(Inst::Apply(op, [ValueId(0), ValueId(op.arity() as u32 - 1)]));
    body.insts.push(Inst::Store(operand(out, Access::Write), ValueId(2)));
    body.types.extend([out, out]);
    let kernel = Kernel {
        template: Template::Map,
        outer: rank,
        inner: 0,
        operands,
        scalars: vec![],
        body,
        accumulators: vec![],
        epilogue: Fragment::default(),
    };
    backend.compile(&verify(kernel).unwrap()).unwrap()
}

/// Values that ask for every branch: ordinary ones mostly, so that some chunks have nothing else.
fn values(dtype: DType, n: usize, seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    let float = |r: &mut dyn FnMut(u64) -> u64| match r(60) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => -0.0,
        3 => 1e-310,
        4 => -1e300,
        5 => 0.0,
        6 => 3e-39,
        7 => -1e-160,
        _ => (r(4001) as f64 - 2000.0) / 8.0,
    };
    (0..n)
        .flat_map(|_| {
            let scalar = match dtype.kind() {
                Kind::Bool => Scalar::new(dtype, next(2) == 1),
                Kind::Signed | Kind::Unsigned if next(40) == 0 => Scalar::from_bits(dtype, u128::MAX >> next(128)),
                Kind::Signed | Kind::Unsigned => Scalar::new(dtype, next(201) as i64 - 100),
                Kind::Float => Scalar::new(dtype, float(&mut next)),
                Kind::Complex => Scalar::new(dtype, Complex::new(float(&mut next), float(&mut next))),
            };
            scalar.bytes()[..dtype.size()].to_vec()
        })
        .collect()
}

/// Sixteen-byte units that begin where any type may.
fn aligned(bytes: &[u8]) -> Vec<u128> {
    bytes
        .chunks(16)
        .map(|c| {
            let mut unit = [0; 16];
            unit[..c.len()].copy_from_slice(c);
            u128::from_le_bytes(unit)
        })
        .collect()
}

fn same(dtype: DType, a: &[u8], b: &[u8], ulps: f64) -> bool {
    let wide = |x: &[u8]| {
        let mut bits = [0; 16];
        bits[..x.len()].copy_from_slice(x);
        Scalar::from_bits(dtype, u128::from_le_bytes(bits)).to_complex()
    };
    let (x, y) = (wide(a), wide(b));
    let close = |x: f64, y: f64| x.is_nan() && y.is_nan() || x == y || (x - y).abs() <= ulps * f64::EPSILON * y.abs();
    a == b || (dtype.is_float() || dtype.is_complex()) && close(x.re, y.re) && close(x.im, y.im)
}

/// Rows in a launch, and elements from one to the next.
const HEIGHT: usize = 3;
const PITCH: usize = 90;

#[test]
fn every_op_gives_in_a_row_what_it_gives_alone() {
    for backend in Portable::every_level() {
        for &op in Op::ALL {
            for dtype in DType::ALL.iter().copied().filter(|&d| d != DType::F16 && op.has_loop(d)) {
                let (line, rows) = (program(&backend, op, dtype, 1), program(&backend, op, dtype, 2));
                for n in [1, 2, 5, 8, 15, 16, 17, 31, 37, 64, 83] {
                    compare(op, dtype, n, &*line, &*rows);
                }
            }
        }
    }
}

/// Rows of `n` elements against each of them.
fn compare(op: Op, dtype: DType, n: usize, line: &dyn Program, rows: &dyn Program) {
    let (size, out) = (dtype.size(), op.result(dtype));
    let ulps = if op == Op::Absolute && dtype.is_complex() { 2.0 } else { 0.0 };
    let seed = n as u64 * 31 + op as u64;
    let (a, mut b) = (values(dtype, HEIGHT * PITCH, seed), values(dtype, HEIGHT * PITCH, !seed));
    if op == Op::Power {
        b = b[..size].repeat(HEIGHT * PITCH); // a loop of squarings
    }
    let (s, o, p) = (size as isize, out.size() as isize, PITCH as isize);
    let strides = [s * p, s, s * p, s, o * p, o];
    let bytes = HEIGHT * PITCH * out.size();
    let among = run(rows, &[HEIGHT, n], &[&a, &b], &strides, bytes, None);
    for source in 0..if out.size() == size { 2 } else { 0 } {
        let in_place = run(rows, &[HEIGHT, n], &[&a, &b], &strides, bytes, Some(source));
        for i in 0..HEIGHT * n {
            let at = (i / n * PITCH + i % n) * out.size();
            let (x, y) = (&in_place[at..][..out.size()], &among[at..][..out.size()]);
            assert!(same(out, x, y, 0.0), "{op} {dtype} n={n} element {i} in place of {source}: {x:?} for {y:?}");
        }
    }
    for i in 0..HEIGHT * n {
        let at = i / n * PITCH + i % n;
        let (x, y) = (&a[at * size..][..size], &b[at * size..][..size]);
        let alone = run(line, &[1], &[x, y], &[s, s, o], out.size(), None);
        let among = &among[at * out.size()..][..out.size()];
        assert!(same(out, among, &alone, ulps), "{op} {dtype} n={n} element {i}: {among:?} for {alone:?}");
    }
}

/// Launches a program on operands and gives its result, written over an operand if so told.
fn run(
    program: &dyn Program,
    outer: &[usize],
    operands: &[&[u8]],
    strides: &[isize],
    bytes: usize,
    over: Option<usize>,
) -> Vec<u8> {
    let mut memory: Vec<Vec<u128>> = operands.iter().map(|o| aligned(o)).collect();
    memory.push(vec![0; bytes.div_ceil(16)]);
    let mut addresses: Vec<*mut u8> = memory.iter_mut().map(|m| m.as_mut_ptr().cast()).collect();
    let result = over.unwrap_or(operands.len());
    addresses[operands.len()] = addresses[result];
    let launch = Launch { outer, inner: &[], addresses: &addresses, strides, scalars: &[] };
    // SAFETY: the callers pass operands that hold every element, and the result's size.
    unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    memory[result].iter().flat_map(|unit| unit.to_le_bytes()).take(bytes).collect()
}
