//! Instructions for the values of a fragment, one value after the other.
//!
//! A number is a vector of as many lanes as the loop has, in the narrowest register that holds them; a bool is a bit a lane
//! in a mask register. Lanes beyond the row are masked wherever memory is touched or a flag could be raised.
//!
//! What has no instructions here is an error, and the kernel another backend's.

use super::encode::{Assembler, KReg, Masking, Mem, Rm, VReg, Width};
use super::forms as f;
use super::forms::Form;
use super::lower::{AT, Arguments, BASES, Body, LANES, ODD, SPARE, Step, Steps, VECTOR, at_arguments};
use super::registers::{File, Value, next_use};
use crate::{DType, Inst, Kind, Op, Scalar, ValueId};

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
}

/// Which comparison, as the immediate of `vcmp` for floats (quiet) and of `vpcmp` for integers.
fn predicate(op: Op, float: bool) -> Option<u8> {
    Some(match (op, float) {
        (Op::Equal, _) => 0,
        (Op::NotEqual, _) => 4,
        (Op::Less, true) => 0x11,
        (Op::LessEqual, true) => 0x12,
        (Op::Greater, true) => 0x1e,
        (Op::GreaterEqual, true) => 0x1d,
        (Op::Less, false) => 1,
        (Op::LessEqual, false) => 2,
        (Op::GreaterEqual, false) => 5,
        (Op::Greater, false) => 6,
        _ => return None,
    })
}
const UNORDERED: u8 = 3;
const NOT_EQUAL: u8 = 4;
const GREATER: u8 = 0x1e;
const LESS: u8 = 0x11;

