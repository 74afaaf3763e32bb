//! Host: locks, threads and CPU routines that know nothing of arrays.
//!
//! Imports `error` only. Open `interpreter_lock.rs` first: it says when threads are serialised by Python's GIL, which
//! `spin_lock.rs` and reference counts rely on. Files that import `sync` are checked in the crate `models`.

pub(crate) mod admission;
pub(crate) mod count_true;
pub(crate) mod fault_handler;
pub(crate) mod gemm;
pub(crate) mod interpreter_lock;
pub(crate) mod interrupt;
pub(crate) mod released_count;
pub(crate) mod shared_matrix;
pub(crate) mod spin_lock;
pub(crate) mod sync;
pub(crate) mod threads;
pub(crate) mod work_queue;
