//! Concatenation of arrays along an axis.

use crate::array::array::Array;
use crate::array::layout::{Index, Layout, Order, Shape, check_ndim, normalize_axis, same_shape};
use crate::array::result_order;
use crate::error::{Error, Result};
use crate::ops::promote::promote_types;
use crate::runtime::eager_fill;
use fastnp_codegen::DType;
use smallvec::SmallVec;

/// Concatenates arrays along an axis, in a new array of their common type.
///
/// # Errors
/// `ValueError` for no arrays, for arrays without axes, and for shapes that differ along another axis; `AxisError`.
///
/// ```
/// use fastnp::{Array, concatenate};
/// let a = Array::arange(2);
/// assert_eq!(concatenate(&[&a, &a], 0)?.to_vec::<i64>()?, [0, 1, 0, 1]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn concatenate(arrays: &[&Array], axis: isize) -> Result<Array> {
    let Some(first) = arrays.first() else { return Err(Error::value("need at least one array to concatenate")) };
    if first.ndim() == 0 {
        return Err(Error::value("zero-dimensional arrays cannot be concatenated"));
    }
    let axis = normalize_axis(axis, first.ndim())?;
    let mut shape: Shape = first.shape_vec();
    shape[axis] = 0;
    for (i, array) in arrays.iter().enumerate() {
        if array.ndim() != first.ndim() {
            return Err(Error::value(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along \
                 dimension 0, the array at index 0 has {} dimension(s) and the array at index {i} has {} dimension(s)",
                first.ndim(),
                array.ndim()
            )));
        }
        if let Some(d) = (0..shape.len()).find(|&d| d != axis && array.shape()[d] != shape[d]) {
            return Err(Error::value(format!(
                "all the input array dimensions except for the concatenation axis must match exactly, but along \
                 dimension {d}, the array at index 0 has size {} and the array at index {i} has size {}",
                shape[d],
                array.shape()[d]
            )));
        }
        shape[axis] += array.shape()[axis];
    }
    let dtype = arrays.iter().map(|a| a.dtype()).reduce(promote_types).unwrap_or(DType::F64);
    let parts: SmallVec<[(&[usize], &[isize]); 4]> = arrays.iter().map(|a| (a.shape(), a.strides())).collect();
    let strides = result_order::of_joined(&shape, dtype.size(), &parts);
    let layout = Layout { shape, strides, offset: 0 };
    if let Some(out) = eager_fill::concatenate(arrays, axis, &layout, dtype)? {
        return Ok(out);
    }
    let out = Array::fresh(&layout.shape, layout.strides, dtype)?;
    let mut at = 0isize;
    for array in arrays {
        let end = at + array.shape()[axis] as isize;
        let mut parts = vec![Index::from(..); axis];
        parts.push((at..end).into());
        out.index(&parts)?.assign(*array)?;
        at = end;
    }
    Ok(out)
}

/// Joins dense arrays of one shape along a new first axis.
///
/// # Errors
/// `ValueError` for no arrays, and for shapes that differ; `MemoryError`.
///
/// ```
/// use fastnp::{Array, stack};
/// let rows = stack(&[&Array::arange(2), &Array::arange(2)])?;
/// assert_eq!(rows.shape(), [2, 2]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn stack(arrays: &[&Array]) -> Result<Array> {
    let Some(first) = arrays.first() else { return Err(Error::value("need at least one array to stack")) };
    if arrays.iter().any(|array| !same_shape(array.shape(), first.shape())) {
        return Err(Error::value("all input arrays must have the same shape"));
    }
    let shape: Shape = std::iter::once(arrays.len()).chain(first.shape().iter().copied()).collect();
    check_ndim(shape.len())?;
    if let Some(out) = eager_fill::concatenate(arrays, 0, &Layout::dense(&shape, first.dtype().size()), first.dtype())?
    {
        return Ok(out);
    }
    let rows: Result<SmallVec<[Array; 4]>> = arrays.iter().map(|array| array.index(&[Index::NewAxis])).collect();
    let rows = rows?;
    concatenate(&rows.iter().collect::<SmallVec<[&Array; 4]>>(), 0)
}

impl Array {
    /// An uninitialised array of this one's shape and a type. With [`Order::K`] it also has this array's axis order.
    ///
    /// # Errors
    /// `ValueError` where the size does not fit an address.
    ///
    /// ```
    /// use fastnp::{Array, DType, Order};
    /// let a = Array::arange(6).reshape(&[2, 3])?;
    /// assert_eq!(a.t().empty_like(DType::F32, Order::K)?.strides(), [4, 12]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn empty_like(&self, dtype: DType, order: Order) -> Result<Array> {
        Array::fresh(self.shape(), self.dense_strides(order, dtype.size()), dtype)
    }
}
