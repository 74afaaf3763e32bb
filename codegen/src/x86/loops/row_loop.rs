//! The loop nest of a map, or of a reduction: what its machine code does between the loops of two rows, and the overlapping tail of a row.
//!
//! A call runs rows that are one pitch apart. Base pointers advance from row to row in their registers, and values that are the same in all
//! rows are hoisted out of both loops. Of rows of 23 doubles a sum takes 18 ns a row, a five-point stencil 21; by a call for each row, which
//! copied its tail, they took 133 and 193 (AVX2, Zen 3).
//!
//! Where all operands have the same strides, as in a stencil, one call computes several planes. 23 × 23 × 23 points of a seven-point stencil
//! take 5.9 µs instead of 7.9, 38 × 38 × 38 23.4 instead of 27.2 (Zen 4).
//!
//! Without lane masks (AVX2), the elements that do not fill a vector are computed as a full one, which ends with the row. It overlaps the
//! vector before it and may clobber that one's inputs, or have its own clobbered, so it is computed before all others and stored after
//! them: its results wait in the argument block. Rows shorter than a vector, and bodies that store by offsets, are
//! [`crate::x86::loops::tail`]'s.

use crate::Access;
use crate::x86::asm::encode::{Cond, Label, Mem, Rm, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{INDEX, REMAINING, SCRATCH, StrideKind, at_arguments};
use crate::x86::isel::select::{Emitter, Unsupported};

/// Instructions of a body, at most, whose constants are loaded before the loop over rows. Rows shorter than a vector do not need all of them
/// in registers.
const MOST_KEPT: usize = 40;

impl Body<'_> {
    /// Whether the tail of the loop of a map is a full vector that overlaps the one before. Stores by offsets would be repeated.
    pub(crate) fn overlaps_tail(&self) -> bool {
        self.level == Level::Avx2 && !self.has_scan() && !self.scatters()
    }

    /// Whether the loop of a map or a scan runs several rows.
    pub(crate) fn nests(&self) -> bool {
        self.overlaps_tail() || self.level == Level::Avx512 && !self.has_scan()
    }

    /// Emits the overlapping tail, the results of which wait in the argument block. The row has a full vector at least.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn overlapping_tail(&self, e: &mut Emitter<'_>) -> Result<(), Unsupported> {
        let whole = e.asm.label();
        e.asm.mov_imm(SCRATCH, self.lanes as i64 - 1);
        e.asm.test(SCRATCH, REMAINING);
        e.asm.jump_if(Cond::Equal, whole);
        e.asm.add(INDEX, REMAINING);
        e.asm.sub_imm(INDEX, self.lanes as i32);
        let advanced: Vec<usize> = (0..e.kinds.len()).filter(|&o| self.touches(o) && e.is_advanced(o)).collect();
        for &operand in &advanced {
            let distance = at_arguments(e.arguments.tail_distance(operand));
            e.update_base(operand, |asm, base| asm.add_mem(base, distance));
        }
        e.body(1, true)?;
        for &operand in &advanced {
            let at = e.arguments.address(operand);
            e.load_base(operand, at);
        }
        e.asm.xor(INDEX, INDEX);
        e.asm.bind(whole);
        Ok(())
    }

    /// Stores the results of the overlapping tail, if there is one, after all full vectors.
    ///
    /// # Errors
    /// As [`Body::overlapping_tail`].
    pub(crate) fn store_tail(&self, e: &mut Emitter<'_>) -> Result<(), Unsupported> {
        let done = e.asm.label();
        e.asm.test(REMAINING, REMAINING);
        e.asm.jump_if(Cond::Equal, done);
        e.asm.add(INDEX, REMAINING);
        e.asm.sub_imm(INDEX, self.lanes as i32);
        e.asm.mov_imm(REMAINING, self.lanes as i64);
        (e.is_tail, e.unroll_index) = (false, 0);
        e.begin_body(1);
        let is_written = |o: &usize| self.kernel.operands[*o].access == Access::Write && self.touches(*o);
        for operand in (0..e.kinds.len()).filter(is_written) {
            if e.is_advanced(operand) {
                let (at, distance) = (e.arguments.address(operand), at_arguments(e.arguments.tail_distance(operand)));
                e.load_base(operand, at);
                e.update_base(operand, |asm, base| asm.add_mem(base, distance));
            }
            self.store_tail_of(e, operand).map_err(|what| Unsupported { at: 0, what })?;
            e.free_temps();
        }
        e.asm.bind(done);
        Ok(())
    }

    /// Stores the results of one operand.
    fn store_tail_of(&self, e: &mut Emitter<'_>, operand: usize) -> Result<(), String> {
        let (dtype, vector) = (self.kernel.operands[operand].dtype, self.level.vector());
        let at = e.arguments.tail_elements(operand);
        let is_dense = matches!(e.kinds[operand], StrideKind::Dense | StrideKind::NonTemporal);
        let part = dtype.real();
        let out = e.temp();
        if is_dense && dtype.is_complex() {
            let base = e.base(operand);
            for from in (0..self.lanes * dtype.size()).step_by(vector) {
                e.copy(out, Rm::Mem(at_arguments(at + from)));
                e.asm.vex_store(&f::VMOVUPS_STORE, Width::W256, Mem::at(base, from as i32), out, None);
            }
        } else if is_dense {
            e.load_dense(out, at_arguments(at), dtype);
            let to = e.memory(operand, dtype);
            e.store_contiguous(to, out, dtype);
        } else {
            for number in 0..dtype.size() / part.size() {
                e.copy(out, Rm::Mem(at_arguments(at + number * vector)));
                e.scatter(operand, number * part.size(), out, part)?;
            }
        }
        Ok(())
    }

    /// Goes to the loop of the next row of so many operands, or on behind it after the last.
    pub(crate) fn next_row(&self, e: &mut Emitter<'_>, operands: usize, row: Label) {
        let last = e.asm.label();
        let rows = at_arguments(e.arguments.rows());
        if e.shifts.is_one_pitch {
            // Also after the last row, as planes go on from there.
            let pitch = at_arguments(e.arguments.pitch(0));
            e.asm.load(SCRATCH, pitch);
            (0..operands).for_each(|operand| e.update_base(operand, |asm, base| asm.add(base, SCRATCH)));
        }
        e.asm.load(SCRATCH, rows);
        e.asm.sub_imm(SCRATCH, 1);
        e.asm.jump_if(Cond::Equal, last);
        e.asm.store_gpr(rows, SCRATCH);
        // The elements of a row: those done, and those of the tail.
        e.asm.add(REMAINING, INDEX);
        if e.shifts.is_one_pitch {
            e.asm.jmp(row);
            e.asm.bind(last);
            return;
        }
        // All operands, as a body reads some without loading them whole: the parts of gathered complex numbers.
        for operand in 0..operands {
            let (at, pitch) = (e.arguments.address(operand), at_arguments(e.arguments.pitch(operand)));
            if !e.is_advanced(operand) {
                e.update_base(operand, |asm, base| asm.add_mem(base, pitch));
                continue;
            }
            e.load_base(operand, at);
            e.update_base(operand, |asm, base| {
                asm.add_mem(base, pitch);
                asm.store_gpr(at_arguments(at), base);
            });
        }
        e.asm.jmp(row);
        e.asm.bind(last);
    }

    /// Goes to the rows of the next plane of so many operands, if the loop goes from plane to plane and one is left.
    pub(crate) fn next_plane(&self, e: &mut Emitter<'_>, operands: usize, plane: Label) {
        let Some(slots) = e.arguments.planes else { return };
        let [planes, rows, step] = [0, 8, 16].map(|slot| at_arguments(slots + slot));
        let (left, last) = (at_arguments(e.arguments.rows()), e.asm.label());
        e.asm.load(SCRATCH, planes);
        e.asm.sub_imm(SCRATCH, 1);
        e.asm.jump_if(Cond::Equal, last);
        e.asm.store_gpr(planes, SCRATCH);
        e.asm.load(SCRATCH, rows);
        e.asm.store_gpr(left, SCRATCH);
        e.asm.add(REMAINING, INDEX);
        (0..operands).for_each(|operand| e.update_base(operand, |asm, base| asm.add_mem(base, step)));
        e.asm.jmp(plane);
        e.asm.bind(last);
    }
}

