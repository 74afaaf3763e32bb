//! A PTX module in memory: variables, device functions and kernels, whose bodies are basic blocks of instructions.
//!
//! It has what NVIDIA's compiler makes of our texts and no more. Registers are numbered by class, blocks by position; parameters
//! are positions too, so only variables and functions have names. `parse` and `print` give every module its one text.

use crate::cuda::ptx::opcode::PtxOpcode;
use hashbrown::HashSet;
use std::sync::Arc;

/// Threads of a block, of every kernel of ours.
pub const BLOCK_THREADS: u32 = 256;

/// What one text has.
#[derive(Clone, PartialEq, Debug)]
pub struct PtxModule {
    /// The version of PTX, as 8 and 7.
    pub version: (u32, u32),
    /// The target, as `sm_90`.
    pub target: String,
    /// Arrays in global and constant memory.
    pub variables: Vec<Variable>,
    /// Functions that kernels call.
    pub functions: Vec<Function>,
    /// The kernels.
    pub kernels: Vec<PtxKernel>,
}

impl PtxModule {
    /// A module of one of its kernels, with the variables and functions that this uses; none where there is no such kernel.
    pub fn part(&self, name: &str) -> Option<PtxModule> {
        let kernel = self.kernels.iter().find(|kernel| kernel.name == name)?.clone();
        let mut used = HashSet::new();
        kernel.body.names(&mut used);
        let mut functions: Vec<Function> = vec![];
        while let Some(next) = self.functions.iter().find(|f| used.contains(&f.name) && !functions.contains(f)) {
            next.body.names(&mut used);
            functions.push(next.clone());
        }
        let variables = self.variables.iter().filter(|variable| used.contains(&variable.name)).cloned().collect();
        Some(PtxModule { variables, functions, kernels: vec![kernel], ..self.clone() })
    }
}

/// A kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct PtxKernel {
    /// Its name, which starts the names of its parameters.
    pub name: String,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The most threads of a block.
    pub threads: u32,
    /// Its code.
    pub body: PtxBody,
}

/// A device function. It returns one value, or nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// What it returns.
    pub result: Option<Param>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its code.
    pub body: PtxBody,
}

/// Code: registers, variables in shared and local memory, and basic blocks, the first of which is entered.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PtxBody {
    /// The number of registers of each class, in the order of [`RegisterClass::ALL`].
    pub registers: [u32; 6],
    /// Arrays of a block of threads, or of a thread.
    pub variables: Vec<Variable>,
    /// The basic blocks.
    pub blocks: Vec<Block>,
}

/// A parameter: a scalar, or bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The element type, as `u64`, or `b8` of bytes.
    pub element: &'static str,
    /// The alignment of bytes.
    pub align: u32,
    /// How many, of bytes.
    pub count: Option<u32>,
}

impl Param {
    /// Its size in bytes.
    pub fn size(&self) -> usize {
        width_of(self.element) as usize * self.count.unwrap_or(1) as usize
    }

    /// Its alignment in bytes.
    pub fn alignment(&self) -> usize {
        (self.align.max(width_of(self.element))) as usize
    }
}

/// A state space in which variables and accesses are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Space {
    /// Memory of the device.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Parameters.
    Param,
    /// Constant memory.
    Const,
    /// An address that says itself which memory it is in.
    Generic,
}

/// A variable.
#[derive(Clone, PartialEq, Debug)]
pub struct Variable {
    /// Where it is.
    pub space: Space,
    /// Its alignment.
    pub align: u32,
    /// The element type.
    pub element: &'static str,
    /// Its name.
    pub name: Arc<str>,
    /// How many elements it has; none for a scalar.
    pub count: Option<u32>,
    /// The elements' initial values.
    pub values: Vec<u64>,
}

impl Variable {
    /// Its size in bytes.
    pub fn size(&self) -> usize {
        width_of(self.element) as usize * self.count.unwrap_or(1) as usize
    }
}

/// A class of registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum RegisterClass {
    /// Predicates.
    Pred,
    /// Words of 16 bits.
    B16,
    /// Words of 32 bits.
    B32,
    /// Words of 64 bits.
    B64,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

impl RegisterClass {
    /// All of them.
    pub const ALL: [RegisterClass; 6] = [
        RegisterClass::Pred,
        RegisterClass::B16,
        RegisterClass::B32,
        RegisterClass::B64,
        RegisterClass::F32,
        RegisterClass::F64,
    ];

