//! Views: the same storage through another layout. Nothing here is recorded; `ops::reshape` copies where no strides give the shape.

use crate::array::array::Array;
use crate::array::layout::{
    Index, Layout, Order, Shape, Strides, c_strides, check_ndim, checked_extent, f_strides, normalize_axis,
};
use crate::array::result_order;
use crate::error::{Error, Result};
use fastnp_codegen::DType;
use smallvec::SmallVec;

impl Array {
    /// The view that a basic index selects.
    ///
    /// # Errors
    /// `IndexError` for a position out of bounds or too many indices.
    ///
    /// ```
    /// use fastnp::{Array, Index};
    /// let a = Array::arange(12).reshape(&[3, 4])?;
    /// let middle = a.index(&[Index::At(1), (1..3).into()])?;
    /// assert_eq!(middle.to_vec::<i64>()?, [5, 6]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline(always)]
    pub fn index(&self, parts: &[Index]) -> Result<Array> {
        Ok(self.with_layout(self.layout.index(parts)?))
    }

    /// An empty view, to be set in place ([`Array::set_index_of`], [`Array::set_flat_of`], [`Array::set_transpose_of`]). A view
    /// that is built first and then moved stalls on store forwarding at each move (5 ns).
    #[inline(always)]
    pub fn empty_view(&self) -> Array {
        let mut layout = Layout::default();
        layout.push(0, 0);
        self.with_layout(layout)
    }

    /// Sets this view to [`Array::index`] of another view of the same storage.
    ///
    /// # Errors
    /// As [`Array::index`]; then it is a view of no elements.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(12).reshape(&[3, 4])?;
    /// let mut row = a.empty_view();
    /// row.set_index_of(&a, &[1.into()])?;
    /// assert_eq!(row.to_vec::<i64>()?, [4, 5, 6, 7]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline(always)]
    pub fn set_index_of(&mut self, of: &Array, parts: &[Index]) -> Result<()> {
        self.check_same_storage(of);
        let done = of.layout.index_to(parts, &mut self.layout);
        if done.is_err() {
            self.layout.set_axis(0, 0);
        }
        done
    }

    /// Sets this view to all elements of a dense view of the same storage, as one axis in row-major order; whether that view is
    /// dense.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(4).reshape(&[2, 2])?;
    /// let mut flat = a.empty_view();
    /// assert!(flat.set_flat_of(&a) && !flat.set_flat_of(&a.t()));
    /// assert_eq!(flat.to_vec::<i64>()?, [0, 1, 2, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline(always)]
    pub fn set_flat_of(&mut self, of: &Array) -> bool {
        self.check_same_storage(of);
        if !of.is_c_contiguous() {
            return false;
        }
        self.layout.offset = of.layout.offset;
        match (of.shape(), of.strides()) {
            // One axis in order is flat already.
            ([n], [stride]) => self.layout.set_axis(*n, *stride),
            _ => match of.size() {
                0 => self.layout.set_axis(0, 0),
                n => self.layout.set_axis(n, of.dtype.size() as isize),
            },
        }
        true
    }

    /// Sets this view to [`Array::t`] of another view of the same storage.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(4).reshape(&[2, 2])?;
    /// let mut columns = a.empty_view();
    /// columns.set_transpose_of(&a);
    /// assert_eq!(columns.to_vec::<i64>()?, [0, 2, 1, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline(always)]
    pub fn set_transpose_of(&mut self, of: &Array) {
        self.check_same_storage(of);
        self.layout.clear(of.layout.offset);
        for (&n, &stride) in of.shape().iter().zip(of.strides()).rev() {
            self.layout.push(n, stride);
        }
    }

    /// # Panics
    /// Where the two are not views of one storage and type: a layout is valid for its own storage only.
    #[inline(always)]
    fn check_same_storage(&self, other: &Array) {
        assert!(self.same_storage(other) && self.dtype == other.dtype, "views of one storage and type");
    }

