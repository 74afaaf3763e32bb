//! Loops that fold: along rows, into a vector of accumulators, and as running values.
//!
//! A row is folded in [`LANES`] partial results, which are merged pairwise. [`GROUP`] steps of the lanes form a tree before
//! they are added to what came before, so that each element goes through 4 roundings there where NumPy's pairwise sum (8
//! lanes, 16 steps one after the other, then a tree) has 16. With 32 lanes `f64` takes four AVX-512 registers; 64 lanes measured no
//! faster and spill under SSE2.

use super::element::{B8, Element};
use super::isa::{Isa, Loop, Routine, pick};
use super::loops::{Define, Row};
use crate::{DType, Fold, Op};
use num_complex::Complex;
use std::marker::PhantomData;
use std::slice::from_raw_parts;

/// Partial results of a long row.
const LANES: usize = 32;
/// Steps that form a tree.
const GROUP: usize = 16;

/// `out[r]` = fold of `v[r * m..][..m]`, for `n` rows of `m >= 1`.
struct Rows<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> Routine for Rows<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, _b: *const u8, _c: *const u8, n: usize, m: usize) {
        // SAFETY: the caller passes `n * m` elements.
        let v = unsafe { from_raw_parts(v.cast::<T>(), n * m) };
        let out = out.cast::<T>();
        for r in 0..n {
            let row = &v[r * m..][..m];
            let folded = if m >= 2 * LANES { long_row::<D, T, FMA>(row) } else { short_row::<D, T, FMA>(row) };
            // SAFETY: the caller passes room for `n` elements, apart from `v`.
            unsafe { *out.add(r) = folded };
        }
    }
}

#[inline(always)]
fn short_row<D: Define<T, Out = T>, T: Element, const FMA: bool>(row: &[T]) -> T {
    let mut rest = row;
    let mut total = row[0];
    if row.len() >= 16 {
        let mut lanes = [row[0]; 8];
        lanes.copy_from_slice(&row[..8]);
        let mut chunks = row[8..].chunks_exact(8);
        for chunk in &mut chunks {
            for j in 0..8 {
                lanes[j] = D::call::<FMA>(lanes[j], chunk[j]);
            }
        }
        total = merge::<D, T, 8, FMA>(lanes);
        rest = chunks.remainder();
    } else {
        rest = &rest[1..];
    }
    for &x in rest {
        total = D::call::<FMA>(total, x);
    }
    total
}

#[inline(always)]
fn long_row<D: Define<T, Out = T>, T: Element, const FMA: bool>(row: &[T]) -> T {
    let mut sums = group::<D, T, FMA>(&row[..row.len().min(GROUP * LANES)]);
    let mut rest = &row[row.len().min(GROUP * LANES)..];
    while rest.len() >= LANES {
        let (head, tail) = rest.split_at(rest.len().min(GROUP * LANES));
        let lanes = group::<D, T, FMA>(head);
        for j in 0..LANES {
            sums[j] = D::call::<FMA>(sums[j], lanes[j]);
        }
        rest = tail;
    }
    for (j, &x) in rest.iter().enumerate() {
        sums[j] = D::call::<FMA>(sums[j], x);
    }
    merge::<D, T, LANES, FMA>(sums)
}

/// Folds a run of [`GROUP`] times [`LANES`] elements into lanes, as a tree.
#[inline(always)]
fn tree<D: Define<T, Out = T>, T: Element, const FMA: bool>(run: &[T]) -> [T; LANES] {
    let quarter = |q: usize| {
        let run = &run[4 * q * LANES..][..4 * LANES];
        let mut lanes = [run[0]; LANES];
        for j in 0..LANES {
            let (a, b) =
                (D::call::<FMA>(run[j], run[j + LANES]), D::call::<FMA>(run[j + 2 * LANES], run[j + 3 * LANES]));
            lanes[j] = D::call::<FMA>(a, b);
        }
        lanes
    };
    let (mut a, b) = (quarter(0), quarter(1));
    for j in 0..LANES {
        a[j] = D::call::<FMA>(a[j], b[j]);
    }
    let (mut c, d) = (quarter(2), quarter(3));
    for j in 0..LANES {
        c[j] = D::call::<FMA>(c[j], d[j]);
        a[j] = D::call::<FMA>(a[j], c[j]);
    }
    a
}

/// Folds a run of at least [`LANES`] elements into lanes.
#[inline(always)]
fn group<D: Define<T, Out = T>, T: Element, const FMA: bool>(run: &[T]) -> [T; LANES] {
    if run.len() == GROUP * LANES {
        return tree::<D, T, FMA>(run);
    }
    let mut lanes = [run[0]; LANES];
    lanes.copy_from_slice(&run[..LANES]);
    let mut chunks = run[LANES..].chunks_exact(LANES);
    for chunk in &mut chunks {
        for j in 0..LANES {
            lanes[j] = D::call::<FMA>(lanes[j], chunk[j]);
        }
    }
    for (j, &x) in chunks.remainder().iter().enumerate() {
        lanes[j] = D::call::<FMA>(lanes[j], x);
    }
    lanes
}

