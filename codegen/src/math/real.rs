//! What elementary functions need of a floating-point type: arithmetic, bits, selections, and the constants of its width.
//!
//! Every function is written once over [`Real`], which a recording number may implement too ([`expand`](mod@crate::expand)): a comparison
//! gives a [`Mask`] and not a `bool`, a selection is [`Real::select`] and not an `if`. [`Number`] is a concrete float, `f32` or `f64`: it
//! adds the constants, and operations of scalars alone. `f32` is computed in `f32`, with shorter polynomials: twice the lanes and half the
//! terms of computing it in double. Only [`Real::fma`] uses `mul_add`: without the target feature that would be a call into libm (some 20
//! ns an element, and no vectors), so `FMA` says whether the machine has it.

use super::coefficients as c;
use super::primitives;
use crate::Table;
use num_traits::{AsPrimitive, Float, PrimInt, WrappingAdd, WrappingSub};
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Shl, Shr, Sub};

/// The result of a comparison: `bool`, for concrete floats.
pub trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self>
{
    /// False.
    const FALSE: Self;
}

impl Mask for bool {
    const FALSE: bool = false;
}

/// The unsigned integer with the bits of a float. Sums wrap.
pub trait Word:
    Copy
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    /// The result of a comparison.
    type Mask: Mask;

    /// The integer, cut to this width.
    fn of(value: u64) -> Self;
    /// The sum, wrapping.
    fn wrapping_add(self, other: Self) -> Self;
    /// The difference, wrapping.
    fn wrapping_sub(self, other: Self) -> Self;
    /// The larger of the two.
    fn larger(self, other: Self) -> Self;
    /// The smaller of the two.
    fn smaller(self, other: Self) -> Self;
    /// Whether they are equal.
    fn equals(self, other: Self) -> Self::Mask;
    /// Whether it is smaller.
    fn below(self, other: Self) -> Self::Mask;
    /// Whether it is larger.
    fn above(self, other: Self) -> Self::Mask;
    /// Whether it is as large or larger.
    fn reaches(self, other: Self) -> Self::Mask;
}

/// A concrete integer.
pub trait Index: Word<Mask = bool> {
    /// Its lowest bits as a number.
    fn lowest(self, bits: u32) -> usize;
}

impl Index for u64 {
    #[inline(always)]
    fn lowest(self, bits: u32) -> usize {
        self as usize & ((1 << bits) - 1)
    }
}

impl Index for u32 {
    #[inline(always)]
    fn lowest(self, bits: u32) -> usize {
        self as usize & ((1 << bits) - 1)
    }
}

impl<I> Word for I
where
    I: Index + PrimInt + WrappingAdd + WrappingSub + 'static,
    u64: AsPrimitive<I>,
{
    type Mask = bool;

    #[inline(always)]
    fn of(value: u64) -> Self {
        value.as_()
    }
    #[inline(always)]
    fn wrapping_add(self, other: Self) -> Self {
        WrappingAdd::wrapping_add(&self, &other)
    }
    #[inline(always)]
    fn wrapping_sub(self, other: Self) -> Self {
        WrappingSub::wrapping_sub(&self, &other)
    }
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.min(other)
    }
    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }
    #[inline(always)]
    fn below(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn above(self, other: Self) -> bool {
        self > other
    }
    #[inline(always)]
    fn reaches(self, other: Self) -> bool {
        self >= other
    }
}

/// A number as an unevaluated sum of two, the larger first (double-word arithmetic).
pub(super) type DoubleWord<R> = (R, R);

