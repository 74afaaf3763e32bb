//! Fused multiply-add: which of its forms overwrites a value that dies there.

use crate::x86::asm::encode::Rm;
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Backing, Emitter, ValueLocation, by_float};
use crate::{DType, ValueId};

/// The fused multiply-add forms that overwrite a factor and the addend, by whether product and addend are negated.
fn fused_forms(negative: [bool; 2], dtype: DType) -> [&'static Form; 2] {
    let forms = match negative {
        [false, false] => [&f::VFMADD213PS, &f::VFMADD213PD, &f::VFMADD231PS, &f::VFMADD231PD],
        [false, true] => [&f::VFMSUB213PS, &f::VFMSUB213PD, &f::VFMSUB231PS, &f::VFMSUB231PD],
        [true, false] => [&f::VFNMADD213PS, &f::VFNMADD213PD, &f::VFNMADD231PS, &f::VFNMADD231PD],
        [true, true] => [&f::VFNMSUB213PS, &f::VFNMSUB213PD, &f::VFNMSUB231PS, &f::VFNMSUB231PD],
    };
    [by_float(dtype, forms[0], forms[1]), by_float(dtype, forms[2], forms[3])]
}

impl Emitter<'_> {
    /// `a * b + c`, rounded once, with the product or the addend negated. The instructions overwrite a source: one that dies here,
    /// if there is one.
    pub(crate) fn fused(&mut self, [a, b, c]: [ValueId; 3], negative: [bool; 2], dtype: DType) {
        let (width, mask) = (self.width(dtype), self.masking(dtype));
        let [onto_product, onto_sum] = fused_forms(negative, dtype);
        if let Some(factor) = self.factor_in_memory([a, b, c]) {
            let (x, from) = (self.vector(if factor == a { b } else { a }), self.operand(factor));
            if let Some(out) = self.reuse(c) {
                self.emit(onto_sum, width, out, x, from, mask, None);
                self.free_dead(&[a, b]);
                return;
            }
        }
        let (x, y) = (self.vector(a), self.vector(b));
        let z = self.operand(c);
        if a != b
            && a != c
            && let Some(out) = self.reuse(a)
        {
            self.emit(onto_product, width, out, y, z, mask, None);
        } else if b != a
            && b != c
            && let Some(out) = self.reuse(b)
        {
            self.emit(onto_product, width, out, x, z, mask, None);
        } else if c != a
            && c != b
            && let Some(out) = self.reuse(c)
        {
            self.emit(onto_sum, width, out, x, Rm::Reg(y), mask, None);
        } else {
            let out = self.define_vector();
            self.copy(out, Rm::Reg(x));
            self.emit(onto_product, width, out, y, z, mask, None);
        }
        self.free_dead(&[a, b, c]);
    }

    /// The factor of `a * b + c` that is in memory, where the sum can take the place of `c`.
    fn factor_in_memory(&mut self, [a, b, c]: [ValueId; 3]) -> Option<ValueId> {
        let is_memory =
            |location: &ValueLocation| location.register.is_none() && matches!(location.backing, Backing::Lanes(_));
        let is_there = self.location(c.0).register.is_some() && self.next_use(c.0) == u32::MAX;
        if self.level() != Level::Avx2 || !is_there || c == a || c == b || a == b {
            return None;
        }
        [b, a].into_iter().find(|factor| is_memory(self.location(factor.0)))
    }
}
