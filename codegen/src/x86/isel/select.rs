//! Instructions for the values of a fragment, one value after the other.
//!
//! A number is a vector of as many lanes as the loop has, in the narrowest register that holds them; what a bool is, [`crate::x86::isel::bools`]
//! says. Where there are masks, lanes beyond the row are masked wherever memory is touched or a flag could be raised; elsewhere
//! there are none (see [`crate::x86::loops::tail`]).
//!
//! What has no instructions here is an error, and the kernel another backend's.

use crate::x86::asm::encode::{Assembler, KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::const_registers::Held;
use crate::x86::isel::registers::{File, Value, next_use};
use crate::x86::loops::arguments::Arguments;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{LANES, ODD_VECTOR, Steps, Unsupported, VECTOR, at_arguments};
use crate::x86::loops::reduce_loop::Folds;
use crate::x86::loops::scan_loop::Along;
use crate::{DType, Inst, Op, Scalar, ValueId};
use smallvec::SmallVec;

pub(crate) type Result<T> = std::result::Result<T, String>;

/// Where a value is besides a register.
#[derive(Clone, Copy)]
pub(crate) enum Home {
    Nowhere,
    /// One element for all lanes.
    Element(Mem),
    /// Bytes of the arguments.
    Arguments(usize),
}

#[derive(Clone, Copy)]
struct Place {
    register: Option<u8>,
    home: Home,
}

/// Emits bodies.
pub(crate) struct Emitter<'a> {
    pub(crate) asm: Assembler,
    pub(crate) arguments: Arguments,
    pub(crate) body: &'a Body<'a>,
    pub(crate) steps: &'a Steps,
    places: Vec<Place>,
    /// By value: where what was computed before the loop is.
    pub(crate) known: Vec<Option<Home>>,
    pub(crate) vectors: File,
    masks: File,
    /// The instruction at hand, the copy it is of, and whether lanes may be missing.
    pub(crate) at: u32,
    pub(crate) copy: usize,
    pub(crate) rest: bool,
    /// An instruction that was asked for, and for which there is nothing.
    pub(crate) missing: Option<&'static str>,
    /// What stores go into instead of memory, if they do.
    pub(crate) folds: Option<Folds>,
    pub(crate) held: Held,
    /// Numbers of entries of tables, and where they are in the arguments.
    pub(crate) indices: SmallVec<[(Value, usize); 2]>,
    /// What runs along the row.
    pub(crate) along: SmallVec<[Along; 2]>,
}

/// The form for a type among those of four sizes.
pub(crate) fn by_size(dtype: DType, forms: [&'static Form; 4]) -> &'static Form {
    forms[dtype.size().trailing_zeros() as usize]
}

/// The instruction that puts an element of so many bytes from memory into all lanes.
pub(crate) fn broadcast(bytes: usize) -> &'static Form {
    [&f::VPBROADCASTB, &f::VPBROADCASTW, &f::VPBROADCASTD, &f::VPBROADCASTQ][bytes.trailing_zeros() as usize]
}

/// The form for a real float.
pub(crate) fn by_float(dtype: DType, single: &'static Form, double: &'static Form) -> &'static Form {
    if dtype == DType::F64 { double } else { single }
}

/// The instructions of a fused product and sum that write to a factor and to the term, by what is negative.
fn fused_forms(negative: [bool; 2], dtype: DType) -> [&'static Form; 2] {
    let forms = match negative {
        [false, false] => [&f::VFMADD213PS, &f::VFMADD213PD, &f::VFMADD231PS, &f::VFMADD231PD],
        [false, true] => [&f::VFMSUB213PS, &f::VFMSUB213PD, &f::VFMSUB231PS, &f::VFMSUB231PD],
        [true, false] => [&f::VFNMADD213PS, &f::VFNMADD213PD, &f::VFNMADD231PS, &f::VFNMADD231PD],
        [true, true] => [&f::VFNMSUB213PS, &f::VFNMSUB213PD, &f::VFNMSUB231PS, &f::VFNMSUB231PD],
    };
    [by_float(dtype, forms[0], forms[1]), by_float(dtype, forms[2], forms[3])]
}

/// The instruction for the first of two floats if it is the larger (or the smaller), else the second. It raises invalid where
/// one is a nan, as comparisons that signal do: a kernel that reports that runs again.
fn extreme(op: Op, dtype: DType) -> &'static Form {
    match op {
        Op::Maximum => by_float(dtype, &f::VMAXPS, &f::VMAXPD),
        _ => by_float(dtype, &f::VMINPS, &f::VMINPD),
    }
}

