//! The map template: elementwise kernels over their domain.
//!
//! [`run_2d`]: the last axis of more than one point gives the columns of an [`Exec2d`], the one before it the rows, and the driver iterates
//! over the rest. [`run_tiles`]: tile by tile in [`ExecTiles`], for fragments with coordinates, gathers or scatters, and for domains of very
//! short rows. [`strategy`](crate::drive::strategy) chooses.

use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::strategy::{MIN_PARALLEL_NS, TRANSPOSED_TILE_WIDTH};
use crate::drive::tiles::{Tile, Tiling};
use crate::drive::{fp_status, scratch};
use crate::portable::exec::aliasing::AliasInfo;
use crate::portable::exec::bytecode::Bytecode;
use crate::portable::exec::exec_2d::{Exec2d, NO_PLANE_AXIS, PlaneAxes, PointerTable2d, TileSpan};
use crate::portable::exec::exec_tiles::ExecTiles;
use crate::{Launch, RaisedFlags, ThreadPool};
use smallvec::SmallVec;
use std::ops::Range;

/// Runs rows and columns tile by tile.
///
/// # Safety
/// As [`crate::Program::launch`]; the code has a plane form, and the domain is not empty.
pub(crate) unsafe fn run_2d(code: &Bytecode, launch: &Launch<'_>, workers: &dyn ThreadPool) -> RaisedFlags {
    let grid = Grid::new(code, launch);
    let points = grid.columns * grid.rows * grid.planes;
    let nanoseconds = estimate_ns(points, code.total_cost(), code.bytes);
    if nanoseconds < MIN_PARALLEL_NS || workers.count() == 1 {
        let mut raised = RaisedFlags::new();
        if code.has_effects() {
            fp_status::clear();
        }
        // SAFETY: the caller's contract.
        unsafe { grid.run(code, launch, 0..grid.tiles(), &mut raised) };
        return raised;
    }
    let grid = grid.for_threads(workers.count());
    let shared = SharedLaunch(*launch);
    parallel_for(grid.tiles(), nanoseconds, workers, &|range, raised| {
        // SAFETY: the caller's contract; tiles do not overlap.
        unsafe { grid.run(code, &shared.get(), range, raised) }
    })
}

/// A domain divided into planes, and their tiles.
#[derive(Clone, Copy)]
struct Grid {
    axes: PlaneAxes,
    aliasing: AliasInfo,
    /// Extents of a plane, and how many there are.
    rows: usize,
    columns: usize,
    planes: usize,
    /// Extents of a tile: whole rows, or a range of one row unless operands are transposed.
    height: usize,
    width: usize,
}

impl Grid {
    #[inline]
    fn new(code: &Bytecode, launch: &Launch<'_>) -> Grid {
        let (mut axes, mut rows, mut columns, mut planes) =
            (PlaneAxes { rows: NO_PLANE_AXIS, columns: NO_PLANE_AXIS }, 1, 1, 1);
        for (axis, &extent) in launch.outer.iter().enumerate().rev().filter(|(_, e)| **e != 1) {
            if axes.columns == NO_PLANE_AXIS {
                (axes.columns, columns) = (axis, extent);
            } else if axes.rows == NO_PLANE_AXIS {
                (axes.rows, rows) = (axis, extent);
            } else {
                planes *= extent;
            }
        }
        let aliasing = AliasInfo::new(code, launch);
        let mut grid = Grid { axes, aliasing, rows, columns, planes, height: 1, width: columns };
        let room = if grid.is_in_memory(code, launch) { usize::MAX >> 8 } else { code.block_len };
        if rows > 1 && columns > TRANSPOSED_TILE_WIDTH && grid.is_transposed(code, launch) {
            grid.width = TRANSPOSED_TILE_WIDTH;
        } else if columns > room {
            grid.width = room;
            return grid;
        }
        // Divisions take some 5 ns each.
        if rows * grid.width <= room {
            grid.height = rows;
        } else {
            let tall = (room / grid.width).clamp(1, rows);
            grid.height = rows.div_ceil(rows.div_ceil(tall));
        }
        grid
    }

    /// Whether the only call reads and writes memory, so that no block has to stay in the cache.
    fn is_in_memory(&self, code: &Bytecode, launch: &Launch<'_>) -> bool {
        let dense = |operand: u16, size: u8| {
            self.axes.columns == NO_PLANE_AXIS
                || launch.strides_of(operand as usize)[self.axes.columns] == size as isize
        };
        code.calls.len() == 1
            && code.uniforms.is_empty()
            && code.sinks.len() == 1
            && self.aliasing.direct == 1
            && code.loads.iter().all(|l| dense(l.operand, l.size))
            && dense(code.sinks[0].operand, code.sinks[0].size)
    }

    /// Whether an operand is transposed: contiguous along the rows' axis.
    fn is_transposed(&self, code: &Bytecode, launch: &Launch<'_>) -> bool {
        let across = |operand: u16, size: u8| {
            let strides = launch.strides_of(operand as usize);
            strides[self.axes.rows] == size as isize && strides[self.axes.columns].unsigned_abs() > 64
        };
        code.loads.iter().any(|l| across(l.operand, l.size)) || code.sinks.iter().any(|s| across(s.operand, s.size))
    }

