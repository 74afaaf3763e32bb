//! Shifted loads: of operands that are one array, each some elements further on, as a stencil reads its neighbours along a row.
//!
//! `x[:-2] + x[1:-1] + x[2:]` loads each element three times, and at least two of the three vectors lie across two cache lines, for which
//! the loads need twice the cycles. So the loop over several vectors loads those of the first of these operands, and one more, which its
//! copies of the body share; what the others read are the elements of two neighbouring vectors (`VALIGNQ`). The mean of three neighbours takes
//! 0.16 ns an element instead of 0.22 in the second-level cache (doubles, AVX-512, Zen 4).
//!
//! The vector more has elements beyond those of the iteration, so the loop leaves so many that these are still the operand's. Loads read
//! ahead of stores of the same iteration: only of operands that no result overlaps ([`crate::x86::launch::shifted_loops`]).

use crate::x86::asm::encode::{Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{INDEX, VECTOR_BYTES};
use crate::x86::isel::row_vectors::Pitch;
use crate::x86::isel::select::Emitter;
use crate::{Access, DType};
use smallvec::SmallVec;
use std::fmt;

/// Vector registers that are left to values, at least, beside those that an iteration of the body takes.
const SPARE_REGISTERS: usize = 4;

/// How an operand is shifted against another one of the same array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Shift {
    /// The operand whose elements come first.
    pub(crate) from: u8,
    /// By how many elements; zero of the first operand itself.
    pub(crate) by: u8,
}

/// The shifts of operands.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Shifts {
    /// By operand, if it has one. Empty where no operand has.
    pub(crate) by_operand: SmallVec<[Option<Shift>; 8]>,
    /// By operand: whether another one has read its elements before, in rows above or further on in the same row.
    pub(crate) is_read_before: SmallVec<[bool; 8]>,
    /// Whether rows of all operands begin equally far apart.
    pub(crate) is_one_pitch: bool,
    /// How rows lie, where several of them are to be computed together ([`crate::x86::isel::jammed_rows`]).
    pub(crate) pitch: Option<Pitch>,
}

impl fmt::Display for Shifts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("shifted")?;
        for (operand, shift) in self.by_operand.iter().enumerate() {
            if let Some(Shift { from, by: by @ 1.. }) = shift {
                write!(f, " m{operand} = m{from} + {by}")?;
            }
        }
        self.pitch.as_ref().map_or(Ok(()), |pitch| write!(f, ", rows {} bytes apart", pitch.bytes))
    }
}

/// The vectors of an array that an iteration reads: those of its copies of the body, and one more.
pub(crate) struct SharedVectors {
    operand: usize,
    dtype: DType,
    vectors: SmallVec<[VReg; 5]>,
}

impl Emitter<'_> {
    /// Reserves registers for the vectors that so many copies of the body read of shifted operands, as far as there are enough.
    pub(crate) fn reserve_streams(&mut self, copies: usize) {
        let kernel = self.body.kernel;
        let is_first =
            |&operand: &usize| self.shifts.by_operand[operand].is_some_and(|shift| shift.from as usize == operand);
        let first: SmallVec<[usize; 4]> = (0..self.shifts.by_operand.len()).filter(is_first).collect();
        for operand in first {
            let own = if self.interleaves() { copies } else { 1 };
            if self.vectors.untouched(own) < copies + 1 + SPARE_REGISTERS {
                continue;
            }
            let vectors = (0..=copies).filter_map(|_| self.vectors.take()).map(VReg).collect();
            let of_it = self.shifts.by_operand.iter().flatten().filter(|shift| shift.from as usize == operand);
            let furthest = of_it.map(|shift| shift.by as usize).max().unwrap_or(0);
            self.stream_ahead = self.stream_ahead.max((self.lanes() - furthest) as i32);
            self.streams.push(SharedVectors { operand, dtype: kernel.operands[operand].dtype, vectors });
        }
    }

    /// Loads the vectors of shifted operands at the beginning of an iteration.
    pub(crate) fn load_streams(&mut self) {
        for number in 0..self.streams.len() {
            let SharedVectors { operand, dtype, ref vectors } = self.streams[number];
            let (vectors, base) = (vectors.clone(), self.base(operand));
            for (place, vector) in vectors.into_iter().enumerate() {
                let from = Mem::indexed(base, INDEX, dtype.size() as u8, (place * VECTOR_BYTES) as i32);
                self.load_dense(vector, from, dtype);
            }
        }
    }

    /// Frees the registers of shifted operands: the loops that follow load each operand by itself.
    pub(crate) fn release_streams(&mut self) {
        let freed = self.streams.drain(..).flat_map(|stream| stream.vectors).fold(0, |all, v| all | 1 << v.0);
        self.vectors.set_usable(self.vectors.usable() | freed);
    }

    /// Defines the current value, elements of a shifted operand, from the vectors that are loaded; false where it has none.
    pub(crate) fn load_shifted(&mut self, operand: usize, dtype: DType) -> bool {
        let shift = self.shifts.by_operand.get(operand).copied().flatten().filter(|_| !self.is_tail);
        let Some(shift) = shift else { return false };
        let Some(stream) = self.streams.iter().find(|stream| stream.operand == shift.from as usize) else {
            return false;
        };
        let [low, high] = [0, 1].map(|next| stream.vectors[self.unroll_index + next]);
        let out = self.define_vector();
        debug_assert_eq!(self.level(), Level::Avx512, "only there registers are enough");
        match shift.by {
            0 => self.copy(out, Rm::Reg(low)),
            by => {
                let form = if dtype.size() == 8 { &f::VALIGNQ } else { &f::VALIGND };
                self.asm.vector(form, Width::W512, out, high, Rm::Reg(low), Masking::NONE, Some(by));
            }
        }
        true
    }

    /// Prefetches what operands read first: of a stencil's, one of all its neighbours. What is only written is left to the processor: forces of
    /// a million atoms, three operands and three results, take 2.4 ms instead of 2.8 (Zen 4).
    pub(crate) fn prefetch_first_read(&mut self, vectors: usize) {
        let (before, operands) = (self.shifts.is_read_before.clone(), &self.body.kernel.operands);
        let reads_first =
            |o: usize| operands[o].access != Access::Write && !before.get(o).is_some_and(|&before| before);
        self.body.prefetch(self, vectors, reads_first);
    }
}
