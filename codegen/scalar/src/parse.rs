//! From text to the representation: one pass over the bytes, names found in hash maps.
//!
//! The parser knows how an item is spelled. Whether types fit, blocks end and frame words exist is the verifier's
//! question.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::error::{Fault, fault};
use crate::functions;
use crate::ir::{Access, Block, BlockId, Function, Instruction, OPS, OpRow, Reg, Register, Regs, Terminator, Type};

/// Parses one function.
pub(crate) fn parse(text: &str) -> Result<Function<'_>, Fault> {
    let mut parser = Parser {
        ops: ops_by_name(),
        registers: HashMap::new(),
        blocks: HashMap::new(),
        current: None,
        function: None,
        line: 0,
    };
    for line in text.lines() {
        parser.line += 1;
        parser.item(line)?;
    }
    match parser.function {
        Some(function) if parser.current.is_some() => Ok(function),
        Some(_) => Err(fault(parser.line, "a function without a block")),
        None => Err(fault(parser.line, "no `function`")),
    }
}

fn ops_by_name() -> &'static HashMap<&'static str, &'static OpRow> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static OpRow>> = OnceLock::new();
    BY_NAME.get_or_init(|| OPS.iter().map(|row| (row.name, row)).collect())
}

/// The words of a line. `,`, `(`, `)` and `:` are words of their own; `#` at the start of a word ends the line.
#[derive(Clone)]
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_ascii_start();
        let bytes = rest.as_bytes();
        let first = *bytes.first()?;
        if first == b'#' {
            self.rest = "";
            return None;
        }
        let length = if is_punctuation(first) {
            1
        } else {
            bytes.iter().position(|&b| b.is_ascii_whitespace() || is_punctuation(b)).unwrap_or(bytes.len())
        };
        let (word, rest) = rest.split_at(length);
        self.rest = rest;
        Some(word)
    }
}

fn is_punctuation(byte: u8) -> bool {
    matches!(byte, b',' | b'(' | b')' | b':')
}

