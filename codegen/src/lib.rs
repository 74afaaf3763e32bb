//! Kernel IR and the backends that run it.
//!
//! This crate knows nothing of arrays, graphs or Python. The array layer builds a [`Kernel`], has it [`verify()`]-ed, gives it to a
//! [`Backend`] and launches the [`Program`] it gets back.
//!
//! The folders, from the ground up; each imports only what stands above it in this table:
//!
//! | folder | holds |
//! |---|---|
//! | [`ir`] | the kernel IR: element types, ops, kernels, the verifier, the text form |
//! | [`math`] | elementary functions as loops the compiler vectorises |
//! | [`expand`](mod@expand) | elementary functions, complex arithmetic and divisions decomposed into instructions of the IR |
//! | [`backend`] | the interface to backends, and to devices, which have memory of their own |
//! | [`drive`] | what CPU backends share to drive a kernel over its domain: tiles, threads, aliasing, floating-point status |
//! | [`host`] | routines for the host's memory that are no kernels |
//! | [`portable`] | the blocked interpreter, which runs every kernel: tests compare other backends with it, and it with an evaluator of their own |
//! | [`cuda`] | NVIDIA's GPUs: kernels as CUDA C, and what compiles and runs them |
//! | `x86` | machine code, where the processor has AVX2 or AVX-512 |

pub mod backend;
pub mod cuda;
pub mod drive;
pub mod expand;
pub mod host;
pub mod ir;
pub mod math;
pub mod portable;
#[cfg(all(target_arch = "x86_64", unix))]
pub mod x86;

pub use crate::backend::device::{CUDA, Device, DeviceError, Facts, Failure, device, device_known_as};
pub use crate::backend::routine::{Library, Routine, Transform};
pub use crate::ir::build::{FragmentBuilder, KernelBuilder};
pub use crate::ir::dtype::{DType, Kind, Scalar, Wide};
pub use crate::ir::fold::{FoldOrder, FoldRow, Neutral};
pub use crate::ir::kernel::{
    Access, Accumulator, Fold, Fragment, Inst, Kernel, OperandDecl, OperandId, Part, ScalarId, Template, ValueId,
};
pub use crate::ir::op::{Domain, FpFlags, Op, OpRow, ResultRule};
pub use crate::ir::parse::ParseError;
pub use crate::ir::primitive::{Primitive, Table};
pub use crate::ir::verify::{Place, Verified, VerifyError, verify};
pub use backend::{Backend, CompileError, GRAIN, Inline, Launch, Program, Raised, Workers};
pub use expand::{Expanded, Odd, Trail, expand};
