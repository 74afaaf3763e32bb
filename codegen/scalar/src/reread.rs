//! Rematerialization: inner loops read again, before their first turn, the words of the frame that they use.
//!
//! What a function reads from its frame at the beginning lives to its end. Cranelift's register allocator holds such long-lived values in
//! memory where there are more of them than registers, and reads them at each use, in inner loops too, which it even has write them
//! back in each turn. The stride of a row then took 6 cycles a turn. A register that lives in the inner loop alone is kept.

use std::collections::HashMap;

use crate::ir::{Function, Instruction, Reg, Register};
use crate::loops::{Loop, natural_loops};

/// So many words are read again before a loop, the most used ones: each takes a load and a register, of which the machine has 15. With eight an
/// inner loop over elements took 2.1 ns a turn instead of 1.9, and short rows (NPBench's nbody) 2 % more.
const MOST: usize = 4;

/// Has all innermost loops read the words that they use.
pub(crate) fn reread(function: &mut Function<'_>) {
    let loops = natural_loops(function);
    if loops.is_empty() {
        return;
    }
    let words = words(function);
    let innermost = loops.iter().filter(|found| !loops.iter().any(|other| found.is_around(other)));
    for Loop { body, before, .. } in innermost.filter(|found| found.before.len() <= 2) {
        let mut uses: HashMap<Reg, usize> = HashMap::new();
        for &block in body {
            for (instruction, _) in &function.blocks[block].instructions {
                for &register in instruction.operands().as_slice() {
                    if words[register.0 as usize].is_some() {
                        *uses.entry(register).or_default() += 1;
                    }
                }
            }
        }
        let mut used: Vec<(Reg, usize)> = uses.into_iter().collect();
        used.sort_by_key(|&(register, times)| (usize::MAX - times, register.0));
        let mut copies = HashMap::new();
        for (register, _) in used.into_iter().take(MOST) {
            let Some(word) = words[register.0 as usize] else { continue };
            let copy = Reg(function.registers.len() as u32);
            let of = function.registers[register.0 as usize].of;
            function.registers.push(Register { name: "reread", of });
            copies.insert(register, copy);
            for &block in before {
                let line = function.blocks[block].line;
                let get = Instruction::Get { to: copy, word, again: true };
                function.blocks[block].instructions.push((get, line));
            }
        }
        for &block in body {
            for (instruction, _) in &mut function.blocks[block].instructions {
                instruction.read_instead(|register| copies.get(&register).copied());
            }
        }
    }
}

/// For each register the word of the frame that it is all the time, if it is one.
fn words(function: &Function<'_>) -> Vec<Option<u32>> {
    let (mut found, mut written) = (vec![None; function.registers.len()], vec![false; function.registers.len()]);
    let mut put = Vec::new();
    for (index, block) in function.blocks.iter().enumerate() {
        for (instruction, _) in &block.instructions {
            for register in instruction.results().as_slice() {
                let register = register.0 as usize;
                let is_first = !std::mem::replace(&mut written[register], true);
                found[register] = match *instruction {
                    Instruction::Get { word, .. } if is_first && index == function.entry.0 as usize => Some(word),
                    _ => None,
                };
            }
            if let Instruction::Put { word, .. } = *instruction {
                put.push(word);
            }
        }
    }
    found.into_iter().map(|word| word.filter(|word| !put.contains(word))).collect()
}
