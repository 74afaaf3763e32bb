//! Launching a map or a scan: rows of the domain through the loop for their stride kinds, in chunks that fit the cache and are shared
//! by threads. The chunks of a scan's row run in order in one task, and hand on the carries.
//!
//! Floating-point flags are read once a chunk. Where one instruction alone may raise the flags that are up, it is reported. Otherwise
//! the portable backend re-executes the chunk and finds out which instruction raised them: chunks that raise flags are few. It also
//! re-executes chunks with slow-path lanes, unless there are many: then a second version of the loop does, and runs the chunks that follow
//! at once. Their inputs are unchanged, or were saved before results clobbered them. Other loops leave before that
//! ([`crate::x86::launch::clobbered_inputs`]).

use crate::cost::LINE_BYTES;
use crate::drive::fp_status;
use crate::drive::interrupt;
use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::scratch::with as with_scratch;
use crate::drive::strategy::{
    self, CHUNK_ELEMENTS, LoopForms, MIN_PARALLEL_NS, ONE_OP, SEQUENTIAL_NS, SHORT_LOOP_ROW, SHORT_NESTED_ROW,
    SHORT_PRODUCT_ROW, Strategy,
};
use crate::x86::asm::level::Level;
use crate::x86::isel::arguments::Arguments;
use crate::x86::isel::body::Body;
use crate::x86::isel::conventions::{StrideKind, StrideKinds, VECTOR_BYTES};
use crate::x86::isel::interleave::interleaved;
use crate::x86::isel::shifted_loads::Shifts;
use crate::x86::launch::Portable;
use crate::x86::launch::compiled_loop::CompiledLoop;
use crate::x86::launch::effects::{Overwriting, check_offsets, has_ambiguous_underflow, may_raise, overlap};
use crate::x86::launch::fallback::Fallback;
use crate::x86::launch::row_chunks::{RowBegin, RowChunks, RowSpan};
use crate::x86::launch::second_version::SecondVersion;
use crate::x86::launch::shifted_loops::ShiftedLoops;
use crate::x86::launch::turns::{LeftShare, Turns};
use crate::x86::launch::visible_flags::telling_results;
use crate::x86::loops::scan_loop::{merge_epilogue, neutrals, prefers_avx2};
use crate::x86::predict::timing::Processor;
use crate::{
    Access, DeviceError, DirectLoop, Expanded, FoldOrder, FpFlags, Inst, Kernel, Launch, OperandDecl, OperandId,
    PreparedLaunch, Program, RaisedFlags, Scalar, SingleThread, Template, ThreadPool, Verified, Version, expand_as,
};
use parking_lot::RwLock;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::fmt::Write;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Loops that a program keeps besides that of dense rows. Programs meet a handful of patterns; one that meets thousands would keep 4 KB
/// for each, and search them all. One more than these is compiled again at each launch, in some 10 µs.
const MAX_LOOPS: usize = 32;

/// Elements of a row from which those before the first aligned vector are run apart: a vector that is stored across two cache lines takes
/// 7 % longer (three loads, an addition each; Zen 4), another call 15 ns.
pub(crate) const MIN_ALIGNED_ROW: usize = 2048;

/// Chunks of a row run in order between two polls for an interrupt: some 130 µs.
const POLL_CHUNKS: usize = 16;

