//! The verifier: the rules of the IR, as code.
//!
//! [`verify`] is the only way to a [`Verified`] kernel, and backends take nothing else, so they may rely on these rules without
//! checking again. It runs in release builds too: it costs about ten nanoseconds an instruction, and only new kernels are verified.
//!
//! It checks that:
//!
//! Kernel
//! - a map has no inner axes, no accumulators and no epilogue; a scan has one inner axis;
//! - operands and scalars number 65,536 at most, accumulators 256, and every fragment's instructions fit `u32`;
//! - every fragment's type table has one entry an instruction.
//!
//! Instructions
//! - the entry in the type table is the type of the instruction's result (for stores, of the stored value);
//! - arguments are earlier instructions of the same fragment, and not stores or scatters;
//! - operands and scalars are declared; loads and gathers name operands that are read, stores and scatters operands that are written;
//! - `index` names an axis of the domain, in a reduction's epilogue an outer one;
//! - `apply` has arguments of one type, in which the op has a loop, and not `float16`; an op of one argument repeats it;
//! - `fma` has three arguments of `float32` or of `float64`;
//! - a primitive step has arguments of one type, which it takes; a step of one argument repeats it;
//! - `select` has a bool and two values of one type;
//! - `bits` converts between types of the same size among `float32`, `int32` and `uint32`, or `float64`, `int64` and `uint64`;
//! - `real` and `imaginary` take a complex value; `complex` takes two `float32` or two `float64`;
//! - gather and scatter offsets are `int64`; a stored value has the operand's type;
//! - `result` stands in the epilogue and names an accumulator;
//! - a loop has one input at least and 256 at most, as many as its region and of the same types: bools, integers, `float32` or `float64`;
//! - `exit` names an earlier loop and one of the inputs that it carries; nothing else reads a loop;
//! - a literal bool is 0 or 1.
//!
//! Regions
//! - an instruction is an `input` that the region has, a literal, or computes from values alone: it touches no memory, parameter,
//!   coordinate or accumulator, and is no loop;
//! - no value is complex or `float16`;
//! - there is a condition, and all of them are bools of the region, in order;
//! - one input at least is carried, and no more than there are;
//! - the next value of a carried input is a value of the region and has its type.
//!
//! Accumulators
//! - the folded value is a value of the body, and not `float16`;
//! - the fold has a row in the fold table, and the row takes the value's type.
//!
//! It cannot check what depends on a launch. The code that builds the kernel guarantees that operands overlap only as [`crate::ir::kernel`]
//! allows, and that gathers and scatters stay inside their memory.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::print::FragmentSide;
use crate::{
    Access, Accumulator, DType, Fragment, Inst, Kernel, Loop, Op, OperandId, Primitive, Region, Scalar, Template,
    ValueId,
};
use std::fmt;

/// A value that the verifier has accepted. Backends take only this.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Verified<T>(T);

impl<T> Verified<T> {
    /// The value itself, to be changed and verified again.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> std::ops::Deref for Verified<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

/// Where in a kernel a rule is broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Location {
    /// The kernel as a whole.
    Kernel,
    /// An instruction of the body.
    Body(u32),
    /// An accumulator.
    Fold(u32),
    /// An instruction of the epilogue.
    Epilogue(u32),
    /// An instruction of a loop's region.
    Region(u32),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Kernel => f.write_str("kernel"),
            Location::Body(number) => write!(f, "{}", FragmentSide::Body.value(ValueId(*number))),
            Location::Fold(number) => write!(f, "a{number}"),
            Location::Epilogue(number) => write!(f, "{}", FragmentSide::Epilogue.value(ValueId(*number))),
            Location::Region(number) => write!(f, "{}", FragmentSide::Region.value(ValueId(*number))),
        }
    }
}

/// A kernel breaks a rule: a bug in the code that built it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifyError {
    /// Where the rule is broken.
    pub location: Location,
    /// The rule, and what was found.
    pub reason: String,
    /// The kernel.
    pub kernel: Box<Kernel>,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n{}", self.location, self.reason, self.kernel)
    }
}

impl std::error::Error for VerifyError {}

/// Checks a kernel against every rule of [`crate::ir::kernel`].
///
/// # Errors
/// The first rule broken, with the instruction.
pub fn verify(kernel: Kernel) -> Result<Verified<Kernel>, VerifyError> {
    match check(&kernel) {
        Ok(()) => Ok(Verified(kernel)),
        Err((location, reason)) => Err(VerifyError { location, reason, kernel: Box::new(kernel) }),
    }
}

/// The first broken rule, in words.
type Check = Result<(), String>;

/// Fails with a message, which is built only on failure.
fn ensure(holds: bool, message: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(message()) }
}

