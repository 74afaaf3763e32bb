//! Work queue: how the threads of the pool get their tasks, wait for more, and tell the caller that all is done.
//!
//! One caller publishes a task function and ranges of task numbers; workers join in while there is work, spin for a while without, and
//! then sleep. Starting and waking threads is `threads`' part. The protocol is checked under every order of its steps in the crate
//! `models`, so it uses the primitives of `sync` alone.

use crate::host::sync::{AtomicBool, AtomicUsize, Instant, Mutex, UnsafeCell, park, spin_loop, yield_now};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long an idle worker spins before it sleeps. Between two kernels of a Python program pass some ten microseconds.
pub const SPIN_TIME: Duration = Duration::from_micros(100);
/// Spins between two looks at the clock; then the worker yields its processor. One is enough for a model.
const SPINS_PER_CLOCK: usize = if cfg!(loom) { 1 } else { 32 };
/// Spins of the caller on the last workers before it yields its processor.
const CALLER_SPINS: usize = 4096;

/// The current task, borrowed from the caller's stack.
type Task = *const (dyn Fn(usize) + Sync);

/// A range of task numbers: the next one, and the end.
#[repr(align(64))]
#[derive(Default)]
struct TaskRange {
    next: AtomicUsize,
    end: AtomicUsize,
}

/// The queue: one task function and a range of task numbers for each thread.
pub(crate) struct WorkQueue {
    /// Odd while there is work. A thread that has incremented `inside` and then sees an odd state may read the task until it
    /// decrements `inside`: the task is valid until [`WorkQueue::close`] returns.
    state: AtomicUsize,
    inside: AtomicUsize,
    task: UnsafeCell<Option<Task>>,
    /// One for each thread, the caller's first: a thread that starts with the same range as last time finds its data in its caches.
    ranges: Vec<TaskRange>,
    /// One for each thread but the caller's.
    asleep: Vec<AtomicBool>,
    leaving: AtomicBool,
    panicked: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: the task is written by the owner of the lock on the pool while the state is even, and read by threads that are counted
// inside and saw an odd state after that. It may be called from any thread.
unsafe impl Sync for WorkQueue {}
// SAFETY: as above.
unsafe impl Send for WorkQueue {}

impl WorkQueue {
    pub(crate) fn new(threads: usize) -> WorkQueue {
        WorkQueue {
            state: AtomicUsize::new(0),
            inside: AtomicUsize::new(0),
            task: UnsafeCell::new(None),
            ranges: (0..threads).map(|_| TaskRange::default()).collect(),
            asleep: (1..threads).map(|_| AtomicBool::new(false)).collect(),
            leaving: AtomicBool::new(false),
            panicked: Mutex::new(None),
        }
    }

    /// Runs the rest of this thread's range, then of the other ranges.
    ///
    /// # Safety
    /// The task is valid: the caller is counted inside, or owns the task.
    unsafe fn work(&self, own: usize) {
        // SAFETY: the task is not written while there is work, and it is valid.
        let Some(task) = (unsafe { self.task.with(|current| (*current).map(|task| &*task)) }) else { return };
        let threads = self.ranges.len();
        for range in (own..threads).chain(0..own).map(|i| &self.ranges[i]) {
            let end = range.end.load(Ordering::Relaxed);
            loop {
                let i = range.next.fetch_add(1, Ordering::Relaxed);
                if i >= end {
                    break;
                }
                task(i);
            }
        }
    }

    /// The loop of a worker.
    pub(crate) fn serve(&self, own: usize) {
        let mut done = 0;
        let mut since = Instant::now();
        let is_new = |done| {
            let state = self.state.load(Ordering::SeqCst);
            state % 2 == 1 && state != done
        };
        while !self.leaving.load(Ordering::SeqCst) {
            if is_new(done) {
                self.inside.fetch_add(1, Ordering::SeqCst);
                let state = self.state.load(Ordering::SeqCst);
                if state % 2 == 1 {
                    done = state;
                    // SAFETY: inside, and there was work after that.
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| unsafe { self.work(own) })) {
                        *self.panicked.lock() = Some(panic);
                    }
                }
                self.inside.fetch_sub(1, Ordering::SeqCst);
                since = Instant::now();
            } else if (0..SPINS_PER_CLOCK).any(|_| {
                spin_loop();
                is_new(done)
            }) {
                continue;
            } else if since.elapsed() < SPIN_TIME {
                yield_now();
            } else {
                let asleep = &self.asleep[own - 1];
                asleep.store(true, Ordering::SeqCst);
                // A caller that publishes work after this sees the worker asleep and wakes it.
                while asleep.load(Ordering::SeqCst) && !is_new(done) && !self.leaving.load(Ordering::SeqCst) {
                    park();
                }
                asleep.store(false, Ordering::SeqCst);
                since = Instant::now();
            }
        }
    }

    /// Ends the work. When this returns, no worker is inside. While it waits for workers it calls `waiting` now and then.
    fn close(&self, waiting: impl Fn()) {
        self.state.fetch_add(1, Ordering::SeqCst);
        let mut spins = 0;
        while self.inside.load(Ordering::SeqCst) > 0 {
            spins += 1;
            if spins < CALLER_SPINS {
                spin_loop();
            } else {
                yield_now();
                waiting();
            }
        }
    }

    pub(crate) fn is_awake(&self) -> bool {
        !self.asleep.iter().any(|asleep| asleep.load(Ordering::Relaxed))
    }

    /// How many threads it is for, the caller's included.
    pub(crate) fn threads(&self) -> usize {
        self.ranges.len()
    }

    /// Whether a worker sleeps, counted from zero; it counts as awake from now on, and the caller unparks it.
    pub(crate) fn clear_asleep(&self, worker: usize) -> bool {
        self.asleep[worker].swap(false, Ordering::SeqCst)
    }

    /// Lets the workers' loops end. The caller unparks those that sleep.
    pub(crate) fn leave(&self) {
        self.leaving.store(true, Ordering::SeqCst);
    }

    /// Runs the tasks on no more threads than there are tasks. `wake` wakes the sleeping ones of so many workers, and
    /// `waiting` is called now and then while tasks of workers run that are the last ones. One thread at a time calls this.
    pub(crate) fn run(
        &self,
        tasks: usize,
        task: &(dyn Fn(usize) + Sync),
        wake: impl FnOnce(usize),
        waiting: impl Fn(),
    ) {
        let workers = self.ranges.len().min(tasks);
        for (i, range) in self.ranges.iter().enumerate() {
            range.next.store(tasks * i.min(workers) / workers, Ordering::Relaxed);
            range.end.store(tasks * (i + 1).min(workers) / workers, Ordering::Relaxed);
        }
        // SAFETY: as below.
        let task = unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), Task>(task) };
        // SAFETY: no worker reads the task, since there is no work; none has it after `close`, when the task's lifetime ends.
        self.task.with_mut(|current| unsafe { *current = Some(task) });
        self.state.fetch_add(1, Ordering::SeqCst);
        wake(workers - 1);
        // SAFETY: the task is the caller's.
        let own = catch_unwind(AssertUnwindSafe(|| unsafe { self.work(0) }));
        self.close(waiting);
        let theirs = self.panicked.lock().take();
        if let Some(panic) = own.err().or(theirs) {
            resume_unwind(panic);
        }
    }
}