/// A map or a scan with its compiled loops.
pub(crate) struct LoopProgram {
    /// The kernel with its elementary functions expanded, a scan as one fragment.
    pub(crate) expanded: Expanded,
    pub(crate) fallback: Fallback,
    /// Which arguments it has values for, and the version for others.
    pub(crate) version: Version,
    pub(crate) second: SecondVersion<LoopProgram>,
    /// Where loops leave before they store what may come with flags or is to be computed again: the operands whose results they test. And
    /// the version that runs what they leave; none within if it can't be made.
    pub(crate) tested: Option<SmallVec<[OperandId; 4]>>,
    pub(crate) saving: OnceLock<Option<Box<LoopProgram>>>,
    /// Launches that it runs at once, after one of which loops left most.
    pub(crate) saving_turns: Turns,
    /// By accumulator of a scan, whose rows go along the last axis: the neutral element.
    pub(crate) initial_carries: SmallVec<[Scalar; 2]>,
    /// What decides the strategy of a launch.
    pub(crate) forms: LoopForms,
    /// Instructions of the unexpanded body: numbers from there on are of the epilogue.
    pub(crate) body_length: u32,
    pub(crate) processor: &'static Processor,
    pub(crate) lanes: usize,
    /// Instructions that may raise flags, and the union of their flags.
    pub(crate) may_raise: SmallVec<[(u32, FpFlags); 4]>,
    pub(crate) fp_mask: FpFlags,
    /// Whether an underflow may come from inside an expanded function that reports none, though only one instruction reports any.
    pub(crate) ambiguous_underflow: bool,
    /// Whether it stores by offsets: then points run in order, as the last store wins.
    scatters: bool,
    /// The loop of dense rows; operands accessed by offsets are broadcast.
    dense: Arc<CompiledLoop>,
    dense_kinds: StrideKinds,
    shifted: ShiftedLoops,
    /// The other loops, by stride kinds, the oldest first; none where a pattern has no loop.
    loops: RwLock<VecDeque<(StrideKinds, Option<Arc<CompiledLoop>>)>>,
    /// Whether it uses coordinates.
    uses_coordinates: bool,
    /// Whether points repeat instructions.
    pub(crate) has_loops: bool,
    /// Whether its results are read at once: they are not written past the caches.
    pub(crate) keeps_results_cached: bool,
    /// Whether one call may run several rows.
    pub(crate) nests: bool,
}

