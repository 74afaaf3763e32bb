//! The `portable` backend: a blocked interpreter for every kernel on every machine.
//!
//! A kernel's fragments are resolved once to inner loops, one for each op and element type, which LLVM vectorises at three
//! levels of instruction set. A launch runs those loops over blocks that stay in the first-level cache.
//!
//! | module | does |
//! |---|---|
//! | `isa` | picks the instruction set; compiles every inner loop for each |
//! | `loops`, `fused`, `steps`, `casts`, `moves`, `folds`, `arg` | the inner loops: op table, fused multiply-add, steps of functions, conversions, copies, folds, positions of extremes |
//! | `arith`, `complex`, `element` | what the op table's definitions call, and the types they work on |
//! | `division`, `lengths`, `powers` | vector forms of `fmod` and its kin, complex magnitudes and whole powers, for ordinary elements |
//! | `combination` | rows of a matrix, each times a factor, added up: what products of the array layer are made of |
//! | `code` | resolves a fragment: loops, registers, stores that may go straight to memory |
//! | `plane`, `permits` | a fragment's execution on rows and columns by reference, and what overlaps allow of that |
//! | `flat`, `full` | the short way of one contiguous axis, elementwise and folded to one point |
//! | `walk`, `frame` | the general way: tiles of any domain, and any fragment's execution on one |
//! | `pass` | several calls in one pass over a block, where another backend makes functions of them |
//! | `program` | the backend, and its programs |
//! | `map`, `reduce`, `sweep`, `scan`, `accumulate` | the templates |
//! | `apart` | the backend on memory of its own, to test what devices are asked for |
//! | `spread`, `scratch`, `flags` | threads, registers' memory, the floating-point status word |
//!
//! Invariants:
//! - An inner loop's destination overlaps none of its sources.
//! - No element outside the domain is ever computed, so no flag is raised that no element asked for.
//! - How a reduction is divided depends on sizes and strides alone: any number of threads gives the same bits.
//! - A launch of one or two axes allocates nothing and takes no lock.
//!
//! It does not fold constants, drop dead instructions or merge equal ones: [`crate::ir::build`] makes kernels without the latter two.

pub(crate) mod exec;
pub(crate) mod loops;
pub(crate) mod mock_device;
mod program;
pub(crate) mod reduce;
mod steps;

pub(crate) use crate::portable::exec::jit_hook::{Fuse, Fused, FusedFold};
pub use crate::portable::mock_device::Apart;
pub(crate) use crate::portable::reduce::driver::by_columns;
pub(crate) use program::Interpreted;
pub use program::Portable;
