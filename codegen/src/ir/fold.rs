//! The fold table: every op that reductions and scans repeat, declared once beside the op table.
//!
//! A *fold* combines values by repeating a commutative, associative op of [`crate::ir::op`], or finds the position of an extreme.
//! A row says what the op's definition does not: NumPy's names of the reduction and the scan, the identity, the neutral
//! element of each class of types, the order in which rounding folds combine values, whether the fold is idempotent.
//! The rules of the IR, the loops of the portable backend, machine code, CUDA C and the array layer's reductions all ask
//! [`Op::fold`] or [`Fold::row`]; no other list of folds exists.
//!
//! It distinguishes three values. The *neutral element* changes no value, not even the sign of a zero: `-0.0` for sums, as
//! `-0.0 + 0.0` is `0.0`. The *identity* is NumPy's: the result of an empty reduction, and the start of its sums. The *initial value*
//! starts partial results of a reduction: the identity if NumPy's reductions start from it, else the neutral
//! element. Scans begin with the neutral element: the running sum of `-0.0` is `-0.0`, its sum is `0.0`.

use crate::{DType, Fold, FpFlags, Kind, Op, Scalar};

/// Calls `$callback!` with the rows of the fold table.
///
/// ```text
/// Op [Reduction "reduction" "scan"] identity, order, repeats, type { class: neutral; class = Op; ... } "doc"
/// ```
///
/// In brackets, where NumPy has them: the variant of the array layer's `Reduction`, the names of the reduction and of the scan. Identity:
/// as a number, `-1` for all bits set. Order: of [`FoldOrder`]. Repeats: `idempotent` if folding an element twice changes nothing, else
/// `once`. Type: `wide` if NumPy reduces narrow integers and bools in 64 bits, else `same`. Classes: those of the op table,
/// but `int` only where a signed and an unsigned loop give the same bits; after `:` the [`Neutral`] element, after `=`
/// another fold that does the same there, whose loops serve both.
#[macro_export]
macro_rules! for_each_fold {
    ($callback:ident) => {
        $callback! {
        Add [Sum "sum" "cumsum"] Some(0), Pairwise, once, wide
            { bool = BitwiseOr; int: Zero; float: NegativeZero; complex: NegativeZero; }
            "Sum."
        Multiply [Prod "prod" "cumprod"] Some(1), Lanes, once, wide
            { bool = BitwiseAnd; int: One; float: One; complex: Nothing; }
            "Product."
        Minimum [Min "min"] None, Any, idempotent, same
            { bool = BitwiseAnd; sint: Greatest; uint: Greatest; float: Greatest; complex: Greatest; }
            "Smallest element; nan if there is one."
        Maximum [Max "max"] None, Any, idempotent, same
            { bool = BitwiseOr; sint: Least; uint: Least; float: Least; complex: Least; }
            "Largest element; nan if there is one."
        Fmin [] None, Any, idempotent, same
            { bool = BitwiseAnd; int = Minimum; float: Nan; complex: Nan; }
            "Smallest element that is not nan."
        Fmax [] None, Any, idempotent, same
            { bool = BitwiseOr; int = Maximum; float: Nan; complex: Nan; }
            "Largest element that is not nan."
        BitwiseAnd [] Some(-1), Any, idempotent, same
            { bool: AllOnes; int: AllOnes; }
            "Bits set in all elements."
        BitwiseOr [] Some(0), Any, idempotent, same
            { bool: Zero; int: Zero; }
            "Bits set in any element."
        BitwiseXor [] Some(0), Any, once, same
            { bool: Zero; int: Zero; }
            "Bits set in an odd number of elements."
        LogicalOr [Any "any"] Some(0), Any, idempotent, same
            { bool = BitwiseOr; }
            "Whether any element is true."
        LogicalAnd [All "all"] Some(1), Any, idempotent, same
            { bool = BitwiseAnd; }
            "Whether all elements are true."
        LogicalXor [] Some(0), Any, once, same
            { bool = BitwiseXor; }
            "Whether an odd number of elements are true."
                }
    };
}