impl LoopProgram {
    /// Makes a program of a map or a scan, and the loop of its dense rows.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(crate) fn new(
        kernel: &Verified<Kernel>,
        processor: &'static Processor,
        portable: &Portable,
        version: Version,
        overwriting: Overwriting,
    ) -> Result<LoopProgram, String> {
        let mut expanded = expand_as(kernel, version);
        let mut initial_carries = SmallVec::new();
        if kernel.template == Template::Scan {
            initial_carries = neutrals(kernel, processor.level).ok_or("a fold without a scan loop")?;
            expanded = merge_epilogue(expanded, kernel);
        }
        expanded = interleaved(expanded, |expanded| Body::of(expanded, processor));
        let mut body = Body::of(&expanded, processor);
        if !initial_carries.is_empty() && prefers_avx2(kernel, body.length()) {
            body = Body::of(&expanded, Processor::here(Level::Avx2));
        }
        let may_raise = may_raise(kernel);
        // Lanes of one or two bytes have no room for coordinates, which are wider: nothing there uses those that there are.
        let uses_coordinates = (0..body.fragment.insts.len())
            .any(|at| body.is_live(at) && matches!(body.fragment.insts[at], Inst::Index(_)));
        let sequential = if initial_carries.is_empty() { 0.0 } else { SEQUENTIAL_NS };
        let cost = body.element_ns() + sequential;
        let insts = || kernel.body.insts.iter().chain(&kernel.epilogue.insts);
        let bytes = body.element_bytes();
        let by_offset =
            |inst: &Inst, o: usize| matches!(inst, Inst::Gather(m, _) | Inst::Scatter(m, ..) if m.0 as usize == o);
        let is_broadcast = |o: usize| insts().any(|inst| by_offset(inst, o));
        let dense_kinds: StrideKinds = (0..kernel.operands.len())
            .map(|o| if is_broadcast(o) { StrideKind::Broadcast } else { StrideKind::Dense })
            .collect();
        let may_leave = overwriting == Overwriting::Leaves && !uses_coordinates;
        let tested =
            if may_leave && (may_raise.len() > 1 || body.has_slow_path()) { telling_results(kernel) } else { None };
        let tested = tested.filter(|tested| body.plan_side_exits(tested));
        let first = CompiledLoop::new(&body, &dense_kinds).map_err(|none| none.what)?;
        let fp_mask = may_raise.iter().fold(FpFlags::NONE, |all, (_, effects)| all | *effects);
        let ambiguous_underflow = has_ambiguous_underflow(&expanded, &may_raise);
        let single_pass = tested.is_some() || may_raise.len() <= 1 && !first.has_slow_path() && !ambiguous_underflow;
        let scatters = check_offsets(kernel, &expanded, single_pass)?;
        let (lanes, has_loops) = (body.lanes, body.has_loops());
        let multiplies =
            kernel.accumulators.iter().any(|a| a.fold.row().is_some_and(|row| row.order == FoldOrder::Lanes));
        let computes = insts().any(|inst| !matches!(inst, Inst::Load(_) | Inst::Store(..) | Inst::Result(_)));
        let shortest_row = match first.shortest_row() {
            _ if multiplies && !computes => SHORT_PRODUCT_ROW,
            usize::MAX => SHORT_LOOP_ROW,
            _ if uses_coordinates => SHORT_LOOP_ROW,
            vector if vector < SHORT_NESTED_ROW && body.length() <= ONE_OP => SHORT_LOOP_ROW,
            vector => vector.max(SHORT_NESTED_ROW),
        };
        let is_dense = dense_kinds.iter().all(|kind| *kind == StrideKind::Dense);
        let is_plain = is_dense && !uses_coordinates && (single_pass || initial_carries.is_empty());
        let shifted = ShiftedLoops::of(&body, &dense_kinds);
        Ok(LoopProgram {
            fallback: Fallback::new(kernel, processor, portable),
            version,
            second: SecondVersion::of(kernel),
            tested,
            saving: OnceLock::new(),
            saving_turns: Turns::default(),
            initial_carries,
            forms: LoopForms { is_plain, single_pass, shortest_row, cost, bytes },
            body_length: kernel.body.insts.len() as u32,
            processor: body.processor,
            lanes,
            ambiguous_underflow,
            scatters,
            fp_mask,
            may_raise,
            expanded,
            dense: Arc::new(first),
            dense_kinds,
            shifted,
            loops: RwLock::default(),
            uses_coordinates,
            has_loops,
            keeps_results_cached: false,
            nests: !uses_coordinates,
        })
    }

    /// What loops are compiled from.
    fn body(&self) -> Body<'_> {
        let mut body = Body::of(&self.expanded, self.processor);
        if let Some(tested) = &self.tested {
            body.plan_side_exits(tested);
        }
        body
    }

    /// The loop for dense rows along an axis, of so many points in all.
    #[inline]
    pub(crate) fn dense_loop(&self, launch: &Launch<'_>, axis: Option<usize>, points: usize) -> &Arc<CompiledLoop> {
        let shifted = |axis| self.shifted.find((|| self.body(), &self.dense_kinds), launch, (axis, points));
        axis.and_then(shifted).unwrap_or(&self.dense)
    }

    /// Whether the loop for such a launch is final: none is to be compiled for its shifts.
    pub(crate) fn is_settled(&self, launch: &Launch<'_>) -> bool {
        launch.outer.iter().rposition(|&n| n != 1).is_none_or(|axis| self.shifted.is_settled(launch, axis))
    }

    /// The loop for dense rows, kept.
    pub(crate) fn dense(&self) -> Arc<CompiledLoop> {
        self.dense.clone()
    }

    /// The loop for a pattern of stride kinds other than that of dense rows.
    pub(crate) fn loop_for(&self, kinds: &StrideKinds) -> Option<Arc<CompiledLoop>> {
        let known = self.loops.read();
        if let Some((_, found)) = known.iter().find(|(s, _)| s == kinds) {
            return found.clone();
        }
        drop(known);
        let made = CompiledLoop::new(&self.body(), kinds).ok().map(Arc::new);
        let mut known = self.loops.write();
        if known.len() == MAX_LOOPS {
            known.pop_front();
        }
        known.push_back((kinds.clone(), made.clone()));
        made
    }

    /// The range of addresses of an operand's elements.
    pub(crate) fn byte_range(&self, launch: &Launch<'_>, operand: usize) -> Range<isize> {
        let (mut low, mut high) = (0isize, self.size_of(operand) as isize);
        for (&stride, &n) in launch.strides_of(operand).iter().zip(launch.outer) {
            let span = stride * (n as isize - 1);
            if span < 0 { low += span } else { high += span }
        }
        let at = launch.addresses[operand] as isize;
        at + low..at + high
    }
}

