//! Base pointers of operands: in base registers, or spilled to the argument block where there are more operands than registers.

use crate::x86::asm::encode::{Assembler, Gpr};
use crate::x86::isel::conventions::{BASES, CALLEE_SAVED_FROM, LANE_MASK, SCRATCH, SPILLED_BASE, at_arguments};
use crate::x86::isel::select::Emitter;
use smallvec::SmallVec;

impl Emitter<'_> {
    /// Whether an operand's base pointer is spilled to the argument block.
    pub(crate) fn is_base_spilled(&self, operand: usize) -> bool {
        operand >= self.resident_bases
    }

    /// The callee-saved registers among the base registers of so many operands.
    pub(crate) fn callee_saved(&self, operands: usize) -> SmallVec<[Gpr; BASES.len()]> {
        let resident = self.resident_bases.min(operands);
        let spills = (operands > resident).then_some(SPILLED_BASE);
        BASES[..resident].iter().skip(CALLEE_SAVED_FROM).copied().chain(spills).collect()
    }

    /// The register with an operand's base pointer. A spilled one is reloaded, and is valid until the next one is.
    pub(crate) fn base(&mut self, operand: usize) -> Gpr {
        if !self.is_base_spilled(operand) {
            return BASES[operand];
        }
        let at = self.arguments.spilled_base(operand);
        self.asm.load(SPILLED_BASE, at_arguments(at));
        SPILLED_BASE
    }

    /// Stores a base pointer that is spilled back to its slot.
    fn spill_base(&mut self, operand: usize) {
        if self.is_base_spilled(operand) {
            let at = self.arguments.spilled_base(operand);
            self.asm.store_gpr(at_arguments(at), SPILLED_BASE);
        }
    }

    /// Sets an operand's base pointer to an address in the argument block.
    pub(crate) fn load_base(&mut self, operand: usize, at: usize) {
        let base = if self.is_base_spilled(operand) { SPILLED_BASE } else { BASES[operand] };
        self.asm.load(base, at_arguments(at));
        self.spill_base(operand);
    }

    /// Changes an operand's base pointer.
    pub(crate) fn update_base(&mut self, operand: usize, change: impl FnOnce(&mut Assembler, Gpr)) {
        let base = self.base(operand);
        change(&mut self.asm, base);
        self.spill_base(operand);
    }

    /// Sets the lane mask to all lanes.
    pub(crate) fn set_full_mask(&mut self) {
        let ones = if self.lanes() == 64 { -1 } else { (1i64 << self.lanes()) - 1 };
        self.asm.mov_imm(SCRATCH, ones);
        self.asm.mask_from(LANE_MASK, SCRATCH);
    }
}
