//! The division of a reduction of one inner axis, or of two, into planes and tiles.
//!
//! By rows if the inner axis is the faster in memory: a tile holds several whole rows, or a part of one, and is folded along its columns.
//! By columns if an outer axis is: the inner axis runs down the rows of a tile.
//!
//! Sizes and strides alone decide which launches run in tiles and how they are divided, never the number of threads, so that equal launches
//! give equal bits.

use crate::Launch;
use crate::cost::{NON_TEMPORAL_BYTES, NON_TEMPORAL_FOOTPRINT};
use crate::drive::parallel::SharedLaunch;
use crate::drive::strategy::{
    IN_PLACE_POINTS, JIT_FOLD_PIECE, MAX_CPU_PARTS, MAX_FOLDED_POINT, MAX_TILE_COLUMNS, MIN_COLUMN_TILE, MIN_JIT_FOLD,
    MIN_JIT_ROW, MIN_NESTED_POINTS, MIN_NESTED_ROW, MIN_PART, ROW_GROUP, TILE_DEPTH, begins_lines, by_columns,
    computed_row_bytes, folds_by_halving, is_short_row, least_columns, parts_of, wide_tile,
};
use crate::portable::exec::aliasing::{AliasInfo, meets_a_sink};
use crate::portable::exec::bytecode::{Bytecode, Load};
use crate::portable::exec::exec_2d::{NO_PLANE_AXIS, PlaneAxes};
use crate::portable::exec::jit_hook::{ColumnFoldCall, RowFoldCall};
use crate::portable::reduce::accumulate::{COLUMN_GROUP, ResolvedAccumulator};
use crate::portable::reduce::reduce_nd::ResolvedFolds;
use std::sync::atomic::AtomicBool;

/// A launch, divided into planes and tiles.
pub(super) struct TiledReduction<'a> {
    pub(super) body: &'a Bytecode,
    pub(super) folding: &'a ResolvedFolds,
    pub(super) epilogue: &'a Bytecode,
    pub(super) launch: SharedLaunch<'a>,
    pub(super) by_columns: bool,
    pub(super) axes: PlaneAxes,
    pub(super) aliasing: AliasInfo,
    pub(super) epilogue_aliasing: AliasInfo,
    /// Extents of a plane's outer axis and of the inner axis, and the number of planes. Of two inner axes each outer point is a plane.
    pub(super) points: usize,
    pub(super) length: usize,
    pub(super) planes: usize,
    /// Of two inner axes the extent of the first: rows that are folded into one point.
    pub(super) nest: usize,
    /// Outer points that share a run of the epilogue, and outer points of a tile.
    pub(super) group: usize,
    pub(super) across: usize,
    /// Inner points of a tile.
    pub(super) depth: usize,
    /// By columns, the parts that the inner axis is divided into.
    pub(super) parts: usize,
    /// Rows of a tile that its registers hold: of one by columns, and of two inner axes.
    pub(super) height: usize,
    /// Machine code that folds a tile of one row, or rows of a tile by columns.
    pub(super) jit_fold: Option<RowFoldCall<'a>>,
    pub(super) column_fold: Option<ColumnFoldCall<'a>>,
    /// Whether a tile holds whole rows, which are folded by one call.
    pub(super) whole_rows: bool,
    /// Whether it only finds positions of extremes in memory. Then one call for a tile gives the same result as blocks that are merged one by
    /// one (ten thousand numbers: 450 of 1,150 ns).
    finds_in_place: bool,
    /// Whether it is one row, too short to divide into parts.
    pub(super) is_short_row: bool,
    /// Whether it is one row that may be left once all folds have met their absorbing elements: nothing else would be seen of the rest.
    pub(super) may_stop: bool,
    /// Whether a part of such a row has met them: then the others need not run, and have them as results.
    pub(super) has_stopped: AtomicBool,
}