/// How a launch runs by rows.
pub(crate) struct RowPlan<'a> {
    rows: RowChunks<'a>,
    points: usize,
    kinds: StrideKinds,
    /// The loop for these stride kinds, where it is not the one for dense rows.
    other: Option<Arc<CompiledLoop>>,
}

impl Program for LoopProgram {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Result<RaisedFlags, DeviceError> {
        // SAFETY: the caller's contract.
        unsafe { self.launch_by_rows(launch, workers).map_or_else(|| self.fallback.get().launch(launch, workers), Ok) }
    }

    unsafe fn launch_small(&self, launch: &Launch<'_>) -> bool {
        // SAFETY: the caller's contract.
        unsafe { self.run_small(launch) }
    }

    fn prepare(&self, launch: &Launch<'_>) -> Option<Box<dyn PreparedLaunch>> {
        self.prepare_small(launch)
    }

    fn direct_loop(&self, is_broadcast: &[bool]) -> Option<DirectLoop> {
        self.direct(is_broadcast)
    }

    fn strategy(&self, launch: &Launch<'_>) -> &'static str {
        self.strategy_by_rows(launch).map_or_else(|| self.fallback.get().strategy(launch), Strategy::name)
    }

    fn listing(&self) -> String {
        self.listing_with(self.forms.strategies(self.may_part(), false))
    }
}

impl LoopProgram {
    /// The listing of a program that is capable of these strategies.
    pub(crate) fn listing_with(&self, strategies: impl Iterator<Item = Strategy>) -> String {
        let mut text = format!("x86, {:?}\n{}", self.processor.level, strategy::listing(strategies));
        let body = || self.body();
        text += &format!("dense: {}", self.dense.listing(body(), &self.dense_kinds, &Shifts::default()));
        text += &self.shifted.listing(body, &self.dense_kinds);
        for (kinds, found) in self.loops.read().iter() {
            let _ = match found {
                Some(found) => write!(text, "{kinds:?}: {}", found.listing(body(), kinds, &Shifts::default())),
                None => writeln!(text, "{kinds:?}: portable"),
            };
        }
        text
    }

    /// Whether a launch is one dense row.
    #[inline]
    pub(crate) fn is_dense_row(&self, launch: &Launch<'_>, n: usize) -> bool {
        let Some(axis) = launch.outer.iter().position(|&extent| extent == n) else { return n == 1 };
        let dense = |(strides, decl): (&[isize], &OperandDecl)| strides[axis] == decl.dtype.size() as isize;
        n == 1 || launch.strides.chunks_exact(launch.outer.len()).zip(&self.expanded.kernel.operands).all(dense)
    }

    /// Runs one dense row. Small launches are such rows, for which planning would take as long as their elements.
    ///
    /// # Safety
    /// The contract of the launch, which is one such row.
    unsafe fn run_dense_row(&self, launch: &Launch<'_>, n: usize) -> RaisedFlags {
        let found = self.dense_loop(launch, launch.outer.iter().rposition(|&extent| extent != 1), n);
        let (mut raised, arguments) = (RaisedFlags::new(), found.arguments());
        if !self.fp_mask.is_empty() {
            fp_status::clear();
        }
        with_scratch(arguments.bytes, |memory| {
            // SAFETY: the block has room for all arguments; the addresses are those of `len` elements each.
            unsafe {
                arguments.write_scalars(memory, launch.scalars);
                arguments.write_constants(memory);
                arguments.write_carries(memory, &self.initial_carries);
                if let Some(planes) = arguments.planes {
                    memory.add(planes).cast::<u64>().write(1);
                }
                let mut share = LeftShare::default();
                let mut first = 0;
                let mut len = self.elements_to_alignment(launch, n).unwrap_or(CHUNK_ELEMENTS.min(n));
                while first < n {
                    for (operand, decl) in self.expanded.kernel.operands.iter().enumerate() {
                        let address = launch.addresses[operand].wrapping_add(first * decl.dtype.size());
                        memory.add(arguments.address(operand)).cast::<*mut u8>().write(address);
                    }
                    if self.tested.is_some() {
                        if let Some(left) = self.run_leaving(found, memory, (len, 1), &mut share) {
                            self.run_rest_of_row(launch, (first, len), left, &mut raised);
                        }
                    } else {
                        let again = self.run_chunk(len, || found.run(memory, len, 1));
                        if again.is_some() || fp_status::is_raised(self.fp_mask) {
                            self.re_execute_dense(launch, first..first + len, again, &mut raised);
                            fp_status::clear();
                        }
                    }
                    first += len;
                    len = CHUNK_ELEMENTS.min(n - first);
                }
                self.note_left(&share);
            }
        });
        raised
    }

