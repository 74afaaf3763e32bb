//! Launching machine code: from a verified kernel to a program, and a program over its domain.
//!
//! It imports `loops`, `drive`, and the interpreter for kernels without a loop of their own. Open `backend` first.

pub(crate) mod backend;
pub(crate) mod block_calls;
pub(crate) mod compiled_loop;
pub(crate) mod program;
pub(crate) mod scan;
