//! Thread pool: the worker threads that run a launch together with the calling thread.
//!
//! Started on first use, as many as the affinity mask allows (or `FASTNP_NUM_THREADS`, `OMP_NUM_THREADS`), and started anew after a
//! fork. The caller works too, so there is one worker less than may run at once. The caller publishes work by one store; workers
//! spin on it for a while before they sleep. Between two awake threads that takes a microsecond, and 50,000 additions in the
//! second-level cache are shared with a gain. Waking costs the caller 14 µs, and the worker starts after 35, so small work alone
//! wakes no worker; much of it in a row does.
//!
//! A calling thread may have a limit of its own, below the number of threads of the pool: its launches take part of the pool.
//!
//! rayon's pool cost 9 µs a launch with its threads awake, and woke them for each launch.

use crate::host::work_queue::{SPIN_TIME, WorkQueue};
use fastnp_codegen::ThreadPool;
use fastnp_codegen::backend::fault;
use fastnp_codegen::cost::{GRAIN_NS, OVERSUBSCRIBE_FROM_NS, WAKE_AFTER_UNSHARED_NS, WAKE_GRAIN_NS};
use fastnp_codegen::drive::interrupt;
use parking_lot::Mutex;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

/// Most threads of the pool: a number beyond that of any machine, whose stacks still fit into an address space.
pub(crate) const MAX_THREADS: usize = 1024;

/// Zero until first asked for.
static COUNT: AtomicUsize = AtomicUsize::new(0);
static THREAD_POOL: Mutex<Option<WorkerPool>> = Mutex::new(None);

thread_local! {
    /// The most threads that launches of this thread may use.
    static LIMIT: Cell<usize> = const { Cell::new(MAX_THREADS) };
}

/// Threads that may run at once for the calling thread, itself included.
pub(crate) fn count() -> usize {
    pool_size().min(LIMIT.get())
}

/// Limits the threads of the calling thread's launches to so many, at least one. Other threads keep their limits. A limit that is
/// no less than the size of the pool is none, also for a pool that is larger later.
pub(crate) fn limit_this_thread(n: usize) {
    LIMIT.set(if n < pool_size() { n.max(1) } else { MAX_THREADS });
}

/// Threads of the pool, the caller's included.
pub(crate) fn pool_size() -> usize {
    match COUNT.load(Ordering::Relaxed) {
        0 => {
            let n = default_count();
            // A size that was set meanwhile stays.
            COUNT.compare_exchange(0, n, Ordering::Relaxed, Ordering::Relaxed).map_or_else(|set| set, |_| n)
        }
        n => n,
    }
}

fn default_count() -> usize {
    let asked = ["FASTNP_NUM_THREADS", "OMP_NUM_THREADS"]
        .iter()
        .filter_map(|name| std::env::var(name).ok()?.trim().parse::<usize>().ok())
        .find(|&n| n > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get())).min(MAX_THREADS)
}

/// Sets how many threads the pool has, at most [`MAX_THREADS`]; zero means the default.
pub(crate) fn set_pool_size(n: usize) {
    COUNT.store(if n == 0 { default_count() } else { n.min(MAX_THREADS) }, Ordering::Relaxed);
}

/// The workers and their queue.
struct WorkerPool {
    queue: Arc<WorkQueue>,
    threads: Vec<JoinHandle<()>>,
    process: u32,
    /// Nanoseconds of work that was not shared because workers slept, and when the last of it came. It is reset after a gap longer
    /// than the spin time.
    unshared: f64,
    last: Instant,
}

impl WorkerPool {
    /// A pool of `count` threads, the caller's included, or of fewer if the system refuses some. It is not made again for the rest: the
    /// threads that exist run the tasks of those that do not.
    fn new(count: usize) -> WorkerPool {
        let queue = Arc::new(WorkQueue::new(count));
        let mut pool =
            WorkerPool { queue, threads: vec![], process: std::process::id(), unshared: 0.0, last: Instant::now() };
        for own in 1..count {
            if fault::strikes() {
                break;
            }
            let queue = pool.queue.clone();
            match std::thread::Builder::new().name(format!("fastnp-{own}")).spawn(move || queue.serve(own)) {
                Ok(thread) => pool.threads.push(thread),
                Err(_) => break,
            }
        }
        pool
    }