    /// How many elements of a dense row come before those whose result is aligned to vectors, if it pays to run them apart.
    #[inline]
    pub(crate) fn elements_to_alignment(&self, launch: &Launch<'_>, n: usize) -> Option<usize> {
        let operands = &self.expanded.kernel.operands;
        if n < MIN_ALIGNED_ROW || self.processor.level != Level::Avx512 || !self.may_part() {
            return None;
        }
        let written = operands.iter().position(|operand| operand.access == Access::Write)?;
        let before = launch.addresses[written].addr().wrapping_neg() % VECTOR_BYTES;
        let size = operands[written].dtype.size();
        (before != 0 && before.is_multiple_of(size)).then_some(before / size)
    }

    /// Whether rows may be run in parts: a part knows neither its coordinates nor the carries of those before.
    pub(crate) fn may_part(&self) -> bool {
        !self.uses_coordinates && !self.scatters && self.initial_carries.is_empty()
    }

    /// Whether results of one dense row may overlap its inputs.
    fn overwrites_inputs(&self, launch: &Launch<'_>) -> bool {
        let operands = &self.expanded.kernel.operands;
        let of = |access| (0..operands.len()).filter(move |&o| operands[o].access == access);
        of(Access::Write)
            .any(|w| of(Access::Read).any(|r| overlap(&self.byte_range(launch, w), &self.byte_range(launch, r))))
    }

    /// The strategy of a launch, all of whose axes are outer ones; none where the interpreter runs it.
    pub(crate) fn strategy_by_rows(&self, launch: &Launch<'_>) -> Option<Strategy> {
        match self.choose(launch) {
            Strategy::Rows if self.blocks(launch).is_some() => Some(Strategy::Blocks),
            Strategy::Rows => self.plan(launch).map(|_| Strategy::Rows),
            chosen => Some(chosen),
        }
    }

    #[inline]
    fn choose(&self, launch: &Launch<'_>) -> Strategy {
        let points: usize = launch.outer.iter().product();
        let is_dense_row = || self.is_dense_row(launch, points);
        strategy::of_loop(&self.forms, points, is_dense_row, || self.overwrites_inputs(launch))
    }

    /// Runs a launch, all of whose axes are outer ones, by rows; none where that does not pay.
    ///
    /// # Safety
    /// The contract of the launch.
    #[inline]
    pub(crate) unsafe fn launch_by_rows(&self, launch: &Launch<'_>, workers: &dyn ThreadPool) -> Option<RaisedFlags> {
        if self.tested.is_some() && self.saves_inputs() {
            // SAFETY: the caller's contract.
            return unsafe { self.saving()?.launch_by_rows(launch, workers) };
        }
        match self.choose(launch) {
            Strategy::Nothing => Some(RaisedFlags::new()),
            // SAFETY: the caller's contract.
            Strategy::DenseRow => Some(unsafe { self.run_dense_row(launch, launch.outer.iter().product()) }),
            _ => {
                if let Some(blocks) = self.blocks(launch) {
                    // SAFETY: as above.
                    return Some(unsafe { self.launch_in_blocks(launch, &blocks, workers) });
                }
                let plan = self.plan(launch)?;
                // SAFETY: as above.
                Some(unsafe { self.run_plan(&plan, workers) })
            }
        }
    }

