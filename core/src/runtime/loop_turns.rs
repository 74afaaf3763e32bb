//! Where the trace ends as a turn of a loop.
//!
//! A trace in which the first operation comes again looks like a loop whose next turn begins; if it ends there, every turn records the same
//! tape. But the operation may also come twice in straight code, where ending the trace only makes kernels smaller (the equation of state
//! of `benches/ocean.py` has two square roots, 219 operations apart). What follows tells: after a turn, another one. So the outcomes are
//! counted, by the length of the trace and its first word.

use crate::plan::trace::Trace;
use hashbrown::HashMap;

/// The most places that are remembered.
pub const MAX_PLACES: usize = 256;
/// The counters saturate here, so that a program which changes is noticed soon.
const MOST: i8 = 4;

/// A place where a trace may end.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// How many nodes the trace has.
    pub nodes: usize,
    /// The length of its tape.
    pub length: usize,
    /// The first word of that.
    pub first: u64,
}

impl Place {
    /// Where a trace is now.
    pub(crate) fn of(trace: &Trace) -> Place {
        Place { nodes: trace.nodes, length: trace.tape.len(), first: trace.tape.first().copied().unwrap_or(0) }
    }
}

/// The places where traces ended as turns of loops, and what followed.
#[derive(Default)]
pub struct LoopTurns {
    /// More often another turn followed: above zero. More often not: below.
    followed: HashMap<Place, i8, foldhash::fast::FixedState>,
    /// Where the last trace ended as a turn.
    ended: Option<Place>,
}

impl LoopTurns {
    /// Whether a trace that begins again at this place is likely to be a turn.
    pub fn is_likely(&self, place: Place) -> bool {
        self.followed.get(&place).is_none_or(|&count| count >= 0)
    }

    /// The trace ends at this place as a turn.
    pub(crate) fn end(&mut self, place: Place) {
        self.ended = Some(place);
    }

    /// The trace after that one ends. `is_turn`: as a turn, too.
    #[inline]
    pub(crate) fn follow(&mut self, trace: &Trace, is_turn: bool) {
        let Some(ended) = self.ended.take() else { return };
        let is_same = Place::of(trace) == ended;
        if is_same || !is_turn {
            self.count(ended, is_same);
        }
    }

    /// Counts whether another turn followed one that ended at this place.
    pub fn count(&mut self, place: Place, another: bool) {
        if self.followed.len() >= MAX_PLACES && !self.followed.contains_key(&place) {
            self.followed.clear();
        }
        let count = self.followed.entry(place).or_insert(0);
        *count = if another { (*count + 1).min(MOST) } else { (*count - 1).max(-MOST) };
    }

    /// The trace grew until it was full: there was a loop after all, and its turns are looked for again.
    pub fn forget(&mut self) {
        *self = LoopTurns::default();
    }
}
