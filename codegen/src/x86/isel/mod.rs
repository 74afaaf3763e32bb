//! Instruction selection: the instructions of each op, conversion, load and store, and the registers of values.
//!
//! It imports `asm`, `ir` and `expand`. Open `select` first.

pub(crate) mod arith;
pub(crate) mod avx2_emulation;
pub(crate) mod avx2_primitives;
pub(crate) mod bools;
pub(crate) mod complex_lanes;
pub(crate) mod const_registers;
pub(crate) mod convert;
pub(crate) mod loop_invariant;
pub(crate) mod memory;
pub(crate) mod newton_sqrt;
pub(crate) mod primitives;
pub(crate) mod registers;
pub(crate) mod select;
pub(crate) mod ternary_logic;
