//! Strategy selection: which driver runs a launch on a CPU, and the tuned thresholds of that choice.
//!
//! The choice depends on extents, strides, a kernel's capabilities and the cost model. Where a fold rounds it never depends on the number
//! of threads, so that equal launches give equal bits. The limits of a driver's tables stay with the driver; the cost model is
//! [`parallel`](crate::drive::parallel); its constants are in [`cost`](crate::cost).
//!
//! Each threshold names its unit, what was measured, and the bench that covers it. A bench is run by
//! `cargo bench -p fastnp-benches --bench BENCH -- NAME`, before and after the change, on an idle machine; `FASTNP_BACKEND=portable` before
//! it measures the interpreter.
#![cfg_attr(
    not(all(target_arch = "x86_64", unix)),
    allow(dead_code, reason = "machine code uses some strategies alone, and exists on one architecture")
)]

use crate::Launch;
use crate::cost::{GRAIN_NS, LINE_BYTES, NON_TEMPORAL_BYTES, NON_TEMPORAL_FOOTPRINT};
use crate::drive::parallel::estimate_ns;

/// How a launch is driven.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// The domain is empty: nothing runs.
    Nothing,
    /// Machine code, maps and scans: one dense row, on the caller's thread, if that takes less than [`MIN_PARALLEL_NS`] and no chunk may
    /// have to be re-executed after its inputs are overwritten. Small launches are such rows; planning them would take as long as their
    /// elements.
    DenseRow,
    /// Machine code, maps and scans: rows through the loop for their stride kinds, in chunks, in parallel from [`MIN_PARALLEL_NS`] on. Not
    /// where one of several rows has fewer elements than [`SHORT_NESTED_ROW`], [`SHORT_LOOP_ROW`] or [`SHORT_PRODUCT_ROW`], nor where a
    /// stride has no loop, nor where an input that may be needed again is overwritten and cannot be saved.
    Rows,
    /// Machine code, maps: blocks of rows and columns, for which operands that are transposed, or broadcast along short rows, are copied to
    /// scratch memory; in parallel over blocks. Where [`crate::x86`] finds that it pays.
    Blocks,
    /// Machine code, scans: each row is a map of its inputs and the results of the row before, in parallel over blocks of columns. Where an
    /// outer axis is the faster in memory and has [`MIN_SCAN_COLUMNS`] columns at least.
    Columns,
    /// Machine code's programs: the interpreter runs the whole launch, with strategies of its own. Where the others cannot, or do not pay.
    Interpret,
    /// Interpreter, maps: `exec_2d` on tiles of the two fastest axes of more than one point, in parallel from [`MIN_PARALLEL_NS`] on. One
    /// indirect call runs a step on all rows of a tile. An addition of eight elements takes 100 ns here; a driver of one axis took 63, and was
    /// dropped because machine code runs such launches where there is any.
    Exec2d,
    /// Interpreter, maps: `exec_tiles` on any domain, in parallel unless it scatters. For fragments with coordinates, gathers or scatters,
    /// for those with more values than the tables of `exec_2d`, and for rows of fewer than [`MIN_ROW_2D`] elements.
    Tiles,
    /// Interpreter, reductions: `reduce_tiled` on one inner axis of more than one point, in two-dimensional tiles, by rows or by columns
    /// ([`by_columns`]), in parallel over outer points and over parts of the inner axis ([`parts_of`]). One row alone that is too short to
    /// divide ([`is_short_row`]), the most frequent reduction by far, needs no plan. On two inner axes too, where machine code folds
    /// rows, or computes short ones together.
    ReduceTiled,
    /// Interpreter, reductions: `reduce_nd` on any domain, by rows or by columns, in parallel likewise unless it scatters. For several
    /// inner axes, an empty one, and what the drivers before cannot run.
    ReduceNd,
    /// Interpreter, scans: a sequential loop for each row, in parallel over rows. Where the axis of the scan is the faster in memory.
    ScanRows,
    /// Interpreter, scans: each step folds a row of values into the row before, in parallel over blocks of columns. Where an outer axis is
    /// the faster in memory.
    ScanColumns,
}

