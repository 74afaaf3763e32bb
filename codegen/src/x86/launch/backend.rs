//! The backend: kernels with machine code for every instruction become a loop, all others are run by the portable backend.

use crate::backend::fault;
use crate::cost::INSTRUCTION_NS;
use crate::x86::asm::level::Level;
use crate::x86::launch::Portable;
use crate::x86::launch::block_calls::BlockCalls;
use crate::x86::launch::effects::Overwriting;
use crate::x86::launch::program::LoopProgram;
use crate::x86::launch::scan::ScanProgram;
use crate::x86::predict::timing::Processor;
use crate::{Backend, CompileError, Kernel, Program, Template, Verified, Version};
use std::sync::Arc;

/// Machine code for processors with AVX2 or AVX-512.
pub struct X86 {
    processor: &'static Processor,
    portable: Portable,
}

impl X86 {
    /// The backend for the best level that the processor has, if it has one.
    pub fn new() -> Option<X86> {
        Level::available().last().map(|&level| X86::of(Processor::here(level)))
    }

    /// The backend for a level, if the processor has it. The portable backend's loops beside its code are of that level, too.
    pub fn at(level: Level) -> Option<X86> {
        Level::available().contains(&level).then(|| X86::of(Processor::here(level)))
    }

    /// One backend for each level that this processor has, worst first.
    pub fn every_level() -> Vec<X86> {
        Level::available().into_iter().map(|level| X86::of(Processor::here(level))).collect()
    }

    /// One backend for each processor that code is made for and whose level this one has.
    pub fn every_model() -> Vec<X86> {
        let has_level = |model: &&Processor| Level::available().contains(&model.level);
        Processor::models().into_iter().filter(has_level).map(X86::of).collect()
    }

    /// One backend for each level there is, worst first: for the listings of their programs, which are the same on every machine.
    /// A program must not be launched where the processor lacks its level.
    pub fn every_level_listed() -> Vec<X86> {
        [Level::Avx2, Level::Avx512].map(|level| X86::of(Processor::of(level))).into()
    }

    fn of(processor: &'static Processor) -> X86 {
        X86 { processor, portable: Portable::on(processor.level.isa()) }
    }
}

impl Backend for X86 {
    fn name(&self) -> &'static str {
        match self.processor.level {
            Level::Avx2 => "x86-avx2",
            Level::Avx512 => "x86",
        }
    }

    fn instruction_ns(&self) -> f64 {
        // With AVX2 too: the model weighs instructions against bytes, and on a Zen 3 an instruction takes 2.3 times as long as where the
        // constants were measured, a byte of the shared cache or of memory twice as long. (Fluxes of 400 × 400 points computed where they are
        // read take 371 µs there, stored first 495.)
        INSTRUCTION_NS
    }

    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError> {
        let made: Result<Arc<dyn Program>, String> = match kernel.template {
            _ if fault::strikes() => Err("a test".into()),
            Template::Map => {
                let (version, overwriting) = (Version::Common, Overwriting::Leaves);
                LoopProgram::new(kernel, self.processor, &self.portable, version, overwriting)
                    .map(|program| Arc::new(program) as _)
            }
            Template::Scan => {
                ScanProgram::new(kernel, self.processor, &self.portable).map(|program| Arc::new(program) as _)
            }
            Template::Reduce => Err("reductions".into()),
        };
        // The reason is dropped: the portable backend runs every kernel.
        made.or_else(|_| self.portable.compile_with(kernel, Some(&BlockCalls(self.processor))))
    }
}
