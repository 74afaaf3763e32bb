//! Loops of `argmin` and `argmax`: positions of the first best value, where the first nan beats all.

use super::complex::ComplexNumber;
use super::element::{B8, Element};
use super::isa::{Isa, Loop, Routine, pick};
use crate::{DType, Fold};
use num_complex::Complex;
use std::marker::PhantomData;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// A type that has a best value; `MAX` says whether that is the largest.
trait Ordered: Element {
    /// Whether `self`, standing later, replaces `best`.
    fn beats<const MAX: bool>(self, best: Self) -> bool;
}

macro_rules! ordered {
    ($($T:ty)*) => { $(impl Ordered for $T {
        #[inline(always)]
        fn beats<const MAX: bool>(self, best: $T) -> bool {
            if MAX { self > best } else { self < best }
        }
    })* };
}

ordered!(i8 u8 i16 u16 i32 u32 i64 u64);

impl Ordered for B8 {
    #[inline(always)]
    fn beats<const MAX: bool>(self, best: B8) -> bool {
        if MAX { self.get() & !best.get() } else { !self.get() & best.get() }
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
        }
        impl Ordered for Complex<$T> {
            #[inline(always)]
            fn beats<const MAX: bool>(self, best: Self) -> bool {
                let better = if MAX { best.less(self) } else { self.less(best) };
                !best.has_nan() & (better | self.has_nan())
            }
        }
    )* };
}

ordered_floats!(f32 f64);

/// Of each of `n` rows of `m`, the position (to `out`) and the value (to `b`, written) of the best.
struct ArgRows<T, const MAX: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool> Routine for ArgRows<T, MAX> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, b: *const u8, _c: *const u8, n: usize, m: usize) {
        // SAFETY: the caller passes `n * m` values and room for `n` positions and values.
        let (v, positions, best) = unsafe {
            (
                from_raw_parts(v.cast::<T>(), n * m),
                from_raw_parts_mut(out.cast::<i64>(), n),
                from_raw_parts_mut(b.cast_mut().cast::<T>(), n),
            )
        };
        for r in 0..n {
            let row = &v[r * m..][..m];
            let found = first_best::<T, MAX>(row);
            positions[r] = found as i64;
            best[r] = row[found];
        }
    }
}

/// Position of the first best value. Blocks that hold nothing better are passed over sixteen at a time without a branch
/// for each element.
#[inline(always)]
fn first_best<T: Ordered, const MAX: bool>(row: &[T]) -> usize {
    let (mut best, mut found, mut start) = (row[0], 0, 1);
    while start + 16 <= row.len() {
        let block = &row[start..][..16];
        let any = block.iter().fold(false, |any, &x| any | x.beats::<MAX>(best));
        if any {
            for (j, &x) in block.iter().enumerate() {
                if x.beats::<MAX>(best) {
                    (best, found) = (x, start + j);
                }
            }
        }
        start += 16;
    }
    for (j, &x) in row.iter().enumerate().skip(start) {
        if x.beats::<MAX>(best) {
            (best, found) = (x, j);
        }
    }
    found
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

/// The loops of a fold that gives positions.
#[derive(Clone, Copy)]
pub(crate) struct ArgLoops {
    /// Best of each row: (positions, v, best values (written), -, rows, row length).
    pub(crate) rows: Loop,
    /// Later candidates into earlier ones: (positions, v, best values (written), positions of v, n, -).
    pub(crate) into: Loop,
}

/// The loops of `ArgMin` and `ArgMax` over a type.
pub(crate) fn lookup(fold: Fold, dtype: DType, isa: Isa) -> Option<ArgLoops> {
    fn of<T: Ordered>(fold: Fold, isa: Isa) -> Option<ArgLoops> {
        match fold {
            Fold::ArgMin => {
                Some(ArgLoops { rows: pick::<ArgRows<T, false>>(isa), into: pick::<ArgInto<T, false>>(isa) })
            }
            Fold::ArgMax => Some(ArgLoops { rows: pick::<ArgRows<T, true>>(isa), into: pick::<ArgInto<T, true>>(isa) }),
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
