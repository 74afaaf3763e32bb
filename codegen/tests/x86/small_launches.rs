//! The fast path of small launches, with the portable backend: bits, and that what it leaves is launched as usual.

use super::{is_live, raising_when_written_out};
use crate::portable::random::{Case, Random};
use fastnp_codegen::drive::fp_status;
use fastnp_codegen::portable::Portable;
use fastnp_codegen::x86::X86;
use fastnp_codegen::*;
use std::hint::black_box;

#[test]
fn small_launches_report_no_flags_or_are_left() {
    for x86 in X86::every_level() {
        let [mut done, mut left, mut prepared] = [0; 3];
        for seed in 0..3000 {
            let mut random = if seed % 2 == 0 { Random::new(seed) } else { Random::with_functions(seed) }.in_order();
            let case = Case::map(&mut random);
            let kernel = verify(case.kernel.clone()).unwrap();
            // Each operand has memory of its own, but for results in the place of an input.
            let starts = case.addresses(std::ptr::null_mut());
            if (1..starts.len()).any(|o| starts[..o].contains(&starts[o])) {
                continue;
            }
            let (expected, _) = case.run(&*Portable::new().compile(&kernel).unwrap(), &SingleThread);
            let program = x86.compile(&kernel).unwrap();
            let (_, raised) = case.run(&*program, &SingleThread);
            let mut memory: Vec<u128> =
                case.bytes().chunks(16).map(|word| u128::from_ne_bytes(word.try_into().unwrap())).collect();
            let addresses = case.addresses(memory.as_mut_ptr().cast());
            let launch = case.launch(&addresses);
            // A flag that is up before is neither reported nor lost.
            fp_status::clear();
            black_box(black_box(1e-200f64) * black_box(1e-200f64));
            // SAFETY: the case was built so that every point lies in its memory, and its results overlap nothing.
            let is_done = unsafe { program.launch_small(&launch) };
            assert_eq!(fp_status::read(), FpFlags::UNDERFLOW, "{}, seed {seed}\n{case}", x86.name());
            if is_done {
                let launches = Launches { case: &case, program: &*program, launch: &launch };
                prepared += launches.check_prepared(&expected, x86.name()) as usize;
                done += 1;
                let raising = raising_when_written_out(&kernel, &case);
                let is_wanted = |r: &&(bool, u32, FpFlags)| {
                    !FpFlags::UNDERFLOW.contains(r.2) && raising.contains(&(r.0, r.1)) && is_live(&kernel, r.0, r.1)
                };
                let errors: Vec<_> = raised.iter().filter(is_wanted).collect();
                assert!(errors.is_empty(), "{}, seed {seed}: {errors:?}\n{case}", x86.name());
            } else {
                left += 1;
                // SAFETY: as above.
                unsafe { program.launch(&launch, &SingleThread) }.unwrap();
            }
            let found: Vec<u8> = memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
            if let Some(difference) = case.difference(&expected, &found) {
                panic!("{}, seed {seed}, {is_done}: {difference}\n{case}", x86.name());
            }
        }
        assert!(done > 100 && left > 100, "{}: {done} done, {left} left", x86.name());
        assert!(prepared > done / 2, "{}: {prepared} prepared of {done}", x86.name());
    }
}

/// A launch that was run as a small one.
struct Launches<'a> {
    case: &'a Case,
    program: &'a dyn Program,
    launch: &'a Launch<'a>,
}

impl Launches<'_> {
    /// Prepares the launch, and runs it on other memory; whether it can be prepared.
    fn check_prepared(&self, expected: &[u8], name: &str) -> bool {
        let Launches { case, program, launch } = self;
        let Some(prepared) = program.prepare(launch) else { return false };
        let scalars: Vec<u64> = launch.scalars.iter().map(|scalar| scalar.bits() as u64).collect();
        for _ in 0..2 {
            let mut memory: Vec<u128> =
                case.bytes().chunks(16).map(|word| u128::from_ne_bytes(word.try_into().unwrap())).collect();
            let addresses = case.addresses(memory.as_mut_ptr().cast());
            // SAFETY: as of the launch that was prepared, whose memory began at a multiple of as many bytes.
            assert!(unsafe { prepared.run(&addresses, &scalars) }, "{name}\n{case}");
            assert_eq!(fp_status::read(), FpFlags::UNDERFLOW, "{name}\n{case}");
            let found: Vec<u8> = memory.iter().flat_map(|word| word.to_ne_bytes()).collect();
            if let Some(difference) = case.difference(expected, &found) {
                panic!("{name}, prepared: {difference}\n{case}");
            }
        }
        true
    }
}
