//! `parallel_for`: divides a launch between threads, by a cost model.
//!
//! The division never changes a result: elementwise work is the same in any division, and reductions divide by sizes alone.

use crate::cost::{CACHED_BYTES, CACHED_NS_PER_BYTE, MEMORY_NS_PER_BYTE};
use crate::drive::fp_status;
use crate::{Launch, RaisedFlags, ThreadPool};
use parking_lot::Mutex;

/// The cost model: nanoseconds for this many points, the maximum of computing them (`cost` each) and of moving their bytes.
pub(crate) fn estimate_ns(points: usize, cost: f64, bytes: usize) -> f64 {
    let bytes = points * bytes;
    let per_byte = if bytes > CACHED_BYTES { MEMORY_NS_PER_BYTE } else { CACHED_NS_PER_BYTE };
    (points as f64 * cost).max(bytes as f64 * per_byte)
}

/// A launch that threads may share.
#[derive(Clone, Copy)]
pub(crate) struct SharedLaunch<'a>(pub(crate) Launch<'a>);

// SAFETY: the contract of `Program::launch` makes the addresses valid for the launch from any thread of the pool, and every location is written by one task only.
unsafe impl Sync for SharedLaunch<'_> {}
// SAFETY: as above.
unsafe impl Send for SharedLaunch<'_> {}

impl<'a> SharedLaunch<'a> {
    /// The launch. A method, so that closures capture the whole struct, which is `Sync`.
    pub(crate) fn get(&self) -> Launch<'a> {
        self.0
    }
}

/// Runs `units` of work, which take `nanoseconds` together, in ranges; each task reports the flags it raised.
pub(crate) fn parallel_for(
    units: usize,
    nanoseconds: f64,
    workers: &dyn ThreadPool,
    task: &(dyn Fn(std::ops::Range<usize>, &mut RaisedFlags) + Sync),
) -> RaisedFlags {
    let mut raised = RaisedFlags::new();
    let tasks = workers.tasks(nanoseconds).min(units);
    if tasks <= 1 {
        fp_status::clear();
        task(0..units, &mut raised);
        return raised;
    }
    let all = Mutex::new(raised);
    workers.run(tasks, &|t| {
        fp_status::clear();
        let mut mine = RaisedFlags::new();
        task(units * t / tasks..units * (t + 1) / tasks, &mut mine);
        if !mine.is_empty() {
            fp_status::merge(&mut all.lock(), mine);
        }
    });
    all.into_inner()
}
