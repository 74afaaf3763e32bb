//! Instruction selection: emits the instructions of each value of a fragment, in order, and tracks the locations of values.
//!
//! A number is a vector of as many lanes as the loop has, in the narrowest register that holds them; for bools see
//! [`crate::x86::isel::bools`]. With AVX-512, an instruction that touches memory or may raise a flag is masked at the tail. AVX2 has
//! no masks, so its tail has no missing lanes (see `loops::tail`).
//!
//! An instruction without machine code is an error; then another backend runs the kernel.

use crate::x86::asm::encode::{Assembler, KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::{Arguments, Divisor};
use crate::x86::isel::body::Body;
use crate::x86::isel::const_registers::ConstRegisters;
use crate::x86::isel::conventions::{BASES, LANE_MASK, SLOW_VECTOR, StrideKinds, VECTOR_BYTES, at_arguments};
use crate::x86::isel::exit_tests::SideExit;
use crate::x86::isel::open_region::Loops;
use crate::x86::isel::port_balance::balanced;
use crate::x86::isel::registers::{RegisterFile, ValueNumber, next_use};
use crate::x86::isel::row_vectors::{CarriedRows, JammedRows};
use crate::x86::isel::shifted_loads::{SharedVectors, Shifts};
use crate::{DType, Inst, Op, Scalar, ValueId};
use smallvec::SmallVec;
use std::rc::Rc;

/// Copies of a long body whose instructions alternate. Maps have two; a reduction has a copy for each chain, and four have too few
/// registers for their values.
pub(crate) const INTERLEAVED: usize = 2;

/// The result of emitting an instruction; the error says what has no machine code.
pub(crate) type EmitResult<T> = std::result::Result<T, String>;

/// An instruction of a fragment without machine code.
pub(crate) struct Unsupported {
    pub(crate) at: usize,
    pub(crate) what: String,
}

/// The machine code of one copy of an instruction: the bytes from `start` to `end`.
#[derive(Clone, Copy)]
pub(crate) struct InstSpan {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) inst: usize,
    pub(crate) copy: usize,
}

/// A loop over full vectors: its bytes, from `start` to `end`, and the vectors that an iteration computes.
#[derive(Clone, Copy)]
pub(crate) struct LoopSpan {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) vectors: usize,
}

