//! The parser: reads the text that [`print`](mod@crate::ir::print) writes: `text.parse::<Kernel>()`.
//!
//! White space and line ends only separate; `;` starts a comment to the end of the line. Operands, scalars, accumulators
//! and values must be numbered in order. Nothing else is checked: [`verify`](crate::verify()) checks the kernel.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::print::{FragmentSide, canonical_nan};
use crate::{
    Access, Accumulator, ComplexPart, DType, Fold, Fragment, Inst, Kernel, Loop, Op, OperandDecl, OperandId, Primitive,
    Region, Scalar, ScalarId, Template, ValueId, Wide,
};
use half::f16;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Text that is not a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseError {
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}

type Result<T> = std::result::Result<T, ParseError>;

impl FromStr for Kernel {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Kernel> {
        let mut parser = Parser { tokens: tokens(text), next: 0 };
        let kernel = parser.kernel()?;
        match parser.peek() {
            "" => Ok(kernel),
            other => parser.fail(format!("`{other}` after the kernel")),
        }
    }
}

/// A word or a punctuation mark, and where it begins. The last one is empty and stands for the end.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    line: usize,
    column: usize,
}

/// Whether a character is part of a word: names, numbers, literals.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '+' | '-')
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut end = (1, 1);
    for (number, line) in text.lines().enumerate() {
        let code = line.split(';').next().unwrap_or_default();
        let mut chars = code.char_indices().enumerate().peekable();
        while let Some((column, (start, c))) = chars.next() {
            if c.is_whitespace() {
                continue;
            }
            let mut stop = start + c.len_utf8();
            while let Some((_, (at, c))) = chars.next_if(|(_, (_, next))| is_word(c) && is_word(*next)) {
                stop = at + c.len_utf8();
            }
            tokens.push(Token { text: &code[start..stop], line: number + 1, column: column + 1 });
        }
        end = (number + 1, code.chars().count() + 1);
    }
    tokens.push(Token { text: "", line: end.0, column: end.1 });
    tokens
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
}

// Tokens.
impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.tokens[self.next].text
    }

    /// The next token. The end is never passed.
    fn take(&mut self) -> &'a str {
        let text = self.peek();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        text
    }

    /// An error at the next token.
    fn fail<T>(&self, message: impl Into<String>) -> Result<T> {
        let Token { line, column, .. } = self.tokens[self.next];
        Err(ParseError { line, column, message: message.into() })
    }

    /// An error at the next token, which should have been `what`.
    fn expected<T>(&self, what: impl fmt::Display) -> Result<T> {
        match self.peek() {
            "" => self.fail(format!("expected {what}, found the end")),
            found => self.fail(format!("expected {what}, found `{found}`")),
        }
    }

    /// Takes the next token if it is `text`.
    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        if found {
            self.take();
        }
        found
    }

    fn expect(&mut self, text: &str) -> Result<()> {
        if self.accept(text) { Ok(()) } else { self.expected(format_args!("`{text}`")) }
    }

    /// Takes the next token if `read` makes something of it.
    fn map<T>(&mut self, what: impl fmt::Display, read: impl FnOnce(&'a str) -> Option<T>) -> Result<T> {
        match read(self.peek()) {
            Some(value) => {
                self.take();
                Ok(value)
            }
            None => self.expected(what),
        }
    }

    /// A number after a letter, as in `m0`; no letter for a plain number.
    fn number<T: FromStr>(&mut self, what: &str, letter: Option<char>) -> Result<T> {
        self.map(what, |text| {
            let digits = letter.map_or(Some(text), |c| text.strip_prefix(c))?;
            if digits.bytes().all(|b| b.is_ascii_digit()) { digits.parse().ok() } else { None }
        })
    }

    fn dtype(&mut self) -> Result<DType> {
        self.map("a type", DType::from_ir_name)
    }

    fn operand(&mut self) -> Result<OperandId> {
        self.number("an operand", Some('m')).map(OperandId)
    }

    fn value(&mut self, side: FragmentSide) -> Result<ValueId> {
        let what = match side {
            FragmentSide::Body => "a value of the body (v0, v1, …)",
            FragmentSide::Epilogue => "a value of the epilogue (w0, w1, …)",
            FragmentSide::Region => "a value of the region (r0, r1, …)",
        };
        self.number(what, Some(side.letter())).map(ValueId)
    }
}

