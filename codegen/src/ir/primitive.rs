//! Primitive operations of elementary functions: steps that some processors have as one instruction.
//!
//! A step is in this list if it is one instruction of AVX-512 where other code takes three to ten, in functions that many programs
//! spend their time in. Its result is exact and total, flags included, and defined once, on floats, in `math/primitives.rs`. Only
//! `math` uses them; users never see them.

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
    /// Second argument where it is nan or plus infinity, minus infinity by a division where it is zero, nan by an invalid operation where
    /// it is negative, else the first.
    LogLimit,
    /// The exponent of 2 of a positive normal number.
    Exponent,
    /// A positive normal number with the exponent that brings it to 3/4 or more, below 3/2.
    Mantissa,
    /// Whether `a` is anything but a positive normal number. A bool, and quiet.
    Unusual,
    /// The entry of a table of sixteen that the lowest four bits of a word number.
    Entry(Table),
}

/// A table of sixteen numbers, which are in `math/coefficients.rs`: as many doubles as two vectors of AVX-512 hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Table {
    /// Sixteenth powers of two, times a constant.
    Powers,
    /// The same of the negative number of sixteenths, up to a power of two.
    PowersBack,
    /// Inverses beside sixteenths of an octave, where cube roots and logarithms are short series.
    OctaveInverses,
    /// What these take from natural logarithms, the high part.
    OctaveLogHigh,
    /// The low part.
    OctaveLogLow,
    /// Half the logarithms of eighths of an octave, the high part.
    EighthHigh,
    /// The low part.
    EighthLow,
    /// The cube roots of their inverses, by a constant.
    CbrtRoots,
    /// That constant and its products with the cube roots of 2 and 4, by quarters of exponents.
    CbrtSteps,
    /// Inverses beside which logarithms are short series.
    Inverses,
    /// What these take from natural logarithms, the high part.
    LogHigh,
    /// The low part.
    LogLow,
    /// The same of logarithms to base 2.
    Log2High,
    /// The low part.
    Log2Low,
    /// The same of logarithms to base 10.
    Log10High,
    /// The low part.
    Log10Low,
    /// Inverses beside which logarithms are short series, for powers.
    PowerInverses,
    /// What these take from logarithms to base 2, the high part.
    PowerLog2High,
    /// The low part.
    PowerLog2Low,
    /// Dividends of the tangents of multiples of pi/16.
    TanTop,
    /// Their divisors.
    TanBottom,
    /// Dividends of tangents, half an octave each.
    AtanTop,
    /// Their divisors.
    AtanBottom,
    /// The angles of these, the high part.
    AtanHigh,
    /// The low part.
    AtanLow,
}

/// Every table, by the name that it has in the IR.
const TABLES: [(Table, &str); 25] = [
    (Table::Powers, "entry_of_powers"),
    (Table::PowersBack, "entry_of_powers_back"),
    (Table::OctaveInverses, "entry_of_octave_inverses"),
    (Table::OctaveLogHigh, "entry_of_octave_log_high"),
    (Table::OctaveLogLow, "entry_of_octave_log_low"),
    (Table::EighthHigh, "entry_of_eighth_high"),
    (Table::EighthLow, "entry_of_eighth_low"),
    (Table::CbrtRoots, "entry_of_cbrt_roots"),
    (Table::CbrtSteps, "entry_of_cbrt_steps"),
    (Table::Inverses, "entry_of_inverses"),
    (Table::LogHigh, "entry_of_log_high"),
    (Table::LogLow, "entry_of_log_low"),
    (Table::Log2High, "entry_of_log2_high"),
    (Table::Log2Low, "entry_of_log2_low"),
    (Table::Log10High, "entry_of_log10_high"),
    (Table::Log10Low, "entry_of_log10_low"),
    (Table::PowerInverses, "entry_of_power_inverses"),
    (Table::PowerLog2High, "entry_of_power_log2_high"),
    (Table::PowerLog2Low, "entry_of_power_log2_low"),
    (Table::TanTop, "entry_of_tan_top"),
    (Table::TanBottom, "entry_of_tan_bottom"),
    (Table::AtanTop, "entry_of_atan_top"),
    (Table::AtanBottom, "entry_of_atan_bottom"),
    (Table::AtanHigh, "entry_of_atan_high"),
    (Table::AtanLow, "entry_of_atan_low"),
];

impl Primitive {
    /// The steps that do not read a table.
    const PLAIN: [Primitive; 8] = [
        Primitive::Scale,
        Primitive::Bound,
        Primitive::Fraction,
        Primitive::Limit,
        Primitive::LogLimit,
        Primitive::Exponent,
        Primitive::Mantissa,
        Primitive::Unusual,
    ];

    /// All of them.
    pub fn all() -> impl Iterator<Item = Primitive> {
        Primitive::PLAIN.into_iter().chain(TABLES.iter().map(|&(table, _)| Primitive::Entry(table)))
    }

    /// Its name in the IR.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::Scale => "scale",
            Primitive::Bound => "bound",
            Primitive::Fraction => "fraction",
            Primitive::Limit => "limit",
            Primitive::LogLimit => "log_limit",
            Primitive::Exponent => "exponent",
            Primitive::Mantissa => "mantissa",
            Primitive::Unusual => "unusual",
            Primitive::Entry(table) => TABLES[table as usize].1,
        }
    }

    /// The one with a name.
    pub fn from_name(name: &str) -> Option<Primitive> {
        Primitive::all().find(|p| p.name() == name)
    }

    /// A distinct number for each, for hashing.
    pub(crate) fn code(self) -> u64 {
        let place = |step| Primitive::PLAIN.iter().position(|&p| p == step);
        if let Primitive::Entry(table) = self { 16 + table as u64 } else { place(self).unwrap_or(0) as u64 }
    }

    /// How many arguments it has.
    pub fn arity(self) -> usize {
        match self {
            Primitive::Scale | Primitive::Bound | Primitive::Limit | Primitive::LogLimit => 2,
            Primitive::Fraction | Primitive::Exponent | Primitive::Mantissa => 1,
            Primitive::Unusual | Primitive::Entry(_) => 1,
        }
    }

    /// The type of its result for arguments of a type; `None` if it does not take them.
    pub fn result(self, from: DType) -> Option<DType> {
        match (self, from) {
            (Primitive::Entry(_), DType::U32) => Some(DType::F32),
            (Primitive::Entry(_), DType::U64) => Some(DType::F64),
            (Primitive::Entry(_), _) => None,
            (Primitive::Unusual, DType::F32 | DType::F64) => Some(DType::Bool),
            (_, DType::F32 | DType::F64) => Some(from),
            _ => None,
        }
    }

    /// Floating-point flags it may raise.
    pub fn effects(self) -> FpFlags {
        match self {
            Primitive::Scale => FpFlags::OVERFLOW | FpFlags::UNDERFLOW,
            Primitive::LogLimit => FpFlags::DIVIDE | FpFlags::INVALID,
            _ => FpFlags::NONE,
        }
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
