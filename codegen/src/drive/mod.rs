//! Driving kernels over their domains: what every CPU backend shares.
//!
//! The choice of a driver, composed kernels, tiles of a domain, the division of a launch between threads, interrupts of long loops, stack
//! scratch memory, copies of blocks, the processor's floating-point status word, the instruction set that inner loops are compiled for, and hints for
//! LLVM's vectoriser. It knows no op and no loop; it imports `ir` and
//! `backend`. Open `strategy` first.

pub(crate) mod block_copy;
pub mod composed;
pub mod fp_status;
pub mod interrupt;
pub(crate) mod isa;
pub(crate) mod parallel;
pub(crate) mod scratch;
pub(crate) mod strategy;
pub(crate) mod tiles;
pub(crate) mod vector_hints;
