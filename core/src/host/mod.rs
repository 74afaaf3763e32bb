//! The process around the runtime: locks, threads, matrix products.

pub(crate) mod count_true;
pub(crate) mod gemm;
pub(crate) mod interpreter_lock;
pub(crate) mod spin_lock;
pub(crate) mod threads;
