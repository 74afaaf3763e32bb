//! Execution targets: the host and devices, each with the backend that compiles for it.

use crate::plan::group::KernelLimits;
use fastnp_codegen::cost::DEVICE_BYTES_PER_POINT;
use fastnp_codegen::{Backend, Device, registry};
use std::sync::Arc;

/// Index of the host in the list of targets.
pub(crate) const HOST_TARGET: usize = 0;

/// An execution target.
pub(crate) struct ExecTarget {
    pub(crate) backend: Arc<dyn Backend>,
    /// The device whose memory operands are in; `None` for the host.
    pub(crate) device: Option<Arc<dyn Device>>,
    /// The limits of its kernels.
    pub(crate) limits: KernelLimits,
}

impl ExecTarget {
    /// The host, with the backend of this name; `None` where there is no such backend.
    pub(crate) fn host(name: &str) -> Option<ExecTarget> {
        Some(ExecTarget { backend: registry::select(name)?.into(), device: None, limits: KernelLimits::HOST })
    }

    pub(crate) fn on(device: Arc<dyn Device>) -> ExecTarget {
        let facts = device.facts();
        let pack_points = (facts.launch * facts.bandwidth / DEVICE_BYTES_PER_POINT) as usize;
        ExecTarget { backend: device.clone(), device: Some(device), limits: KernelLimits::device(pack_points) }
    }
}
