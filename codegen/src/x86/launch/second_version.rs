//! Loop versioning: the second version of a loop, made when many chunks have special arguments.
//!
//! The first version has the fast paths of elementary functions alone, and a chunk with one slow-path lane is re-executed by the portable
//! backend, which takes ten times as long, or forty. So arrays with a few NaNs would take longer than in NumPy. The second version
//! ([`Version::Special`](crate::Version::Special)) has the values of special arguments too, and takes up to twice the time of the first:
//! `log` of 100,000 doubles, one in a hundred of them zero, takes 55 µs on two threads instead of 340 (NumPy 109; Sapphire Rapids).
//!
//! It avoids underflow in exponentials too, which Intel's processors take some 450 cycles a vector for, and so is not for launches that
//! report underflow: `exp` of numbers half of which are below -1000 takes 40 µs instead of 1000 (NumPy 1528).

use crate::drive::fp_status;
use crate::expand::avoids_underflow;
use crate::x86::launch::turns::Turns;
use crate::{FpFlags, Inst, Kernel};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements of chunks with special arguments before the second version is made, in some 30 µs: re-executing them takes as long.
const MANY_SPECIAL: usize = 4096;

/// The second version of a loop, and when to run it.
pub(crate) struct SecondVersion<T> {
    /// Whether it may avoid underflow.
    avoids_underflow: bool,
    /// Elements of chunks with special arguments so far.
    special: AtomicUsize,
    /// None within if it can't be made.
    made: OnceLock<Option<Box<T>>>,
    /// Chunks that it is to run at once.
    turns: Turns,
}

impl<T> SecondVersion<T> {
    /// That of a kernel's loop.
    pub(crate) fn of(kernel: &Kernel) -> SecondVersion<T> {
        let types = |inst: &Inst| match inst {
            Inst::Apply(op, [x, _]) => avoids_underflow(*op, kernel.body.dtype(*x)),
            _ => false,
        };
        SecondVersion {
            avoids_underflow: kernel.body.insts.iter().any(types),
            special: AtomicUsize::new(0),
            made: OnceLock::new(),
            turns: Turns::default(),
        }
    }

    /// Whether the version avoids underflow.
    pub(crate) fn avoids_underflow(&self) -> bool {
        self.avoids_underflow
    }

    /// Runs a chunk of so many elements: in the first version, and where that finds slow-path lanes, `again` in the second one, if there is to
    /// be one; or in the second one at once. Returns false if lanes are left.
    #[inline]
    pub(crate) fn run<'a>(
        &'a self,
        first: &T,
        elements: usize,
        make: impl FnOnce() -> Option<T>,
        again: impl FnOnce() -> Option<&'a T>,
        run: impl Fn(&T) -> bool,
    ) -> bool {
        if let Some(second) = self.at_once() {
            return run(second);
        }
        if run(first) {
            self.after_fast(elements, make);
            return true;
        }
        again().is_some_and(run)
    }

    /// Whether it runs the next chunk at once.
    #[inline]
    pub(crate) fn runs_next(&self) -> bool {
        self.turns.are_left()
    }

    /// The version, where it runs the next chunk at once because chunks before had special arguments.
    #[inline]
    pub(crate) fn at_once(&self) -> Option<&T> {
        if fp_status::reports_underflow() || !self.turns.take() {
            return None;
        }
        self.made.get()?.as_deref()
    }

    /// The version that re-executes a chunk of so many elements in which the first one found slow-path lanes; none while there were few.
    #[cold]
    pub(crate) fn after_slow(&self, elements: usize, make: impl FnOnce() -> Option<T>) -> Option<&T> {
        if fp_status::reports_underflow() || self.special.fetch_add(elements, Ordering::Relaxed) < MANY_SPECIAL {
            return None;
        }
        let made = self.made.get_or_init(|| make().map(Box::new)).as_deref();
        if made.is_some() {
            self.turns.begin();
        }
        made
    }

    /// Takes note of a chunk of so many elements that the first version ran: of whether it underflowed, which the second one avoids.
    #[inline]
    pub(crate) fn after_fast(&self, elements: usize, make: impl FnOnce() -> Option<T>) {
        if self.avoids_underflow && !(fp_status::read() & FpFlags::UNDERFLOW).is_empty() {
            self.after_slow(elements, make);
        } else {
            self.turns.forget();
        }
    }
}
