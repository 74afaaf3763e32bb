//! The vectors of rows that are computed together ([`crate::x86::isel::jammed_rows`]), or that rows carry ([`crate::x86::isel::carried_rows`]), and
//! which values are made of which.

use crate::DType;
use crate::x86::asm::encode::{KReg, VReg};
use smallvec::SmallVec;

/// The rows that are computed together. Three or four need fewer loads, but leave more rows over: 38 × 38 × 38 points of a seven-point stencil
/// take 26.9, 27.3 and 27.0 µs with two, three and four, 29.9 one by one; 148 × 148 of a five-point stencil 6.2 µs with any, 7.1 one by one.
pub(crate) const ROWS: usize = 2;

/// How rows, and operands that are one array, lie in memory.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Pitch {
    /// Bytes from one row to the next, of all operands.
    pub(crate) bytes: i32,
    /// By operand: an operand of the same array, and how many bytes after it this one begins. Each is so far from another one, by a few rows
    /// and less than a vector.
    pub(crate) from: SmallVec<[Option<(u8, i32)>; 8]>,
}

/// A vector of a row in each iteration, which several values read, and the next one where some read elements of both.
pub(crate) struct RowVector {
    /// Where it is: an operand, and the bytes from its vector of the first row.
    pub(crate) operand: usize,
    pub(crate) distance: i32,
    pub(crate) dtype: DType,
    pub(crate) low: VReg,
    pub(crate) high: Option<VReg>,
}

/// Where a value of an operand comes from: a vector's number, and its shift in elements.
pub(crate) type Source = (usize, u8);

/// The rows that are computed together.
pub(crate) struct JammedRows {
    pub(crate) rows: usize,
    /// Bytes from one row to the next.
    pub(crate) pitch: i32,
    /// Elements by which values are shifted at the most, along the row.
    pub(crate) furthest: usize,
    pub(crate) vectors: Vec<RowVector>,
    /// By operand, and by row: the vector that the value is of, and its shift.
    pub(crate) sources: Vec<[Option<Source>; ROWS]>,
    /// The lanes of the next vector at the tail.
    pub(crate) next_lanes: KReg,
}

/// What of an array rows carry: the elements that operands read at one place of neighbouring rows, from the uppermost row down.
pub(crate) struct CarriedVectors {
    pub(crate) dtype: DType,
    /// An operand of each row, and its register. That of the last one is loaded in each row.
    pub(crate) rows: SmallVec<[(usize, VReg); 4]>,
}

/// The vectors that rows carry.
pub(crate) struct CarriedRows {
    /// Bytes from one row to the next.
    pub(crate) pitch: i32,
    /// Rows of a strip: those that the loop goes down before it takes the next vector of each.
    pub(crate) strip: i32,
    pub(crate) vectors: Vec<CarriedVectors>,
    /// By operand: its register, if it is carried.
    pub(crate) sources: Vec<Option<VReg>>,
}