/// A floating-point number of 32 or 64 bits: a concrete one, or one that records operations.
pub trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// Its bits.
    type Word: Word<Mask = Self::Mask>;
    /// The result of a comparison.
    type Mask: Mask;
    /// The concrete type of its constants.
    type Number: Number;
    /// The number in double.
    type Double: Real<Mask = Self::Mask>;

    /// Whether equal steps of several functions become one (value numbering), which is worth an instruction that makes them equal.
    const SHARES_STEPS: bool;

    /// A constant of this width.
    fn literal(value: Self::Number) -> Self;
    /// The nearest number of this type to a constant, as a conversion: overflow raises its flag.
    fn of(value: f64) -> Self;
    /// Its bits.
    fn bits(self) -> Self::Word;
    /// The number with these bits.
    fn from_bits(bits: Self::Word) -> Self;
    /// The number in double.
    fn double(self) -> Self::Double;
    /// The nearest number of this type.
    fn from_double(double: Self::Double) -> Self;
    /// `self * b + c`: rounded once where `FMA`, twice otherwise. Error bounds hold both ways.
    fn fma<const FMA: bool>(self, b: Self, c: Self) -> Self;
    /// The square root.
    fn sqrt(self) -> Self;
    /// The largest integer not above it.
    fn floor(self) -> Self;
    /// The number rounded towards zero.
    fn trunc(self) -> Self;
    /// The magnitude.
    fn abs(self) -> Self;
    /// The magnitude of `self` with the sign of `sign`.
    fn copysign(self, sign: Self) -> Self;
    /// Whether it is nan; a quiet comparison.
    fn is_nan(self) -> Self::Mask;
    /// Whether they are equal.
    fn equals(self, other: Self) -> Self::Mask;
    /// Whether it is smaller.
    fn below(self, other: Self) -> Self::Mask;
    /// Whether it is larger.
    fn above(self, other: Self) -> Self::Mask;
    /// Whether it is as large or larger.
    fn reaches(self, other: Self) -> Self::Mask;
    /// `then` where `mask`, else `otherwise`.
    fn select(mask: Self::Mask, then: Self, otherwise: Self) -> Self;
    /// The same of two numbers. (An array of two singles LLVM packs into one word: 1.8 times the time of `arcsin`.)
    fn select_pair(mask: Self::Mask, then: (Self, Self), otherwise: (Self, Self)) -> (Self, Self);
    /// The same of several numbers, as one selection.
    fn select_all<const N: usize>(mask: Self::Mask, then: [Self; N], otherwise: [Self; N]) -> [Self; N];

    /// `self 2^floor(k)`: [`Primitive::Scale`](crate::Primitive::Scale), and so on for the following.
    fn scaled(self, k: Self) -> Self;
    /// Clamped to the magnitude of `size`.
    fn bounded(self, size: Self) -> Self;
    /// The remainder by the nearest multiple of 1/16.
    fn fraction(self) -> Self;
    /// The limits of an exponential at infinite `x`, and nan.
    fn limited(self, x: Self) -> Self;
    /// The limits of a logarithm at an `x` that is not positive and finite.
    fn log_limited(self, x: Self) -> Self;
    /// The exponent of 2 of a positive normal number.
    fn exponent(self) -> Self;
    /// The mantissa of a positive normal number, in [3/4, 3/2).
    fn mantissa(self) -> Self;
    /// Whether it is anything but a positive normal number.
    fn is_not_positive_normal(self) -> Self::Mask;
    /// The entry of a table at the index in the lowest four bits of a word.
    fn entry(table: Table, index: Self::Word) -> Self;

    /// A constant in two parts.
    #[inline(always)]
    fn parts((high, low): DoubleWord<Self::Number>) -> DoubleWord<Self> {
        (Self::literal(high), Self::literal(low))
    }
}