fn check(kernel: &Kernel) -> Result<(), (Location, String)> {
    check_shape(kernel).map_err(|reason| (Location::Kernel, reason))?;
    let body = FragmentView { kernel, fragment: &kernel.body, side: FragmentSide::Body, region: None };
    body.check()?;
    for (number, accumulator) in kernel.accumulators.iter().enumerate() {
        check_accumulator(&body, accumulator).map_err(|reason| (Location::Fold(number as u32), reason))?;
    }
    FragmentView { kernel, fragment: &kernel.epilogue, side: FragmentSide::Epilogue, region: None }.check()
}

/// Checks the rules on the kernel as a whole.
fn check_shape(kernel: &Kernel) -> Check {
    let (template, inner) = (kernel.template, kernel.inner);
    match template {
        Template::Map => {
            ensure(inner == 0, || format!("a map has no inner axes, but this one has {inner}"))?;
            ensure(kernel.accumulators.is_empty(), || "a map has no accumulators".to_owned())?;
            ensure(kernel.epilogue.insts.is_empty(), || "a map has no epilogue".to_owned())?;
        }
        Template::Reduce => {}
        Template::Scan => ensure(inner == 1, || format!("a scan has one inner axis, but this one has {inner}"))?,
    }
    let (operands, scalars, accumulators) = (kernel.operands.len(), kernel.scalars.len(), kernel.accumulators.len());
    ensure(operands <= 1 << 16, || format!("{operands} operands, but there are numbers for 65536"))?;
    ensure(scalars <= 1 << 16, || format!("{scalars} scalars, but there are numbers for 65536"))?;
    ensure(accumulators <= 1 << 8, || format!("{accumulators} accumulators, but there are numbers for 256"))?;
    for (name, fragment) in [("body", &kernel.body), ("epilogue", &kernel.epilogue)] {
        let (insts, types) = (fragment.insts.len(), fragment.types.len());
        ensure(insts == types, || format!("the {name} has {insts} instructions, but {types} types"))?;
        ensure(insts <= u32::MAX as usize, || format!("the {name} has more instructions than numbers"))?;
    }
    Ok(())
}

fn check_accumulator(body: &FragmentView<'_>, accumulator: &Accumulator) -> Check {
    let dtype = body.dtype(accumulator.value, body.fragment.insts.len())?;
    let fold = accumulator.fold;
    let row = fold.row().ok_or_else(|| format!("{fold} does not fold"))?;
    ensure(row.takes(dtype) && dtype != DType::F16, || format!("{fold} does not fold {dtype}"))?;
    Ok(())
}

/// A fragment in its kernel.
struct FragmentView<'a> {
    kernel: &'a Kernel,
    fragment: &'a Fragment,
    side: FragmentSide,
    /// The region that it is the body of.
    region: Option<&'a Region>,
}

