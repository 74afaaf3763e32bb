//! The loop over blocks of vectors of a body that is cut into slices: for each block, a loop for each slice.
//!
//! The loops of a block count [`INDEX`] and [`REMAINING`] over the block's elements. A base pointer that the loops advance themselves is
//! set back where several slices access its operand.

use crate::Inst;
use crate::x86::asm::encode::{Cond, Mem};
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{
    ARGUMENTS, FRAMES, INDEX, REMAINING, RESIDENT_BASES, SCRATCH, StrideKind, at_arguments,
};
use crate::x86::isel::select::{Emitter, Unsupported};
use crate::x86::isel::slices::{Slice, Slices};

/// What the loops of a block have in common.
pub(crate) struct SlicedBlock<'a> {
    pub(crate) slices: &'a Slices,
    /// By slice and operand: whether the slice accesses it.
    accessed: Vec<Vec<bool>>,
    /// Where the argument block has the number of the block's elements.
    elements: Mem,
}

impl SlicedBlock<'_> {
    /// Whether a slice accesses an operand.
    pub(crate) fn accesses(&self, slice: &Slice, operand: usize) -> bool {
        self.accessed[slice.number][operand]
    }

    /// Whether a slice before accesses an operand.
    fn has_accessed(&self, slice: &Slice, operand: usize) -> bool {
        self.accessed[..slice.number].iter().any(|earlier| earlier[operand])
    }

    /// Whether a slice after it accesses an operand.
    fn will_access(&self, slice: &Slice, operand: usize) -> bool {
        self.accessed[slice.number + 1..].iter().any(|later| later[operand])
    }
}

impl Emitter<'_> {
    /// Reserves the register of the frames, where the body may be cut into slices; whether it may.
    pub(crate) fn reserve_frames(&mut self) -> bool {
        let may_slice = self.may_slice();
        if may_slice {
            self.resident_bases = RESIDENT_BASES;
            self.asm.push(FRAMES);
        }
        may_slice
    }

    /// Restores the register of the frames, if it is reserved.
    pub(crate) fn restore_frames(&mut self, is_reserved: bool) {
        if is_reserved {
            self.asm.pop(FRAMES);
        }
    }

    /// By operand: whether instructions of a slice access it.
    fn accessed(&self, slice: &Slice) -> Vec<bool> {
        let operand = |at: usize| match self.body.fragment.insts[at] {
            Inst::Part(value, _) => self.body.fragment.insts[value.0 as usize].operand(),
            Inst::Load(_) if self.body.fragment.types[at].is_complex() => None,
            ref inst => inst.operand(),
        };
        let mut accessed = vec![false; self.kinds.len()];
        let live = slice.insts.clone().filter(|&at| self.body.is_live(at)).filter_map(operand);
        live.for_each(|operand| accessed[operand.0 as usize] = true);
        accessed
    }

    /// Whether the loop advances the base pointer of an operand.
    pub(crate) fn is_advanced(&self, operand: usize) -> bool {
        match self.kinds[operand] {
            StrideKind::Dense | StrideKind::NonTemporal => self.body.kernel.operands[operand].dtype.is_complex(),
            StrideKind::Strided | StrideKind::Stride2 | StrideKind::Reversed => true,
            StrideKind::Broadcast => false,
        }
    }
}

