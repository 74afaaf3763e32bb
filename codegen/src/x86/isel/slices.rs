//! Slices of a long body (strip mining): ranges of its instructions that run one after the other, each over a block of vectors.
//!
//! A processor reorders instructions within a window, so it works on as many vectors at once as bodies fit the window. Where a body has
//! more instructions, these wait for one another, and a vector takes as long as the longest path through it. In a chain of 20, `exp` of
//! doubles took 2.6 times as long as alone, `sin` 2.4, `log` 2.2 and `tanh` 3.4 (AVX2, Zen 3); of singles 2.4 to 3.5 times. Interleaving two
//! to four vectors brought that down to 1.0 to 2.1 times, but more vectors take more registers than there are, and their code outgrows the
//! caches of instructions.
//!
//! A slice is so short that the window holds several vectors of it. A value that later slices read is stored in a frame: that is a vector
//! for each vector of the block, in memory that stays in the first-level cache. A loaded value is read again where it was loaded from.
//! The chains above now take 0.94 to 1.06 times as long as one function alone, whatever their length. A body is cut where its instructions
//! take the fewest cycles by the model of [`cost`] and the constants below, frames included. Measure: `python -m benches.chains`.

use crate::x86::asm::encode::{KReg, Mem, VReg};
use crate::x86::asm::level::Level;
use crate::x86::isel::conventions::{FRAMES, INDEX, StrideKind, VECTOR_BYTES};
use crate::x86::isel::cost::{self, FREE, PER_CYCLE, WINDOW};
use crate::x86::isel::registers::ValueNumber;
use crate::x86::isel::select::{Backing, Emitter, INTERLEAVED, Unsupported};
use crate::{DType, Inst, ValueId};
use smallvec::SmallVec;
use std::ops::Range;

/// Cycles of the longest path through a body above which it may be cut: `exp` alone has 62, `tanh` 94. A logistic function of doubles takes
/// 17.1 cycles a vector in slices, which 85 would cut, instead of 15.5; GELU of singles 15.8 instead of 19.2, which 88 would not.
const LONG_PATH: u32 = 87;
/// The same with AVX-512, whose registers hold the values of two vectors: two square roots of singles take 0.15 ns an element in slices
/// instead of 0.23, and eighty other functions, chains and programs as long (geometric mean 1.01, Zen 5).
const LONG_PATH_AVX512: u32 = 70;
/// Instructions of the processor of a body that may be cut, at the least. With 24 of a fragment instead, chains of five and ten square roots of
/// doubles stayed whole, and took 106 and 281 cycles a vector instead of 66 and 131 (AVX-512, Zen 4).
const FEWEST_CUT: u32 = 24;
/// Cycles of the longest path through a slice, and instructions of one, beyond which no better end of it is looked for.
const LONGEST_SLICE_PATH: u32 = 150;
const LONGEST_SLICE: u32 = 600;
/// The time of slices over that of the body as a whole, both predicted, below which it is cut: the prediction is that good.
const WORTH_CUTTING: f64 = 0.9;
/// The share of the divider's cycles that a slice waits for. Without it a quotient is a slice of its own, in which the ports are idle:
/// three activation functions of a million doubles took 3.05 ms instead of 2.42. With 0.25 a GELU of doubles takes 1.12 times as long, with
/// 0.85 inverse hyperbolic functions 1.05 to 1.07 times (AVX-512, Zen 4). At AVX2 116 loops take as long with 0.25 (geometric mean).
const DIVIDER_SHARE: f64 = 0.45;
/// Cycles of a value in a frame, which is stored and loaded, and of the loop around a slice.
const FRAME_CYCLES: f64 = 1.5;
const LOOP_CYCLES: f64 = 1.0;
/// The most bytes of frames: they share the first-level cache of 32 KB with operands and constants.
const FRAME_BYTES: usize = 16 << 10;
/// Vectors of a block. The fewest are the rounds of a partial sum in two chains, so that blocks do not change how sums are divided; more
/// than the most gain nothing.
const BLOCK_VECTORS: [usize; 3] = [128, 64, 32];
/// No frame.
const NONE: u16 = u16::MAX;

/// A slice.
pub(crate) struct Slice {
    /// Its place among the slices.
    pub(crate) number: usize,
    /// Its instructions.
    pub(crate) insts: Range<usize>,
    /// Values that it reads, and that slices before define or that are in memory.
    pub(crate) inputs: SmallVec<[ValueNumber; 8]>,
    /// Predicted cycles of a vector, without frames and loop.
    cycles: f64,
}

/// The slices of a body.
pub(crate) struct Slices {
    pub(crate) all: Vec<Slice>,
    /// By value: its frame.
    frames: Vec<u16>,
    /// By value: whether slices find it where it was loaded from.
    reloaded: Vec<bool>,
    /// The number of frames, and where they begin in the argument block.
    count: usize,
    pub(crate) at: usize,
    /// Vectors of a block, bytes of a vector, and elements of one.
    pub(crate) vectors: usize,
    vector: usize,
    lanes: usize,
}

