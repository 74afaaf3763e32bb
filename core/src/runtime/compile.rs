//! Compilation of kernels for a target, through the program cache.

use crate::runtime::exec_target::HOST_TARGET;
use crate::runtime::program_cache::CompiledKernel;
use crate::runtime::state::Runtime;
use fastnp_codegen::Kernel;
use std::sync::Arc;

impl Runtime {
    /// The program of a kernel for a target, from the cache or compiled.
    ///
    /// # Panics
    /// Where a backend refuses what the planner made: a bug.
    pub(crate) fn compile_for(&mut self, target: usize, kernel: Kernel) -> CompiledKernel {
        if let Some(found) = self.programs.kernel(target, &kernel) {
            return found;
        }
        self.telemetry.stats.kernels_compiled += 1;
        let started = self.telemetry.clock(1);
        let verified = fastnp_codegen::verify(kernel.clone())
            .unwrap_or_else(|e| panic!("the planner made an invalid kernel: {e}"));
        let backend = &self.targets[target].backend;
        let program = backend
            .compile(&verified)
            .unwrap_or_else(|e| panic!("the {} backend refused a kernel: {e}", backend.name()));
        self.telemetry.report_compile(&verified, &*program, started);
        let compiled: CompiledKernel = (Arc::new(verified), program);
        self.programs.insert_kernel(target, kernel, compiled.clone());
        compiled
    }

    /// The program of a kernel on the host.
    pub(crate) fn compile_for_host(&mut self, kernel: Kernel) -> CompiledKernel {
        self.compile_for(HOST_TARGET, kernel)
    }
}
