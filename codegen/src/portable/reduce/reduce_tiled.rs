//! The reducer of one inner axis in two-dimensional tiles: nearly all reductions of more than one axis. Of two inner axes it runs those whose
//! rows machine code folds, row after row, or whose short rows are computed, many in a tile that is folded as one row.
//!
//! [`tiling`](crate::portable::reduce::tiling) divides a launch, and each thread's part runs as
//! [`tiled_run`](crate::portable::reduce::tiled_run). The results of up to [`ROW_GROUP`](crate::drive::strategy::ROW_GROUP) long rows, of many
//! short ones, or of a tile's columns, go through the epilogue together. One short row alone is a tile that needs no plan where it can do
//! without: [`row_tile`].

use crate::drive::parallel::{estimate_ns, parallel_for};
use crate::drive::strategy::{folds_by_halving, is_short_row};
use crate::drive::{fp_status, scratch};
use crate::portable::exec::bytecode::Bytecode;
use crate::portable::exec::exec_2d::{Exec2d, NO_PLANE_AXIS, PlaneAxes, PointerTable2d, may_run_2d};
use crate::portable::reduce::accumulate::{ACCUMULATORS, AccumulatorBuffers, ResolvedAccumulator};
use crate::portable::reduce::reduce_nd::{PartialResults, ResolvedFolds, collect_flags};
use crate::portable::reduce::row_tile;
use crate::portable::reduce::tiled_run::TiledRun;
use crate::portable::reduce::tiling::TiledReduction;
use crate::{Launch, RaisedFlags, ThreadPool};
use smallvec::SmallVec;
use std::ops::Range;

/// Whether a kernel has the form this module runs.
pub(crate) fn may_run_tiled(body: &Bytecode, folding: &ResolvedFolds, epilogue: &Bytecode) -> bool {
    may_run_2d(body)
        && may_run_2d(epilogue)
        && !folding.accumulators.is_empty()
        && folding.accumulators.len() <= ACCUMULATORS
}

/// Whether it may run a launch of two inner axes.
pub(crate) fn may_nest(body: &Bytecode, folding: &ResolvedFolds, epilogue: &Bytecode, launch: &Launch<'_>) -> bool {
    TiledReduction::new(body, folding, epilogue, launch).may_nest()
}

/// Runs a reduction of one inner axis of more than one point at most, or of two for which [`may_nest`] holds.
///
/// # Safety
/// As [`crate::Program::launch`]; no extent is zero.
#[inline]
pub(crate) unsafe fn run(
    body: &Bytecode,
    folding: &ResolvedFolds,
    epilogue: &Bytecode,
    launch: &Launch<'_>,
    workers: &dyn ThreadPool,
) -> RaisedFlags {
    if let (true, &[n]) = (folding.forms.row, launch.inner)
        && is_short_row(folding.forms, launch.outer, n)
        // SAFETY: the caller's contract.
        && let Some(raised) = unsafe { row_tile::run(body, folding, epilogue, launch, n) }
    {
        return raised;
    }
    // SAFETY: as above.
    unsafe { TiledReduction::new(body, folding, epilogue, launch).run(workers) }
}