impl Strategy {
    /// The name that listings and debug output give it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Strategy::Nothing => "nothing",
            Strategy::DenseRow => "dense row",
            Strategy::Rows => "rows",
            Strategy::Blocks => "blocks",
            Strategy::Columns => "columns",
            Strategy::Interpret => "interpret",
            Strategy::Exec2d => "exec 2d",
            Strategy::Tiles => "tiles",
            Strategy::ReduceTiled => "reduce tiled",
            Strategy::ReduceNd => "reduce nd",
            Strategy::ScanRows => "scan rows",
            Strategy::ScanColumns => "scan columns",
        }
    }
}

/// The line of a listing that names the strategies a program is capable of, the preferred one first.
pub fn listing(strategies: impl IntoIterator<Item = Strategy>) -> String {
    let names: Vec<&str> = strategies.into_iter().map(Strategy::name).collect();
    format!("strategies: {}\n", names.join(", "))
}

/// The strategies of a map in the interpreter, in order of preference.
pub fn map_strategies(may_run_2d: bool) -> impl Iterator<Item = Strategy> {
    may_run_2d.then_some(Strategy::Exec2d).into_iter().chain([Strategy::Tiles])
}

/// The strategy of a map in the interpreter, by whether its fragment has the form that `exec_2d` runs.
#[inline]
pub fn of_map(may_run_2d: bool, outer: &[usize]) -> Strategy {
    if outer.contains(&0) {
        return Strategy::Nothing;
    }
    let mut long = outer.iter().rev().filter(|extent| **extent != 1);
    let columns = long.next().copied().unwrap_or(1);
    if !may_run_2d || (columns < MIN_ROW_2D && long.next().is_some()) {
        return Strategy::Tiles;
    }
    Strategy::Exec2d
}

/// The capabilities of a reduction in the interpreter.
#[derive(Clone, Copy)]
pub struct ReduceForms {
    /// Whether `reduce_tiled` may run it, besides `reduce_nd`.
    pub tiled: bool,
    /// Whether a short row may be one tile without a plan there.
    pub row: bool,
    /// Least elements of a part of inner axes.
    pub part: usize,
}

impl ReduceForms {
    /// The strategies of a reduction, in order of preference.
    pub(crate) fn strategies(self) -> impl Iterator<Item = Strategy> {
        self.tiled.then_some(Strategy::ReduceTiled).into_iter().chain([Strategy::ReduceNd])
    }
}

/// The strategy of a reduction in the interpreter, by whether machine code folds its rows, which is asked of two inner axes.
#[inline]
pub fn of_reduction(forms: ReduceForms, outer: &[usize], inner: &[usize], may_nest: impl FnOnce() -> bool) -> Strategy {
    if outer.iter().product::<usize>() == 0 {
        return Strategy::Nothing;
    }
    let points: usize = inner.iter().product();
    if !forms.tiled || points == 0 {
        return Strategy::ReduceNd;
    }
    match inner.iter().filter(|extent| **extent != 1).count() {
        0 | 1 => Strategy::ReduceTiled,
        2 if may_nest() => Strategy::ReduceTiled,
        _ => Strategy::ReduceNd,
    }
}

/// Whether a reduction of so many elements along its inner axis is one row alone, too short to divide into parts. Such rows take machine
/// code from [`MIN_JIT_FOLD`] elements on, others from [`MIN_JIT_ROW`] on.
#[inline]
pub fn is_short_row(forms: ReduceForms, outer: &[usize], length: usize) -> bool {
    outer.is_empty() && length < 2 * forms.part
}

/// Whether machine code in the place of calls pays on a tile with so many columns: a call for each row, one for all rows, which have
/// `shortest_row` elements at least, or one for what is one long row.
#[inline(always)]
pub(crate) fn runs_machine_code(columns: usize, shortest_row: usize, is_one_row: impl FnOnce() -> bool) -> bool {
    columns >= MIN_JIT_COLUMNS.min(shortest_row.max(SHORT_NESTED_ROW)) || is_one_row()
}

