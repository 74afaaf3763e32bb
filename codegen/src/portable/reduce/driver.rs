//! The driver of reductions: runs the reducer that [`strategy`] chooses for a launch.

use crate::drive::strategy::{self, Strategy};
use crate::portable::exec::bytecode::Bytecode;
use crate::portable::reduce::reduce_nd::ResolvedFolds;
use crate::portable::reduce::reduce_tiled::TiledReduction;
use crate::portable::reduce::{reduce_1d, reduce_nd};
use crate::{Launch, RaisedFlags, ThreadPool};

/// Runs a reduction.
///
/// # Safety
/// As [`crate::Program::launch`].
pub(crate) unsafe fn run(
    body: &Bytecode,
    folding: &ResolvedFolds,
    epilogue: &Bytecode,
    launch: &Launch<'_>,
    workers: &dyn ThreadPool,
) -> RaisedFlags {
    match strategy::of_reduction(folding.forms, launch.outer, launch.inner) {
        Strategy::Nothing => RaisedFlags::new(),
        // SAFETY: the caller's contract; the strategy is that of one inner axis, not empty.
        Strategy::Reduce1d => unsafe { reduce_1d::run(body, folding, epilogue, launch) },
        // SAFETY: as above; no extent is zero.
        Strategy::ReduceTiled => unsafe { TiledReduction::new(body, folding, epilogue, launch).run(workers) },
        // SAFETY: as above.
        Strategy::ReduceNd => unsafe { reduce_nd::run(body, folding, epilogue, launch, workers) },
        other => unreachable!("no strategy of a reduction: {other}"),
    }
}
