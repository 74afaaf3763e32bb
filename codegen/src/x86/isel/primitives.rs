//! Instructions for the steps of elementary functions: one of AVX-512 for each, which is why they are steps. AVX2 has none of
//! them: what there is instead is in [`crate::x86::isel::avx2_primitives`].

use crate::math::table_words;
use crate::x86::asm::encode::{Masking, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Emitter, Result, by_float};
use crate::x86::loops::map_loop::{VECTOR, at_arguments};
use crate::{DType, Primitive, Scalar, Table, ValueId};

/// The smaller in size, with the first's sign.
const NEARER_ZERO: u8 = 0b0010;
/// The nearest multiple of 1/16, without a flag for what is left.
const SIXTEENTHS: u8 = 0x48;
/// [3/4, 3/2), with the argument's sign.
const FROM_THREE_QUARTERS: u8 = 0b0011;
/// Nan of both kinds, zeros, infinities, subnormals and negative numbers.
const ALL_BUT_POSITIVE: u8 = 0xff;
/// By kind of number, four bits each: nan as it is, minus infinity zero, plus infinity itself, others unchanged.
const ENDS: u64 = 0x0058_0022;

impl Emitter<'_> {
    /// The value at hand, a step of others.
    pub(crate) fn step(&mut self, step: Primitive, a: ValueId, b: ValueId) -> Result<()> {
        if self.level() == Level::Avx2 {
            self.step_instead(step, a, b);
            return Ok(());
        }
        let dtype = self.dtype(a);
        match step {
            Primitive::Scale => self.two(by_float(dtype, &f::VSCALEFPS, &f::VSCALEFPD), a, b, dtype, true),
            Primitive::Bound => {
                let (x, y) = (self.vector(a), self.operand(b));
                self.bury(&[a, b]);
                let (out, width, mask) = (self.define_vector(), self.width(dtype), self.masking(dtype));
                let form = by_float(dtype, &f::VRANGEPS, &f::VRANGEPD);
                self.asm.vector(form, width, out, x, y, mask, Some(NEARER_ZERO));
            }
            Primitive::Fraction => {
                self.one(by_float(dtype, &f::VREDUCEPS, &f::VREDUCEPD), a, dtype, Some(SIXTEENTHS));
            }
            Primitive::Limit => self.limit(a, b, dtype),
            Primitive::Exponent => self.one(by_float(dtype, &f::VGETEXPPS, &f::VGETEXPPD), a, dtype, None),
            Primitive::Mantissa => {
                self.one(by_float(dtype, &f::VGETMANTPS, &f::VGETMANTPD), a, dtype, Some(FROM_THREE_QUARTERS));
            }
            Primitive::Unusual => {
                let x = self.vector(a);
                let (out, mask) = (self.define_mask(), self.masking(dtype).k);
                let form = by_float(dtype, &f::VFPCLASSPS, &f::VFPCLASSPD);
                self.asm.compare(form, self.width(dtype), out.k(), VReg(0), Rm::Reg(x), mask, Some(ALL_BUT_POSITIVE));
                self.bury(&[a]);
            }
            Primitive::Entry(table) => self.entry(table, a, dtype),
        }
        Ok(())
    }

    /// `a`, or what an exponential is at the ends of its domain.
    fn limit(&mut self, a: ValueId, b: ValueId, dtype: DType) {
        let word = if dtype == DType::F64 { DType::U64 } else { DType::U32 };
        let (ends, x) = (self.constant(Scalar::from_bits(word, ENDS.into())), self.vector(b));
        let y = self.vector(a);
        let out = self.take_over(a).unwrap_or_else(|| {
            let out = self.define_vector();
            self.asm.vector(&f::VMOVUPS, Width::W512, out, VReg(0), Rm::Reg(y), Masking::NONE, None);
            out
        });
        let form = by_float(dtype, &f::VFIXUPIMMPS, &f::VFIXUPIMMPD);
        // Lanes that are left out would raise nothing either: no kind of number is to.
        self.asm.vector(form, self.width(dtype), out, x, ends, Masking::NONE, Some(0));
        self.bury(&[a, b]);
    }

    /// An entry of a table, which lies in one or two vectors. Lanes beyond those at hand have entries, too.
    fn entry(&mut self, table: Table, a: ValueId, dtype: DType) {
        let single = dtype == DType::U32;
        let words = table_words(table, if single { DType::F32 } else { DType::F64 });
        let at = self.arguments.table(&words);
        let x = self.vector(a);
        let low = self.vector_of_arguments(at);
        if single {
            self.bury(&[a]);
            let out = self.define_vector();
            self.asm.vector(&f::VPERMPS, Width::W512, out, x, low, Masking::NONE, None);
            return;
        }
        let high = self.vector_of_arguments(at + VECTOR);
        // Its instructions write to the index, or to the first half of the table.
        if let Rm::Reg(low) = low
            && let Some(out) = self.take_over(a)
        {
            self.asm.vector(&f::VPERMI2PD, Width::W512, out, low, high, Masking::NONE, None);
            return;
        }
        let out = self.define_vector();
        self.copy(out, low);
        self.asm.vector(&f::VPERMT2PD, Width::W512, out, x, high, Masking::NONE, None);
        self.bury(&[a]);
    }

    /// A vector of the arguments as the last operand.
    fn vector_of_arguments(&mut self, at: usize) -> Rm {
        let from = at_arguments(at);
        self.held(from, VECTOR).map_or(Rm::Mem(from), Rm::Reg)
    }
}
