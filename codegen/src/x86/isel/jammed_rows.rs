//! Unroll and jam: several rows of a stencil computed together, so that what is read of a row by several of them is loaded once.
//!
//! A stencil reads its neighbours in the rows above and below, so without this each row is loaded once for each row that reads it; and most
//! vectors of its lie across two cache lines, for which a load takes half as long again (Zen 4). Here the loop over a row computes one
//! vector of each of several rows. A vector that is read shifted along the row too is kept for the next iteration, which makes of it and of
//! the next one what it reads (`VALIGNQ`), as [`crate::x86::isel::shifted_loads`] does for one row.
//!
//! Which operands are one array, and how far apart they and the rows lie, is known when a kernel is launched
//! ([`crate::x86::launch::shifted_loops`]): all distances are constants of the code.

use crate::DType;
use crate::x86::asm::encode::{KReg, Masking, Mem, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::isel::conventions::{INDEX, LANE_MASK, VECTOR_BYTES};
use crate::x86::isel::row_vectors::{JammedRows, Pitch, ROWS, RowVector};
use crate::x86::isel::select::Emitter;
use smallvec::SmallVec;

/// Bytes from one row to the next, at least.
const LEAST_PITCH: i32 = 2 * VECTOR_BYTES as i32;
/// Vector registers that are left to values, at least, beside those that the body takes.
const REGISTERS_BESIDE_ROWS: usize = 4;

/// A value of an operand in one of the rows.
struct RowRead {
    leader: u8,
    /// Bytes from the first row's vector of the leader.
    at: i32,
    operand: usize,
    row: usize,
}

impl Emitter<'_> {
    /// Plans to carry vectors from row to row, or to compute several rows together, where that saves loads and there are registers for it.
    pub(crate) fn share_rows(&mut self) {
        let Some(pitch) = self.shifts.pitch.clone() else { return };
        if self.body.scatters() || self.body.fragment.types.contains(&DType::Bool) {
            return;
        }
        self.carried = self.carry_rows(&pitch);
        if self.carried.is_some() || pitch.bytes < LEAST_PITCH {
            return;
        }
        let Some(next_lanes) = self.masks.take() else { return };
        self.jammed = self.jam(&pitch, KReg(next_lanes));
    }

    /// The plan; none where nothing is shared.
    fn jam(&mut self, pitch: &Pitch, next_lanes: KReg) -> Option<JammedRows> {
        let mut reads: Vec<RowRead> = vec![];
        for (operand, from) in pitch.from.iter().enumerate() {
            let Some((leader, distance)) = *from else { continue };
            reads.extend((0..ROWS).map(|row| {
                let at = distance + row as i32 * pitch.bytes;
                RowRead { leader, at, operand, row }
            }));
        }
        reads.sort_by_key(|read| (read.leader, read.at));
        let usable = self.vectors.usable();
        let mut made = JammedRows {
            rows: ROWS,
            pitch: pitch.bytes,
            furthest: 0,
            vectors: vec![],
            sources: vec![[None; ROWS]; pitch.from.len()],
            next_lanes,
        };
        let mut furthest: SmallVec<[usize; 8]> = SmallVec::new();
        let mut rest = &reads[..];
        while let Some(first) = rest.first() {
            let dtype = self.body.kernel.operands[first.operand].dtype;
            let is_near = |read: &&RowRead| read.leader == first.leader && read.at - first.at < VECTOR_BYTES as i32;
            let (near, others) = rest.split_at(rest.iter().take_while(is_near).count());
            rest = others;
            let shift = |read: &RowRead| (read.at - first.at) as usize / dtype.size();
            let most = near.iter().map(shift).max().unwrap_or(0);
            if near.len() == 1 {
                continue;
            }
            let needed = 1 + (most > 0) as usize;
            if self.vectors.untouched(1) < needed + REGISTERS_BESIDE_ROWS {
                self.vectors.set_usable(usable);
                return None;
            }
            furthest.extend((most > 0).then_some(most));
            let low = VReg(self.vectors.take()?);
            let high = if most > 0 { Some(VReg(self.vectors.take()?)) } else { None };
            for read in near {
                made.sources[read.operand][read.row] = Some((made.vectors.len(), shift(read) as u8));
            }
            let distance = first.row as i32 * pitch.bytes;
            made.vectors.push(RowVector { operand: first.operand, distance, dtype, low, high });
        }
        // What a vector's elements are read from may end at different places, of which only one is known.
        made.furthest = furthest.first().copied().unwrap_or(0);
        let saves = made.vectors.iter().any(|vector| vector.distance != 0 || vector.high.is_none());
        if !saves || furthest.iter().any(|&other| other != made.furthest) {
            self.vectors.set_usable(usable);
            return None;
        }
        Some(made)
    }

    /// The bytes from the current copy's vector of a dense operand to that of the first copy.
    pub(crate) fn copy_distance(&self, size: usize) -> i32 {
        match &self.jammed {
            Some(jammed) => self.unroll_index as i32 * jammed.pitch,
            None => (self.unroll_index * self.lanes() * size) as i32,
        }
    }

    /// Loads the first vectors of rows, of which an iteration loads the next ones.
    pub(crate) fn load_first_vectors(&mut self, jammed: &JammedRows) {
        for vector in jammed.vectors.iter().filter(|vector| vector.high.is_some()) {
            self.load_row_vector(vector, vector.low, 0, Masking::NONE);
        }
    }

    /// Loads the vectors of an iteration.
    pub(crate) fn load_row_vectors(&mut self, jammed: &JammedRows, is_tail: bool) {
        let [own, next] = match is_tail {
            true => [LANE_MASK, jammed.next_lanes].map(Masking::zero),
            false => [Masking::NONE; 2],
        };
        for vector in &jammed.vectors {
            match vector.high {
                Some(high) => self.load_row_vector(vector, high, VECTOR_BYTES as i32, next),
                None => self.load_row_vector(vector, vector.low, 0, own),
            }
        }
    }

    fn load_row_vector(&mut self, vector: &RowVector, into: VReg, on: i32, mask: Masking) {
        let form = if vector.dtype.size() == 8 { &f::VMOVDQU64 } else { &f::VMOVDQU32 };
        let from = Mem::indexed(self.base(vector.operand), INDEX, vector.dtype.size() as u8, vector.distance + on);
        self.asm.vector(form, Width::W512, into, VReg(0), Rm::Mem(from), mask, None);
    }

    /// Advances by one vector along the rows: each next vector becomes the current one.
    pub(crate) fn keep_row_vectors(&mut self, jammed: &JammedRows) {
        for vector in &jammed.vectors {
            if let Some(high) = vector.high {
                self.copy(vector.low, Rm::Reg(high));
            }
        }
    }

    /// Defines the current value, elements of an operand in one of several rows, from the vectors that are loaded; false where it is loaded by
    /// itself.
    pub(crate) fn load_jammed(&mut self, operand: usize, dtype: DType) -> bool {
        let Some(jammed) = &self.jammed else { return false };
        let Some((number, by)) = jammed.sources.get(operand).and_then(|rows| rows[self.unroll_index]) else {
            return false;
        };
        let RowVector { low, high, .. } = jammed.vectors[number];
        let out = self.define_vector();
        match high {
            Some(high) if by > 0 => {
                let form = if dtype.size() == 8 { &f::VALIGNQ } else { &f::VALIGND };
                self.asm.vector(form, Width::W512, out, high, Rm::Reg(low), Masking::NONE, Some(by));
            }
            _ => self.copy(out, Rm::Reg(low)),
        }
        true
    }

    /// Frees the registers of the rows' vectors.
    pub(crate) fn release_rows(&mut self, jammed: &JammedRows) {
        let all = jammed.vectors.iter().flat_map(|vector| [Some(vector.low), vector.high]).flatten();
        let freed = all.fold(0, |all, register| all | 1 << register.0);
        self.vectors.set_usable(self.vectors.usable() | freed);
    }
}
