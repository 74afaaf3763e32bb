//! Side exits: a loop that may overwrite what it reads leaves before it stores a result that is not finite.
//!
//! Where several instructions may raise a floating-point flag, only a second run of a chunk, instruction by instruction, tells which of them
//! did. It needs the inputs as they were, and `a -= b * c` overwrites them. But every flag of a sum, a product, a quotient or a root, other than
//! underflow, comes with a number that is not finite, and so do the numbers computed from that one. So the loop tests what it is about to
//! store. While that is finite nothing was raised; else it leaves, and all inputs from there on are intact: the launch runs what is left
//! with copies of them ([`crate::x86::launch::clobbered_inputs`]).
//!
//! A test is two instructions and a branch for each vector. `a[1:] -= 0.5 * (b[1:] - b[:-1])` of 100,000 doubles takes 0.27 ns an element, and 0.41
//! with a copy of each chunk to scratch memory before it runs; in C, 0.24 without either (Zen 4). A store of what the loop loads, in place of
//! the copy, takes more than that in the first-level cache, where a 512-bit store takes two cycles, and a tenth longer than the test elsewhere.

use crate::x86::asm::encode::{Cond, KReg, Label, Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::bools::NOT_EQUAL;
use crate::x86::isel::conventions::{INDEX, SCRATCH, StrideKinds, at_arguments};
use crate::x86::isel::exit_tests::{SideExit, TestedResults};
use crate::x86::isel::select::{Emitter, by_float, is_real};
use crate::{FpFlags, Fragment, Inst, Op, ValueId};
use smallvec::SmallVec;

/// Classes of `vfpclass`: quiet NaN, both infinities, signalling NaN.
const NOT_FINITE: u8 = 0x99;

/// What an instruction computes from numbers of which some are not finite, and with which flags.
struct Propagation {
    /// The arguments that make the result not finite where they are not.
    from: SmallVec<[ValueId; 3]>,
    /// Whether the result is not finite where it raises a flag other than underflow.
    shows_flags: bool,
}

/// The propagation of an instruction.
fn propagation(fragment: &Fragment, at: usize) -> Propagation {
    let inst = &fragment.insts[at];
    let arguments = Fragment::arguments(inst);
    let is_float = is_real(fragment.types[at]) && arguments.iter().all(|&v| is_real(fragment.dtype(v)));
    let (count, shows_flags) = match inst {
        _ if !is_float => (0, false),
        Inst::Fma(_) => (3, true),
        Inst::Cast(..) => (1, true),
        Inst::Apply(op, _) => match op {
            Op::Add | Op::Subtract | Op::Multiply => (2, true),
            // A quotient by an infinite number is zero.
            Op::Divide | Op::Square | Op::Sqrt => (1, true),
            Op::Reciprocal => (0, true),
            Op::Negative | Op::Positive | Op::Absolute | Op::Fabs => (1, false),
            _ => (0, false),
        },
        _ => (0, false),
    };
    Propagation { from: arguments.into_iter().take(count).collect(), shows_flags }
}

impl Body<'_> {
    /// Plans side exits for the loops of a map of few instructions, of which that of dense rows has these stride kinds; false where there are
    /// to be none, as a flag may come with finite results.
    pub(crate) fn plan_side_exits(&mut self, kinds: &StrideKinds) -> bool {
        self.side_exits = self.find_side_exits(kinds);
        let Some(exits) = &self.side_exits else { return false };
        for value in &exits.values {
            let uses = &mut self.uses[value.0 as usize];
            let place = uses.partition_point(|&at| at < exits.before as u32);
            if uses.get(place) != Some(&(exits.before as u32)) {
                uses.insert(place, exits.before as u32);
            }
        }
        true
    }

    fn find_side_exits(&self, kinds: &StrideKinds) -> Option<TestedResults> {
        let insts = &self.fragment.insts;
        let may_overwrite = |at: &usize| match insts[*at] {
            Inst::Store(operand, _) => !self.kernel.operands[operand.0 as usize].restrict,
            _ => false,
        };
        // Interleaved copies of a long body store one result after the other, and so do slices.
        if self.is_long() || !self.kernel.accumulators.is_empty() || self.scatters() || self.has_slow_path() {
            return None;
        }
        let before = (0..insts.len()).find(may_overwrite)?;
        if Emitter::new(self, kinds, Arguments::of(self)).may_slice() {
            return None;
        }
        let is_stored = |at: usize| {
            let stores = |&other: &u32| matches!(insts[other as usize], Inst::Store(..));
            at < before && is_real(self.fragment.types[at]) && self.uses[at].iter().any(stores)
        };
        let propagations: Vec<Propagation> = (0..insts.len()).map(|at| propagation(&self.fragment, at)).collect();
        let reported = FpFlags::DIVIDE | FpFlags::OVERFLOW | FpFlags::INVALID;
        let raises = |at: usize| self.is_live(at) && !(self.fragment.effects(at) & reported).is_empty();
        // By value: whether a flag makes it not finite, and whether it makes a tested value not finite.
        let mut shows = vec![false; insts.len()];
        for at in 0..insts.len() {
            shows[at] = raises(at) || propagations[at].from.iter().any(|v| shows[v.0 as usize]);
        }
        let mut is_seen = vec![false; insts.len()];
        let mut values = SmallVec::new();
        for at in (0..insts.len()).rev() {
            if !is_seen[at] && shows[at] && is_stored(at) {
                is_seen[at] = true;
                values.push(ValueId(at as u32));
            }
            if raises(at) && !(is_seen[at] && propagations[at].shows_flags) {
                return None;
            }
            if is_seen[at] {
                propagations[at].from.iter().for_each(|v| is_seen[v.0 as usize] = true);
            }
        }
        (!values.is_empty()).then_some(TestedResults { before, values })
    }

    /// Whether the tests stand before an instruction.
    pub(crate) fn exits_before(&self, at: usize) -> bool {
        self.side_exits.as_ref().is_some_and(|exits| exits.before == at)
    }
}

impl Emitter<'_> {
    /// Leaves the loop where a result of the current copy is not finite.
    pub(crate) fn side_exit(&mut self) {
        let Some(exits) = &self.body.side_exits else { return };
        debug_assert!(self.jammed.is_none(), "copies are vectors of one row");
        let label = self.asm.label();
        for &value in &exits.values {
            let (x, dtype) = (self.vector(value), self.dtype(value));
            match self.level() {
                Level::Avx512 => {
                    let (form, found) = (by_float(dtype, &f::VFPCLASSPS, &f::VFPCLASSPD), self.temp_mask().k());
                    let x = Rm::Reg(x);
                    self.asm.compare(form, self.width(dtype), found, VReg(0), x, KReg(0), Some(NOT_FINITE));
                    self.asm.mask_test(&f::KORTESTW, found, found);
                }
                Level::Avx2 => {
                    // Zero, or NaN.
                    let (width, found) = (self.width(dtype), self.temp());
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
        // An overlapping tail is computed before all other elements.
        let is_first = self.is_tail && self.overlaps;
        self.side_exits.push(SideExit { label, before: self.unroll_index * self.lanes(), is_first });
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
