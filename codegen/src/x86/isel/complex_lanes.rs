//! Complex numbers: parts of those in memory, and memory of parts. Nowhere else is there a complex value: a fragment's are two
//! vectors each.
//!
//! Where numbers follow each other, a vector of parts comes from two vectors of memory by a permutation, and goes there by two.
//! Their addresses are too far apart for an index, so what leads to them goes on with the loop. At the end of a row, where
//! there are masks, parts are gathered and scattered.

use crate::x86::asm::encode::{KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Emitter, Result};
use crate::x86::loops::map_loop::{Step, VECTOR, at_arguments};
use crate::{ComplexPart, DType, Inst, ValueId};

/// The form for elements of four bytes or of eight.
fn by_word(dtype: DType, four: &'static Form, eight: &'static Form) -> &'static Form {
    if dtype.size() == 8 { eight } else { four }
}

/// A vector of numbers of a size, as words.
fn words(size: usize, number: impl Fn(usize) -> isize) -> Vec<u64> {
    let count = VECTOR / size;
    if size == 8 {
        return (0..count).map(|i| number(i) as u64).collect();
    }
    (0..count / 2).map(|i| u64::from(number(2 * i) as u32) | u64::from(number(2 * i + 1) as u32) << 32).collect()
}

impl Emitter<'_> {
    /// The value at hand, a part of a complex number.
    pub(crate) fn part(&mut self, value: ValueId, part: ComplexPart, dtype: DType) -> Result<()> {
        let number = (part == ComplexPart::Imaginary) as usize;
        let within = number * dtype.size();
        match self.body.fragment.insts[value.0 as usize] {
            Inst::Param(scalar) => {
                let from = self.arguments.scalar(scalar.0 as usize) + number * self.level().constant();
                self.live_in(self.parameter(from));
            }
            Inst::Load(operand) => {
                let operand = operand.0 as usize;
                match self.steps[operand] {
                    Step::Still => self.load_still(operand, within, dtype),
                    Step::Strided | Step::Alternate | Step::Backward => {
                        let out = self.define_vector();
                        self.gather(operand, within, out, dtype)?;
                    }
                    Step::Dense | Step::Streamed => {
                        let out = self.define_vector();
                        match self.level() {
                            Level::Avx512 if self.rest => self.gather(operand, within, out, dtype)?,
                            Level::Avx512 => self.take_apart(operand, number, out, dtype),
                            Level::Avx2 => self.take_halves_apart(operand, number, out, dtype),
                        }
                    }
                }
            }
            Inst::Gather(operand, offsets) => return self.gather_at(operand.0 as usize, within, offsets, dtype),
            _ => return Err("complex numbers".into()),
        }
        Ok(())
    }

    /// The vectors of memory at which numbers of two parts lie: one or two of them.
    fn vectors_of(&mut self, operand: usize, dtype: DType) -> [Option<Mem>; 2] {
        let bytes = 2 * self.lanes() * dtype.size();
        let first = Mem::at(self.base(operand), (self.copy * bytes) as i32);
        let vector = self.level().vector();
        [Some(first), (bytes > vector).then(|| Mem { disp: first.disp + vector as i32, ..first })]
    }

    /// A vector of numbers of a size.
    fn numbers(&mut self, size: usize, out: VReg, number: impl Fn(usize) -> isize) {
        let at = self.arguments.table(&words(size, number));
        self.copy(out, Rm::Mem(at_arguments(at)));
    }

    /// Every other element of two vectors, the first of them or the second; of one vector, where lanes do not fill it.
    pub(crate) fn take_apart(&mut self, operand: usize, number: usize, out: VReg, dtype: DType) {
        let order = self.moment();
        let own = self.lanes();
        self.numbers(dtype.size(), order, |i| if i < own { (2 * i + number) as isize } else { 0 });
        match self.vectors_of(operand, dtype) {
            [Some(low), Some(high)] => {
                self.copy(out, Rm::Mem(low));
                let form = by_word(dtype, &f::VPERMT2PS, &f::VPERMT2PD);
                self.asm.vector(form, Width::W512, out, order, Rm::Mem(high), Masking::NONE, None);
            }
            [low, _] => {
                let low = Rm::Mem(low.expect("there is one vector"));
                let form = by_word(dtype, &f::VPERMPS, &f::VPERMPD);
                self.asm.vector(form, Width::W512, out, order, low, Masking::NONE, None);
            }
        }
    }

    fn take_halves_apart(&mut self, operand: usize, number: usize, out: VReg, dtype: DType) {
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

    /// Stores complex numbers of two parts.
    pub(crate) fn store_parts(&mut self, operand: usize, value: ValueId) -> Result<()> {
        let Inst::Complex([re, im]) = self.body.fragment.insts[value.0 as usize] else {
            return Err("complex numbers".into());
        };
        let dtype = self.dtype(re);
        let (x, y) = (self.vector(re), self.vector(im));
        let is_dense = matches!(self.steps[operand], Step::Dense | Step::Streamed);
        match self.level() {
            Level::Avx512 if is_dense && !self.rest => self.put_together(operand, x, y, dtype),
            Level::Avx2 if is_dense => self.put_halves_together(operand, x, y, dtype),
            _ => {
                self.scatter(operand, 0, x, dtype)?;
                self.scatter(operand, dtype.size(), y, dtype)?;
            }
        }
        self.bury(&[re, im]);
        Ok(())
    }

    fn put_together(&mut self, operand: usize, x: VReg, y: VReg, dtype: DType) {
        let count = VECTOR / dtype.size();
        for (half, to) in self.vectors_of(operand, dtype).into_iter().flatten().enumerate() {
            let pairs = self.moment();
            self.numbers(dtype.size(), pairs, |i| ((i + half * count) / 2 + (i % 2) * count) as isize);
            let form = by_word(dtype, &f::VPERMI2PS, &f::VPERMI2PD);
            self.asm.vector(form, Width::W512, pairs, x, Rm::Reg(y), Masking::NONE, None);
            self.put_at(operand, to, pairs);
        }
    }

    fn put_halves_together(&mut self, operand: usize, x: VReg, y: VReg, dtype: DType) {
        let (low, high) = (self.moment(), self.moment());
        let [lows, highs] =
            if dtype.size() == 4 { [&f::VPUNPCKLDQ, &f::VPUNPCKHDQ] } else { [&f::VPUNPCKLQDQ, &f::VPUNPCKHQDQ] };
        let width = self.width(dtype);
        self.asm.vex(lows, width, low, x, Rm::Reg(y), None);
        self.asm.vex(highs, width, high, x, Rm::Reg(y), None);
        let pairs = self.moment();
        for (half, to) in self.vectors_of(operand, dtype).into_iter().flatten().enumerate() {
            match half {
                0 => self.asm.vex(&f::VINSERTI128, Width::W256, pairs, low, Rm::Reg(high), Some(1)),
                _ => self.asm.vex(&f::VPERM2I128, Width::W256, pairs, low, Rm::Reg(high), Some(0b11_00_01)),
            }
            self.put_at(operand, to, pairs);
        }
    }

    /// Stores a whole vector of an operand.
    fn put_at(&mut self, operand: usize, to: Mem, vector: VReg) {
        let streams = self.steps[operand] == Step::Streamed && !self.rest;
        let form = if streams { &f::VMOVNTDQ } else { &f::VMOVUPS_STORE };
        match self.level() {
            Level::Avx512 => self.asm.store(form, Width::W512, to, vector, KReg(0)),
            Level::Avx2 => self.asm.vex_store(form, Width::W256, to, vector, None),
        }
    }

    /// Elements from the last to the first.
    pub(crate) fn turn_round(&mut self, operand: usize, out: VReg, dtype: DType) {
        let (order, lanes) = (self.moment(), self.lanes());
        self.numbers(dtype.size(), order, |i| lanes as isize - 1 - i as isize);
        let bytes = ((self.copy + 1) * lanes - 1) * dtype.size();
        let from = Rm::Mem(Mem::at(self.base(operand), -(bytes as i32)));
        let form = by_word(dtype, &f::VPERMPS, &f::VPERMPD);
        self.asm.vector(form, self.width(dtype), out, order, from, Masking::NONE, None);
    }

    /// The offsets of elements so many bytes from each other.
    pub(crate) fn even_offsets(&mut self, step: isize) -> VReg {
        let offsets = self.moment();
        self.numbers(if self.lanes() > 8 { 4 } else { 8 }, offsets, |i| step * i as isize);
        offsets
    }
}
