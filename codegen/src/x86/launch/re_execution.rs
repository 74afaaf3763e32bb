//! Re-executing chunks: those with slow-path lanes, and those with flags of which it is not known what raised them.
//!
//! Where one instruction alone may raise the flags that are up, it is reported. Otherwise the portable program runs the chunk again, instruction
//! by instruction: that is seldom. Slow-path lanes are seldom too, or the second version of the loop runs their chunks.

use crate::drive::fp_status;
use crate::x86::launch::program::LoopProgram;
use crate::{FpFlags, Launch, OperandDecl, RaisedFlags, Scalar, Version};
use smallvec::SmallVec;
use std::ops::Range;

/// A chunk that is to be re-executed.
pub(crate) struct Chunk {
    /// By axis: the coordinate of the first element.
    pub(crate) origin: SmallVec<[usize; 4]>,
    /// The addresses of the first element, where clobbered inputs have those of their copies, and the number of elements of a row.
    pub(crate) addresses: SmallVec<[*mut u8; 12]>,
    pub(crate) len: usize,
    /// The number of rows, the axis across them, and strides, where clobbered inputs have those of their copies.
    pub(crate) rows: usize,
    pub(crate) across: Option<usize>,
    pub(crate) strides: SmallVec<[isize; 24]>,
    /// The carries before the chunk.
    pub(crate) carries: SmallVec<[Scalar; 2]>,
}

/// What is to run a chunk with special arguments.
#[derive(Clone, Copy)]
pub(crate) enum Again<'a> {
    /// The portable program.
    Portable,
    /// The second version of the loop.
    Second(&'a LoopProgram),
}

impl LoopProgram {
    /// Re-executes a chunk of one dense row; see [`LoopProgram::re_execute`].
    ///
    /// # Safety
    /// As [`LoopProgram::run_dense_row`].
    #[cold]
    pub(crate) unsafe fn re_execute_dense(
        &self,
        launch: &Launch<'_>,
        range: Range<usize>,
        again: Option<Again<'_>>,
        raised: &mut RaisedFlags,
    ) {
        let at = |(address, decl): (&*mut u8, &OperandDecl)| address.wrapping_add(range.start * decl.dtype.size());
        let addresses = launch.addresses.iter().zip(&self.expanded.kernel.operands).map(at).collect();
        let axis = launch.outer.iter().rposition(|&n| n != 1);
        let mut origin = SmallVec::from_elem(0, launch.outer.len());
        if let Some(axis) = axis {
            origin[axis] = range.start;
        }
        let (len, strides, carries) = (range.len(), SmallVec::from_slice(launch.strides), SmallVec::new());
        let Some(again) = again.or_else(|| self.again_unless_attributed(raised)) else { return };
        let mut chunk = Chunk { origin, addresses, len, rows: 1, across: None, strides, carries };
        // SAFETY: the caller's contract; this is a map, or re-execution only reports flags.
        unsafe { self.re_execute(launch, axis, &mut chunk, again, raised) };
    }

    /// The fragment of an instruction numbered over body and epilogue: whether it is the epilogue, and the number there.
    fn in_fragment(&self, number: u32) -> (bool, u32) {
        number.checked_sub(self.body_length).map_or((false, number), |inst| (true, inst))
    }

    /// Makes the second version of the loop. Where parts of a launch know their place in it there is none.
    #[cold]
    pub(crate) fn make_second(&self) -> Option<LoopProgram> {
        let is_second = self.version == Version::Special;
        if self.may_part() && !is_second { self.fallback.loop_as(Version::Special) } else { None }
    }

    /// Runs a chunk of so many elements in the first version of the loop, unless the second one is to run it at once; none where that is all.
    #[inline]
    pub(crate) fn run_chunk(&self, elements: usize, first: impl FnOnce() -> bool) -> Option<Again<'_>> {
        if let Some(second) = self.second.at_once() {
            return Some(Again::Second(second));
        }
        if !first() {
            let second = self.second.after_slow(elements, || self.make_second());
            return Some(second.map_or(Again::Portable, Again::Second));
        }
        self.second.after_fast(elements, || self.make_second());
        None
    }

    /// Attributes the flags that are raised, if of each one instruction alone may raise it. Underflow may come from inside functions that
    /// report none.
    fn attribute(&self, raised: &mut RaisedFlags) -> bool {
        let knows_underflow = self.may_raise.len() == 1 && !self.ambiguous_underflow;
        let raiser = |flag: FpFlags| {
            let mut all = self.may_raise.iter().filter(|(_, effects)| effects.contains(flag));
            let &(number, _) = all.next()?;
            let (epilogue, inst) = self.in_fragment(number);
            let is_known = all.next().is_none() && (flag != FpFlags::UNDERFLOW || knows_underflow);
            is_known.then_some((epilogue, inst, flag))
        };
        let found: Option<RaisedFlags> = fp_status::raised_of(self.fp_mask).each().map(raiser).collect();
        let is_known = found.is_some();
        fp_status::merge(raised, found.into_iter().flatten());
        is_known
    }

    /// What is to run a chunk again whose flags are up, unless it is known what raised them.
    #[cold]
    pub(crate) fn again_unless_attributed(&self, raised: &mut RaisedFlags) -> Option<Again<'_>> {
        if self.attribute(raised) { None } else { Some(Again::Portable) }
    }

    /// Attributes flags to instructions, and computes slow-path lanes, by re-executing the chunk.
    ///
    /// # Safety
    /// As [`LoopProgram::run_units`].
    #[cold]
    pub(crate) unsafe fn re_execute(
        &self,
        launch: &Launch<'_>,
        axis: Option<usize>,
        chunk: &mut Chunk,
        again: Again<'_>,
        raised: &mut RaisedFlags,
    ) {
        let mut outer: SmallVec<[usize; 4]> = SmallVec::from_elem(1, launch.outer.len());
        if let Some(axis) = axis {
            outer[axis] = chunk.len;
        }
        if let (Some(across), true) = (chunk.across, chunk.rows > 1) {
            outer[across] = chunk.rows;
        }
        if let Again::Second(second) = again {
            let part = Launch { outer: &outer, addresses: &chunk.addresses, strides: &chunk.strides, ..*launch };
            let points = part.outer.iter().product();
            // SAFETY: the caller's contract: the elements are some of the launch's, and their inputs are unchanged.
            fp_status::merge(raised, unsafe { second.run_alone(&part, &chunk.origin, points) });
            return;
        }
        let is_sequential = !self.initial_carries.is_empty();
        let (outer, inner) = outer.split_at(outer.len() - is_sequential as usize);
        let part = Launch { outer, inner, addresses: &chunk.addresses, strides: &chunk.strides, ..*launch };
        // SAFETY: the caller's contract: the elements are some of the launch's, and their inputs are unchanged.
        let found = unsafe {
            if is_sequential {
                self.fallback.get().continue_scan(&part, &chunk.origin, &mut chunk.carries)
            } else {
                self.fallback.get().run_part(&part, &chunk.origin)
            }
        };
        fp_status::merge(raised, found);
    }
}
