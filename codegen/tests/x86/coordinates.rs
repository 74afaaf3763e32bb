//! Coordinates in chunks that are re-executed, against the portable backend: by the slow path, or to find out what raised a flag.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// Several chunks a row, and rows that end within one.
const ROWS: usize = 3;
const ROW: usize = 20_000;

/// With `x` and `y` the coordinates along rows and from row to row, `sin(x * 1e5 + y)`, with a slow path for large arguments, and
/// `log(x - 12_345) / y`, which raises flags in some chunks; as a scan their running sums.
fn kernel(template: Template) -> Verified<Kernel> {
    let (outer, inner) = if template == Template::Scan { (1, 1) } else { (2, 0) };
    let mut k = KernelBuilder::new(template, outer, inner);
    let outs = [(); 2].map(|()| k.operand(DType::F64, Access::Write, true));
    let number = |k: &mut KernelBuilder, x: f64| k.body().constant(Scalar::new(DType::F64, x));
    let coordinate = |k: &mut KernelBuilder, axis| {
        let index = k.body().index(axis);
        k.body().cast(index, DType::F64)
    };
    let (x, y) = (coordinate(&mut k, 1), coordinate(&mut k, 0));
    let (large, shift) = (number(&mut k, 1e5), number(&mut k, 12_345.0));
    let product = k.body().apply(Op::Multiply, &[x, large]);
    let angle = k.body().apply(Op::Add, &[product, y]);
    let sine = k.body().apply(Op::Sin, &[angle]);
    let difference = k.body().apply(Op::Subtract, &[x, shift]);
    let logarithm = k.body().apply(Op::Log, &[difference]);
    let quotient = k.body().apply(Op::Divide, &[logarithm, y]);
    for (value, out) in [sine, quotient].into_iter().zip(outs) {
        if template == Template::Scan {
            let accumulator = k.accumulate(Fold::Op(Op::Add), value);
            let sum = k.epilogue().result(accumulator);
            k.epilogue().store(out, sum);
        } else {
            k.body().store(out, value);
        }
    }
    verify(k.finish()).expect("right")
}

fn run(program: &dyn Program, template: Template) -> ([Vec<f64>; 2], RaisedFlags) {
    let mut outs = [(); 2].map(|()| vec![0.0f64; ROWS * ROW]);
    let addresses = outs.each_mut().map(|out| out.as_mut_ptr().cast());
    let extents = [ROWS, ROW];
    let (outer, inner) = extents.split_at(if template == Template::Scan { 1 } else { 2 });
    let strides = [(8 * ROW) as isize, 8, (8 * ROW) as isize, 8];
    let launch = Launch { outer, inner, addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: the results have room for all points.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    (outs, raised)
}

#[test]
fn chunks_that_are_re_executed_know_their_coordinates() {
    for template in [Template::Map, Template::Scan] {
        let kernel = kernel(template);
        let (expected, flags) = run(&*Portable::new().compile(&kernel).expect("compiles"), template);
        assert!(flags.len() > 1, "{flags:?}");
        for x86 in X86::every_level() {
            let program = x86.compile(&kernel).expect("compiles");
            assert!(!program.listing().starts_with("portable"), "{}", program.listing());
            let (found, raised) = run(&*program, template);
            assert_eq!(flags, raised, "{} {template:?}", x86.name());
            for (i, (a, b)) in expected.iter().flatten().zip(found.iter().flatten()).enumerate() {
                assert!(a == b || a.is_nan() && b.is_nan(), "{} {template:?}, {i}: {a} {b}", x86.name());
            }
        }
    }
}
