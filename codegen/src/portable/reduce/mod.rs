//! Reductions and prefix scans of the interpreter: the order of evaluation, accumulators, and reducers by shape.
//!
//! `reduce_tiled` folds one inner axis in tiles: `tiling` divides it, `tiled_run` folds rows and `tiled_columns` columns; `row_tile` is its tile of one
//! short row; `reduce_nd` folds any domain, and resolves a kernel's folds; `scan` is the prefix scan; `accumulate` holds partial results. It imports `exec`, `loops` and `drive`. Open `reduce_tiled` first.

pub(crate) mod accumulate;
pub(crate) mod reduce_nd;
pub(crate) mod reduce_tiled;
pub(crate) mod row_tile;
pub(crate) mod scan;
mod tiled_columns;
mod tiled_run;
mod tiling;
