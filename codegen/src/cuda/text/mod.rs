//! Code generation for CUDA: kernels as CUDA C.
//!
//! It imports `ir`, `expand` and nothing of `runtime`. Open `source` first, which writes a kernel's text.

pub(crate) mod compaction;
pub(crate) mod fold;
pub(crate) mod variant;
pub(crate) mod fragment;
pub(crate) mod functions;
pub(crate) mod source;
pub(crate) mod spell;
