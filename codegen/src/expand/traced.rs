//! Recording numbers: operations on [`Traced`], a float, a word or a bool, append instructions to a fragment.
//!
//! Operations on constants alone are folded, by the same arithmetic of [`crate::math`] on floats, as the compiler does when it compiles
//! those loops.

use super::Version;
use crate::ir::build::Draft;
use crate::math::{Mask, Number, Real, Word};
use crate::{DType, Inst, Op, Primitive, Scalar, Table, ValueId};
use std::cell::RefCell;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// The fragment being recorded, shared by its values.
pub(super) struct Tape {
    draft: RefCell<Draft>,
    /// Which version of its functions is recorded.
    pub(super) version: Version,
}

impl Tape {
    /// An empty one.
    pub(super) fn new(version: Version) -> Tape {
        Tape { draft: RefCell::default(), version }
    }

    /// How many instructions there are.
    pub(super) fn len(&self) -> usize {
        self.draft.borrow().insts.len()
    }

    /// What is recorded.
    pub(super) fn into_draft(self) -> Draft {
        self.draft.into_inner()
    }

    /// Calls `with` with the fragment, which must not use the tape itself.
    pub(super) fn draft<T>(&self, with: impl FnOnce(&mut Draft) -> T) -> T {
        with(&mut self.draft.borrow_mut())
    }

    /// The value of an instruction that touches no memory.
    pub(super) fn emit(&self, inst: Inst, dtype: DType) -> ValueId {
        self.draft(|draft| draft.intern(inst, dtype, false))
    }

    /// Every bit inverted. The inverse of an equality is one comparison.
    fn invert(&self, v: ValueId, dtype: DType) -> ValueId {
        self.draft(|draft| {
            let inverted = match draft.insts[v.0 as usize] {
                Inst::Apply(Op::Equal, args) => Inst::Apply(Op::NotEqual, args),
                _ => Inst::Apply(Op::Invert, [v, v]),
            };
            draft.intern(inverted, dtype, false)
        })
    }

    /// `then` where `mask`, else `otherwise`; nested selects by the same mask become one.
    pub(super) fn select(&self, mask: ValueId, then: ValueId, otherwise: ValueId, dtype: DType) -> ValueId {
        self.draft(|draft| {
            let then = match draft.insts[then.0 as usize] {
                Inst::Select([other, first, _]) if other == mask => first,
                _ => then,
            };
            draft.intern(Inst::Select([mask, then, otherwise]), dtype, false)
        })
    }

    /// The bits of a value; a cast back is the value itself.
    fn bits(&self, value: ValueId, dtype: DType) -> ValueId {
        self.draft(|draft| match draft.insts[value.0 as usize] {
            Inst::Bits(source, _) if draft.types[source.0 as usize] == dtype => source,
            _ => draft.intern(Inst::Bits(value, dtype), dtype, false),
        })
    }

    /// A value converted to another type.
    pub(super) fn cast(&self, value: ValueId, dtype: DType) -> ValueId {
        self.draft(|draft| {
            if draft.types[value.0 as usize] == dtype {
                value
            } else {
                draft.intern(Inst::Cast(value, dtype), dtype, false)
            }
        })
    }
}

/// A Rust type that is a type of the IR.
pub(super) trait IrType: Copy {
    /// Its type in the IR.
    const DTYPE: DType;
    /// The value as a literal.
    fn scalar(self) -> Scalar;
}

impl IrType for bool {
    const DTYPE: DType = DType::Bool;
    fn scalar(self) -> Scalar {
        Scalar::new(DType::Bool, self)
    }
}

impl IrType for u32 {
    const DTYPE: DType = DType::U32;
    fn scalar(self) -> Scalar {
        Scalar::from_bits(DType::U32, self.into())
    }
}

impl IrType for u64 {
    const DTYPE: DType = DType::U64;
    fn scalar(self) -> Scalar {
        Scalar::from_bits(DType::U64, self.into())
    }
}

impl IrType for f32 {
    const DTYPE: DType = DType::F32;
    fn scalar(self) -> Scalar {
        Scalar::from_bits(DType::F32, self.to_bits().into())
    }
}

impl IrType for f64 {
    const DTYPE: DType = DType::F64;
    fn scalar(self) -> Scalar {
        Scalar::from_bits(DType::F64, self.to_bits().into())
    }
}

/// `f32` or `f64`.
pub(super) trait FloatWidth: IrType + Number<Word: IrType> {}

impl FloatWidth for f32 {}

impl FloatWidth for f64 {}

/// A constant, or a value of the fragment.
#[derive(Clone, Copy)]
pub(super) enum Traced<'t, T> {
    /// A constant.
    Known(T),
    /// The result of an instruction.
    Made(ValueId, &'t Tape),
}

use Traced::{Known, Made};

/// An op or a primitive step, to be applied to arguments.
trait Applicable {
    fn to(self, args: [ValueId; 2]) -> Inst;
}