    /// Notes work that was not shared because workers slept.
    fn note_unshared(&mut self, nanoseconds: f64) {
        let now = Instant::now();
        if now - self.last > SPIN_TIME {
            self.unshared = 0.0;
        }
        self.last = now;
        self.unshared += nanoseconds;
        if self.unshared > WAKE_AFTER_UNSHARED_NS {
            self.unshared = 0.0;
            self.wake(self.threads.len());
        }
    }

    /// Wakes the sleeping ones of so many workers.
    fn wake(&self, threads: usize) {
        for (worker, thread) in self.threads.iter().enumerate().take(threads) {
            if self.queue.clear_asleep(worker) {
                move_off_this_cpu(thread);
                thread.thread().unpark();
            }
        }
    }

    /// Runs the tasks on no more threads than there are tasks, and no more than `threads`.
    fn run(&self, threads: usize, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if tasks <= threads || threads >= self.queue.threads() {
            return self.queue.run(tasks, task, |workers| self.wake(workers), ask_for_interrupt);
        }
        let next = AtomicUsize::new(0);
        let run_remaining = |_| {
            let mut i = next.fetch_add(1, Ordering::Relaxed);
            while i < tasks {
                task(i);
                i = next.fetch_add(1, Ordering::Relaxed);
            }
        };
        self.queue.run(threads, &run_remaining, |workers| self.wake(workers), ask_for_interrupt);
    }
}

/// Asks whether the user interrupted the work, which only this thread, the caller's, may: a loop of a worker's task may go on for ever.
fn ask_for_interrupt() {
    interrupt::is_interrupted();
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.queue.leave();
        self.threads.iter().for_each(|thread| thread.thread().unpark());
    }
}

/// Moves a worker that is about to be woken off the caller's processor: Linux puts it there in every third case, even with idle
/// processors, and then it waits until the caller, which waits for it, is done.
#[cfg(target_os = "linux")]
fn move_off_this_cpu(thread: &JoinHandle<()>) {
    use std::os::unix::thread::JoinHandleExt;
    const SIZE: usize = size_of::<libc::cpu_set_t>();
    // SAFETY: a set is a plain array of bits; the thread has neither been joined nor detached; a thread that may not be moved
    // stays where it is.
    unsafe {
        let mut allowed: libc::cpu_set_t = std::mem::zeroed();
        let here = libc::sched_getcpu();
        if here >= 0 && (here as usize) < 8 * SIZE && libc::sched_getaffinity(0, SIZE, &mut allowed) == 0 {
            libc::CPU_CLR(here as usize, &mut allowed);
            if libc::CPU_COUNT(&allowed) > 0 {
                libc::pthread_setaffinity_np(thread.as_pthread_t(), SIZE, &allowed);
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn move_off_this_cpu(_: &JoinHandle<()>) {}

/// Runs `act` on the pool; `None` where there is none, or it is busy.
fn with_pool<T>(act: impl FnOnce(&mut WorkerPool) -> T) -> Option<T> {
    let threads = pool_size();
    let mut pool_slot = (count() > 1).then(|| THREAD_POOL.try_lock()).flatten()?;
    let process = std::process::id();
    if pool_slot.as_ref().is_some_and(|pool| pool.process != process) {
        // The parent's threads do not exist in the child, and the locks they held stay locked.
        std::mem::forget(pool_slot.take());
    }
    if pool_slot.as_ref().is_none_or(|pool| pool.queue.threads() != threads) {
        *pool_slot = None;
        *pool_slot = Some(WorkerPool::new(threads));
    }
    pool_slot.as_mut().map(act)
}

/// The threads, as backends see them.
pub struct Threads;

impl ThreadPool for Threads {
    fn count(&self) -> usize {
        count()
    }

    fn tasks(&self, nanoseconds: f64) -> usize {
        if nanoseconds < 2.0 * GRAIN_NS {
            return 1;
        }
        let tasks = with_pool(|pool| {
            if pool.queue.is_awake() {
                return nanoseconds / GRAIN_NS;
            }
            let tasks = nanoseconds / WAKE_GRAIN_NS;
            if tasks < 2.0 {
                pool.note_unshared(nanoseconds);
            }
            tasks
        });
        let most = if nanoseconds < OVERSUBSCRIBE_FROM_NS * count() as f64 { count() } else { 4 * count() };
        tasks.map_or(1, |tasks| (tasks as usize).clamp(1, most))
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        if tasks <= 1 || with_pool(|pool| pool.run(count(), tasks, task)).is_none() {
            (0..tasks).for_each(task);
        }
    }
}
