//! Interoperability: memory shared with NumPy, and with other libraries on devices.
//!
//! Start with `numpy_memory`. May import `interpreter` and `object`.

pub(crate) mod bytes_owner;
pub(crate) mod c_heap;
pub(crate) mod device_import;
pub(crate) mod dlpack;
pub(crate) mod lent;
pub(crate) mod numpy_creation;
pub(crate) mod numpy_memory;
