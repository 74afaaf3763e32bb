//! The `x86` backend: machine code straight from the fragment, for processors with AVX2 or AVX-512.
//!
//! | folder | does |
//! |---|---|
//! | [`asm`] | the assembler: instruction forms, encoding, executable memory |
//! | [`predict`] | the time of a loop of machine code, predicted for listings |
//! | `isel` | instruction selection for values: ops, conversions, loads and stores, and the registers they are in |
//! | `loops` | loops of machine code around selected instructions: map, reduction, scan |
//! | `launch` | from a verified kernel to a program, and a program over its domain |
//!
//! A map or a scan with machine code for every instruction runs as one loop with every value in a register. Any other kernel is run by
//! the portable backend, in which loops of machine code take the place of runs of calls; so are reductions and scans with loops of their
//! points ([`crate::ir::region`]), which maps have machine code for. Results are those of that backend, bit for bit.

pub mod asm;
pub(crate) mod isel;
pub(crate) mod launch;
pub(crate) mod loops;
pub mod predict;

pub use crate::x86::asm::arena::{ExecutableCode, map_executable};
pub use crate::x86::asm::encode::{Assembler, Cond, Gpr, KReg, Label, Masking, Mem, Rm, VReg, Width};
pub use crate::x86::asm::forms::Form;
pub use crate::x86::asm::level::Level;
pub use crate::x86::launch::backend::X86;
