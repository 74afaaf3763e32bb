//! Register allocation: which register holds which value, while a fragment is emitted in one pass.
//!
//! A fragment is a straight line, so no graph is coloured: a value gets a register where it is defined and frees it after
//! its last use. Where none is free, the value with the latest next use is spilled, which is optimal for a straight line
//! (Belady 1966).

use smallvec::SmallVec;

/// The number of a value in its fragment.
pub(crate) type ValueNumber = u32;

/// A register file: vector or mask registers.
pub(crate) struct RegisterFile {
    /// By register: the value in it.
    holds: [Option<ValueNumber>; 32],
    /// Registers that may hold values, that are free, and that the current instruction pins, a bit each.
    usable: u32,
    free: u32,
    pinned: u32,
    /// Registers that have been allocated at least once.
    touched: u32,
}

impl RegisterFile {
    /// A file of the registers of these bits, all of them free.
    pub(crate) fn new(usable: u32) -> RegisterFile {
        RegisterFile { holds: [None; 32], usable, free: usable, pinned: 0, touched: 0 }
    }

    /// How many registers may hold values.
    pub(crate) fn count(&self) -> usize {
        self.usable.count_ones() as usize
    }

    /// The registers that may hold values, a bit each.
    pub(crate) fn usable(&self) -> u32 {
        self.usable
    }

    /// Sets those, all of which are free.
    pub(crate) fn set_usable(&mut self, usable: u32) {
        *self = RegisterFile { touched: self.touched, ..RegisterFile::new(usable) };
    }

    /// Takes a free register out of those that are allocated.
    pub(crate) fn take(&mut self) -> Option<u8> {
        let register = (self.free != 0).then(|| 31 - self.free.leading_zeros() as u8)?;
        self.usable &= !(1 << register);
        self.free &= !(1 << register);
        self.touched |= 1 << register;
        Some(register)
    }

    /// The values in registers, with these.
    pub(crate) fn held_in(&self) -> impl Iterator<Item = (ValueNumber, u8)> {
        (0..).zip(&self.holds).filter_map(|(register, held)| held.map(|value| (value, register)))
    }

    /// The values in registers.
    pub(crate) fn held(&self) -> impl Iterator<Item = ValueNumber> {
        self.holds.iter().copied().flatten()
    }

    /// Frees all registers.
    pub(crate) fn reset(&mut self) {
        *self = RegisterFile { touched: self.touched, ..RegisterFile::new(self.usable) };
    }

    /// Counts the registers as allocated that another file has allocated.
    pub(crate) fn touch(&mut self, other: &RegisterFile) {
        self.touched |= other.touched;
    }

    /// How many registers were never allocated beside those that so many copies of what was emitted take.
    pub(crate) fn untouched(&self, copies: usize) -> usize {
        let spare = (self.usable & !self.touched).count_ones() as usize;
        spare.saturating_sub((copies - 1) * self.touched.count_ones() as usize)
    }

    /// Removes the registers that were never allocated, and returns their bits. For so many copies of what was emitted it keeps as
    /// many registers for each.
    pub(crate) fn take_untouched(&mut self, copies: usize) -> u32 {
        let mut spare = self.usable & !self.touched;
        for _ in 0..(copies - 1) * self.touched.count_ones() as usize {
            spare &= spare.wrapping_sub(1);
        }
        *self = RegisterFile::new(self.usable & !spare);
        spare
    }

    /// Allocates a register for a value, or for a temporary, and pins it until [`RegisterFile::unpin`]. Where no register is
    /// free, the second result is the value to spill: `next` gives the next use of each. None where the
    /// current instruction pins all registers.
    pub(crate) fn alloc(
        &mut self,
        value: Option<ValueNumber>,
        next: impl Fn(ValueNumber) -> u32,
    ) -> Option<(u8, Option<ValueNumber>)> {
        let (register, evicted) = if self.free != 0 {
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
        Some((register, evicted))
    }

    /// Pins a register for the current instruction.
    pub(crate) fn pin(&mut self, register: u8) {
        self.pinned |= 1 << register;
    }

    /// Pins a register again that [`RegisterFile::unpin`] has just freed.
    pub(crate) fn pin_again(&mut self, register: u8) {
        self.free &= !(1 << register);
        self.pin(register);
    }

    /// Gives the register of a temporary to a value.
    pub(crate) fn assign(&mut self, register: u8, value: ValueNumber) {
        self.holds[register as usize] = Some(value);
    }

    /// Frees a register.
    pub(crate) fn release(&mut self, register: u8) {
        self.free |= 1 << register;
        self.pinned &= !(1 << register);
        self.holds[register as usize] = None;
    }

    /// Ends an instruction: frees its temporaries, and lets values be spilled again.
    pub(crate) fn unpin(&mut self) {
        let mut pinned = std::mem::take(&mut self.pinned);
        while pinned != 0 {
            let register = pinned.trailing_zeros();
            if self.holds[register as usize].is_none() {
                self.free |= 1 << register;
            }
            pinned &= pinned - 1;
        }
    }
}

/// By value: the instructions that use it, ascending.
pub(crate) type Uses = Vec<SmallVec<[u32; 4]>>;

/// The first use of a value from an instruction on and before another; the largest number where there is none.
pub(crate) fn next_use(uses: &Uses, value: ValueNumber, from: u32, end: u32) -> u32 {
    uses[value as usize].iter().copied().find(|&at| at >= from).filter(|&at| at < end).unwrap_or(u32::MAX)
}
