//! Interoperability: arrays of NumPy and of other libraries, in and out.

pub(crate) mod convert;
pub(crate) mod device_import;
pub(crate) mod dlpack;
pub(crate) mod foreign;
