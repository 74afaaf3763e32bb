//! Tasks: code of the embedding program, run on the thread pool that kernels run on.

use crate::host::threads::Threads;
use crate::runtime::lock::{release_parked, unresolved_runtime};
use fastnp_codegen::ThreadPool;

/// Runs `task` for each number below `tasks`, on as many threads as kernels may use, and returns when all are done.
///
/// The runtime is locked meanwhile, so no kernel runs and no array changes, and the embedding program's lock is released. A task that uses
/// arrays waits for ever.
pub fn run_tasks(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    let _runtime = unresolved_runtime();
    release_parked(|| Threads.run(tasks, task));
}
