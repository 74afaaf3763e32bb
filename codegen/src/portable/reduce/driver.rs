//! Reductions.
//!
//! By *rows* where the inner axes are the faster in memory: a tile holds whole rows of several outer points, or a part of
//! one row. By *columns* where the outer axes are: a tile holds one or more values of each of many outer points, and
//! vectors of accumulators run along the inner axes. Either way an outer tile's results go through the epilogue together.
//!
//! A reduction with few outer tiles and much inner work is divided along the inner axes as well. Into what depends on the
//! sizes alone, not on the number of threads; the parts merge in their order.

use crate::drive::aliasing::Permits;
use crate::drive::isa::Isa;
use crate::drive::parallel::{Shared, nanoseconds, spread};
use crate::drive::tiles::{Tile, Walk};
use crate::drive::{fp_status, scratch};
use crate::portable::exec::bytecode::{Code, block_length, effects};
use crate::portable::exec::exec_tiles::{Frame, report};
use crate::portable::exec::jit_hook::FoldPass;
use crate::portable::loops::{arg_extremes, copies, elementwise, folds};
use crate::portable::reduce::accumulate::{Accumulating, Loops, Places, Progress};
use crate::portable::reduce::reduce_1d;
use crate::portable::reduce::reduce_tiled::Sweep;
use crate::{Fold, FoldOrder, Inst, Kernel, Launch, Raised, Scalar, Template, Workers};
use smallvec::SmallVec;
use std::ops::Range;

/// Elements of a part of inner axes that are divided, at least (a sum of so many takes 1.5 µs), and how many parts there are at
/// most. Neither asks what the elements are made of: a sum is the same whether its terms were stored before or not.
const PART: usize = 1 << 14;
/// The same of what goes on in lanes, products: of factors near one, products of few stay near one, where rounding has a side that it prefers.
const PART_OF_LANES: usize = 1 << 19;
const PARTS: usize = 64;
/// Outer tiles from which on they alone feed the threads.
pub(crate) const ENOUGH_TILES: usize = 16;

/// The accumulators of a kernel, resolved.
pub(crate) struct Folding {
    pub(crate) accumulators: Vec<Accumulating>,
    /// Operands that the body loads, to choose the order by.
    pub(crate) loads: Vec<u16>,
    /// Bytes of partial results for each outer point.
    pub(crate) width: usize,
    /// Whether a [`Sweep`] may run it.
    pub(crate) may_sweep: bool,
    /// What runs the body and folds in one pass, for rows whose elements follow each other.
    pub(crate) fused: Option<FoldPass>,
    /// Whether [`full`] may run it.
    pub(crate) may_be_full: bool,
    /// Elements of a part of inner axes, at least.
    pub(crate) part: usize,
}

/// Finds the loops of a kernel's accumulators.
///
/// # Errors
/// Where a fold has no loop.
pub(crate) fn resolve(kernel: &Kernel, isa: Isa) -> Result<Folding, String> {
    let mut folding = Folding {
        accumulators: vec![],
        loads: vec![],
        width: 0,
        fused: None,
        may_sweep: false,
        may_be_full: false,
        part: PART,
    };
    for inst in &kernel.body.insts {
        if let Inst::Load(o) = inst {
            folding.loads.push(o.0);
        }
    }
    for (i, a) in kernel.accumulators.iter().enumerate() {
        let dtype = kernel.body.dtype(a.value);
        let row = a.fold.row().ok_or_else(|| format!("{} does not fold", a.fold))?;
        let (loops, apply) = match a.fold {
            Fold::Op(op) => (folds::lookup(op, dtype, isa).map(Loops::Fold), elementwise::lookup(op, dtype, isa)),
            Fold::ArgMin | Fold::ArgMax if kernel.template == Template::Scan => (None, None),
            Fold::ArgMin | Fold::ArgMax => (arg_extremes::lookup(a.fold, dtype, isa).map(Loops::Arg), None),
        };
        if row.order == FoldOrder::Lanes {
            folding.part = PART_OF_LANES;
        }
        let result = |inst: &Inst| matches!(inst, Inst::Result(r) if *r as usize == i);
        let result_size = kernel.result_dtype(i).size();
        folding.width += 3 * dtype.size().max(result_size) + dtype.size();
        folding.accumulators.push(Accumulating {
            loops: loops.ok_or_else(|| format!("no fold {:?} over {dtype}", a.fold))?,
            apply,
            value: a.value.0,
            size: dtype.size(),
            result_size,
            identity: row.identity(dtype),
            start: row.start(dtype),
            carries: row.order == FoldOrder::Lanes,
            effects: kernel.fold_effects(i),
            watched: !effects(kernel).is_empty(),
            inst: kernel.epilogue.insts.iter().position(result).unwrap_or(0) as u32,
        });
    }
    Ok(folding)
}

