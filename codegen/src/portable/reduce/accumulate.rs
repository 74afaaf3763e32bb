//! Accumulators at run time: partial results, and the order in which they merge.
//!
//! Every merge order depends on extents and strides alone. Long rows are folded tile by tile and the tiles' results merged pairwise, like
//! the digits of a binary counter (pairwise summation), so that rounding errors grow with the logarithm of the length. Products continue in
//! the same lanes from tile to tile. Columns (outer axes fastest) are folded sixteen rows at a time; a first vector of accumulators sums
//! sixteen such groups before it is added to a second. So the bits of their sums do not depend on tiles.

use crate::drive::isa::LoopFn;
use crate::drive::strategy::folds_by_halving;
use crate::portable::exec::jit_hook::FOLD_VECTOR_BYTES;
use crate::portable::loops::arg_extremes::{ArgLoops, ArgTile};
use crate::portable::loops::folds::{FoldLoops, LANES};
use crate::{FpFlags, Scalar};
use std::mem::MaybeUninit;

/// Rows that columns fold one after the other, and groups of so many that they fold into the first vector before that is added to the
/// second.
pub(crate) const COLUMN_GROUP: usize = 16;

/// Most accumulators of a kernel in tiles.
pub(crate) const ACCUMULATORS: usize = 4;

/// The partial results that machine code leaves of so many rows, row after row.
#[repr(align(64))]
pub(crate) struct FoldLanes<const ROWS: usize>([[MaybeUninit<[u8; FOLD_VECTOR_BYTES]>; ACCUMULATORS]; ROWS]);

impl<const ROWS: usize> FoldLanes<ROWS> {
    #[inline(always)]
    pub(crate) fn new() -> FoldLanes<ROWS> {
        FoldLanes([const { [const { MaybeUninit::uninit() }; ACCUMULATORS] }; ROWS])
    }

    /// Those of an accumulator in the first row.
    #[inline(always)]
    pub(crate) fn at(&mut self, accumulator: usize) -> *mut u8 {
        self.0.as_mut_ptr().cast::<u8>().wrapping_add(accumulator * FOLD_VECTOR_BYTES)
    }
}

/// The loops of one accumulator.
#[derive(Clone, Copy)]
pub(crate) enum AccumulatorLoops {
    Fold(FoldLoops),
    Arg(ArgLoops),
}

/// One accumulator, resolved.
#[derive(Clone)]
pub(crate) struct ResolvedAccumulator {
    pub(crate) loops: AccumulatorLoops,
    /// The op's elementwise loop, if there is one: (out, a, b, -, n, -).
    pub(crate) apply: Option<LoopFn>,
    /// The value of the body that it folds.
    pub(crate) value: u32,
    /// Bytes of a folded value, and of the result.
    pub(crate) size: usize,
    pub(crate) result_size: usize,
    /// The neutral element: the result of folding an empty domain.
    pub(crate) identity: Option<Scalar>,
    /// The byte that is its absorbing element, of bools.
    pub(crate) absorbing: Option<u8>,
    /// Positive zero of the type, added to sums at the end because NumPy's sums start from it: the sum of `-0.0` is `0.0`.
    pub(crate) start: Option<Scalar>,
    /// Whether partial results continue from tile to tile, as products do, instead of being merged pairwise.
    pub(crate) carries: bool,
    /// The flags that folding may raise, and the instruction of the epilogue they are reported for.
    pub(crate) effects: FpFlags,
    /// Whether any instruction of the kernel may raise flags: then flags of the fold must be read and cleared before it runs.
    pub(crate) kernel_has_effects: bool,
    pub(crate) inst: u32,
}

/// The buffers of one accumulator's partial results, one entry a point.
#[derive(Clone, Copy)]
pub(crate) struct AccumulatorBuffers {
    /// Results: values or, for positions, `int64`.
    pub(crate) total: *mut u8,
    /// For positions, their values; for columns, the first vector.
    pub(crate) auxiliary: *mut u8,
    /// Results of the current tile.
    pub(crate) tile_total: *mut u8,
    /// For positions, the values of the current tile.
    pub(crate) tile_auxiliary: *mut u8,
}

