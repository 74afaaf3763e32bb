//! The one op table: every scalar primitive a fragment may apply, declared once.
//!
//! A row gives an op's name (NumPy's; of a ufunc of several results each is an op), arguments, loops (the type codes NumPy computes it in, in NumPy's order), result,
//! floating-point effects, domain for generated tests, cost, and its scalar definition for each class of types.
//! The enum, the queries below, the interpreter's loops, the Python ufuncs, their documentation and the generated
//! comparisons with NumPy all follow from [`for_each_op!`](crate::for_each_op). Three places match on ops besides: the decompositions of
//! [`expand`](mod@crate::expand) (ops that are several instructions), CUDA's spelling (every op) and x86's instructions (ops that are
//! one). Which ops reductions and scans repeat, says [`crate::ir::fold`].
//!
//! Definitions are expressions in the row's argument names, except that those of class `elementary` (real floats) name a
//! function of [`crate::math`]. `float16` has no column: it is computed as `float32` and rounded after every op, as NumPy
//! does; `FMA` says whether the instruction set fuses. Methods used by the definitions live in `portable/loops`, where `C` names the C library's complex functions.

use crate::ir::dtype::Kind;
use std::fmt;

/// Calls `$callback!` with the rows of the op table.
///
/// ```text
/// Variant "name" (args) "loops" -> result, effects, domain, cost, "doc" { class: definition; ... }
/// ```
///
/// Result: `same` (type of the last argument), `bool`, `real` (the real counterpart), `byte` (`uint8`), or `int` (`int32`). Classes: `bool`,
/// `int` (`sint` and `uint` where they differ), `float` or `elementary`, `complex`.
#[macro_export]
macro_rules! for_each_op {
    ($callback:ident) => {
        $callback! {
// --- arithmetic
Add "add" (a, b) "?bBhHiIlLefdFD" -> same, OVERFLOW | INVALID, Any, 1,
    "Sum of the arguments, element by element; integers wrap, booleans are or-ed."
    { bool: a | b; int: a.wrapping_add(b); float: a + b; complex: a + b; }
Subtract "subtract" (a, b) "bBhHiIlLefdFD" -> same, OVERFLOW | INVALID, Any, 1,
    "Difference of the arguments, element by element; integers wrap."
    { int: a.wrapping_sub(b); float: a - b; complex: a - b; }
Multiply "multiply" (a, b) "?bBhHiIlLefdFD" -> same, OVERFLOW | UNDERFLOW | INVALID, Any, 1,
    "Product of the arguments, element by element; integers wrap, booleans are and-ed."
    { bool: a & b; int: a.wrapping_mul(b); float: a * b; complex: a.product::<FMA>(b); }
Divide "divide" (a, b) "efdFD" -> same, DIVIDE | OVERFLOW | UNDERFLOW | INVALID, Any, 4,
    "Quotient of the arguments, element by element; integers divide as floats."
    { float: a / b; complex: a.quotient(b); }
FloorDivide "floor_divide" (a, b) "bBhHiIlLefd" -> same, DIVIDE | OVERFLOW | UNDERFLOW | INVALID, Any, 8,
    "Largest whole number not above the quotient, element by element."
    { int: a.floor_divide(b); float: a.floor_divide(b); }
Remainder "remainder" (a, b) "bBhHiIlLefd" -> same, DIVIDE | INVALID, Any, 8,
    "What floor division leaves, with the divisor's sign, element by element."
    { int: a.remainder(b); float: a.remainder(b); }
Fmod "fmod" (a, b) "bBhHiIlLefd" -> same, DIVIDE | INVALID, Any, 8,
    "What truncating division leaves, with the dividend's sign, element by element."
    { int: a.fmod(b); float: a.fmod(b); }
Power "power" (a, b) "bBhHiIlLefdFD" -> same, DIVIDE | OVERFLOW | UNDERFLOW | INVALID, Small, 24,
    "First argument raised to the second, element by element."
    { int: a.power(b); elementary: Power; complex: a.power(b); }
Negative "negative" (a) "bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "The argument with its sign turned, element by element; integers wrap."
    { int: a.wrapping_neg(); float: -a; complex: -a; }
Positive "positive" (a) "bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "The argument itself, element by element."
    { int: a; float: a; complex: a; }
Absolute "absolute" (a) "?bBhHiIlLefdFD" -> real, OVERFLOW, Any, 1,
    "Magnitude of the argument, element by element."
    { bool: a; sint: a.wrapping_abs(); uint: a; float: a.abs(); complex: a.magnitude(); }
Fabs "fabs" (a) "efd" -> same, NONE, Any, 1,
    "Magnitude of a real argument, element by element."
    { float: a.abs(); }
Sign "sign" (a) "bBhHiIlLefdFD" -> same, OVERFLOW | UNDERFLOW, Any, 2,
    "Minus one, zero or one by the argument's sign, element by element; complex numbers are divided by their magnitude."
    { int: a.sign(); float: a.sign(); complex: a.sign(); }
Reciprocal "reciprocal" (a) "bBhHiIlLefdFD" -> same, DIVIDE | OVERFLOW | UNDERFLOW | INVALID, Any, 4,
    "One over the argument, element by element; integers truncate."
    { int: a.reciprocal(); float: 1.0 / a; complex: a.reciprocal(); }
Square "square" (a) "bBhHiIlLefdFD" -> same, OVERFLOW | UNDERFLOW | INVALID, Any, 1,
    "The argument times itself, element by element."
    { int: a.wrapping_mul(a); float: a * a; complex: a.product::<FMA>(a); }
Conjugate "conjugate" (a) "bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "Complex conjugate of the argument, element by element."
    { int: a; float: a; complex: a.conj(); }
Maximum "maximum" (a, b) "?bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "Larger of the arguments, element by element; nan where either is nan."
    { bool: a | b; int: a.max(b); float: a.larger(b); complex: a.larger(b); }
Minimum "minimum" (a, b) "?bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "Smaller of the arguments, element by element; nan where either is nan."
    { bool: a & b; int: a.min(b); float: a.smaller(b); complex: a.smaller(b); }
Fmax "fmax" (a, b) "?bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "Larger of the arguments, element by element; the other one where one is nan."
    { bool: a | b; int: a.max(b); float: a.fmax(b); complex: a.fmax(b); }
Fmin "fmin" (a, b) "?bBhHiIlLefdFD" -> same, NONE, Any, 1,
    "Smaller of the arguments, element by element; the other one where one is nan."
    { bool: a & b; int: a.min(b); float: a.fmin(b); complex: a.fmin(b); }
Copysign "copysign" (a, b) "efd" -> same, NONE, Any, 1,
    "First argument with the sign of the second, element by element."
    { float: a.copysign(b); }
Nextafter "nextafter" (a, b) "efd" -> same, OVERFLOW | UNDERFLOW, Any, 8,
    "The number next to the first argument in the direction of the second, element by element."
    { float: a.nextafter(b); }
Spacing "spacing" (a) "efd" -> same, OVERFLOW | UNDERFLOW, Any, 8,
    "Distance from the argument to the nearest number of larger magnitude, element by element."
    { float: a.spacing(); }
Heaviside "heaviside" (a, b) "efd" -> same, NONE, Any, 2,
    "Zero, the second argument or one, where the first is negative, zero or positive, element by element."
    { float: a.heaviside(b); }
Ldexp "ldexp" (a, b) "efd" -> same, OVERFLOW | UNDERFLOW, Any, 8,
    "The first argument times two to the power of the second's floor, element by element, rounded once; nan where that is nan."
    { float: a.ldexp(b); }
FrexpMantissa "frexp_mantissa" (a) "efd" -> same, NONE, Any, 4,
    "The argument by the power of two that brings its magnitude to 1/2 or more, below 1, element by element; zero, infinity and nan themselves."
    { float: a.frexp_mantissa(); }
FrexpExponent "frexp_exponent" (a) "efd" -> int, NONE, Any, 4,
    "The exponent of that power of two, by which the mantissa becomes the argument, element by element; 0 of zero, infinity and nan."
    { float: a.frexp_exponent(); }
Gcd "gcd" (a, b) "bBhHiIlL" -> same, NONE, Any, 60,
    "Greatest common divisor of the arguments, element by element."
    { int: a.gcd(b); }
Lcm "lcm" (a, b) "bBhHiIlL" -> same, NONE, Any, 80,
    "Lowest common multiple of the arguments, element by element."
    { int: a.lcm(b); }
// --- rounding
Rint "rint" (a) "efdFD" -> same, NONE, Any, 1,
    "The nearest whole number, halves to even, element by element."
    { float: a.round_ties_even(); complex: a.each(|x| x.round_ties_even()); }
Floor "floor" (a) "?bBhHiIlLefd" -> same, NONE, Any, 1,
    "The largest whole number not above the argument, element by element."
    { bool: a; int: a; float: a.floor(); }
Ceil "ceil" (a) "?bBhHiIlLefd" -> same, NONE, Any, 1,
    "The smallest whole number not below the argument, element by element."
    { bool: a; int: a; float: a.ceil(); }
Trunc "trunc" (a) "?bBhHiIlLefd" -> same, NONE, Any, 1,
    "The argument without its fraction, element by element."
    { bool: a; int: a; float: a.trunc(); }
// --- roots, exponentials, logarithms
Sqrt "sqrt" (a) "efdFD" -> same, UNDERFLOW | INVALID, Positive, 6,
    "Square root of the argument, element by element."
    { float: a.sqrt(); complex: a.elementary(C::Sqrt); }
Cbrt "cbrt" (a) "efd" -> same, NONE, Any, 20,
    "Cube root of the argument, element by element."
    { elementary: Cbrt; }
Exp "exp" (a) "efdFD" -> same, OVERFLOW | UNDERFLOW, Small, 10,
    "e raised to the argument, element by element."
    { elementary: Exp; complex: a.elementary(C::Exp); }
Exp2 "exp2" (a) "efdFD" -> same, OVERFLOW | UNDERFLOW, Small, 10,
    "Two raised to the argument, element by element."
    { elementary: Exp2; complex: ComplexNumber::exp2(a); }
Expm1 "expm1" (a) "efdFD" -> same, OVERFLOW, Small, 12,
    "e raised to the argument, less one, exact near zero, element by element."
    { elementary: Expm1; complex: a.expm1(); }
Log "log" (a) "efdFD" -> same, DIVIDE | INVALID, Positive, 12,
    "Natural logarithm of the argument, element by element."
    { elementary: Log; complex: a.elementary(C::Log); }
Log2 "log2" (a) "efdFD" -> same, DIVIDE | INVALID, Positive, 12,
    "Logarithm to base two of the argument, element by element."
    { elementary: Log2; complex: ComplexNumber::log2(a); }
Log10 "log10" (a) "efdFD" -> same, DIVIDE | INVALID, Positive, 12,
    "Logarithm to base ten of the argument, element by element."
    { elementary: Log10; complex: ComplexNumber::log10(a); }
Log1p "log1p" (a) "efdFD" -> same, DIVIDE | INVALID, Positive, 14,
    "Natural logarithm of one plus the argument, exact near zero, element by element."
    { elementary: Log1p; complex: a.log1p(); }
Logaddexp "logaddexp" (a, b) "efd" -> same, OVERFLOW | UNDERFLOW | INVALID, Small, 26,
    "Logarithm of the sum of the exponentials of the arguments, element by element."
    { elementary: Logaddexp; }
Logaddexp2 "logaddexp2" (a, b) "efd" -> same, OVERFLOW | UNDERFLOW | INVALID, Small, 26,
    "Logarithm to base two of the sum of two raised to the arguments, element by element."
    { elementary: Logaddexp2; }
// --- trigonometry
Sin "sin" (a) "efdFD" -> same, INVALID, Any, 16,
    "Sine of an angle in radians, element by element."
    { elementary: Sin; complex: a.elementary(C::Sin); }
Cos "cos" (a) "efdFD" -> same, INVALID, Any, 16,
    "Cosine of an angle in radians, element by element."
    { elementary: Cos; complex: a.elementary(C::Cos); }
Tan "tan" (a) "efdFD" -> same, INVALID, Any, 20,
    "Tangent of an angle in radians, element by element."
    { elementary: Tan; complex: a.elementary(C::Tan); }
Arcsin "arcsin" (a) "efdFD" -> same, INVALID, Unit, 20,
    "Angle in radians whose sine is the argument, element by element."
    { elementary: Arcsin; complex: a.elementary(C::Asin); }
Arccos "arccos" (a) "efdFD" -> same, INVALID, Unit, 20,
    "Angle in radians whose cosine is the argument, element by element."
    { elementary: Arccos; complex: a.elementary(C::Acos); }
Arctan "arctan" (a) "efdFD" -> same, NONE, Any, 20,
    "Angle in radians whose tangent is the argument, element by element."
    { elementary: Arctan; complex: a.elementary(C::Atan); }
Arctan2 "arctan2" (a, b) "efd" -> same, UNDERFLOW, Any, 26,
    "Angle in radians of the point whose height is the first argument and whose abscissa is the second, element by element."
    { elementary: Arctan2; }
Hypot "hypot" (a, b) "efd" -> same, OVERFLOW | UNDERFLOW, Any, 8,
    "Length of the hypotenuse over the arguments, element by element."
    { elementary: Hypot; }
Sinh "sinh" (a) "efdFD" -> same, OVERFLOW, Small, 20,
    "Hyperbolic sine of the argument, element by element."
    { elementary: Sinh; complex: a.elementary(C::Sinh); }
Cosh "cosh" (a) "efdFD" -> same, OVERFLOW, Small, 20,
    "Hyperbolic cosine of the argument, element by element."
    { elementary: Cosh; complex: a.elementary(C::Cosh); }
Tanh "tanh" (a) "efdFD" -> same, NONE, Any, 20,
    "Hyperbolic tangent of the argument, element by element."
    { elementary: Tanh; complex: a.elementary(C::Tanh); }
Arcsinh "arcsinh" (a) "efdFD" -> same, NONE, Any, 24,
    "Number whose hyperbolic sine is the argument, element by element."
    { elementary: Arcsinh; complex: a.elementary(C::Asinh); }
Arccosh "arccosh" (a) "efdFD" -> same, INVALID, AboveOne, 24,
    "Number whose hyperbolic cosine is the argument, element by element."
    { elementary: Arccosh; complex: a.elementary(C::Acosh); }
Arctanh "arctanh" (a) "efdFD" -> same, DIVIDE | INVALID, Unit, 24,
    "Number whose hyperbolic tangent is the argument, element by element."
    { elementary: Arctanh; complex: a.elementary(C::Atanh); }
Deg2rad "deg2rad" (a) "efd" -> same, UNDERFLOW, Any, 1,
    "Degrees as radians, element by element."
    { float: a.deg2rad(); }
Radians "radians" (a) "efd" -> same, UNDERFLOW, Any, 1,
    "Degrees as radians, element by element; a ufunc of its own in NumPy, and in warnings."
    { float: a.deg2rad(); }
Rad2deg "rad2deg" (a) "efd" -> same, OVERFLOW | UNDERFLOW, Any, 1,
    "Radians as degrees, element by element."
    { float: a.rad2deg(); }
Degrees "degrees" (a) "efd" -> same, OVERFLOW | UNDERFLOW, Any, 1,
    "Radians as degrees, element by element; a ufunc of its own in NumPy, and in warnings."
    { float: a.rad2deg(); }
// --- bits
BitwiseAnd "bitwise_and" (a, b) "?bBhHiIlL" -> same, NONE, Any, 1,
    "Bits set in both arguments, element by element."
    { bool: a & b; int: a & b; }
BitwiseOr "bitwise_or" (a, b) "?bBhHiIlL" -> same, NONE, Any, 1,
    "Bits set in either argument, element by element."
    { bool: a | b; int: a | b; }
BitwiseXor "bitwise_xor" (a, b) "?bBhHiIlL" -> same, NONE, Any, 1,
    "Bits set in just one argument, element by element."
    { bool: a ^ b; int: a ^ b; }
Invert "invert" (a) "?bBhHiIlL" -> same, NONE, Any, 1,
    "Every bit turned, element by element; booleans are negated."
    { bool: !a; int: !a; }
LeftShift "left_shift" (a, b) "bBhHiIlL" -> same, NONE, Any, 1,
    "Bits moved left by the second argument, element by element; zero from the width on."
    { int: a.left_shift(b); }
RightShift "right_shift" (a, b) "bBhHiIlL" -> same, NONE, Any, 1,
    "Bits moved right by the second argument, element by element; only the sign is left from the width on."
    { int: a.right_shift(b); }
BitwiseCount "bitwise_count" (a) "bBhHiIlL" -> byte, NONE, Any, 2,
    "How many bits of the magnitude are set, element by element."
    { int: a.bitwise_count(); }
// --- comparison
Equal "equal" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the arguments are equal, element by element."
    { bool: a == b; int: a == b; float: a == b; complex: a == b; }
NotEqual "not_equal" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the arguments differ, element by element."
    { bool: a != b; int: a != b; float: a != b; complex: a != b; }
Less "less" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the first argument is smaller, element by element."
    { bool: !a & b; int: a < b; float: a < b; complex: a.less(b); }
LessEqual "less_equal" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the first argument is not larger, element by element."
    { bool: !a | b; int: a <= b; float: a <= b; complex: a.less_equal(b); }
Greater "greater" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the first argument is larger, element by element."
    { bool: a & !b; int: a > b; float: a > b; complex: b.less(a); }
GreaterEqual "greater_equal" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the first argument is not smaller, element by element."
    { bool: a | !b; int: a >= b; float: a >= b; complex: b.less_equal(a); }
// --- logic and classification
LogicalAnd "logical_and" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether both arguments are true, element by element."
    { bool: a & b; int: (a != 0) & (b != 0); float: (a != 0.0) & (b != 0.0); complex: a.truth() & b.truth(); }
LogicalOr "logical_or" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether an argument is true, element by element."
    { bool: a | b; int: (a != 0) | (b != 0); float: (a != 0.0) | (b != 0.0); complex: a.truth() | b.truth(); }
LogicalXor "logical_xor" (a, b) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether just one argument is true, element by element."
    { bool: a ^ b; int: (a != 0) ^ (b != 0); float: (a != 0.0) ^ (b != 0.0); complex: a.truth() ^ b.truth(); }
LogicalNot "logical_not" (a) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the argument is false, element by element."
    { bool: !a; int: a == 0; float: a == 0.0; complex: !a.truth(); }
Isnan "isnan" (a) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the argument is not a number, element by element."
    { bool: a & false; int: a != a; float: a.is_nan(); complex: a.re.is_nan() | a.im.is_nan(); }
Isinf "isinf" (a) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the argument is infinite, element by element."
    { bool: a & false; int: a != a; float: a.is_infinite(); complex: a.re.is_infinite() | a.im.is_infinite(); }
Isfinite "isfinite" (a) "?bBhHiIlLefdFD" -> bool, NONE, Any, 1,
    "Whether the argument is neither infinite nor nan, element by element."
    { bool: a | true; int: a == a; float: a.is_finite(); complex: a.re.is_finite() & a.im.is_finite(); }
Signbit "signbit" (a) "efd" -> bool, NONE, Any, 1,
    "Whether the argument's sign bit is set, element by element."
    { float: a.is_sign_negative(); }
        }
    };
}

