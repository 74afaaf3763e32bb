//! Elements but for some along an axis: NumPy's `delete`. It runs when called.
//!
//! Which elements are kept, says a byte for each position. Rows are what one position holds: the elements along the axes after it.

use crate::array::array::Array;
use crate::array::layout::{Layout, Shape, Strides, byte_count, c_strides};
use crate::error::{Error, Result};
use crate::host::count_true::count_true;
use crate::host::interpreter_lock::run_over;
use crate::index::columns::{BLOCKS_TOGETHER, Column, LEAST_BLOCKS, copy_column};
use crate::index::mask_loops::compact;
use crate::index::search::dense_as;
use crate::memory::pool::Buffer;
use crate::runtime::eager_gate::{Eager, StableOperand};
use crate::runtime::lock::runtime;
use fastnp_codegen::DType;

/// The order of a result's axes in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultOrder {
    /// As the axes are counted.
    RowMajor,
    /// The axis that elements are left out of comes first, as NumPy has it where an array is the index of one axis.
    AxisFirst,
}

/// The elements of an array but those at positions along an axis, each of which may be named several times.
///
/// # Errors
/// `Unsupported` for an axis that there is not, positions that are not dense `int64` of one axis, and positions out of bounds;
/// `MemoryError`.
///
/// ```
/// use fastnp::{Array, ResultOrder, without_positions};
/// let (x, at) = (Array::arange(6), Array::from(vec![1i64, -1]));
/// let left = without_positions(&x, 0, &at, ResultOrder::RowMajor)?;
/// assert_eq!(left.to_vec::<i64>()?, [0, 2, 3, 4]);
/// let left = without_positions(&x.reshape(&[2, 3])?, 1, &at, ResultOrder::AxisFirst)?;
/// assert_eq!(left.to_vec::<i64>()?, [0, 3]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn without_positions(source: &Array, axis: usize, positions: &Array, order: ResultOrder) -> Result<Array> {
    if positions.ndim() != 1 || !positions.is_c_contiguous() || positions.dtype() != DType::I64 {
        return Err(Error::unsupported("elements left out, not by positions"));
    }
    without(source, axis, positions, order, |named, kept| {
        kept.fill(1);
        // SAFETY: the type was checked, and the runtime stays locked.
        for &position in unsafe { named.elements::<i64>() } {
            let at = if position < 0 { position.wrapping_add(kept.len() as i64) } else { position };
            match kept.get_mut(at as usize) {
                Some(kept) => *kept = 0,
                None => return Err(Error::unsupported("a position out of bounds")),
            }
        }
        Ok(())
    })
}

/// The elements of an array along an axis but those where a mask is true.
///
/// # Errors
/// `Unsupported` for an axis that there is not, and a mask that is not of one axis and as long; `MemoryError`.
///
/// ```
/// use fastnp::{Array, ResultOrder, without_masked};
/// let mask = Array::from(vec![true, false, true]);
/// let left = without_masked(&Array::arange(6).reshape(&[2, 3])?, 1, &mask, ResultOrder::RowMajor)?;
/// assert_eq!(left.to_vec::<i64>()?, [1, 4]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn without_masked(source: &Array, axis: usize, mask: &Array, order: ResultOrder) -> Result<Array> {
    let fits = source.shape().get(axis).is_some_and(|&n| mask.shape() == [n]);
    if !fits || !mask.is_c_contiguous() || mask.dtype() != DType::Bool {
        return Err(Error::unsupported("elements left out, not by a mask of the axis"));
    }
    without(source, axis, mask, order, |mask, kept| {
        // SAFETY: the type was checked, and the runtime stays locked. Booleans are read as bytes.
        for (kept, mask) in kept.iter_mut().zip(unsafe { mask.elements::<u8>() }) {
            *kept = u8::from(*mask == 0);
        }
        Ok(())
    })
}

