//! Constants that a loop keeps in registers instead of reading them from memory each time.
//!
//! The tail is emitted first, with constants from the argument block: it counts the reads of each constant, and shows which registers
//! values take. The other registers get the constants with the most reads. A processor reads two vectors a cycle
//! from memory and computes as many: with an operand from memory in nearly every instruction, `exp` of doubles takes 0.41 ns
//! an element, with its constants in registers 0.32. With AVX2 there are too few registers, and three reads a cycle.

use crate::x86::asm::encode::{Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{ARGUMENTS, VECTOR_BYTES};
use crate::x86::isel::select::{Emitter, broadcast};
use std::cmp::Reverse;

/// A constant of the argument block: its displacement, and its bytes, those of an element or of a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ConstantSlot {
    at: i32,
    bytes: usize,
}

/// The constants of a loop.
#[derive(Default)]
pub(crate) struct ConstRegisters {
    /// Constants read from memory, and how often.
    read: Vec<(ConstantSlot, u32)>,
    /// Constants in registers, and whether they were chosen.
    loaded: Vec<(ConstantSlot, VReg)>,
    pub(crate) are_loaded: bool,
}

impl ConstRegisters {
    /// Takes over what another emission of the tail read.
    pub(crate) fn count(&mut self, other: ConstRegisters) {
        self.read = other.read;
    }

    /// The register of a constant. Where it has none and `counts`, counts one more read.
    fn find(&mut self, slot: ConstantSlot, counts: bool) -> Option<VReg> {
        if let Some(&(_, register)) = self.loaded.iter().find(|(known, _)| *known == slot) {
            return Some(register);
        }
        match self.read.iter_mut().find(|(known, _)| *known == slot) {
            _ if !counts => {}
            Some((_, times)) => *times += 1,
            None => self.read.push((slot, 1)),
        }
        None
    }
}

impl Emitter<'_> {
    /// The register with a constant of the argument block, if one was loaded.
    pub(crate) fn const_register(&mut self, from: Mem, bytes: usize) -> Option<VReg> {
        let counts = self.is_tail;
        (from.base == ARGUMENTS)
            .then(|| self.const_registers.find(ConstantSlot { at: from.disp, bytes }, counts))
            .flatten()
    }

    /// Loads constants into registers that values do not take, for the loops that follow, which have so many copies of the body
    /// at most.
    pub(crate) fn load_const_registers(&mut self, copies: usize) {
        self.const_registers.are_loaded = true;
        if self.level() != Level::Avx512 {
            return;
        }
        let copies = if self.interleaves() { copies } else { 1 };
        let mut read = std::mem::take(&mut self.const_registers.read);
        read.sort_by_key(|&(_, times)| Reverse(times));
        let untouched = self.vectors.take_untouched(copies);
        let mut left = untouched;
        for ((slot, _), register) in read.into_iter().zip((0..32).filter(|r| untouched >> r & 1 != 0).map(VReg)) {
            left &= !(1 << register.0);
            let from = Rm::Mem(Mem::at(ARGUMENTS, slot.at));
            let form = if slot.bytes == VECTOR_BYTES { &f::VMOVUPS } else { broadcast(slot.bytes) };
            self.asm.vector(form, Width::W512, register, VReg(0), from, Masking::NONE, None);
            self.const_registers.loaded.push((slot, register));
        }
        // Loops keep inputs in those that are left.
        self.vectors.set_usable(self.vectors.usable() | left);
    }
}
