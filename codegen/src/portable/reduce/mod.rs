//! Reductions and prefix scans of the interpreter: the order of evaluation, accumulators, and reducers by shape.
//!
//! `driver` runs the reducer that `drive::strategy` chooses; `reduce_1d` folds one contiguous axis to one value; `reduce_tiled` folds one
//! inner axis in tiles; `reduce_nd` folds any domain, and resolves a kernel's folds; `scan` is the prefix scan; `accumulate` holds partial
//! results. It imports `exec`, `loops` and `drive`. Open `driver` first.

pub(crate) mod accumulate;
pub(crate) mod driver;
pub(crate) mod reduce_1d;
pub(crate) mod reduce_nd;
pub(crate) mod reduce_tiled;
pub(crate) mod scan;
