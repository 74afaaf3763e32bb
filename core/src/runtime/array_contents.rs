//! Methods of arrays that need contents now: evaluation, addresses, single elements, exports.

use crate::array::array::Array;
use crate::array::layout::{Index, Layout};
use crate::error::{Error, ErrorKind, Result};
use crate::memory::storage::Toucher;
use crate::memory::storage_handle::StorageHandle;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use crate::runtime::profile::FlushReason;
use fastnp_codegen::{DType, Scalar};
use std::sync::atomic::{AtomicBool, Ordering};

/// The setting `lazy_scalars`: whether results without axes stay arrays. Read for each of them, which must not cost the runtime's
/// lock.
pub(crate) static LAZY_SCALARS: AtomicBool = AtomicBool::new(false);

impl Array {
    /// Computes the elements, if they are pending, on the current target: on a device they stay there.
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
        runtime().evaluate(&self.storage)
    }

    /// The address of the first element (of where it would be, in an empty array), computed and in memory. It stays valid
    /// while an array on this storage lives; its contents follow later writes only once those are evaluated.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn address(&self) -> Result<*mut u8> {
        Ok(runtime().ensure_on_host(&self.storage)?.wrapping_offset(self.layout.offset))
    }

    /// Calls `read` with the first element's address, while no other thread writes or moves the elements.
    ///
    /// # Errors
    /// As [`Array::address`].
    pub(crate) fn read_with<T>(&self, read: impl FnOnce(*const u8) -> T) -> Result<T> {
        let mut runtime = runtime();
        let start = Eager::unlimited(&mut runtime).read_flushed(&self.storage)?;
        Ok(read(start.wrapping_offset(self.layout.offset)))
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
        runtime().read_scalar(&self.storage, self.layout.offset, self.dtype)
    }

    /// Whether the one element of an array without axes should not be read yet: it is pending or on a device, and the setting
    /// `lazy_scalars` is on.
    #[inline]
    pub fn stays_lazy(&self) -> bool {
        LAZY_SCALARS.load(Ordering::Relaxed) && !runtime().is_ready(&self.storage)
    }

    /// Byte offset of one element; `None` where an index is out of bounds or does not name one element.
    #[inline]
    fn element_offset(&self, parts: &[Index]) -> Option<isize> {
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
        self.element_offset(parts).map(|offset| self.read_at(offset)).transpose()
    }

    /// The element at a position of an array of one axis; `None` if it has another number of axes, or no such element.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(6);
    /// assert_eq!(a.element(5)?.map(|x| x.to_i64()), Some(5));
    /// assert!(a.element(6)?.is_none() && a.reshape(&[2, 3])?.element(0)?.is_none());
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    #[inline(always)]
    pub fn element(&self, at: usize) -> Result<Option<Scalar>> {
        let ([n], [stride]) = (self.shape(), self.strides()) else { return Ok(None) };
        if at >= *n {
            return Ok(None);
        }
        self.read_at(self.layout.offset + at as isize * stride).map(Some)
    }

    /// The element so many bytes from where the storage begins.
    #[inline(always)]
    fn read_at(&self, offset: isize) -> Result<Scalar> {
        let mut runtime = runtime();
        if runtime.trace.touches(&self.storage) {
            runtime.flush(FlushReason::Read)?;
        }
        runtime.read_element(&self.storage, offset, self.dtype)
    }

    /// Sets the element at integer positions eagerly, if that is better than recording it; whether it did. The value must be of the
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
        match self.element_offset(parts) {
            Some(offset) if self.writeable && value.dtype() == self.dtype => {
                runtime().write_eagerly(&self.storage, offset, value)
            }
            _ => Ok(false),
        }
    }

    /// Exports the memory to code outside. While the export lives, operations on this storage are not deferred.
    ///
    /// # Errors
    /// `MemoryError`; `BufferError` where the memory is exported on a device ([`Array::export_on_device`]), so that the host can only
    /// have a copy.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::arange(3);
    /// let export = a.export()?;
    /// a.assign(1)?; // runs eagerly: code outside may read the memory
    /// // SAFETY: the export is alive, and the array holds three elements.
    /// let telemetry = unsafe { std::slice::from_raw_parts(export.address().cast::<i64>(), 3) };
    /// assert_eq!(telemetry, [1, 1, 1]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn export(&self) -> Result<Export> {
        self.export_to(Toucher::Outside)
    }

    /// [`Array::export`] for a call of code that forgets the address when it returns: operations are deferred again after that, unless calls
    /// follow each other within some microseconds.
    ///
    /// # Errors
    /// As [`Array::export`].
    pub fn export_for_call(&self) -> Result<Export> {
        self.export_to(Toucher::Call)
    }

    fn export_to(&self, toucher: Toucher) -> Result<Export> {
        let address = self.expose_to(toucher)?;
        Ok(Export { storage: self.storage.clone(), address })
    }

    /// Counts an export, and gives the address of the first element.
    fn expose_to(&self, toucher: Toucher) -> Result<*mut u8> {
        if self.storage.is_exported_on_device() {
            return Err(Error::new(
                ErrorKind::Buffer,
                "another library has the array's memory, on a device: the host can have a copy",
            ));
        }
        // Locked until the export counts: what another thread records then is not deferred.
        let mut runtime = runtime();
        let address = runtime.expose(&self.storage, toucher)?.wrapping_offset(self.layout.offset);
        self.storage.count_export(true);
        Ok(address)
    }

    /// Operations on the memory are not deferred any more once code outside knows its address: code that is given a buffer may keep the
    /// address after it has given the buffer back, and read there on a thread that blocks the signal of a fault (ZeroMQ's does both).
    pub fn stay_open(&self) {
        self.storage.stay_open();
    }

    /// Exports the memory for good, to code that keeps its address without an export.
    ///
    /// # Errors
    /// As [`Array::export`].
    pub fn expose(&self) -> Result<()> {
        if !self.storage.is_exposed() {
            self.expose_to(Toucher::Outside)?;
            self.storage.stay_exposed();
        }
        Ok(())
    }
}

/// Exported memory: alive, and not deferred until this is dropped.
pub struct Export {
    storage: StorageHandle,
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
        self.storage.count_export(false);
    }
}

// SAFETY: the address is only handed out; the storage it points into is shared and lives as long as the export.
unsafe impl Send for Export {}
// SAFETY: as above.
unsafe impl Sync for Export {}
