//! Loops of a vector ([`crate::ir::region`]): a loop of machine code inside the loop over vectors.
//!
//! Carried inputs have registers of their own for the whole loop, the other inputs as far as there is room; the rest are read from
//! memory. A turn ends with a blend by the conditions, so lanes that are over keep their values, and the loop ends where these hold
//! together in no lane of any copy. With AVX-512, instructions after a condition that may raise flags are masked by it. AVX2 has no
//! masks: flags of lanes that are over have the portable backend find out which ones count.
//!
//! Around a loop no value is in a register: all are stored before it, and what it carried after it, which costs less than a turn or two.
//!
//! Every so many turns of a call, the code asks whether to stop ([`Emitter::poll_routine`]).

use crate::drive::interrupt;
use crate::x86::asm::encode::{Cond, Gpr, KReg, Label, Masking, Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::{Body, RegionBody};
use crate::x86::isel::bools::{Logic, MaskReg};
use crate::x86::isel::conventions::{
    FAST_LANES, LANE_MASK, SCRATCH, SLOW_VECTOR, TURNS_LEFT, VECTOR_BYTES, at_arguments,
};
use crate::x86::isel::open_region::{OpenRegion, PollRoutine};
use crate::x86::isel::select::{Backing, EmitResult, Emitter, Unsupported, ValueLocation};
use crate::{DType, Inst, ValueId};
use smallvec::SmallVec;
use std::ops::Range;

/// Turns of a call between two questions whether to stop: half a millisecond of a short turn.
const POLL_TURNS: i64 = 1 << 17;
/// Vector and mask registers that are left to the instructions of a turn, at the least.
const FREE_VECTORS: usize = 7;
const FREE_MASKS: usize = 3;
/// General registers that a function may change, and the code needs.
const CALLER_SAVED: [Gpr; 9] = [Gpr::RAX, Gpr::RCX, Gpr::RDX, Gpr::RSI, Gpr::RDI, Gpr::R8, Gpr::R9, Gpr::R10, Gpr::R11];

/// The turns until the next question, or one where the loop is to stop.
extern "sysv64" fn turns_to_go() -> i64 {
    if interrupt::is_interrupted() { 1 } else { POLL_TURNS }
}

impl<'a> Emitter<'a> {
    /// Reserves what loops need, and begins to count turns, in the prologue.
    pub(crate) fn begin_counting_turns(&mut self) {
        let entry = self.asm.label();
        let function = self.arguments.table(&[turns_to_go as *const () as u64]);
        let vectors = self.arguments.slots(32, VECTOR_BYTES);
        let masks = self.arguments.slots(8, 8);
        self.loops.poll_routine = Some(PollRoutine { entry, function, vectors, masks });
        self.asm.push(TURNS_LEFT);
        self.asm.mov_imm(TURNS_LEFT, POLL_TURNS);
    }

    /// Emits the routine that asks whether to stop, behind the code of a loop over vectors with so many registers on the stack, and
    /// sets [`TURNS_LEFT`] by the answer. It keeps all other registers.
    pub(crate) fn poll_routine(&mut self, pushed: usize) {
        let Some(PollRoutine { entry, function, vectors, masks }) = self.loops.poll_routine else { return };
        let registers: &[Gpr] = match (pushed + CALLER_SAVED.len()) % 2 {
            // The stack is aligned to sixteen bytes at a call: two return addresses are on it besides.
            0 => &CALLER_SAVED,
            _ => &CALLER_SAVED[..CALLER_SAVED.len() - 1],
        };
        self.asm.bind(entry);
        registers.iter().for_each(|&register| self.asm.push(register));
        let (count, whole) = (self.level().registers().count_ones(), self.whole());
        for register in 0..count as u8 {
            self.store_lanes(at_arguments(vectors + VECTOR_BYTES * register as usize), VReg(register));
        }
        let kept = if self.level() == Level::Avx512 { 1..8 } else { 0..0 };
        kept.clone().for_each(|k| self.asm.mask_store(at_arguments(masks + 8 * k as usize), KReg(k)));
        self.asm.call_mem(at_arguments(function));
        self.asm.mov(TURNS_LEFT, Gpr::RAX);
        registers.iter().rev().for_each(|&register| self.asm.pop(register));
        for register in 0..count as u8 {
            let from = Rm::Mem(at_arguments(vectors + VECTOR_BYTES * register as usize));
            self.emit(&f::VMOVUPS, whole, VReg(register), VReg(0), from, Masking::NONE, None);
        }
        kept.for_each(|k| self.asm.mask_load(KReg(k), at_arguments(masks + 8 * k as usize)));
        self.asm.ret();
    }

    /// The current value is what a loop carried.
    pub(crate) fn exit(&mut self, repeated: ValueId, input: u8) {
        let key = (self.in_copy(repeated.0), input);
        let found = self.loops.exits.iter().rev().find(|(known, _)| *known == key);
        let (_, at) = found.expect("a loop stands before its exits");
        self.set_backing(Backing::Lanes(at_arguments(*at)));
    }

    /// Emits a loop for some copies of the body, a power of two: for as many at once as there are registers for.
    ///
    /// # Errors
    /// The loop, if it carries too much or has an instruction without machine code.
    pub(crate) fn repeat(&mut self, at: usize, copies: Range<usize>) -> Result<(), Unsupported> {
        let body = self.body;
        let Some(region) = body.region(at) else { return Ok(()) };
        let unsupported = |what| Unsupported { at, what: format!("a loop with {what}") };
        let start = self.asm.len();
        self.spill_all();
        let mut together = copies.len();
        while !self.has_room(region, together) {
            together /= 2;
            if together == 0 {
                return Err(unsupported("so many values".into()));
            }
        }
        for first in copies.clone().step_by(together) {
            self.repeat_copies(region, first..first + together).map_err(unsupported)?;
        }
        self.unroll_index = copies.start;
        self.record_span(at, start);
        Ok(())
    }

    /// Whether the carried inputs of so many copies have registers.
    fn has_room(&self, region: &RegionBody<'_>, copies: usize) -> bool {
        let masks = region.carried().filter(|&dtype| self.takes_mask(dtype == DType::Bool)).count();
        let vectors = region.carried().count() - masks;
        let active = usize::from(self.level() == Level::Avx512);
        copies * vectors + FREE_VECTORS <= self.vectors.count()
            && copies * (masks + active) + active * FREE_MASKS <= self.masks.count()
    }

    /// Stores all values that are in registers.
    fn spill_all(&mut self) {
        for mask in [false, true] {
            let file = if mask { &self.masks } else { &self.vectors };
            let held: SmallVec<[_; 32]> = file.held_in().collect();
            held.into_iter().for_each(|(value, register)| self.spill(value, register, mask));
        }
        self.forget_registers();
    }

    /// Emits the loop for some copies.
    fn repeat_copies(&mut self, region: &'a RegionBody<'a>, copies: Range<usize>) -> EmitResult<()> {
        let first: Vec<SmallVec<[Backing; 8]>> =
            copies.clone().map(|copy| self.first_values(region.at, copy)).collect();
        let usable = [self.vectors.usable(), self.masks.usable()];
        let mut outer = Scope::of(&region.body, copies.len());
        self.swap(&mut outer);
        let inputs = self.place_inputs(region, &first)?;
        let done = self.asm.label();
        self.turns(region, &inputs, done)?;
        self.asm.bind(done);
        let exits: Vec<SmallVec<[usize; 4]>> = inputs.iter().map(|inputs| self.store_carried(region, inputs)).collect();
        self.swap(&mut outer);
        self.vectors.set_usable(usable[0]);
        self.masks.set_usable(usable[1]);
        for (copy, slots) in copies.zip(exits) {
            self.unroll_index = copy;
            let number = self.in_copy(region.at as u32);
            self.loops.exits.extend((0..).zip(slots).map(|(input, slot)| ((number, input), slot)));
        }
        Ok(())
    }

    /// Exchanges the instructions that are emitted for others.
    fn swap(&mut self, scope: &mut Scope<'a>) {
        std::mem::swap(&mut self.body, &mut scope.body);
        std::mem::swap(&mut self.locations, &mut scope.locations);
        std::mem::swap(&mut self.hoisted, &mut scope.hoisted);
        std::mem::swap(&mut self.current, &mut scope.current);
        std::mem::swap(&mut self.loops.open, &mut scope.open_region);
    }

    /// The memory with the first values of a loop's inputs, of a copy.
    fn first_values(&mut self, at: usize, copy: usize) -> SmallVec<[Backing; 8]> {
        self.unroll_index = copy;
        let body = self.body;
        body.reads[at].iter().map(|v| self.location(v.0).backing).collect()
    }

    /// Gives inputs registers, which are loaded: carried ones of all copies, then others while enough are left. Returns the locations
    /// of the inputs, by copy.
    fn place_inputs(&mut self, region: &RegionBody<'_>, first: &[SmallVec<[Backing; 8]>]) -> EmitResult<Vec<Inputs>> {
        let carried = region.next.len();
        let mut inputs: Vec<Inputs> = first.iter().map(|first| first.iter().map(|&b| b.into()).collect()).collect();
        for number in 0..region.inputs.len() {
            let dtype = region.inputs[number];
            let mask = self.takes_mask(dtype == DType::Bool);
            for inputs in &mut inputs {
                let input: &mut ValueLocation = &mut inputs[number];
                let is_lanes = matches!(input.backing, Backing::Lanes(_));
                if number >= carried && (mask || !is_lanes || self.vectors.count() <= FREE_VECTORS + 2) {
                    continue;
                }
                let file = if mask { &mut self.masks } else { &mut self.vectors };
                let register = file.take().ok_or("so many values")?;
                match input.backing {
                    Backing::Lanes(at) if mask => self.asm.mask_load(KReg(register), at),
                    Backing::Lanes(at) => self.copy(VReg(register), Rm::Mem(at)),
                    Backing::Element(from) => self.broadcast_element(register, from, dtype),
                    Backing::None => unreachable!("all values are stored before a loop"),
                }
                input.register = Some(register);
                self.free_temps();
            }
        }
        if self.level() == Level::Avx512 {
            for _ in &inputs {
                self.loops.open.active.push(KReg(self.masks.take().ok_or("so many bools")?));
            }
        }
        // What is carried is in its register alone.
        inputs
            .iter_mut()
            .for_each(|inputs| inputs[..carried].iter_mut().for_each(|input| input.backing = Backing::None));
        Ok(inputs)
    }

    /// Emits the turns. The last jump leads to `done`, or on to there.
    fn turns(&mut self, region: &RegionBody<'_>, inputs: &[Inputs], done: Label) -> EmitResult<()> {
        let (again, mut start) = (self.asm.label(), 0);
        self.asm.bind(again);
        self.hold_inputs(region, inputs);
        for &condition in &region.conditions {
            let end = condition.0 as usize + 1;
            self.instructions(start..end, inputs.len())?;
            self.narrow_active(condition, inputs.len());
            start = end;
        }
        self.leave_unless_active(region, inputs.len(), done);
        if region.body.has_slow_path() {
            self.leave_if_slow(done);
        }
        self.instructions(start..region.body.fragment.insts.len(), inputs.len())?;
        self.carry(region, inputs);
        self.loops.open.is_past_condition = false;
        self.forget_registers();
        self.asm.sub_imm(TURNS_LEFT, 1);
        self.asm.jump_if(Cond::NotEqual, again);
        let poll = self.loops.poll_routine.expect("the prologue of a body with loops reserves it");
        self.asm.call(poll.entry);
        self.asm.cmp_imm(TURNS_LEFT, 1);
        self.asm.jump_if(Cond::NotEqual, again);
        Ok(())
    }

    /// Has the inputs where they are at the beginning of each turn.
    fn hold_inputs(&mut self, region: &RegionBody<'_>, inputs: &[Inputs]) {
        for (copy, inputs) in inputs.iter().enumerate() {
            self.unroll_index = copy;
            for (at, inst) in region.body.fragment.insts.iter().enumerate() {
                let Inst::Input(number) = *inst else { continue };
                let input = inputs[number as usize];
                *self.location(at as u32) = input;
                if let Some(register) = input.register {
                    let (value, is_mask) = (self.in_copy(at as u32), self.takes_mask(self.is_mask(at as u32)));
                    if is_mask { self.masks.assign(register, value) } else { self.vectors.assign(register, value) }
                }
            }
        }
    }

    /// Emits some instructions of a region for so many copies.
    fn instructions(&mut self, range: Range<usize>, copies: usize) -> EmitResult<()> {
        for at in range {
            for copy in 0..copies {
                self.unroll_index = copy;
                if self.is_emitted(at) && !matches!(self.body.fragment.insts[at], Inst::Input(_)) {
                    self.emit_inst(at).map_err(|missing| missing.what)?;
                    self.free_dead(&[ValueId(at as u32)]);
                    self.free_temps();
                }
            }
        }
        Ok(())
    }

    /// Takes the lanes in which a condition is false from those that make the turn (AVX-512).
    fn narrow_active(&mut self, condition: ValueId, copies: usize) {
        if self.level() == Level::Avx2 {
            return;
        }
        for copy in 0..copies {
            self.unroll_index = copy;
            let (mask, active) = (self.mask(condition), self.loops.open.active[copy]);
            // Lanes beyond the row may hold anything.
            let before = if self.loops.open.is_past_condition { active } else { LANE_MASK };
            self.asm.mask_op(&f::KANDQ, active, mask.k(), before);
            self.free_temps();
        }
        self.loops.open.is_past_condition = true;
    }

    /// The lanes of the current copy in which all conditions hold.
    fn active(&mut self, region: &RegionBody<'_>) -> MaskReg {
        if self.level() == Level::Avx512 {
            return MaskReg(self.loops.open.active[self.unroll_index].0);
        }
        let mut all = self.mask(region.conditions[0]);
        for &condition in &region.conditions[1..] {
            let (other, both) = (self.mask(condition), MaskReg(self.temp().0));
            self.logic(Logic::And, both, all, other);
            all = both;
        }
        all
    }

    /// Jumps to `done` where the conditions hold together in no lane of so many copies.
    fn leave_unless_active(&mut self, region: &RegionBody<'_>, copies: usize, done: Label) {
        let mut any: Option<MaskReg> = None;
        for copy in 0..copies {
            self.unroll_index = copy;
            let mask = self.active(region);
            any = Some(match any {
                None => mask,
                Some(others) => {
                    let both = if self.level() == Level::Avx512 { self.temp_mask() } else { MaskReg(self.temp().0) };
                    self.logic(Logic::Or, both, others, mask);
                    both
                }
            });
        }
        let any = any.expect("there is a copy");
        match self.level() {
            Level::Avx512 => self.asm.mask_test(&f::KORTESTQ, any.k(), any.k()),
            Level::Avx2 => {
                self.asm.vex_signs(SCRATCH, any.v());
                self.asm.test(SCRATCH, SCRATCH);
            }
        }
        self.asm.jump_if(Cond::Equal, done);
        self.free_temps();
    }

    /// Jumps to `done` where an elementary function needs its slow path: the values of such lanes are undefined, and may go on for ever.
    pub(crate) fn leave_if_slow(&mut self, done: Label) {
        match self.level() {
            Level::Avx512 => {
                let slow = self.temp_mask();
                self.asm.mask_op(&f::KANDNQ, slow.k(), FAST_LANES, LANE_MASK);
                self.asm.mask_test(&f::KORTESTQ, slow.k(), slow.k());
            }
            Level::Avx2 => {
                self.asm.vex_signs(SCRATCH, SLOW_VECTOR);
                self.asm.test(SCRATCH, SCRATCH);
            }
        }
        self.asm.jump_if(Cond::NotEqual, done);
        self.free_temps();
    }

    /// Gives the carried inputs their next values in the lanes that make the turn.
    fn carry(&mut self, region: &RegionBody<'_>, inputs: &[Inputs]) {
        self.current = region.body.fragment.insts.len() as u32;
        for (copy, inputs) in inputs.iter().enumerate() {
            self.unroll_index = copy;
            let active = self.active(region);
            let moved: SmallVec<[Option<u8>; 8]> =
                (0..region.next.len()).map(|number| self.moved_input(region, number)).collect();
            for (number, &next) in region.next.iter().enumerate() {
                let dtype = region.inputs[number];
                let to = inputs[number].register.expect("what is carried has a register");
                if self.body.fragment.insts[next.0 as usize] == Inst::Input(number as u8) {
                    continue;
                }
                let from = moved[number].unwrap_or_else(|| self.register(next));
                self.blend_carried(active, to, from, dtype);
            }
            self.free_temps();
        }
    }

    /// A copy of what a carried input has next, where that is another one, which may be overwritten before.
    fn moved_input(&mut self, region: &RegionBody<'_>, number: usize) -> Option<u8> {
        let next = region.next[number];
        let Inst::Input(other) = self.body.fragment.insts[next.0 as usize] else { return None };
        if usize::from(other) == number || usize::from(other) >= region.next.len() {
            return None;
        }
        let from = self.register(next);
        if self.takes_mask(region.inputs[number] == DType::Bool) {
            let copy = self.temp_mask();
            self.copy_mask(copy, MaskReg(from));
            return Some(copy.0);
        }
        let copy = self.temp();
        self.copy(copy, Rm::Reg(VReg(from)));
        Some(copy.0)
    }

    /// Replaces what is in a register by what is in another, in the lanes that make the turn.
    fn blend_carried(&mut self, active: MaskReg, to: u8, from: u8, dtype: DType) {
        let lanes = if dtype == DType::Bool { active } else { self.as_wide_as(active, dtype) };
        if self.takes_mask(dtype == DType::Bool) {
            let blended = self.temp_mask();
            self.blend_masks(blended, lanes, MaskReg(from), MaskReg(to));
            self.copy_mask(MaskReg(to), blended);
        } else if dtype == DType::Bool {
            self.blend_masks(MaskReg(to), lanes, MaskReg(from), MaskReg(to));
        } else {
            self.blend(VReg(to), lanes, Rm::Reg(VReg(from)), VReg(to), dtype);
        }
    }

    /// Stores what the current copy's loop carried. Returns the slots.
    fn store_carried(&mut self, region: &RegionBody<'_>, inputs: &Inputs) -> SmallVec<[usize; 4]> {
        let mut slots = SmallVec::new();
        for (number, dtype) in region.carried().enumerate() {
            let register = inputs[number].register.expect("what is carried has a register");
            if self.takes_mask(dtype == DType::Bool) {
                let at = self.arguments.slot(8);
                self.asm.mask_store(at_arguments(at), KReg(register));
                slots.push(at);
            } else {
                let at = self.arguments.slot(VECTOR_BYTES);
                self.store_slot(at, VReg(register));
                slots.push(at);
            }
        }
        slots
    }
}

/// By input: where it is at the beginning of a turn.
type Inputs = SmallVec<[ValueLocation; 8]>;

/// Instructions to emit, and where their values are.
struct Scope<'a> {
    body: &'a Body<'a>,
    locations: Vec<ValueLocation>,
    hoisted: Vec<Option<Backing>>,
    current: u32,
    open_region: OpenRegion,
}

impl<'a> Scope<'a> {
    /// So many copies of the instructions of a region.
    fn of(body: &'a Body<'a>, copies: usize) -> Scope<'a> {
        let count = body.fragment.insts.len();
        let locations = vec![ValueLocation::from(Backing::None); count * copies];
        Scope { body, locations, hoisted: vec![None; count], current: 0, open_region: OpenRegion::default() }
    }
}
