//! Loops of `argmin` and `argmax`: the position of the first extreme, or of the first nan.
//!
//! Lanes are filled and compared in plain loops. With `array::from_fn` LLVM does not inline the closure for so many lanes, which took ten
//! times as long.

#![allow(clippy::needless_range_loop)] // lanes and memory are indexed together

use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::strategy::MIN_VECTOR_ROW;
use crate::drive::vector_hints::{inhibit_vectorization, store_chunk};
use crate::portable::loops::complex::ComplexNumber;
use crate::portable::loops::element::{B8, Element};
use crate::portable::loops::folds::SpilledLanes;
use crate::{DType, Fold};
use num_complex::Complex;
use std::marker::PhantomData;
use std::ops::BitOr;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// An ordered type. The best value is the largest if `MAX`, else the smallest.
trait Ordered: Element {
    /// Whether comparing is so costly that nans are kept in the same lanes as extremes. (Ten thousand complex numbers take 6.7 µs so, and
    /// 9.7 with lanes of their own.)
    const IS_COSTLY: bool = false;
    /// Zero, or other bits for a nan: as many as a value has, so that a vector of them is one instruction more for each vector of values. Of
    /// types without nans always zero.
    type NanBits: Copy + Default + PartialEq + BitOr<Output = Self::NanBits>;
    /// The bits of this value.
    #[inline(always)]
    fn nan_bits(self) -> Self::NanBits {
        Self::NanBits::default()
    }
    /// Whether `self`, at a later position, replaces `best`.
    fn beats<const MAX: bool>(self, best: Self) -> bool;
    /// Whether `self` replaces `best`, if neither is nan.
    fn exceeds<const MAX: bool>(self, best: Self) -> bool;
    /// The better of the two, `best` where neither is; of costly types nan if one of them is.
    #[inline(always)]
    fn better<const MAX: bool>(self, best: Self) -> Self {
        let is_better = if Self::IS_COSTLY { self.beats::<MAX>(best) } else { self.exceeds::<MAX>(best) };
        if is_better { self } else { best }
    }
    /// Whether one of the two is nan, which replaces everything.
    fn either_is_nan(self, other: Self) -> bool;
    /// Whether both are equal, if neither is nan.
    fn equals(self, other: Self) -> bool;
    /// Whether no value replaces it.
    fn is_final<const MAX: bool>(self) -> bool;
}

macro_rules! ordered {
    ($($T:ty)*) => { $(impl Ordered for $T {
        type NanBits = $T;
        #[inline(always)]
        fn beats<const MAX: bool>(self, best: $T) -> bool {
            if MAX { self > best } else { self < best }
        }
        #[inline(always)]
        fn exceeds<const MAX: bool>(self, best: $T) -> bool {
            self.beats::<MAX>(best)
        }
        #[inline(always)]
        fn either_is_nan(self, _other: $T) -> bool {
            false
        }
        #[inline(always)]
        fn equals(self, other: $T) -> bool {
            self == other
        }
        #[inline(always)]
        fn is_final<const MAX: bool>(self) -> bool {
            self == if MAX { <$T>::MAX } else { <$T>::MIN }
        }
    })* };
}

ordered!(i8 u8 i16 u16 i32 u32 i64 u64);

impl Ordered for B8 {
    type NanBits = u8;
    #[inline(always)]
    fn beats<const MAX: bool>(self, best: B8) -> bool {
        if MAX { self.get() & !best.get() } else { !self.get() & best.get() }
    }
    #[inline(always)]
    fn exceeds<const MAX: bool>(self, best: B8) -> bool {
        self.beats::<MAX>(best)
    }
    #[inline(always)]
    fn either_is_nan(self, _other: B8) -> bool {
        false
    }
    #[inline(always)]
    fn equals(self, other: B8) -> bool {
        self.get() == other.get()
    }
    #[inline(always)]
    fn is_final<const MAX: bool>(self) -> bool {
        self.get() == MAX
    }
}

