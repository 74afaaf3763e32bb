//! The portable program beside a loop, made when a launch first needs it: for rows too short for the loop, for chunks that are re-executed.
//! Most programs never do, and making it takes a quarter of the time of making the loop.

use crate::x86::launch::block_calls::BlockCalls;
use crate::x86::launch::effects::Overwriting;
use crate::x86::launch::program::LoopProgram;
use crate::x86::launch::{InterpretedProgram, JitHook, Portable};
use crate::x86::predict::timing::Processor;
use crate::{Kernel, Template, Verified, Version};
use std::sync::OnceLock;

/// The portable program of a kernel.
pub(crate) struct Fallback {
    kernel: Verified<Kernel>,
    processor: &'static Processor,
    portable: Portable,
    made: OnceLock<InterpretedProgram>,
}

impl Fallback {
    /// That of a kernel.
    pub(crate) fn new(kernel: &Verified<Kernel>, processor: &'static Processor, portable: &Portable) -> Fallback {
        Fallback { kernel: kernel.clone(), processor, portable: *portable, made: OnceLock::new() }
    }

    /// A version of the loop itself, which saves inputs that results overwrite; none if it has no instructions here.
    pub(crate) fn loop_as(&self, version: Version) -> Option<LoopProgram> {
        LoopProgram::new(&self.kernel, self.processor, &self.portable, version, Overwriting::Saves).ok()
    }

    /// The program.
    ///
    /// # Panics
    /// If the portable backend refuses the kernel: a bug, as it takes all.
    pub(crate) fn get(&self) -> &InterpretedProgram {
        self.made.get_or_init(|| {
            // It runs some scans, so it gets machine code for its blocks.
            let block_calls = BlockCalls(self.processor);
            let fuse = (self.kernel.template == Template::Scan).then_some(&block_calls as &dyn JitHook);
            let made = self.portable.interpret(&self.kernel, fuse);
            made.unwrap_or_else(|error| panic!("the portable backend refused a kernel: {error}"))
        })
    }
}
