//! The printer: kernels as text, for people and for golden files.
//!
//! ```text
//! kernel reduce(outer 1, inner 1) {
//!     m0: read f64 restrict              ; memory operands
//!     m1: write f64 restrict
//!     s0: f64                            ; scalar parameters
//! body:
//!     v0: f64 = load m0                  ; number and type of the value, then what gives it
//!     v1: f64 = param s0
//!     v2: f64 = subtract v0, v1
//! fold:
//!     a0 = add v2                        ; accumulators
//! epilogue:
//!     w0: f64 = result a0                ; the epilogue numbers its own values
//!     store m1, w0: f64
//! }
//! ```
//!
//! A loop contains its region, which numbers its own values:
//!
//! ```text
//!     v5 = loop(v2: f64, v3: i64, v0: f64) {   ; first values and types of the inputs
//!         r0: f64 = input 0
//!         r1: f64 = input 2
//!         r2: bool = less r0, r1
//!         while r2                             ; stands after a condition
//!         r3: f64 = multiply r0, r0
//!         r4: i64 = input 1
//!         next r3, r4                          ; of the carried inputs, the first ones
//!     }
//!     v6: i64 = exit v5, 1
//! ```
//!
//! A store has a number like any instruction, though it is not written. The text holds all of a kernel, valid or not
//! (except a type table of the wrong length, the entry of a loop, and conditions that are no values or not in order), and [`parse`](mod@crate::ir::parse) reads it back to an equal one: floats have the fewest digits
//! that give the same bits, and nans other than the canonical one are written as bits (`0x7ff8000000000001`). The type of a
//! literal, cast or `bits` is that of its value; in an invalid kernel where they differ, it stands after the keyword. It prints
//! unverified kernels too, since the verifier's errors contain them, and so never panics.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::{
    Access, ComplexPart, DType, Fold, Fragment, Inst, Kernel, Loop, OperandDecl, OperandId, Region, Scalar, ScalarId,
    Template, ValueId,
};
use half::f16;
use std::fmt;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {}(outer {}", self.template, self.outer)?;
        if self.inner != 0 {
            write!(f, ", inner {}", self.inner)?;
        }
        writeln!(f, ") {{")?;
        for (number, operand) in self.operands.iter().enumerate() {
            writeln!(f, "    m{number}: {operand}")?;
        }
        for (number, dtype) in self.scalars.iter().enumerate() {
            writeln!(f, "    s{number}: {}", dtype.ir_name())?;
        }
        writeln!(f, "body:")?;
        write_fragment(f, &self.body, FragmentSide::Body, 4, &[])?;
        if !self.accumulators.is_empty() {
            writeln!(f, "fold:")?;
        }
        for (number, a) in self.accumulators.iter().enumerate() {
            writeln!(f, "    a{number} = {} {}", a.fold, FragmentSide::Body.value(a.value))?;
        }
        if !self.epilogue.is_empty() {
            writeln!(f, "epilogue:")?;
            write_fragment(f, &self.epilogue, FragmentSide::Epilogue, 4, &[])?;
        }
        writeln!(f, "}}")
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Template::Map => "map",
            Template::Reduce => "reduce",
            Template::Scan => "scan",
        })
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
        })
    }
}

impl fmt::Display for Fold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for OperandDecl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let restrict = if self.restrict { " restrict" } else { "" };
        let nontemporal = if self.nontemporal { " nontemporal" } else { "" };
        write!(f, "{} {}{restrict}{nontemporal}", self.access, self.dtype.ir_name())
    }
}

impl fmt::Display for OperandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}

impl fmt::Display for ScalarId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s{}", self.0)
    }
}

/// Which fragment of a kernel a value belongs to; decides the letter of its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FragmentSide {
    /// Values `v0`, `v1`, …
    Body,
    /// Values `w0`, `w1`, …
    Epilogue,
    /// Values `r0`, `r1`, … of a loop's region.
    Region,
}

