//! Launching programs, and what is seen of it: counters, floating-point flags, debug output.

use crate::error::Result;
use crate::host::gemm::Product;
use crate::runtime::fp_flags::Flags;
use crate::runtime::inspect::{Inspection, launched};
use crate::runtime::stats::Stats;
use fastnp_codegen::{Device, FpFlags, Kernel, Launch, Program, ThreadPool};

/// What is seen of launches.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) stats: Stats,
    pub(crate) raised: Flags,
    pub(crate) inspection: Inspection,
}

impl Seen {
    /// Notes the flags of a product that no kernel is.
    pub(crate) fn note(&mut self, product: Product, raised: FpFlags) {
        if !raised.is_empty() {
            self.raised.add(product.name(), raised);
        }
    }

    /// Launches the program of a kernel, on a device if there is one. `part` tells which instructions are steps of products (see
    /// [`Flags::note`]).
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
        part: &dyn Fn(bool, u32) -> Option<Product>,
    ) -> Result<()> {
        let started = self.inspection.clock(2);
        // SAFETY: the caller's contract.
        let raised = unsafe { program.launch(launch, workers)? };
        if let Some(started) = started {
            device.map_or(Ok(()), Device::wait)?;
            launched(kernel, launch, started);
        }
        self.stats.kernels_launched += 1;
        if !raised.is_empty() {
            self.raised.note(kernel, raised, part);
        }
        Ok(())
    }
}