/// What a loop does instead of the default at stores and at results of accumulators.
pub(crate) trait LoopHooks {
    /// Takes a value that the fragment stores to an operand, with the registers of the loop; false where it is to be stored.
    fn store(&self, e: &mut Emitter<'_>, operand: usize, value: ValueId) -> bool;

    /// Defines the current value: the running result of an accumulator.
    ///
    /// # Errors
    /// The loop has no such result.
    fn result(&self, e: &mut Emitter<'_>, accumulator: usize) -> EmitResult<()>;
}

/// The memory that backs a value: where it is reloaded from.
#[derive(Clone, Copy)]
pub(crate) enum Backing {
    None,
    /// One element for all lanes.
    Element(Mem),
    /// All lanes: a slot of the argument block, or of a frame ([`crate::x86::isel::slices`]).
    Lanes(Mem),
}

/// The location of a value: a register, memory, or both.
#[derive(Clone, Copy)]
pub(crate) struct ValueLocation {
    pub(crate) register: Option<u8>,
    pub(crate) backing: Backing,
}

impl From<Backing> for ValueLocation {
    fn from(backing: Backing) -> ValueLocation {
        ValueLocation { register: None, backing }
    }
}

impl ValueLocation {
    /// Whether it has one.
    pub(crate) fn is_defined(self) -> bool {
        self.register.is_some() || !matches!(self.backing, Backing::None)
    }
}

/// Emits the instructions of a fragment, once for each copy of the loop's body.
pub(crate) struct Emitter<'a> {
    pub(crate) asm: Assembler,
    pub(crate) arguments: Arguments,
    pub(crate) body: &'a Body<'a>,
    pub(crate) kinds: &'a StrideKinds,
    /// By copy of the body and value.
    pub(crate) locations: Vec<ValueLocation>,
    /// By instruction: whether it is a sum that the ports of products compute; empty where none is.
    by_products: Vec<bool>,
    /// By value: the backing of a value hoisted out of the loop.
    pub(crate) hoisted: Vec<Option<Backing>>,
    /// Divisors whose reciprocals are in the argument block ([`crate::x86::isel::reciprocal_division`]).
    pub(crate) divisors: SmallVec<[(ValueId, Divisor); 2]>,
    pub(crate) vectors: RegisterFile,
    pub(crate) masks: RegisterFile,
    /// The current instruction, its copy in the unrolled body, and whether this is the tail, where lanes may be missing.
    pub(crate) current: u32,
    pub(crate) unroll_index: usize,
    pub(crate) is_tail: bool,
    /// Whether the tail is a full vector that overlaps the one before; its results go to the argument block (see `loops::row_loop`).
    pub(crate) overlaps: bool,
    /// The end of the slice that is emitted: later uses of a value read its frame.
    pub(crate) slice_end: u32,
    /// An instruction that was asked for and has no machine code.
    pub(crate) missing: Option<&'static str>,
    /// Operands whose base pointers stay in registers: the first ones.
    pub(crate) resident_bases: usize,
    pub(crate) hooks: Option<Rc<dyn LoopHooks>>,
    pub(crate) loops: Loops,
    pub(crate) const_registers: ConstRegisters,
    /// The shifts of operands, and the registers of their vectors in the loop that is emitted ([`crate::x86::isel::shifted_loads`]).
    pub(crate) shifts: Shifts,
    pub(crate) streams: SmallVec<[SharedVectors; 2]>,
    /// The elements that a loop leaves as it loads a vector more of each; zero if there is none.
    pub(crate) stream_ahead: i32,
    /// The rows that are computed together, or what they carry, while their loops are planned or emitted, and whether there are such loops.
    pub(crate) jammed: Option<JammedRows>,
    pub(crate) carried: Option<CarriedRows>,
    pub(crate) shares_rows: bool,
    /// The tests so far that may leave the loop ([`crate::x86::isel::side_exits`]).
    pub(crate) side_exits: Vec<SideExit>,
    /// Exponentials in work: their `bound`, by copy and value, and the slot that says whether all lanes are in the common range
    /// ([`crate::x86::isel::common_range`]).
    pub(crate) common_ranges: SmallVec<[(ValueNumber, usize); 4]>,
    /// In the order of the code, where the body records them; none otherwise.
    pub(crate) spans: Vec<InstSpan>,
    /// The loops that compute most elements, one for each slice, where the body records them.
    pub(crate) loop_spans: Vec<LoopSpan>,
}

/// The form for an element size, among those of one, two, four and eight bytes.
pub(crate) fn by_size(dtype: DType, forms: [&'static Form; 4]) -> &'static Form {
    forms[dtype.size().trailing_zeros() as usize]
}

/// The instruction that broadcasts an element of so many bytes.
pub(crate) fn broadcast(bytes: usize) -> &'static Form {
    [&f::VPBROADCASTB, &f::VPBROADCASTW, &f::VPBROADCASTD, &f::VPBROADCASTQ][bytes.trailing_zeros() as usize]
}

/// The form for single or double precision.
pub(crate) fn by_float(dtype: DType, single: &'static Form, double: &'static Form) -> &'static Form {
    if dtype == DType::F64 { double } else { single }
}

/// The instruction for the first of two floats if it is the larger (or the smaller), else the second. Like a signalling
/// comparison it raises invalid where one is a nan; a kernel that reports that flag is re-executed.
fn extreme(op: Op, dtype: DType) -> &'static Form {
    match op {
        Op::Maximum => by_float(dtype, &f::VMAXPS, &f::VMAXPD),
        _ => by_float(dtype, &f::VMINPS, &f::VMINPD),
    }
}

