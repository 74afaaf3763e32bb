//! The array: a storage, a layout, a type.
//!
//! Arrays are cheap to clone and to view. Clones and views share their storage; a write through one is visible through all. Nothing
//! here computes or takes the runtime's lock: views are in `view`, what needs contents is in `runtime::array_contents`, operations
//! are in `ops`.

use crate::array::layout::{CowStrides, Layout, Shape, same_shape};
use crate::array::strided_view::StridedView;
use crate::error::{Error, Result};
use crate::memory::storage::{Owner, Storage};
use crate::memory::storage_handle::StorageHandle;
use crate::memory::storage_ref::StorageRef;
use fastnp_codegen::DType;
use smallvec::SmallVec;

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
    pub(crate) storage: StorageHandle,
    pub(crate) layout: Layout,
    pub(crate) dtype: DType,
    pub(crate) writeable: bool,
}

impl Array {
    /// All bytes of a storage.
    pub(crate) fn whole(storage: StorageRef) -> Array {
        let layout = Layout::dense(&[storage.bytes()], 1);
        Array { storage: storage.into(), layout, dtype: DType::U8, writeable: true }
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

    /// Byte strides of the axes.
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

    /// Whether the array covers its whole storage, so that a write through it leaves nothing of the old contents.
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

    /// Checks that elements may be written, and that no two share memory: their order would change the result.
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
        StorageRef::ptr_eq(&self.storage, &other.storage)
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
    pub(crate) fn over(&self, domain: &[usize]) -> StridedView<'_> {
        let strides = if same_shape(self.shape(), domain) {
            CowStrides::Borrowed(self.strides())
        } else {
            CowStrides::Owned(self.layout.strides_over(domain))
        };
        StridedView { storage: &self.storage, dtype: self.dtype, offset: self.layout.offset, strides }
    }

    /// Shape as an owned list.
    pub fn shape_vec(&self) -> Shape {
        self.layout.shape.clone()
    }
}
