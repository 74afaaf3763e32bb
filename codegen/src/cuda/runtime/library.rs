//! What all of NVIDIA's libraries have in common: loading, errors, workspaces.

use super::context::Context;
use crate::{DeviceError, Failure};
use libloading::Library;

/// A library that is installed.
///
/// # Errors
/// [`Failure::Absent`] where it is not.
pub(super) fn opened(name: &str, library: Option<&'static Library>) -> Result<&'static Library, DeviceError> {
    library.ok_or_else(|| DeviceError::new(Failure::Absent, format!("{name} is not installed")))
}

/// The error of a library call; where the device failed before, that is the error.
#[cold]
pub(super) fn failed(context: &Context, name: &str, doing: &str, status: u32) -> DeviceError {
    context.wait().err().unwrap_or_else(|| {
        let message = format!("cuda:{}: {name} could not {doing}: status {status}", context.ordinal);
        DeviceError::new(Failure::Fault, message)
    })
}

/// A workspace of library calls on the device, freed when dropped, after all earlier requests.
pub(super) struct Workspace<'a> {
    context: &'a Context,
    pub(super) start: *mut u8,
}

impl Workspace<'_> {
    /// So many bytes.
    ///
    /// # Errors
    /// [`Failure::Memory`]; those of a device that failed.
    pub(super) fn new(context: &Context, bytes: usize) -> Result<Workspace<'_>, DeviceError> {
        Ok(Workspace { context, start: context.allocate(bytes)? })
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        // SAFETY: the memory is of this context, and only earlier requests use it. A failed device cannot free it.
        let _ = unsafe { self.context.free(self.start) };
    }
}
