//! Fault injection: resources that fail when a test says so.
//!
//! Memory, transfers to and from devices, machine code, executable mappings, threads and files are asked for at *fault points*, and
//! the user may interrupt between two kernels and between two tasks of one. A test arms the n-th point from now on to fail as the
//! system would, once; it repeats the program for every n until none fails. After a fault, what was asked for is either done or still
//! pending, and values are right. Without debug assertions a fault point is no code.

use std::sync::atomic::{AtomicU64, Ordering};

/// Points until the one that fails; zero if none is to fail.
static COUNTDOWN: AtomicU64 = AtomicU64::new(0);

/// Lets the n-th fault point from now on fail; with zero, none. Returns how far ahead the point of an earlier call is; zero if it failed.
pub fn arm(n: u64) -> u64 {
    COUNTDOWN.swap(n, Ordering::Relaxed)
}

/// Whether this fault point fails.
#[inline]
pub fn strikes() -> bool {
    cfg!(debug_assertions) && count_down()
}

fn count_down() -> bool {
    let next = |n: u64| n.checked_sub(1);
    COUNTDOWN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next) == Ok(1)
}
