//! Accumulators at run time: where partial results live and in which order they merge.
//!
//! Every merge order depends on extents and strides alone. Long rows are folded tile by tile and the tiles' results merged
//! pairwise like the digits of a binary counter, so that rounding errors grow with the logarithm of the length; products go
//! on in the same lanes from tile to tile. Vectors of accumulators (outer axes fastest) gather sixteen tiles in a first vector before that goes into the second.

use crate::drive::isa::Loop;
use crate::portable::loops::arg_extremes::{ArgLoops, ArgTile};
use crate::portable::loops::folds::{FoldLoops, LANES};
use crate::{FpFlags, Scalar};
use std::mem::MaybeUninit;

/// Tiles that a column's first vector takes in before it is added to the second.
const COLUMN_GROUP: usize = 16;
/// Dense rows of fewer columns are folded by halves, as long vectors.
pub(crate) const FEW_COLUMNS: usize = 8;

/// The loops of one accumulator.
#[derive(Clone, Copy)]
pub(crate) enum Loops {
    Fold(FoldLoops),
    Arg(ArgLoops),
}

/// One accumulator, resolved.
#[derive(Clone)]
pub(crate) struct Accumulating {
    pub(crate) loops: Loops,
    /// The op's own loop, where there is one: (out, a, b, -, n, -).
    pub(crate) apply: Option<Loop>,
    /// What it folds: a value of the body.
    pub(crate) value: u32,
    /// Bytes of a folded value, and of the result.
    pub(crate) size: usize,
    pub(crate) result_size: usize,
    /// The result of folding nothing.
    pub(crate) identity: Option<Scalar>,
    /// Positive zero of the type, added to sums at the end as NumPy's start from it: the sum of `-0.0` is `0.0`.
    pub(crate) start: Option<Scalar>,
    /// Whether partial results go on from tile to tile, as products do, instead of being merged pairwise.
    pub(crate) carries: bool,
    /// What folding may report, and the instruction of the epilogue it is reported for.
    pub(crate) effects: FpFlags,
    /// Whether anything in the kernel may report flags, and so must not find those of this.
    pub(crate) watched: bool,
    pub(crate) inst: u32,
}

/// Where one accumulator's partial results are: `points` of each.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// Results: values or, for positions, `int64`.
    pub(crate) total: *mut u8,
    /// Best values beside positions; first vector of a column.
    pub(crate) beside: *mut u8,
    /// Of the tile at hand.
    pub(crate) fresh: *mut u8,
    /// Of the tile at hand, beside positions.
    pub(crate) fresh_beside: *mut u8,
}

/// Partial results of one long row, merged pairwise.
pub(crate) struct Levels {
    /// Those of `count`'s set bits hold a value.
    parts: [MaybeUninit<[u64; 2]>; 48],
    count: u64,
}

impl Levels {
    pub(crate) fn new() -> Levels {
        Levels { parts: [const { MaybeUninit::uninit() }; 48], count: 0 }
    }

