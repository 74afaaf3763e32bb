//! Ternary logic: two bitwise ops on words as one `vpternlog` of AVX-512, and `(a & b) == 0` as one `vptestnm`.
//!
//! An op whose only use is the other op is not emitted. This saves 4 instructions of 44 in `sin`, where functions combine signs
//! and test the quadrant.

use crate::x86::asm::encode::{Masking, Rm};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::body::Body;
use crate::x86::isel::select::{Emitter, by_size};
use crate::{DType, Inst, Op, ValueId};

/// The truth-table columns of the three sources.
const SOURCES: [u8; 3] = [0b1111_0000, 0b1100_1100, 0b1010_1010];

/// The truth table of a bitwise op on two truth tables; none for other ops.
fn truth_table(op: Op, a: u8, b: u8) -> Option<u8> {
    match op {
        Op::BitwiseAnd => Some(a & b),
        Op::BitwiseOr => Some(a | b),
        Op::BitwiseXor => Some(a ^ b),
        _ => None,
    }
}

impl Body<'_> {
    /// A bitwise op on words whose result one instruction reads.
    fn inner(&self, value: ValueId) -> Option<(Op, [ValueId; 2])> {
        let words = self.level == Level::Avx512 && matches!(self.fragment.dtype(value), DType::U32 | DType::U64);
        match self.fragment.insts[value.0 as usize] {
            Inst::Apply(op, args) if words && self.readers[value.0 as usize] == 1 => {
                truth_table(op, 0, 0).map(|_| (op, args))
            }
            _ => None,
        }
    }

    /// Matches a bitwise op on the result of another: both ops, and the three words, the last one the outer op's own.
    pub(crate) fn ternary(&self, at: usize) -> Option<([Op; 2], [ValueId; 3])> {
        let Inst::Apply(outer, [p, q]) = self.fragment.insts[at] else { return None };
        truth_table(outer, 0, 0)?;
        let with = |p, q| self.inner(p).map(|(inner, [a, b])| ([inner, outer], [a, b, q]));
        with(p, q).or_else(|| with(q, p))
    }

    /// Matches a test whether the conjunction of two words is zero: the words.
    pub(crate) fn disjoint(&self, at: usize) -> Option<[ValueId; 2]> {
        let Inst::Apply(Op::Equal, [p, q]) = self.fragment.insts[at] else { return None };
        let zero = matches!(self.fragment.insts[q.0 as usize], Inst::Const(value) if value.bits() == 0);
        self.inner(p).filter(|(op, _)| zero && *op == Op::BitwiseAnd).map(|(_, words)| words)
    }
}

impl Emitter<'_> {
    /// Defines the current value: two bitwise ops on three words. The instruction overwrites a source: one that dies here, if there
    /// is one.
    pub(crate) fn ternary(&mut self, ops: [Op; 2], words: [ValueId; 3]) {
        let is_constant = |v: &ValueId| matches!(self.body.fragment.insts[v.0 as usize], Inst::Const(_));
        // A constant may be in memory, so it is the last source.
        let last = words.iter().position(is_constant).unwrap_or(2);
        let mut order = [(last + 1) % 3, (last + 2) % 3, last];
        let dtype = self.dtype(words[0]);
        let (first, second) = (self.vector(words[order[0]]), self.vector(words[order[1]]));
        let third = self.operand(words[last]);
        let (out, other) = if let Some(out) = self.reuse(words[order[0]]) {
            (out, second)
        } else if let Some(out) = self.reuse(words[order[1]]) {
            order.swap(0, 1);
            (out, first)
        } else {
            let out = self.define_vector();
            self.copy(out, Rm::Reg(first));
            (out, second)
        };
        let mut bits = [0; 3];
        (0..3).for_each(|source| bits[order[source]] = SOURCES[source]);
        let table = truth_table(ops[0], bits[0], bits[1]).and_then(|inner| truth_table(ops[1], inner, bits[2]));
        let form = if dtype.size() == 8 { &f::VPTERNLOGQ } else { &f::VPTERNLOGD };
        self.asm.vector(form, self.width(dtype), out, other, third, Masking::NONE, table);
        self.free_dead(&words);
    }

    /// Defines the current value: whether two words share no bits.
    pub(crate) fn disjoint(&mut self, [a, b]: [ValueId; 2]) {
        let dtype = self.dtype(a);
        let (x, y) = (self.vector(a), self.operand(b));
        let out = self.define_mask();
        let form = by_size(dtype, [&f::VPTESTNMB, &f::VPTESTNMW, &f::VPTESTNMD, &f::VPTESTNMQ]);
        let (width, mask) = (self.width(dtype), self.masking(dtype).k);
        self.asm.compare(form, width, out.k(), x, y, mask, None);
        self.free_dead(&[a, b]);
    }
}
