//! Discrete Fourier transforms of lines of memory, in double precision whatever the type of the elements. NumPy computes those of
//! `complex64` so too, unless there is a factor.
//!
//! | file | what it does |
//! |---|---|
//! | `lanes` | vectors of numbers of several transforms, a lane for each |
//! | `lanes_avx2`, `lanes_avx512` | vector registers as such vectors |
//! | `dense` | adjacent numbers as vectors |
//! | `roots` | roots of unity |
//! | `passes` | transforms of lengths with small prime factors |
//! | `split` | one transform by many short ones, which are lanes |
//! | `plan` | the method for a length: passes, split, or a convolution; plans kept |
//! | `real` | real numbers as half as many complex ones |
//! | `lines` | lines of an array, read into lanes, transformed and stored |
//!
//! Open `lines.rs` first. Work is divided by sizes alone, so any number of threads gives the same bits.
//!
//! The crate `rustfft` computes twiddle factors of rounded angles: its root mean square error is 1.3 (2^20 points) to 2.1 times (3^5)
//! that of NumPy, where these transforms are at 0.8 to 1.05, and 1.3 of few points (docs/accuracy.md). It has no lanes across lines, and
//! no threads.

pub(crate) mod dense;
pub(crate) mod lanes;
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes_avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod lanes_avx512;
pub(crate) mod lines;
pub(crate) mod passes;
pub(crate) mod plan;
pub(crate) mod real;
pub(crate) mod roots;
pub(crate) mod split;
