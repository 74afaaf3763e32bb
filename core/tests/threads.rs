//! The thread pool and the spin lock. The crate `models` tries their steps in every order; here they run on the processor's threads.

use crate::process::elsewhere;
use fastnp::settings;
use fastnp::white_box::{SPIN_TIME, SpinLock, Threads};
use fastnp_codegen::ThreadPool;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::panic::catch_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

#[test]
fn every_task_runs_once() {
    for tasks in [1, 2, 3, 1000] {
        for _ in 0..if cfg!(miri) { 3 } else { 1000 } {
            let hits: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
            Threads.run(tasks, &|i| {
                hits[i].fetch_add(1, Ordering::Relaxed);
            });
            assert!(hits.iter().all(|h| h.load(Ordering::Relaxed) == 1));
        }
    }
}

#[test]
fn work_within_work_is_done() {
    let hits = AtomicUsize::new(0);
    Threads.run(10, &|_| {
        Threads.run(10, &|_| {
            hits.fetch_add(1, Ordering::Relaxed);
        });
    });
    assert_eq!(hits.into_inner(), 100);
}

#[test]
fn a_panic_gets_to_the_caller_and_the_threads_go_on() {
    for fails in [0, 999] {
        let ran = catch_unwind(|| Threads.run(1000, &|i| assert!(i != fails, "task {i}")));
        assert!(ran.is_err());
        every_task_runs_once();
    }
}

#[test]
fn a_limit_holds_for_its_thread_alone() {
    if elsewhere("threads::a_limit_holds_for_its_thread_alone") {
        return;
    }
    assert!(settings::set("num_threads", 4).unwrap());
    let used = |limit: usize| {
        std::thread::spawn(move || {
            settings::limit_threads(limit);
            assert_eq!(settings::threads_of_this_thread(), limit.clamp(1, 4));
            let (hits, threads) = (AtomicUsize::new(0), Mutex::new(HashSet::new()));
            Threads.run(100, &|_| {
                hits.fetch_add(1, Ordering::Relaxed);
                threads.lock().insert(std::thread::current().id());
                std::thread::sleep(Duration::from_micros(50));
            });
            assert_eq!(hits.into_inner(), 100);
            threads.into_inner().len()
        })
        .join()
        .unwrap()
    };
    assert!([0, 1].iter().all(|&limit| used(limit) == 1));
    assert!([2, 3, 4, 9].iter().all(|&limit| used(limit) <= limit));
    assert_eq!(settings::threads_of_this_thread(), 4);
}

#[test]
fn threads_that_slept_are_woken() {
    let hits = AtomicUsize::new(0);
    for _ in 0..5 {
        std::thread::sleep(3 * SPIN_TIME);
        Threads.run(100, &|_| {
            hits.fetch_add(1, Ordering::Relaxed);
        });
    }
    assert_eq!(hits.into_inner(), 500);
}

#[test]
fn one_thread_at_a_time_has_a_lock() {
    let lock = SpinLock::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..1000).for_each(|_| *lock.lock() += 1));
        }
    });
    assert_eq!(*lock.lock(), 4000);
}

#[test]
fn a_lock_is_taken_once() {
    let lock = SpinLock::new(());
    let guard = lock.try_lock();
    assert!(guard.is_some() && lock.is_taken() && lock.try_lock().is_none());
    // SAFETY: no other thread knows the lock.
    assert!(unsafe { lock.try_lock_exclusive() }.is_none());
    drop(guard);
    // SAFETY: as above.
    assert!(unsafe { lock.try_lock_exclusive() }.is_some());
}
