//! What the loops of maps, scans and reductions share: prologue, epilogue, advance to the next vectors, tail mask, prefetch.

use crate::Access;
use crate::cost::LINE_BYTES;
use crate::x86::asm::encode::Mem;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{INDEX, LANE_MASK, REMAINING, SCRATCH, StrideKind, at_arguments};
use crate::x86::isel::select::{Emitter, InstSpan, LoopSpan};
use crate::x86::isel::slices::Slices;
use smallvec::SmallVec;

/// The distance of prefetches in bytes: `exp` of five million elements takes 2.4 ns each with AVX2 instead of 3.4, and 1.4
/// instead of 2.8 with AVX-512; half or twice the distance is up to a fifth slower.
const PREFETCH_DISTANCE: i32 = 2048;

/// The machine code of a loop, and the layout of its argument block.
pub(crate) struct LoopCode {
    pub(crate) code: Vec<u8>,
    pub(crate) arguments: Arguments,
    /// What a listing says of the slices that the body is cut into.
    pub(crate) slices: String,
    /// Which bytes come from which instruction, where the body records it.
    pub(crate) spans: Vec<InstSpan>,
    pub(crate) loop_spans: Vec<LoopSpan>,
    /// Whether it shares vectors of shifted operands.
    pub(crate) is_shifted: bool,
}

impl LoopCode {
    /// What was emitted, of a body in these slices.
    pub(crate) fn new(e: Emitter<'_>, slices: Option<&Slices>) -> LoopCode {
        let slices = slices.filter(|_| e.body.records_spans).map_or(String::new(), Slices::describe);
        let (spans, loop_spans, is_shifted) = (e.spans, e.loop_spans, e.stream_ahead != 0 || e.shares_rows);
        LoopCode { code: e.asm.finish(), arguments: e.arguments, slices, spans, loop_spans, is_shifted }
    }
}

