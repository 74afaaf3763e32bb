//! Launching: rows of a domain through the loop for their steps, in pieces that fit the cache and threads. Pieces of a scan's row
//! follow each other in one task, with what ran along so far in between.
//!
//! Floating-point flags are read once a piece. Where one instruction alone may raise those that are up, it did. Otherwise the
//! piece runs again through the portable backend, which knows which of them it was: pieces that raise flags are few. So does a
//! piece with arguments that an elementary function's short form does not take. What they read is still there, or was put
//! aside where results replace it.

use crate::drive::fp_status;
use crate::drive::parallel::{Shared, nanoseconds, spread};
use crate::drive::scratch::with as with_scratch;
use crate::portable::{Fuse, Interpreted, Portable};
use crate::x86::asm::level::Level;
use crate::x86::launch::block_calls::Passes;
use crate::x86::launch::compiled_loop::Row;
use crate::x86::loops::body::Body;
use crate::x86::loops::map_loop::{Step, Steps, VECTOR};
use crate::x86::loops::scan_loop::{in_one, neutrals, wants_small_vectors};
use crate::{
    Access, DeviceError, Expanded, FoldOrder, FpFlags, Fragment, GRAIN, Inline, Inst, Kernel, Launch, OperandDecl,
    Program, Raised, Scalar, Template, Verified, Workers, expand,
};
use smallvec::SmallVec;
use std::fmt::Write;
use std::ops::Range;
use std::sync::{Arc, RwLock};

/// Elements of a piece: so many that reading the flags is nothing, so few that what one of twelve operands has of a piece
/// stays in the second-level cache.
const PIECE: usize = 8192;
/// The same where operands are put aside: what is copied stays in the first-level cache.
const SMALL_PIECE: usize = 1024;
/// Results of so many bytes are written past the caches, which would fetch each line first only to give it up again:
/// `x + y` of 32 MB takes 4.5 ms with stores as usual and 3.4 so. Below, the caches keep what is read next.
const STREAMED: usize = 32 << 20;
/// The cost of an op that takes less than reading its operand from memory.
const LIGHT: u8 = 2;
/// So few elements have no result so large.
const STREAMED_POINTS: usize = STREAMED / 16;
/// Rows shorter than this are better taken together, which the portable backend does.
const SHORT_ROW: usize = 16;
/// The same of products that run along, if nothing else is computed: rows of 100 elements take 1.05 ns each here and 0.9 there.
const SHORT_PRODUCT: usize = 256;
/// Nanoseconds of an addition that waits for the one before.
const IN_ORDER: f64 = 1.3;

/// The kernel of a map or a scan with its loops.
pub(crate) struct Compiled {
    /// The kernel with its elementary functions written out, a scan in one fragment.
    expanded: Expanded,
    pub(crate) fallback: Interpreted,
    /// By accumulator of a scan, whose rows go along the last axis, the value that changes no other.
    before: SmallVec<[Scalar; 2]>,
    /// Elements of the shortest rows that pay, where there are several.
    shortest: usize,
    /// Instructions of the body as it was: numbers from there on are the epilogue's.
    length: u32,
    level: Level,
    lanes: usize,
    /// Nanoseconds an element, roughly, where memory is not the limit; and the bytes of an element that go through memory.
    cost: f64,
    bytes: usize,
    /// Instructions that may raise flags, and all of their flags.
    raising: SmallVec<[(u32, FpFlags); 4]>,
    watched: FpFlags,
    /// Whether an underflow may be that of a step of a function, which reports none, though one instruction alone may raise it.
    is_doubted: bool,
    /// Whether it stores by offsets: points are taken in their order, as the last one wins.
    scatters: bool,
    /// The loop of dense rows, where what is accessed by offsets stands still.
    dense: Row,
    plain: Steps,
    /// The other ones, by steps; none where a pattern has no loop.
    loops: RwLock<Vec<(Steps, Option<Arc<Row>>)>>,
    /// Whether one dense row needs nothing but its addresses: no coordinates, nothing that stands still.
    is_simple: bool,
    /// Whether it never needs a second look.
    looks_once: bool,
    /// Whether coordinates are asked for.
    counts: bool,
    /// Whether it is memory that takes the time of large launches. (What waits for a divider gains nothing by streaming, and
    /// lost 18 %.)
    pub(crate) is_light: bool,
}

