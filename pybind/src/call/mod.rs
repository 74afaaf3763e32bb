//! Calls: Python arguments to values of the core, and the functions and ufuncs that take them.
//!
//! `argument`, `array_arguments`, `common_arguments`, `keywords`, `array_list`, `number_list` and `assign` read arguments; the others are functions of the module. Start with
//! `ufunc_call`. May import `interpreter`, `object` and `interop`.

pub(crate) mod argument;
pub(crate) mod array_arguments;
pub(crate) mod array_list;
pub(crate) mod assign;
pub(crate) mod common_arguments;
pub(crate) mod common_calls;
pub(crate) mod concatenate;
pub(crate) mod convert;
pub(crate) mod counting;
pub(crate) mod create;
pub(crate) mod fourier;
pub(crate) mod frexp;
pub(crate) mod from_buffer;
pub(crate) mod functions;
pub(crate) mod keywords;
pub(crate) mod ldexp;
pub(crate) mod masks;
pub(crate) mod number_list;
pub(crate) mod reduce;
pub(crate) mod routine;
pub(crate) mod small_matrices;
pub(crate) mod sorting;
pub(crate) mod types;
pub(crate) mod ufunc;
pub(crate) mod ufunc_call;
