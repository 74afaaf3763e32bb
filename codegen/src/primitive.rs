//! What elementary functions are made of besides the ops of the table: steps that some processors have as one instruction.
//!
//! A step earns its place here by being one instruction of AVX-512 for what takes three to ten others, in functions that
//! many programs spend their time in. Its meaning is exact and total, flags included, and defined once, for numbers that are
//! there, in `math/steps.rs`; nobody but [`crate::math`] asks for one, so no user sees them.

use crate::{DType, FpFlags};
use std::fmt;

/// A step of elementary functions, of `float32` and `float64`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Primitive {
    /// `a 2^floor(b)`, rounded once. Where b is infinite, infinity or zero without a flag; nan where either is. Defined for
    /// a of 2^-100 to 2^100 in size, zero, infinity and nan (`f32`: 2^-20 to 2^20).
    Scale,
    /// The number nearest to `a` that is no larger in size than `b`, which is positive; `b` in size where a is nan.
    Bound,
    /// What the nearest multiple of 1/16 leaves of `a`: zero of the infinite.
    Fraction,
    /// Second argument where it is nan or plus infinity, zero where it is minus infinity, else the first.
    Limit,
    /// The exponent of 2 of a positive normal number.
    Exponent,
    /// A positive normal number with the exponent that brings it to 3/4 or more, below 3/2.
    Mantissa,
    /// Whether `a` is anything but a positive normal number. A bool, and quiet.
    Unusual,
    /// The power of two whose sixteenths the lowest four bits of a word are, 2^(j/16), times a constant.
    Power,
}

impl Primitive {
    /// All of them.
    pub const ALL: [Primitive; 8] = [
        Primitive::Scale,
        Primitive::Bound,
        Primitive::Fraction,
        Primitive::Limit,
        Primitive::Exponent,
        Primitive::Mantissa,
        Primitive::Unusual,
        Primitive::Power,
    ];

    /// Its name in the IR.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Scale => "scale",
            Primitive::Bound => "bound",
            Primitive::Fraction => "fraction",
            Primitive::Limit => "limit",
            Primitive::Exponent => "exponent",
            Primitive::Mantissa => "mantissa",
            Primitive::Unusual => "unusual",
            Primitive::Power => "power_of",
        }
    }

    /// The one with a name.
    pub fn from_name(name: &str) -> Option<Primitive> {
        Primitive::ALL.into_iter().find(|p| p.name() == name)
    }

    /// How many arguments it has.
    pub fn arity(self) -> usize {
        match self {
            Primitive::Scale | Primitive::Bound | Primitive::Limit => 2,
            Primitive::Fraction | Primitive::Exponent | Primitive::Mantissa => 1,
            Primitive::Unusual | Primitive::Power => 1,
        }
    }

    /// The type of its result for arguments of a type; none where it does not take them.
    pub fn result(self, from: DType) -> Option<DType> {
        match (self, from) {
            (Primitive::Power, DType::U32) => Some(DType::F32),
            (Primitive::Power, DType::U64) => Some(DType::F64),
            (Primitive::Power, _) => None,
            (Primitive::Unusual, DType::F32 | DType::F64) => Some(DType::Bool),
            (_, DType::F32 | DType::F64) => Some(from),
            _ => None,
        }
    }

    /// Floating-point flags it may raise.
    pub fn effects(self) -> FpFlags {
        if self == Primitive::Scale { FpFlags::OVERFLOW | FpFlags::UNDERFLOW } else { FpFlags::NONE }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
