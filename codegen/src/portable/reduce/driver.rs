//! The driver of reductions: chooses which reducer runs a launch.
//!
//! `reduce_1d` takes one inner axis and no outer ones, `reduce_tiled` one inner axis, `reduce_nd` everything else. The choice depends
//! on the kernel's form, sizes and strides, never on the number of threads, so that equal launches give equal bits.

use crate::portable::exec::bytecode::Code;
use crate::portable::reduce::reduce_nd::Folding;
use crate::portable::reduce::reduce_tiled::Sweep;
use crate::portable::reduce::{reduce_1d, reduce_nd};
use crate::{Launch, Raised, Workers};

/// Runs a reduction.
///
/// # Safety
/// As [`crate::Program::launch`].
pub(crate) unsafe fn run(
    body: &Code,
    folding: &Folding,
    epilogue: &Code,
    launch: &Launch<'_>,
    workers: &dyn Workers,
) -> Raised {
    let outer: usize = launch.outer.iter().product();
    if outer == 0 {
        return Raised::new();
    }
    let inner: usize = launch.inner.iter().product();
    if folding.may_be_full
        && launch.outer.is_empty()
        && launch.inner.len() == 1
        && inner > 0
        && inner < 2 * folding.part
    {
        // SAFETY: the caller's contract.
        return unsafe { reduce_1d::run(body, folding, epilogue, launch) };
    }
    if folding.may_sweep
        && inner > 0
        && let Some(sweep) = Sweep::new(body, folding, epilogue, launch)
    {
        // SAFETY: the caller's contract.
        return unsafe { sweep.run(workers) };
    }
    // SAFETY: as above.
    unsafe { reduce_nd::run(body, folding, epilogue, launch, workers) }
}
