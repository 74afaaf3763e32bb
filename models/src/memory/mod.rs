//! Files of `core/src/memory`.

#[path = "../../../core/src/memory/export_count.rs"]
pub(crate) mod export_count;
#[path = "../../../core/src/memory/ref_count.rs"]
pub(crate) mod ref_count;
