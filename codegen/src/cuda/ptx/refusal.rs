//! Why two kernels are not merged.

use crate::cuda::ptx::parse::PtxError;
use std::fmt::{self, Display, Formatter};

/// Why two kernels are not merged, or a merged kernel is not used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The compiler's text has something that the parser does not know.
    Construct(PtxError),
    /// A text without exactly one kernel, or one with blocks of other sizes.
    Kernel,
    /// Both are bound by the same: memory, or arithmetic.
    SameBound,
    /// Threads of a block may part by a branch of one kernel before a barrier or a shuffle of the other, which all have to reach.
    DivergentBranch,
    /// The merged code would be too large.
    TooLarge,
    /// More parameters than a launch passes.
    TooManyParams,
    /// Together they have more shared memory than a block gets.
    SharedMemory,
    /// The merged kernel spills registers, or uses more memory of threads than its parts.
    Spills,
    /// Too few of its blocks would be resident on a multiprocessor.
    Occupancy,
    /// A grid or block of two dimensions, of a kernel whose text has one.
    Shape,
    /// The driver does not assemble the merged text.
    Assembler(String),
}

impl Display for Refusal {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Construct(error) => write!(out, "construct: {error}"),
            Refusal::Kernel => out.write_str("kernel: not one kernel of 256 threads a block"),
            Refusal::SameBound => out.write_str("same bound: both wait for memory, or neither does"),
            Refusal::DivergentBranch => out.write_str("divergent branch: threads could part before a barrier"),
            Refusal::TooLarge => out.write_str("too large: more instructions than four times the parts'"),
            Refusal::TooManyParams => out.write_str("too many params: more than a launch passes"),
            Refusal::SharedMemory => out.write_str("shared memory: more than a block gets"),
            Refusal::Spills => out.write_str("spills: the parts did not"),
            Refusal::Occupancy => out.write_str("occupancy: too few blocks on a multiprocessor"),
            Refusal::Shape => out.write_str("shape: a launch of more dimensions than the text has"),
            Refusal::Assembler(why) => write!(out, "assembler: {why}"),
        }
    }
}
