//! From a tape to a plan: which pending nodes run, in which kernels, with which buffers.
//!
//! [`build`] reads the nodes back, drops those whose results nobody can reach, [`group`]s the rest, [`lower`]s each group to a
//! kernel, and notes when a buffer is first needed and when it can go. A plan holds no address, no absolute offset and no
//! scalar value, so it serves every trace that wrote the same tape.

pub(crate) mod build;
pub(crate) mod group;
pub(crate) mod liveness;
pub(crate) mod lower;
pub(crate) mod overlap;
pub(crate) mod plan;
pub(crate) mod recompute;
pub(crate) mod trace;
