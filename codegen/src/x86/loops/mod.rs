//! Loops of machine code around selected instructions: map, reduction and scan.
//!
//! `map_loop` emits the loop of one row, with its unrolling and prologue; `tail` its masked end; `reduce_loop` and `scan_loop` what
//! accumulates along it. It imports `isel` and `asm`. Open `map_loop` first.

pub(crate) mod arguments;
pub(crate) mod body;
pub(crate) mod map_loop;
pub(crate) mod reduce_loop;
pub(crate) mod scan_by_columns;
pub(crate) mod scan_loop;
pub(crate) mod tail;
