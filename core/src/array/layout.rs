//! Layout: shape, byte strides and byte offset of a view into its storage.
//!
//! Strides are in bytes, as NumPy's are, so views of another type (`.real`, `.view(dtype)`) are layouts like any other. Everything
//! here is integer arithmetic; no memory is read or written.

use crate::error::{Error, Result};
use smallvec::SmallVec;
use std::fmt;

/// Extents of an array. Four axes fit without an allocation.
pub type Shape = SmallVec<[usize; 4]>;
/// Byte strides of the axes.
pub type Strides = SmallVec<[isize; 4]>;

/// Byte strides, borrowed or owned: most recordings copy none.
#[derive(Clone, Debug)]
pub(crate) enum CowStrides<'a> {
    Borrowed(&'a [isize]),
    Owned(Strides),
}

impl std::ops::Deref for CowStrides<'_> {
    type Target = [isize];
    #[inline]
    fn deref(&self) -> &[isize] {
        match self {
            CowStrides::Borrowed(steps) => steps,
            CowStrides::Owned(steps) => steps,
        }
    }
}

/// NumPy's limit on the number of axes.
pub const MAX_DIMS: usize = 64;

/// Order of the elements in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Last axis fastest.
    C,
    /// First axis fastest.
    F,
    /// As close to the source as possible.
    K,
    /// `F` where the source is Fortran-contiguous and not C-contiguous, else `C`.
    A,
}

/// Shape, byte strides and byte offset.
///
/// ```
/// use fastnp::Layout;
/// let rows = Layout::dense(&[3, 4], 8);
/// assert_eq!(rows.strides[..], [32, 8]);
/// let corner = rows.index(&[(1..).into(), (2..).into()])?;
/// assert_eq!((corner.offset, &corner.shape[..]), (48, &[2, 2][..]));
/// # Ok::<(), fastnp::Error>(())
/// ```
#[derive(PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Extents.
    pub shape: Shape,
    /// Byte stride of each axis.
    pub strides: Strides,
    /// Byte position of the first element in the storage.
    pub offset: isize,
}

/// One part of a basic index.
///
/// ```
/// use fastnp::{Array, Index};
/// let a = Array::arange(12).reshape(&[3, 4])?;
/// let backwards = a.index(&[Index::At(-1), Index::Range(None, None, -2)])?;
/// assert_eq!(backwards.to_vec::<i64>()?, [11, 9]);
/// # Ok::<(), fastnp::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Index {
    /// One position; drops the axis. Negative counts from the end.
    At(isize),
    /// `start:stop:step`, clipped as Python clips; `None` is the end in the direction of the step.
    Range(Option<isize>, Option<isize>, isize),
    /// A new axis of extent one.
    NewAxis,
    /// All the axes not mentioned.
    Ellipsis,
}

impl From<isize> for Index {
    fn from(i: isize) -> Index {
        Index::At(i)
    }
}

impl From<std::ops::RangeFull> for Index {
    fn from(_: std::ops::RangeFull) -> Index {
        Index::Range(None, None, 1)
    }
}

impl From<std::ops::Range<isize>> for Index {
    fn from(r: std::ops::Range<isize>) -> Index {
        Index::Range(Some(r.start), Some(r.end), 1)
    }
}

impl From<std::ops::RangeFrom<isize>> for Index {
    fn from(r: std::ops::RangeFrom<isize>) -> Index {
        Index::Range(Some(r.start), None, 1)
    }
}

impl From<std::ops::RangeTo<isize>> for Index {
    fn from(r: std::ops::RangeTo<isize>) -> Index {
        Index::Range(None, Some(r.end), 1)
    }
}

/// Whether two shapes are the same. Shapes are short: a loop is a third of a call to `memcmp`.
#[inline(always)]
pub(crate) fn same_shape(a: &[usize], b: &[usize]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y)
}

/// Number of elements of a shape.
#[inline]
pub(crate) fn count(shape: &[usize]) -> usize {
    shape.iter().product()
}

/// A shape as NumPy prints it: `(3,)`, `(2,3)`.
pub(crate) struct Tuple<'a>(pub &'a [usize]);

impl fmt::Display for Tuple<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (i, n) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            write!(f, "{n}")?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

