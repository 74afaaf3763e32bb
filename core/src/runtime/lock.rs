//! The runtime's lock: taking it, waiting for it, and the guard.
//!
//! There is one runtime behind one lock. Taking it costs less than the reference counts that a graph of shared nodes would need, and
//! makes arrays usable from any thread.

use crate::error::Result;
use crate::host::interpreter_lock;
use crate::host::spin_lock::{SpinGuard, SpinLock};
use crate::memory::storage_ref::StorageRef;
use crate::runtime::fp_flags;
use crate::runtime::state::Runtime;
use std::mem::ManuallyDrop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// It never hands itself over to a waiting thread, which after a fork may not be there any more. Nor is it poisoned: a panic
/// under it is a bug of ours and was reported, and what was computed before can still be read.
static RUNTIME: LazyLock<SpinLock<Runtime>> = LazyLock::new(|| SpinLock::new(Runtime::new()));

/// Threads that wait for the engine, and how many of those that ever did have got it.
static WAITERS: AtomicUsize = AtomicUsize::new(0);
static ADMITTED: AtomicUsize = AtomicUsize::new(0);

/// Between two looks at an engine that somebody else has: at first, and after it was taken for long.
const FIRST_SLEEP: Duration = Duration::from_micros(50);
const LONGEST_SLEEP: Duration = Duration::from_millis(1);

/// The engine, locked, with nothing left of the last flush.
#[inline]
pub(crate) fn runtime() -> RuntimeGuard {
    let mut runtime = unresolved_runtime();
    if runtime.speculation.is_some() {
        runtime.resolve_speculation();
    }
    runtime
}

/// The engine, locked, for who neither records nor reads.
#[inline]
pub(crate) fn unresolved_runtime() -> RuntimeGuard {
    if WAITERS.load(Ordering::Relaxed) == 0
        && let Some(runtime) = try_runtime()
    {
        return RuntimeGuard::new(runtime);
    }
    wait_for_runtime()
}

/// The engine, locked, if nobody has it.
#[inline]
pub(crate) fn try_runtime() -> Option<SpinGuard<'static, Runtime>> {
    if interpreter_lock::is_relied_on() {
        // SAFETY: no other thread gets here meanwhile: all of them need the host's lock to.
        unsafe { RUNTIME.try_lock_exclusive() }
    } else {
        RUNTIME.try_lock()
    }
}

#[cold]
fn wait_for_runtime() -> RuntimeGuard {
    let admitted = ADMITTED.load(Ordering::Relaxed);
    interpreter_lock::release_during(false, || {
        // Who waits already goes first, but needs time to wake up: without this, a thread in a loop of long computations
        // would lock the engine again and again in front of it.
        let mut turns = 20;
        while WAITERS.load(Ordering::Relaxed) > 0 && ADMITTED.load(Ordering::Relaxed) == admitted && turns > 0 {
            std::thread::sleep(FIRST_SLEEP);
            turns -= 1;
        }
        WAITERS.fetch_add(1, Ordering::Relaxed);
    });
    // Waited for aside, but taken under the host's lock, which may be what keeps the others away.
    let mut sleep = FIRST_SLEEP;
    let runtime = loop {
        if let Some(runtime) = try_runtime() {
            break runtime;
        }
        interpreter_lock::release_during(false, || {
            while RUNTIME.is_taken() {
                std::thread::sleep(sleep);
                sleep = (sleep * 2).min(LONGEST_SLEEP);
            }
        });
    };
    WAITERS.fetch_sub(1, Ordering::Relaxed);
    ADMITTED.fetch_add(1, Ordering::Relaxed);
    RuntimeGuard::new(runtime)
}

/// In the child after a fork: the threads that waited are not here.
pub(crate) fn reset_waiters() {
    WAITERS.store(0, Ordering::Relaxed);
}

/// The engine, locked, to record statements in the scope that the caller is in.
///
/// # Errors
/// `MemoryError`: what is pending was recorded in another scope, and ran.
#[inline]
pub(crate) fn recording() -> Result<RuntimeGuard> {
    // Asked first: who knows it may need the lock.
    let errstate = fp_flags::errstate();
    let mut runtime = runtime();
    if runtime.telemetry.fp_flags.errstate != errstate {
        runtime.flush()?;
        runtime.telemetry.fp_flags.errstate = errstate;
    }
    Ok(runtime)
}

/// The lock, held.
///
/// Dropping a storage on foreign memory may run anything (a Python object's finalizer may use arrays), so those that die
/// while the lock is held are dropped after it.
pub(crate) struct RuntimeGuard(ManuallyDrop<SpinGuard<'static, Runtime>>);

impl RuntimeGuard {
    #[inline]
    pub(crate) fn new(runtime: SpinGuard<'static, Runtime>) -> RuntimeGuard {
        RuntimeGuard(ManuallyDrop::new(runtime))
    }

    /// Takes the storages that died, which are to be dropped without the lock.
    #[cold]
    fn take_deferred_drops(&mut self) -> Vec<StorageRef> {
        std::mem::take(&mut self.0.trace.deferred_drops)
    }
}

impl std::ops::Deref for RuntimeGuard {
    type Target = Runtime;
    #[inline]
    fn deref(&self) -> &Runtime {
        &self.0
    }
}

impl std::ops::DerefMut for RuntimeGuard {
    #[inline]
    fn deref_mut(&mut self) -> &mut Runtime {
        &mut self.0
    }
}

impl Drop for RuntimeGuard {
    #[inline]
    fn drop(&mut self) {
        let deferred = (!self.0.trace.deferred_drops.is_empty()).then(|| self.take_deferred_drops());
        // SAFETY: this is the end of the guard's owner, who does not touch it again.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        if let Some(deferred) = deferred {
            drop(deferred);
        }
    }
}