/// Bits of the vector registers that may hold values.
fn free_vectors(body: &Body<'_>) -> u32 {
    let all = body.level.registers();
    if body.level == Level::Avx2 && body.leaves_out() { all & !(1 << ODD_VECTOR.0) } else { all }
}

pub(crate) fn is_real(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

impl<'a> Emitter<'a> {
    pub(crate) fn new(body: &'a Body<'a>, steps: &'a Steps, arguments: Arguments) -> Emitter<'a> {
        Emitter {
            asm: match body.level {
                Level::Avx2 => Assembler::for_avx2(),
                Level::Avx512 => Assembler::new(),
            },
            arguments,
            body,
            steps,
            places: vec![],
            known: vec![None; body.fragment.insts.len()],
            vectors: File::new(free_vectors(body)),
            // The first means no mask, the second is of the lanes.
            masks: File::new(if body.leaves_out() { 0b0111_1100 } else { 0b1111_1100 }),
            at: 0,
            copy: 0,
            rest: false,
            missing: None,
            folds: None,
            held: Held::default(),
            indices: SmallVec::new(),
            along: SmallVec::new(),
        }
    }

    /// Keeps vector registers, a bit each, from ever holding values.
    pub(crate) fn reserve(&mut self, registers: u32) {
        self.vectors = File::new(free_vectors(self.body) & !registers);
    }

    /// Frees the registers of a moment.
    pub(crate) fn forget_moments(&mut self) {
        self.vectors.unpin();
        self.masks.unpin();
    }

    /// Frees the registers of a moment but these, which may hold the value at hand as well.
    pub(crate) fn keep_moments(&mut self, vectors: &[VReg]) {
        self.forget_moments();
        vectors.iter().for_each(|register| self.vectors.hold(register.0));
    }

    /// Emits the body once.
    ///
    /// # Errors
    /// The first instruction of the fragment that has none here.
    pub(crate) fn body(&mut self, copy: usize, rest: bool) -> std::result::Result<(), Unsupported> {
        (self.copy, self.rest) = (copy, rest);
        self.begin();
        for at in (0..self.body.fragment.insts.len()).filter(|&at| self.body.is_live(at)) {
            if self.known[at].is_some() {
                continue;
            }
            self.at(at)?;
            self.bury(&[ValueId(at as u32)]);
            self.forget_moments();
        }
        Ok(())
    }

    /// Begins a body: no value is in a register.
    pub(crate) fn begin(&mut self) {
        let place = |known: &Option<Home>| Place { register: None, home: known.unwrap_or(Home::Nowhere) };
        self.places = self.known.iter().map(place).collect();
        self.vectors.reset();
        self.masks.reset();
        self.indices.clear();
    }

    /// Emits an instruction.
    ///
    /// # Errors
    /// It has none here.
    pub(crate) fn at(&mut self, at: usize) -> std::result::Result<(), Unsupported> {
        self.at = at as u32;
        self.inst(at).map_err(|what| Unsupported { at, what })?;
        self.check(at)?;
        if self.body.is_odd(at as u32) {
            self.leave_out();
        }
        Ok(())
    }

    /// Whether there was everything that was needed up to an instruction.
    ///
    /// # Errors
    /// What there was not.
    pub(crate) fn check(&self, at: usize) -> std::result::Result<(), Unsupported> {
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

    /// The axes of the domain.
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

    /// The mask of an instruction that touches memory or flags: the row's end, or lanes that make less than a register.
    pub(crate) fn masking(&self, dtype: DType) -> Masking {
        let all = self.level() == Level::Avx2 || !self.rest && self.lanes() * dtype.size() >= 16;
        Masking { k: if all { KReg(0) } else { LANES }, zero: !all }
    }

    fn is_mask(&self, value: Value) -> bool {
        self.body.fragment.types[value as usize] == DType::Bool
    }

    /// Whether a value, a bool or not, is in a mask register.
    fn takes_mask(&self, is_bool: bool) -> bool {
        is_bool && self.level() == Level::Avx512
    }

    /// A register for a value (none for a moment), a bool or not.
    pub(crate) fn take(&mut self, value: Option<Value>, mask: bool) -> u8 {
        let (uses, at, mask) = (&self.body.uses, self.at, self.takes_mask(mask));
        let file = if mask { &mut self.masks } else { &mut self.vectors };
        let Some((register, leaves)) = file.take(value, |v| next_use(uses, v, at)) else {
            // What is written from here on nobody runs.
            self.missing = Some("more registers at once");
            return 0;
        };
        if let Some(left) = leaves {
            self.leave(left, register, mask);
        }
        if let Some(value) = value {
            self.places[value as usize].register = Some(register);
        }
        register
    }

    /// Has a value leave its register.
    fn leave(&mut self, value: Value, register: u8, mask: bool) {
        let place = &mut self.places[value as usize];
        place.register = None;
        if let Home::Nowhere = place.home {
            let at = self.arguments.room(if mask { 8 } else { VECTOR });
            place.home = Home::Arguments(at);
            if mask {
                self.asm.mask_store(at_arguments(at), KReg(register));
            } else {
                self.put(at, VReg(register));
            }
        }
    }

    /// Where the arguments have all lanes of a number of eight bytes, to be read one by one. Half of the largest vectors at a time:
    /// what is read from a store of the whole takes 1.0 ns an element instead of 0.3, as the processor does not hand it on.
    pub(crate) fn in_arguments(&mut self, value: ValueId) -> usize {
        if let Home::Arguments(at) = self.places[value.0 as usize].home {
            return at;
        }
        let (register, at) = (self.vector(value), self.arguments.room(VECTOR));
        match self.level() {
            Level::Avx512 => {
                let [low, high] = [at, at + VECTOR / 2].map(at_arguments);
                self.asm.store(&f::VMOVUPS_STORE, Width::W256, low, register, KReg(0));
                self.asm.store_imm(&f::VEXTRACTI64X4, Width::W512, high, register, KReg(0), Some(1));
            }
            Level::Avx2 => self.put(at, register),
        }
        at
    }

    /// Puts a whole register into the arguments.
    pub(crate) fn put(&mut self, at: usize, register: VReg) {
        match self.level() {
            Level::Avx512 => {
                self.asm.store(&f::VMOVUPS_STORE, Width::W512, at_arguments(at), register, KReg(0));
            }
            Level::Avx2 => self.asm.vex_store(&f::VMOVUPS_STORE, Width::W256, at_arguments(at), register, None),
        }
    }

    /// Another register with the same number, or one from memory.
    pub(crate) fn copy(&mut self, out: VReg, from: Rm) {
        self.emit(&f::VMOVUPS, self.whole(), out, VReg(0), from, Masking::NONE, None);
    }

    /// Zero in all lanes.
    pub(crate) fn zero(&mut self, out: VReg) {
        self.emit(&f::VPXORD, self.whole(), out, out, Rm::Reg(out), Masking::NONE, None);
    }

    /// The register of a value, which is loaded again if it has left.
    pub(crate) fn register(&mut self, value: ValueId) -> u8 {
        let is_bool = self.is_mask(value.0);
        let mask = self.takes_mask(is_bool);
        if let Some(register) = self.places[value.0 as usize].register {
            if mask {
                self.masks.pin(register)
            } else {
                self.vectors.pin(register)
            }
            return register;
        }
        let home = self.places[value.0 as usize].home;
        if let (Home::Element(from), false) = (home, is_bool)
            && let Some(register) = self.held(from, self.dtype(value).size())
        {
            return register.0;
        }
        let register = self.take(Some(value.0), is_bool);
        match home {
            Home::Arguments(at) if mask => self.asm.mask_load(KReg(register), at_arguments(at)),
            Home::Arguments(at) => self.copy(VReg(register), Rm::Mem(at_arguments(at))),
            Home::Element(from) => self.spread(register, from, self.dtype(value)),
            Home::Nowhere => unreachable!("a verified fragment defines values before it uses them"),
        }
        register
    }

    pub(crate) fn vector(&mut self, value: ValueId) -> VReg {
        VReg(self.register(value))
    }

    /// A number as the last operand of an instruction on elements of its size.
    pub(crate) fn operand(&mut self, value: ValueId) -> Rm {
        let place = self.places[value.0 as usize];
        match (place.register, place.home) {
            (None, Home::Element(from)) if self.level() == Level::Avx512 && self.dtype(value).size() >= 4 => {
                self.spreading(from, self.dtype(value).size())
            }
            (None, Home::Arguments(at)) if self.level() == Level::Avx2 => Rm::Mem(at_arguments(at)),
            _ => Rm::Reg(self.vector(value)),
        }
    }

    /// One element of four or eight bytes for all lanes, as the last operand.
    fn spreading(&mut self, from: Mem, bytes: usize) -> Rm {
        self.held(from, bytes).map_or(Rm::Broadcast(from), Rm::Reg)
    }

    /// A constant as the last operand.
    pub(crate) fn constant(&mut self, value: Scalar) -> Rm {
        let (from, bytes) = (at_arguments(self.arguments.constant(value)), value.dtype().size());
        match self.level() {
            Level::Avx2 => Rm::Mem(from),
            Level::Avx512 if bytes >= 4 => self.spreading(from, bytes),
            Level::Avx512 => Rm::Reg(self.filled(value)),
        }
    }

    /// Gives back the registers of values that nothing needs any more.
    pub(crate) fn bury(&mut self, values: &[ValueId]) {
        for value in values {
            let place = &mut self.places[value.0 as usize];
            if next_use(&self.body.uses, value.0, self.at) == u32::MAX
                && let Some(register) = place.register.take()
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
        VReg(self.take(Some(self.at), false))
    }

    pub(crate) fn moment(&mut self) -> VReg {
        VReg(self.take(None, false))
    }

    // --- shapes of instructions --------------------------------------------------------------------------------------

    /// The value at hand, by one instruction of a register and an operand. `raises`: lanes that are not there must be left out.
    pub(crate) fn two(&mut self, form: &'static Form, a: ValueId, b: ValueId, dtype: DType, raises: bool) {
        let (x, y) = (self.vector(a), self.operand(b));
        let is_one = self.is_one(form);
        if is_one {
            self.bury(&[a, b]);
        }
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.emit(form, self.width(dtype), out, x, y, mask, None);
        self.bury(&[a, b]);
    }

    /// The value at hand, by one instruction of a register and a constant.
    pub(crate) fn with_constant(&mut self, form: &'static Form, a: ValueId, constant: Scalar, raises: bool) {
        let dtype = self.dtype(a);
        let (x, y) = (self.vector(a), self.constant(constant));
        self.bury(&[a]);
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.emit(form, self.width(dtype), out, x, y, mask, None);
    }

    /// The value at hand, by one instruction of one operand; `wide` is the type that gives the width.
    pub(crate) fn one(&mut self, form: &'static Form, a: ValueId, wide: DType, immediate: Option<u8>) {
        let x = self.vector(a);
        let is_one = self.is_one(form);
        if is_one {
            self.bury(&[a]);
        }
        let out = self.define_vector();
        // Lanes are numbers of the wider type.
        let (width, mask) = (self.width(wide), self.masking(wide));
        self.emit(form, width, out, VReg(0), Rm::Reg(x), mask, immediate);
        self.bury(&[a]);
    }

    /// Has the value at hand take over the register of a number that nothing else needs.
    pub(crate) fn take_over(&mut self, a: ValueId) -> Option<VReg> {
        let register = self.places[a.0 as usize].register?;
        if next_use(&self.body.uses, a.0, self.at) != u32::MAX || self.is_mask(a.0) {
            return None;
        }
        self.places[a.0 as usize].register = None;
        self.keep(VReg(register));
        Some(VReg(register))
    }

    /// `a * b + c`, rounded once, the product or the term negative. The instructions write to a source: to one that is not needed
    /// any more, if there is one.
    fn fused(&mut self, [a, b, c]: [ValueId; 3], negative: [bool; 2], dtype: DType) {
        let (width, mask) = (self.width(dtype), self.masking(dtype));
        let [onto_product, onto_sum] = fused_forms(negative, dtype);
        let (x, y) = (self.vector(a), self.vector(b));
        let z = self.operand(c);
        if a != b
            && a != c
            && let Some(out) = self.take_over(a)
        {
            self.emit(onto_product, width, out, y, z, mask, None);
        } else if b != a
            && b != c
            && let Some(out) = self.take_over(b)
        {
            self.emit(onto_product, width, out, x, z, mask, None);
        } else if c != a
            && c != b
            && let Some(out) = self.take_over(c)
        {
            self.emit(onto_sum, width, out, x, Rm::Reg(y), mask, None);
        } else {
            let out = self.define_vector();
            self.copy(out, Rm::Reg(x));
            self.emit(onto_product, width, out, y, z, mask, None);
        }
        self.bury(&[a, b, c]);
    }

    /// The value at hand says in which lanes an elementary function was not computed.
    fn leave_out(&mut self) {
        if self.places[self.at as usize].register.is_some() {
            let mask = self.mask(ValueId(self.at));
            self.add_odd(mask);
        }
    }

    /// The value at hand is another one.
    pub(crate) fn same(&mut self, a: ValueId) {
        if self.is_mask(a.0) {
            let x = self.mask(a);
            self.bury(&[a]);
            let out = self.define_mask();
            self.copy_mask(out, x);
        } else {
            let x = self.vector(a);
            if self.take_over(a).is_some() {
                return;
            }
            self.bury(&[a]);
            let out = self.define_vector();
            self.copy(out, Rm::Reg(x));
        }
    }

    // --- values ------------------------------------------------------------------------------------------------------

    fn inst(&mut self, at: usize) -> Result<()> {
        let body = self.body;
        let dtype = body.fragment.types[at];
        match body.fragment.insts[at] {
            // Their parts are what is loaded, and stored.
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
                self.live_in(self.parameter(from));
                Ok(())
            }
            Inst::Const(value) => {
                let from = self.arguments.constant(value);
                self.live_in(self.parameter(from));
                Ok(())
            }
            Inst::Index(axis) => {
                self.index(axis as usize);
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
                let (values, negative) = body.fused(self.at as usize).expect("a product and a sum");
                self.fused(values, negative, dtype);
                Ok(())
            }
            Inst::Step(step, [a, b]) => self.step(step, a, b),
            Inst::Bits(from, _) => {
                self.same(from);
                Ok(())
            }
            Inst::Select([mask, yes, no]) => {
                match body.extreme(at) {
                    Some((op, [a, b])) => self.two(extreme(op, dtype), a, b, dtype, false),
                    None => self.select(mask, yes, no, dtype),
                }
                Ok(())
            }
            Inst::Cast(from, to) => self.cast(from, to),
            Inst::Store(operand, value) => {
                match self.folded(operand.0 as usize) {
                    Some(number) => self.fold(number, value, self.copy, self.rest),
                    None => self.store(operand.0 as usize, value)?,
                }
                self.bury(&[value]);
                Ok(())
            }
            Inst::Complex(_) => Err("complex numbers".into()),
            Inst::Gather(operand, offsets) => self.gather_at(operand.0 as usize, 0, offsets, dtype),
            Inst::Scatter(operand, offsets, value) => self.scatter_at(operand.0 as usize, offsets, value),
            Inst::Result(accumulator) => self.run_along(accumulator as usize),
        }
    }

    /// The value at hand is in memory.
    pub(crate) fn live_in(&mut self, home: Home) {
        self.places[self.at as usize].home = home;
    }

    /// Where a constant of the arguments is: an element, or a vector of them.
    pub(crate) fn parameter(&self, from: usize) -> Home {
        match self.level() {
            Level::Avx2 => Home::Arguments(from),
            Level::Avx512 => Home::Element(at_arguments(from)),
        }
    }

    fn select(&mut self, mask: ValueId, yes: ValueId, no: ValueId, dtype: DType) {
        if dtype == DType::Bool {
            let (k, y, n) = (self.mask(mask), self.mask(yes), self.mask(no));
            let out = self.define_mask();
            self.blend_masks(out, k, y, n);
            self.bury(&[mask, yes, no]);
            return;
        }
        let k = self.mask_of(mask, dtype);
        let (y, n) = (self.operand(yes), self.vector(no));
        self.bury(&[mask, yes, no]);
        let out = self.define_vector();
        self.blend(out, k, y, n, dtype);
    }

    /// A register with a constant in every lane, which is only read.
    pub(crate) fn filled(&mut self, value: Scalar) -> VReg {
        let (from, bytes) = (at_arguments(self.arguments.constant(value)), value.dtype().size());
        if let Some(register) = self.held(from, bytes) {
            return register;
        }
        let out = self.moment();
        match self.level() {
            Level::Avx2 => self.copy(out, Rm::Mem(from)),
            Level::Avx512 => {
                let from = Rm::Mem(from);
                self.asm.vector(broadcast(bytes), Width::W512, out, VReg(0), from, Masking::NONE, None);
            }
        }
        out
    }

    /// Makes a register of the moment that of the value at hand.
    pub(crate) fn keep(&mut self, register: VReg) {
        self.vectors.give(register.0, self.at);
        self.places[self.at as usize].register = Some(register.0);
    }
}