impl<'a> TiledReduction<'a> {
    /// Divides a launch with one inner axis of more than one point at most, or with two. No extent is zero.
    pub(super) fn new(
        body: &'a Bytecode,
        folding: &'a ResolvedFolds,
        epilogue: &'a Bytecode,
        launch: &Launch<'a>,
    ) -> TiledReduction<'a> {
        let rank = launch.outer.len();
        let (mut outer, mut points, mut planes) = (NO_PLANE_AXIS, 1, 1);
        for (axis, &extent) in launch.outer.iter().enumerate().rev().filter(|(_, e)| **e != 1) {
            if outer == NO_PLANE_AXIS {
                (outer, points) = (axis, extent);
            } else {
                planes *= extent;
            }
        }
        let long = |from: &[usize]| from.iter().rposition(|&extent| extent != 1);
        let inner_axis = long(launch.inner);
        let (inner, length) = inner_axis.map_or((NO_PLANE_AXIS, 1), |axis| (rank + axis, launch.inner[axis]));
        let first = inner_axis.and_then(|axis| long(&launch.inner[..axis]));
        let nest = first.map_or(1, |axis| launch.inner[axis]);
        let by_columns = first.is_none() && outer != NO_PLANE_AXIS && by_columns(&folding.operands, launch);
        let axes = if let Some(axis) = first {
            (points, planes) = (1, points * planes);
            PlaneAxes { rows: rank + axis, columns: inner }
        } else if by_columns {
            PlaneAxes { rows: inner, columns: outer }
        } else {
            PlaneAxes { rows: outer, columns: inner }
        };
        let mut reduction = TiledReduction {
            body,
            folding,
            epilogue,
            launch: SharedLaunch(*launch),
            by_columns,
            axes,
            aliasing: AliasInfo::new(body, launch),
            epilogue_aliasing: AliasInfo::new(epilogue, launch),
            points,
            length,
            planes,
            nest,
            group: 1,
            across: 1,
            depth: 1,
            parts: 1,
            height: 1,
            jit_fold: None,
            column_fold: None,
            whole_rows: false,
            finds_in_place: false,
            is_short_row: nest == 1 && is_short_row(folding.forms, launch.outer, length),
            may_stop: planes * points == 1
                && body.sinks.is_empty()
                && folding.accumulators.iter().all(|a| a.absorbing.is_some() && !a.kernel_has_effects),
            has_stopped: AtomicBool::new(false),
        };
        let least = match reduction.is_short_row {
            _ if nest > 1 => MIN_NESTED_ROW,
            true => MIN_JIT_FOLD,
            false if reduction.is_read_in_place() => MIN_JIT_ROW,
            // Without stores: it decides the bits of sums, which are the same whether their terms are stored.
            false => computed_row_bytes(body.cost) / folding.accumulators[0].size,
        };
        let long = !by_columns && length >= least;
        let row_fold = if long { reduction.row_fold() } else { None };
        // Storing by calls of their own does not pay for short rows.
        let stores =
            |call: &RowFoldCall<'_>| body.sinks.is_empty() || call.stores() || length >= MIN_JIT_ROW || nest > 1;
        reduction.jit_fold = row_fold.filter(|call| length >= call.lanes() && stores(call));
        reduction.column_fold = if by_columns { reduction.column_fold() } else { None };
        let finds = folding.accumulators.iter().all(ResolvedAccumulator::finds);
        reduction.finds_in_place = finds && reduction.is_read_in_place();
        reduction.divide();
        reduction
    }

    /// Decides the sizes of tiles and groups.
    #[inline]
    fn divide(&mut self) {
        let room = self.body.block_len;
        if self.is_short_row {
            self.whole_rows = self.jit_fold.is_none() && (self.length <= room || self.finds_in_place);
            self.depth = if self.whole_rows { self.length } else { self.length.min(JIT_FOLD_PIECE) };
            return;
        }
        let read_in_place = self.is_read_in_place();
        if self.by_columns {
            // Machine code needs no registers for values.
            let most = if self.column_fold.is_some() { MAX_TILE_COLUMNS } else { MAX_TILE_COLUMNS.min(room) };
            let narrow = self.points.min(most);
            // Independent of the size of registers: equal domains are divided equally and give equal sums. What is halved is one tile.
            let halves = folds_by_halving(narrow);
            let rows = (if halves { room } else { self.body.tile_len } / narrow).max(1);
            let height = if read_in_place { TILE_DEPTH.max(rows) } else { rows };
            self.depth = self.length.min(if halves { height } else { tile_depth(self.length, self.points) });
            self.height = height.min(self.depth);
            self.parts = self.parts_of_groups(narrow);
            self.across = narrow;
            if self.column_fold.is_some() && !halves {
                self.across = wide_tile(self.points, narrow, self.planes * self.parts);
                self.height = (self.body.tile_len / self.across).clamp(1, self.height);
            }
            self.group = self.across;
        } else if self.length <= room && self.jit_fold.is_none() && self.nest == 1 {
            let rows = match read_in_place {
                true => (IN_PLACE_POINTS / self.length).min(MAX_TILE_COLUMNS),
                false => self.body.tile_len / self.length,
            };
            self.across = self.points.min(rows);
            self.group = self.across;
            self.depth = self.length;
            self.whole_rows = true;
        } else {
            // As above.
            self.group = self.points.min((IN_PLACE_POINTS / self.length).max(ROW_GROUP));
            if self.nest > 1 && self.jit_fold.is_none() {
                self.height = (self.body.tile_len / self.length).clamp(1, self.nest);
            }
            // Short rows that machine code cannot fold are folded together by calls.
            let rows = if self.length < MIN_JIT_ROW { (room / self.length).clamp(1, ROW_GROUP) } else { 1 };
            self.across = self.points.min(rows);
            self.depth = self.length.min(if self.finds_in_place { MIN_PART } else { JIT_FOLD_PIECE });
        }
    }

    /// Whether the body only loads operands that are contiguous along the columns, so that tiles need no registers.
    fn is_read_in_place(&self) -> bool {
        self.body.needs_no_registers() && self.body.sinks.is_empty() && self.has_dense_columns()
    }

    /// Whether all loads are contiguous along the columns.
    fn has_dense_columns(&self) -> bool {
        let launch = self.launch.get();
        let dense = |operand: u16, size: u8| {
            self.axes.columns != NO_PLANE_AXIS
                && launch.strides_of(operand as usize)[self.axes.columns] == size as isize
        };
        self.body.loads.iter().all(|l| dense(l.operand, l.size))
    }

    /// Whether it runs two inner axes: its rows are folded by machine code, or are many that are computed together in registers, and dense
    /// there. (What is only loaded would be copied.)
    pub(super) fn may_nest(&self) -> bool {
        let row_bytes = |size: u8| self.length as isize * size as isize;
        let is_dense = |load: &Load| {
            let stride = |axis: usize| self.launch.get().strides_of(load.operand as usize)[axis];
            stride(self.axes.columns) == load.size as isize && stride(self.axes.rows) == row_bytes(load.size)
        };
        let is_computed = |a: &ResolvedAccumulator| {
            self.body.loads.iter().find(|load| u32::from(load.value) == a.value).is_none_or(is_dense)
        };
        self.jit_fold.is_some()
            || (self.nest * self.length >= MIN_NESTED_POINTS
                && self.height > 1
                && self.folding.accumulators.iter().all(is_computed))
    }

    /// Machine code that folds rows of this launch, whose loads are contiguous or have one element for all columns.
    fn row_fold(&self) -> Option<RowFoldCall<'a>> {
        let call = self.folding.jit_fold.as_ref().filter(|_| self.has_simple_loads())?;
        call.of_rows(|value| self.is_broadcast(value), |operand| self.is_non_temporal(operand), self.has_simple_sinks())
    }

    /// Machine code that folds columns of this launch, whose loads are as simple, unless they are all that it would read.
    fn column_fold(&self) -> Option<ColumnFoldCall<'a>> {
        let stores = !self.body.sinks.is_empty();
        let copies = stores && self.body.loads.iter().any(|l| self.column_stride(l.operand) == 0);
        let may_run = self.points >= least_columns(self.body.cost, copies)
            && (stores || self.body.cost <= MAX_FOLDED_POINT)
            && self.has_simple_loads()
            && !self.is_read_in_place();
        let call = self.folding.jit_fold.as_ref().filter(|_| may_run)?;
        if stores && !self.has_simple_sinks() {
            return None;
        }
        call.of_columns(|v| self.is_broadcast(v), |operand| self.is_non_temporal(operand), stores)
    }

    /// The stride of an operand along the columns.
    fn column_stride(&self, operand: u16) -> isize {
        self.launch.get().strides_of(operand as usize)[self.axes.columns]
    }

    /// Whether all loads are contiguous along the columns, or have one element for all of them.
    fn has_simple_loads(&self) -> bool {
        self.body.loads.iter().all(|l| [0, l.size as isize].contains(&self.column_stride(l.operand)))
    }

    /// Whether an entry of the table of values is a load with one element for all columns.
    fn is_broadcast(&self, value: u16) -> bool {
        self.body.loads.iter().any(|l| l.value == value && self.column_stride(l.operand) == 0)
    }

    /// Whether a sink's operand is so large that its stores may pass the caches by, and its rows begin with cache lines.
    fn is_non_temporal(&self, operand: u16) -> bool {
        let points = self.planes * self.points * self.nest * self.length;
        let Some(sink) = self.body.sinks.iter().find(|sink| sink.operand == operand) else { return false };
        let size = sink.size as usize;
        let is_large = points * size >= NON_TEMPORAL_BYTES || self.footprint() >= NON_TEMPORAL_FOOTPRINT;
        (sink.nontemporal || is_large) && begins_lines(&self.launch.get(), operand as usize, size)
    }

    /// Bytes of memory that the body accesses. A row that all points of an axis load counts once.
    fn footprint(&self) -> usize {
        let launch = self.launch.get();
        let own = |(operand, size): (u16, usize)| {
            let axes = launch.strides_of(operand as usize).iter().zip(launch.outer.iter().chain(launch.inner));
            axes.filter(|(stride, _)| **stride != 0).map(|(_, extent)| extent).product::<usize>() * size
        };
        let loads = self.body.loads.iter().map(|load| (load.operand, load.size as usize));
        loads.chain(self.body.sinks.iter().map(|sink| (sink.operand, sink.size as usize))).map(own).sum()
    }

    /// Whether all sinks are contiguous along the columns and overlap no load. A fold of extremes begins with the first vector, and computes it
    /// again with the others.
    fn has_simple_sinks(&self) -> bool {
        let overlaps = |load: &Load| meets_a_sink(self.body, &self.launch.get(), load);
        (self.body.sinks.iter().enumerate())
            .all(|(i, sink)| self.aliasing.direct(i) && self.column_stride(sink.operand) == sink.size as isize)
            && !self.body.loads.iter().any(overlaps)
    }

    /// Columns of a tile that one call runs on.
    pub(super) fn tile_columns(&self) -> usize {
        if self.whole_rows || self.finds_in_place { self.depth } else { self.depth.min(self.body.block_len) }
    }

    pub(super) fn groups(&self) -> usize {
        self.planes * self.points.div_ceil(self.group)
    }

    /// How many parts the inner axis is divided into, if groups have so many points.
    pub(super) fn parts_of_groups(&self, group: usize) -> usize {
        let points = self.planes * self.points * self.nest * self.length;
        parts_of(self.planes * self.points.div_ceil(group), self.inner_tiles(), points, self.folding.forms.part)
    }

    pub(super) fn inner_tiles(&self) -> usize {
        if self.by_columns { self.tiles_of_row() } else { self.nest.div_ceil(self.height) * self.tiles_of_row() }
    }

    pub(super) fn tiles_of_row(&self) -> usize {
        if self.depth == self.length { 1 } else { self.length.div_ceil(self.depth) }
    }
}

/// Rows of a tile that is folded by columns, of so many rows and columns: whole groups, so few that all threads have tiles.
fn tile_depth(rows: usize, columns: usize) -> usize {
    let least = MIN_COLUMN_TILE / columns.min(MAX_TILE_COLUMNS);
    (rows / MAX_CPU_PARTS).max(least).next_multiple_of(COLUMN_GROUP).clamp(COLUMN_GROUP, TILE_DEPTH)
}
