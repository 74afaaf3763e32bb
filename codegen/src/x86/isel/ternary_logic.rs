//! Two ops on the bits of words as one instruction of AVX-512: any op of the table on three words, and whether two share no bits.
//!
//! An op whose result only the other one needs is not made. The signs that functions put together and the quarters of a turn
//! that they ask for take 4 instructions of 44 less in `sin`.

use crate::x86::asm::encode::{Masking, Rm};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Emitter, by_size};
use crate::x86::loops::body::Body;
use crate::{DType, Inst, Op, ValueId};

/// The bits of three sources, in the order in which an instruction of three numbers what they make.
const SOURCES: [u8; 3] = [0b1111_0000, 0b1100_1100, 0b1010_1010];

/// What an op makes of bits, if it is one on bits.
fn made(op: Op, a: u8, b: u8) -> Option<u8> {
    match op {
        Op::BitwiseAnd => Some(a & b),
        Op::BitwiseOr => Some(a | b),
        Op::BitwiseXor => Some(a ^ b),
        _ => None,
    }
}

impl Body<'_> {
    /// An op on the bits of words that only one instruction reads.
    fn inner(&self, value: ValueId) -> Option<(Op, [ValueId; 2])> {
        let words = self.level == Level::Avx512 && matches!(self.fragment.dtype(value), DType::U32 | DType::U64);
        match self.fragment.insts[value.0 as usize] {
            Inst::Apply(op, args) if words && self.readers[value.0 as usize] == 1 => made(op, 0, 0).map(|_| (op, args)),
            _ => None,
        }
    }

    /// For an op on bits of which one argument is the result of another: both ops, and the words, the last one the outer op's own.
    pub(crate) fn ternary(&self, at: usize) -> Option<([Op; 2], [ValueId; 3])> {
        let Inst::Apply(outer, [p, q]) = self.fragment.insts[at] else { return None };
        made(outer, 0, 0)?;
        let with = |p, q| self.inner(p).map(|(inner, [a, b])| ([inner, outer], [a, b, q]));
        with(p, q).or_else(|| with(q, p))
    }

    /// For the question whether a conjunction of words is zero: the words.
    pub(crate) fn disjoint(&self, at: usize) -> Option<[ValueId; 2]> {
        let Inst::Apply(Op::Equal, [p, q]) = self.fragment.insts[at] else { return None };
        let zero = matches!(self.fragment.insts[q.0 as usize], Inst::Const(value) if value.bits() == 0);
        self.inner(p).filter(|(op, _)| zero && *op == Op::BitwiseAnd).map(|(_, words)| words)
    }
}

impl Emitter<'_> {
    /// What two ops make of three words, the value at hand. Its instruction writes to a source: to one that is not needed any more,
    /// if there is one.
    pub(crate) fn ternary(&mut self, ops: [Op; 2], words: [ValueId; 3]) {
        let is_constant = |v: &ValueId| matches!(self.body.fragment.insts[v.0 as usize], Inst::Const(_));
        // A constant may be in memory, and so is the last source.
        let last = words.iter().position(is_constant).unwrap_or(2);
        let mut order = [(last + 1) % 3, (last + 2) % 3, last];
        let dtype = self.dtype(words[0]);
        let (first, second) = (self.vector(words[order[0]]), self.vector(words[order[1]]));
        let third = self.operand(words[last]);
        let (out, other) = if let Some(out) = self.take_over(words[order[0]]) {
            (out, second)
        } else if let Some(out) = self.take_over(words[order[1]]) {
            order.swap(0, 1);
            (out, first)
        } else {
            let out = self.define_vector();
            self.copy(out, Rm::Reg(first));
            (out, second)
        };
        let mut bits = [0; 3];
        (0..3).for_each(|source| bits[order[source]] = SOURCES[source]);
        let table = made(ops[0], bits[0], bits[1]).and_then(|inner| made(ops[1], inner, bits[2]));
        let form = if dtype.size() == 8 { &f::VPTERNLOGQ } else { &f::VPTERNLOGD };
        self.asm.vector(form, self.width(dtype), out, other, third, Masking::NONE, table);
        self.bury(&words);
    }

    /// Whether two words share no bits, the value at hand.
    pub(crate) fn disjoint(&mut self, [a, b]: [ValueId; 2]) {
        let dtype = self.dtype(a);
        let (x, y) = (self.vector(a), self.operand(b));
        let out = self.define_mask();
        let form = by_size(dtype, [&f::VPTESTNMB, &f::VPTESTNMW, &f::VPTESTNMD, &f::VPTESTNMQ]);
        let (width, mask) = (self.width(dtype), self.masking(dtype).k);
        self.asm.compare(form, width, out.k(), x, y, mask, None);
        self.bury(&[a, b]);
    }
}