impl FragmentSide {
    /// The letter before the numbers of values.
    pub(crate) fn letter(self) -> char {
        match self {
            FragmentSide::Body => 'v',
            FragmentSide::Epilogue => 'w',
            FragmentSide::Region => 'r',
        }
    }

    /// The name of a value.
    pub(crate) fn value(self, value: ValueId) -> impl fmt::Display {
        ValueName(self, value)
    }
}

struct ValueName(FragmentSide, ValueId);

impl fmt::Display for ValueName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.0.letter(), self.1.0)
    }
}

/// The lines of a fragment; `conditions` are those of the region that it is the body of.
fn write_fragment(
    f: &mut fmt::Formatter<'_>,
    fragment: &Fragment,
    side: FragmentSide,
    indent: usize,
    conditions: &[ValueId],
) -> fmt::Result {
    for (number, inst) in fragment.insts.iter().enumerate() {
        let value = ValueId(number as u32);
        write!(f, "{:indent$}", "")?;
        write_inst(f, inst, value, fragment.types.get(number).copied(), side)?;
        f.write_str("\n")?;
        if let Inst::Loop(repeated) = inst {
            write_region(f, &repeated.region, indent + 4)?;
            writeln!(f, "{:indent$}}}", "")?;
        }
        if conditions.contains(&value) {
            writeln!(f, "{:indent$}while {}", "", side.value(value))?;
        }
    }
    Ok(())
}

/// The lines of a region.
fn write_region(f: &mut fmt::Formatter<'_>, region: &Region, indent: usize) -> fmt::Result {
    write_fragment(f, &region.body, FragmentSide::Region, indent, &region.conditions)?;
    let next: Vec<String> = region.next.iter().map(|v| FragmentSide::Region.value(*v).to_string()).collect();
    writeln!(f, "{:indent$}next {}", "", next.join(", "))
}

/// `loop(v2: f64, v0: f64) {`
fn write_loop(f: &mut fmt::Formatter<'_>, repeated: &Loop, side: FragmentSide) -> fmt::Result {
    f.write_str("loop(")?;
    for (number, value) in repeated.inputs.iter().enumerate() {
        let between = if number == 0 { "" } else { ", " };
        let dtype = repeated.region.inputs.get(number).map_or("?", |dtype| dtype.ir_name());
        write!(f, "{between}{}: {dtype}", side.value(*value))?;
    }
    f.write_str(") {")
}

/// An instruction of a body, as the printer writes it.
pub(crate) struct InstText<'a>(pub(crate) &'a Fragment, pub(crate) usize);

impl fmt::Display for InstText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InstText(fragment, at) = *self;
        write_inst(f, &fragment.insts[at], ValueId(at as u32), fragment.types.get(at).copied(), FragmentSide::Body)
    }
}

