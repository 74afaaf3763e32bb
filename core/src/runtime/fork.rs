//! Fork guard: holds the runtime's lock across a fork, and makes the lock usable in the child.

use crate::host::interpreter_lock;
use crate::runtime::lock::{RuntimeGuard, reset_waiters, runtime, set_holds_for_fork};
use std::marker::PhantomData;

/// While this lives, nothing runs and nothing is recorded but by the thread that made it, as a fork needs.
pub struct ForkGuard {
    _runtime: RuntimeGuard,
    /// What permits its thread to use the runtime ends on that thread.
    _not_send: PhantomData<*const ()>,
}

/// Waits until nothing runs, and blocks other threads' new work until the guard is dropped. This thread may go on using arrays.
///
/// ```
/// let guard = fastnp::quiesce();
/// drop(guard);
/// fastnp::flush()?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn quiesce() -> ForkGuard {
    let runtime = runtime();
    set_holds_for_fork(true);
    ForkGuard { _runtime: runtime, _not_send: PhantomData }
}

impl ForkGuard {
    /// Resumes in the child of a fork, which has no other threads.
    pub fn resume_in_child(self) {
        reset_waiters();
        interpreter_lock::reset_in_child();
        drop(self);
    }
}

impl Drop for ForkGuard {
    fn drop(&mut self) {
        set_holds_for_fork(false);
    }
}
