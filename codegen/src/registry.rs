//! The registry of backends and devices: finds them by name.
//!
//! It stands above all backends, so that the interface in [`crate::backend`] names none of them.

#[cfg(not(unix))]
use crate::Failure;
use crate::backend::device::EXTENSION;
use crate::portable::Portable;
#[cfg(all(target_arch = "x86_64", unix))]
use crate::x86::{Level, X86};
use crate::{Backend, CUDA, Device, DeviceError};
use std::sync::Arc;

/// The backend with this name, or the best one of this machine if the name is empty; `None` if this machine lacks it.
pub fn select(name: &str) -> Option<Box<dyn Backend>> {
    match name {
        "" => select("x86").or_else(|| select("portable")),
        "portable" => Some(Box::new(Portable::new())),
        #[cfg(target_arch = "x86_64")]
        "portable-avx2" => Portable::avx2().map(|portable| Box::new(portable) as Box<dyn Backend>),
        #[cfg(all(target_arch = "x86_64", unix))]
        "x86" => X86::new().map(|x86| Box::new(x86) as Box<dyn Backend>),
        #[cfg(all(target_arch = "x86_64", unix))]
        "x86-avx2" => X86::at(Level::Avx2).map(|x86| Box::new(x86) as Box<dyn Backend>),
        _ => None,
    }
}

/// The device with this name: `cuda`, `cuda:` and a number, or, in builds with debug assertions, `mock` or `mock:1`, for tests; `None` if
/// no device can have this name.
///
/// # Errors
/// [`Failure::Absent`](crate::Failure::Absent) if this machine lacks the device or its driver.
pub fn device(name: &str) -> Option<Result<Arc<dyn Device>, DeviceError>> {
    match name {
        #[cfg(debug_assertions)]
        "mock" | "mock:0" => Some(Ok(crate::portable::MockDevice::shared(0))),
        #[cfg(debug_assertions)]
        "mock:1" => Some(Ok(crate::portable::MockDevice::shared(1))),
        "cuda" => Some(cuda(0)),
        _ => {
            name.strip_prefix("cuda:").and_then(|ordinal| ordinal.parse().ok()).map(|ordinal: u16| cuda(ordinal.into()))
        }
    }
}

/// The device with this DLPack device type and ordinal; `None` if no device here can have them.
///
/// # Errors
/// As [`device`].
pub fn device_known_as((kind, ordinal): (i32, i32)) -> Option<Result<Arc<dyn Device>, DeviceError>> {
    match kind {
        CUDA => device(&format!("cuda:{ordinal}")),
        EXTENSION => device(&format!("mock:{ordinal}")),
        _ => None,
    }
}

#[cfg(unix)]
fn cuda(ordinal: i32) -> Result<Arc<dyn Device>, DeviceError> {
    crate::cuda::runtime::shared(ordinal)
}

#[cfg(not(unix))]
fn cuda(_: i32) -> Result<Arc<dyn Device>, DeviceError> {
    Err(DeviceError::new(Failure::Absent, "no CUDA on this system: only on Unix"))
}