    /// Axes in another order.
    ///
    /// # Errors
    /// `ValueError` where `axes` is not a permutation of the axes.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(24).reshape(&[2, 3, 4])?;
    /// assert_eq!(a.transpose(&[2, 0, 1])?.shape(), [4, 2, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn transpose(&self, axes: &[isize]) -> Result<Array> {
        Ok(self.with_layout(self.layout.transpose(axes)?))
    }

    /// Axes in reverse order.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(4).reshape(&[2, 2])?;
    /// assert_eq!(a.t().to_vec::<i64>()?, [0, 2, 1, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn t(&self) -> Array {
        let mut layout = self.layout.clone();
        layout.shape.reverse();
        layout.strides.reverse();
        self.with_layout(layout)
    }

    /// A read-only view stretched to a shape.
    ///
    /// # Errors
    /// `ValueError` where the shape does not fit.
    ///
    /// ```
    /// use fastnp::Array;
    /// let rows = Array::arange(3).broadcast_to(&[2, 3])?;
    /// assert_eq!(rows.to_vec::<i64>()?, [0, 1, 2, 0, 1, 2]);
    /// assert_eq!(rows.strides(), [0, 8]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Array> {
        let mut view = self.with_layout(self.layout.broadcast_to(shape)?);
        view.writeable = false;
        Ok(view)
    }

    /// The elements at `[i, i + offset]` of two axes, as a read-only view whose last axis counts `i`.
    ///
    /// # Errors
    /// `AxisError` for an axis that there is not, `ValueError` where both axes are the same.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(6).reshape(&[2, 3])?;
    /// assert_eq!(a.diagonal(0, 0, 1)?.to_vec::<i64>()?, [0, 4]);
    /// assert_eq!(a.diagonal(-1, 0, 1)?.to_vec::<i64>()?, [3]);
    /// assert_eq!(a.diagonal(3, 0, 1)?.shape(), [0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn diagonal(&self, offset: isize, axis1: isize, axis2: isize) -> Result<Array> {
        let axes = [normalize_axis(axis1, self.ndim())?, normalize_axis(axis2, self.ndim())?];
        if axes[0] == axes[1] {
            return Err(Error::value("axis1 and axis2 cannot be the same"));
        }
        let left_out = offset.unsigned_abs();
        let shifted = axes[usize::from(offset >= 0)];
        let length = axes.map(|axis| self.shape()[axis].saturating_sub(if axis == shifted { left_out } else { 0 }));
        let length = length[0].min(length[1]);
        let mut layout = Layout { shape: Shape::new(), strides: Strides::new(), offset: self.layout.offset };
        for axis in (0..self.ndim()).filter(|axis| !axes.contains(axis)) {
            layout.push(self.shape()[axis], self.strides()[axis]);
        }
        layout.push(length, self.strides()[axes[0]] + self.strides()[axes[1]]);
        if length > 0 {
            layout.offset += left_out as isize * self.strides()[shifted];
        }
        let mut view = self.with_layout(layout);
        view.writeable = false;
        Ok(view)
    }

    /// Without the leading axes of extent one beyond `ndim`, as NumPy drops them from an assigned value; `None` where there are
    /// none to drop.
    pub(crate) fn without_leading_ones(&self, ndim: usize) -> Option<Array> {
        let extra = self.ndim().checked_sub(ndim).filter(|&extra| extra > 0)?;
        self.shape()[..extra].iter().all(|&n| n == 1).then(|| {
            let (shape, strides) = (self.shape()[extra..].into(), self.strides()[extra..].into());
            self.with_layout(Layout { shape, strides, offset: self.layout.offset })
        })
    }

    /// Without axes of extent one (all of them, or those named).
    ///
    /// # Errors
    /// `AxisError`, or `ValueError` where a named axis is longer.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(3).reshape(&[1, 3, 1])?;
    /// assert_eq!(a.squeeze(None)?.shape(), [3]);
    /// assert_eq!(a.squeeze(Some(&[-1]))?.shape(), [1, 3]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn squeeze(&self, axes: Option<&[isize]>) -> Result<Array> {
        let mut drop: SmallVec<[bool; 4]> = self.shape().iter().map(|&n| axes.is_none() && n == 1).collect();
        for &axis in axes.unwrap_or(&[]) {
            let axis = normalize_axis(axis, self.ndim())?;
            if self.shape()[axis] != 1 {
                return Err(Error::value("cannot select an axis to squeeze out which has size not equal to one"));
            }
            drop[axis] = true;
        }
        let keep = |i: &usize| !drop[*i];
        let shape = (0..self.ndim()).filter(keep).map(|i| self.shape()[i]).collect();
        let strides = (0..self.ndim()).filter(keep).map(|i| self.strides()[i]).collect();
        Ok(self.with_layout(Layout { shape, strides, offset: self.layout.offset }))
    }

    /// The real parts of a complex array, as a view; any other array as it is.
    pub fn real(&self) -> Array {
        Array { dtype: self.dtype.real(), ..self.clone() }
    }

    /// The imaginary parts of a complex array, as a view; `None` for any other array.
    ///
    /// ```
    /// use fastnp::{Array, Complex};
    /// let z = Array::from(vec![Complex::new(1.0, 2.0), Complex::new(3.0, 4.0)]);
    /// assert_eq!(z.imag().expect("complex").to_vec::<f64>()?, [2.0, 4.0]);
    /// assert_eq!(z.real().to_vec::<f64>()?, [1.0, 3.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn imag(&self) -> Option<Array> {
        self.dtype.is_complex().then(|| {
            let mut view = self.real();
            view.layout.offset += view.dtype.size() as isize;
            view
        })
    }

    /// The same bytes as elements of another type, as NumPy's `view`: where these have another size, the last axis is dense, and longer or
    /// shorter.
    ///
    /// # Errors
    /// `ValueError` where the last axis is not dense, or the bytes along it are not a whole number of elements; and as [`Array::view_as`].
    ///
    /// ```
    /// use fastnp::{Array, DType};
    /// let halves = Array::from(vec![1i64, -1]).view_dtype(DType::I32)?;
    /// assert_eq!(halves.to_vec::<i32>()?, [1, 0, -1, -1]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn view_dtype(&self, dtype: DType) -> Result<Array> {
        let (old, new) = (self.dtype.size(), dtype.size());
        let mut layout = self.layout.clone();
        if old != new {
            let (Some(extent), Some(stride)) = (layout.shape.last_mut(), layout.strides.last_mut()) else {
                return Err(Error::value(
                    "Changing the dtype of a 0d array is only supported if the itemsize is unchanged",
                ));
            };
            let bytes = *extent * old;
            let is_dense = *extent == 1 || self.size() == 0 || *stride == old as isize;
            if !is_dense || !bytes.is_multiple_of(new) || (new < old && !old.is_multiple_of(new)) {
                return Err(Error::value("the last axis does not divide into elements of this size"));
            }
            (*extent, *stride) = (bytes / new, new as isize);
        }
        self.view_as(dtype, layout)
    }

    /// The same bytes as another type, through any layout that stays within the storage.
    ///
    /// # Errors
    /// `ValueError` where the layout reaches outside the storage or is misaligned.
    pub fn view_as(&self, dtype: DType, layout: Layout) -> Result<Array> {
        check_ndim(layout.ndim())?;
        // Foreign memory may begin anywhere; ours is aligned.
        let start = self.storage.known_address().map_or(0, |address| address.addr());
        let aligned = layout.is_aligned(start, dtype.align());
        let inside = layout.shape.contains(&0)
            || checked_extent(&layout.shape, &layout.strides, layout.offset, dtype.size())
                .is_some_and(|(low, high)| low >= 0 && high <= self.storage.bytes() as isize && aligned);
        if !inside {
            return Err(Error::value("the view reaches outside of its memory"));
        }
        Ok(Array { storage: self.storage.clone(), layout, dtype, writeable: self.writeable })
    }

    /// The axes in the order in which NumPy's iterators visit them with `order="K"`, the slowest first.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(6).reshape(&[2, 3])?;
    /// assert_eq!(a.axes_in_memory()[..], [0, 1]);
    /// assert_eq!(a.t().axes_in_memory()[..], [1, 0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn axes_in_memory(&self) -> SmallVec<[isize; 4]> {
        let strides = result_order::of_operands(self.shape(), 1, &[self.strides()]);
        let mut axes: SmallVec<[isize; 4]> = (0..self.ndim() as isize).collect();
        axes.sort_by_key(|&axis| std::cmp::Reverse(strides[axis as usize]));
        axes
    }

    /// The strides a dense copy in a type of a size has under an order.
    pub(crate) fn dense_strides(&self, order: Order, itemsize: usize) -> Strides {
        match order {
            Order::C => c_strides(self.shape(), itemsize),
            Order::F => f_strides(self.shape(), itemsize),
            Order::A if self.is_f_contiguous() && !self.is_c_contiguous() => f_strides(self.shape(), itemsize),
            Order::A => c_strides(self.shape(), itemsize),
            Order::K if self.is_c_contiguous() => c_strides(self.shape(), itemsize),
            Order::K if self.is_f_contiguous() => f_strides(self.shape(), itemsize),
            Order::K => result_order::of_one(self.shape(), itemsize, self.strides()),
        }
    }
}
