//! The intermediate representation: types, registers, instructions, and the table of ops.
//!
//! One row of [`OPS`] is one op: its name in the text and the types it takes and gives. The parser finds ops by
//! name there, the verifier checks operands against it, and [`crate::lower`] gives each its meaning.

use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};

/// Type of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// A signed integer of 64 bits, or an address.
    I64,
    /// A double.
    F64,
    /// A float.
    F32,
    /// A truth value: 0 or 1.
    I8,
    /// Two doubles.
    F64x2,
    /// Four floats.
    F32x4,
}

impl Type {
    /// The type called `name` in the text.
    pub(crate) fn named(name: &str) -> Option<Type> {
        match name {
            "i64" => Some(Type::I64),
            "f64" => Some(Type::F64),
            "f32" => Some(Type::F32),
            "i8" => Some(Type::I8),
            "f64x2" => Some(Type::F64x2),
            "f32x4" => Some(Type::F32x4),
            _ => None,
        }
    }

    /// The type's name in the text.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Type::I64 => "i64",
            Type::F64 => "f64",
            Type::F32 => "f32",
            Type::I8 => "i8",
            Type::F64x2 => "f64x2",
            Type::F32x4 => "f32x4",
        }
    }

    /// Whether a register of this type holds several numbers.
    pub(crate) fn is_vector(self) -> bool {
        matches!(self, Type::F64x2 | Type::F32x4)
    }
}

/// A register, by its place in [`Function::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Reg(pub(crate) u32);

/// A block, by its place in [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BlockId(pub(crate) u32);

/// What an instruction computes from registers alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    Copy,
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Shl,
    Sar,
    Shr,
    Div,
    Rem,
    AddOverflow,
    SubOverflow,
    MulOverflow,
    Neg,
    Not,
    FAdd,
    FSub,
    FMul,
    FDiv,
    CopySign,
    FMin,
    FMax,
    FNeg,
    FAbs,
    Sqrt,
    Fma,
    Floor,
    Ceil,
    Trunc,
    Nearest,
    Icmp(IntCC),
    Fcmp(FloatCC),
    Finite,
    Select,
    IntToFloat,
    FloatToInt,
    FloatToFloat,
    Bits,
    BoolToInt,
    Splat,
    Pair,
    Low,
    High,
    Swap,
    Lows,
    Highs,
}

/// Types an op takes, and types it gives.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) operands: &'static [Type],
    pub(crate) results: &'static [Type],
}

/// One row of the table of ops.
#[derive(Debug)]
pub(crate) struct OpRow {
    pub(crate) op: Op,
    pub(crate) name: &'static str,
    /// Any of these is right.
    pub(crate) forms: &'static [Form],
}

const fn form(operands: &'static [Type], results: &'static [Type]) -> Form {
    Form { operands, results }
}

const fn row(op: Op, name: &'static str, forms: &'static [Form]) -> OpRow {
    OpRow { op, name, forms }
}

use Type::{F32, F32x4, F64, F64x2, I8, I64};

const ANY: &[Form] = &[
    form(&[I64], &[I64]),
    form(&[F64], &[F64]),
    form(&[F32], &[F32]),
    form(&[I8], &[I8]),
    form(&[F64x2], &[F64x2]),
    form(&[F32x4], &[F32x4]),
];
const INT1: &[Form] = &[form(&[I64], &[I64])];
const INT2: &[Form] = &[form(&[I64, I64], &[I64])];
const INT2_OVERFLOW: &[Form] = &[form(&[I64, I64], &[I64, I8])];
const LOGIC1: &[Form] = &[form(&[I64], &[I64]), form(&[I8], &[I8])];
const LOGIC2: &[Form] = &[form(&[I64, I64], &[I64]), form(&[I8, I8], &[I8])];
const FLOAT1: &[Form] = &[form(&[F64], &[F64]), form(&[F32], &[F32])];
const ARITHMETIC1: &[Form] =
    &[form(&[F64], &[F64]), form(&[F32], &[F32]), form(&[F64x2], &[F64x2]), form(&[F32x4], &[F32x4])];
