//! Launching machine code: from a verified kernel to a program, and a program over its domain.
//!
//! It imports `loops`, `drive`, and of the portable backend the names below and no other; the rest of `x86` imports none of it.
//! Open `backend` first.
//!
//! | name of `portable` | what it is needed for |
//! |---|---|
//! | `Portable` | compiles kernels that have no loop of their own |
//! | `InterpretedProgram` | re-executes chunks with slow-path lanes or ambiguous flags, and runs launches with short rows |
//! | `JitHook`, `MapFunction`, `FoldFunction`, `ColumnFunction`, `OperandKind` | the hook by which machine code takes the place of several calls in such kernels |

pub(crate) mod backend;
pub(crate) mod block_calls;
pub(crate) mod blocks;
pub(crate) mod compiled_loop;
pub(crate) mod effects;
pub(crate) mod fallback;
pub(crate) mod non_temporal;
pub(crate) mod program;
pub(crate) mod re_execution;
pub(crate) mod repeated_rows;
pub(crate) mod row_chunks;
pub(crate) mod scan;
pub(crate) mod scan_by_columns;
pub(crate) mod second_version;
pub(crate) mod shifted_loops;

use crate::portable::{ColumnFunction, FoldFunction, InterpretedProgram, JitHook, MapFunction, OperandKind, Portable};
