//! Weaving of kernels at the level of PTX, after GoPTX (Wu et al. 2025): two independent kernels become one whose threads run both, their
//! instructions interleaved, so that one computes while the other waits for memory.
//!
//! From the ground up; a row imports only rows above it:
//!
//! | file | does |
//! |---|---|
//! | `opcode`, `module` | what a text has: opcodes with their costs; kernels as basic blocks of instructions |
//! | `parse`, `print` | texts to modules, and back |
//! | `refusal` | why two kernels are not merged |
//! | `flow` | control flow: dominators, loops, live registers, divergent branches |
//! | `predicate` | if-conversion |
//! | `weave` | two streams of instructions as one |
//! | `side`, `mask` | a kernel to be merged, and facts about its blocks; loops whose threads stay together |
//! | `merge` | two kernels as one, and the rule for barriers |
//! | `gate` | which pairs are worth it, and which results are used |
//!
//! Open `merge` first. It imports nothing outside. Merged kernels compute the same bits as their parts one after the other:
//! `tests/cuda/ptx` evaluates both.

pub(crate) mod flow;
pub mod gate;
pub(crate) mod mask;
pub mod merge;
pub mod module;
pub mod opcode;
pub mod parse;
pub(crate) mod predicate;
pub mod print;
pub mod refusal;
pub(crate) mod side;
pub(crate) mod weave;
