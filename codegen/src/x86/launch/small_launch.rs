//! The fast path of small launches whose results overlap no other operand, as compiled loops make them by the million: no plan, no threads,
//! nothing saved, and no flag attributed to an instruction. Where any of that is needed, nothing is lost: the launch is made again. Rows of
//! 18 × 18 sums of products take 205 ns and not 312 (Zen 4).
//! What one needs to know that is like many before is found out once ([`PreparedCall`]).

use crate::drive::fp_status;
use crate::drive::parallel::estimate_ns;
use crate::drive::scratch::with as with_scratch;
use crate::drive::strategy::{self, MIN_PARALLEL_NS, Strategy};
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::launch::program::{LoopProgram, MIN_ALIGNED_ROW};
use crate::{DirectLoop, FpFlags, Launch, PreparedLaunch};
use smallvec::SmallVec;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// How a small launch runs.
struct SmallPlan {
    found: Arc<CompiledLoop>,
    kinds: StrideKinds,
    /// The axes along a row, and from one row of a call to the next.
    along: usize,
    across: Option<usize>,
    /// The axis from one plane to the next, if one call runs all of them.
    beyond: Option<usize>,
    /// How many of the axes before are around calls.
    around: usize,
    /// Elements of the only row before those whose results are aligned, which are run apart.
    before: usize,
}

/// A line of an argument block.
#[repr(align(64))]
#[derive(Clone, Copy)]
struct BlockLine {
    _words: [u64; VECTOR_BYTES / 8],
}

/// A small launch in one call, or in two of one row.
struct PreparedCall {
    found: Arc<CompiledLoop>,
    /// The argument block but for addresses and scalars.
    block: Vec<BlockLine>,
    /// Where the block has each scalar, and whether it has four bytes, which lanes of eight repeat.
    scalars: SmallVec<[(usize, bool); 4]>,
    fp_mask: FpFlags,
    n: usize,
    rows: usize,
    /// Elements of the only row before those whose results are aligned, and by operand their bytes.
    before: usize,
    before_bytes: SmallVec<[usize; 8]>,
}

impl PreparedLaunch for PreparedCall {
    unsafe fn run(&self, addresses: &[*mut u8], scalars: &[u64]) -> bool {
        let arguments = self.found.arguments();
        with_scratch(self.block.len() * VECTOR_BYTES, |memory| {
            // SAFETY: the scratch has room for the block, where the addresses of operands come first. They are those of as many elements as the
            // launch had that was prepared.
            is_silent(self.fp_mask, || unsafe {
                let block = memory.cast::<BlockLine>();
                self.block.iter().enumerate().for_each(|(number, line)| block.add(number).write(*line));
                let slots = memory.cast::<*mut u8>();
                addresses.iter().enumerate().for_each(|(operand, address)| slots.add(operand).write(*address));
                for (&(at, is_short), &bits) in self.scalars.iter().zip(scalars) {
                    arguments.write(memory, at, if is_short { (bits & 0xffff_ffff) * 0x1_0000_0001 } else { bits });
                }
                if self.before == 0 {
                    return self.found.run(memory, self.n, self.rows);
                }
                let is_done = self.found.run(memory, self.before, 1);
                arguments.write_planes(memory, [1, 1, 0]);
                for (operand, bytes) in self.before_bytes.iter().enumerate() {
                    slots.add(operand).write(addresses[operand].wrapping_add(*bytes));
                }
                is_done && self.found.run(memory, self.n - self.before, 1)
            })
        })
    }
}

/// Whether what runs says so, and raises none of some flags but underflow.
#[inline(always)]
fn is_silent(flags: FpFlags, run: impl FnOnce() -> bool) -> bool {
    let (is_done, raised) = fp_status::observed(run);
    is_done && (raised & flags & fp_status::ERRORS).is_empty()
}

impl LoopProgram {
    /// Runs a small launch; false where it is none, or where flags other than underflow were raised, or lanes take the slow path: then some
    /// results may have been stored.
    ///
    /// # Safety
    /// The contract of the launch; no result overlaps another operand.
    pub(crate) unsafe fn run_small(&self, launch: &Launch<'_>) -> bool {
        if self.second.runs_next() {
            return false;
        }
        // SAFETY: the caller's contract.
        self.plan_small(launch)
            .is_some_and(|plan| is_silent(self.fp_mask, || unsafe { self.run_small_plan(&plan, launch) }))
    }

    /// Prepares small launches that are one call, without lanes that may take a slow path.
    pub(crate) fn prepare_small(&self, launch: &Launch<'_>) -> Option<Box<dyn PreparedLaunch>> {
        let plan = self.plan_small(launch)?;
        let is_one_call = launch.outer[..plan.around].iter().all(|&n| n == 1);
        let types = &self.expanded.kernel.scalars;
        let have_words = types.iter().all(|dtype| !dtype.is_complex() && dtype.size() >= 4);
        if !is_one_call || !have_words || plan.found.has_slow_path() || !self.is_settled(launch) {
            return None;
        }
        let SmallPlan { ref found, along, across, before, .. } = plan;
        let bytes = found.arguments().bytes;
        let mut block = vec![BlockLine { _words: [0; VECTOR_BYTES / 8] }; bytes.div_ceil(VECTOR_BYTES)];
        // SAFETY: the block has room for all arguments.
        unsafe { self.fill_block(&plan, launch, block.as_mut_ptr().cast()) };
        let call = PreparedCall {
            found: found.clone(),
            block,
            scalars: (0..types.len()).map(|i| (found.arguments().scalar(i), types[i].size() == 4)).collect(),
            fp_mask: self.fp_mask,
            n: launch.outer[along],
            rows: across.map_or(1, |across| launch.outer[across]),
            before,
            before_bytes: (0..launch.addresses.len()).map(|operand| before * self.size_of(operand)).collect(),
        };
        Some(Box::new(call))
    }

