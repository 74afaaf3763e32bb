//! Launches of programs, and their telemetry: counters, floating-point flags, debug output.

use crate::error::Result;
use crate::host::gemm::Product;
use crate::plan::plan::ComposedLaunch;
use crate::plan::trace::Composite;
use crate::runtime::fp_flags::FlagLog;
use crate::runtime::inspect::{DebugOutput, print_composed, print_launch};
use crate::runtime::stats::Stats;
use fastnp_codegen::{Device, FpFlags, Kernel, Launch, Program, RaisedFlags, ThreadPool};
use std::time::Instant;

/// Counters, floating-point flags and debug output.
#[derive(Default)]
pub(crate) struct Telemetry {
    pub(crate) stats: Stats,
    pub(crate) fp_flags: FlagLog,
    pub(crate) debug: DebugOutput,
}

impl Telemetry {
    /// Notes the flags of a product that is not a kernel.
    pub(crate) fn note_product(&mut self, product: Product, raised: FpFlags) {
        if !raised.is_empty() {
            self.fp_flags.add(product.name(), raised);
        }
    }

    /// Counts a composed kernel that began at `started`, and notes the flags of its stages.
    pub(crate) fn note_composed(&mut self, work: &ComposedLaunch, started: Option<Instant>, raised: Vec<RaisedFlags>) {
        if let Some(started) = started {
            print_composed(work, started);
        }
        self.stats.kernels_launched += 1;
        for (stage, raised) in work.stages.iter().zip(raised) {
            self.fp_flags.add_launch(&stage.work.kernel, raised, &|e, i| stage.work.part_of(e, i));
        }
    }

    /// Launches the program of a kernel, on a device if there is one. `part_of` says which instructions are steps of something else (see
    /// [`FlagLog::add_launch`]).
    ///
    /// # Errors
    /// Those of the device.
    ///
    /// # Safety
    /// As [`Program::launch`].
    #[inline]
    pub(crate) unsafe fn launch(
        &mut self,
        (kernel, program): (&Kernel, &dyn Program),
        launch: &Launch<'_>,
        workers: &dyn ThreadPool,
        device: Option<&dyn Device>,
        part_of: &dyn Fn(bool, u32) -> Option<Composite>,
    ) -> Result<()> {
        let started = self.debug.clock(2);
        // SAFETY: the caller's contract.
        let raised = unsafe { program.launch(launch, workers)? };
        if let Some(started) = started {
            device.map_or(Ok(()), Device::wait)?;
            print_launch(kernel, program, launch, started);
        }
        self.stats.kernels_launched += 1;
        if !raised.is_empty() {
            self.fp_flags.add_launch(kernel, raised, part_of);
        }
        Ok(())
    }
}
