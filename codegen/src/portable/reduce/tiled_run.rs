//! One thread's part of a reduction in tiles: rows, folded to one value each by machine code or by calls, and the epilogue of a group.
//! Columns are `tiled_columns`.

use crate::drive::strategy::{MIN_JIT_FOLD, ROW_GROUP};
use crate::portable::exec::exec_2d::{Exec2d, TileSpan};
use crate::portable::exec::jit_hook::{FOLD_VECTOR_BYTES, RowFoldCall};
use crate::portable::reduce::accumulate::{ACCUMULATORS, AccumulatorBuffers, FoldLanes, Progress};
use crate::portable::reduce::reduce_nd::collect_flags;
use crate::portable::reduce::tiling::TiledReduction;
use crate::{Launch, RaisedFlags};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// One thread's part of a reduction.
pub(super) struct TiledRun<'s, 'p> {
    pub(super) reduction: &'s TiledReduction<'s>,
    pub(super) launch: &'p Launch<'p>,
    pub(super) body: Exec2d<'p>,
    pub(super) epilogue: Exec2d<'p>,
    pub(super) buffers: SmallVec<[AccumulatorBuffers; ACCUMULATORS]>,
    /// Addresses of the current plane; empty for the first.
    pub(super) origin: SmallVec<[*mut u8; 16]>,
    pub(super) plane: usize,
    pub(super) raised: &'p mut RaisedFlags,
}

impl TiledRun<'_, '_> {
    /// Selects a group. Returns its number of points.
    #[inline]
    pub(super) fn select_group(&mut self, group: usize) -> usize {
        let s = self.reduction;
        if s.planes == 1 {
            return s.group.min(s.points - group * s.group);
        }
        let per_plane = s.points.div_ceil(s.group);
        if group / per_plane != self.plane {
            self.plane = group / per_plane;
            self.origin.clear();
            self.origin.extend_from_slice(self.launch.addresses);
            crate::portable::exec::map::offset_addresses(&mut self.origin, self.launch, s.axes, self.plane);
        }
        s.group.min(s.points - group % per_plane * s.group)
    }

    /// The first outer point of a group within its plane.
    #[inline]
    fn first(&self, group: usize) -> usize {
        let s = self.reduction;
        if s.planes == 1 { group * s.group } else { group % s.points.div_ceil(s.group) * s.group }
    }

    /// Folds some of the inner tiles of a group. Returns its number of points.
    ///
    /// # Safety
    /// The contract of the launch.
    pub(super) unsafe fn fold(&mut self, group: usize, range: Range<usize>) -> usize {
        let n = self.select_group(group);
        let s = self.reduction;
        let first = self.first(group);
        // SAFETY: the caller's contract.
        unsafe {
            if s.by_columns {
                self.fold_columns(first, n, range);
            } else if s.whole_rows {
                self.whole_rows(first, 0, n);
            } else if s.inner_tiles() > 1 {
                (0..n).for_each(|point| self.fold_long_row(first, point, range.clone()));
            } else {
                for point in (0..n).step_by(ROW_GROUP) {
                    self.fold_rows(first, point, ROW_GROUP.min(n - point));
                }
            }
        }
        n
    }

    /// Folds so many whole rows by machine code; those where it cannot, by calls: short ones together.
    unsafe fn fold_rows(&mut self, first: usize, point: usize, rows: usize) {
        let across = self.reduction.across;
        // SAFETY: the contract of the launch.
        unsafe {
            if self.fold_whole_rows(first, point, rows) {
                return;
            }
            if across > 1 {
                for at in (0..rows).step_by(across) {
                    self.whole_rows(first, point + at, across.min(rows - at));
                }
                return;
            }
            for point in point..point + rows {
                if rows == 1 || !self.fold_whole_rows(first, point, 1) {
                    self.fold_long_row(first, point, 0..1);
                }
            }
        }
    }

    /// Folds so many whole rows by calls.
    #[inline]
    unsafe fn whole_rows(&mut self, first: usize, point: usize, rows: usize) {
        let s = self.reduction;
        let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
        let part = TileSpan { origin, row: first + point, rows, column: 0, columns: s.length };
        // SAFETY: the contract of the launch; the values are the tile's.
        unsafe {
            self.body.run(&part, self.raised);
            for (a, p) in s.folding.accumulators.iter().zip(&self.buffers) {
                let (values, pitch) = self.body.value(a.value);
                a.whole_rows(&p.of_point(a, point), values, pitch, rows, s.length);
                collect_flags(a, self.raised);
            }
        }
    }

