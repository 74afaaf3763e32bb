//! The assembler: instruction forms, their encoding, labels, and executable memory.
//!
//! It knows no kernel, and imports only the instruction sets of `drive::isa`. Open `encode` first, then `forms`, the table.

pub mod arena;
pub(crate) mod disassembly;
pub mod encode;
pub mod forms;
pub(crate) mod general;
pub(crate) mod level;
pub(crate) mod masks;
pub(crate) mod vex;
