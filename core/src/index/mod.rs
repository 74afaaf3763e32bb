//! Indexing by positions and by masks.

pub(crate) mod fancy;
pub(crate) mod mask_avx512;
pub(crate) mod mask_device;
pub(crate) mod mask_loops;
pub(crate) mod selection;
pub(crate) mod take_rows;
