//! Complex lanes: deinterleaving the parts of complex numbers when loading, interleaving them when storing.
//!
//! There are complex values only in memory: in registers a fragment has two vectors of parts. Of contiguous numbers, one permutation
//! of two vectors of memory makes a vector of parts, and two permutations store the parts. An index register cannot scale by the 16
//! bytes of a number, so base pointers advance with the loop. At a masked tail, parts are gathered and scattered.

use crate::x86::asm::encode::{KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{StrideKind, VECTOR_BYTES, at_arguments};
use crate::x86::isel::select::{EmitResult, Emitter};
use crate::{ComplexPart, DType, Inst, ValueId};

/// The form for elements of four bytes or of eight.
fn by_lane_size(dtype: DType, four: &'static Form, eight: &'static Form) -> &'static Form {
    if dtype.size() == 8 { eight } else { four }
}

/// The indices of a permutation, integers of a size, as words of eight bytes.
fn permutation_words(size: usize, number: impl Fn(usize) -> isize) -> Vec<u64> {
    let count = VECTOR_BYTES / size;
    if size == 8 {
        return (0..count).map(|i| number(i) as u64).collect();
    }
    (0..count / 2).map(|i| u64::from(number(2 * i) as u32) | u64::from(number(2 * i + 1) as u32) << 32).collect()
}

