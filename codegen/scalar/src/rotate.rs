//! Loop rotation: a loop whose first block asks whether there is another turn asks at the end of each turn instead, and once before the first.
//!
//! Without that the head is where the first turn and the others meet, so what a turn leaves for the code behind the loop (the item, that it
//! is bound) is a value of the head, which each turn moves to a register or to memory. Registers are not in SSA form here: rotating copies the
//! instructions of the head to the blocks that jump there.

use crate::ir::{Function, Instruction, Op, Terminator};
use crate::loops::natural_loops;

/// A head of more instructions is left where it is.
const MOST: usize = 4;

/// Rotates all loops whose heads are a short question.
pub(crate) fn rotate(function: &mut Function<'_>) {
    for found in natural_loops(function) {
        let head = &function.blocks[found.head];
        let Some((terminator @ Terminator::Branch { then, otherwise, .. }, line)) = head.terminator else { continue };
        let stays = [then, otherwise].map(|to| found.body.contains(&(to.0 as usize)));
        let is_question = |instruction: &Instruction| match instruction {
            Instruction::Op { row, .. } => !matches!(row.op, Op::Div | Op::Rem),
            Instruction::IntConst { .. } | Instruction::FloatConst { .. } => true,
            _ => false,
        };
        let is_short = head.instructions.len() <= MOST && head.instructions.iter().all(|(one, _)| is_question(one));
        if stays[0] == stays[1] || !is_short {
            continue;
        }
        let question = head.instructions.clone();
        for &block in found.body.iter().filter(|&&block| block != found.head) {
            let block = &mut function.blocks[block];
            if let Some((Terminator::Jump(to), _)) = block.terminator
                && to.0 as usize == found.head
            {
                block.instructions.extend_from_slice(&question);
                block.terminator = Some((terminator, line));
            }
        }
    }
}
