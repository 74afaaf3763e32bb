//! The general reducer, for any domain; and the resolution of a kernel's folds.
//!
//! By *rows* if the inner axes are the faster in memory: a tile holds whole rows of several outer points, or a part of one row. By *columns*
//! if the outer axes are: a tile holds one or more values of each of many outer points, and vectors of accumulators are folded along the
//! inner axes. Either way the results of an outer tile go through the epilogue together.
//!
//! A reduction with few outer tiles and much inner work is divided along the inner axes too. The division depends on sizes alone, not on
//! the number of threads; the parts merge in their order.

use crate::drive::isa::Isa;
use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::strategy::{MIN_LANES_PART, MIN_PART, ReduceForms, by_columns, parts_of};
use crate::drive::tiles::{Tile, Tiling};
use crate::drive::{fp_status, scratch};
use crate::portable::exec::aliasing::AliasInfo;
use crate::portable::exec::bytecode::{Bytecode, block_length, effects};
use crate::portable::exec::exec_tiles::ExecTiles;
use crate::portable::exec::jit_hook::FoldCall;
use crate::portable::loops::{arg_extremes, copies, elementwise, folds};
use crate::portable::reduce::accumulate::{AccumulatorBuffers, AccumulatorLoops, Progress, ResolvedAccumulator};
use crate::{Fold, FoldOrder, Inst, Kernel, Launch, RaisedFlags, Scalar, Template, ThreadPool};
use smallvec::SmallVec;
use std::ops::Range;

/// The accumulators of a kernel, resolved.
pub(crate) struct ResolvedFolds {
    pub(crate) accumulators: Vec<ResolvedAccumulator>,
    /// Operands that the body loads and stores, which decide between rows and columns.
    pub(crate) operands: Vec<u16>,
    /// Bytes of partial results for each outer point.
    pub(crate) width: usize,
    /// The drivers that may run it.
    pub(crate) forms: ReduceForms,
    /// Machine code that runs the body and folds, for contiguous rows.
    pub(crate) jit_fold: Option<FoldCall>,
}

/// Finds the loops of a kernel's accumulators.
///
/// # Errors
/// If a fold has no loop.
pub(crate) fn resolve(kernel: &Kernel, isa: Isa) -> Result<ResolvedFolds, String> {
    let mut folding = ResolvedFolds {
        accumulators: vec![],
        operands: vec![],
        width: 0,
        jit_fold: None,
        forms: ReduceForms { tiled: false, row: false, part: MIN_PART },
    };
    for inst in &kernel.body.insts {
        if let Inst::Load(o) | Inst::Store(o, _) = inst {
            folding.operands.push(o.0);
        }
    }
    for (i, a) in kernel.accumulators.iter().enumerate() {
        let dtype = kernel.body.dtype(a.value);
        let row = a.fold.row().ok_or_else(|| format!("{} does not fold", a.fold))?;
        let (loops, apply) = match a.fold {
            Fold::Op(op) => {
                (folds::lookup(op, dtype, isa).map(AccumulatorLoops::Fold), elementwise::lookup(op, dtype, isa))
            }
            Fold::ArgMin | Fold::ArgMax if kernel.template == Template::Scan => (None, None),
            Fold::ArgMin | Fold::ArgMax => (arg_extremes::lookup(a.fold, dtype, isa).map(AccumulatorLoops::Arg), None),
        };
        if row.order == FoldOrder::Lanes {
            folding.forms.part = MIN_LANES_PART;
        }
        let result = |inst: &Inst| matches!(inst, Inst::Result(r) if *r as usize == i);
        let result_size = kernel.result_dtype(i).size();
        folding.width += 3 * dtype.size().max(result_size) + dtype.size();
        folding.accumulators.push(ResolvedAccumulator {
            loops: loops.ok_or_else(|| format!("no fold {:?} over {dtype}", a.fold))?,
            apply,
            value: a.value.0,
            size: dtype.size(),
            result_size,
            identity: row.identity(dtype),
            absorbing: row.absorbing(dtype).map(|absorbing| absorbing.bits() as u8),
            start: row.start(dtype),
            carries: row.order == FoldOrder::Lanes,
            effects: kernel.fold_effects(i),
            kernel_has_effects: !effects(kernel).is_empty(),
            inst: kernel.epilogue.insts.iter().position(result).unwrap_or(0) as u32,
        });
    }
    Ok(folding)
}

