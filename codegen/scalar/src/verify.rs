//! The rules of the representation, checked: operands have the types of their op's row, blocks exist and end, frame
//! words are in range.
//!
//! What the verifier passes is a [`Verified`] function; only that can be lowered.

use crate::error::{Fault, fault};
use crate::ir::{Function, Instruction, Reg, Terminator, Type};

/// Codes that a function returns fit an `i32` register of the machine.
const MAX_CODE: u32 = i32::MAX as u32;

/// Offsets in a frame fit an `i32`.
const MAX_FRAME_WORDS: u32 = i32::MAX as u32 / 8;

/// A function that keeps the rules.
#[derive(Debug)]
pub(crate) struct Verified<'a>(Function<'a>);

impl<'a> Verified<'a> {
    /// The function.
    pub(crate) fn function(&self) -> &Function<'a> {
        &self.0
    }
}

/// Checks every rule; the first that is broken is the fault.
pub(crate) fn verify(function: Function<'_>) -> Result<Verified<'_>, Fault> {
    if function.frame_words > MAX_FRAME_WORDS {
        return Err(fault(0, format!("a frame of more than {MAX_FRAME_WORDS} words")));
    }
    for block in &function.blocks {
        if !block.defined {
            return Err(fault(block.line, format!("block `{}` is not defined", block.name)));
        }
        for (instruction, line) in &block.instructions {
            check(&function, instruction).map_err(|message| fault(*line, message))?;
        }
        match &block.terminator {
            None => return Err(fault(block.line, format!("block `{}` does not end", block.name))),
            Some((terminator, line)) => {
                check_terminator(&function, terminator).map_err(|message| fault(*line, message))?;
            }
        }
    }
    Ok(Verified(function))
}

fn type_of(function: &Function<'_>, register: Reg) -> Type {
    function.registers[register.0 as usize].of
}

fn expect(function: &Function<'_>, register: Reg, of: Type) -> Result<(), String> {
    let found = function.registers[register.0 as usize];
    if found.of == of {
        Ok(())
    } else {
        Err(format!("register `{}` is {}, not {}", found.name, found.of.name(), of.name()))
    }
}

fn in_frame(function: &Function<'_>, word: u32) -> Result<(), String> {
    if word < function.frame_words {
        Ok(())
    } else {
        Err(format!("word {word} of a frame of {}", function.frame_words))
    }
}

fn fits(function: &Function<'_>, registers: &[Reg], types: &[Type]) -> bool {
    registers.len() == types.len()
        && registers.iter().zip(types).all(|(&register, &of)| type_of(function, register) == of)
}

fn names(types: impl Iterator<Item = Type>) -> String {
    types.map(Type::name).collect::<Vec<_>>().join(", ")
}

fn check(function: &Function<'_>, instruction: &Instruction) -> Result<(), String> {
    match *instruction {
        Instruction::IntConst { to, value } => match type_of(function, to) {
            Type::I64 => Ok(()),
            Type::I8 if matches!(value, 0 | 1) => Ok(()),
            Type::I8 => Err("a truth value is 0 or 1".to_owned()),
            of => Err(format!("`iconst` gives i64 or i8, not {}", of.name())),
        },
        Instruction::FloatConst { to, of, .. } => expect(function, to, of),
        Instruction::Get { to: register, word, .. } | Instruction::Put { word, from: register } => {
            if type_of(function, register).is_vector() {
                return Err("a word of the frame holds no vector".to_owned());
            }
            in_frame(function, word)
        }
        Instruction::Op { row, to, operands } => {
            let (to, operands) = (to.as_slice(), operands.as_slice());
            if row.forms.iter().any(|form| fits(function, to, form.results) && fits(function, operands, form.operands))
            {
                return Ok(());
            }
            let types = |registers: &[Reg]| names(registers.iter().map(|&r| type_of(function, r)));
            Err(format!("`{}` does not take ({}) and give ({})", row.name, types(operands), types(to)))
        }
        Instruction::Load { to, access, address, .. } => {
            expect(function, address, Type::I64)?;
            expect(function, to, access.register())
        }
        Instruction::Store { access, address, from, .. } => {
            expect(function, address, Type::I64)?;
            expect(function, from, access.register())
        }
        Instruction::Call { to, function: callee, operands } => {
            let parameters = callee.callee.parameters();
            if !fits(function, operands.as_slice(), parameters) {
                return Err(format!("`{}` takes ({})", callee.name, names(parameters.iter().copied())));
            }
            match (to.as_slice(), callee.callee.result()) {
                ([], _) => Ok(()),
                (&[to], Some(of)) => expect(function, to, of),
                (_, result) => Err(format!("`{}` gives ({})", callee.name, names(result.into_iter()))),
            }
        }
    }
}

fn check_terminator(function: &Function<'_>, terminator: &Terminator) -> Result<(), String> {
    match *terminator {
        Terminator::Jump(_) => Ok(()),
        Terminator::Branch { condition, .. } => expect(function, condition, Type::I8),
        Terminator::Return(code) if code <= MAX_CODE => Ok(()),
        Terminator::Return(code) => Err(format!("code {code} is more than {MAX_CODE}")),
    }
}