/// `f32` or `f64`: a concrete float, and the constants of its width.
pub trait Number: Real<Number = Self, Mask = bool, Word = Self::Bits, Double = f64> + PartialOrd + 'static {
    /// The integer of its width.
    type Bits: Index;

    /// Stored bits of the mantissa.
    const MANTISSA: u32;
    /// The exponent bias.
    const BIAS: u64;
    /// Minus half the bits of a number, this gives the bits of half its inverse square root, within 4 % (Blinn 1997).
    const HALF_INVERSE_ROOT: u64;
    /// Sign, exponent and the upper half of the mantissa.
    const UPPER_HALF: u64;
    /// Adding it rounds a number to an integer, which then lies in the low bits of the sum: 1.5 * 2^MANTISSA.
    ///
    /// Correct for magnitudes below 2^(MANTISSA-1). `as i64` saturates, for which x86 has no instruction before AVX-512, and `round` is a
    /// libm call before SSE4.1.
    const MAGIC: Self;
    /// The least normal number.
    const LEAST_NORMAL: Self;
    /// Infinity.
    const INFINITY: Self;

    /// The magnitude from which on e^x is zero or infinite.
    const EXP_LIMIT: Self;
    /// The largest argument before e^x is nearly infinite.
    const EXP_MAX: Self;
    /// Below it e^x - 1 is -1.
    const EXPM1_FLOOR: Self;
    /// The magnitude from which on sinh x is infinite.
    const SINH_MAX: Self;
    /// The largest magnitude for which asinh and acosh are computed from squares and cubes; they are log 2x long before that.
    const ASINH_MAX: Self;
    /// The largest argument the reduction by pi/2 takes.
    const LARGEST_ANGLE: Self;
    /// The magnitudes for which arctan2 stays in the exponent range; zero is allowed too.
    const ARCTAN2_RANGE: (Self, Self);
    /// The largest exponent `power` takes, below the reach of MAGIC.
    const POWER_LARGEST: Self;

    /// A table.
    fn table(table: Table) -> &'static [Self; 16];

    /// `EXP_STEP` of the coefficients.
    const EXP_STEP: &'static [Self];
    /// `EXP2_STEP` of the coefficients.
    const EXP2_STEP: &'static [Self];
    /// `EXP` of the coefficients.
    const EXP: &'static [Self];
    /// `EXP_TWICE` of the coefficients.
    const EXP_TWICE: &'static [Self];
    /// `SINH_STEP` of the coefficients, of doubles only.
    const SINH_STEP: &'static [Self];
    /// `COSH_STEP` of the coefficients, of doubles only.
    const COSH_STEP: &'static [Self];
    /// `SINH` of the coefficients.
    const SINH: &'static [Self];
    /// `COSH` of the coefficients.
    const COSH: &'static [Self];
    /// `LOG_PLAIN` of the coefficients, of singles only.
    const LOG_PLAIN: &'static [Self];
    /// `ATAN_WIDE` of the coefficients, of singles only.
    const ATAN_WIDE: &'static [Self];
    /// `LOG_STEP` of the coefficients, of singles `LOG_OCTAVE`.
    const LOG_STEP: &'static [Self];
    /// `LOG2_STEP` of the coefficients.
    const LOG2_STEP: &'static [Self];
    /// `LOG10_STEP` of the coefficients.
    const LOG10_STEP: &'static [Self];
    /// `LOG_TAIL` of the coefficients, of singles `LOG2_TAIL`.
    const LOG_TAIL: &'static [Self];
    /// `TAN` of the coefficients.
    const TAN: &'static [Self];
    /// `SIN` of the coefficients.
    const SIN: &'static [Self];
    /// `COS` of the coefficients.
    const COS: &'static [Self];
    /// `ATAN` of the coefficients, of doubles only.
    const ATAN: &'static [Self];
    /// `ASIN` of the coefficients.
    const ASIN: &'static [Self];
    /// `ASINH` of the coefficients, of singles only.
    const ASINH: &'static [Self];
    /// `ACOSH` of the coefficients, of singles only.
    const ACOSH: &'static [Self];
    /// `ATANH` of the coefficients.
    const ATANH: &'static [Self];
    /// `CBRT` of the coefficients.
    const CBRT: &'static [Self];
    /// log 2, the first part exact in products with exponents.
    const LN2: DoubleWord<Self>;
    /// log10 2, the first part exact in products with exponents.
    const LOG10_2: DoubleWord<Self>;
    /// 2/log 2 in two parts.
    const TWO_INV_LN2: DoubleWord<Self>;
    /// pi/2 in two parts.
    const PIO2: DoubleWord<Self>;
    /// pi/2 truncated, and the remainder: both are positive, which keeps the sign of zero.
    const QUARTER: DoubleWord<Self>;
    /// The remainder of pi/2 beyond these two.
    const QUARTER_REST: Self;
    /// pi in two parts.
    const PI: DoubleWord<Self>;
    /// pi, the first part in units of the high angles of the table.
    const PI_CUT: DoubleWord<Self>;

    /// Its bits.
    fn to_bits(self) -> Self::Bits;
    /// The number with these bits.
    fn with_bits(bits: Self::Bits) -> Self;
    /// The nearest number of this type.
    fn rounded(value: f64) -> Self;
    /// The number in double.
    fn wide(self) -> f64;
    /// Whether they are equal; nan raises no flag.
    fn equals_quietly(self, other: Self) -> bool;
    /// The length of the hypotenuse, by the C library.
    fn length(self, other: Self) -> Self;
}

