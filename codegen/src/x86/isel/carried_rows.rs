//! Scalar replacement along a column: vectors that the rows of a stencil share are carried in registers from one row to the next.
//!
//! The loop over short rows is interchanged with that along a row: it goes down the rows with one vector of each. What a row reads of the row
//! below is what the next one reads of its own, and the one after that of the row above: one load for all three. The lanes of the last vector
//! of a row are the same in all rows, so their mask is set once. 23 × 23 × 23 points of a seven-point stencil take 4.6 µs instead of 5.3 with
//! two rows at once ([`crate::x86::isel::jammed_rows`]), 16 × 16 × 16, of which there was no loop before, 1.6 and 3.3 (Zen 4). Rows of more
//! vectors gain less from one mask, and are read in another order than they lie: 30 × 30 × 30 points take 13 µs instead of 12.1.
//!
//! All distances are constants of the code, as in [`crate::x86::isel::jammed_rows`].

use crate::DType;
use crate::x86::asm::encode::{Rm, VReg};
use crate::x86::isel::row_vectors::{CarriedRows, CarriedVectors, Pitch};
use crate::x86::isel::select::Emitter;
use smallvec::SmallVec;

/// Bytes from one row to the next at the most: thirty doubles.
pub(crate) const MOST_PITCH: i32 = 240;
/// Bytes of a strip of rows, of all arrays: the lines that one column leaves in the first-level cache are there for the next. 998 rows of 20
/// doubles of a five-point stencil take 6.6 µs and, without strips, 8.3.
const STRIP_BYTES: i32 = 20 << 10;
/// Vector registers that are left to values, at least, beside those that the body takes.
const REGISTERS_BESIDE_CARRIED: usize = 4;

/// A vector that an operand reads, by the bytes from the leader of its array.
struct ColumnRead {
    leader: u8,
    at: i32,
    operand: usize,
}

impl Emitter<'_> {
    /// Plans to carry vectors from row to row; none where rows are long, share nothing, or there are no registers for it.
    pub(crate) fn carry_rows(&mut self, pitch: &Pitch) -> Option<CarriedRows> {
        if pitch.bytes > MOST_PITCH {
            return None;
        }
        let mut reads: Vec<ColumnRead> = vec![];
        for (operand, from) in pitch.from.iter().enumerate() {
            reads.extend(from.map(|(leader, at)| ColumnRead { leader, at, operand }));
        }
        reads.sort_by_key(|read| (read.leader, read.at.rem_euclid(pitch.bytes), read.at));
        let follows =
            |a: &ColumnRead, b: &ColumnRead| a.leader == b.leader && [0, pitch.bytes].contains(&(b.at - a.at));
        let usable = self.vectors.usable();
        let arrays = pitch
            .from
            .iter()
            .enumerate()
            .filter(|(operand, from)| from.is_none_or(|(leader, _)| leader as usize == *operand));
        let strip = STRIP_BYTES / pitch.bytes / arrays.count() as i32;
        let mut made =
            CarriedRows { pitch: pitch.bytes, strip, vectors: vec![], sources: vec![None; pitch.from.len()] };
        for column in reads.chunk_by(follows) {
            let mut rows: SmallVec<[(usize, VReg); 4]> = SmallVec::new();
            let count = 1 + (column[column.len() - 1].at - column[0].at) / pitch.bytes;
            if count == 1 {
                continue;
            }
            if self.vectors.untouched(1) < count as usize + REGISTERS_BESIDE_CARRIED {
                self.vectors.set_usable(usable);
                return None;
            }
            for same in column.chunk_by(|a, b| a.at == b.at) {
                let register = VReg(self.vectors.take()?);
                rows.push((same[0].operand, register));
                same.iter().for_each(|read| made.sources[read.operand] = Some(register));
            }
            made.vectors.push(CarriedVectors { dtype: self.body.kernel.operands[column[0].operand].dtype, rows });
        }
        (!made.vectors.is_empty()).then_some(made)
    }

    /// Loads what the first row carries from rows above.
    pub(crate) fn load_first_rows(&mut self, carried: &CarriedRows) {
        for vectors in &carried.vectors {
            let (_, above) = vectors.rows.split_last().expect("there are several");
            above.iter().for_each(|&(operand, register)| self.load_carried(operand, register, vectors.dtype));
        }
    }

    /// Loads what is new in a row.
    pub(crate) fn load_next_row(&mut self, carried: &CarriedRows) {
        for vectors in &carried.vectors {
            let (&(operand, register), _) = vectors.rows.split_last().expect("there are several");
            self.load_carried(operand, register, vectors.dtype);
        }
    }

    fn load_carried(&mut self, operand: usize, register: VReg, dtype: DType) {
        let from = self.memory(operand, dtype);
        self.load_dense(register, from, dtype);
    }

    /// Goes to the next row: what was of a row is of the one above it.
    pub(crate) fn carry_on(&mut self, carried: &CarriedRows) {
        for vectors in &carried.vectors {
            for pair in vectors.rows.windows(2) {
                self.copy(pair[0].1, Rm::Reg(pair[1].1));
            }
        }
    }

    /// Defines the current value, elements of an operand, from what rows carry; false where it is loaded by itself.
    pub(crate) fn load_from_rows(&mut self, operand: usize) -> bool {
        let carried = self.carried.as_ref().and_then(|carried| carried.sources.get(operand).copied().flatten());
        let Some(register) = carried else { return false };
        let out = self.define_vector();
        self.copy(out, Rm::Reg(register));
        true
    }

    /// Frees the registers of what rows carry.
    pub(crate) fn release_carried(&mut self, carried: &CarriedRows) {
        let all = carried.vectors.iter().flat_map(|vectors| &vectors.rows);
        let freed = all.fold(0, |all, (_, register)| all | 1 << register.0);
        self.vectors.set_usable(self.vectors.usable() | freed);
    }
}
