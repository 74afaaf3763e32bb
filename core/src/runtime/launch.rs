//! Launches of programs, and their telemetry: counters, floating-point flags, debug output, profiles.

use crate::error::Result;
use crate::host::gemm::Product;
use crate::plan::plan::{ComposedLaunch, KernelLaunch};
use crate::plan::trace::Composite;
use crate::runtime::fp_flags::FlagLog;
use crate::runtime::inspect::{DebugOutput, print_composed, print_launch, print_product};
use crate::runtime::profile::Recorder;
use crate::runtime::stats::Stats;
use fastnp_codegen::{DType, Device, FpFlags, Kernel, Launch, Program, RaisedFlags, ThreadPool};
use std::time::Instant;

/// Counters, floating-point flags, debug output and the profile that is being made.
#[derive(Default)]
pub(crate) struct Telemetry {
    pub(crate) stats: Stats,
    pub(crate) fp_flags: FlagLog,
    pub(crate) debug: DebugOutput,
    pub(crate) recorder: Option<Box<Recorder>>,
    /// The debug level from which on the clock is read: that of the output, or all if a profile is made.
    timed: u8,
}

impl Telemetry {
    /// Sets the debug level.
    pub(crate) fn set_level(&mut self, level: u8) {
        self.debug.level = level;
        self.timed = if self.recorder.is_some() { u8::MAX } else { level };
    }

    /// Begins a profile, or ends it; the one before.
    pub(crate) fn set_recorder(&mut self, recorder: Option<Box<Recorder>>) -> Option<Box<Recorder>> {
        let before = std::mem::replace(&mut self.recorder, recorder);
        self.set_level(self.debug.level);
        before
    }

    /// The time now, if something that has this debug level is timed.
    #[inline]
    pub(crate) fn clock(&self, level: u8) -> Option<Instant> {
        (self.timed >= level).then(Instant::now)
    }

    /// Reports a launch that began at `started`.
    #[cold]
    fn report_launch(&mut self, kernel: &Kernel, program: &dyn Program, launch: &Launch<'_>, started: Instant) {
        if let Some(recorder) = &mut self.recorder {
            recorder.add_launch(kernel, launch, program.strategy(launch), started);
        }
        if self.debug.level >= 2 {
            print_launch(kernel, program, launch, started);
        }
    }

    /// Reports a composed kernel that began at `started`.
    #[cold]
    fn report_composed(&mut self, work: &ComposedLaunch, started: Instant) {
        if let Some(recorder) = &mut self.recorder {
            recorder.add_composed(work, started);
        }
        if self.debug.level >= 2 {
            print_composed(work, started);
        }
    }

    /// Reports matrix products that began at `started`.
    #[cold]
    pub(crate) fn report_product(&mut self, dtype: DType, domain: &[usize], started: Instant) {
        if let Some(recorder) = &mut self.recorder {
            recorder.add_product(dtype, domain, started);
        }
        if self.debug.level >= 2 {
            print_product(dtype, domain, started);
        }
    }

    /// Reports a compilation that began at `started`.
    pub(crate) fn report_compile(&mut self, kernel: &Kernel, program: &dyn Program, started: Option<Instant>) {
        if let (Some(recorder), Some(started)) = (&mut self.recorder, started) {
            recorder.add_compile(started);
        }
        self.debug.print_compile(self.stats.kernels_compiled, kernel, program, started);
    }

    /// Notes the flags of a product that is not a kernel.
    pub(crate) fn note_product(&mut self, product: Product, raised: FpFlags) {
        if !raised.is_empty() {
            self.fp_flags.add(product.name(), raised);
        }
    }

    /// Counts a map that ran beside products, and notes its flags.
    pub(crate) fn note_map(&mut self, work: &KernelLaunch, raised: RaisedFlags) {
        self.stats.kernels_launched += 1;
        self.fp_flags.add_launch(&work.kernel, raised, &|e, i| work.part_of(e, i));
    }

    /// Counts a composed kernel that began at `started`, and notes the flags of its stages.
    pub(crate) fn note_composed(&mut self, work: &ComposedLaunch, started: Option<Instant>, raised: Vec<RaisedFlags>) {
        if let Some(started) = started {
            self.report_composed(work, started);
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
        let started = self.clock(2);
        // SAFETY: the caller's contract.
        let raised = unsafe { program.launch(launch, workers)? };
        if let Some(started) = started {
            device.map_or(Ok(()), Device::wait)?;
            self.report_launch(kernel, program, launch, started);
        }
        self.stats.kernels_launched += 1;
        if !raised.is_empty() {
            self.fp_flags.add_launch(kernel, raised, part_of);
        }
        Ok(())
    }
}