impl<N: Number + Float> Real for N {
    type Word = N::Bits;
    type Mask = bool;
    type Number = N;
    type Double = f64;

    const SHARES_STEPS: bool = false;

    #[inline(always)]
    fn literal(value: N) -> N {
        value
    }
    #[inline(always)]
    fn of(value: f64) -> N {
        N::rounded(value)
    }
    #[inline(always)]
    fn bits(self) -> N::Bits {
        self.to_bits()
    }
    #[inline(always)]
    fn from_bits(bits: N::Bits) -> N {
        N::with_bits(bits)
    }
    #[inline(always)]
    fn double(self) -> f64 {
        self.wide()
    }
    #[inline(always)]
    fn from_double(double: f64) -> N {
        N::rounded(double)
    }
    #[inline(always)]
    fn fma<const FMA: bool>(self, b: N, c: N) -> N {
        if FMA { self.mul_add(b, c) } else { self * b + c }
    }
    #[inline(always)]
    fn sqrt(self) -> N {
        Float::sqrt(self)
    }
    #[inline(always)]
    fn floor(self) -> N {
        Float::floor(self)
    }
    #[inline(always)]
    fn trunc(self) -> N {
        Float::trunc(self)
    }
    #[inline(always)]
    fn abs(self) -> N {
        Float::abs(self)
    }
    #[inline(always)]
    fn copysign(self, sign: N) -> N {
        Float::copysign(self, sign)
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        Float::is_nan(self)
    }
    #[inline(always)]
    fn equals(self, other: N) -> bool {
        self == other
    }
    #[inline(always)]
    fn below(self, other: N) -> bool {
        self < other
    }
    #[inline(always)]
    fn above(self, other: N) -> bool {
        self > other
    }
    #[inline(always)]
    fn reaches(self, other: N) -> bool {
        self >= other
    }
    #[inline(always)]
    fn select(mask: bool, then: N, otherwise: N) -> N {
        if mask { then } else { otherwise }
    }
    #[inline(always)]
    fn select_pair(mask: bool, then: (N, N), otherwise: (N, N)) -> (N, N) {
        if mask { then } else { otherwise }
    }
    #[inline(always)]
    fn select_all<const COUNT: usize>(mask: bool, then: [N; COUNT], otherwise: [N; COUNT]) -> [N; COUNT] {
        if mask { then } else { otherwise }
    }
    #[inline(always)]
    fn scaled(self, k: N) -> N {
        primitives::scale(self, k)
    }
    #[inline(always)]
    fn bounded(self, size: N) -> N {
        primitives::bound(self, size)
    }
    #[inline(always)]
    fn fraction(self) -> N {
        primitives::fraction(self)
    }
    #[inline(always)]
    fn limited(self, x: N) -> N {
        primitives::limit(self, x)
    }
    #[inline(always)]
    fn log_limited(self, x: N) -> N {
        primitives::log_limit(self, x)
    }
    #[inline(always)]
    fn exponent(self) -> N {
        primitives::exponent(self)
    }
    #[inline(always)]
    fn mantissa(self) -> N {
        primitives::mantissa(self)
    }
    #[inline(always)]
    fn is_not_positive_normal(self) -> bool {
        primitives::not_positive_normal(self)
    }
    #[inline(always)]
    fn entry(table: Table, index: N::Bits) -> N {
        primitives::entry(table, index)
    }
}

