//! Prediction of statements that are flushed alone.
//!
//! To record a statement pays where others fuse with it. Where it is flushed alone, recording, planning and launching it as a plan take half
//! a microsecond for nothing: `a + b` of 3,000 doubles 1.0 µs, eagerly 0.6 (NumPy 0.8). What follows a statement is not known when it is
//! recorded, but programs repeat themselves. So it is counted, as branch predictors do, by a hash of the operation, its types and its size:
//! a statement that was flushed alone several times in succession runs eagerly. If another statement comes before contents are read or
//! flushed, the prediction was wrong, and it is counted from the beginning. Now and then it is recorded all the same, since what code
//! outside reads unasked is not seen.

use std::hash::BuildHasher;

/// Counters, one for each value of as many bits of the hash. Statements that share one are predicted worse, and stay right.
const COUNTERS: usize = 256;
/// From so many flushes alone in succession on a statement runs eagerly.
pub const LONE_FLUSHES: u8 = 8;
/// So often. Then it is recorded once.
pub const LONE_RUNS: u8 = 64;

/// The counters: below [`LONE_FLUSHES`] how often statements were flushed alone, from there on how often they have run eagerly since.
pub struct LoneStatements {
    counters: [u8; COUNTERS],
    /// The counter of the first statement of the trace, if it was asked for.
    first: Option<usize>,
    /// The counter of the predicted statement that ran last, until contents are read or flushed.
    ran: Option<usize>,
}

impl Default for LoneStatements {
    fn default() -> LoneStatements {
        LoneStatements { counters: [0; COUNTERS], first: None, ran: None }
    }
}

impl LoneStatements {
    /// Whether a statement is likely to be flushed alone; else it is to be recorded, as the first one of the trace. The key says what it is.
    pub fn is_likely(&mut self, key: u64) -> bool {
        let index = foldhash::fast::FixedState::default().hash_one(key) as usize % COUNTERS;
        let counter = &mut self.counters[index];
        if *counter < LONE_FLUSHES {
            self.first = Some(index);
            false
        } else if *counter < LONE_FLUSHES + LONE_RUNS {
            *counter += 1;
            self.ran = Some(index);
            true
        } else {
            *counter = LONE_FLUSHES - 1;
            self.first = Some(index);
            false
        }
    }

    /// A statement comes that might have fused with the one before.
    #[inline]
    pub fn follow(&mut self) {
        if let Some(ran) = self.ran.take() {
            self.counters[ran] = 0;
        }
    }

    /// Contents are read or flushed, which confirms the prediction.
    #[inline]
    pub fn observe(&mut self) {
        self.ran = None;
    }

    /// A trace of so many nodes is flushed.
    #[inline]
    pub fn flush(&mut self, nodes: usize) {
        let Some(first) = self.first.take() else { return };
        self.counters[first] = if nodes == 1 { self.counters[first] + 1 } else { 0 };
    }
}
