//! Loops that fold: along rows, into a vector of accumulators, and as prefix scans.
//!
//! A row is folded in [`LANES`] partial results, which are merged pairwise. [`TREE_STEPS`] steps of the lanes form a tree before
//! they are added to what came before, so that each element goes through 4 roundings there where NumPy's pairwise sum (8
//! lanes, 16 steps one after the other, then a tree) has 16. With 32 lanes `f64` takes four AVX-512 registers; 64 lanes
//! measured no faster and spill under SSE2.
//!
//! Products are not made of trees: each factor brings one rounding whatever the order, and a product of two factors close to
//! one rounds the same way more often than not (the low bits of their difference from one do not spread over a whole unit).
//! A lane of many factors leaves the neighbourhood of one: the product of a million `f32` within 1e-3 of one is off by
//! 3e-5 where a tree's is by 9e-4 and NumPy's, one factor after the other, by 2e-5.
//!
//! The rest of a row is folded into the first [`LEFTOVER_LANES`] lanes, a chunk at a time. The last chunk ends where the row ends and so
//! overlaps the one before: unless the fold is idempotent, elements already folded are replaced by its initial value. Sums start from
//! positive zero, as NumPy's do: the sum of `-0.0` is `0.0`. [`crate::ir::fold`] has these properties of each fold.

#![allow(clippy::needless_range_loop)] // lanes and memory are indexed together

use crate::drive::isa::{InnerLoop, Isa, LoopFn, loop_for};
use crate::drive::vector_hints::inhibit_vectorization;
use crate::portable::loops::element::{B8, Element};
use crate::portable::loops::elementwise::{Define, OpDefinition};
use crate::{DType, FoldOrder, FoldRow, Op, Scalar};
use num_complex::Complex;
use std::marker::PhantomData;

/// Partial results of a long row.
pub(crate) const LANES: usize = 32;
/// Steps that form a tree.
const TREE_STEPS: usize = 16;

/// Lanes that the rest of a row is folded into.
const LEFTOVER_LANES: usize = 8;

/// The properties of a fold, from the fold table, as constants.
struct FoldProperties<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> FoldProperties<D, T> {
    const ROW: &'static FoldRow = D::OP.fold().expect("only folds have these loops");
    /// The value added to results at the end, because NumPy's start from it.
    const START: Option<T> = constant(Self::ROW.start(T::DTYPE));
    /// The padding of chunks; `None` if no value is neutral.
    const INITIAL: Option<T> = constant(Self::ROW.initial(T::DTYPE));
    const IS_IDEMPOTENT: bool = Self::ROW.is_idempotent(T::DTYPE);
    /// Whether partial results continue in their lanes instead of forming trees.
    const IN_LANES: bool = matches!(Self::ROW.order, FoldOrder::Lanes);
}

/// A scalar as an element of its type.
const fn constant<T: Element>(value: Option<Scalar>) -> Option<T> {
    match value {
        None => None,
        Some(value) => {
            assert!(value.dtype() as u8 == T::DTYPE as u8);
            // SAFETY: the bytes of a scalar begin with those of an element of its type.
            Some(unsafe { std::mem::transmute_copy::<[u8; 16], T>(&value.bytes()) })
        }
    }
}

/// `out[r]` = fold of the `m >= 1` elements from `v + r * pitch`, for `n` rows; `pitch` (bytes) comes as the second source.
struct RowFold<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> InnerLoop for RowFold<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, pitch: *const u8, _c: *const u8, n: usize, m: usize) {
        let (out, mut row) = (out.cast::<T>(), v);
        for r in 0..n {
            inhibit_vectorization();
            // SAFETY: the caller passes `n` rows of `m` elements, and room for `n` elements that do not overlap them.
            unsafe { *out.add(r) = started::<D, T, FMA>(fold_row::<D, T, FMA>(row.cast(), m)) };
            row = row.wrapping_add(pitch.addr());
        }
    }
}

