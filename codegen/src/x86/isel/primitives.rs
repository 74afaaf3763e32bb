//! Instruction selection of the primitives of elementary functions: each is one instruction of AVX-512. AVX2 has none of
//! them: see [`crate::x86::isel::avx2_primitives`].

use crate::math::table_words;
use crate::x86::asm::encode::{Masking, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{VECTOR_BYTES, at_arguments};
use crate::x86::isel::select::{EmitResult, Emitter, by_float};
use crate::{DType, Primitive, Scalar, Table, ValueId};

/// The mode of `vrange`: the smaller magnitude, with the sign of the first operand.
const NEARER_ZERO: u8 = 0b0010;
/// The mode of `vreduce`: the difference to the nearest multiple of 1/16, without an inexact flag.
const SIXTEENTHS: u8 = 0x48;
/// The mode of `vgetmant`: mantissas in [3/4, 3/2), with the sign of the argument.
const FROM_THREE_QUARTERS: u8 = 0b0011;
/// The classes of `vfpclass`: NaN of both kinds, zeros, infinities, subnormals and negative numbers.
const ALL_BUT_POSITIVE: u8 = 0xff;
/// The table of `vfixupimm`, four bits a class: NaN as it is, minus infinity zero, plus infinity itself, others unchanged.
const ENDS: u64 = 0x0058_0022;
/// The same of logarithms: NaN as it is, plus infinity itself, of zero minus infinity, of negative numbers NaN.
const LOG_ENDS: u64 = 0x0353_0422;
/// The flags of the latter: division by zero of zero, invalid of minus infinity and negative numbers.
const LOG_FLAGS: u8 = 0b110_0001;

impl Emitter<'_> {
    /// Defines the current value by a primitive.
    pub(crate) fn step(&mut self, step: Primitive, a: ValueId, b: ValueId) -> EmitResult<()> {
        if self.level() == Level::Avx2 {
            self.step_avx2(step, a, b);
            return Ok(());
        }
        let dtype = self.dtype(a);
        match step {
            Primitive::Scale => self.binary(by_float(dtype, &f::VSCALEFPS, &f::VSCALEFPD), a, b, dtype, true),
            Primitive::Bound => {
                let (x, y) = (self.vector(a), self.operand(b));
                self.free_dead(&[a, b]);
                let (out, width, mask) = (self.define_vector(), self.width(dtype), self.masking(dtype));
                let form = by_float(dtype, &f::VRANGEPS, &f::VRANGEPD);
                self.asm.vector(form, width, out, x, y, mask, Some(NEARER_ZERO));
            }
            Primitive::Fraction => {
                self.unary(by_float(dtype, &f::VREDUCEPS, &f::VREDUCEPD), a, dtype, Some(SIXTEENTHS));
            }
            // No mask is needed where no class raises a flag.
            Primitive::Limit => self.fix_up(a, b, dtype, (ENDS, 0, Masking::NONE)),
            Primitive::LogLimit => self.fix_up(a, b, dtype, (LOG_ENDS, LOG_FLAGS, self.masking(dtype))),
            Primitive::Exponent => self.unary(by_float(dtype, &f::VGETEXPPS, &f::VGETEXPPD), a, dtype, None),
            Primitive::Mantissa => {
                self.unary(by_float(dtype, &f::VGETMANTPS, &f::VGETMANTPD), a, dtype, Some(FROM_THREE_QUARTERS));
            }
            Primitive::Unusual => {
                let x = self.vector(a);
                let (out, mask) = (self.define_mask(), self.masking(dtype).k);
                let form = by_float(dtype, &f::VFPCLASSPS, &f::VFPCLASSPD);
                self.asm.compare(form, self.width(dtype), out.k(), VReg(0), Rm::Reg(x), mask, Some(ALL_BUT_POSITIVE));
                self.free_dead(&[a]);
            }
            Primitive::Entry(table) => self.entry(table, a, dtype),
        }
        Ok(())
    }

    /// `a`, or what a table has for the class of `b`, with the flags of some classes.
    fn fix_up(&mut self, a: ValueId, b: ValueId, dtype: DType, (table, flags, mask): (u64, u8, Masking)) {
        let word = if dtype == DType::F64 { DType::U64 } else { DType::U32 };
        let (ends, x) = (self.constant(Scalar::from_bits(word, table.into())), self.vector(b));
        let y = self.vector(a);
        let out = self.reuse(a).unwrap_or_else(|| {
            let out = self.define_vector();
            self.asm.vector(&f::VMOVUPS, Width::W512, out, VReg(0), Rm::Reg(y), Masking::NONE, None);
            out
        });
        let form = by_float(dtype, &f::VFIXUPIMMPS, &f::VFIXUPIMMPD);
        self.asm.vector(form, self.width(dtype), out, x, ends, mask, Some(flags));
        self.free_dead(&[a, b]);
    }

    /// An entry of a table of one or two vectors. Lanes past the row get entries too.
    fn entry(&mut self, table: Table, a: ValueId, dtype: DType) {
        let single = dtype == DType::U32;
        let words = table_words(table, if single { DType::F32 } else { DType::F64 });
        let at = self.arguments.table(&words);
        let x = self.vector(a);
        let low = self.arguments_vector(at);
        if single {
            self.free_dead(&[a]);
            let out = self.define_vector();
            self.asm.vector(&f::VPERMPS, Width::W512, out, x, low, Masking::NONE, None);
            return;
        }
        let high = self.arguments_vector(at + VECTOR_BYTES);
        // The instructions overwrite the index, or the first half of the table.
        if let Rm::Reg(low) = low
            && let Some(out) = self.reuse(a)
        {
            self.asm.vector(&f::VPERMI2PD, Width::W512, out, low, high, Masking::NONE, None);
            return;
        }
        let out = self.define_vector();
        self.copy(out, low);
        self.asm.vector(&f::VPERMT2PD, Width::W512, out, x, high, Masking::NONE, None);
        self.free_dead(&[a]);
    }

    /// A vector of the argument block as the last operand.
    fn arguments_vector(&mut self, at: usize) -> Rm {
        let from = at_arguments(at);
        self.const_register(from, VECTOR_BYTES).map_or(Rm::Mem(from), Rm::Reg)
    }
}
