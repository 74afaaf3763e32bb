//! Loads and stores of operands, gathers and scatters, and coordinates, by the stride kind of each operand.
//!
//! AVX2 has no scatters, and its gathers are loads of single elements on many processors, so it loads and stores strided elements
//! one by one: `x[::3] + y[::3]` of a hundred thousand takes 29 µs, and 27 with the gathers of AVX-512. Elements of one or two
//! bytes go one by one everywhere, as AVX-512 neither gathers nor scatters them.
//!
//! Elements are stored in the order of the lanes, also by scatter instructions: where offsets repeat, the last one wins.

use crate::x86::asm::encode::{Cond, KReg, Label, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::MAX_STRIDED_LANES;
use crate::x86::isel::bools::MaskReg;
use crate::x86::isel::conventions::{INDEX, LANE_MASK, REMAINING, SCRATCH, StrideKind, at_arguments};
use crate::x86::isel::select::{Backing, EmitResult, Emitter, broadcast, by_size};
use crate::{DType, Inst, Scalar, ValueId};
use smallvec::SmallVec;

/// The forms that load the lowest element of a vector and another one, and that store these.
pub(crate) fn element_forms(size: usize) -> [&'static Form; 4] {
    match size {
        1 => [&f::VPINSRB, &f::VPINSRB, &f::VPEXTRB, &f::VPEXTRB],
        2 => [&f::VPINSRW, &f::VPINSRW, &f::VPEXTRW, &f::VPEXTRW],
        4 => [&f::VMOVD, &f::VPINSRD, &f::VMOVD_STORE, &f::VPEXTRD],
        _ => [&f::VMOVQ, &f::VPINSRQ, &f::VMOVQ_STORE, &f::VPEXTRQ],
    }
}

impl Emitter<'_> {
    /// The address of an operand's lanes.
    pub(crate) fn memory(&mut self, operand: usize, dtype: DType) -> Mem {
        let size = dtype.size();
        let index = match self.kinds[operand] {
            StrideKind::Dense | StrideKind::NonTemporal => Some((INDEX, size as u8)),
            StrideKind::Broadcast | StrideKind::Stride2 | StrideKind::Reversed | StrideKind::Strided => None,
        };
        Mem { base: self.base(operand), index, disp: self.copy_distance(size) }
    }

    /// Whether this is a tail in which lanes may be missing.
    fn is_partial(&self) -> bool {
        self.is_tail && !self.overlaps
    }

    /// Where the results of an overlapping tail go, if this is one.
    pub(crate) fn tail_results(&self, operand: usize) -> Option<Mem> {
        (self.is_tail && self.overlaps).then(|| at_arguments(self.arguments.tail_elements(operand)))
    }

    pub(crate) fn load(&mut self, operand: usize, dtype: DType) -> EmitResult<()> {
        let is_bool = dtype == DType::Bool;
        match self.kinds[operand] {
            StrideKind::Broadcast => self.load_broadcast(operand, 0, dtype),
            StrideKind::Dense | StrideKind::NonTemporal if is_bool => {
                let (out, from) = (self.define_mask(), self.memory(operand, dtype));
                self.load_bools(out, from);
            }
            StrideKind::Dense
                if self.load_from_rows(operand)
                    || self.load_jammed(operand, dtype)
                    || self.load_shifted(operand, dtype) => {}
            StrideKind::Dense | StrideKind::NonTemporal => {
                let (out, from) = (self.define_vector(), self.memory(operand, dtype));
                self.load_dense(out, from, dtype);
            }
            StrideKind::Stride2 | StrideKind::Reversed => {
                let out = self.define_vector();
                match self.kinds[operand] {
                    _ if self.is_tail => self.gather(operand, 0, out, dtype)?,
                    StrideKind::Stride2 => self.deinterleave(operand, 0, out, dtype),
                    _ => self.load_reversed(operand, out, dtype),
                }
            }
            StrideKind::Strided if is_bool => {
                let bytes = self.temp();
                self.gather(operand, 0, bytes, dtype)?;
                let out = self.define_mask();
                self.bools_from_bytes(out, bytes);
            }
            StrideKind::Strided => {
                let out = self.define_vector();
                self.gather(operand, 0, out, dtype)?;
            }
        }
        Ok(())
    }

    /// Defines the current value, a broadcast element, at so many bytes in the operand's: it stays in memory, or is loaded where the
    /// base pointer is spilled.
    pub(crate) fn load_broadcast(&mut self, operand: usize, within: usize, dtype: DType) {
        let from = Mem::at(self.base(operand), within as i32);
        if !self.is_base_spilled(operand) {
            return self.set_backing(Backing::Element(from));
        }
        let register = if dtype == DType::Bool { self.define_mask().0 } else { self.define_vector().0 };
        self.broadcast_element(register, from, dtype);
    }

    pub(crate) fn load_dense(&mut self, out: VReg, from: Mem, dtype: DType) {
        let mask = self.masking(dtype);
        let (form, mask) = match (self.level(), self.part_forms(dtype)) {
            (_, Some([load, _])) => (load, Masking::NONE),
            (Level::Avx512, None) => {
                (by_size(dtype, [&f::VMOVDQU8, &f::VMOVDQU16, &f::VMOVDQU32, &f::VMOVDQU64]), mask)
            }
            (Level::Avx2, None) => (&f::VMOVUPS, Masking::NONE),
        };
        let width = self.width(dtype);
        self.emit(form, width, out, VReg(0), Rm::Mem(from), mask, None);
    }

    /// The load and the store of all lanes where they are four or eight bytes, for which a masked access is not needed: a masked store of
    /// bytes takes several cycles on some processors.
    fn part_forms(&self, dtype: DType) -> Option<[&'static Form; 2]> {
        if self.level() == Level::Avx512 && (self.is_tail || self.loops.open.mask(self.unroll_index).is_some()) {
            return None;
        }
        match self.lanes() * dtype.size() {
            4 => Some([&f::VMOVD, &f::VMOVD_STORE]),
            8 => Some([&f::VMOVQ, &f::VMOVQ_STORE]),
            _ => None,
        }
    }

    /// A vector of the offsets of an operand's lanes, strided or complex: of four bytes each where there are sixteen lanes, else of
    /// eight.
    fn offsets(&mut self, operand: usize, dtype: DType) -> VReg {
        let size = dtype.size() as isize;
        match self.kinds[operand] {
            StrideKind::Dense | StrideKind::NonTemporal | StrideKind::Stride2 => return self.regular_offsets(2 * size),
            StrideKind::Reversed => return self.regular_offsets(-size),
            StrideKind::Broadcast | StrideKind::Strided => {}
        }
        let offsets = self.temp();
        let from = Rm::Mem(at_arguments(self.arguments.offsets(Some(operand), self.is_partial())));
        self.asm.vector(&f::VMOVUPS, Width::W512, offsets, VReg(0), from, Masking::NONE, None);
        offsets
    }

    /// Loads the elements of a type at so many bytes in the operand's.
    pub(crate) fn gather(&mut self, operand: usize, within: usize, out: VReg, dtype: DType) -> EmitResult<()> {
        if self.level() == Level::Avx2 {
            self.gather_lanes(operand, within, out, dtype, None);
            return Ok(());
        }
        if self.goes_by_element(operand, dtype) {
            self.load_elements(operand, within, out, dtype);
            return Ok(());
        }
        let offsets = self.offsets(operand, dtype);
        self.gather_by(operand, within, out, dtype, offsets)
    }

    /// Defines the current value: elements loaded by offsets, each at so many bytes in the operand's.
    pub(crate) fn load_by_offsets(
        &mut self,
        operand: usize,
        within: usize,
        offsets: ValueId,
        dtype: DType,
    ) -> EmitResult<()> {
        if self.kinds[operand] != StrideKind::Broadcast {
            return Err("elements by offset".into());
        }
        let is_bool = dtype == DType::Bool;
        let offsets_at = self.vector(offsets);
        let out = if is_bool { self.temp() } else { self.define_vector() };
        if self.level() == Level::Avx512 && dtype.size() >= 4 {
            self.gather_by(operand, within, out, dtype, offsets_at)?;
        } else {
            let at = match self.loaded_offsets(offsets) {
                Some(at) => at,
                None => self.stored_lanes(offsets),
            };
            self.gather_lanes(operand, within, out, dtype, Some(at));
        }
        if is_bool {
            let mask = self.define_mask();
            self.bools_from_bytes(mask, out);
        }
        self.free_dead(&[offsets]);
        Ok(())
    }

    /// The memory that offsets were loaded from, if they are contiguous and their base pointer is in a register.
    fn loaded_offsets(&mut self, offsets: ValueId) -> Option<Mem> {
        let Inst::Load(operand) = self.body.fragment.insts[offsets.0 as usize] else { return None };
        let operand = operand.0 as usize;
        let is_there = self.kinds[operand] == StrideKind::Dense && !self.is_base_spilled(operand);
        is_there.then(|| self.memory(operand, DType::I64))
    }

    /// Stores a value by offsets, a complex one by its parts.
    pub(crate) fn store_by_offsets(&mut self, operand: usize, offsets: ValueId, value: ValueId) -> EmitResult<()> {
        if self.kinds[operand] != StrideKind::Broadcast {
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
                self.bytes_from_bools(mask)
            } else {
                self.vector(part)
            };
            if self.level() == Level::Avx512 && dtype.size() >= 4 {
                self.scatter_by(operand, within, vector, dtype, offsets_at)?;
            } else {
                // Offsets spilled to the argument block would take 2.2 ns an element instead of 0.4 (1.4 in the portable backend): after
                // store forwarding of the offsets the processor waits for the addresses of all stores.
                let Some(at) = self.loaded_offsets(offsets) else { return Err("computed offsets".into()) };
                self.scatter_lanes(operand, within, vector, dtype, Some(at));
            }
        }
        self.free_dead(&parts);
        self.free_dead(&[offsets]);
        Ok(())
    }

    fn gather_by(&mut self, operand: usize, within: usize, out: VReg, dtype: DType, offsets: VReg) -> EmitResult<()> {
        let form = match (self.lanes(), dtype.size()) {
            (8, 8) => &f::VPGATHERQQ,
            (8, 4) => &f::VPGATHERQD,
            (16, 4) => &f::VPGATHERDD,
            _ => return Err("strided elements of one or two bytes".into()),
        };
        let mask = self.temp_mask().k();
        self.asm.mask_op(&f::KMOVQ, mask, LANE_MASK, LANE_MASK);
        // Masked lanes keep what the register had, which must not raise flags.
        self.zero(out);
        let base = self.base(operand);
        self.asm.gather(form, Width::W512, out, base, offsets, 1, within as i32, mask);
        Ok(())
    }

    /// The address of one lane of an operand, strided or by offsets.
    fn lane_address(&mut self, operand: usize, within: usize, lane: usize, by: Option<Mem>) -> Mem {
        let base = self.base(operand);
        if lane == 0 && by.is_none() {
            return Mem::at(base, within as i32);
        }
        let offsets = by.unwrap_or_else(|| at_arguments(self.arguments.offsets(Some(operand), self.is_partial())));
        self.asm.load(SCRATCH, Mem { disp: offsets.disp + 8 * lane as i32, ..offsets });
        Mem::indexed(base, SCRATCH, 1, within as i32)
    }

    /// Jumps to the end before a lane past the row. (With AVX2 copies of the last element fill those lanes.)
    fn exit_past_tail(&mut self, lane: usize, end: Label) {
        if self.level() == Level::Avx512 && self.is_tail && lane > 0 {
            self.asm.cmp_imm(REMAINING, lane as i32);
            self.asm.jump_if(Cond::BelowEqual, end);
        }
    }

    /// Loads the elements of all lanes one by one.
    fn gather_lanes(&mut self, operand: usize, within: usize, out: VReg, dtype: DType, by: Option<Mem>) {
        let [first, other, ..] = element_forms(dtype.size());
        let (per, end) = (16 / dtype.size(), self.asm.label());
        for half in 0..self.lanes().div_ceil(per) {
            let part = if half == 0 { out } else { self.temp() };
            if first.immediate {
                self.zero(part);
            }
            for i in 0..per.min(self.lanes()) {
                self.exit_past_tail(half * per + i, end);
                let form = if i == 0 { first } else { other };
                let from = Rm::Mem(self.lane_address(operand, within, half * per + i, by));
                let number = form.immediate.then_some(i as u8);
                self.emit(form, Width::W128, part, part, from, Masking::NONE, number);
            }
            if half == 1 {
                self.asm.vex(&f::VINSERTI128, Width::W256, out, out, Rm::Reg(part), Some(1));
            }
        }
        self.asm.bind(end);
    }

    /// Stores the elements of all lanes one by one.
    fn scatter_lanes(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType, by: Option<Mem>) {
        let [.., first, other] = element_forms(dtype.size());
        let (per, end) = (16 / dtype.size(), self.asm.label());
        for half in 0..self.lanes().div_ceil(per) {
            let mut part = vector;
            if half == 1 {
                part = self.temp();
                self.asm.vex_part(&f::VEXTRACTI128, Width::W256, part, vector, Some(1));
            }
            for i in 0..per.min(self.lanes()) {
                self.exit_past_tail(half * per + i, end);
                let form = if i == 0 { first } else { other };
                let to = self.lane_address(operand, within, half * per + i, by);
                let number = form.immediate.then_some(i as u8);
                match self.level() {
                    Level::Avx512 => self.asm.store_imm(form, Width::W128, to, part, KReg(0), number),
                    Level::Avx2 => self.asm.vex_store(form, Width::W128, to, part, number),
                }
            }
        }
        self.asm.bind(end);
    }

    pub(crate) fn store(&mut self, operand: usize, value: ValueId) -> EmitResult<()> {
        let dtype = self.dtype(value);
        if dtype.is_complex() {
            return self.store_parts(operand, value);
        }
        let vector = if dtype == DType::Bool {
            let mask = self.mask(value);
            self.bytes_from_bools(mask)
        } else {
            self.vector(value)
        };
        match self.kinds[operand] {
            StrideKind::Dense | StrideKind::NonTemporal => self.store_dense(operand, vector, dtype),
            StrideKind::Broadcast | StrideKind::Stride2 | StrideKind::Reversed | StrideKind::Strided => {
                match self.tail_results(operand) {
                    Some(to) => self.store_lanes(to, vector),
                    None => self.scatter(operand, 0, vector, dtype)?,
                }
            }
        }
        Ok(())
    }

    fn store_dense(&mut self, operand: usize, vector: VReg, dtype: DType) {
        let is_non_temporal = self.kinds[operand] == StrideKind::NonTemporal && !self.is_tail;
        let to = match self.tail_results(operand) {
            Some(to) => to,
            None => self.memory(operand, dtype),
        };
        if is_non_temporal {
            let width = self.width(dtype);
            match self.level() {
                Level::Avx512 => self.asm.store(&f::VMOVNTDQ, width, to, vector, KReg(0)),
                Level::Avx2 => self.asm.vex_store(&f::VMOVNTDQ, width, to, vector, None),
            }
        } else {
            self.store_contiguous(to, vector, dtype);
        }
    }

    /// Stores contiguous elements.
    pub(crate) fn store_contiguous(&mut self, to: Mem, vector: VReg, dtype: DType) {
        let (width, part) = (self.width(dtype), self.part_forms(dtype));
        match self.level() {
            Level::Avx2 => {
                self.asm.vex_store(part.map_or(&f::VMOVUPS_STORE, |[_, store]| store), width, to, vector, None)
            }
            Level::Avx512 => {
                let whole = [&f::VMOVDQU8_STORE, &f::VMOVDQU16_STORE, &f::VMOVDQU32_STORE, &f::VMOVDQU64_STORE];
                let (form, mask) = match part {
                    Some([_, store]) => (store, KReg(0)),
                    None => (by_size(dtype, whole), self.masking(dtype).k),
                };
                self.asm.store(form, width, to, vector, mask);
            }
        }
    }

    /// Stores elements of a type at so many bytes in the operand's.
    pub(crate) fn scatter(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType) -> EmitResult<()> {
        if self.level() == Level::Avx2 {
            if self.lanes() > MAX_STRIDED_LANES {
                return Err("strided elements of one or two bytes".into());
            }
            self.scatter_lanes(operand, within, vector, dtype, None);
            return Ok(());
        }
        if self.goes_by_element(operand, dtype) {
            self.store_elements(operand, within, vector, dtype);
            return Ok(());
        }
        let offsets = self.offsets(operand, dtype);
        self.scatter_by(operand, within, vector, dtype, offsets)
    }

    fn scatter_by(
        &mut self,
        operand: usize,
        within: usize,
        vector: VReg,
        dtype: DType,
        offsets: VReg,
    ) -> EmitResult<()> {
        let form = match (self.lanes(), dtype.size()) {
            (8, 8) => &f::VPSCATTERQQ,
            (8, 4) => &f::VPSCATTERQD,
            (16, 4) => &f::VPSCATTERDD,
            _ => return Err("strided elements of one or two bytes".into()),
        };
        let lanes = self.temp_mask().k();
        self.asm.mask_op(&f::KMOVQ, lanes, LANE_MASK, LANE_MASK);
        let base = self.base(operand);
        self.asm.scatter(form, Width::W512, base, offsets, 1, within as i32, vector, lanes);
        Ok(())
    }

    /// Defines the current value: the coordinate along an axis, which differs by lane only along the row.
    pub(crate) fn coordinate(&mut self, axis: usize) {
        let start = at_arguments(self.arguments.axis(axis));
        if axis + 1 < self.axes() {
            return self.set_backing(Backing::Element(start));
        }
        let width = self.whole();
        let lanes = Rm::Mem(at_arguments(self.arguments.offsets(None, self.is_partial())));
        let out = self.define_vector();
        match self.level() {
            Level::Avx512 => self.asm.broadcast_gpr(&f::VPBROADCASTQ_GPR, width, out, INDEX, Masking::NONE),
            Level::Avx2 => {
                self.asm.vex_from_gpr(out, INDEX);
                self.asm.vex(&f::VPBROADCASTQ, width, out, VReg(0), Rm::Reg(out), None);
            }
        }
        self.emit(&f::VPADDQ, width, out, out, lanes, Masking::NONE, None);
        let first = match self.level() {
            Level::Avx512 => Rm::Broadcast(start),
            Level::Avx2 => {
                let first = self.temp();
                self.asm.vex(&f::VPBROADCASTQ, width, first, VReg(0), Rm::Mem(start), None);
                Rm::Reg(first)
            }
        };
        self.emit(&f::VPADDQ, width, out, out, first, Masking::NONE, None);
        if self.unroll_index > 0 {
            let on = self.constant(Scalar::new(DType::I64, (self.unroll_index * self.lanes()) as i64));
            self.emit(&f::VPADDQ, width, out, out, on, Masking::NONE, None);
        }
    }

    /// Broadcasts an element of memory.
    pub(crate) fn broadcast_element(&mut self, register: u8, from: Mem, dtype: DType) {
        if dtype == DType::Bool {
            return self.broadcast_bool(MaskReg(register), from);
        }
        let width = self.width(dtype);
        self.emit(broadcast(dtype.size()), width, VReg(register), VReg(0), Rm::Mem(from), Masking::NONE, None);
    }
}