impl Compiled {
    /// Makes a program of a map or a scan, and the loop of its dense rows.
    ///
    /// # Errors
    /// What of it has no instructions here.
    pub(crate) fn new(kernel: &Verified<Kernel>, level: Level, portable: &Portable) -> Result<Compiled, String> {
        let mut expanded = expand(kernel);
        let mut before = SmallVec::new();
        if kernel.template == Template::Scan {
            before = neutrals(kernel, level).ok_or("what runs along")?;
            expanded = in_one(expanded, kernel);
        }
        let mut body = Body::of(&expanded, level);
        if !before.is_empty() && wants_small_vectors(kernel, body.length()) {
            body = Body::of(&expanded, Level::Avx2);
        }
        let raising = raising(kernel);
        // Lanes of one or two bytes have no room for coordinates, which are wider: nothing there uses those that there are.
        let counts = (0..body.fragment.insts.len())
            .any(|at| body.is_live(at) && matches!(body.fragment.insts[at], Inst::Index(_)));
        let in_order = if before.is_empty() { 0.0 } else { IN_ORDER };
        let cost = 0.03 + 0.02 * body.length() as f64 * 8.0 / body.lanes as f64 + in_order;
        let insts = || kernel.body.insts.iter().chain(&kernel.epilogue.insts);
        let is_light = insts().all(|inst| !matches!(inst, Inst::Apply(op, _) if op.row().cost > LIGHT));
        let by_offset =
            |inst: &Inst, o: usize| matches!(inst, Inst::Gather(m, _) | Inst::Scatter(m, ..) if m.0 as usize == o);
        let is_still = |o: usize| insts().any(|inst| by_offset(inst, o));
        let plain: Steps =
            (0..kernel.operands.len()).map(|o| if is_still(o) { Step::Still } else { Step::Dense }).collect();
        let first = Row::new(&body, &plain).map_err(|none| none.what)?;
        let watched = raising.iter().fold(FpFlags::NONE, |all, (_, effects)| all | *effects);
        // A second look launches pieces, which do not know where in the launch they lie; it computes what nothing needs too.
        let is_coordinate = |inst: &Inst| matches!(inst, Inst::Index(_));
        if insts().any(is_coordinate) && (raising.len() > 1 || first.leaves_out()) {
            return Err("coordinates among instructions that may want a second look".into());
        }
        // With coordinates there is no second look.
        let is_doubted = !counts && may_lose_more(&expanded, &raising);
        let looks_once = raising.len() <= 1 && !first.leaves_out() && !is_doubted;
        let scatters = check_offsets(kernel, &expanded, looks_once)?;
        // Some scans are its business, so it is given functions for blocks.
        let passes = Passes(level);
        let fuse = (kernel.template == Template::Scan).then_some(&passes as &dyn Fuse);
        let fallback = portable.interpret(kernel, fuse).map_err(|error| error.reason)?;
        let lanes = body.lanes;
        let multiplies =
            kernel.accumulators.iter().any(|a| a.fold.row().is_some_and(|row| row.order == FoldOrder::Lanes));
        let computes = insts().any(|inst| !matches!(inst, Inst::Load(_) | Inst::Store(..) | Inst::Result(_)));
        let shortest = if multiplies && !computes { SHORT_PRODUCT } else { SHORT_ROW };
        let is_dense = plain.iter().all(|step| *step == Step::Dense);
        let is_simple = is_dense && !counts && (looks_once || before.is_empty());
        Ok(Compiled {
            fallback,
            before,
            shortest,
            length: kernel.body.insts.len() as u32,
            level: body.level,
            lanes,
            cost,
            bytes: kernel.operands.iter().map(|operand| operand.dtype.size()).sum(),
            is_doubted,
            scatters,
            watched,
            raising,
            expanded,
            dense: first,
            plain,
            loops: RwLock::default(),
            is_simple,
            looks_once,
            counts,
            is_light,
        })
    }