impl Applicable for Op {
    fn to(self, args: [ValueId; 2]) -> Inst {
        Inst::Apply(self, args)
    }
}

impl Applicable for Primitive {
    fn to(self, args: [ValueId; 2]) -> Inst {
        Inst::Step(self, args)
    }
}

impl<'t, T: IrType> Traced<'t, T> {
    /// The value in a fragment.
    pub(super) fn value(self, tape: &Tape) -> ValueId {
        match self {
            Known(x) => tape.emit(Inst::Const(x.scalar()), T::DTYPE),
            Made(v, _) => v,
        }
    }

    /// The fragment, unless it is a constant.
    fn tape(self) -> Option<&'t Tape> {
        match self {
            Known(_) => None,
            Made(_, tape) => Some(tape),
        }
    }

    /// Applies an op or a step; folds a constant by `known`.
    fn one<U: IrType>(self, what: impl Applicable, known: impl FnOnce(T) -> U) -> Traced<'t, U> {
        match self {
            Known(x) => Known(known(x)),
            Made(v, tape) => Made(tape.emit(what.to([v, v]), U::DTYPE), tape),
        }
    }

    /// The same with two arguments.
    fn two<U: IrType>(
        self,
        other: Traced<'t, T>,
        what: impl Applicable,
        known: impl FnOnce(T, T) -> U,
    ) -> Traced<'t, U> {
        match (self, other) {
            (Known(x), Known(y)) => Known(known(x, y)),
            (Made(_, tape), _) | (Known(_), Made(_, tape)) => {
                let args = [self.value(tape), other.value(tape)];
                Made(tape.emit(what.to(args), U::DTYPE), tape)
            }
        }
    }

    /// Its bits, as those of another type of its size.
    fn reinterpreted<U: IrType>(self, known: impl FnOnce(T) -> U) -> Traced<'t, U> {
        match self {
            Known(x) => Known(known(x)),
            Made(v, tape) => Made(tape.bits(v, U::DTYPE), tape),
        }
    }

    /// The number in another width.
    fn converted<U: IrType>(self, known: impl FnOnce(T) -> U) -> Traced<'t, U> {
        match self {
            Known(x) => Known(known(x)),
            Made(v, tape) => Made(tape.cast(v, U::DTYPE), tape),
        }
    }
}

impl<N: FloatWidth> Traced<'_, N> {
    /// The nearest whole number, halves to even.
    pub(super) fn rint(self) -> Self {
        self.one(Op::Rint, |x| N::of(x.wide().round_ties_even()))
    }
}

impl Mask for Traced<'_, bool> {
    const FALSE: Self = Known(false);
}

impl<T: IrType + BitAnd<Output = T>> BitAnd for Traced<'_, T> {
    type Output = Self;
    fn bitand(self, other: Self) -> Self {
        self.two(other, Op::BitwiseAnd, |x, y| x & y)
    }
}

impl<T: IrType + BitOr<Output = T>> BitOr for Traced<'_, T> {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.two(other, Op::BitwiseOr, |x, y| x | y)
    }
}

impl<T: IrType + BitXor<Output = T>> BitXor for Traced<'_, T> {
    type Output = Self;
    fn bitxor(self, other: Self) -> Self {
        self.two(other, Op::BitwiseXor, |x, y| x ^ y)
    }
}

impl<T: IrType + Not<Output = T>> Not for Traced<'_, T> {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Known(x) => Known(!x),
            Made(v, tape) => Made(tape.invert(v, T::DTYPE), tape),
        }
    }
}

impl<T: IrType + Word> Shl<u32> for Traced<'_, T> {
    type Output = Self;
    fn shl(self, by: u32) -> Self {
        self.two(Known(T::of(by.into())), Op::LeftShift, |x, _| x << by)
    }
}

impl<T: IrType + Word> Shr<u32> for Traced<'_, T> {
    type Output = Self;
    fn shr(self, by: u32) -> Self {
        self.two(Known(T::of(by.into())), Op::RightShift, |x, _| x >> by)
    }
}

impl<'t, W: IrType + Word<Mask = bool>> Word for Traced<'t, W> {
    type Mask = Traced<'t, bool>;

    fn of(value: u64) -> Self {
        Known(W::of(value))
    }
    fn wrapping_add(self, other: Self) -> Self {
        match other {
            Known(x) if x.equals(W::of(0)) => self,
            _ => self.two(other, Op::Add, W::wrapping_add),
        }
    }
    fn wrapping_sub(self, other: Self) -> Self {
        self.two(other, Op::Subtract, W::wrapping_sub)
    }
    fn larger(self, other: Self) -> Self {
        self.two(other, Op::Maximum, W::larger)
    }
    fn smaller(self, other: Self) -> Self {
        self.two(other, Op::Minimum, W::smaller)
    }
    fn equals(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::Equal, W::equals)
    }
    fn below(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::Less, W::below)
    }
    fn above(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::Greater, W::above)
    }
    fn reaches(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::GreaterEqual, W::reaches)
    }
}

