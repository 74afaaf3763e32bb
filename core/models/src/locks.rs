//! The spin lock, waiting for it, and the interpreter lock that may stand in for its exchange.

use crate::check;
use crate::host::admission::Admission;
use crate::host::released_count::{ExclusiveSection, ReleasedCount};
use crate::host::spin_lock::{SpinGuard, SpinLock};
use loom::sync::{Mutex, MutexGuard};
use loom::thread;
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An interpreter with its lock, as `host::interpreter_lock` sees it, and what runs under it.
pub(crate) struct Interpreter {
    lock: Mutex<()>,
    released: ReleasedCount,
}

/// A thread of the interpreter, which holds its lock but in `release`.
pub(crate) struct Held<'a> {
    interpreter: &'a Interpreter,
    guard: RefCell<Option<MutexGuard<'a, ()>>>,
}

impl Interpreter {
    pub(crate) fn new() -> Interpreter {
        let released = ReleasedCount::unserialised();
        released.remove();
        Interpreter { lock: Mutex::new(()), released }
    }

    pub(crate) fn hold(&self) -> Held<'_> {
        let guard = self.lock.lock().expect("no thread panics");
        Held { interpreter: self, guard: RefCell::new(Some(guard)) }
    }

    /// `interpreter_lock::run_unannounced`, on a thread without the lock.
    pub(crate) fn come(&self, work: impl FnOnce()) {
        self.released.add_unannounced(|| loom::sync::atomic::fence(Ordering::SeqCst));
        work();
        self.released.remove();
    }
}

impl Held<'_> {
    pub(crate) fn section(&self) -> Option<ExclusiveSection<'_>> {
        self.interpreter.released.section()
    }

    /// `interpreter_lock::release_during`.
    pub(crate) fn release(&self, work: &mut dyn FnMut()) {
        self.interpreter.released.add();
        self.guard.take();
        work();
        let guard = self.interpreter.lock.lock().expect("no thread panics");
        self.guard.replace(Some(guard));
        self.interpreter.released.remove();
    }
}

/// Runs `step` on this thread and on another one.
pub(crate) fn two_threads<T: Send + Sync + 'static>(
    shared: T,
    step: impl Fn(&T, usize) + Send + Sync + 'static,
) -> Arc<T> {
    let (shared, step) = (Arc::new(shared), Arc::new(step));
    let other = {
        let (shared, step) = (shared.clone(), step.clone());
        thread::spawn(move || step(&shared, 1))
    };
    step(&shared, 0);
    other.join().expect("no thread panics");
    shared
}

#[test]
fn one_thread_at_a_time_has_a_spin_lock() {
    check(6, || {
        let lock = two_threads(SpinLock::new(0), |lock, _| {
            *lock.lock() += 1;
            if let Some(mut value) = lock.try_lock() {
                *value += 10;
            }
        });
        let value = *lock.lock();
        assert!([12, 22].contains(&value), "{value}");
    });
}

/// A thread that alone tries to take a lock, while another one releases it.
#[test]
fn a_lock_that_is_released_meanwhile_is_taken_by_a_plain_store() {
    check(6, || {
        let lock = Arc::new(SpinLock::new(0));
        let mut guard = lock.lock();
        let taker = {
            let lock = lock.clone();
            // SAFETY: the other thread only releases the lock.
            thread::spawn(move || unsafe { lock.try_lock_exclusive() }.is_none_or(|value| *value == 1))
        };
        *guard = 1;
        drop(guard);
        assert!(taker.join().expect("no thread panics"), "took the lock and not what was written under it");
    });
}

/// The pool's lock: plain stores while threads are serialised, exchanges while one of them has released the interpreter lock.
#[test]
fn plain_and_atomic_locking_exclude_each_other() {
    check(6, || {
        let shared = (Interpreter::new(), SpinLock::new(0));
        let shared = two_threads(shared, |(interpreter, lock), _| {
            let held = interpreter.hold();
            let add = || *lock.lock_in(held.section()) += 1;
            add();
            held.release(&mut || add());
            add();
        });
        assert_eq!(*shared.1.lock(), 6);
    });
}

