//! Files of `core/src/memory`.

#[path = "../../../src/memory/export_count.rs"]
pub(crate) mod export_count;
#[path = "../../../src/memory/ref_count.rs"]
pub(crate) mod ref_count;