impl Body<'_> {
    /// Sets the register of the frames, before the first block.
    pub(crate) fn set_frames(&self, e: &mut Emitter<'_>, slices: &Slices) {
        e.asm.xor(FRAMES, FRAMES);
        e.asm.xor(FRAMES, ARGUMENTS);
        e.asm.add_imm(FRAMES, slices.at as i32);
    }

    /// Emits the loop over blocks, while there are so many vectors as the loops of slices interleave. `last` emits the loop of the last
    /// slice; all others are maps.
    ///
    /// # Errors
    /// The first instruction without machine code.
    pub(crate) fn blocks(
        &self,
        e: &mut Emitter<'_>,
        slices: &Slices,
        copies: usize,
        last: impl FnOnce(&mut Emitter<'_>, &SlicedBlock<'_>, &Slice) -> Result<(), Unsupported>,
    ) -> Result<(), Unsupported> {
        let (step, full) = ((copies * self.lanes) as i32, (slices.vectors * self.lanes) as i32);
        let [rest, elements, index] = [0; 3].map(|_| at_arguments(e.arguments.slot(8)));
        let (done, block, partial, begin) = (e.asm.label(), e.asm.label(), e.asm.label(), e.asm.label());
        e.asm.cmp_imm(REMAINING, step);
        e.asm.jump_if(Cond::Below, done);
        self.set_frames(e, slices);
        e.asm.bind(block);
        e.asm.store_gpr(index, INDEX);
        e.asm.sub_imm(REMAINING, full);
        e.asm.jump_if(Cond::Below, partial);
        e.asm.store_gpr(rest, REMAINING);
        e.asm.mov_imm(REMAINING, full.into());
        e.asm.jmp(begin);
        e.asm.bind(partial);
        e.asm.add_imm(REMAINING, full);
        e.asm.xor(SCRATCH, SCRATCH);
        e.asm.store_gpr(rest, SCRATCH);
        e.asm.bind(begin);
        e.asm.store_gpr(elements, REMAINING);
        let accessed = slices.all.iter().map(|slice| e.accessed(slice)).collect();
        let parts = SlicedBlock { slices, accessed, elements };
        let mut last = Some(last);
        for slice in &slices.all {
            if slice.number > 0 {
                e.asm.load(REMAINING, elements);
                e.asm.load(INDEX, index);
            }
            let again: Vec<usize> = (0..e.kinds.len())
                .filter(|&at| e.is_advanced(at) && parts.accesses(slice, at) && parts.will_access(slice, at))
                .collect();
            let saved: Vec<usize> = again.iter().map(|_| e.arguments.slot(8)).collect();
            for (&operand, &at) in again.iter().zip(&saved) {
                let base = e.base(operand);
                e.asm.store_gpr(at_arguments(at), base);
            }
            if slice.number + 1 == slices.all.len()
                && let Some(last) = last.take()
            {
                last(e, &parts, slice)?;
            } else {
                self.slice_loop(e, &parts, slice, copies)?;
            }
            for (&operand, &at) in again.iter().zip(&saved) {
                e.load_base(operand, at);
            }
        }
        e.asm.sub_imm(FRAMES, slices.frame_bytes() as i32);
        e.asm.add_mem(REMAINING, rest);
        e.asm.cmp_imm(REMAINING, step);
        e.asm.jump_if(Cond::AboveEqual, block);
        e.asm.bind(done);
        Ok(())
    }

    /// Emits the loop of a slice of a map.
    ///
    /// # Errors
    /// As [`Body::blocks`].
    pub(crate) fn slice_loop(
        &self,
        e: &mut Emitter<'_>,
        block: &SlicedBlock<'_>,
        slice: &Slice,
        copies: usize,
    ) -> Result<(), Unsupported> {
        let (again, start) = (e.asm.label(), e.asm.len());
        e.asm.bind(again);
        e.slice(block.slices, slice, copies)?;
        self.prefetch_next_block(e, block, slice, copies, e.kinds.len());
        self.advance(e, copies, |operand| block.accesses(slice, operand));
        e.asm.cmp_imm(REMAINING, (copies * self.lanes) as i32);
        e.asm.jump_if(Cond::AboveEqual, again);
        e.record_loop(start, copies);
        Ok(())
    }

    /// Prefetches a slice's share of the next block's lines of the first `operands`, whichever slice reads them, for so many vectors of this
    /// one. So memory works during all slices, and not in the first alone, which reads the most: of four million doubles, a kernel with a
    /// quotient, a sine, an exponential and four results took 15.5 ms, and takes 11.4 so. To the second-level cache: the first has the frames
    /// (into the first, 13.4 ms; Zen 4).
    pub(crate) fn prefetch_next_block(
        &self,
        e: &mut Emitter<'_>,
        block: &SlicedBlock<'_>,
        slice: &Slice,
        vectors: usize,
        operands: usize,
    ) {
        let slices = block.slices;
        let lines = self.lines(e, vectors, |operand| operand < operands);
        let mut has_index = false;
        for (operand, line) in lines.into_iter().skip(slice.number).step_by(slices.all.len()) {
            let size = self.kernel.operands[operand].dtype.size();
            let next = (slices.vectors * self.lanes * size) as i32 + line;
            let address = if block.accesses(slice, operand) || !e.is_advanced(operand) {
                self.line_address(e, operand, next)
            } else {
                // The base pointer stands still: at the next block, if no later slice accesses the operand.
                if !has_index {
                    e.asm.load(SCRATCH, block.elements);
                    e.asm.sub(SCRATCH, REMAINING);
                    // The scale of an index is eight at most, and complex numbers of doubles have sixteen bytes.
                    e.asm.add(SCRATCH, SCRATCH);
                    has_index = true;
                }
                let is_past = block.has_accessed(slice, operand) && !block.will_access(slice, operand);
                Mem::indexed(e.base(operand), SCRATCH, size as u8 / 2, if is_past { line } else { next })
            };
            e.asm.prefetcht1(address);
        }
    }
}
