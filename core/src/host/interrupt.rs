//! Interrupt polling: stops a long computation between two steps of a plan, and between two tasks of a step that can be run again.

use crate::host::interpreter_lock;
use crate::host::threads::Threads;
use fastnp_codegen::ThreadPool;
use fastnp_codegen::backend::fault;
use fastnp_codegen::drive::interrupt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Time between two polls. One takes the interpreter lock: microseconds, or the switch interval of a busy interpreter (5 ms).
const PERIOD: Duration = Duration::from_millis(50);

/// Longest task of a step that can be interrupted, in estimated nanoseconds: estimates are right within a factor of ten.
const MAX_TASK_NS: f64 = 5e6;

/// Asks, while a plan runs, whether the user interrupted it. Once interrupted, it stays so.
pub(crate) struct InterruptPoll {
    /// The thread that released the interpreter lock, the only one that may ask.
    caller: ThreadId,
    started: Instant,
    /// Nanoseconds from the start to the next poll.
    next: AtomicU64,
    interrupted: AtomicBool,
}

impl InterruptPoll {
    /// For a computation that this thread begins, with the interpreter lock released.
    pub(crate) fn new() -> InterruptPoll {
        InterruptPoll {
            caller: thread::current().id(),
            started: Instant::now(),
            next: AtomicU64::new(PERIOD.as_nanos() as u64),
            interrupted: AtomicBool::new(false),
        }
    }

    /// Whether the computation was interrupted, as far as is known.
    pub(crate) fn was_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Whether the computation was interrupted. Asks the interpreter if a period is over, on the thread that may.
    pub(crate) fn poll(&self) -> bool {
        let is_due = || self.started.elapsed().as_nanos() as u64 >= self.next.load(Ordering::Relaxed);
        if self.was_interrupted() || thread::current().id() != self.caller {
            return self.was_interrupted();
        }
        if fault::strikes() {
            self.interrupted.store(true, Ordering::Relaxed);
        } else if is_due() {
            self.interrupted.store(interpreter_lock::is_interrupted(), Ordering::Relaxed);
            self.next.store((self.started.elapsed() + PERIOD).as_nanos() as u64, Ordering::Relaxed);
        }
        self.was_interrupted()
    }
}

/// The threads, for a step that can be run again: they do not begin tasks once the computation was interrupted. The caller asks whether
/// it was, and if so forgets the results.
pub(crate) struct InterruptibleThreads<'a>(pub(crate) &'a InterruptPoll);

impl interrupt::Poll for InterruptPoll {
    fn is_interrupted(&self) -> bool {
        self.poll()
    }
}

impl ThreadPool for InterruptibleThreads<'_> {
    fn count(&self) -> usize {
        Threads.count()
    }

    fn tasks(&self, nanoseconds: f64) -> usize {
        Threads.tasks(nanoseconds).max((nanoseconds / MAX_TASK_NS) as usize)
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        Threads.run(tasks, &|i| {
            if !self.0.poll() {
                interrupt::polling(self.0, || task(i));
            }
        });
    }
}