    /// Folds so many rows by one call of machine code. Returns whether that was possible: no flags, and no lane that needs a slow path.
    #[inline]
    unsafe fn fold_whole_rows(&mut self, first: usize, point: usize, rows: usize) -> bool {
        let s = self.reduction;
        let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
        let part = TileSpan { origin, row: first + point, rows, column: 0, columns: s.length };
        let mut lanes = FoldLanes::<ROW_GROUP>::new();
        // SAFETY: the contract of the launch.
        let folds = |f: &&RowFoldCall<'_>| unsafe { self.body.fold(&part, f, lanes.at(0)) };
        let Some(jit_fold) = s.jit_fold.as_ref().filter(folds) else {
            return false;
        };
        let pitch = (s.folding.accumulators.len() * FOLD_VECTOR_BYTES) as isize;
        for (i, (a, p)) in s.folding.accumulators.iter().zip(&self.buffers).enumerate() {
            // SAFETY: the lanes hold so many values.
            unsafe { a.whole_rows(&p.of_point(a, point), lanes.at(i), pitch, rows, jit_fold.lanes()) };
            collect_flags(a, self.raised);
        }
        if !s.body.sinks.is_empty() && !jit_fold.stores() {
            for point in point..point + rows {
                // SAFETY: the contract of the launch.
                unsafe { self.run_tile(first, point, 0, |_, _| false) };
            }
        }
        true
    }