impl Slices {
    /// The address of a value's frame, for a copy of the body; none for values without one.
    pub(crate) fn frame(&self, value: ValueNumber, copy: usize) -> Option<Mem> {
        let frame = self.frames[value as usize];
        let at = (frame as usize * self.vectors + copy) * self.vector;
        // The index counts elements, whose share of a vector is a scale of addresses.
        (frame != NONE).then(|| Mem::indexed(FRAMES, INDEX, (self.vector / self.lanes) as u8, at as i32))
    }

    /// What a listing says of them.
    pub(crate) fn describe(&self) -> String {
        let mut text = format!("blocks of {} vectors, frames: {}\n", self.vectors, self.count);
        for slice in &self.all {
            let (first, last) = (slice.insts.start, slice.insts.end - 1);
            text += &format!("slice v{first} to v{last}: {:.1} cycles a vector predicted\n", slice.cycles);
        }
        text
    }

    /// Bytes of the frames.
    fn bytes(&self) -> usize {
        self.count * self.vectors * self.vector
    }

    /// Bytes of one frame of a block.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.vectors * self.vector
    }
}

/// What the choice of cuts knows of a body.
struct Paths<'e, 'a> {
    e: &'e Emitter<'a>,
    costs: Vec<cost::Cost>,
    /// By instruction: cycles of the divider.
    dividers: Vec<f64>,
    /// By instruction: the values alive just before it that a frame would hold.
    crossing: Vec<u32>,
    /// By instruction: whether an exponential begins before and ends after it, which stays whole ([`crate::x86::isel::common_range`]).
    is_within: Vec<bool>,
}

/// Predicted cycles of a vector: instructions execute in their number, wait on the longest path of as many vectors as fit the window, or
/// for the divider.
fn cycles(path: u32, count: u32, divider: f64) -> f64 {
    let waits = f64::from(path) * f64::min(1.0, f64::from(count) / WINDOW as f64);
    f64::max(f64::from(count) / PER_CYCLE, waits).max(divider * DIVIDER_SHARE)
}

impl Paths<'_, '_> {
    /// The longest path through a range of instructions, and their number.
    fn of(&self, range: Range<usize>) -> (u32, u32) {
        let (mut depth, mut longest, mut count) = (vec![0; range.len()], 0, 0);
        for at in range.clone() {
            depth[at - range.start] = self.path_to(at, range.start, &depth);
            longest = longest.max(depth[at - range.start]);
            count += self.costs[at].count;
        }
        (longest, count)
    }

    /// The longest path that ends with an instruction and begins in the range from `start`.
    fn path_to(&self, at: usize, start: usize, depth: &[u32]) -> u32 {
        if !self.e.is_emitted(at) {
            return 0;
        }
        let before =
            self.e.body.reads[at].iter().filter_map(|v| (v.0 as usize).checked_sub(start)).map(|v| depth[v]).max();
        before.unwrap_or(0) + self.costs[at].latency
    }

    /// Predicted cycles of a vector of a range.
    fn cycles(&self, range: Range<usize>) -> f64 {
        let (path, count) = self.of(range.clone());
        let divider = range.filter(|&at| self.e.is_emitted(at)).map(|at| self.dividers[at]).sum();
        cycles(path, count, divider)
    }

    /// The ends of the slices, the last of which begins at `last` or before. Each slice ends where an instruction of it takes the
    /// fewest cycles, frames and loop included.
    fn cuts(&self, last: usize) -> Vec<usize> {
        let (end, mut cuts, mut start) = (self.costs.len(), vec![], 0);
        while start < end {
            let (mut depth, mut path, mut count, mut divider) = (vec![], 0, 0, 0.0);
            let mut best = (f64::INFINITY, end);
            for at in start..end {
                let to = self.path_to(at, start, &depth);
                depth.push(to);
                (path, count) = (path.max(to), count + self.costs[at].count);
                divider += self.dividers[at];
                let cut = at + 1;
                if count > 0 && (cut <= last || cut == end) && !self.is_within.get(cut).is_some_and(|&within| within) {
                    let cycles =
                        cycles(path, count, divider) + FRAME_CYCLES * f64::from(self.crossing[cut]) + LOOP_CYCLES;
                    best = if cycles / f64::from(count) <= best.0 { (cycles / f64::from(count), cut) } else { best };
                }
                if (path > LONGEST_SLICE_PATH || count > LONGEST_SLICE) && best.1 < end {
                    break;
                }
            }
            cuts.push(best.1);
            start = best.1;
        }
        cuts
    }

