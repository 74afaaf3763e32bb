//! Masked loops: a main loop whose threads leave it in different iterations becomes one that they all go through, together, with a
//! predicate for each thread, the mask, that says whether it still takes part.
//!
//! Elementwise kernels end within a block, and so could not be merged with a kernel that has barriers: their threads would part. A
//! masked copy of the loop continues for as long as the other kernel does: a thread that has left computes for nothing, and
//! neither accesses memory nor enters inner blocks. When the other kernel is done, threads that still take part continue in the loop as
//! it was. The code of such loops:
//!
//! ```text
//! before:   mask = (there is a first iteration)
//! decide:   the other kernel continues: to the copy; it is done: to the dispatch
//! copy:     …, mask = mask and (there is a next iteration), to decide
//! dispatch: where the mask holds to the loop as it was, else behind it
//! ```

use crate::cuda::ptx::module::{End, Guard, Operand, PtxBody, PtxInst, Register, RegisterClass, Space};
use crate::cuda::ptx::opcode::{PtxOpcode, Unit};
use crate::cuda::ptx::side::{Part, Side, SideBlock};
use crate::cuda::ptx::weave::Stream;

/// Where the parts of a masked loop are.
pub(crate) struct MaskedLoop {
    /// The block where it is decided how it continues.
    pub(crate) decide: usize,
    /// The block that begins the loop as it was, where the mask holds.
    pub(crate) dispatch: usize,
    /// The head of the masked copy, and the first of its blocks.
    pub(crate) copy_head: usize,
    pub(crate) first_copy: usize,
}

/// What the main loop has to look like: a guard before it, and one branch that ends an iteration.
struct LoopShape {
    /// The block with the guard, and the one that ends an iteration.
    guard: usize,
    latch: usize,
    head: usize,
    /// What is behind the loop: nothing but the end of the kernel.
    exit: usize,
}

impl Side {
    /// Whether a loop of this kernel has to be masked before it is merged with another.
    pub(crate) fn needs_mask(&self, other: &Side) -> bool {
        other.blocks[0].converges && self.blocks.iter().any(|block| block.is_main && block.is_divergent)
    }

    /// Gives it a masked copy of its main loop, with registers of the merged kernel; whether it could.
    pub(crate) fn add_mask(&mut self, body: &mut PtxBody) -> bool {
        let Some(shape) = self.loop_shape() else { return false };
        let mask = body.register(RegisterClass::Pred);
        let count = self.blocks.len();
        let (decide, dispatch, first_copy) = (count, count + 1, count + 2);
        // Before the loop all threads continue, with their mask.
        let guard = &mut self.blocks[shape.guard];
        let End::Branch(condition, taken, next) = guard.end else { unreachable!("it is a branch") };
        let goes_on = if taken == shape.exit { opposite(condition) } else { condition };
        guard.push(copied(goes_on, mask));
        guard.end = End::Jump(if taken == shape.exit { next } else { taken });
        (guard.is_main, guard.is_divergent) = (false, false);
        for block in self.blocks.iter_mut().filter(|block| block.part == Part::Before) {
            block.end = block.end.map(|to| if to == shape.head { decide } else { to });
        }
        let of_loop: Vec<usize> = (0..count).filter(|&number| self.blocks[number].part == Part::Loop).collect();
        let copy_of = |number: usize| first_copy + of_loop.iter().position(|&n| n == number).expect("in the loop");
        let copy_head = copy_of(shape.head);
        let empty = SideBlock {
            stream: Stream { insts: vec![], pressure: vec![0] },
            end: End::Jump(copy_head),
            no_unroll: false,
            part: Part::Loop,
            is_inner: false,
            is_main: false,
            is_divergent: false,
            converges: false,
        };
        let holds = Guard { register: mask, is_negated: false };
        self.blocks.push(empty.clone());
        let end = End::Branch(holds, shape.head, shape.exit);
        self.blocks.push(SideBlock { end, is_main: true, is_divergent: true, ..empty.clone() });
        let mut entries = vec![];
        for &number in &of_loop {
            let mut copy = self.blocks[number].clone();
            if !copy.is_inner {
                copy.guard_accesses(body, mask);
            }
            match copy.end {
                End::Branch(condition, taken, _) if number == shape.latch => {
                    let again = if taken == shape.head { condition } else { opposite(condition) };
                    let goes_on = body.register(RegisterClass::Pred);
                    copy.push(copied(again, goes_on));
                    copy.push(both(mask, mask, goes_on));
                    (copy.end, copy.is_main, copy.is_divergent) = (End::Jump(decide), false, false);
                }
                // Threads that have left do not enter inner blocks.
                End::Branch(..) if !copy.is_inner => entries.push(copy_of(number)),
                end => copy.end = end.map(copy_of),
            }
            self.blocks.push(copy);
        }
        for number in entries {
            let entry = self.blocks.len();
            let old = self.blocks[number].end;
            let join = self.join(number - first_copy, &of_loop).map(copy_of);
            let Some(join) = join else { return false };
            self.blocks.push(SideBlock { end: old.map(copy_of), is_inner: true, is_divergent: true, ..empty.clone() });
            self.blocks[number].end = End::Branch(holds, entry, join);
            self.blocks[number].is_divergent = true;
        }
        self.mask = Some(MaskedLoop { decide, dispatch, copy_head, first_copy });
        true
    }