    /// The class for values of a type; none for bytes.
    pub fn of(element: &str) -> Option<RegisterClass> {
        match (element, width_of(element)) {
            ("pred", _) => Some(RegisterClass::Pred),
            ("f32", _) => Some(RegisterClass::F32),
            ("f64", _) => Some(RegisterClass::F64),
            (_, 2) => Some(RegisterClass::B16),
            (_, 4) => Some(RegisterClass::B32),
            (_, 8) => Some(RegisterClass::B64),
            _ => None,
        }
    }

    /// What the names of its registers begin with, and its type.
    pub fn spelling(self) -> (&'static str, &'static str) {
        match self {
            RegisterClass::Pred => ("%p", "pred"),
            RegisterClass::B16 => ("%rs", "b16"),
            RegisterClass::B32 => ("%r", "b32"),
            RegisterClass::B64 => ("%rd", "b64"),
            RegisterClass::F32 => ("%f", "f32"),
            RegisterClass::F64 => ("%fd", "f64"),
        }
    }
}

/// A register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Register {
    /// Its class.
    pub class: RegisterClass,
    /// Its number in the class.
    pub number: u32,
}

/// A predicate that an instruction is executed under.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Guard {
    /// The predicate.
    pub register: Register,
    /// Whether it has to be false.
    pub is_negated: bool,
}

/// A basic block: no branch enters or leaves it in its middle.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// Whether the loop that it is the head of must not be unrolled.
    pub no_unroll: bool,
    /// Its instructions, without branches.
    pub insts: Vec<PtxInst>,
    /// What comes after them.
    pub end: End,
}

/// What comes after a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum End {
    /// The end of the kernel or function.
    #[default]
    Return,
    /// A block.
    Jump(usize),
    /// The first block where a predicate holds, else the second.
    Branch(Guard, usize, usize),
}

impl End {
    /// The blocks that may follow.
    pub fn successors(self) -> impl Iterator<Item = usize> {
        let (a, b) = match self {
            End::Return => (None, None),
            End::Jump(next) => (Some(next), None),
            End::Branch(_, taken, next) => (Some(taken), Some(next)),
        };
        a.into_iter().chain(b)
    }

