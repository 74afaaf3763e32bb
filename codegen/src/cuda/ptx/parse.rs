//! Text to modules. What our kernels do not have is an error that names the line.
//!
//! Scopes are resolved: a register of a scope becomes one of the body, and the sequence that passes arguments, calls a function and
//! loads its result becomes one instruction.

use crate::cuda::ptx::module::{
    AddressBase, Block, Call, End, Function, Guard, Operand, Param, PtxBody, PtxInst, PtxKernel, PtxModule, Register,
    RegisterClass, Space, Special, Variable, width_of,
};
use crate::cuda::ptx::opcode::{PtxOpcode, element_type};
use hashbrown::HashMap;
use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

/// What is not understood, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PtxError {
    /// The line, from 1 on.
    pub line: usize,
    /// What stands there.
    pub what: String,
}

impl Display for PtxError {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.what)
    }
}

type Parsed<T> = Result<T, PtxError>;

/// A module of a text.
///
/// # Errors
/// Where the text has something that our kernels do not have.
pub fn parse(text: &str) -> Parsed<PtxModule> {
    let mut parser = PtxParser { tokens: tokens(text), at: 0 };
    let mut module =
        PtxModule { version: (0, 0), target: String::new(), variables: vec![], functions: vec![], kernels: vec![] };
    while parser.at < parser.tokens.len() {
        match parser.word()? {
            ".version" => {
                let version = parser.word()?;
                let (major, minor) = version.split_once('.').ok_or_else(|| parser.error(version))?;
                module.version = (parser.number(major)?, parser.number(minor)?);
            }
            ".target" => module.target = parser.word()?.to_owned(),
            ".address_size" => parser.expect("64")?,
            ".visible" | ".weak" => {}
            ".entry" => {
                let kernel = parser.kernel(&module)?;
                module.kernels.push(kernel);
            }
            ".func" => {
                if let Some(function) = parser.function(&module)? {
                    module.functions.push(function);
                }
            }
            space @ (".global" | ".const") => {
                let variable = parser.variable(space)?;
                module.variables.push(variable);
            }
            other => return Err(parser.error(other)),
        }
    }
    Ok(module)
}

/// A token, and its line.
type Token<'a> = (&'a str, usize);

/// Words, strings and single signs; comments are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "._$%".contains(c);
    let mut found = vec![];
    for (number, line) in text.lines().enumerate() {
        let mut rest = line.split("//").next().unwrap_or_default().trim_start();
        while let Some(first) = rest.chars().next() {
            let end = match first {
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            found.push((&rest[..end], number + 1));
            rest = rest[end..].trim_start();
        }
    }
    found
}

