//! Interpreter lock: the embedding program's global lock (Python's GIL), as far as the runtime must know it.
//!
//! An embedding program may have a lock that its threads hold while they use arrays. They must release it while they compute for
//! long or wait for each other, or the rest of the program stops. The runtime does not know such locks: it asks for the lock to be
//! released around long work, and polls for interrupts.

use crate::host::released_count::{ExclusiveSection, ReleasedCount};
use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The embedding program's lock. A program without a lock and without interrupts needs none.
pub trait InterpreterLock: Sync {
    /// Releases the lock, runs `work`, and takes the lock again. `work` computes for long with the runtime locked, or waits for the
    /// runtime's lock. A thread that holds the interpreter lock and finds the runtime locked always gets here, so the thread that
    /// has the runtime may wait for the interpreter lock without a deadlock.
    fn release_during(&self, computes: bool, work: &mut dyn FnMut());

    /// Whether this thread holds the lock.
    fn is_held(&self) -> bool;

    /// Whether the user wants the computation stopped. Asked within `release_during`, on its thread, every twentieth of a second.
    fn is_interrupted(&self) -> bool;
}

static INTERPRETER: OnceLock<&'static dyn InterpreterLock> = OnceLock::new();

/// Installs the lock of the embedding program. The first call counts.
pub fn set_interpreter_lock(host: &'static dyn InterpreterLock) {
    let _ = INTERPRETER.set(host);
}

static RELIED_ON: AtomicBool = AtomicBool::new(false);
static RELEASED: ReleasedCount = ReleasedCount::unserialised();

/// Declares that the interpreter lock serialises threads, so the runtime's lock needs no atomic exchange, which costs a tenth of a
/// small operation.
///
/// # Safety
/// From now on every thread that calls this crate holds the interpreter lock, except inside [`InterpreterLock::release_during`].
pub unsafe fn rely_on_interpreter_lock() {
    if !RELIED_ON.swap(true, Ordering::Relaxed) {
        RELEASED.remove();
    }
}

/// Whether the interpreter lock serialises threads, except those that have released it.
#[inline]
pub(crate) fn is_relied_on() -> bool {
    RELIED_ON.load(Ordering::Relaxed)
}

/// A section of a few instructions in which no other thread runs code of this crate, unless a thread has released the lock.
#[inline(always)]
pub(crate) fn exclusive_section() -> Option<ExclusiveSection<'static>> {
    RELEASED.section()
}

/// Whether a thread may run code of this crate without the interpreter lock. It may begin to at any time: this says what costs less.
#[inline]
pub(crate) fn is_released_now() -> bool {
    RELEASED.section().is_none()
}

/// A section without the interpreter lock, from before it is released until it is taken again.
struct ReleasedSection;

impl ReleasedSection {
    fn begin() -> ReleasedSection {
        RELEASED.add();
        ReleasedSection
    }
}

impl Drop for ReleasedSection {
    fn drop(&mut self) {
        RELEASED.remove();
    }
}

/// Resets the count in the child of a fork, which has no other threads.
pub(crate) fn reset_in_child() {
    RELEASED.reset(usize::from(!is_relied_on()));
}

/// Runs work on a thread that may not hold the interpreter lock, and does not wait for it.
pub(crate) fn run_unannounced<T>(work: impl FnOnce() -> T) -> T {
    if !is_relied_on() || INTERPRETER.get().is_none_or(|host| host.is_held()) {
        return without_release(work);
    }
    RELEASED.add_unannounced(memory_barrier);
    let _released = ReleasedSection;
    without_release(work)
}

/// Commands of the system call `membarrier`: which there are, the barrier for the threads of this process, and its registration.
#[cfg(target_os = "linux")]
const QUERY: libc::c_int = 0;
#[cfg(target_os = "linux")]
const BARRIER: libc::c_int = 1 << 3;
#[cfg(target_os = "linux")]
const REGISTER: libc::c_int = 1 << 4;

/// Whether the system can do what [`run_unannounced`] needs. The process is registered for it when it is first needed, which is seldom:
/// registering takes 8 ms in a process of several threads.
pub(crate) fn allow_unannounced() -> bool {
    #[cfg(target_os = "linux")]
    return membarrier(QUERY).is_some_and(|commands| commands & libc::c_long::from(BARRIER) != 0);
    #[cfg(not(target_os = "linux"))]
    false
}

/// Has every thread of the process pass a memory barrier.
fn memory_barrier() {
    #[cfg(target_os = "linux")]
    if membarrier(BARRIER).is_none() {
        let done = membarrier(REGISTER).and_then(|_| membarrier(BARRIER));
        debug_assert!(done.is_some(), "the system has the barrier");
    }
}

/// The system call; `None` where it fails.
#[cfg(target_os = "linux")]
fn membarrier(command: libc::c_int) -> Option<libc::c_long> {
    // SAFETY: a system call without memory.
    let found = unsafe { libc::syscall(libc::SYS_membarrier, command, 0, 0) };
    (found >= 0).then_some(found)
}

thread_local! {
    /// Whether this thread may not release the interpreter lock now.
    static MAY_NOT_RELEASE: Cell<bool> = const { Cell::new(false) };
}

/// Runs work during which this thread keeps the interpreter lock, if it holds it: code that does not expect other threads to run waits
/// for the work.
pub(crate) fn without_release<T>(work: impl FnOnce() -> T) -> T {
    let before = MAY_NOT_RELEASE.replace(true);
    let done = work();
    MAY_NOT_RELEASE.set(before);
    done
}

/// Runs work without the interpreter lock: long computations, and waits for the runtime's lock.
pub(crate) fn release_during<T>(computes: bool, work: impl FnOnce() -> T) -> T {
    let Some(host) = INTERPRETER.get().filter(|_| !MAY_NOT_RELEASE.get()) else { return work() };
    let mut work = Some(work);
    let mut done = None;
    let _released = ReleasedSection::begin();
    host.release_during(computes, &mut || done = work.take().map(|work| work()));
    done.expect("the interpreter lock runs the work")
}

static IS_ALL_LONG: AtomicBool = AtomicBool::new(false);

/// Lets all work be done without the interpreter lock, however short, or no more: so a test has threads meet often.
#[cfg(debug_assertions)]
pub fn release_always(on: bool) {
    IS_ALL_LONG.store(on, Ordering::Relaxed);
}

/// Whether work that is long, or is to be taken so, is done without the interpreter lock.
#[inline]
pub(crate) fn is_released(long: bool) -> bool {
    long || (cfg!(debug_assertions) && IS_ALL_LONG.load(Ordering::Relaxed))
}

/// Host work over so many bytes is done without the interpreter lock: about a millisecond of scattered accesses. The thread may wait for
/// the lock afterwards, as long as another thread computes in the interpreter.
const RELEASE_BYTES: usize = 1 << 20;

/// Runs work over so many bytes, without the interpreter lock if they are many. The caller has locked the runtime, so that the work's
/// operands stay as they are.
#[inline]
pub(crate) fn run_over<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    if is_released(bytes >= RELEASE_BYTES) { release_during(true, work) } else { work() }
}

/// Whether to stop computing.
pub(crate) fn is_interrupted() -> bool {
    INTERPRETER.get().is_some_and(|host| host.is_interrupted())
}