/// Bytes of a row from which on machine code folds what it computes, in so many nanoseconds a point.
#[inline]
pub(crate) fn computed_row_bytes(point: f64) -> usize {
    if point > COSTLY_POINT { (COSTLY_ROW_BYTES * point) as usize } else { MIN_COMPUTED_ROW_BYTES }
}

/// The least columns that machine code computes, in so many nanoseconds a point, and folds. `copies`: many rows computed as one need copies, of
/// an element for each column and of what is stored.
#[inline]
pub(crate) fn least_columns(point: f64, copies: bool) -> usize {
    if copies && point <= COSTLY_COPIED_POINT {
        MIN_COPIED_COLUMN_FOLD
    } else if point > COSTLY_POINT {
        (COSTLY_COLUMN_FOLD * point) as usize
    } else {
        MIN_COLUMN_FOLD
    }
}

/// Columns of a tile where machine code computes what it folds: `narrow`, or more if there are enough tiles for all threads in planes and
/// parts of the inner axis alone. What is folded by halving stays in a tile of its own, as that decides bits.
pub fn wide_tile(columns: usize, narrow: usize, parts: usize) -> usize {
    if folds_by_halving(columns % narrow) && !columns.is_multiple_of(narrow) {
        return narrow;
    }
    let most = (columns * parts / ENOUGH_TILES).clamp(narrow, MAX_WIDE_TILE);
    columns.div_ceil(columns.div_ceil(most)).next_multiple_of(narrow).min(columns)
}

/// Whether dense rows of so many columns are folded by halving, as one long vector, instead of row by row.
#[inline]
pub(crate) fn folds_by_halving(columns: usize) -> bool {
    columns < FEW_COLUMNS
}

/// How many parts to divide the inner axes of a reduction into, of so many outer tiles with so many points altogether: one if there is
/// enough work without, else a power of two of parts of `part` points at least, so that two or four threads have equal work (of a sum of
/// 100,000 elements in three parts one thread had two).
#[inline]
pub fn parts_of(outer_tiles: usize, inner_tiles: usize, points: usize, part: usize) -> usize {
    if outer_tiles >= ENOUGH_TILES {
        return 1;
    }
    let most = (points / outer_tiles / part).min(MAX_CPU_PARTS).min(inner_tiles);
    most.checked_ilog2().map_or(1, |log| 1 << log)
}

/// Whether the outer axes of a fold are the faster in memory: each of these operands votes for the axis of its smaller stride. What has one
/// element for all points of an axis, which is read fast either way, decides where the others do not.
pub fn by_columns(operands: &[u16], launch: &Launch<'_>) -> bool {
    let last = |extents: &[usize]| extents.iter().rposition(|&e| e > 1);
    let (Some(outer), inner) = (last(launch.outer), last(launch.inner)) else { return false };
    let Some(inner) = inner else { return true };
    let (mut votes, mut of_broadcast) = (0, 0);
    for &o in operands {
        let strides = launch.strides_of(o as usize);
        let (a, b) = (strides[outer].unsigned_abs(), strides[launch.outer.len() + inner].unsigned_abs());
        if a != 0 && b != 0 {
            votes += if a < b { 1 } else { -1 };
        } else if a != b {
            of_broadcast += if a != 0 { 1 } else { -1 };
        }
    }
    if votes == 0 { of_broadcast > 0 } else { votes > 0 }
}

/// The strategies of a scan in the interpreter.
pub(crate) const INTERPRETED_SCANS: [Strategy; 2] = [Strategy::ScanRows, Strategy::ScanColumns];

/// The strategy of a scan in the interpreter, whose body accesses these operands.
#[inline]
pub fn of_interpreted_scan(operands: &[u16], launch: &Launch<'_>) -> Strategy {
    if launch.outer.contains(&0) || launch.inner.contains(&0) {
        return Strategy::Nothing;
    }
    if by_columns(operands, launch) { Strategy::ScanColumns } else { Strategy::ScanRows }
}

