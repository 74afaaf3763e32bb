//! The interpreter's side, without arrays: the GIL, errors, floating-point flags, the calling convention, NumPy's dtypes.
//!
//! Start with `error`, which converts every result of the core. Imports nothing of the crate.

pub(crate) mod address_hash;
pub(crate) mod call_site;
pub(crate) mod dtype;
pub(crate) mod error;
pub(crate) mod errstate;
pub(crate) mod exact_int;
pub(crate) mod fallback;
pub(crate) mod fastcall;
pub(crate) mod gil_cell;
pub(crate) mod interpreter_lock;
pub(crate) mod known_names;
pub(crate) mod protocol;
pub(crate) mod raw_call;
pub(crate) mod sequence_items;
pub(crate) mod slot;
pub(crate) mod vectorcall;
