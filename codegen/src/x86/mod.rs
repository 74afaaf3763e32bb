//! The `x86` backend: machine code straight from the fragment, for processors with AVX2 or AVX-512.
//!
//! | module | does |
//! |---|---|
//! | `level` | the two levels of the instruction set |
//! | [`forms`], [`encode`], `vex`, `general`, `masks` | the instruction table; instructions, labels and data to bytes |
//! | `disassembly` | the way back, for people |
//! | [`arena`] | executable memory that is never writable and executable at once |
//! | `select`, `arith`, `words`, `root`, `steps`, `convert`, `memory` | instructions for values: ops, square roots, steps of functions, conversions, loads and stores |
//! | `parts` | complex numbers in memory, and the vectors of their parts |
//! | `bools`, `instead`, `steps_instead` | what differs by level: truth values, and what AVX2 has no instruction for |
//! | `uniform` | what is the same along a row, computed before its loop |
//! | `registers`, `held` | which register holds which value, and which constant |
//! | `body`, `lower`, `arguments` | what is needed of a fragment; the loop of a row around its instructions; what it is called with |
//! | `fold` | the loop of a row that is folded |
//! | `along` | what runs along a row, in its loop |
//! | `tail` | the end of a row that fills no vector, where there are no masks |
//! | `row`, `program` | the loop in memory that runs; launching it over rows of a domain |
//! | `scan`, `columns` | launching scans, by rows or by columns; those, as maps of rows |
//! | `pass`, `backend` | loops for blocks of the portable backend; choosing between these and loops for rows |
//!
//! A map or a scan whose instructions are all known here runs as one loop with every value in a register. Any other kernel is the
//! portable backend's, but for its calls: as many as are known here are one loop over each block. Results are that
//! backend's, bit for bit.

pub mod asm;
pub(crate) mod isel;
pub(crate) mod launch;
pub(crate) mod loops;

pub use crate::x86::asm::arena::{Code, place};
pub use crate::x86::asm::encode::{Assembler, Cond, Gpr, KReg, Label, Masking, Mem, Rm, VReg, Width};
pub use crate::x86::asm::forms::Form;
pub use crate::x86::asm::level::Level;
pub use crate::x86::launch::backend::X86;
