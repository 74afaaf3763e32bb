//! Reductions of the interpreter: the order of evaluation, accumulators, and drivers by shape.
//!
//! `driver` divides the work and chooses the order; `reduce_1d` folds one contiguous axis to one value; `reduce_tiled` folds tiles by
//! reference; `accumulate` holds partial results. It imports `exec`, `loops` and `drive`. Open `driver` first.

pub(crate) mod accumulate;
pub(crate) mod driver;
pub(crate) mod reduce_1d;
pub(crate) mod reduce_nd;
pub(crate) mod reduce_tiled;
pub(crate) mod scan;
