//! Execution targets: the host and devices, each with the backend that compiles for it.

use crate::plan::group::HOST_PACK_POINTS;
use fastnp_codegen::{Backend, Device, backend};
use std::sync::Arc;

/// The place of the host in the list of sites.
pub(crate) const HOST_TARGET: usize = 0;

/// Bytes that a device moves at a point of a small kernel: it reads a double and writes one.
const BYTES_PER_POINT: f64 = 16.0;

/// A place where plans run, and the programs made for it.
pub(crate) struct ExecTarget {
    pub(crate) backend: Arc<dyn Backend>,
    /// Whose memory operands are in; none for the host's.
    pub(crate) device: Option<Arc<dyn Device>>,
    /// Points up to which a launch of its own costs more than sharing one.
    pub(crate) pack_points: usize,
}

impl ExecTarget {
    /// The host, with the backend of a name; none where there is no such backend.
    pub(crate) fn host(name: &str) -> Option<ExecTarget> {
        Some(ExecTarget { backend: backend::select(name)?.into(), device: None, pack_points: HOST_PACK_POINTS })
    }

    pub(crate) fn on(device: Arc<dyn Device>) -> ExecTarget {
        let facts = device.facts();
        let pack_points = (facts.launch * facts.bandwidth / BYTES_PER_POINT) as usize;
        ExecTarget { backend: device.clone(), device: Some(device), pack_points }
    }
}