/// The capabilities of a compiled loop, and what its elements cost.
#[derive(Clone, Copy)]
pub struct LoopForms {
    /// Whether a dense row needs only base addresses: no coordinates, no broadcast operands.
    pub is_plain: bool,
    /// Whether no chunk is ever re-executed.
    pub single_pass: bool,
    /// Elements of the shortest rows that pay, where there are several.
    pub shortest_row: usize,
    /// Cost model: nanoseconds an element where memory is not the limit.
    pub cost: f64,
    /// Cost model: bytes of memory traffic an element.
    pub bytes: usize,
}

impl LoopForms {
    /// The strategies of a map or a scan with machine code, in order of preference.
    pub fn strategies(self, in_blocks: bool, by_columns: bool) -> impl Iterator<Item = Strategy> {
        let some = [
            (self.is_plain, Strategy::DenseRow),
            (in_blocks, Strategy::Blocks),
            (true, Strategy::Rows),
            (by_columns, Strategy::Columns),
            (true, Strategy::Interpret),
        ];
        some.into_iter().filter_map(|(may, strategy)| may.then_some(strategy))
    }
}

/// The strategy of so many points with machine code, if they run by rows: as one dense row or by plan. The facts about the launch are asked
/// for in this order, and only if they matter: a dense row of a few elements takes 30 ns in all.
#[inline]
pub fn of_loop(
    forms: &LoopForms,
    points: usize,
    is_dense_row: impl FnOnce() -> bool,
    overwrites_inputs: impl FnOnce() -> bool,
) -> Strategy {
    if points == 0 {
        return Strategy::Nothing;
    }
    if forms.is_plain
        && is_dense_row()
        && estimate_ns(points, forms.cost, forms.bytes) < MIN_PARALLEL_NS
        && (forms.single_pass || !overwrites_inputs())
    {
        return Strategy::DenseRow;
    }
    Strategy::Rows
}

/// The strategy of planned rows of `n` elements: the interpreter where there are several and they are short.
#[inline]
pub fn of_rows(forms: &LoopForms, n: usize, points: usize) -> Strategy {
    if n < forms.shortest_row && points != n { Strategy::Interpret } else { Strategy::Rows }
}

/// The elements of a chunk of a row of `n`, by whether it is a short one: inputs are saved before they are overwritten, or points are so
/// dear and unequal that threads need more chunks for equal shares.
#[inline]
pub(crate) fn chunk_of(n: usize, is_short: bool) -> usize {
    n.min(if is_short { SAVED_CHUNK_ELEMENTS } else { CHUNK_ELEMENTS })
}

/// The most rows of `n` elements that one call of a loop runs, by whether inputs are saved before they are overwritten.
#[inline]
pub(crate) fn rows_of_call(n: usize, saves_inputs: bool) -> usize {
    let elements = if saves_inputs { SAVED_CHUNK_ELEMENTS } else { CHUNK_ELEMENTS };
    (elements / n).max(1)
}

/// Whether the rows of an operand with elements of so many bytes begin with cache lines, as non-temporal stores need.
pub(crate) fn begins_lines(launch: &Launch<'_>, operand: usize, size: usize) -> bool {
    let extents = launch.outer.iter().chain(launch.inner);
    let is_line = |(&stride, &extent): (&isize, &usize)| {
        extent == 1 || stride == size as isize || stride % LINE_BYTES as isize == 0
    };
    launch.addresses[operand].addr().is_multiple_of(LINE_BYTES)
        && launch.strides_of(operand).iter().zip(extents).all(is_line)
}

/// Whether a result of a launch may be so large that non-temporal stores pay.
#[inline]
pub(crate) fn may_store_non_temporal(forms: &LoopForms, points: usize) -> bool {
    points >= NON_TEMPORAL_POINTS || points * forms.bytes >= NON_TEMPORAL_FOOTPRINT
}

