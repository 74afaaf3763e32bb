//! Element types and scalar values.
//!
//! The fourteen types that kernels compute with, in NumPy's own order. What two types promote to is not decided here:
//! that is the array layer's business. Every other NumPy type (object, string, datetime, long double, structured) never
//! reaches a kernel.

use half::f16;
use num_complex::Complex;
use std::fmt;

/// The type of one array element.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[repr(u8)]
#[allow(missing_docs)] // the names are the documentation
pub enum DType {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    C64,
    C128,
}

/// The broad class of a type; decides which column of the op table computes it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
#[allow(missing_docs)] // the names are the documentation
pub enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
}

struct Row {
    name: &'static str,
    ir: &'static str,
    code: u8,
    kind: Kind,
    size: u8,
}

const fn row(name: &'static str, ir: &'static str, code: u8, kind: Kind, size: u8) -> Row {
    Row { name, ir, code, kind, size }
}

static ROWS: [Row; 14] = [
    row("bool", "bool", b'?', Kind::Bool, 1),
    row("int8", "i8", b'b', Kind::Signed, 1),
    row("uint8", "u8", b'B', Kind::Unsigned, 1),
    row("int16", "i16", b'h', Kind::Signed, 2),
    row("uint16", "u16", b'H', Kind::Unsigned, 2),
    row("int32", "i32", b'i', Kind::Signed, 4),
    row("uint32", "u32", b'I', Kind::Unsigned, 4),
    row("int64", "i64", b'l', Kind::Signed, 8),
    row("uint64", "u64", b'L', Kind::Unsigned, 8),
    row("float16", "f16", b'e', Kind::Float, 2),
    row("float32", "f32", b'f', Kind::Float, 4),
    row("float64", "f64", b'd', Kind::Float, 8),
    row("complex64", "c64", b'F', Kind::Complex, 8),
    row("complex128", "c128", b'D', Kind::Complex, 16),
];

impl DType {
    /// Every type, in NumPy's order.
    pub const ALL: [DType; 14] = {
        use DType::*;
        [Bool, I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64, C64, C128]
    };

