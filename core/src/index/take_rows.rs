//! Eager gather and scatter of rows along the first axis: `a[idx]` and `a[idx] = v` for one array of positions.
//!
//! Rows are dense bytes, so the loops depend on the row size and not on the element type. Small reads, and rows longer than one
//! element, are copied here. Reads of many single elements are recorded instead ([`crate::index::fancy`]) and fuse with the
//! operations that use them. Writes are sequential and single-threaded either way, and are done here whatever their size:
//! recorded, a million took twice as long.
//!
//! Positions are checked before the loops that use them, so both read stable contents ([`Eager::read_stable`]): under one lock and,
//! where code outside can write them, in a copy.

use crate::array::array::Array;
use crate::array::layout::{Layout, Shape, byte_count, c_strides, count};
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::lock::runtime;
use fastnp_codegen::host::positions::combined_signs;
use fastnp_codegen::{DType, Scalar};

/// Size of the largest row that counts as a single element, in bytes.
pub(crate) const MAX_ELEMENT_BYTES: usize = 16;

/// The first axis of an array with dense rows: the number of rows, the stride from one to the next, and the bytes of one.
struct RowAxis {
    n: usize,
    step: isize,
    bytes: usize,
}

impl RowAxis {
    /// The first axis of `array`; `None` unless its rows are dense and the positions are dense int64.
    fn of(array: &Array, positions: &Array) -> Option<RowAxis> {
        let (&n, &step) = (array.shape().first()?, array.strides().first()?);
        if positions.dtype() != DType::I64 || !positions.is_c_contiguous() {
            return None;
        }
        let (shape, size) = (&array.shape()[1..], array.dtype().size());
        let dense = shape.is_empty()
            || array.strides()[1..].iter().zip(&c_strides(shape, size)).zip(shape).all(|((a, b), &n)| a == b || n == 1);
        dense.then(|| RowAxis { n, step, bytes: count(shape) * size })
    }

    /// How many rows are read eagerly. A read of more single elements is better recorded: then it fuses, and runs on several
    /// threads.
    fn read_limit(&self) -> EagerLimit {
        if self.bytes <= MAX_ELEMENT_BYTES { EagerLimit::GatheredRows } else { EagerLimit::Unlimited }
    }

    /// Whether no position is negative.
    ///
    /// # Errors
    /// `IndexError` for a position out of bounds.
    fn all_from_start(&self, positions: &[i64]) -> Result<bool> {
        check_bounds(positions, self.n as i64)
    }

    /// The byte offset of a row by a position that is not negative.
    #[inline(always)]
    fn offset(&self, position: i64) -> isize {
        position as isize * self.step
    }

    /// The byte offset of a row by any valid position. A negative one counts from the end.
    #[inline(always)]
    fn wrapped_offset(&self, position: i64) -> isize {
        self.offset(position + (self.n as i64 & position >> 63))
    }

    /// Gathers rows of the size of `T`. It has its own loop, which does without the closures of [`copy`].
    ///
    /// # Safety
    /// `from` is the first row, all positions are in bounds, and `to` has room for a row for each.
    unsafe fn gather<T: Copy>(&self, at: &[i64], from_start: bool, from: *const u8, to: *mut u8) {
        let to = to.cast::<T>();
        // SAFETY: the caller's contract; alignment is not assumed.
        unsafe {
            if from_start {
                for (k, &i) in at.iter().enumerate() {
                    to.add(k).write_unaligned(from.offset(self.offset(i)).cast::<T>().read_unaligned());
                }
            } else {
                for (k, &i) in at.iter().enumerate() {
                    to.add(k).write_unaligned(from.offset(self.wrapped_offset(i)).cast::<T>().read_unaligned());
                }
            }
        }
    }

