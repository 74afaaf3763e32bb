//! The backend and its programs: resolves kernels to bytecode, and launches them by template.

use crate::drive::isa::Isa;
use crate::drive::strategy::{self, INTERPRETED_SCANS, Strategy, map_strategies};
use crate::portable::exec::bytecode::{Bytecode, resolve};
use crate::portable::exec::exec_2d::may_run_2d;
use crate::portable::exec::jit_hook::{JitHook, Stage, find_fold};
use crate::portable::exec::map;
use crate::portable::reduce::reduce_nd::{self, ResolvedFolds};
use crate::portable::reduce::{reduce_tiled, row_tile, scan};
use crate::{
    Backend, CompileError, DeviceError, Kernel, Launch, Program, RaisedFlags, Scalar, SingleThread, Template,
    ThreadPool, Verified,
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
    /// The backend on the highest instruction set of this processor.
    pub fn new() -> Portable {
        Portable::on(Isa::detect())
    }

    /// The backend on AVX2, if this processor has it, even if it has more.
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
    /// Compiles a kernel; a JIT hook may replace calls by machine code.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    pub(crate) fn compile_with(
        &self,
        kernel: &Verified<Kernel>,
        jit: Option<&dyn JitHook>,
    ) -> Result<Arc<dyn Program>, CompileError> {
        Ok(Arc::new(self.interpret(kernel, jit)?))
    }

    /// The same, with its concrete type.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    pub(crate) fn interpret(
        &self,
        kernel: &Verified<Kernel>,
        jit: Option<&dyn JitHook>,
    ) -> Result<InterpretedProgram, CompileError> {
        let error = |reason: String| CompileError { reason, kernel: format!("{:?}", **kernel) };
        let body = resolve(kernel, &kernel.body, self.isa, jit).map_err(error)?;
        let epilogue = resolve(kernel, &kernel.epilogue, self.isa, jit).map_err(error)?;
        let may_run_2d = may_run_2d(&body);
        let mut folding = reduce_nd::resolve(kernel, self.isa).map_err(error)?;
        folding.jit_fold = jit.and_then(|jit| find_fold(&body, kernel, jit));
        folding.forms.tiled = reduce_tiled::may_run_tiled(&body, &folding, &epilogue);
        folding.forms.row = row_tile::may_run_row(&body, &folding, &epilogue);
        Ok(InterpretedProgram { template: kernel.template, isa: self.isa, body, epilogue, may_run_2d, folding })
    }
}

/// A kernel resolved to bytecode and accumulator loops.
pub(crate) struct InterpretedProgram {
    template: Template,
    isa: Isa,
    body: Bytecode,
    epilogue: Bytecode,
    /// Whether `exec_2d` may run it as a map.
    may_run_2d: bool,
    folding: ResolvedFolds,
}

impl InterpretedProgram {
    /// The strategy of a launch.
    #[inline]
    fn choose(&self, launch: &Launch<'_>) -> Strategy {
        match self.template {
            Template::Map => strategy::of_map(self.may_run_2d, launch.outer),
            Template::Reduce => strategy::of_reduction(self.folding.forms, launch.outer, launch.inner, || {
                reduce_tiled::may_nest(&self.body, &self.folding, &self.epilogue, launch)
            }),
            Template::Scan => strategy::of_interpreted_scan(&self.folding.operands, launch),
        }
    }

    /// Runs a part of a map: the coordinates of its first point are `origin`.
    ///
    /// # Safety
    /// As [`Program::launch`].
    pub(crate) unsafe fn run_part(&self, launch: &Launch<'_>, origin: &[usize]) -> RaisedFlags {
        // SAFETY: the caller's contract; the strategy is one of maps, of which the kernel is capable.
        unsafe {
            match self.choose(launch) {
                Strategy::Nothing => RaisedFlags::new(),
                Strategy::Exec2d => map::run_2d(&self.body, launch, &SingleThread),
                _ => map::run_tiles(&self.body, launch, origin, &SingleThread),
            }
        }
    }

    /// Runs a part of one row of a scan: its first point has the coordinates `origin`, and the carries into it, one an accumulator, are
    /// `values`, which become those of its last point.
    ///
    /// # Safety
    /// As [`Program::launch`], of one outer point; the values have eight bytes at most.
    pub(crate) unsafe fn continue_scan(
        &self,
        launch: &Launch<'_>,
        origin: &[usize],
        values: &mut [Scalar],
    ) -> RaisedFlags {
        let mut words: SmallVec<[u64; 2]> = values.iter().map(|value| value.bits() as u64).collect();
        let resume = scan::Resume { carry: scan::Carry(words.as_mut_ptr()), origin };
        // SAFETY: the caller's contract.
        let raised = unsafe {
            scan::run(&self.body, &self.folding, &self.epilogue, launch, &SingleThread, (false, Some(resume)))
        };
        for (value, word) in values.iter_mut().zip(words) {
            *value = Scalar::from_bits(value.dtype(), word.into());
        }
        raised
    }
}

impl Program for InterpretedProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        let (body, folding, epilogue) = (&self.body, &self.folding, &self.epilogue);
        let chosen = self.choose(launch);
        // SAFETY: the caller's contract; the strategy is one of the template's, of which the kernel is capable.
        Ok(unsafe {
            match chosen {
                Strategy::Nothing => RaisedFlags::new(),
                Strategy::Exec2d => map::run_2d(body, launch, workers),
                Strategy::Tiles => map::run_tiles(body, launch, &[], workers),
                Strategy::ReduceTiled => reduce_tiled::run(body, folding, epilogue, launch, workers),
                Strategy::ReduceNd => reduce_nd::run(body, folding, epilogue, launch, workers),
                Strategy::ScanRows | Strategy::ScanColumns => {
                    scan::run(body, folding, epilogue, launch, workers, (chosen == Strategy::ScanColumns, None))
                }
                other => unreachable!("no strategy of the interpreter: {other:?}"),
            }
        })
    }

    fn strategy(&self, launch: &Launch<'_>) -> &'static str {
        self.choose(launch).name()
    }

    fn listing(&self) -> String {
        let mut text = format!("portable, {:?}, {:?}\n", self.template, self.isa);
        text += &match self.template {
            Template::Map => strategy::listing(map_strategies(self.may_run_2d)),
            Template::Reduce => strategy::listing(self.folding.forms.strategies()),
            Template::Scan => strategy::listing(INTERPRETED_SCANS),
        };
        for (name, code) in [("body", &self.body), ("epilogue", &self.epilogue)] {
            let _ = writeln!(text, "{name}: {} bytes of registers an element", code.width);
            for c in &code.calls {
                let _ = writeln!(text, "  %{} of %{:?}", c.out, c.args);
            }
            for stage in &code.stages {
                if let Stage::MapCall(pass) = stage {
                    let _ = write!(text, "  {pass}");
                }
            }
        }
        if let Some(fused) = &self.folding.jit_fold {
            let _ = write!(text, "{fused}");
        }
        text
    }
}
