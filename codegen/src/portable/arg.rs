//! Loops of `argmin` and `argmax`: positions of the first best value, where the first nan beats all.

use super::complex::ComplexNumber;
use super::element::{B8, Element};
use super::folds::fold_row;
use super::isa::{Isa, Loop, Routine, pick};
use super::loops::{Define, Row, put, stay_scalar};
use crate::{DType, Fold, Op};
use num_complex::Complex;
use std::marker::PhantomData;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// A type that has a best value; `MAX` says whether that is the largest.
trait Ordered: Element {
    /// Whether `self`, standing later, replaces `best`.
    fn beats<const MAX: bool>(self, best: Self) -> bool;
    /// Whether neither replaces the other.
    fn ties(self, best: Self) -> bool;
}

/// Values looked at together.
const LANES: usize = 32;

macro_rules! ordered {
    ($($T:ty)*) => { $(impl Ordered for $T {
        #[inline(always)]
        fn beats<const MAX: bool>(self, best: $T) -> bool {
            if MAX { self > best } else { self < best }
        }
        #[inline(always)]
        fn ties(self, best: $T) -> bool {
            self == best
        }
    })* };
}

ordered!(i8 u8 i16 u16 i32 u32 i64 u64);

impl Ordered for B8 {
    #[inline(always)]
    fn beats<const MAX: bool>(self, best: B8) -> bool {
        if MAX { self.get() & !best.get() } else { !self.get() & best.get() }
    }
    #[inline(always)]
    fn ties(self, best: B8) -> bool {
        self.get() == best.get()
    }
}

macro_rules! ordered_floats {
    ($($T:ident)*) => { $(
        impl Ordered for $T {
            #[inline(always)]
            fn beats<const MAX: bool>(self, best: $T) -> bool {
                let better = if MAX { self > best } else { self < best };
                better | (self.is_nan() & !best.is_nan())
            }
            #[inline(always)]
            fn ties(self, best: $T) -> bool {
                (self == best) | (self.is_nan() & best.is_nan())
            }
        }
        impl Ordered for Complex<$T> {
            #[inline(always)]
            fn beats<const MAX: bool>(self, best: Self) -> bool {
                let better = if MAX { best.less(self) } else { self.less(best) };
                !best.has_nan() & (better | self.has_nan())
            }
            #[inline(always)]
            fn ties(self, best: Self) -> bool {
                (self == best) | (self.has_nan() & best.has_nan())
            }
        }
    )* };
}

ordered_floats!(f32 f64);

/// Values of which the extreme is found before it is known whether one of them is the best: they are looked through again.
const BLOCK: usize = 1024;

/// Of each of `n` rows of `m`, `c` bytes apart, the position (to `out`) and the value (to `b`, written) of the best: the
/// extreme first, as vectors, and then where it stands, in the block that has it. `D` is the op that finds it.
struct ArgRows<D, T, const MAX: bool>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Ordered, const MAX: bool> Routine for ArgRows<D, T, MAX> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, b: *const u8, pitch: *const u8, n: usize, m: usize) {
        let (positions, bests, mut row) = (out.cast::<i64>(), b.cast_mut().cast::<T>(), v);
        for r in 0..n {
            stay_scalar();
            // SAFETY: the caller passes rows of `m` values and room for `n` positions and values.
            unsafe {
                let (values, mut first) = (row.cast::<T>(), 0);
                let mut best = fold_row::<D, T, FMA>(row.cast(), m.min(BLOCK));
                for begin in (BLOCK..m).step_by(BLOCK) {
                    let extreme = fold_row::<D, T, FMA>(values.add(begin).cast(), BLOCK.min(m - begin));
                    if extreme.beats::<MAX>(best) {
                        (best, first) = (extreme, begin);
                    }
                }
                let at = first + first_tie(values.add(first), BLOCK.min(m - first), best);
                positions.add(r).write(at as i64);
                bests.add(r).write(row.cast::<T>().add(at).read());
            }
            row = row.wrapping_add(pitch.addr());
        }
    }
}

/// Position of the first of the `n` values at `row` that ties with the best.
#[inline(always)]
unsafe fn first_tie<T: Ordered>(row: *const T, n: usize, best: T) -> usize {
    let mut at = 0;
    // SAFETY: every access is to one of the `n` values.
    unsafe {
        while at + LANES <= n {
            stay_scalar();
            let ties: [u8; LANES] = std::array::from_fn(|j| row.add(at + j).read().ties(best) as u8);
            if ties.iter().fold(0, |any, tie| any | tie) != 0 {
                break;
            }
            at += LANES;
        }
        while at < n {
            stay_scalar();
            if row.add(at).read().ties(best) {
                return at;
            }
            at += 1;
        }
    }
    0
}

