//! Executing fragments block by block: the bytecode of a fragment, and the drivers that run it.
//!
//! `bytecode` resolves a fragment; `exec_1d`, `exec_2d` and `exec_tiles` run it on a contiguous axis, on rows and columns, and on tiles of
//! any domain; `map` and `scan` are the templates; `jit_hook` is where another backend puts machine code for several calls.
//! It imports `loops` and `drive`. Open `bytecode` first.

pub(crate) mod aliasing;
pub(crate) mod bytecode;
pub(crate) mod exec_1d;
pub(crate) mod exec_2d;
pub(crate) mod exec_tiles;
pub(crate) mod jit_hook;
pub(crate) mod map;