impl Number for f64 {
    type Bits = u64;

    const MANTISSA: u32 = 52;
    const BIAS: u64 = 1023;
    const HALF_INVERSE_ROOT: u64 = 0x5fd6_eb50_c7b5_37a9;
    const UPPER_HALF: u64 = 0xffff_ffff_0000_0000;
    const MAGIC: f64 = 6_755_399_441_055_744.0;
    const LEAST_NORMAL: f64 = f64::MIN_POSITIVE;
    const INFINITY: f64 = f64::INFINITY;

    const EXP_LIMIT: f64 = 1000.0;
    const EXP_MAX: f64 = 709.0;
    const EXPM1_FLOOR: f64 = -40.0;
    const SINH_MAX: f64 = 711.0;
    const ASINH_MAX: f64 = 1e100;
    const LARGEST_ANGLE: f64 = 1_048_576.0;
    const ARCTAN2_RANGE: (f64, f64) = (1e-290, 1e300);
    const POWER_LARGEST: f64 = 1e15;

    const EXP_STEP: &'static [f64] = &c::EXP_STEP;
    const EXP2_STEP: &'static [f64] = &c::EXP2_STEP;
    const EXP: &'static [f64] = &c::EXP;
    const EXP_TWICE: &'static [f64] = &c::EXP_TWICE;
    const SINH_STEP: &'static [f64] = &c::SINH_STEP;
    const COSH_STEP: &'static [f64] = &c::COSH_STEP;
    const SINH: &'static [f64] = &c::SINH;
    const COSH: &'static [f64] = &c::COSH;
    const LOG_PLAIN: &'static [f64] = &[];
    const ATAN_WIDE: &'static [f64] = &[];
    const LOG_STEP: &'static [f64] = &c::LOG_STEP;
    const LOG2_STEP: &'static [f64] = &c::LOG2_STEP;
    const LOG10_STEP: &'static [f64] = &c::LOG10_STEP;
    const LOG_TAIL: &'static [f64] = &c::LOG_TAIL;
    const TAN: &'static [f64] = &c::TAN;
    const SIN: &'static [f64] = &c::SIN;
    const COS: &'static [f64] = &c::COS;
    const ATAN: &'static [f64] = &c::ATAN;
    const ASIN: &'static [f64] = &c::ASIN;
    const ASINH: &'static [f64] = &[];
    const ACOSH: &'static [f64] = &[];
    const ATANH: &'static [f64] = &c::ATANH;
    const CBRT: &'static [f64] = &c::CBRT;
    const LN2: DoubleWord<f64> = (c::LN2_HI, c::LN2_LO);
    const LOG10_2: DoubleWord<f64> = (c::LOG10_2_HI, c::LOG10_2_LO);
    const TWO_INV_LN2: DoubleWord<f64> = (c::TWO_INV_LN2, c::TWO_INV_LN2_TAIL);
    const PIO2: DoubleWord<f64> = (c::PIO2, c::PIO2_TAIL);
    const QUARTER: DoubleWord<f64> = (c::QUARTER_HI, c::QUARTER_LO);
    const QUARTER_REST: f64 = c::QUARTER_REST;
    const PI: DoubleWord<f64> = (c::PI, c::PI_TAIL);
    const PI_CUT: DoubleWord<f64> = (c::PI_HI, c::PI_LO);

