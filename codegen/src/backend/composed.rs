//! Composed kernels, as they are launched: stages that run one after the other on each block of an axis that they share.

use crate::{Kernel, Launch, Program, Verified};
use smallvec::SmallVec;

/// Where a stage's operand is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OperandPlace {
    /// In memory: bytes from one index of the axis to the next.
    Memory(isize),
    /// In scratch memory, which each block uses again: bytes from its begin.
    Scratch(usize),
}

/// A kernel of a composed one.
pub struct KernelStage<'a> {
    /// The kernel.
    pub kernel: &'a Verified<Kernel>,
    /// It compiled.
    pub program: &'a dyn Program,
    /// Its launch on the first block. The addresses of operands in scratch memory are ignored.
    pub launch: Launch<'a>,
    /// The outer axis that holds the shared one as its slowest part, and the points there of one index of the shared one.
    pub axis: (usize, usize),
    /// Where its operands are.
    pub places: &'a [OperandPlace],
}

impl KernelStage<'_> {
    /// Its outer extents over so many indices of the shared axis.
    pub(crate) fn outer(&self, indices: usize) -> SmallVec<[usize; 6]> {
        let mut outer: SmallVec<[usize; 6]> = self.launch.outer.into();
        outer[self.axis.0] = indices * self.axis.1;
        outer
    }
}

/// Bytes of the arguments of all stages that a device takes at most.
pub const MAX_DEVICE_ARGUMENT_BYTES: usize = 4000;

/// Bytes of a device's arguments of a stage: places of operands, scalars, and extents and strides.
pub const fn device_argument_bytes(operands: usize, scalars: usize, rank: usize) -> usize {
    32 * operands + 16 * scalars + 8 * (4 + 2 * rank + operands * rank)
}

/// The domain that is run block by block, and the scratch memory.
#[derive(Clone, Copy)]
pub struct Blocks {
    /// Indices of the shared axis.
    pub extent: usize,
    /// Indices of a block; the last one may have fewer.
    pub size: usize,
    /// Scratch memory, aligned to 64: so many times as many bytes.
    pub scratch: *mut u8,
    /// Bytes of scratch memory of a block.
    pub scratch_bytes: usize,
    /// How many blocks have scratch memory at once.
    pub scratch_blocks: usize,
}