/// Replaces positions (`out`) and values (`b`, written) by the later ones (`c` and `a`) where those are better.
struct ArgInto<T, const MAX: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool> Routine for ArgInto<T, MAX> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes disjoint buffers of `n` elements.
        let (positions, best, values, at) = unsafe {
            (
                from_raw_parts_mut(out.cast::<i64>(), n),
                from_raw_parts_mut(b.cast_mut().cast::<T>(), n),
                from_raw_parts(a.cast::<T>(), n),
                from_raw_parts(c.cast::<i64>(), n),
            )
        };
        for i in 0..n {
            let better = values[i].beats::<MAX>(best[i]);
            best[i] = if better { values[i] } else { best[i] };
            positions[i] = if better { at[i] } else { positions[i] };
        }
    }
}

/// Rows of values, of which each column gives a position.
pub(crate) struct ArgTile {
    /// Bytes from one row to the next.
    pub(crate) pitch: isize,
    pub(crate) rows: usize,
    /// The first row's.
    pub(crate) position: i64,
    /// Whether there are no positions and values yet.
    pub(crate) is_first: bool,
}

/// Columns looked at together: their positions and values stay in registers from row to row.
const COLUMNS: usize = 16;

/// Replaces positions (`out`) and values (`b`, written) of `n` columns by better ones of an [`ArgTile`] (`c`) of values (`a`).
struct ArgColumns<T, const MAX: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool> Routine for ArgColumns<T, MAX> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        let (positions, bests) = (out.cast::<i64>(), b.cast_mut().cast::<T>());
        // SAFETY: the caller passes a tile of `n` values a row, and room for `n` positions and values, apart from each other.
        unsafe {
            let tile = &*c.cast::<ArgTile>();
            let row = |r: usize| a.wrapping_offset(r as isize * tile.pitch).cast::<T>();
            let begin = tile.is_first as usize;
            if tile.is_first {
                std::ptr::copy_nonoverlapping(row(0), bests, n);
                from_raw_parts_mut(positions, n).fill(tile.position);
            }
            let mut i = 0;
            while i + COLUMNS <= n {
                let mut best: [T; COLUMNS] = std::array::from_fn(|j| bests.add(i + j).read());
                let mut at: [i64; COLUMNS] = std::array::from_fn(|j| positions.add(i + j).read());
                for r in begin..tile.rows {
                    stay_scalar();
                    let (values, here) = (row(r).add(i), tile.position + r as i64);
                    for j in 0..COLUMNS {
                        let value = values.add(j).read();
                        let better = value.beats::<MAX>(best[j]);
                        best[j] = if better { value } else { best[j] };
                        at[j] = if better { here } else { at[j] };
                    }
                }
                put(bests.add(i), best);
                put(positions.add(i), at);
                i += COLUMNS;
            }
            for i in i..n {
                for r in begin..tile.rows {
                    stay_scalar();
                    let value = row(r).add(i).read();
                    if value.beats::<MAX>(bests.add(i).read()) {
                        bests.add(i).write(value);
                        positions.add(i).write(tile.position + r as i64);
                    }
                }
            }
        }
    }
}

/// The loops of a fold that gives positions.
#[derive(Clone, Copy)]
pub(crate) struct ArgLoops {
    /// Best of each row: (positions, v, best values (written), pitch, rows, row length).
    pub(crate) rows: Loop,
    /// Later candidates into earlier ones: (positions, v, best values (written), positions of v, n, -).
    pub(crate) into: Loop,
    /// Columns of a tile into earlier ones: (positions, v, best values (written), the tile, n, -).
    pub(crate) columns: Loop,
}

/// The loops of `ArgMin` and `ArgMax` over a type.
pub(crate) fn lookup(fold: Fold, dtype: DType, isa: Isa) -> Option<ArgLoops> {
    type Min = Row<{ Op::Minimum as u8 }>;
    type Max = Row<{ Op::Maximum as u8 }>;
    fn of<T: Ordered>(fold: Fold, isa: Isa) -> Option<ArgLoops>
    where
        Min: Define<T, Out = T>,
        Max: Define<T, Out = T>,
    {
        match fold {
            Fold::ArgMin => Some(ArgLoops {
                rows: pick::<ArgRows<Min, T, false>>(isa),
                into: pick::<ArgInto<T, false>>(isa),
                columns: pick::<ArgColumns<T, false>>(isa),
            }),
            Fold::ArgMax => Some(ArgLoops {
                rows: pick::<ArgRows<Max, T, true>>(isa),
                into: pick::<ArgInto<T, true>>(isa),
                columns: pick::<ArgColumns<T, true>>(isa),
            }),
            Fold::Op(_) => None,
        }
    }
    match dtype {
        DType::Bool => of::<B8>(fold, isa),
        DType::I8 => of::<i8>(fold, isa),
        DType::U8 => of::<u8>(fold, isa),
        DType::I16 => of::<i16>(fold, isa),
        DType::U16 => of::<u16>(fold, isa),
        DType::I32 => of::<i32>(fold, isa),
        DType::U32 => of::<u32>(fold, isa),
        DType::I64 => of::<i64>(fold, isa),
        DType::U64 => of::<u64>(fold, isa),
        DType::F32 => of::<f32>(fold, isa),
        DType::F64 => of::<f64>(fold, isa),
        DType::C64 => of::<Complex<f32>>(fold, isa),
        DType::C128 => of::<Complex<f64>>(fold, isa),
        DType::F16 => None,
    }
}