/// The order in which a reduction combines values. Scans of rounding folds are sequential.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FoldOrder {
    /// Any order gives the same bits.
    Any,
    /// Rounds: partial results are merged pairwise, so that errors grow with the logarithm of the length.
    Pairwise,
    /// Rounds: partial results continue in interleaved lanes. For products, which a tree rounds worse (see `portable::loops::folds`).
    Lanes,
}

/// The neutral element, by its value in each type; for complex numbers the value of both parts, except one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Neutral {
    /// No value is neutral: infinity times `1+0i` has a nan.
    Nothing,
    /// Zero, false.
    Zero,
    /// Negative zero, of floats.
    NegativeZero,
    /// One.
    One,
    /// All bits set, true.
    AllOnes,
    /// The smallest value: negative infinity, false.
    Least,
    /// The largest value: infinity, true.
    Greatest,
    /// Nan, of floats.
    Nan,
}

impl Neutral {
    /// Its bits in a type.
    const fn bits(self, dtype: DType) -> Option<u128> {
        let (real, kind) = (dtype.real(), dtype.kind());
        let width = 8 * real.size();
        let (ones, sign) = (u128::MAX >> (128 - width), 1u128 << (width - 1));
        // Of IEEE's formats: bits of the significand, infinity, and one, whose exponent has all bits but the first.
        let significand = match real {
            DType::F16 => 10,
            DType::F32 => 23,
            _ => 52,
        };
        let part = match (self, kind) {
            (Neutral::Nothing, _) => return None,
            (Neutral::Zero, _) => 0,
            (Neutral::NegativeZero | Neutral::Least | Neutral::Greatest | Neutral::Nan | Neutral::One, Kind::Float)
            | (Neutral::NegativeZero | Neutral::Least | Neutral::Greatest | Neutral::Nan, Kind::Complex) => {
                let infinity = sign - (1 << significand);
                match self {
                    Neutral::NegativeZero => sign,
                    Neutral::Least => sign | infinity,
                    Neutral::Greatest => infinity,
                    Neutral::Nan => infinity | 1 << (significand - 1),
                    _ => (sign >> 1) - (1 << significand),
                }
            }
            (Neutral::One, Kind::Complex) => return Neutral::One.bits(real),
            (Neutral::One, _) | (Neutral::AllOnes | Neutral::Greatest, Kind::Bool) => 1,
            (Neutral::AllOnes, _) | (Neutral::Greatest, Kind::Unsigned) => ones,
            (Neutral::Greatest, _) => ones ^ sign,
            (Neutral::Least, Kind::Signed) => sign,
            (Neutral::Least | Neutral::NegativeZero | Neutral::Nan, _) => 0,
        };
        Some(if dtype.size() > real.size() { part << width | part } else { part })
    }
}

/// A row's entry for a class of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    /// It does not fold them.
    Absent,
    /// Another fold does the same.
    SameAs(Op),
    /// It folds them, with this neutral element.
    Folded(Neutral),
}

/// One row of the fold table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FoldRow {
    /// The fold.
    pub fold: Fold,
    /// The op it repeats; for positions, the op whose result's position it finds.
    pub op: Op,
    /// For positions: the comparison that says whether the first of two values is better.
    pub better: Option<Op>,
    /// NumPy's name of the reduction.
    pub reduction: Option<&'static str>,
    /// NumPy's name of the scan.
    pub scan: Option<&'static str>,
    identity: Option<i8>,
    /// In which order values are combined.
    pub order: FoldOrder,
    is_idempotent: bool,
    /// Whether NumPy reduces narrow integers and bools in 64 bits.
    pub widens: bool,
    /// By [`Kind`].
    classes: [Class; 5],
}

impl FoldRow {
    const fn class(&self, dtype: DType) -> Class {
        self.classes[dtype.kind() as usize]
    }

    /// Whether it folds values of a type.
    pub const fn takes(&self, dtype: DType) -> bool {
        !matches!(self.class(dtype), Class::Absent)
    }

