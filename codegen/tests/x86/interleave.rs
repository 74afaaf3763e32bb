//! Maps of independent parts, whose instructions machine code interleaves: bits and flags of the pair are those of the portable backend,
//! and bits those of each part alone.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

use crate::portable::random::Random;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;

/// Elements of a row: fewer than a vector, some vectors, several blocks of vectors.
const SIZES: [usize; 4] = [3, 64, 515, 2101];
const PAIRS: u64 = 200;

/// A chain of operations that wait for one thing more than for others.
fn chain(body: &mut FragmentBuilder<'_>, random: &mut Random, [x, y]: [ValueId; 2], kind: u64) -> ValueId {
    let ops: &[Op] = match kind {
        0 => &[Op::Divide],
        1 => &[Op::Sqrt, Op::Absolute],
        2 => &[Op::Exp, Op::Multiply],
        3 => &[Op::Multiply, Op::Add, Op::Subtract, Op::Maximum],
        4 => &[Op::Sin, Op::Log1p, Op::Tanh, Op::Divide],
        _ => &[Op::Add],
    };
    let count = 1 + random.bits() % 24;
    (0..count).fold(x, |value, i| {
        let op = ops[i as usize % ops.len()];
        body.apply(op, &[value, y][..op.arity()])
    })
}

/// The parts in one kernel, each from two operands to a third. Where operands may overlap, their order counts.
fn kernel(parts: &[(u64, u64, DType)], restrict: bool) -> Verified<Kernel> {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    for &(seed, kind, dtype) in parts {
        let [x, y] = [(); 2].map(|()| kernel.operand(dtype, Access::Read, restrict));
        let values = [kernel.body().load(x), kernel.body().load(y)];
        let value = chain(&mut kernel.body(), &mut Random::new(seed), values, kind);
        let to = kernel.operand(dtype, Access::Write, restrict);
        kernel.body().store(to, value);
    }
    verify(kernel.finish()).expect("right")
}

/// An element, once in a hundred a special one.
fn element(dtype: DType, operand: usize, i: usize) -> Scalar {
    let special = [f64::NAN, f64::INFINITY, 0.0, -0.0, -2.0, 1e-30, 1e30];
    let ordinary = 0.1 + ((i + operand) * 617 % 1000) as f64 / 1000.0;
    let is_special = (i * 7 + operand * 31) % 100 == 99;
    Scalar::new(dtype, if is_special { special[i % special.len()] } else { ordinary })
}

/// What a launch over `n` elements writes, and the flags.
fn run(program: &dyn Program, kernel: &Kernel, first: usize, n: usize) -> (Vec<Vec<u8>>, RaisedFlags) {
    let memory = |(number, decl): (usize, &OperandDecl)| {
        let size = decl.dtype.size();
        let mut bytes = vec![0; n * size];
        for i in (0..n).filter(|_| decl.access == Access::Read) {
            let bits = element(decl.dtype, first + number, i).bits().to_le_bytes();
            bytes[i * size..][..size].copy_from_slice(&bits[..size]);
        }
        bytes
    };
    let mut all: Vec<Vec<u8>> = kernel.operands.iter().enumerate().map(memory).collect();
    let addresses: Vec<*mut u8> = all.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
    let strides: Vec<isize> = kernel.operands.iter().map(|decl| decl.dtype.size() as isize).collect();
    let launch = Launch { outer: &[n], inner: &[], addresses: &addresses, strides: &strides, scalars: &[] };
    // SAFETY: each operand has separate memory of `n` elements.
    let raised = unsafe { program.launch(&launch, &SingleThread) }.expect("the host's memory is there");
    let written = all.into_iter().zip(&kernel.operands).filter(|(_, decl)| decl.access == Access::Write);
    (written.map(|(bytes, _)| bytes).collect(), raised)
}

#[test]
fn random_pairs() {
    for x86 in X86::every_level() {
        for seed in 0..PAIRS {
            let mut random = Random::new(seed);
            let part = |random: &mut Random| {
                (random.bits(), random.bits() % 6, [DType::F64, DType::F32][(random.bits() % 2) as usize])
            };
            let parts = [part(&mut random), part(&mut random)];
            let pair = kernel(&parts, !seed.is_multiple_of(8));
            let portable = Portable::new().compile(&pair).expect("it takes all kernels");
            let program = x86.compile(&pair).expect("it takes all kernels");
            for n in SIZES {
                let name = format!("{}, seed {seed}, {n} elements: {parts:?}", x86.name());
                let (expected, flags) = run(&*portable, &pair, 0, n);
                let (found, raised) = run(&*program, &pair, 0, n);
                assert!(expected == found, "bits of {name}");
                let without_underflow = |all: &RaisedFlags| -> Vec<(bool, u32, FpFlags)> {
                    let wanted = FpFlags::DIVIDE | FpFlags::OVERFLOW | FpFlags::INVALID;
                    all.iter().map(|r| (r.0, r.1, r.2 & wanted)).filter(|r| r.2 != FpFlags::NONE).collect()
                };
                assert_eq!(without_underflow(&flags), without_underflow(&raised), "flags of {name}");
                for (number, part) in parts.iter().enumerate() {
                    let alone = kernel(&[*part], true);
                    let program = x86.compile(&alone).expect("it takes all kernels");
                    let (bytes, _) = run(&*program, &alone, 3 * number, n);
                    assert!(bytes[0] == found[number], "part {number} alone of {name}");
                }
            }
        }
    }
}