struct PtxParser<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> PtxParser<'a> {
    fn line(&self) -> usize {
        let last = self.tokens.len().saturating_sub(1);
        self.tokens.get(self.at.saturating_sub(1).min(last)).map_or(0, |token| token.1)
    }

    fn error(&self, what: impl Into<String>) -> PtxError {
        PtxError { line: self.line(), what: what.into() }
    }

    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.0)
    }

    fn word(&mut self) -> Parsed<&'a str> {
        let token = self.tokens.get(self.at).ok_or_else(|| self.error("the end of the text"))?.0;
        self.at += 1;
        Ok(token)
    }

    fn expect(&mut self, wanted: &str) -> Parsed<()> {
        let found = self.word()?;
        if found == wanted { Ok(()) } else { Err(self.error(format!("{found} instead of {wanted}"))) }
    }

    /// Skips a token, if it is the next one.
    fn accept(&mut self, wanted: &str) -> bool {
        let is_next = self.peek() == wanted;
        self.at += usize::from(is_next);
        is_next
    }

    fn number<T: std::str::FromStr>(&self, text: &str) -> Parsed<T> {
        text.parse().map_err(|_| self.error(format!("{text} is no number")))
    }

    fn next_number<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let text = self.word()?;
        self.number(text)
    }

    /// A type, as `.b8`.
    fn element(&mut self) -> Parsed<&'static str> {
        let text = self.word()?;
        text.strip_prefix('.').and_then(element_type).ok_or_else(|| self.error(text))
    }

    /// `.param .u64 name`, or `.param .align 4 .b8 name[64]`.
    fn param(&mut self) -> Parsed<(Param, &'a str)> {
        self.expect(".param")?;
        let mut align = 0;
        if self.accept(".align") {
            align = self.next_number()?;
        }
        let element = self.element()?;
        // What the pointer of a parameter leads to is of no use to us.
        if self.accept(".ptr") {
            while self.peek().starts_with('.') {
                if self.word()? == ".align" {
                    self.word()?;
                }
            }
        }
        let name = self.word()?;
        let mut count = None;
        if self.accept("[") {
            count = Some(self.next_number()?);
            self.expect("]")?;
        }
        if count.is_some() && align == 0 {
            align = width_of(element);
        }
        Ok((Param { element, align, count }, name))
    }

    /// Parameters in parentheses, named after their owner.
    fn params(&mut self, owner: &str) -> Parsed<Vec<Param>> {
        let mut params = vec![];
        self.expect("(")?;
        while !self.accept(")") {
            let (param, name) = self.param()?;
            if name != format!("{owner}_param_{}", params.len()) {
                return Err(self.error(name));
            }
            params.push(param);
            self.accept(",");
        }
        Ok(params)
    }

    /// A variable, after its space.
    fn variable(&mut self, space: &str) -> Parsed<Variable> {
        let space = match space {
            ".global" => Space::Global,
            ".const" => Space::Const,
            ".shared" => Space::Shared,
            _ => Space::Local,
        };
        let align = if self.accept(".align") { Some(self.next_number()?) } else { None };
        let element = self.element()?;
        let name = self.word()?.into();
        let mut count = None;
        if self.accept("[") {
            count = Some(self.next_number()?);
            self.expect("]")?;
        }
        let mut values = vec![];
        if self.accept("=") {
            let is_array = self.accept("{");
            loop {
                values.push(self.next_number()?);
                if !self.accept(",") {
                    break;
                }
            }
            if is_array {
                self.expect("}")?;
            }
        }
        self.expect(";")?;
        Ok(Variable { space, align: align.unwrap_or(width_of(element)), element, name, count, values })
    }

    fn kernel(&mut self, module: &PtxModule) -> Parsed<PtxKernel> {
        let name = self.word()?.to_owned();
        let params = self.params(&name)?;
        let mut threads = 0;
        while self.peek() != "{" {
            self.expect(".maxntid")?;
            threads = self.next_number()?;
            while self.accept(",") {
                self.expect("1")?;
            }
        }
        let body = BodyParser::new(self, module, &name).body()?;
        Ok(PtxKernel { name, params, threads, body })
    }

    /// A function; none for a declaration.
    fn function(&mut self, module: &PtxModule) -> Parsed<Option<Function>> {
        let mut result = None;
        if self.accept("(") {
            result = Some(self.param()?.0);
            self.expect(")")?;
        }
        let name = self.word()?;
        let params = self.params(name)?;
        if self.accept(";") {
            return Ok(None);
        }
        let body = BodyParser::new(self, module, name).body()?;
        Ok(Some(Function { name: name.into(), result, params, body }))
    }
}