    #[inline(always)]
    fn table(table: Table) -> &'static [f64; 16] {
        match table {
            Table::Powers => &c::POWERS,
            Table::PowersBack => &c::POWERS_BACK,
            Table::OctaveInverses => &c::OCTAVE_INVERSES,
            Table::OctaveLogHigh => &c::OCTAVE_LOG_HIGH,
            Table::OctaveLogLow => &c::OCTAVE_LOG_LOW,
            Table::EighthHigh => &c::EIGHTH_HIGH,
            Table::EighthLow => &c::EIGHTH_LOW,
            Table::CbrtRoots => &c::CBRT_ROOTS,
            Table::CbrtSteps => &c::CBRT_STEPS,
            Table::Inverses => &c::INVERSES,
            Table::LogHigh => &c::LOG_HIGH,
            Table::LogLow => &c::LOG_LOW,
            Table::Log2High => &c::LOG2_HIGH,
            Table::Log2Low => &c::LOG2_LOW,
            Table::Log10High => &c::LOG10_HIGH,
            Table::Log10Low => &c::LOG10_LOW,
            Table::PowerInverses => &c::POWER_INVERSES,
            Table::PowerLog2High => &c::POWER_LOG2_HIGH,
            Table::PowerLog2Low => &c::POWER_LOG2_LOW,
            Table::TanTop => &c::TAN_TOP,
            Table::TanBottom => &c::TAN_BOTTOM,
            Table::AtanTop => &c::ATAN_TOP,
            Table::AtanBottom => &c::ATAN_BOTTOM,
            Table::AtanHigh => &c::ATAN_HIGH,
            Table::AtanLow => &c::ATAN_LOW,
        }
    }
    #[inline(always)]
    fn to_bits(self) -> u64 {
        f64::to_bits(self)
    }
    #[inline(always)]
    fn with_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    #[inline(always)]
    fn rounded(value: f64) -> f64 {
        value
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        self
    }
    #[inline(always)]
    fn equals_quietly(self, other: f64) -> bool {
        self.to_bits() == other.to_bits()
    }
    fn length(self, other: f64) -> f64 {
        self.hypot(other)
    }
}

impl Number for f32 {
    type Bits = u32;

    const MANTISSA: u32 = 23;
    const BIAS: u64 = 127;
    const HALF_INVERSE_ROOT: u64 = 0x5eb7_5a86;
    const UPPER_HALF: u64 = 0xffff_f000;
    const MAGIC: f32 = 12_582_912.0;
    const LEAST_NORMAL: f32 = f32::MIN_POSITIVE;
    const INFINITY: f32 = f32::INFINITY;

    const EXP_LIMIT: f32 = 150.0;
    const EXP_MAX: f32 = 88.0;
    const EXPM1_FLOOR: f32 = -18.0;
    const SINH_MAX: f32 = 90.0;
    const ASINH_MAX: f32 = 1e18;
    const LARGEST_ANGLE: f32 = 65_536.0;
    const ARCTAN2_RANGE: (f32, f32) = (1e-30, 1e37);
    const POWER_LARGEST: f32 = 2e6;