/// The form for a type among those of four sizes.
pub(super) fn by_size(dtype: DType, forms: [&'static Form; 4]) -> &'static Form {
    forms[dtype.size().trailing_zeros() as usize]
}

/// The form for a real float.
fn by_float(dtype: DType, single: &'static Form, double: &'static Form) -> &'static Form {
    if dtype == DType::F64 { double } else { single }
}

fn is_real(dtype: DType) -> bool {
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
            masks: File::new(0b1111_1100),
            at: 0,
            copy: 0,
            rest: false,
        }
    }

    /// Emits the body once.
    ///
    /// # Errors
    /// What has no instructions.
    pub(super) fn body(&mut self, copy: usize, rest: bool) -> Result<()> {
        (self.copy, self.rest) = (copy, rest);
        self.places = vec![Place { register: None, home: Home::Nowhere }; self.body.fragment.insts.len()];
        self.vectors.reset();
        self.masks.reset();
        for at in 0..self.body.fragment.insts.len() {
            self.at = at as u32;
            self.inst(at)?;
            self.bury(&[ValueId(at as u32)]);
            self.vectors.unpin();
            self.masks.unpin();
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
    fn operand(&mut self, value: ValueId) -> Rm {
        let place = self.places[value.0 as usize];
        match (place.register, place.home) {
            (None, Home::Element(from)) if self.dtype(value).size() >= 4 => Rm::Broadcast(from),
            _ => Rm::Reg(self.vector(value)),
        }
    }

    /// A constant as the last operand.
    fn constant(&mut self, value: Scalar) -> Rm {
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

    fn moment(&mut self) -> VReg {
        VReg(self.take(None, false))
    }

    fn moment_mask(&mut self) -> KReg {
        KReg(self.take(None, true))
    }

    // --- shapes of instructions --------------------------------------------------------------------------------------

    /// The value at hand, by one instruction of a register and an operand. `raises`: lanes that are not there must be left out.
    fn two(&mut self, form: &'static Form, a: ValueId, b: ValueId, dtype: DType, raises: bool) {
        let (x, y) = (self.vector(a), self.operand(b));
        self.bury(&[a, b]);
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.asm.vector(form, self.width(dtype), out, x, y, mask, None);
    }

    /// The value at hand, by one instruction of a register and a constant.
    fn with_constant(&mut self, form: &'static Form, a: ValueId, constant: Scalar, raises: bool) {
        let dtype = self.dtype(a);
        let (x, y) = (self.vector(a), self.constant(constant));
        self.bury(&[a]);
        let out = self.define_vector();
        let mask = if raises { self.masking(dtype) } else { Masking::NONE };
        self.asm.vector(form, self.width(dtype), out, x, y, mask, None);
    }

    /// The value at hand, by one instruction of one operand; `wide` is the type that gives the width.
    fn one(&mut self, form: &'static Form, a: ValueId, wide: DType, immediate: Option<u8>) {
        let x = self.vector(a);
        self.bury(&[a]);
        let out = self.define_vector();
        // Lanes are numbers of the wider type.
        let (width, mask) = (self.width(wide), self.masking(wide));
        self.asm.vector(form, width, out, VReg(0), Rm::Reg(x), mask, immediate);
    }

    /// Has the value at hand take over the register of a number that nothing else needs.
    fn take_over(&mut self, a: ValueId) -> Option<VReg> {
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

    /// The value at hand is left to another backend in the lanes of a mask: says so if there are any, and has it be zero.
    fn leave_out(&mut self, mask: ValueId, dtype: DType) {
        let k = self.mask(mask);
        let lanes = self.moment_mask();
        self.asm.mask_op(&f::KANDQ, lanes, k, LANES);
        self.asm.mask_to(SPARE, lanes);
        self.asm.or(ODD, SPARE);
        self.bury(&[mask]);
        let zero = at_arguments(self.arguments.constant(Scalar::zero(dtype)));
        self.places[self.at as usize].home = Home::Element(zero);
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

    fn compare(&mut self, out: KReg, a: VReg, b: Rm, dtype: DType, predicate: u8) {
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
    fn blend(&mut self, out: VReg, mask: KReg, yes: Rm, no: VReg, dtype: DType) {
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
            Inst::Apply(op, [a, b]) => match body.odd.iter().find(|o| o.value.0 as usize == at) {
                Some(odd) => {
                    self.leave_out(odd.mask, dtype);
                    Ok(())
                }
                None => self.apply(op, a, b),
            },
            Inst::Fma([a, b, c]) => {
                self.fused(a, b, c, dtype);
                Ok(())
            }
            Inst::Bits(from, _) => {
                self.same(from);
                Ok(())
            }
            Inst::Select([mask, yes, no]) => {
                self.select(mask, yes, no, dtype);
                Ok(())
            }
            Inst::Cast(from, to) => self.cast(from, to),
            Inst::Store(operand, value) => {
                self.store(operand.0 as usize, value)?;
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
            Step::Dense => Some((AT, size as u8)),
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
            Step::Dense => {
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

    fn apply(&mut self, op: Op, a: ValueId, b: ValueId) -> Result<()> {
        let dtype = self.dtype(a);
        let done = match dtype.kind() {
            Kind::Bool => self.apply_bool(op, a, b),
            Kind::Float if is_real(dtype) => self.apply_float(op, a, b, dtype),
            Kind::Signed | Kind::Unsigned => self.apply_integer(op, a, b, dtype),
            Kind::Float | Kind::Complex => false,
        };
        if done { Ok(()) } else { Err(format!("{op} of {dtype}")) }
    }

    /// Ops on bools, as on bits; whether the op is one.
    fn apply_bool(&mut self, op: Op, a: ValueId, b: ValueId) -> bool {
        // (form, whether the arguments change places, whether the result is turned)
        let (form, swapped, turned) = match op {
            Op::Add | Op::Maximum | Op::Fmax | Op::LogicalOr | Op::BitwiseOr => (&f::KORQ, false, false),
            Op::Multiply | Op::Minimum | Op::Fmin | Op::LogicalAnd | Op::BitwiseAnd => (&f::KANDQ, false, false),
            Op::LogicalXor | Op::BitwiseXor | Op::NotEqual => (&f::KXORQ, false, false),
            Op::Equal => (&f::KXNORQ, false, false),
            Op::Less => (&f::KANDNQ, false, false),
            Op::Greater => (&f::KANDNQ, true, false),
            Op::LessEqual => (&f::KANDNQ, true, true),
            Op::GreaterEqual => (&f::KANDNQ, false, true),
            Op::Invert | Op::LogicalNot => {
                let x = self.mask(a);
                self.bury(&[a]);
                let out = self.define_mask();
                self.asm.mask_op(&f::KNOTQ, out, x, x);
                return true;
            }
            Op::Absolute | Op::Floor | Op::Ceil | Op::Trunc => {
                self.same(a);
                return true;
            }
            _ => return false,
        };
        let (x, y) = (self.mask(a), self.mask(b));
        self.bury(&[a, b]);
        let out = self.define_mask();
        let (x, y) = if swapped { (y, x) } else { (x, y) };
        self.asm.mask_op(form, out, x, y);
        if turned {
            self.asm.mask_op(&f::KNOTQ, out, out, out);
        }
        true
    }

    /// The truth of numbers.
    pub(super) fn truth(&mut self, out: KReg, a: VReg, dtype: DType) {
        if is_real(dtype) {
            let zero = self.constant(Scalar::zero(dtype));
            self.compare(out, a, zero, dtype, NOT_EQUAL);
        } else {
            let form = by_size(dtype, [&f::VPTESTMB, &f::VPTESTMW, &f::VPTESTMD, &f::VPTESTMQ]);
            self.asm.compare(form, self.width(dtype), out, a, Rm::Reg(a), KReg(0), None);
        }
    }

    /// Ops on numbers that give bools, alike for floats and integers; whether the op is one.
    fn apply_question(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) -> bool {
        if let Some(predicate) = predicate(op, is_real(dtype)) {
            let (x, y) = (self.vector(a), self.operand(b));
            let out = self.define_mask();
            self.compare(out, x, y, dtype, predicate);
            self.bury(&[a, b]);
            return true;
        }
        let form = match op {
            Op::LogicalAnd => &f::KANDQ,
            Op::LogicalOr => &f::KORQ,
            Op::LogicalXor => &f::KXORQ,
            Op::LogicalNot => {
                let x = self.vector(a);
                let out = self.define_mask();
                self.truth(out, x, dtype);
                self.asm.mask_op(&f::KNOTQ, out, out, out);
                self.bury(&[a]);
                return true;
            }
            _ => return false,
        };
        let (x, y) = (self.vector(a), self.vector(b));
        let (left, out) = (self.moment_mask(), self.define_mask());
        self.truth(left, x, dtype);
        self.truth(out, y, dtype);
        self.asm.mask_op(form, out, out, left);
        self.bury(&[a, b]);
        true
    }

    fn apply_float(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) -> bool {
        if self.apply_question(op, a, b, dtype) {
            return true;
        }
        let bits = |x: f64| Scalar::new(dtype, x);
        let sign = bits(-0.0);
        let magnitude = match dtype {
            DType::F64 => Scalar::from_bits(dtype, (u64::MAX >> 1) as u128),
            _ => Scalar::from_bits(dtype, (u32::MAX >> 1) as u128),
        };
        let and = by_float(dtype, &f::VPANDD, &f::VPANDQ);
        match op {
            Op::Add => self.two(by_float(dtype, &f::VADDPS, &f::VADDPD), a, b, dtype, true),
            Op::Subtract => self.two(by_float(dtype, &f::VSUBPS, &f::VSUBPD), a, b, dtype, true),
            Op::Multiply => self.two(by_float(dtype, &f::VMULPS, &f::VMULPD), a, b, dtype, true),
            Op::Divide => self.two(by_float(dtype, &f::VDIVPS, &f::VDIVPD), a, b, dtype, true),
            Op::Square => self.two(by_float(dtype, &f::VMULPS, &f::VMULPD), a, a, dtype, true),
            Op::Sqrt => self.one(by_float(dtype, &f::VSQRTPS, &f::VSQRTPD), a, dtype, None),
            Op::Rint => self.one(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(8)),
            Op::Floor => self.one(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(9)),
            Op::Ceil => self.one(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(10)),
            Op::Trunc => self.one(by_float(dtype, &f::VRNDSCALEPS, &f::VRNDSCALEPD), a, dtype, Some(11)),
            Op::Reciprocal => {
                let x = self.operand(a);
                let one = self.filled(bits(1.0));
                self.bury(&[a]);
                let out = self.define_vector();
                let (width, mask) = (self.width(dtype), self.masking(dtype));
                self.asm.vector(by_float(dtype, &f::VDIVPS, &f::VDIVPD), width, out, one, x, mask, None);
            }
            Op::Negative => self.with_constant(by_float(dtype, &f::VPXORD, &f::VPXORQ), a, sign, false),
            Op::Absolute | Op::Fabs => self.with_constant(and, a, magnitude, false),
            Op::Positive | Op::Conjugate => self.same(a),
            Op::Copysign => {
                let (x, y) = (self.vector(a), self.operand(b));
                let out = self.filled(sign);
                let form = by_float(dtype, &f::VPTERNLOGD, &f::VPTERNLOGQ);
                // Bits of the third operand where the first has ones, else of the second.
                self.asm.vector(form, self.width(dtype), out, x, y, Masking::NONE, Some(0xac));
                self.keep(out);
                self.bury(&[a, b]);
            }
            Op::Maximum | Op::Minimum | Op::Fmax | Op::Fmin => self.extreme(op, a, b, dtype),
            Op::Sign => {
                let x = self.vector(a);
                let mask = self.moment_mask();
                let (zero, one) = (self.constant(bits(0.0)), self.constant(bits(1.0)));
                let out = self.define_vector();
                self.compare(mask, x, zero, dtype, GREATER);
                self.asm.vector(&f::VPXORD, Width::W512, out, x, Rm::Reg(x), Masking::NONE, None);
                self.blend(out, mask, one, out, dtype);
                self.compare(mask, x, zero, dtype, LESS);
                let less = self.constant(bits(-1.0));
                self.blend(out, mask, less, out, dtype);
                self.compare(mask, x, Rm::Reg(x), dtype, UNORDERED);
                self.blend(out, mask, Rm::Reg(x), out, dtype);
                self.bury(&[a]);
            }
            Op::Isnan => {
                let x = self.vector(a);
                let out = self.define_mask();
                self.compare(out, x, Rm::Reg(x), dtype, UNORDERED);
                self.bury(&[a]);
            }
            Op::Isinf | Op::Isfinite => {
                // Classes of numbers: infinities, and both kinds of nan.
                let classes = if op == Op::Isinf { 0x18 } else { 0x99 };
                let x = self.vector(a);
                let out = self.define_mask();
                let form = by_float(dtype, &f::VFPCLASSPS, &f::VFPCLASSPD);
                self.asm.compare(form, self.width(dtype), out, VReg(0), Rm::Reg(x), KReg(0), Some(classes));
                if op == Op::Isfinite {
                    self.asm.mask_op(&f::KNOTQ, out, out, out);
                }
                self.bury(&[a]);
            }
            Op::Signbit => {
                let x = self.vector(a);
                let out = self.define_mask();
                let form = by_float(dtype, &f::VPMOVD2M, &f::VPMOVQ2M);
                self.asm.vector_to_mask(form, self.width(dtype), out, x);
                self.bury(&[a]);
            }
            Op::Deg2rad | Op::Radians | Op::Rad2deg | Op::Degrees => {
                let up = matches!(op, Op::Rad2deg | Op::Degrees);
                // The factor is rounded in the type.
                let factor = match dtype {
                    DType::F64 if up => bits(180.0 / std::f64::consts::PI),
                    DType::F64 => bits(std::f64::consts::PI / 180.0),
                    _ if up => bits(f64::from(180.0 / std::f32::consts::PI)),
                    _ => bits(f64::from(std::f32::consts::PI / 180.0)),
                };
                self.with_constant(by_float(dtype, &f::VMULPS, &f::VMULPD), a, factor, true);
            }
            _ => return false,
        }
        true
    }

    /// A register with a constant in every lane, for the instruction at hand.
    fn filled(&mut self, value: Scalar) -> VReg {
        let out = self.moment();
        let from = at_arguments(self.arguments.constant(value));
        let form = by_size(value.dtype(), [&f::VPBROADCASTB, &f::VPBROADCASTW, &f::VPBROADCASTD, &f::VPBROADCASTQ]);
        self.asm.vector(form, Width::W512, out, VReg(0), Rm::Mem(from), Masking::NONE, None);
        out
    }

    /// Makes a register of the moment that of the value at hand.
    fn keep(&mut self, register: VReg) {
        self.vectors.give(register.0, self.at);
        self.places[self.at as usize].register = Some(register.0);
    }

    /// The larger or smaller of floats, by quiet comparisons: `vmaxpd` raises a flag for any nan.
    fn extreme(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) {
        let (x, y) = (self.vector(a), self.vector(b));
        let (first, second) = (self.moment_mask(), self.moment_mask());
        let out = self.define_vector();
        let which = if matches!(op, Op::Maximum | Op::Fmax) { GREATER } else { LESS };
        self.compare(first, x, Rm::Reg(y), dtype, which);
        // The one that is a nan wins, or loses.
        let nan = if matches!(op, Op::Maximum | Op::Minimum) { x } else { y };
        self.compare(second, nan, Rm::Reg(nan), dtype, UNORDERED);
        self.asm.mask_op(&f::KORQ, first, first, second);
        self.blend(out, first, Rm::Reg(x), y, dtype);
        self.bury(&[a, b]);
    }

    fn apply_integer(&mut self, op: Op, a: ValueId, b: ValueId, dtype: DType) -> bool {
        if self.apply_question(op, a, b, dtype) {
            return true;
        }
        let (signed, bytes) = (dtype.kind() == Kind::Signed, dtype.size() == 1);
        let form = match op {
            Op::Add => by_size(dtype, [&f::VPADDB, &f::VPADDW, &f::VPADDD, &f::VPADDQ]),
            Op::Subtract => by_size(dtype, [&f::VPSUBB, &f::VPSUBW, &f::VPSUBD, &f::VPSUBQ]),
            Op::Multiply | Op::Square if !bytes => by_size(dtype, [&f::VPMULLW, &f::VPMULLW, &f::VPMULLD, &f::VPMULLQ]),
            Op::BitwiseAnd if dtype.size() == 8 => &f::VPANDQ,
            Op::BitwiseOr if dtype.size() == 8 => &f::VPORQ,
            Op::BitwiseXor if dtype.size() == 8 => &f::VPXORQ,
            Op::BitwiseAnd => &f::VPANDD,
            Op::BitwiseOr => &f::VPORD,
            Op::BitwiseXor => &f::VPXORD,
            Op::Maximum | Op::Fmax if signed => by_size(dtype, [&f::VPMAXSB, &f::VPMAXSW, &f::VPMAXSD, &f::VPMAXSQ]),
            Op::Minimum | Op::Fmin if signed => by_size(dtype, [&f::VPMINSB, &f::VPMINSW, &f::VPMINSD, &f::VPMINSQ]),
            Op::Maximum | Op::Fmax => by_size(dtype, [&f::VPMAXUB, &f::VPMAXUW, &f::VPMAXUD, &f::VPMAXUQ]),
            Op::Minimum | Op::Fmin => by_size(dtype, [&f::VPMINUB, &f::VPMINUW, &f::VPMINUD, &f::VPMINUQ]),
            Op::LeftShift if !bytes => by_size(dtype, [&f::VPSLLVW, &f::VPSLLVW, &f::VPSLLVD, &f::VPSLLVQ]),
            Op::RightShift if !bytes && signed => by_size(dtype, [&f::VPSRAVW, &f::VPSRAVW, &f::VPSRAVD, &f::VPSRAVQ]),
            Op::RightShift if !bytes => by_size(dtype, [&f::VPSRLVW, &f::VPSRLVW, &f::VPSRLVD, &f::VPSRLVQ]),
            Op::Positive | Op::Conjugate | Op::Floor | Op::Ceil | Op::Trunc => {
                self.same(a);
                return true;
            }
            Op::Absolute if !signed => {
                self.same(a);
                return true;
            }
            Op::Absolute => {
                self.one(by_size(dtype, [&f::VPABSB, &f::VPABSW, &f::VPABSD, &f::VPABSQ]), a, dtype, None);
                return true;
            }
            Op::Negative => {
                let zero = self.filled(Scalar::zero(dtype));
                let x = self.vector(a);
                self.bury(&[a]);
                let out = self.define_vector();
                let form = by_size(dtype, [&f::VPSUBB, &f::VPSUBW, &f::VPSUBD, &f::VPSUBQ]);
                self.asm.vector(form, self.width(dtype), out, zero, Rm::Reg(x), Masking::NONE, None);
                return true;
            }
            Op::Invert => {
                let ones = self.filled(Scalar::new(dtype, -1i64));
                let x = self.vector(a);
                self.bury(&[a]);
                let out = self.define_vector();
                self.asm.vector(&f::VPXORD, self.width(dtype), out, x, Rm::Reg(ones), Masking::NONE, None);
                return true;
            }
            _ => return false,
        };
        let b = if op == Op::Square { a } else { b };
        self.two(form, a, b, dtype, false);
        true
    }
}
