//! The work queue of the thread pool.

use crate::check;
use crate::host::work_queue::WorkQueue;
use loom::cell::UnsafeCell;
use loom::sync::{Condvar, Mutex};
use loom::thread::{self, JoinHandle};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A queue and its workers, as `threads::WorkerPool` makes and ends them.
struct Pool {
    queue: Arc<WorkQueue>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    fn new(count: usize) -> Pool {
        let queue = Arc::new(WorkQueue::new(count));
        let start = |own| {
            let queue = queue.clone();
            thread::spawn(move || queue.serve(own))
        };
        let threads = (1..count).map(start).collect();
        Pool { queue, threads }
    }

    fn wake(&self, workers: usize) {
        for (worker, thread) in self.threads.iter().enumerate().take(workers) {
            if self.queue.clear_asleep(worker) {
                thread.thread().unpark();
            }
        }
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.queue.run(tasks, task, |workers| self.wake(workers), || {});
    }

    fn end(self) {
        self.queue.leave();
        self.threads.iter().for_each(|thread| thread.thread().unpark());
        self.threads.into_iter().for_each(|thread| thread.join().expect("a worker catches panics"));
    }
}

/// Results of tasks, each written without any synchronisation of its own.
struct Results(Vec<UnsafeCell<usize>>);

// SAFETY: loom panics if two threads access a cell without an order between them.
unsafe impl Sync for Results {}

impl Results {
    fn zero(count: usize) -> Results {
        Results((0..count).map(|_| UnsafeCell::new(0)).collect())
    }

    fn count(&self, task: usize) {
        // SAFETY: loom watches the cell.
        self.0[task].with_mut(|hits| unsafe { *hits += 1 });
    }

    fn all(&self, expected: usize) -> bool {
        // SAFETY: loom watches the cells.
        self.0.iter().all(|result| result.with(|hits| unsafe { *hits }) == expected)
    }
}

/// Each task runs once, and its writes are seen when `run` returns, also by the tasks of the next run. The results are on the caller's
/// stack, so that a worker that were late would be seen too.
#[test]
fn every_task_runs_once_and_is_done() {
    check(3, || {
        let pool = Pool::new(2);
        let results = Results::zero(2);
        for round in 1..=2 {
            pool.run(2, &|i| results.count(i));
            assert!(results.all(round));
        }
        pool.end();
    });
}

#[test]
fn two_workers_share_tasks() {
    check(2, || {
        let pool = Pool::new(3);
        let results = Results::zero(3);
        pool.run(3, &|i| results.count(i));
        assert!(results.all(1));
        pool.end();
    });
}

/// A worker that finds no work sleeps, and is woken by work or by the end: if a wake-up could be lost, `end` would wait for ever.
#[test]
fn a_worker_that_sleeps_is_woken() {
    check(6, || Pool::new(2).end());
}

/// Work wakes a worker that sleeps, or is about to: the caller's task waits for one that only the worker runs.
#[test]
fn work_wakes_a_worker() {
    check(4, || {
        let pool = Pool::new(2);
        let (is_done, done) = (Mutex::new(false), Condvar::new());
        pool.run(2, &|i| {
            let mut is_done = is_done.lock().expect("no thread panics");
            if i == 1 {
                *is_done = true;
                done.notify_one();
            } else {
                while !*is_done {
                    is_done = done.wait(is_done).expect("no thread panics");
                }
            }
        });
        pool.end();
    });
}

#[test]
fn a_panic_reaches_the_caller() {
    check(3, || {
        let pool = Pool::new(2);
        let results = Results::zero(2);
        let ran = catch_unwind(AssertUnwindSafe(|| {
            pool.run(2, &|i| if i == 0 { results.count(i) } else { std::panic::resume_unwind(Box::new(i)) })
        }));
        assert_eq!(ran.expect_err("a task panicked").downcast_ref(), Some(&1usize));
        // A second run is not told of the first one's panic.
        pool.run(2, &|i| results.count(i));
        pool.end();
    });
}
