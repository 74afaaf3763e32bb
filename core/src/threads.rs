//! The one thread pool.
//!
//! Made on first use, sized by the affinity mask (or `FASTNP_NUM_THREADS`, `OMP_NUM_THREADS`), made anew after a fork. The
//! caller of a kernel works too, so kernels use one thread of the pool less than there are; matrix products run inside the pool.

use fastnp_codegen::Workers;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Made {
    pool: Option<Arc<rayon::ThreadPool>>,
    process: u32,
    threads: usize,
}

static POOL: Mutex<Made> = Mutex::new(Made { pool: None, process: 0, threads: 0 });
/// Zero until asked for the first time.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Threads that may run at once, the caller's included.
pub(crate) fn count() -> usize {
    match COUNT.load(Ordering::Relaxed) {
        0 => {
            let n = default_count();
            COUNT.store(n, Ordering::Relaxed);
            n
        }
        n => n,
    }
}

fn default_count() -> usize {
    let asked = ["FASTNP_NUM_THREADS", "OMP_NUM_THREADS"]
        .iter()
        .filter_map(|name| std::env::var(name).ok()?.trim().parse::<usize>().ok())
        .find(|&n| n > 0);
    asked.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
}

/// Sets how many threads may run at once; zero means the default.
pub(crate) fn set_count(n: usize) {
    COUNT.store(if n == 0 { default_count() } else { n }, Ordering::Relaxed);
}

/// The pool for now's thread count, made if it is missing, of another size, or left behind in a parent process.
pub(crate) fn pool() -> Option<Arc<rayon::ThreadPool>> {
    let threads = count();
    if threads <= 1 {
        return None;
    }
    let process = std::process::id();
    let mut made = POOL.lock();
    if made.process != process || made.threads != threads {
        if made.process != process {
            // The parent's threads do not exist here; joining them would wait for ever.
            std::mem::forget(made.pool.take());
        }
        let pool =
            rayon::ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("fastnp-{i}")).build().ok()?;
        *made = Made { pool: Some(Arc::new(pool)), process, threads };
    }
    made.pool.clone()
}

/// The pool, as backends see it.
pub(crate) struct Pooled;

impl Workers for Pooled {
    fn count(&self) -> usize {
        count()
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        let Some(pool) = (tasks > 1).then(pool).flatten() else {
            return (0..tasks).for_each(task);
        };
        let next = AtomicUsize::new(0);
        let work = || {
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= tasks {
                    return;
                }
                task(i);
            }
        };
        pool.in_place_scope(|scope| {
            for _ in 0..(pool.current_num_threads() - 1).min(tasks - 1) {
                scope.spawn(|_| work());
            }
            work();
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_task_runs_once() {
        let hits: Vec<AtomicUsize> = (0..1000).map(|_| AtomicUsize::new(0)).collect();
        Pooled.run(hits.len(), &|i| {
            hits[i].fetch_add(1, Ordering::Relaxed);
        });
        assert!(hits.iter().all(|h| h.load(Ordering::Relaxed) == 1));
    }
}