    /// The row that does the same in a type, whose loops serve this one as well: often this one.
    pub const fn on(&'static self, dtype: DType) -> &'static FoldRow {
        match self.class(dtype) {
            Class::SameAs(op) => match op.fold() {
                Some(row) => row,
                None => self,
            },
            Class::Absent | Class::Folded(_) => self,
        }
    }

    /// The neutral element: changes no other value, bit for bit (all nans count as equal); `None` if there is none.
    pub const fn neutral(&'static self, dtype: DType) -> Option<Scalar> {
        match self.on(dtype).class(dtype) {
            Class::Folded(neutral) => match neutral.bits(dtype) {
                Some(bits) => Some(Scalar::from_bits(dtype, bits)),
                None => None,
            },
            Class::Absent | Class::SameAs(_) => None,
        }
    }

    /// The absorbing element, which no other value changes: a fold of bools that has met it need not read the rest.
    pub const fn absorbing(&'static self, dtype: DType) -> Option<Scalar> {
        match self.neutral(dtype) {
            Some(neutral) if matches!(dtype, DType::Bool) && self.is_idempotent(dtype) => {
                Some(Scalar::from_bits(dtype, neutral.bits() ^ 1))
            }
            _ => None,
        }
    }

    /// NumPy's result of an empty reduction; `None` if that is an error.
    pub const fn identity(&self, dtype: DType) -> Option<Scalar> {
        let bits = match self.identity {
            None => return None,
            Some(0) => Neutral::Zero.bits(dtype),
            Some(1) => Neutral::One.bits(dtype),
            Some(_) => Neutral::AllOnes.bits(dtype),
        };
        match bits {
            Some(bits) => Some(Scalar::from_bits(dtype, bits)),
            None => None,
        }
    }

    /// The identity, if NumPy's reductions start from it though it is not neutral: `0.0` for sums, so that the sum of
    /// `-0.0` is `0.0`.
    pub const fn start(&'static self, dtype: DType) -> Option<Scalar> {
        match (self.identity(dtype), self.neutral(dtype)) {
            (Some(identity), Some(neutral)) if identity.bits() != neutral.bits() => Some(identity),
            _ => None,
        }
    }

    /// The initial value and padding of partial results of a reduction; `None` if no value is neutral.
    pub const fn initial(&'static self, dtype: DType) -> Option<Scalar> {
        match self.start(dtype) {
            Some(start) => Some(start),
            None => self.neutral(dtype),
        }
    }

    /// Whether folding an element twice changes nothing.
    pub const fn is_idempotent(&'static self, dtype: DType) -> bool {
        self.on(dtype).is_idempotent
    }

    /// Whether combining values of a type rounds: then the order shows in the result, and floating-point flags may be raised.
    pub const fn rounds(&self, dtype: DType) -> bool {
        matches!(dtype.kind(), Kind::Float | Kind::Complex) && !matches!(self.order, FoldOrder::Any)
    }
}

macro_rules! is_idempotent {
    (idempotent) => {
        true
    };
    (once) => {
        false
    };
}

macro_rules! is_wide {
    (wide) => {
        true
    };
    (same) => {
        false
    };
}

macro_rules! class {
    (: $neutral:ident) => {
        Class::Folded(Neutral::$neutral)
    };
    (= $op:ident) => {
        Class::SameAs(Op::$op)
    };
}

/// The one name that there may be.
const fn name(names: &[&'static str]) -> Option<&'static str> {
    names.first().copied()
}

/// What is said of the classes, by [`Kind`].
const fn classes(named: &[(&str, Class)]) -> [Class; 5] {
    let (mut all, mut i) = ([Class::Absent; 5], 0);
    while i < named.len() {
        let (name, class) = named[i];
        match name.as_bytes() {
            b"bool" => all[Kind::Bool as usize] = class,
            b"int" => (all[Kind::Signed as usize], all[Kind::Unsigned as usize]) = (class, class),
            b"sint" => all[Kind::Signed as usize] = class,
            b"uint" => all[Kind::Unsigned as usize] = class,
            b"float" => all[Kind::Float as usize] = class,
            b"complex" => all[Kind::Complex as usize] = class,
            _ => panic!("no such class"),
        }
        i += 1;
    }
    all
}

macro_rules! declare_folds {
    ($($Op:ident [$($Reduction:ident $reduction:literal $($scan:literal)?)?] $identity:expr, $order:ident, $repeats:ident, $type:ident
       { $($class:ident $is:tt $what:ident;)* } $doc:literal)*) => {
        static ROWS: &[FoldRow] = &[$(FoldRow {
            fold: Fold::Op(Op::$Op),
            op: Op::$Op,
            better: None,
            reduction: name(&[$($reduction)?]),
            scan: name(&[$($($scan)?)?]),
            identity: $identity,
            order: FoldOrder::$order,
            is_idempotent: is_idempotent!($repeats),
            widens: is_wide!($type),
            classes: classes(&[$((stringify!($class), class!($is $what))),*]),
        }),*];
    };
}

for_each_fold!(declare_folds);

/// The folds that find where an extreme is: of any type, of nothing an error.
static POSITIONS: [FoldRow; 2] = [
    position(Fold::ArgMin, "argmin", Op::Minimum, Op::Less),
    position(Fold::ArgMax, "argmax", Op::Maximum, Op::Greater),
];

const fn position(fold: Fold, name: &'static str, op: Op, better: Op) -> FoldRow {
    FoldRow {
        fold,
        op,
        better: Some(better),
        reduction: Some(name),
        scan: None,
        identity: None,
        order: FoldOrder::Any,
        is_idempotent: true,
        widens: false,
        classes: [Class::Folded(Neutral::Nothing); 5],
    }
}

/// By op, where its row is.
const BY_OP: [Option<usize>; Op::ALL.len()] = {
    let (mut all, mut i) = ([None; Op::ALL.len()], 0);
    while i < ROWS.len() {
        all[ROWS[i].op as usize] = Some(i);
        i += 1;
    }
    all
};

impl Op {
    /// Its row in the fold table, if accumulators may fold by it.
    pub const fn fold(self) -> Option<&'static FoldRow> {
        match BY_OP[self as usize] {
            Some(row) => Some(&ROWS[row]),
            None => None,
        }
    }
}

impl Fold {
    /// Every fold, in table order.
    pub fn all() -> impl Iterator<Item = Fold> {
        ROWS.iter().chain(&POSITIONS).map(|row| row.fold)
    }

    /// Its row; none for an op that does not fold, which no verified kernel has.
    pub fn row(self) -> Option<&'static FoldRow> {
        match self {
            Fold::Op(op) => op.fold(),
            Fold::ArgMin | Fold::ArgMax => POSITIONS.iter().find(|row| row.fold == self),
        }
    }

    /// Floating-point flags that it may raise over values of this type, and that NumPy reports for it.
    pub fn effects(self, dtype: DType) -> FpFlags {
        match (self, dtype.kind()) {
            (Fold::Op(op), Kind::Float | Kind::Complex) => op.row().effects,
            (Fold::Op(_), Kind::Bool | Kind::Signed | Kind::Unsigned) | (Fold::ArgMin | Fold::ArgMax, _) => {
                FpFlags::NONE
            }
        }
    }

    /// Its name in printed kernels: the op's, or the reduction's that gives positions.
    pub fn name(self) -> &'static str {
        match (self, self.row()) {
            (Fold::ArgMin | Fold::ArgMax, Some(FoldRow { reduction: Some(name), .. })) => name,
            (Fold::Op(op), _) => op.name(),
            (Fold::ArgMin | Fold::ArgMax, _) => unreachable!("positions are in the table"),
        }
    }

    /// The fold of a name, which may be that of an op that does not fold.
    pub fn from_name(name: &str) -> Option<Fold> {
        let position = POSITIONS.iter().find(|row| row.reduction == Some(name));
        position.map(|row| row.fold).or_else(|| Op::from_name(name).map(Fold::Op))
    }
}
