//! Loop peeling: the first turn of an innermost loop is code of its own, and the others ask no more what cannot have changed since.
//!
//! In `c[i, j] += a[i, k] * b[k, j]` three of the five indices are in range in all turns or in none. Before the first turn these questions cannot be asked,
//! as the loop is left within that turn, where its other effects have happened. Behind it they need not be asked: whether an index is in range took two
//! registers for each, of which the machine has 15. Registers are not in SSA form here, so the other turns are a copy of the blocks.

use std::collections::HashMap;

use crate::forward::{definitions, order};
use crate::ir::{Block, BlockId, Function, Instruction, Op, Reg, Terminator};
use crate::loops::{Loop, natural_loops};
use crate::polynomial::Turn;

/// A loop of more instructions is left as it is: compiling takes some 2 us for each.
const MOST: usize = 200;

/// Of a loop of so few turns, the first one is too large a part: a loop over the three components of a point took 18 % longer.
const FEW_TURNS: i64 = 16;

/// Peels all innermost loops that ask such questions.
pub(crate) fn peel(function: &mut Function<'_>) {
    let loops = natural_loops(function);
    let innermost = loops.iter().filter(|found| !loops.iter().any(|other| found.is_around(other)));
    let is_small = |found: &&Loop| {
        found.body.iter().map(|&block| function.blocks[block].instructions.len() + 1).sum::<usize>() <= MOST
    };
    let candidates: Vec<&Loop> = innermost
        .filter(is_small)
        .filter(|found| leaves_rarely(function, found) && !has_few_turns(function, found))
        .collect();
    if candidates.is_empty() {
        return;
    }
    let definitions = definitions(function);
    let mut peeled = Vec::new();
    for found in candidates {
        let Some(order) = order(function, found) else { continue };
        let turn = Turn::new(function, found, &order, &definitions);
        let asks = |&block: &usize| match function.blocks[block].terminator {
            Some((Terminator::Branch { condition, then, cold: true, .. }, _)) => {
                !found.body.contains(&(then.0 as usize)) && turn.is_settled(condition, block)
            }
            _ => false,
        };
        let questions: Vec<usize> = order.iter().copied().filter(asks).collect();
        if !questions.is_empty() {
            peeled.push((found, order, questions));
        }
    }
    for (found, order, questions) in peeled {
        copy_turn(function, found, &order, &questions);
    }
}

/// Whether a loop is left by rare branches at all.
fn leaves_rarely(function: &Function<'_>, found: &Loop) -> bool {
    found.body.iter().any(|&block| {
        let terminator = &function.blocks[block].terminator;
        matches!(terminator, Some((Terminator::Branch { then, cold: true, .. }, _)) if !found.body.contains(&(then.0 as usize)))
    })
}

/// Whether a loop that counts down to 0, and asks at the end of each turn, begins at a small number that is known.
fn has_few_turns(function: &Function<'_>, found: &Loop) -> bool {
    let &[before] = &found.before[..] else { return false };
    let Some((Terminator::Branch { condition, .. }, _)) = function.blocks[before].terminator else { return false };
    let question = function.blocks[before].instructions.iter().rev().find_map(|(one, _)| match one {
        Instruction::Op { to, operands, .. } if to.as_slice() == [condition] => operands.as_slice().first(),
        _ => None,
    });
    let ahead = &function.predecessors()[before];
    question.is_some_and(|&left| {
        let is_small = |block: &Block<'_>| {
            let written = |one: &Instruction| one.results().as_slice() == [left];
            match block.instructions.iter().rev().find(|(one, _)| written(one)) {
                Some((Instruction::IntConst { value, .. }, _)) => *value <= FEW_TURNS,
                Some((Instruction::Op { row, operands, .. }, _)) if row.op == Op::Copy => {
                    number(function, operands.as_slice()[0]).is_some_and(|count| count <= FEW_TURNS)
                }
                _ => false,
            }
        };
        ahead.iter().all(|&block| is_small(&function.blocks[block]))
    })
}

/// The number that the first block writes to a register.
fn number(function: &Function<'_>, register: Reg) -> Option<i64> {
    let instructions = &function.blocks[function.entry.0 as usize].instructions;
    instructions.iter().find_map(|(one, _)| match one {
        Instruction::IntConst { to, value } if *to == register => Some(*value),
        _ => None,
    })
}

/// Has the turns behind the first one run in a copy of the blocks without these questions.
fn copy_turn(function: &mut Function<'_>, found: &Loop, order: &[usize], questions: &[usize]) {
    let start = function.blocks.len();
    let copies: HashMap<usize, usize> =
        order.iter().enumerate().map(|(place, &block)| (block, start + place)).collect();
    let copied = |to: BlockId| copies.get(&(to.0 as usize)).map_or(to, |&copy| BlockId(copy as u32));
    for &block in order {
        let terminator = function.blocks[block].terminator.map(|(terminator, line)| match terminator {
            Terminator::Branch { otherwise, .. } if questions.contains(&block) => {
                (Terminator::Jump(copied(otherwise)), line)
            }
            _ => (terminator.leading(copied), line),
        });
        let from = &function.blocks[block];
        let copy = Block { instructions: from.instructions.clone(), terminator, ..*from };
        function.blocks.push(copy);
    }
    let again = |to: BlockId| if to.0 as usize == found.head { copied(to) } else { to };
    for &block in order {
        let terminator = &mut function.blocks[block].terminator;
        *terminator = terminator.map(|(terminator, line)| (terminator.leading(again), line));
    }
}
