//! The program the engine runs in, as far as the engine has to know it.
//!
//! A host may have a lock of its own that its threads hold while they use arrays (Python's GIL). They must not keep it
//! while they compute for long or wait for each other, or nothing else of the program moves. The engine knows nothing of
//! such locks: it says when a thread turns aside, and asks now and then whether the user wants it to stop.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What a host does for the engine. One that has no lock and no interrupts needs none.
pub trait InterpreterLock: Sync {
    /// Runs what computes for long, with the engine locked, or else waits until it has locked the engine: the rest of the
    /// program may go on meanwhile. Whoever holds the host's lock and finds the engine locked comes here, so whoever has
    /// locked the engine may wait for the host's lock.
    fn release_during(&self, computes: bool, work: &mut dyn FnMut());

    /// Whether the user wants the computation stopped. Asked within `aside`, every twentieth of a second.
    fn is_interrupted(&self) -> bool;
}

static INTERPRETER: OnceLock<&'static dyn InterpreterLock> = OnceLock::new();

/// Says which program the engine runs in. The first call counts.
pub fn set_interpreter_lock(host: &'static dyn InterpreterLock) {
    let _ = INTERPRETER.set(host);
}

static RELIED_ON: AtomicBool = AtomicBool::new(false);
/// Why threads are not kept apart: one for want of a host that does, and one for each thread aside. It changes while the host's
/// lock is held.
static RELEASED: AtomicU32 = AtomicU32::new(1);

/// Says that the host's lock keeps threads apart, so that the engine's need not: it costs a tenth of a small operation.
///
/// # Safety
/// From now on every thread that calls anything of this crate holds the host's lock, but for what runs in [`InterpreterLock::aside`].
pub unsafe fn rely_on_interpreter_lock() {
    if !RELIED_ON.swap(true, Ordering::Relaxed) {
        RELEASED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether one thread at a time gets here, those aside not counted.
#[inline]
pub(crate) fn is_relied_on() -> bool {
    RELIED_ON.load(Ordering::Relaxed)
}

/// Whether no other thread calls anything of this crate meanwhile, also not aside.
#[inline]
pub(crate) fn is_exclusive() -> bool {
    RELEASED.load(Ordering::Relaxed) == 0
}

/// A thread that is aside, from before it gives the host's lock back until it has it again.
struct ReleasedSection;

impl ReleasedSection {
    fn begin() -> ReleasedSection {
        RELEASED.fetch_add(1, Ordering::Relaxed);
        ReleasedSection
    }
}

impl Drop for ReleasedSection {
    fn drop(&mut self) {
        RELEASED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts anew in the child of a fork, where the threads that had released the lock are not.
pub(crate) fn reset_in_child() {
    RELEASED.store(!is_relied_on() as u32, Ordering::Relaxed);
}

/// Computes for long, or waits for the engine.
pub(crate) fn release_during<T>(computes: bool, work: impl FnOnce() -> T) -> T {
    let Some(host) = INTERPRETER.get() else { return work() };
    let mut work = Some(work);
    let mut done = None;
    let _released = ReleasedSection::begin();
    host.release_during(computes, &mut || done = work.take().map(|work| work()));
    done.expect("a host runs what it is given")
}

/// Whether to stop computing.
pub(crate) fn is_interrupted() -> bool {
    INTERPRETER.get().is_some_and(|host| host.is_interrupted())
}