impl Emitter<'_> {
    /// Defines the current value, a part of a complex number.
    pub(crate) fn part(&mut self, value: ValueId, part: ComplexPart, dtype: DType) -> EmitResult<()> {
        let number = (part == ComplexPart::Imaginary) as usize;
        let within = number * dtype.size();
        match self.body.fragment.insts[value.0 as usize] {
            Inst::Param(scalar) => {
                let from = self.arguments.scalar(scalar.0 as usize) + number * self.level().constant();
                self.set_backing(self.constant_backing(from));
            }
            Inst::Load(operand) => {
                let operand = operand.0 as usize;
                match self.kinds[operand] {
                    StrideKind::Broadcast => self.load_broadcast(operand, within, dtype),
                    StrideKind::Strided | StrideKind::Stride2 | StrideKind::Reversed => {
                        let out = self.define_vector();
                        self.gather(operand, within, out, dtype)?;
                    }
                    StrideKind::Dense | StrideKind::NonTemporal => {
                        let out = self.define_vector();
                        match self.level() {
                            Level::Avx512 if self.is_tail => self.gather(operand, within, out, dtype)?,
                            Level::Avx512 => self.deinterleave(operand, number, out, dtype),
                            Level::Avx2 => self.deinterleave_avx2(operand, number, out, dtype),
                        }
                    }
                }
            }
            Inst::Gather(operand, offsets) => return self.load_by_offsets(operand.0 as usize, within, offsets, dtype),
            _ => return Err("complex numbers".into()),
        }
        Ok(())
    }

    /// The addresses of the vectors that hold the complex numbers of all lanes: one or two.
    fn vectors_of(&mut self, operand: usize, dtype: DType) -> [Option<Mem>; 2] {
        let bytes = 2 * self.lanes() * dtype.size();
        let first = Mem::at(self.base(operand), (self.unroll_index * bytes) as i32);
        let vector = self.level().vector();
        [Some(first), (bytes > vector).then(|| Mem { disp: first.disp + vector as i32, ..first })]
    }

    /// Loads the indices of a permutation, integers of a size.
    fn load_permutation(&mut self, size: usize, out: VReg, number: impl Fn(usize) -> isize) {
        let at = self.arguments.table(&permutation_words(size, number));
        self.copy(out, Rm::Mem(at_arguments(at)));
    }

    /// Every second element of two vectors, from the first or the second one on; of one vector, where lanes do not fill it.
    pub(crate) fn deinterleave(&mut self, operand: usize, number: usize, out: VReg, dtype: DType) {
        let order = self.temp();
        let own = self.lanes();
        self.load_permutation(dtype.size(), order, |i| if i < own { (2 * i + number) as isize } else { 0 });
        match self.vectors_of(operand, dtype) {
            [Some(low), Some(high)] => {
                self.copy(out, Rm::Mem(low));
                let form = by_lane_size(dtype, &f::VPERMT2PS, &f::VPERMT2PD);
                self.asm.vector(form, Width::W512, out, order, Rm::Mem(high), Masking::NONE, None);
            }
            [low, _] => {
                let low = Rm::Mem(low.expect("there is one vector"));
                let form = by_lane_size(dtype, &f::VPERMPS, &f::VPERMPD);
                self.asm.vector(form, Width::W512, out, order, low, Masking::NONE, None);
            }
        }
    }

    fn deinterleave_avx2(&mut self, operand: usize, number: usize, out: VReg, dtype: DType) {
        let (first, second) = (0b10_00_10_00, 0b11_01_11_01);
        let which = if number == 0 { first } else { second };
        match self.vectors_of(operand, dtype) {
            [Some(low), Some(high)] => {
                self.copy(out, Rm::Mem(low));
                match (dtype.size(), number) {
                    (4, _) => self.asm.vex(&f::VSHUFPS, Width::W256, out, out, Rm::Mem(high), Some(which)),
                    (_, 0) => self.asm.vex(&f::VPUNPCKLQDQ, Width::W256, out, out, Rm::Mem(high), None),
                    _ => self.asm.vex(&f::VPUNPCKHQDQ, Width::W256, out, out, Rm::Mem(high), None),
                }
                self.asm.vex(&f::VPERMQ_IMM, Width::W256, out, VReg(0), Rm::Reg(out), Some(0b11_01_10_00));
            }
            [low, _] => {
                let low = Rm::Mem(low.expect("there is one vector"));
                self.asm.vex(&f::VPSHUFD, Width::W256, out, VReg(0), low, Some(which));
                self.asm.vex(&f::VPERMQ_IMM, Width::W256, out, VReg(0), Rm::Reg(out), Some(0b00_00_10_00));
            }
        }
    }

    /// Stores complex numbers from their parts.
    pub(crate) fn store_parts(&mut self, operand: usize, value: ValueId) -> EmitResult<()> {
        let Inst::Complex([re, im]) = self.body.fragment.insts[value.0 as usize] else {
            return Err("complex numbers".into());
        };
        let dtype = self.dtype(re);
        let (x, y) = (self.vector(re), self.vector(im));
        let is_dense = matches!(self.kinds[operand], StrideKind::Dense | StrideKind::NonTemporal);
        match self.level() {
            Level::Avx512 if is_dense && !self.is_tail => self.interleave(operand, x, y, dtype),
            Level::Avx2 if is_dense => self.interleave_avx2(operand, x, y, dtype),
            _ => match self.tail_results(operand) {
                Some(to) => {
                    self.store_lanes(to, x);
                    self.store_lanes(Mem { disp: to.disp + self.level().vector() as i32, ..to }, y);
                }
                None => {
                    self.scatter(operand, 0, x, dtype)?;
                    self.scatter(operand, dtype.size(), y, dtype)?;
                }
            },
        }
        self.free_dead(&[re, im]);
        Ok(())
    }

    fn interleave(&mut self, operand: usize, x: VReg, y: VReg, dtype: DType) {
        let count = VECTOR_BYTES / dtype.size();
        for (half, to) in self.vectors_of(operand, dtype).into_iter().flatten().enumerate() {
            let pairs = self.temp();
            self.load_permutation(dtype.size(), pairs, |i| ((i + half * count) / 2 + (i % 2) * count) as isize);
            let form = by_lane_size(dtype, &f::VPERMI2PS, &f::VPERMI2PD);
            self.asm.vector(form, Width::W512, pairs, x, Rm::Reg(y), Masking::NONE, None);
            self.store_vector(operand, to, pairs);
        }
    }

    fn interleave_avx2(&mut self, operand: usize, x: VReg, y: VReg, dtype: DType) {
        let (low, high) = (self.temp(), self.temp());
        let [lows, highs] =
            if dtype.size() == 4 { [&f::VPUNPCKLDQ, &f::VPUNPCKHDQ] } else { [&f::VPUNPCKLQDQ, &f::VPUNPCKHQDQ] };
        let width = self.width(dtype);
        self.asm.vex(lows, width, low, x, Rm::Reg(y), None);
        self.asm.vex(highs, width, high, x, Rm::Reg(y), None);
        let pairs = self.temp();
        for (half, to) in self.vectors_of(operand, dtype).into_iter().flatten().enumerate() {
            let to = match self.tail_results(operand) {
                Some(results) => Mem { disp: results.disp + (half * self.level().vector()) as i32, ..results },
                None => to,
            };
            match half {
                0 => self.asm.vex(&f::VINSERTI128, Width::W256, pairs, low, Rm::Reg(high), Some(1)),
                _ => self.asm.vex(&f::VPERM2I128, Width::W256, pairs, low, Rm::Reg(high), Some(0b11_00_01)),
            }
            self.store_vector(operand, to, pairs);
        }
    }

    /// Stores a full vector of an operand.
    fn store_vector(&mut self, operand: usize, to: Mem, vector: VReg) {
        let is_non_temporal = self.kinds[operand] == StrideKind::NonTemporal && !self.is_tail;
        let form = if is_non_temporal { &f::VMOVNTDQ } else { &f::VMOVUPS_STORE };
        match self.level() {
            Level::Avx512 => self.asm.store(form, Width::W512, to, vector, KReg(0)),
            Level::Avx2 => self.asm.vex_store(form, Width::W256, to, vector, None),
        }
    }

    /// Loads contiguous elements in reverse order.
    pub(crate) fn load_reversed(&mut self, operand: usize, out: VReg, dtype: DType) {
        let (order, lanes) = (self.temp(), self.lanes());
        self.load_permutation(dtype.size(), order, |i| lanes as isize - 1 - i as isize);
        let bytes = ((self.unroll_index + 1) * lanes - 1) * dtype.size();
        let from = Rm::Mem(Mem::at(self.base(operand), -(bytes as i32)));
        let form = by_lane_size(dtype, &f::VPERMPS, &f::VPERMPD);
        self.asm.vector(form, self.width(dtype), out, order, from, Masking::NONE, None);
    }

    /// A vector of offsets with a constant stride in bytes.
    pub(crate) fn regular_offsets(&mut self, stride: isize) -> VReg {
        let offsets = self.temp();
        self.load_permutation(if self.lanes() > 8 { 4 } else { 8 }, offsets, |i| stride * i as isize);
        offsets
    }
}
