//! The array: a storage, a layout, a type.
//!
//! Arrays are cheap to clone and to view; clones and views share their storage, and a write through one is seen through
//! all. Nothing here computes: other views are made in `view`, everything else is recorded by the other modules.

use crate::array::layout::{Index, Layout, Shape, Steps, Strides, byte_count, c_strides, same_shape};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::free_list::Share;
use crate::memory::storage::{Owner, Storage};
use crate::memory::storage_ref::Counted;
use crate::plan::trace::View;
use crate::runtime::recorder;
use crate::runtime::recorder::engine;
use fastnp_codegen::{DType, Scalar};
use smallvec::SmallVec;
use std::sync::atomic::Ordering;

/// An n-dimensional array whose elements may not have been computed yet.
///
/// ```
/// use fastnp::{Array, DType};
/// let a = Array::arange(6).reshape(&[2, 3])?;
/// assert_eq!((a.shape(), a.strides(), a.dtype()), (&[2, 3][..], &[24, 8][..], DType::I64));
/// let b = a.clone(); // the same storage
/// b.index(&[0.into()])?.assign(7)?;
/// assert_eq!(a.to_vec::<i64>()?, [7, 7, 7, 3, 4, 5]);
/// # Ok::<(), fastnp::Error>(())
/// ```
#[derive(Clone)]
pub struct Array {
    pub(crate) storage: Share,
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
    pub(crate) writeable: bool,
}

impl Array {
    /// A new array without contents, dense in the given strides.
    pub(crate) fn fresh(shape: &[usize], strides: Strides, dtype: DType) -> Result<Array> {
        let bytes = match shape {
            // One axis cannot overflow where the array's own elements did not.
            &[n] if n < 1 << 58 => n * dtype.size(),
            _ => byte_count(shape, dtype.size())?,
        };
        let layout = Layout { shape: Shape::from_slice(shape), strides, offset: 0 };
        let storage = recorder::waiting(bytes).unwrap_or_else(|| Storage::pending(bytes).into());
        Ok(Array { storage, layout, dtype, writeable: true })
    }

    /// The same in row-major order.
    pub(crate) fn by_rows(shape: &[usize], dtype: DType) -> Result<Array> {
        Array::fresh(shape, c_strides(shape, dtype.size()), dtype)
    }

    /// The same storage seen through another layout.
    #[inline(always)]
    pub(crate) fn with_layout(&self, layout: Layout) -> Array {
        Array { storage: self.storage.clone(), layout, dtype: self.dtype, writeable: self.writeable }
    }

    /// An array on memory that `owner` keeps alive. The layout's offset counts from `address`.
    ///
    /// # Safety
    /// The `bytes` from `address` on must be readable (and writeable if `writeable`) while the owner lives, every element of the
    /// layout must lie within them and be aligned for the type, and bool elements must be 0 or 1.
    pub unsafe fn from_foreign(
        address: *mut u8,
        bytes: usize,
        layout: Layout,
        dtype: DType,
        writeable: bool,
        owner: Box<dyn Owner>,
    ) -> Array {
        Array { storage: Storage::foreign(address, bytes, owner).into(), layout, dtype, writeable }
    }

    /// Extents of the axes.
    #[inline]
    pub fn shape(&self) -> &[usize] {
        &self.layout.shape
    }

