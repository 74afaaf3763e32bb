//! The backend for NVIDIA's GPUs: kernels as CUDA C, and what compiles and runs them.
//!
//! | module | does |
//! |---|---|
//! | `variant` | what a text is made for: how operands lie, which way threads go, and the geometry of a launch |
//! | `source` | the text: parameters, coordinates, lots of points, and the templates |
//! | `compact` | the text that is no kernel: what a mask chooses, side by side |
//! | `fold` | what accumulators hold, what joins two, and how threads do |
//! | `fragment`, `spell` | fragments as statements; literals, ops and conversions as expressions |
//! | `functions` | what C has no operator for: `text/functions.cu`, elementary functions written out, tables |
//! | `runtime` | devices: memory, copies, compiling, launching |
//!
//! The same kernel in the same variant gives the same text. Arithmetic is what the IR says: compiled without contraction
//! (`--fmad=false`), as every fused product is written as one. Elementary functions are those of every backend, written out,
//! but for odd arguments, which CUDA's own functions take.

#[cfg(unix)]
pub(crate) mod runtime;
pub(crate) mod text;

use crate::{Kernel, Launch, Verified};

pub use crate::cuda::text::compaction::compaction;
pub use crate::cuda::text::variant::Geometry;
pub use crate::cuda::text::source::together;

/// A kernel's text for a launch, and how it is launched; none where the launch has no points.
pub fn render(kernel: &Verified<Kernel>, launch: &Launch<'_>) -> Option<(String, Geometry)> {
    let (variant, geometry) = text::variant::of(kernel, launch)?;
    Some((text::source::source(kernel, &variant), geometry))
}
