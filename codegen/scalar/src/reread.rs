//! Rematerialization: inner loops read again, before their first turn, the words of the frame that they use.
//!
//! What a function reads from its frame at the beginning lives to its end. Cranelift's register allocator holds such long-lived values in
//! memory where there are more of them than registers, and reads them at each use, in inner loops too, which it even has write them
//! back in each turn. The stride of a row then took 6 cycles a turn. A register that lives in the inner loop alone is kept.

use std::collections::{HashMap, HashSet};

use crate::ir::{Function, Instruction, Reg, Register};
use crate::loops::{Loop, natural_loops};

/// So many words are read again before a loop, the most used ones: each takes a load, and the machine has 15 registers.
const MOST: usize = 8;

/// Has all innermost loops read the words that they use.
pub(crate) fn reread(function: &mut Function<'_>) {
    let words = words(function);
    let loops = natural_loops(function);
    let innermost = loops.iter().filter(|found| !loops.iter().any(|other| found.is_around(other)));
    for Loop { body, before, .. } in innermost.filter(|found| found.before.len() <= 2) {
        let mut uses: HashMap<Reg, usize> = HashMap::new();
        for &block in body {
            for (instruction, _) in &function.blocks[block].instructions {
                for &register in instruction.operands().as_slice() {
                    if words.contains_key(&register) {
                        *uses.entry(register).or_default() += 1;
                    }
                }
            }
        }
        let mut used: Vec<(Reg, usize)> = uses.into_iter().collect();
        used.sort_by_key(|&(register, times)| (usize::MAX - times, register.0));
        let mut copies = HashMap::new();
        for (register, _) in used.into_iter().take(MOST) {
            let copy = Reg(function.registers.len() as u32);
            let of = function.registers[register.0 as usize].of;
            function.registers.push(Register { name: "reread", of });
            copies.insert(register, copy);
            for &block in before {
                let line = function.blocks[block].line;
                let get = Instruction::Get { to: copy, word: words[&register], again: true };
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

/// The registers that are a word of the frame all the time, with its number.
fn words(function: &Function<'_>) -> HashMap<Reg, u32> {
    let (mut found, mut written, mut put) = (HashMap::new(), HashSet::new(), HashSet::new());
    for (index, block) in function.blocks.iter().enumerate() {
        for (instruction, _) in &block.instructions {
            for &register in instruction.results().as_slice() {
                if !written.insert(register) {
                    found.remove(&register);
                } else if let (&Instruction::Get { word, .. }, true) = (instruction, index == function.entry.0 as usize)
                {
                    found.insert(register, word);
                }
            }
            if let &Instruction::Put { word, .. } = instruction {
                put.insert(word);
            }
        }
    }
    found.retain(|_, word| !put.contains(word));
    found
}