// The parts of a kernel.
impl Parser<'_> {
    fn kernel(&mut self) -> Result<Kernel> {
        let mut kernel = self.head()?;
        while self.peek() != "body" {
            self.declaration(&mut kernel)?;
        }
        self.take();
        self.expect(":")?;
        kernel.body = self.fragment(FragmentSide::Body)?;
        if self.accept("fold") {
            self.expect(":")?;
            while !matches!(self.peek(), "epilogue" | "}") {
                kernel.accumulators.push(self.accumulator(kernel.accumulators.len())?);
            }
        }
        if self.accept("epilogue") {
            self.expect(":")?;
            kernel.epilogue = self.fragment(FragmentSide::Epilogue)?;
        }
        self.expect("}")?;
        Ok(kernel)
    }

    /// `kernel reduce(outer 1, inner 1) {`
    fn head(&mut self) -> Result<Kernel> {
        self.expect("kernel")?;
        let template = self.map("a template (map, reduce, scan)", |text| {
            [Template::Map, Template::Reduce, Template::Scan].into_iter().find(|t| t.to_string() == text)
        })?;
        self.expect("(")?;
        self.expect("outer")?;
        let outer = self.number("a number of axes", None)?;
        let mut inner = 0;
        if self.accept(",") {
            self.expect("inner")?;
            inner = self.number("a number of axes", None)?;
        }
        self.expect(")")?;
        self.expect("{")?;
        Ok(Kernel {
            template,
            outer,
            inner,
            operands: Vec::new(),
            scalars: Vec::new(),
            body: Fragment::default(),
            accumulators: Vec::new(),
            epilogue: Fragment::default(),
        })
    }

    /// `m0: read f64 restrict` or `s0: f64`
    fn declaration(&mut self, kernel: &mut Kernel) -> Result<()> {
        let (operand, scalar) = (format!("m{}", kernel.operands.len()), format!("s{}", kernel.scalars.len()));
        if self.accept(&scalar) {
            self.expect(":")?;
            kernel.scalars.push(self.dtype()?);
        } else if self.accept(&operand) {
            self.expect(":")?;
            let access = self.map("`read` or `write`", |text| {
                [Access::Read, Access::Write].into_iter().find(|a| a.to_string() == text)
            })?;
            let dtype = self.dtype()?;
            let restrict = self.accept("restrict");
            let nontemporal = self.accept("nontemporal");
            kernel.operands.push(OperandDecl { dtype, access, restrict, nontemporal });
        } else {
            self.expected(format_args!("`{operand}`, `{scalar}` or `body`"))?;
        }
        Ok(())
    }

    /// `a0 = add v2`
    fn accumulator(&mut self, number: usize) -> Result<Accumulator> {
        self.expect(&format!("a{number}"))?;
        self.expect("=")?;
        let fold = self.map("an op, `argmin` or `argmax`", Fold::from_name)?;
        Ok(Accumulator { fold, value: self.value(FragmentSide::Body)? })
    }

    fn fragment(&mut self, side: FragmentSide) -> Result<Fragment> {
        let mut fragment = Fragment::default();
        while !matches!(self.peek(), "fold" | "epilogue" | "}") {
            let number = ValueId(fragment.insts.len() as u32);
            let (inst, dtype) = match self.peek() {
                "store" | "scatter" => self.effect(side)?,
                _ => self.definition(number, side)?,
            };
            fragment.insts.push(inst);
            fragment.types.push(dtype);
        }
        Ok(fragment)
    }

    /// `store m1, v0: f64` or `scatter m1[v1], v0: f64`
    fn effect(&mut self, side: FragmentSide) -> Result<(Inst, DType)> {
        let is_scatter = self.take() == "scatter";
        let operand = self.operand()?;
        let offset = if is_scatter { Some(self.offset(side)?) } else { None };
        self.expect(",")?;
        let value = self.value(side)?;
        self.expect(":")?;
        let dtype = self.dtype()?;
        let inst = match offset {
            Some(offset) => Inst::Scatter(operand, offset, value),
            None => Inst::Store(operand, value),
        };
        Ok((inst, dtype))
    }

    /// `[v1]`
    fn offset(&mut self, side: FragmentSide) -> Result<ValueId> {
        self.expect("[")?;
        let offset = self.value(side)?;
        self.expect("]")?;
        Ok(offset)
    }

    /// `v2 = loop(v0: f64, v1: i64) { … }`
    fn repeated(&mut self, side: FragmentSide) -> Result<(Inst, DType)> {
        self.expect("loop")?;
        self.expect("(")?;
        let (mut inputs, mut types) = (vec![], vec![]);
        while !self.accept(")") {
            if !inputs.is_empty() {
                self.expect(",")?;
            }
            inputs.push(self.value(side)?);
            self.expect(":")?;
            types.push(self.dtype()?);
        }
        self.expect("{")?;
        let (mut body, mut conditions) = (Fragment::default(), vec![]);
        while self.peek() != "next" {
            let number = ValueId(body.insts.len() as u32);
            let (inst, dtype) = self.definition(number, FragmentSide::Region)?;
            body.insts.push(inst);
            body.types.push(dtype);
            if self.accept("while") {
                if self.peek() != FragmentSide::Region.value(number).to_string() {
                    return self.fail("`while` names the value before it");
                }
                conditions.push(self.value(FragmentSide::Region)?);
            }
        }
        self.expect("next")?;
        let mut next = vec![self.value(FragmentSide::Region)?];
        while self.accept(",") {
            next.push(self.value(FragmentSide::Region)?);
        }
        self.expect("}")?;
        let dtype = types.first().copied().unwrap_or(DType::Bool);
        let region = Arc::new(Region { inputs: types, body, conditions, next });
        Ok((Inst::Loop(Box::new(Loop { region, inputs })), dtype))
    }

    /// `v2: f64 = add v0, v1`
    fn definition(&mut self, number: ValueId, side: FragmentSide) -> Result<(Inst, DType)> {
        self.expect(&side.value(number).to_string())?;
        if self.accept("=") {
            return self.repeated(side);
        }
        self.expect(":")?;
        let dtype = self.dtype()?;
        self.expect("=")?;
        let inst = if self.accept("exit") {
            let repeated = self.value(side)?;
            self.expect(",")?;
            Inst::Exit(repeated, self.number("a number of an input", None)?)
        } else if self.accept("input") {
            Inst::Input(self.number("a number of an input", None)?)
        } else if self.accept("load") {
            Inst::Load(self.operand()?)
        } else if self.accept("param") {
            Inst::Param(ScalarId(self.number("a scalar", Some('s'))?))
        } else if self.accept("const") {
            let dtype = self.other_dtype(dtype);
            Inst::Const(self.literal(dtype)?)
        } else if self.accept("index") {
            Inst::Index(self.number("an axis", None)?)
        } else if self.accept("fma") {
            Inst::Fma(self.three(side)?)
        } else if self.accept("select") {
            Inst::Select(self.three(side)?)
        } else if self.accept("cast") {
            let dtype = self.other_dtype(dtype);
            Inst::Cast(self.value(side)?, dtype)
        } else if self.accept("bits") {
            let dtype = self.other_dtype(dtype);
            Inst::Bits(self.value(side)?, dtype)
        } else if self.accept("real") {
            Inst::Part(self.value(side)?, ComplexPart::Real)
        } else if self.accept("imaginary") {
            Inst::Part(self.value(side)?, ComplexPart::Imaginary)
        } else if self.accept("complex") {
            let re = self.value(side)?;
            self.expect(",")?;
            Inst::Complex([re, self.value(side)?])
        } else if self.accept("gather") {
            Inst::Gather(self.operand()?, self.offset(side)?)
        } else if self.accept("result") {
            Inst::Result(self.number("an accumulator", Some('a'))?)
        } else {
            self.apply(side)?
        };
        Ok((inst, dtype))
    }

    /// The type after a keyword, where one stands there.
    fn other_dtype(&mut self, dtype: DType) -> DType {
        self.dtype().unwrap_or(dtype)
    }

    fn three(&mut self, side: FragmentSide) -> Result<[ValueId; 3]> {
        let first = self.value(side)?;
        self.expect(",")?;
        let second = self.value(side)?;
        self.expect(",")?;
        Ok([first, second, self.value(side)?])
    }

    /// `add v0, v1`. An op of one argument may be given two, for [`verify`](crate::verify()) to reject.
    fn apply(&mut self, side: FragmentSide) -> Result<Inst> {
        if let Some(step) = Primitive::from_name(self.peek()) {
            self.take();
            let first = self.value(side)?;
            if step.arity() == 1 && self.peek() != "," {
                return Ok(Inst::Step(step, [first, first]));
            }
            self.expect(",")?;
            return Ok(Inst::Step(step, [first, self.value(side)?]));
        }
        let op = self.map("an instruction", Op::from_name)?;
        let first = self.value(side)?;
        if op.arity() == 1 && self.peek() != "," {
            return Ok(Inst::Apply(op, [first, first]));
        }
        self.expect(",")?;
        Ok(Inst::Apply(op, [first, self.value(side)?]))
    }
}

