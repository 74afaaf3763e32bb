//! The second version of loops, which runs where special arguments are many, against re-execution by the portable backend: bits (every
//! NaN is like any other) and flags. It is not for launches that report underflow, and so the same program can do both.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use super::{alike, numbers};
use crate::portable::random::Random;
use crate::process::alone;
use fastnp_codegen::drive::fp_status::set_reported;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// Elements of a launch: three chunks, one of which is short.
const POINTS: usize = 17_000;
/// Rows of a reduction.
const ROWS: usize = 4;
/// All flags but underflow.
const OTHERS: FpFlags = FpFlags(FpFlags::ALL.0 & !FpFlags::UNDERFLOW.0);

/// How a launch finds its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Dense,
    /// Every second element of the operands that are read.
    Strided,
    /// The result in place of the first operand.
    InPlace,
    /// In rows of some twenty elements.
    ShortRows,
    /// Rows are summed.
    Sums,
}

const WAYS: [Way; 5] = [Way::Dense, Way::Strided, Way::InPlace, Way::ShortRows, Way::Sums];

/// `store(op(load, load) * load)`, or the sum of what of it is finite.
fn kernel_of(op: Op, dtype: DType, way: Way) -> Verified<Kernel> {
    let (template, outer, inner) = if way == Way::Sums { (Template::Reduce, 1, 1) } else { (Template::Map, 2, 0) };
    let mut kernel = KernelBuilder::new(template, outer, inner);
    let from = [(); 2].map(|()| kernel.operand(dtype, Access::Read, false));
    let to = kernel.operand(dtype, Access::Write, false);
    let mut body = kernel.body();
    let args = from.map(|m| body.load(m));
    let value = body.apply(op, &args[..op.arity()]);
    let product = body.apply(Op::Multiply, &[value, args[1]]);
    if way == Way::Sums {
        let (is_finite, zero) = (body.apply(Op::Isfinite, &[product]), body.constant(Scalar::new(dtype, 0.0)));
        let finite = body.select(is_finite, product, zero);
        let sum = kernel.accumulate(Fold::Op(Op::Add), finite);
        let sum = kernel.epilogue().result(sum);
        kernel.epilogue().store(to, sum);
    } else {
        body.store(to, product);
    }
    verify(kernel.finish()).expect("right")
}

/// Numbers of which one in eleven is special.
fn arguments(r: &mut Random, dtype: DType) -> Vec<u8> {
    let special = numbers(r, dtype, 2 * POINTS);
    let ordinary = |i: usize| Scalar::new(dtype, 0.05 + (i * 617 % 1000) as f64 / 1100.0).bits();
    let element = |(i, x): (usize, u128)| if i % 11 == 3 { x } else { ordinary(i) };
    let bytes = |x: u128| x.to_le_bytes()[..dtype.size()].to_vec();
    special.into_iter().enumerate().map(element).flat_map(bytes).collect()
}

/// The results of a launch, and the flags other than underflow.
fn run(program: &dyn Program, dtype: DType, way: Way, columns: &[Vec<u8>; 2]) -> (Vec<u8>, RaisedFlags) {
    let (size, mut columns, mut out) = (dtype.size(), columns.clone(), vec![0u8; POINTS * dtype.size()]);
    let [x, y] = columns.each_mut().map(|column| column.as_mut_ptr());
    let to = if way == Way::InPlace { x } else { out.as_mut_ptr() };
    let [rows, n] = match way {
        Way::ShortRows => [POINTS / 20, 20],
        Way::Sums => [ROWS, POINTS / ROWS],
        Way::Dense | Way::InPlace | Way::Strided => [1, POINTS],
    };
    let step = if way == Way::Strided { 2 * size } else { size };
    let of_results = if way == Way::Sums { [size, 0] } else { [n * size, size] };
    let strides = [[n * step, step], [n * step, step], of_results].concat();
    let strides: Vec<isize> = strides.into_iter().map(|stride| stride as isize).collect();
    let shape = [rows, n];
    let (outer, inner) = shape.split_at(if way == Way::Sums { 1 } else { 2 });
    let launch = Launch { outer, inner, addresses: &[x, y, to], strides: &strides, scalars: &[] };
    // SAFETY: all columns have so many elements with these steps.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("memory is there");
    let others = raised.into_iter().map(|(epilogue, inst, flags)| (epilogue, inst, flags & OTHERS));
    let mut raised: RaisedFlags = others.filter(|(.., flags)| !flags.is_empty()).collect();
    raised.sort_unstable_by_key(|r| (r.0, r.1));
    (if way == Way::InPlace { columns[0][..POINTS * size].to_vec() } else { out }, raised)
}

/// Whether sums are the same but for the order of their terms, which in re-executed rows is another.
fn near(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let size = dtype.size();
    let read = |bytes: &[u8]| {
        let mut bits = [0; 16];
        bits[..size].copy_from_slice(bytes);
        Scalar::from_bits(dtype, u128::from_le_bytes(bits)).to_f64()
    };
    let relative = if dtype == DType::F64 { 1e-12 } else { 1e-5 };
    let is_near = |x: f64, y: f64| x == y || x.is_nan() && y.is_nan() || (x - y).abs() <= relative * x.abs();
    a.chunks(size).zip(b.chunks(size)).all(|(x, y)| is_near(read(x), read(y)))
}

#[test]
fn the_second_version_is_the_portable_backends() {
    alone("x86::second_version::the_second_version_is_the_portable_backends", || {
        let mut random = Random::new(11);
        let elementary = || Op::ALL.iter().copied().filter(|op| op.row().elementary);
        let functions = || elementary().chain([Op::FrexpMantissa]);
        for (x86, dtype) in X86::every_level().iter().flat_map(|x86| [(x86, DType::F64), (x86, DType::F32)]) {
            for (op, way) in functions().flat_map(|op| WAYS.map(|way| (op, way))) {
                let program = x86.compile(&kernel_of(op, dtype, way)).expect("it compiles");
                let columns = [(); 2].map(|()| arguments(&mut random, dtype));
                let [expected, found] = [FpFlags::ALL, OTHERS].map(|reported| {
                    set_reported(reported);
                    // The first launches make the version, the last one runs it at once.
                    let [.., last] = [(); 3].map(|()| run(&*program, dtype, way, &columns));
                    last
                });
                let what = format!("{op} {dtype} {way:?} {}", x86.name());
                let agree = if way == Way::Sums { near } else { alike };
                assert!(agree(dtype, &expected.0, &found.0), "{what}");
                assert_eq!(expected.1, found.1, "{what}: flags");
            }
        }
    });
}