/// A list with a value for each axis. Few are stored one by one: a copy of a slice is a call of `memcpy`, and the list's next move then waits
/// for its bytes.
#[inline(always)]
pub(crate) fn for_axes<T: Copy + Default>(values: &[T]) -> SmallVec<[T; 4]> {
    let none = T::default();
    match *values {
        [] => SmallVec::new(),
        [a] => SmallVec::from_buf_and_len([a, none, none, none], 1),
        [a, b] => SmallVec::from_buf_and_len([a, b, none, none], 2),
        _ => SmallVec::from_slice(values),
    }
}

/// Row-major strides.
#[inline]
pub(crate) fn c_strides(shape: &[usize], itemsize: usize) -> Strides {
    match *shape {
        [n] if n > 0 => for_axes(&[itemsize as isize]),
        _ => dense_strides(shape, itemsize, (0..shape.len()).rev()),
    }
}

/// Column-major strides.
pub(crate) fn f_strides(shape: &[usize], itemsize: usize) -> Strides {
    dense_strides(shape, itemsize, 0..shape.len())
}

/// Strides of a dense array whose axes nest in this order. Those of an empty array are zero, as in NumPy.
pub(crate) fn dense_strides(shape: &[usize], itemsize: usize, innermost_first: impl Iterator<Item = usize>) -> Strides {
    let mut strides: Strides = SmallVec::from_elem(0, shape.len());
    if shape.contains(&0) {
        return strides;
    }
    let mut step = itemsize as isize;
    for axis in innermost_first {
        strides[axis] = step;
        step = step.wrapping_mul(shape[axis] as isize);
    }
    strides
}

/// Checks the number of axes of an array that is to be made.
///
/// # Errors
/// `ValueError` for more than [`MAX_DIMS`], as NumPy says it.
pub(crate) fn check_ndim(ndim: usize) -> Result<()> {
    if ndim <= MAX_DIMS {
        return Ok(());
    }
    Err(Error::value(format!("maximum supported dimension for an ndarray is currently {MAX_DIMS}, found {ndim}")))
}

/// Checks the number of axes of what an index selects.
///
/// # Errors
/// `IndexError` for more than [`MAX_DIMS`], as NumPy says it.
#[inline]
pub(crate) fn check_indexed_ndim(ndim: usize) -> Result<()> {
    if ndim <= MAX_DIMS {
        return Ok(());
    }
    let text = format!("number of dimensions must be within [0, {MAX_DIMS}], indexing result would have {ndim}");
    Err(Error::index(text))
}

/// Bytes of a dense array of a shape.
///
/// # Errors
/// `ValueError` where the size does not fit an address, or there are too many axes, as NumPy says it.
pub(crate) fn byte_count(shape: &[usize], itemsize: usize) -> Result<usize> {
    check_ndim(shape.len())?;
    let nonzero = shape.iter().filter(|&&n| n != 0).try_fold(itemsize, |size, &n| size.checked_mul(n));
    match nonzero {
        Some(size) if size <= isize::MAX as usize => Ok(if shape.contains(&0) { 0 } else { size }),
        _ => Err(Error::value(
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.",
        )),
    }
}

/// The shape that shapes broadcast to.
///
/// # Errors
/// `ValueError` as ufuncs word it.
///
/// ```
/// use fastnp::broadcast;
/// assert_eq!(broadcast(&[&[3, 1], &[4]])?[..], [3, 4]);
/// assert!(broadcast(&[&[3], &[4]]).is_err());
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn broadcast(shapes: &[&[usize]]) -> Result<Shape> {
    let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
    let mut out: Shape = SmallVec::from_elem(1, rank);
    for shape in shapes {
        for (o, &n) in out[rank - shape.len()..].iter_mut().zip(*shape) {
            if *o == 1 {
                *o = n;
            } else if n != 1 && n != *o {
                let listed: Vec<String> = shapes.iter().map(|s| Tuple(s).to_string()).collect();
                return Err(Error::value(format!(
                    "operands could not be broadcast together with shapes {} ",
                    listed.join(" ")
                )));
            }
        }
    }
    Ok(out)
}

/// An axis number made non-negative.
///
/// # Errors
/// `AxisError` where there is no such axis.
///
/// ```
/// use fastnp::normalize_axis;
/// assert_eq!(normalize_axis(-1, 3)?, 2);
/// assert!(normalize_axis(3, 3).is_err());
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn normalize_axis(axis: isize, ndim: usize) -> Result<usize> {
    let n = ndim as isize;
    if axis < -n || axis >= n { Err(Error::axis(axis, ndim)) } else { Ok(axis.rem_euclid(n.max(1)) as usize) }
}