struct Parser<'a> {
    ops: &'static HashMap<&'static str, &'static OpRow>,
    registers: HashMap<&'a str, Reg>,
    blocks: HashMap<&'a str, BlockId>,
    current: Option<BlockId>,
    function: Option<Function<'a>>,
    line: u32,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(fault(self.line, message))
    }

    /// One line: a head, a declaration, an instruction, a terminator, or nothing.
    fn item(&mut self, line: &'a str) -> Result<(), Fault> {
        let mut words = Words { rest: line };
        let Some(first) = words.next() else { return Ok(()) };
        let mut ahead = words.clone();
        match ahead.next() {
            Some("=") => {
                let mut to = Regs::new();
                self.push(&mut to, first)?;
                self.assignment(to, ahead)
            }
            Some(",") if first != "," => {
                let mut to = Regs::new();
                self.push(&mut to, first)?;
                let second = self.word(&mut ahead)?;
                self.push(&mut to, second)?;
                self.expect(&mut ahead, "=")?;
                self.assignment(to, ahead)
            }
            _ => self.statement(first, words),
        }
    }

    /// An item that begins with its keyword.
    fn statement(&mut self, keyword: &'a str, mut words: Words<'a>) -> Result<(), Fault> {
        match keyword {
            "function" => self.head(words),
            "reg" => self.declaration(words),
            "block" => self.block_head(words),
            "put" => {
                let word = self.number(&mut words)?;
                self.expect(&mut words, ",")?;
                let from = self.register(&mut words)?;
                self.end(words)?;
                self.emit(Instruction::Put { word, from })
            }
            "call" => self.call(Regs::new(), words),
            "jump" => {
                let block = self.block(&mut words)?;
                self.end(words)?;
                self.terminate(Terminator::Jump(block))
            }
            "br" | "brcold" => {
                let condition = self.register(&mut words)?;
                self.expect(&mut words, ",")?;
                let then = self.block(&mut words)?;
                self.expect(&mut words, ",")?;
                let otherwise = self.block(&mut words)?;
                self.end(words)?;
                self.terminate(Terminator::Branch { condition, then, otherwise, cold: keyword == "brcold" })
            }
            "return" => {
                let code = self.number(&mut words)?;
                self.end(words)?;
                self.terminate(Terminator::Return(code))
            }
            _ => match keyword.strip_prefix("store.").map(Access::named) {
                Some(Some(access)) => {
                    let (address, offset) = self.place(&mut words)?;
                    self.expect(&mut words, ",")?;
                    let from = self.register(&mut words)?;
                    self.end(words)?;
                    self.emit(Instruction::Store { access, address, offset, from })
                }
                _ => self.fail(format!("`{keyword}` is no item")),
            },
        }
    }

    /// What follows `TO =`.
    fn assignment(&mut self, to: Regs, mut words: Words<'a>) -> Result<(), Fault> {
        let name = self.word(&mut words)?;
        if let Some(&row) = self.ops.get(name) {
            let mut operands = Regs::new();
            let first = self.word(&mut words)?;
            self.push(&mut operands, first)?;
            while let Some(word) = words.next() {
                if word != "," {
                    return self.fail(format!("`{word}` where a comma is due"));
                }
                let operand = self.word(&mut words)?;
                self.push(&mut operands, operand)?;
            }
            return self.emit(Instruction::Op { row, to, operands });
        }
        if name == "call" {
            return self.call(to, words);
        }
        let &[to] = to.as_slice() else { return self.fail(format!("`{name}` gives one result")) };
        let instruction = match name {
            "iconst" => Instruction::IntConst { to, value: self.number(&mut words)? },
            "fconst" => self.float_const(to, &mut words)?,
            "get" => Instruction::Get { to, word: self.number(&mut words)?, again: false },
            _ => match name.strip_prefix("load.").map(Access::named) {
                Some(Some(access)) => {
                    let (address, offset) = self.place(&mut words)?;
                    Instruction::Load { to, access, address, offset }
                }
                _ => return self.fail(format!("`{name}` is no op")),
            },
        };
        self.end(words)?;
        self.emit(instruction)
    }

    /// `function NAME frame COUNT`
    fn head(&mut self, mut words: Words<'a>) -> Result<(), Fault> {
        let name = self.word(&mut words)?;
        self.expect(&mut words, "frame")?;
        let frame_words = self.number(&mut words)?;
        self.end(words)?;
        if self.function.is_some() {
            return self.fail("a second `function`");
        }
        self.function =
            Some(Function { name, frame_words, registers: Vec::new(), blocks: Vec::new(), entry: BlockId(0) });
        Ok(())
    }

    /// `reg NAME: TYPE`
    fn declaration(&mut self, mut words: Words<'a>) -> Result<(), Fault> {
        let name = self.word(&mut words)?;
        self.expect(&mut words, ":")?;
        let of = self.word(&mut words)?;
        let Some(of) = Type::named(of) else { return self.fail(format!("`{of}` is no type")) };
        self.end(words)?;
        let registers = &mut self.function()?.registers;
        let register = Reg(u32::try_from(registers.len()).expect("fewer registers than bytes of text"));
        registers.push(Register { name, of });
        match self.registers.insert(name, register) {
            None => Ok(()),
            Some(_) => self.fail(format!("register `{name}` is declared twice")),
        }
    }

    /// `block NAME:`
    fn block_head(&mut self, mut words: Words<'a>) -> Result<(), Fault> {
        let first = self.current.is_none();
        let id = self.block(&mut words)?;
        self.expect(&mut words, ":")?;
        self.end(words)?;
        let line = self.line;
        let function = self.function()?;
        if first {
            function.entry = id;
        }
        let block = &mut function.blocks[id.0 as usize];
        if block.defined {
            let name = block.name;
            return self.fail(format!("block `{name}` is defined twice"));
        }
        block.defined = true;
        block.line = line;
        if let Some(open) = self.current
            && self.function()?.blocks[open.0 as usize].terminator.is_none()
        {
            return self.fail("the block before does not end");
        }
        self.current = Some(id);
        Ok(())
    }

    /// `NAME(a, b)` after `call`
    fn call(&mut self, to: Regs, mut words: Words<'a>) -> Result<(), Fault> {
        let name = self.word(&mut words)?;
        let Some(function) = functions::named(name) else { return self.fail(format!("`{name}` is no function")) };
        self.expect(&mut words, "(")?;
        let mut operands = Regs::new();
        loop {
            match words.next() {
                Some(")") => break,
                Some(",") if !operands.as_slice().is_empty() => {
                    let operand = self.word(&mut words)?;
                    self.push(&mut operands, operand)?;
                }
                Some(operand) if operands.as_slice().is_empty() => self.push(&mut operands, operand)?,
                _ => return self.fail("the arguments do not end"),
            }
        }
        self.end(words)?;
        self.emit(Instruction::Call { to, function, operands })
    }

    /// Sixteen hexadecimal digits are a double, eight a float.
    fn float_const(&self, to: Reg, words: &mut Words<'a>) -> Result<Instruction, Fault> {
        let word = self.word(words)?;
        let digits = word.strip_prefix("0x").unwrap_or("");
        let of = match digits.len() {
            16 => Type::F64,
            8 => Type::F32,
            _ => return self.fail(format!("`{word}` is neither a double's bits (0x and 16 digits) nor a float's (8)")),
        };
        match u64::from_str_radix(digits, 16) {
            Ok(bits) => Ok(Instruction::FloatConst { to, bits, of }),
            Err(_) => self.fail(format!("`{word}` is no number in hexadecimal digits")),
        }
    }

    /// `ADDRESS, OFFSET`
    fn place(&self, words: &mut Words<'a>) -> Result<(Reg, i32), Fault> {
        let address = self.register(words)?;
        self.expect(words, ",")?;
        Ok((address, self.number(words)?))
    }

    fn function(&mut self) -> Result<&mut Function<'a>, Fault> {
        let line = self.line;
        self.function.as_mut().ok_or_else(|| fault(line, "`function` comes first"))
    }

    /// The open block, which has not ended.
    fn open_block(&mut self) -> Result<&mut Block<'a>, Fault> {
        let line = self.line;
        let Some(current) = self.current else { return self.fail("an instruction before the first block") };
        let block = &mut self.function()?.blocks[current.0 as usize];
        if block.terminator.is_some() {
            return Err(fault(line, format!("block `{}` has ended", block.name)));
        }
        Ok(block)
    }

    fn emit(&mut self, instruction: Instruction) -> Result<(), Fault> {
        let line = self.line;
        self.open_block()?.instructions.push((instruction, line));
        Ok(())
    }

    fn terminate(&mut self, terminator: Terminator) -> Result<(), Fault> {
        let line = self.line;
        self.open_block()?.terminator = Some((terminator, line));
        Ok(())
    }

    fn word(&self, words: &mut Words<'a>) -> Result<&'a str, Fault> {
        match words.next() {
            Some(word) => Ok(word),
            None => self.fail("the line ends too early"),
        }
    }

    fn expect(&self, words: &mut Words<'a>, what: &str) -> Result<(), Fault> {
        match words.next() {
            Some(word) if word == what => Ok(()),
            Some(word) => self.fail(format!("`{word}` where `{what}` is due")),
            None => self.fail(format!("the line ends where `{what}` is due")),
        }
    }

    fn end(&self, mut words: Words<'a>) -> Result<(), Fault> {
        match words.next() {
            None => Ok(()),
            Some(word) => self.fail(format!("`{word}` after the end of the item")),
        }
    }

    fn number<N: std::str::FromStr>(&self, words: &mut Words<'a>) -> Result<N, Fault> {
        let word = self.word(words)?;
        word.parse().or_else(|_| self.fail(format!("`{word}` is no number, or too large")))
    }

    fn register(&self, words: &mut Words<'a>) -> Result<Reg, Fault> {
        let name = self.word(words)?;
        self.register_named(name)
    }

    fn register_named(&self, name: &str) -> Result<Reg, Fault> {
        match self.registers.get(name) {
            Some(&register) => Ok(register),
            None => self.fail(format!("`{name}` is no register")),
        }
    }

    fn push(&self, list: &mut Regs, name: &str) -> Result<(), Fault> {
        let register = self.register_named(name)?;
        if list.push(register) { Ok(()) } else { self.fail("more than four registers") }
    }

    /// The block of that name, which may be defined further on.
    fn block(&mut self, words: &mut Words<'a>) -> Result<BlockId, Fault> {
        let name = self.word(words)?;
        if let Some(&id) = self.blocks.get(name) {
            return Ok(id);
        }
        let line = self.line;
        let blocks = &mut self.function()?.blocks;
        let id = BlockId(u32::try_from(blocks.len()).expect("fewer blocks than bytes of text"));
        blocks.push(Block { name, line, defined: false, instructions: Vec::new(), terminator: None });
        self.blocks.insert(name, id);
        Ok(id)
    }
}