    /// Folds a range of tiles of one long row, or of several rows that are folded into one point.
    unsafe fn fold_long_row(&mut self, first: usize, point: usize, range: Range<usize>) {
        let s = self.reduction;
        let mut progress: SmallVec<[Progress; 1]> = s.folding.accumulators.iter().map(Progress::new).collect();
        // The machine code of a single tile has been tried.
        let mut has_machine_code = s.jit_fold.is_some() && s.inner_tiles() > 1;
        let mut next = range.start;
        'row: while next < range.end {
            if s.has_stopped.load(Ordering::Relaxed) {
                // SAFETY: the totals have room for a bool.
                unsafe { self.absorb(point) };
                return;
            }
            let tiles = if has_machine_code { self.tiles_of_call(next, range.end) } else { next..next + 1 };
            next = tiles.end;
            // SAFETY: the contract of the launch.
            unsafe {
                if has_machine_code && self.fold_parts(first, point, tiles.clone(), &mut progress) {
                    continue;
                }
                // Where it fails on a short row once it is not tried again.
                has_machine_code &= !s.is_short_row;
                for tile in tiles.clone() {
                    let is_retried = has_machine_code && tiles.len() > 1;
                    if is_retried && self.fold_parts(first, point, tile..tile + 1, &mut progress) {
                        continue;
                    }
                    if self.fold_part_by_calls(first, point, tile, &mut progress) {
                        break 'row;
                    }
                }
            }
        }
        for ((a, p), progress) in s.folding.accumulators.iter().zip(&self.buffers).zip(&mut progress) {
            // SAFETY: something was folded.
            unsafe { a.finish(&p.of_point(a, point), progress, 1) };
            collect_flags(a, self.raised);
        }
    }

    /// A tile of the rows that are folded into a point.
    fn tile(&self, first: usize, point: usize, tile: usize) -> TileSpan<'_> {
        let s = self.reduction;
        let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
        let (within, column) = (tile / s.tiles_of_row() * s.height, tile % s.tiles_of_row() * s.depth);
        let rows = s.height.min(s.nest - within);
        TileSpan { origin, row: first + point + within, rows, column, columns: s.depth.min(s.length - column) }
    }

    /// The tiles from this one on that share a call of machine code: whole rows, or tiles of one row with as many columns. A call for each of
    /// them took 600 cycles of its own, as long as it takes to add up its 8192 singles.
    fn tiles_of_call(&self, tile: usize, end: usize) -> Range<usize> {
        let s = self.reduction;
        let whole = s.length / s.depth;
        let column = tile % s.tiles_of_row();
        let alike = match s.tiles_of_row() {
            1 => ROW_GROUP,
            _ => whole.saturating_sub(column).clamp(1, ROW_GROUP),
        };
        tile..end.min(tile + alike)
    }

    /// Folds some tiles of [`TiledRun::tiles_of_call`] by one call of machine code. Returns whether that was possible.
    unsafe fn fold_parts(
        &mut self,
        first: usize,
        point: usize,
        tiles: Range<usize>,
        progress: &mut [Progress],
    ) -> bool {
        let s = self.reduction;
        let Some(jit_fold) = &s.jit_fold else { return false };
        let part = self.tile(first, point, tiles.start);
        let least = if s.is_short_row { MIN_JIT_FOLD } else { jit_fold.lanes() };
        if part.columns < least {
            return false;
        }
        let mut lanes = FoldLanes::<ROW_GROUP>::new();
        let is_along_row = s.tiles_of_row() > 1;
        // SAFETY: the contract of the launch.
        let is_folded = unsafe {
            match is_along_row {
                true => self.body.fold_along_row(&part, tiles.len(), jit_fold, lanes.at(0)),
                false => self.body.fold(&TileSpan { rows: tiles.len(), ..part }, jit_fold, lanes.at(0)),
            }
        };
        if !is_folded {
            return false;
        }
        let pitch = s.folding.accumulators.len() * FOLD_VECTOR_BYTES;
        let (first_column, step) = (part.column, if is_along_row { part.columns } else { 0 });
        for row in 0..tiles.len() {
            let column = first_column + row * step;
            for (i, ((a, p), progress)) in
                s.folding.accumulators.iter().zip(&self.buffers).zip(&mut *progress).enumerate()
            {
                let values = lanes.at(i).wrapping_add(row * pitch);
                // SAFETY: the lanes hold so many values.
                unsafe { a.part_of_row(&p.of_point(a, point), progress, values, jit_fold.lanes(), column) };
                collect_flags(a, self.raised);
            }
        }
        if !s.body.sinks.is_empty() && !jit_fold.stores() {
            for tile in tiles {
                // SAFETY: the contract of the launch.
                unsafe { self.run_tile(first, point, tile, |_, _| false) };
            }
        }
        true
    }

    /// Folds a tile by calls. Returns whether the rest of the row need not be folded.
    unsafe fn fold_part_by_calls(
        &mut self,
        first: usize,
        point: usize,
        tile: usize,
        progress: &mut [Progress],
    ) -> bool {
        let s = self.reduction;
        // SAFETY: the contract of the launch; the values are the tile's.
        unsafe {
            self.run_tile(first, point, tile, |run, part| {
                let position = (part.row - first - point) * s.length + part.column;
                for ((a, p), progress) in s.folding.accumulators.iter().zip(&run.buffers).zip(&mut *progress) {
                    let (values, pitch) = run.body.value(a.value);
                    // As one row, if it is dense.
                    let (count, n) = match part.rows {
                        rows if pitch == (part.columns * a.size) as isize => (1, rows * part.columns),
                        rows => (rows, part.columns),
                    };
                    for row in 0..count {
                        let values = values.wrapping_offset(row as isize * pitch);
                        a.part_of_row(&p.of_point(a, point), progress, values, n, position + row * s.length);
                    }
                    collect_flags(a, run.raised);
                }
                let absorbed =
                    s.may_stop && s.folding.accumulators.iter().zip(&run.buffers).all(|(a, p)| a.is_absorbed(p));
                if absorbed {
                    s.has_stopped.store(true, Ordering::Relaxed);
                }
                absorbed
            })
        }
    }

    /// Runs the calls on a tile, as many columns at a time as they have room for, until `stops` says so of a part. Returns whether it stopped.
    unsafe fn run_tile(
        &mut self,
        first: usize,
        point: usize,
        tile: usize,
        mut stops: impl FnMut(&mut Self, &TileSpan<'_>) -> bool,
    ) -> bool {
        let TileSpan { row, rows, column: begin, columns: count, .. } = self.tile(first, point, tile);
        let each = if rows > 1 { count } else { self.reduction.tile_columns() };
        for column in (begin..begin + count).step_by(each) {
            let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
            let part = TileSpan { origin, row, rows, column, columns: each.min(begin + count - column) };
            // SAFETY: the contract of the launch.
            unsafe { self.body.run(&part, self.raised) };
            if stops(self, &TileSpan { origin: &[], ..part }) {
                return true;
            }
        }
        false
    }

    /// Makes the absorbing elements the results of a row.
    ///
    /// # Safety
    /// The folds have absorbing elements, and the totals room for them.
    unsafe fn absorb(&mut self, point: usize) {
        for (a, p) in self.reduction.folding.accumulators.iter().zip(&self.buffers) {
            let absorbing = a.absorbing.expect("a launch that stops has absorbing elements");
            // SAFETY: the caller's contract; a bool is a byte.
            unsafe { *p.of_point(a, point).total = absorbing };
        }
    }

    /// Runs the epilogue for a group, whose totals are complete.
    ///
    /// # Safety
    /// The contract of the launch.
    pub(super) unsafe fn run_epilogue(&mut self, group: usize) {
        let n = self.select_group(group);
        let s = self.reduction;
        for (i, (a, p)) in s.folding.accumulators.iter().zip(&self.buffers).enumerate() {
            if s.by_columns {
                // SAFETY: the totals have `n` values.
                unsafe { a.add_start(p, n) };
            }
            self.epilogue.set_result(i, p.total, a.result_size);
        }
        let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
        let part = TileSpan { origin, row: 0, rows: 1, column: self.first(group), columns: n };
        // SAFETY: the caller's contract.
        unsafe { self.epilogue.run(&part, self.raised) };
    }
}
