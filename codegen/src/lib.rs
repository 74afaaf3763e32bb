//! Kernel IR and the backends that run it.
//!
//! This crate knows nothing of arrays, graphs or Python. The array layer builds a [`Kernel`], has it [`verify()`]-ed, gives it to a
//! [`Backend`] and launches the [`Program`] it gets back.
//!
//! | module | holds |
//! |---|---|
//! | [`dtype`] | element types and scalar values |
//! | [`op`], [`fold`] | the op table; the table of those that reductions and scans repeat |
//! | [`ir`] | kernels, fragments, and what they mean |
//! | [`verify`](mod@verify) | the rules, as code |
//! | [`primitive`] | steps of elementary functions that one instruction of AVX-512 takes |
//! | [`build`] | making kernels |
//! | [`print`](mod@print), [`parse`](mod@parse) | kernels as text |
//! | [`backend`], [`device`](mod@device) | the interfaces to backends, and to those with memory of their own |
//! | [`routine`] | routines of libraries for devices: Fourier transforms, linear algebra |
//! | [`expand`](mod@expand) | elementary functions written out as instructions, for backends that make machine code |
//! | [`math`] | elementary functions as loops the compiler vectorises |
//! | [`portable`] | the blocked interpreter, the oracle of every other backend |
//! | [`cuda`] | NVIDIA's GPUs: kernels as CUDA C, and what compiles and runs them |
//! | `x86` | machine code, where the processor has AVX2 or AVX-512 |

pub mod backend;
pub mod build;
pub mod cuda;
pub mod device;
pub mod dtype;
pub mod expand;
pub mod fold;
pub mod ir;
pub mod math;
pub mod op;
pub mod parse;
pub mod portable;
pub mod primitive;
pub mod print;
pub mod routine;
pub mod verify;
#[cfg(all(target_arch = "x86_64", unix))]
pub mod x86;

pub use backend::{Backend, CompileError, GRAIN, Inline, Launch, Program, Raised, Workers};
pub use build::{FragmentBuilder, KernelBuilder};
pub use device::{CUDA, Device, DeviceError, Facts, Failure, device, device_known_as};
pub use dtype::{DType, Kind, Scalar, Wide};
pub use expand::{Expanded, Odd, Slow, Trail, expand};
pub use fold::{FoldOrder, FoldRow, Neutral};
pub use ir::{
    Access, Accumulator, Fold, Fragment, Inst, Kernel, OperandDecl, OperandId, Part, ScalarId, Template, ValueId,
};
pub use op::{Domain, FpFlags, Op, OpRow, ResultRule};
pub use parse::ParseError;
pub use primitive::{Primitive, Table};
pub use routine::{Library, Routine, Transform};
pub use verify::{Place, Verified, VerifyError, verify};
