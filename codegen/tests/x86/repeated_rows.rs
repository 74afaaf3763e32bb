//! Short rows that are joined to long ones, with the portable backend: bits and flags.

use super::compare_case;
use crate::portable::random::{Case, Random};
use fastnp_codegen::x86::X86;
use fastnp_codegen::{Backend, FpFlags, verify};

#[test]
fn rows_that_are_shared_by_all() {
    let mut joined = 0;
    for x86 in X86::every_level() {
        for seed in 0..600 {
            let mut random = if seed % 2 == 0 { Random::new(seed) } else { Random::with_functions(seed) };
            let case = Case::shared_rows(&mut random);
            compare_case(&x86, &case, seed, FpFlags::ALL);
            let program = x86.compile(&verify(case.kernel.clone()).unwrap()).unwrap();
            joined += usize::from(case.strategy(&*program) == "blocks");
        }
    }
    assert!(joined > 200, "{joined} launches are joined");
}
