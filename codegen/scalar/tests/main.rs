//! Tests of the scalar IR: each op against Rust's own arithmetic, random programs against an interpreter, control
//! flow, refusals, the floating-point status, and hash tables.

mod control;
mod memory;
mod ops;
mod random;
mod recurrences;
mod refusals;
mod status;
mod tables;
mod vectors;

use fastnp_scalar::compile;

/// Runs a text on a frame.
fn run(text: &str, frame: &mut [u64]) -> u32 {
    let program = compile(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    // SAFETY: the texts of these tests touch memory that the test owns, and divide as the form allows.
    unsafe { program.run(frame) }
}