impl Clone for Layout {
    #[inline]
    fn clone(&self) -> Layout {
        if self.shape.spilled() || self.strides.spilled() {
            return Layout { shape: self.shape.clone(), strides: self.strides.clone(), offset: self.offset };
        }
        // A field-wise clone of both lists takes 110 instructions, a copy of the bytes 12.
        // SAFETY: neither list is on the heap, so the layout owns nothing that two copies could free.
        unsafe { std::ptr::read(self) }
    }
}

impl Layout {
    /// A dense row-major layout from byte zero.
    #[inline(always)]
    pub fn dense(shape: &[usize], itemsize: usize) -> Layout {
        Layout { strides: c_strides(shape, itemsize), shape: for_axes(shape), offset: 0 }
    }

    /// Number of axes.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        count(&self.shape)
    }

    /// Whether elements lie densely in row-major order (axes of extent one do not matter; empty is contiguous).
    #[inline]
    pub fn is_c_contiguous(&self, itemsize: usize) -> bool {
        let mut step = itemsize as isize;
        for (&n, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if n == 0 {
                return true;
            }
            if n != 1 {
                if stride != step {
                    return self.size() == 0;
                }
                step *= n as isize;
            }
        }
        true
    }

    /// Whether two elements may share a byte; false is certain.
    pub(crate) fn may_overlap_itself(&self, itemsize: usize) -> bool {
        let mut axes: SmallVec<[(usize, usize); 4]> =
            self.shape.iter().zip(&self.strides).map(|(&n, s)| (s.unsigned_abs(), n)).filter(|a| a.1 != 1).collect();
        axes.sort_unstable();
        let mut reach = itemsize;
        axes.iter().any(|&(stride, n)| {
            let overlaps = n > 0 && stride < reach;
            reach += stride * n.saturating_sub(1);
            overlaps
        }) && self.size() > 0
    }

    /// Whether elements lie densely in column-major order.
    pub fn is_f_contiguous(&self, itemsize: usize) -> bool {
        let mut step = itemsize as isize;
        for (&n, &stride) in self.shape.iter().zip(&self.strides) {
            if n == 0 {
                return true;
            }
            if n != 1 {
                if stride != step {
                    return self.size() == 0;
                }
                step *= n as isize;
            }
        }
        true
    }

    /// First byte and the byte after the last one that an element touches; equal where there is no element.
    #[inline]
    pub fn extent(&self, itemsize: usize) -> (isize, isize) {
        byte_extent(&self.shape, &self.strides, self.offset, itemsize)
    }

    /// Whether every element lies at a multiple of an alignment, where the memory begins at `start`. As in NumPy, the stride of an axis
    /// that is never stepped along may be any.
    pub fn is_aligned(&self, start: usize, align: usize) -> bool {
        let stepped = || self.shape.iter().zip(&self.strides).filter(|(n, _)| **n != 1);
        start.wrapping_add_signed(self.offset).is_multiple_of(align)
            && (self.shape.contains(&0) || stepped().all(|(_, stride)| stride % align as isize == 0))
    }

    /// Byte strides over a shape this layout is broadcast to (which must fit).
    #[inline]
    pub fn strides_over(&self, shape: &[usize]) -> Strides {
        let lead = shape.len() - self.shape.len();
        let mut strides: Strides = SmallVec::from_elem(0, shape.len());
        for (i, (&n, &s)) in self.shape.iter().zip(&self.strides).enumerate() {
            strides[lead + i] = if n == 1 { 0 } else { s };
        }
        strides
    }

    /// The view that a basic index selects.
    ///
    /// # Errors
    /// `IndexError` for a position out of bounds, too many indices, or a second ellipsis.
    pub fn index(&self, parts: &[Index]) -> Result<Layout> {
        let mut out = Layout::default();
        self.index_to(parts, &mut out)?;
        Ok(out)
    }

    /// [`Layout::index`] into an existing layout. After an error that layout is unspecified.
    #[inline(always)]
    pub(crate) fn index_to(&self, parts: &[Index], out: &mut Layout) -> Result<()> {
        match (parts, &self.shape[..], &self.strides[..]) {
            // One range of one axis: without the general bookkeeping it takes half of the time.
            ([Index::Range(start, stop, step)], [n], [stride]) => {
                let (first, n, step) = clip(*start, *stop, *step, *n)?;
                out.offset = self.offset + first * stride;
                out.set_axis(n, stride.wrapping_mul(step));
                Ok(())
            }
            // One row of a matrix: likewise.
            ([Index::At(i)], [n, m], [stride, step]) => {
                out.offset = self.offset + position(*i, *n, 0)? as isize * stride;
                out.set_axis(*m, *step);
                Ok(())
            }
            // Rows of a matrix: likewise.
            ([Index::Range(start, stop, step)], [n, m], [stride, inner]) => {
                let (first, n, step) = clip(*start, *stop, *step, *n)?;
                out.offset = self.offset + first * stride;
                out.shape = Shape::from_slice(&[n, *m]);
                out.strides = Strides::from_slice(&[stride.wrapping_mul(step), *inner]);
                Ok(())
            }
            _ => self.index_several(parts, out),
        }
    }

    /// Makes it one axis.
    #[inline(always)]
    pub(crate) fn set_axis(&mut self, n: usize, stride: isize) {
        self.shape = Shape::from_slice(&[n]);
        self.strides = Strides::from_slice(&[stride]);
    }

    fn index_several(&self, parts: &[Index], out: &mut Layout) -> Result<()> {
        let used = parts.iter().filter(|p| matches!(p, Index::At(_) | Index::Range(..))).count();
        if used > self.ndim() {
            return Err(Error::index(format!(
                "too many indices for array: array is {}-dimensional, but {used} were indexed",
                self.ndim()
            )));
        }
        out.clear(self.offset);
        let mut axis = 0;
        let mut ellipsis = false;
        let rest = self.ndim() - used;
        for part in parts {
            match *part {
                Index::NewAxis => out.push(1, 0),
                Index::Ellipsis if ellipsis => {
                    return Err(Error::index("an index can only have a single ellipsis ('...')"));
                }
                Index::Ellipsis => {
                    ellipsis = true;
                    for _ in 0..rest {
                        out.push(self.shape[axis], self.strides[axis]);
                        axis += 1;
                    }
                }
                Index::At(i) => {
                    out.offset += position(i, self.shape[axis], axis)? as isize * self.strides[axis];
                    axis += 1;
                }
                Index::Range(start, stop, step) => {
                    let (first, n, step) = clip(start, stop, step, self.shape[axis])?;
                    out.offset += first * self.strides[axis];
                    out.push(n, self.strides[axis].wrapping_mul(step));
                    axis += 1;
                }
            }
        }
        for a in axis..self.ndim() {
            out.push(self.shape[a], self.strides[a]);
        }
        check_indexed_ndim(out.ndim())
    }

    /// Makes it no axes at all.
    #[inline]
    pub(crate) fn clear(&mut self, offset: isize) {
        self.shape.clear();
        self.strides.clear();
        self.offset = offset;
    }

    #[inline]
    pub(crate) fn push(&mut self, n: usize, stride: isize) {
        self.shape.push(n);
        self.strides.push(stride);
    }

    /// Axes in another order.
    ///
    /// # Errors
    /// `ValueError` or `AxisError` where `axes` is not a permutation.
    pub fn transpose(&self, axes: &[isize]) -> Result<Layout> {
        if axes.len() != self.ndim() {
            return Err(Error::value("axes don't match array"));
        }
        let mut seen = [false; MAX_DIMS];
        let mut out = Layout { shape: Shape::new(), strides: Strides::new(), offset: self.offset };
        for &axis in axes {
            let a = normalize_axis(axis, self.ndim())?;
            if std::mem::replace(&mut seen[a], true) {
                return Err(Error::value("repeated axis in transpose"));
            }
            out.push(self.shape[a], self.strides[a]);
        }
        Ok(out)
    }

    /// This layout stretched to a shape.
    ///
    /// # Errors
    /// `ValueError` where it does not fit.
    pub fn broadcast_to(&self, shape: &[usize]) -> Result<Layout> {
        let fits = shape.len() >= self.ndim()
            && self.shape.iter().rev().zip(shape.iter().rev()).all(|(&n, &m)| n == m || n == 1);
        if !fits {
            return Err(Error::value(format!(
                "could not broadcast input array from shape {} into shape {}",
                Tuple(&self.shape),
                Tuple(shape)
            )));
        }
        check_ndim(shape.len())?;
        Ok(Layout { shape: shape.into(), strides: self.strides_over(shape), offset: self.offset })
    }

    /// The same elements in row-major (`fortran`: column-major) order under another shape, where strides can say it.
    pub fn reshape(&self, shape: &[usize], itemsize: usize, fortran: bool) -> Option<Layout> {
        // A dense array stays dense. This is by far the most frequent case, and takes a third of the general one.
        if self.size() <= 1 || !fortran && self.is_c_contiguous(itemsize) {
            return Some(Layout { offset: self.offset, ..Layout::dense(shape, itemsize) });
        }
        let mut old: SmallVec<[(usize, isize); 4]> =
            self.shape.iter().copied().zip(self.strides.iter().copied()).filter(|&(n, _)| n != 1).collect();
        let mut new: Shape = shape.into();
        if fortran {
            old.reverse();
            new.reverse();
        }
        let mut strides: Strides = SmallVec::from_elem(0, new.len());
        let (mut i, mut j) = (0, 0);
        while i < old.len() && j < new.len() {
            let (mut have, mut want) = (old[i].0, new[j]);
            let (mut i_end, mut j_end) = (i + 1, j + 1);
            while have != want {
                if want < have {
                    want *= *new.get(j_end)?;
                    j_end += 1;
                } else {
                    have *= old.get(i_end)?.0;
                    i_end += 1;
                }
            }
            for k in i..i_end - 1 {
                if old[k].1 != old[k + 1].1 * old[k + 1].0 as isize {
                    return None;
                }
            }
            let mut step = old[i_end - 1].1;
            for k in (j..j_end).rev() {
                strides[k] = step;
                step *= new[k] as isize;
            }
            (i, j) = (i_end, j_end);
        }
        // The rest of the new shape is ones; NumPy gives them the stride of the axis before.
        let tail = if j > 0 { strides[j - 1] } else { itemsize as isize };
        strides[j..].fill(tail);
        if fortran {
            strides.reverse();
        }
        Some(Layout { shape: shape.into(), strides, offset: self.offset })
    }
}

