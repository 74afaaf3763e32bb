//! Contents of storages: computed, on the host, and element by element.

use crate::array::element;
use crate::error::Result;
use crate::host::interpreter_lock;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::runtime::eager::MAX_RECORDED_ELEMENTS;
use crate::runtime::state::Runtime;
use fastnp_codegen::{DType, Scalar};

/// Bytes up to which contents come from a device as a whole, whatever is asked for.
const DOWNLOAD_WHOLE: usize = 64 << 10;

impl Runtime {
    /// Makes sure that a storage's latest version is somewhere.
    pub(crate) fn evaluate(&mut self, storage: &StorageRef) -> Result<()> {
        if self.trace.touches(storage) {
            self.flush()?;
        }
        if storage.is_device_only() { Ok(()) } else { storage.materialize().map(drop) }
    }

    /// Makes sure a storage's memory on the host holds its latest version.
    #[inline]
    pub(crate) fn to_host(&mut self, storage: &StorageRef) -> Result<*mut u8> {
        if self.trace.touches(storage) {
            self.flush()?;
        }
        if storage.is_device_only() {
            return interpreter_lock::release_during(true, || storage.materialize());
        }
        storage.materialize()
    }

    /// One element of a storage that nothing pending writes.
    #[inline]
    pub(crate) fn read_element(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        if storage.is_device_only() {
            return self.download_element(storage, offset, dtype);
        }
        Ok(element::read(storage.materialize()?.wrapping_offset(offset), dtype))
    }

    /// One element from a device: alone, as long as few are asked for.
    #[cold]
    fn download_element(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        self.downloaded_elements += 1;
        let mut room = 0u128;
        let to = (&raw mut room).cast::<u8>();
        interpreter_lock::release_during(true, || {
            let is_lent = storage.is_exported_on_device();
            if !is_lent && (storage.bytes() <= DOWNLOAD_WHOLE || self.downloaded_elements > MAX_RECORDED_ELEMENTS) {
                return storage.materialize().map(|start| element::read(start.wrapping_offset(offset), dtype));
            }
            let fetch = |device_buffer: &DeviceBuffer| {
                if is_lent {
                    device_buffer.device().wait()?;
                }
                // SAFETY: the element lies within the storage, and there is room for any.
                unsafe { device_buffer.download(offset as usize, to, dtype.size()) }
            };
            storage.with_device_buffer(fetch).transpose()?;
            Ok(element::read(to, dtype))
        })
    }
}
