//! The backend and its programs.

use crate::drive::isa::Isa;
use crate::portable::exec::bytecode::{Code, resolve};
use crate::portable::exec::jit_hook::{Fuse, Stage, find_fold};
use crate::portable::exec::map;
use crate::portable::reduce::driver;
use crate::portable::reduce::reduce_nd::Folding;
use crate::portable::reduce::{reduce_1d, reduce_nd, reduce_tiled, scan};
use crate::{
    Backend, CompileError, DeviceError, Inline, Kernel, Launch, Program, Raised, Scalar, Template, Verified, Workers,
};
use smallvec::SmallVec;
use std::fmt::Write;
use std::sync::Arc;

/// The blocked interpreter: no code generation, every op, every type, every machine.
#[derive(Clone, Copy, Debug)]
pub struct Portable {
    isa: Isa,
}

impl Portable {
    /// The backend on the best instruction set of this processor.
    pub fn new() -> Portable {
        Portable::on(Isa::detect())
    }

    /// The backend on AVX2, if this processor has that, and whatever else it has.
    #[cfg(target_arch = "x86_64")]
    pub fn avx2() -> Option<Portable> {
        Isa::available().contains(&Isa::V3).then(|| Portable::on(Isa::V3))
    }

    /// The backend on an instruction set that this processor has.
    pub(crate) fn on(isa: Isa) -> Portable {
        Portable { isa }
    }

    /// One backend for each instruction set that this processor has, for tests.
    pub fn every_level() -> Vec<Portable> {
        Isa::available().into_iter().map(Portable::on).collect()
    }
}

impl Default for Portable {
    fn default() -> Portable {
        Portable::new()
    }
}

impl Backend for Portable {
    fn name(&self) -> &'static str {
        match self.isa {
            #[cfg(target_arch = "x86_64")]
            Isa::V3 if Isa::detect() != Isa::V3 => "portable-avx2",
            _ => "portable",
        }
    }

    fn compile(&self, kernel: &Verified<Kernel>) -> Result<Arc<dyn Program>, CompileError> {
        self.compile_with(kernel, None)
    }
}

impl Portable {
    /// Makes a program of a kernel, with functions in the place of calls where something makes them.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    pub(crate) fn compile_with(
        &self,
        kernel: &Verified<Kernel>,
        fuse: Option<&dyn Fuse>,
    ) -> Result<Arc<dyn Program>, CompileError> {
        Ok(Arc::new(self.interpret(kernel, fuse)?))
    }

    /// The same, as what it is.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    pub(crate) fn interpret(
        &self,
        kernel: &Verified<Kernel>,
        fuse: Option<&dyn Fuse>,
    ) -> Result<Interpreted, CompileError> {
        let error = |reason: String| CompileError { reason, kernel: format!("{:?}", **kernel) };
        let body = resolve(kernel, &kernel.body, self.isa, fuse).map_err(error)?;
        let epilogue = resolve(kernel, &kernel.epilogue, self.isa, fuse).map_err(error)?;
        let form = map::Form::of(&body);
        let mut folding = reduce_nd::resolve(kernel, self.isa).map_err(error)?;
        folding.fused = fuse.and_then(|fuse| find_fold(&body, kernel, fuse));
        folding.may_be_full = reduce_1d::may_be_full(&body, &folding, &epilogue);
        folding.may_sweep = reduce_tiled::may_sweep(&body, &folding, &epilogue);
        Ok(Interpreted { template: kernel.template, isa: self.isa, body, epilogue, form, folding })
    }
}

/// A kernel resolved to loops.
pub(crate) struct Interpreted {
    template: Template,
    isa: Isa,
    body: Code,
    epilogue: Code,
    /// What [`map::run`] may do.
    form: map::Form,
    folding: Folding,
}

impl Interpreted {
    /// Goes on with a scan: one row of it, after one that left these values, by accumulator; leaves its own.
    ///
    /// # Safety
    /// As [`Program::launch`], of one outer point; the values have eight bytes at most.
    pub(crate) unsafe fn go_on(&self, launch: &Launch<'_>, values: &mut [Scalar]) -> Raised {
        let mut words: SmallVec<[u64; 2]> = values.iter().map(|value| value.bits() as u64).collect();
        let before = scan::Carry(words.as_mut_ptr());
        // SAFETY: the caller's contract.
        let raised = unsafe { scan::run(&self.body, &self.folding, &self.epilogue, launch, &Inline, Some(before)) };
        for (value, word) in values.iter_mut().zip(words) {
            *value = Scalar::from_bits(value.dtype(), word.into());
        }
        raised
    }
}

impl Program for Interpreted {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn Workers) -> Result<Raised, DeviceError> {
        // SAFETY: the caller's contract.
        Ok(unsafe {
            match self.template {
                Template::Map => map::run(&self.body, self.form, launch, workers),
                Template::Reduce => driver::run(&self.body, &self.folding, &self.epilogue, launch, workers),
                Template::Scan => scan::run(&self.body, &self.folding, &self.epilogue, launch, workers, None),
            }
        })
    }

    fn listing(&self) -> String {
        let mut text = format!("portable, {:?}, {:?}\n", self.template, self.isa);
        for (name, code) in [("body", &self.body), ("epilogue", &self.epilogue)] {
            let _ = writeln!(text, "{name}: {} bytes of registers an element", code.width);
            for c in &code.calls {
                let _ = writeln!(text, "  %{} of %{:?}", c.out, c.args);
            }
            for stage in &code.stages {
                if let Stage::Pass(pass) = stage {
                    let _ = write!(text, "  {pass}");
                }
            }
        }
        if let Some(fused) = &self.folding.fused {
            let _ = write!(text, "{fused}");
        }
        text
    }
}