    const EXP_STEP: &'static [f32] = &c::EXP_STEP_F32;
    const EXP2_STEP: &'static [f32] = &c::EXP2_STEP_F32;
    const EXP: &'static [f32] = &c::EXP_F32;
    const EXP_TWICE: &'static [f32] = &c::EXP_TWICE_F32;
    const SINH_STEP: &'static [f32] = &[];
    const COSH_STEP: &'static [f32] = &[];
    const SINH: &'static [f32] = &c::SINH_F32;
    const COSH: &'static [f32] = &c::COSH_F32;
    const LOG_PLAIN: &'static [f32] = &c::LOG_PLAIN_F32;
    const ATAN_WIDE: &'static [f32] = &c::ATAN_WIDE_F32;
    const LOG_STEP: &'static [f32] = &c::LOG_OCTAVE_F32;
    const LOG2_STEP: &'static [f32] = &c::LOG2_STEP_F32;
    const LOG10_STEP: &'static [f32] = &c::LOG10_STEP_F32;
    const LOG_TAIL: &'static [f32] = &c::LOG2_TAIL_F32;
    const TAN: &'static [f32] = &c::TAN_F32;
    const SIN: &'static [f32] = &c::SIN_F32;
    const COS: &'static [f32] = &c::COS_F32;
    const ATAN: &'static [f32] = &[];
    const ASIN: &'static [f32] = &c::ASIN_F32;
    const ASINH: &'static [f32] = &c::ASINH_F32;
    const ACOSH: &'static [f32] = &c::ACOSH_F32;
    const ATANH: &'static [f32] = &c::ATANH_F32;
    const CBRT: &'static [f32] = &c::CBRT_F32;
    const LN2: DoubleWord<f32> = (c::LN2_HI_F32, c::LN2_LO_F32);
    const LOG10_2: DoubleWord<f32> = (c::LOG10_2_HI_F32, c::LOG10_2_LO_F32);
    const TWO_INV_LN2: DoubleWord<f32> = (c::TWO_INV_LN2_F32, c::TWO_INV_LN2_TAIL_F32);
    const PIO2: DoubleWord<f32> = (c::PIO2_F32, c::PIO2_TAIL_F32);
    const QUARTER: DoubleWord<f32> = (c::QUARTER_HI_F32, c::QUARTER_LO_F32);
    const QUARTER_REST: f32 = c::QUARTER_REST_F32;
    const PI: DoubleWord<f32> = (c::PI_F32, c::PI_TAIL_F32);
    const PI_CUT: DoubleWord<f32> = (c::PI_HI_F32, c::PI_LO_F32);

    #[inline(always)]
    fn table(table: Table) -> &'static [f32; 16] {
        match table {
            Table::Powers => &c::POWERS_F32,
            Table::PowersBack => &c::POWERS_BACK_F32,
            Table::OctaveInverses => &c::OCTAVE_INVERSES_F32,
            Table::OctaveLogHigh => &c::OCTAVE_LOG_HIGH_F32,
            Table::OctaveLogLow => &c::OCTAVE_LOG_LOW_F32,
            Table::EighthHigh => &c::EIGHTH_HIGH_F32,
            Table::EighthLow => &c::EIGHTH_LOW_F32,
            Table::CbrtRoots => &c::CBRT_ROOTS_F32,
            Table::CbrtSteps => &c::CBRT_STEPS_F32,
            Table::Inverses => &c::INVERSES_F32,
            Table::LogHigh => &c::LOG_HIGH_F32,
            Table::LogLow => &c::LOG_LOW_F32,
            Table::Log2High => &c::LOG2_HIGH_F32,
            Table::Log2Low => &c::LOG2_LOW_F32,
            Table::Log10High => &c::LOG10_HIGH_F32,
            Table::Log10Low => &c::LOG10_LOW_F32,
            Table::PowerInverses => &c::POWER_INVERSES_F32,
            Table::PowerLog2High => &c::POWER_LOG2_HIGH_F32,
            Table::PowerLog2Low => &c::POWER_LOG2_LOW_F32,
            Table::TanTop => &c::TAN_TOP_F32,
            Table::TanBottom => &c::TAN_BOTTOM_F32,
            Table::AtanTop => &c::ATAN_TOP_F32,
            Table::AtanBottom => &c::ATAN_BOTTOM_F32,
            Table::AtanHigh => &c::ATAN_HIGH_F32,
            Table::AtanLow => &c::ATAN_LOW_F32,
        }
    }
    #[inline(always)]
    fn to_bits(self) -> u32 {
        f32::to_bits(self)
    }
    #[inline(always)]
    fn with_bits(bits: u32) -> f32 {
        f32::from_bits(bits)
    }
    #[inline(always)]
    fn rounded(value: f64) -> f32 {
        value as f32
    }
    #[inline(always)]
    fn wide(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn equals_quietly(self, other: f32) -> bool {
        self.to_bits() == other.to_bits()
    }
    fn length(self, other: f32) -> f32 {
        self.hypot(other)
    }
}
