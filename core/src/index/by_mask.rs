//! Elements by a mask, at once: they are counted and copied when the function is called.

use crate::array::array::Array;
use crate::array::layout::Layout;
use crate::error::{Error, Result};
use crate::host::count_true::count_true;
use crate::host::interpreter_lock::run_over;
use crate::index::mask_loops::{compact, expand};
use crate::index::selection::dense;
use crate::memory::pool::Buffer;
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::lock::runtime;
use fastnp_codegen::DType;

/// `source[mask]` for a mask of the source's shape, compacted at once: faster than a [`crate::Selection`] of few elements. `None` if the
/// elements are many, or not dense.
///
/// # Errors
/// `MemoryError`.
///
/// ```
/// use fastnp::{Array, select_now};
/// let x = Array::from(vec![1.0, 2.0, 3.0]);
/// let selected = select_now(&x, &Array::from(vec![true, false, true]))?.expect("three are few");
/// assert_eq!(selected.to_vec::<f64>()?, [1.0, 3.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn select_now(source: &Array, mask: &Array) -> Result<Option<Array>> {
    let mut runtime = runtime();
    let fits = source.shape() == mask.shape() && mask.dtype() == DType::Bool;
    if !fits || !source.is_c_contiguous() || !mask.is_c_contiguous() {
        return Ok(None);
    }
    let Some(mut gate) = Eager::within(&mut runtime, mask.size(), EagerLimit::Points(source.dtype().size())) else {
        return Ok(None);
    };
    let flags = gate.read_stable(mask)?;
    let from = gate.read_flushed(&source.storage)?.wrapping_offset(source.layout.offset);
    // SAFETY: the runtime stays locked. Booleans are read as bytes.
    let bytes = unsafe { flags.elements::<u8>() };
    let (count, size) = (count_true(bytes), source.dtype().size());
    let storage = gate.create(count * size, |_, to| {
        // SAFETY: values and mask are dense, evaluated and of one shape; the target has room for every selected element.
        unsafe { compact(from, bytes, to, count, size) };
        Ok(())
    })?;
    let layout = Layout::dense(&[count], size);
    Ok(Some(Array { storage, layout, dtype: source.dtype(), writeable: true }))
}

/// `target[mask] = values` for as many values as the mask selects; evaluates all three.
///
/// # Errors
/// `Unsupported` if the numbers of elements differ, or the target is not dense; `ValueError` if it is read-only.
///
/// ```
/// use fastnp::{Array, put_selected};
/// let target = Array::from(vec![1.0, 2.0, 3.0]);
/// put_selected(&target, &Array::from(vec![true, false, true]), &Array::from(vec![7.0, 9.0]))?;
/// assert_eq!(target.to_vec::<f64>()?, [7.0, 2.0, 9.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn put_selected(target: &Array, mask: &Array, values: &Array) -> Result<()> {
    put(target, mask, values, false)
}

/// NumPy's `place`: `target[mask] = values`, whose first elements are taken if there are more than the mask selects, and which are
/// repeated if there are fewer; evaluates all three.
///
/// # Errors
/// `Unsupported` if there are no values, or the target is not dense; `ValueError` if it is read-only; `MemoryError`.
///
/// ```
/// use fastnp::{Array, place};
/// let target = Array::from(vec![1.0, 2.0, 3.0]);
/// place(&target, &Array::from(vec![true, false, true]), &Array::from(vec![7.0]))?;
/// assert_eq!(target.to_vec::<f64>()?, [7.0, 2.0, 7.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn place(target: &Array, mask: &Array, values: &Array) -> Result<()> {
    put(target, mask, values, true)
}

fn put(target: &Array, mask: &Array, values: &Array, repeats: bool) -> Result<()> {
    target.check_target("assignment destination is read-only")?;
    let fits = target.is_c_contiguous() && target.shape() == mask.shape() && values.ndim() == 1;
    if !fits || values.may_share_memory(target) || mask.may_share_memory(target) {
        return Err(Error::unsupported(
            "an assignment by a mask to an array that is not dense, or shares memory with the values",
        ));
    }
    let size = target.dtype().size();
    let values = if values.dtype() == target.dtype() { values.clone() } else { values.cast(target.dtype())? };
    let (values, mask) = (dense(values)?, dense(mask.clone())?);
    // Locked from the count to the end, as there are as many values as were counted.
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let from = gate.read_flushed(&values.storage)?.wrapping_offset(values.layout.offset);
    let flags = gate.read_stable(&mask)?;
    // SAFETY: the runtime stays locked, and the target shares no memory with the mask. Booleans are read as bytes.
    let bytes = unsafe { flags.elements::<u8>() };
    let count = run_over(bytes.len(), || count_true(bytes));
    let is_enough = if repeats { values.size() >= count } else { values.size() == count };
    if !is_enough && (!repeats || values.size() == 0) {
        return Err(Error::unsupported("values whose number is not what the mask selects"));
    }
    let repeated = if is_enough { None } else { Some(Buffer::new(count * size)?) };
    if let Some(room) = &repeated {
        // SAFETY: the values are evaluated, and the new block has room for so many elements.
        unsafe { repeat(from, values.size() * size, room.address(), count * size) };
    }
    let from = repeated.as_ref().map_or(from, |room| room.address().cast_const());
    let written = gate.target_flushed(&target.storage)?;
    gate.write_uncounted(written, |start| {
        let to = start.wrapping_offset(target.layout.offset);
        // SAFETY: the target is dense, evaluated, of the mask's shape, and shares no memory with the values, which are enough.
        run_over(bytes.len() * size, || unsafe { expand(from, bytes, to, count, size) });
    })
}

/// Fills memory with copies of a pattern, the last of them cut.
///
/// # Safety
/// The pattern has so many bytes, at least one; there is room for `bytes`, at least as many, which do not overlap it.
unsafe fn repeat(pattern: *const u8, length: usize, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's contract; what is copied within the target was written before.
    unsafe {
        std::ptr::copy_nonoverlapping(pattern, to, length);
        let mut filled = length;
        while filled < bytes {
            let more = filled.min(bytes - filled);
            std::ptr::copy_nonoverlapping(to, to.wrapping_add(filled), more);
            filled += more;
        }
    }
}
