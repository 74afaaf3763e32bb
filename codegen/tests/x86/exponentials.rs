//! Exponentials at the ends of their range, one lane at a time among ordinary ones, against the portable backend: bits and flags.

use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// Elements: full vectors in two copies, and a tail.
const N: usize = 43;

/// What is stored: an exponential, one of an exponential, two that share an argument, and one whose argument and limit the body uses again.
fn kernel(dtype: DType, shape: usize) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let (from, to) = (kernel.operand(dtype, Access::Read, true), kernel.operand(dtype, Access::Write, true));
    let mut body = kernel.body();
    let x = body.load(from);
    let e = body.apply(Op::Exp, &[x]);
    let value = match shape {
        0 => e,
        1 => body.apply(Op::Exp, &[e]),
        2 => {
            let negative = body.apply(Op::Negative, &[x]);
            let other = body.apply(Op::Exp, &[negative]);
            body.apply(Op::Add, &[e, other])
        }
        3 => {
            let sum = body.apply(Op::Add, &[e, x]);
            let tanh = body.apply(Op::Tanh, &[x]);
            body.apply(Op::Multiply, &[sum, tanh])
        }
        _ => (0..6).fold(x, |value, _| {
            let e = body.apply(Op::Exp, &[value]);
            let small = body.constant(Scalar::new(dtype, 0.3));
            body.apply(Op::Multiply, &[e, small])
        }),
    };
    body.store(to, value);
    verify(kernel.finish()).unwrap()
}

fn run(program: &dyn Program, dtype: DType, elements: &[Scalar]) -> (Vec<u8>, RaisedFlags) {
    let (size, mut memory) = (dtype.size(), vec![0u8; 2 * N * dtype.size()]);
    for (i, element) in elements.iter().enumerate() {
        memory[i * size..][..size].copy_from_slice(&element.bits().to_le_bytes()[..size]);
    }
    let (reads, writes) = memory.split_at_mut(N * size);
    let addresses = [reads.as_mut_ptr(), writes.as_mut_ptr()];
    let strides = [size as isize; 2];
    let launch = Launch { outer: &[N], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: both operands have N elements.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.unwrap();
    (writes.to_vec(), raised)
}

/// The bits of results; all NaN are one.
fn bits(bytes: &[u8], dtype: DType) -> Vec<u64> {
    let number = |bytes: &[u8]| match dtype {
        DType::F64 => Some(f64::from_le_bytes(bytes.try_into().unwrap())).filter(|x| !x.is_nan()).map(f64::to_bits),
        _ => {
            Some(f32::from_le_bytes(bytes.try_into().unwrap())).filter(|x| !x.is_nan()).map(|x| u64::from(x.to_bits()))
        }
    };
    bytes.chunks(dtype.size()).map(|bytes| number(bytes).unwrap_or(u64::MAX)).collect()
}

/// Numbers about which the common range ends, results overflow, underflow, and become subnormal.
fn ends(dtype: DType) -> Vec<f64> {
    let about: &[f64] = match dtype {
        DType::F64 => &[706.0, 707.0, 707.5, 708.0, 708.4, 709.0, 709.7, 709.8, 710.0, 744.0, 745.2, 746.0, 1e4, 1e300],
        _ => &[85.0, 85.5, 86.0, 87.0, 87.3, 88.0, 88.7, 88.8, 89.0, 103.0, 104.0, 105.0, 1e4, 1e30],
    };
    let both = about.iter().flat_map(|&x| [x, -x]);
    both.chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -f64::NAN, 0.0, -0.0, 1e-310, -1e-40]).collect()
}

#[test]
fn each_lane_may_be_beyond_the_common_range() {
    for x86 in X86::every_level() {
        for (dtype, shape) in [DType::F64, DType::F32].into_iter().flat_map(|d| (0..5).map(move |s| (d, s))) {
            let kernel = kernel(dtype, shape);
            let (ours, portable) = (x86.compile(&kernel).unwrap(), Portable::new().compile(&kernel).unwrap());
            for end in ends(dtype) {
                for at in 0..N {
                    let ordinary = |i: usize| (i * 617 % 100) as f64 / 50.0 - 1.0;
                    let element = |i: usize| Scalar::new(dtype, if i == at { end } else { ordinary(i) });
                    let elements: Vec<Scalar> = (0..N).map(element).collect();
                    let (found, raised) = run(&*ours, dtype, &elements);
                    let (expected, flags) = run(&*portable, dtype, &elements);
                    let what = format!("{}, {dtype}, shape {shape}: {end} at {at}", x86.name());
                    assert_eq!(bits(&found, dtype), bits(&expected, dtype), "{what}");
                    assert_eq!(raised, flags, "{what}");
                }
            }
        }
    }
}