/// A result that began with what NumPy's begin with.
#[inline(always)]
fn started<D: Define<T, Out = T>, T: Element, const FMA: bool>(x: T) -> T {
    match const { FoldProperties::<D, T>::START } {
        Some(start) => D::call::<FMA>(x, start),
        None => x,
    }
}

/// The fold of the `n >= 1` elements at `v`.
///
/// # Safety
/// There are so many elements.
#[inline(always)]
pub(crate) unsafe fn fold_row<D: Define<T, Out = T>, T: Element, const FMA: bool>(v: *const T, n: usize) -> T {
    // SAFETY: every access is to one of the `n` elements.
    unsafe {
        if n < LEFTOVER_LANES {
            let mut total = v.read();
            for i in 1..n {
                inhibit_vectorization();
                total = D::call::<FMA>(total, v.add(i).read());
            }
            return total;
        }
        let few = if n < 2 * LANES {
            fold_rest::<D, T, FMA>(take(v), v, LEFTOVER_LANES, n)
        } else {
            let whole = n / LANES * LANES;
            let most = if const { FoldProperties::<D, T>::IN_LANES } { whole } else { TREE_STEPS * LANES };
            let mut at = whole.min(most);
            let mut sums = SpilledLanes(group::<D, T, FMA>(v, at));
            sums.spill();
            while at < whole {
                let length = (whole - at).min(most);
                let lanes = group::<D, T, FMA>(v.add(at), length);
                for j in 0..LANES {
                    sums.0[j] = D::call::<FMA>(sums.0[j], lanes[j]);
                }
                sums.spill();
                at += length;
            }
            let pair = |j: usize| D::call::<FMA>(sums.0[j], sums.0[j + LANES / 2]);
            let few = std::array::from_fn(|j| D::call::<FMA>(pair(j), pair(j + LEFTOVER_LANES)));
            fold_rest::<D, T, FMA>(few, v, whole, n)
        };
        let mut few = SpilledLanes(few);
        few.spill();
        merge::<D, T, LEFTOVER_LANES, FMA>(few)
    }
}

/// Lanes that can be spilled to memory. They begin at a cache line: what is stored across two cannot be forwarded to loads of its parts. Rows
/// of eight doubles then take 28 cycles instead of 5, which depended on where the stack began.
#[repr(align(64))]
pub(crate) struct SpilledLanes<T, const N: usize>(pub(crate) [T; N]);

impl<T, const N: usize> SpilledLanes<T, N> {
    /// Spills the lanes: LLVM otherwise allocates registers for the last, narrow merges, and folds two lanes at a time from the beginning.
    #[inline(always)]
    pub(crate) fn spill(&mut self) {
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
        // SAFETY: no instruction at all.
        unsafe {
            std::arch::asm!("/* {0} */", in(reg) self.0.as_mut_ptr(), options(nostack, preserves_flags));
        }
    }
}

/// The `N` elements at `v`.
#[inline(always)]
unsafe fn take<T: Element, const N: usize>(v: *const T) -> [T; N] {
    // SAFETY: the caller's contract.
    unsafe { std::array::from_fn(|j| v.add(j).read()) }
}

/// Folds `N` elements into as many lanes.
#[inline(always)]
unsafe fn fold_in<D: Define<T, Out = T>, T: Element, const N: usize, const FMA: bool>(lanes: &mut [T; N], v: *const T) {
    for j in 0..N {
        // SAFETY: the caller's contract.
        lanes[j] = D::call::<FMA>(lanes[j], unsafe { v.add(j).read() });
    }
}

/// Folds [`TREE_STEPS`] times [`LANES`] elements into lanes, as a tree.
#[inline(always)]
unsafe fn tree<D: Define<T, Out = T>, T: Element, const FMA: bool>(v: *const T) -> [T; LANES] {
    let add = |a: T, b: T| D::call::<FMA>(a, b);
    let quarter = |q: usize| -> [T; LANES] {
        std::array::from_fn(|j| {
            // SAFETY: the caller's contract: these are among the elements.
            let x = |i: usize| unsafe { v.add((4 * q + i) * LANES + j).read() };
            add(add(x(0), x(1)), add(x(2), x(3)))
        })
    };
    let (mut a, b) = (quarter(0), quarter(1));
    for j in 0..LANES {
        a[j] = add(a[j], b[j]);
    }
    let (c, d) = (quarter(2), quarter(3));
    for j in 0..LANES {
        a[j] = add(a[j], add(c[j], d[j]));
    }
    a
}