/// The elements along an axis that `mark` marks as kept, by what names those that are not.
fn without(
    source: &Array,
    axis: usize,
    named: &Array,
    order: ResultOrder,
    mark: impl FnOnce(&StableOperand, &mut [u8]) -> Result<()>,
) -> Result<Array> {
    let (shape, dtype) = (source.shape(), source.dtype());
    let Some(&n) = shape.get(axis) else { return Err(Error::unsupported("elements left out along no axis")) };
    let source = dense_as(source, dtype)?;
    let row = byte_count(&shape[axis + 1..], dtype.size())?;
    let blocks: usize = shape[..axis].iter().product();
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let named = gate.read_stable(named)?;
    let from = gate.read_flushed(&source.storage)?.wrapping_offset(source.layout.offset);
    let room = Buffer::new(n)?;
    // SAFETY: the new block has so many bytes, all of which are written before one is read.
    let kept = unsafe {
        room.address().write_bytes(0, n);
        std::slice::from_raw_parts_mut(room.address(), n)
    };
    mark(&named, kept)?;
    let count = run_over(n, || count_true(kept));
    let bytes = blocks * count * row;
    let storage = gate.create(bytes, |_, to| {
        if bytes > 0 {
            // SAFETY: the source is dense and evaluated, with a row for each byte in each block; the new storage has room for those kept.
            run_over(bytes, || unsafe {
                match order {
                    ResultOrder::AxisFirst if axis > 0 => {
                        copy_columns(from, kept, to, (row, blocks * row), (blocks, row))
                    }
                    ResultOrder::RowMajor | ResultOrder::AxisFirst => copy_blocks(from, kept, to, count, (blocks, row)),
                }
            });
        }
        Ok(())
    })?;
    let mut shape = Shape::from(shape);
    shape[axis] = count;
    let strides = match order {
        ResultOrder::RowMajor => c_strides(&shape, dtype.size()),
        ResultOrder::AxisFirst => axis_first(&shape, axis, dtype.size()),
    };
    Ok(Array { storage, layout: Layout { shape, strides, offset: 0 }, dtype, writeable: true })
}

/// Strides of a dense array whose axis of this number comes first in memory.
fn axis_first(shape: &[usize], axis: usize, size: usize) -> Strides {
    let mut moved = Shape::from(shape);
    moved[..=axis].rotate_right(1);
    let mut strides = c_strides(&moved, size);
    strides[..=axis].rotate_left(1);
    strides
}

/// Blocks of at most so many elements are copied by columns: `compact` takes 10 ns for a block.
const FEW_ELEMENTS: usize = 8;

/// Copies the kept rows of each block.
///
/// # Safety
/// `from` has a row of so many bytes for each byte of `kept` in each block, `to` room for those `count` of them that are kept.
unsafe fn copy_blocks(from: *const u8, kept: &[u8], to: *mut u8, count: usize, (blocks, row): (usize, usize)) {
    let is_element = matches!(row, 1 | 2 | 4 | 8 | 16);
    if is_element && kept.len() <= FEW_ELEMENTS && blocks >= LEAST_BLOCKS {
        // SAFETY: the caller's contract.
        return unsafe { copy_columns(from, kept, to, (count * row, row), (blocks, row)) };
    }
    for block in 0..blocks {
        let (from, mut to) = (from.wrapping_add(block * kept.len() * row), to.wrapping_add(block * count * row));
        if is_element {
            // SAFETY: the caller's contract.
            unsafe { compact(from, kept, to, count, row) };
            continue;
        }
        let mut start = 0;
        while let Some(first) = kept[start..].iter().position(|&kept| kept != 0) {
            start += first;
            let length = kept[start..].iter().position(|&kept| kept == 0).unwrap_or(kept.len() - start);
            // SAFETY: the caller's contract: these rows are kept.
            unsafe { std::ptr::copy_nonoverlapping(from.add(start * row), to, length * row) };
            to = to.wrapping_add(length * row);
            start += length;
        }
    }
}

/// Copies the kept rows, those of a block `steps.0` bytes after those of the one before it, and each `steps.1` bytes after the last one
/// kept in its block.
///
/// # Safety
/// As for [`copy_blocks`].
unsafe fn copy_columns(
    from: *const u8,
    kept: &[u8],
    to: *mut u8,
    steps: (usize, usize),
    (blocks, row): (usize, usize),
) {
    let step = kept.len() * row;
    for first in (0..blocks).step_by(BLOCKS_TOGETHER) {
        let together = BLOCKS_TOGETHER.min(blocks - first);
        for (rank, (at, _)) in kept.iter().enumerate().filter(|(_, kept)| **kept != 0).enumerate() {
            let start = from.wrapping_add(first * step + at * row);
            let to = to.wrapping_add(first * steps.0 + rank * steps.1);
            // SAFETY: the caller's contract.
            unsafe { copy_column(Column { start, step }, (to, steps.0), together, row) };
        }
    }
}