    /// The loop for a pattern of steps other than dense ones.
    fn find(&self, steps: &Steps) -> Option<Arc<Row>> {
        let known = self.loops.read().unwrap_or_else(|e| e.into_inner());
        if let Some((_, found)) = known.iter().find(|(s, _)| s == steps) {
            return found.clone();
        }
        drop(known);
        let made = Row::new(&Body::of(&self.expanded, self.level), steps).ok().map(Arc::new);
        self.loops.write().unwrap_or_else(|e| e.into_inner()).push((steps.clone(), made.clone()));
        made
    }

    /// Has large results be written past the caches, where their rows begin with cache lines and replace nothing.
    #[cold]
    fn stream(&self, launch: &Launch<'_>, points: usize, steps: &mut Steps) {
        let operands = &self.expanded.kernel.operands;
        for operand in 0..steps.len() {
            let (size, own) = (operands[operand].dtype.size(), self.extent(launch, operand));
            let lines = |axis: usize| {
                let stride = launch.strides_of(operand)[axis];
                launch.outer[axis] == 1 || stride == size as isize || stride % VECTOR as isize == 0
            };
            let others = (0..steps.len()).filter(|&o| operands[o].access == Access::Read);
            if operands[operand].access == Access::Write
                && steps[operand] == Step::Dense
                && points * size >= STREAMED
                && self.lanes * operands[operand].dtype.real().size() == self.level.vector()
                && own.start % VECTOR as isize == 0
                && (0..launch.outer.len()).all(lines)
                && !others.map(|o| self.extent(launch, o)).any(|other| meet(&own, &other))
            {
                steps[operand] = Step::Streamed;
            }
        }
    }

    /// The bytes between which an operand's elements lie.
    fn extent(&self, launch: &Launch<'_>, operand: usize) -> Range<isize> {
        let (mut low, mut high) = (0isize, self.expanded.kernel.operands[operand].dtype.size() as isize);
        for (&stride, &n) in launch.strides_of(operand).iter().zip(launch.outer) {
            let span = stride * (n as isize - 1);
            if span < 0 { low += span } else { high += span }
        }
        let at = launch.addresses[operand] as isize;
        at + low..at + high
    }

    /// The operands that results of the launch replace, if their elements lie densely along the rows: they can be put aside.
    fn replaced(&self, launch: &Launch<'_>, steps: &Steps) -> Option<SmallVec<[usize; 4]>> {
        let extent = |operand| self.extent(launch, operand);
        let of = |access| {
            (0..self.expanded.kernel.operands.len()).filter(move |&o| self.expanded.kernel.operands[o].access == access)
        };
        let written: SmallVec<[Range<isize>; 4]> = of(Access::Write).map(extent).collect();
        let mut replaced = SmallVec::new();
        for operand in of(Access::Read) {
            let read = extent(operand);
            if written.iter().any(|w| w.start < read.end && read.start < w.end) {
                if steps[operand] != Step::Dense {
                    return None;
                }
                replaced.push(operand);
            }
        }
        Some(replaced)
    }
}

/// A launch as rows of pieces.
struct Rows<'a> {
    launch: Shared<'a>,
    /// The axis along which rows go, and the elements of one.
    along: Option<usize>,
    n: usize,
    /// Elements of a piece, and pieces of a row.
    piece: usize,
    pieces: usize,
    /// Operands to put aside.
    aside: SmallVec<[usize; 4]>,
    /// Whether the pieces of a row are one after the other's.
    in_order: bool,
}