/// Folds `n` elements, a positive multiple of [`LANES`], into lanes.
#[inline(always)]
unsafe fn group<D: Define<T, Out = T>, T: Element, const FMA: bool>(v: *const T, n: usize) -> [T; LANES] {
    // SAFETY: every access is to one of the `n` elements.
    unsafe {
        if const { !FoldProperties::<D, T>::IN_LANES } && n == TREE_STEPS * LANES {
            return tree::<D, T, FMA>(v);
        }
        let mut lanes: [T; LANES] = take(v);
        let mut at = LANES;
        while at < n {
            inhibit_vectorization();
            fold_in::<D, T, LANES, FMA>(&mut lanes, v.add(at));
            at += LANES;
        }
        lanes
    }
}

/// Folds the elements from `at` on, of `n >= LEFTOVER_LANES`, into the lanes.
#[inline(always)]
unsafe fn fold_rest<D: Define<T, Out = T>, T: Element, const FMA: bool>(
    mut lanes: [T; LEFTOVER_LANES],
    v: *const T,
    mut at: usize,
    n: usize,
) -> [T; LEFTOVER_LANES] {
    /// A sliding mask: from the number of new elements on, whether an element is new.
    static NEW: [u8; 2 * LEFTOVER_LANES] = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
    // SAFETY: every access is to one of the `n` elements; fewer than `LEFTOVER_LANES` are left where `NEW` is read.
    unsafe {
        while n - at >= LEFTOVER_LANES {
            inhibit_vectorization();
            fold_in::<D, T, LEFTOVER_LANES, FMA>(&mut lanes, v.add(at));
            at += LEFTOVER_LANES;
        }
        if const { !FoldProperties::<D, T>::IS_IDEMPOTENT && FoldProperties::<D, T>::INITIAL.is_none() } {
            // No value is neutral, so there is no padding.
            while at < n {
                inhibit_vectorization();
                lanes[0] = D::call::<FMA>(lanes[0], v.add(at).read());
                at += 1;
            }
        } else if at < n {
            let (new, v) = (NEW.as_ptr().add(n - at), v.add(n - LEFTOVER_LANES));
            for j in 0..LEFTOVER_LANES {
                let x = v.add(j).read();
                let x = match const { FoldProperties::<D, T>::INITIAL } {
                    Some(initial) if const { !FoldProperties::<D, T>::IS_IDEMPOTENT } && *new.add(j) == 0 => initial,
                    _ => x,
                };
                lanes[j] = D::call::<FMA>(lanes[j], x);
            }
        }
    }
    lanes
}

/// Merges lanes pairwise.
#[inline(always)]
fn merge<D: Define<T, Out = T>, T: Element, const N: usize, const FMA: bool>(mut lanes: SpilledLanes<T, N>) -> T {
    let mut width = N / 2;
    while width > 0 {
        for j in 0..width {
            lanes.0[j] = D::call::<FMA>(lanes.0[j], lanes.0[j + width]);
        }
        width /= 2;
    }
    lanes.0[0]
}

/// `out[j] = out[j] op v[j]`.
struct Into<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> InnerLoop for Into<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, _b: *const u8, _c: *const u8, n: usize, _m: usize) {
        let (out, v) = (out.cast::<T>(), v.cast::<T>());
        // SAFETY: the caller passes disjoint buffers of `n` elements.
        unsafe {
            if const { size_of::<T>() == 16 } {
                in_whole_chunks::<D, T, 4, FMA>(out, v, n);
            } else if const { size_of::<T>() == 8 } {
                in_whole_chunks::<D, T, 8, FMA>(out, v, n);
            } else {
                in_whole_chunks::<D, T, 16, FMA>(out, v, n);
            }
        }
    }
}

