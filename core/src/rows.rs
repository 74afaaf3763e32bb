//! Rows along the first axis, read or written at once at positions in one dense array: `a[idx]`, `a[idx] = v`.
//!
//! What is copied is dense rows of bytes, so no element type is looked at. Few elements, and rows longer than one element, are
//! copied here; many single elements are better recorded ([`crate::places`]), and fuse with what is done to them. Writes are in
//! turn and by one thread either way: recorded, a million took twice as long.

use crate::array::Array;
use crate::engine::engine;
use crate::error::{Error, Result};
use crate::layout::{Layout, Shape, c_strides, count};
use crate::storage::Storage;
use crate::value::Value;
use fastnp_codegen::{DType, Scalar};
use std::sync::Arc;

/// Bytes of the longest row that is an element.
pub(crate) const ELEMENT: usize = 16;

/// The first axis of an array whose rows are dense: how many rows, from one to the next, and the bytes of one.
struct Rows {
    n: usize,
    step: isize,
    bytes: usize,
}

impl Rows {
    /// The rows of an array where so many of them are better copied at once.
    fn of(array: &Array, positions: &Array) -> Option<Rows> {
        let (&n, &step) = (array.shape().first()?, array.strides().first()?);
        if positions.dtype() != DType::I64 || !positions.is_c_contiguous() {
            return None;
        }
        let (shape, size) = (&array.shape()[1..], array.dtype().size());
        let dense = shape.is_empty()
            || array.strides()[1..].iter().zip(&c_strides(shape, size)).zip(shape).all(|((a, b), &n)| a == b || n == 1);
        dense.then(|| Rows { n, step, bytes: count(shape) * size })
    }

    /// Whether recording that so many of them are read is better: it fuses, and several threads read.
    fn fuse(&self, positions: usize, tiny: usize) -> bool {
        self.bytes <= ELEMENT && positions > tiny
    }

    /// The byte offset of a row from the first one.
    #[inline(always)]
    fn offset(&self, position: i64) -> Result<isize> {
        let i = if position < 0 { position.wrapping_add(self.n as i64) } else { position };
        if i as u64 >= self.n as u64 {
            return Err(Error::index("index out of bounds"));
        }
        Ok(i as isize * self.step)
    }
}

/// Copies so many rows of a size, each from its offset, to consecutive places.
///
/// # Safety
/// Every offset leads from `from` to a row, `to` has room for all of them, and they do not overlap.
pub(crate) unsafe fn gather(
    bytes: usize,
    n: usize,
    offset: impl Fn(usize) -> Result<isize>,
    from: *const u8,
    to: *mut u8,
) -> Result<()> {
    /// As [`gather`], for rows as large as `T`.
    #[inline(always)]
    unsafe fn typed<T: Copy>(
        n: usize,
        offset: impl Fn(usize) -> Result<isize>,
        from: *const u8,
        to: *mut u8,
    ) -> Result<()> {
        for k in 0..n {
            // SAFETY: the caller's contract; alignment is not assumed.
            unsafe { to.cast::<T>().add(k).write_unaligned(from.offset(offset(k)?).cast::<T>().read_unaligned()) };
        }
        Ok(())
    }
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => typed::<u8>(n, offset, from, to),
            2 => typed::<u16>(n, offset, from, to),
            4 => typed::<u32>(n, offset, from, to),
            8 => typed::<u64>(n, offset, from, to),
            16 => typed::<u128>(n, offset, from, to),
            bytes => (0..n).try_for_each(|k| {
                std::ptr::copy_nonoverlapping(from.offset(offset(k)?), to.add(k * bytes), bytes);
                Ok(())
            }),
        }
    }
}

/// Copies so many rows of a size that are `step` bytes apart (0: always the same), each to its offset, in turn.
///
/// # Safety
/// Every offset leads from `to` to a row, `from` leads to that many rows, and they do not overlap.
pub(crate) unsafe fn scatter(
    bytes: usize,
    n: usize,
    offset: impl Fn(usize) -> Result<isize>,
    (from, step): (*const u8, usize),
    to: *mut u8,
) -> Result<()> {
    /// As [`scatter`], for rows as large as `T`.
    #[inline(always)]
    unsafe fn typed<T: Copy>(
        n: usize,
        offset: impl Fn(usize) -> Result<isize>,
        (from, step): (*const u8, usize),
        to: *mut u8,
    ) -> Result<()> {
        for k in 0..n {
            // SAFETY: the caller's contract; alignment is not assumed.
            unsafe {
                to.offset(offset(k)?).cast::<T>().write_unaligned(from.add(k * step).cast::<T>().read_unaligned());
            }
        }
        Ok(())
    }
    let source = (from, step);
    // SAFETY: as the caller promises.
    unsafe {
        match bytes {
            1 => typed::<u8>(n, offset, source, to),
            2 => typed::<u16>(n, offset, source, to),
            4 => typed::<u32>(n, offset, source, to),
            8 => typed::<u64>(n, offset, source, to),
            16 => typed::<u128>(n, offset, source, to),
            bytes => (0..n).try_for_each(|k| {
                std::ptr::copy_nonoverlapping(from.add(k * step), to.offset(offset(k)?), bytes);
                Ok(())
            }),
        }
    }
}