// Literals.
impl Parser<'_> {
    fn literal(&mut self, dtype: DType) -> Result<Scalar> {
        let bits = match dtype {
            DType::Bool => self.map("`true` or `false`", |text| match text {
                "true" => Some(1),
                "false" => Some(0),
                other => hex(other, 8).map(u128::from),
            })?,
            DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::I32 | DType::U32 | DType::I64 | DType::U64 => self
                .map(format_args!("an {dtype}"), |text| {
                    let value = Wide::Int(text.parse().ok()?);
                    let scalar = value.to_scalar(dtype);
                    (scalar.wide() == value).then_some(scalar.bits())
                })?,
            DType::F16 | DType::F32 | DType::F64 => u128::from(self.float(dtype)?),
            DType::C64 | DType::C128 => {
                self.expect("(")?;
                let re = self.float(dtype.real())?;
                self.expect(",")?;
                let im = self.float(dtype.real())?;
                self.expect(")")?;
                u128::from(re) | u128::from(im) << (dtype.size() * 4)
            }
        };
        Ok(Scalar::from_bits(dtype, bits))
    }

    /// The bits of a real float: digits, `inf`, `-inf`, `nan`, or the bits themselves.
    fn float(&mut self, dtype: DType) -> Result<u64> {
        self.map(format_args!("a {dtype}"), |text| {
            if text == "nan" {
                return Some(canonical_nan(dtype));
            }
            if text.starts_with("0x") {
                return hex(text, dtype.size() * 8);
            }
            let digits = text.strip_prefix('-').unwrap_or(text);
            let is_infinite = digits == "inf";
            if !is_infinite && !digits.starts_with(|c: char| c.is_ascii_digit()) {
                return None;
            }
            let (bits, value) = match dtype.size() {
                8 => text.parse().map(|x: f64| (x.to_bits(), x)).ok()?,
                4 => text.parse().map(|x: f32| (u64::from(x.to_bits()), f64::from(x))).ok()?,
                _ => text.parse().map(f16::from_f32).map(|x| (u64::from(x.to_bits()), x.to_f64())).ok()?,
            };
            (value.is_infinite() == is_infinite).then_some(bits)
        })
    }
}

/// `0x` and bits, if they fit the width.
fn hex(text: &str, width: usize) -> Option<u64> {
    let bits = u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()?;
    (bits.checked_shr(width as u32).unwrap_or(0) == 0).then_some(bits)
}
