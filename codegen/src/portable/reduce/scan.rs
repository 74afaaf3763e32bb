//! The scan template: inclusive prefix scans along one axis.
//!
//! By rows if that axis is the faster in memory: a sequential loop for each row, over values computed block by block. By columns if an outer
//! axis is: every step folds a row of values into the row before.

use crate::drive::fp_status;
use crate::drive::interrupt;
use crate::drive::parallel::{SharedLaunch, estimate_ns, parallel_for};
use crate::drive::scratch;
use crate::drive::strategy::SEQUENTIAL_NS;
use crate::drive::tiles::{Tile, Tiling};
use crate::portable::exec::aliasing::AliasInfo;
use crate::portable::exec::bytecode::{Bytecode, block_length};
use crate::portable::exec::exec_tiles::ExecTiles;
use crate::portable::reduce::accumulate::{AccumulatorLoops, ResolvedAccumulator};
use crate::portable::reduce::reduce_nd::{ResolvedFolds, collect_flags};
use crate::{Launch, RaisedFlags, ThreadPool};

/// Tiles of a row between two polls for an interrupt: some 100 µs.
const POLL_TILES: usize = 128;

/// The buffers of one accumulator's running values.
struct RunningValues {
    /// Those of the current tile.
    out: *mut u8,
    /// The carry: the last value of each row, or the last row, of the tile before.
    carry: *mut u8,
}

/// The carries into a row, then those out of it: a word for each accumulator.
#[derive(Clone, Copy)]
pub(crate) struct Carry(pub(crate) *mut u64);

// SAFETY: a scan of one row runs in one task.
unsafe impl Sync for Carry {}
// SAFETY: as above.
unsafe impl Send for Carry {}

impl Carry {
    /// That of an accumulator. A method, so that closures capture the whole struct, which is `Sync`.
    fn of(&self, accumulator: usize) -> *mut u8 {
        self.0.wrapping_add(accumulator).cast()
    }
}

/// What a scan of a part of a row starts with.
pub(crate) struct Resume<'a> {
    /// The carries into the part, then those out of it.
    pub(crate) carry: Carry,
    /// By axis: the coordinate of its first point.
    pub(crate) origin: &'a [usize],
}

