//! Compiling kernels for a target, unless the program cache has them.

use crate::runtime::exec_target::HOST;
use crate::runtime::program_cache::Compiled;
use crate::runtime::state::Engine;
use fastnp_codegen::Kernel;
use std::sync::Arc;

impl Engine {
    /// The program of a kernel for one of the sites, looked up or made.
    ///
    /// # Panics
    /// Where a backend refuses what the planner made: a bug.
    pub(crate) fn compiled_for(&mut self, site: usize, kernel: Kernel) -> Compiled {
        if let Some(found) = self.programs.kernel(site, &kernel) {
            return found;
        }
        self.seen.stats.kernels_compiled += 1;
        let started = self.seen.inspection.clock(1);
        let verified =
            fastnp_codegen::verify(kernel.clone()).unwrap_or_else(|e| panic!("the planner made a wrong kernel: {e}"));
        let backend = &self.sites[site].backend;
        let program = backend
            .compile(&verified)
            .unwrap_or_else(|e| panic!("the {} backend refused a kernel: {e}", backend.name()));
        self.seen.inspection.compiled(self.seen.stats.kernels_compiled, &verified, &*program, started);
        let compiled: Compiled = (Arc::new(verified), program);
        self.programs.insert_kernel(site, kernel, compiled.clone());
        compiled
    }

    /// The program of a kernel on the host.
    pub(crate) fn compiled(&mut self, kernel: Kernel) -> Compiled {
        self.compiled_for(HOST, kernel)
    }
}
