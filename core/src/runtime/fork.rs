//! Fork guard: holds the runtime's lock across a fork, and makes the lock usable in the child.

use crate::host::interpreter_lock;
use crate::runtime::lock::{RuntimeGuard, reset_waiters, runtime};

/// Nothing runs, and nothing is recorded, as long as this lives: what a fork asks for.
pub struct ForkGuard(RuntimeGuard);

/// Waits until nothing runs, and keeps it so.
///
/// ```
/// let still = fastnp::quiesce();
/// drop(still);
/// fastnp::flush()?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn quiesce() -> ForkGuard {
    ForkGuard(runtime())
}

impl ForkGuard {
    /// Goes on in the child of a fork, where the other threads are not.
    pub fn resume_in_child(self) {
        reset_waiters();
        interpreter_lock::reset_in_child();
        drop(self.0);
    }
}
