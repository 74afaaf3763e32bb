//! Python as the core's host: the GIL, signals, forks, and the end of the interpreter.
//!
//! A thread releases the GIL before it computes for long, and before it waits for the core's lock. So no thread waits for the core
//! while it holds the GIL, and a thread that holds the core's lock can always wait for the GIL.

use fastnp::{ForkGuard, InterpreterLock};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
#[cfg(feature = "loops")]
use std::cell::Cell;
use std::cell::RefCell;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "loops")]
use std::time::{Duration, Instant};

struct Interpreter;

unsafe extern "C" {
    // Every CPython from 3.4 on exports this function, which is not in the limited API.
    fn PyGILState_Check() -> c_int;
}

/// Set when the interpreter is about to end. A thread that released the GIL after that might never get it back (PyO3 parks it), and
/// the core would stay locked for finalizers that use arrays.
static SHUTTING_DOWN: AtomicBool = AtomicBool::new(false);

/// Work that stays on this thread: `detach` only runs it here.
struct OnThisThread<'a>(&'a mut dyn FnMut());

// SAFETY: `detach` requires `Send` so that objects guarded by the GIL are not used without it. The core's work uses its own state
// and array memory, no Python objects, and stays on the thread that made it.
unsafe impl Send for OnThisThread<'_> {}

impl OnThisThread<'_> {
    fn run(self) {
        (self.0)();
    }
}

impl InterpreterLock for Interpreter {
    fn release_during(&self, computes: bool, work: &mut dyn FnMut()) {
        let work = OnThisThread(work);
        Python::attach(|py| {
            if computes && SHUTTING_DOWN.load(Ordering::Relaxed) {
                work.run();
            } else {
                py.detach(|| work.run());
            }
        });
    }

    fn is_held(&self) -> bool {
        // SAFETY: it may be called on any thread.
        unsafe { PyGILState_Check() != 0 }
    }

    /// Whether a SIGINT is pending that raises `KeyboardInterrupt`. A handler of the user's runs after the computation, as with NumPy,
    /// because it may use arrays.
    fn is_interrupted(&self) -> bool {
        Python::attach(|py| is_signalled(py) && handler_is_default(py).unwrap_or(false))
    }
}

/// Whether a SIGINT is pending, whoever handles it. It stays pending.
fn is_signalled(_py: Python<'_>) -> bool {
    // SAFETY: this thread is attached to the interpreter.
    if unsafe { ffi::PyOS_InterruptOccurred() } == 0 {
        return false;
    }
    // SAFETY: as above. The check cleared the signal, so it is set again for the code that reports the error.
    unsafe { ffi::PyErr_SetInterrupt() };
    true
}

/// How long code that runs long keeps the GIL. A thread that waits for it asks for it only once it has waited for the switch interval, 5 ms,
/// without a release: where it was released each millisecond, and taken back at once, a timer fired after 95 s.
#[cfg(feature = "loops")]
const RELEASED_EVERY: Duration = Duration::from_millis(10);
/// How long the GIL is free then, in which a thread that waits for it wakes up: 50 µs with the kernel's slack, .5 % of the time.
#[cfg(feature = "loops")]
const RELEASED_FOR: Duration = Duration::from_micros(1);

