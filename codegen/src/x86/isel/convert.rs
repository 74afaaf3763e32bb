//! Conversions between element types, as in the portable backend. A float that does not fit the integer type gives the result of the
//! processor's instruction, and raises the invalid flag.

use crate::x86::asm::encode::{Rm, VReg};
use crate::x86::asm::forms as f;
use crate::x86::asm::forms::Form;
use crate::x86::isel::select::{EmitResult, Emitter};
use crate::{DType, Kind, ValueId};

/// One instruction of a conversion, and the type that gives its width.
type ConversionStep = (&'static Form, DType);

/// The conversion between integers of different sizes.
fn resized(from: DType, to: DType) -> ConversionStep {
    let signed = from.kind() == Kind::Signed;
    let form = match (from.size(), to.size(), signed) {
        (1, 2, true) => &f::VPMOVSXBW,
        (1, 2, false) => &f::VPMOVZXBW,
        (1, 4, true) => &f::VPMOVSXBD,
        (1, 4, false) => &f::VPMOVZXBD,
        (1, 8, true) => &f::VPMOVSXBQ,
        (1, 8, false) => &f::VPMOVZXBQ,
        (2, 4, true) => &f::VPMOVSXWD,
        (2, 4, false) => &f::VPMOVZXWD,
        (2, 8, true) => &f::VPMOVSXWQ,
        (2, 8, false) => &f::VPMOVZXWQ,
        (4, 8, true) => &f::VPMOVSXDQ,
        (4, 8, false) => &f::VPMOVZXDQ,
        (8, 4, _) => &f::VPMOVQD,
        (8, 2, _) => &f::VPMOVQW,
        (8, 1, _) => &f::VPMOVQB,
        (4, 2, _) => &f::VPMOVDW,
        (4, 1, _) => &f::VPMOVDB,
        _ => &f::VPMOVWB,
    };
    (form, if from.size() > to.size() { from } else { to })
}

/// The conversion from integers of four or eight bytes to floats.
fn to_float(from: DType, to: DType) -> ConversionStep {
    let double = to == DType::F64;
    match from {
        DType::I64 => (if double { &f::VCVTQQ2PD } else { &f::VCVTQQ2PS }, from),
        DType::U64 => (if double { &f::VCVTUQQ2PD } else { &f::VCVTUQQ2PS }, from),
        DType::U32 => (if double { &f::VCVTUDQ2PD } else { &f::VCVTUDQ2PS }, to),
        _ => (if double { &f::VCVTDQ2PD } else { &f::VCVTDQ2PS }, to),
    }
}

/// The instructions of a conversion, in order: none, one or two.
fn conversion_steps(from: DType, to: DType) -> Option<[Option<ConversionStep>; 2]> {
    let one = |step| Some([Some(step), None]);
    let (short, wide) = (from.size() < 4, DType::I32);
    match (from.kind(), to.kind()) {
        (Kind::Signed | Kind::Unsigned, Kind::Signed | Kind::Unsigned) if from.size() == to.size() => {
            Some([None, None])
        }
        (Kind::Signed | Kind::Unsigned, Kind::Signed | Kind::Unsigned) => one(resized(from, to)),
        (Kind::Signed | Kind::Unsigned, Kind::Float) if to != DType::F16 => {
            if short {
                Some([Some(resized(from, wide)), Some(to_float(wide, to))])
            } else {
                one(to_float(from, to))
            }
        }
        (Kind::Float, Kind::Signed | Kind::Unsigned) if from != DType::F16 => {
            let double = from == DType::F64;
            match to {
                // No instruction converts floats that do not fit a u64 as the portable backend does.
                DType::U64 => None,
                DType::I64 => one((if double { &f::VCVTTPD2QQ } else { &f::VCVTTPS2QQ }, DType::I64)),
                DType::U32 => Some([
                    Some((if double { &f::VCVTTPD2QQ } else { &f::VCVTTPS2QQ }, DType::I64)),
                    Some(resized(DType::I64, to)),
                ]),
                _ => {
                    let whole = (if double { &f::VCVTTPD2DQ } else { &f::VCVTTPS2DQ }, from);
                    Some([Some(whole), (to.size() < 4).then(|| resized(wide, to))])
                }
            }
        }
        (Kind::Float, Kind::Float) => match (from, to) {
            (DType::F32, DType::F64) => one((&f::VCVTPS2PD, to)),
            (DType::F64, DType::F32) => one((&f::VCVTPD2PS, from)),
            (DType::F16, DType::F32) => one((&f::VCVTPH2PS, to)),
            (DType::F16, DType::F64) => Some([Some((&f::VCVTPH2PS, DType::F32)), Some((&f::VCVTPS2PD, to))]),
            (DType::F32, DType::F16) => one((&f::VCVTPS2PH, from)),
            _ => None,
        },
        _ => None,
    }
}

impl Emitter<'_> {
    /// Defines the current value: another value, converted.
    pub(crate) fn cast(&mut self, value: ValueId, to: DType) -> EmitResult<()> {
        let from = self.dtype(value);
        if from == to {
            self.copy_value(value);
            return Ok(());
        }
        if from == DType::Bool {
            let mask = self.mask_as_wide_as(value, to);
            self.free_dead(&[value]);
            let out = self.define_vector();
            self.ones_where(out, mask, to);
            return Ok(());
        }
        if to == DType::Bool && from != DType::F16 {
            let x = self.vector(value);
            let out = self.define_mask();
            self.nonzero(out, x, from);
            self.widen_to_bool(out, from);
            self.free_dead(&[value]);
            return Ok(());
        }
        let Some(conversion_steps) = conversion_steps(from, to) else { return Err(format!("{from} as {to}")) };
        let x = self.vector(value);
        let are_one = conversion_steps.iter().flatten().all(|(form, _)| self.is_single(form));
        if are_one {
            self.free_dead(&[value]);
        }
        let out = self.define_vector();
        let mut at = x;
        for (form, wide) in conversion_steps.into_iter().flatten() {
            let (width, masking) = (self.width(wide), self.masking(wide));
            let rounding = (wide == DType::F32 && to == DType::F16).then_some(0);
            self.emit(form, width, out, VReg(0), Rm::Reg(at), masking, rounding);
            at = out;
        }
        if at != out {
            self.copy(out, Rm::Reg(at));
        }
        self.free_dead(&[value]);
        Ok(())
    }
}