/// Merges lanes pairwise.
#[inline(always)]
fn merge<D: Define<T, Out = T>, T: Element, const N: usize, const FMA: bool>(mut lanes: [T; N]) -> T {
    let mut width = N / 2;
    while width > 0 {
        for j in 0..width {
            lanes[j] = D::call::<FMA>(lanes[j], lanes[j + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// `out[j] = out[j] op v[j]`.
struct Into<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> Routine for Into<D, T> {
    #[inline(always)]
    unsafe fn run<const FMA: bool>(out: *mut u8, v: *const u8, _b: *const u8, _c: *const u8, n: usize, _m: usize) {
        // SAFETY: the caller passes disjoint buffers of `n` elements.
        let (out, v) =
            unsafe { (std::slice::from_raw_parts_mut(out.cast::<T>(), n), from_raw_parts(v.cast::<T>(), n)) };
        for i in 0..n {
            out[i] = D::call::<FMA>(out[i], v[i]);
        }
    }
}

/// `out[i] = b op v[0] op ... op v[i]`, `b` being one element.
struct Running<D, T>(PhantomData<(D, T)>);

impl<D: Define<T, Out = T>, T: Element> Routine for Running<D, T> {
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
    /// `out[r]` = fold of row `r` of `v`: (out, v, -, -, rows, row length).
    pub(crate) rows: Loop,
    /// `out[j] op= v[j]`: (out, v, -, -, n, -).
    pub(crate) into: Loop,
    /// `out[i]` = carry op all of `v[..=i]`: (out, v, carry, -, n, -).
    pub(crate) running: Loop,
}

fn loops<const OP: u8, T: Element>(isa: Isa) -> FoldLoops
where
    Row<OP>: Define<T, Out = T>,
{
    FoldLoops {
        rows: pick::<Rows<Row<OP>, T>>(isa),
        into: pick::<Into<Row<OP>, T>>(isa),
        running: pick::<Running<Row<OP>, T>>(isa),
    }
}

/// The loops of the op that an accumulator folds by.
pub(crate) fn lookup(fold: Fold, dtype: DType, isa: Isa) -> Option<FoldLoops> {
    let op = match fold {
        Fold::Op(op) => op,
        Fold::ArgMin => Op::Minimum,
        Fold::ArgMax => Op::Maximum,
    };
    let op = if dtype.is_float() || dtype.is_complex() { op } else { plain(op, dtype) };
    macro_rules! among {
        ($dtype:ident $Op:ident: $($T:ident)*) => {
            match $dtype {
                $(DType::$T => Some(loops::<{ Op::$Op as u8 }, types::$T>(isa)),)*
                _ => None,
            }
        };
    }
    // Sums, products and bits do not ask for an integer's sign: both kinds share their loops.
    let dtype = if matches!(op, Op::Minimum | Op::Maximum) { dtype } else { signed(dtype) };
    match op {
        Op::Add => among!(dtype Add: I8 I16 I32 I64 F32 F64 C64 C128),
        Op::Multiply => among!(dtype Multiply: I8 I16 I32 I64 F32 F64 C64 C128),
        Op::Minimum => among!(dtype Minimum: I8 U8 I16 U16 I32 U32 I64 U64 F32 F64 C64 C128),
        Op::Maximum => among!(dtype Maximum: I8 U8 I16 U16 I32 U32 I64 U64 F32 F64 C64 C128),
        Op::Fmin => among!(dtype Fmin: F32 F64 C64 C128),
        Op::Fmax => among!(dtype Fmax: F32 F64 C64 C128),
        Op::BitwiseAnd => among!(dtype BitwiseAnd: Bool I8 I16 I32 I64),
        Op::BitwiseOr => among!(dtype BitwiseOr: Bool I8 I16 I32 I64),
        Op::BitwiseXor => among!(dtype BitwiseXor: Bool I8 I16 I32 I64),
        _ => None,
    }
}

/// The op that does the same on integers and bools.
fn plain(op: Op, dtype: DType) -> Op {
    match (op, dtype) {
        (Op::Fmin, d) if d != DType::Bool => Op::Minimum,
        (Op::Fmax, d) if d != DType::Bool => Op::Maximum,
        (Op::Minimum | Op::Fmin | Op::LogicalAnd | Op::Multiply, DType::Bool) => Op::BitwiseAnd,
        (Op::Maximum | Op::Fmax | Op::LogicalOr | Op::Add, DType::Bool) => Op::BitwiseOr,
        (Op::LogicalXor, DType::Bool) => Op::BitwiseXor,
        (other, _) => other,
    }
}

fn signed(dtype: DType) -> DType {
    match dtype {
        DType::U8 => DType::I8,
        DType::U16 => DType::I16,
        DType::U32 => DType::I32,
        DType::U64 => DType::I64,
        other => other,
    }
}

/// Element types by their names in the IR.
#[allow(clippy::upper_case_acronyms)]
mod types {
    pub(super) type Bool = super::B8;
    pub(super) type I8 = i8;
    pub(super) type U8 = u8;
    pub(super) type I16 = i16;
    pub(super) type U16 = u16;
    pub(super) type I32 = i32;
    pub(super) type U32 = u32;
    pub(super) type I64 = i64;
    pub(super) type U64 = u64;
    pub(super) type F32 = f32;
    pub(super) type F64 = f64;
    pub(super) type C64 = super::Complex<f32>;
    pub(super) type C128 = super::Complex<f64>;
}
