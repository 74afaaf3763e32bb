//! The kernel IR: element types, ops, kernels, and the rules that make a kernel valid.
//!
//! It imports no other folder; the op table only names the elementary functions of `math`. Open `kernel` first, then `op`, the table of ops.
//!
//! | module | holds |
//! |---|---|
//! | [`kernel`] | kernels, fragments, and their semantics |
//! | [`region`] | loops inside fragments, and their semantics |
//! | [`op`] | the op table |
//! | [`fold`] | the table of folds: which ops reductions and scans repeat |
//! | [`dtype`] | element types and scalar values |
//! | [`primitive`] | primitive operations that elementary functions are made of |
//! | [`build`] | the builder: common-subexpression and dead-code elimination |
//! | [`verify`](mod@verify) | the verifier |
//! | [`print`](mod@print), [`parse`](mod@parse) | the text form, both ways |

pub mod build;
pub mod dtype;
pub mod fold;
pub mod kernel;
pub mod op;
pub mod parse;
pub mod primitive;
pub mod print;
pub mod region;
pub mod verify;