const ARITHMETIC2: &[Form] = &[
    form(&[F64, F64], &[F64]),
    form(&[F32, F32], &[F32]),
    form(&[F64x2, F64x2], &[F64x2]),
    form(&[F32x4, F32x4], &[F32x4]),
];
const FLOAT2: &[Form] = &[form(&[F64, F64], &[F64]), form(&[F32, F32], &[F32])];
const FUSED: &[Form] = &[form(&[F64, F64, F64], &[F64]), form(&[F64x2, F64x2, F64x2], &[F64x2])];
const EQUALITY: &[Form] = &[form(&[I64, I64], &[I8]), form(&[I8, I8], &[I8])];
const ORDER: &[Form] = &[form(&[I64, I64], &[I8])];
const FLOAT_ORDER: &[Form] = &[form(&[F64, F64], &[I8]), form(&[F32, F32], &[I8])];
const FLOAT_KIND: &[Form] = &[form(&[F64], &[I8]), form(&[F32], &[I8])];
const SELECT: &[Form] = &[
    form(&[I8, I64, I64], &[I64]),
    form(&[I8, F64, F64], &[F64]),
    form(&[I8, F32, F32], &[F32]),
    form(&[I8, I8, I8], &[I8]),
];
const FROM_INT: &[Form] = &[form(&[I64], &[F64]), form(&[I64], &[F32])];
const TO_INT: &[Form] = &[form(&[F64], &[I64]), form(&[F32], &[I64])];
const BETWEEN_FLOATS: &[Form] = &[form(&[F64], &[F32]), form(&[F32], &[F64])];
const SAME_BITS: &[Form] = &[form(&[F64], &[I64]), form(&[I64], &[F64])];
const FROM_BOOL: &[Form] = &[form(&[I8], &[I64])];
const TO_VECTOR: &[Form] = &[form(&[F64], &[F64x2]), form(&[F32], &[F32x4])];
const OF_TWO: &[Form] = &[form(&[F64, F64], &[F64x2])];
const OF_VECTOR: &[Form] = &[form(&[F64x2], &[F64])];
const SAME_VECTOR: &[Form] = &[form(&[F64x2], &[F64x2])];
const TWO_VECTORS: &[Form] = &[form(&[F64x2, F64x2], &[F64x2])];

/// The table of ops.
pub(crate) static OPS: &[OpRow] = &[
    row(Op::Copy, "copy", ANY),
    row(Op::Add, "add", INT2),
    row(Op::Sub, "sub", INT2),
    row(Op::Mul, "mul", INT2),
    row(Op::And, "and", LOGIC2),
    row(Op::Or, "or", LOGIC2),
    row(Op::Xor, "xor", LOGIC2),
    row(Op::Shl, "shl", INT2),
    row(Op::Sar, "sar", INT2),
    row(Op::Shr, "shr", INT2),
    row(Op::Div, "div", INT2),
    row(Op::Rem, "rem", INT2),
    row(Op::AddOverflow, "addo", INT2_OVERFLOW),
    row(Op::SubOverflow, "subo", INT2_OVERFLOW),
    row(Op::MulOverflow, "mulo", INT2_OVERFLOW),
    row(Op::Neg, "neg", INT1),
    row(Op::Not, "not", LOGIC1),
    row(Op::FAdd, "fadd", ARITHMETIC2),
    row(Op::FSub, "fsub", ARITHMETIC2),
    row(Op::FMul, "fmul", ARITHMETIC2),
    row(Op::FDiv, "fdiv", ARITHMETIC2),
    row(Op::CopySign, "copysign", FLOAT2),
    row(Op::FMin, "fmin", FLOAT2),
    row(Op::FMax, "fmax", FLOAT2),
    row(Op::FNeg, "fneg", ARITHMETIC1),
    row(Op::FAbs, "fabs", ARITHMETIC1),
    row(Op::Sqrt, "sqrt", ARITHMETIC1),
    row(Op::Fma, "fma", FUSED),
    row(Op::Floor, "floor", FLOAT1),
    row(Op::Ceil, "ceil", FLOAT1),
    row(Op::Trunc, "trunc", FLOAT1),
    row(Op::Nearest, "nearest", FLOAT1),
    row(Op::Icmp(IntCC::Equal), "icmp.eq", EQUALITY),
    row(Op::Icmp(IntCC::NotEqual), "icmp.ne", EQUALITY),
    row(Op::Icmp(IntCC::SignedLessThan), "icmp.lt", ORDER),
    row(Op::Icmp(IntCC::SignedLessThanOrEqual), "icmp.le", ORDER),
    row(Op::Icmp(IntCC::SignedGreaterThan), "icmp.gt", ORDER),
    row(Op::Icmp(IntCC::SignedGreaterThanOrEqual), "icmp.ge", ORDER),
    row(Op::Icmp(IntCC::UnsignedLessThan), "icmp.ult", ORDER),
    row(Op::Icmp(IntCC::UnsignedLessThanOrEqual), "icmp.ule", ORDER),
    row(Op::Fcmp(FloatCC::Equal), "fcmp.eq", FLOAT_ORDER),
    row(Op::Fcmp(FloatCC::NotEqual), "fcmp.ne", FLOAT_ORDER),
    row(Op::Fcmp(FloatCC::LessThan), "fcmp.lt", FLOAT_ORDER),
    row(Op::Fcmp(FloatCC::LessThanOrEqual), "fcmp.le", FLOAT_ORDER),
    row(Op::Fcmp(FloatCC::GreaterThan), "fcmp.gt", FLOAT_ORDER),
    row(Op::Fcmp(FloatCC::GreaterThanOrEqual), "fcmp.ge", FLOAT_ORDER),
    row(Op::Fcmp(FloatCC::Unordered), "fcmp.uno", FLOAT_ORDER),
    row(Op::Finite, "finite", FLOAT_KIND),
    row(Op::Select, "select", SELECT),
    row(Op::IntToFloat, "i2f", FROM_INT),
    row(Op::FloatToInt, "f2i", TO_INT),
    row(Op::FloatToFloat, "f2f", BETWEEN_FLOATS),
    row(Op::Bits, "bits", SAME_BITS),
    row(Op::BoolToInt, "b2i", FROM_BOOL),
    row(Op::Splat, "splat", TO_VECTOR),
    row(Op::Pair, "pair", OF_TWO),
    row(Op::Low, "low", OF_VECTOR),
    row(Op::High, "high", OF_VECTOR),
    row(Op::Swap, "swap", SAME_VECTOR),
    row(Op::Lows, "lows", TWO_VECTORS),
    row(Op::Highs, "highs", TWO_VECTORS),
];

