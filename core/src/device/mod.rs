//! Devices: their libraries' routines, and arrays exported from them.

pub(crate) mod export;
pub(crate) mod routine;