    /// How a launch runs, if it is small.
    fn plan_small(&self, launch: &Launch<'_>) -> Option<SmallPlan> {
        let points: usize = launch.outer.iter().product();
        let along = launch.outer.iter().rposition(|&n| n != 1).or(launch.outer.len().checked_sub(1))?;
        let n = launch.outer[along];
        let is_dense_row = self.forms.is_plain && self.is_dense_row(launch, points);
        if points == 0
            || self.tested.is_some()
            || !self.may_part()
            || self.has_loops
            || estimate_ns(points, self.forms.cost, self.forms.bytes) >= MIN_PARALLEL_NS
            || !self.runs_short_rows() && strategy::of_rows(&self.forms, n, points) == Strategy::Interpret
            || points >= MIN_ALIGNED_ROW && !is_dense_row && self.blocks(launch).is_some()
        {
            return None;
        }
        let (found, kinds) = if self.is_dense_along(launch, along) {
            (self.dense_loop(launch, Some(along), points).clone(), self.dense_kinds().clone())
        } else {
            let kinds = self.kinds_along(launch, along)?;
            (self.loop_for(&kinds)?, kinds)
        };
        let before = if is_dense_row { self.elements_to_alignment(launch, n) } else { None };
        let mut plan =
            SmallPlan { found, kinds, along, across: None, beyond: None, around: along, before: before.unwrap_or(0) };
        if self.nests && n >= plan.found.shortest_row() {
            let outside = |axis: usize| launch.outer[..axis].iter().rposition(|&n| n != 1);
            plan.across = Some(along).and_then(outside);
            plan.beyond = plan.across.and_then(outside).filter(|_| plan.found.arguments().planes.is_some());
            plan.around = plan.beyond.or(plan.across).unwrap_or(0);
        }
        Some(plan)
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

    /// Whether a call runs rows of any length: with masks, a row of less than a vector takes some 2 ns and the interpreter 10 to 40. Products and
    /// sums of 400 rows of 5 doubles take 0.9 µs instead of 3.7, exponentials 1.9 instead of 15.7.
    fn runs_short_rows(&self) -> bool {
        self.nests && self.dense().shortest_row() == 1
    }

    /// Writes an argument block but for addresses and scalars.
    ///
    /// # Safety
    /// The block has room for all arguments of the plan's loop.
    unsafe fn fill_block(&self, plan: &SmallPlan, launch: &Launch<'_>, memory: *mut u8) {
        let &SmallPlan { ref found, ref kinds, along, across, .. } = plan;
        let arguments = found.arguments();
        // SAFETY: the caller's contract.
        let put = |at: usize, value: u64| unsafe { memory.add(at).cast::<u64>().write(value) };
        // SAFETY: as above.
        unsafe { arguments.write_constants(memory) };
        for (operand, kind) in kinds.iter().enumerate() {
            let strides = launch.strides_of(operand);
            if *kind == StrideKind::Strided {
                put(arguments.vector_stride(operand), (strides[along] * self.lanes as isize) as u64);
                self.put_offsets(memory.wrapping_add(arguments.offsets(Some(operand), false)), strides[along]);
            }
            if let Some(across) = across {
                put(arguments.pitch(operand), strides[across] as u64);
            }
        }
        // SAFETY: as above.
        unsafe { arguments.write_planes(memory, planes_of(plan, launch)) };
    }

    /// Runs all rows through a loop; false where there were slow-path lanes.
    ///
    /// # Safety
    /// The contract of the launch; the plan is for it.
    unsafe fn run_small_plan(&self, plan: &SmallPlan, launch: &Launch<'_>) -> bool {
        let &SmallPlan { ref found, along, across, around, before, .. } = plan;
        let arguments = found.arguments();
        with_scratch(arguments.bytes, |memory| {
            // SAFETY: the block has room for all arguments.
            unsafe {
                self.fill_block(plan, launch, memory);
                arguments.write_scalars(memory, launch.scalars);
            }
            let (n, rows) = (launch.outer[along], across.map_or(1, |across| launch.outer[across]));
            let planes = planes_of(plan, launch);
            // SAFETY: the addresses are those of so many planes of so many rows of `n` elements each, with the stride kinds of the loop.
            let run = |addresses: &[*mut u8], n: usize| unsafe {
                arguments.write_planes(memory, planes);
                ptr::copy_nonoverlapping(addresses.as_ptr(), memory.cast(), addresses.len());
                found.run(memory, n, rows)
            };
            if before == 0 {
                return for_each(launch, 0..around, launch.addresses, &mut |addresses| run(addresses, n));
            }
            let mut rest: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(launch.addresses);
            rest.iter_mut().enumerate().for_each(|(o, at)| *at = at.wrapping_add(before * self.size_of(o)));
            run(launch.addresses, before) && run(&rest, n - before)
        })
    }
}

/// The planes of a call, the rows of one, and the bytes from behind its last row to the next one.
fn planes_of(plan: &SmallPlan, launch: &Launch<'_>) -> [u64; 3] {
    let rows = plan.across.map_or(1, |across| launch.outer[across]);
    let (Some(across), Some(beyond)) = (plan.across, plan.beyond) else { return [1, rows as u64, 0] };
    let strides = launch.strides_of(0);
    [launch.outer[beyond] as u64, rows as u64, (strides[beyond] - rows as isize * strides[across]) as u64]
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
