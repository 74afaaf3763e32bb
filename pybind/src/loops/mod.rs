//! Compiled loops: programs of the scalar IR, run on Python's values.
//!
//! Start with `program`; `list_heap` copies lists and objects to memory, as `list_layout` and `struct_layout` say, `table_entries` what dictionaries and sets hold,
//! `symbol_table` numbers strings, `deques` takes deques for lists, `vector_loop` has the loops of kernels,
//! `statement_kernel` the kernels that loops call. May import `interpreter`, `object`, `interop` and `call`. What a loop means, and whether it may be compiled, is decided
//! in Python, which writes the text of the program and says what its values must be.

pub(crate) mod deques;
pub(crate) mod list_heap;
pub(crate) mod list_layout;
pub(crate) mod parameter;
pub(crate) mod program;
pub(crate) mod results;
pub(crate) mod statement_kernel;
pub(crate) mod struct_layout;
pub(crate) mod symbol_table;
pub(crate) mod table_entries;
pub(crate) mod vector_loop;
