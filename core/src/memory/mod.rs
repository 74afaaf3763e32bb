//! Memory: storages, references to them, the pool of blocks, the free list of whole storages, and buffers on devices.
//!
//! Imports `host` and `error`. Open `storage.rs` first, then `pool.rs`.

pub(crate) mod device_buffer;
pub(crate) mod export_count;
pub(crate) mod free_list;
pub(crate) mod front_layout;
#[cfg(all(unix, debug_assertions))]
pub mod guard;
pub(crate) mod guarded_range;
pub(crate) mod header_page;
pub(crate) mod pool;
pub(crate) mod ref_count;
pub(crate) mod slot_pages;
pub(crate) mod storage;
pub(crate) mod storage_handle;
pub(crate) mod storage_ref;
