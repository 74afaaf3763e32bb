//! In-loop prefix scan: body, running folds and epilogue of a scan in one loop over a row.
//!
//! The two fragments become one, in which an [`Inst::Result`] reads what the accumulator folds. The carry, the running value before
//! the current vector, is in every lane of a reserved register, and in the argument block between chunks of a row. It starts
//! with the neutral element: -0.0 for sums, as 0.0 would change -0.0.
//!
//! Rounding fixes the order of sums and products of floats, so these are scanned in the order of the row: all lanes hold
//! the running value, each element is added to all lanes, and a blend takes one lane of each result. This takes the time of
//! one addition an element, and other instructions execute meanwhile. Folds that do not round are scanned within the vector by
//! doubling, in as many steps as the lane number has bits, and then combined with the carry.

use crate::drive::strategy::is_short_scan;
use crate::ir::build::visit;
use crate::ir::kernel;
use crate::x86::asm::encode::{KReg, Masking, Rm, VReg, Width};
use crate::x86::asm::forms as f;
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::avx2_emulation::is_single;
use crate::x86::isel::body::Body;
use crate::x86::isel::bools::MaskReg;
use crate::x86::isel::conventions::{FIRST_CARRY, HALVES, LANE_MASK, VECTOR_BYTES, at_arguments};
use crate::x86::isel::select::{EmitResult, Emitter, LoopHooks, by_float};
use crate::x86::loops::reduce_loop::LaneFold;
use crate::{DType, Expanded, Inst, Kernel, Provenance, Scalar, ValueId};
use smallvec::SmallVec;
use std::rc::Rc;

/// The most accumulators of a scan loop: each reserves a register.
const MAX_SCAN_TERMS: usize = 2;

/// One accumulator of a scan loop.
#[derive(Clone, Copy)]
pub(crate) struct ScanTerm {
    fold: LaneFold,
    /// The register of the carry, its slot, and the slot from which the lanes of a vector are read.
    carry: VReg,
    at: usize,
    lanes_at: usize,
}

impl ScanTerm {
    /// Whether the order of the row has to be kept.
    fn is_sequential(self) -> bool {
        self.fold.row().rounds(self.fold.dtype)
    }

    /// The neutral element.
    fn neutral(self) -> Scalar {
        self.fold.row().neutral(self.fold.dtype).expect("what has none is refused")
    }
}

/// Appends the epilogue of a scan to its body, as one fragment. The origins of instructions of the epilogue count on from those of
/// the body.
pub(crate) fn merge_epilogue(expanded: Expanded, kernel: &Kernel) -> Expanded {
    let Expanded { kernel: mut merged, mut body, epilogue } = expanded;
    let (shift, original) = (merged.body.insts.len() as u32, kernel.body.insts.len() as u32);
    let end = std::mem::take(&mut merged.epilogue);
    merged.body.types.extend(end.types);
    merged.body.insts.extend(end.insts.into_iter().map(|mut inst| {
        visit(&mut inst, |value| value.0 += shift);
        inst
    }));
    body.origin.extend(epilogue.origin.iter().map(|at| at + original));
    body.slow_paths.extend(
        epilogue
            .slow_paths
            .iter()
            .map(|slow| crate::SlowPath { value: ValueId(slow.value.0 + shift), mask: ValueId(slow.mask.0 + shift) }),
    );
    Expanded { kernel: merged, body, epilogue: Provenance::default() }
}

/// Cost model: whether a scan of so many instructions is better compiled for AVX2, which is so where all folds are sequential and
/// little else is computed. While no vector of 64 bytes is in flight, an addition takes two cycles instead of
/// three: `np.cumsum(x * y)` of doubles 0.6 ns an element instead of 1.0.
pub(crate) fn prefers_avx2(kernel: &Kernel, length: usize) -> bool {
    let waits = |a: &kernel::Accumulator| a.fold.row().is_some_and(|row| row.rounds(kernel.body.dtype(a.value)));
    is_short_scan(length) && kernel.accumulators.iter().all(waits)
}

