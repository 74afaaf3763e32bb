//! Routines for the host's memory that are no kernels.
//!
//! Devices have theirs behind [`crate::Device`]. It imports `drive`. Open `gemv` first.

pub mod gemv;