    /// The same with other blocks.
    pub fn map(self, to: impl Fn(usize) -> usize) -> End {
        match self {
            End::Return => End::Return,
            End::Jump(next) => End::Jump(to(next)),
            End::Branch(guard, taken, next) => End::Branch(guard, to(taken), to(next)),
        }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct PtxInst {
    /// The predicate it is executed under.
    pub guard: Option<Guard>,
    /// What it does.
    pub opcode: PtxOpcode,
    /// Its operands, results first.
    pub operands: Vec<Operand>,
    /// Of a call, how its operands are passed.
    pub call: Option<Arc<Call>>,
}

/// How the operands of a call are passed. A call is one instruction, printed as the sequence that stores its arguments, calls, and
/// loads parts of its result.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// The function.
    pub function: Arc<str>,
    /// What it returns, and the offsets and types at which the results are loaded.
    pub result: Option<(Param, Vec<(u32, &'static str)>)>,
    /// The arguments.
    pub params: Vec<Param>,
}

/// An operand.
#[derive(Clone, PartialEq, Debug)]
pub enum Operand {
    /// A register, or where `true` the opposite of a predicate.
    Register(Register, bool),
    /// An integer.
    Integer(i128),
    /// A number in single precision, by its bits.
    Single(u32),
    /// A number in double precision, by its bits.
    Double(u64),
    /// A special register, as `%tid.x`.
    Special(Special),
    /// The address of a variable.
    Variable(Arc<str>),
    /// The address of a parameter.
    Param(usize),
    /// Memory at a distance from an address.
    Address(AddressBase, i64),
    /// Registers that are moved together.
    Vector(Vec<Operand>),
    /// A result with a predicate.
    Pair(Register, Register),
    /// A result that no instruction reads.
    Discard,
}

/// What an address is counted from.
#[derive(Clone, PartialEq, Debug)]
pub enum AddressBase {
    /// A register.
    Register(Register),
    /// A parameter.
    Param(usize),
    /// What a function returns.
    Result,
    /// A variable.
    Variable(Arc<str>),
}

/// A special register: where a thread is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// The thread in its block, along x.
    TidX,
    /// The thread in its block, along y.
    TidY,
    /// Threads of a block along x.
    NtidX,
    /// Threads of a block along y.
    NtidY,
    /// The block, along x.
    CtaidX,
    /// The block, along y.
    CtaidY,
    /// Blocks along x.
    NctaidX,
    /// Blocks along y.
    NctaidY,
}

impl Special {
    /// All of them, with their spelling.
    pub const ALL: [(Special, &'static str); 8] = [
        (Special::TidX, "%tid.x"),
        (Special::TidY, "%tid.y"),
        (Special::NtidX, "%ntid.x"),
        (Special::NtidY, "%ntid.y"),
        (Special::CtaidX, "%ctaid.x"),
        (Special::CtaidY, "%ctaid.y"),
        (Special::NctaidX, "%nctaid.x"),
        (Special::NctaidY, "%nctaid.y"),
    ];
}

/// The element types.
pub const TYPES: [&str; 16] =
    ["pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f16", "f32", "f64"];

/// The bytes of an element type.
pub fn width_of(element: &str) -> u32 {
    match element {
        "b16" | "u16" | "s16" | "f16" => 2,
        "b32" | "u32" | "s32" | "f32" => 4,
        "b64" | "u64" | "s64" | "f64" => 8,
        _ => 1,
    }
}

impl PtxBody {
    /// Adds the names of variables and functions that it uses.
    fn names(&self, used: &mut HashSet<Arc<str>>) {
        for inst in self.blocks.iter().flat_map(|block| &block.insts) {
            used.extend(inst.call.as_ref().map(|call| call.function.clone()));
            for operand in &inst.operands {
                if let Operand::Variable(name) | Operand::Address(AddressBase::Variable(name), _) = operand {
                    used.insert(name.clone());
                }
            }
        }
    }

    /// A new register.
    pub fn register(&mut self, class: RegisterClass) -> Register {
        let number = self.registers[class as usize];
        self.registers[class as usize] += 1;
        Register { class, number }
    }
}

impl PtxInst {
    /// An instruction without a guard.
    pub fn new(opcode: PtxOpcode, operands: Vec<Operand>) -> PtxInst {
        PtxInst { guard: None, opcode, operands, call: None }
    }

    /// How many operands are results.
    pub fn result_count(&self) -> usize {
        match &self.call {
            Some(call) => call.result.as_ref().map_or(0, |(_, parts)| parts.len()),
            None => self.opcode.mnemonic.results,
        }
    }

    /// Calls a function with each register that it reads, its guard included. A guarded instruction keeps what it does not write, so it
    /// reads its results too.
    pub fn for_each_read(&self, then: &mut dyn FnMut(Register)) {
        let results = self.result_count();
        if let Some(guard) = self.guard {
            then(guard.register);
            self.operands[..results].iter().for_each(|operand| operand.for_each_register(then));
        }
        self.operands[results..].iter().for_each(|operand| operand.for_each_register(then));
    }

    /// Calls a function with each register that it writes.
    pub fn for_each_write(&self, then: &mut dyn FnMut(Register)) {
        self.operands[..self.result_count()].iter().for_each(|operand| operand.for_each_register(then));
    }

    /// Calls a function with each operand, those in vectors included, for it to change them.
    pub fn for_each_operand_mut(&mut self, then: &mut dyn FnMut(&mut Operand)) {
        for operand in &mut self.operands {
            if let Operand::Vector(parts) = operand {
                parts.iter_mut().for_each(&mut *then);
            } else {
                then(operand);
            }
        }
    }
}

impl Operand {
    /// A register.
    pub fn of(register: Register) -> Operand {
        Operand::Register(register, false)
    }

    fn for_each_register(&self, then: &mut dyn FnMut(Register)) {
        match self {
            Operand::Register(register, _) | Operand::Address(AddressBase::Register(register), _) => then(*register),
            Operand::Vector(parts) => parts.iter().for_each(|part| part.for_each_register(then)),
            Operand::Pair(value, predicate) => {
                then(*value);
                then(*predicate);
            }
            Operand::Integer(_)
            | Operand::Single(_)
            | Operand::Double(_)
            | Operand::Special(_)
            | Operand::Variable(_)
            | Operand::Param(_)
            | Operand::Address(..)
            | Operand::Discard => {}
        }
    }
}