    /// Takes in the next partial result.
    ///
    /// # Safety
    /// `part` holds one value of the loops' type.
    pub(crate) unsafe fn push(&mut self, part: *const u8, size: usize, into: Loop) {
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

    /// Merges what is left and writes it.
    ///
    /// # Safety
    /// As [`Levels::push`]; something has been pushed, and `out` has room for a value.
    pub(crate) unsafe fn finish(&mut self, out: *mut u8, size: usize, into: Loop) {
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

/// The product of one long row, in lanes that go on from tile to tile: see [`crate::portable::loops::folds`] on why not in levels.
struct Lanes {
    /// The first `used`, of the type at hand, hold a value.
    values: [MaybeUninit<[u64; 2]>; LANES],
    used: usize,
}

impl Lanes {
    /// Takes in the next `n` factors.
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

/// How far one long row has been folded.
#[allow(clippy::large_enum_variant)] // it lives on the stack, not filled in: boxing it would cost more than the room
enum LongRow {
    Levels(Levels),
    Lanes(Lanes),
}

/// How one accumulator stands within an outer tile.
pub(crate) struct Progress {
    row: LongRow,
    /// Tiles taken in, and of those in the first vector.
    tiles: usize,
    grouped: usize,
}

impl Progress {
    pub(crate) fn new(a: &Accumulating) -> Progress {
        let row = if a.carries {
            LongRow::Lanes(Lanes { values: [const { MaybeUninit::uninit() }; LANES], used: 0 })
        } else {
            LongRow::Levels(Levels::new())
        };
        Progress { row, tiles: 0, grouped: 0 }
    }
}

impl Accumulating {
    /// Takes in a tile of `rows` whole rows of `length` values, `pitch` bytes apart: `total[r]` is row `r`'s result.
    ///
    /// # Safety
    /// `values` holds them and the places have room.
    #[inline]
    pub(crate) unsafe fn whole_rows(&self, p: &Places, values: *const u8, pitch: isize, rows: usize, length: usize) {
        let pitch = std::ptr::without_provenance(pitch as usize);
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                Loops::Fold(f) => (f.rows)(p.total, values, pitch, values, rows, length),
                Loops::Arg(a) => (a.rows)(p.total, values, p.beside, pitch, rows, length),
            }
        }
    }

    /// Takes in the part of one row that begins at `position`.
    ///
    /// # Safety
    /// As [`Accumulating::whole_rows`].
    pub(crate) unsafe fn part_of_row(
        &self,
        p: &Places,
        s: &mut Progress,
        values: *const u8,
        n: usize,
        position: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                Loops::Fold(f) => match &mut s.row {
                    LongRow::Levels(levels) => {
                        (f.rows)(p.fresh, values, values, values, 1, n);
                        levels.push(p.fresh, self.size, f.into);
                    }
                    LongRow::Lanes(lanes) => lanes.take_in(values, n, self.size, f),
                },
                Loops::Arg(a) => {
                    (a.rows)(p.fresh, values, p.fresh_beside, values, 1, n);
                    *p.fresh.cast::<i64>() += position as i64;
                    self.merge_positions(a, p, s, p.fresh_beside, 1);
                }
            }
        }
        s.tiles += 1;
    }

    /// Merges `n` candidates at `fresh` of values `values` into the positions.
    unsafe fn merge_positions(&self, a: &ArgLoops, p: &Places, s: &Progress, values: *const u8, n: usize) {
        // SAFETY: the callers' contract.
        unsafe {
            if s.tiles == 0 {
                std::ptr::copy_nonoverlapping(p.fresh, p.total, n * 8);
                std::ptr::copy_nonoverlapping(values, p.beside, n * self.size);
            } else {
                (a.into)(p.total, values, p.beside, p.fresh, n, 0);
            }
        }
    }

