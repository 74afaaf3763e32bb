//! The lock that every operation takes: the engine's, and that of the memory pool.
//!
//! An atomic exchange takes some 20 cycles (5 ns), and a mutex makes two, the second to find out whether somebody sleeps: taking the
//! engine and the pool for one new array was a third of what a small operation costs. This lock makes one, or none where
//! the host lets one thread at a time come here anyway. It wakes nobody: who finds it taken looks again.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that one thread at a time may have.
pub(crate) struct SpinLock<T> {
    taken: AtomicBool,
    inside: UnsafeCell<T>,
}

// SAFETY: whoever reaches what is inside has taken the lock, so it moves from thread to thread but is never shared.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    pub(crate) const fn new(inside: T) -> SpinLock<T> {
        SpinLock { taken: AtomicBool::new(false), inside: UnsafeCell::new(inside) }
    }

    /// Takes the lock, if nobody has it.
    #[inline]
    pub(crate) fn try_lock(&self) -> Option<SpinGuard<'_, T>> {
        // Made only if it was taken: a guard that is dropped gives the lock back.
        (!self.taken.swap(true, Ordering::Acquire)).then(|| SpinGuard(self))
    }

    /// [`SpinLock::try_lock`] for a caller whom nothing can overtake.
    ///
    /// # Safety
    /// No other thread takes the lock, or tries to, while this runs. (It may well give it back.)
    #[inline]
    pub(crate) unsafe fn try_lock_exclusive(&self) -> Option<SpinGuard<'_, T>> {
        if self.taken.load(Ordering::Acquire) {
            return None;
        }
        self.taken.store(true, Ordering::Relaxed);
        Some(SpinGuard(self))
    }

    /// Whether somebody has it.
    pub(crate) fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Relaxed)
    }

    /// Takes the lock, however long it takes: for what is held for nanoseconds.
    #[inline]
    pub(crate) fn lock(&self) -> SpinGuard<'_, T> {
        match self.try_lock() {
            Some(guard) => guard,
            None => self.wait(),
        }
    }

    #[cold]
    fn wait(&self) -> SpinGuard<'_, T> {
        loop {
            for _ in 0..64 {
                if !self.is_taken()
                    && let Some(guard) = self.try_lock()
                {
                    return guard;
                }
                std::hint::spin_loop();
            }
            // Whoever has it may wait for this processor.
            std::thread::yield_now();
        }
    }
}

/// The lock, taken until this is dropped.
pub(crate) struct SpinGuard<'a, T>(&'a SpinLock<T>);

impl<T> Deref for SpinGuard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the lock is taken by this guard's owner alone.
        unsafe { &*self.0.inside.get() }
    }
}

impl<T> DerefMut for SpinGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as above, and the guard is borrowed for as long as the contents are.
        unsafe { &mut *self.0.inside.get() }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time_has_it() {
        let lock = SpinLock::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| *lock.lock() += 1));
            }
        });
        assert_eq!(*lock.lock(), 4000);
    }

    #[test]
    fn it_is_taken_once() {
        let lock = SpinLock::new(());
        let guard = lock.try_lock();
        assert!(guard.is_some() && lock.is_taken() && lock.try_lock().is_none());
        // SAFETY: no other thread knows the lock.
        assert!(unsafe { lock.try_lock_exclusive() }.is_none());
        drop(guard);
        // SAFETY: as above.
        assert!(unsafe { lock.try_lock_exclusive() }.is_some());
    }
}