/// `out[j] = out[j] op v[j]`, `N` at a time; chunks do not overlap, as that would fold elements twice.
#[inline(always)]
unsafe fn in_whole_chunks<D: Define<T, Out = T>, T: Element, const N: usize, const FMA: bool>(
    out: *mut T,
    v: *const T,
    n: usize,
) {
    // SAFETY: the caller passes disjoint buffers of `n` elements.
    unsafe {
        let whole = n / N * N;
        let mut i = 0;
        while i < whole {
            inhibit_vectorization();
            let mut lanes: [T; N] = take(out.add(i));
            fold_in::<D, T, N, FMA>(&mut lanes, v.add(i));
            for j in 0..N {
                out.add(i + j).write(lanes[j]);
            }
            i += N;
        }
        for i in whole..n {
            inhibit_vectorization();
            *out.add(i) = D::call::<FMA>(*out.add(i), *v.add(i));
        }
    }
}

/// `out[j]` = fold of the `m >= 1` elements at `v + j`, `v + pitch + j`, …, for `n` columns, after what `out[j]` holds where
/// `carry` is not null; `pitch` (bytes) comes as the second source. The accumulators stay in registers: one load an element,
/// where folding row after row into memory takes two and a store.
struct ColumnFold<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> InnerLoop for ColumnFold<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, pitch: *const u8, carry: *const u8, n: usize, m: usize) {
        let (out, v, pitch) = (out.cast::<T>(), v.cast::<T>(), pitch.addr());
        let strips = if carry.is_null() {
            Strips { out, first: v, before: v, pitch, rows: m - 1 }
        } else {
            Strips { out, first: out, before: v.wrapping_byte_sub(pitch), pitch, rows: m }
        };
        // SAFETY: the caller passes `m` rows of `n` elements and room for `n` elements that do not overlap them.
        unsafe {
            if n >= LANES {
                strips.fold_all::<D, LANES, FMA>(n, carry.is_null());
            } else if n >= LEFTOVER_LANES {
                strips.fold_all::<D, LEFTOVER_LANES, FMA>(n, carry.is_null());
            } else {
                strips.fold_all::<D, 1, FMA>(n, carry.is_null());
            }
        }
    }
}

/// Neighbouring columns to fold: the initial values of the lanes, and the row before the first to fold.
struct Strips<T> {
    out: *mut T,
    first: *const T,
    before: *const T,
    pitch: usize,
    rows: usize,
}

impl<T: Element> Strips<T> {
    /// Folds `n >= N` columns, `N` at a time. The last strip overlaps the one before it unless the fold continues
    /// from a carry, which would fold elements twice.
    ///
    /// # Safety
    /// There are `n` columns, and room for as many results that do not overlap them.
    #[inline(always)]
    unsafe fn fold_all<D: Define<T, Out = T>, const N: usize, const FMA: bool>(&self, n: usize, may_overlap: bool) {
        let whole = n / N * N;
        let mut j = 0;
        // SAFETY: the caller's contract; every strip ends at column `n` at the latest.
        unsafe {
            while j < whole {
                self.fold::<D, N, FMA>(j);
                j += N;
            }
            if j < n && may_overlap {
                return self.fold::<D, N, FMA>(n - N);
            }
            while j < n {
                inhibit_vectorization();
                self.fold::<D, 1, FMA>(j);
                j += 1;
            }
        }
    }

    /// Folds `N` columns from the `j`-th on.
    ///
    /// # Safety
    /// As [`Strips::fold_all`], for `j + N` columns.
    #[inline(always)]
    unsafe fn fold<D: Define<T, Out = T>, const N: usize, const FMA: bool>(&self, j: usize) {
        // SAFETY: the caller's contract.
        unsafe {
            let mut lanes: [T; N] = take(self.first.add(j));
            let mut row = self.before.wrapping_add(j);
            for _ in 0..self.rows {
                inhibit_vectorization();
                row = row.wrapping_byte_add(self.pitch);
                fold_in::<D, T, N, FMA>(&mut lanes, row);
            }
            for k in 0..N {
                self.out.add(j + k).write(started::<D, T, FMA>(lanes[k]));
            }
        }
    }
}