/// A thread that comes without the interpreter lock: `interpreter_lock::run_unannounced`, for a fault.
#[test]
fn a_thread_without_the_interpreter_lock_excludes_plain_locking() {
    check(6, || {
        let shared = (Interpreter::new(), SpinLock::new(0));
        let shared = two_threads(shared, |(interpreter, lock), thread| {
            if thread == 0 {
                let held = interpreter.hold();
                *lock.lock_in(held.section()) += 1;
                *lock.lock_in(held.section()) += 1;
            } else {
                interpreter.come(|| *lock.lock_in(interpreter.released.section()) += 1);
            }
        });
        assert_eq!(*shared.1.lock(), 3);
    });
}

/// The runtime's lock: `runtime::lock`, with a long computation under it that releases the interpreter lock.
struct Runtime {
    interpreter: Option<Interpreter>,
    lock: SpinLock<usize>,
    admission: Admission,
}

impl Runtime {
    fn new(is_relied_on: bool) -> Runtime {
        let interpreter = is_relied_on.then(Interpreter::new);
        Runtime { interpreter, lock: SpinLock::new(0), admission: Admission::new() }
    }

    fn try_lock(&self) -> Option<SpinGuard<'_, usize>> {
        match &self.interpreter {
            Some(interpreter) => self.lock.try_lock_in(interpreter.released.section()),
            None => self.lock.try_lock(),
        }
    }

    fn lock(&self, release: impl Fn(&mut dyn FnMut())) -> SpinGuard<'_, usize> {
        if !self.admission.has_waiters()
            && let Some(guard) = self.try_lock()
        {
            return guard;
        }
        self.admission.wait(|| self.lock.is_taken(), || self.try_lock(), release)
    }

    /// Adds one, in two steps between which other threads run.
    fn compute(&self) {
        let held = self.interpreter.as_ref().map(Interpreter::hold);
        let release = |work: &mut dyn FnMut()| held.as_ref().map_or_else(|| (), |held| held.release(work));
        let without_interpreter = |work: &mut dyn FnMut()| if held.is_some() { release(work) } else { work() };
        let mut value = self.lock(without_interpreter);
        let before = *value;
        without_interpreter(&mut || thread::yield_now());
        *value = before + 1;
    }
}

#[test]
fn threads_that_wait_for_the_runtime_get_it() {
    for is_relied_on in [false, true] {
        check(6, move || {
            let runtime = two_threads(Runtime::new(is_relied_on), |runtime, _| runtime.compute());
            assert_eq!(*runtime.lock.lock(), 2);
            assert!(!runtime.admission.has_waiters());
        });
    }
}

/// A fork's thread uses the runtime by guards of the lock that it holds, and no other thread gets it before the end.
#[test]
fn the_lock_held_for_a_fork_is_used_by_its_thread_alone() {
    check(6, || {
        let lock = two_threads(SpinLock::new(0), |lock, thread| {
            let mut guard = lock.lock();
            if thread == 0 {
                *guard += 1;
                // SAFETY: the other guard is not used meanwhile, and this one is not dropped.
                let mut nested = std::mem::ManuallyDrop::new(unsafe { lock.assume_taken() });
                assert!(lock.try_lock().is_none());
                **nested += 1;
            }
            *guard += 1;
        });
        assert_eq!(*lock.lock(), 4);
    });
}

/// Positions that another thread changes: what is checked is what is used, since both are under one lock.
#[test]
fn what_is_checked_is_what_is_used() {
    check(6, || {
        let elements = [0, 1];
        two_threads(SpinLock::new(0usize), move |position, thread| {
            if thread == 1 {
                *position.lock() = 5;
                return;
            }
            let position = position.lock();
            if *position < elements.len() {
                assert_eq!(elements[*position], *position);
            }
        });
    });
}

/// The same with the lock released between the check and the use: the model finds what goes wrong.
#[test]
#[should_panic(expected = "used another position than was checked")]
fn a_lock_released_between_check_and_use_is_found() {
    check(6, || {
        two_threads(SpinLock::new(0usize), |position, thread| {
            if thread == 1 {
                *position.lock() = 5;
            } else if *position.lock() < 2 {
                assert!(*position.lock() < 2, "used another position than was checked");
            }
        });
    });
}