/// The row of an op.
pub(crate) fn row_of(op: Op) -> &'static OpRow {
    OPS.iter().find(|row| row.op == op).expect("the table has every op")
}

/// What a load or store moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    F32,
    F64,
    /// A byte that is a truth value: any but 0 reads as 1.
    Bool,
    F64x2,
    F32x4,
    /// Two floats, which are doubles in the register.
    F32x2,
}

impl Access {
    /// The access called `name` in the text.
    pub(crate) fn named(name: &str) -> Option<Access> {
        Some(match name {
            "i8" => Access::I8,
            "u8" => Access::U8,
            "i16" => Access::I16,
            "u16" => Access::U16,
            "i32" => Access::I32,
            "u32" => Access::U32,
            "i64" => Access::I64,
            "f32" => Access::F32,
            "f64" => Access::F64,
            "b" => Access::Bool,
            "f64x2" => Access::F64x2,
            "f32x4" => Access::F32x4,
            "f32x2" => Access::F32x2,
            _ => return None,
        })
    }

    /// The type of a register that holds it.
    pub(crate) fn register(self) -> Type {
        match self {
            Access::F32 => Type::F32,
            Access::F64 => Type::F64,
            Access::Bool => Type::I8,
            Access::F64x2 | Access::F32x2 => Type::F64x2,
            Access::F32x4 => Type::F32x4,
            Access::I8 | Access::U8 | Access::I16 | Access::U16 | Access::I32 | Access::U32 | Access::I64 => Type::I64,
        }
    }
}

/// Up to four registers, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Regs {
    registers: [Reg; 4],
    count: u8,
}

impl Regs {
    /// None.
    pub(crate) fn new() -> Regs {
        Regs { registers: [Reg(0); 4], count: 0 }
    }

    /// These, of which there may be one or two.
    pub(crate) fn of<const N: usize>(registers: [Reg; N]) -> Regs {
        const { assert!(N == 1 || N == 2) };
        let mut found = Regs::new();
        found.registers[..N].copy_from_slice(&registers);
        found.count = N as u8;
        found
    }

    /// One more at the end; false where there is no room.
    #[must_use]
    pub(crate) fn push(&mut self, register: Reg) -> bool {
        let room = usize::from(self.count) < self.registers.len();
        if room {
            self.registers[usize::from(self.count)] = register;
            self.count += 1;
        }
        room
    }

    /// The registers.
    pub(crate) fn as_slice(&self) -> &[Reg] {
        &self.registers[..usize::from(self.count)]
    }
}

/// An instruction inside of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Instruction {
    IntConst {
        to: Reg,
        value: i64,
    },
    FloatConst {
        to: Reg,
        bits: u64,
        of: Type,
    },
    /// `again`: a word that was read before, into another register; the value of the first one may lie anywhere.
    Get {
        to: Reg,
        word: u32,
        again: bool,
    },
    Put {
        word: u32,
        from: Reg,
    },
    Op {
        row: &'static OpRow,
        to: Regs,
        operands: Regs,
    },
    Load {
        to: Reg,
        access: Access,
        address: Reg,
        offset: i32,
    },
    Store {
        access: Access,
        address: Reg,
        offset: i32,
        from: Reg,
    },
    Call {
        to: Regs,
        function: &'static crate::functions::Function,
        operands: Regs,
    },
}

