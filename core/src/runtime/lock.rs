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
use crate::runtime::profile::FlushReason;
use crate::runtime::state::Runtime;
use fastnp_codegen::drive::fp_status;
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

/// The lock is never handed to a waiting thread, which may not exist any more after a fork. It is not poisoned either: a panic
/// under it is a bug and was reported, and what was computed before can still be read.
static RUNTIME: LazyLock<SpinLock<Runtime>> = LazyLock::new(|| SpinLock::new(Runtime::new()));

/// Threads that wait for the runtime.
static ADMISSION: Admission = Admission::new();

/// The locked runtime, with the speculation of the last flush resolved.
#[inline]
pub fn runtime() -> RuntimeGuard {
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
    RUNTIME.try_lock_in(interpreter_lock::exclusive_section())
}

/// Whether the thread that has the lock is parked: done with its work, it waits for the interpreter lock, and the runtime is as consistent
/// as if it was free.
static PARKED: AtomicU8 = AtomicU8::new(NOT_PARKED);
const NOT_PARKED: u8 = 0;
const IS_PARKED: u8 = 1;
/// A thread that handles a fault uses the parked thread's lock.
const IS_LENT: u8 = 2;

/// How long a thread that handles a fault sleeps before it looks for the lock again.
const FAULT_POLL: Duration = Duration::from_micros(20);

/// Runs work of the thread that has the runtime's lock without the interpreter lock, and then waits for that. Until it gets it, a thread that
/// handles a fault may use the runtime: that one may hold the interpreter lock, or be waited for by a thread that holds it.
///
/// The caller finds another state of the runtime than it left: nothing may be pending any more, and contents may have moved.
pub(crate) fn release_parked<T>(work: impl FnOnce() -> T) -> T {
    let done = interpreter_lock::release_during(true, || {
        let done = work();
        PARKED.store(IS_PARKED, Ordering::Release);
        done
    });
    while PARKED.compare_exchange(IS_PARKED, NOT_PARKED, Ordering::Acquire, Ordering::Relaxed).is_err() {
        std::thread::sleep(FAULT_POLL);
    }
    done
}

/// The locked runtime, for a fault of code outside. The thread does not release the interpreter lock, if it holds it: code that it has
/// interrupted may not expect other threads to run.
pub(crate) fn lock_for_fault() -> RuntimeGuard {
    let mut runtime = loop {
        if let Some(runtime) = try_runtime() {
            break RuntimeGuard { guard: ManuallyDrop::new(runtime), kind: GuardKind::Fault };
        }
        if PARKED.compare_exchange(IS_PARKED, IS_LENT, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            // SAFETY: the parked thread has taken the lock, and does not use the runtime until it is given back.
            break RuntimeGuard { guard: ManuallyDrop::new(unsafe { RUNTIME.assume_taken() }), kind: GuardKind::Lent };
        }
        std::thread::sleep(FAULT_POLL);
    };
    if runtime.speculation.is_some() {
        runtime.resolve_speculation();
    }
    runtime
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
        return RuntimeGuard { guard: ManuallyDrop::new(unsafe { RUNTIME.assume_taken() }), kind: GuardKind::Nested };
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
        runtime.flush(FlushReason::Errstate)?;
        runtime.telemetry.fp_flags.errstate = errstate;
        fp_status::set_reported(errstate.reported());
    }
    Ok(runtime)
}

/// The taken lock.
///
/// Dropping a storage on foreign memory may run any code (a Python finalizer may use arrays), so storages whose last reference goes
/// under the lock are dropped after it is released.
pub struct RuntimeGuard {
    guard: ManuallyDrop<SpinGuard<'static, Runtime>>,
    kind: GuardKind,
}

/// Why the lock was taken, which says what happens when it is released.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GuardKind {
    Own,
    /// It stays taken, for a fork.
    Nested,
    /// For a fault: what is to be dropped stays for the next.
    Fault,
    /// As `Fault`, of a parked thread, to which it goes back.
    Lent,
}

impl RuntimeGuard {
    #[inline]
    pub(crate) fn new(runtime: SpinGuard<'static, Runtime>) -> RuntimeGuard {
        RuntimeGuard { guard: ManuallyDrop::new(runtime), kind: GuardKind::Own }
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
    /// The usual release is inlined: as a function it takes 31 instructions, of the 190 in which an element is read.
    #[inline(always)]
    fn drop(&mut self) {
        if self.kind == GuardKind::Own && self.guard.trace.deferred_drops.is_empty() {
            // SAFETY: the guard is dropped once, and not used after this.
            unsafe { ManuallyDrop::drop(&mut self.guard) }
        } else {
            self.release();
        }
    }
}

impl RuntimeGuard {
    /// Releases the lock as its kind demands, and then drops what was dropped under it.
    #[cold]
    fn release(&mut self) {
        let drops =
            matches!(self.kind, GuardKind::Own | GuardKind::Nested) && !self.guard.trace.deferred_drops.is_empty();
        let deferred = drops.then(|| self.take_deferred_drops());
        match self.kind {
            // SAFETY: the guard is dropped once, and not used after this.
            GuardKind::Own | GuardKind::Fault => unsafe { ManuallyDrop::drop(&mut self.guard) },
            GuardKind::Nested => HOLDS_FOR_FORK.set(true),
            GuardKind::Lent => PARKED.store(IS_PARKED, Ordering::Release),
        }
        if let Some(deferred) = deferred {
            drop(deferred);
        }
    }
}
