//! Allocation: storages for new arrays, from the free list, from the trace's reset ones or new; and their way back when the last
//! handle is dropped.

use crate::array::array::Array;
use crate::array::layout::{Layout, Strides, byte_count, c_strides, for_axes};
use crate::error::Result;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::guarded_range::MOST_COPIED;
use crate::memory::pool::Buffer;
use crate::memory::storage::{SHOWN_AT_ONCE, Storage};
use crate::memory::storage_handle::StorageHandle;
use crate::memory::storage_ref::StorageRef;
use crate::runtime::dead_results::handle_dropped;
use crate::runtime::exec_target::HOST_TARGET;
use crate::runtime::lock::try_runtime;
use crate::runtime::state::Runtime;
use crate::runtime::touched_results::Creation;
use fastnp_codegen::DType;
use std::mem::ManuallyDrop;

/// From this size on, memory for a result is checked when it is recorded, so that `MemoryError` comes up there. It is not
/// allocated: most results are temporaries, which need no memory once they are fused.
pub(crate) const CHECK_MEMORY_FROM: usize = 256 << 20;

/// A storage for an array of this size, with memory if the free list has some; `None` while the runtime is busy.
#[inline]
pub(crate) fn free_storage(bytes: usize) -> Option<StorageHandle> {
    Some(StorageHandle::from(try_runtime()?.new_storage(bytes)))
}

/// Allocates memory for a new storage ([`Runtime::materialize_result`]).
fn materialize_new(storage: &Storage) -> Result<*mut u8> {
    if storage.bytes() > SHOWN_AT_ONCE
        && let Some(mut runtime) = try_runtime()
    {
        return runtime.materialize_result(storage);
    }
    storage.materialize()
}

/// Returns an unreferenced storage to the free list, if the runtime is free.
#[inline]
pub(crate) fn retire(storage: StorageRef) {
    if let Some(mut runtime) = try_runtime()
        && let Some(large) = runtime.free_list.put(storage)
    {
        runtime.trace.recycle(large);
    }
}

impl Drop for StorageHandle {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the handle is dropped once, and not used after this.
        let storage = unsafe { ManuallyDrop::take(&mut self.0) };
        if StorageRef::count(&storage) == 1 && storage.is_reusable() {
            retire(storage);
        } else {
            drop(storage);
            handle_dropped();
        }
    }
}

impl Array {
    /// A new array with pending contents, dense in the given strides.
    pub(crate) fn fresh(shape: &[usize], strides: Strides, dtype: DType) -> Result<Array> {
        let bytes = match shape {
            // The size of one axis cannot overflow if the array it comes from did not.
            &[n] if n < 1 << 58 => n * dtype.size(),
            _ => byte_count(shape, dtype.size())?,
        };
        let layout = Layout { shape: for_axes(shape), strides, offset: 0 };
        let storage = free_storage(bytes).unwrap_or_else(|| Storage::pending(bytes).into());
        Ok(Array { storage, layout, dtype, writeable: true })
    }

    /// A new array, dense in the given strides, whose host memory `fill` gets from the first byte on.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn filled(shape: &[usize], strides: Strides, dtype: DType, fill: impl FnOnce(*mut u8)) -> Result<Array> {
        let array = Array::fresh(shape, strides, dtype)?;
        fill(materialize_new(&array.storage)?);
        Ok(array)
    }

    /// A new array in row-major order, and the address of its host memory. The caller writes all of its elements before anything reads them.
    ///
    /// # Errors
    /// `ValueError` for too many elements; `MemoryError`.
    pub fn unwritten(shape: &[usize], dtype: DType) -> Result<(Array, *mut u8)> {
        let array = Array::by_rows(shape, dtype)?;
        let address = materialize_new(&array.storage)?;
        Ok((array, address))
    }

    /// [`Array::fresh`] in row-major order.
    pub(crate) fn by_rows(shape: &[usize], dtype: DType) -> Result<Array> {
        Array::fresh(shape, c_strides(shape, dtype.size()), dtype)
    }
}

impl Runtime {
    /// A storage for an array of this size, with memory if the free list has some and it is likely to be used: not on a device.
    #[inline]
    fn new_storage(&mut self, bytes: usize) -> StorageRef {
        if self.current != HOST_TARGET {
            return self.trace.new_storage(bytes);
        }
        match self.free_list.take(bytes) {
            Some(storage) => storage,
            None => self.trace.new_storage(bytes),
        }
    }

    /// A storage with host memory, and its address.
    ///
    /// # Errors
    /// `MemoryError`.
    #[inline]
    pub(crate) fn allocate(&mut self, bytes: usize) -> Result<(StorageHandle, *mut u8)> {
        let storage = self.new_storage(bytes);
        // Small ones are allocated here: a call takes 5 ns.
        let address = match bytes <= SHOWN_AT_ONCE {
            true => storage.materialize()?,
            false => self.materialize_result(&storage)?,
        };
        Ok((StorageHandle::from(storage), address))
    }

    /// [`Runtime::allocate`] of a storage that is not open from the beginning.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn allocate_closed(&mut self, bytes: usize) -> Result<(StorageHandle, *mut u8)> {
        let storage = self.new_storage(bytes);
        let address = storage.materialize()?;
        Ok((StorageHandle::from(storage), address))
    }

    /// Allocates memory for what runs at once: open, if code outside is likely to touch the result.
    ///
    /// # Errors
    /// `MemoryError`.
    #[inline(never)]
    pub(crate) fn materialize_result(&mut self, storage: &Storage) -> Result<*mut u8> {
        let bytes = storage.bytes();
        if bytes > SHOWN_AT_ONCE && !storage.has_memory() && storage.shown().is_none() {
            let opened = self.materialize_touched(storage, Creation::of(bytes));
            return opened.map_or_else(|| storage.materialize(), Ok);
        }
        storage.materialize()
    }

    /// Allocates open memory for a result that code outside does not know, if it is likely to touch it.
    pub(crate) fn materialize_touched(&mut self, storage: &Storage, creation: Creation) -> Option<*mut u8> {
        storage.set_creation(Some(creation.number()));
        let is_likely =
            self.exec_target().device.is_none() && self.touched.is_likely(creation, storage.bytes() > MOST_COPIED);
        is_likely.then(|| storage.materialize_open()).flatten()
    }

    /// Checks that memory for a large result could be allocated.
    ///
    /// # Errors
    /// As [`Runtime::ensure_memory`].
    #[cold]
    pub(crate) fn check_allocatable(&self, storage: &Storage) -> Result<()> {
        match &self.exec_target().device {
            _ if storage.has_memory() => Ok(()),
            Some(device) => DeviceBuffer::new(device, storage.bytes()).map(drop),
            None => Buffer::check_allocatable(storage.bytes()),
        }
    }

    /// Allocates memory for a storage on the current target.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that failed.
    pub(crate) fn ensure_memory(&self, storage: &Storage) -> Result<()> {
        match &self.exec_target().device {
            Some(device) if !storage.has_memory() => {
                storage.set_device_buffer(DeviceBuffer::new(device, storage.bytes())?)
            }
            Some(_) => {}
            None => drop(storage.materialize()?),
        }
        Ok(())
    }
}
