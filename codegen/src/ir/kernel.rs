//! The kernel IR: an iteration domain, memory operands, and straight-line SSA for one point of the domain.
//!
//! A [`Kernel`] has an iteration domain, memory operands, scalar parameters and one or two [`Fragment`]s, straight-line typed SSA
//! that computes one point of the domain. It holds no sizes: extents, strides, addresses and scalar values come with each launch, so
//! one compiled kernel serves every shape.
//!
//! # Semantics
//!
//! The domain is `outer` axes followed by `inner` axes, all of which every operand strides over (with stride zero where
//! it is broadcast).
//!
//! * [`Template::Map`]: no inner axes, no accumulators. The body runs once at each point.
//! * [`Template::Reduce`]: the body runs at each point; each accumulator folds its value over the inner axes; the
//!   epilogue runs once at each outer point, where [`Inst::Result`] reads the accumulators. Folding an empty inner domain gives the
//!   fold's identity. The order of folding is free but depends only on the extents and strides, never on the number of threads.
//! * [`Template::Scan`]: one inner axis. The accumulators run along it, and the epilogue runs at every point, where
//!   [`Inst::Result`] is the inclusive running value.
//!
//! Points may be visited in any order and concurrently. At one point instructions run in order. Two operands may alias; the code
//! that builds the kernel guarantees that a location stored at one point is neither loaded nor stored at another, and that a load
//! that aliases a store at the same point stands before that store. Operands marked `restrict` alias no other operand.
//!
//! Types are exact: nothing converts without a [`Inst::Cast`]. `float16` may be loaded, stored, cast and selected, and
//! nothing else. Arithmetic is IEEE, each instruction rounded once.
//!
//! A point may repeat instructions as often as its data say: that is a loop, [`Inst::Loop`], whose meaning [`crate::ir::region`] tells.

use crate::{DType, FpFlags, Kind, Loop, Op, Primitive, Scalar};

/// A value of a fragment: the result of its instruction of that number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ValueId(pub u32);

/// A memory operand of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OperandId(pub u16);

/// A scalar parameter of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ScalarId(pub u16);

/// An instruction of a fragment.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Inst {
    /// The operand's element at this point.
    Load(OperandId),
    /// A launch parameter.
    Param(ScalarId),
    /// A literal.
    Const(Scalar),
    /// This point's coordinate along a domain axis, as `int64`.
    Index(u8),
    /// An op of the table applied to values of one type; the arguments past its arity repeat the last one.
    Apply(Op, [ValueId; 2]),
    /// `a * b + c`, rounded once (`float32` and `float64`).
    Fma([ValueId; 3]),
    /// A step of an elementary function; a second argument past its arity repeats the first.
    Step(Primitive, [ValueId; 2]),
    /// The second value where the first (bool) is true, else the third; both are evaluated.
    Select([ValueId; 3]),
    /// A value converted as NumPy's `astype` converts.
    Cast(ValueId, DType),
    /// The value's bits as a value of another type: among `float64`, `int64` and `uint64`, or `float32`, `int32` and `uint32`.
    Bits(ValueId, DType),
    /// A part of a complex value, as a value of its type.
    Part(ValueId, ComplexPart),
    /// The complex value with a real part and an imaginary one.
    Complex([ValueId; 2]),
    /// The element `offset` bytes (`int64`) from the operand's address at this point.
    Gather(OperandId, ValueId),
    /// Writes the value to the operand's element at this point. Has no result.
    Store(OperandId, ValueId),
    /// Writes the second value to the element `offset` bytes from the operand's address at this point. Has no result.
    /// Where offsets repeat, the last point in row-major order wins, so a scatter is never split between threads.
    Scatter(OperandId, ValueId, ValueId),
    /// The value of an accumulator; in an epilogue only.
    Result(u8),
    /// Repeats a region. Has no result: what it carried is read by [`Inst::Exit`].
    Loop(Box<Loop>),
    /// What a loop carried where it ended, by the number of the input.
    Exit(ValueId, u8),
    /// An input of the region that this instruction is of.
    Input(u8),
}

impl Inst {
    /// The memory operand that it accesses.
    pub fn operand(&self) -> Option<OperandId> {
        match self {
            Inst::Load(m) | Inst::Gather(m, _) | Inst::Store(m, _) | Inst::Scatter(m, ..) => Some(*m),
            Inst::Param(_)
            | Inst::Const(_)
            | Inst::Index(_)
            | Inst::Apply(..)
            | Inst::Fma(_)
            | Inst::Step(..)
            | Inst::Select(_)
            | Inst::Cast(..)
            | Inst::Bits(..)
            | Inst::Part(..)
            | Inst::Complex(_)
            | Inst::Result(_)
            | Inst::Loop(_)
            | Inst::Exit(..)
            | Inst::Input(_) => None,
        }
    }

    /// Whether it writes memory, and gives no value.
    pub fn is_effect(&self) -> bool {
        matches!(self, Inst::Store(..) | Inst::Scatter(..))
    }
}

/// Which part of a complex number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)] // the names are the documentation
pub enum ComplexPart {
    Real,
    Imaginary,
}

/// Straight-line typed SSA.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub struct Fragment {
    /// The instructions in order.
    pub insts: Vec<Inst>,
    /// The type of each instruction's result; for those without one that of the stored value, or of a loop's first input.
    pub types: Vec<DType>,
}

impl Fragment {
    /// The type of a value.
    pub fn dtype(&self, value: ValueId) -> DType {
        self.types[value.0 as usize]
    }

