//! Joining arrays.

use crate::array::Array;
use crate::error::{Error, Result};
use crate::layout::{Index, Order, Shape, Strides, normalize_axis};
use crate::promote::promote_types;
use fastnp_codegen::DType;
use smallvec::SmallVec;

/// Arrays one after the other along an axis, in a new array of their common type.
///
/// # Errors
/// `ValueError` for no arrays, for arrays without axes, and where shapes differ along another axis; `AxisError`.
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
    let out = Array::fresh(&shape, nested_as(arrays, &shape, dtype.size()), dtype)?;
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

/// Dense strides that nest as those of the arrays do. An axis goes outside its neighbours if no array with both axes longer
/// than one says otherwise (NumPy's rule for joining, which is not that for ufuncs).
fn nested_as(arrays: &[&Array], shape: &[usize], itemsize: usize) -> Strides {
    let goes_out = |axis: usize, over: usize| {
        let told = arrays.iter().filter(|a| a.shape()[axis] != 1 && a.shape()[over] != 1);
        let wider = told.map(|a| a.strides()[axis].unsigned_abs() > a.strides()[over].unsigned_abs());
        wider.fold(None, |out, wider| Some(wider && out != Some(false)))
    };
    let mut axes: SmallVec<[usize; 4]> = SmallVec::new();
    for axis in 0..shape.len() {
        let mut place = axis;
        for i in (0..axis).rev() {
            match goes_out(axis, axes[i]) {
                Some(true) => place = i,
                Some(false) => break,
                None => {}
            }
        }
        axes.insert(place, axis);
    }
    let mut strides: Strides = SmallVec::from_elem(0, shape.len());
    let mut step = itemsize as isize;
    for &axis in axes.iter().rev() {
        strides[axis] = step;
        step *= shape[axis].max(1) as isize;
    }
    strides
}

impl Array {
    /// A new array of this one's shape, nested as this one is, with a type and whatever its memory holds.
    ///
    /// # Errors
    /// `ValueError` where the size does not fit an address.
    pub fn empty_like(&self, dtype: DType, order: Order) -> Result<Array> {
        let typed = Array { dtype, ..self.clone() };
        let strides = if order == Order::K {
            crate::layout::k_strides(self.shape(), dtype.size(), &[self.strides()])
        } else {
            typed.dense_strides(order)
        };
        Array::fresh(self.shape(), strides, dtype)
    }
}
