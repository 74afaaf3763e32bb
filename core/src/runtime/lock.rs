//! Runtime lock: acquisition, waiting, and the guard.
//!
//! There is one runtime behind one lock. Taking it costs less than the reference counts that a graph of shared nodes would need, and
//! makes arrays usable from any thread.

use crate::error::Result;
use crate::host::admission::Admission;
use crate::host::interpreter_lock;
use crate::host::spin_lock::{SpinGuard, SpinLock};
use crate::memory::storage_ref::StorageRef;
use crate::runtime::fp_flags;
use crate::runtime::state::Runtime;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::LazyLock;

/// The lock is never handed to a waiting thread, which may not exist any more after a fork. It is not poisoned either: a panic
/// under it is a bug and was reported, and what was computed before can still be read.
static RUNTIME: LazyLock<SpinLock<Runtime>> = LazyLock::new(|| SpinLock::new(Runtime::new()));

/// Threads that wait for the runtime.
static ADMISSION: Admission = Admission::new();

/// The locked runtime, with the speculation of the last flush resolved.
#[inline]
pub(crate) fn runtime() -> RuntimeGuard {
    let mut runtime = unresolved_runtime();
    if runtime.speculation.is_some() {
        runtime.resolve_speculation();
    }
    runtime
}

/// The locked runtime with its speculation unresolved, for callers that neither record nor read.
#[inline]
pub(crate) fn unresolved_runtime() -> RuntimeGuard {
    if !ADMISSION.has_waiters()
        && let Some(runtime) = try_runtime()
    {
        return RuntimeGuard::new(runtime);
    }
    wait_for_runtime()
}

/// The locked runtime, if it is free.
#[inline]
pub(crate) fn try_runtime() -> Option<SpinGuard<'static, Runtime>> {
    if interpreter_lock::is_relied_on() {
        // SAFETY: no other thread runs this meanwhile: all of them need the interpreter lock.
        unsafe { RUNTIME.try_lock_exclusive() }
    } else {
        RUNTIME.try_lock()
    }
}

thread_local! {
    /// Whether this thread holds the lock for a fork, and may use the runtime meanwhile.
    static HOLDS_FOR_FORK: Cell<bool> = const { Cell::new(false) };
}

/// Lets this thread use the runtime while it holds the lock for a fork, or ends that: other libraries' fork hooks, and finalizers, may
/// use arrays between the hooks of this one.
pub(crate) fn set_holds_for_fork(holds: bool) {
    HOLDS_FOR_FORK.set(holds);
}

#[cold]
fn wait_for_runtime() -> RuntimeGuard {
    if HOLDS_FOR_FORK.replace(false) {
        // SAFETY: this thread has taken the lock, and no guard in use refers to the runtime: the fork's is only kept, and another
        // nested one would have found the flag cleared.
        return RuntimeGuard { guard: ManuallyDrop::new(unsafe { RUNTIME.assume_taken() }), is_nested: true };
    }
    let release = |work: &mut dyn FnMut()| interpreter_lock::release_during(false, work);
    RuntimeGuard::new(ADMISSION.wait(|| RUNTIME.is_taken(), try_runtime, release))
}

/// Resets the count of waiters in the child of a fork, where they do not exist.
pub(crate) fn reset_waiters() {
    ADMISSION.reset();
}

/// The locked runtime, to record statements under the caller's `np.errstate`.
///
/// # Errors
/// `MemoryError`: what was recorded under another `np.errstate` runs first.
#[inline]
pub(crate) fn recording() -> Result<RuntimeGuard> {
    // Found before the lock is taken: finding it may need the interpreter lock.
    let errstate = fp_flags::errstate();
    let mut runtime = runtime();
    if runtime.telemetry.fp_flags.errstate != errstate {
        runtime.flush()?;
        runtime.telemetry.fp_flags.errstate = errstate;
    }
    Ok(runtime)
}

/// The taken lock.
///
/// Dropping a storage on foreign memory may run any code (a Python finalizer may use arrays), so storages whose last reference goes
/// under the lock are dropped after it is released.
pub(crate) struct RuntimeGuard {
    guard: ManuallyDrop<SpinGuard<'static, Runtime>>,
    /// Whether the lock stays taken, for a fork.
    is_nested: bool,
}

impl RuntimeGuard {
    #[inline]
    pub(crate) fn new(runtime: SpinGuard<'static, Runtime>) -> RuntimeGuard {
        RuntimeGuard { guard: ManuallyDrop::new(runtime), is_nested: false }
    }

    /// Takes the storages to drop after the lock is released.
    #[cold]
    fn take_deferred_drops(&mut self) -> Vec<StorageRef> {
        std::mem::take(&mut self.guard.trace.deferred_drops)
    }
}

impl std::ops::Deref for RuntimeGuard {
    type Target = Runtime;
    #[inline]
    fn deref(&self) -> &Runtime {
        &self.guard
    }
}

impl std::ops::DerefMut for RuntimeGuard {
    #[inline]
    fn deref_mut(&mut self) -> &mut Runtime {
        &mut self.guard
    }
}

impl Drop for RuntimeGuard {
    #[inline]
    fn drop(&mut self) {
        let deferred = (!self.guard.trace.deferred_drops.is_empty()).then(|| self.take_deferred_drops());
        if self.is_nested {
            HOLDS_FOR_FORK.set(true);
        } else {
            // SAFETY: the guard is dropped once, and not used after this.
            unsafe { ManuallyDrop::drop(&mut self.guard) };
        }
        if let Some(deferred) = deferred {
            drop(deferred);
        }
    }
}
