//! Constants that a loop keeps in registers instead of reading them each time.
//!
//! What is emitted first, the row's end, reads them from the arguments, and says how often each is read and which registers
//! values take. The others hold the constants that are read most, as far as they go. A processor reads two vectors a cycle
//! from memory and computes as many: with an operand from memory in nearly every instruction, `exp` of doubles takes 0.41 ns
//! an element, with its constants in registers 0.32. With AVX2 there are too few registers, and three reads a cycle.

use crate::x86::asm::encode::{Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Emitter, broadcast};
use crate::x86::loops::map_loop::{ARGUMENTS, VECTOR};
use std::cmp::Reverse;

/// A constant in the arguments: where it is, and how many bytes of it there are, an element or a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Source {
    at: i32,
    bytes: usize,
}

/// Constants of a loop.
#[derive(Default)]
pub(crate) struct Held {
    /// Those that were read from memory, and how often.
    read: Vec<(Source, u32)>,
    /// Those in registers.
    kept: Vec<(Source, VReg)>,
}

impl Held {
    /// The register of a constant; where it has none and `counts`, one more read.
    fn find(&mut self, source: Source, counts: bool) -> Option<VReg> {
        if let Some(&(_, register)) = self.kept.iter().find(|(known, _)| *known == source) {
            return Some(register);
        }
        match self.read.iter_mut().find(|(known, _)| *known == source) {
            _ if !counts => {}
            Some((_, times)) => *times += 1,
            None => self.read.push((source, 1)),
        }
        None
    }
}

impl Emitter<'_> {
    /// The register that holds an element of the arguments in all lanes, or a vector of them, if one does.
    pub(crate) fn held(&mut self, from: Mem, bytes: usize) -> Option<VReg> {
        let counts = self.rest;
        (from.base == ARGUMENTS).then(|| self.held.find(Source { at: from.disp, bytes }, counts)).flatten()
    }

    /// Puts constants into registers that values do not take; for all bodies that follow.
    pub(crate) fn hold(&mut self) {
        if self.level() != Level::Avx512 {
            return;
        }
        let mut read = std::mem::take(&mut self.held.read);
        read.sort_by_key(|&(_, times)| Reverse(times));
        let spare = self.vectors.give_up_untouched();
        for ((source, _), register) in read.into_iter().zip((0..32).filter(|r| spare >> r & 1 != 0).map(VReg)) {
            let from = Rm::Mem(Mem::at(ARGUMENTS, source.at));
            let form = if source.bytes == VECTOR { &f::VMOVUPS } else { broadcast(source.bytes) };
            self.asm.vector(form, Width::W512, register, VReg(0), from, Masking::NONE, None);
            self.held.kept.push((source, register));
        }
    }
}