/// A launch that goes by rows.
pub(crate) struct Plan<'a> {
    rows: Rows<'a>,
    points: usize,
    steps: Steps,
    /// The loop for these steps, where it is not the one for dense rows.
    other: Option<Arc<Row>>,
}

impl Rows<'_> {
    /// Rows and pieces of them that are done in any order.
    fn units(&self, points: usize) -> usize {
        points / self.n * if self.in_order { 1 } else { self.pieces }
    }

    /// The row of a unit, and its pieces.
    fn of(&self, unit: usize) -> (usize, Range<usize>) {
        if self.in_order {
            return (unit, 0..self.pieces);
        }
        let piece = unit % self.pieces;
        (unit / self.pieces, piece..piece + 1)
    }
}

/// A part of a row.
struct Piece {
    /// Where all operands can still be read, of the first of so many elements.
    addresses: SmallVec<[*mut u8; 12]>,
    len: usize,
    /// What ran along up to there.
    carried: SmallVec<[Scalar; 2]>,
}

/// Instructions that may raise flags, and all of their flags, those of the epilogue after those of the body. A fold is where
/// its result is first asked for.
fn raising(kernel: &Kernel) -> SmallVec<[(u32, FpFlags); 4]> {
    let effects = |at: usize| match at.checked_sub(kernel.body.insts.len()) {
        None => kernel.body.effects(at),
        Some(at) => match kernel.epilogue.insts[at] {
            Inst::Result(a) if !kernel.epilogue.insts[..at].contains(&Inst::Result(a)) => {
                kernel.fold_effects(a as usize)
            }
            _ => kernel.epilogue.effects(at),
        },
    };
    (0..kernel.body.insts.len() + kernel.epilogue.insts.len())
        .map(|at| (at as u32, effects(at)))
        .filter(|(_, effects)| !effects.is_empty())
        .collect()
}

impl Program for Compiled {
    unsafe fn launch(&self, launch: &Launch<'_>, workers: &dyn Workers) -> Result<Raised, DeviceError> {
        // SAFETY: the caller's contract.
        unsafe { self.by_rows(launch, workers).map_or_else(|| self.fallback.launch(launch, workers), Ok) }
    }

    fn listing(&self) -> String {
        let mut text = format!("x86, {:?}\n", self.level);
        let _ = write!(text, "dense: {}", self.dense);
        for (steps, found) in self.loops.read().unwrap_or_else(|e| e.into_inner()).iter() {
            let _ = match found {
                Some(found) => write!(text, "{steps:?}: {found}"),
                None => writeln!(text, "{steps:?}: portable"),
            };
        }
        text
    }
}

impl Compiled {
    /// Whether a launch is one row of elements that follow each other.
    #[inline]
    fn is_dense_row(&self, launch: &Launch<'_>, n: usize) -> bool {
        let dense = |(decl, stride): (&OperandDecl, &isize)| *stride == decl.dtype.size() as isize;
        n == 1 || launch.outer.len() == 1 && self.expanded.kernel.operands.iter().zip(launch.strides).all(dense)
    }

    /// Runs one dense row: what small operations are, whose rows, pieces and steps would take as long as their elements.
    ///
    /// # Safety
    /// The contract of the launch, which is one such row.
    unsafe fn run_row(&self, launch: &Launch<'_>, n: usize) -> Raised {
        let (mut raised, arguments) = (Raised::new(), self.dense.arguments());
        if !self.watched.is_empty() {
            fp_status::clear();
        }
        with_scratch(arguments.bytes, |memory| {
            // SAFETY: the block has room for all arguments; the addresses are those of `len` elements each.
            unsafe {
                arguments.put_scalars(memory, launch.scalars);
                arguments.put_constants(memory);
                arguments.put_carries(memory, &self.before);
                for first in (0..n).step_by(PIECE) {
                    for (operand, decl) in self.expanded.kernel.operands.iter().enumerate() {
                        let address = launch.addresses[operand].wrapping_add(first * decl.dtype.size());
                        memory.add(arguments.address(operand)).cast::<*mut u8>().write(address);
                    }
                    let len = PIECE.min(n - first);
                    let odd = !self.dense.run(memory, len);
                    let up = if self.watched.is_empty() { FpFlags::NONE } else { fp_status::read() & self.watched };
                    if odd || !up.is_empty() {
                        self.look_again_at(launch, first..first + len, (odd, up), &mut raised);
                        fp_status::clear();
                    }
                }
            }
        });
        raised.sort_unstable_by_key(|r| (r.0, r.1));
        raised
    }

