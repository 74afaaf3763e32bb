//! Exponentials in the common range, where the processor has no instruction for their ends (AVX2).
//!
//! An exponential bounds its argument, replaces the result for what is not finite, and scales by a power of two that may be no normal
//! number (`math/exponential.rs`). Nearly all arguments need none of that: the power is normal, and bound and limit change nothing. So one
//! comparison of the argument tells whether all lanes are in that range, and three jumps lead past the rest. It takes 14 instructions
//! less of 49: `exp` of doubles takes 12.2 cycles a vector instead of 16.1, of singles 9.3 instead of 13.4 (Zen 3).

use crate::x86::asm::encode::{Cond, Label};
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{SCRATCH, at_arguments};
use crate::x86::isel::registers::ValueNumber;
use crate::x86::isel::select::Emitter;
use crate::{DType, Inst, Op, Primitive, ValueId};

/// An exponential: its instructions, and the largest magnitude of an argument in the common range.
pub(crate) struct Exponential {
    pub(crate) bound: ValueNumber,
    pub(crate) scale: ValueNumber,
    pub(crate) limit: f64,
}

impl Body<'_> {
    fn step(&self, value: ValueId, step: Primitive) -> Option<[ValueId; 2]> {
        match self.fragment.insts[value.0 as usize] {
            Inst::Step(found, args) if found == step => Some(args),
            _ => None,
        }
    }

    /// Matches an exponential by its last instruction: `scale(limit(p, x), k)` with `k = fma(bound(x), factor, c) - c`, c a large number
    /// whose sum with another is rounded to a multiple of at most one.
    pub(crate) fn exponential(&self, scale: ValueNumber) -> Option<Exponential> {
        let constant = |v: ValueId| match self.fragment.insts[v.0 as usize] {
            Inst::Const(scalar) => Some(scalar.to_f64()),
            _ => None,
        };
        let [limited, k] = self.step(ValueId(scale), Primitive::Scale)?;
        let [_, x] = self.step(limited, Primitive::Limit)?;
        let Inst::Apply(Op::Subtract, [sum, magic]) = self.fragment.insts[k.0 as usize] else { return None };
        let Inst::Fma([bound, factor, addend]) = self.fragment.insts[sum.0 as usize] else { return None };
        let [argument, most] = self.step(bound, Primitive::Bound)?;
        let (factor, most) = (constant(factor)?, constant(most)?);
        let (bias, mantissa) = if self.fragment.dtype(x) == DType::F64 { (1023.0, 52) } else { (127.0, 23) };
        let rounds_to_one_at_most = constant(magic)?.abs() <= 1.5 * f64::powi(2.0, mantissa);
        // |k| is at most bias - 2, so that the power is normal for k rounded down.
        let limit = ((bias - 3.0) / factor.abs()).floor();
        let matches = argument == x && addend == magic && rounds_to_one_at_most && factor != 0.0 && limit <= most;
        matches.then_some(Exponential { bound: bound.0, scale, limit })
    }

    /// The exponential that begins with a bound.
    pub(crate) fn exponential_from(&self, bound: ValueNumber) -> Option<Exponential> {
        let users = |value| self.users(value);
        let scales = users(bound).flat_map(users).flat_map(users);
        scales.filter_map(|scale| self.exponential(scale)).find(|found| found.bound == bound)
    }

    /// Whether an instruction is one of those that an exponential skips in the common range.
    pub(crate) fn is_in_exponential(&self, at: ValueNumber) -> bool {
        match self.fragment.insts[at as usize] {
            Inst::Step(Primitive::Bound, _) => self.exponential_from(at).is_some(),
            Inst::Step(Primitive::Limit, _) => self.exponential_of_limit(at).is_some(),
            Inst::Step(Primitive::Scale, _) => self.exponential(at).is_some(),
            _ => false,
        }
    }

    /// The bound of the exponential that a limit belongs to.
    pub(crate) fn exponential_of_limit(&self, limit: ValueNumber) -> Option<Exponential> {
        self.users(limit).find_map(|user| self.exponential(user))
    }

    /// The instructions that use a value: the end of a region's turn, which uses some behind all instructions, is none.
    fn users(&self, value: ValueNumber) -> impl Iterator<Item = ValueNumber> {
        let count = self.fragment.insts.len() as u32;
        self.uses[value as usize].iter().copied().filter(move |&user| user < count)
    }
}

impl Emitter<'_> {
    /// Whether it was tested if all lanes of an exponential are in the common range.
    pub(crate) fn is_common_tested(&self, bound: ValueNumber) -> bool {
        let number = self.in_copy(bound);
        self.common_ranges.iter().any(|(known, _)| *known == number)
    }

    /// Jumps to a label where all lanes of an exponential are in the common range; whether it does.
    pub(crate) fn jump_if_common(&mut self, bound: ValueNumber, to: Label) -> bool {
        let number = self.in_copy(bound);
        let Some(&(_, slot)) = self.common_ranges.iter().find(|(known, _)| *known == number) else { return false };
        self.asm.load(SCRATCH, at_arguments(slot));
        self.asm.test(SCRATCH, SCRATCH);
        self.asm.jump_if(Cond::Equal, to);
        true
    }
}