impl FragmentView<'_> {
    fn check(&self) -> Result<(), (Location, String)> {
        for (number, inst) in self.fragment.insts.iter().enumerate() {
            let allowed = if self.region.is_some() { self.check_computes(inst, number) } else { Ok(()) };
            let check = allowed.and_then(|()| self.result_type(inst, number)).and_then(|expected| {
                let found = self.fragment.types[number];
                ensure(found == expected, || format!("declared as {found}, but the value is {expected}"))?;
                Ok(())
            });
            check.map_err(|reason| {
                let location = match self.side {
                    FragmentSide::Body => Location::Body(number as u32),
                    FragmentSide::Epilogue => Location::Epilogue(number as u32),
                    FragmentSide::Region => Location::Region(number as u32),
                };
                (location, reason)
            })?;
        }
        Ok(())
    }

    /// Checks an instruction, and gives the entry it must have in the type table.
    fn result_type(&self, inst: &Inst, number: usize) -> Result<DType, String> {
        let dtype = |value: &ValueId| self.dtype(*value, number);
        match inst {
            Inst::Load(m) => self.operand(*m, Access::Read),
            Inst::Param(s) => self.kernel.scalars.get(s.0 as usize).copied().ok_or_else(|| format!("there is no {s}")),
            Inst::Const(literal) => check_literal(*literal),
            Inst::Index(axis) => self.index(*axis),
            Inst::Apply(op, args) => self.apply(*op, *args, number),
            Inst::Fma(args) => self.fma(*args, number),
            Inst::Step(step, args) => self.step(*step, *args, number),
            Inst::Select([condition, then, otherwise]) => {
                let selected = dtype(then)?;
                self.expect(*condition, dtype(condition)?, DType::Bool)?;
                self.expect(*otherwise, dtype(otherwise)?, selected)
            }
            Inst::Cast(value, to) => dtype(value).map(|_| *to),
            Inst::Bits(value, to) => {
                let from = dtype(value)?;
                let alike = has_word(from) && has_word(*to) && from.size() == to.size();
                ensure(alike, || format!("the bits of {from} are not those of {to}"))?;
                Ok(*to)
            }
            Inst::Part(value, _) => {
                let from = dtype(value)?;
                ensure(from.is_complex(), || format!("{from} has no parts"))?;
                Ok(from.real())
            }
            Inst::Complex([re, im]) => {
                let part = dtype(re)?;
                self.expect(*im, dtype(im)?, part)?;
                part.complex().ok_or_else(|| format!("{part} is no part of a complex number"))
            }
            Inst::Gather(m, offset) => {
                self.expect(*offset, dtype(offset)?, DType::I64)?;
                self.operand(*m, Access::Read)
            }
            Inst::Store(m, value) => self.expect(*value, dtype(value)?, self.operand(*m, Access::Write)?),
            Inst::Scatter(m, offset, value) => {
                self.expect(*offset, dtype(offset)?, DType::I64)?;
                self.expect(*value, dtype(value)?, self.operand(*m, Access::Write)?)
            }
            Inst::Result(accumulator) => self.accumulated(*accumulator),
            Inst::Loop(repeated) => self.repeated(repeated, number),
            Inst::Exit(repeated, input) => self.exit(*repeated, *input, number),
            Inst::Input(input) => self.input(*input),
        }
    }

    /// Checks a loop and its region; what breaks a rule in the region is named by its own number.
    fn repeated(&self, repeated: &Loop, number: usize) -> Result<DType, String> {
        let Loop { region, inputs } = repeated;
        ensure(self.region.is_none(), || "a loop in a region".to_owned())?;
        ensure((1..=256).contains(&inputs.len()), || {
            format!("{} inputs, but there are numbers for 256", inputs.len())
        })?;
        ensure(inputs.len() == region.inputs.len(), || {
            format!("{} inputs, but the region has {}", inputs.len(), region.inputs.len())
        })?;
        for (value, &expected) in inputs.iter().zip(&region.inputs) {
            self.expect(*value, self.dtype(*value, number)?, expected)?;
        }
        self.check_region(region)?;
        Ok(region.inputs[0])
    }

    fn check_region(&self, region: &Region) -> Check {
        let (insts, types) = (region.body.insts.len(), region.body.types.len());
        ensure(insts == types, || format!("the region has {insts} instructions, but {types} types"))?;
        let view = FragmentView { fragment: &region.body, side: FragmentSide::Region, region: Some(region), ..*self };
        view.check().map_err(|(location, reason)| format!("{location}: {reason}"))?;
        let carried = region.next.len();
        let counts = || format!("{carried} inputs of {} are carried", region.inputs.len());
        ensure((1..=region.inputs.len()).contains(&carried), counts)?;
        ensure(!region.conditions.is_empty(), || "there is no condition".to_owned())?;
        ensure(region.conditions.is_sorted_by(|a, b| a < b), || "the conditions are not in order".to_owned())?;
        for &condition in &region.conditions {
            view.expect(condition, view.dtype(condition, insts)?, DType::Bool)?;
        }
        for (value, &expected) in region.next.iter().zip(&region.inputs) {
            view.expect(*value, view.dtype(*value, insts)?, expected)?;
        }
        Ok(())
    }

    fn exit(&self, repeated: ValueId, input: u8, number: usize) -> Result<DType, String> {
        let at = repeated.0 as usize;
        ensure(at < number, || format!("{} does not stand before", self.side.value(repeated)))?;
        let Inst::Loop(repeated) = &self.fragment.insts[at] else {
            return Err(format!("{} is no loop", self.side.value(repeated)));
        };
        let carried = repeated.region.carried();
        ensure(usize::from(input) < carried, || format!("there is no input {input} among {carried} carried ones"))?;
        Ok(repeated.region.inputs[usize::from(input)])
    }

    fn input(&self, input: u8) -> Result<DType, String> {
        let region = self.region.ok_or("inputs are of regions only")?;
        let count = region.inputs.len();
        region.inputs.get(usize::from(input)).copied().ok_or_else(|| format!("there is no input {input} among {count}"))
    }

    /// Checks that an instruction may stand in a region.
    fn check_computes(&self, inst: &Inst, number: usize) -> Check {
        let from = match inst {
            Inst::Const(_)
            | Inst::Apply(..)
            | Inst::Fma(_)
            | Inst::Step(..)
            | Inst::Select(_)
            | Inst::Cast(..)
            | Inst::Bits(..)
            | Inst::Input(_) => self.fragment.types[number],
            Inst::Load(_)
            | Inst::Param(_)
            | Inst::Index(_)
            | Inst::Part(..)
            | Inst::Complex(_)
            | Inst::Gather(..)
            | Inst::Store(..)
            | Inst::Scatter(..)
            | Inst::Result(_)
            | Inst::Loop(_)
            | Inst::Exit(..) => return Err("a region only computes".to_owned()),
        };
        ensure(!from.is_complex() && from != DType::F16, || format!("there is no {from} in regions"))
    }

    /// The type of a value that instruction `number` reads: an earlier one, and no store.
    fn dtype(&self, value: ValueId, number: usize) -> Result<DType, String> {
        let at = value.0 as usize;
        ensure(at < number, || format!("{} does not stand before", self.side.value(value)))?;
        let is_value = !self.fragment.insts[at].is_effect();
        ensure(is_value, || format!("{} is a store and has no value", self.side.value(value)))?;
        let is_loop = matches!(self.fragment.insts[at], Inst::Loop(_));
        ensure(!is_loop, || format!("{} is a loop, whose values its exits are", self.side.value(value)))?;
        Ok(self.fragment.types[at])
    }

    fn expect(&self, value: ValueId, found: DType, expected: DType) -> Result<DType, String> {
        ensure(found == expected, || format!("{} is {found}, not {expected}", self.side.value(value)))?;
        Ok(expected)
    }

    /// The type of an operand, if it may be accessed this way.
    fn operand(&self, operand: OperandId, access: Access) -> Result<DType, String> {
        let decl = self.kernel.operands.get(operand.0 as usize).ok_or_else(|| format!("there is no {operand}"))?;
        match (access, decl.access) {
            (Access::Read, Access::Read) | (Access::Write, Access::Write) => Ok(decl.dtype),
            (Access::Read, Access::Write) => Err(format!("{operand} is only written")),
            (Access::Write, Access::Read) => Err(format!("{operand} is only read")),
        }
    }

    /// Inner axes have no coordinate in a reduction's epilogue, where they are folded.
    fn index(&self, axis: u8) -> Result<DType, String> {
        let Kernel { template, outer, inner, .. } = *self.kernel;
        let inner = match (template, self.side) {
            (Template::Reduce, FragmentSide::Epilogue) => 0,
            (Template::Map | Template::Scan, FragmentSide::Epilogue) => inner,
            (Template::Map | Template::Reduce | Template::Scan, FragmentSide::Body | FragmentSide::Region) => inner,
        };
        let rank = usize::from(outer) + usize::from(inner);
        ensure(usize::from(axis) < rank, || format!("there is no axis {axis} among {rank}"))?;
        Ok(DType::I64)
    }

    fn apply(&self, op: Op, [first, second]: [ValueId; 2], number: usize) -> Result<DType, String> {
        let dtype = self.dtype(first, number)?;
        if op.arity() == 1 {
            ensure(first == second, || format!("{op} takes one argument, which repeats"))?;
        } else {
            self.expect(second, self.dtype(second, number)?, dtype)?;
        }
        ensure(dtype != DType::F16, || format!("there is no arithmetic in {dtype}"))?;
        ensure(op.has_loop(dtype), || format!("{op} has no loop in {dtype}"))?;
        Ok(op.result(dtype))
    }

    fn step(&self, step: Primitive, [first, second]: [ValueId; 2], number: usize) -> Result<DType, String> {
        let dtype = self.dtype(first, number)?;
        if step.arity() == 1 {
            ensure(first == second, || format!("{step} takes one argument, which repeats"))?;
        } else {
            self.expect(second, self.dtype(second, number)?, dtype)?;
        }
        step.result(dtype).ok_or_else(|| format!("there is no {step} in {dtype}"))
    }

    fn fma(&self, [a, b, c]: [ValueId; 3], number: usize) -> Result<DType, String> {
        let dtype = self.dtype(a, number)?;
        self.expect(b, self.dtype(b, number)?, dtype)?;
        self.expect(c, self.dtype(c, number)?, dtype)?;
        ensure(matches!(dtype, DType::F32 | DType::F64), || format!("there is no fma in {dtype}"))?;
        Ok(dtype)
    }

    fn accumulated(&self, accumulator: u8) -> Result<DType, String> {
        let count = self.kernel.accumulators.len();
        ensure(self.side == FragmentSide::Epilogue, || "results are ready in the epilogue only".to_owned())?;
        ensure(usize::from(accumulator) < count, || format!("there is no a{accumulator}"))?;
        Ok(self.kernel.result_dtype(usize::from(accumulator)))
    }
}

/// Whether the type is a word of a size that both floats and integers have.
fn has_word(dtype: DType) -> bool {
    use DType::{F32, F64, I32, I64, U32, U64};
    matches!(dtype, F32 | F64 | I32 | I64 | U32 | U64)
}

/// A bool is false or true, in memory too.
fn check_literal(literal: Scalar) -> Result<DType, String> {
    let (dtype, bits) = (literal.dtype(), literal.bits());
    ensure(dtype != DType::Bool || bits <= 1, || format!("a bool is 0 or 1, not {bits:#x}"))?;
    Ok(dtype)
}
