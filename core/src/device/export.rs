//! Memory on devices that others reach too: lent to them, or borrowed from them.
//!
//! What is lent stays where it is until it comes back, and the device's memory is what counts (see `storage`). Nothing here knows
//! the protocols by which libraries agree on it; they say where it is by a type of device and an ordinal, those of DLPack.

use crate::array::array::Array;
use crate::array::layout::Layout;
use crate::error::{Error, ErrorKind, Result};
use crate::host::interpreter_lock;
use crate::memory::device_buffer::DeviceBuffer;
use crate::memory::storage::{Owner, Storage};
use crate::memory::storage_handle::StorageHandle;
use crate::runtime::execute_device::upload_missing;
use crate::runtime::lock::runtime;
use fastnp_codegen::{DType, Device, device_known_as};
use std::sync::Arc;

/// Memory on a device, opened to somebody outside: alive, there, and never deferred until this is dropped.
pub struct Loan {
    storage: StorageHandle,
    device: Arc<dyn Device>,
    address: *mut u8,
}

impl Loan {
    /// The first element's address on the device.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// Type and ordinal of the device.
    pub fn place(&self) -> (i32, i32) {
        self.device.dlpack()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        // What others asked for may still be under way. If it failed, whoever waits next is told.
        let _ = interpreter_lock::release_during(true, || self.device.wait());
        self.storage.count_device_export(false);
    }
}

// SAFETY: the address is only handed out; the storage it points into is shared and lives as long as the loan.
unsafe impl Send for Loan {}
// SAFETY: as above.
unsafe impl Sync for Loan {}

impl Array {
    /// Type and ordinal of the device that others could share the memory on: the one where they do, else the one that plans run on.
    /// None where that is the host.
    pub fn place(&self) -> Option<(i32, i32)> {
        if self.is_lent() {
            return self.storage.with_device_buffer(|device_buffer| device_buffer.device().dlpack());
        }
        runtime().exec_target().device.as_ref().map(|device| device.dlpack())
    }

    /// Whether others can reach the memory on a device now.
    pub fn is_lent(&self) -> bool {
        self.storage.is_exported_on_device()
    }

    /// The first element's address on the device where others can reach the memory.
    pub fn lent_address(&self) -> Option<*mut u8> {
        let start = self.is_lent().then(|| self.storage.with_device_buffer(DeviceBuffer::start))?;
        Some(start?.wrapping_offset(self.layout.offset))
    }

    /// Opens the memory on a device to somebody outside: on the one that plans run on, unless it is lent elsewhere already. While the
    /// loan lives, operations on this storage are not deferred, and wait for all that the device was asked for by anybody.
    ///
    /// # Errors
    /// `BufferError` where plans run on the host, and where somebody can reach the memory there; `MemoryError`; those of a device
    /// that failed.
    ///
    /// ```
    /// use fastnp::{Array, DType, set_device};
    /// set_device("mock")?; // a device for tests
    /// let x = &Array::ones(&[3], DType::F64) * 2.0;
    /// let loan = x.lend()?;
    /// assert_eq!(x.place(), Some(loan.place()));
    /// assert!(x.is_lent() && x.export().is_err());
    /// drop(loan);
    /// assert!(!x.is_lent() && x.export().is_ok());
    /// set_device("cpu")?;
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn lend(&self) -> Result<Loan> {
        let storage = &self.storage;
        let mut runtime = runtime();
        if storage.has_snapshots() {
            runtime.copy_on_write(storage)?;
        }
        if runtime.trace.touches(storage) {
            runtime.flush()?;
        }
        if !storage.is_exported_on_device() {
            let refused = |text: &str| Err(Error::new(ErrorKind::Buffer, text));
            let Some(device) = runtime.exec_target().device.clone() else {
                return refused("arrays are computed on the host now: there is no device to share their memory on");
            };
            if storage.is_shared() {
                return refused(
                    "the array's memory on the host is shared, with NumPy or somebody else: it cannot be shared on a device too, \
                     but a copy can",
                );
            }
            interpreter_lock::release_during(true, || upload_missing(storage, &device))?
                .into_iter()
                .for_each(|device_buffer| storage.set_device_buffer(device_buffer));
        }
        let (device, start) = storage
            .with_device_buffer(|device_buffer| (device_buffer.device().clone(), device_buffer.start()))
            .expect("it was sent");
        interpreter_lock::release_during(true, || device.wait())?;
        storage.count_device_export(true);
        Ok(Loan { storage: storage.clone(), device, address: start.wrapping_offset(self.layout.offset) })
    }

    /// An array on memory of a device that `owner` keeps alive. The layout's offset counts from `address`.
    ///
    /// # Errors
    /// `BufferError` where no device here has this type and this ordinal.
    ///
    /// # Safety
    /// As [`Array::from_foreign`], for what the device reads and writes.
    pub unsafe fn from_device(
        place: (i32, i32),
        (address, bytes): (*mut u8, usize),
        layout: Layout,
        dtype: DType,
        writeable: bool,
        owner: Box<dyn Owner>,
    ) -> Result<Array> {
        let unknown = |why: &str| {
            let (kind, ordinal) = place;
            Error::new(ErrorKind::Buffer, format!("no device here is number {ordinal} of DLPack's type {kind}{why}"))
        };
        let device = device_known_as(place)
            .ok_or_else(|| unknown(""))?
            .map_err(|error| unknown(&format!(": {}", error.message)))?;
        let storage = Storage::on_foreign_device(DeviceBuffer::foreign(device, address, bytes), bytes, owner);
        Ok(Array { storage: storage.into(), layout, dtype, writeable })
    }
}
