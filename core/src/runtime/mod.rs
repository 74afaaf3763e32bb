//! The runtime: the one lock, recording, running at once, flushing.

pub(crate) mod dead_results;
pub(crate) mod dense;
pub(crate) mod execute;
pub(crate) mod explain;
pub(crate) mod fp_flags;
pub(crate) mod immediate;
pub(crate) mod inspect;
pub(crate) mod launch;
pub(crate) mod recorder;
pub(crate) mod stats;
pub(crate) mod target;