    /// Takes in `rows` values for each of `n` points, the points fastest and rows `pitch` bytes apart, the first at
    /// `position` of the inner domain.
    ///
    /// # Safety
    /// As [`Accumulating::whole_rows`]; `fresh` has room for `rows * n` values.
    pub(crate) unsafe fn columns(
        &self,
        p: &Places,
        s: &mut Progress,
        (values, pitch): (*const u8, isize),
        rows: usize,
        n: usize,
        position: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                Loops::Fold(f) if self.carries => {
                    let carry = if s.tiles == 0 { std::ptr::null() } else { p.total.cast_const() };
                    (f.columns)(p.total, values, std::ptr::without_provenance(pitch as usize), carry, n, rows);
                    s.tiles += 1;
                }
                Loops::Fold(f) if n < FEW_COLUMNS && pitch == (n * self.size) as isize => {
                    let row = self.fold_rows(f, p, values, rows, n);
                    self.add_to_column(f, p, s, row, n);
                }
                Loops::Fold(f) => {
                    for first in (0..rows).step_by(COLUMN_GROUP) {
                        let values = values.wrapping_offset(first as isize * pitch);
                        let height = COLUMN_GROUP.min(rows - first);
                        // The first of all goes where the results belong.
                        let to = if s.tiles == 0 && rows <= COLUMN_GROUP { p.beside } else { p.fresh };
                        let pitch = std::ptr::without_provenance(pitch as usize);
                        (f.columns)(to, values, pitch, std::ptr::null(), n, height);
                        self.add_to_column(f, p, s, to, n);
                    }
                }
                Loops::Arg(a) => {
                    let is_first = s.tiles == 0;
                    let tile = ArgTile { pitch, rows, position: position as i64, is_first };
                    (a.columns)(p.total, values, p.beside, (&raw const tile).cast(), n, 0);
                    s.tiles += 1;
                }
            }
        }
    }

    /// Folds `rows` rows of `n` values into one, by halves.
    unsafe fn fold_rows(&self, f: &FoldLoops, p: &Places, values: *const u8, rows: usize, n: usize) -> *const u8 {
        let Some(apply) = self.apply.filter(|_| rows > 1) else { return values };
        let row = n * self.size;
        let mut left = rows / 2;
        // SAFETY: `columns`' contract. The first halving goes from the values to `fresh`, the others stay there.
        unsafe {
            apply(p.fresh, values, values.add(left * row), values, left * n, 0);
            if rows % 2 == 1 {
                (f.into)(p.fresh, values.add((rows - 1) * row), values, values, n, 0);
            }
            while left > 1 {
                let half = left / 2;
                let upper = p.fresh.add((left - half) * row);
                (f.into)(p.fresh, upper, upper, upper, half * n, 0);
                left -= half;
            }
        }
        p.fresh
    }

    /// Takes one value for each point into the column's vectors.
    unsafe fn add_to_column(&self, f: &FoldLoops, p: &Places, s: &mut Progress, row: *const u8, n: usize) {
        // SAFETY: `columns`' contract.
        unsafe {
            if s.grouped == 0 && row == p.beside.cast_const() {
                // There already.
            } else if s.grouped == 0 {
                std::ptr::copy_nonoverlapping(row, p.beside, n * self.size);
            } else {
                (f.into)(p.beside, row, row, row, n, 0);
            }
            s.grouped += 1;
            s.tiles += 1;
            if s.grouped == COLUMN_GROUP {
                self.close_group(f, p, s, n);
            }
        }
    }

    unsafe fn close_group(&self, f: &FoldLoops, p: &Places, s: &mut Progress, n: usize) {
        // SAFETY: `columns`' contract.
        unsafe {
            if s.tiles <= COLUMN_GROUP {
                std::ptr::copy_nonoverlapping(p.beside, p.total, n * self.size);
            } else {
                (f.into)(p.total, p.beside, p.beside, p.beside, n, 0);
            }
        }
        s.grouped = 0;
    }

    /// Completes the results of `n` points from what was taken in by parts of rows or columns.
    ///
    /// # Safety
    /// As [`Accumulating::columns`].
    pub(crate) unsafe fn finish(&self, p: &Places, s: &mut Progress, n: usize) {
        let Loops::Fold(f) = &self.loops else { return };
        // SAFETY: the caller's contract.
        unsafe {
            match &mut s.row {
                LongRow::Levels(levels) if levels.count > 0 => levels.finish(p.total, self.size, f.into),
                LongRow::Lanes(lanes) if lanes.used > 0 => {
                    let values = lanes.values.as_ptr().cast();
                    (f.rows)(p.total, values, values, values, 1, lanes.used);
                }
                LongRow::Levels(_) if s.grouped > 0 => self.close_group(f, p, s, n),
                LongRow::Levels(_) | LongRow::Lanes(_) => {}
            }
        }
    }

    /// Merges the results of parts, in their order: neighbours first, then neighbours' neighbours.
    ///
    /// # Safety
    /// Each part has `n` results, and what is beside them `each` bytes on.
    pub(crate) unsafe fn merge_parts(
        &self,
        p: &Places,
        n: usize,
        parts: usize,
        at: impl Fn(usize) -> *mut u8,
        each: usize,
    ) {
        // SAFETY: the caller's contract.
        unsafe {
            match &self.loops {
                Loops::Fold(f) => {
                    let mut apart = 1;
                    while apart < parts {
                        for part in (0..parts - apart).step_by(2 * apart) {
                            let other = at(part + apart);
                            (f.into)(at(part), other, other, other, n, 0);
                        }
                        apart *= 2;
                    }
                    std::ptr::copy_nonoverlapping(at(0), p.total, n * self.size);
                }
                Loops::Arg(l) => {
                    let (total, best) = (at(0), at(0).add(each));
                    for part in 1..parts {
                        (l.into)(total, at(part).add(each), best, at(part), n, 0);
                    }
                    std::ptr::copy_nonoverlapping(total, p.total, n * 8);
                }
            }
        }
    }

    /// Adds the zero that sums start from.
    ///
    /// # Safety
    /// As [`Accumulating::columns`].
    pub(crate) unsafe fn add_start(&self, p: &Places, n: usize) {
        let (Loops::Fold(f), Some(zero)) = (&self.loops, self.start) else { return };
        let bits = zero.bits();
        // SAFETY: the caller's contract; `fresh` is free by now.
        unsafe {
            crate::portable::loops::copies::splat(p.fresh, (&raw const bits).cast(), n, self.size);
            (f.into)(p.total, p.fresh, p.fresh, p.fresh, n, 0);
        }
    }
}
