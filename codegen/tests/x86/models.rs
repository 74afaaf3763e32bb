//! Kernels for each processor that code is made for, also where another one runs it: some load strided elements one by one.

use super::compare_case;
use crate::portable::random::{Case, Random};
use fastnp_codegen::x86::X86;
use fastnp_codegen::{Access, Backend, DType, FpFlags, KernelBuilder, Op, Template, verify};

#[test]
fn every_processor_model() {
    for x86 in X86::every_model() {
        for seed in 0..300 {
            compare_case(&x86, &Case::map(&mut Random::with_functions(seed).in_order()), seed, FpFlags::ALL);
        }
    }
}

/// The cycles of the busiest ports that a listing predicts for a vector of a map: twelve operations, each of the one before and a number.
fn cycles_of_twelve(x86: &X86, op: Op) -> f64 {
    let mut kernel = KernelBuilder::new(Template::Map, 1, 0);
    let operand = |kernel: &mut KernelBuilder, access| kernel.operand(DType::F64, access, true);
    let (input, output) = (operand(&mut kernel, Access::Read), operand(&mut kernel, Access::Write));
    let mut body = kernel.body();
    let x = body.load(input);
    let last = (0..12).fold(x, |value, _| body.apply(op, &[value, x]));
    body.store(output, last);
    let listing = x86.compile(&verify(kernel.finish()).unwrap()).unwrap().listing();
    let (before, _) = listing.split_once(" cycles of ").expect("a predicted loop");
    before.rsplit(' ').next().unwrap().parse().unwrap()
}

/// Zen 4's ports take two cycles for 512 bits, and those of the others one; the divider of each has its own time.
#[test]
fn predicted_cycles() {
    let found = X86::every_model()
        .iter()
        .map(|x86| [Op::Multiply, Op::Divide].map(|op| cycles_of_twelve(x86, op)))
        .collect::<Vec<_>>();
    let zen_3 = [6.0, 54.0];
    let expected = [zen_3, [6.0, 192.0], [12.0, 108.0], [6.0, 48.0]];
    assert!(found == [zen_3] || found == expected || found.is_empty(), "{found:?}");
}