/// The neutral elements, by accumulator; none where a fold has no scan loop, or there is no accumulator.
pub(crate) fn neutrals(kernel: &Kernel, level: Level) -> Option<SmallVec<[Scalar; MAX_SCAN_TERMS]>> {
    let is_read =
        |i: usize| kernel.epilogue.insts.iter().any(|inst| matches!(inst, Inst::Result(r) if *r as usize == i));
    let count = kernel.accumulators.len();
    if !(1..=MAX_SCAN_TERMS).contains(&count) || !(0..count).all(is_read) {
        return None;
    }
    let of = |a: &kernel::Accumulator| {
        let (dtype, kernel::Fold::Op(op)) = (kernel.body.dtype(a.value), a.fold) else { return None };
        let fold = LaneFold { op, dtype, first: 0 };
        // A fold that rounds has to be one instruction, and so has any fold with a form: one that AVX2 emulates by several takes 0.7 ns
        // an element instead of the 0.5 of a sequential scan.
        let runs = match fold.form() {
            Some(form) => is_single(level, form),
            None => !fold.row().rounds(dtype),
        };
        if fold.is_known() && runs { fold.row().neutral(dtype) } else { None }
    };
    kernel.accumulators.iter().map(of).collect()
}

/// The accumulators of a scan loop.
pub(crate) struct ScanTerms(SmallVec<[ScanTerm; MAX_SCAN_TERMS]>);

impl ScanTerms {
    /// Reserves the registers and slots of a scan, and hooks it into the emitter; none where the body has no accumulators.
    pub(crate) fn reserve(e: &mut Emitter<'_>) -> Option<Rc<ScanTerms>> {
        let body = e.body;
        if body.accumulated.is_empty() {
            return None;
        }
        let (mut terms, mut reserved) = (SmallVec::new(), 0);
        e.arguments.carries = e.arguments.slots(body.accumulated.len(), VECTOR_BYTES);
        for (i, a) in body.kernel.accumulators.iter().enumerate() {
            let kernel::Fold::Op(op) = a.fold else { continue };
            let fold = LaneFold { op, dtype: body.kernel.body.dtype(a.value), first: 0 };
            let (carry, at) = (VReg(FIRST_CARRY.0 - i as u8), e.arguments.carry(i));
            let term = ScanTerm { fold, carry, at, lanes_at: 0 };
            let lanes_at = if term.is_sequential() { e.arguments.slot(VECTOR_BYTES) } else { 0 };
            terms.push(ScanTerm { lanes_at, ..term });
            reserved |= 1 << carry.0;
            if term.is_sequential() {
                reserved |= HALVES.iter().fold(0, |all, half| all | 1 << half.0);
            }
        }
        e.reserve(reserved);
        let terms = Rc::new(ScanTerms(terms));
        e.hooks = Some(terms.clone());
        Some(terms)
    }

    /// Loads the carries of the chunk before.
    pub(crate) fn load_carries(&self, e: &mut Emitter<'_>) {
        for term in &self.0 {
            e.copy(term.carry, Rm::Mem(at_arguments(term.at)));
        }
    }

    /// Stores the carries for the next chunk.
    pub(crate) fn store_carries(&self, e: &mut Emitter<'_>) {
        for term in &self.0 {
            e.store_slot(term.at, term.carry);
        }
    }
}

impl LoopHooks for ScanTerms {
    fn store(&self, _: &mut Emitter<'_>, _: usize, _: ValueId) -> bool {
        false
    }

    /// Defines the current value: the running values of an accumulator.
    fn result(&self, e: &mut Emitter<'_>, accumulator: usize) -> EmitResult<()> {
        let value = e.body.accumulated[accumulator];
        let term = *self.0.get(accumulator).ok_or("results of folds")?;
        let register = e.vector(value);
        let vector = if e.is_tail { e.neutral_past_tail(term, register) } else { register };
        if term.is_sequential() {
            e.scan_in_order(term, vector);
        } else {
            let out = e.reuse(value).unwrap_or_else(|| e.define_vector());
            if out != vector {
                e.copy(out, Rm::Reg(vector));
            }
            e.scan_by_doubling(term, out);
        }
        e.free_dead(&[value]);
        Ok(())
    }
}