/// The numbers of a dense array of positions.
///
/// # Safety
/// `address` is that of the array's first number, settled, and stays valid meanwhile.
unsafe fn numbers<'a>(positions: &Array, address: *const u8) -> &'a [i64] {
    // SAFETY: `Rows::of` lets only dense int64 pass.
    unsafe { std::slice::from_raw_parts(address.cast::<i64>(), positions.size()) }
}

/// `array[positions]`; `None` where it is not for this file.
///
/// # Errors
/// `IndexError` for a position out of bounds, `MemoryError`.
#[inline]
pub(crate) fn take(array: &Array, positions: &Array) -> Result<Option<Array>> {
    let Some(rows) = Rows::of(array, positions) else { return Ok(None) };
    let mut engine = engine();
    if rows.fuse(positions.size(), engine.tiny) {
        return Ok(None);
    }
    let shape: Shape = positions.shape().iter().chain(&array.shape()[1..]).copied().collect();
    let at = engine.settle(&positions.storage)?.wrapping_offset(positions.layout.offset);
    let from = engine.settle(&array.storage)?.wrapping_offset(array.layout.offset);
    let (storage, to) = Storage::made(crate::layout::byte_count(&shape, array.dtype().size())?)?;
    // SAFETY: both arrays are settled, and the result, which is new, has room for one row a position.
    unsafe {
        let at = numbers(positions, at);
        gather(rows.bytes, at.len(), |k| rows.offset(at[k]), from, to)?;
    }
    engine.seen.stats.recorded += 1;
    engine.seen.stats.run_at_once += 1;
    let layout = Layout { strides: c_strides(&shape, array.dtype().size()), shape, offset: 0 };
    Ok(Some(Array { storage: Arc::new(storage), layout, dtype: array.dtype(), writeable: true }))
}

/// `array[positions] = value` for a value that is one number, or dense and of that type and shape; whether it is done.
///
/// # Errors
/// `IndexError` for a position out of bounds, `ValueError` where the array is read-only, `MemoryError`.
#[inline]
pub(crate) fn put(array: &Array, positions: &Array, value: Value<'_>) -> Result<bool> {
    let Some(rows) = Rows::of(array, positions) else { return Ok(false) };
    array.check_target("assignment destination is read-only")?;
    let number: Option<Scalar> = value.scalar(array.dtype())?.map(|s| s.cast(array.dtype()));
    if let Value::Array(v) = value {
        let leads = positions.ndim();
        let fits = v.dtype() == array.dtype()
            && v.is_c_contiguous()
            && v.ndim() == leads + array.ndim() - 1
            && v.shape()[..leads] == *positions.shape()
            && v.shape()[leads..] == array.shape()[1..];
        if !fits || v.may_share_memory(array) {
            return Ok(false);
        }
    } else if number.is_none() || array.ndim() != 1 {
        return Ok(false);
    }
    if positions.may_share_memory(array) {
        return Ok(false);
    }
    let mut engine = engine();
    if array.storage.is_watched() {
        engine.leave_copies(&array.storage)?;
    }
    let at = engine.settle(&positions.storage)?.wrapping_offset(positions.layout.offset);
    let to = engine.settle(&array.storage)?.wrapping_offset(array.layout.offset);
    let bytes = number.map(|s| s.bytes());
    let (from, step): (*const u8, usize) = match (value, &bytes) {
        (Value::Array(v), _) => (engine.settle(&v.storage)?.wrapping_offset(v.layout.offset), rows.bytes),
        (_, Some(bytes)) => (bytes.as_ptr(), 0),
        (_, None) => return Ok(false),
    };
    // SAFETY: all arrays are settled and apart; the value has one row a position, or is the one for all.
    unsafe {
        let at = numbers(positions, at);
        at.iter().try_for_each(|&i| rows.offset(i).map(drop))?;
        scatter(rows.bytes, at.len(), |k| rows.offset(at[k]), (from, step), to)?;
    }
    array.storage.written();
    engine.seen.stats.recorded += 1;
    engine.seen.stats.run_at_once += 1;
    Ok(true)
}
