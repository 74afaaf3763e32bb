//! Instructions for the values of a fragment, one value after the other.
//!
//! A number is a vector of as many lanes as the loop has, in the narrowest register that holds them; a bool is a bit a lane
//! in a mask register. Lanes beyond the row are masked wherever memory is touched or a flag could be raised.
//!
//! What has no instructions here is an error, and the kernel another backend's.

use super::arith::predicate;
use super::body::Body;
use super::encode::{Assembler, KReg, Masking, Mem, Rm, VReg, Width};
use super::fold::Folds;
use super::forms as f;
use super::forms::Form;
use super::lower::{AT, Arguments, BASES, LANES, ODD, Step, Steps, Unsupported, VECTOR, at_arguments};
use super::registers::{File, Value, next_use};
use crate::{DType, Inst, Kind, Op, Primitive, Scalar, ValueId};

pub(super) type Result<T> = std::result::Result<T, String>;

/// Where a value is besides a register.
#[derive(Clone, Copy)]
enum Home {
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
pub(super) struct Emitter<'a> {
    pub(super) asm: Assembler,
    pub(super) arguments: Arguments,
    body: &'a Body<'a>,
    steps: &'a Steps,
    places: Vec<Place>,
    vectors: File,
    masks: File,
    /// The instruction at hand, the copy it is of, and whether lanes may be missing.
    at: u32,
    copy: usize,
    rest: bool,
    /// What stores go into instead of memory, if they do.
    pub(super) folds: Option<Folds>,
}

/// The form for a type among those of four sizes.
pub(super) fn by_size(dtype: DType, forms: [&'static Form; 4]) -> &'static Form {
    forms[dtype.size().trailing_zeros() as usize]
}

/// The form for a real float.
pub(super) fn by_float(dtype: DType, single: &'static Form, double: &'static Form) -> &'static Form {
    if dtype == DType::F64 { double } else { single }
}

/// The instruction for the first of two floats if it is the larger (or the smaller), else the second. It raises invalid where
/// one is a nan, as comparisons that signal do: a kernel that reports that runs again.
fn extreme(op: Op, dtype: DType) -> &'static Form {
    match op {
        Op::Maximum => by_float(dtype, &f::VMAXPS, &f::VMAXPD),
        _ => by_float(dtype, &f::VMINPS, &f::VMINPD),
    }
}