impl Body<'_> {
    /// Emits the prologue: saves callee-saved registers, loads the base pointers of so many operands.
    pub(crate) fn prologue(&self, e: &mut Emitter<'_>, operands: usize) {
        e.callee_saved(operands).iter().for_each(|&register| e.asm.push(register));
        if self.has_slow_path() {
            e.clear_slow_lanes();
        }
        for operand in 0..operands {
            let at = e.arguments.address(operand);
            e.load_base(operand, at);
        }
    }

    /// Begins a row: no element is done, and all lanes are elements.
    pub(crate) fn begin_row(&self, e: &mut Emitter<'_>) {
        e.asm.xor(INDEX, INDEX);
        if self.level == Level::Avx512 {
            e.set_full_mask();
        }
    }

    /// Emits the epilogue: stores whether there were slow-path lanes, and restores callee-saved registers.
    pub(crate) fn epilogue(&self, e: &mut Emitter<'_>, operands: usize) {
        if self.has_slow_path() {
            e.store_slow_lanes();
        }
        e.callee_saved(operands).iter().rev().for_each(|&register| e.asm.pop(register));
    }

    /// Begins the tail. AVX-512: sets the lane mask to as many lanes as elements are left. AVX2: points the base pointers of so
    /// many operands to their copies in the argument block (see [`crate::x86::loops::tail`]).
    pub(crate) fn set_tail_mask(&self, e: &mut Emitter<'_>, operands: usize) {
        match self.level {
            Level::Avx512 => {
                e.asm.mov_imm(SCRATCH, -1);
                e.asm.bzhi(SCRATCH, SCRATCH, REMAINING);
                e.asm.mask_from(LANE_MASK, SCRATCH);
            }
            Level::Avx2 => {
                for operand in 0..operands {
                    if matches!(e.kinds[operand], StrideKind::Dense | StrideKind::NonTemporal) {
                        let at = e.arguments.tail_address(operand);
                        e.load_base(operand, at);
                    }
                }
            }
        }
    }

    /// Prefetches so many vectors of some of the dense operands, where the body is long: its loads of constants leave the
    /// hardware prefetcher little room.
    pub(crate) fn prefetch(&self, e: &mut Emitter<'_>, vectors: usize, among: impl Fn(usize) -> bool) {
        for (operand, line) in self.lines(e, vectors, among) {
            let address = self.line_address(e, operand, PREFETCH_DISTANCE + line);
            e.asm.prefetcht0(address);
        }
    }

    /// Prefetches what the next iteration, of so many vectors, only stores to, in so many rows some bytes apart, if those are several lines that
    /// lie apart. Stores leave the store buffer in order, so those to several places miss the first-level cache one after the other, where
    /// stores to one place find the line that the processor has asked for. From the second-level cache a vector of two and of three results,
    /// not aligned, takes 4.2 and 6.0 ns instead of 9.0 and 13.2, aligned ones 4.2 and 5.9 instead of 4.6 and 6.2; from memory all take two
    /// thirds; and 148 × 148 points of a stencil in two rows at once 5.6 µs instead of 12 to 14 (Sapphire Rapids).
    pub(crate) fn prefetch_stores(&self, e: &mut Emitter<'_>, vectors: usize, (rows, pitch): (usize, i32)) {
        let lines = self.lines(e, vectors, |operand| self.kernel.operands[operand].access == Access::Write);
        let Some(&(first, _)) = lines.first() else { return };
        if rows == 1 && lines.iter().all(|&(operand, _)| operand == first) {
            return;
        }
        for (operand, line) in lines {
            let next = line + (vectors * self.lanes * self.kernel.operands[operand].dtype.size()) as i32;
            for row in 0..rows as i32 {
                let address = self.line_address(e, operand, next + row * pitch);
                e.asm.prefetchw(address);
            }
        }
    }

    /// The cache lines of so many vectors of some of the dense operands: the operand, and the bytes from its first vector.
    pub(crate) fn lines(
        &self,
        e: &Emitter<'_>,
        vectors: usize,
        among: impl Fn(usize) -> bool,
    ) -> SmallVec<[(usize, i32); 32]> {
        let is_dense = |&operand: &usize| e.kinds[operand] == StrideKind::Dense && self.touches(operand);
        let bytes = |operand: usize| vectors * self.lanes * self.kernel.operands[operand].dtype.size();
        let lines = |operand| (0..bytes(operand)).step_by(LINE_BYTES).map(move |line| (operand, line as i32));
        (0..e.kinds.len()).filter(is_dense).filter(|&operand| among(operand)).flat_map(lines).collect()
    }

    /// The address so many bytes from where a dense operand is.
    pub(crate) fn line_address(&self, e: &mut Emitter<'_>, operand: usize, distance: i32) -> Mem {
        let (dtype, base) = (self.kernel.operands[operand].dtype, e.base(operand));
        match dtype.is_complex() {
            true => Mem::at(base, distance),
            false => Mem::indexed(base, INDEX, dtype.size() as u8, distance),
        }
    }

    /// Advances counters, and the base pointers of some operands, by some vectors of lanes; by one vector where
    /// operands are strided.
    pub(crate) fn advance(&self, e: &mut Emitter<'_>, vectors: usize, among: impl Fn(usize) -> bool) {
        let kinds = e.kinds;
        let operands = kinds.iter().zip(&self.kernel.operands).enumerate();
        for (operand, (kind, decl)) in operands.filter(|(operand, _)| among(*operand)) {
            let bytes = (vectors * self.lanes * decl.dtype.size()) as i32;
            match kind {
                StrideKind::Strided => {
                    let stride = e.arguments.vector_stride(operand);
                    e.update_base(operand, |asm, base| asm.add_mem(base, at_arguments(stride)));
                }
                // The scale of an index is eight at most.
                StrideKind::Dense | StrideKind::NonTemporal if decl.dtype.is_complex() => {
                    e.update_base(operand, |asm, base| asm.add_imm(base, bytes));
                }
                StrideKind::Stride2 => e.update_base(operand, |asm, base| asm.add_imm(base, 2 * bytes)),
                StrideKind::Reversed => e.update_base(operand, |asm, base| asm.sub_imm(base, bytes)),
                StrideKind::Dense | StrideKind::NonTemporal | StrideKind::Broadcast => {}
            }
        }
        let many = (vectors * self.lanes) as i32;
        e.asm.add_imm(INDEX, many);
        e.asm.sub_imm(REMAINING, many);
    }
}