/// The vector registers that may hold values, a bit each.
fn free_vectors(body: &Body<'_>) -> u32 {
    let all = body.level.registers();
    if body.level == Level::Avx2 && body.has_slow_path() { all & !(1 << SLOW_VECTOR.0) } else { all }
}

pub(crate) fn is_real(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(body: &'a Body<'a>, kinds: &'a StrideKinds, arguments: Arguments) -> Emitter<'a> {
        Emitter {
            asm: match body.level {
                Level::Avx2 => Assembler::for_avx2(),
                Level::Avx512 => Assembler::new(),
            },
            arguments,
            body,
            kinds,
            locations: vec![],
            by_products: balanced(body),
            hoisted: vec![None; body.fragment.insts.len()],
            divisors: SmallVec::new(),
            vectors: RegisterFile::new(free_vectors(body)),
            // Mask register 0 means no mask, and 1 is the lane mask.
            masks: RegisterFile::new(if body.has_slow_path() { 0b0111_1100 } else { 0b1111_1100 }),
            current: 0,
            unroll_index: 0,
            is_tail: false,
            overlaps: false,
            slice_end: u32::MAX,
            missing: None,
            resident_bases: BASES.len(),
            hooks: None,
            loops: Loops::default(),
            const_registers: ConstRegisters::default(),
            shifts: Shifts::default(),
            streams: SmallVec::new(),
            stream_ahead: 0,
            jammed: None,
            carried: None,
            shares_rows: false,
            side_exits: vec![],
            common_ranges: SmallVec::new(),
            spans: vec![],
            loop_spans: vec![],
        }
    }

    /// Reserves vector registers, a bit each: they never hold values.
    pub(crate) fn reserve(&mut self, registers: u32) {
        self.vectors = RegisterFile::new(free_vectors(self.body) & !registers);
    }

    /// Frees the temporaries of an instruction.
    pub(crate) fn free_temps(&mut self) {
        self.vectors.unpin();
        self.masks.unpin();
    }

    /// Frees the temporaries but these, one of which may be the current value.
    pub(crate) fn keep_temps(&mut self, vectors: &[VReg]) {
        self.free_temps();
        vectors.iter().for_each(|register| self.vectors.pin_again(register.0));
    }

    /// Emits so many copies of the body. Those of a long one are interleaved: each instruction for one vector after the other, so that
    /// those of one vector fill the time in which those of another wait for their arguments. Where elements are stored by offsets, the
    /// copies follow one another, as the last store wins; also where too few mask registers are free: remainders took 1.20 times as long with
    /// spilled masks, arctangents of two singles 1.12 (Zen 4).
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn body(&mut self, copies: usize, is_tail: bool) -> std::result::Result<(), Unsupported> {
        self.is_tail = is_tail;
        self.begin_body(copies);
        let count = self.body.fragment.insts.len();
        let together = if self.interleaves() && self.has_masks() { INTERLEAVED } else { 1 };
        for first in (0..copies).step_by(together) {
            let some = first..copies.min(first + together);
            for at in 0..count {
                if self.body.exits_before(at) {
                    self.side_exit(at, some.clone());
                }
                if self.body.region(at).is_some() {
                    self.repeat(at, some.clone())?;
                } else {
                    some.clone().try_for_each(|copy| self.emit_live(at, copy))?;
                }
            }
        }
        Ok(())
    }

    /// Whether copies of the body, or of its slices, are interleaved, [`INTERLEAVED`] at a time.
    pub(crate) fn interleaves(&self) -> bool {
        self.body.is_long() && !self.body.scatters()
    }

    /// Ends a slice: no value is in a register.
    pub(crate) fn forget_registers(&mut self) {
        for value in self.vectors.held().chain(self.masks.held()) {
            self.locations[value as usize].register = None;
        }
        self.vectors.reset();
        self.masks.reset();
        self.common_ranges.clear();
    }

    /// Emits an instruction of a copy, unless it is dead or hoisted.
    fn emit_live(&mut self, at: usize, copy: usize) -> std::result::Result<(), Unsupported> {
        self.unroll_index = copy;
        if self.is_emitted(at) {
            self.emit_inst(at)?;
            self.free_dead(&[ValueId(at as u32)]);
            self.free_temps();
        }
        Ok(())
    }

    /// Whether an instruction is emitted where its turn comes: it is live, and not hoisted.
    pub(crate) fn is_emitted(&self, at: usize) -> bool {
        self.body.is_live(at) && self.hoisted[at].is_none()
    }

    /// Whether an instruction is a sum that the ports of products compute.
    pub(crate) fn is_by_product(&self, at: usize) -> bool {
        self.by_products.get(at).is_some_and(|&is| is)
    }

    /// The location of a value of the current copy.
    pub(crate) fn location(&mut self, value: ValueNumber) -> &mut ValueLocation {
        let number = self.in_copy(value);
        &mut self.locations[number as usize]
    }

    /// The number of a value of the current copy among those of all copies.
    pub(crate) fn in_copy(&self, value: ValueNumber) -> ValueNumber {
        (self.unroll_index * self.body.fragment.insts.len()) as u32 + value
    }

    /// The next use of a value of the current copy, in this slice.
    pub(crate) fn next_use(&self, value: ValueNumber) -> u32 {
        next_use(&self.body.uses, value, self.current + 1, self.slice_end)
    }

    /// Begins so many copies of the body: no value is in a register.
    pub(crate) fn begin_body(&mut self, copies: usize) {
        let location =
            |backing: &Option<Backing>| ValueLocation { register: None, backing: backing.unwrap_or(Backing::None) };
        self.locations.clear();
        for _ in 0..copies {
            self.locations.extend(self.hoisted.iter().map(location));
        }
        self.vectors.reset();
        self.masks.reset();
        self.common_ranges.clear();
        self.loops.exits.clear();
    }

    /// Emits an instruction.
    ///
    /// # Errors
    /// It has no machine code.
    pub(crate) fn emit_inst(&mut self, at: usize) -> std::result::Result<(), Unsupported> {
        let start = self.asm.len();
        self.current = at as u32;
        self.inst(at).map_err(|what| Unsupported { at, what })?;
        self.check_missing(at)?;
        if self.body.is_slow_mask(at as u32) {
            self.record_slow_lanes();
        }
        self.record_span(at, start);
        Ok(())
    }

    /// Records that the code from `start` on comes from an instruction, for listings.
    pub(crate) fn record_span(&mut self, inst: usize, start: usize) {
        if !self.body.records_spans {
            return;
        }
        let (end, copy) = (self.asm.len(), self.unroll_index);
        match self.spans.last_mut() {
            Some(last) if (last.inst, last.copy) == (inst, copy) && last.end == start => last.end = end,
            _ => self.spans.push(InstSpan { start, end, inst, copy }),
        }
    }

    /// Records that the code from `start` on is a loop over so many vectors, for listings. How long loops inside take data decide.
    pub(crate) fn record_loop(&mut self, start: usize, vectors: usize) {
        if self.body.records_spans && !self.body.has_loops() {
            self.loop_spans.push(LoopSpan { start, end: self.asm.len(), vectors });
        }
    }

    /// Checks that every instruction asked for so far has machine code.
    ///
    /// # Errors
    /// The one that has none.
    pub(crate) fn check_missing(&self, at: usize) -> std::result::Result<(), Unsupported> {
        self.missing.map_or(Ok(()), |what| Err(Unsupported { at, what: what.into() }))
    }

    pub(crate) fn dtype(&self, value: ValueId) -> DType {
        self.body.fragment.dtype(value)
    }

    pub(crate) fn level(&self) -> Level {
        self.body.level
    }

    pub(crate) fn lanes(&self) -> usize {
        self.body.lanes
    }

    /// The number of axes of the domain.
    pub(crate) fn axes(&self) -> usize {
        (self.body.kernel.outer + self.body.kernel.inner) as usize
    }

    // --- registers ---------------------------------------------------------------------------------------------------

    pub(crate) fn width(&self, dtype: DType) -> Width {
        match self.body.lanes * dtype.size() {
            64 => Width::W512,
            32 => Width::W256,
            _ => Width::W128,
        }
    }

    /// The width of a whole register.
    pub(crate) fn whole(&self) -> Width {
        match self.level() {
            Level::Avx2 => Width::W256,
            Level::Avx512 => Width::W512,
        }
    }

    /// The mask of an instruction that touches memory or may raise flags, at the tail or where the lanes do not fill a register.
    pub(crate) fn masking(&self, dtype: DType) -> Masking {
        if let Some(k) = self.loops.open.mask(self.unroll_index) {
            return Masking { k, zero: true };
        }
        let all = self.level() == Level::Avx2 || !self.is_tail && self.lanes() * dtype.size() >= 16;
        Masking { k: if all { KReg(0) } else { LANE_MASK }, zero: !all }
    }

    pub(crate) fn is_mask(&self, value: ValueNumber) -> bool {
        self.body.fragment.types[value as usize] == DType::Bool
    }

    /// Whether a value, a bool or not, is in a mask register.
    pub(crate) fn takes_mask(&self, is_bool: bool) -> bool {
        is_bool && self.level() == Level::Avx512
    }

    /// Allocates a register for a value, or for a temporary; `mask` for a bool.
    pub(crate) fn alloc(&mut self, value: Option<ValueNumber>, mask: bool) -> u8 {
        let (uses, at, end) = (&self.body.uses, self.current, self.slice_end);
        let (mask, value) = (self.takes_mask(mask), value.map(|value| self.in_copy(value)));
        // Copies after the current one have not come to this instruction yet.
        let (count, passed) =
            (self.body.fragment.insts.len() as u32, self.in_copy(0) + self.body.fragment.insts.len() as u32);
        let next = |v: ValueNumber| next_use(uses, v % count, at + (v < passed) as u32, end);
        let file = if mask { &mut self.masks } else { &mut self.vectors };
        let Some((register, evicted)) = file.alloc(value, next) else {
            // The compilation fails, so the code from here on is never run.
            self.missing = Some("more registers at once");
            return 0;
        };
        if let Some(evicted) = evicted {
            self.spill(evicted, register, mask);
        }
        if let Some(value) = value {
            self.locations[value as usize].register = Some(register);
        }
        register
    }

    /// Spills a value: stores it to a slot of the argument block, unless memory backs it already.
    pub(crate) fn spill(&mut self, value: ValueNumber, register: u8, mask: bool) {
        let location = &mut self.locations[value as usize];
        location.register = None;
        if let Backing::None = location.backing {
            let at = self.arguments.slot(if mask { 8 } else { VECTOR_BYTES });
            location.backing = Backing::Lanes(at_arguments(at));
            if mask {
                self.asm.mask_store(at_arguments(at), KReg(register));
            } else {
                self.store_slot(at, VReg(register));
            }
        }
    }

    /// Stores a number of eight bytes to the argument block, whose lanes are then loaded one by one. A vector of 64 bytes is stored
    /// in halves: loads of lanes from one store take 1.0 ns an element instead of 0.3, as the store buffer does not forward.
    pub(crate) fn stored_lanes(&mut self, value: ValueId) -> Mem {
        if let Backing::Lanes(at) = self.location(value.0).backing {
            return at;
        }
        let (register, at) = (self.vector(value), self.arguments.slot(VECTOR_BYTES));
        match self.level() {
            Level::Avx512 => {
                let [low, high] = [at, at + VECTOR_BYTES / 2].map(at_arguments);
                self.asm.store(&f::VMOVUPS_STORE, Width::W256, low, register, KReg(0));
                self.asm.store_imm(&f::VEXTRACTI64X4, Width::W512, high, register, KReg(0), Some(1));
            }
            Level::Avx2 => self.store_slot(at, register),
        }
        at_arguments(at)
    }

    /// Stores a whole vector register to a slot of the argument block.
    pub(crate) fn store_slot(&mut self, at: usize, register: VReg) {
        self.store_lanes(at_arguments(at), register);
    }

    /// Stores a whole vector register.
    pub(crate) fn store_lanes(&mut self, to: Mem, register: VReg) {
        match self.level() {
            Level::Avx512 => self.asm.store(&f::VMOVUPS_STORE, Width::W512, to, register, KReg(0)),
            Level::Avx2 => self.asm.vex_store(&f::VMOVUPS_STORE, Width::W256, to, register, None),
        }
    }

    /// Copies a register, or loads one.
    pub(crate) fn copy(&mut self, out: VReg, from: Rm) {
        self.emit(&f::VMOVUPS, self.whole(), out, VReg(0), from, Masking::NONE, None);
    }

    /// Zeroes all lanes.
    pub(crate) fn zero(&mut self, out: VReg) {
        self.emit(&f::VPXORD, self.whole(), out, out, Rm::Reg(out), Masking::NONE, None);
    }

    /// The register of a value, which is reloaded if it was spilled.
    pub(crate) fn register(&mut self, value: ValueId) -> u8 {
        let is_bool = self.is_mask(value.0);
        let mask = self.takes_mask(is_bool);
        if let Some(register) = self.location(value.0).register {
            if mask {
                self.masks.pin(register)
            } else {
                self.vectors.pin(register)
            }
            return register;
        }
        let backing = self.location(value.0).backing;
        if let (Backing::Element(from), false) = (backing, is_bool)
            && let Some(register) = self.const_register(from, self.dtype(value).size())
        {
            return register.0;
        }
        let register = self.alloc(Some(value.0), is_bool);
        match backing {
            Backing::Lanes(at) if mask => self.asm.mask_load(KReg(register), at),
            Backing::Lanes(at) => self.copy(VReg(register), Rm::Mem(at)),
            Backing::Element(from) => self.broadcast_element(register, from, self.dtype(value)),
            Backing::None => unreachable!("a verified fragment defines values before it uses them"),
        }
        register
    }

    pub(crate) fn vector(&mut self, value: ValueId) -> VReg {
        VReg(self.register(value))
    }

    /// A number as the last operand of an instruction on elements of its size: a register, or memory if the instruction takes it.
    pub(crate) fn operand(&mut self, value: ValueId) -> Rm {
        let location = *self.location(value.0);
        match (location.register, location.backing) {
            (None, Backing::Element(from)) if self.level() == Level::Avx512 && self.dtype(value).size() >= 4 => {
                self.broadcast_operand(from, self.dtype(value).size())
            }
            (None, Backing::Lanes(at)) if self.level() == Level::Avx2 => Rm::Mem(at),
            _ => Rm::Reg(self.vector(value)),
        }
    }

    /// An element of four or eight bytes, broadcast to all lanes, as the last operand.
    pub(crate) fn broadcast_operand(&mut self, from: Mem, bytes: usize) -> Rm {
        self.const_register(from, bytes).map_or(Rm::Broadcast(from), Rm::Reg)
    }

    /// A constant as the last operand.
    pub(crate) fn constant(&mut self, value: Scalar) -> Rm {
        let (from, bytes) = (at_arguments(self.arguments.constant(value)), value.dtype().size());
        match self.level() {
            Level::Avx2 => Rm::Mem(from),
            Level::Avx512 if bytes >= 4 => self.broadcast_operand(from, bytes),
            Level::Avx512 => Rm::Reg(self.constant_vector(value)),
        }
    }

    /// Frees the registers of values that are dead.
    pub(crate) fn free_dead(&mut self, values: &[ValueId]) {
        for value in values {
            if self.next_use(value.0) == u32::MAX
                && let Some(register) = self.location(value.0).register.take()
            {
                if self.takes_mask(self.is_mask(value.0)) {
                    self.masks.release(register)
                } else {
                    self.vectors.release(register)
                }
            }
        }
    }

    pub(crate) fn define_vector(&mut self) -> VReg {
        VReg(self.alloc(Some(self.current), false))
    }

    pub(crate) fn temp(&mut self) -> VReg {
        VReg(self.alloc(None, false))
    }

    // --- shapes of instructions --------------------------------------------------------------------------------------

    /// Defines the current value by an instruction of two operands. `raises`: it may raise a flag, so missing lanes are masked.
    pub(crate) fn binary(&mut self, form: &'static Form, a: ValueId, b: ValueId, dtype: DType, raises: bool) {
        let (x, y) = (self.vector(a), self.operand(b));
        let is_one = self.is_single(form);
        if is_one {
            self.free_dead(&[a, b]);
        }
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.emit(form, self.width(dtype), out, x, y, mask, None);
        self.free_dead(&[a, b]);
    }

    /// Defines the current value by an instruction of a value and a constant.
    pub(crate) fn binary_constant(&mut self, form: &'static Form, a: ValueId, constant: Scalar, raises: bool) {
        let dtype = self.dtype(a);
        let (x, y) = (self.vector(a), self.constant(constant));
        self.free_dead(&[a]);
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.emit(form, self.width(dtype), out, x, y, mask, None);
    }

    /// Defines the current value by an instruction of one operand; `wide` is the type that gives the width.
    pub(crate) fn unary(&mut self, form: &'static Form, a: ValueId, wide: DType, immediate: Option<u8>) {
        let x = self.vector(a);
        let is_one = self.is_single(form);
        if is_one {
            self.free_dead(&[a]);
        }
        let out = self.define_vector();
        // Lanes are numbers of the wider type.
        let (width, mask) = (self.width(wide), self.masking(wide));
        self.emit(form, width, out, VReg(0), Rm::Reg(x), mask, immediate);
        self.free_dead(&[a]);
    }

    /// Gives the register of a number that dies here to the current value.
    pub(crate) fn reuse(&mut self, a: ValueId) -> Option<VReg> {
        let register = self.location(a.0).register?;
        if self.next_use(a.0) != u32::MAX || self.is_mask(a.0) {
            return None;
        }
        self.location(a.0).register = None;
        self.assign(VReg(register));
        Some(VReg(register))
    }

    /// The current value is a mask of slow-path lanes: adds it to those of the loop.
    fn record_slow_lanes(&mut self) {
        if self.location(self.current).register.is_some() {
            let mask = self.mask(ValueId(self.current));
            self.add_slow_lanes(mask);
        }
    }

    /// The current value is a copy of another one.
    pub(crate) fn copy_value(&mut self, a: ValueId) {
        if self.is_mask(a.0) {
            let x = self.mask(a);
            self.free_dead(&[a]);
            let out = self.define_mask();
            self.copy_mask(out, x);
        } else {
            let x = self.vector(a);
            if self.reuse(a).is_some() {
                return;
            }
            self.free_dead(&[a]);
            let out = self.define_vector();
            self.copy(out, Rm::Reg(x));
        }
    }

    // --- values ------------------------------------------------------------------------------------------------------

    fn inst(&mut self, at: usize) -> EmitResult<()> {
        let body = self.body;
        let dtype = body.fragment.types[at];
        match body.fragment.insts[at] {
            // Complex numbers are loaded and stored by their parts.
            Inst::Load(_) | Inst::Param(_) if dtype.is_complex() => Ok(()),
            Inst::Select(_) | Inst::Cast(..) | Inst::Const(_) | Inst::Complex(_) | Inst::Gather(..)
                if dtype.is_complex() =>
            {
                Err("complex numbers".into())
            }
            Inst::Part(value, part) => self.part(value, part, dtype),
            Inst::Load(operand) => self.load(operand.0 as usize, dtype),
            Inst::Param(scalar) => {
                let from = self.arguments.scalar(scalar.0 as usize);
                self.set_backing(self.constant_backing(from));
                Ok(())
            }
            Inst::Const(value) => {
                let from = self.arguments.constant(value);
                self.set_backing(self.constant_backing(from));
                Ok(())
            }
            Inst::Index(axis) => {
                self.coordinate(axis as usize);
                Ok(())
            }
            Inst::Apply(op, [a, b]) => match (body.ternary(at), body.disjoint(at)) {
                (Some((ops, words)), _) => {
                    self.ternary(ops, words);
                    Ok(())
                }
                (_, Some(words)) => {
                    self.disjoint(words);
                    Ok(())
                }
                _ => self.apply(op, a, b),
            },
            Inst::Fma(_) => {
                let (values, negative) = body.fused(self.current as usize).expect("a product and a sum");
                self.fused(values, negative, dtype);
                Ok(())
            }
            Inst::Step(step, [a, b]) => self.step(step, a, b),
            Inst::Bits(from, _) => {
                self.copy_value(from);
                Ok(())
            }
            Inst::Select([mask, yes, no]) => {
                match body.extreme(at) {
                    Some((op, [a, b])) => self.binary(extreme(op, dtype), a, b, dtype, false),
                    None => self.select(mask, yes, no, dtype),
                }
                Ok(())
            }
            Inst::Cast(from, to) => self.cast(from, to),
            Inst::Store(operand, value) => {
                let hooks = self.hooks.clone();
                if !hooks.is_some_and(|hooks| hooks.store(self, operand.0 as usize, value)) {
                    self.store(operand.0 as usize, value)?;
                }
                self.free_dead(&[value]);
                Ok(())
            }
            Inst::Complex(_) => Err("complex numbers".into()),
            Inst::Gather(operand, offsets) => self.load_by_offsets(operand.0 as usize, 0, offsets, dtype),
            Inst::Scatter(operand, offsets, value) => self.store_by_offsets(operand.0 as usize, offsets, value),
            Inst::Exit(repeated, input) => {
                self.exit(repeated, input);
                Ok(())
            }
            Inst::Loop(_) | Inst::Input(_) => unreachable!("loops are emitted as a whole"),
            Inst::Result(accumulator) => match self.hooks.clone() {
                Some(hooks) => hooks.result(self, accumulator as usize),
                None => Err("results of folds".into()),
            },
        }
    }

    /// The current value is in memory.
    pub(crate) fn set_backing(&mut self, backing: Backing) {
        self.location(self.current).backing = backing;
    }

    /// The backing of a constant in the argument block: an element, or a vector of copies.
    pub(crate) fn constant_backing(&self, from: usize) -> Backing {
        match self.level() {
            Level::Avx2 => Backing::Lanes(at_arguments(from)),
            Level::Avx512 => Backing::Element(at_arguments(from)),
        }
    }

    fn select(&mut self, mask: ValueId, yes: ValueId, no: ValueId, dtype: DType) {
        if dtype == DType::Bool {
            let (k, y, n) = (self.mask(mask), self.mask(yes), self.mask(no));
            let out = self.define_mask();
            self.blend_masks(out, k, y, n);
            self.free_dead(&[mask, yes, no]);
            return;
        }
        let k = self.mask_as_wide_as(mask, dtype);
        let (y, n) = (self.operand(yes), self.vector(no));
        self.free_dead(&[mask, yes, no]);
        let out = self.define_vector();
        self.blend(out, k, y, n, dtype);
    }

    /// A read-only register with a constant in every lane.
    pub(crate) fn constant_vector(&mut self, value: Scalar) -> VReg {
        let (from, bytes) = (at_arguments(self.arguments.constant(value)), value.dtype().size());
        if let Some(register) = self.const_register(from, bytes) {
            return register;
        }
        let out = self.temp();
        match self.level() {
            Level::Avx2 => self.copy(out, Rm::Mem(from)),
            Level::Avx512 => {
                let from = Rm::Mem(from);
                self.asm.vector(broadcast(bytes), Width::W512, out, VReg(0), from, Masking::NONE, None);
            }
        }
        out
    }

    /// Makes a temporary the register of the current value.
    pub(crate) fn assign(&mut self, register: VReg) {
        self.vectors.assign(register.0, self.in_copy(self.current));
        self.location(self.current).register = Some(register.0);
    }
}