    /// Byte steps along the axes.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.layout.strides
    }

    /// Shape, strides and offset.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Number of axes.
    #[inline]
    pub fn ndim(&self) -> usize {
        self.layout.ndim()
    }

    /// Number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.layout.size()
    }

    /// Bytes of all elements together.
    pub fn nbytes(&self) -> usize {
        self.size() * self.dtype.size()
    }

    /// Whether elements may be assigned.
    #[inline]
    pub fn is_writeable(&self) -> bool {
        self.writeable
    }

    /// The same view, writeable or not.
    pub fn set_writeable(&mut self, writeable: bool) {
        self.writeable = writeable;
    }

    /// Whether elements lie densely in row-major order.
    #[inline]
    pub fn is_c_contiguous(&self) -> bool {
        self.layout.is_c_contiguous(self.dtype.size())
    }

    /// Whether elements lie densely in column-major order.
    pub fn is_f_contiguous(&self) -> bool {
        self.layout.is_f_contiguous(self.dtype.size())
    }

    /// Whether this is the whole of its storage, element by element: what a write through it leaves nothing older of.
    #[inline]
    pub(crate) fn covers_storage(&self) -> bool {
        let dense = self.is_c_contiguous() || self.is_f_contiguous() || {
            let mut axes: SmallVec<[(isize, usize); 4]> =
                self.strides().iter().copied().zip(self.shape().iter().copied()).filter(|a| a.1 != 1).collect();
            axes.sort_unstable();
            let mut step = self.dtype.size() as isize;
            axes.iter().all(|&(s, n)| {
                let expected = step;
                step *= n as isize;
                s == expected
            })
        };
        dense && self.nbytes() == self.storage.bytes()
    }

    /// Checks that elements may be written, each by itself: where some share memory the order of writes would count.
    ///
    /// # Errors
    /// `ValueError` with this text where the array is read-only, `Unsupported` where elements share memory.
    #[inline]
    pub(crate) fn check_target(&self, read_only: &str) -> Result<()> {
        if !self.writeable {
            return Err(Error::value(read_only));
        }
        if !self.is_c_contiguous() && self.layout.may_overlap_itself(self.dtype.size()) {
            return Err(Error::unsupported("writing to elements that share memory"));
        }
        Ok(())
    }

    /// Opens the memory for good to somebody who keeps its address without saying so.
    ///
    /// # Errors
    /// As [`Array::export`].
    pub fn expose(&self) -> Result<()> {
        self.export().map(|_| self.storage.export(true))
    }

    /// Bytes of the whole storage.
    pub fn storage_bytes(&self) -> usize {
        self.storage.bytes()
    }

    /// How many writes to the storage were recorded so far.
    pub fn version(&self) -> u64 {
        self.storage.version()
    }

    /// Whether both are views of one storage.
    pub fn same_storage(&self, other: &Array) -> bool {
        Counted::same(&self.storage, &other.storage)
    }

    /// Whether the two may have a byte in common; false is certain.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(10);
    /// let (head, tail) = (a.index(&[(..5).into()])?, a.index(&[(5..).into()])?);
    /// assert!(a.may_share_memory(&tail) && !head.may_share_memory(&tail));
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn may_share_memory(&self, other: &Array) -> bool {
        let (a, b) = (self.layout.extent(self.dtype.size()), other.layout.extent(other.dtype.size()));
        if self.same_storage(other) {
            return a.0 < b.1 && b.0 < a.1;
        }
        match (self.storage.known_address(), other.storage.known_address()) {
            (Some(p), Some(q)) => {
                let (p, q) = (p as isize, q as isize);
                p + a.0 < q + b.1 && q + b.0 < p + a.1
            }
            _ => false,
        }
    }

    /// The owner of the memory, where it is foreign.
    pub fn owner(&self) -> Option<&dyn Owner> {
        self.storage.owner()
    }

    /// The view over a domain, for recording.
    #[inline]
    pub(crate) fn over(&self, domain: &[usize]) -> View<'_> {
        let strides = if same_shape(self.shape(), domain) {
            Steps::Borrowed(self.strides())
        } else {
            Steps::Owned(self.layout.strides_over(domain))
        };
        View { storage: &self.storage, dtype: self.dtype, offset: self.layout.offset, strides }
    }

    /// Computes the elements, if they are pending, where they are to be computed: on a device they stay.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::{Array, DType, explain};
    /// let x = &Array::ones(&[100_000], DType::F64) * 2.0;
    /// assert!(explain().starts_with("pending"));
    /// x.evaluate()?;
    /// assert!(explain().starts_with("nothing is pending"));
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn evaluate(&self) -> Result<()> {
        engine().compute(&self.storage)
    }

    /// The address of the first element (of where it would be, in an empty array), computed and in memory. It stays valid
    /// while an array on this storage lives; its contents follow later writes only once those are evaluated.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn address(&self) -> Result<*mut u8> {
        Ok(engine().settle(&self.storage)?.wrapping_offset(self.layout.offset))
    }

    /// Has somebody write to the host's memory from the first element's address on, who asks nothing of the engine.
    ///
    /// # Errors
    /// As [`Array::address`].
    pub(crate) fn write_with(&self, write: impl FnOnce(*mut u8)) -> Result<()> {
        let mut engine = engine();
        if self.storage.is_watched() {
            engine.leave_copies(&self.storage)?;
        }
        write(engine.settle(&self.storage)?.wrapping_offset(self.layout.offset));
        self.storage.written()
    }

    /// The one element of an array of size one.
    ///
    /// # Errors
    /// `ValueError` for any other size.
    ///
    /// ```
    /// use fastnp::{Array, Reduction};
    /// let sum = Array::arange(5).reduce(Reduction::Sum, None, None, false)?;
    /// assert_eq!(sum.item()?.to_i64(), 10);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn item(&self) -> Result<Scalar> {
        if self.size() != 1 {
            return Err(Error::value("can only convert an array of size 1 to a Python scalar"));
        }
        engine().number(&self.storage, self.layout.offset, self.dtype)
    }

    /// Whether the one element of an array without axes is better not asked for yet: it is pending or on a device, and the setting
    /// `lazy_scalars` says so.
    #[inline]
    pub fn stays_lazy(&self) -> bool {
        crate::settings::LAZY_SCALARS.load(Ordering::Relaxed) && engine().ready_address(&self.storage).is_none()
    }

    /// The layout's offset of one element; `None` where an index is out of bounds or does not name one element.
    #[inline]
    fn element(&self, parts: &[Index]) -> Option<isize> {
        if let ([Index::At(i)], [n]) = (parts, self.shape()) {
            let i = if *i < 0 { i + *n as isize } else { *i };
            return ((i as usize) < *n).then(|| self.layout.offset + i * self.strides()[0]);
        }
        if parts.len() != self.ndim() {
            return None;
        }
        let mut offset = self.layout.offset;
        for ((part, &n), &stride) in parts.iter().zip(self.shape()).zip(self.strides()) {
            let Index::At(i) = *part else { return None };
            let i = if i < 0 { i + n as isize } else { i };
            if i < 0 || i >= n as isize {
                return None;
            }
            offset += i * stride;
        }
        Some(offset)
    }

    /// The element at integer positions, one for each axis; `None` where they do not name one.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(6).reshape(&[2, 3])?;
    /// assert_eq!(a.get(&[1.into(), (-1).into()])?.map(|x| x.to_i64()), Some(5));
    /// assert!(a.get(&[7.into(), 0.into()])?.is_none());
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline]
    pub fn get(&self, parts: &[Index]) -> Result<Option<Scalar>> {
        let Some(offset) = self.element(parts) else { return Ok(None) };
        let mut engine = engine();
        if engine.trace.touches(&self.storage) {
            engine.flush()?;
        }
        Ok(Some(engine.element(&self.storage, offset, self.dtype)?))
    }

    /// Sets the element at integer positions, if that is better than to record it; whether it did. The value must be of the
    /// array's type.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::{Array, Element};
    /// let a = Array::from(vec![1.0, 2.0]);
    /// assert!(a.set_now(&[1.into()], 5.0.scalar())?);
    /// assert_eq!(a.to_vec::<f64>()?, [1.0, 5.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline]
    pub fn set_now(&self, parts: &[Index], value: Scalar) -> Result<bool> {
        match self.element(parts) {
            Some(offset) if self.writeable && value.dtype() == self.dtype => {
                engine().write_now(&self.storage, offset, value)
            }
            _ => Ok(false),
        }
    }

    /// Opens the memory to somebody outside. While the export lives, operations on this storage are not deferred.
    ///
    /// # Errors
    /// `MemoryError`; `BufferError` where the memory is lent on a device ([`Array::export_on_device`]), and only a copy could be on the host.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(3);
    /// let export = a.export()?;
    /// a.assign(1)?; // runs at once, since somebody may be looking
    /// // SAFETY: the export is alive, and the array holds three elements.
    /// let seen = unsafe { std::slice::from_raw_parts(export.address().cast::<i64>(), 3) };
    /// assert_eq!(seen, [1, 1, 1]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn export(&self) -> Result<Export> {
        if self.is_exported_on_device() {
            return Err(Error::new(
                ErrorKind::Buffer,
                "another library has the array's memory, on a device: the host can have a copy",
            ));
        }
        if self.storage.is_watched() {
            engine().leave_copies(&self.storage)?;
        }
        let address = self.address()?;
        self.storage.export(true);
        Ok(Export { storage: self.storage.clone(), address })
    }

    /// Shape as an owned list.
    pub fn shape_vec(&self) -> Shape {
        self.layout.shape.clone()
    }
}

/// Memory opened to somebody outside: alive and never deferred until this is dropped.
pub struct Export {
    storage: Share,
    address: *mut u8,
}

impl Export {
    /// The first element's address at the time of the export.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// An array on the exported storage through a layout that counts from the storage's first byte.
    ///
    /// # Errors
    /// `ValueError` where the layout reaches outside.
    pub fn array(&self, dtype: DType, layout: Layout, writeable: bool) -> Result<Array> {
        let whole = Array {
            storage: self.storage.clone(),
            layout: Layout::dense(&[self.storage.bytes()], 1),
            dtype: DType::U8,
            writeable,
        };
        whole.view_as(dtype, layout)
    }

    /// First byte of the storage and its size.
    pub fn memory(&self) -> (*mut u8, usize) {
        (self.storage.address().unwrap_or(std::ptr::null_mut()), self.storage.bytes())
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        self.storage.export(false);
    }
}

// SAFETY: the address is only handed out; the storage it points into is shared and lives as long as the export.
unsafe impl Send for Export {}
// SAFETY: as above.
unsafe impl Sync for Export {}
