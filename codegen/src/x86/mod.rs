//! Machine code for x86-64: what turns instructions into bytes, and bytes into something that runs.
//!
//! | module | holds |
//! |---|---|
//! | [`forms`] | the table of vector and mask instructions, spelled as Intel's manual spells their encodings |
//! | [`encode`] | [`Assembler`]: instructions, labels and data to position-independent bytes |
//! | [`arena`] | [`place`]: executable memory that is never writable and executable at one address |
//!
//! Nothing here knows of kernels, chooses instructions or allocates registers.

pub mod arena;
pub mod encode;
pub mod forms;
mod general;
mod masks;

pub use arena::{Code, place};
pub use encode::{Assembler, Cond, Gpr, KReg, Label, Masking, Mem, Rm, VReg, Width};
pub use forms::Form;
