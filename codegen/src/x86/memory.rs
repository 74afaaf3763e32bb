//! Operands and coordinates: elements of all lanes from memory and back, by the step that an operand takes along the row.
//!
//! AVX2 has no scatters, and its gathers are loads of single elements on many processors, so strided elements go one by one
//! there: `x[::3] + y[::3]` of a hundred thousand takes 29 µs, and 27 with the gathers of AVX-512.

use super::arguments::MOST_STRIDED;
use super::bools::Truth;
use super::encode::{Masking, Mem, Rm, VReg, Width};
use super::forms as f;
use super::forms::Form;
use super::level::Level;
use super::lower::{AT, LANES, SPARE, Step, at_arguments};
use super::select::{Emitter, Home, Result, broadcast, by_size};
use crate::{DType, Scalar, ValueId};

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

    pub(super) fn load(&mut self, operand: usize, dtype: DType) -> Result<()> {
        let is_bool = dtype == DType::Bool;
        match self.steps[operand] {
            Step::Still => {
                let from = Mem::at(self.base(operand), 0);
                if !self.is_far(operand) {
                    self.live_in(Home::Element(from));
                    return Ok(());
                }
                let register = if is_bool { self.define_mask().0 } else { self.define_vector().0 };
                self.spread(register, from, dtype);
            }
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
    pub(super) fn gather(&mut self, operand: usize, within: usize, out: VReg, dtype: DType) -> Result<()> {
        if self.level() == Level::Avx2 {
            self.collect(operand, within, out, dtype);
            return Ok(());
        }
        let offsets = self.offsets(operand, dtype);
        self.gather_by(operand, within, out, dtype, offsets)
    }

    /// The value at hand: elements of a type in all lanes, by offsets, so many bytes further on. AVX2 has no gathers worth it.
    pub(super) fn gather_at(&mut self, operand: usize, within: usize, offsets: ValueId, dtype: DType) -> Result<()> {
        if self.level() == Level::Avx2 || self.steps[operand] != Step::Still {
            return Err("elements by offset".into());
        }
        let offsets_at = self.vector(offsets);
        let out = self.define_vector();
        self.gather_by(operand, within, out, dtype, offsets_at)?;
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

    /// The memory of one lane of a strided operand.
    fn element(&mut self, operand: usize, within: usize, lane: usize) -> Mem {
        let base = self.base(operand);
        if lane == 0 {
            return Mem::at(base, within as i32);
        }
        let offset = self.arguments.offsets(Some(operand), self.rest) + 8 * lane;
        self.asm.load(SPARE, at_arguments(offset));
        Mem::indexed(base, SPARE, 1, within as i32)
    }

    /// The elements of all lanes, one by one.
    fn collect(&mut self, operand: usize, within: usize, out: VReg, dtype: DType) {
        let [first, other, ..] = single(dtype.size());
        let per = 16 / dtype.size();
        for half in 0..self.lanes().div_ceil(per) {
            let part = if half == 0 { out } else { self.moment() };
            if first.immediate {
                self.zero(part);
            }
            for i in 0..per.min(self.lanes()) {
                let form = if i == 0 { first } else { other };
                let from = Rm::Mem(self.element(operand, within, half * per + i));
                self.asm.vex(form, Width::W128, part, part, from, form.immediate.then_some(i as u8));
            }
            if half == 1 {
                self.asm.vex(&f::VINSERTI128, Width::W256, out, out, Rm::Reg(part), Some(1));
            }
        }
    }

    /// Stores all lanes, one by one.
    fn distribute(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType) {
        let [.., first, other] = single(dtype.size());
        let per = 16 / dtype.size();
        for half in 0..self.lanes().div_ceil(per) {
            let mut part = vector;
            if half == 1 {
                part = self.moment();
                self.asm.vex_part(&f::VEXTRACTI128, Width::W256, part, vector, Some(1));
            }
            for i in 0..per.min(self.lanes()) {
                let form = if i == 0 { first } else { other };
                let to = self.element(operand, within, half * per + i);
                self.asm.vex_store(form, Width::W128, to, part, form.immediate.then_some(i as u8));
            }
        }
    }

    pub(super) fn store(&mut self, operand: usize, value: ValueId) -> Result<()> {
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
    pub(super) fn scatter(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType) -> Result<()> {
        if self.level() == Level::Avx2 {
            if self.lanes() > MOST_STRIDED {
                return Err("short elements apart from each other".into());
            }
            self.distribute(operand, within, vector, dtype);
            return Ok(());
        }
        let form = match (self.lanes(), dtype.size()) {
            (8, 8) => &f::VPSCATTERQQ,
            (8, 4) => &f::VPSCATTERQD,
            (16, 4) => &f::VPSCATTERDD,
            _ => return Err("short elements apart from each other".into()),
        };
        let offsets = self.offsets(operand, dtype);
        let lanes = self.moment_mask().k();
        self.asm.mask_op(&f::KMOVQ, lanes, LANES, LANES);
        let base = self.base(operand);
        self.asm.scatter(form, Width::W512, base, offsets, 1, within as i32, vector, lanes);
        Ok(())
    }

    /// The coordinate along an axis: the row's, and along the row the lanes'.
    pub(super) fn index(&mut self, axis: usize) {
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
    pub(super) fn spread(&mut self, register: u8, from: Mem, dtype: DType) {
        if dtype == DType::Bool {
            return self.spread_bool(Truth(register), from);
        }
        let width = self.width(dtype);
        self.emit(broadcast(dtype.size()), width, VReg(register), VReg(0), Rm::Mem(from), Masking::NONE, None);
    }
}