impl Emitter<'_> {
    /// Scans in the order of the row. Vectors of 64 bytes are scanned in halves, whose additions take three cycles instead of four.
    fn scan_in_order(&mut self, term: ScanTerm, value: VReg) {
        let (dtype, size) = (term.fold.dtype, term.fold.dtype.size());
        let form = term.fold.form().expect("what rounds takes one instruction");
        let (width, per) = match self.width(dtype) {
            Width::W512 => (Width::W256, self.lanes() / 2),
            width => (width, self.lanes()),
        };
        self.store_slot(term.lanes_at, value);
        let [low, high] = HALVES;
        for lane in 0..self.lanes() {
            let from = at_arguments(term.lanes_at + lane * size);
            match self.level() {
                Level::Avx512 => {
                    let from = Rm::Broadcast(from);
                    self.asm.vector(form, width, term.carry, term.carry, from, Masking::NONE, None);
                }
                Level::Avx2 => {
                    let broadcast = by_float(dtype, &f::VPBROADCASTD, &f::VPBROADCASTQ);
                    self.asm.vex(broadcast, width, high, VReg(0), Rm::Mem(from), None);
                    self.asm.vex(form, width, term.carry, term.carry, Rm::Reg(high), None);
                }
            }
            let half = if lane < per { low } else { high };
            if lane % per == 0 {
                self.emit(&f::VMOVUPS, width, half, VReg(0), Rm::Reg(term.carry), Masking::NONE, None);
            } else {
                // `VPBLENDD` runs on any port; a blend by a mask would compete with the additions.
                let words = 0xFFu32 << (lane % per * size / 4);
                self.asm.vex(&f::VPBLENDD, width, half, half, Rm::Reg(term.carry), Some(words as u8));
            }
        }
        let out = self.define_vector();
        if per < self.lanes() {
            self.asm.vector(&f::VINSERTI64X4, Width::W512, out, low, Rm::Reg(high), Masking::NONE, Some(1));
        } else {
            self.copy(out, Rm::Reg(low));
        }
    }

    /// A vector with the neutral element in the lanes past the row: these raise no flag, and the carry ends up in the last lane.
    fn neutral_past_tail(&mut self, term: ScanTerm, value: VReg) -> VReg {
        let dtype = term.fold.dtype;
        let (neutral, out) = (self.constant_vector(term.neutral()), self.temp());
        match self.level() {
            Level::Avx512 => self.blend(out, MaskReg(LANE_MASK.0), Rm::Reg(value), neutral, dtype),
            Level::Avx2 => {
                let lanes = self.temp();
                let form = if dtype.size() == 8 { &f::VPMOVSXBQ } else { &f::VPMOVSXBD };
                let from = Rm::Mem(at_arguments(self.arguments.tail_lanes()));
                self.asm.vex(form, self.width(dtype), lanes, VReg(0), from, None);
                self.asm.vex_blend(&f::VPBLENDVB, self.width(dtype), out, neutral, Rm::Reg(value), lanes);
            }
        }
        out
    }

    /// Scans a vector by doubling (Hillis and Steele 1986), and combines it with the carry.
    fn scan_by_doubling(&mut self, term: ScanTerm, out: VReg) {
        let dtype = term.fold.dtype;
        let moved = self.temp();
        let mut by = 1;
        while by < self.lanes() {
            match self.level() {
                Level::Avx512 => {
                    let neutral = self.constant_vector(term.neutral());
                    self.shift_lanes_up(moved, (out, neutral), by, dtype);
                    self.combine(term, out, moved, out);
                }
                Level::Avx2 => {
                    let combined = self.temp();
                    self.broadcast_lower_half_last(moved, out, by, dtype);
                    self.combine(term, combined, moved, out);
                    // The lower half of each group keeps its lanes.
                    let kept = (0..8).filter(|word| (word * 4 / dtype.size()) & by != 0);
                    let words = kept.fold(0u8, |all, word| all | 1 << word);
                    let words = if self.width(dtype) == Width::W128 { words & 0xF } else { words };
                    self.asm.vex(&f::VPBLENDD, self.width(dtype), out, out, Rm::Reg(combined), Some(words));
                }
            }
            self.keep_temps(&[moved, out]);
            by *= 2;
        }
        self.broadcast_last(moved, out, dtype);
        self.combine(term, out, term.carry, out);
        self.keep_temps(&[moved, out]);
        self.combine(term, moved, term.carry, moved);
        self.copy(term.carry, Rm::Reg(moved));
    }

    /// `out` = the lanes of `x` shifted up by so many, with the highest lanes of another vector below them.
    fn shift_lanes_up(&mut self, out: VReg, (x, below): (VReg, VReg), by: usize, dtype: DType) {
        let form = if dtype.size() == 8 { &f::VALIGNQ } else { &f::VALIGND };
        let first = (self.lanes() - by) as u8;
        self.asm.vector(form, self.width(dtype), out, x, Rm::Reg(below), Masking::NONE, Some(first));
    }

    /// In each group of twice so many lanes, sets the upper half of `out` to the last lane of the lower half of `x`. The lower half of
    /// `out` is undefined.
    fn broadcast_lower_half_last(&mut self, out: VReg, x: VReg, lanes: usize, dtype: DType) {
        // Lanes move within 16 bytes, between the halves of the vector, or both.
        let (half, words) = match lanes * dtype.size() {
            4 => (x, 0b10_10_00_00),
            8 if dtype.size() == 4 => (x, 0b01_01_01_01),
            8 => (x, 0b01_00_01_00),
            bytes => {
                debug_assert_eq!(bytes, 16, "half a vector");
                self.asm.vex(&f::VPERM2I128, Width::W256, out, x, Rm::Reg(x), Some(0));
                (out, if dtype.size() == 4 { 0b11_11_11_11 } else { 0b11_10_11_10 })
            }
        };
        self.asm.vex(&f::VPSHUFD, self.width(dtype), out, VReg(0), Rm::Reg(half), Some(words));
    }

    /// Broadcasts the last lane of `x`.
    fn broadcast_last(&mut self, out: VReg, x: VReg, dtype: DType) {
        let (width, wide) = (self.width(dtype), dtype.size() == 8);
        match self.level() {
            Level::Avx512 => {
                let (form, index) = if wide { (&f::VPERMQ, DType::U64) } else { (&f::VPERMD, DType::U32) };
                let last = self.constant_vector(Scalar::new(index, self.lanes() as i64 - 1));
                self.asm.vector(form, width, out, last, Rm::Reg(x), Masking::NONE, None);
            }
            Level::Avx2 if wide => self.asm.vex(&f::VPERMQ_IMM, width, out, VReg(0), Rm::Reg(x), Some(0xFF)),
            Level::Avx2 => {
                let mut half = x;
                if width == Width::W256 {
                    self.asm.vex(&f::VPERM2I128, width, out, x, Rm::Reg(x), Some(0x11));
                    half = out;
                }
                self.asm.vex(&f::VPSHUFD, width, out, VReg(0), Rm::Reg(half), Some(0xFF));
            }
        }
    }

    /// `out` = the fold of `a`, then `b`.
    fn combine(&mut self, term: ScanTerm, out: VReg, a: VReg, b: VReg) {
        let dtype = term.fold.dtype;
        if let Some(form) = term.fold.form() {
            return self.emit(form, self.width(dtype), out, a, Rm::Reg(b), Masking::NONE, None);
        }
        let masks = [self.temp_mask(), self.temp_mask()];
        let which = term.fold.extreme().expect("what has no instruction is an extreme");
        self.pick_extreme(which, out, [a, b], dtype, (masks, KReg(0)));
    }
}

