//! The `portable` backend: a blocked interpreter for every kernel on every machine.
//!
//! A kernel's fragments are resolved once to bytecode, calls of inner loops, one loop for each op and element type, which LLVM
//! vectorises for three instruction sets. A launch runs those loops over blocks that stay in the first-level cache.
//!
//! From the ground up; a row imports only rows above it:
//!
//! | folder | does |
//! |---|---|
//! | `loops` | the inner loops |
//! | `exec` | bytecode, alias analysis, and the drivers that run a fragment on two axes or on tiles of any domain |
//! | `reduce` | accumulators, reductions by shape, and prefix scans |
//! | `program` | the backend and its programs |
//! | `update` | elements replaced in order at offsets, and folds of segments, by the loops alone |
//! | `mock_device` | the backend on memory of its own, to test what devices do |
//!
//! Invariants:
//! - An inner loop's destination overlaps none of its sources.
//! - No element outside the domain is ever computed, so no flag is raised for one.
//! - How a reduction is divided depends on sizes and strides alone: any number of threads gives the same bits.
//! - A launch of one or two axes allocates nothing and takes no lock.
//!
//! It does not fold constants, drop dead instructions or merge equal ones; `ir::build` does the latter two.

pub(crate) mod exec;
pub(crate) mod loops;
#[cfg(debug_assertions)]
pub(crate) mod mock_device;
mod program;
pub(crate) mod reduce;
pub mod update;

pub(crate) use crate::portable::exec::jit_hook::{ColumnFunction, FoldFunction, JitHook, MapFunction, OperandKind};
#[cfg(debug_assertions)]
pub use crate::portable::mock_device::MockDevice;
pub(crate) use program::InterpretedProgram;
pub use program::Portable;