impl AccumulatorBuffers {
    /// Those of one point's results.
    #[inline]
    pub(crate) fn of_point(&self, a: &ResolvedAccumulator, point: usize) -> AccumulatorBuffers {
        AccumulatorBuffers {
            total: self.total.wrapping_add(point * a.result_size),
            auxiliary: self.auxiliary.wrapping_add(point * a.size),
            ..*self
        }
    }
}

/// Partial results of one long row, merged pairwise.
pub(crate) struct PairwiseLevels {
    /// The levels of the set bits of `count` hold a value.
    parts: [MaybeUninit<[u64; 2]>; 48],
    count: u64,
}

impl PairwiseLevels {
    pub(crate) fn new() -> PairwiseLevels {
        PairwiseLevels { parts: [const { MaybeUninit::uninit() }; 48], count: 0 }
    }

    /// Adds the next partial result.
    ///
    /// # Safety
    /// `part` holds one value of the loops' type.
    pub(crate) unsafe fn push(&mut self, part: *const u8, size: usize, into: LoopFn) {
        let mut now = [0u64; 2];
        // SAFETY: values have at most sixteen bytes.
        unsafe { std::ptr::copy_nonoverlapping(part, now.as_mut_ptr().cast(), size) };
        let merges = self.count.trailing_ones() as usize;
        for level in &mut self.parts[..merges] {
            let later = now.as_ptr().cast();
            // SAFETY: both hold a value, the level as its bit in the count was set.
            now = unsafe {
                into(level.as_mut_ptr().cast(), later, later, later, 1, 0);
                level.assume_init()
            };
        }
        self.parts[merges].write(now);
        self.count += 1;
    }

    /// Merges all levels and writes the result.
    ///
    /// # Safety
    /// As [`PairwiseLevels::push`]; something has been pushed, and `out` has room for a value.
    pub(crate) unsafe fn finish(&mut self, out: *mut u8, size: usize, into: LoopFn) {
        let mut now: Option<[u64; 2]> = None;
        let used = (u64::BITS - self.count.leading_zeros()) as usize;
        for (bit, level) in self.parts[..used].iter_mut().enumerate() {
            if self.count >> bit & 1 == 0 {
                continue;
            }
            if let Some(later) = now {
                let later = later.as_ptr().cast();
                // SAFETY: both hold a value.
                unsafe { into(level.as_mut_ptr().cast(), later, later, later, 1, 0) };
            }
            // SAFETY: the level's bit in the count is set.
            now = Some(unsafe { level.assume_init() });
        }
        let value = now.unwrap_or_default();
        // SAFETY: the caller's contract.
        unsafe { std::ptr::copy_nonoverlapping(value.as_ptr().cast(), out, size) };
        self.count = 0;
    }
}

/// The product of one long row, in lanes that continue from tile to tile: [`crate::portable::loops::folds`] says why not in levels.
struct ProductLanes {
    /// The first `used` hold a value of the accumulator's type.
    values: [MaybeUninit<[u64; 2]>; LANES],
    used: usize,
}

impl ProductLanes {
    /// Multiplies the next `n` factors into the lanes.
    ///
    /// # Safety
    /// `values` holds them, of `size` bytes each; the loops are those of their type.
    unsafe fn take_in(&mut self, mut values: *const u8, n: usize, size: usize, f: &FoldLoops) {
        let lanes = self.values.as_mut_ptr().cast::<u8>();
        let first = (LANES - self.used).min(n);
        let (rows, rest) = ((n - first) / LANES, (n - first) % LANES);
        // SAFETY: the caller's contract; values have at most sixteen bytes. Once something is folded all lanes are in use.
        unsafe {
            std::ptr::copy_nonoverlapping(values, lanes.add(self.used * size), first * size);
            self.used += first;
            values = values.add(first * size);
            if rows > 0 {
                let pitch = std::ptr::without_provenance(LANES * size);
                (f.columns)(lanes, values, pitch, lanes, LANES, rows);
            }
            let values = values.add(rows * LANES * size);
            (f.into)(lanes, values, values, values, rest, 0);
        }
    }
}

