//! Strided elements of full vectors, one by one, where the processor's gathers and scatters take longer than that.
//!
//! A vector of eight doubles takes 27 cycles by a gather on a Zen 4, and 10 by scalar loads; 29 by a scatter, and 18 by scalar stores.
//! The stride times an odd number is loaded to a general register, and serves all lanes that are this number times a power of two.

use crate::DType;
use crate::x86::asm::encode::{Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{SCRATCH, StrideKind, at_arguments};
use crate::x86::isel::memory::element_forms;
use crate::x86::isel::select::Emitter;
use smallvec::SmallVec;

/// Bytes of a part of a vector that scalar loads fill.
const PART: usize = 16;
/// The largest factor of an index in an address.
const MAX_SCALE: usize = 8;

impl Emitter<'_> {
    /// Whether the elements of an operand are loaded and stored one by one.
    pub(crate) fn goes_by_element(&self, operand: usize, dtype: DType) -> bool {
        self.level() == Level::Avx512
            && !self.body.processor.has_fast_gathers
            && self.kinds[operand] == StrideKind::Strided
            && dtype.size() >= 4
            && !self.is_tail
            && self.loops.open.mask(self.unroll_index).is_none()
    }

    /// Loads the elements of a type at so many bytes in the operand's.
    pub(crate) fn load_elements(&mut self, operand: usize, within: usize, out: VReg, dtype: DType) {
        let [first, other, ..] = element_forms(dtype.size());
        let per = PART / dtype.size();
        let parts: SmallVec<[VReg; 4]> =
            (0..self.lanes() / per).map(|part| if part == 0 { out } else { self.temp() }).collect();
        self.each_address(operand, within, |emitter, lane, from| {
            let (part, place) = (parts[lane / per], lane % per);
            let form = if place == 0 { first } else { other };
            let number = form.immediate.then_some(place as u8);
            emitter.asm.vector(form, Width::W128, part, part, Rm::Mem(from), Masking::NONE, number);
        });
        for (number, &part) in parts.iter().enumerate().skip(1) {
            let number = Some(number as u8);
            self.asm.vector(&f::VINSERTI32X4, Width::W512, out, out, Rm::Reg(part), Masking::NONE, number);
        }
    }

    /// Stores elements of a type at so many bytes in the operand's.
    pub(crate) fn store_elements(&mut self, operand: usize, within: usize, vector: VReg, dtype: DType) {
        let [.., first, other] = element_forms(dtype.size());
        let per = PART / dtype.size();
        let mut parts: SmallVec<[VReg; 4]> = SmallVec::from_slice(&[vector]);
        for number in 1..self.lanes() / per {
            let part = self.temp();
            let from = Rm::Reg(vector);
            self.asm.vector(&f::VEXTRACTI32X4, Width::W512, part, VReg(0), from, Masking::NONE, Some(number as u8));
            parts.push(part);
        }
        self.each_address(operand, within, |emitter, lane, to| {
            let (part, place) = (parts[lane / per], lane % per);
            let form = if place == 0 { first } else { other };
            let number = form.immediate.then_some(place as u8);
            emitter.asm.store_imm(form, Width::W128, to, part, Masking::NONE.k, number);
        });
    }

    /// Does something with the address of each lane: the first lane of a part before its others.
    fn each_address(&mut self, operand: usize, within: usize, mut with: impl FnMut(&mut Self, usize, Mem)) {
        let base = self.base(operand);
        with(self, 0, Mem::at(base, within as i32));
        let (lanes, offsets) = (self.lanes(), self.arguments.offsets(Some(operand), false));
        for odd in (1..lanes).step_by(2) {
            let (from, short) = if lanes > 8 { (4 * odd, true) } else { (8 * odd, false) };
            let offset = at_arguments(offsets + from);
            if short {
                self.asm.load_signed(SCRATCH, offset)
            } else {
                self.asm.load(SCRATCH, offset)
            }
            let mut scale = 1;
            while scale <= MAX_SCALE && odd * scale < lanes {
                with(self, odd * scale, Mem::indexed(base, SCRATCH, scale as u8, within as i32));
                scale *= 2;
            }
        }
    }
}
