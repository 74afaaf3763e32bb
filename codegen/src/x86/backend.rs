//! The backend: what has instructions here becomes a loop of them, everything else is the portable backend's.

use super::pass::Passes;
use super::program::Compiled;
use crate::portable::Portable;
use crate::{Backend, CompileError, Kernel, Program, Template, Verified};
use std::sync::Arc;

/// Machine code for processors with AVX-512.
pub struct X86 {
    portable: Portable,
}

impl X86 {
    /// The backend, where the processor has what its instructions need.
    pub fn new() -> Option<X86> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("bmi2");
        has.then(|| X86 { portable: Portable::new() })
    }
}

impl Backend for X86 {
    fn name(&self) -> &'static str {
        "x86"
    }

    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError> {
        if kernel.template == Template::Map {
            let portable = self.portable.compile(kernel)?;
            // Why not is nothing to tell users of: the portable backend runs every kernel.
            if let Ok(compiled) = Compiled::new(kernel, portable) {
                return Ok(Arc::new(compiled));
            }
        }
        self.portable.compile_with(kernel, Some(&Passes))
    }
}