macro_rules! ordered_floats {
    ($($T:ident $Bits:ident)*) => { $(
        impl Ordered for $T {
            type NanBits = $Bits;
            #[inline(always)]
            fn nan_bits(self) -> $Bits {
                if self.is_nan() { $Bits::MAX } else { 0 }
            }
            #[inline(always)]
            fn beats<const MAX: bool>(self, best: $T) -> bool {
                self.exceeds::<MAX>(best) | (self.is_nan() & !best.is_nan())
            }
            #[inline(always)]
            fn exceeds<const MAX: bool>(self, best: $T) -> bool {
                if MAX { self > best } else { self < best }
            }
            #[inline(always)]
            fn either_is_nan(self, other: $T) -> bool {
                self.is_nan() | other.is_nan()
            }
            #[inline(always)]
            fn equals(self, other: $T) -> bool {
                self == other
            }
            #[inline(always)]
            fn is_final<const MAX: bool>(self) -> bool {
                self.is_nan()
            }
        }
        impl Ordered for Complex<$T> {
            type NanBits = $Bits;
            const IS_COSTLY: bool = true;
            #[inline(always)]
            fn beats<const MAX: bool>(self, best: Self) -> bool {
                !best.has_nan() & (self.exceeds::<MAX>(best) | self.has_nan())
            }
            #[inline(always)]
            fn exceeds<const MAX: bool>(self, best: Self) -> bool {
                if MAX { best.less(self) } else { self.less(best) }
            }
            #[inline(always)]
            fn either_is_nan(self, other: Self) -> bool {
                self.has_nan() | other.has_nan()
            }
            #[inline(always)]
            fn equals(self, other: Self) -> bool {
                self == other
            }
            #[inline(always)]
            fn is_final<const MAX: bool>(self) -> bool {
                self.has_nan()
            }
        }
    )* };
}

ordered_floats!(f32 u32 f64 u64);

/// Bytes of a block: its extreme is found first, then the block that has the best is searched for the position.
const EXTREME_BLOCK: usize = 8192;
/// Lanes for rows that are not much longer, and for the rest of long ones.
const REST_LANES: usize = 8;

/// Lanes: eight registers of 32 bytes.
const fn lanes<T: Ordered>() -> usize {
    if T::IS_COSTLY { 16 } else { 256 / size_of::<T>() }
}

/// The position (to `out`) and the value (to `b`, written) of the best of each of `n` rows of `m` values, with a row pitch of `c` bytes:
/// first the extreme, by vectors, then its position in the block that has it.
struct ArgRows<T, const MAX: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool> InnerLoop for ArgRows<T, MAX> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, b: *const u8, pitch: *const u8, n: usize, m: usize) {
        let (positions, bests, mut row) = (out.cast::<i64>(), b.cast_mut().cast::<T>(), v);
        for r in 0..n {
            inhibit_vectorization();
            // SAFETY: the caller passes rows of `m` values and room for `n` positions and values.
            unsafe {
                let at = match const { lanes::<T>() } {
                    256 => best_of::<T, MAX, 256>(row.cast(), m),
                    128 => best_of::<T, MAX, 128>(row.cast(), m),
                    64 => best_of::<T, MAX, 64>(row.cast(), m),
                    32 => best_of::<T, MAX, 32>(row.cast(), m),
                    _ => best_of::<T, MAX, 16>(row.cast(), m),
                };
                positions.add(r).write(at as i64);
                bests.add(r).write(row.cast::<T>().add(at).read());
            }
            row = row.wrapping_add(pitch.addr());
        }
    }
}

/// The position of the best of the `n >= 1` values at `row`, `N` at a time.
#[inline(always)]
unsafe fn best_of<T: Ordered, const MAX: bool, const N: usize>(row: *const T, n: usize) -> usize {
    let block = const { EXTREME_BLOCK / size_of::<T>() };
    // SAFETY: every access is to one of the `n` values.
    unsafe {
        if n < MIN_VECTOR_ROW {
            let (mut at, mut best) = (0, row.read());
            for i in 1..n {
                inhibit_vectorization();
                let value = row.add(i).read();
                if best.either_is_nan(best) {
                    break;
                }
                // The first nan also ends the search here.
                let better = value.exceeds::<MAX>(best) | value.either_is_nan(value);
                (at, best) = if better { (i, value) } else { (at, best) };
            }
            return at;
        }
        let (mut begin, mut first, mut best) = (0, 0, row.read());
        while begin < n && !best.is_final::<MAX>() {
            let extreme = match block.min(n - begin) {
                few @ 0..REST_LANES => extreme::<T, MAX, 1>(row.add(begin), few),
                some if some < 2 * N => extreme::<T, MAX, REST_LANES>(row.add(begin), some),
                many => extreme::<T, MAX, N>(row.add(begin), many),
            };
            if extreme.beats::<MAX>(best) {
                (best, first) = (extreme, begin);
            }
            begin += block;
        }
        let (values, n) = (row.add(first), block.min(n - first));
        first
            + if best.either_is_nan(best) {
                first_of::<T, true, N>(values, n, best)
            } else {
                first_of::<T, false, N>(values, n, best)
            }
    }
}

