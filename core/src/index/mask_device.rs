//! Stream compaction on a device: elements or positions are compacted there, and only their number is downloaded.

use crate::array::array::Array;
use crate::array::layout::{Index, Order};
use crate::device::routine::{device_operand, on_device};
use crate::error::Result;
use crate::ops::elementwise::apply;
use crate::ops::reduce::Reduction;
use crate::runtime::lock::runtime;
use fastnp_codegen::{DType, Op};

/// How many elements of a mask are true, counted where the mask is.
///
/// # Errors
/// `MemoryError`; those of a device that failed.
pub(crate) fn count_selected(mask: &Array) -> Result<usize> {
    Ok(mask.reduce(Reduction::CountNonzero, None, None, false)?.item()?.to_i64() as usize)
}

/// The elements of `values` where a mask of the same shape is true, in row-major order; without values the flat positions, as `int64`.
/// `None` on the host, and for an empty mask.
///
/// # Errors
/// `MemoryError`; those of a device that failed.
pub(crate) fn compact_on_device(mask: &Array, values: Option<&Array>) -> Result<Option<Array>> {
    if mask.size() == 0 || runtime().exec_target().device.is_none() {
        return Ok(None);
    }
    let (mask, values) = (device_operand(mask)?, values.map(device_operand).transpose()?);
    match compact_counted(&mask, values.as_ref())? {
        Some(out) => Ok(Some(out)),
        // Another thread wrote the mask after it was counted; none has the copy.
        None => compact_counted(&mask.copy(Order::C)?, values.as_ref()),
    }
}

/// Compacts operands of a device; `None` if the mask was written after its elements were counted.
fn compact_counted(mask: &Array, values: Option<&Array>) -> Result<Option<Array>> {
    let version = mask.version();
    let count = count_selected(mask)?;
    let dtype = values.map_or(DType::I64, Array::dtype);
    let out = Array::by_rows(&[count], dtype)?;
    if count == 0 {
        return Ok(Some(out));
    }
    let operands: Vec<&Array> = [mask, &out].into_iter().chain(values).collect();
    let mut is_same = true;
    on_device(&operands, &[&out], |device, addresses| {
        // The runtime is locked, so the mask stays at this version.
        is_same = mask.version() == version;
        if !is_same {
            return Ok(());
        }
        let given = addresses.get(2).map(|start| (start.cast_const(), dtype.size()));
        // SAFETY: all are dense, aligned and on this device. The target is new, and as long as the mask's count: no code outside shares
        // the mask, and nothing has written it since it was counted.
        unsafe { device.compact((addresses[0].cast_const(), mask.size()), given, addresses[1]) }
    })?;
    Ok(is_same.then_some(out))
}

/// The coordinates that a mask selects, one row each. `None` as for [`compact_on_device`].
///
/// # Errors
/// As [`compact_on_device`].
pub(crate) fn positions_on_device(mask: &Array) -> Result<Option<Array>> {
    let Some(flat) = compact_on_device(mask, None)? else { return Ok(None) };
    if mask.ndim() == 1 {
        return flat.reshape(&[flat.size(), 1]).map(Some);
    }
    let positions = Array::by_rows(&[flat.size(), mask.ndim()], DType::I64)?;
    let mut remaining = flat;
    for axis in (0..mask.ndim()).rev() {
        let extent = mask.shape()[axis] as i64;
        let column = positions.index(&[(..).into(), Index::At(axis as isize)])?;
        column.assign(&apply(Op::Remainder, &[(&remaining).into(), extent.into()])?)?;
        remaining = apply(Op::FloorDivide, &[(&remaining).into(), extent.into()])?;
    }
    Ok(Some(positions))
}