/// The state of one long row.
#[allow(clippy::large_enum_variant)] // it lives on the stack, uninitialised: boxing would cost more than the space
enum RowProgress {
    PairwiseLevels(PairwiseLevels),
    ProductLanes(ProductLanes),
}

/// The state of one accumulator within an outer tile.
pub(crate) struct Progress {
    row: RowProgress,
    /// Tiles folded so far, of columns groups of rows, and how many of them are in the first vector.
    tiles: usize,
    grouped: usize,
    /// Of columns, the rows in the group that is not complete.
    rows: usize,
}

impl Progress {
    pub(crate) fn new(a: &ResolvedAccumulator) -> Progress {
        let row = if a.carries {
            RowProgress::ProductLanes(ProductLanes { values: [const { MaybeUninit::uninit() }; LANES], used: 0 })
        } else {
            RowProgress::PairwiseLevels(PairwiseLevels::new())
        };
        Progress { row, tiles: 0, grouped: 0, rows: 0 }
    }
}

impl ResolvedAccumulator {
    /// Whether it finds positions.
    pub(crate) fn finds(&self) -> bool {
        matches!(self.loops, AccumulatorLoops::Arg(_))
    }

    /// Folds a tile of `rows` whole rows of `length` values, with a row pitch of `pitch` bytes: `total[r]` is the result of row `r`.
    ///
    /// # Safety
    /// `values` holds them and the buffers have room.
    #[inline]
    pub(crate) unsafe fn whole_rows(
        &self,
        p: &AccumulatorBuffers,
        values: *const u8,
        pitch: isize,
        rows: usize,
        length: usize,
    ) {
        let pitch = std::ptr::without_provenance(pitch as usize);
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                AccumulatorLoops::Fold(f) => (f.rows)(p.total, values, pitch, values, rows, length),
                AccumulatorLoops::Arg(a) => (a.rows)(p.total, values, p.auxiliary, pitch, rows, length),
            }
        }
    }

    /// Whether the part of a row that was folded last has met the absorbing element.
    ///
    /// # Safety
    /// [`ResolvedAccumulator::part_of_row`] has run.
    #[inline]
    pub(crate) unsafe fn is_absorbed(&self, p: &AccumulatorBuffers) -> bool {
        // SAFETY: the caller's contract; a bool is a byte.
        self.absorbing.is_some_and(|absorbing| unsafe { *p.tile_total == absorbing })
    }

    /// Folds the part of one row that begins at `position`.
    ///
    /// # Safety
    /// As [`ResolvedAccumulator::whole_rows`].
    pub(crate) unsafe fn part_of_row(
        &self,
        p: &AccumulatorBuffers,
        s: &mut Progress,
        values: *const u8,
        n: usize,
        position: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                AccumulatorLoops::Fold(f) => match &mut s.row {
                    RowProgress::PairwiseLevels(levels) => {
                        (f.rows)(p.tile_total, values, values, values, 1, n);
                        levels.push(p.tile_total, self.size, f.into);
                    }
                    RowProgress::ProductLanes(lanes) => lanes.take_in(values, n, self.size, f),
                },
                AccumulatorLoops::Arg(a) => {
                    (a.rows)(p.tile_total, values, p.tile_auxiliary, values, 1, n);
                    *p.tile_total.cast::<i64>() += position as i64;
                    self.merge_positions(a, p, s, p.tile_auxiliary, 1);
                }
            }
        }
        s.tiles += 1;
    }

    /// Merges `n` candidate positions at `tile_total`, whose values are `values`, into the positions.
    unsafe fn merge_positions(&self, a: &ArgLoops, p: &AccumulatorBuffers, s: &Progress, values: *const u8, n: usize) {
        // SAFETY: the callers' contract.
        unsafe {
            if s.tiles == 0 {
                std::ptr::copy_nonoverlapping(p.tile_total, p.total, n * 8);
                std::ptr::copy_nonoverlapping(values, p.auxiliary, n * self.size);
            } else {
                (a.into)(p.total, values, p.auxiliary, p.tile_total, n, 0);
            }
        }
    }

    /// Folds `rows` values for each of `n` points, the points fastest and with a row pitch of `pitch` bytes, the first row at `position`
    /// of the inner domain.
    ///
    /// # Safety
    /// As [`ResolvedAccumulator::whole_rows`]; `tile_total` has room for `rows * n` values.
    pub(crate) unsafe fn columns(
        &self,
        p: &AccumulatorBuffers,
        s: &mut Progress,
        (values, pitch): (*const u8, isize),
        rows: usize,
        n: usize,
        position: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                AccumulatorLoops::Fold(f) if self.carries => {
                    let carry = if s.tiles == 0 { std::ptr::null() } else { p.total.cast_const() };
                    (f.columns)(p.total, values, std::ptr::without_provenance(pitch as usize), carry, n, rows);
                    s.tiles += 1;
                }
                AccumulatorLoops::Fold(f) if folds_by_halving(n) && pitch == (n * self.size) as isize => {
                    let row = self.fold_rows(f, p, values, rows, n);
                    self.add_to_column(f, p, s, row, n);
                }
                AccumulatorLoops::Fold(f) => {
                    let mut first = 0;
                    while first < rows {
                        let height = (COLUMN_GROUP - s.rows).min(rows - first);
                        let to = self.group_of_rows(p, s);
                        let carry = if s.rows == 0 { std::ptr::null() } else { to.cast_const() };
                        let values = values.wrapping_offset(first as isize * pitch);
                        (f.columns)(to, values, std::ptr::without_provenance(pitch as usize), carry, n, height);
                        self.add_rows(p, s, height, n);
                        first += height;
                    }
                }
                AccumulatorLoops::Arg(a) => {
                    let is_first = s.tiles == 0;
                    let tile = ArgTile { pitch, rows, position: position as i64, is_first };
                    (a.columns)(p.total, values, p.auxiliary, (&raw const tile).cast(), n, 0);
                    s.tiles += 1;
                }
            }
        }
    }

    /// Where the rows of the current group are folded to, one value a column.
    pub(crate) fn group_of_rows(&self, p: &AccumulatorBuffers, s: &Progress) -> *mut u8 {
        if s.grouped == 0 { p.auxiliary } else { p.tile_total }
    }

    /// Notes that the next rows of the current group are folded.
    ///
    /// # Safety
    /// As [`ResolvedAccumulator::columns`]; the group has room for them.
    pub(crate) unsafe fn add_rows(&self, p: &AccumulatorBuffers, s: &mut Progress, rows: usize, n: usize) {
        s.rows += rows;
        if s.rows == COLUMN_GROUP {
            // SAFETY: the caller's contract.
            unsafe { self.close_rows(p, s, n) };
        }
    }

    unsafe fn close_rows(&self, p: &AccumulatorBuffers, s: &mut Progress, n: usize) {
        let AccumulatorLoops::Fold(f) = &self.loops else { return };
        s.rows = 0;
        // SAFETY: `columns`' contract.
        unsafe { self.add_to_column(f, p, s, self.group_of_rows(p, s), n) };
    }

    /// Folds `rows` rows of `n` values into one by halving.
    unsafe fn fold_rows(
        &self,
        f: &FoldLoops,
        p: &AccumulatorBuffers,
        values: *const u8,
        rows: usize,
        n: usize,
    ) -> *const u8 {
        let Some(apply) = self.apply.filter(|_| rows > 1) else { return values };
        let row = n * self.size;
        let mut left = rows / 2;
        // SAFETY: `columns`' contract. The first halving goes from the values to `tile_total`, the others stay there.
        unsafe {
            apply(p.tile_total, values, values.add(left * row), values, left * n, 0);
            if rows % 2 == 1 {
                (f.into)(p.tile_total, values.add((rows - 1) * row), values, values, n, 0);
            }
            while left > 1 {
                let half = left / 2;
                let upper = p.tile_total.add((left - half) * row);
                (f.into)(p.tile_total, upper, upper, upper, half * n, 0);
                left -= half;
            }
        }
        p.tile_total
    }

    /// Folds one value for each point into the column's vectors.
    unsafe fn add_to_column(&self, f: &FoldLoops, p: &AccumulatorBuffers, s: &mut Progress, row: *const u8, n: usize) {
        // SAFETY: `columns`' contract.
        unsafe {
            if s.grouped == 0 && row == p.auxiliary.cast_const() {
                // It is there already.
            } else if s.grouped == 0 {
                std::ptr::copy_nonoverlapping(row, p.auxiliary, n * self.size);
            } else {
                (f.into)(p.auxiliary, row, row, row, n, 0);
            }
            s.grouped += 1;
            s.tiles += 1;
            if s.grouped == COLUMN_GROUP {
                self.close_group(f, p, s, n);
            }
        }
    }

    unsafe fn close_group(&self, f: &FoldLoops, p: &AccumulatorBuffers, s: &mut Progress, n: usize) {
        // SAFETY: `columns`' contract.
        unsafe {
            if s.tiles <= COLUMN_GROUP {
                std::ptr::copy_nonoverlapping(p.auxiliary, p.total, n * self.size);
            } else {
                (f.into)(p.total, p.auxiliary, p.auxiliary, p.auxiliary, n, 0);
            }
        }
        s.grouped = 0;
    }

    /// Completes the results of `n` points that were folded by parts of rows or by columns.
    ///
    /// # Safety
    /// As [`ResolvedAccumulator::columns`].
    pub(crate) unsafe fn finish(&self, p: &AccumulatorBuffers, s: &mut Progress, n: usize) {
        let AccumulatorLoops::Fold(f) = &self.loops else { return };
        // SAFETY: the caller's contract.
        unsafe {
            if s.rows > 0 {
                self.close_rows(p, s, n);
            }
            match &mut s.row {
                RowProgress::PairwiseLevels(levels) if levels.count > 0 => levels.finish(p.total, self.size, f.into),
                RowProgress::ProductLanes(lanes) if lanes.used > 0 => {
                    let values = lanes.values.as_ptr().cast();
                    (f.rows)(p.total, values, values, values, 1, lanes.used);
                }
                RowProgress::PairwiseLevels(_) if s.grouped > 0 => self.close_group(f, p, s, n),
                RowProgress::PairwiseLevels(_) | RowProgress::ProductLanes(_) => {}
            }
        }
    }

    /// Merges the results of parts pairwise, in their order.
    ///
    /// # Safety
    /// Each part has `n` results, and their auxiliary values `each` bytes further.
    pub(crate) unsafe fn merge_parts(
        &self,
        p: &AccumulatorBuffers,
        n: usize,
        parts: usize,
        at: impl Fn(usize) -> *mut u8,
        each: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                AccumulatorLoops::Fold(f) => {
                    let mut distance = 1;
                    while distance < parts {
                        for part in (0..parts - distance).step_by(2 * distance) {
                            let other = at(part + distance);
                            (f.into)(at(part), other, other, other, n, 0);
                        }
                        distance *= 2;
                    }
                    std::ptr::copy_nonoverlapping(at(0), p.total, n * self.size);
                }
                AccumulatorLoops::Arg(l) => {
                    let (total, best) = (at(0), at(0).add(each));
                    for part in 1..parts {
                        (l.into)(total, at(part).add(each), best, at(part), n, 0);
                    }
                    std::ptr::copy_nonoverlapping(total, p.total, n * 8);
                }
            }
        }
    }

    /// Adds the positive zero that sums start from.
    ///
    /// # Safety
    /// As [`ResolvedAccumulator::columns`].
    pub(crate) unsafe fn add_start(&self, p: &AccumulatorBuffers, n: usize) {
        let (AccumulatorLoops::Fold(f), Some(zero)) = (&self.loops, self.start) else { return };
        let bits = zero.bits();
        // SAFETY: the caller's contract; `tile_total` is free by now.
        unsafe {
            crate::portable::loops::copies::splat(p.tile_total, (&raw const bits).cast(), n, self.size);
            (f.into)(p.total, p.tile_total, p.tile_total, p.tile_total, n, 0);
        }
    }
}