/// A launch, divided into tiles.
struct NdLayout<'a> {
    body: &'a Bytecode,
    folding: &'a ResolvedFolds,
    epilogue: &'a Bytecode,
    launch: SharedLaunch<'a>,
    outer: Tiling,
    inner: Tiling,
    by_columns: bool,
    /// Points of a tile, and outer points of a tile.
    room: usize,
    points: usize,
    aliasing: AliasInfo,
    epilogue_aliasing: AliasInfo,
}

impl<'a> NdLayout<'a> {
    fn new(
        body: &'a Bytecode,
        folding: &'a ResolvedFolds,
        epilogue: &'a Bytecode,
        launch: &Launch<'a>,
    ) -> NdLayout<'a> {
        let by_columns = by_columns(&folding.operands, launch);
        let inner_points: usize = launch.inner.iter().product();
        let outer_points: usize = launch.outer.iter().product();
        let total = inner_points.saturating_mul(outer_points).max(outer_points);
        let room = block_length(body.width + epilogue.width + folding.width / 2).min(total.next_multiple_of(64));
        let rank = launch.outer.len();
        let (outer, inner) = if by_columns {
            let outer = Tiling::new(0, launch.outer, room);
            let inner = Tiling::spanning(rank, launch.inner, room / outer.largest());
            (outer, inner)
        } else if inner_points <= room {
            let outer = Tiling::spanning(0, launch.outer, (room / inner_points.max(1)).max(1));
            (outer, Tiling::spanning(rank, launch.inner, room))
        } else {
            (Tiling::new(0, launch.outer, 1), Tiling::new(rank, launch.inner, room))
        };
        let points = outer.largest();
        NdLayout {
            body,
            folding,
            epilogue,
            launch: SharedLaunch(*launch),
            outer,
            inner,
            by_columns,
            room,
            points,
            aliasing: AliasInfo::new(body, launch),
            epilogue_aliasing: AliasInfo::new(epilogue, launch),
        }
    }

    /// Bytes of scratch: registers and partial results.
    fn scratch(&self) -> usize {
        let registers = (self.body.width + self.epilogue.width) * self.room;
        registers + self.folding.accumulators.iter().map(|a| self.bytes_of(a)).sum::<usize>()
    }

    /// Bytes of partial results of an accumulator.
    fn bytes_of(&self, a: &ResolvedAccumulator) -> usize {
        let each = (self.points * a.size.max(a.result_size)).next_multiple_of(64);
        let tile_total = if self.by_columns { (self.room * a.size.max(8)).next_multiple_of(64) } else { each };
        3 * each + tile_total
    }

    /// Divides the scratch between the accumulators' buffers.
    fn buffers(&self, mut at: *mut u8) -> SmallVec<[AccumulatorBuffers; 2]> {
        let mut buffers = SmallVec::new();
        for a in &self.folding.accumulators {
            let each = (self.points * a.size.max(a.result_size)).next_multiple_of(64);
            let buffer = |i: usize| at.wrapping_add(i * each);
            buffers.push(AccumulatorBuffers {
                total: buffer(0),
                auxiliary: buffer(1),
                tile_auxiliary: buffer(2),
                tile_total: buffer(3),
            });
            at = at.wrapping_add(self.bytes_of(a));
        }
        buffers
    }
}