/// First byte and the byte after the last one of a strided box.
#[inline]
pub(crate) fn byte_extent(shape: &[usize], strides: &[isize], offset: isize, itemsize: usize) -> (isize, isize) {
    let (mut lo, mut hi) = (offset, offset);
    for (&n, &s) in shape.iter().zip(strides) {
        if n == 0 {
            return (offset, offset);
        }
        let reach = (n as isize - 1) * s;
        if reach < 0 {
            lo += reach;
        } else {
            hi += reach;
        }
    }
    (lo, hi + itemsize as isize)
}

/// [`byte_extent`] of a box that a user made up; `None` if it does not fit an address.
pub(crate) fn checked_extent(
    shape: &[usize],
    strides: &[isize],
    offset: isize,
    itemsize: usize,
) -> Option<(isize, isize)> {
    let (mut low, mut high) = (offset, offset);
    for (&n, &s) in shape.iter().zip(strides) {
        if n == 0 {
            return Some((offset, offset));
        }
        let reach = isize::try_from(n - 1).ok()?.checked_mul(s)?;
        let end = if reach < 0 { &mut low } else { &mut high };
        *end = end.checked_add(reach)?;
    }
    Some((low, high.checked_add_unsigned(itemsize)?))
}

fn position(i: isize, n: usize, axis: usize) -> Result<usize> {
    let len = n as isize;
    if i < -len || i >= len {
        return Err(Error::index(format!("index {i} is out of bounds for axis {axis} with size {n}")));
    }
    Ok(if i < 0 { i + len } else { i } as usize)
}

/// First position, number of positions and step of a slice of an axis of extent `n`, by Python's rules. One without positions begins at
/// zero and has step one, as in NumPy.
fn clip(start: Option<isize>, stop: Option<isize>, step: isize, n: usize) -> Result<(isize, usize, isize)> {
    if step == 0 {
        return Err(Error::value("slice step cannot be zero"));
    }
    let len = n as isize;
    let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
    let bound = |given: Option<isize>, default: isize| match given {
        None => default,
        Some(i) if i < 0 => i.saturating_add(len).max(low),
        Some(i) => i.min(high),
    };
    let (first, last) =
        if step > 0 { (bound(start, low), bound(stop, high)) } else { (bound(start, high), bound(stop, low)) };
    let count = if step == 1 {
        // A division takes as long as all the rest.
        (last - first).max(0)
    } else if step > 0 && last > first {
        (last - first - 1) / step + 1
    } else if step < 0 && first > last {
        (first - last - 1) / step.unsigned_abs() as isize + 1
    } else {
        0
    };
    Ok(if count == 0 { (0, 0, 1) } else { (first, count as usize, step) })
}