impl<N: FloatWidth> Add for Traced<'_, N> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.two(other, Op::Add, |x, y| x + y)
    }
}

impl<N: FloatWidth> Sub for Traced<'_, N> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.two(other, Op::Subtract, |x, y| x - y)
    }
}

impl<N: FloatWidth> Mul for Traced<'_, N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.two(other, Op::Multiply, |x, y| x * y)
    }
}

impl<N: FloatWidth> Div for Traced<'_, N> {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        self.two(other, Op::Divide, |x, y| x / y)
    }
}

impl<N: FloatWidth> Neg for Traced<'_, N> {
    type Output = Self;
    fn neg(self) -> Self {
        self.one(Op::Negative, |x| -x)
    }
}

impl<'t, N: FloatWidth> Real for Traced<'t, N> {
    type Word = Traced<'t, N::Word>;
    type Mask = Traced<'t, bool>;
    type Number = N;
    type Double = Traced<'t, f64>;

    const SHARES_STEPS: bool = true;

    fn literal(value: N) -> Self {
        Known(value)
    }
    fn of(value: f64) -> Self {
        Known(N::of(value))
    }
    fn bits(self) -> Self::Word {
        self.reinterpreted(N::bits)
    }
    fn from_bits(bits: Self::Word) -> Self {
        bits.reinterpreted(N::from_bits)
    }
    fn double(self) -> Self::Double {
        self.converted(N::wide)
    }
    fn from_double(double: Self::Double) -> Self {
        double.converted(N::from_double)
    }
    fn fma<const FMA: bool>(self, b: Self, c: Self) -> Self {
        if !FMA {
            return self * b + c;
        }
        match (self, b, c) {
            (Known(x), Known(y), Known(z)) => Known(x.fma::<true>(y, z)),
            _ => {
                let tape = [self, b, c].into_iter().find_map(Traced::tape).expect("one is not known");
                let args = [self, b, c].map(|x| x.value(tape));
                Made(tape.emit(Inst::Fma(args), N::DTYPE), tape)
            }
        }
    }
    fn sqrt(self) -> Self {
        self.one(Op::Sqrt, N::sqrt)
    }
    fn floor(self) -> Self {
        self.one(Op::Floor, N::floor)
    }
    fn trunc(self) -> Self {
        self.one(Op::Trunc, N::trunc)
    }
    fn abs(self) -> Self {
        self.one(Op::Fabs, N::abs)
    }
    fn copysign(self, sign: Self) -> Self {
        self.two(sign, Op::Copysign, N::copysign)
    }
    fn is_nan(self) -> Traced<'t, bool> {
        self.one(Op::Isnan, N::is_nan)
    }
    fn equals(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::Equal, N::equals)
    }
    fn below(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::Less, N::below)
    }
    fn above(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::Greater, N::above)
    }
    fn reaches(self, other: Self) -> Traced<'t, bool> {
        self.two(other, Op::GreaterEqual, N::reaches)
    }
    fn scaled(self, k: Self) -> Self {
        self.two(k, Primitive::Scale, N::scaled)
    }
    fn bounded(self, size: Self) -> Self {
        self.two(size, Primitive::Bound, N::bounded)
    }
    fn fraction(self) -> Self {
        self.one(Primitive::Fraction, N::fraction)
    }
    fn limited(self, x: Self) -> Self {
        self.two(x, Primitive::Limit, N::limited)
    }
    fn log_limited(self, x: Self) -> Self {
        self.two(x, Primitive::LogLimit, N::log_limited)
    }
    fn exponent(self) -> Self {
        self.one(Primitive::Exponent, N::exponent)
    }
    fn mantissa(self) -> Self {
        self.one(Primitive::Mantissa, N::mantissa)
    }
    fn is_not_positive_normal(self) -> Traced<'t, bool> {
        self.one(Primitive::Unusual, N::is_not_positive_normal)
    }
    fn entry(table: Table, index: Self::Word) -> Self {
        index.one(Primitive::Entry(table), |index| N::entry(table, index))
    }
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self {
        match mask {
            Known(true) => then,
            Known(false) => otherwise,
            Made(v, tape) => Made(tape.select(v, then.value(tape), otherwise.value(tape), N::DTYPE), tape),
        }
    }
    fn select_pair(mask: Self::Mask, then: (Self, Self), otherwise: (Self, Self)) -> (Self, Self) {
        (Self::select(mask, then.0, otherwise.0), Self::select(mask, then.1, otherwise.1))
    }
    fn select_all<const K: usize>(mask: Self::Mask, then: [Self; K], otherwise: [Self; K]) -> [Self; K] {
        std::array::from_fn(|i| Self::select(mask, then[i], otherwise[i]))
    }
}