    /// Scatters rows of the size of `T`, which are `step` bytes apart, to positions.
    ///
    /// # Safety
    /// `from` points to a row for each position, positions are in bounds, and `to` is the first row of the target.
    unsafe fn scatter<T: Copy>(&self, at: &[i64], from_start: bool, (from, step): (*const u8, usize), to: *mut u8) {
        // SAFETY: the caller's contract; alignment is not assumed.
        unsafe {
            if from_start {
                for (k, &i) in at.iter().enumerate() {
                    let target = to.offset(self.offset(i));
                    target.cast::<T>().write_unaligned(from.add(k * step).cast::<T>().read_unaligned());
                }
            } else {
                for (k, &i) in at.iter().enumerate() {
                    let target = to.offset(self.wrapped_offset(i));
                    target.cast::<T>().write_unaligned(from.add(k * step).cast::<T>().read_unaligned());
                }
            }
        }
    }
}

/// The items of a row: their size in bytes, their number, and their strides in the source and in the target.
#[derive(Clone, Copy)]
pub(crate) struct RowItems {
    pub(crate) bytes: usize,
    pub(crate) count: usize,
    pub(crate) strides: (isize, isize),
}

/// Copies `rows` rows in order. `addresses` returns where the first item of a row is in the source and in the target.
///
/// # Safety
/// All items lie in memory that may be read or written, and no source overlaps a target.
pub(crate) unsafe fn copy(rows: usize, items: RowItems, addresses: impl Fn(usize) -> (*const u8, *mut u8)) {
    #[inline(always)]
    fn copy_each(
        rows: usize,
        items: RowItems,
        addresses: impl Fn(usize) -> (*const u8, *mut u8),
        copy: impl Fn(*const u8, *mut u8),
    ) {
        if items.count == 1 {
            // A separate loop: the one below takes twice as long.
            for row in 0..rows {
                let (from, to) = addresses(row);
                copy(from, to);
            }
            return;
        }
        for row in 0..rows {
            let (from, to) = addresses(row);
            copy(from, to);
            for item in 1..items.count as isize {
                copy(from.wrapping_offset(item * items.strides.0), to.wrapping_offset(item * items.strides.1));
            }
        }
    }
    /// Items of the size of `T`.
    #[inline(always)]
    unsafe fn typed<T: Copy>(rows: usize, items: RowItems, addresses: impl Fn(usize) -> (*const u8, *mut u8)) {
        copy_each(rows, items, addresses, |from, to| {
            // SAFETY: the outer function's contract; alignment is not assumed.
            unsafe { to.cast::<T>().write_unaligned(from.cast::<T>().read_unaligned()) }
        })
    }
    if items.count == 0 {
        return;
    }
    // SAFETY: the caller's contract.
    unsafe {
        match items.bytes {
            1 => typed::<u8>(rows, items, addresses),
            2 => typed::<u16>(rows, items, addresses),
            4 => typed::<u32>(rows, items, addresses),
            8 => typed::<u64>(rows, items, addresses),
            16 => typed::<u128>(rows, items, addresses),
            bytes => copy_each(rows, items, addresses, |from, to| std::ptr::copy_nonoverlapping(from, to, bytes)),
        }
    }
}

/// Whether no position is negative; checks bounds. The signs are combined into one bit: 0.05 ns a position in the cache. A copy that
/// ignores negative positions takes 0.15 ns less, and a bounds check within the copy 0.3 ns more.
///
/// # Errors
/// `IndexError` for a position out of bounds of `n`.
pub(crate) fn check_bounds(positions: &[i64], n: i64) -> Result<bool> {
    if combined_signs(positions, n - 1) >= 0 {
        return Ok(true);
    }
    let beyond = positions.iter().any(|&i| i < -n || i >= n);
    if beyond { Err(Error::index("index out of bounds")) } else { Ok(false) }
}

