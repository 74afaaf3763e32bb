//! Elements in another order or number: sorted, repeated, and positions as coordinates. It runs when called.

use crate::array::array::Array;
use crate::array::layout::{Layout, byte_count};
use crate::error::{Error, Result};
use crate::index::search::dense_as;
use crate::runtime::eager_gate::{Eager, StableOperand};
use crate::runtime::lock::runtime;
use fastnp_codegen::DType;

/// A new dense array, made of the elements of another one that is dense.
pub(crate) fn made_of(
    x: &Array,
    shape: &[usize],
    dtype: DType,
    make: impl FnOnce(&StableOperand, *mut u8),
) -> Result<Array> {
    let bytes = byte_count(shape, dtype.size())?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let from = gate.read_stable(x)?;
    let storage = gate.create(bytes, |_, to| {
        make(&from, to);
        Ok(())
    })?;
    Ok(Array { storage, layout: Layout::dense(shape, dtype.size()), dtype, writeable: true })
}

/// The coordinates of positions in an array of a shape, in row-major order: an axis more at the end, as long as the shape has axes.
///
/// # Errors
/// `Unsupported` for other types than integers, and for positions outside of the shape; `MemoryError`.
///
/// ```
/// use fastnp::{Array, coordinates};
/// assert_eq!(coordinates(&Array::from(vec![1i64, 5]), &[2, 3])?.to_vec::<i64>()?, [0, 1, 1, 2]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn coordinates(positions: &Array, shape: &[usize]) -> Result<Array> {
    let outside = || Error::unsupported("positions outside of the shape");
    let total = shape.iter().try_fold(1usize, |total, &n| total.checked_mul(n)).ok_or_else(outside)?;
    if !positions.dtype().is_integer() || positions.dtype() == DType::U64 || shape.is_empty() {
        return Err(Error::unsupported(format!("positions in {}", positions.dtype())));
    }
    let positions = dense_as(positions, DType::I64)?;
    let mut extents = positions.shape().to_vec();
    extents.push(shape.len());
    let mut are_inside = true;
    let found = made_of(&positions, &extents, DType::I64, |from, to| {
        // SAFETY: of this type, and the new storage has an integer for each axis of each.
        let (from, to) = unsafe {
            let from: &[i64] = from.elements();
            (from, std::slice::from_raw_parts_mut(to.cast::<i64>(), from.len() * shape.len()))
        };
        for (&position, to) in from.iter().zip(to.chunks_exact_mut(shape.len())) {
            are_inside &= (position as u64) < total as u64;
            let mut rest = position as u64;
            for (to, &n) in to.iter_mut().zip(shape).rev() {
                *to = (rest % n.max(1) as u64) as i64;
                rest /= n.max(1) as u64;
            }
        }
    })?;
    if are_inside { Ok(found) } else { Err(outside()) }
}

/// A vector of the elements of an array, in row-major order, each of them repeated so many times, or all of them together.
///
/// # Errors
/// `ValueError` where the size does not fit an address; `MemoryError`.
///
/// ```
/// use fastnp::{Array, repeated};
/// let x = Array::from(vec![1i64, 2]);
/// assert_eq!(repeated(&x, 2, true)?.to_vec::<i64>()?, [1, 1, 2, 2]);
/// assert_eq!(repeated(&x, 2, false)?.to_vec::<i64>()?, [1, 2, 1, 2]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn repeated(x: &Array, times: usize, is_each: bool) -> Result<Array> {
    let dtype = x.dtype();
    let x = dense_as(x, dtype)?;
    let size = byte_count(&[x.size(), times], 1)?;
    made_of(&x, &[size], dtype, |from, to| {
        // SAFETY: the new storage has room for so many elements.
        unsafe {
            let from: &[u8] = from.elements();
            if is_each {
                match dtype.size() {
                    1 => each::<u8>(from, to, times),
                    2 => each::<u16>(from, to, times),
                    4 => each::<u32>(from, to, times),
                    8 => each::<u64>(from, to, times),
                    _ => each::<u128>(from, to, times),
                }
            } else {
                for i in 0..times {
                    std::ptr::copy_nonoverlapping(from.as_ptr(), to.add(i * from.len()), from.len());
                }
            }
        }
    })
}

/// The elements of a dense vector with others put in: each value before the element that was at its position, those of one position in their
/// order. There is one value for all positions or one for each.
///
/// # Errors
/// `Unsupported` for other arrays, values of another type, another number of values, and positions that are not `int64` or out of bounds;
/// `MemoryError`.
///
/// ```
/// use fastnp::{Array, inserted};
/// let (x, at) = (Array::from(vec![1i64, 2, 3]), Array::from(vec![-1i64, 0]));
/// assert_eq!(inserted(&x, &at, &Array::from(vec![8i64, 9]))?.to_vec::<i64>()?, [9, 1, 2, 8, 3]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn inserted(x: &Array, positions: &Array, values: &Array) -> Result<Array> {
    let (dtype, n, count) = (x.dtype(), x.size(), positions.size());
    if [x, positions, values].iter().any(|array| array.ndim() != 1) || positions.dtype() != DType::I64 {
        return Err(Error::unsupported("elements put into an array of several axes, or not at positions"));
    }
    if values.dtype() != dtype || (values.size() != 1 && values.size() != count) {
        return Err(Error::unsupported("values of another type or number than the positions"));
    }
    // Each position with the index of its value, in order.
    let mut places = Vec::with_capacity(count);
    for (i, at) in positions.to_vec::<i64>()?.into_iter().enumerate() {
        match usize::try_from(if at < 0 { at + n as i64 } else { at }) {
            Ok(at) if at <= n => places.push((at, if values.size() == 1 { 0 } else { i })),
            _ => return Err(Error::unsupported("a position out of bounds")),
        }
    }
    places.sort_by_key(|place| place.0);
    let (x, values) = (dense_as(x, dtype)?, dense_as(values, dtype)?);
    let size = dtype.size();
    let bytes = byte_count(&[n + count], size)?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let (from, values) = (gate.read_stable(&x)?, gate.read_stable(&values)?);
    let storage = gate.create(bytes, |_, to| {
        // SAFETY: of as many elements of `size` bytes, which no one writes while the runtime is locked.
        let (from, values): (&[u8], &[u8]) = unsafe { (from.elements(), values.elements()) };
        // SAFETY: the new storage has so many bytes.
        let mut rest = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
        let mut put = |part: &[u8]| {
            let (to, after) = std::mem::take(&mut rest).split_at_mut(part.len());
            to.copy_from_slice(part);
            rest = after;
        };
        let mut copied = 0;
        for (at, value) in places {
            put(&from[size * copied..size * at]);
            put(&values[size * value..size * (value + 1)]);
            copied = at;
        }
        put(&from[size * copied..]);
        Ok(())
    })?;
    Ok(Array { storage, layout: Layout::dense(&[n + count], size), dtype, writeable: true })
}

/// Writes each element so many times.
///
/// # Safety
/// There is room for them.
unsafe fn each<T: Copy>(from: &[u8], to: *mut u8, times: usize) {
    for i in 0..from.len() / size_of::<T>() {
        // SAFETY: the caller's contract.
        unsafe {
            let element = from.as_ptr().cast::<T>().add(i).read_unaligned();
            for k in 0..times {
                to.cast::<T>().add(i * times + k).write_unaligned(element);
            }
        }
    }
}
