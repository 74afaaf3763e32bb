//! The runtime's lock: taking it, waiting for it, and the guard.
//!
//! There is one runtime behind one lock. Taking it costs less than the reference counts that a graph of shared nodes would need, and
//! makes arrays usable from any thread.

use crate::error::Result;
use crate::host::interpreter_lock;
use crate::host::spin_lock::{Guard, Lock};
use crate::memory::storage_ref::Counted;
use crate::runtime::fp_flags;
use crate::runtime::state::Engine;
use std::mem::ManuallyDrop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// It never hands itself over to a waiting thread, which after a fork may not be there any more. Nor is it poisoned: a panic
/// under it is a bug of ours and was reported, and what was computed before can still be read.
static ENGINE: LazyLock<Lock<Engine>> = LazyLock::new(|| Lock::new(Engine::new()));

/// Threads that wait for the engine, and how many of those that ever did have got it.
static WAITING: AtomicUsize = AtomicUsize::new(0);
static SERVED: AtomicUsize = AtomicUsize::new(0);

/// Between two looks at an engine that somebody else has: at first, and after it was taken for long.
const NAP: Duration = Duration::from_micros(50);
const LONGEST_NAP: Duration = Duration::from_millis(1);

/// The engine, locked, with nothing left of the last flush.
#[inline]
pub(crate) fn engine() -> Held {
    let mut engine = locked();
    if engine.passing.is_some() {
        engine.conclude();
    }
    engine
}

/// The engine, locked, for who neither records nor reads.
#[inline]
pub(crate) fn locked() -> Held {
    if WAITING.load(Ordering::Relaxed) == 0
        && let Some(engine) = try_engine()
    {
        return Held::new(engine);
    }
    wait_for_engine()
}

/// The engine, locked, if nobody has it.
#[inline]
pub(crate) fn try_engine() -> Option<Guard<'static, Engine>> {
    if interpreter_lock::is_relied_on() {
        // SAFETY: no other thread gets here meanwhile: all of them need the host's lock to.
        unsafe { ENGINE.try_lock_alone() }
    } else {
        ENGINE.try_lock()
    }
}

#[cold]
fn wait_for_engine() -> Held {
    let served = SERVED.load(Ordering::Relaxed);
    interpreter_lock::aside(false, || {
        // Who waits already goes first, but needs time to wake up: without this, a thread in a loop of long computations
        // would lock the engine again and again in front of it.
        let mut patience = 20;
        while WAITING.load(Ordering::Relaxed) > 0 && SERVED.load(Ordering::Relaxed) == served && patience > 0 {
            std::thread::sleep(NAP);
            patience -= 1;
        }
        WAITING.fetch_add(1, Ordering::Relaxed);
    });
    // Waited for aside, but taken under the host's lock, which may be what keeps the others away.
    let mut nap = NAP;
    let engine = loop {
        if let Some(engine) = try_engine() {
            break engine;
        }
        interpreter_lock::aside(false, || {
            while ENGINE.is_taken() {
                std::thread::sleep(nap);
                nap = (nap * 2).min(LONGEST_NAP);
            }
        });
    };
    WAITING.fetch_sub(1, Ordering::Relaxed);
    SERVED.fetch_add(1, Ordering::Relaxed);
    Held::new(engine)
}

/// In the child after a fork: the threads that waited are not here.
pub(crate) fn forget_waiting() {
    WAITING.store(0, Ordering::Relaxed);
}

/// The engine, locked, to record statements in the scope that the caller is in.
///
/// # Errors
/// `MemoryError`: what is pending was recorded in another scope, and ran.
#[inline]
pub(crate) fn recording() -> Result<Held> {
    // Asked first: who knows it may need the lock.
    let scope = fp_flags::scope();
    let mut engine = engine();
    if engine.seen.raised.scope != scope {
        engine.flush()?;
        engine.seen.raised.scope = scope;
    }
    Ok(engine)
}

/// The lock, held.
///
/// Dropping a storage on foreign memory may run anything (a Python object's finalizer may use arrays), so those that die
/// while the lock is held are dropped after it.
pub(crate) struct Held(ManuallyDrop<Guard<'static, Engine>>);

impl Held {
    #[inline]
    pub(crate) fn new(engine: Guard<'static, Engine>) -> Held {
        Held(ManuallyDrop::new(engine))
    }

    /// Takes the storages that died, which are to be dropped without the lock.
    #[cold]
    fn take_dead(&mut self) -> Vec<Counted> {
        std::mem::take(&mut self.0.trace.dead)
    }
}

impl std::ops::Deref for Held {
    type Target = Engine;
    #[inline]
    fn deref(&self) -> &Engine {
        &self.0
    }
}

impl std::ops::DerefMut for Held {
    #[inline]
    fn deref_mut(&mut self) -> &mut Engine {
        &mut self.0
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        let dead = (!self.0.trace.dead.is_empty()).then(|| self.take_dead());
        // SAFETY: this is the end of the guard's owner, who does not touch it again.
        unsafe { ManuallyDrop::drop(&mut self.0) };
        if let Some(dead) = dead {
            drop(dead);
        }
    }
}
