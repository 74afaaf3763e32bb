//! The x86 backend against the portable one: bits and flags, over random kernels and every op by itself.
#![cfg(all(target_arch = "x86_64", unix))]

mod arena;
mod coordinates;
mod divisions;
mod encoding;
mod exponentials;
mod folds;
mod interleave;
mod models;
mod repeated_rows;
mod rows;
mod scans;
mod second_version;
mod shifted_loads;
mod side_exits;
mod slices;
mod small_launches;

use crate::portable::random::{Case, Random};
use crate::process::alone;
use fastnp_codegen::drive::fp_status::set_reported;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// `FASTNP_RANDOM_KERNELS` of them, from the seed `FASTNP_RANDOM_SEED` on: a third of them reductions or scans.
#[test]
fn random_kernels() {
    compare_random_kernels(FpFlags::ALL);
}

/// Loops that leave before they overwrite inputs are not for launches that report underflow.
#[test]
fn random_kernels_without_underflow() {
    alone("x86::random_kernels_without_underflow", || {
        let others = FpFlags(FpFlags::ALL.0 & !FpFlags::UNDERFLOW.0);
        set_reported(others);
        compare_random_kernels(others);
    });
}

fn compare_random_kernels(reported: FpFlags) {
    let number = |name, default| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let (first, count) = (number("FASTNP_RANDOM_SEED", 0), number("FASTNP_RANDOM_KERNELS", 2500));
    for x86 in X86::every_level() {
        let differs = |&seed: &u64| {
            let mut random = Random::with_functions(seed).in_order();
            let case = match seed % 6 {
                0 => Case::reduce(&mut random),
                1 => Case::scan(&mut random),
                _ => Case::map(&mut random),
            };
            std::panic::catch_unwind(|| compare_case(&x86, &case, seed, reported)).is_err()
        };
        let seeds: Vec<u64> = (first..first + count).filter(differs).collect();
        assert!(seeds.is_empty(), "{}: kernels of the seeds {seeds:?} differ", x86.name());
    }
}

/// Runs a case on both backends; they agree in what they store, and in those of some flags that what is stored raises.
fn compare_case(x86: &X86, case: &Case, seed: u64, reported: FpFlags) {
    let kernel = verify(case.kernel.clone()).unwrap();
    let (expected, flags) = case.run(&*Portable::new().compile(&kernel).unwrap(), &SingleThread);
    let (found, raised) = case.run(&*x86.compile(&kernel).unwrap(), &SingleThread);
    let [flags, raised] = [flags, raised].map(|all| -> RaisedFlags {
        all.into_iter().map(|r| (r.0, r.1, r.2 & reported)).filter(|r| !r.2.is_empty()).collect()
    });
    if let Some(difference) = case.difference(&expected, &found) {
        panic!("{}, seed {seed}: {difference}\n{case}", x86.name());
    }
    let raising = raising_when_written_out(&kernel, case);
    let wanted = |all: &RaisedFlags| -> RaisedFlags {
        all.iter().copied().filter(|r| raising.contains(&(r.0, r.1)) && is_live(&kernel, r.0, r.1)).collect()
    };
    assert_eq!(wanted(&flags), wanted(&raised), "{}, seed {seed}\n{case}", x86.name());
    // Underflow, which is ignored unless asked for, may be another instruction's where one alone is watched.
    let is_known = |r: &(bool, u32, FpFlags)| {
        flags.iter().any(|f| (f.0, f.1) == (r.0, r.1) && (f.2 | FpFlags::UNDERFLOW).contains(r.2))
    };
    assert!(raised.iter().all(is_known), "{}, seed {seed}: {raised:?} but {flags:?}\n{case}", x86.name());
}

/// Instructions that raise flags once elementary functions and complex numbers are written out: what only parts of numbers
/// that nothing needs would raise, or one side of a choice made before, is dropped with them.
fn raising_when_written_out(kernel: &Verified<Kernel>, case: &Case) -> Vec<(bool, u32)> {
    let expanded = expand(kernel);
    let written_out = verify(expanded.kernel).unwrap();
    let (_, raised) = case.run(&*Portable::new().compile(&written_out).unwrap(), &SingleThread);
    let origin = |&(epilogue, inst, _): &(bool, u32, FpFlags)| {
        let trail = if epilogue { &expanded.epilogue } else { &expanded.body };
        // What is wanted in odd lanes only is computed in all of them there.
        let is_odd = trail.slow_paths.iter().any(|odd| odd.value.0 == inst);
        (!is_odd).then(|| (epilogue, trail.origin[inst as usize]))
    };
    raised.iter().filter_map(origin).collect()
}

/// Whether something stored needs an instruction. Others may be dropped, with the flags they would raise.
fn is_live(kernel: &Kernel, epilogue: bool, number: u32) -> bool {
    let fragment = if epilogue { &kernel.epilogue } else { &kernel.body };
    let mut live = vec![false; fragment.insts.len()];
    if !epilogue {
        kernel.accumulators.iter().for_each(|a| live[a.value.0 as usize] = true);
    }
    for (i, inst) in fragment.insts.iter().enumerate().rev() {
        if live[i] || matches!(inst, Inst::Store(..) | Inst::Scatter(..) | Inst::Result(_)) {
            Fragment::arguments(inst).iter().for_each(|v| live[v.0 as usize] = true);
            live[i] = true;
        }
    }
    live[number as usize]
}