    /// The slices, and the predicted cycles of a vector in each and in all, frames and loops included. Neighbours that take no longer
    /// together are one.
    fn ranges(&self, last: usize) -> (Vec<(Range<usize>, f64)>, f64) {
        let (mut ranges, mut sum, mut start): (Vec<(Range<usize>, f64)>, f64, usize) = (vec![], 0.0, 0);
        for end in self.cuts(last) {
            let (cycles, around) =
                (self.cycles(start..end), FRAME_CYCLES * f64::from(self.crossing[start]) + LOOP_CYCLES);
            match ranges.last_mut() {
                Some((before, known)) if self.cycles(before.start..end) <= *known + cycles + around => {
                    let together = self.cycles(before.start..end);
                    sum += together - *known;
                    (*before, *known) = (before.start..end, together);
                }
                _ => {
                    sum += cycles + around;
                    ranges.push((start..end, cycles));
                }
            }
            start = end;
        }
        (ranges, sum)
    }
}

impl Emitter<'_> {
    /// Whether a body so long may be worth cutting. It is asked before registers are reserved, and errs on the side of yes.
    pub(crate) fn may_slice(&self) -> bool {
        let orders = self.body.scatters() && self.body.kernel.operands.iter().any(|operand| !operand.restrict);
        if orders || self.body.has_loops() || self.kinds.contains(&StrideKind::Stride2) {
            return false;
        }
        let long = if self.level() == Level::Avx512 { LONG_PATH_AVX512 } else { LONG_PATH };
        let count = self.body.fragment.insts.len();
        let costs: Vec<cost::Cost> = (0..count).map(|at| cost::of(self.body, self.kinds, at)).collect();
        costs.iter().map(|cost| cost.count).sum::<u32>() >= FEWEST_CUT
            && Paths { e: self, costs, dividers: vec![], crossing: vec![], is_within: vec![] }.of(0..count).0 > long
    }

    /// Whether the value of an instruction is only an address: slices that read it emit it again, without machine code.
    fn is_only_address(&self, at: usize) -> bool {
        match self.body.fragment.insts[at] {
            Inst::Index(axis) => axis as usize + 1 < self.axes(),
            Inst::Load(_) if self.body.fragment.types[at].is_complex() => true,
            _ => self.is_preloaded(at),
        }
    }

    /// Whether later slices find a loaded value where it was loaded from: in a whole vector of contiguous elements that nothing
    /// overwrites before.
    fn is_reloadable(&self, at: usize) -> bool {
        let Inst::Load(operand) = self.body.fragment.insts[at] else { return false };
        let (operand, dtype) = (operand.0 as usize, self.body.fragment.types[at]);
        let last_use = self.body.uses[at].last().map_or(0, |&user| user as usize);
        let is_kept = self.body.kernel.operands[operand].restrict
            || !self.body.fragment.insts[..last_use].iter().any(Inst::is_effect);
        is_kept
            && self.kinds[operand] == StrideKind::Dense
            && !self.is_base_spilled(operand)
            && dtype != DType::Bool
            && self.lanes() * dtype.size() == self.level().vector()
    }

    /// The address of a loaded value that a slice finds where it was loaded from; none for others.
    pub(crate) fn reloaded(&mut self, slices: &Slices, at: usize) -> Option<Mem> {
        let Inst::Load(operand) = self.body.fragment.insts[at] else { return None };
        slices.reloaded[at].then(|| self.memory(operand.0 as usize, self.body.fragment.types[at]))
    }

    /// Cuts the body into slices, the last of which begins at `last` or before; none where that does not pay. The vectors of a block are
    /// a multiple of `unit`.
    ///
    /// # Errors
    /// It would pay, but for frames of so many vectors.
    pub(crate) fn cut(&mut self, last: usize, unit: usize) -> Result<Option<Slices>, Unsupported> {
        let count = self.body.fragment.insts.len();
        let cost_of = |at: usize| if self.is_emitted(at) { cost::of(self.body, self.kinds, at) } else { FREE };
        let reloaded: Vec<bool> = (0..count).map(|at| self.is_emitted(at) && self.is_reloadable(at)).collect();
        let is_framed = |at: usize| self.is_emitted(at) && !self.is_only_address(at) && !reloaded[at];
        let framed: Vec<bool> = (0..count).map(is_framed).collect();
        let mut change = vec![0i32; count + 1];
        for at in (0..count).filter(|&at| framed[at]) {
            if let Some(&user) = self.body.uses[at].last() {
                change[at + 1] += 1;
                change[user as usize + 1] -= 1;
            }
        }
        let mut alive = 0;
        let crossing = change.into_iter().map(|change| {
            alive += change;
            alive as u32
        });
        let mut is_within = vec![false; count];
        for at in (0..count as u32).filter(|_| self.level() == Level::Avx2) {
            if let Some(exponential) = self.body.exponential(at) {
                is_within[exponential.bound as usize + 1..=at as usize].fill(true);
            }
        }
        let (crossing, costs) = (crossing.collect(), (0..count).map(cost_of).collect());
        let divider_of = |at: usize| if self.is_emitted(at) { cost::divider(self.body, at) } else { 0.0 };
        let dividers = (0..count).map(divider_of).collect();
        let paths = Paths { e: self, crossing, costs, dividers, is_within };
        let (ranges, sum) = paths.ranges(last);
        if ranges.len() == 1 || sum > WORTH_CUTTING * paths.cycles(0..count) {
            return Ok(None);
        }
        let (vector, lanes, frames) = (self.level().vector(), self.lanes(), vec![NONE; count]);
        let mut slices = Slices { all: vec![], frames, reloaded, count: 0, at: 0, vectors: 0, vector, lanes };
        self.assign_frames(&mut slices, ranges, &framed);
        let fits = |vectors: &usize| vectors * vector * slices.count <= FRAME_BYTES;
        slices.vectors = match BLOCK_VECTORS.into_iter().find(|n| fits(n) && n.is_multiple_of(unit)) {
            Some(vectors) => vectors,
            None if BLOCK_VECTORS.iter().any(fits) => {
                return Err(Unsupported { at: 0, what: "blocks of so many vectors".into() });
            }
            None => return Ok(None),
        };
        slices.at = self.arguments.slots(slices.bytes() / VECTOR_BYTES, VECTOR_BYTES);
        Ok(Some(slices))
    }

    /// Assigns frames to the values that may have one and that later slices read. A frame serves another value after the last slice that
    /// reads it.
    fn assign_frames(&self, slices: &mut Slices, ranges: Vec<(Range<usize>, f64)>, framed: &[bool]) {
        let last_use = |v: usize| self.body.uses[v].last().map_or(0, |&user| user as usize);
        let mut free: Vec<u16> = vec![];
        for (insts, cycles) in ranges {
            let mut inputs: SmallVec<[ValueNumber; 8]> = SmallVec::new();
            let reads = insts.clone().filter(|&at| self.is_emitted(at)).flat_map(|at| &self.body.reads[at]);
            for value in reads.map(|v| v.0) {
                let is_before = (value as usize) < insts.start && self.hoisted[value as usize].is_none();
                if is_before && !inputs.contains(&value) {
                    inputs.push(value);
                }
            }
            for at in insts.clone().filter(|&at| framed[at] && last_use(at) >= insts.end) {
                slices.frames[at] = free.pop().unwrap_or_else(|| {
                    slices.count += 1;
                    slices.count as u16 - 1
                });
            }
            let ends_here = |v: &usize| slices.frames[*v] != NONE && insts.contains(&last_use(*v));
            free.extend(inputs.iter().map(|&v| v as usize).filter(ends_here).map(|v| slices.frames[v]));
            slices.all.push(Slice { number: slices.all.len(), insts, inputs, cycles });
        }
    }

    /// Emits so many copies of a slice of the body, interleaved.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn slice(&mut self, slices: &Slices, slice: &Slice, copies: usize) -> Result<(), Unsupported> {
        self.is_tail = false;
        if slice.insts.start == 0 {
            self.begin_body(copies);
        } else {
            self.forget_registers();
        }
        self.slice_end = slice.insts.end as u32;
        for first in (0..copies).step_by(INTERLEAVED) {
            let some = first..copies.min(first + INTERLEAVED);
            for copy in some.clone() {
                self.unroll_index = copy;
                for &value in &slice.inputs {
                    let memory = slices.frame(value, copy).or_else(|| self.reloaded(slices, value as usize));
                    match memory {
                        Some(lanes) => self.location(value).backing = Backing::Lanes(lanes),
                        None => self.emit_inst(value as usize)?,
                    }
                }
            }
            for at in slice.insts.clone() {
                if self.body.exits_before(at) {
                    self.side_exit(at, some.clone());
                }
                for copy in some.clone() {
                    self.unroll_index = copy;
                    if self.is_emitted(at) {
                        self.emit_inst(at)?;
                        if let Some(frame) = slices.frame(at as u32, copy) {
                            let start = self.asm.len();
                            self.store_frame(at as u32, frame);
                            self.record_span(at, start);
                        }
                        self.free_dead(&[ValueId(at as u32)]);
                        self.free_temps();
                    }
                }
            }
        }
        self.slice_end = u32::MAX;
        Ok(())
    }

    /// Stores a value to its frame, from which later slices read it.
    fn store_frame(&mut self, value: ValueNumber, frame: Mem) {
        let register = self.register(ValueId(value));
        if self.takes_mask(self.is_mask(value)) {
            self.asm.mask_store(frame, KReg(register));
        } else {
            self.store_lanes(frame, VReg(register));
        }
        self.location(value).backing = Backing::Lanes(frame);
    }
}