/// A launch, laid out.
struct Layout<'a> {
    body: &'a Code,
    folding: &'a Folding,
    epilogue: &'a Code,
    launch: Shared<'a>,
    outer: Walk,
    inner: Walk,
    by_columns: bool,
    /// Points of a tile, and outer points of one.
    room: usize,
    points: usize,
    permits: Permits,
    epilogue_permits: Permits,
}

/// Whether the outer axes are the faster: each load votes with its smaller stride.
pub(crate) fn by_columns(loads: &[u16], launch: &Launch<'_>) -> bool {
    let last = |extents: &[usize]| extents.iter().rposition(|&e| e > 1);
    let (Some(outer), inner) = (last(launch.outer), last(launch.inner)) else { return false };
    let Some(inner) = inner else { return true };
    let mut votes = 0;
    for &o in loads {
        let strides = launch.strides_of(o as usize);
        let (a, b) = (strides[outer].unsigned_abs(), strides[launch.outer.len() + inner].unsigned_abs());
        if a != 0 && b != 0 {
            votes += if a < b { 1 } else { -1 };
        } else if a != b {
            votes += if a != 0 { 1 } else { -1 };
        }
    }
    votes > 0
}

impl<'a> Layout<'a> {
    fn new(body: &'a Code, folding: &'a Folding, epilogue: &'a Code, launch: &Launch<'a>) -> Layout<'a> {
        let by_columns = by_columns(&folding.loads, launch);
        let inner_points: usize = launch.inner.iter().product();
        let outer_points: usize = launch.outer.iter().product();
        let total = inner_points.saturating_mul(outer_points).max(outer_points);
        let room = block_length(body.width + epilogue.width + folding.width / 2).min(total.next_multiple_of(64));
        let rank = launch.outer.len();
        let (outer, inner) = if by_columns {
            let outer = Walk::new(0, launch.outer, room);
            let inner = Walk::deep(rank, launch.inner, room / outer.largest());
            (outer, inner)
        } else if inner_points <= room {
            let outer = Walk::deep(0, launch.outer, (room / inner_points.max(1)).max(1));
            (outer, Walk::deep(rank, launch.inner, room))
        } else {
            (Walk::new(0, launch.outer, 1), Walk::new(rank, launch.inner, room))
        };
        let points = outer.largest();
        Layout {
            body,
            folding,
            epilogue,
            launch: Shared(*launch),
            outer,
            inner,
            by_columns,
            room,
            points,
            permits: Permits::new(body, launch),
            epilogue_permits: Permits::new(epilogue, launch),
        }
    }

    /// Bytes of partial results of one accumulator with room for all.
    fn scratch(&self) -> usize {
        let registers = (self.body.width + self.epilogue.width) * self.room;
        registers + self.folding.accumulators.iter().map(|a| self.bytes_of(a)).sum::<usize>()
    }

    /// Bytes of partial results of an accumulator.
    fn bytes_of(&self, a: &Accumulating) -> usize {
        let each = (self.points * a.size.max(a.result_size)).next_multiple_of(64);
        let fresh = if self.by_columns { (self.room * a.size.max(8)).next_multiple_of(64) } else { each };
        3 * each + fresh
    }

    /// Cuts the accumulators' places out of the scratch.
    fn places(&self, mut at: *mut u8) -> SmallVec<[Places; 2]> {
        let mut places = SmallVec::new();
        for a in &self.folding.accumulators {
            let each = (self.points * a.size.max(a.result_size)).next_multiple_of(64);
            let place = |i: usize| at.wrapping_add(i * each);
            places.push(Places { total: place(0), beside: place(1), fresh_beside: place(2), fresh: place(3) });
            at = at.wrapping_add(self.bytes_of(a));
        }
        places
    }
}

