//! Columns of a reduction in tiles: rows of values are folded into a row of accumulators, by machine code or by calls.

use crate::portable::exec::exec_2d::TileSpan;
use crate::portable::exec::jit_hook::ColumnFoldCall;
use crate::portable::reduce::accumulate::{ACCUMULATORS, COLUMN_GROUP, Progress};
use crate::portable::reduce::reduce_nd::collect_flags;
use crate::portable::reduce::tiled_run::TiledRun;
use smallvec::SmallVec;
use std::ops::Range;

impl TiledRun<'_, '_> {
    /// Folds a range of tiles into the vectors of a group of columns.
    pub(super) unsafe fn fold_columns(&mut self, first: usize, n: usize, range: Range<usize>) {
        let s = self.reduction;
        let mut progress: SmallVec<[Progress; 1]> = s.folding.accumulators.iter().map(Progress::new).collect();
        for tile in range {
            let row = tile * s.depth;
            let part = TileSpan { origin: &[], row, rows: s.depth.min(s.length - row), column: first, columns: n };
            // SAFETY: the contract of the launch.
            unsafe {
                match &s.column_fold {
                    Some(call) => self.fold_by_machine_code(call, part, &mut progress),
                    None => self.fold_by_calls(part, &mut progress),
                }
            }
        }
        for ((a, p), progress) in s.folding.accumulators.iter().zip(&self.buffers).zip(&mut progress) {
            // SAFETY: as above.
            unsafe { a.finish(p, progress, n) };
            collect_flags(a, self.raised);
        }
    }

    /// Folds a tile by columns, as many rows at a time as its registers hold.
    unsafe fn fold_by_calls(&mut self, tile: TileSpan<'_>, progress: &mut [Progress]) {
        let s = self.reduction;
        let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
        for row in (tile.row..tile.row + tile.rows).step_by(s.height) {
            let rows = s.height.min(tile.row + tile.rows - row);
            // SAFETY: as in `whole_rows`.
            unsafe {
                self.body.run(&TileSpan { origin, row, rows, ..tile }, self.raised);
                for ((a, p), progress) in s.folding.accumulators.iter().zip(&self.buffers).zip(&mut *progress) {
                    a.columns(p, progress, self.body.value(a.value), rows, tile.columns, row);
                    collect_flags(a, self.raised);
                }
            }
        }
    }

    /// Folds a tile by columns, a group of rows by a call of machine code where that is possible.
    unsafe fn fold_by_machine_code(
        &mut self,
        call: &ColumnFoldCall<'_>,
        tile: TileSpan<'_>,
        progress: &mut [Progress],
    ) {
        let s = self.reduction;
        for row in (tile.row..tile.row + tile.rows).step_by(COLUMN_GROUP) {
            let origin = if self.origin.is_empty() { self.launch.addresses } else { &self.origin };
            let group = TileSpan { origin, row, rows: COLUMN_GROUP.min(tile.row + tile.rows - row), ..tile };
            let each = || s.folding.accumulators.iter().zip(&self.buffers);
            let into: SmallVec<[*mut u8; ACCUMULATORS]> =
                each().zip(&*progress).map(|((a, p), progress)| a.group_of_rows(p, progress)).collect();
            // SAFETY: the contract of the launch; tiles begin with a group, and the buffers have room for its columns.
            unsafe {
                if self.body.fold_columns(&group, call, &into) {
                    for ((a, p), progress) in each().zip(&mut *progress) {
                        a.add_rows(p, progress, group.rows, group.columns);
                        collect_flags(a, self.raised);
                    }
                } else {
                    self.fold_by_calls(TileSpan { origin: &[], ..group }, progress);
                }
            }
        }
    }
}