    /// Runs a part of a launch of so many points on the caller's thread: its first point is `origin`.
    ///
    /// # Safety
    /// As [`LoopProgram::launch_by_rows`].
    pub(crate) unsafe fn run_alone(&self, part: &Launch<'_>, origin: &[usize], points: usize) -> RaisedFlags {
        // SAFETY: the caller's contract.
        unsafe {
            match self.plan_part(part, points) {
                Some(plan) => self.run_plan(&plan, &SingleThread),
                None => self.fallback.get().run_part(part, origin),
            }
        }
    }

    /// The stride kinds of dense rows; operands accessed by offsets are broadcast.
    pub(crate) fn dense_kinds(&self) -> &StrideKinds {
        &self.dense_kinds
    }

    /// Bytes of an operand's elements.
    pub(crate) fn size_of(&self, operand: usize) -> usize {
        self.expanded.kernel.operands[operand].dtype.size()
    }

    /// How an operand is accessed.
    pub(crate) fn access_of(&self, operand: usize) -> Access {
        self.expanded.kernel.operands[operand].access
    }

    /// Plans a launch by rows; none where it has no loop or does not pay.
    pub(crate) fn plan<'a>(&self, launch: &Launch<'a>) -> Option<RowPlan<'a>> {
        self.plan_part(launch, launch.outer.iter().product())
    }

    /// The same for a part of a launch of so many points.
    fn plan_part<'a>(&self, launch: &Launch<'a>, of: usize) -> Option<RowPlan<'a>> {
        let points: usize = launch.outer.iter().product();
        // The loop counts coordinates along the last axis, which is that of a scan.
        let is_sequential = !self.initial_carries.is_empty();
        let axis = launch.outer.iter().rposition(|&n| n != 1 || self.uses_coordinates || is_sequential);
        let n = axis.map_or(1, |axis| launch.outer[axis]);
        if strategy::of_rows(&self.forms, n, points) == Strategy::Interpret {
            return None;
        }
        let mut kinds = axis.map_or_else(|| Some(self.dense_kinds.clone()), |axis| self.kinds_along(launch, axis))?;
        self.use_non_temporal(launch, of, &mut kinds);
        let saved = if self.forms.single_pass { SmallVec::new() } else { self.clobbered_inputs(launch, &kinds)? };
        let other = if kinds == self.dense_kinds { None } else { Some(self.loop_for(&kinds)?) };
        let chunk = strategy::chunk_of(n, !saved.is_empty() || self.has_loops);
        let across = (0..launch.outer.len()).rev().find(|&other| Some(other) != axis && launch.outer[other] != 1);
        let shortest = other.as_deref().unwrap_or(&self.dense).shortest_row();
        let nests = self.nests && across.is_some() && n == chunk && n >= shortest;
        let most = if nests { strategy::rows_of_call(n, !saved.is_empty()) } else { 1 };
        let rows = RowChunks {
            launch: SharedLaunch(*launch),
            axis,
            n,
            chunk,
            chunks: n.div_ceil(chunk),
            across,
            most,
            saved,
            is_sequential,
        };
        Some(RowPlan { rows, points, kinds, other })
    }

    /// The stride kinds of all operands along an axis; none without a loop for them.
    #[inline]
    pub(crate) fn kinds_along(&self, launch: &Launch<'_>, axis: usize) -> Option<StrideKinds> {
        if launch.outer[axis] == 1 {
            return Some(self.dense_kinds.clone());
        }
        let mut kinds = self.dense_kinds.clone();
        for (operand, kind) in kinds.iter_mut().enumerate() {
            *kind = self.stride_kind(operand, launch.strides_of(operand)[axis])?;
        }
        Some(kinds)
    }

    /// The stride kind of an operand for a stride along rows; none without a loop for it.
    fn stride_kind(&self, operand: usize, stride: isize) -> Option<StrideKind> {
        let (size, access) = (self.size_of(operand) as isize, self.access_of(operand));
        let wide =
            size >= 4 && self.lanes as isize * size >= 32 && !self.expanded.kernel.operands[operand].dtype.is_complex();
        let permutes = self.processor.level == Level::Avx512 && access == Access::Read && wide;
        let overflows = stride.unsigned_abs() * (self.lanes - 1) > i32::MAX as usize && self.has_short_offsets();
        match stride {
            s if s == size => Some(StrideKind::Dense),
            0 => Some(StrideKind::Broadcast),
            s if permutes && s == 2 * size => Some(StrideKind::Stride2),
            s if permutes && s == -size => Some(StrideKind::Reversed),
            _ if overflows => None,
            _ => Some(StrideKind::Strided),
        }
    }

    /// Runs a planned launch.
    ///
    /// # Safety
    /// The contract of the launch; with one worker, rows may read what rows before them stored.
    pub(crate) unsafe fn run_plan(&self, plan: &RowPlan<'_>, workers: &dyn ThreadPool) -> RaisedFlags {
        let dense = || self.dense_loop(&plan.rows.launch.get(), plan.rows.axis, plan.points);
        let found = plan.other.as_ref().unwrap_or_else(dense);
        let units = plan.rows.units(plan.points);
        let nanoseconds = estimate_ns(plan.points, self.forms.cost, self.forms.bytes + self.bytes_between(plan));
        if nanoseconds < MIN_PARALLEL_NS || self.scatters {
            let mut raised = RaisedFlags::new();
            if !self.fp_mask.is_empty() {
                fp_status::clear();
            }
            // SAFETY: the caller's contract.
            unsafe { self.run_units(found, &plan.kinds, &plan.rows, 0..units, &mut raised) };
            return raised;
        }
        parallel_for(units, nanoseconds, workers, &|range, raised| {
            // SAFETY: the caller's contract; units do not overlap.
            unsafe { self.run_units(found, &plan.kinds, &plan.rows, range, raised) }
        })
    }

    /// Bytes that each element moves beyond its own: the rest of its cache line, as far as the next element of a row begins after it.
    fn bytes_between(&self, plan: &RowPlan<'_>) -> usize {
        let launch = plan.rows.launch.get();
        let between = |operand| {
            let stride = plan.rows.axis.map_or(0, |axis| launch.strides_of(operand)[axis].unsigned_abs());
            stride.min(LINE_BYTES).saturating_sub(self.size_of(operand))
        };
        (0..plan.kinds.len()).map(between).sum()
    }

    /// Runs some units.
    ///
    /// # Safety
    /// The contract of the launch.
    unsafe fn run_units(
        &self,
        found: &CompiledLoop,
        kinds: &StrideKinds,
        rows: &RowChunks<'_>,
        range: Range<usize>,
        raised: &mut RaisedFlags,
    ) {
        let launch = rows.launch.get();
        let arguments = found.arguments();
        let room: usize = rows.saved.iter().map(|&o| self.saved_bytes(o, rows)).sum();
        with_scratch(arguments.bytes.next_multiple_of(VECTOR_BYTES) + room, |memory| {
            let spare = memory.wrapping_add(arguments.bytes.next_multiple_of(VECTOR_BYTES));
            // SAFETY: the block has room for all arguments, and only this function has its address.
            let put = |at: usize, value: u64| unsafe { memory.add(at).cast::<u64>().write(value) };
            // SAFETY: as above.
            unsafe {
                arguments.write_scalars(memory, launch.scalars);
                arguments.write_constants(memory);
            }
            self.write_strides(rows, kinds, arguments, memory);
            let mut unit = range.start;
            let mut begin = RowBegin::of_first(rows);
            let mut share = LeftShare::default();
            while unit < range.end {
                let (row, chunks) = rows.of(unit);
                begin.advance_to(rows, row);
                let count = rows.count_from(&begin, range.end - unit);
                let mut planes = 1;
                if let Some(slots) = arguments.planes {
                    let (most, step) = rows.planes_from(&begin, count, range.end - unit);
                    planes = most;
                    for (slot, value) in [most as u64, count as u64, step as u64].into_iter().enumerate() {
                        put(slots + 8 * slot, value);
                    }
                }
                unit += count * planes;
                // SAFETY: as above.
                unsafe { arguments.write_carries(memory, &self.initial_carries) };
                for chunk in chunks {
                    // A row that has to be run in order is one task, however long.
                    if rows.is_sequential && chunk % POLL_CHUNKS == POLL_CHUNKS - 1 && interrupt::is_interrupted() {
                        return;
                    }
                    let first = chunk * rows.chunk;
                    let len = rows.chunk.min(rows.n - first);
                    let span = RowSpan { first, len, rows: count };
                    if self.uses_coordinates {
                        begin.coordinates(rows, first).for_each(|(axis, at)| put(arguments.axis(axis), at as u64));
                    }
                    for operand in 0..kinds.len() {
                        put(arguments.address(operand), begin.address(rows, operand, first) as u64);
                    }
                    if !rows.saved.is_empty() {
                        self.save_clobbered_inputs(rows, &begin, span, spare);
                    }
                    if self.tested.is_some() {
                        // SAFETY: the addresses are those of so many rows of `len` elements each, with the stride kinds of the loop.
                        if let Some(left) = unsafe { self.run_leaving(found, memory, (len, count), &mut share) } {
                            // SAFETY: as above.
                            unsafe { self.run_rest_of_call(rows, &mut begin, span, left, raised) };
                        }
                        continue;
                    }
                    // SAFETY: as above.
                    let carries = unsafe { arguments.read_carries(memory, &self.initial_carries) };
                    // SAFETY: the addresses are those of so many rows of `len` elements each, with the stride kinds of the loop.
                    let again = self.run_chunk(len * count * planes, || unsafe { found.run(memory, len, count) });
                    if again.is_some() || fp_status::is_raised(self.fp_mask) {
                        let again = again.or_else(|| self.again_unless_attributed(raised));
                        for (plane, again) in (0..planes).filter_map(|plane| Some((plane, again?))) {
                            begin.advance_to(rows, row + plane * count);
                            let mut chunk = self.chunk_to_re_execute(rows, &begin, span, spare, carries.clone());
                            // SAFETY: as above.
                            unsafe {
                                self.re_execute(&launch, rows.axis, &mut chunk, again, raised);
                                arguments.write_carries(memory, &chunk.carries);
                            }
                        }
                        fp_status::clear();
                    }
                }
            }
            self.note_left(&share);
        });
    }

    /// Writes the strides of rows to an argument block.
    fn write_strides(&self, rows: &RowChunks<'_>, kinds: &StrideKinds, arguments: &Arguments, memory: *mut u8) {
        let launch = rows.launch.get();
        // SAFETY: the block has room for all arguments.
        let put = |at: usize, value: isize| unsafe { memory.add(at).cast::<isize>().write(value) };
        for operand in (0..kinds.len()).filter(|&operand| kinds[operand] == StrideKind::Strided) {
            let stride = rows.axis.map_or(0, |axis| launch.strides_of(operand)[axis]);
            put(arguments.vector_stride(operand), stride * self.lanes as isize);
            self.put_offsets(memory.wrapping_add(arguments.offsets(Some(operand), false)), stride);
        }
        if self.uses_coordinates {
            self.put_offsets(memory.wrapping_add(arguments.offsets(None, false)), 1);
        }
        if let (Some(across), true) = (rows.across, rows.most > 1) {
            (0..kinds.len()).for_each(|o| put(arguments.pitch(o), launch.strides_of(o)[across]));
        }
    }

    /// Whether offsets have four bytes.
    fn has_short_offsets(&self) -> bool {
        self.processor.level == Level::Avx512 && self.lanes > 8
    }

    /// Writes the offsets of all lanes.
    pub(crate) fn put_offsets(&self, to: *mut u8, stride: isize) {
        // SAFETY: the arguments have room for them there, aligned.
        unsafe {
            if self.has_short_offsets() {
                (0..self.lanes).for_each(|lane| to.cast::<i32>().add(lane).write((lane as isize * stride) as i32));
            } else {
                (0..self.lanes).for_each(|lane| to.cast::<i64>().add(lane).write((lane as isize * stride) as i64));
            }
        }
    }
}