/// Runs a reduction over any domain.
///
/// # Safety
/// As [`crate::Program::launch`].
pub(crate) unsafe fn run(
    body: &Bytecode,
    folding: &ResolvedFolds,
    epilogue: &Bytecode,
    launch: &Launch<'_>,
    workers: &dyn ThreadPool,
) -> RaisedFlags {
    let outer: usize = launch.outer.iter().product();
    let inner: usize = launch.inner.iter().product();
    let layout = NdLayout::new(body, folding, epilogue, launch);
    let scatters = body.scatters() || epilogue.scatters();
    let each = body.total_cost() + 0.06 * folding.accumulators.len() as f64;
    let nanoseconds = estimate_ns(outer * inner, each, body.bytes) + outer as f64 * epilogue.total_cost();
    let tiles = layout.outer.tiles();
    let parts = parts_of(tiles, layout.inner.tiles(), outer * inner, folding.forms.part);
    if parts > 1 && !scatters {
        // SAFETY: the caller's contract.
        return unsafe { in_parts(&layout, parts, nanoseconds, workers) };
    }
    let worth = if scatters { 0.0 } else { nanoseconds };
    parallel_for(tiles, worth, workers, &|range, raised| {
        scratch::with(layout.scratch(), |memory| {
            // SAFETY: the scratch has the layout's size; the caller's contract.
            unsafe {
                let mut run = NdRun::new(&layout, memory);
                let mut at = layout.outer.seek(range.start);
                let all = 0..layout.inner.tiles();
                for _ in range {
                    run.fold(&at, all.clone(), inner);
                    run.run_epilogue(&at);
                    layout.outer.advance(&mut at);
                }
                run.report(raised);
            }
        });
    })
}

