//! Interrupts of loops that run for long: what a kernel asks between turns of a region ([`crate::ir::region`]).
//!
//! A launch has no way to stop by itself: the array layer does not begin the tasks of one that the user interrupted. But a single point
//! may make any number of turns, so loops ask, every few hundred microseconds, the poll that the array layer set for the thread. A loop
//! that is told to stop ends with any values, and so does the launch, whose results the array layer forgets. Without a poll nothing
//! stops a loop.

use crate::drive::fp_status;
use std::cell::Cell;

/// Whether to stop.
pub trait Poll: Sync {
    /// Asks whether the computation was interrupted. Once it was, it stays so.
    fn is_interrupted(&self) -> bool;
}

thread_local! {
    /// The poll of the work that this thread does.
    static POLL: Cell<Option<&'static dyn Poll>> = const { Cell::new(None) };
}

/// Restores the poll before, also where work panics.
struct Restore(Option<&'static dyn Poll>);

impl Drop for Restore {
    fn drop(&mut self) {
        POLL.set(self.0);
    }
}

/// Does work, in which loops of this thread ask `poll`.
pub fn polling<T>(poll: &dyn Poll, work: impl FnOnce() -> T) -> T {
    // SAFETY: the reference is used by this thread alone, and taken back before this function returns.
    let poll: &'static dyn Poll = unsafe { std::mem::transmute(poll) };
    let _restore = Restore(POLL.replace(Some(poll)));
    work()
}

/// Whether the work that this thread does was interrupted. Floating-point flags stay as they are.
pub fn is_interrupted() -> bool {
    POLL.get().is_some_and(|poll| fp_status::preserving(|| poll.is_interrupted()))
}
