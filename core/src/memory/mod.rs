//! Memory: storages, references to them, the pool, and buffers of devices.

pub(crate) mod device_buffer;
pub(crate) mod free_list;
pub(crate) mod pool;
pub(crate) mod storage;
pub(crate) mod storage_handle;
pub(crate) mod storage_ref;
