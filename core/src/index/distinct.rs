//! Distinct elements, and whether elements are distinct: of few, which the caller sees to.
//!
//! NumPy's sorts are not stable: which one of equal elements comes first is its own choice. So there is no answer here where that shows.

use crate::array::array::Array;
use crate::array::element::Element;
use crate::error::{Error, Result};
use crate::index::sort::{argsorted, sorted};
use fastnp_codegen::DType;
use half::f16;

/// The indices that sort a vector, as [`argsorted`] gives them, if no other ones do: no two elements are equal, and none is nan.
///
/// # Errors
/// As [`argsorted`]; `Unsupported` for more axes than one.
///
/// ```
/// use fastnp::{Array, argsorted_distinct};
/// assert_eq!(argsorted_distinct(&Array::from(vec![3.0, 1.0, 2.0]))?.unwrap().to_vec::<i64>()?, [1, 2, 0]);
/// assert!(argsorted_distinct(&Array::from(vec![3.0, 1.0, 3.0]))?.is_none());
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn argsorted_distinct(x: &Array) -> Result<Option<Array>> {
    if x.ndim() != 1 {
        return Err(Error::unsupported("one order of several axes"));
    }
    let order = argsorted(x)?;
    let positions = order.to_vec::<i64>()?;
    let differ = match x.dtype() {
        DType::Bool => rises::<bool>(x, &positions)?,
        DType::I8 => rises::<i8>(x, &positions)?,
        DType::U8 => rises::<u8>(x, &positions)?,
        DType::I16 => rises::<i16>(x, &positions)?,
        DType::U16 => rises::<u16>(x, &positions)?,
        DType::I32 => rises::<i32>(x, &positions)?,
        DType::U32 => rises::<u32>(x, &positions)?,
        DType::I64 => rises::<i64>(x, &positions)?,
        DType::U64 => rises::<u64>(x, &positions)?,
        DType::F16 => rises::<f16>(x, &positions)?,
        DType::F32 => rises::<f32>(x, &positions)?,
        DType::F64 => rises::<f64>(x, &positions)?,
        DType::C64 | DType::C128 => false,
    };
    Ok(differ.then_some(order))
}

/// Whether each element at these positions is greater than the one before. A nan is not, nor is what follows one.
fn rises<T: Element + PartialOrd>(x: &Array, positions: &[i64]) -> Result<bool> {
    let elements = x.to_vec::<T>()?;
    Ok(positions.is_sorted_by(|&i, &j| elements[i as usize] < elements[j as usize]))
}

/// The distinct elements of an array in order, as a vector; `None` if it has nan or several zeros of a type with signs for them.
///
/// # Errors
/// As [`sorted`].
///
/// ```
/// use fastnp::{Array, distinct};
/// assert_eq!(distinct(&Array::from(vec![3i64, 1, 3]))?.unwrap().to_vec::<i64>()?, [1, 3]);
/// assert!(distinct(&Array::from(vec![0.0, -0.0]))?.is_none());
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn distinct(x: &Array) -> Result<Option<Array>> {
    let x = sorted(&x.reshape(&[x.size()])?)?;
    match x.dtype() {
        DType::Bool => without_repeats::<bool>(&x, None),
        DType::I8 => without_repeats::<i8>(&x, None),
        DType::U8 => without_repeats::<u8>(&x, None),
        DType::I16 => without_repeats::<i16>(&x, None),
        DType::U16 => without_repeats::<u16>(&x, None),
        DType::I32 => without_repeats::<i32>(&x, None),
        DType::U32 => without_repeats::<u32>(&x, None),
        DType::I64 => without_repeats::<i64>(&x, None),
        DType::U64 => without_repeats::<u64>(&x, None),
        DType::F16 => without_repeats(&x, Some(f16::ZERO)),
        DType::F32 => without_repeats(&x, Some(0.0f32)),
        DType::F64 => without_repeats(&x, Some(0.0f64)),
        DType::C64 | DType::C128 => Ok(None),
    }
}

/// Sorted elements without those that equal the one before; `None` if one is a nan, or repeats the zero.
fn without_repeats<T: Element + PartialOrd>(sorted: &Array, zero: Option<T>) -> Result<Option<Array>>
where
    Array: From<Vec<T>>,
{
    let mut elements = sorted.to_vec::<T>()?;
    let repeats_zero = |pair: &[T]| pair[0] == pair[1] && zero == Some(pair[0]);
    // Nan comes last.
    let has_nan = elements.last().is_some_and(|&last| last.partial_cmp(&last).is_none());
    if has_nan || elements.windows(2).any(repeats_zero) {
        return Ok(None);
    }
    elements.dedup();
    Ok(Some(Array::from(elements)))
}
