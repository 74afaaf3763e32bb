//! Interrupt polling: stops a long computation between two steps of a plan, and between two tasks of a step that can be run again or
//! resumed.

use crate::host::interpreter_lock;
use crate::host::threads::Threads;
use fastnp_codegen::ThreadPool;
use fastnp_codegen::backend::fault;
use fastnp_codegen::drive::interrupt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// Time between two polls. One takes the interpreter lock: microseconds, or the switch interval of a busy interpreter (5 ms).
const PERIOD: Duration = Duration::from_millis(50);

/// Longest task of a step that can be interrupted, in estimated nanoseconds. Handing one to a thread takes 2,000. A composed kernel of thirty
/// powers takes eighty times its estimate: with tasks of 5 ms it stopped after 510 ms.
const MAX_TASK_NS: f64 = 5e5;

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

/// Which tasks of a launch have run. The launch is divided in the same way when it is resumed: for as many threads, into as many tasks.
pub(crate) struct TaskProgress {
    threads: usize,
    /// By task: whether it has run. Empty until the launch is divided, which it is once.
    has_run: OnceLock<Vec<AtomicBool>>,
}

impl TaskProgress {
    /// Of a launch that has not begun.
    pub(crate) fn new() -> TaskProgress {
        TaskProgress { threads: Threads.count(), has_run: OnceLock::new() }
    }

    /// Whether no task is left. Work that was not divided has run.
    pub(crate) fn is_complete(&self) -> bool {
        self.has_run.get().is_none_or(|tasks| tasks.iter().all(|has_run| has_run.load(Ordering::Relaxed)))
    }
}

/// The threads, for a launch that overwrites its operands: they begin no task once the computation was interrupted, and a task runs once,
/// however often the launch is resumed.
pub(crate) struct ResumableThreads<'a> {
    pub(crate) poll: &'a InterruptPoll,
    pub(crate) progress: &'a TaskProgress,
}

impl ThreadPool for ResumableThreads<'_> {
    fn count(&self) -> usize {
        self.progress.threads
    }

    fn tasks(&self, nanoseconds: f64) -> usize {
        self.progress.has_run.get().map_or_else(|| InterruptibleThreads(self.poll).tasks(nanoseconds), Vec::len)
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let has_run = self.progress.has_run.get_or_init(|| (0..tasks).map(|_| AtomicBool::new(false)).collect());
        assert_eq!(has_run.len(), tasks, "a launch is divided once, and as before when it is resumed");
        Threads.run(tasks, &|i| {
            if !has_run[i].load(Ordering::Relaxed) && !self.poll.poll() {
                task(i);
                has_run[i].store(true, Ordering::Relaxed);
            }
        });
    }
}
