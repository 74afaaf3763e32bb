//! Folds of the parts of an axis that positions divide it into: NumPy's `ufunc.reduceat`. They run when they are called, on one thread.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order, Shape, byte_count, c_strides};
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::index::search::dense_as;
use crate::ops::reduce::ReduceOptions;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::recording;
use fastnp_codegen::drive::fp_status::flags_raised;
use fastnp_codegen::portable::update::SegmentFold;
use fastnp_codegen::{DType, Op};

/// Folds the elements from each position to before the next one along an axis; the last part ends with the axis. Where a position is not
/// before the next one, its element is the result. `dtype` is the type to compute in, NumPy's if `None`.
///
/// # Errors
/// `IndexError` for a position out of bounds; `Unsupported` for ops that are no folds, arrays that are not row-major, positions that are
/// not integers in one axis, and an axis that the array does not have; `MemoryError`.
///
/// ```
/// use fastnp::{Array, Op, fold_segments};
/// let sums = fold_segments(&Array::arange(5), &Array::from(vec![0i64, 3, 1]), 0, Op::Add, None)?;
/// assert_eq!(sums.to_vec::<i64>()?, [3, 3, 10]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn fold_segments(array: &Array, positions: &Array, axis: isize, op: Op, dtype: Option<DType>) -> Result<Array> {
    let ndim = array.ndim();
    let axis = if axis < 0 { axis + ndim as isize } else { axis };
    let has_axis = (0..ndim as isize).contains(&axis);
    if !has_axis || positions.ndim() != 1 || !positions.dtype().is_integer() {
        return Err(Error::unsupported("parts of an axis that is none, or at such positions"));
    }
    if ndim > 1 && !array.is_c_contiguous() {
        return Err(Error::unsupported("the order of axes in parts of an array that is not row-major"));
    }
    let result = array.fold_type(op, &ReduceOptions { dtype, ..ReduceOptions::default() })?.1;
    let compute = if result == DType::F16 { DType::F32 } else { result };
    let fold = SegmentFold::new(op, compute).ok_or_else(|| Error::unsupported("an op that is no fold"))?;
    let folded = fold_dense(&dense_as(array, compute)?, &dense_as(positions, DType::I64)?, axis as usize, (op, fold))?;
    if folded.dtype() == result { Ok(folded) } else { folded.cast_order(result, Order::C) }
}

/// [`fold_segments`] of an array that is dense and of the type computed in.
fn fold_dense(array: &Array, positions: &Array, axis: usize, (op, fold): (Op, SegmentFold)) -> Result<Array> {
    let (shape, size) = (array.shape(), array.dtype().size());
    let outer: usize = shape[..axis].iter().product();
    let width: usize = shape[axis + 1..].iter().product();
    let (n, parts) = (shape[axis], positions.size());
    let mut to: Shape = shape.into();
    to[axis] = parts;
    let mut runtime = recording()?;
    let mut gate = Eager::unlimited(&mut runtime);
    let positions = gate.read_stable(positions)?;
    // SAFETY: the positions are int64 and stay as they are while the runtime is locked.
    let positions = unsafe { positions.elements::<i64>() };
    if positions.iter().any(|&i| i < 0 || i >= n as i64) {
        return Err(Error::index("index out-of-bounds in reduceat"));
    }
    let from = gate.read_flushed(&array.storage)?.wrapping_offset(array.layout.offset);
    let storage = gate.create(byte_count(&to, size)?, |gate, start| {
        let raised = run_over(array.size() * size, || {
            flags_raised(|| {
                for row in 0..outer * usize::from(width > 0) {
                    for (k, &begin) in positions.iter().enumerate() {
                        let begin = begin as usize;
                        let end = positions.get(k + 1).map_or(n, |&next| (next as usize).max(begin + 1));
                        let v = from.wrapping_add((row * n + begin) * width * size);
                        let out = start.wrapping_add((row * parts + k) * width * size);
                        // SAFETY: the positions are those of elements, and the new storage has room for a result for each.
                        unsafe { fold_part((op, fold), array.dtype(), (out, v), width, end - begin) };
                    }
                }
            })
        });
        gate.note_flags("reduceat", raised & op.row().effects);
        Ok(())
    })?;
    let layout = Layout { strides: c_strides(&to, size), shape: to, offset: 0 };
    Ok(Array { storage, layout, dtype: array.dtype(), writeable: true })
}

/// Folds `length` rows of `width` elements. A sum begins with its first element, not with zero: that of negative zeros is one.
///
/// # Safety
/// There are so many elements, and room for the results.
#[inline]
unsafe fn fold_part(
    (op, fold): (Op, SegmentFold),
    dtype: DType,
    (out, v): (*mut u8, *const u8),
    width: usize,
    length: usize,
) {
    // SAFETY: the caller's contract.
    unsafe {
        if length == 1 {
            std::ptr::copy_nonoverlapping(v, out, width * dtype.size());
            return;
        }
        fold.run(out, v, width, length);
        if op == Op::Add {
            match dtype {
                DType::F32 | DType::C64 => {
                    keep_sign::<u32>(out.cast(), v.cast(), width * dtype.size() / 4, length, 1 << 31);
                }
                DType::F64 | DType::C128 => {
                    keep_sign::<u64>(out.cast(), v.cast(), width * dtype.size() / 8, length, 1 << 63);
                }
                _ => {}
            }
        }
    }
}

/// Turns zeros among sums into negative ones where all that was added is negative zeros. Floats are given as bits.
///
/// # Safety
/// There are `length` rows of `width` floats, and `width` sums.
unsafe fn keep_sign<T: Copy + PartialEq + Default>(
    out: *mut T,
    v: *const T,
    width: usize,
    length: usize,
    negative_zero: T,
) {
    for j in 0..width {
        // SAFETY: the caller's contract.
        unsafe {
            if *out.add(j) == T::default() && (0..length).all(|i| *v.add(i * width + j) == negative_zero) {
                *out.add(j) = negative_zero;
            }
        }
    }
}
