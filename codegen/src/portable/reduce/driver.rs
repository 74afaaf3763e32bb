//! The driver of reductions: chooses which reducer runs a launch.
//!
//! `reduce_1d` takes one inner axis and no outer ones, `reduce_tiled` one inner axis, `reduce_nd` everything else. The choice depends
//! on the kernel's form, sizes and strides, never on the number of threads, so that equal launches give equal bits.

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
    let outer: usize = launch.outer.iter().product();
    if outer == 0 {
        return RaisedFlags::new();
    }
    let inner: usize = launch.inner.iter().product();
    if folding.may_run_1d && launch.outer.is_empty() && launch.inner.len() == 1 && inner > 0 && inner < 2 * folding.part
    {
        // SAFETY: the caller's contract.
        return unsafe { reduce_1d::run(body, folding, epilogue, launch) };
    }
    if folding.may_run_tiled
        && inner > 0
        && let Some(reduction) = TiledReduction::new(body, folding, epilogue, launch)
    {
        // SAFETY: the caller's contract.
        return unsafe { reduction.run(workers) };
    }
    // SAFETY: as above.
    unsafe { reduce_nd::run(body, folding, epilogue, launch, workers) }
}