/// Numbers of a type: special ones, small ones, and any bits.
fn numbers(r: &mut Random, dtype: DType, n: usize) -> Vec<u128> {
    let special =
        [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -1e30, 1e300, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 5e-324, 1e-40];
    (0..n)
        .map(|_| match (dtype.kind(), r.below(4)) {
            (Kind::Bool, _) => Scalar::new(dtype, r.below(2) == 1).bits(),
            (Kind::Float, 0) => Scalar::new(dtype, r.one(&special)).bits(),
            (Kind::Complex, 0) => {
                Scalar::new(dtype, num_complex::Complex::new(r.one(&special), r.one(&special))).bits()
            }
            (Kind::Complex, _) => {
                let mut small = || (r.below(200) as f64 - 100.0) / 8.0;
                Scalar::new(dtype, num_complex::Complex::new(small(), small())).bits()
            }
            (_, 1) => Scalar::new(dtype, r.below(200) as i64 - 100).bits(),
            _ => Scalar::from_bits(dtype, u128::from(r.bits())).bits(),
        })
        .collect()
}

/// A column of a type with elements some bytes apart.
fn column(values: &[u128], size: usize, stride: usize) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * stride + 64];
    for (i, value) in values.iter().enumerate() {
        bytes[i * stride..][..size].copy_from_slice(&value.to_le_bytes()[..size]);
    }
    bytes
}

/// A kernel of loads, one instruction, and a store.
fn kernel_of(inst: Inst, arguments: &[DType], result: DType) -> Verified<Kernel> {
    let operand = |dtype, access| OperandDecl { dtype, access, restrict: true, nontemporal: false };
    let mut operands: Vec<OperandDecl> = arguments.iter().map(|&d| operand(d, Access::Read)).collect();
    operands.push(operand(result, Access::Write));
    let n = arguments.len() as u32;
    let mut insts: Vec<Inst> = (0..n).map(|i| Inst::Load(OperandId(i as u16))).collect();
    insts.extend([inst, Inst::Store(OperandId(n as u16), ValueId(n))]);
    let types = arguments.iter().copied().chain([result, result]).collect();
    let body = Fragment { insts, types };
    let (template, epilogue) = (Template::Map, Fragment::default());
    verify(Kernel { template, outer: 1, inner: 0, operands, scalars: vec![], body, accumulators: vec![], epilogue })
        .unwrap()
}

/// A kernel of an op on the larger one and the smaller one of two loaded numbers.
fn kernel_after(op: Op, dtype: DType) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let from = [(); 2].map(|()| kernel.operand(dtype, Access::Read, true));
    let to = kernel.operand(op.result(dtype), Access::Write, true);
    let mut body = kernel.body();
    let [a, b] = from.map(|m| body.load(m));
    let args = [body.apply(Op::Maximum, &[a, b]), body.apply(Op::Minimum, &[a, b])];
    let value = body.apply(op, &args[..op.arity()]);
    body.store(to, value);
    verify(kernel.finish()).unwrap()
}