    /// Whether results may replace what is read, all of it one dense row.
    fn replaces(&self, launch: &Launch<'_>) -> bool {
        let operands = &self.expanded.kernel.operands;
        let of = |access| (0..operands.len()).filter(move |&o| operands[o].access == access);
        of(Access::Write).any(|w| of(Access::Read).any(|r| meet(&self.extent(launch, w), &self.extent(launch, r))))
    }

    /// A second look at some elements of one dense row; see [`Compiled::look_again`].
    ///
    /// # Safety
    /// As [`Compiled::run_row`].
    #[cold]
    unsafe fn look_again_at(
        &self,
        launch: &Launch<'_>,
        range: Range<usize>,
        found: (bool, FpFlags),
        raised: &mut Raised,
    ) {
        let at = |(address, decl): (&*mut u8, &OperandDecl)| address.wrapping_add(range.start * decl.dtype.size());
        let addresses = launch.addresses.iter().zip(&self.expanded.kernel.operands).map(at).collect();
        let mut piece = Piece { addresses, len: range.len(), carried: SmallVec::new() };
        let along = launch.outer.iter().rposition(|&n| n != 1);
        // SAFETY: the caller's contract; nothing runs along where there is more to a second look than flags.
        unsafe { self.look_again(launch, along, &mut piece, found, raised) };
    }

    /// Runs a launch, whose axes are all outer ones here, by rows; none where that does not pay.
    ///
    /// # Safety
    /// The contract of the launch.
    #[inline]
    pub(crate) unsafe fn by_rows(&self, launch: &Launch<'_>, workers: &dyn Workers) -> Option<Raised> {
        let points: usize = launch.outer.iter().product();
        if points == 0 {
            return Some(Raised::new());
        }
        if self.is_simple
            && self.is_dense_row(launch, points)
            && nanoseconds(points, self.cost, self.bytes) < 2.0 * GRAIN
            && (self.looks_once || !self.replaces(launch))
        {
            // SAFETY: the caller's contract.
            return Some(unsafe { self.run_row(launch, points) });
        }
        let plan = self.plan(launch)?;
        // SAFETY: as above.
        Some(unsafe { self.go(&plan, workers) })
    }

