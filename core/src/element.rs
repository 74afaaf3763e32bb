//! Rust types that are array elements.

use fastnp_codegen::{DType, Scalar};
use num_complex::Complex;

/// A Rust type that an array can hold.
pub trait Element: Copy + Send + Sync + 'static {
    /// The array type.
    const DTYPE: DType;

    /// As a scalar of that type.
    fn scalar(self) -> Scalar;
}

macro_rules! elements {
    ($($t:ty => $d:ident, $x:ident: $bits:expr;)*) => {
        $(impl Element for $t {
            const DTYPE: DType = DType::$d;
            fn scalar(self) -> Scalar {
                let $x = self;
                Scalar::from_bits(DType::$d, $bits)
            }
        })*
    };
}

elements! {
    bool => Bool, x: x as u128;
    i8 => I8, x: x as u8 as u128;
    u8 => U8, x: x as u128;
    i16 => I16, x: x as u16 as u128;
    u16 => U16, x: x as u128;
    i32 => I32, x: x as u32 as u128;
    u32 => U32, x: x as u128;
    i64 => I64, x: x as u64 as u128;
    u64 => U64, x: x as u128;
    half::f16 => F16, x: x.to_bits() as u128;
    f32 => F32, x: x.to_bits() as u128;
    f64 => F64, x: x.to_bits() as u128;
    Complex<f32> => C64, x: x.re.to_bits() as u128 | (x.im.to_bits() as u128) << 32;
    Complex<f64> => C128, x: x.re.to_bits() as u128 | (x.im.to_bits() as u128) << 64;
}

/// Writes an element to an address of array memory that nothing pending touches.
#[inline]
pub(crate) fn write(address: *mut u8, value: Scalar) {
    let size = value.dtype().size();
    // SAFETY: callers pass the address of an element of the value's type, and hold the engine's lock.
    unsafe { std::ptr::copy_nonoverlapping(value.bytes().as_ptr(), address, size) };
}

/// The element at an address of settled array memory.
#[inline]
pub(crate) fn read(address: *const u8, dtype: DType) -> Scalar {
    let mut bytes = [0u8; 16];
    // SAFETY: callers pass the address of an element of an array whose memory is settled; it has `size` bytes.
    unsafe { std::ptr::copy_nonoverlapping(address, bytes.as_mut_ptr(), dtype.size()) };
    Scalar::from_bits(dtype, u128::from_le_bytes(bytes))
}