/// Whether two columns hold the same numbers; nans are all alike.
fn alike(dtype: DType, a: &[u8], b: &[u8]) -> bool {
    let read = |bytes: &[u8]| {
        let mut bits = [0; 16];
        bits[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(dtype.real(), u128::from_le_bytes(bits))
    };
    a.chunks(dtype.real().size()).zip(b.chunks(dtype.real().size())).all(|(x, y)| {
        let nan = |bytes| dtype.real().is_float() && read(bytes).to_f64().is_nan();
        x == y || (nan(x) && nan(y))
    })
}

fn compare(x86: &X86, r: &mut Random, kernel: &Verified<Kernel>, what: &str) {
    compare_on(x86, r, kernel, what, |r, n| kernel.operands.iter().map(|o| numbers(r, o.dtype, n)).collect());
}

/// The same with `n` numbers of some choice for each operand.
fn compare_on(
    x86: &X86,
    r: &mut Random,
    kernel: &Verified<Kernel>,
    what: &str,
    choose: impl Fn(&mut Random, usize) -> Vec<Vec<u128>>,
) {
    let programs = [Portable::new().compile(kernel).unwrap(), x86.compile(kernel).unwrap()];
    for n in [1, 3, 8, 15, 16, 17, 64, 65, 200, 700] {
        for step in [1, 2, 3] {
            let inputs: Vec<(Vec<u8>, usize)> = kernel.operands[..kernel.operands.len() - 1]
                .iter()
                .zip(choose(r, n))
                .map(|(o, values)| {
                    let stride = o.dtype.size() * step;
                    (column(&values, o.dtype.size(), stride), stride)
                })
                .collect();
            let result = kernel.operands[inputs.len()].dtype;
            let runs = programs.each_ref().map(|program| {
                let mut out = vec![0u128; n * result.size() / 16 + 2];
                let mut addresses: Vec<*mut u8> = inputs.iter().map(|(c, _)| c.as_ptr().cast_mut()).collect();
                addresses.push(out.as_mut_ptr().cast());
                let strides: Vec<isize> = inputs.iter().map(|c| c.1 as isize).chain([result.size() as isize]).collect();
                let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
                // SAFETY: all columns have `n` elements with these steps.
                let mut raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
                raised.sort_unstable_by_key(|r| (r.0, r.1));
                // SAFETY: the same memory as bytes.
                let bytes = unsafe { std::slice::from_raw_parts(out.as_ptr().cast::<u8>(), n * result.size()) };
                (bytes.to_vec(), raised)
            });
            assert!(
                alike(result, &runs[0].0, &runs[1].0),
                "{what}, {n} elements, step {step}\n{:?}\n{:?}",
                runs[0].0,
                runs[1].0
            );
            assert_eq!(runs[0].1, runs[1].1, "{what}, {n} elements, step {step}: flags");
        }
    }
}

#[test]
fn every_op_is_the_portable_backends() {
    for x86 in X86::every_level() {
        let mut random = Random::new(1);
        for &op in Op::ALL {
            for dtype in DType::ALL.into_iter().filter(|&d| op.has_loop(d) && d != DType::F16) {
                let last = ValueId(op.arity() as u32 - 1);
                let kernel = kernel_of(Inst::Apply(op, [ValueId(0), last]), &vec![dtype; op.arity()], op.result(dtype));
                compare(&x86, &mut random, &kernel, &format!("{op} of {dtype}"));
                // Of values in registers that nothing needs any more.
                let kernel = kernel_after(op, dtype);
                compare(&x86, &mut random, &kernel, &format!("{op} of {dtype}, computed before"));
            }
        }
    }
}

/// Numbers that a step is defined for, by argument.
fn arguments_of(step: Primitive, dtype: DType, r: &mut Random, n: usize) -> Vec<Vec<u128>> {
    let [least, infinity] = match dtype {
        DType::F32 => [f32::MIN_POSITIVE.to_bits().into(), f32::INFINITY.to_bits().into()],
        _ => [f64::MIN_POSITIVE.to_bits(), f64::INFINITY.to_bits()],
    };
    let quiet = |bits: u128| {
        let nan = Scalar::new(dtype, f64::NAN);
        if dtype.is_float() && Scalar::from_bits(dtype, bits).to_f64().is_nan() { nan.bits() } else { bits }
    };
    let any = |r: &mut Random| numbers(r, dtype, 1)[0];
    let float = |x: f64| Scalar::new(dtype, x).bits();
    let pair = |r: &mut Random| match step {
        Primitive::Unusual => [any(r), 0],
        Primitive::Exponent | Primitive::Mantissa => [(least + r.bits() % (infinity - least)).into(), 0],
        Primitive::Bound => [quiet(any(r)), float(r.one(&[0.25, 22.0, 1000.0, 1e30]))],
        Primitive::Scale => {
            let some = (1.0 + r.below(1000) as f64 / 1000.0) * 2f64.powi(r.below(39) as i32 - 19);
            let special = r.one(&[0.0, -0.0, -some, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
            let reach = if dtype == DType::F32 { 400 } else { 3000 };
            let near = (r.below(reach) as f64 - reach as f64 / 2.0) + r.one(&[0.0, 0.0, 0.25, 0.5]);
            match r.below(40) {
                0 => [float(some), float(r.one(&[f64::INFINITY, f64::NEG_INFINITY, f64::NAN]))],
                1 => [float(some), float(r.one(&[-0.0, 1e30, -1e30]))],
                2 => [float(special), float(near)],
                // Most vectors have small ones alone.
                3 | 4 => [float(some), float(near)],
                _ => [float(some), float(near / 8.0)],
            }
        }
        // Within reach of exponents; of minus zero it is a zero of either sign.
        Primitive::Fraction => {
            let special = r.one(&[0.0, 5e-324, 1e-30, 1e30, f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
            let near = (r.below(40_000) as f64 - 20_000.0) / 8.0 + r.below(1000) as f64 / 8000.0;
            [float(if r.below(8) == 0 { special } else { near }), 0]
        }
        Primitive::Limit | Primitive::LogLimit | Primitive::Entry(_) => [quiet(any(r)), quiet(any(r))],
    };
    let (first, second) = (0..n).map(|_| pair(r).into()).collect::<(Vec<_>, Vec<_>)>();
    vec![first, second]
}

#[test]
fn every_step_is_the_portable_backends() {
    for x86 in X86::every_level() {
        let mut random = Random::new(6);
        for step in Primitive::all() {
            for from in [DType::F32, DType::F64, DType::U32, DType::U64] {
                let Some(to) = step.result(from) else { continue };
                let last = ValueId(step.arity() as u32 - 1);
                let kernel = kernel_of(Inst::Step(step, [ValueId(0), last]), &vec![from; step.arity()], to);
                assert!(x86.compile(&kernel).unwrap().listing().starts_with("x86"), "{step} of {from}");
                for _ in 0..if step == Primitive::Scale { 40 } else { 4 } {
                    let choose = |r: &mut Random, n| arguments_of(step, from, r, n);
                    compare_on(&x86, &mut random, &kernel, &format!("{}, {step} of {from}", x86.name()), choose);
                }
            }
        }
    }
}

#[test]
fn a_program_keeps_a_bounded_number_of_loops() {
    let text = "kernel map(outer 1) {\n m0: read f64\n m1: read f64\n m2: read f64\n m3: read f64\n m4: write f64\n body:\n \
                v0: f64 = load m0\n v1: f64 = load m1\n v2: f64 = load m2\n v3: f64 = load m3\n v4: f64 = add v0, v1\n \
                v5: f64 = add v4, v2\n v6: f64 = add v5, v3\n store m4, v6: f64\n }";
    let kernel = verify(text.parse().unwrap()).unwrap();
    let n = 100;
    // From the middle on there are `n` numbers at any of the strides, in either direction.
    let numbers: Vec<f64> = (0..6 * n).map(|i| i as f64).collect();
    let steps = [1, 0, 3, -1];
    for x86 in X86::every_level() {
        let program = x86.compile(&kernel).unwrap();
        for pattern in 0..steps.len().pow(4) {
            let steps: [isize; 4] = std::array::from_fn(|operand| steps[pattern >> (2 * operand) & 3]);
            let mut sums = vec![0.0; n];
            let mut addresses = [(&raw const numbers[3 * n]).cast_mut().cast::<u8>(); 5];
            addresses[4] = sums.as_mut_ptr().cast();
            let strides = [8 * steps[0], 8 * steps[1], 8 * steps[2], 8 * steps[3], 8];
            let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
            // SAFETY: all rows have `n` numbers.
            unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            let step = steps.iter().sum::<isize>();
            for (i, &sum) in sums.iter().enumerate() {
                assert_eq!(sum, (12 * n as isize + step * i as isize) as f64, "{}, {steps:?}", x86.name());
            }
        }
        let listing = program.listing();
        let loops = listing.lines().filter(|line| line.starts_with('[')).count();
        assert!((2..=32).contains(&loops), "{}: {loops} loops", x86.name());
    }
}

#[test]
fn coordinates_reach_what_is_computed_later() {
    // Remainders by zero are left out of the loop, in the second row and in the second piece of a long one.
    let text = "kernel map(outer 2) {\n m0: read i64\n m1: write i64\n body:\n v0: i64 = index 0\n v1: i64 = index 1\n \
                v2: i64 = add v0, v1\n v3: i64 = load m0\n v4: i64 = fmod v2, v3\n store m1, v4: i64\n }";
    let kernel = verify(text.parse().unwrap()).unwrap();
    for x86 in X86::every_level() {
        let program = x86.compile(&kernel).unwrap();
        for (rows, columns) in [(3, 17), (2, 40_000)] {
            let divisors: Vec<i64> = (0..rows * columns).map(|i| (i % 5) as i64).collect();
            let mut rests = vec![0i64; rows * columns];
            let addresses = [divisors.as_ptr().cast_mut().cast(), rests.as_mut_ptr().cast()];
            let (outer, step) = ([rows, columns], 8 * columns as isize);
            let launch =
                Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &[step, 8, step, 8], scalars: &[] };
            // SAFETY: both have as many numbers as there are points.
            unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            for (i, (&rest, &divisor)) in rests.iter().zip(&divisors).enumerate() {
                let x = (i / columns + i % columns) as i64;
                assert_eq!(rest, if divisor == 0 { 0 } else { x % divisor }, "{}, point {i}", x86.name());
            }
        }
    }
}

#[test]
fn coordinates_that_nothing_uses_change_nothing() {
    // Lanes of one byte have no room for them.
    let text = "kernel map(outer 1) {\n m0: read i8\n m1: write i8\n body:\n v0: i64 = index 0\n v1: i8 = load m0\n \
                v2: i8 = invert v1\n store m1, v2: i8\n }";
    let kernel = verify(text.parse().unwrap()).unwrap();
    for x86 in X86::every_level() {
        compare(&x86, &mut Random::new(4), &kernel, "a coordinate that nothing uses");
        assert!(x86.compile(&kernel).unwrap().listing().starts_with("x86"));
    }
}

#[test]
fn columns_of_one_matrix_do_not_overlap() {
    // Two instructions raise flags, so that chunks are re-executed, which they are not if their inputs are overwritten.
    let text = "kernel map(outer 1) {\n m0: read f64\n m1: read f64\n m2: write f64\n body:\n v0: f64 = load m0\n \
                v1: f64 = load m1\n v2: f64 = divide v0, v1\n v3: f64 = add v2, v0\n store m2, v3: f64\n }";
    let kernel = verify(text.parse().unwrap()).unwrap();
    let (rows, columns, size) = (300, 5, size_of::<f64>());
    for x86 in X86::every_level() {
        let program = x86.compile(&kernel).unwrap();
        // To each column from the one before it, and from another one or itself.
        for (from, other, to) in [(0, 4, 1), (3, 1, 2), (4, 0, 0), (1, 1, 1)] {
            let mut matrix: Vec<f64> = (0..rows * columns).map(|i| (i % 13) as f64 - 6.0).collect();
            let before = matrix.clone();
            let start = matrix.as_mut_ptr();
            let addresses = [from, other, to].map(|column: usize| start.wrapping_add(column).cast::<u8>());
            let strides = [(columns * size) as isize; 3];
            let launch = Launch { outer: &[rows], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
            // What is overwritten is saved.
            assert_eq!(program.strategy(&launch), "rows", "{from} and {other} to {to}");
            // SAFETY: the columns have as many elements as rows.
            let raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            assert_eq!(raised.is_empty(), before.chunks(columns).all(|row| row[other] != 0.0));
            for (row, old) in matrix.chunks(columns).zip(before.chunks(columns)) {
                let mut expected = old.to_vec();
                expected[to] = old[from] / old[other] + old[from];
                for (x, y) in row.iter().zip(&expected) {
                    assert!(x == y || x.is_nan() && y.is_nan(), "{from} and {other} to {to}: {x} for {y}");
                }
            }
        }
    }
}

#[test]
fn what_steps_of_functions_lose_is_not_another_instructions() {
    // The square of 2^-520 is exact, while steps of the arctangent underflow, which reports nothing.
    let text = "kernel map(outer 1) {\n m0: read f64\n m1: write f64\n body:\n v0: f64 = load m0\n v1: f64 = arctan v0\n \
                v2: f64 = multiply v1, v0\n store m1, v2: f64\n }";
    let kernel = verify(text.parse().unwrap()).unwrap();
    for x86 in X86::every_level() {
        let program = x86.compile(&kernel).unwrap();
        for (x, flags) in [(2f64.powi(-520), FpFlags::NONE), (1.1 * 2f64.powi(-530), FpFlags::UNDERFLOW)] {
            let (_, raised) = run_in_place(&*program, &[vec![x; 100]], 100);
            let found = raised.iter().fold(FpFlags::NONE, |all, r| all | r.2);
            assert_eq!(found, flags, "{}, {x:e}", x86.name());
            assert!(raised.iter().all(|r| r.1 == 2));
        }
    }
}

#[test]
fn what_functions_raise_within_is_not_another_instructions() {
    // One by one has no flags, whatever functions of other numbers do beside it.
    for op in Op::ALL.iter().copied().filter(|op| op.arity() == 1) {
        for dtype in [DType::F32, DType::F64].into_iter().filter(|&d| op.has_loop(d)) {
            let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
            let from = [(); 2].map(|()| kernel.operand(dtype, Access::Read, true));
            let to = [op.result(dtype), dtype].map(|d| kernel.operand(d, Access::Write, true));
            let mut body = kernel.body();
            let [x, one] = from.map(|m| body.load(m));
            let (value, quotient) = (body.apply(op, &[x]), body.apply(Op::Divide, &[one, one]));
            body.store(to[0], value);
            body.store(to[1], quotient);
            let kernel = verify(kernel.finish()).unwrap();
            let is_divide = |inst: &Inst| matches!(inst, Inst::Apply(Op::Divide, _));
            let divide = kernel.body.insts.iter().position(is_divide).unwrap() as u32;
            let sizes: Vec<usize> = kernel.operands.iter().map(|o| o.dtype.size()).collect();
            for x86 in X86::every_level() {
                let (program, mut random) = (x86.compile(&kernel).unwrap(), Random::new(5));
                for _ in 0..300 {
                    let x = Scalar::from_bits(dtype, numbers(&mut random, dtype, 1)[0]);
                    // A signalling nan signals whatever it is compared with.
                    let x = [if x.to_f64().is_nan() { Scalar::new(dtype, f64::NAN) } else { x }.bits(); 16];
                    let mut columns = [x, [Scalar::new(dtype, 1.0).bits(); 16], [0; 16], [0; 16]]
                        .iter()
                        .zip(&sizes)
                        .map(|(values, &size)| column(values, size, size))
                        .collect::<Vec<_>>();
                    let addresses: Vec<*mut u8> = columns.iter_mut().map(|c| c.as_mut_ptr()).collect();
                    let strides: Vec<isize> = sizes.iter().map(|&size| size as isize).collect();
                    let launch =
                        Launch { outer: &[16], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
                    // SAFETY: all columns have sixteen elements.
                    let raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
                    let found = raised.iter().find(|r| r.1 == divide);
                    assert!(found.is_none(), "{}, {op} of {:?}: {found:?}", x86.name(), Scalar::from_bits(dtype, x[0]));
                }
            }
        }
    }
}

/// A kernel that reads and writes by offsets: a table's elements to a column, and a column's to a table; `computed` ones are
/// positions, of which there are as many as bytes.
fn kernel_by_offsets(dtype: DType, computed: bool) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 2, 0);
    let read = [DType::I64, dtype, dtype].map(|d| kernel.operand(d, Access::Read, true));
    let written = [dtype; 2].map(|d| kernel.operand(d, Access::Write, true));
    let mut body = kernel.body();
    let [mut offset, value] = [body.load(read[0]), body.load(read[1])];
    if computed {
        let size = body.constant(Scalar::new(DType::I64, dtype.size() as i64));
        offset = body.apply(Op::Multiply, &[offset, size]);
    }
    let found = body.gather(read[2], offset);
    body.store(written[0], found);
    body.scatter(written[1], offset, value);
    verify(kernel.finish()).unwrap()
}

#[test]
fn the_last_point_at_a_place_wins() {
    let levels = X86::every_level();
    let kinds = levels.iter().flat_map(|x86| DType::ALL.map(|dtype| (x86, dtype)));
    for (x86, dtype, computed) in kinds.flat_map(|(x86, dtype)| [false, true].map(|computed| (x86, dtype, computed))) {
        let kernel = kernel_by_offsets(dtype, computed);
        let programs = [Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap()];
        let is_made = !computed || x86.name() == "x86" && dtype.real().size() >= 4;
        assert_eq!(programs[1].listing().starts_with("x86"), is_made, "{}, {dtype}", x86.name());
        let (mut random, size) = (Random::new(7), dtype.size());
        let shapes = [
            [1, 1, 1],
            [1, 7, 3],
            [1, 8, 2],
            [1, 21, 5],
            [1, 1000, 40],
            [5, 33, 20],
            [3, 20_000, 9000],
            [0, 40, 3],
            [40, 0, 3],
        ];
        for [rows, columns, room] in shapes {
            let n = rows * columns;
            // The operands' addresses are in the middle of their memory.
            let middle = room / 2;
            let unit = if computed { 1 } else { size as i64 };
            let offsets: Vec<i64> = (0..n).map(|_| unit * (random.below(room) as i64 - middle as i64)).collect();
            let values = column(&numbers(&mut random, dtype, n), size, size);
            let table = column(&numbers(&mut random, dtype, room), size, size);
            let found = programs.each_ref().map(|program| {
                let mut out = [n, room].map(|n| vec![0u128; n * size / 16 + 1]);
                let [dense, apart] = out.each_mut().map(|out| out.as_mut_ptr().cast::<u8>());
                let addresses = [
                    offsets.as_ptr().cast_mut().cast(),
                    values.as_ptr().cast_mut(),
                    table[middle * size..].as_ptr().cast_mut(),
                    dense,
                    apart.wrapping_add(middle * size),
                ];
                let (outer, c, s) = ([rows, columns], columns as isize, size as isize);
                let strides = [8 * c, 8, s * c, s, 0, 0, s * c, s, 0, 0];
                let launch =
                    Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
                // SAFETY: there are so many points, and room for elements at all offsets.
                unsafe { program.launch(&launch, &SingleThread) }.unwrap();
                out
            });
            assert!(found[0] == found[1], "{}, {dtype}, {rows} rows of {columns}", x86.name());
        }
    }
}

#[test]
fn every_cast_and_select_is_the_portable_backends() {
    for x86 in X86::every_level() {
        let mut random = Random::new(2);
        for from in DType::ALL {
            for to in DType::ALL.into_iter().filter(|&to| to != from) {
                let kernel = kernel_of(Inst::Cast(ValueId(0), to), &[from], to);
                compare(&x86, &mut random, &kernel, &format!("{from} as {to}"));
            }
            let select = Inst::Select([ValueId(0), ValueId(1), ValueId(2)]);
            let kernel = kernel_of(select, &[DType::Bool, from, from], from);
            compare(&x86, &mut random, &kernel, &format!("select of {from}"));
        }
    }
}

/// AVX2 converts through doubles. Next to the middle between two singles a second rounding would show.
#[test]
fn integers_become_singles_by_one_rounding() {
    let mut random = Random::new(12);
    let mut next = || {
        let middle = (random.bits() >> 40 << 1 | 1) << random.below(40);
        middle.wrapping_add(random.below(3) as u64).wrapping_sub(1)
    };
    let numbers: Vec<u64> =
        [0, 1, u64::MAX, 1 << 63, (1 << 53) - 1].into_iter().chain((0..10_000).map(|_| next())).collect();
    for x86 in X86::every_level() {
        for from in [DType::I64, DType::U64] {
            let program = x86.compile(&kernel_of(Inst::Cast(ValueId(0), DType::F32), &[from], DType::F32)).unwrap();
            assert!(program.listing().starts_with("x86"));
            let mut out = vec![0f32; numbers.len()];
            let addresses = [numbers.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
            let (outer, strides) = ([numbers.len()], [8, 4]);
            let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
            // SAFETY: as many numbers, and results.
            unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            for (&x, y) in numbers.iter().zip(out) {
                let expected = if from == DType::I64 { x as i64 as f32 } else { x as f32 };
                assert_eq!(y, expected, "{x:x} of {from}, {}", x86.name());
            }
        }
    }
}

/// Columns of doubles through a kernel, the last one its result, which may be the first one; gives the result and the flags.
fn run_in_place(program: &dyn Program, columns: &[Vec<f64>], n: usize) -> (Vec<u64>, RaisedFlags) {
    let mut columns = columns.to_vec();
    let mut addresses: Vec<*mut u8> = columns.iter_mut().map(|c| c.as_mut_ptr().cast()).collect();
    addresses.push(addresses[0]);
    let strides = vec![8; addresses.len()];
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: every column has `n` numbers, and each point reads and writes its own.
    let mut raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    raised.sort_unstable_by_key(|r| (r.0, r.1));
    (columns[0].iter().map(|x| x.to_bits()).collect(), raised)
}

#[test]
fn results_that_replace_operands_name_their_flags() {
    for x86 in X86::every_level() {
        let f = DType::F64;
        let operand = |access| OperandDecl { dtype: f, access, restrict: false, nontemporal: false };
        let apply = |op, a, b| Inst::Apply(op, [ValueId(a), ValueId(b)]);
        let insts = vec![
            Inst::Load(OperandId(0)),
            Inst::Load(OperandId(1)),
            apply(Op::Divide, 0, 1),
            apply(Op::Sqrt, 0, 0),
            apply(Op::Multiply, 2, 3),
            Inst::Store(OperandId(2), ValueId(4)),
        ];
        let body = Fragment { types: vec![f; insts.len()], insts };
        let kernel = verify(Kernel {
            template: Template::Map,
            outer: 1,
            inner: 0,
            operands: vec![operand(Access::Read), operand(Access::Read), operand(Access::Write)],
            scalars: vec![],
            body,
            accumulators: vec![],
            epilogue: Fragment::default(),
        })
        .unwrap();
        let (portable, machine) = (Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap());
        assert!(machine.listing().starts_with("x86"));
        let mut random = Random::new(3);
        for n in [1, 7, 64, 1023, 1024, 1025, 5000, 20_000, 200_000] {
            for calm in [true, false] {
                let column = |r: &mut Random| -> Vec<f64> { (0..n).map(|_| 0.5 + r.below(100) as f64 / 8.0).collect() };
                let mut columns = [column(&mut random), column(&mut random)];
                if !calm {
                    columns[1][random.below(n)] = 0.0;
                    columns[0][random.below(n)] = -1.0;
                    columns[0][random.below(n)] = 1e300;
                }
                let expected = run_in_place(&*portable, &columns, n);
                assert_eq!(run_in_place(&*machine, &columns, n), expected, "{n} elements, calm {calm}");
                assert_eq!(expected.1.is_empty(), calm);
            }
        }
    }
}

/// The square roots of numbers by a kernel of nothing else.
fn roots<T: Copy + Default>(x86: &X86, dtype: DType, numbers: &[T]) -> (Vec<T>, RaisedFlags) {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let (from, to) = (kernel.operand(dtype, Access::Read, true), kernel.operand(dtype, Access::Write, true));
    let x = kernel.body().load(from);
    let y = kernel.body().apply(Op::Sqrt, &[x]);
    kernel.body().store(to, y);
    let program = x86.compile(&verify(kernel.finish()).unwrap()).unwrap();
    let (mut out, size) = (vec![T::default(); numbers.len()], size_of::<T>() as isize);
    let addresses = [numbers.as_ptr().cast_mut().cast(), out.as_mut_ptr().cast()];
    let (outer, strides) = ([numbers.len()], [size; 2]);
    let launch = Launch { outer: &outer, inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: as many numbers, and roots.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    (out, raised)
}

/// The loop takes steps instead of the divider's time: they must round as it does. Next to a square, and to the square of the
/// middle between two numbers, there is the least room.
#[test]
fn square_roots_are_rounded_right() {
    for x86 in X86::every_level() {
        let mut random = Random::new(11);
        let mut doubles = vec![0.0, f64::MIN_POSITIVE, 1e-300, 1e-240, f64::MAX, f64::INFINITY];
        for _ in 0..400_000 {
            let root = f64::from_bits(0x3FF0_0000_0000_0000 | (random.bits() >> 12));
            let middle = root * root * f64::EPSILON.mul_add(0.5, 1.0);
            for near in [root * root, middle, root, f64::from_bits(random.bits() % 0x7FF0_0000_0000_0000)] {
                let number = near.to_bits() + random.below(5) as u64;
                doubles.extend([f64::from_bits(number.saturating_sub(2)), f64::from_bits(number)]);
            }
        }
        doubles.retain(|x| *x >= 0.0);
        // Two octaves, which are all there is to a root, and some numbers from everywhere.
        let octaves = (0x3F80_0000..0x4080_0000u32).chain((0..0x7F80_0000).step_by(977));
        let singles: Vec<f32> = octaves.map(f32::from_bits).collect();
        let (roots_of_doubles, raised) = roots(&x86, DType::F64, &doubles);
        assert!(raised.is_empty(), "{raised:?}");
        for (x, root) in doubles.iter().zip(roots_of_doubles) {
            assert_eq!(root.to_bits(), x.sqrt().to_bits(), "of {x:e}");
        }
        let (roots_of_singles, raised) = roots(&x86, DType::F32, &singles);
        assert!(raised.is_empty(), "{raised:?}");
        for (x, root) in singles.iter().zip(roots_of_singles) {
            assert_eq!(root.to_bits(), x.sqrt().to_bits(), "of {x:e}");
        }
        let special = [-0.0, 4.0, f64::NAN, 9.0, f64::INFINITY, 1e-320, 0.0, 2.0, 16.0];
        let (found, raised) = roots(&x86, DType::F64, &special);
        assert!(raised.is_empty(), "{raised:?}");
        assert!(special.iter().zip(found).all(|(x, root)| root.to_bits() == x.sqrt().to_bits()));
        let (_, raised) = roots(&x86, DType::F64, &[1.0, 2.0, 3.0, -4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(raised.len(), 1, "{raised:?}");
    }
}

#[test]
fn more_values_than_registers_leave_and_come_back() {
    for x86 in X86::every_level() {
        // Sums and comparisons of all pairs of neighbours, used from the last to the first.
        for many in [5, 20, 31, 32, 33, 60, 150] {
            let f = DType::F64;
            let operand = |dtype, access| OperandDecl { dtype, access, restrict: true, nontemporal: false };
            let mut body = Fragment::default();
            let mut push = |inst, dtype| {
                body.insts.push(inst);
                body.types.push(dtype);
                ValueId(body.insts.len() as u32 - 1)
            };
            let (a, b) = (push(Inst::Load(OperandId(0)), f), push(Inst::Load(OperandId(1)), f));
            let mut sums = vec![a, b];
            let mut questions = vec![];
            for i in 1..many {
                sums.push(push(Inst::Apply(Op::Add, [sums[i], sums[i - 1]]), f));
                questions.push(push(Inst::Apply(Op::Less, [sums[i], sums[i + 1]]), DType::Bool));
            }
            let mut total = a;
            for (sum, question) in sums[2..].iter().zip(&questions).rev() {
                let halved = push(Inst::Apply(Op::Multiply, [total, b]), f);
                let chosen = push(Inst::Select([*question, *sum, halved]), f);
                total = push(Inst::Apply(Op::Subtract, [chosen, total]), f);
            }
            push(Inst::Store(OperandId(2), total), f);
            let kernel = verify(Kernel {
                template: Template::Map,
                outer: 1,
                inner: 0,
                operands: vec![operand(f, Access::Read), operand(f, Access::Read), operand(f, Access::Write)],
                scalars: vec![],
                body,
                accumulators: vec![],
                epilogue: Fragment::default(),
            })
            .unwrap();
            compare(&x86, &mut Random::new(many as u64), &kernel, &format!("{many} values"));
            assert!(x86.compile(&kernel).unwrap().listing().starts_with("x86"));
        }
    }
}

/// A sum of so many operands.
fn sum_of(many: u16, dtype: DType) -> Verified<Kernel> {
    let mut builder = KernelBuilder::new(Template::Map, 1, 0);
    let operands: Vec<OperandId> = (0..many).map(|_| builder.operand(dtype, Access::Read, true)).collect();
    let out = builder.operand(dtype, Access::Write, true);
    let mut body = builder.body();
    let mut total = body.load(operands[0]);
    for &operand in &operands[1..] {
        let term = body.load(operand);
        total = body.apply(Op::Add, &[total, term]);
    }
    body.store(out, total);
    verify(builder.finish()).unwrap()
}

#[test]
fn operands_are_more_than_registers() {
    for x86 in X86::every_level() {
        for dtype in [DType::F64, DType::F32, DType::I64, DType::U8, DType::Bool, DType::C128] {
            let kernel = sum_of(29, dtype);
            let programs = [Portable::new().compile(&kernel).unwrap(), x86.compile(&kernel).unwrap()];
            assert!(programs[1].listing().starts_with("x86"), "{dtype}");
            for (way, n) in (0..6).flat_map(|way| [1, 7, 64, 131].map(|n| (way, n))) {
                let [expected, found] = programs.each_ref().map(|program| run_sum(&**program, dtype, way, n));
                assert!(alike(dtype, &expected.0, &found.0), "{dtype}, way {way}, {n} elements");
                assert_eq!(expected.1, found.1, "{dtype}, way {way}, {n} elements");
            }
        }
    }
}

/// The bytes of `n` sums, and the flags. Elements follow each other, stand still, are every other one, go from the last to the
/// first, are every third one, or each operand goes its own way.
fn run_sum(program: &dyn Program, dtype: DType, way: usize, n: usize) -> (Vec<u8>, RaisedFlags) {
    let (size, steps) = (dtype.size() as isize, [1, 0, 2, -1, 3]);
    let step = |operand: usize| size * steps.get(way).copied().unwrap_or(steps[operand * 7 % 5]);
    let mut random = Random::new(way as u64);
    let columns: Vec<Vec<u8>> =
        (0..29).map(|_| column(&numbers(&mut random, dtype, 3 * n), dtype.size(), dtype.size())).collect();
    let mut out = vec![0; n * dtype.size()];
    let begin = |(o, column): (usize, &Vec<u8>)| {
        column.as_ptr().cast_mut().wrapping_offset(if step(o) < 0 { (n as isize - 1) * size } else { 0 })
    };
    let addresses: Vec<*mut u8> = columns.iter().enumerate().map(begin).chain([out.as_mut_ptr()]).collect();
    let strides: Vec<isize> = (0..29).map(step).chain([size]).collect();
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: the columns have three elements for each sum.
    let mut raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    raised.sort_unstable_by_key(|r| (r.0, r.1));
    (out, raised)
}

#[test]
fn large_results_are_written_past_the_caches() {
    for x86 in X86::every_level() {
        let f = DType::F64;
        let apply = Inst::Apply(Op::Add, [ValueId(0), ValueId(0)]);
        let kernel = kernel_of(apply, &[f], f);
        let program = x86.compile(&kernel).unwrap();
        let n = (32 << 20) / 8 + 13;
        let from: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let mut to = vec![0.0; n + 16];
        let skip = (to.as_ptr() as usize).next_multiple_of(64) / 8 - to.as_ptr() as usize / 8;
        for start in [skip + 1, skip] {
            assert!(!program.listing().contains("vmovntdq"), "only what begins with a cache line");
            let addresses = [from.as_ptr().cast_mut().cast(), to[start..].as_mut_ptr().cast()];
            let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &[8, 8], scalars: &[] };
            // SAFETY: both columns have `n` numbers.
            unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            assert!(to[start..][..n].iter().zip(&from).all(|(y, x)| *y == x + x));
            to[start..][..n].fill(0.0);
        }
        assert!(program.listing().contains("vmovntdq"));
    }
}
