//! Execution targets: the host and devices, each with the backend that compiles for it.

use crate::plan::group::PACKED;
use fastnp_codegen::{Backend, Device, backend};
use std::sync::Arc;

/// The place of the host in the list of sites.
pub(crate) const HOST: usize = 0;

/// Bytes that a device moves at a point of a small kernel: it reads a double and writes one.
const POINT: f64 = 16.0;

/// A place where plans run, and the programs made for it.
pub(crate) struct Site {
    pub(crate) backend: Arc<dyn Backend>,
    /// Whose memory operands are in; none for the host's.
    pub(crate) device: Option<Arc<dyn Device>>,
    /// Points up to which a launch of its own costs more than sharing one.
    pub(crate) packed: usize,
}

impl Site {
    /// The host, with the backend of a name; none where there is no such backend.
    pub(crate) fn host(name: &str) -> Option<Site> {
        Some(Site { backend: backend::select(name)?.into(), device: None, packed: PACKED })
    }

    pub(crate) fn on(device: Arc<dyn Device>) -> Site {
        let facts = device.facts();
        let packed = (facts.launch * facts.bandwidth / POINT) as usize;
        Site { backend: device.clone(), device: Some(device), packed }
    }
}