/// The extreme of the `n >= N` values at `row`, or a nan if there is one; `N` at a time. The last chunk overlaps the one before: reading
/// values twice changes nothing.
#[inline(always)]
unsafe fn extreme<T: Ordered, const MAX: bool, const N: usize>(row: *const T, n: usize) -> T {
    // SAFETY: every access is to one of the `n` values.
    unsafe {
        let mut best = [row.read(); N];
        for j in 1..N {
            best[j] = row.add(j).read();
        }
        // Of two lanes each: testing whether any lane has a nan costs more than keeping it, and as many as lanes do not fit into sixteen
        // registers (100,000 singles: 7.5 of 10.3 µs).
        let mut nans = [T::NanBits::default(); N];
        for j in 0..N.div_ceil(2) {
            nans[j] = best[j].nan_bits() | best[j + N / 2].nan_bits();
        }
        let mut at = N;
        while at < n {
            inhibit_vectorization();
            let values = row.add(at.min(n - N));
            for j in 0..N.div_ceil(2) {
                let (value, other) = (values.add(j).read(), values.add(j + N / 2).read());
                best[j] = value.better::<MAX>(best[j]);
                best[j + N / 2] = other.better::<MAX>(best[j + N / 2]);
                nans[j] = nans[j] | value.nan_bits() | other.nan_bits();
            }
            at += N;
        }
        let (mut best, mut nans) = (SpilledLanes(best), SpilledLanes(nans));
        best.spill();
        nans.spill();
        let best = &mut best.0;
        let mut any_is_nan = false;
        if const { T::IS_COSTLY } {
            for j in 0..N {
                any_is_nan |= best[j].either_is_nan(best[j]);
            }
        } else {
            let mut any = T::NanBits::default();
            for j in 0..N.div_ceil(2) {
                any = any | nans.0[j];
            }
            any_is_nan = any != T::NanBits::default();
        }
        if any_is_nan {
            return (0..n).map(|i| row.add(i).read()).find(|value| value.either_is_nan(*value)).unwrap_or(best[0]);
        }
        let mut width = N / 2;
        while width > 0 {
            for j in 0..width {
                best[j] = if best[j + width].exceeds::<MAX>(best[j]) { best[j + width] } else { best[j] };
            }
            width /= 2;
        }
        best[0]
    }
}

/// The position of the first of the `n >= 1` values at `row` that is nan (`FIND_NAN`) or else equals the best, `N` at a time; zero if there
/// is none.
#[inline(always)]
unsafe fn first_of<T: Ordered, const FIND_NAN: bool, const N: usize>(row: *const T, n: usize, best: T) -> usize {
    // SAFETY: every access is to one of the `n` values.
    unsafe {
        let at = skip_others::<T, FIND_NAN, N>(row, 0, n, best);
        let mut at = skip_others::<T, FIND_NAN, REST_LANES>(row, at, n, best);
        while at < n {
            inhibit_vectorization();
            if is_match::<T, FIND_NAN>(row.add(at).read(), best) {
                return at;
            }
            at += 1;
        }
    }
    0
}

/// Skips chunks of `N` values from `at` on that contain no match.
#[inline(always)]
unsafe fn skip_others<T: Ordered, const FIND_NAN: bool, const N: usize>(
    row: *const T,
    mut at: usize,
    n: usize,
    best: T,
) -> usize {
    while at + N <= n {
        inhibit_vectorization();
        let mut any = 0;
        for j in 0..N {
            // SAFETY: one of the `n` values.
            any |= is_match::<T, FIND_NAN>(unsafe { row.add(at + j).read() }, best) as u8;
        }
        if any != 0 {
            break;
        }
        at += N;
    }
    at
}