/// `out[i] = b op v[0] op ... op v[i]`, `b` being one element.
struct RunningFold<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> InnerLoop for RunningFold<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, b: *const u8, _c: *const u8, n: usize, _m: usize) {
        let (out, v) = (out.cast::<T>(), v.cast::<T>());
        // SAFETY: the caller passes buffers of `n` elements and one element at `b`.
        unsafe {
            let mut carry = b.cast::<T>().read();
            for i in 0..n {
                carry = D::call::<FMA>(carry, *v.add(i));
                *out.add(i) = carry;
            }
        }
    }
}

/// The loops of a fold over one type.
#[derive(Clone, Copy)]
pub(crate) struct FoldLoops {
    /// `out[r]` = fold of row `r` of `v`: (out, v, pitch, -, rows, row length).
    pub(crate) rows: LoopFn,
    /// `out[j]` = fold of column `j` of `v`: (out, v, pitch, carry or null, columns, column length).
    pub(crate) columns: LoopFn,
    /// `out[j] op= v[j]`: (out, v, -, -, n, -).
    pub(crate) into: LoopFn,
    /// `out[i]` = carry op all of `v[..=i]`: (out, v, carry, -, n, -).
    pub(crate) running: LoopFn,
}

fn loops<const OP: u8, T: Element>(isa: Isa) -> FoldLoops
where
    OpDefinition<OP>: Define<T, Out = T>,
{
    FoldLoops {
        rows: loop_for::<RowFold<OpDefinition<OP>, T>>(isa),
        columns: loop_for::<ColumnFold<OpDefinition<OP>, T>>(isa),
        into: loop_for::<Into<OpDefinition<OP>, T>>(isa),
        running: loop_for::<RunningFold<OpDefinition<OP>, T>>(isa),
    }
}

/// Turns the fold table into the way from a fold to its loops; `@` rules are the classes of types.
macro_rules! lookup {
    ($($Op:ident $names:tt $identity:expr, $order:ident, $repeats:ident, $type:ident
       { $($class:ident $is:tt $what:ident;)* } $doc:literal)*) => {
        /// The loops of the op that an accumulator folds by.
        pub(crate) fn lookup(op: Op, dtype: DType, isa: Isa) -> Option<FoldLoops> {
            match op.fold()?.on(dtype).op {
                $(Op::$Op => {
                    $(let found = lookup!(@$class $is $Op dtype isa);
                    if found.is_some() {
                        return found;
                    })*
                    None
                })*
                _ => None,
            }
        }
    };
    // Another op's loops.
    (@$class:ident = $Op:ident $dtype:ident $isa:ident) => { None::<FoldLoops> };
    (@bool : $Op:ident $dtype:ident $isa:ident) => { lookup!($Op $dtype $isa: Bool B8) };
    (@sint : $Op:ident $dtype:ident $isa:ident) => { lookup!($Op $dtype $isa: I8 i8, I16 i16, I32 i32, I64 i64) };
    (@uint : $Op:ident $dtype:ident $isa:ident) => { lookup!($Op $dtype $isa: U8 u8, U16 u16, U32 u32, U64 u64) };
    // The sign makes no difference.
    (@int : $Op:ident $dtype:ident $isa:ident) => {
        lookup!($Op $dtype $isa: I8 i8, U8 i8, I16 i16, U16 i16, I32 i32, U32 i32, I64 i64, U64 i64)
    };
    (@float : $Op:ident $dtype:ident $isa:ident) => { lookup!($Op $dtype $isa: F32 f32, F64 f64) };
    (@complex : $Op:ident $dtype:ident $isa:ident) => { lookup!($Op $dtype $isa: C64 Complex<f32>, C128 Complex<f64>) };
    ($Op:ident $dtype:ident $isa:ident: $($DType:ident $T:ty),*) => {
        match $dtype {
            $(DType::$DType => Some(loops::<{ Op::$Op as u8 }, $T>($isa)),)*
            _ => None,
        }
    };
}

crate::for_each_fold!(lookup);