    /// How a launch goes by rows, if it does.
    pub(crate) fn plan<'a>(&self, launch: &Launch<'a>) -> Option<Plan<'a>> {
        let points: usize = launch.outer.iter().product();
        // Coordinates are counted along the last axis, along which scans run.
        let in_order = !self.before.is_empty();
        let along = launch.outer.iter().rposition(|&n| n != 1 || self.counts || in_order);
        let n = along.map_or(1, |axis| launch.outer[axis]);
        if n < self.shortest && points != n {
            return None;
        }
        let step = |operand: usize| {
            let stride = along.map_or(0, |axis| launch.strides_of(operand)[axis]);
            if n == 1 { Some(self.plain[operand]) } else { self.step(operand, stride) }
        };
        let mut steps = (0..self.expanded.kernel.operands.len()).map(step).collect::<Option<Steps>>()?;
        if points >= STREAMED_POINTS && self.is_light {
            self.stream(launch, points, &mut steps);
        }
        // One instruction alone needs no second look, if it is computed here.
        let aside = match self.raising.len() {
            0 | 1 if !self.dense.leaves_out() && !self.is_doubted => SmallVec::new(),
            _ => self.replaced(launch, &steps)?,
        };
        let other = if steps == self.plain { None } else { Some(self.find(&steps)?) };
        let piece = n.min(if aside.is_empty() { PIECE } else { SMALL_PIECE });
        let rows = Rows { launch: Shared(*launch), along, n, piece, pieces: n.div_ceil(piece), aside, in_order };
        Some(Plan { rows, points, steps, other })
    }

    /// How an operand goes along rows with a stride, if there is a loop for that.
    fn step(&self, operand: usize, stride: isize) -> Option<Step> {
        let size = self.expanded.kernel.operands[operand].dtype.size() as isize;
        let access = self.expanded.kernel.operands[operand].access;
        let wide = size >= 4 && self.lanes as isize * size >= 32 && !self.is_complex(operand);
        let permutes = self.level == Level::Avx512 && access == Access::Read && wide;
        let far = stride.unsigned_abs() * (self.lanes - 1) > i32::MAX as usize && self.has_short_offsets();
        match stride {
            s if s == size => Some(Step::Dense),
            0 => Some(Step::Still),
            s if permutes && s == 2 * size => Some(Step::Alternate),
            s if permutes && s == -size => Some(Step::Backward),
            _ if far => None,
            _ => Some(Step::Strided),
        }
    }

    /// Runs what was planned.
    ///
    /// # Safety
    /// The contract of the launch; with one worker, rows may read what rows before them stored.
    pub(crate) unsafe fn go(&self, plan: &Plan<'_>, workers: &dyn Workers) -> Raised {
        let found = plan.other.as_deref().unwrap_or(&self.dense);
        let units = plan.rows.units(plan.points);
        let nanoseconds = nanoseconds(plan.points, self.cost, self.bytes);
        if nanoseconds < 2.0 * GRAIN || self.scatters {
            let mut raised = Raised::new();
            if !self.watched.is_empty() {
                fp_status::clear();
            }
            // SAFETY: the caller's contract.
            unsafe { self.run(found, &plan.steps, &plan.rows, 0..units, &mut raised) };
            raised.sort_unstable_by_key(|r| (r.0, r.1));
            return raised;
        }
        spread(units, nanoseconds, workers, &|range, raised| {
            // SAFETY: the caller's contract; pieces do not overlap.
            unsafe { self.run(found, &plan.steps, &plan.rows, range, raised) }
        })
    }

    /// Runs some pieces.
    ///
    /// # Safety
    /// The contract of the launch.
    unsafe fn run(&self, found: &Row, steps: &Steps, rows: &Rows<'_>, range: Range<usize>, raised: &mut Raised) {
        let launch = rows.launch.get();
        let arguments = found.arguments();
        let room: usize = rows.aside.iter().map(|&o| self.aside_bytes(o, rows)).sum();
        with_scratch(arguments.bytes.next_multiple_of(VECTOR) + room, |memory| {
            let spare = memory.wrapping_add(arguments.bytes.next_multiple_of(VECTOR));
            // SAFETY: the block has room for all arguments, and nobody else knows of it.
            let put = |at: usize, value: u64| unsafe { memory.add(at).cast::<u64>().write(value) };
            // SAFETY: as above.
            unsafe {
                arguments.put_scalars(memory, launch.scalars);
                arguments.put_constants(memory);
            }
            for operand in 0..steps.len() {
                if steps[operand] == Step::Strided {
                    let stride = rows.along.map_or(0, |axis| launch.strides_of(operand)[axis]);
                    put(arguments.round(operand), (stride * self.lanes as isize) as u64);
                    self.put_offsets(memory.wrapping_add(arguments.offsets(Some(operand), false)), stride);
                }
            }
            if self.counts {
                self.put_offsets(memory.wrapping_add(arguments.offsets(None, false)), 1);
            }
            for (row, pieces) in range.map(|unit| rows.of(unit)) {
                // SAFETY: as above.
                unsafe { arguments.put_carries(memory, &self.before) };
                for piece in pieces {
                    let first = piece * rows.piece;
                    let len = rows.piece.min(rows.n - first);
                    let tell = |axis: usize, at: usize| put(arguments.axis(axis), at as u64);
                    let addresses = self.stand(&launch, rows, row, first, tell);
                    for (operand, &address) in addresses.iter().enumerate() {
                        put(arguments.address(operand), address as u64);
                    }
                    let before = self.put_aside(rows, &addresses, len, spare);
                    // SAFETY: as above.
                    let carried = unsafe { arguments.carried(memory, &self.before) };
                    // SAFETY: the addresses are those of `len` elements each, with the steps that the loop was made for.
                    let odd = unsafe { !found.run(memory, len) };
                    let up = if self.watched.is_empty() { FpFlags::NONE } else { fp_status::read() & self.watched };
                    if odd || !up.is_empty() {
                        let mut piece = Piece { addresses: before, len, carried };
                        // SAFETY: as above.
                        unsafe {
                            if self.look_again(&launch, rows.along, &mut piece, (odd, up), raised) {
                                arguments.put_carries(memory, &piece.carried);
                            }
                        }
                        fp_status::clear();
                    }
                }
            }
        });
    }

    fn is_complex(&self, operand: usize) -> bool {
        self.expanded.kernel.operands[operand].dtype.is_complex()
    }

    fn aside_bytes(&self, operand: usize, rows: &Rows<'_>) -> usize {
        (rows.piece * self.expanded.kernel.operands[operand].dtype.size()).next_multiple_of(VECTOR)
    }

    /// Copies what results are about to replace; gives the addresses at which all operands can still be read.
    fn put_aside(
        &self,
        rows: &Rows<'_>,
        addresses: &[*mut u8],
        len: usize,
        mut spare: *mut u8,
    ) -> SmallVec<[*mut u8; 12]> {
        let mut before: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(addresses);
        for &operand in &rows.aside {
            let bytes = len * self.expanded.kernel.operands[operand].dtype.size();
            // SAFETY: the operand is dense along the piece, and the spare memory has room for each in turn.
            unsafe { std::ptr::copy_nonoverlapping(addresses[operand], spare, bytes) };
            before[operand] = spare;
            spare = spare.wrapping_add(self.aside_bytes(operand, rows));
        }
        before
    }

    /// Whether offsets have four bytes.
    fn has_short_offsets(&self) -> bool {
        self.level == Level::Avx512 && self.lanes > 8
    }

    /// Writes the offsets of all lanes.
    fn put_offsets(&self, to: *mut u8, stride: isize) {
        // SAFETY: the arguments have room for them there, aligned.
        unsafe {
            if self.has_short_offsets() {
                (0..self.lanes).for_each(|lane| to.cast::<i32>().add(lane).write((lane as isize * stride) as i32));
            } else {
                (0..self.lanes).for_each(|lane| to.cast::<i64>().add(lane).write((lane as isize * stride) as i64));
            }
        }
    }

    /// The operands' addresses at an element of a row; tells each axis' coordinate.
    fn stand(
        &self,
        launch: &Launch<'_>,
        rows: &Rows<'_>,
        row: usize,
        first: usize,
        mut tell: impl FnMut(usize, usize),
    ) -> SmallVec<[*mut u8; 12]> {
        let mut addresses: SmallVec<[*mut u8; 12]> = SmallVec::from_slice(launch.addresses);
        let mut rest = row;
        for (axis, &extent) in launch.outer.iter().enumerate().rev() {
            let at = if Some(axis) == rows.along {
                first
            } else {
                let at = rest % extent;
                rest /= extent;
                at
            };
            tell(axis, at);
            for (operand, address) in addresses.iter_mut().enumerate() {
                *address = (*address).wrapping_offset(at as isize * launch.strides_of(operand)[axis]);
            }
        }
        addresses
    }

    /// An instruction by the number that it has among those of the body and of the epilogue: whether it is one of the
    /// epilogue, and which.
    fn place(&self, number: u32) -> (bool, u32) {
        number.checked_sub(self.length).map_or((false, number), |inst| (true, inst))
    }

    /// Finds out which instructions raised flags, and computes what was left out; whether everything was computed again.
    ///
    /// # Safety
    /// As [`Compiled::run`].
    #[cold]
    unsafe fn look_again(
        &self,
        launch: &Launch<'_>,
        along: Option<usize>,
        piece: &mut Piece,
        (odd, up): (bool, FpFlags),
        raised: &mut Raised,
    ) -> bool {
        let doubted = self.is_doubted && up.contains(FpFlags::UNDERFLOW);
        if let ([(only, effects)], false) = (&self.raising[..], odd || doubted) {
            note(raised, self.place(*only), up & *effects);
            return false;
        }
        let mut outer: SmallVec<[usize; 4]> = SmallVec::from_elem(1, launch.outer.len());
        if let Some(axis) = along {
            outer[axis] = piece.len;
        }
        let in_order = !self.before.is_empty();
        let (outer, inner) = outer.split_at(outer.len() - in_order as usize);
        let again = Launch { outer, inner, addresses: &piece.addresses, ..*launch };
        // SAFETY: the caller's contract: the elements are some of the launch's, and what they were made from is unchanged.
        let found = unsafe {
            if in_order {
                self.fallback.go_on(&again, &mut piece.carried)
            } else {
                self.fallback.launch(&again, &Inline).expect("the host's memory is there")
            }
        };
        for (epilogue, inst, flags) in found {
            note(raised, (epilogue, inst), flags);
        }
        true
    }
}