    const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// NumPy's name, as in `float64`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The short name used in printed kernels, as in `f64`.
    pub fn ir_name(self) -> &'static str {
        self.row().ir
    }

    /// NumPy's one-letter code, as in `d`; 64-bit integers are `l` and `L`.
    pub fn code(self) -> u8 {
        self.row().code
    }

    /// The type of a one-letter code; `q` and `Q` are accepted for 64-bit integers.
    pub fn from_code(code: u8) -> Option<DType> {
        let code = match code {
            b'q' => b'l',
            b'Q' => b'L',
            other => other,
        };
        DType::ALL.into_iter().find(|d| d.code() == code)
    }

    /// The type of a short name.
    pub fn from_ir_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.ir_name() == name)
    }

    /// Bytes an element takes; also its alignment, except that complex numbers align as their parts.
    #[inline]
    pub const fn size(self) -> usize {
        self.row().size as usize
    }

    /// Alignment in bytes.
    pub fn align(self) -> usize {
        if self.is_complex() { self.size() / 2 } else { self.size() }
    }

    /// The class of the type.
    #[inline]
    pub const fn kind(self) -> Kind {
        self.row().kind
    }

    /// Whether the type is a signed or unsigned integer (not bool).
    #[inline]
    pub fn is_integer(self) -> bool {
        matches!(self.kind(), Kind::Signed | Kind::Unsigned)
    }

    /// Whether the type is a real floating-point type.
    #[inline]
    pub fn is_float(self) -> bool {
        self.kind() == Kind::Float
    }

    /// Whether the type is complex.
    #[inline]
    pub fn is_complex(self) -> bool {
        self.kind() == Kind::Complex
    }

    /// The complex type with parts of this one, if there is one.
    pub fn complex(self) -> Option<DType> {
        match self {
            DType::F32 => Some(DType::C64),
            DType::F64 => Some(DType::C128),
            _ => None,
        }
    }

    /// The type of the real part; the type itself where it is not complex.
    pub const fn real(self) -> DType {
        match self {
            DType::C64 => DType::F32,
            DType::C128 => DType::F64,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value of any type: sixteen bytes, little-endian, of which the first [`DType::size`] count and the rest are zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    dtype: DType,
    bits: u128,
}

impl Scalar {
    /// A value from its bits; those above the type's size are dropped.
    #[inline]
    pub const fn from_bits(dtype: DType, bits: u128) -> Scalar {
        let width = dtype.size() * 8;
        let bits = if width == 128 { bits } else { bits & ((1u128 << width) - 1) };
        Scalar { dtype, bits }
    }

    /// Zero (false) of a type.
    pub fn zero(dtype: DType) -> Scalar {
        Scalar { dtype, bits: 0 }
    }

    /// The value of `x` converted to `dtype` as `astype` converts.
    pub fn new(dtype: DType, x: impl Into<Wide>) -> Scalar {
        x.into().to_scalar(dtype)
    }

    /// The type.
    #[inline]
    pub const fn dtype(self) -> DType {
        self.dtype
    }

    /// The bits, zero above the type's size.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.bits
    }

    /// The bytes in memory order; the first [`DType::size`] are the value.
    pub const fn bytes(self) -> [u8; 16] {
        self.bits.to_le_bytes()
    }

    /// The value, widened without loss within its kind.
    pub fn wide(self) -> Wide {
        let b = self.bits;
        match self.dtype {
            DType::Bool => Wide::Int((b & 0xff != 0) as i128),
            DType::I8 => Wide::Int(b as i8 as i128),
            DType::U8 => Wide::Int(b as u8 as i128),
            DType::I16 => Wide::Int(b as i16 as i128),
            DType::U16 => Wide::Int(b as u16 as i128),
            DType::I32 => Wide::Int(b as i32 as i128),
            DType::U32 => Wide::Int(b as u32 as i128),
            DType::I64 => Wide::Int(b as i64 as i128),
            DType::U64 => Wide::Int(b as u64 as i128),
            DType::F16 => Wide::Float(f16::from_bits(b as u16).to_f64()),
            DType::F32 => Wide::Float(f32::from_bits(b as u32) as f64),
            DType::F64 => Wide::Float(f64::from_bits(b as u64)),
            DType::C64 => Wide::Complex(f32::from_bits(b as u32) as f64, f32::from_bits((b >> 32) as u32) as f64),
            DType::C128 => Wide::Complex(f64::from_bits(b as u64), f64::from_bits((b >> 64) as u64)),
        }
    }

    /// The value converted as `astype` converts.
    pub fn cast(self, to: DType) -> Scalar {
        if self.dtype == to { self } else { self.wide().to_scalar(to) }
    }

    /// The real part as a `f64`.
    pub fn to_f64(self) -> f64 {
        match self.wide() {
            Wide::Int(i) => i as f64,
            Wide::Float(x) | Wide::Complex(x, _) => x,
        }
    }

    /// The value as an integer, truncated where it is a float.
    pub fn to_i64(self) -> i64 {
        match self.wide() {
            Wide::Int(i) => i as i64,
            Wide::Float(x) | Wide::Complex(x, _) => x as i64,
        }
    }

    /// The value as a complex number.
    pub fn to_complex(self) -> Complex<f64> {
        match self.wide() {
            Wide::Int(i) => Complex::new(i as f64, 0.0),
            Wide::Float(x) => Complex::new(x, 0.0),
            Wide::Complex(re, im) => Complex::new(re, im),
        }
    }

    /// Whether the value counts as true.
    pub fn truth(self) -> bool {
        match self.wide() {
            Wide::Int(i) => i != 0,
            Wide::Float(x) => x != 0.0,
            Wide::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}:{}", self.dtype.ir_name())
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.wide() {
            Wide::Int(i) => write!(f, "{i}"),
            Wide::Float(x) => write!(f, "{x:?}"),
            Wide::Complex(re, im) => write!(f, "({re:?}, {im:?})"),
        }
    }
}