/// Runs a reduction.
///
/// # Safety
/// As [`crate::Program::launch`].
pub(crate) unsafe fn run(
    body: &Code,
    folding: &Folding,
    epilogue: &Code,
    launch: &Launch<'_>,
    workers: &dyn Workers,
) -> Raised {
    let outer: usize = launch.outer.iter().product();
    if outer == 0 {
        return Raised::new();
    }
    let inner: usize = launch.inner.iter().product();
    if folding.may_be_full
        && launch.outer.is_empty()
        && launch.inner.len() == 1
        && inner > 0
        && inner < 2 * folding.part
    {
        // SAFETY: the caller's contract.
        return unsafe { reduce_1d::run(body, folding, epilogue, launch) };
    }
    if folding.may_sweep
        && inner > 0
        && let Some(sweep) = Sweep::new(body, folding, epilogue, launch)
    {
        // SAFETY: the caller's contract.
        return unsafe { sweep.run(workers) };
    }
    let layout = Layout::new(body, folding, epilogue, launch);
    let scatters = body.scatters() || epilogue.scatters();
    let each = body.cost + 0.06 * folding.accumulators.len() as f64;
    let nanoseconds = nanoseconds(outer * inner, each, body.bytes) + outer as f64 * epilogue.cost;
    let tiles = layout.outer.tiles();
    let parts = parts_of(outer * inner / tiles / folding.part, layout.inner.tiles());
    if tiles < ENOUGH_TILES && parts > 1 && !scatters {
        // SAFETY: the caller's contract.
        return unsafe { in_parts(&layout, parts, nanoseconds, workers) };
    }
    let worth = if scatters { 0.0 } else { nanoseconds };
    spread(tiles, worth, workers, &|range, raised| {
        scratch::with(layout.scratch(), |memory| {
            // SAFETY: the scratch has the layout's size; the caller's contract.
            unsafe {
                let mut run = Run::new(&layout, memory);
                let mut at = layout.outer.seek(range.start);
                let all = 0..layout.inner.tiles();
                for _ in range {
                    run.fold(&at, all.clone(), inner);
                    run.conclude(&at);
                    layout.outer.advance(&mut at);
                }
                run.report(raised);
            }
        });
    })
}

/// Into how many parts inner tiles are divided, of which so many would be large enough: by a power of two, so that two threads, or
/// four, have equally much to do (of a sum of 100,000 elements in three parts one had two).
pub(crate) fn parts_of(enough: usize, tiles: usize) -> usize {
    enough.min(PARTS).min(tiles).checked_ilog2().map_or(1, |log| 1 << log)
}

/// Runs a reduction divided along its inner axes.
unsafe fn in_parts(layout: &Layout<'_>, parts: usize, nanoseconds: f64, workers: &dyn Workers) -> Raised {
    let inner: usize = layout.launch.get().inner.iter().product();
    let inner_tiles = layout.inner.tiles();
    let accumulators = &layout.folding.accumulators;
    let each = layout.points * 16;
    let tiles = layout.outer.tiles();
    // Totals and what is beside them, by outer tile, part and accumulator.
    let mut partial = vec![[0u64; 2]; tiles * parts * accumulators.len() * 2 * layout.points];
    let partial_at = PartialResults(partial.as_mut_ptr().cast());
    let slot = |tile: usize, part: usize, a: usize| ((tile * parts + part) * accumulators.len() + a) * 2 * each;
    let mut raised = spread(tiles * parts, nanoseconds, workers, &|range, raised| {
        scratch::with(layout.scratch(), |memory| {
            // SAFETY: as in `run`; every task writes the slots of its own parts.
            unsafe {
                let mut run = Run::new(layout, memory);
                for unit in range {
                    let (tile, part) = (unit / parts, unit % parts);
                    let inner_range = inner_tiles * part / parts..inner_tiles * (part + 1) / parts;
                    let n = run.fold(&layout.outer.seek(tile), inner_range, inner);
                    for (i, a) in accumulators.iter().enumerate() {
                        let to = partial_at.get().add(slot(tile, part, i));
                        std::ptr::copy_nonoverlapping(run.places[i].total, to, n * a.result_size);
                        std::ptr::copy_nonoverlapping(run.places[i].beside, to.add(each), n * a.size);
                    }
                }
                run.report(raised);
            }
        });
    });
    scratch::with(layout.scratch(), |memory| {
        fp_status::clear();
        // SAFETY: as above.
        unsafe {
            let mut run = Run::new(layout, memory);
            let mut at = layout.outer.seek(0);
            for tile in 0..tiles {
                let n = run.shape(&at);
                for (i, a) in accumulators.iter().enumerate() {
                    a.merge_parts(&run.places[i], n, parts, |part| partial_at.get().add(slot(tile, part, i)), each);
                    look(a, &mut run.raised);
                }
                run.conclude(&at);
                layout.outer.advance(&mut at);
            }
            run.report(&mut raised);
        }
    });
    raised
}

/// Memory that tasks write disjoint parts of.
#[derive(Clone, Copy)]
pub(crate) struct PartialResults(pub(crate) *mut u8);

// SAFETY: see `in_parts`: no two tasks touch the same slot.
unsafe impl Sync for PartialResults {}

impl PartialResults {
    /// The beginning; by method, so that closures capture the whole.
    pub(crate) fn get(&self) -> *mut u8 {
        self.0
    }
}

/// One thread's part of a reduction.
struct Run<'p> {
    layout: &'p Layout<'p>,
    body: Frame<'p>,
    epilogue: Frame<'p>,
    places: SmallVec<[Places; 2]>,
    tile: Tile,
    outer_tile: Tile,
    raised: Raised,
}

