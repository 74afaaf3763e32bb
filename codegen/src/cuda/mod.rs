//! The backend for NVIDIA's GPUs: kernels as CUDA C, and the runtime that compiles and launches them.
//!
//! | module | does |
//! |---|---|
//! | `text::variant` | what a text is specialised for: access kinds, items per thread, fold axis; the geometry of a launch |
//! | `text::source` | the text: parameters, coordinates, items of a thread, and the templates |
//! | `text::compaction` | the text of stream compaction, which is no kernel |
//! | `text::fold` | what accumulators hold, what joins two, and how threads share one |
//! | `text::fragment`, `text::spell` | fragments as statements; literals, ops and conversions as expressions |
//! | `text::functions` | what C has no operator for: `text/functions.cu`, expanded elementary functions, tables |
//! | `runtime` | devices: memory, copies, compiling, launching; it imports `text`, never the other way |
//!
//! The same kernel in the same variant gives the same text. Arithmetic is what the IR says: contraction is off
//! (`--fmad=false`), and every fused multiply-add is written as one. Elementary functions are expanded as in every backend;
//! CUDA's own functions are their slow paths.

#[cfg(unix)]
pub(crate) mod runtime;
pub(crate) mod text;

use crate::{Kernel, Launch, Verified};

pub use crate::cuda::text::compaction::compaction;
pub use crate::cuda::text::source::together;
pub use crate::cuda::text::variant::Geometry;

/// A kernel's text for a launch, and the geometry of the launch; none where it has no points.
pub fn render(kernel: &Verified<Kernel>, launch: &Launch<'_>) -> Option<(String, Geometry)> {
    let (variant, geometry) = text::variant::of(kernel, launch)?;
    Some((text::source::source(kernel, &variant), geometry))
}