pub(super) fn is_real(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

impl<'a> Emitter<'a> {
    pub(super) fn new(body: &'a Body<'a>, steps: &'a Steps, arguments: Arguments) -> Emitter<'a> {
        Emitter {
            asm: Assembler::new(),
            arguments,
            body,
            steps,
            places: vec![],
            vectors: File::new(u32::MAX),
            // The first means no mask, the second is of the lanes.
            masks: File::new(if body.leaves_out() { 0b0111_1100 } else { 0b1111_1100 }),
            at: 0,
            copy: 0,
            rest: false,
            folds: None,
        }
    }

    /// Keeps vector registers, a bit each, from ever holding values.
    pub(super) fn reserve(&mut self, registers: u32) {
        self.vectors = File::new(!registers);
    }

    /// Frees the registers of a moment.
    pub(super) fn forget_moments(&mut self) {
        self.vectors.unpin();
        self.masks.unpin();
    }

    /// Emits the body once.
    ///
    /// # Errors
    /// The first instruction of the fragment that has none here.
    pub(super) fn body(&mut self, copy: usize, rest: bool) -> std::result::Result<(), Unsupported> {
        (self.copy, self.rest) = (copy, rest);
        self.places = vec![Place { register: None, home: Home::Nowhere }; self.body.fragment.insts.len()];
        self.vectors.reset();
        self.masks.reset();
        for at in (0..self.body.fragment.insts.len()).filter(|&at| self.body.is_live(at)) {
            self.at = at as u32;
            self.inst(at).map_err(|what| Unsupported { at, what })?;
            if self.body.is_odd(at as u32) {
                self.leave_out();
            }
            self.bury(&[ValueId(at as u32)]);
            self.forget_moments();
        }
        Ok(())
    }

    pub(super) fn dtype(&self, value: ValueId) -> DType {
        self.body.fragment.dtype(value)
    }

    // --- registers ---------------------------------------------------------------------------------------------------

    pub(super) fn width(&self, dtype: DType) -> Width {
        match self.body.lanes * dtype.size() {
            64 => Width::W512,
            32 => Width::W256,
            _ => Width::W128,
        }
    }

    /// The mask of an instruction that touches memory or flags: the row's end, or lanes that make less than a register.
    pub(super) fn masking(&self, dtype: DType) -> Masking {
        let all = !self.rest && self.body.lanes * dtype.size() >= 16;
        Masking { k: if all { KReg(0) } else { LANES }, zero: !all }
    }

    fn is_mask(&self, value: Value) -> bool {
        self.body.fragment.types[value as usize] == DType::Bool
    }

    /// A register for a value (none for a moment).
    fn take(&mut self, value: Option<Value>, mask: bool) -> u8 {
        let (uses, at) = (&self.body.uses, self.at);
        let file = if mask { &mut self.masks } else { &mut self.vectors };
        let (register, leaves) = file.take(value, |v| next_use(uses, v, at));
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
                self.asm.store(&f::VMOVUPS_STORE, Width::W512, at_arguments(at), VReg(register), KReg(0));
            }
        }
    }

    /// The register of a value, which is loaded again if it has left.
    fn register(&mut self, value: ValueId) -> u8 {
        let mask = self.is_mask(value.0);
        if let Some(register) = self.places[value.0 as usize].register {
            if mask {
                self.masks.pin(register)
            } else {
                self.vectors.pin(register)
            }
            return register;
        }
        let home = self.places[value.0 as usize].home;
        let register = self.take(Some(value.0), mask);
        match home {
            Home::Arguments(at) if mask => self.asm.mask_load(KReg(register), at_arguments(at)),
            Home::Arguments(at) => {
                let from = Rm::Mem(at_arguments(at));
                self.asm.vector(&f::VMOVUPS, Width::W512, VReg(register), VReg(0), from, Masking::NONE, None);
            }
            Home::Element(from) if mask => {
                let vector = VReg(self.take(None, false));
                self.asm.vector(&f::VPBROADCASTB, Width::W512, vector, VReg(0), Rm::Mem(from), Masking::NONE, None);
                self.asm.compare(&f::VPTESTMB, Width::W512, KReg(register), vector, Rm::Reg(vector), KReg(0), None);
            }
            Home::Element(from) => {
                let dtype = self.dtype(value);
                let form = by_size(dtype, [&f::VPBROADCASTB, &f::VPBROADCASTW, &f::VPBROADCASTD, &f::VPBROADCASTQ]);
                let width = self.width(dtype);
                self.asm.vector(form, width, VReg(register), VReg(0), Rm::Mem(from), Masking::NONE, None);
            }
            Home::Nowhere => unreachable!("a verified fragment defines values before it uses them"),
        }
        register
    }

    pub(super) fn vector(&mut self, value: ValueId) -> VReg {
        VReg(self.register(value))
    }

    pub(super) fn mask(&mut self, value: ValueId) -> KReg {
        KReg(self.register(value))
    }

    /// A number as the last operand of an instruction on elements of its size.
    pub(super) fn operand(&mut self, value: ValueId) -> Rm {
        let place = self.places[value.0 as usize];
        match (place.register, place.home) {
            (None, Home::Element(from)) if self.dtype(value).size() >= 4 => Rm::Broadcast(from),
            _ => Rm::Reg(self.vector(value)),
        }
    }

    /// A constant as the last operand.
    pub(super) fn constant(&mut self, value: Scalar) -> Rm {
        let from = at_arguments(self.arguments.constant(value));
        if value.dtype().size() >= 4 {
            return Rm::Broadcast(from);
        }
        let register = VReg(self.take(None, false));
        let form = if value.dtype().size() == 2 { &f::VPBROADCASTW } else { &f::VPBROADCASTB };
        self.asm.vector(form, Width::W512, register, VReg(0), Rm::Mem(from), Masking::NONE, None);
        Rm::Reg(register)
    }

    /// Gives back the registers of values that nothing needs any more.
    pub(super) fn bury(&mut self, values: &[ValueId]) {
        for value in values {
            let place = &mut self.places[value.0 as usize];
            if next_use(&self.body.uses, value.0, self.at) == u32::MAX
                && let Some(register) = place.register.take()
            {
                let mask = self.body.fragment.types[value.0 as usize] == DType::Bool;
                if mask { self.masks.release(register) } else { self.vectors.release(register) }
            }
        }
    }

    pub(super) fn define_vector(&mut self) -> VReg {
        VReg(self.take(Some(self.at), false))
    }

    pub(super) fn define_mask(&mut self) -> KReg {
        KReg(self.take(Some(self.at), true))
    }

    pub(super) fn moment(&mut self) -> VReg {
        VReg(self.take(None, false))
    }

    pub(super) fn moment_mask(&mut self) -> KReg {
        KReg(self.take(None, true))
    }

    // --- shapes of instructions --------------------------------------------------------------------------------------

    /// The value at hand, by one instruction of a register and an operand. `raises`: lanes that are not there must be left out.
    pub(super) fn two(&mut self, form: &'static Form, a: ValueId, b: ValueId, dtype: DType, raises: bool) {
        let (x, y) = (self.vector(a), self.operand(b));
        self.bury(&[a, b]);
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.asm.vector(form, self.width(dtype), out, x, y, mask, None);
    }

    /// The value at hand, by one instruction of a register and a constant.
    pub(super) fn with_constant(&mut self, form: &'static Form, a: ValueId, constant: Scalar, raises: bool) {
        let dtype = self.dtype(a);
        let (x, y) = (self.vector(a), self.constant(constant));
        self.bury(&[a]);
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.asm.vector(form, self.width(dtype), out, x, y, mask, None);
    }

    /// The value at hand, by one instruction of one operand; `wide` is the type that gives the width.
    pub(super) fn one(&mut self, form: &'static Form, a: ValueId, wide: DType, immediate: Option<u8>) {
        let x = self.vector(a);
        self.bury(&[a]);
        let out = self.define_vector();
        // Lanes are numbers of the wider type.
        let (width, mask) = (self.width(wide), self.masking(wide));
        self.asm.vector(form, width, out, VReg(0), Rm::Reg(x), mask, immediate);
    }

    /// Has the value at hand take over the register of a number that nothing else needs.
    pub(super) fn take_over(&mut self, a: ValueId) -> Option<VReg> {
        let register = self.places[a.0 as usize].register?;
        if next_use(&self.body.uses, a.0, self.at) != u32::MAX || self.is_mask(a.0) {
            return None;
        }
        self.places[a.0 as usize].register = None;
        self.keep(VReg(register));
        Some(VReg(register))
    }

    /// `a * b + c`, rounded once. The instructions write to a source: to one that is not needed any more, if there is one.
    fn fused(&mut self, a: ValueId, b: ValueId, c: ValueId, dtype: DType) {
        let (width, mask) = (self.width(dtype), self.masking(dtype));
        let onto_product = by_float(dtype, &f::VFMADD213PS, &f::VFMADD213PD);
        let onto_sum = by_float(dtype, &f::VFMADD231PS, &f::VFMADD231PD);
        let (x, y) = (self.vector(a), self.vector(b));
        let z = self.operand(c);
        if a != b
            && a != c
            && let Some(out) = self.take_over(a)
        {
            self.asm.vector(onto_product, width, out, y, z, mask, None);
        } else if b != a
            && b != c
            && let Some(out) = self.take_over(b)
        {
            self.asm.vector(onto_product, width, out, x, z, mask, None);
        } else if c != a
            && c != b
            && let Some(out) = self.take_over(c)
        {
            self.asm.vector(onto_sum, width, out, x, Rm::Reg(y), mask, None);
        } else {
            let out = self.define_vector();
            self.asm.vector(&f::VMOVUPS, Width::W512, out, VReg(0), Rm::Reg(x), Masking::NONE, None);
            self.asm.vector(onto_product, width, out, y, z, mask, None);
        }
        self.bury(&[a, b, c]);
    }

    /// Whether a mask has no bits beyond the lanes, as those that comparisons leave.
    fn ends_with_lanes(&self, value: ValueId) -> bool {
        match self.body.fragment.insts[value.0 as usize] {
            Inst::Apply(op, [a, _]) if !self.is_mask(a.0) => op == Op::Isnan || predicate(op, false).is_some(),
            Inst::Apply(Op::BitwiseAnd, [a, b]) => self.ends_with_lanes(a) || self.ends_with_lanes(b),
            Inst::Apply(Op::BitwiseOr, [a, b]) => self.ends_with_lanes(a) && self.ends_with_lanes(b),
            Inst::Step(Primitive::Unusual, _) => true,
            _ => false,
        }
    }

    /// The value at hand says in which lanes an elementary function was not computed.
    fn leave_out(&mut self) {
        let mask = self.mask(ValueId(self.at));
        if !self.rest && self.ends_with_lanes(ValueId(self.at)) {
            self.asm.mask_op(&f::KORQ, ODD, ODD, mask);
        } else {
            let lanes = self.moment_mask();
            self.asm.mask_op(&f::KANDQ, lanes, mask, LANES);
            self.asm.mask_op(&f::KORQ, ODD, ODD, lanes);
        }
    }

    /// The value at hand is another one.
    pub(super) fn same(&mut self, a: ValueId) {
        if self.is_mask(a.0) {
            let x = self.mask(a);
            self.bury(&[a]);
            let out = self.define_mask();
            self.asm.mask_op(&f::KMOVQ, out, x, x);
        } else {
            let x = self.vector(a);
            if self.take_over(a).is_some() {
                return;
            }
            self.bury(&[a]);
            let out = self.define_vector();
            self.asm.vector(&f::VMOVUPS, Width::W512, out, VReg(0), Rm::Reg(x), Masking::NONE, None);
        }
    }

    pub(super) fn compare(&mut self, out: KReg, a: VReg, b: Rm, dtype: DType, predicate: u8) {
        let form = match dtype.kind() {
            Kind::Float => by_float(dtype, &f::VCMPPS, &f::VCMPPD),
            Kind::Unsigned => by_size(dtype, [&f::VPCMPUB, &f::VPCMPUW, &f::VPCMPUD, &f::VPCMPUQ]),
            Kind::Signed | Kind::Bool | Kind::Complex => {
                by_size(dtype, [&f::VPCMPB, &f::VPCMPW, &f::VPCMPD, &f::VPCMPQ])
            }
        };
        let mask = self.masking(dtype).k;
        self.asm.compare(form, self.width(dtype), out, a, b, mask, Some(predicate));
    }

    /// `mask ? yes : no`, lane by lane.
    pub(super) fn blend(&mut self, out: VReg, mask: KReg, yes: Rm, no: VReg, dtype: DType) {
        let form = by_size(dtype, [&f::VPBLENDMB, &f::VPBLENDMW, &f::VPBLENDMD, &f::VPBLENDMQ]);
        self.asm.vector(form, self.width(dtype), out, no, yes, Masking { k: mask, zero: false }, None);
    }

    // --- values ------------------------------------------------------------------------------------------------------

    fn inst(&mut self, at: usize) -> Result<()> {
        let body = self.body;
        let dtype = body.fragment.types[at];
        if dtype.is_complex() {
            return Err("complex numbers".into());
        }
        match body.fragment.insts[at] {
            Inst::Load(operand) => self.load(operand.0 as usize, dtype),
            Inst::Param(scalar) => {
                let from = at_arguments(self.arguments.scalar(scalar.0 as usize));
                self.places[at].home = Home::Element(from);
                Ok(())
            }
            Inst::Const(value) => {
                let from = at_arguments(self.arguments.constant(value));
                self.places[at].home = Home::Element(from);
                Ok(())
            }
            Inst::Index(axis) => {
                self.index(axis as usize);
                Ok(())
            }
            Inst::Apply(op, [a, b]) => self.apply(op, a, b),
            Inst::Fma([a, b, c]) => {
                self.fused(a, b, c, dtype);
                Ok(())
            }
            Inst::Step(step, [a, b]) => {
                self.step(step, a, b);
                Ok(())
            }
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
            Inst::Gather(..) | Inst::Scatter(..) => Err("elements by offset".into()),
            Inst::Result(_) => Err("results of folds".into()),
        }
    }

    /// The memory of an operand's lanes.
    fn memory(&self, operand: usize, dtype: DType) -> Mem {
        let size = dtype.size();
        let index = match self.steps[operand] {
            Step::Dense | Step::Streamed => Some((AT, size as u8)),
            Step::Still | Step::Strided => None,
        };
        Mem { base: BASES[operand], index, disp: (self.copy * self.body.lanes * size) as i32 }
    }

    fn load(&mut self, operand: usize, dtype: DType) -> Result<()> {
        let from = self.memory(operand, dtype);
        if self.steps[operand] == Step::Still {
            self.places[self.at as usize].home = Home::Element(Mem { disp: 0, ..from });
            return Ok(());
        }
        let (width, mask) = (self.width(dtype), self.masking(dtype));
        let vector = if dtype == DType::Bool { self.moment() } else { self.define_vector() };
        if self.steps[operand] == Step::Dense {
            let form = by_size(dtype, [&f::VMOVDQU8, &f::VMOVDQU16, &f::VMOVDQU32, &f::VMOVDQU64]);
            self.asm.vector(form, width, vector, VReg(0), Rm::Mem(from), mask, None);
        } else {
            self.gather(operand, vector, dtype)?;
        }
        if dtype == DType::Bool {
            let out = self.define_mask();
            self.asm.compare(&f::VPTESTMB, width, out, vector, Rm::Reg(vector), KReg(0), None);
        }
        Ok(())
    }

    /// The offsets of a strided operand's lanes, in a register: four bytes each where there are sixteen lanes, else eight.
    fn offsets(&mut self, operand: Option<usize>) -> VReg {
        let offsets = self.moment();
        let from = Rm::Mem(at_arguments(self.arguments.offsets(operand)));
        self.asm.vector(&f::VMOVUPS, Width::W512, offsets, VReg(0), from, Masking::NONE, None);
        offsets
    }

    fn gather(&mut self, operand: usize, out: VReg, dtype: DType) -> Result<()> {
        let form = match (self.body.lanes, dtype.size()) {
            (8, 8) => &f::VPGATHERQQ,
            (8, 4) => &f::VPGATHERQD,
            (16, 4) => &f::VPGATHERDD,
            _ => return Err("short elements apart from each other".into()),
        };
        let offsets = self.offsets(Some(operand));
        let mask = self.moment_mask();
        self.asm.mask_op(&f::KMOVQ, mask, LANES, LANES);
        // The lanes left out keep what the register had: that must not raise flags.
        self.asm.vector(&f::VPXORD, Width::W512, out, out, Rm::Reg(out), Masking::NONE, None);
        self.asm.gather(form, Width::W512, out, BASES[operand], offsets, 1, 0, mask);
        Ok(())
    }

    fn store(&mut self, operand: usize, value: ValueId) -> Result<()> {
        let dtype = self.dtype(value);
        let to = self.memory(operand, dtype);
        let width = self.width(dtype);
        let vector = if dtype == DType::Bool {
            let mask = self.mask(value);
            let vector = self.moment();
            self.asm.mask_to_vector(&f::VPMOVM2B, width, vector, mask);
            self.asm.vector(&f::VPABSB, width, vector, VReg(0), Rm::Reg(vector), Masking::NONE, None);
            vector
        } else {
            self.vector(value)
        };
        let mask = self.masking(dtype).k;
        match self.steps[operand] {
            Step::Streamed if !self.rest => {
                self.asm.store(&f::VMOVNTDQ, width, to, vector, KReg(0));
            }
            Step::Dense | Step::Streamed => {
                let form =
                    by_size(dtype, [&f::VMOVDQU8_STORE, &f::VMOVDQU16_STORE, &f::VMOVDQU32_STORE, &f::VMOVDQU64_STORE]);
                self.asm.store(form, width, to, vector, mask);
            }
            Step::Strided | Step::Still => {
                let form = match (self.body.lanes, dtype.size()) {
                    (8, 8) => &f::VPSCATTERQQ,
                    (8, 4) => &f::VPSCATTERQD,
                    (16, 4) => &f::VPSCATTERDD,
                    _ => return Err("short elements apart from each other".into()),
                };
                let offsets = self.offsets(Some(operand));
                let lanes = self.moment_mask();
                self.asm.mask_op(&f::KMOVQ, lanes, LANES, LANES);
                self.asm.scatter(form, Width::W512, BASES[operand], offsets, 1, 0, vector, lanes);
            }
        }
        Ok(())
    }

    /// The coordinate along an axis: the row's, and along the row the lanes'.
    fn index(&mut self, axis: usize) {
        let start = at_arguments(self.arguments.axis(axis));
        if axis + 1 < (self.body.kernel.outer + self.body.kernel.inner) as usize {
            self.places[self.at as usize].home = Home::Element(start);
            return;
        }
        let lanes = self.offsets(None);
        let out = self.define_vector();
        self.asm.broadcast_gpr(&f::VPBROADCASTQ_GPR, Width::W512, out, AT, Masking::NONE);
        self.asm.vector(&f::VPADDQ, Width::W512, out, out, Rm::Reg(lanes), Masking::NONE, None);
        self.asm.vector(&f::VPADDQ, Width::W512, out, out, Rm::Broadcast(start), Masking::NONE, None);
        if self.copy > 0 {
            let on = self.constant(Scalar::new(DType::I64, (self.copy * self.body.lanes) as i64));
            self.asm.vector(&f::VPADDQ, Width::W512, out, out, on, Masking::NONE, None);
        }
    }

    fn select(&mut self, mask: ValueId, yes: ValueId, no: ValueId, dtype: DType) {
        let k = self.mask(mask);
        if dtype == DType::Bool {
            let (y, n) = (self.mask(yes), self.mask(no));
            let (left, out) = (self.moment_mask(), self.define_mask());
            self.asm.mask_op(&f::KANDNQ, left, k, n);
            self.asm.mask_op(&f::KANDQ, out, k, y);
            self.asm.mask_op(&f::KORQ, out, out, left);
            self.bury(&[mask, yes, no]);
            return;
        }
        let (y, n) = (self.operand(yes), self.vector(no));
        self.bury(&[mask, yes, no]);
        let out = self.define_vector();
        self.blend(out, k, y, n, dtype);
    }

    /// A register with a constant in every lane, for the instruction at hand.
    pub(super) fn filled(&mut self, value: Scalar) -> VReg {
        let out = self.moment();
        let from = at_arguments(self.arguments.constant(value));
        let form = by_size(value.dtype(), [&f::VPBROADCASTB, &f::VPBROADCASTW, &f::VPBROADCASTD, &f::VPBROADCASTQ]);
        self.asm.vector(form, Width::W512, out, VReg(0), Rm::Mem(from), Masking::NONE, None);
        out
    }

    /// Makes a register of the moment that of the value at hand.
    pub(super) fn keep(&mut self, register: VReg) {
        self.vectors.give(register.0, self.at);
        self.places[self.at as usize].register = Some(register.0);
    }
}