/// A value of unlimited width within its kind: the way between two [`Scalar`] types.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)] // the names are the documentation
pub enum Wide {
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

impl Wide {
    /// The value as `dtype`: integers wrap, floats truncate towards zero (out of range as the hardware does: the
    /// smallest integer for 32 bits and more, through `i32` or `i64` for narrower types), complex drop the imaginary part.
    pub fn to_scalar(self, dtype: DType) -> Scalar {
        let re = || match self {
            // From 64 bits it is an instruction; from 128 a function, which took a tenth of `zeros(10)`.
            Wide::Int(i) => i64::try_from(i).map_or_else(|_| i as f64, |i| i as f64),
            Wide::Float(x) | Wide::Complex(x, _) => x,
        };
        let int = || match self {
            Wide::Int(i) => i,
            Wide::Float(x) | Wide::Complex(x, _) => float_to_int(x, dtype),
        };
        let bits = match dtype {
            DType::Bool => match self {
                Wide::Int(i) => (i != 0) as u128,
                Wide::Float(x) => (x != 0.0) as u128,
                Wide::Complex(re, im) => (re != 0.0 || im != 0.0) as u128,
            },
            DType::I8 | DType::U8 => int() as u8 as u128,
            DType::I16 | DType::U16 => int() as u16 as u128,
            DType::I32 | DType::U32 => int() as u32 as u128,
            DType::I64 | DType::U64 => int() as u64 as u128,
            DType::F16 => f16::from_f32_const(to_odd_single(re())).to_bits() as u128,
            DType::F32 => (re() as f32).to_bits() as u128,
            DType::F64 => re().to_bits() as u128,
            DType::C64 | DType::C128 => {
                let im = if let Wide::Complex(_, im) = self { im } else { 0.0 };
                if dtype == DType::C64 {
                    (re() as f32).to_bits() as u128 | ((im as f32).to_bits() as u128) << 32
                } else {
                    re().to_bits() as u128 | (im.to_bits() as u128) << 64
                }
            }
        };
        Scalar::from_bits(dtype, bits)
    }
}

/// What `cvttsd2si` gives, and what C compilers make of the types it lacks: NumPy's casts are C casts.
fn float_to_int(x: f64, to: DType) -> i128 {
    let fits = |lo: f64, hi: f64| x >= lo && x < hi;
    match to {
        DType::U64 if fits(0.0, 18446744073709551616.0) => x as u64 as i128,
        DType::U64 if x >= 18446744073709551616.0 => 0,
        DType::I64 | DType::U64 | DType::U32 if fits(-9223372036854775808.0, 9223372036854775808.0) => x as i64 as i128,
        DType::I64 | DType::U64 | DType::U32 => i64::MIN as i128,
        _ if fits(-2147483649.0 + f64::EPSILON, 2147483648.0) => x as i32 as i128,
        _ => i32::MIN as i128,
    }
}

impl From<f64> for Wide {
    fn from(x: f64) -> Wide {
        Wide::Float(x)
    }
}

impl From<i64> for Wide {
    fn from(x: i64) -> Wide {
        Wide::Int(x as i128)
    }
}

impl From<bool> for Wide {
    fn from(x: bool) -> Wide {
        Wide::Int(x as i128)
    }
}

impl From<Complex<f64>> for Wide {
    fn from(x: Complex<f64>) -> Wide {
        Wide::Complex(x.re, x.im)
    }
}
/// `x` in single precision, rounded so that rounding the result once more loses nothing: where bits are lost, the last one of
/// those that stay is odd.
#[inline(always)]
pub(crate) fn to_odd_single(x: f64) -> f32 {
    let single = x as f32;
    let back = single as f64;
    if back == x || x.is_nan() {
        return single;
    }
    let toward_zero = single.to_bits() - (back.abs() > x.abs()) as u32;
    f32::from_bits(toward_zero | 1)
}
