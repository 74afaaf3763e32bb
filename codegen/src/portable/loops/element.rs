//! Element types as Rust types.
//!
//! `bool` is read as a byte that is false when zero and written as 0 or 1, so that foreign memory cannot make an invalid
//! Rust `bool`.

use crate::DType;
use half::f16;
use num_complex::Complex;

/// A type that arrays hold.
pub(crate) trait Element: Copy + 'static {
    /// Its name in the IR.
    const DTYPE: DType;
    /// The type of its magnitude.
    type Real: Element;
    /// Whether it is a float or made of floats.
    const FLOATING: bool = matches!(Self::DTYPE, DType::F16 | DType::F32 | DType::F64 | DType::C64 | DType::C128);
}

/// A bool in memory.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct B8(pub(crate) u8);

impl From<bool> for B8 {
    #[inline(always)]
    fn from(x: bool) -> B8 {
        B8(x as u8)
    }
}

impl B8 {
    /// The value.
    #[inline(always)]
    pub(crate) fn get(self) -> bool {
        self.0 != 0
    }
}

macro_rules! elements {
    ($($T:ty, $name:ident, $Real:ty;)*) => {
        $(impl Element for $T {
            const DTYPE: DType = DType::$name;
            type Real = $Real;
        })*
    };
}

elements! {
    B8, Bool, B8;
    i8, I8, i8;
    u8, U8, u8;
    i16, I16, i16;
    u16, U16, u16;
    i32, I32, i32;
    u32, U32, u32;
    i64, I64, i64;
    u64, U64, u64;
    f16, F16, f16;
    f32, F32, f32;
    f64, F64, f64;
    Complex<f32>, C64, f32;
    Complex<f64>, C128, f64;
}