/// Whether a value is nan (`FIND_NAN`) or else equals the best.
#[inline(always)]
fn is_match<T: Ordered, const FIND_NAN: bool>(value: T, best: T) -> bool {
    if FIND_NAN { value.either_is_nan(value) } else { value.equals(best) }
}

/// Replaces positions (`out`) and values (`b`, written) by the later ones (`c` and `a`) where those are better.
struct ArgInto<T, const MAX: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool> InnerLoop for ArgInto<T, MAX> {
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

/// A tile whose columns give one position each.
pub(crate) struct ArgTile {
    /// Bytes from one row to the next.
    pub(crate) pitch: isize,
    pub(crate) rows: usize,
    /// The position of the first row.
    pub(crate) position: i64,
    /// Whether there are no positions and values yet.
    pub(crate) is_first: bool,
}

/// Columns searched together: their positions and values stay in registers from row to row.
const ARG_COLUMNS: usize = 16;

/// Replaces positions (`out`) and values (`b`, written) of `n` columns by better ones of an [`ArgTile`] (`c`) of values (`a`).
struct ArgColumns<T, const MAX: bool>(PhantomData<T>);

impl<T: Ordered, const MAX: bool> InnerLoop for ArgColumns<T, MAX> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, a: *const u8, b: *const u8, c: *const u8, n: usize, _m: usize) {
        let (positions, bests) = (out.cast::<i64>(), b.cast_mut().cast::<T>());
        // SAFETY: the caller passes a tile of `n` values a row, and room for `n` positions and values, which do not overlap.
        unsafe {
            let tile = &*c.cast::<ArgTile>();
            let row = |r: usize| a.wrapping_offset(r as isize * tile.pitch).cast::<T>();
            let begin = tile.is_first as usize;
            if tile.is_first {
                std::ptr::copy_nonoverlapping(row(0), bests, n);
                from_raw_parts_mut(positions, n).fill(tile.position);
            }
            let mut i = 0;
            while i + ARG_COLUMNS <= n {
                let mut best: [T; ARG_COLUMNS] = std::array::from_fn(|j| bests.add(i + j).read());
                let mut at: [i64; ARG_COLUMNS] = std::array::from_fn(|j| positions.add(i + j).read());
                for r in begin..tile.rows {
                    inhibit_vectorization();
                    let (values, here) = (row(r).add(i), tile.position + r as i64);
                    for j in 0..ARG_COLUMNS {
                        let value = values.add(j).read();
                        let better = value.beats::<MAX>(best[j]);
                        best[j] = if better { value } else { best[j] };
                        at[j] = if better { here } else { at[j] };
                    }
                }
                store_chunk(bests.add(i), best);
                store_chunk(positions.add(i), at);
                i += ARG_COLUMNS;
            }
            for i in i..n {
                for r in begin..tile.rows {
                    inhibit_vectorization();
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

/// The loops of `argmin` and `argmax` over one type.
#[derive(Clone, Copy)]
pub struct ArgLoops {
    /// Best of each row: (positions, v, best values (written), pitch, rows, row length).
    pub rows: LoopFn,
    /// Later candidates into earlier ones: (positions, v, best values (written), positions of v, n, -).
    pub into: LoopFn,
    /// Columns of a tile into earlier ones: (positions, v, best values (written), the tile, n, -).
    pub columns: LoopFn,
}

/// The loops of `ArgMin` and `ArgMax` over a type.
pub fn lookup(fold: Fold, dtype: DType, isa: Isa) -> Option<ArgLoops> {
    fn of<T: Ordered>(fold: Fold, isa: Isa) -> Option<ArgLoops> {
        match fold {
            Fold::ArgMin => Some(ArgLoops {
                rows: loop_for::<ArgRows<T, false>>(isa),
                into: loop_for::<ArgInto<T, false>>(isa),
                columns: loop_for::<ArgColumns<T, false>>(isa),
            }),
            Fold::ArgMax => Some(ArgLoops {
                rows: loop_for::<ArgRows<T, true>>(isa),
                into: loop_for::<ArgInto<T, true>>(isa),
                columns: loop_for::<ArgColumns<T, true>>(isa),
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
