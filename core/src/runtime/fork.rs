//! Fork guard: holds the runtime's lock across a fork, and makes the lock usable in the child.

use crate::host::interpreter_lock;
use crate::runtime::lock::{RuntimeGuard, reset_waiters, runtime};

/// While this lives, nothing runs and nothing is recorded, as a fork needs.
pub struct ForkGuard(RuntimeGuard);

/// Waits until nothing runs, and blocks new work until the guard is dropped.
///
/// ```
/// let guard = fastnp::quiesce();
/// drop(guard);
/// fastnp::flush()?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn quiesce() -> ForkGuard {
    ForkGuard(runtime())
}

impl ForkGuard {
    /// Resumes in the child of a fork, which has no other threads.
    pub fn resume_in_child(self) {
        reset_waiters();
        interpreter_lock::reset_in_child();
        drop(self.0);
    }
}
