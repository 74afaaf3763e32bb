//! What an emitter knows of the loops of a body ([`crate::x86::isel::region`]).

use crate::x86::asm::encode::{KReg, Label};
use crate::x86::isel::registers::ValueNumber;
use smallvec::SmallVec;

/// The loops of a body that is emitted.
#[derive(Default)]
pub(crate) struct Loops {
    /// The one whose turn is emitted; outside of loops an empty one.
    pub(crate) open: OpenRegion,
    /// By copy, loop and carried input: the slot with what was carried to the end.
    pub(crate) exits: Vec<((ValueNumber, u8), usize)>,
    pub(crate) poll_routine: Option<PollRoutine>,
}

/// The loop that is being emitted, as its instructions see it.
#[derive(Default)]
pub(crate) struct OpenRegion {
    /// By copy: the lanes in which the conditions so far hold (AVX-512).
    pub(crate) active: SmallVec<[KReg; 4]>,
    /// Whether there were any.
    pub(crate) is_past_condition: bool,
}

impl OpenRegion {
    /// The mask of a copy's instructions that may raise flags, where it is not that of the loop over vectors.
    pub(crate) fn mask(&self, copy: usize) -> Option<KReg> {
        if self.is_past_condition { self.active.get(copy).copied() } else { None }
    }
}

/// What a loop over vectors needs to ask whether to stop.
#[derive(Clone, Copy)]
pub(crate) struct PollRoutine {
    pub(crate) entry: Label,
    /// The slot of the function's address, and those of the registers.
    pub(crate) function: usize,
    pub(crate) vectors: usize,
    pub(crate) masks: usize,
}