/// Whether the time of a scan of so many instructions is that of its sequential additions.
pub(crate) fn is_short_scan(instructions: usize) -> bool {
    instructions <= SHORT_SCAN
}

/// The strategy of a scan with machine code, whose body accesses these operands.
#[inline]
pub fn of_scan(operands: &[u16], launch: &Launch<'_>) -> Strategy {
    match of_interpreted_scan(operands, launch) {
        Strategy::ScanColumns => {
            let columns = launch.outer.iter().rfind(|extent| **extent > 1);
            if columns.is_some_and(|&columns| columns >= MIN_SCAN_COLUMNS) {
                Strategy::Columns
            } else {
                Strategy::Interpret
            }
        }
        Strategy::ScanRows => Strategy::Rows,
        empty => empty,
    }
}

/// Nanoseconds, by the cost model, from which on a launch is divided between threads: two tasks of the least size. The drivers of one row
/// take no larger launch. Measure: `launch -- launch/`, `python -m benches.floor`.
pub const MIN_PARALLEL_NS: f64 = 2.0 * GRAIN_NS;

// Elementwise kernels in the interpreter.

/// Elements of a row. Shorter rows run in tiles, which copy them into one dense block. Measure: `kernels -- stencil/8`; no bench covers
/// rows of less than eight.
pub const MIN_ROW_2D: usize = 6;
/// Elements of a row in tiles of any domain. Shorter rows share a tile with their neighbours: a call of a loop costs as much as some 40
/// elements. No bench covers it.
pub(crate) const MIN_TILE_ROW: usize = 32;
/// Columns from which on machine code in the place of calls runs on each row by itself. No bench covers it.
const MIN_JIT_COLUMNS: usize = 24;
/// Columns from which on a loop-invariant value is broadcast to one row, which all rows of a tile share. No bench covers it.
pub(crate) const MIN_SHARED_ROW: usize = 64;
/// Most columns of a tile if operands are transposed: the cache lines of a column stay in the cache until the neighbouring rows have used
/// them. Measure: `kernels -- "transposed matrix"` on the portable backend.
pub(crate) const TRANSPOSED_TILE_WIDTH: usize = 64;

// Reductions.

