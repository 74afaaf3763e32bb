//! Model checking: the locks, counts and queues of the crate `fastnp`, run under every order of their threads' steps.
//!
//! The files are those of `core/src`, compiled here against loom's primitives (`host/sync.rs`) in place of the standard library's. A
//! test builds a few threads of a few steps; loom runs it again and again, until every interleaving was tried in which a thread is
//! preempted at most so often, with every value that an atomic load may see under the C11 memory model. It reports data races (two
//! accesses to a cell, one of them a write, without an order between them), deadlocks and failed assertions.
//!
//! What it does not cover: code that these files call or that calls them, and the system's own locks. `SeqCst` is stronger here than
//! in C11: see `sync.rs`.
#![cfg(test)]
#![allow(dead_code, reason = "the models do not use all of the files")]
#![allow(unreachable_pub, reason = "the tests of the crate `fastnp` use some of what is in the files")]

mod counts;
mod host;
mod locks;
mod memory;
mod queue;

/// Tries every order of steps with at most so many preemptions of a thread.
fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}
