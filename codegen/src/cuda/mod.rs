//! Kernels as CUDA C: what a backend for GPUs compiles. Nothing here compiles or runs it.
//!
//! | module | does |
//! |---|---|
//! | `form` | what a text is made for: how operands lie, which way threads go, and the geometry of a launch |
//! | `source` | the text: parameters, coordinates, lots of points, and the templates |
//! | `fold` | what accumulators hold, what joins two, and how threads do |
//! | `fragment`, `spell` | fragments as statements; literals, ops and conversions as expressions |
//! | `functions` | what C has no operator for: `text/functions.cu`, elementary functions written out, tables |
//!
//! The same kernel in the same form gives the same text. Arithmetic is what the IR says: compiled without contraction
//! (`--fmad=false`), as every fused product is written as one. Elementary functions are those of every backend, written out,
//! but for odd arguments, which CUDA's own functions take.

mod fold;
mod form;
mod fragment;
mod functions;
mod source;
mod spell;

use crate::{Kernel, Launch, Verified};

/// A kernel's text for a launch, and how it is launched; none where the launch has no points.
pub fn render(kernel: &Verified<Kernel>, launch: &Launch<'_>) -> Option<Rendered> {
    let (form, geometry) = form::of(kernel, launch)?;
    Some(Rendered {
        source: source::source(kernel, &form),
        grid: geometry.grid,
        block: geometry.block,
        phases: geometry.phases,
        parts: geometry.parts as usize * fold::size(kernel),
        claims: geometry.claims as usize,
        domain: geometry.domain,
    })
}

/// A kernel as CUDA C, and the launch that it was asked for with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// The text.
    pub source: String,
    /// Blocks in x and y.
    pub grid: [u32; 2],
    /// Threads of a block in x and y.
    pub block: [u32; 2],
    /// Launches one after the other.
    pub phases: u32,
    /// Bytes for what parts of folds come to.
    pub parts: usize,
    /// Slots of sixteen bytes, zero, for what points of a scatter claim.
    pub claims: usize,
    /// The argument `d`.
    pub domain: Vec<u8>,
}
