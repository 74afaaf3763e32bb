//! Kernels for each processor that code is made for, also where another one runs it: some load strided elements one by one.

use super::compare_case;
use crate::portable::random::{Case, Random};
use fastnp_codegen::FpFlags;
use fastnp_codegen::x86::X86;

#[test]
fn every_processor_model() {
    for x86 in X86::every_model() {
        for seed in 0..300 {
            compare_case(&x86, &Case::map(&mut Random::with_functions(seed).in_order()), seed, FpFlags::ALL);
        }
    }
}
