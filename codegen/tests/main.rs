//! Every test of the crate from outside it, one program: linked once, and its tests run side by side.
//!
//! `portable` holds that backend to the evaluator, `x86` and `cuda` theirs to the portable one; `math` is about errors of elementary
//! functions, `expand` about their instructions, `ops` about the table, `golden` about texts,
//! `loops` about flags and interrupts; `block_copy`, `build`, `verify`, `strategy`, `even_bins`, `gemv`, `small_product` and `fault`
//! are named after the files that they test. `process` runs a test in a process of its own.

mod block_copy;
mod build;
mod cuda;
mod even_bins;
mod expand;
mod fault;
mod folds;
mod gemv;
mod golden;
mod kernels;
mod loops;
mod math;
mod ops;
mod portable;
mod process;
mod small_product;
mod strategy;
mod ub_checks;
mod verify;
mod x86;
