//! Hoisting of loop-invariant code: values that are constant along a row, such as reciprocals of scalars, are computed before its loop.
//!
//! An instruction is invariant if everything it reads is; parameters, literals and broadcast elements are. The results that the
//! loop reads are stored in the argument block, as parameters are, and so are the reciprocals of divisors
//! ([`crate::x86::isel::reciprocal_division`]).

use crate::x86::asm::encode::{KReg, VReg};
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{StrideKind, VECTOR_BYTES, at_arguments};
use crate::x86::isel::select::{Backing, Emitter, Unsupported};
use crate::{DType, Inst, ValueId};

impl Emitter<'_> {
    /// Whether the value of an instruction is in memory before the loop.
    pub(crate) fn is_preloaded(&self, at: usize) -> bool {
        match self.body.fragment.insts[at] {
            Inst::Param(_) | Inst::Const(_) => true,
            Inst::Load(operand) => self.kinds[operand.0 as usize] == StrideKind::Broadcast,
            Inst::Part(value, _) => self.is_preloaded(value.0 as usize),
            _ => false,
        }
    }

    /// Whether an instruction loads a broadcast element through a spilled base pointer.
    fn is_spilled_broadcast(&self, at: usize) -> bool {
        let load = match self.body.fragment.insts[at] {
            Inst::Part(value, _) => value.0 as usize,
            _ if self.body.fragment.types[at].is_complex() => return false,
            _ => at,
        };
        let is_spilled = |operand: usize| self.kinds[operand] == StrideKind::Broadcast && self.is_base_spilled(operand);
        matches!(self.body.fragment.insts[load], Inst::Load(operand) if is_spilled(operand.0 as usize))
    }

    /// Whether there are invariant instructions to hoist, and whether some depend on broadcast elements, which differ from row to row.
    pub(crate) fn hoists(&self) -> [bool; 2] {
        let body = self.body;
        let (invariant, is_hoisted) = self.invariants();
        let divisors = self.find_divisors(&invariant);
        let mut is_element = vec![false; is_hoisted.len()];
        for (at, inst) in body.fragment.insts.iter().enumerate() {
            let is_read = || body.arguments(at).iter().any(|v| is_element[v.0 as usize]);
            is_element[at] = matches!(inst, Inst::Load(_)) || is_read();
        }
        let is_computed = |at: usize| is_hoisted[at] || divisors.contains(&ValueId(at as u32));
        let mut computed = (0..is_hoisted.len()).filter(|&at| is_computed(at)).peekable();
        [computed.peek().is_some(), computed.any(|at| is_element[at])]
    }

    /// By instruction: whether its value is the same along a row, and whether it is emitted before the loop.
    fn invariants(&self) -> (Vec<bool>, Vec<bool>) {
        let body = self.body;
        let count = body.fragment.insts.len();
        let mut invariant = vec![false; count];
        let mut is_hoisted = vec![false; count];
        for at in (0..count).filter(|&at| body.is_live(at)) {
            let arguments = body.arguments(at);
            is_hoisted[at] = !arguments.is_empty()
                && !matches!(
                    body.fragment.insts[at],
                    Inst::Store(..)
                        | Inst::Scatter(..)
                        | Inst::Gather(..)
                        | Inst::Part(..)
                        | Inst::Result(_)
                        | Inst::Loop(_)
                        | Inst::Exit(..)
                )
                && arguments.iter().all(|v| invariant[v.0 as usize]);
            is_hoisted[at] |= self.is_spilled_broadcast(at);
            invariant[at] = is_hoisted[at] || self.is_preloaded(at);
        }
        (invariant, is_hoisted)
    }

    /// Emits the invariant instructions, and stores those of their results that the loop reads.
    ///
    /// # Errors
    /// The first of them without machine code.
    pub(crate) fn hoist(&mut self) -> Result<(), Unsupported> {
        let body = self.body;
        let count = body.fragment.insts.len();
        let (invariant, is_hoisted) = self.invariants();
        let divisors = self.find_divisors(&invariant);
        if !is_hoisted.contains(&true) && divisors.is_empty() {
            return Ok(());
        }
        (self.unroll_index, self.is_tail) = (0, false);
        self.begin_body(1);
        for at in (0..count).filter(|&at| invariant[at] && body.is_live(at)) {
            self.emit_inst(at)?;
            let is_read = body.uses[at].iter().any(|&user| !is_hoisted[user as usize]);
            if is_hoisted[at] && is_read {
                let start = self.asm.len();
                let backing = self.store_hoisted(ValueId(at as u32));
                self.hoisted[at] = Some(backing);
                self.record_span(at, start);
            }
            if divisors.contains(&ValueId(at as u32)) {
                self.store_reciprocal(ValueId(at as u32));
            }
            self.free_temps();
        }
        for at in (0..count).filter(|&at| is_hoisted[at]) {
            self.hoisted[at].get_or_insert(Backing::None);
        }
        Ok(())
    }

    /// Stores a hoisted value to the argument block.
    fn store_hoisted(&mut self, value: ValueId) -> Backing {
        let is_mask = self.dtype(value) == DType::Bool && self.level() == Level::Avx512;
        let register = self.register(value);
        if is_mask {
            let at = self.arguments.slot(8);
            self.asm.mask_store(at_arguments(at), KReg(register));
            return Backing::Lanes(at_arguments(at));
        }
        let at = self.arguments.slot(VECTOR_BYTES);
        self.store_slot(at, VReg(register));
        match self.level() {
            Level::Avx2 => Backing::Lanes(at_arguments(at)),
            Level::Avx512 => Backing::Element(at_arguments(at)),
        }
    }
}