impl TiledReduction<'_> {
    /// Runs the reduction.
    ///
    /// # Safety
    /// As [`crate::Program::launch`].
    unsafe fn run(&self, workers: &dyn ThreadPool) -> RaisedFlags {
        let each = self.body.total_cost() + 0.06 * self.folding.accumulators.len() as f64;
        let outer = self.planes * self.points;
        let points = outer * self.nest * self.length;
        let nanoseconds = estimate_ns(points, each, self.body.bytes) + outer as f64 * self.epilogue.total_cost();
        let parts = if self.by_columns { self.parts } else { self.parts_of_groups(self.group) };
        if parts > 1 {
            // SAFETY: the caller's contract.
            return unsafe { self.in_parts(parts, nanoseconds, workers) };
        }
        parallel_for(self.groups(), nanoseconds, workers, &|range, raised| {
            // SAFETY: the caller's contract; groups do not overlap.
            unsafe { self.fold_groups(range, raised) }
        })
    }

    /// Folds some groups of outer points and runs their epilogues.
    unsafe fn fold_groups(&self, range: Range<usize>, raised: &mut RaisedFlags) {
        self.with_run(raised, |run| {
            for group in range {
                // SAFETY: the caller's contract.
                unsafe {
                    run.fold(group, 0..self.inner_tiles());
                    run.run_epilogue(group);
                }
            }
        });
    }

    /// Runs the reduction divided along its inner axis.
    unsafe fn in_parts(&self, parts: usize, nanoseconds: f64, workers: &dyn ThreadPool) -> RaisedFlags {
        let accumulators = &self.folding.accumulators;
        let size = accumulators.iter().map(|a| a.size.max(a.result_size)).max().unwrap_or(0);
        let each = (self.group * size).next_multiple_of(16);
        // Totals and auxiliary values, by group, part and accumulator. Not zeroed, which took a tenth of the sum of 50 rows of 3000.
        scratch::with(self.groups() * parts * accumulators.len() * 2 * each, |memory| {
            // SAFETY: the caller's contract, and there is room for the partial results.
            unsafe { self.with_partial_results(PartialResults(memory), each, parts, nanoseconds, workers) }
        })
    }

    /// The same, with memory for partial results of so many bytes each.
    unsafe fn with_partial_results(
        &self,
        partial: PartialResults,
        each: usize,
        parts: usize,
        nanoseconds: f64,
        workers: &dyn ThreadPool,
    ) -> RaisedFlags {
        let (tiles, groups) = (self.inner_tiles(), self.groups());
        let accumulators = &self.folding.accumulators;
        let slot = |group: usize, part: usize, a: usize| ((group * parts + part) * accumulators.len() + a) * 2 * each;
        let mut raised = parallel_for(groups * parts, nanoseconds, workers, &|range, raised| {
            self.with_run(raised, |run| {
                for unit in range {
                    let (group, part) = (unit / parts, unit % parts);
                    // SAFETY: the caller's contract; every task writes the slots of its own parts.
                    unsafe {
                        let n = run.fold(group, tiles * part / parts..tiles * (part + 1) / parts);
                        for (i, a) in accumulators.iter().enumerate() {
                            let to = partial.get().add(slot(group, part, i));
                            std::ptr::copy_nonoverlapping(run.buffers[i].total, to, n * a.result_size);
                            std::ptr::copy_nonoverlapping(run.buffers[i].auxiliary, to.add(each), n * a.size);
                        }
                    }
                }
            });
        });
        fp_status::clear();
        self.with_run(&mut raised, |run| {
            for group in 0..groups {
                let n = run.select_group(group);
                // SAFETY: as above.
                unsafe {
                    for (i, a) in accumulators.iter().enumerate() {
                        let at = |part| partial.get().add(slot(group, part, i));
                        a.merge_parts(&run.buffers[i], n, parts, at, each);
                        collect_flags(a, run.raised);
                    }
                    run.run_epilogue(group);
                }
            }
        });
        raised
    }

    /// Bytes of each of one accumulator's buffers except that of the current tile.
    fn bytes_of(&self, a: &ResolvedAccumulator) -> usize {
        (self.group * a.size.max(a.result_size)).next_multiple_of(64)
    }

    /// Bytes of one accumulator's results of the current tile.
    fn fresh_bytes_of(&self, a: &ResolvedAccumulator) -> usize {
        let few = (self.points % self.across).max(if folds_by_halving(self.across) { self.across } else { 0 });
        let halved = if self.by_columns && folds_by_halving(few) { few * self.depth } else { 0 };
        (halved.max(self.group) * a.size.max(8)).next_multiple_of(64)
    }

    /// Sets up one thread's part, with scratch memory, and calls `f` with it.
    fn with_run(&self, raised: &mut RaisedFlags, f: impl FnOnce(&mut TiledRun<'_, '_>)) {
        let launch = self.launch.get();
        let room = room_of(self).next_multiple_of(64);
        let epilogue_room = self.group.next_multiple_of(64);
        let registers = self.body.width * room + self.epilogue.width * epilogue_room;
        let each = |a| 3 * self.bytes_of(a) + self.fresh_bytes_of(a);
        let bytes = registers + self.folding.accumulators.iter().map(each).sum::<usize>();
        scratch::with(bytes, |memory| {
            let (mut table, mut epilogue_table) = (PointerTable2d::new(), PointerTable2d::new());
            let second = memory.wrapping_add(self.body.width * room);
            let tile = match self.by_columns {
                true => (self.height, self.across),
                false if self.height > 1 => (self.height, self.length),
                false => (self.across, self.tile_columns()),
            };
            let point = PlaneAxes {
                rows: NO_PLANE_AXIS,
                columns: match self.by_columns {
                    true => self.axes.columns,
                    false if self.nest > 1 => NO_PLANE_AXIS,
                    false => self.axes.rows,
                },
            };
            let mut buffers: SmallVec<[AccumulatorBuffers; ACCUMULATORS]> = SmallVec::new();
            let mut at = memory.wrapping_add(registers);
            for a in &self.folding.accumulators {
                let buffer = |i: usize| at.wrapping_add(i * self.bytes_of(a));
                buffers.push(AccumulatorBuffers {
                    total: buffer(0),
                    auxiliary: buffer(1),
                    tile_auxiliary: buffer(2),
                    tile_total: buffer(3),
                });
                at = at.wrapping_add(each(a));
            }
            // SAFETY: the scratch has room for both fragments' registers and the buffers; the caller's contract.
            let (body, epilogue) = unsafe {
                let registers = ((memory, room), (second, epilogue_room));
                (
                    Exec2d::new(self.body, &launch, self.aliasing, self.axes, tile, false, registers.0, &mut table),
                    Exec2d::new(
                        self.epilogue,
                        &launch,
                        self.epilogue_aliasing,
                        point,
                        (1, self.group),
                        true,
                        registers.1,
                        &mut epilogue_table,
                    ),
                )
            };
            let origin = SmallVec::new();
            f(&mut TiledRun { reduction: self, launch: &launch, body, epilogue, buffers, origin, plane: 0, raised });
        });
    }
}

/// Points of a tile that need registers.
fn room_of(reduction: &TiledReduction<'_>) -> usize {
    match reduction.by_columns {
        true => reduction.across * reduction.height.min((reduction.body.tile_len / reduction.across).max(1)),
        false => (reduction.across.max(reduction.height) * reduction.depth).min(reduction.body.tile_len),
    }
}
