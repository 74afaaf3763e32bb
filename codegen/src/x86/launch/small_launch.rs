//! The fast path of small launches whose results overlap no other operand, as compiled loops make them by the million: no plan, no threads,
//! nothing saved, and no flag attributed to an instruction. Where any of that is needed, nothing is lost: the launch is made again. So are
//! launches of one dense row, which need no plan either, and those that align their stores. Rows of 18 × 18 sums of products take 205 ns and
//! not 312 (Zen 4).

use crate::drive::fp_status;
use crate::drive::parallel::estimate_ns;
use crate::drive::scratch::with as with_scratch;
use crate::drive::strategy::{self, MIN_PARALLEL_NS, Strategy};
use crate::x86::isel::conventions::{StrideKind, StrideKinds};
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::launch::program::{LoopProgram, MIN_ALIGNED_ROW};
use crate::{DirectLoop, Launch};
use smallvec::SmallVec;
use std::ops::Range;

/// The axes of a launch: along a row, from one row of a call to the next, and how many of those before are around.
struct Nest {
    along: usize,
    across: Option<usize>,
    around: usize,
}

impl LoopProgram {
    /// Runs a small launch; false where it is none, or where flags other than underflow were raised, or lanes take the slow path: then some
    /// results may have been stored.
    ///
    /// # Safety
    /// The contract of the launch; no result overlaps another operand.
    pub(crate) unsafe fn run_small(&self, launch: &Launch<'_>) -> bool {
        let points: usize = launch.outer.iter().product();
        let along = launch.outer.iter().rposition(|&n| n != 1).or(launch.outer.len().checked_sub(1));
        let (Some(along), true) = (along, self.may_part() && !self.has_loops) else { return false };
        let n = launch.outer[along];
        if points == 0
            || points >= MIN_ALIGNED_ROW
            || self.tested.is_some()
            || self.forms.is_plain && self.is_dense_row(launch, points)
            || estimate_ns(points, self.forms.cost, self.forms.bytes) >= MIN_PARALLEL_NS
            || strategy::of_rows(&self.forms, n, points) == Strategy::Interpret
            || self.second.runs_next()
        {
            return false;
        }
        let (other, kinds);
        let (found, kinds) = if self.is_dense_along(launch, along) {
            (self.dense_loop(launch, Some(along), points), self.dense_kinds())
        } else {
            let Some(of) = self.kinds_along(launch, along) else { return false };
            let Some(made) = self.loop_for(&of) else { return false };
            (other, kinds) = (made, of);
            (&*other, &kinds)
        };
        let mut nest = Nest { along, across: None, around: along };
        if self.nests && n >= found.shortest_row() {
            nest.across = launch.outer[..along].iter().rposition(|&n| n != 1);
            nest.around = nest.across.unwrap_or(0);
        }
        // SAFETY: the caller's contract; the loop is that for these stride kinds.
        let (is_done, raised) = fp_status::observed(|| unsafe { self.run_nest(found, kinds, launch, &nest) });
        is_done && (raised & self.fp_mask & fp_status::ERRORS).is_empty()
    }

    /// The loop for dense operands and broadcast ones, if calling it is all that a launch would do.
    pub(crate) fn direct(&self, is_broadcast: &[bool]) -> Option<DirectLoop> {
        if !self.may_part()
            || self.has_loops
            || self.tested.is_some()
            || !self.nests
            || is_broadcast.len() != self.dense_kinds().len()
        {
            return None;
        }
        let kind = |&is_broadcast: &bool| if is_broadcast { StrideKind::Broadcast } else { StrideKind::Dense };
        let kinds: StrideKinds = is_broadcast.iter().map(kind).collect();
        let found = if kinds == *self.dense_kinds() { self.dense() } else { self.loop_for(&kinds)? };
        let arguments = found.arguments();
        let operands = 0..kinds.len();
        Some(DirectLoop {
            entry: found.entry().filter(|_| arguments.planes.is_none())?,
            bytes: arguments.bytes,
            addresses: operands.clone().map(|operand| arguments.address(operand)).collect(),
            pitches: operands.map(|operand| arguments.pitch(operand)).collect(),
            scalars: (0..self.expanded.kernel.scalars.len()).map(|scalar| arguments.scalar(scalar)).collect(),
            constants: arguments.words()?.to_vec(),
            _code: found,
        })
    }

    /// Whether the loop for dense rows is that for rows along an axis.
    #[inline]
    fn is_dense_along(&self, launch: &Launch<'_>, along: usize) -> bool {
        let strides = launch.strides.iter().skip(along).step_by(launch.outer.len());
        launch.outer[along] == 1
            || self.dense_kinds().iter().zip(strides).enumerate().all(|(operand, (kind, &stride))| match kind {
                StrideKind::Dense => stride == self.size_of(operand) as isize,
                _ => stride == 0,
            })
    }

    /// Runs all rows through a loop; false where there were slow-path lanes.
    ///
    /// # Safety
    /// The contract of the launch; the loop is that for its stride kinds.
    unsafe fn run_nest(&self, found: &CompiledLoop, kinds: &StrideKinds, launch: &Launch<'_>, nest: &Nest) -> bool {
        let arguments = found.arguments();
        with_scratch(arguments.bytes, |memory| {
            // SAFETY: the block has room for all arguments, and only this function has its address.
            let put = |at: usize, value: u64| unsafe { memory.add(at).cast::<u64>().write(value) };
            // SAFETY: as above.
            unsafe {
                arguments.write_scalars(memory, launch.scalars);
                arguments.write_constants(memory);
            }
            for (operand, kind) in kinds.iter().enumerate() {
                let strides = launch.strides_of(operand);
                if *kind == StrideKind::Strided {
                    put(arguments.vector_stride(operand), (strides[nest.along] * self.lanes as isize) as u64);
                    self.put_offsets(memory.wrapping_add(arguments.offsets(Some(operand), false)), strides[nest.along]);
                }
                if let Some(across) = nest.across {
                    put(arguments.pitch(operand), strides[across] as u64);
                }
            }
            let (n, rows) = (launch.outer[nest.along], nest.across.map_or(1, |across| launch.outer[across]));
            let mut run = |addresses: &[*mut u8]| {
                if let Some(slots) = arguments.planes {
                    [1, rows as u64, 0].into_iter().enumerate().for_each(|(slot, value)| put(slots + 8 * slot, value));
                }
                addresses.iter().enumerate().for_each(|(o, &address)| put(arguments.address(o), address as u64));
                // SAFETY: the addresses are those of so many rows of `n` elements each, with the stride kinds of the loop.
                unsafe { found.run(memory, n, rows) }
            };
            for_each(launch, 0..nest.around, launch.addresses, &mut run)
        })
    }
}

/// Calls a function with the addresses at each point of some axes, as long as it returns true.
fn for_each(
    launch: &Launch<'_>,
    mut axes: Range<usize>,
    addresses: &[*mut u8],
    run: &mut impl FnMut(&[*mut u8]) -> bool,
) -> bool {
    let Some(axis) = axes.find(|&axis| launch.outer[axis] != 1) else { return run(addresses) };
    let mut at: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(addresses);
    (0..launch.outer[axis]).all(|_| {
        let goes_on = for_each(launch, axes.clone(), &at, run);
        for (operand, address) in at.iter_mut().enumerate() {
            *address = address.wrapping_offset(launch.strides_of(operand)[axis]);
        }
        goes_on
    })
}
