//! The kernel IR: element types, ops, kernels, and the rules that make a kernel valid.
//!
//! It imports nothing of this crate but the names of elementary functions in `math`. Open `kernel` first, then `op`, the table of ops.
//!
//! | module | holds |
//! |---|---|
//! | [`kernel`] | kernels, fragments, and what they mean |
//! | [`op`] | the op table |
//! | [`fold`] | the table of folds: which ops reductions and scans repeat |
//! | [`dtype`] | element types and scalar values |
//! | [`primitive`] | primitive operations that elementary functions are made of |
//! | [`build`] | making kernels |
//! | [`verify`](mod@verify) | the rules, as code |
//! | [`print`](mod@print), [`parse`](mod@parse) | kernels as text |

pub mod build;
pub mod dtype;
pub mod fold;
pub mod kernel;
pub mod op;
pub mod parse;
pub mod primitive;
pub mod print;
pub mod verify;
