//! Executing fragments block by block: the bytecode of a fragment, and the drivers that run it.
//!
//! `bytecode` resolves a fragment; `aliasing` analyses overlaps of a launch's operands; `exec_2d` and `exec_tiles` run a fragment on
//! rows and columns, and on tiles of any domain; `region` runs loops of the points of a block; `map` is the elementwise template; `jit_hook` replaces several
//! calls by machine code of another backend. It imports `loops` and `drive`. Open `bytecode` first.

pub(crate) mod aliasing;
pub(crate) mod bytecode;
pub(crate) mod exec_2d;
pub(crate) mod exec_tiles;
pub(crate) mod jit_hook;
pub(crate) mod map;
pub(crate) mod region;