/// Runs a reduction divided along its inner axes.
unsafe fn in_parts(layout: &NdLayout<'_>, parts: usize, nanoseconds: f64, workers: &dyn ThreadPool) -> RaisedFlags {
    let inner: usize = layout.launch.get().inner.iter().product();
    let inner_tiles = layout.inner.tiles();
    let accumulators = &layout.folding.accumulators;
    let each = layout.points * 16;
    let tiles = layout.outer.tiles();
    // Totals and auxiliary values, by outer tile, part and accumulator.
    let mut partial = vec![[0u64; 2]; tiles * parts * accumulators.len() * 2 * layout.points];
    let partial_at = PartialResults(partial.as_mut_ptr().cast());
    let slot = |tile: usize, part: usize, a: usize| ((tile * parts + part) * accumulators.len() + a) * 2 * each;
    let mut raised = parallel_for(tiles * parts, nanoseconds, workers, &|range, raised| {
        scratch::with(layout.scratch(), |memory| {
            // SAFETY: as in `run`; every task writes the slots of its own parts.
            unsafe {
                let mut run = NdRun::new(layout, memory);
                for unit in range {
                    let (tile, part) = (unit / parts, unit % parts);
                    let inner_range = inner_tiles * part / parts..inner_tiles * (part + 1) / parts;
                    let n = run.fold(&layout.outer.seek(tile), inner_range, inner);
                    for (i, a) in accumulators.iter().enumerate() {
                        let to = partial_at.get().add(slot(tile, part, i));
                        std::ptr::copy_nonoverlapping(run.buffers[i].total, to, n * a.result_size);
                        std::ptr::copy_nonoverlapping(run.buffers[i].auxiliary, to.add(each), n * a.size);
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
            let mut run = NdRun::new(layout, memory);
            let mut at = layout.outer.seek(0);
            for tile in 0..tiles {
                let n = run.shape(&at);
                for (i, a) in accumulators.iter().enumerate() {
                    a.merge_parts(&run.buffers[i], n, parts, |part| partial_at.get().add(slot(tile, part, i)), each);
                    collect_flags(a, &mut run.raised);
                }
                run.run_epilogue(&at);
                layout.outer.advance(&mut at);
            }
            run.report(&mut raised);
        }
    });
    raised
}

/// Memory whose disjoint slots are written by tasks.
#[derive(Clone, Copy)]
pub(crate) struct PartialResults(pub(crate) *mut u8);

// SAFETY: see `in_parts`: no two tasks touch the same slot.
unsafe impl Sync for PartialResults {}

impl PartialResults {
    /// The first slot. A method, so that closures capture the whole struct, which is `Sync`.
    pub(crate) fn get(&self) -> *mut u8 {
        self.0
    }
}

/// One thread's part of a reduction.
struct NdRun<'p> {
    layout: &'p NdLayout<'p>,
    body: ExecTiles<'p>,
    epilogue: ExecTiles<'p>,
    buffers: SmallVec<[AccumulatorBuffers; 2]>,
    tile: Tile,
    outer_tile: Tile,
    raised: RaisedFlags,
}

impl<'p> NdRun<'p> {
    /// # Safety
    /// `memory` has the layout's scratch size.
    unsafe fn new(layout: &'p NdLayout<'p>, memory: *mut u8) -> NdRun<'p> {
        let launch = layout.launch.get();
        let room = layout.room;
        let rank = launch.outer.len() + launch.inner.len();
        let second = memory.wrapping_add(layout.body.width * room);
        // SAFETY: the scratch has room for both fragments' registers and the buffers.
        unsafe {
            NdRun {
                layout,
                body: ExecTiles::new(layout.body, launch, layout.aliasing, false, memory, room),
                epilogue: ExecTiles::new(layout.epilogue, launch, layout.epilogue_aliasing, true, second, room),
                buffers: layout.buffers(second.wrapping_add(layout.epilogue.width * room)),
                tile: Tile::new(rank),
                outer_tile: Tile::new(rank),
                raised: RaisedFlags::new(),
            }
        }
    }

    /// Selects an outer tile. Returns its number of points.
    fn shape(&mut self, at: &crate::drive::tiles::PerAxis<usize>) -> usize {
        self.outer_tile.set(&[(&self.layout.outer, at)]);
        self.outer_tile.len()
    }

    /// Folds some of the inner tiles of the outer tile at these coordinates.
    ///
    /// # Safety
    /// The contract of the launch.
    unsafe fn fold(&mut self, at: &crate::drive::tiles::PerAxis<usize>, range: Range<usize>, inner: usize) -> usize {
        let layout = self.layout;
        let n = self.shape(at);
        let accumulators = &layout.folding.accumulators;
        if inner == 0 {
            for (a, p) in accumulators.iter().zip(&self.buffers) {
                let bits = a.identity.map_or(0, Scalar::bits);
                // SAFETY: the buffer has room for the tile's points.
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
                    let (p, s) = (&self.buffers[i], &mut progress[i]);
                    let values = self.body.value(a.value).cast_const();
                    if whole {
                        a.whole_rows(p, values, (count / n * a.size) as isize, n, count / n);
                    } else if layout.by_columns {
                        a.columns(p, s, (values, (n * a.size) as isize), count / n, n, position);
                    } else {
                        a.part_of_row(p, s, values, count, position);
                    }
                    collect_flags(a, &mut self.raised);
                }
            }
            position += count / n;
            layout.inner.advance(&mut inner_at);
        }
        for (i, a) in accumulators.iter().enumerate() {
            // SAFETY: as above.
            unsafe { a.finish(&self.buffers[i], &mut progress[i], n) };
            collect_flags(a, &mut self.raised);
        }
        n
    }

    /// Runs the epilogue for an outer tile.
    ///
    /// # Safety
    /// The contract of the launch; the totals are complete.
    unsafe fn run_epilogue(&mut self, at: &crate::drive::tiles::PerAxis<usize>) {
        let n = self.shape(at);
        for (i, a) in self.layout.folding.accumulators.iter().enumerate() {
            // SAFETY: the totals have `n` values.
            unsafe { a.add_start(&self.buffers[i], n) };
            self.epilogue.set_result(i, self.buffers[i].total);
        }
        // SAFETY: the caller's contract.
        unsafe { self.epilogue.run(&self.outer_tile) };
    }

    /// Adds the flags this thread raised to those of the launch.
    fn report(self, raised: &mut RaisedFlags) {
        fp_status::merge(raised, self.raised.into_iter().chain(self.body.raised).chain(self.epilogue.raised));
    }
}

/// Reads, clears and reports the flags that a fold has raised.
#[inline]
pub(crate) fn collect_flags(a: &ResolvedAccumulator, raised: &mut RaisedFlags) {
    if a.kernel_has_effects {
        fp_status::attribute(raised, true, a.inst, a.effects);
    }
}
