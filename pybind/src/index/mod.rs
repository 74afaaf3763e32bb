//! Subscripts: `x[i]`, read and written, and the methods of arrays and ufuncs that take positions.
//!
//! Start with `subscript`. May import `interpreter`, `object`, `interop` and `call`.

pub(crate) mod fancy;
pub(crate) mod subscript;
pub(crate) mod update;
