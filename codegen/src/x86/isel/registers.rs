//! Which register holds which value, while a fragment is emitted in one pass.
//!
//! A fragment is a straight line, so nothing is coloured: a value gets a register where it is defined and gives it back after
//! its last use. Where none is free, the value that is needed again the latest leaves its register, which is the best choice
//! there is for a straight line (Belady 1966).

use smallvec::SmallVec;

/// A value's number in its fragment.
pub(crate) type Value = u32;

/// The registers of one kind.
pub(crate) struct File {
    /// By register: the value it holds.
    holds: [Option<Value>; 32],
    /// Bits of those that may hold values, that are free, and that the instruction at hand needs.
    usable: u32,
    free: u32,
    pinned: u32,
    /// Bits of those that held something once.
    touched: u32,
}

impl File {
    /// Registers of these bits, all free.
    pub(crate) fn new(usable: u32) -> File {
        File { holds: [None; 32], usable, free: usable, pinned: 0, touched: 0 }
    }

    /// Forgets everything.
    pub(crate) fn reset(&mut self) {
        *self = File { touched: self.touched, ..File::new(self.usable) };
    }

    /// The registers that never held anything; they will not from now on.
    pub(crate) fn give_up_untouched(&mut self) -> u32 {
        let spare = self.usable & !self.touched;
        *self = File::new(self.usable & !spare);
        spare
    }

    /// Takes a register for a value (none for a number of the instruction's own), and keeps it until [`File::unpin`]. Where
    /// all are taken, the second result is the value that has to leave it: `next` says when each is needed. None where the
    /// instruction at hand keeps all there are.
    pub(crate) fn take(&mut self, value: Option<Value>, next: impl Fn(Value) -> u32) -> Option<(u8, Option<Value>)> {
        let (register, leaves) = if self.free != 0 {
            (self.free.trailing_zeros() as u8, None)
        } else {
            let candidates = (0..32u8).filter(|&r| (self.usable & !self.pinned) >> r & 1 != 0);
            let latest = candidates.filter_map(|r| self.holds[r as usize].map(|v| (next(v), r))).max();
            let (_, register) = latest?;
            (register, self.holds[register as usize])
        };
        self.free &= !(1 << register);
        self.pinned |= 1 << register;
        self.touched |= 1 << register;
        self.holds[register as usize] = value;
        Some((register, leaves))
    }

    /// Keeps a register for the instruction at hand.
    pub(crate) fn pin(&mut self, register: u8) {
        self.pinned |= 1 << register;
    }

    /// Keeps a register for the instruction at hand that [`File::unpin`] has just given back.
    pub(crate) fn hold(&mut self, register: u8) {
        self.free &= !(1 << register);
        self.pin(register);
    }

    /// Gives a register of the instruction's own to a value.
    pub(crate) fn give(&mut self, register: u8, value: Value) {
        self.holds[register as usize] = Some(value);
    }

    /// Gives a register back.
    pub(crate) fn release(&mut self, register: u8) {
        self.free |= 1 << register;
        self.pinned &= !(1 << register);
        self.holds[register as usize] = None;
    }

    /// Ends an instruction: what it kept for itself is free, what holds values may leave again.
    pub(crate) fn unpin(&mut self) {
        for register in 0..32u8 {
            if self.pinned >> register & 1 != 0 && self.holds[register as usize].is_none() {
                self.free |= 1 << register;
            }
        }
        self.pinned = 0;
    }
}

/// When each value is used: instruction numbers, ascending.
pub(crate) type Uses = Vec<SmallVec<[u32; 4]>>;

/// The first use of a value after an instruction; the end of time where there is none.
pub(crate) fn next_use(uses: &Uses, value: Value, after: u32) -> u32 {
    uses[value as usize].iter().copied().find(|&at| at > after).unwrap_or(u32::MAX)
}
