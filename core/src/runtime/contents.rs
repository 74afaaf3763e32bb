//! Contents of storages: computing them, bringing them to the host, and reading single elements.

use crate::array::element;
use crate::error::Result;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::storage::Storage;
use crate::memory::storage_ref::StorageRef;
use crate::runtime::eager_gate::MAX_RECORDED_ELEMENTS;
use crate::runtime::lock::release_parked;
use crate::runtime::profile::FlushReason;
use crate::runtime::state::Runtime;
use fastnp_codegen::{DType, Scalar};

/// Bytes up to which contents are downloaded whole, even for one element.
const DOWNLOAD_WHOLE: usize = 64 << 10;

impl Runtime {
    /// Computes the latest contents of a storage, wherever they are.
    pub(crate) fn evaluate(&mut self, storage: &StorageRef) -> Result<()> {
        self.lone.observe();
        if self.trace.touches(storage) {
            self.flush(FlushReason::Read)?;
        }
        if storage.is_device_only() { Ok(()) } else { storage.materialize().map(drop) }
    }

    /// Computes the latest contents of a storage and brings them to the host; their address.
    #[inline]
    pub(in crate::runtime) fn ensure_on_host(&mut self, storage: &StorageRef) -> Result<*mut u8> {
        self.lone.observe();
        if self.trace.touches(storage) {
            self.flush(FlushReason::Read)?;
        }
        if storage.is_device_only() {
            let address = release_parked(|| storage.materialize())?;
            // Code outside may have touched it since, which moves it.
            return Ok(storage.address().unwrap_or(address));
        }
        storage.materialize()
    }

    /// One element of a storage that no pending node writes.
    #[inline]
    pub(crate) fn read_element(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        self.lone.observe();
        if storage.is_device_only() {
            return self.download_element(storage, offset, dtype);
        }
        Ok(element::read(storage.materialize()?.wrapping_offset(offset), dtype))
    }

    /// Downloads one element: alone, as long as few are read.
    #[cold]
    fn download_element(&mut self, storage: &Storage, offset: isize, dtype: DType) -> Result<Scalar> {
        self.downloaded_elements += 1;
        let mut bytes = 0u128;
        let to = (&raw mut bytes).cast::<u8>();
        release_parked(|| {
            let is_exported = storage.is_exported_on_device();
            if !is_exported && (storage.bytes() <= DOWNLOAD_WHOLE || self.downloaded_elements > MAX_RECORDED_ELEMENTS) {
                return storage.materialize().map(|start| element::read(start.wrapping_offset(offset), dtype));
            }
            let fetch = |device_buffer: &DeviceBuffer| {
                if is_exported {
                    device_buffer.device().wait()?;
                }
                // SAFETY: the element lies within the storage, and the buffer has room for any element.
                unsafe { device_buffer.download(offset as usize, to, dtype.size()) }
            };
            storage.with_device_buffer(fetch).transpose()?;
            Ok(element::read(to, dtype))
        })
    }
}
