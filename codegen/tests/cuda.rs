//! The cuda backend's texts against the portable backend, by a stand-in for the GPU.
#![cfg(all(target_arch = "x86_64", unix, not(miri)))]

#[path = "cuda/emulated.rs"]
mod emulated;
#[path = "portable/evaluator.rs"]
#[allow(dead_code, reason = "the portable backend is the truth here")]
mod evaluator;
#[path = "portable/random.rs"]
#[allow(dead_code, reason = "cases for threads are not asked for here")]
mod random;

use emulated::Emulated;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::*;
use random::{Case, Random};

/// `FASTNP_RANDOM_KERNELS` of them, from the seed `FASTNP_RANDOM_SEED` on: two thirds of them reductions or scans.
#[test]
fn random_kernels() {
    let number = |name, default| std::env::var(name).map_or(default, |n| n.parse().unwrap());
    let (first, count) = (number("FASTNP_RANDOM_SEED", 0), number("FASTNP_RANDOM_KERNELS", 150));
    for seed in first..first + count {
        let mut random = Random::with_functions(seed);
        let case = match seed % 3 {
            0 => Case::reduce(&mut random),
            1 => Case::scan(&mut random),
            _ => Case::map(&mut random),
        };
        let kernel = verify(case.kernel.clone()).unwrap();
        let (expected, _) = case.run(&*Portable::new().compile(&kernel).unwrap(), &Inline);
        let emulated = Emulated::new(kernel);
        let (found, _) = case.run(&emulated, &Inline);
        if let Some(difference) = case.difference(&expected, &found) {
            panic!("seed {seed}: {difference}\n{case:#?}\n{}", emulated.listing());
        }
    }
}
