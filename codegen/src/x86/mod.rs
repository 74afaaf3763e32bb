//! The `x86` backend: machine code straight from the fragment, for processors with AVX-512.
//!
//! | module | does |
//! |---|---|
//! | [`forms`], [`encode`], `general`, `masks` | the instruction table; instructions, labels and data to bytes |
//! | `disassembly` | the way back, for people |
//! | [`arena`] | executable memory that is never writable and executable at once |
//! | `select`, `arith`, `convert` | instructions for values: loads and stores, ops, conversions |
//! | `registers` | which register holds which value |
//! | `body`, `lower` | what is needed of a fragment; the loop of a row around its instructions |
//! | `fold` | the loop of a row that is folded |
//! | `row`, `program` | the loop in memory that runs; launching it over rows of a domain |
//! | `pass`, `backend` | loops for blocks of the portable backend; choosing between these and loops for rows |
//!
//! A map whose instructions are all known here runs as one loop with every value in a register. Any other kernel is the
//! portable backend's, but for its calls: as many as are known here are one loop over each block. Results are that
//! backend's, bit for bit.

pub mod arena;
mod arith;
mod backend;
mod body;
mod convert;
mod disassembly;
pub mod encode;
mod fold;
pub mod forms;
mod general;
mod lower;
mod masks;
mod pass;
mod program;
mod registers;
mod row;
mod select;
mod vex;

pub use arena::{Code, place};
pub use backend::X86;
pub use encode::{Assembler, Cond, Gpr, KReg, Label, Masking, Mem, Rm, VReg, Width};
pub use forms::Form;
