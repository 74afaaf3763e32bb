//! Plans: from the tape of pending nodes to launches in order, with their buffers.
//!
//! `trace` records nodes as words on a tape, on which `loop_function` numbers loops; `build` reads them back and drops dead ones, `fuse`
//! decides what runs together: `anti_dependence` copies small operands that are overwritten, `coalesce` merges axes, `group` which nodes share a kernel, `split` which of them are better apart after all, `sink` which values their one reader computes, `share_matrix`
//! which products read a matrix together, `order` which folds run later, `compose` which kernels run block by block, `search` what is better by the model of `cost`, where `inline`, `regroup` and
//! `extract` change a `draft`. `lower` makes a kernel of each group, `overlap` answers how two
//! accesses relate, `recompute` plans without results that are likely to die unread, and `next_fold` learns which fold follows a plan.
//! A plan holds no address, no absolute offset and no scalar value, so it serves every trace that wrote the same tape.
//!
//! Imports `array`, `memory`, `host` and `error`, and knows nothing of the runtime that records and executes. Open `trace.rs`
//! first, then `plan.rs` and `build.rs`.

pub(crate) mod anti_dependence;
pub(crate) mod build;
pub(crate) mod coalesce;
pub(crate) mod compose;
pub(crate) mod cost;
pub(crate) mod draft;
pub(crate) mod extract;
pub(crate) mod fuse;
pub(crate) mod group;
pub(crate) mod inline;
pub(crate) mod liveness;
pub(crate) mod loop_function;
pub(crate) mod lower;
pub(crate) mod next_fold;
pub(crate) mod order;
pub(crate) mod overlap;
pub(crate) mod plan;
pub(crate) mod recompute;
pub(crate) mod regroup;
pub(crate) mod search;
pub(crate) mod share_matrix;
pub(crate) mod sink;
pub(crate) mod split;
pub(crate) mod trace;
