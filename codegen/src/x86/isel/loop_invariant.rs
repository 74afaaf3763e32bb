//! What is the same all along a row, computed once before its loop: reciprocals of scalars, masks of their being zero.
//!
//! A fragment does not say so: an instruction is uniform if all that it reads is, and parameters, literals and elements that
//! stand still are. Those results that the loop reads wait in the arguments, as parameters do.

use crate::x86::asm::encode::{KReg, VReg};
use crate::x86::asm::level::Level;
use crate::x86::isel::select::{Emitter, Home};
use crate::x86::loops::map_loop::{Step, Unsupported, VECTOR, at_arguments};
use crate::{DType, Inst, ValueId};

impl Emitter<'_> {
    /// Whether an instruction gives what is there before the loop.
    fn is_given(&self, at: usize) -> bool {
        match self.body.fragment.insts[at] {
            Inst::Param(_) | Inst::Const(_) => true,
            Inst::Load(operand) => self.steps[operand.0 as usize] == Step::Still,
            Inst::Part(value, _) => self.is_given(value.0 as usize),
            _ => false,
        }
    }

    /// Whether an instruction gives an element that stands still, whose address has no register.
    fn is_far_off(&self, at: usize) -> bool {
        let load = match self.body.fragment.insts[at] {
            Inst::Part(value, _) => value.0 as usize,
            _ if self.body.fragment.types[at].is_complex() => return false,
            _ => at,
        };
        let is_still = |operand: usize| self.steps[operand] == Step::Still && self.is_far(operand);
        matches!(self.body.fragment.insts[load], Inst::Load(operand) if is_still(operand.0 as usize))
    }

    /// Computes what is uniform, and has the loop find it.
    ///
    /// # Errors
    /// The first such instruction that has none here.
    pub(crate) fn once(&mut self) -> Result<(), Unsupported> {
        let body = self.body;
        let count = body.fragment.insts.len();
        let mut uniform = vec![false; count];
        let mut computed = vec![false; count];
        for at in (0..count).filter(|&at| body.is_live(at)) {
            let arguments = body.arguments(at);
            computed[at] = !arguments.is_empty()
                && !matches!(
                    body.fragment.insts[at],
                    Inst::Store(..) | Inst::Scatter(..) | Inst::Gather(..) | Inst::Part(..) | Inst::Result(_)
                )
                && arguments.iter().all(|v| uniform[v.0 as usize]);
            computed[at] |= self.is_far_off(at);
            uniform[at] = computed[at] || self.is_given(at);
        }
        if !computed.contains(&true) {
            return Ok(());
        }
        (self.copy, self.rest) = (0, false);
        self.begin();
        for at in (0..count).filter(|&at| uniform[at] && body.is_live(at)) {
            self.at(at)?;
            let is_read = body.uses[at].iter().any(|&user| !computed[user as usize]);
            if computed[at] && is_read {
                let home = self.settle_in(ValueId(at as u32));
                self.known[at] = Some(home);
            }
            self.forget_moments();
        }
        for at in (0..count).filter(|&at| computed[at]) {
            self.known[at].get_or_insert(Home::Nowhere);
        }
        Ok(())
    }

    /// Puts a value where the loop finds it.
    fn settle_in(&mut self, value: ValueId) -> Home {
        let is_mask = self.dtype(value) == DType::Bool && self.level() == Level::Avx512;
        let register = self.register(value);
        if is_mask {
            let at = self.arguments.room(8);
            self.asm.mask_store(at_arguments(at), KReg(register));
            return Home::Arguments(at);
        }
        let at = self.arguments.room(VECTOR);
        self.put(at, VReg(register));
        match self.level() {
            Level::Avx2 => Home::Arguments(at),
            Level::Avx512 => Home::Element(at_arguments(at)),
        }
    }
}