/// Whether two ranges of bytes have some in common.
fn meet(a: &Range<isize>, b: &Range<isize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether a kernel stores by offsets.
///
/// # Errors
/// What is in the way of accesses by offsets: in lanes that are left out there may be anything, and what a second look reads may
/// have been replaced, which strides do not tell of these.
fn check_offsets(kernel: &Kernel, expanded: &Expanded, looks_once: bool) -> Result<bool, String> {
    let body = &expanded.kernel.body;
    // Whether each value is made of what is left out.
    let mut unsure = vec![false; body.insts.len()];
    let mut scatters = false;
    for (at, inst) in body.insts.iter().enumerate() {
        let is_odd = expanded.body.odd.iter().any(|odd| odd.value.0 as usize == at);
        unsure[at] = is_odd || Fragment::arguments(inst).iter().any(|v| unsure[v.0 as usize]);
        let offsets = match inst {
            Inst::Gather(_, offsets) => offsets,
            Inst::Scatter(operand, offsets, _) => {
                scatters = true;
                if !looks_once && !kernel.operands[operand.0 as usize].restrict {
                    return Err("elements by offset that may replace others".into());
                }
                offsets
            }
            _ => continue,
        };
        if unsure[offsets.0 as usize] {
            return Err("offsets that may be left out".into());
        }
    }
    if scatters && kernel.template == Template::Scan { Err("elements by offset".into()) } else { Ok(scatters) }
}

/// Whether steps of functions that report no underflow may raise it where another instruction is the only one to report it.
fn may_lose_more(expanded: &Expanded, raising: &[(u32, FpFlags)]) -> bool {
    let steps = &expanded.kernel.body;
    let [(only, effects)] = raising else { return false };
    let loses = |at: usize| expanded.body.origin[at] != *only && steps.effects(at).contains(FpFlags::UNDERFLOW);
    effects.contains(FpFlags::UNDERFLOW) && (0..steps.insts.len()).any(loses)
}

/// Adds flags to those of an instruction, of the epilogue or not.
pub(crate) fn note(raised: &mut Raised, (epilogue, inst): (bool, u32), up: FpFlags) {
    match raised.iter_mut().find(|r| (r.0, r.1) == (epilogue, inst)) {
        Some(known) => known.2 |= up,
        None => raised.push((epilogue, inst, up)),
    }
}
