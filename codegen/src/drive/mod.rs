//! Driving kernels over their domains: what every CPU backend shares.
//!
//! Tiles of a domain, what operands' overlaps allow, the division of a launch between threads, scratch memory for registers, the
//! processor's floating-point status, and the instruction set that loops are compiled for. It knows no op and no loop; it
//! imports `ir` and `backend`. Open `tiles` first.

pub mod fp_status;
pub(crate) mod isa;
pub(crate) mod parallel;
pub(crate) mod scratch;
pub(crate) mod tiles;
pub(crate) mod vector_hints;