#[cfg(feature = "loops")]
thread_local! {
    static LAST_RELEASE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// For code that runs long: lets other threads run, and returns whether the code shall leave, because a SIGINT is pending. No handler runs
/// here.
#[cfg(feature = "loops")]
pub(crate) fn yield_to_threads() -> bool {
    // Then the caller of tasks keeps the GIL while it waits for them: a worker would wait for it for ever.
    // SAFETY: it may be called on any thread.
    if SHUTTING_DOWN.load(Ordering::Relaxed) && unsafe { PyGILState_Check() } == 0 {
        return false;
    }
    Python::attach(|py| {
        if is_signalled(py) {
            return true;
        }
        let now = Instant::now();
        let is_due = LAST_RELEASE.get().is_none_or(|last| now.duration_since(last) >= RELEASED_EVERY);
        if is_due && !SHUTTING_DOWN.load(Ordering::Relaxed) {
            py.detach(|| std::thread::sleep(RELEASED_FOR));
            LAST_RELEASE.set(Some(Instant::now()));
        }
        false
    })
}

fn handler_is_default(py: Python<'_>) -> PyResult<bool> {
    let signal = py.import("_signal")?;
    let handler = signal.call_method1("getsignal", (signal.getattr("SIGINT")?,))?;
    Ok(handler.is(&signal.getattr("default_int_handler")?))
}

thread_local! {
    /// Keeps the core quiescent from before a fork until after it, in parent and child.
    static FORKING: RefCell<Option<ForkGuard>> = const { RefCell::new(None) };
}

/// Before a fork: waits for computations of other threads, which would not exist in the child and would leave the core locked.
#[pyfunction]
fn before_fork() {
    let still = fastnp::quiesce();
    FORKING.with_borrow_mut(|held| *held = Some(still));
}

/// After a fork, in the parent.
#[pyfunction]
fn after_fork_in_parent() {
    drop(FORKING.with_borrow_mut(Option::take));
}

/// After a fork, in the child.
#[pyfunction]
fn after_fork_in_child() {
    if let Some(still) = FORKING.with_borrow_mut(Option::take) {
        still.resume_in_child();
    }
}

/// Before the interpreter ends: waits for computations of other threads. Later ones keep the GIL.
#[pyfunction]
fn before_exit() {
    let still = fastnp::quiesce();
    SHUTTING_DOWN.store(true, Ordering::Relaxed);
    drop(still);
}

/// After a fault whose kernels raised floating-point flags: they are reported when Python's main thread runs its next instruction.
fn report_later() {
    // SAFETY: it may be called on any thread.
    unsafe { ffi::Py_AddPendingCall(Some(report_flags), std::ptr::null_mut()) };
}

/// The pending call of [`report_later`].
extern "C" fn report_flags(_: *mut c_void) -> c_int {
    // SAFETY: Python calls it with the GIL held.
    let py = unsafe { Python::assume_attached() };
    match crate::interpreter::errstate::report(py) {
        Ok(()) => 0,
        Err(error) => {
            error.restore(py);
            -1
        }
    }
}

/// `ensure_fault_handler()`: installs the handler of faults again where another one was installed since.
#[pyfunction]
fn ensure_fault_handler() {
    fastnp::ensure_fault_handler();
}

/// `resolved_faults()`: how often code outside touched contents that had to be computed or brought there.
#[pyfunction]
fn resolved_faults() -> u64 {
    fastnp::resolved_faults()
}

/// Registers Python as the core's host.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    fastnp::set_interpreter_lock(&Interpreter);
    fastnp::set_fault_observer(report_later);
    module.add_function(wrap_pyfunction!(ensure_fault_handler, module)?)?;
    module.add_function(wrap_pyfunction!(resolved_faults, module)?)?;
    // SAFETY: only this crate calls the core, always with the GIL held, which is released only in `aside`. (The module is built for
    // the stable ABI, which no Python without a GIL loads, and PyO3 refuses a second interpreter.)
    unsafe { fastnp::rely_on_interpreter_lock() };
    py.import("atexit")?.call_method1("register", (wrap_pyfunction!(before_exit, module)?,))?;
    let os = py.import("os")?;
    if os.hasattr("register_at_fork")? {
        let hooks = PyDict::new(py);
        hooks.set_item("before", wrap_pyfunction!(before_fork, module)?)?;
        hooks.set_item("after_in_parent", wrap_pyfunction!(after_fork_in_parent, module)?)?;
        hooks.set_item("after_in_child", wrap_pyfunction!(after_fork_in_child, module)?)?;
        os.call_method("register_at_fork", (), Some(&hooks))?;
    }
    Ok(())
}
