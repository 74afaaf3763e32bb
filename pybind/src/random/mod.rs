//! Random numbers: the draws of NumPy's generators, straight into arrays of ours.
//!
//! Start with `draw`. May import `interpreter` and `object`.

pub(crate) mod bit_generator;
pub(crate) mod draw;
