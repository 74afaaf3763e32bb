//! Kernel IR and the backends that run it.
//!
//! This crate knows nothing of arrays, graphs or Python. The array layer builds a [`Kernel`], has it [`verify()`]-ed, gives it to a
//! [`Backend`] and launches the [`Program`] it gets back.
//!
//! The folders, from the ground up; each imports only what stands above it in this table:
//!
//! | folder | holds |
//! |---|---|
//! | [`cost`] | the constants of the cost model |
//! | [`ir`] | the kernel IR: element types, ops, kernels, the verifier, the text form |
//! | [`math`] | elementary functions as loops the compiler vectorises |
//! | [`expand`](mod@expand) | decomposition: elementary functions, complex arithmetic and divisions as instructions of the IR |
//! | [`backend`] | the interface to backends, and to devices, which have memory of their own |
//! | [`drive`] | what CPU backends share to drive a kernel over its domain: tiles, threads, floating-point status, instruction sets |
//! | [`host`] | routines for the host's memory that are not kernels |
//! | [`portable`] | the blocked interpreter |
//! | [`cuda`] | NVIDIA's GPUs: kernels as CUDA C, and what compiles and runs them |
//! | `x86` | machine code, where the processor has AVX2 or AVX-512 |
//! | [`registry`] | finds backends and devices by name |
//!
//! The root oracle is `tests/portable/evaluator.rs`, which evaluates kernels point by point in some 400 lines. Tests compare `portable`
//! with it, and every other backend with `portable`.

pub mod backend;
pub mod cost;
pub mod cuda;
pub mod drive;
pub mod expand;
pub mod host;
pub mod ir;
pub mod math;
pub mod portable;
pub mod registry;
#[cfg(all(target_arch = "x86_64", unix))]
pub mod x86;

pub use crate::backend::device::{CUDA, Device, DeviceError, Facts, Failure};
pub use crate::backend::routine::{Library, Routine, Transform};
pub use crate::ir::build::{FragmentBuilder, KernelBuilder};
pub use crate::ir::dtype::{DType, Kind, Scalar, Wide};
pub use crate::ir::fold::{FoldOrder, FoldRow, Neutral};
pub use crate::ir::kernel::{
    Access, Accumulator, ComplexPart, Fold, Fragment, Inst, Kernel, OperandDecl, OperandId, ScalarId, Template, ValueId,
};
pub use crate::ir::op::{Domain, FpFlags, Op, OpRow, ResultRule};
pub use crate::ir::parse::ParseError;
pub use crate::ir::primitive::{Primitive, Table};
pub use crate::ir::region::{Loop, Region, RegionBuilder};
pub use crate::ir::verify::{Location, Verified, VerifyError, verify};
pub use backend::{
    Backend, CompileError, DirectLoop, Launch, PreparedLaunch, Program, RaisedFlags, SingleThread, ThreadPool,
};
pub use expand::{Expanded, Provenance, SlowPath, Version, expand, expand_as};
pub use registry::{device, device_known_as};

/// For white-box tests: private functions that `tests/` calls. Tests within the sources would have the whole crate compiled a second time,
/// which takes 188 s of a core.
#[doc(hidden)]
pub mod white_box {
    #[cfg(unix)]
    pub use crate::cuda::runtime::cache::{Cache, CachedFunction, is_private};
    /// Weaving of compiled kernels.
    pub mod ptx {
        pub use crate::cuda::ptx::*;
    }
    pub use crate::cuda::text::variant::reciprocal;
    pub use crate::drive::block_copy::{StridedBlock, copy_block};
    pub use crate::drive::isa::{Isa, LoopFn};
    pub use crate::host::even_bins::lookup as bins_loop;
    pub use crate::host::few_terms::lookup as few_terms_loop;
    pub use crate::host::gemv::lookup as gemv_loop;
    pub use crate::host::inner_products::lookup as inner_loop;
    pub use crate::host::skinny_product::lookup as skinny_loop;
    pub use crate::portable::loops::arg_extremes::{ArgLoops, lookup as arg_loops};
    /// The choice of drivers.
    pub mod strategy {
        pub use crate::drive::strategy::*;
    }
}