/// Runs a scan by columns or by rows, or continues one row.
///
/// # Safety
/// As [`crate::Program::launch`]; the domain is not empty. Carries may be passed in for one row alone, of values of eight bytes at most.
pub(crate) unsafe fn run(
    body: &Bytecode,
    folding: &ResolvedFolds,
    epilogue: &Bytecode,
    launch: &Launch<'_>,
    workers: &dyn ThreadPool,
    (columns, before): (bool, Option<Resume<'_>>),
) -> RaisedFlags {
    let outer: usize = launch.outer.iter().product();
    let length = launch.inner[0];
    let accumulators = &folding.accumulators;
    let width = body.width + epilogue.width + accumulators.iter().map(|a| 2 * a.size).sum::<usize>();
    let room = block_length(width).min((outer * length).next_multiple_of(64));
    let rank = launch.outer.len();
    let outer_walk = if columns {
        Tiling::new(0, launch.outer, room)
    } else {
        Tiling::spanning(0, launch.outer, (room / length).max(1))
    };
    let inner_walk = Tiling::new(rank, launch.inner, room / outer_walk.largest());
    let (aliasing, epilogue_aliasing) = (AliasInfo::new(body, launch), AliasInfo::new(epilogue, launch));
    let shared = SharedLaunch(*launch);
    let scatters = body.scatters() || epilogue.scatters();
    let each = body.total_cost() + epilogue.total_cost() + SEQUENTIAL_NS * accumulators.len() as f64;
    let nanoseconds = if scatters { 0.0 } else { estimate_ns(outer * length, each, body.bytes + epilogue.bytes) };
    parallel_for(outer_walk.tiles(), nanoseconds, workers, &|range, raised| {
        scratch::with(width * room, |memory| {
            let second = memory.wrapping_add(body.width * room);
            let mut place = second.wrapping_add(epilogue.width * room);
            let mut cut = |bytes: usize| {
                place = place.wrapping_add(bytes);
                place.wrapping_sub(bytes)
            };
            let running: Vec<RunningValues> = accumulators
                .iter()
                .map(|a| RunningValues { out: cut(a.size * room), carry: cut(a.size * room) })
                .collect();
            // SAFETY: the scratch has room for all of these; the caller's contract.
            unsafe {
                let mut body = ExecTiles::new(body, shared.get(), aliasing, false, memory, room);
                let mut epilogue = ExecTiles::new(epilogue, shared.get(), epilogue_aliasing, true, second, room);
                for (i, r) in running.iter().enumerate() {
                    epilogue.set_result(i, r.out);
                }
                if let Some(before) = &before {
                    body.set_origin(before.origin);
                    epilogue.set_origin(before.origin);
                    let of = |i| before.carry.of(i).cast_const();
                    let each = accumulators.iter().zip(&running).enumerate();
                    each.for_each(|(i, (a, r))| std::ptr::copy_nonoverlapping(of(i), r.carry, a.size));
                }
                let mut tile = Tile::new(rank + 1);
                let mut at = outer_walk.seek(range.start);
                for _ in range {
                    let mut inner_at = inner_walk.seek(0);
                    for step in 0..inner_walk.tiles() {
                        // A row is one task, however long.
                        if step % POLL_TILES == POLL_TILES - 1 && interrupt::is_interrupted() {
                            break;
                        }
                        let walks = [(&outer_walk, &at), (&inner_walk, &inner_at)];
                        tile.set(&if columns { [walks[1], walks[0]] } else { walks });
                        body.run(&tile);
                        let first = step == 0 && before.is_none();
                        let along = if columns { tile.extents[0] } else { *tile.extents.last().unwrap_or(&1) };
                        for (a, r) in accumulators.iter().zip(&running) {
                            let values = body.value(a.value);
                            if columns {
                                down_columns(a, r, values, along, tile.len() / along, first);
                            } else {
                                along_rows(a, r, values, tile.len() / along, along, first);
                            }
                            collect_flags(a, raised);
                        }
                        epilogue.run(&tile);
                        inner_walk.advance(&mut inner_at);
                    }
                    outer_walk.advance(&mut at);
                }
                if let Some(before) = &before {
                    let each = accumulators.iter().zip(&running).enumerate();
                    each.for_each(|(i, (a, r))| std::ptr::copy_nonoverlapping(r.carry, before.carry.of(i), a.size));
                }
                fp_status::merge(raised, body.raised.into_iter().chain(epilogue.raised));
            }
        });
    })
}

/// Scans `rows` rows of `n` values.
unsafe fn along_rows(
    a: &ResolvedAccumulator,
    r: &RunningValues,
    values: *const u8,
    rows: usize,
    n: usize,
    first: bool,
) {
    let AccumulatorLoops::Fold(f) = &a.loops else { return };
    for row in 0..rows {
        let skip = first as usize;
        // SAFETY: the caller's buffers hold `rows * n` values, the carries one for each row.
        unsafe {
            let (out, v) = (r.out.add(row * n * a.size), values.add(row * n * a.size));
            let carry = r.carry.add(row * a.size);
            if first {
                std::ptr::copy_nonoverlapping(v, out, a.size);
                std::ptr::copy_nonoverlapping(v, carry, a.size);
            }
            (f.running)(out.add(skip * a.size), v.add(skip * a.size), carry, v, n - skip, 0);
            std::ptr::copy_nonoverlapping(out.add((n - 1) * a.size), carry, a.size);
        }
    }
}

/// Scans `n` columns of `rows` values.
unsafe fn down_columns(
    a: &ResolvedAccumulator,
    r: &RunningValues,
    values: *const u8,
    rows: usize,
    n: usize,
    first: bool,
) {
    let Some(apply) = a.apply else { return };
    let size = n * a.size;
    // SAFETY: the caller's buffers hold `rows * n` values, the carry `n`.
    unsafe {
        let mut before = r.carry;
        for row in 0..rows {
            let (out, v) = (r.out.add(row * size), values.add(row * size));
            if first && row == 0 {
                std::ptr::copy_nonoverlapping(v, out, size);
            } else {
                apply(out, before, v, v, n, 0);
            }
            before = out;
        }
        std::ptr::copy_nonoverlapping(before, r.carry, size);
    }
}
