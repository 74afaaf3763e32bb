//! Prediction of results that code outside touches.
//!
//! A result is shown at a guarded address, so that it can be pending. Where code outside touches it before anything else uses it, that was for
//! nothing, and each time costs a fault and the moving of its pages, which the processor finds anew at their next address: `pandas.Series(a)` of
//! 10,000 doubles takes 22 µs so and 12 without, on a virtual machine (NumPy 12). What follows a statement is not known when it is recorded, but
//! programs repeat themselves. So it is counted, as branch predictors do, by the tape of a statement that begins a trace, and by the size of
//! what runs eagerly: a result that was touched several times is computed at once, in a slot that is open, whose pages were the last such
//! result's ([`crate::memory::storage::Storage::materialize_open`]). If the storage is closed, because a statement that is recorded uses it, the
//! prediction was wrong, and it is counted from the beginning. Now and then the result is guarded all the same, since the touch of what is open is
//! not seen.
//!
//! A call of code that has the address until it returns, such as a compiled loop, is a touch: its memory must not move meanwhile, so it is opened
//! first, which takes 7 to 8 µs. That of what is open is seen, and what is recorded afterwards makes the prediction no wrong one.

use std::hash::{BuildHasher, Hash};

/// Counters, one for each value of as many bits of the hash. Results that share one are predicted worse, and stay right.
const TOUCH_COUNTERS: usize = 256;
/// From so many touches on a result is computed at once and open.
pub const TOUCHES: u8 = 8;
/// So often. Then it is guarded once.
pub const OPEN_RUNS: u8 = 64;

/// What a result was made by: the number of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Creation(u16);

/// The counters: below [`TOUCHES`] how often results were touched, from there on how often they have been open from the beginning since.
pub struct TouchedResults {
    counters: [u8; TOUCH_COUNTERS],
}

impl Default for TouchedResults {
    fn default() -> TouchedResults {
        TouchedResults { counters: [0; TOUCH_COUNTERS] }
    }
}

impl Creation {
    /// What makes a result, by a key that says what it is.
    pub fn of(key: impl Hash) -> Creation {
        Creation((foldhash::fast::FixedState::default().hash_one(key) as usize % TOUCH_COUNTERS) as u16)
    }

    /// What a storage remembers as [`Creation::number`].
    pub(crate) fn from_number(number: u16) -> Creation {
        Creation(number)
    }

    pub(crate) fn number(self) -> u16 {
        self.0
    }
}

impl TouchedResults {
    /// Whether a result is likely to be touched before anything else uses it. If it is large it is not guarded now and then: to move its pages
    /// away costs too much, and to compute it at once is what NumPy does.
    pub fn is_likely(&mut self, creation: Creation, is_large: bool) -> bool {
        let counter = &mut self.counters[creation.0 as usize];
        if *counter < TOUCHES {
            false
        } else if *counter < TOUCHES + OPEN_RUNS || is_large {
            *counter = (*counter + 1).min(TOUCHES + OPEN_RUNS);
            true
        } else {
            *counter = TOUCHES - 1;
            false
        }
    }

    /// Code outside touched a result that was guarded, or was called with it, before anything else used it.
    pub fn touch(&mut self, creation: Creation) {
        let counter = &mut self.counters[creation.0 as usize];
        if *counter < TOUCHES {
            *counter += 1;
        }
    }

    /// A statement used a result first.
    pub fn miss(&mut self, creation: Creation) {
        self.counters[creation.0 as usize] = 0;
    }
}
