//! Reshape: a view where strides give the new shape, else a copy.

use crate::array::array::Array;
use crate::array::layout::{Order, Tuple, byte_count};
use crate::error::{Error, Result};

impl Array {
    /// The same elements under another shape: a view where strides allow it, else a copy.
    ///
    /// # Errors
    /// `ValueError` where the number of elements differs.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(6);
    /// let b = a.reshape(&[2, 3])?;
    /// assert!(b.same_storage(&a));
    /// assert!(!b.t().reshape(&[6])?.same_storage(&a)); // no strides give that order
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn reshape(&self, shape: &[usize]) -> Result<Array> {
        self.reshape_order(shape, Order::C)
    }

    /// [`Array::reshape`] with elements read and placed in a given order.
    ///
    /// # Errors
    /// `ValueError` where the number of elements differs.
    ///
    /// ```
    /// use fastnp::{Array, Order};
    /// let a = Array::arange(4).reshape_order(&[2, 2], Order::F)?;
    /// assert_eq!(a.to_vec::<i64>()?, [0, 2, 1, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn reshape_order(&self, shape: &[usize], order: Order) -> Result<Array> {
        if byte_count(shape, 1)? != self.size() {
            return Err(Error::value(format!(
                "cannot reshape array of size {} into shape {}",
                self.size(),
                Tuple(shape)
            )));
        }
        let itemsize = self.dtype.size();
        let fortran = match order {
            Order::F => true,
            Order::A => self.is_f_contiguous() && !self.is_c_contiguous(),
            Order::C | Order::K => false,
        };
        if let Some(layout) = self.layout.reshape(shape, itemsize, fortran) {
            return Ok(self.with_layout(layout));
        }
        let copy = self.copy(if fortran { Order::F } else { Order::C })?;
        match copy.layout.reshape(shape, itemsize, fortran) {
            Some(layout) => Ok(copy.with_layout(layout)),
            None => Err(Error::value("a dense array takes every shape of its size")),
        }
    }
}
