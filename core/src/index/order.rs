//! Elements in another order or number: sorted, repeated, and positions as coordinates. It runs when called.

use crate::array::array::Array;
use crate::array::layout::{Layout, Shape, byte_count};
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::index::columns::{BLOCKS_TOGETHER, Column, LEAST_BLOCKS, copy_column};
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

/// An array with other elements put in along an axis: each value before the element that was at its position, those of one position in
/// their order. The values have the array's shape but for that axis, where there is one for all positions or one for each. The result is
/// row-major.
///
/// # Errors
/// `Unsupported` for values of another type or shape, and positions that are not `int64` of one axis or out of bounds; `MemoryError`.
///
/// ```
/// use fastnp::{Array, inserted};
/// let (x, at) = (Array::from(vec![1i64, 2, 3]), Array::from(vec![-1i64, 0]));
/// assert_eq!(inserted(&x, 0, &at, &Array::from(vec![8i64, 9]))?.to_vec::<i64>()?, [9, 1, 2, 8, 3]);
/// let (x, column) = (x.reshape(&[1, 3])?, Array::from(vec![7i64]).reshape(&[1, 1])?);
/// assert_eq!(inserted(&x, 1, &at, &column)?.to_vec::<i64>()?, [7, 1, 2, 7, 3]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn inserted(x: &Array, axis: usize, positions: &Array, values: &Array) -> Result<Array> {
    let (dtype, count) = (x.dtype(), positions.size());
    if axis >= x.ndim() || positions.ndim() != 1 || positions.dtype() != DType::I64 {
        return Err(Error::unsupported("elements put in along no axis of the array, or not at positions"));
    }
    let (mut shape, mut of_values) = (Shape::from(x.shape()), Shape::from(x.shape()));
    let n = shape[axis];
    of_values[axis] = values.shape().get(axis).copied().unwrap_or(0);
    if values.dtype() != dtype || values.shape() != &of_values[..] || ![1, count].contains(&of_values[axis]) {
        return Err(Error::unsupported("values of another type or number than the positions"));
    }
    shape[axis] += count;
    // Each position with the index of its value, in order.
    let mut places = Vec::with_capacity(count);
    for (i, at) in positions.to_vec::<i64>()?.into_iter().enumerate() {
        match usize::try_from(if at < 0 { at + n as i64 } else { at }) {
            Ok(at) if at <= n => places.push((at, if of_values[axis] == 1 { 0 } else { i })),
            _ => return Err(Error::unsupported("a position out of bounds")),
        }
    }
    places.sort_by_key(|place| place.0);
    let (x, values) = (dense_as(x, dtype)?, dense_as(values, dtype)?);
    let (row, blocks) = (byte_count(&shape[axis + 1..], dtype.size())?, shape[..axis].iter().product::<usize>());
    let bytes = byte_count(&shape, dtype.size())?;
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let (from, values) = (gate.read_stable(&x)?, gate.read_stable(&values)?);
    let storage = gate.create(bytes, |_, to| {
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: of as many elements, which no one writes while the runtime is locked.
        let (from, values): (&[u8], &[u8]) = unsafe { (from.elements(), values.elements()) };
        // SAFETY: the new storage has so many bytes.
        let to = unsafe { std::slice::from_raw_parts_mut(to, bytes) };
        run_over(bytes, || {
            if blocks >= LEAST_BLOCKS && n + count < 4 * (2 * count + 1) {
                return put_columns(from, &places, (values, of_values[axis]), row, to, blocks);
            }
            for (block, to) in to.chunks_exact_mut((n + count) * row).enumerate() {
                let from = &from[block * n * row..][..n * row];
                let values = &values[block * of_values[axis] * row..][..of_values[axis] * row];
                put_rows(from, &places, values, row, to);
            }
        });
        Ok(())
    })?;
    Ok(Array { storage, layout: Layout::dense(&shape, dtype.size()), dtype, writeable: true })
}

/// Writes rows of so many bytes, with those of `values` before them that are named beside their places, which are in order.
fn put_rows(from: &[u8], places: &[(usize, usize)], values: &[u8], row: usize, mut to: &mut [u8]) {
    let mut put = |part: &[u8]| {
        let (now, after) = std::mem::take(&mut to).split_at_mut(part.len());
        now.copy_from_slice(part);
        to = after;
    };
    let mut copied = 0;
    for &(at, value) in places {
        put(&from[row * copied..row * at]);
        put(&values[row * value..row * (value + 1)]);
        copied = at;
    }
    put(&from[row * copied..]);
}

/// Writes rows of so many bytes of all blocks, column by column: there are as many as rows of values.
fn put_columns(
    from: &[u8],
    places: &[(usize, usize)],
    (values, of_values): (&[u8], usize),
    row: usize,
    to: &mut [u8],
    blocks: usize,
) {
    let (n, step) = (from.len() / blocks / row, to.len() / blocks);
    for first in (0..blocks).step_by(BLOCKS_TOGETHER) {
        let together = BLOCKS_TOGETHER.min(blocks - first);
        let rows = to[first * step..].as_mut_ptr();
        let mut written = 0;
        let mut put = |source: &[u8], rows_of_source: usize, at: usize| {
            let rows_step = rows_of_source * row;
            let column = Column { start: source[first * rows_step + at * row..].as_ptr(), step: rows_step };
            // SAFETY: each block has so many rows in the source, and room for those written before and this one.
            unsafe { copy_column(column, (rows.add(written * row), step), together, row) };
            written += 1;
        };
        let mut copied = 0;
        for &(at, value) in places {
            (copied..at).for_each(|at| put(from, n, at));
            put(values, of_values, value);
            copied = at;
        }
        (copied..n).for_each(|at| put(from, n, at));
    }
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
