//! Device buffer: a block of device memory, allocated here or foreign.

use crate::error::{Error, ErrorKind, Result};
use crate::memory::pool::Buffer;
use fastnp_codegen::{Device, DeviceError, Failure};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Bytes on devices now, and the bytes that went there and came back since the counters were reset.
static LIVE_BYTES: AtomicUsize = AtomicUsize::new(0);
static UPLOADED: AtomicU64 = AtomicU64::new(0);
static DOWNLOADED: AtomicU64 = AtomicU64::new(0);

/// A block of device memory, released when dropped unless it is foreign. Its contents are unspecified.
pub(crate) struct DeviceBuffer {
    device: Arc<dyn Device>,
    start: *mut u8,
    bytes: usize,
    is_foreign: bool,
    /// Host memory with the contents of an exported block, as of the last download.
    mirror: Option<Buffer>,
}

// SAFETY: the address means something to the device alone, which may be asked from any thread.
unsafe impl Send for DeviceBuffer {}

impl DeviceBuffer {
    /// A block of so many bytes.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that failed.
    pub(crate) fn new(device: &Arc<dyn Device>, bytes: usize) -> Result<DeviceBuffer> {
        let start = device.allocate(bytes)?;
        LIVE_BYTES.fetch_add(bytes, Ordering::Relaxed);
        Ok(DeviceBuffer { device: device.clone(), start, bytes, is_foreign: false, mirror: None })
    }

    /// A foreign block, which its owner keeps alive.
    pub(crate) fn foreign(device: Arc<dyn Device>, start: *mut u8, bytes: usize) -> DeviceBuffer {
        DeviceBuffer { device, start, bytes, is_foreign: true, mirror: None }
    }

    /// The device it is on.
    pub(crate) fn device(&self) -> &Arc<dyn Device> {
        &self.device
    }

    /// Whether it is on this device.
    pub(crate) fn is_on(&self, device: &Arc<dyn Device>) -> bool {
        Arc::ptr_eq(&self.device, device)
    }

    /// The address on the device.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start
    }

    /// Uploads the contents.
    ///
    /// # Errors
    /// Those of a device that failed.
    ///
    /// # Safety
    /// As many bytes as the block has are readable at this host address.
    pub(crate) unsafe fn upload(&self, from: *const u8) -> Result<()> {
        UPLOADED.fetch_add(self.bytes as u64, Ordering::Relaxed);
        // SAFETY: the caller's contract; the block is this one's.
        unsafe { self.device.upload(from, self.start, self.bytes) }.map_err(Error::from)
    }

    /// Downloads part of the contents, from an offset on.
    ///
    /// # Errors
    /// Those of a device that failed.
    ///
    /// # Safety
    /// They lie within the block, and so many bytes are writable at this host address.
    pub(crate) unsafe fn download(&self, offset: usize, to: *mut u8, bytes: usize) -> Result<()> {
        DOWNLOADED.fetch_add(bytes as u64, Ordering::Relaxed);
        // SAFETY: the caller's contract.
        unsafe { self.device.download(self.start.wrapping_add(offset), to, bytes) }.map_err(Error::from)
    }
}

impl DeviceBuffer {
    /// Downloads the contents to the mirror, after all work on the device; the mirror's address.
    ///
    /// # Errors
    /// `MemoryError`; those of a device that failed.
    pub(crate) fn download_to_mirror(&mut self) -> Result<*mut u8> {
        self.device.wait()?;
        let mirror = self.mirror()?;
        // SAFETY: the mirror has room for as many bytes as the block.
        unsafe { self.download(0, mirror, self.bytes)? };
        Ok(mirror)
    }

    /// Shows the mirror at a guarded address, unless it is there. If that has a front page, `front` is what code outside reads there.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn show_mirror(&mut self, slot: NonNull<u8>, front: &[isize]) -> Result<()> {
        let bytes = self.bytes;
        match self.mirror.as_mut() {
            Some(mirror) if mirror.address() != slot.as_ptr() => mirror.open_at(slot, bytes, front),
            _ => Ok(()),
        }
    }

    /// The address of the mirror, with whatever contents it has.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn mirror(&mut self) -> Result<*mut u8> {
        if self.mirror.is_none() {
            self.mirror = Some(Buffer::new(self.bytes)?);
        }
        Ok(self.mirror.as_ref().map_or(std::ptr::null_mut(), Buffer::address))
    }

    /// Uploads the mirror, and waits until it is there.
    ///
    /// # Errors
    /// Those of a device that failed.
    pub(crate) fn upload_mirror(&mut self) -> Result<()> {
        let mirror = self.mirror()?;
        // SAFETY: the mirror has as many bytes as the block.
        unsafe { self.upload(mirror)? };
        self.device.wait().map_err(Error::from)
    }

    /// Takes the mirror, if there is one: a block of the right size.
    pub(crate) fn take_mirror(&mut self) -> Option<Buffer> {
        self.mirror.take()
    }
}

impl Drop for DeviceBuffer {
    fn drop(&mut self) {
        if self.is_foreign {
            return;
        }
        LIVE_BYTES.fetch_sub(self.bytes, Ordering::Relaxed);
        // SAFETY: allocated with this size, and only work the device has already queued uses the address.
        unsafe { self.device.release(self.start, self.bytes) };
    }
}

/// Bytes on devices now, bytes that went there, and bytes that came back.
pub(crate) fn usage() -> (u64, u64, u64) {
    (LIVE_BYTES.load(Ordering::Relaxed) as u64, UPLOADED.load(Ordering::Relaxed), DOWNLOADED.load(Ordering::Relaxed))
}

/// Counts traffic from zero.
pub(crate) fn reset_traffic() {
    UPLOADED.store(0, Ordering::Relaxed);
    DOWNLOADED.store(0, Ordering::Relaxed);
}

impl From<DeviceError> for Error {
    fn from(error: DeviceError) -> Error {
        let kind = match error.failure {
            Failure::Memory => ErrorKind::Memory,
            Failure::Absent | Failure::Fault => ErrorKind::Device,
        };
        Error::new(kind, error.message)
    }
}