    /// The same with at least four tiles a thread, where possible.
    fn for_threads(mut self, threads: usize) -> Grid {
        let enough = 4 * threads;
        if self.planes * self.rows.div_ceil(self.height) * self.columns.div_ceil(self.width) < enough {
            if self.rows >= enough {
                self.height = self.rows.div_ceil(enough);
            } else {
                self.height = 1;
                self.width = self.columns.div_ceil(enough).next_multiple_of(64);
            }
        }
        self
    }

    fn tiles(&self) -> usize {
        if self.height == self.rows && self.width == self.columns {
            return self.planes;
        }
        self.planes * self.rows.div_ceil(self.height) * self.columns.div_ceil(self.width)
    }

    /// Runs some tiles.
    ///
    /// # Safety
    /// As [`crate::Program::launch`]; the code has a plane.
    unsafe fn run(&self, code: &Bytecode, launch: &Launch<'_>, range: Range<usize>, raised: &mut RaisedFlags) {
        let room = (self.height * self.width).min(code.block_len).next_multiple_of(64);
        let tile = (self.height, self.width);
        scratch::with(code.width * room, |registers| {
            let mut table = PointerTable2d::new();
            // SAFETY: the registers have room unless nothing lives in them; the caller's contract.
            unsafe {
                let mut plane =
                    Exec2d::new(code, launch, self.aliasing, self.axes, tile, false, (registers, room), &mut table);
                if range.len() == 1 && self.tiles() == 1 {
                    let part = TileSpan {
                        origin: launch.addresses,
                        row: 0,
                        rows: self.rows,
                        column: 0,
                        columns: self.columns,
                    };
                    plane.run(&part, raised);
                } else {
                    self.for_each_tile(launch, range, |part| plane.run(&part, raised));
                }
            }
        });
    }

    /// Calls `f` for some tiles, columns fastest.
    #[inline(always)]
    fn for_each_tile(&self, launch: &Launch<'_>, range: Range<usize>, mut f: impl FnMut(TileSpan<'_>)) {
        let (down, along) = (self.rows.div_ceil(self.height), self.columns.div_ceil(self.width));
        let (mut across, mut row, mut plane_index) =
            (range.start % along, range.start / along % down, range.start / along / down);
        let mut shifted: SmallVec<[*mut u8; 16]> = SmallVec::new();
        let mut stale = true;
        for _ in range {
            let origin = if self.planes == 1 {
                launch.addresses
            } else {
                if std::mem::take(&mut stale) {
                    shifted.clear();
                    shifted.extend_from_slice(launch.addresses);
                    offset_addresses(&mut shifted, launch, self.axes, plane_index);
                }
                &shifted[..]
            };
            let (r, c) = (row * self.height, across * self.width);
            let (rows, columns) = (self.height.min(self.rows - r), self.width.min(self.columns - c));
            f(TileSpan { origin, row: r, rows, column: c, columns });
            across += 1;
            if across == along {
                (across, row) = (0, row + 1);
                if row == down {
                    (row, plane_index, stale) = (0, plane_index + 1, true);
                }
            }
        }
    }
}

/// Offsets addresses to a plane of the outer domain.
pub(crate) fn offset_addresses(addresses: &mut [*mut u8], launch: &Launch<'_>, axes: PlaneAxes, plane: usize) {
    let mut rest = plane;
    for (axis, &extent) in launch.outer.iter().enumerate().rev() {
        if extent == 1 || axis == axes.rows || axis == axes.columns {
            continue;
        }
        let at = (rest % extent) as isize;
        rest /= extent;
        for (operand, address) in addresses.iter_mut().enumerate() {
            *address = address.wrapping_offset(at * launch.strides_of(operand)[axis]);
        }
    }
}

/// Runs any number of axes, any strides and any steps tile by tile. The coordinates of the first point are `origin`, or 0 where it is empty.
///
/// # Safety
/// As [`crate::Program::launch`]; the domain is not empty.
pub(crate) unsafe fn run_tiles(
    code: &Bytecode,
    launch: &Launch<'_>,
    origin: &[usize],
    workers: &dyn ThreadPool,
) -> RaisedFlags {
    let points: usize = launch.outer.iter().product();
    let room = code.block_len.min(points.next_multiple_of(64));
    let walk = Tiling::new(0, launch.outer, room);
    let aliasing = AliasInfo::new(code, launch);
    let shared = SharedLaunch(*launch);
    let nanoseconds = if code.scatters() { 0.0 } else { estimate_ns(points, code.total_cost(), code.bytes) };
    parallel_for(walk.tiles(), nanoseconds, workers, &|range, raised| {
        scratch::with(code.width * room, |registers| {
            // SAFETY: the registers have room; the caller's contract; tiles do not overlap.
            unsafe {
                let mut exec = ExecTiles::new(code, shared.get(), aliasing, false, registers, room);
                exec.set_origin(origin);
                let mut at = walk.seek(range.start);
                let mut tile = Tile::new(launch.outer.len());
                for _ in range {
                    tile.set(&[(&walk, &at)]);
                    exec.run(&tile);
                    walk.advance(&mut at);
                }
                *raised = std::mem::take(&mut exec.raised);
            }
        });
    })
}
