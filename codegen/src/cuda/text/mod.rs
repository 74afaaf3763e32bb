//! Code generation for CUDA: kernels as CUDA C.
//!
//! `source` writes a kernel's text for a `variant`; `fragment` and `spell` write statements and expressions, `functions` the definitions
//! that these call, `fold` accumulators, `composed` kernels of several stages, and `compaction` a text that is no kernel. The `.cu` files are parts of texts, named after what
//! they define. It imports `ir`, `expand`, `math` and of `drive` only `strategy::by_columns`, never `runtime`. Open `source` first.

pub(crate) mod compaction;
pub(crate) mod composed;
pub(crate) mod fold;
pub(crate) mod fragment;
pub(crate) mod functions;
pub(crate) mod source;
pub(crate) mod spell;
pub(crate) mod variant;
