//! The program the engine runs in, as far as the engine has to know it.
//!
//! A host may have a lock of its own that its threads hold while they use arrays (Python's GIL). They must not keep it
//! while they compute for long or wait for each other, or nothing else of the program moves. The engine knows nothing of
//! such locks: it says when a thread turns aside, and asks now and then whether the user wants it to stop.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// What a host does for the engine. One that has no lock and no interrupts needs none.
pub trait Host: Sync {
    /// Runs what computes for long, with the engine locked, or else waits until it has locked the engine: the rest of the
    /// program may go on meanwhile. Whoever holds the host's lock and finds the engine locked comes here, so whoever has
    /// locked the engine may wait for the host's lock.
    fn aside(&self, computes: bool, work: &mut dyn FnMut());

    /// Whether the user wants the computation stopped. Asked within `aside`, every twentieth of a second.
    fn is_interrupted(&self) -> bool;
}

static HOST: OnceLock<&'static dyn Host> = OnceLock::new();

/// Says which program the engine runs in. The first call counts.
pub fn set_host(host: &'static dyn Host) {
    let _ = HOST.set(host);
}

static RELIED_ON: AtomicBool = AtomicBool::new(false);
/// Why threads are not kept apart: one for want of a host that does, and one for each thread aside. It changes while the host's
/// lock is held.
static REASONS: AtomicU32 = AtomicU32::new(1);

/// Says that the host's lock keeps threads apart, so that the engine's need not: it costs a tenth of a small operation.
///
/// # Safety
/// From now on every thread that calls anything of this crate holds the host's lock, but for what runs in [`Host::aside`].
pub unsafe fn rely_on_host() {
    if !RELIED_ON.swap(true, Ordering::Relaxed) {
        REASONS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether one thread at a time gets here, those aside not counted.
#[inline]
pub(crate) fn is_relied_on() -> bool {
    RELIED_ON.load(Ordering::Relaxed)
}

/// Whether no other thread calls anything of this crate meanwhile, also not aside.
#[inline]
pub(crate) fn is_alone() -> bool {
    REASONS.load(Ordering::Relaxed) == 0
}

/// A thread that is aside, from before it gives the host's lock back until it has it again.
struct Aside;

impl Aside {
    fn begin() -> Aside {
        REASONS.fetch_add(1, Ordering::Relaxed);
        Aside
    }
}

impl Drop for Aside {
    fn drop(&mut self) {
        REASONS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts anew in the child of a fork, where the threads that had released the lock are not.
pub(crate) fn reset_in_child() {
    REASONS.store(!is_relied_on() as u32, Ordering::Relaxed);
}

/// Computes for long, or waits for the engine.
pub(crate) fn aside<T>(computes: bool, work: impl FnOnce() -> T) -> T {
    let Some(host) = HOST.get() else { return work() };
    let mut work = Some(work);
    let mut done = None;
    let _aside = Aside::begin();
    host.aside(computes, &mut || done = work.take().map(|work| work()));
    done.expect("a host runs what it is given")
}

/// Whether to stop computing.
pub(crate) fn is_interrupted() -> bool {
    HOST.get().is_some_and(|host| host.is_interrupted())
}
