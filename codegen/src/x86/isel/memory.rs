//! Operands and coordinates: elements of all lanes from memory and back, by the step that an operand takes along the row.
//!
//! AVX2 has no scatters, and its gathers are loads of single elements on many processors, so elements apart from each other go one
//! by one there: `x[::3] + y[::3]` of a hundred thousand takes 29 µs, and 27 with the gathers of AVX-512. So do elements of one or two
//! bytes, for which AVX-512 has neither.
//!
//! Elements are stored in the order of the lanes, by the instructions for all of them too: where offsets repeat, the last one is
//! left.

use crate::x86::asm::encode::{Cond, KReg, Label, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::bools::Truth;
use crate::x86::isel::select::{Emitter, Home, Result, broadcast, by_size};
use crate::x86::loops::arguments::MOST_STRIDED;
use crate::x86::loops::map_loop::{AT, COUNT, LANES, SPARE, Step, at_arguments};
use crate::{DType, Inst, Scalar, ValueId};
use smallvec::SmallVec;

/// Loading and storing an element at the beginning of a vector or elsewhere.
fn single(size: usize) -> [&'static Form; 4] {
    match size {
        1 => [&f::VPINSRB, &f::VPINSRB, &f::VPEXTRB, &f::VPEXTRB],
        2 => [&f::VPINSRW, &f::VPINSRW, &f::VPEXTRW, &f::VPEXTRW],
        4 => [&f::VMOVD, &f::VPINSRD, &f::VMOVD_STORE, &f::VPEXTRD],
        _ => [&f::VMOVQ, &f::VPINSRQ, &f::VMOVQ_STORE, &f::VPEXTRQ],
    }
}

impl Emitter<'_> {
    /// The memory of an operand's lanes.
    fn memory(&mut self, operand: usize, dtype: DType) -> Mem {
        let size = dtype.size();
        let index = match self.steps[operand] {
            Step::Dense | Step::Streamed => Some((AT, size as u8)),
            Step::Still | Step::Alternate | Step::Backward | Step::Strided => None,
        };
        Mem { base: self.base(operand), index, disp: (self.copy * self.lanes() * size) as i32 }
    }

    pub(crate) fn load(&mut self, operand: usize, dtype: DType) -> Result<()> {
        let is_bool = dtype == DType::Bool;
        match self.steps[operand] {
            Step::Still => self.load_still(operand, 0, dtype),
            Step::Dense | Step::Streamed if is_bool => {
                let (out, from) = (self.define_mask(), self.memory(operand, dtype));
                self.load_bools(out, from);
            }
            Step::Dense | Step::Streamed => {
                let (out, from) = (self.define_vector(), self.memory(operand, dtype));
                self.load_dense(out, from, dtype);
            }
            Step::Alternate | Step::Backward => {
                let out = self.define_vector();
                match self.steps[operand] {
                    _ if self.rest => self.gather(operand, 0, out, dtype)?,
                    Step::Alternate => self.take_apart(operand, 0, out, dtype),
                    _ => self.turn_round(operand, out, dtype),
                }
            }
            Step::Strided if is_bool => {
                let bytes = self.moment();
                self.gather(operand, 0, bytes, dtype)?;
                let out = self.define_mask();
                self.bools_of(out, bytes);
            }
            Step::Strided => {
                let out = self.define_vector();
                self.gather(operand, 0, out, dtype)?;
            }
        }
        Ok(())
    }

    /// The value at hand, an element that stands still, so many bytes within the operand's: in its place, or in all lanes where
    /// the address has no register to stay in.
    pub(crate) fn load_still(&mut self, operand: usize, within: usize, dtype: DType) {
        let from = Mem::at(self.base(operand), within as i32);
        if !self.is_far(operand) {
            return self.live_in(Home::Element(from));
        }
        let register = if dtype == DType::Bool { self.define_mask().0 } else { self.define_vector().0 };
        self.spread(register, from, dtype);
    }

    fn load_dense(&mut self, out: VReg, from: Mem, dtype: DType) {
        let (width, from) = (self.width(dtype), Rm::Mem(from));
        if self.level() == Level::Avx512 {
            let form = by_size(dtype, [&f::VMOVDQU8, &f::VMOVDQU16, &f::VMOVDQU32, &f::VMOVDQU64]);
            let mask = self.masking(dtype);
            return self.asm.vector(form, width, out, VReg(0), from, mask, None);
        }
        let form = match self.lanes() * dtype.size() {
            4 => &f::VMOVD,
            8 => &f::VMOVQ,
            _ => &f::VMOVUPS,
        };
        self.asm.vex(form, width, out, VReg(0), from, None);
    }

    /// The offsets of an operand's lanes that are strided, or complex with parts of a type, in a register: four bytes each where
    /// there are sixteen lanes, else eight.
    fn offsets(&mut self, operand: usize, dtype: DType) -> VReg {
        let size = dtype.size() as isize;
        match self.steps[operand] {
            Step::Dense | Step::Streamed | Step::Alternate => return self.even_offsets(2 * size),
            Step::Backward => return self.even_offsets(-size),
            Step::Still | Step::Strided => {}
        }
        let offsets = self.moment();
        let from = Rm::Mem(at_arguments(self.arguments.offsets(Some(operand), self.rest)));
        self.asm.vector(&f::VMOVUPS, Width::W512, offsets, VReg(0), from, Masking::NONE, None);
        offsets
    }

    /// The elements of a type in all lanes, so many bytes within the operand's.
    pub(crate) fn gather(&mut self, operand: usize, within: usize, out: VReg, dtype: DType) -> Result<()> {
        if self.level() == Level::Avx2 {
            self.collect(operand, within, out, dtype, None);
            return Ok(());
        }
        let offsets = self.offsets(operand, dtype);
        self.gather_by(operand, within, out, dtype, offsets)
    }

    /// The value at hand: elements of a type in all lanes, by offsets, so many bytes further on.
    pub(crate) fn gather_at(&mut self, operand: usize, within: usize, offsets: ValueId, dtype: DType) -> Result<()> {
        if self.steps[operand] != Step::Still {
            return Err("elements by offset".into());
        }
        let is_bool = dtype == DType::Bool;
        let offsets_at = self.vector(offsets);
        let out = if is_bool { self.moment() } else { self.define_vector() };
        if self.level() == Level::Avx512 && dtype.size() >= 4 {
            self.gather_by(operand, within, out, dtype, offsets_at)?;
        } else {
            let at = match self.loaded_offsets(offsets) {
                Some(at) => at,
                None => at_arguments(self.in_arguments(offsets)),
            };
            self.collect(operand, within, out, dtype, Some(at));
        }
        if is_bool {
            let mask = self.define_mask();
            self.bools_of(mask, out);
        }
        self.bury(&[offsets]);
        Ok(())
    }

    /// The memory that offsets were loaded from, lane by lane, if they lie densely and their address has a register.
    fn loaded_offsets(&mut self, offsets: ValueId) -> Option<Mem> {
        let Inst::Load(operand) = self.body.fragment.insts[offsets.0 as usize] else { return None };
        let operand = operand.0 as usize;
        let is_there = self.steps[operand] == Step::Dense && !self.is_far(operand);
        is_there.then(|| self.memory(operand, DType::I64))
    }

    /// Stores a value by offsets, a complex one by its parts.
    pub(crate) fn scatter_at(&mut self, operand: usize, offsets: ValueId, value: ValueId) -> Result<()> {
        if self.steps[operand] != Step::Still {
            return Err("elements by offset".into());
        }
        let parts = match self.body.fragment.insts[value.0 as usize] {
            Inst::Complex(parts) => SmallVec::from(parts),
            _ if self.dtype(value).is_complex() => return Err("complex numbers".into()),
            _ => SmallVec::<[ValueId; 2]>::from_slice(&[value]),
        };
        let offsets_at = self.vector(offsets);
        for (number, &part) in parts.iter().enumerate() {
            let dtype = self.dtype(part);
            let within = number * dtype.size();
            let vector = if dtype == DType::Bool {
                let mask = self.mask(part);
                self.bytes_of(mask)
            } else {
                self.vector(part)
            };
            if self.level() == Level::Avx512 && dtype.size() >= 4 {
                self.scatter_by(operand, within, vector, dtype, offsets_at)?;
            } else {
                // From the arguments they would take 2.2 ns an element instead of 0.4, and 1.4 in the portable backend: having found
                // them in stores of before, the processor waits for the addresses of all stores.
                let Some(at) = self.loaded_offsets(offsets) else { return Err("computed offsets".into()) };
                self.distribute(operand, within, vector, dtype, Some(at));
            }
        }
        self.bury(&parts);
        self.bury(&[offsets]);
        Ok(())
    }

    fn gather_by(&mut self, operand: usize, within: usize, out: VReg, dtype: DType, offsets: VReg) -> Result<()> {
        let form = match (self.lanes(), dtype.size()) {
            (8, 8) => &f::VPGATHERQQ,
            (8, 4) => &f::VPGATHERQD,
            (16, 4) => &f::VPGATHERDD,
            _ => return Err("short elements apart from each other".into()),
        };
        let mask = self.moment_mask().k();
        self.asm.mask_op(&f::KMOVQ, mask, LANES, LANES);
        // The lanes left out keep what the register had: that must not raise flags.
        self.zero(out);
        let base = self.base(operand);
        self.asm.gather(form, Width::W512, out, base, offsets, 1, within as i32, mask);
        Ok(())
    }

    /// The memory of one lane of an operand, strided or by offsets.
    fn element(&mut self, operand: usize, within: usize, lane: usize, by: Option<Mem>) -> Mem {
        let base = self.base(operand);
        if lane == 0 && by.is_none() {
            return Mem::at(base, within as i32);
        }
        let offsets = by.unwrap_or_else(|| at_arguments(self.arguments.offsets(Some(operand), self.rest)));
        self.asm.load(SPARE, Mem { disp: offsets.disp + 8 * lane as i32, ..offsets });
        Mem::indexed(base, SPARE, 1, within as i32)
    }

    /// Leaves, before one lane, where it is none of the row's. (With AVX2 the row's last element stands for those.)
    fn leave_at_end(&mut self, lane: usize, end: Label) {
        if self.level() == Level::Avx512 && self.rest && lane > 0 {
            self.asm.cmp_imm(COUNT, lane as i32);
            self.asm.jump_if(Cond::BelowEqual, end);
        }
    }

    /// The elements of all lanes, one by one.
    fn collect(&mut self, operand: usize, within: usize, out: VReg, dtype: DType, by: Option<Mem>) {
        let [first, other, ..] = single(dtype.size());
        let (per, end) = (16 / dtype.size(), self.asm.label());
        for half in 0..self.lanes().div_ceil(per) {
            let part = if half == 0 { out } else { self.moment() };
            if first.immediate {
                self.zero(part);
            }
            for i in 0..per.min(self.lanes()) {
                self.leave_at_end(half * per + i, end);
                let form = if i == 0 { first } else { other };
                let from = Rm::Mem(self.element(operand, within, half * per + i, by));
                let number = form.immediate.then_some(i as u8);
                self.emit(form, Width::W128, part, part, from, Masking::NONE, number);
            }
            if half == 1 {
                self.asm.vex(&f::VINSERTI128, Width::W256, out, out, Rm::Reg(part), Some(1));
            }
        }
        self.asm.bind(end);
    }

    /// Stores all lanes, one by one.
    fn distribute(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType, by: Option<Mem>) {
        let [.., first, other] = single(dtype.size());
        let (per, end) = (16 / dtype.size(), self.asm.label());
        for half in 0..self.lanes().div_ceil(per) {
            let mut part = vector;
            if half == 1 {
                part = self.moment();
                self.asm.vex_part(&f::VEXTRACTI128, Width::W256, part, vector, Some(1));
            }
            for i in 0..per.min(self.lanes()) {
                self.leave_at_end(half * per + i, end);
                let form = if i == 0 { first } else { other };
                let to = self.element(operand, within, half * per + i, by);
                let number = form.immediate.then_some(i as u8);
                match self.level() {
                    Level::Avx512 => self.asm.store_imm(form, Width::W128, to, part, KReg(0), number),
                    Level::Avx2 => self.asm.vex_store(form, Width::W128, to, part, number),
                }
            }
        }
        self.asm.bind(end);
    }

    pub(crate) fn store(&mut self, operand: usize, value: ValueId) -> Result<()> {
        let dtype = self.dtype(value);
        if dtype.is_complex() {
            return self.store_parts(operand, value);
        }
        let vector = if dtype == DType::Bool {
            let mask = self.mask(value);
            self.bytes_of(mask)
        } else {
            self.vector(value)
        };
        match self.steps[operand] {
            Step::Dense | Step::Streamed => self.store_dense(operand, vector, dtype),
            Step::Still | Step::Alternate | Step::Backward | Step::Strided => {
                self.scatter(operand, 0, vector, dtype)?
            }
        }
        Ok(())
    }

    fn store_dense(&mut self, operand: usize, vector: VReg, dtype: DType) {
        let (to, width) = (self.memory(operand, dtype), self.width(dtype));
        let streams = self.steps[operand] == Step::Streamed && !self.rest;
        if self.level() == Level::Avx512 {
            let form =
                by_size(dtype, [&f::VMOVDQU8_STORE, &f::VMOVDQU16_STORE, &f::VMOVDQU32_STORE, &f::VMOVDQU64_STORE]);
            let mask = self.masking(dtype).k;
            return self.asm.store(if streams { &f::VMOVNTDQ } else { form }, width, to, vector, mask);
        }
        let form = match self.lanes() * dtype.size() {
            4 => &f::VMOVD_STORE,
            8 => &f::VMOVQ_STORE,
            _ if streams => &f::VMOVNTDQ,
            _ => &f::VMOVUPS_STORE,
        };
        self.asm.vex_store(form, width, to, vector, None);
    }

    /// Stores elements of a type so many bytes within the operand's.
    pub(crate) fn scatter(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType) -> Result<()> {
        if self.level() == Level::Avx2 {
            if self.lanes() > MOST_STRIDED {
                return Err("short elements apart from each other".into());
            }
            self.distribute(operand, within, vector, dtype, None);
            return Ok(());
        }
        let offsets = self.offsets(operand, dtype);
        self.scatter_by(operand, within, vector, dtype, offsets)
    }

    fn scatter_by(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType, offsets: VReg) -> Result<()> {
        let form = match (self.lanes(), dtype.size()) {
            (8, 8) => &f::VPSCATTERQQ,
            (8, 4) => &f::VPSCATTERQD,
            (16, 4) => &f::VPSCATTERDD,
            _ => return Err("short elements apart from each other".into()),
        };
        let lanes = self.moment_mask().k();
        self.asm.mask_op(&f::KMOVQ, lanes, LANES, LANES);
        let base = self.base(operand);
        self.asm.scatter(form, Width::W512, base, offsets, 1, within as i32, vector, lanes);
        Ok(())
    }

    /// The coordinate along an axis: the row's, and along the row the lanes'.
    pub(crate) fn index(&mut self, axis: usize) {
        let start = at_arguments(self.arguments.axis(axis));
        if axis + 1 < self.axes() {
            return self.live_in(Home::Element(start));
        }
        let width = self.whole();
        let lanes = Rm::Mem(at_arguments(self.arguments.offsets(None, self.rest)));
        let out = self.define_vector();
        match self.level() {
            Level::Avx512 => self.asm.broadcast_gpr(&f::VPBROADCASTQ_GPR, width, out, AT, Masking::NONE),
            Level::Avx2 => {
                self.asm.vex_from_gpr(out, AT);
                self.asm.vex(&f::VPBROADCASTQ, width, out, VReg(0), Rm::Reg(out), None);
            }
        }
        self.emit(&f::VPADDQ, width, out, out, lanes, Masking::NONE, None);
        let first = match self.level() {
            Level::Avx512 => Rm::Broadcast(start),
            Level::Avx2 => {
                let first = self.moment();
                self.asm.vex(&f::VPBROADCASTQ, width, first, VReg(0), Rm::Mem(start), None);
                Rm::Reg(first)
            }
        };
        self.emit(&f::VPADDQ, width, out, out, first, Masking::NONE, None);
        if self.copy > 0 {
            let on = self.constant(Scalar::new(DType::I64, (self.copy * self.lanes()) as i64));
            self.emit(&f::VPADDQ, width, out, out, on, Masking::NONE, None);
        }
    }

    /// One element of memory in every lane.
    pub(crate) fn spread(&mut self, register: u8, from: Mem, dtype: DType) {
        if dtype == DType::Bool {
            return self.spread_bool(Truth(register), from);
        }
        let width = self.width(dtype);
        self.emit(broadcast(dtype.size()), width, VReg(register), VReg(0), Rm::Mem(from), Masking::NONE, None);
    }
}
