//! Time in cycles of the processor.

use std::hint::black_box;
use std::time::Instant;

/// The nanoseconds of the fastest of so many runs.
pub fn fastest<T>(runs: usize, mut run: impl FnMut() -> T) -> f64 {
    let time = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed().as_nanos() as f64
    };
    (0..runs).map(time).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds of a cycle, by a chain of additions, which take one each.
///
/// # Panics
/// The system refuses to map executable memory.
#[cfg(all(target_arch = "x86_64", unix))]
pub fn cycle_ns() -> f64 {
    use fastnp_codegen::x86::{Assembler, Cond, Gpr, map_executable};
    const ADDITIONS: i64 = 100;
    const ALL: i64 = 200_000;
    let mut asm = Assembler::new();
    asm.mov_imm(Gpr::RAX, ALL);
    let again = asm.label();
    asm.bind(again);
    (0..ADDITIONS).for_each(|_| asm.add(Gpr::RCX, Gpr::RAX));
    asm.sub_imm(Gpr::RAX, ADDITIONS as i32);
    asm.cmp_imm(Gpr::RAX, ADDITIONS as i32);
    asm.jump_if(Cond::AboveEqual, again);
    asm.ret();
    let code = map_executable(&asm.finish()).expect("executable memory");
    // SAFETY: the code takes no arguments, and touches registers that a caller saves.
    let function: extern "sysv64" fn() -> u64 = unsafe { std::mem::transmute(code.address()) };
    fastest(50, || function()) / ALL as f64
}
