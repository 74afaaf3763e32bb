//! Operations: types and shapes to statements.

pub(crate) mod concatenate;
pub(crate) mod convert;
pub(crate) mod create;
pub(crate) mod elementwise;
pub(crate) mod masked;
pub(crate) mod matmul;
pub(crate) mod operators;
pub(crate) mod promote;
pub(crate) mod reduce;
pub(crate) mod reshape;