    /// Whether there is no instruction.
    pub fn is_empty(&self) -> bool {
        self.insts.is_empty()
    }

    /// Floating-point flags that an instruction may raise and that NumPy reports for it.
    pub fn effects(&self, inst: usize) -> FpFlags {
        match &self.insts[inst] {
            Inst::Apply(op, args) => op.effects(self.dtype(args[0])),
            Inst::Cast(from, to) => cast_effects(self.dtype(*from), *to),
            Inst::Fma(_) => FpFlags::OVERFLOW | FpFlags::UNDERFLOW | FpFlags::INVALID,
            Inst::Step(step, _) => step.effects(),
            Inst::Loop(repeated) => repeated.region.effects(),
            Inst::Load(_)
            | Inst::Param(_)
            | Inst::Const(_)
            | Inst::Index(_)
            | Inst::Select(_)
            | Inst::Bits(..)
            | Inst::Part(..)
            | Inst::Complex(_)
            | Inst::Gather(..)
            | Inst::Store(..)
            | Inst::Scatter(..)
            | Inst::Result(_)
            | Inst::Exit(..)
            | Inst::Input(_) => FpFlags::NONE,
        }
    }

    /// Every value an instruction reads.
    pub fn arguments(inst: &Inst) -> smallvec::SmallVec<[ValueId; 3]> {
        use smallvec::smallvec;
        match inst {
            Inst::Load(_) | Inst::Param(_) | Inst::Const(_) | Inst::Index(_) | Inst::Result(_) | Inst::Input(_) => {
                smallvec![]
            }
            Inst::Loop(repeated) => repeated.inputs[..].into(),
            Inst::Exit(repeated, _) => smallvec![*repeated],
            Inst::Apply(op, args) => args[..op.arity()].into(),
            Inst::Step(step, args) => args[..step.arity()].into(),
            Inst::Fma(args) | Inst::Select(args) => args[..].into(),
            Inst::Complex(parts) => parts[..].into(),
            Inst::Cast(v, _) | Inst::Bits(v, _) | Inst::Part(v, _) => smallvec![*v],
            Inst::Gather(_, v) | Inst::Store(_, v) => smallvec![*v],
            Inst::Scatter(_, offset, v) => smallvec![*offset, *v],
        }
    }
}

/// Flags NumPy reports for a cast.
fn cast_effects(from: DType, to: DType) -> FpFlags {
    let from_float = from.is_float() || from.is_complex();
    match to.kind() {
        Kind::Signed | Kind::Unsigned if from_float => FpFlags::INVALID,
        Kind::Float | Kind::Complex if from_float => FpFlags::OVERFLOW | FpFlags::UNDERFLOW,
        Kind::Float if to == DType::F16 => FpFlags::OVERFLOW,
        Kind::Bool | Kind::Signed | Kind::Unsigned | Kind::Float | Kind::Complex => FpFlags::NONE,
    }
}

/// What a kernel does with an operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Access {
    /// Loads or gathers only.
    Read,
    /// Stores or scatters only.
    Write,
}

/// A memory operand's declaration.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OperandDecl {
    /// The type of its elements.
    pub dtype: DType,
    /// Read or written, never both: memory that is read and written is two operands.
    pub access: Access,
    /// Whether its memory overlaps no other operand's.
    pub restrict: bool,
    /// Hint: what is written is not read again soon, so stores may bypass the caches where the processor has such.
    pub nontemporal: bool,
}

/// The template of a kernel: how its fragments are driven over the domain.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Template {
    /// The body runs at each point.
    Map,
    /// The body is folded over the inner axes.
    Reduce,
    /// The body is scanned along the inner axis (an inclusive prefix scan).
    Scan,
}

/// How an accumulator combines values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fold {
    /// By a commutative, associative op: one with a row in [`crate::ir::fold`].
    Op(Op),
    /// Row-major position in the inner domain of the first smallest value; the first nan beats all. Gives `int64`.
    ArgMin,
    /// Row-major position in the inner domain of the first largest value; the first nan beats all. Gives `int64`.
    ArgMax,
}

impl Fold {
    /// The type of what it makes of values of a type.
    pub fn result(self, values: DType) -> DType {
        match self {
            Fold::Op(_) => values,
            Fold::ArgMin | Fold::ArgMax => DType::I64,
        }
    }
}

/// A value folded over the inner axes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Accumulator {
    /// How values combine.
    pub fold: Fold,
    /// What is folded: a value of the body.
    pub value: ValueId,
}

/// A kernel: see the module's head for its meaning.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Kernel {
    /// How the fragments are driven.
    pub template: Template,
    /// Number of outer axes.
    pub outer: u8,
    /// Number of inner axes.
    pub inner: u8,
    /// Memory operands.
    pub operands: Vec<OperandDecl>,
    /// Types of the scalar parameters.
    pub scalars: Vec<DType>,
    /// Runs at each point.
    pub body: Fragment,
    /// The accumulators.
    pub accumulators: Vec<Accumulator>,
    /// Runs where folded values are complete.
    pub epilogue: Fragment,
}

impl Kernel {
    /// The type of an accumulator's result.
    pub fn result_dtype(&self, accumulator: usize) -> DType {
        let a = &self.accumulators[accumulator];
        a.fold.result(self.body.dtype(a.value))
    }

    /// Floating-point flags that folding may raise and that NumPy reports for it.
    pub fn fold_effects(&self, accumulator: usize) -> FpFlags {
        let a = &self.accumulators[accumulator];
        a.fold.effects(self.body.dtype(a.value))
    }
}