/// One line without its indentation. `dtype` is the instruction's entry in the type table.
fn write_inst(
    f: &mut fmt::Formatter<'_>,
    inst: &Inst,
    number: ValueId,
    dtype: Option<DType>,
    side: FragmentSide,
) -> fmt::Result {
    let v = |value: &ValueId| side.value(*value);
    let name = dtype.map_or("?", DType::ir_name);
    if matches!(inst, Inst::Loop(_)) {
        write!(f, "{} = ", v(&number))?;
    } else if !inst.is_effect() {
        write!(f, "{}: {name} = ", v(&number))?;
    }
    // The type of a literal, cast or `bits`, where the table disagrees.
    let other = |own: DType| if dtype == Some(own) { String::new() } else { format!("{} ", own.ir_name()) };
    match inst {
        Inst::Load(m) => write!(f, "load {m}"),
        Inst::Param(s) => write!(f, "param {s}"),
        Inst::Const(c) => write!(f, "const {}{}", other(c.dtype()), Literal(*c)),
        Inst::Index(axis) => write!(f, "index {axis}"),
        Inst::Apply(op, [a, b]) if op.arity() == 1 && a == b => write!(f, "{op} {}", v(a)),
        Inst::Apply(op, [a, b]) => write!(f, "{op} {}, {}", v(a), v(b)),
        Inst::Fma([a, b, c]) => write!(f, "fma {}, {}, {}", v(a), v(b), v(c)),
        Inst::Step(step, [a, b]) if step.arity() == 1 && a == b => write!(f, "{step} {}", v(a)),
        Inst::Step(step, [a, b]) => write!(f, "{step} {}, {}", v(a), v(b)),
        Inst::Select([c, a, b]) => write!(f, "select {}, {}, {}", v(c), v(a), v(b)),
        Inst::Cast(a, to) => write!(f, "cast {}{}", other(*to), v(a)),
        Inst::Bits(a, to) => write!(f, "bits {}{}", other(*to), v(a)),
        Inst::Part(a, ComplexPart::Real) => write!(f, "real {}", v(a)),
        Inst::Part(a, ComplexPart::Imaginary) => write!(f, "imaginary {}", v(a)),
        Inst::Complex([re, im]) => write!(f, "complex {}, {}", v(re), v(im)),
        Inst::Gather(m, offset) => write!(f, "gather {m}[{}]", v(offset)),
        Inst::Store(m, a) => write!(f, "store {m}, {}: {name}", v(a)),
        Inst::Scatter(m, offset, a) => write!(f, "scatter {m}[{}], {}: {name}", v(offset), v(a)),
        Inst::Result(a) => write!(f, "result a{a}"),
        Inst::Loop(repeated) => write_loop(f, repeated, side),
        Inst::Exit(repeated, input) => write!(f, "exit {}, {input}", v(repeated)),
        Inst::Input(input) => write!(f, "input {input}"),
    }
}

/// A scalar without its type, so that parsing gives the same bits.
pub(crate) struct Literal(pub(crate) Scalar);

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (dtype, bits) = (self.0.dtype(), self.0.bits());
        match dtype {
            DType::Bool => match bits {
                0 => f.write_str("false"),
                1 => f.write_str("true"),
                _ => write!(f, "{bits:#x}"),
            },
            DType::I8 | DType::U8 | DType::I16 | DType::U16 | DType::I32 | DType::U32 | DType::I64 | DType::U64 => {
                write!(f, "{}", self.0)
            }
            DType::F16 | DType::F32 | DType::F64 => write_float(f, dtype, bits as u64),
            DType::C64 | DType::C128 => {
                let (part, width) = (dtype.real(), dtype.size() * 4);
                f.write_str("(")?;
                write_float(f, part, (bits & (u128::MAX >> (128 - width))) as u64)?;
                f.write_str(", ")?;
                write_float(f, part, (bits >> width) as u64)?;
                f.write_str(")")
            }
        }
    }
}

/// A real float: shortest digits, `inf`, `nan` (quiet, positive, no payload), or the bits of any other nan.
fn write_float(f: &mut fmt::Formatter<'_>, dtype: DType, bits: u64) -> fmt::Result {
    let narrow = if dtype == DType::F16 { f16::from_bits(bits as u16).to_f32() } else { f32::from_bits(bits as u32) };
    let wide = f64::from_bits(bits);
    let is_nan = if dtype == DType::F64 { wide.is_nan() } else { narrow.is_nan() };
    match (is_nan, dtype) {
        (true, _) if bits == canonical_nan(dtype) => f.write_str("nan"),
        (true, _) => write!(f, "{bits:#x}"),
        (false, DType::F64) => write!(f, "{wide:?}"),
        (false, _) => write!(f, "{narrow:?}"),
    }
}

/// The bits of the quiet, positive nan without payload of a real float type.
pub(crate) fn canonical_nan(dtype: DType) -> u64 {
    match dtype.size() {
        2 => 0x7e00,
        4 => 0x7fc0_0000,
        _ => 0x7ff8_0000_0000_0000,
    }
}
