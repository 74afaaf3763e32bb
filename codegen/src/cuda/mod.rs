//! The backend for NVIDIA's GPUs: kernels as CUDA C, and the runtime that compiles and launches them.
//!
//! From the ground up; a row imports only rows above it:
//!
//! | folder | does |
//! |---|---|
//! | `ptx` | weaving: two compiled kernels as one, their instructions interleaved |
//! | `text` | kernels as CUDA C: variants, templates, fragments, the spelling of ops |
//! | `runtime` | devices: memory, copies, compiling, launching, graphs, and the libraries |
//!
//! The same kernel in the same variant gives the same text. Arithmetic is what the IR says: contraction is off
//! (`--fmad=false`), and every fused multiply-add is written as one. Elementary functions are expanded as in every backend;
//! CUDA's own functions are their slow paths.

pub(crate) mod ptx;
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

/// The text of a composed kernel, of stages with their launches over one index of the shared axis.
pub fn render_composed(stages: &[(&Verified<Kernel>, &Launch<'_>)]) -> String {
    let variants: Vec<_> =
        stages.iter().map(|(kernel, launch)| text::variant::of_stage(kernel, launch, false).0).collect();
    let stages: Vec<_> = stages.iter().zip(&variants).map(|((kernel, _), variant)| (&***kernel, variant)).collect();
    text::composed::composed(&stages)
}
