//! The `x86` backend: machine code straight from the fragment, for processors with AVX-512.
//!
//! | module | does |
//! |---|---|
//! | [`forms`], [`encode`], `general`, `masks` | the instruction table; instructions, labels and data to bytes |
//! | [`arena`] | executable memory that is never writable and executable at once |
//! | `select`, `convert` | instructions for values: ops and conversions |
//! | `registers` | which register holds which value |
//! | `lower` | the loop of a row around the instructions |
//! | `program`, `backend` | launching loops; choosing between them and the portable backend |
//!
//! A kernel whose instructions are all known here runs as one loop with every value in a register; any other one is
//! the portable backend's. Results are that backend's, bit for bit.

pub mod arena;
mod backend;
mod convert;
pub mod encode;
pub mod forms;
mod general;
mod lower;
mod masks;
mod program;
mod registers;
mod select;

pub use arena::{Code, place};
pub use backend::X86;
pub use encode::{Assembler, Cond, Gpr, KReg, Label, Masking, Mem, Rm, VReg, Width};
pub use forms::Form;