/// Elements of a row of one axis from which on machine code folds it: the call costs nothing beside them. Measure: `kernels -- "sum of"`,
/// `kernels -- "masked mean/100"`.
pub const MIN_JIT_FOLD: usize = 128;
/// Elements of one call of machine code that folds: rounding errors are no larger than those of NumPy's sums. It decides the bits of sums,
/// so it is no free choice. Measure: `kernels -- "sum of products"`; errors by `python -m tests.accuracy`.
pub(crate) const JIT_FOLD_PIECE: usize = 8192;
/// Columns from which on machine code folds each row by itself, with an overhead of some 40 ns a row. Measure: `kernels -- "sum of rows"`
/// and `kernels -- "sum of short rows"`, whose longest rows have 600.
pub const MIN_JIT_ROW: usize = 512;
/// Bytes of a row from which on a call folds many rows of what is computed, with an overhead of some 8 ns a row. Shorter ones are computed
/// together, as one long row where they are contiguous, and folded in registers in memory. Measure: `kernels -- "sum of short rows of"`.
const MIN_COMPUTED_ROW_BYTES: usize = 160;
/// The same for each nanosecond of a point that takes more than [`COSTLY_POINT`]: an elementary function is computed on several vectors side
/// by side, of which a row has few. `np.exp(a).max(axis=1)` of rows of 24 doubles takes 0.65 ns an element by itself and 0.5 together.
const COSTLY_ROW_BYTES: f64 = 384.0;
const COSTLY_POINT: f64 = 0.8;
/// Elements of a row where several rows are folded into one result, `((a - row) ** 2).sum()`, from which on machine code folds each: that
/// takes 30 ns a row. Shorter ones are computed together. No bench covers it.
pub(crate) const MIN_NESTED_ROW: usize = 256;
/// Least points of two inner axes whose rows are shorter: a tile of them costs some 100 ns. No bench covers it.
pub(crate) const MIN_NESTED_POINTS: usize = 1024;
/// Long rows that share one run of the epilogue. Measure: `kernels -- "sum of rows/"`.
pub(crate) const ROW_GROUP: usize = 32;
/// Most columns of a tile that is folded by columns: the accumulators' vectors stay in the first-level cache. Measure:
/// `kernels -- "sum of columns"`, `kernels -- "sum of many short columns"`.
pub(crate) const MAX_TILE_COLUMNS: usize = 1024;
/// Most columns of such a tile where machine code computes what it folds: rows of a tile begin in pages that lie apart, which hardware
/// prefetchers do not follow, so a tile takes as many columns as the second-level cache has room for accumulators of. The maxima of 2000
/// columns beside a stored sum take 5.1 ms in tiles of 1024 and 3.0 in one. Measure: `python -m benches.fusing`.
pub const MAX_WIDE_TILE: usize = 8192;
/// Columns from which on machine code computes and folds them, a group of rows a call; fewer are computed together, many rows as one. And
/// the same for each nanosecond of a point that takes more than [`COSTLY_POINT`].
const MIN_COLUMN_FOLD: usize = 64;
const COSTLY_COLUMN_FOLD: f64 = 96.0;
/// The same where rows computed as one need copies, and the nanoseconds of a point up to which it holds: a million products by an element a
/// row, stored and summed by 50 columns, take 0.47 ms and not 1.18, quotients and their minima 0.7 and not 1.25.
const MIN_COPIED_COLUMN_FOLD: usize = 24;
const COSTLY_COPIED_POINT: f64 = 1.5;
/// Nanoseconds of a point above which columns that are not stored are computed by the machine code of a map, which is cut into slices, and then
/// folded: the sums by columns of `np.sin(np.exp(-x))` of a million doubles take 1.66 ms so and 1.98 in one loop, of `np.sin(x)` 1.17 and 1.08
/// (Zen 4). With several results that are stored it takes up to three times as long. Measure: `python -m benches.fusing`.
pub(crate) const MAX_FOLDED_POINT: f64 = 1.8;
/// Columns of dense rows that are folded row by row; fewer are folded by halving, as one long vector. It decides the order of additions.
/// Measure: `kernels -- "sum of three columns"`.
const FEW_COLUMNS: usize = 8;
/// Elements of a row whose extreme is found by vectors, and then its position; shorter ones are searched one element after the other.
/// `kernels -- "argmax of rows"` has rows of 128; no bench covers short ones.
pub(crate) const MIN_VECTOR_ROW: usize = 16;
/// Rows of such a tile, at most, and its least points if it has fewer rows. Measure: `kernels -- "sum of columns"`.
pub(crate) const TILE_DEPTH: usize = 256;
pub(crate) const MIN_COLUMN_TILE: usize = 1 << 12;
/// Points of a tile of whole rows if it is read in memory; a tile and its epilogue cost some 60 ns. Measure:
/// `kernels -- "sum of rows of three"`, `kernels -- "max of short rows"`.
pub(crate) const IN_PLACE_POINTS: usize = 16 << 10;
/// Least elements of a part of divided inner axes; their sum takes 1.5 µs. It does not depend on the cost of elements, so a sum has the same
/// bits whether its terms were stored before or not. Measure: `kernels -- "sum of products"`, `kernels -- "masked mean"`.
pub const MIN_PART: usize = 1 << 14;
/// The same for folds that continue in lanes, products: products of few factors near one stay near one, where rounding is biased. This is
/// a limit of accuracy: `python -m tests.accuracy`; no bench covers it.
pub(crate) const MIN_LANES_PART: usize = 1 << 19;
/// Most parts of divided inner axes, whatever the number of threads: enough for 64. Measure: `kernels -- "sum of products/1000000"`.
pub const MAX_CPU_PARTS: usize = 64;
/// Outer tiles from which on inner axes are not divided: they are enough work for all threads. Measure: `kernels -- "sum of rows/"`.
pub const ENOUGH_TILES: usize = 16;

