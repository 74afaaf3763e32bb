//! Launching composed kernels: their scratch memory, and the programs of their stages on the host.

use crate::error::Result;
use crate::host::threads;
use crate::memory::pool::Buffer;
use crate::plan::plan::{ComposedLaunch, StepKind};
use crate::runtime::execute::Addresses;
use crate::runtime::state::Runtime;
use fastnp_codegen::backend::composed::{Blocks, KernelStage};
use fastnp_codegen::drive::composed;
use fastnp_codegen::{Device, RaisedFlags, Scalar, ThreadPool};
use smallvec::SmallVec;

/// Scratch memory of as many blocks as run at once.
pub(crate) struct ScratchMemory {
    buffer: Buffer,
    blocks: usize,
}

impl StepKind {
    /// Scratch memory for a launch; none if it needs none.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub(crate) fn scratch(&self) -> Result<Option<ScratchMemory>> {
        match self {
            StepKind::Composed(ComposedLaunch { scratch_bytes: bytes @ 1.., .. }) => {
                let blocks = threads::count();
                Ok(Some(ScratchMemory { buffer: Buffer::new(bytes * blocks)?, blocks }))
            }
            _ => Ok(None),
        }
    }
}

impl Runtime {
    /// Launches a composed kernel, on the host or a device. The addresses are those of the step's operands.
    pub(crate) fn launch_composed(
        &mut self,
        work: &ComposedLaunch,
        addresses: &[*mut u8],
        scratch: Option<&ScratchMemory>,
        workers: &dyn ThreadPool,
        device: Option<&dyn Device>,
    ) -> Result<()> {
        let started = self.telemetry.clock(2);
        let scalars: Vec<SmallVec<[Scalar; 8]>> =
            work.stages.iter().map(|stage| self.scalars_of(&stage.work)).collect();
        let of_stages: Vec<Addresses> = (work.stages.iter())
            .map(|stage| {
                let address = |operand: &Option<u32>| operand.map_or(std::ptr::null_mut(), |o| addresses[o as usize]);
                stage.operands.iter().map(address).collect()
            })
            .collect();
        let stages: Vec<KernelStage<'_>> = (work.stages.iter().zip(&scalars).zip(&of_stages))
            .map(|((stage, scalars), addresses)| KernelStage {
                kernel: &stage.work.kernel,
                program: &*stage.work.program,
                launch: stage.work.launch(addresses, scalars),
                axis: stage.axis,
                places: &stage.places,
            })
            .collect();
        let blocks = Blocks {
            extent: work.extent,
            size: work.block,
            scratch: scratch.map_or(std::ptr::null_mut(), |s| s.buffer.address()),
            scratch_bytes: work.scratch_bytes,
            scratch_blocks: scratch.map_or_else(threads::count, |s| s.blocks),
        };
        // SAFETY: recorded views lie within their storages, which have memory there now; the planner composes only groups that touch
        // what one of them writes at one index of the shared axis, and no other thread runs kernels meanwhile. For a device it composes
        // neither scans nor gathers.
        let raised = unsafe {
            match device {
                None => composed::launch(&stages, &blocks, workers)?,
                Some(device) => {
                    device.launch_composed(&stages, &blocks)?;
                    vec![RaisedFlags::new(); stages.len()]
                }
            }
        };
        self.telemetry.note_composed(work, started, raised);
        Ok(())
    }
}
