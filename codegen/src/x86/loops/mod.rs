//! Loops of machine code around selected instructions: map, reduction and scan.
//!
//! `map_loop` emits the loop of one row, `row_loop` what repeats it for others, `aligned_rows` what begins a row with a cache line, `block_loop` the loop of a long body in slices,
//! `reduce_loop` and `scan_loop` what accumulates along it, `column_loop`
//! what accumulates across rows, `prologue` what all loops share, and `tail` prepares the end of a row for
//! processors without masks. It imports `isel` and `asm`. Open `map_loop` first.

pub(crate) mod aligned_rows;
pub(crate) mod block_loop;
pub(crate) mod carried_rows;
pub(crate) mod column_loop;
pub(crate) mod jammed_rows;
pub(crate) mod map_loop;
pub(crate) mod prologue;
pub(crate) mod reduce_loop;
pub(crate) mod row_loop;
pub(crate) mod scan_loop;
pub(crate) mod tail;
