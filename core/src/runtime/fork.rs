//! Fork guard: holds the runtime's lock across a fork, and makes the lock usable in the child.

use crate::host::interpreter_lock;
use crate::runtime::lock::{Held, engine, forget_waiting};

/// Nothing runs, and nothing is recorded, as long as this lives: what a fork asks for.
pub struct Still(Held);

/// Waits until nothing runs, and keeps it so.
///
/// ```
/// let still = fastnp::hold_still();
/// drop(still);
/// fastnp::flush()?;
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn hold_still() -> Still {
    Still(engine())
}

impl Still {
    /// Goes on in the child of a fork, where the other threads are not.
    pub fn go_on_in_child(self) {
        forget_waiting();
        interpreter_lock::reset_in_child();
        drop(self.0);
    }
}
