//! Spin lock: the lock of the runtime and of the memory pool, taken by every operation.
//!
//! An atomic exchange takes some 20 cycles (5 ns), and a mutex makes two, the second to find sleeping waiters: taking the runtime
//! and the pool for one new array was a third of a small operation. This lock makes one, or none where the interpreter lock
//! serialises threads. It has no wait queue: waiters poll.

use crate::host::released_count::ExclusiveSection;
use crate::host::sync::{AtomicBool, UnsafeCell, spin_loop, yield_now};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::Ordering;

/// Polls of a taken lock before the waiter yields its processor. One is enough for a model.
const SPINS: usize = if cfg!(loom) { 1 } else { 64 };

/// A value that one thread at a time may access.
pub struct SpinLock<T> {
    taken: AtomicBool,
    inside: UnsafeCell<T>,
}

// SAFETY: only the thread that took the lock reaches the value, so the value moves between threads but is never shared.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    /// A free lock.
    #[cfg(not(loom))]
    pub const fn new(inside: T) -> SpinLock<T> {
        SpinLock { taken: AtomicBool::new(false), inside: UnsafeCell::new(inside) }
    }

    /// The primitives of a model are no constants.
    #[cfg(loom)]
    pub(crate) fn new(inside: T) -> SpinLock<T> {
        SpinLock { taken: AtomicBool::new(false), inside: UnsafeCell::new(inside) }
    }

    /// Takes the lock if it is free.
    #[inline]
    pub fn try_lock(&self) -> Option<SpinGuard<'_, T>> {
        // The guard is made only if the lock was taken: dropping a guard releases the lock.
        (!self.taken.swap(true, Ordering::Acquire)).then(|| SpinGuard(self))
    }

    /// [`SpinLock::try_lock`] without an atomic exchange.
    ///
    /// # Safety
    /// No other thread takes the lock, or tries to, while this runs. (Another thread may release it.)
    #[inline]
    pub unsafe fn try_lock_exclusive(&self) -> Option<SpinGuard<'_, T>> {
        if self.taken.load(Ordering::Acquire) {
            return None;
        }
        self.taken.store(true, Ordering::Relaxed);
        Some(SpinGuard(self))
    }

    /// [`SpinLock::try_lock`], without an atomic exchange in an exclusive section.
    #[inline(always)]
    pub(crate) fn try_lock_in(&self, section: Option<ExclusiveSection<'_>>) -> Option<SpinGuard<'_, T>> {
        match section {
            // SAFETY: no other thread runs code of this crate in the section.
            Some(_section) => unsafe { self.try_lock_exclusive() },
            None => self.try_lock(),
        }
    }

    /// [`SpinLock::lock`], without an atomic exchange where the lock is free in an exclusive section.
    #[inline(always)]
    pub(crate) fn lock_in(&self, section: Option<ExclusiveSection<'_>>) -> SpinGuard<'_, T> {
        match self.try_lock_in(section) {
            Some(guard) => guard,
            None => self.lock(),
        }
    }

    /// A guard of the lock that is taken already.
    ///
    /// # Safety
    /// The caller has taken the lock, and neither accesses the value by another guard while this one lives nor drops both.
    pub(crate) unsafe fn assume_taken(&self) -> SpinGuard<'_, T> {
        debug_assert!(self.is_taken());
        SpinGuard(self)
    }

    /// Whether the lock is taken.
    pub fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    /// Takes the lock, spinning until it is free: for critical sections of nanoseconds.
    #[inline]
    pub fn lock(&self) -> SpinGuard<'_, T> {
        match self.try_lock() {
            Some(guard) => guard,
            None => self.wait(),
        }
    }

    #[cold]
    fn wait(&self) -> SpinGuard<'_, T> {
        loop {
            for _ in 0..SPINS {
                if !self.is_taken()
                    && let Some(guard) = self.try_lock()
                {
                    return guard;
                }
                spin_loop();
            }
            // The owner may be waiting for this processor.
            yield_now();
        }
    }
}

/// The taken lock; dropping it releases the lock.
pub struct SpinGuard<'a, T>(&'a SpinLock<T>);

impl<T> Deref for SpinGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the lock is taken, and this guard is its only owner.
        self.0.inside.with(|inside| unsafe { &*inside })
    }
}

impl<T> DerefMut for SpinGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the guard is borrowed for as long as the contents are.
        self.0.inside.with_mut(|inside| unsafe { &mut *inside })
    }
}

impl<T> Drop for SpinGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.taken.store(false, Ordering::Release);
    }
}

// SAFETY: a shared guard gives shared access to what is inside, as a reference to it would.
unsafe impl<T: Sync> Sync for SpinGuard<'_, T> {}
