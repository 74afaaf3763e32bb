//! Subscripts: `x[i]`, read and written.

pub(crate) mod fancy;
pub(crate) mod subscript;