impl<'p> Run<'p> {
    /// # Safety
    /// `memory` has the layout's scratch size.
    unsafe fn new(layout: &'p Layout<'p>, memory: *mut u8) -> Run<'p> {
        let launch = layout.launch.get();
        let room = layout.room;
        let rank = launch.outer.len() + launch.inner.len();
        let second = memory.wrapping_add(layout.body.width * room);
        // SAFETY: the scratch has room for both fragments' registers and the places.
        unsafe {
            Run {
                layout,
                body: Frame::new(layout.body, launch, layout.permits, false, memory, room),
                epilogue: Frame::new(layout.epilogue, launch, layout.epilogue_permits, true, second, room),
                places: layout.places(second.wrapping_add(layout.epilogue.width * room)),
                tile: Tile::new(rank),
                outer_tile: Tile::new(rank),
                raised: Raised::new(),
            }
        }
    }

    /// Stands at an outer tile; gives its number of points.
    fn shape(&mut self, at: &crate::drive::tiles::Axes<usize>) -> usize {
        self.outer_tile.set(&[(&self.layout.outer, at)]);
        self.outer_tile.len()
    }

    /// Folds some of the inner tiles for the outer tile at a place.
    ///
    /// # Safety
    /// The contract of the launch.
    unsafe fn fold(&mut self, at: &crate::drive::tiles::Axes<usize>, range: Range<usize>, inner: usize) -> usize {
        let layout = self.layout;
        let n = self.shape(at);
        let accumulators = &layout.folding.accumulators;
        if inner == 0 {
            for (a, p) in accumulators.iter().zip(&self.places) {
                let bits = a.identity.map_or(0, Scalar::bits);
                // SAFETY: the place has room for the tile's points.
                unsafe { copies::splat(p.total, (&raw const bits).cast(), n, a.result_size) };
            }
            return n;
        }
        let whole = !layout.by_columns && layout.inner.tiles() == 1;
        let mut progress: SmallVec<[Progress; 1]> = accumulators.iter().map(Progress::new).collect();
        let mut inner_at = layout.inner.seek(range.start);
        let mut position = if range.start == 0 { 0 } else { layout.inner.position(&inner_at) };
        for _ in range {
            let walks = [(&layout.outer, at), (&layout.inner, &inner_at)];
            if layout.by_columns {
                self.tile.set(&[walks[1], walks[0]]);
            } else {
                self.tile.set(&walks);
            }
            let count = self.tile.len();
            // SAFETY: the contract of the launch; values hold the tile's elements.
            unsafe {
                self.body.run(&self.tile);
                for (i, a) in accumulators.iter().enumerate() {
                    let (p, s) = (&self.places[i], &mut progress[i]);
                    let values = self.body.value(a.value).cast_const();
                    if whole {
                        a.whole_rows(p, values, (count / n * a.size) as isize, n, count / n);
                    } else if layout.by_columns {
                        a.columns(p, s, (values, (n * a.size) as isize), count / n, n, position);
                    } else {
                        a.part_of_row(p, s, values, count, position);
                    }
                    look(a, &mut self.raised);
                }
            }
            position += count / n;
            layout.inner.advance(&mut inner_at);
        }
        for (i, a) in accumulators.iter().enumerate() {
            // SAFETY: as above.
            unsafe { a.finish(&self.places[i], &mut progress[i], n) };
            look(a, &mut self.raised);
        }
        n
    }

    /// Runs the epilogue for the outer tile at hand.
    ///
    /// # Safety
    /// The contract of the launch; the totals are complete.
    unsafe fn conclude(&mut self, at: &crate::drive::tiles::Axes<usize>) {
        let n = self.shape(at);
        for (i, a) in self.layout.folding.accumulators.iter().enumerate() {
            // SAFETY: the totals have `n` values.
            unsafe { a.add_start(&self.places[i], n) };
            self.epilogue.set_result(i, self.places[i].total);
        }
        // SAFETY: the caller's contract.
        unsafe { self.epilogue.run(&self.outer_tile) };
    }

    /// Hands over what was raised.
    fn report(self, raised: &mut Raised) {
        for (epilogue, inst, f) in self.raised.into_iter().chain(self.body.raised).chain(self.epilogue.raised) {
            report(raised, epilogue, inst, f);
        }
    }
}

/// Takes down what a fold has raised.
#[inline]
pub(crate) fn look(a: &Accumulating, raised: &mut Raised) {
    if a.watched {
        let up = fp_status::read();
        if !up.is_empty() {
            fp_status::clear();
            report(raised, true, a.inst, up & a.effects);
        }
    }
}