/// What an op may raise in the floating-point status word, as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct FpFlags(pub u8);

impl FpFlags {
    /// Nothing.
    pub const NONE: FpFlags = FpFlags(0);
    /// Division of a non-zero number by zero, or a pole.
    pub const DIVIDE: FpFlags = FpFlags(1);
    /// A result too large for the type.
    pub const OVERFLOW: FpFlags = FpFlags(2);
    /// A result too small to be a normal number.
    pub const UNDERFLOW: FpFlags = FpFlags(4);
    /// No result: nan from numbers.
    pub const INVALID: FpFlags = FpFlags(8);
    /// All of them.
    pub const ALL: FpFlags = FpFlags(15);

    /// Whether no flag is set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flags, one by one.
    pub fn each(self) -> impl Iterator<Item = FpFlags> {
        (0..4).map(|bit| FpFlags(1 << bit)).filter(move |&flag| self.contains(flag))
    }

    /// Whether every flag of `other` is set.
    pub fn contains(self, other: FpFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for FpFlags {
    type Output = FpFlags;
    fn bitor(self, other: FpFlags) -> FpFlags {
        FpFlags(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for FpFlags {
    fn bitor_assign(&mut self, other: FpFlags) {
        self.0 |= other.0;
    }
}

impl std::ops::BitAnd for FpFlags {
    type Output = FpFlags;
    fn bitand(self, other: FpFlags) -> FpFlags {
        FpFlags(self.0 & other.0)
    }
}

/// How an op's result type follows from the type it computes in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultRule {
    /// The type of the arguments.
    Same,
    /// Bool.
    Bool,
    /// The real counterpart of a complex type, else the same.
    Real,
    /// Uint8.
    Byte,
    /// Int32, the `int` of C.
    Int,
}

/// Values that make sense as arguments; generated tests draw from them, and from nan, inf and signed zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the names are the documentation
pub enum Domain {
    Any,
    Small,
    Positive,
    Unit,
    AboveOne,
}

/// One row of the op table.
#[derive(Debug)]
pub struct OpRow {
    /// NumPy's name.
    pub name: &'static str,
    /// How many arguments.
    pub arity: u8,
    /// Type codes of the loops, in the order NumPy searches them.
    pub loops: &'static str,
    /// The result's type.
    pub result: ResultRule,
    /// Floating-point flags it may raise.
    pub effects: FpFlags,
    /// Whether its real definition is a function of [`crate::math`].
    pub elementary: bool,
    /// Where its arguments lie.
    pub domain: Domain,
    /// Rough cost of an element in units of an addition.
    pub cost: u8,
    /// First sentence of the Python docstring.
    pub doc: &'static str,
}

macro_rules! result_rule {
    (same) => {
        ResultRule::Same
    };
    (bool) => {
        ResultRule::Bool
    };
    (real) => {
        ResultRule::Real
    };
    (byte) => {
        ResultRule::Byte
    };
    (int) => {
        ResultRule::Int
    };
}

const fn is_elementary(class: &str) -> bool {
    matches!(class.as_bytes(), b"elementary")
}

macro_rules! declare_ops {
    ($($Op:ident $name:literal ($($arg:ident),+) $loops:literal -> $result:ident,
       $fx:ident $(| $fx2:ident)*, $domain:ident, $cost:literal, $doc:literal
       { $($class:ident: $body:expr;)* })*) => {
        /// A scalar primitive.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Op { $(#[doc = $doc] $Op),* }

        static ROWS: &[OpRow] = &[$(OpRow {
            name: $name,
            arity: [$(stringify!($arg)),+].len() as u8,
            loops: $loops,
            result: result_rule!($result),
            effects: FpFlags(FpFlags::$fx.0 $(| FpFlags::$fx2.0)*),
            elementary: $(is_elementary(stringify!($class)) |)* false,
            domain: Domain::$domain,
            cost: $cost,
            doc: $doc,
        }),*];

        impl Op {
            /// Every op, in table order.
            pub const ALL: &'static [Op] = &[$(Op::$Op),*];
        }
    };
}

for_each_op!(declare_ops);

impl Op {
    /// The op's row.
    #[inline]
    pub fn row(self) -> &'static OpRow {
        &ROWS[self as usize]
    }

    /// NumPy's name; of one of several results, the ufunc's and the result's.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How many arguments.
    #[inline]
    pub fn arity(self) -> usize {
        self.row().arity as usize
    }

    /// The op of a name.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.iter().copied().find(|op| op.name() == name)
    }

    /// Whether there is a loop in `dtype`.
    pub fn has_loop(self, dtype: crate::DType) -> bool {
        self.row().loops.as_bytes().contains(&dtype.code())
    }

    /// Floating-point flags it may raise when computing in `dtype`: the row's; of integers only divisions do (the smallest by -1 overflows), of
    /// magnitudes those of complex numbers; and all for elementary functions of complex numbers, which are made of several real ones.
    pub fn effects(self, dtype: crate::DType) -> FpFlags {
        let row = self.row();
        match dtype.kind() {
            Kind::Signed | Kind::Unsigned if row.effects.contains(FpFlags::DIVIDE) => row.effects | FpFlags::OVERFLOW,
            Kind::Bool | Kind::Signed | Kind::Unsigned => FpFlags::NONE,
            Kind::Float if self == Op::Absolute => FpFlags::NONE,
            Kind::Complex if row.elementary => {
                FpFlags::DIVIDE | FpFlags::OVERFLOW | FpFlags::UNDERFLOW | FpFlags::INVALID
            }
            Kind::Float | Kind::Complex => row.effects,
        }
    }

    /// The type of the result when computing in `dtype`.
    #[inline]
    pub fn result(self, dtype: crate::DType) -> crate::DType {
        match self.row().result {
            ResultRule::Same => dtype,
            ResultRule::Bool => crate::DType::Bool,
            ResultRule::Real => dtype.real(),
            ResultRule::Byte => crate::DType::U8,
            ResultRule::Int => crate::DType::I32,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
