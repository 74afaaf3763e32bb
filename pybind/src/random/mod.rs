//! Random numbers: the draws of NumPy's generators, straight into arrays of ours, and in compiled loops.
//!
//! Start with `draw`. May import `interpreter` and `object`.

pub(crate) mod bit_generator;
pub(crate) mod draw;
pub(crate) mod legacy;
pub(crate) mod order;
#[cfg(feature = "loops")]
pub(crate) mod tape;