/// `array[positions]`; `None` if the general path ([`crate::index::fancy`]) has to do it.
///
/// # Errors
/// `IndexError` for a position out of bounds, `MemoryError`.
#[inline]
pub(crate) fn take(array: &Array, positions: &Array) -> Result<Option<Array>> {
    let Some(rows) = RowAxis::of(array, positions) else { return Ok(None) };
    let mut runtime = runtime();
    let Some(mut gate) = Eager::within(&mut runtime, positions.size(), rows.read_limit()) else { return Ok(None) };
    let shape: Shape = positions.shape().iter().chain(&array.shape()[1..]).copied().collect();
    let at = gate.read_stable(positions)?;
    let from = gate.read_flushed(&array.storage)?.wrapping_offset(array.layout.offset);
    let size = byte_count(&shape, array.dtype().size())?;
    let storage = gate.create(size, |_, to| {
        run_over(size, || {
            // SAFETY: both arrays are evaluated, the positions are dense int64 and stay as they are checked, and the result is new and has
            // room for one row a position.
            unsafe {
                let at = at.elements::<i64>();
                let from_start = rows.all_from_start(at)?;
                match rows.bytes {
                    1 => rows.gather::<u8>(at, from_start, from, to),
                    2 => rows.gather::<u16>(at, from_start, from, to),
                    4 => rows.gather::<u32>(at, from_start, from, to),
                    8 => rows.gather::<u64>(at, from_start, from, to),
                    16 => rows.gather::<u128>(at, from_start, from, to),
                    bytes => {
                        let items = RowItems { bytes, count: 1, strides: (0, 0) };
                        copy(at.len(), items, |k| (from.offset(rows.wrapped_offset(at[k])), to.add(k * bytes)));
                    }
                }
            }
            Ok(())
        })
    })?;
    let layout = Layout { strides: c_strides(&shape, array.dtype().size()), shape, offset: 0 };
    Ok(Some(Array { storage, layout, dtype: array.dtype(), writeable: true }))
}

/// `array[positions] = value` for a value that is a scalar, or dense and of the target's type and shape. Returns whether it was
/// done.
///
/// # Errors
/// `IndexError` for a position out of bounds, `ValueError` where the array is read-only, `MemoryError`.
#[inline]
pub(crate) fn put(array: &Array, positions: &Array, value: Value<'_>) -> Result<bool> {
    let Some(rows) = RowAxis::of(array, positions) else { return Ok(false) };
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
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let target = gate.target_flushed(&array.storage)?;
    let at = gate.read_stable(positions)?;
    let bytes = number.map(|s| s.bytes());
    let (from, step): (*const u8, usize) = match (value, &bytes) {
        (Value::Array(v), _) => (gate.read_flushed(&v.storage)?.wrapping_offset(v.layout.offset), rows.bytes),
        (_, Some(bytes)) => (bytes.as_ptr(), 0),
        (_, None) => return Ok(false),
    };
    let size = positions.size() * rows.bytes;
    gate.write(target, |_, start| {
        run_over(size, || {
            let to = start.wrapping_offset(array.layout.offset);
            // SAFETY: all arrays are evaluated and share no memory; the positions are dense int64 and stay as they are checked; the value
            // has one row a position, or one row for all with step zero.
            unsafe {
                let at = at.elements::<i64>();
                let (from_start, values) = (rows.all_from_start(at)?, (from, step));
                match rows.bytes {
                    1 => rows.scatter::<u8>(at, from_start, values, to),
                    2 => rows.scatter::<u16>(at, from_start, values, to),
                    4 => rows.scatter::<u32>(at, from_start, values, to),
                    8 => rows.scatter::<u64>(at, from_start, values, to),
                    16 => rows.scatter::<u128>(at, from_start, values, to),
                    bytes => {
                        let items = RowItems { bytes, count: 1, strides: (0, 0) };
                        copy(at.len(), items, |k| (from.add(k * step), to.offset(rows.wrapped_offset(at[k]))));
                    }
                }
            }
            Ok(())
        })
    })?;
    Ok(true)
}
