//! Device memory shared with other libraries: exported to them, or imported from them.
//!
//! Exported memory stays on its device, and the device's copy is the valid one, until the export is dropped (see `storage`). Protocols
//! are the caller's: DLPack and others. A device is named by a type and an ordinal, as in DLPack.

use crate::array::array::Array;
use crate::array::layout::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::host::interpreter_lock;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::storage::{Owner, Storage};
use crate::memory::storage_handle::StorageHandle;
use crate::runtime::execute_device::upload_missing;
use crate::runtime::lock::runtime;
use crate::runtime::profile::FlushReason;
use fastnp_codegen::{DType, Device, device_known_as};
use std::sync::Arc;

/// Device memory that another library may access: until this is dropped, it stays allocated and on the device, and operations on it
/// are not deferred.
pub struct DeviceExport {
    storage: StorageHandle,
    device: Arc<dyn Device>,
    address: *mut u8,
}

impl DeviceExport {
    /// The first element's address on the device.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// DLPack's type and ordinal of the device.
    pub fn dlpack_device(&self) -> (i32, i32) {
        self.device.dlpack()
    }
}

impl Drop for DeviceExport {
    fn drop(&mut self) {
        // Work that the other library queued may still be running. If it failed, the next wait reports it.
        let _ = interpreter_lock::release_during(true, || self.device.wait());
        self.storage.count_device_export(false);
    }
}

// SAFETY: the address is only passed on; the storage it points into is shared and lives as long as the export.
unsafe impl Send for DeviceExport {}
// SAFETY: as above.
unsafe impl Sync for DeviceExport {}

impl Array {
    /// DLPack's type and ordinal of the device that the memory is exported on, or else could be: the current one. `None` if that is the
    /// host.
    pub fn dlpack_device(&self) -> Option<(i32, i32)> {
        if self.is_exported_on_device() {
            return self.storage.with_device_buffer(|remote| remote.device().dlpack());
        }
        runtime().exec_target().device.as_ref().map(|device| device.dlpack())
    }

    /// Whether another library may access the memory on a device now.
    pub fn is_exported_on_device(&self) -> bool {
        self.storage.is_exported_on_device()
    }

    /// The first element's address on the device that the memory is exported on.
    pub fn exported_address(&self) -> Option<*mut u8> {
        let start = self.is_exported_on_device().then(|| self.storage.with_device_buffer(DeviceBuffer::start))?;
        Some(start?.wrapping_offset(self.layout.offset))
    }

    /// Exports the memory on the current device, or on the device that it is exported on already. While the export lives, operations on
    /// this storage are not deferred, and wait for all work on the device.
    ///
    /// # Errors
    /// `BufferError` if the current target is the host, or if the memory is exported on the host; `MemoryError`; those of a device that
    /// failed.
    ///
    /// ```
    /// use fastnp::{Array, DType, set_device};
    /// set_device("mock")?; // a device for tests
    /// let x = &Array::ones(&[3], DType::F64) * 2.0;
    /// let export = x.export_on_device()?;
    /// assert_eq!(x.dlpack_device(), Some(export.dlpack_device()));
    /// assert!(x.is_exported_on_device() && x.export().is_err());
    /// drop(export);
    /// assert!(!x.is_exported_on_device() && x.export().is_ok());
    /// set_device("cpu")?;
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn export_on_device(&self) -> Result<DeviceExport> {
        let storage = &self.storage;
        let mut runtime = runtime();
        if storage.has_snapshots() {
            runtime.copy_on_write(storage)?;
        }
        if runtime.trace.touches(storage) {
            runtime.flush(FlushReason::Device)?;
        }
        if !storage.is_exported_on_device() {
            let refused = |text: &str| Err(Error::new(ErrorKind::Buffer, text));
            let Some(device) = runtime.exec_target().device.clone() else {
                return refused("arrays are computed on the host now: there is no device to share their memory on");
            };
            storage.close();
            if storage.is_shared() {
                return refused(
                    "the array's memory on the host is shared, with NumPy or another library: it cannot be shared on a device too, \
                     but a copy can",
                );
            }
            interpreter_lock::release_during(true, || upload_missing(storage, &device))?
                .into_iter()
                .for_each(|device_buffer| storage.set_device_buffer(device_buffer));
        }
        let (device, start) =
            storage.with_device_buffer(|remote| (remote.device().clone(), remote.start())).expect("it was sent");
        interpreter_lock::release_during(true, || device.wait())?;
        storage.count_device_export(true);
        Ok(DeviceExport { storage: storage.clone(), device, address: start.wrapping_offset(self.layout.offset) })
    }

    /// An array on memory of a device that `owner` keeps alive. The layout's offset counts from `address`.
    ///
    /// # Errors
    /// `BufferError` if no device here has this type and this ordinal.
    ///
    /// # Safety
    /// As [`Array::from_foreign`], for what the device reads and writes.
    pub unsafe fn from_device(
        dlpack_device: (i32, i32),
        (address, bytes): (*mut u8, usize),
        layout: Layout,
        dtype: DType,
        writeable: bool,
        owner: Box<dyn Owner>,
    ) -> Result<Array> {
        let unknown = |why: &str| {
            let (kind, ordinal) = dlpack_device;
            Error::new(ErrorKind::Buffer, format!("no device here is number {ordinal} of DLPack's type {kind}{why}"))
        };
        let device = device_known_as(dlpack_device)
            .ok_or_else(|| unknown(""))?
            .map_err(|error| unknown(&format!(": {}", error.message)))?;
        let storage = Storage::on_foreign_device(DeviceBuffer::foreign(device, address, bytes), bytes, owner);
        Ok(Array { storage: storage.into(), layout, dtype, writeable })
    }
}
