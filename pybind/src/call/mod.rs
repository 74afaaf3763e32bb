//! Calls: arguments parsed, ufuncs and functions, errors and warnings.

pub(crate) mod argument;
pub(crate) mod concatenate;
pub(crate) mod create;
pub(crate) mod dtype;
pub(crate) mod error;
pub(crate) mod errstate;
pub(crate) mod functions;
pub(crate) mod keywords;
pub(crate) mod parse;
pub(crate) mod reduce;
pub(crate) mod routine;
pub(crate) mod scalars;
pub(crate) mod ufunc;
pub(crate) mod ufunc_call;
