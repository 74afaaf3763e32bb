//! Arguments of operations: arrays, typed scalars, and Python numbers, which take the type of the other arguments.

use crate::array::array::Array;
use crate::array::element::Element;
use crate::error::{Error, ErrorKind, Result};
use fastnp_codegen::{DType, Scalar, Wide};
use num_complex::Complex;

/// An argument of an operation.
///
/// ```
/// use fastnp::{Array, DType, Element, Value};
/// let a = Array::from(vec![1i8, 2]);
/// assert_eq!((&a + 1).dtype(), DType::I8); // a Python-like number takes the array's type
/// assert_eq!((&a + Value::Scalar(1i32.scalar())).dtype(), DType::I32);
/// ```
#[derive(Clone, Copy)]
pub enum Value<'a> {
    /// An array.
    Array(&'a Array),
    /// A number with a type that counts in promotion.
    Scalar(Scalar),
    /// A number like Python's `int`.
    Int(i64),
    /// A number like Python's `float`.
    Float(f64),
    /// A number like Python's `complex`.
    Complex(Complex<f64>),
}

impl<'a> From<&'a Array> for Value<'a> {
    fn from(a: &'a Array) -> Value<'a> {
        Value::Array(a)
    }
}

impl From<f64> for Value<'_> {
    fn from(x: f64) -> Self {
        Value::Float(x)
    }
}

impl From<i64> for Value<'_> {
    fn from(x: i64) -> Self {
        Value::Int(x)
    }
}

impl From<bool> for Value<'_> {
    fn from(x: bool) -> Self {
        Value::Scalar(x.scalar())
    }
}

impl From<Scalar> for Value<'_> {
    fn from(x: Scalar) -> Self {
        Value::Scalar(x)
    }
}

impl<'a> Value<'a> {
    /// Its extents; none for a number.
    #[inline]
    pub fn shape(&self) -> &'a [usize] {
        match self {
            Value::Array(a) => a.shape(),
            Value::Scalar(_) | Value::Int(_) | Value::Float(_) | Value::Complex(_) => &[],
        }
    }

    /// Whether it is a finite number that is infinite in a type, of which NumPy warns.
    ///
    /// ```
    /// use fastnp::{DType, Value};
    /// assert!(Value::Int(70_000).overflows(DType::F16) && !Value::Int(70_000).overflows(DType::F32));
    /// ```
    #[inline]
    pub fn overflows(&self, dtype: DType) -> bool {
        if !matches!(dtype, DType::F16 | DType::F32 | DType::C64) {
            return false;
        }
        if let (Value::Float(x), DType::F32) = (self, dtype) {
            return x.is_finite() && (*x as f32).is_infinite();
        }
        // A complex number makes the type complex.
        let dtype = if matches!(self, Value::Complex(_)) { DType::C64 } else { dtype };
        let value = match *self {
            Value::Array(_) => return false,
            Value::Scalar(s) => s.to_complex(),
            Value::Int(i) => Complex::new(i as f64, 0.0),
            Value::Float(x) => Complex::new(x, 0.0),
            Value::Complex(z) => z,
        };
        value.is_finite() && !Scalar::new(DType::C128, value).cast(dtype).to_complex().is_finite()
    }

    /// A number as a scalar of the type computed in; `None` for an array.
    ///
    /// # Errors
    /// `OverflowError` for a Python integer that the type cannot hold.
    #[inline]
    pub(crate) fn scalar(&self, dtype: DType) -> Result<Option<Scalar>> {
        Ok(Some(match *self {
            Value::Array(_) => return Ok(None),
            Value::Scalar(s) => s,
            Value::Int(i) => {
                let scalar = Scalar::new(dtype, i);
                if dtype.is_integer() && scalar.wide() != Wide::Int(i as i128) {
                    return Err(Error::new(
                        ErrorKind::Overflow,
                        format!("Python integer {i} out of bounds for {}", dtype.name()),
                    ));
                }
                scalar
            }
            Value::Float(x) => Scalar::new(dtype, x),
            Value::Complex(z) => Scalar::new(dtype, z),
        }))
    }
}
