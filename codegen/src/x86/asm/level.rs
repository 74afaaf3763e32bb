//! The levels of the instruction set that machine code is made for.

use crate::drive::isa::Isa;

/// A level of the instruction set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// x86-64-v3: AVX2, FMA and F16C. Sixteen vector registers of 32 bytes, and no masks: a bool is a vector of ones or zeros.
    Avx2,
    /// x86-64-v4: AVX-512 F, BW, DQ and VL. Thirty-two vector registers of 64 bytes, and masks.
    Avx512,
}

impl Level {
    /// The levels that this processor has, worst first.
    pub fn available() -> Vec<Level> {
        Isa::available().into_iter().filter_map(Level::of).collect()
    }

    /// The level of an instruction set.
    fn of(isa: Isa) -> Option<Level> {
        match isa {
            Isa::Baseline => None,
            Isa::V3 => Some(Level::Avx2),
            Isa::V4 => Some(Level::Avx512),
        }
    }

    /// The instruction set that the portable backend's loops may use beside machine code of this level.
    pub(crate) fn isa(self) -> Isa {
        match self {
            Level::Avx2 => Isa::V3,
            Level::Avx512 => Isa::V4,
        }
    }

    /// Bytes of a vector.
    pub(crate) fn vector(self) -> usize {
        match self {
            Level::Avx2 => 32,
            Level::Avx512 => 64,
        }
    }

    /// Bits of the vector registers.
    pub(crate) fn registers(self) -> u32 {
        match self {
            Level::Avx2 => 0xFFFF,
            Level::Avx512 => u32::MAX,
        }
    }

    /// Bytes that hold a constant: where instructions broadcast elements one of eight bytes, else a whole vector.
    pub(crate) fn constant(self) -> usize {
        match self {
            Level::Avx2 => 32,
            Level::Avx512 => 8,
        }
    }
}
