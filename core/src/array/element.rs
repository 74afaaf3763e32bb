//! Rust types that are array elements.

use fastnp_codegen::{DType, Scalar};
use half::f16;
use num_complex::Complex;

/// A Rust type that an array can hold: the counterpart of a [`DType`], and nothing else, since memory is read as it.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// The array type.
    const DTYPE: DType;

    /// As a scalar of that type.
    ///
    /// ```
    /// use fastnp::{DType, Element};
    /// assert_eq!(2.5f32.scalar().dtype(), DType::F32);
    /// assert_eq!((-3i16).scalar().to_i64(), -3);
    /// ```
    fn scalar(self) -> Scalar {
        read((&raw const self).cast(), Self::DTYPE)
    }
}

mod sealed {
    use half::f16;
    use num_complex::Complex;

    /// Keeps [`Element`](super::Element) to the types of this file.
    pub trait Sealed {}

    impl Sealed for bool {}
    impl Sealed for i8 {}
    impl Sealed for u8 {}
    impl Sealed for i16 {}
    impl Sealed for u16 {}
    impl Sealed for i32 {}
    impl Sealed for u32 {}
    impl Sealed for i64 {}
    impl Sealed for u64 {}
    impl Sealed for f16 {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl Sealed for Complex<f32> {}
    impl Sealed for Complex<f64> {}
}

impl Element for bool {
    const DTYPE: DType = DType::Bool;
}

impl Element for i8 {
    const DTYPE: DType = DType::I8;
}

impl Element for u8 {
    const DTYPE: DType = DType::U8;
}

impl Element for i16 {
    const DTYPE: DType = DType::I16;
}

impl Element for u16 {
    const DTYPE: DType = DType::U16;
}

impl Element for i32 {
    const DTYPE: DType = DType::I32;
}

impl Element for u32 {
    const DTYPE: DType = DType::U32;
}

impl Element for i64 {
    const DTYPE: DType = DType::I64;
}

impl Element for u64 {
    const DTYPE: DType = DType::U64;
}

impl Element for f16 {
    const DTYPE: DType = DType::F16;
}

impl Element for f32 {
    const DTYPE: DType = DType::F32;
}

impl Element for f64 {
    const DTYPE: DType = DType::F64;
}

impl Element for Complex<f32> {
    const DTYPE: DType = DType::C64;
}

impl Element for Complex<f64> {
    const DTYPE: DType = DType::C128;
}

/// Writes an element of array memory that no pending node uses.
#[inline]
pub(crate) fn write(address: *mut u8, value: Scalar) {
    let bits = value.bits();
    // SAFETY: callers pass the address of an element of the value's type, and hold the runtime's lock.
    unsafe {
        // A copy of a number of bytes that is not known here is a call.
        match value.dtype().size() {
            1 => address.write(bits as u8),
            2 => address.cast::<u16>().write_unaligned(bits as u16),
            4 => address.cast::<u32>().write_unaligned(bits as u32),
            8 => address.cast::<u64>().write_unaligned(bits as u64),
            _ => address.cast::<u128>().write_unaligned(bits),
        }
    }
}

/// Reads the element at an address of array memory whose contents are computed.
#[inline]
pub(crate) fn read(address: *const u8, dtype: DType) -> Scalar {
    // SAFETY: callers pass the address of an element whose memory is computed and on the host; it has as many bytes.
    let bits = unsafe {
        match dtype.size() {
            1 => address.read().into(),
            2 => address.cast::<u16>().read_unaligned().into(),
            4 => address.cast::<u32>().read_unaligned().into(),
            8 => address.cast::<u64>().read_unaligned().into(),
            _ => address.cast::<u128>().read_unaligned(),
        }
    };
    Scalar::from_bits(dtype, bits)
}