impl Emitter<'_> {
    /// Loads constants into registers before the loop over rows, if the loops of a row would load them in each. The tail is emitted for
    /// that, to count what it reads, and is not kept.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn keep_constants_in_rows(&mut self, copies: usize) -> Result<(), Unsupported> {
        let body = self.body;
        if self.level() != Level::Avx512 || body.has_loops() || body.length() > MOST_KEPT {
            return Ok(());
        }
        let mut counting = Emitter::new(body, self.kinds, std::mem::replace(&mut self.arguments, Arguments::of(body)));
        counting.hoisted.clone_from(&self.hoisted);
        counting.divisors.clone_from(&self.divisors);
        counting.resident_bases = self.resident_bases;
        counting.body(1, true)?;
        self.arguments = counting.arguments;
        self.vectors.touch(&counting.vectors);
        self.const_registers.count(counting.const_registers);
        self.share_rows();
        if self.jammed.is_none() && self.carried.is_none() {
            self.reserve_streams(copies);
        }
        self.load_const_registers(copies);
        Ok(())
    }

    /// Elements that the loops over full vectors leave to the tail. The two vectors that contain every second element end with an
    /// element that may be outside the operand.
    pub(crate) fn left_over(&self) -> i32 {
        self.kinds.contains(&StrideKind::Stride2) as i32
    }
}