// Machine code.

/// Elements of a chunk: so many that reading the flags costs nothing beside them, so few that a chunk of twelve operands stays in the
/// second-level cache. Measure: `kernels -- "chain of ten/"`, `launch -- "launch/add/4000000"`. Of several rows that one call runs as well: the
/// 70 ns of a call are nothing beside them. With 2048 a five-point stencil over 148 × 148 points took 6.3 µs instead of 5.4 (Zen 4). Measure:
/// `kernels -- stencil/59`.
pub(crate) const CHUNK_ELEMENTS: usize = 8192;
/// The same where clobbered inputs are saved: the copies stay in the first-level cache. No bench covers it.
const SAVED_CHUNK_ELEMENTS: usize = 1024;
/// The points of a launch below which no result has so many bytes.
const NON_TEMPORAL_POINTS: usize = NON_TEMPORAL_BYTES / 16;
/// Elements of a row, where there are several rows and each is a call of its own: shorter ones are better run together, which the
/// interpreter does. Measure: `kernels -- stencil/8` beside `kernels -- stencil/59`.
pub const SHORT_LOOP_ROW: usize = 16;
/// The same where a call runs several rows, which have a vector at least where there are no masks: a row of a five-point stencil of 12
/// doubles takes 20 ns and 32 in the interpreter, of 12 singles 19 and 58 (AVX2). Measure: as above.
pub const SHORT_NESTED_ROW: usize = 8;
/// Most instructions of a body, loads and stores among them, whose rows of few vectors are better run by the interpreter, in one call: an
/// addition of 12 doubles takes 10 ns there and 12 in a loop; of 12 singles 13 and 9, as they are fewer vectors. No bench covers it.
pub(crate) const ONE_OP: usize = 4;
/// The same for scans of products that compute nothing else: rows of 100 elements take 1.05 ns each here and 0.9 there. No bench covers it.
pub const SHORT_PRODUCT_ROW: usize = 256;
/// Nanoseconds of an addition that depends on the one before, for the cost model of scans. Measure: `python -m benches.peers`, the line of
/// `cumsum(x)`.
pub(crate) const SEQUENTIAL_NS: f64 = 1.3;
/// Most instructions of a scan whose time is that of its sequential additions, which AVX2 runs faster: `np.cumsum(x * y)` of doubles takes
/// 0.6 ns an element instead of 1.0. Measure: `python -m benches.peers`, the
/// line of `cumsum(x)`, which has fewer instructions.
const SHORT_SCAN: usize = 24;
/// Elements of short rows that are joined to one, about: two million products by rows of 3, 10 or 50 doubles take 0.8 ms with 512 or 1,024,
/// 1.0 with 2,048 or 4,096; and 2.3, 1.1 and 0.9 to 1.4 where rows are not joined. No bench covers it.
pub(crate) const REPEATED_ELEMENTS: usize = 1024;
/// Points of a launch whose rows are joined, at least: the copies and two calls take 0.3 µs. No bench covers it.
pub(crate) const MIN_REPEATED_POINTS: usize = 4096;
/// Elements of a row from which on joined rows gain nothing but non-temporal stores. No bench covers it.
pub(crate) const SHORT_REPEATED_ROW: usize = 64;
/// Columns of a block of a scan by columns: a row of three operands fits the first-level cache. No bench covers it.
pub(crate) const COLUMN_BLOCK: usize = 1024;
/// Columns of a scan: fewer are better run together, which the interpreter does. Of 100, a running sum takes 0.6 ns an element there and
/// 0.8 here, of 1,000 as long as here; that of `x * y + 1` 1.1 and 1.05, and 1.4 and 0.9. No bench covers it.
pub const MIN_SCAN_COLUMNS: usize = 128;
/// Nanoseconds of an element of a scan by columns, where memory is not the limit. No bench covers it.
pub(crate) const COLUMN_SCAN_NS: f64 = 0.2;