impl Instruction {
    /// The registers that it writes.
    pub(crate) fn results(&self) -> Regs {
        match *self {
            Instruction::IntConst { to, .. }
            | Instruction::FloatConst { to, .. }
            | Instruction::Get { to, .. }
            | Instruction::Load { to, .. } => Regs::of([to]),
            Instruction::Op { to, .. } | Instruction::Call { to, .. } => to,
            Instruction::Put { .. } | Instruction::Store { .. } => Regs::new(),
        }
    }

    /// The registers that it reads.
    pub(crate) fn operands(&self) -> Regs {
        match *self {
            Instruction::Op { operands, .. } | Instruction::Call { operands, .. } => operands,
            Instruction::Load { address, .. } => Regs::of([address]),
            Instruction::Store { address, from, .. } => Regs::of([address, from]),
            Instruction::Put { from, .. } => Regs::of([from]),
            Instruction::IntConst { .. } | Instruction::FloatConst { .. } | Instruction::Get { .. } => Regs::new(),
        }
    }
}

impl Instruction {
    /// Has it read other registers, where there are some in their place.
    pub(crate) fn read_instead(&mut self, other: impl Fn(Reg) -> Option<Reg>) {
        let change = |register: &mut Reg| *register = other(*register).unwrap_or(*register);
        match self {
            Instruction::Op { operands, .. } | Instruction::Call { operands, .. } => {
                operands.registers[..usize::from(operands.count)].iter_mut().for_each(change);
            }
            Instruction::Load { address, .. } => change(address),
            Instruction::Store { address, from, .. } => [address, from].into_iter().for_each(change),
            Instruction::Put { from, .. } => change(from),
            Instruction::IntConst { .. } | Instruction::FloatConst { .. } | Instruction::Get { .. } => {}
        }
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Terminator {
    Jump(BlockId),
    Branch { condition: Reg, then: BlockId, otherwise: BlockId, cold: bool },
    Return(u32),
}

impl Terminator {
    /// The blocks that may follow.
    pub(crate) fn successors(&self) -> impl Iterator<Item = BlockId> + use<> {
        let (first, second) = match *self {
            Terminator::Jump(block) => (Some(block), None),
            Terminator::Branch { then, otherwise, .. } => (Some(then), Some(otherwise)),
            Terminator::Return(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The same with other blocks in the place of those that may follow.
    pub(crate) fn leading(self, other: impl Fn(BlockId) -> BlockId) -> Terminator {
        match self {
            Terminator::Jump(to) => Terminator::Jump(other(to)),
            Terminator::Branch { condition, then, otherwise, cold } => {
                Terminator::Branch { condition, then: other(then), otherwise: other(otherwise), cold }
            }
            Terminator::Return(code) => Terminator::Return(code),
        }
    }
}

/// A declared register.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Register<'a> {
    pub(crate) name: &'a str,
    pub(crate) of: Type,
}

/// A block: its instructions, each with its line in the text, and its end.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) name: &'a str,
    /// Line of its head, or of the first mention where it has none.
    pub(crate) line: u32,
    pub(crate) defined: bool,
    pub(crate) instructions: Vec<(Instruction, u32)>,
    pub(crate) terminator: Option<(Terminator, u32)>,
}

/// A function as parsed; names borrow from the text.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub(crate) name: &'a str,
    pub(crate) frame_words: u32,
    pub(crate) registers: Vec<Register<'a>>,
    pub(crate) blocks: Vec<Block<'a>>,
    /// The first block of the text.
    pub(crate) entry: BlockId,
}

impl Function<'_> {
    /// The blocks that lead to each block, each once.
    pub(crate) fn predecessors(&self) -> Vec<Vec<usize>> {
        let mut found = vec![Vec::new(); self.blocks.len()];
        for (index, block) in self.blocks.iter().enumerate() {
            for to in block.terminator.iter().flat_map(|(terminator, _)| terminator.successors()) {
                let to: &mut Vec<usize> = &mut found[to.0 as usize];
                if !to.contains(&index) {
                    to.push(index);
                }
            }
        }
        found
    }

    /// The functions that its calls name, once for each call.
    pub(crate) fn calls(&self) -> impl Iterator<Item = &'static crate::functions::Function> {
        let instructions = self.blocks.iter().flat_map(|block| &block.instructions);
        instructions.filter_map(|(instruction, _)| match instruction {
            Instruction::Call { function, .. } => Some(*function),
            _ => None,
        })
    }
}
