//! Bandwidth: how fast all threads together copy memory that no cache holds. It bounds what kernels of few operations can reach.

use crate::error::Result;
use crate::host::threads;
use crate::memory::pool::Buffer;
use crate::runtime::tasks::run_tasks;
use std::time::{Duration, Instant};

/// Bytes copied at a time: several times the last-level cache of a desktop processor, and a hundredth of a second of memory traffic.
const BYTES: usize = 64 << 20;
/// The best of so many: the first ones take page faults and start threads.
const ROUNDS: usize = 4;

/// Bytes a second that the threads of the pool read and write, in sum, when they copy an array of 64 MiB: 0.1 s of work.
///
/// # Errors
/// `MemoryError`.
///
/// ```
/// assert!(fastnp::memory_bandwidth()? > 1e8);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn memory_bandwidth() -> Result<f64> {
    copy_bandwidth(BYTES, threads::count(), ROUNDS)
}

/// Bytes a second that so many threads read and write, in sum, when they copy an array of so many bytes: the best of some rounds.
///
/// # Errors
/// `MemoryError`.
pub(crate) fn copy_bandwidth(bytes: usize, tasks: usize, rounds: usize) -> Result<f64> {
    let (from, to) = (Buffer::new(bytes)?, Buffer::new(bytes)?);
    let (source, target) = (from.address().expose_provenance(), to.address().expose_provenance());
    let part = bytes / tasks;
    // SAFETY: the block has so many bytes.
    unsafe { from.address().write_bytes(1, bytes) };
    let copy = |task: usize| {
        let (source, target) = (source + task * part, target + task * part);
        // SAFETY: the parts lie within the two blocks, which live, and no two tasks have the same.
        unsafe {
            std::ptr::copy_nonoverlapping(
                std::ptr::with_exposed_provenance::<u8>(source),
                std::ptr::with_exposed_provenance_mut::<u8>(target),
                part,
            );
        }
    };
    let round = |_| {
        let started = Instant::now();
        run_tasks(tasks, &copy);
        started.elapsed()
    };
    let best = (0..rounds).map(round).min().unwrap_or(Duration::MAX);
    Ok((2 * part * tasks) as f64 / best.as_secs_f64())
}
