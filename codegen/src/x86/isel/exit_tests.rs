//! What a loop with side exits tests, and where its tests are ([`crate::x86::isel::side_exits`]).

use crate::ValueId;
use crate::x86::asm::encode::Label;
use crate::x86::isel::registers::ValueNumber;
use smallvec::SmallVec;

/// Where a body tests its results.
pub(crate) struct TestedResults {
    /// The first store that may overwrite an input: the tests stand before it.
    pub(crate) before: ValueNumber,
    /// The values that are tested, of the results that are stored.
    pub(crate) values: SmallVec<[ValueId; 4]>,
}

/// A test that may leave the loop.
pub(crate) struct SideExit {
    pub(crate) label: Label,
    /// Elements of the iteration before those that were tested.
    pub(crate) before: usize,
    /// Whether no element of the row is stored.
    pub(crate) is_first: bool,
}