    /// The first straight block that follows the inner blocks behind one of the loop: where its sides meet again.
    fn join(&self, position: usize, of_loop: &[usize]) -> Option<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut open: Vec<usize> = self.blocks[of_loop[position]].end.successors().collect();
        let mut found = None;
        while let Some(number) = open.pop() {
            if !self.blocks[number].is_inner {
                if found.is_some_and(|found| found != number) {
                    return None;
                }
                found = Some(number);
            } else if !std::mem::replace(&mut seen[number], true) {
                open.extend(self.blocks[number].end.successors());
            }
        }
        found
    }

    /// The shape of the main loop, if it can be masked.
    fn loop_shape(&self) -> Option<LoopShape> {
        let head = self.head?;
        let main = |part| {
            let mut found = (0..self.blocks.len()).filter(|&n| self.blocks[n].is_main && self.blocks[n].part == part);
            found.next().filter(|_| found.next().is_none())
        };
        let (guard, latch) = (main(Part::Before)?, main(Part::Loop)?);
        let exits =
            |number: usize| self.blocks[number].end.successors().find(|&to| self.blocks[to].part == Part::After);
        let exit = exits(guard)?;
        let is_end = |number: usize| {
            let block = &self.blocks[number];
            block.part != Part::After || block.stream.insts.is_empty() && block.end == End::Return
        };
        let is_latch = exits(latch) == Some(exit) && self.blocks[latch].end.successors().any(|to| to == head);
        // Behind the guard all threads compute, those without a first iteration for nothing.
        let mut number = self.blocks[guard].end.successors().find(|&to| to != exit)?;
        while number != head {
            let block = &self.blocks[number];
            let End::Jump(next) = block.end else { return None };
            if block.part != Part::Before || !block.stream.insts.iter().all(is_free) {
                return None;
            }
            number = next;
        }
        let can_be_masked = |block: &SideBlock| {
            block.part != Part::Loop
                || !block.converges && (block.is_inner || block.stream.insts.iter().all(|inst| inst.call.is_none()))
        };
        let is_masked = is_latch && (0..self.blocks.len()).all(is_end) && self.blocks.iter().all(can_be_masked);
        is_masked.then_some(LoopShape { guard, latch, head, exit })
    }
}

/// Whether an instruction may be executed for nothing.
fn is_free(inst: &PtxInst) -> bool {
    inst.opcode.mnemonic.unit != Unit::Memory && inst.call.is_none() || inst.opcode.space() == Space::Param
}

impl SideBlock {
    /// Adds an instruction at the end.
    fn push(&mut self, inst: PtxInst) {
        let pressure = *self.stream.pressure.last().expect("one more than instructions");
        self.stream.insts.push(inst);
        self.stream.pressure.push(pressure);
    }

    /// Has accesses to memory executed under a mask.
    fn guard_accesses(&mut self, body: &mut PtxBody, mask: Register) {
        let old = std::mem::replace(&mut self.stream, Stream { insts: vec![], pressure: vec![] });
        self.stream.pressure.push(old.pressure[0]);
        for (mut inst, pressure) in old.insts.into_iter().zip(&old.pressure[1..]) {
            if !is_free(&inst) {
                let register = match inst.guard {
                    None => mask,
                    Some(guard) => {
                        let joined = body.register(RegisterClass::Pred);
                        self.push(copied(guard, joined));
                        self.push(both(joined, joined, mask));
                        joined
                    }
                };
                inst.guard = Some(Guard { register, is_negated: false });
            }
            self.stream.insts.push(inst);
            self.stream.pressure.push(*pressure);
        }
    }
}

fn opposite(guard: Guard) -> Guard {
    Guard { is_negated: !guard.is_negated, ..guard }
}

/// Whether a guard holds, in a predicate.
fn copied(guard: Guard, to: Register) -> PtxInst {
    let opcode = if guard.is_negated { "not.pred" } else { "mov.pred" };
    PtxInst::new(PtxOpcode::of(opcode), vec![Operand::of(to), Operand::of(guard.register)])
}

/// Whether two predicates hold, in one.
fn both(to: Register, first: Register, second: Register) -> PtxInst {
    PtxInst::new(PtxOpcode::of("and.pred"), [to, first, second].map(Operand::of).to_vec())
}