/// A call whose sequence is being read.
#[derive(Default)]
struct PendingCall<'a> {
    declared: Vec<(&'a str, Param)>,
    stored: HashMap<&'a str, Operand>,
    function: Option<Arc<str>>,
    params: Vec<Param>,
    arguments: Vec<Operand>,
    result: Option<(&'a str, Param)>,
    parts: Vec<(u32, &'static str)>,
    results: Vec<Operand>,
}

struct BodyParser<'p, 'a> {
    parser: &'p mut PtxParser<'a>,
    module: &'p PtxModule,
    /// The kernel or function, after which parameters are named.
    owner: &'p str,
    body: PtxBody,
    /// Registers with names of their own, by scope.
    named: Vec<HashMap<&'a str, Register>>,
    call: Option<PendingCall<'a>>,
    /// The block of each label.
    labels: HashMap<&'a str, usize>,
    /// Blocks and the labels that they branch to, with the guard of the branch, and its line.
    branches: Vec<(usize, Option<Guard>, &'a str, usize)>,
    /// Whether the last block is still being read.
    is_open: bool,
}

impl<'p, 'a> BodyParser<'p, 'a> {
    fn new(parser: &'p mut PtxParser<'a>, module: &'p PtxModule, owner: &'p str) -> Self {
        BodyParser {
            parser,
            module,
            owner,
            body: PtxBody::default(),
            named: vec![],
            call: None,
            labels: HashMap::new(),
            branches: vec![],
            is_open: false,
        }
    }

    fn body(mut self) -> Parsed<PtxBody> {
        self.parser.expect("{")?;
        self.named.push(HashMap::new());
        while !self.named.is_empty() {
            self.statement()?;
        }
        if self.is_open {
            return Err(self.parser.error("a body without an end"));
        }
        let mut next: HashMap<usize, usize> = HashMap::new();
        for &(block, guard, label, line) in &self.branches {
            let to = *self.labels.get(label).ok_or_else(|| PtxError { line, what: label.to_owned() })?;
            match guard {
                Some(guard) => self.body.blocks[block].end = End::Branch(guard, to, block + 1),
                None => {
                    next.insert(block, to);
                }
            }
        }
        for (block, to) in next {
            let end = &mut self.body.blocks[block].end;
            *end = match *end {
                End::Branch(guard, taken, _) => End::Branch(guard, taken, to),
                End::Jump(_) | End::Return => End::Jump(to),
            };
        }
        Ok(self.body)
    }

    /// The block that is being read.
    fn block(&mut self) -> &mut Block {
        if !self.is_open {
            self.body.blocks.push(Block::default());
            self.is_open = true;
        }
        self.body.blocks.last_mut().expect("one was pushed")
    }

    fn statement(&mut self) -> Parsed<()> {
        let word = self.parser.word()?;
        match word {
            "{" => self.named.push(HashMap::new()),
            "}" => {
                self.named.pop();
                self.finish_call()?;
            }
            ".reg" => self.registers()?,
            ".shared" | ".local" => {
                let variable = self.parser.variable(word)?;
                self.body.variables.push(variable);
            }
            ".param" => {
                self.parser.at -= 1;
                let (param, name) = self.parser.param()?;
                self.parser.expect(";")?;
                self.call.get_or_insert_default().declared.push((name, param));
            }
            ".pragma" => {
                let text = self.parser.word()?;
                self.parser.expect(";")?;
                match text {
                    "\"nounroll\"" => self.block().no_unroll = true,
                    // Which bytes of a load are used: of use to the compiler alone.
                    _ if text.starts_with("\"used_bytes_mask") => {}
                    _ => return Err(self.parser.error(text)),
                }
            }
            label if self.parser.accept(":") => self.label(label),
            "@" => {
                let is_negated = self.parser.accept("!");
                let name = self.parser.word()?;
                let register = self.register(name).ok_or_else(|| self.parser.error(name))?;
                let opcode = self.parser.word()?;
                self.inst(Some(Guard { register, is_negated }), opcode)?;
            }
            opcode => self.inst(None, opcode)?,
        }
        Ok(())
    }

    /// Begins a block.
    fn label(&mut self, label: &'a str) {
        if self.is_open {
            let behind = self.body.blocks.len();
            self.body.blocks[behind - 1].end = End::Jump(behind);
        }
        self.is_open = false;
        self.labels.insert(label, self.body.blocks.len());
        self.block();
    }

    /// `.reg .b32 %r<78>;`, or names of registers.
    fn registers(&mut self) -> Parsed<()> {
        let element = self.parser.element()?;
        let class = RegisterClass::of(element).ok_or_else(|| self.parser.error(element))?;
        loop {
            let name = self.parser.word()?;
            if self.parser.accept("<") {
                let count: u32 = self.parser.next_number()?;
                self.parser.expect(">")?;
                if name != class.spelling().0 || !self.body.blocks.is_empty() {
                    return Err(self.parser.error(name));
                }
                self.body.registers[class as usize] += count;
                // Numbered names come first.
                let named = self.named.iter_mut().flat_map(HashMap::values_mut);
                named.filter(|register| register.class == class).for_each(|register| register.number += count);
            } else {
                let register = self.body.register(class);
                self.named.last_mut().expect("within a scope").insert(name, register);
            }
            if !self.parser.accept(",") {
                return self.parser.expect(";");
            }
        }
    }

    /// The register of a name.
    fn register(&self, name: &str) -> Option<Register> {
        if let Some(register) = self.named.iter().rev().find_map(|scope| scope.get(name)) {
            return Some(*register);
        }
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (prefix, number) = name.split_at(digits);
        let class = RegisterClass::ALL.into_iter().find(|class| class.spelling().0 == prefix)?;
        let number = number.parse().ok().filter(|&number| number < self.body.registers[class as usize])?;
        Some(Register { class, number })
    }

    fn inst(&mut self, guard: Option<Guard>, opcode: &'a str) -> Parsed<()> {
        let line = self.parser.line();
        match opcode {
            "bra" | "bra.uni" => {
                let label = self.parser.word()?;
                self.parser.expect(";")?;
                self.block();
                self.branches.push((self.body.blocks.len() - 1, guard, label, line));
                // An unconditional branch right behind a conditional one is its other side.
                self.is_open = guard.is_some() && matches!(self.parser.peek(), "bra" | "bra.uni");
                return Ok(());
            }
            "ret" if guard.is_none() => {
                self.parser.expect(";")?;
                self.block().end = End::Return;
                self.is_open = false;
                return Ok(());
            }
            _ => {}
        }
        let opcode = PtxOpcode::parse(opcode).map_err(|part| self.parser.error(format!("{part} in {opcode}")))?;
        if opcode.is("call") {
            return self.call_target();
        }
        let mut operands = vec![];
        while !self.parser.accept(";") {
            operands.push(self.operand()?);
            self.parser.accept(",");
        }
        if opcode.space() == Space::Param && self.passes(&opcode, &operands) {
            return Ok(());
        }
        self.block().insts.push(PtxInst { guard, opcode, operands, call: None });
        Ok(())
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let word = self.parser.word()?;
        match word {
            "{" => {
                let mut parts = vec![];
                while !self.parser.accept("}") {
                    parts.push(self.operand()?);
                    self.parser.accept(",");
                }
                Ok(Operand::Vector(parts))
            }
            "[" => {
                let place = self.parser.word()?;
                let mut offset = 0;
                if self.parser.accept("+") {
                    let sign = if self.parser.accept("-") { -1 } else { 1 };
                    offset = sign * self.parser.next_number::<i64>()?;
                }
                self.parser.expect("]")?;
                Ok(Operand::Address(self.place(place)?, offset))
            }
            "!" => {
                let name = self.parser.word()?;
                let register = self.register(name).ok_or_else(|| self.parser.error(name))?;
                Ok(Operand::Register(register, true))
            }
            "-" => {
                let number = self.parser.word()?;
                Ok(Operand::Integer(-self.integer(number)?))
            }
            "_" => Ok(Operand::Discard),
            _ => self.simple(word),
        }
    }

    /// A register, a number, or the address of a variable.
    fn simple(&mut self, word: &'a str) -> Parsed<Operand> {
        if let Some(register) = self.register(word) {
            if self.parser.accept("|") {
                let name = self.parser.word()?;
                let second = self.register(name).ok_or_else(|| self.parser.error(name))?;
                return Ok(Operand::Pair(register, second));
            }
            return Ok(Operand::of(register));
        }
        if let Some((special, _)) = Special::ALL.into_iter().find(|(_, text)| *text == word) {
            return Ok(Operand::Special(special));
        }
        let bits = |digits: &str| u64::from_str_radix(digits, 16).map_err(|_| self.parser.error(word));
        match word.get(..2) {
            Some("0d") => return Ok(Operand::Double(bits(&word[2..])?)),
            Some("0f") => return Ok(Operand::Single(bits(&word[2..])? as u32)),
            _ if word.starts_with(|c: char| c.is_ascii_digit()) => return Ok(Operand::Integer(self.integer(word)?)),
            _ => {}
        }
        match self.place(word)? {
            AddressBase::Variable(name) => Ok(Operand::Variable(name)),
            AddressBase::Param(number) => Ok(Operand::Param(number)),
            AddressBase::Register(_) | AddressBase::Result => Err(self.parser.error(word)),
        }
    }

    fn integer(&self, word: &str) -> Parsed<i128> {
        let digits = word.strip_suffix('U').unwrap_or(word);
        let value = match digits.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        value.map_err(|_| self.parser.error(word))
    }

    fn place(&self, word: &'a str) -> Parsed<AddressBase> {
        if let Some(register) = self.register(word) {
            return Ok(AddressBase::Register(register));
        }
        if word == "func_retval0" {
            return Ok(AddressBase::Result);
        }
        if let Some(number) = word.strip_prefix(self.owner).and_then(|rest| rest.strip_prefix("_param_")) {
            return Ok(AddressBase::Param(self.parser.number(number)?));
        }
        let is_passed = self.call.as_ref().is_some_and(|call| call.declared.iter().any(|(name, _)| *name == word));
        let known = |variable: &&Variable| &*variable.name == word;
        if is_passed || self.body.variables.iter().chain(&self.module.variables).any(|v| known(&v)) {
            return Ok(AddressBase::Variable(word.into()));
        }
        Err(self.parser.error(word))
    }

    /// Whether an access is to a parameter of the pending call, which it is made part of.
    fn passes(&mut self, opcode: &PtxOpcode, operands: &[Operand]) -> bool {
        let Some(call) = &mut self.call else { return false };
        let address = |operand: &Operand| match operand {
            Operand::Address(AddressBase::Variable(name), offset) => {
                call.declared.iter().find(|(known, _)| *known == &**name).map(|(name, _)| (*name, *offset as u32))
            }
            _ => None,
        };
        match operands {
            [to, value] if opcode.is("st") => {
                let Some((name, 0)) = address(to) else { return false };
                call.stored.insert(name, value.clone());
                true
            }
            [value, from] if opcode.is("ld") => {
                let Some((_, offset)) = address(from) else { return false };
                call.parts.push((offset, opcode.element()));
                call.results.push(value.clone());
                true
            }
            _ => false,
        }
    }

    /// `(retval0), name, (param0, param1);`, where the result may be missing.
    fn call_target(&mut self) -> Parsed<()> {
        let mut call = self.call.take().unwrap_or_default();
        let param_of = |parser: &PtxParser<'a>, declared: &[(&'a str, Param)], name: &'a str| {
            let found = declared.iter().find(|(known, _)| *known == name).map(|(_, param)| param.clone());
            found.ok_or_else(|| parser.error(name))
        };
        if self.parser.accept("(") {
            let name = self.parser.word()?;
            call.result = Some((name, param_of(self.parser, &call.declared, name)?));
            self.parser.expect(")")?;
            self.parser.expect(",")?;
        }
        call.function = Some(self.parser.word()?.into());
        if self.parser.accept(",") {
            self.parser.expect("(")?;
            while !self.parser.accept(")") {
                let name = self.parser.word()?;
                call.params.push(param_of(self.parser, &call.declared, name)?);
                let argument = call.stored.remove(name).ok_or_else(|| self.parser.error(name))?;
                call.arguments.push(argument);
                self.parser.accept(",");
            }
        }
        self.call = Some(call);
        self.parser.expect(";")
    }

    /// Adds the call of a scope that ends.
    fn finish_call(&mut self) -> Parsed<()> {
        let Some(call) = self.call.take() else { return Ok(()) };
        let function = call.function.ok_or_else(|| self.parser.error("arguments without a call"))?;
        let mut operands = call.results;
        operands.extend(call.arguments);
        let result = call.result.map(|(_, param)| (param, call.parts));
        let call = Arc::new(Call { function, result, params: call.params });
        self.block().insts.push(PtxInst { guard: None, opcode: PtxOpcode::of("call.uni"), operands, call: Some(call) });
        Ok(())
    }
}
