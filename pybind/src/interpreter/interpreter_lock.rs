//! Python as the program the engine runs in: its lock, its signals, forks of its process, its end.
//!
//! A thread computes for long, or waits for one that does, without the GIL: nobody waits for the engine with the GIL in hand,
//! so whoever has the engine may wait for the GIL.

use fastnp::{Host, Still};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};

struct Interpreter;

/// Set when the interpreter is about to end: a thread that let go of the GIL from then on might never get it back (PyO3 parks
/// it), and the engine would stay locked for finalizers that use arrays.
static SHUTTING_DOWN: AtomicBool = AtomicBool::new(false);

/// Work that is sent nowhere: `detach` runs it on this thread.
struct OnThisThread<'a>(&'a mut dyn FnMut());

// SAFETY: `detach` asks for `Send` to keep what the GIL guards from being used without it. The engine's work touches memory,
// the engine's own state and nothing of Python's; it stays on the thread that made it.
unsafe impl Send for OnThisThread<'_> {}

impl OnThisThread<'_> {
    fn run(self) {
        (self.0)();
    }
}

impl Host for Interpreter {
    fn aside(&self, computes: bool, work: &mut dyn FnMut()) {
        let work = OnThisThread(work);
        Python::attach(|py| {
            if computes && SHUTTING_DOWN.load(Ordering::Relaxed) {
                work.run();
            } else {
                py.detach(|| work.run());
            }
        });
    }

    /// Where SIGINT means `KeyboardInterrupt`. A handler of the user's runs after the computation, as it does under NumPy,
    /// since it may use arrays.
    fn is_interrupted(&self) -> bool {
        Python::attach(|py| {
            // SAFETY: this thread is attached to the interpreter.
            if unsafe { ffi::PyOS_InterruptOccurred() } == 0 {
                return false;
            }
            // SAFETY: as above. Asking took the signal away; whoever reports the error finds it again.
            unsafe { ffi::PyErr_SetInterrupt() };
            handler_is_default(py).unwrap_or(false)
        })
    }
}

fn handler_is_default(py: Python<'_>) -> PyResult<bool> {
    let signal = py.import("_signal")?;
    let handler = signal.call_method1("getsignal", (signal.getattr("SIGINT")?,))?;
    Ok(handler.is(&signal.getattr("default_int_handler")?))
}

thread_local! {
    /// Holds the engine still from before a fork until after it, in parent and child.
    static FORKING: RefCell<Option<Still>> = const { RefCell::new(None) };
}

/// Before a fork: a computation of another thread would never end in the child, and never unlock the engine there.
#[pyfunction]
fn before_fork() {
    let still = fastnp::hold_still();
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
        still.go_on_in_child();
    }
}

/// Before the interpreter ends: waits for computations of other threads, and keeps later ones on the GIL.
#[pyfunction]
fn before_exit() {
    let still = fastnp::hold_still();
    SHUTTING_DOWN.store(true, Ordering::Relaxed);
    drop(still);
}

/// Makes Python the engine's host.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    fastnp::set_host(&Interpreter);
    // SAFETY: this crate alone calls the engine, always with the GIL held: it lets go of it nowhere but in `aside`. (The
    // module is built for the stable ABI, which no Python without a GIL loads, and PyO3 refuses a second interpreter.)
    unsafe { fastnp::rely_on_host() };
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
