//! Every test of the crate from outside it, one program: linked once, and its tests run side by side.
//!
//! `portable` holds that backend to the evaluator, `x86` and `cuda` theirs to the portable one; `math` is about errors of elementary
//! functions, `expand` about their instructions, `ops` about the table, `golden` about texts. `process` runs a test in a process of its own.

mod cuda;
mod expand;
mod folds;
mod golden;
mod kernels;
mod math;
mod ops;
mod portable;
mod process;
mod ub_checks;
mod x86;