impl Body<'_> {
    /// Whether it is the body of a scan.
    pub(crate) fn has_scan(&self) -> bool {
        !self.accumulated.is_empty()
    }
}

impl Arguments {
    /// The slot of an accumulator's carry, which is in every lane.
    fn carry(&self, accumulator: usize) -> usize {
        self.carries + VECTOR_BYTES * accumulator
    }

    /// Writes the carries to an argument block.
    ///
    /// # Safety
    /// The block has room for all arguments, and is aligned to eight bytes; there are so many accumulators.
    #[inline]
    pub(crate) unsafe fn write_carries(&self, block: *mut u8, values: &[Scalar]) {
        for (i, &value) in values.iter().enumerate() {
            let words = [self.pattern(value); VECTOR_BYTES / 8];
            // SAFETY: the caller's contract.
            unsafe { block.add(self.carry(i)).cast::<[u64; VECTOR_BYTES / 8]>().write(words) };
        }
    }

    /// Reads the carries, of the types that these values have.
    ///
    /// # Safety
    /// As [`Arguments::write_carries`].
    #[inline]
    pub(crate) unsafe fn read_carries(&self, block: *mut u8, values: &[Scalar]) -> SmallVec<[Scalar; 2]> {
        // SAFETY: the caller's contract.
        let read = |i: usize| unsafe { block.add(self.carry(i)).cast::<u64>().read() };
        values.iter().enumerate().map(|(i, value)| Scalar::from_bits(value.dtype(), read(i).into())).collect()
    }
}
