//! Instruction selection: the instructions of each op, conversion, load and store, and the registers of values.
//!
//! `conventions` names the fixed registers, `registers` allocates the others, `arguments` lays out the block of memory that a loop is
//! called with, `body` analyses a fragment, `common_range` finds its exponentials, `interleave` alternates independent parts of one, `slices`
//! cuts a long one by the `cost` of its instructions, `side_exits` tests its results, and `region` emits its loops; the other files add methods to `select::Emitter`, a file for each kind of instruction.
//! Loops change what a store or a result of a fold becomes through `select::LoopHooks`.
//! It imports `asm`, `ir`, `expand` and `math`, never `loops` or `launch`. Open `select` first.

pub(crate) mod addresses;
pub(crate) mod arguments;
pub(crate) mod arith;
pub(crate) mod avx2_emulation;
pub(crate) mod avx2_primitives;
pub(crate) mod body;
pub(crate) mod bools;
pub(crate) mod carried_rows;
pub(crate) mod common_range;
pub(crate) mod complex_lanes;
pub(crate) mod const_registers;
pub(crate) mod conventions;
pub(crate) mod convert;
pub(crate) mod cost;
pub(crate) mod exit_tests;
pub(crate) mod fused;
pub(crate) mod interleave;
pub(crate) mod jammed_rows;
pub(crate) mod loop_invariant;
pub(crate) mod memory;
pub(crate) mod newton_sqrt;
pub(crate) mod open_region;
pub(crate) mod port_balance;
pub(crate) mod primitives;
pub(crate) mod reciprocal_division;
pub(crate) mod region;
pub(crate) mod registers;
pub(crate) mod row_vectors;
pub(crate) mod select;
pub(crate) mod shifted_loads;
pub(crate) mod side_exits;
pub(crate) mod slices;
pub(crate) mod strided_elements;
pub(crate) mod ternary_logic;
