//! Side exits: a loop that may overwrite what it reads leaves before it stores what would have to be computed again.
//!
//! Where several instructions may raise a floating-point flag, only a second run of a chunk, instruction by instruction, tells which of them
//! did. It needs the inputs as they were, and `a -= b * c` overwrites them. But where a flag other than underflow is raised, some result is not
//! finite, in kernels without what hides that ([`crate::x86::launch::visible_flags`]). So the loop tests what it is about to store. While that
//! is finite nothing was raised; else it leaves, and all inputs from there on are intact: the launch runs what is left with copies of them
//! ([`crate::x86::launch::clobbered_inputs`]). It leaves where a lane needs the slow path of a function, too.
//!
//! A test is two instructions and a branch for each vector. `a[1:] -= 0.5 * (b[1:] - b[:-1])` of 100,000 doubles takes 0.28 ns an element, and 0.45
//! with a copy of each chunk to scratch memory before it runs; in C, 0.24 without either. `a *= np.exp(b) * 1e-3` takes 0.60 instead of 0.74
//! (Zen 4). To store what the loop loads, in place of the copy, was slower than that in the first-level cache, where a 512-bit store takes
//! two cycles, and a tenth slower than the test elsewhere.

use crate::x86::asm::encode::{Cond, KReg, Label, Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::bools::NOT_EQUAL;
use crate::x86::isel::conventions::{INDEX, SCRATCH, at_arguments};
use crate::x86::isel::exit_tests::{SideExit, TestedResults};
use crate::x86::isel::registers::ValueNumber;
use crate::x86::isel::select::{Emitter, by_float, is_real};
use crate::{Inst, OperandId, ValueId};
use smallvec::SmallVec;
use std::ops::Range;

/// Classes of `vfpclass`: quiet NaN, both infinities, signalling NaN.
const NOT_FINITE: u8 = 0x99;

impl Body<'_> {
    /// Plans side exits for the loops of a map: they test the values that are stored to some operands, and lanes that need the slow path of a
    /// function. False where there are to be none.
    pub(crate) fn plan_side_exits(&mut self, tested: &[OperandId]) -> bool {
        let Some(before) = self.first_overwriting_store() else { return false };
        let stored = |operand: OperandId| {
            let stores = |at: &usize| matches!(self.fragment.insts[*at], Inst::Store(other, _) if other == operand);
            (0..self.fragment.insts.len()).rev().find(stores).map(|at| self.reads[at].clone())
        };
        let Some(values) = tested.iter().map(|&operand| stored(operand)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let values: SmallVec<[ValueId; 4]> = values.into_iter().flatten().collect();
        let is_known = |v: &ValueId| v.0 < before && is_real(self.fragment.dtype(*v));
        let has_order = self.scatters() || self.has_loops() || !self.kernel.accumulators.is_empty();
        if has_order || !values.iter().all(is_known) || !self.knows_slow_lanes_before(before) {
            return false;
        }
        for value in &values {
            let uses = &mut self.uses[value.0 as usize];
            let place = uses.partition_point(|&at| at < before);
            if uses.get(place) != Some(&before) {
                uses.insert(place, before);
                self.reads[before as usize].push(*value);
            }
        }
        self.side_exits = Some(TestedResults { before, values });
        true
    }

    /// The first store that may overwrite an input.
    fn first_overwriting_store(&self) -> Option<ValueNumber> {
        let overwrites = |inst: &Inst| match inst {
            Inst::Store(operand, _) => !self.kernel.operands[operand.0 as usize].restrict,
            _ => false,
        };
        self.fragment.insts.iter().position(overwrites).map(|at| at as u32)
    }

    /// The instruction before which the last slice begins: slices store to all elements of a block, one after the other, so that with the tests
    /// stores all that may overwrite an input.
    pub(crate) fn last_cut(&self) -> usize {
        self.side_exits.as_ref().map_or(usize::MAX, |exits| exits.before as usize)
    }

    /// Whether the tests stand before an instruction.
    pub(crate) fn exits_before(&self, at: usize) -> bool {
        self.side_exits.as_ref().is_some_and(|exits| exits.before as usize == at)
    }
}

impl Emitter<'_> {
    /// Leaves the loop before an instruction where a result of some copies is not finite, or a lane needs the slow path of a function.
    pub(crate) fn side_exit(&mut self, at: usize, copies: Range<usize>) {
        let Some(exits) = &self.body.side_exits else { return };
        debug_assert!(self.jammed.is_none(), "copies are vectors of one row");
        let (start, label) = (self.asm.len(), self.asm.label());
        self.current = at as u32;
        if self.body.has_slow_path() {
            self.leave_if_slow(label);
        }
        for (copy, &value) in copies.clone().flat_map(|copy| exits.values.iter().map(move |value| (copy, value))) {
            self.unroll_index = copy;
            self.leave_unless_finite(value, label);
        }
        self.unroll_index = copies.start;
        self.record_span(at, start);
        // An overlapping tail is computed before all other elements.
        let is_first = self.is_tail && self.overlaps;
        self.side_exits.push(SideExit { label, before: copies.start * self.lanes(), is_first });
    }

    /// Jumps to a label where a lane of a value of the current copy is not finite.
    fn leave_unless_finite(&mut self, value: ValueId, label: Label) {
        let (x, dtype) = (self.vector(value), self.dtype(value));
        let width = self.width(dtype);
        match self.level() {
            Level::Avx512 => {
                let (form, found) = (by_float(dtype, &f::VFPCLASSPS, &f::VFPCLASSPD), self.temp_mask().k());
                self.asm.compare(form, width, found, VReg(0), Rm::Reg(x), KReg(0), Some(NOT_FINITE));
                self.asm.mask_test(&f::KORTESTW, found, found);
            }
            Level::Avx2 => {
                // Zero, or NaN.
                let found = self.temp();
                self.asm.vex(by_float(dtype, &f::VSUBPS, &f::VSUBPD), width, found, x, Rm::Reg(x), None);
                let form = by_float(dtype, &f::VCMPPS_VEX, &f::VCMPPD_VEX);
                self.asm.vex(form, width, found, found, Rm::Reg(found), Some(NOT_EQUAL));
                self.asm.vex_signs(SCRATCH, found);
                self.asm.test(SCRATCH, SCRATCH);
            }
        }
        self.asm.jump_if(Cond::NotEqual, label);
        self.free_temps();
    }

    /// Emits what follows the tests that fail, after the rest of the loop: stores the number of elements of the row that are done, and goes to
    /// `end`.
    pub(crate) fn finish_side_exits(&mut self, end: Label) {
        let exits = std::mem::take(&mut self.side_exits);
        let (Some(slot), leave) = (self.arguments.side_exit, self.asm.label()) else { return };
        for exit in exits {
            self.asm.bind(exit.label);
            match exit {
                SideExit { is_first: true, .. } => self.asm.xor(INDEX, INDEX),
                SideExit { before: 0, .. } => {}
                SideExit { before, .. } => self.asm.add_imm(INDEX, before as i32),
            }
            self.asm.jmp(leave);
        }
        self.asm.bind(leave);
        self.asm.store_gpr(at_arguments(slot), INDEX);
        self.asm.jmp(end);
    }
}
