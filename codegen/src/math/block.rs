//! Blocks of elements: the fast path for all of them, the slow path for the lanes that need it.
//!
//! A branch inside the loop would keep it from vectorising. So every chunk of [`CHUNK_LEN`] elements is first tested for lanes that
//! need the slow path (0.05 ns an element, and nothing for functions without one). If there is one, the fast loop reads a copy with safe
//! arguments, and those lanes are computed afterwards. In-place calls read a copy too, because LLVM's loop would otherwise fail its own
//! overlap check and run element by element (or be compiled twice).

use super::{Binary, Number, Unary};
use std::mem::MaybeUninit;
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Elements of a chunk: copies of one stay on the stack (8 KiB each, touched only where needed), and loading the constants of a
/// function costs nothing beside it. 256 is 5 to 10 % slower.
const CHUNK_LEN: usize = 1024;

/// A copy of one chunk, on the stack.
struct ChunkBuffer<T>([MaybeUninit<T>; CHUNK_LEN]);

impl<T: Number> ChunkBuffer<T> {
    #[inline(always)]
    fn new() -> Self {
        ChunkBuffer([const { MaybeUninit::uninit() }; CHUNK_LEN])
    }

    /// The first elements of the room, set to `values`, at most [`CHUNK_LEN`] of them.
    #[inline(always)]
    fn fill(&mut self, values: impl ExactSizeIterator<Item = T>) -> &[T] {
        let len = values.len().min(CHUNK_LEN);
        for (slot, value) in self.0.iter_mut().zip(values) {
            slot.write(value);
        }
        // SAFETY: the loop wrote the first `len` elements.
        unsafe { from_raw_parts(self.0.as_ptr().cast::<T>(), len) }
    }
}

/// `F` at any argument.
#[inline(always)]
pub fn eval<F: Unary<T>, T: Number, const FMA: bool>(x: T) -> T {
    if F::needs_slow_path(x) { F::slow(x) } else { F::fast::<FMA>(x) }
}

/// `F` at any pair.
#[inline(always)]
pub fn eval2<F: Binary<T>, T: Number, const FMA: bool>(x: T, y: T) -> T {
    if F::needs_slow_path(x, y) || (F::FUSED_ONLY && !FMA) { F::slow(x, y) } else { F::fast::<FMA>(x, y) }
}

/// `out[i] = F(x[i])` for `i < n`, vectorised as far as the caller's target features go.
///
/// `FMA` must not be true unless the caller is compiled with the feature `fma` (it would be right, but very slow).
///
/// # Safety
/// `x` is valid for reading and `out` for writing `n` elements, and they are equal or do not overlap.
#[inline(always)]
pub unsafe fn unary_block<F, T, const FMA: bool>(out: *mut T, x: *const T, n: usize)
where
    F: Unary<T>,
    T: Number,
{
    let in_place = out.cast_const() == x;
    let (mut clean, mut unchanged) = (ChunkBuffer::new(), ChunkBuffer::new());
    for start in (0..n).step_by(CHUNK_LEN) {
        let len = (n - start).min(CHUNK_LEN);
        // SAFETY: `start + len <= n`, the caller's bound; where `out` is `x` this borrow ends before `target` begins.
        let xs = unsafe { from_raw_parts(x.add(start), len) };
        let any_slow = xs.iter().fold(false, |any, &v| any | F::needs_slow_path(v));
        let (source, originals): (&[T], &[T]) = if any_slow {
            with_safe_arguments::<F, T>(xs, &mut clean, &mut unchanged)
        } else if in_place {
            (clean.fill(xs.iter().copied()), &[])
        } else {
            (xs, &[])
        };
        // SAFETY: the caller's bound again; `source` is a copy, or an `x` that does not overlap `out`.
        let target = unsafe { from_raw_parts_mut(out.add(start), len) };
        unary_run::<F, T, FMA>(target, source);
        if any_slow {
            recompute_slow_lanes::<F, T>(target, originals);
        }
    }
}

/// The loop that vectorises; a function of its own so that its slices are known not to overlap.
#[inline(always)]
fn unary_run<F: Unary<T>, T: Number, const FMA: bool>(out: &mut [T], xs: &[T]) {
    for (slot, &x) in out.iter_mut().zip(xs) {
        *slot = F::fast::<FMA>(x);
    }
}

/// Copies of `xs`: one with safe arguments in slow-path lanes, one unchanged.
#[cold]
#[inline(never)]
fn with_safe_arguments<'a, F: Unary<T>, T: Number>(
    xs: &[T],
    clean: &'a mut ChunkBuffer<T>,
    unchanged: &'a mut ChunkBuffer<T>,
) -> (&'a [T], &'a [T]) {
    let safe = |&x: &T| if F::needs_slow_path(x) { T::of(F::SAFE_ARGUMENT) } else { x };
    (clean.fill(xs.iter().map(safe)), unchanged.fill(xs.iter().copied()))
}

/// Computes the slow-path lanes of `xs` into `out`.
#[cold]
#[inline(never)]
fn recompute_slow_lanes<F: Unary<T>, T: Number>(out: &mut [T], xs: &[T]) {
    for (slot, &x) in out.iter_mut().zip(xs) {
        if F::needs_slow_path(x) {
            *slot = F::slow(x);
        }
    }
}

/// `out[i] = F(x[i], y[i])` for `i < n`, vectorised as far as the caller's target features go.
///
/// `FMA` must not be true unless the caller is compiled with the feature `fma` (it would be right, but very slow).
///
/// # Safety
/// `x` and `y` are valid for reading and `out` for writing `n` elements; `out` is equal to `x`, to `y` or to both, or
/// overlaps neither.
#[inline(always)]
pub unsafe fn binary_block<F, T, const FMA: bool>(out: *mut T, x: *const T, y: *const T, n: usize)
where
    F: Binary<T>,
    T: Number,
{
    let in_place = out.cast_const() == x || out.cast_const() == y;
    let (mut clean, mut unchanged) =
        ([ChunkBuffer::new(), ChunkBuffer::new()], [ChunkBuffer::new(), ChunkBuffer::new()]);
    for start in (0..n).step_by(CHUNK_LEN) {
        let len = (n - start).min(CHUNK_LEN);
        // SAFETY: `start + len <= n`, the caller's bound; borrows of what `out` is end before `target` begins.
        let (xs, ys) = unsafe { (from_raw_parts(x.add(start), len), from_raw_parts(y.add(start), len)) };
        let any_slow = xs.iter().zip(ys).fold(false, |any, (&a, &b)| any | F::needs_slow_path(a, b));
        let none: [&[T]; 2] = [&[], &[]];
        let ([a, b], originals) = if any_slow {
            pairs_with_safe_arguments::<F, T>(xs, ys, &mut clean, &mut unchanged)
        } else if in_place {
            let [first, second] = &mut clean;
            ([first.fill(xs.iter().copied()), second.fill(ys.iter().copied())], none)
        } else {
            ([xs, ys], none)
        };
        // SAFETY: the caller's bound again; `a` and `b` are copies, or operands that do not overlap `out`.
        let target = unsafe { from_raw_parts_mut(out.add(start), len) };
        binary_run::<F, T, FMA>(target, a, b);
        if any_slow {
            recompute_slow_pairs::<F, T>(target, originals);
        }
    }
}

/// The loop that vectorises; a function of its own so that its slices are known not to overlap.
#[inline(always)]
fn binary_run<F: Binary<T>, T: Number, const FMA: bool>(out: &mut [T], xs: &[T], ys: &[T]) {
    for (slot, (&x, &y)) in out.iter_mut().zip(xs.iter().zip(ys)) {
        *slot = if F::FUSED_ONLY && !FMA { F::slow(x, y) } else { F::fast::<FMA>(x, y) };
    }
}

/// Copies of both operands: with safe arguments in slow-path lanes, and unchanged.
#[cold]
#[inline(never)]
fn pairs_with_safe_arguments<'a, F: Binary<T>, T: Number>(
    xs: &[T],
    ys: &[T],
    clean: &'a mut [ChunkBuffer<T>; 2],
    unchanged: &'a mut [ChunkBuffer<T>; 2],
) -> ([&'a [T]; 2], [&'a [T]; 2]) {
    let safe = |(&x, &y): (&T, &T)| {
        if F::needs_slow_path(x, y) { (T::of(F::SAFE_ARGUMENT), T::of(F::SAFE_ARGUMENT)) } else { (x, y) }
    };
    let ([a, b], [c, d]) = (clean, unchanged);
    let a = a.fill(xs.iter().zip(ys).map(|pair| safe(pair).0));
    let b = b.fill(xs.iter().zip(ys).map(|pair| safe(pair).1));
    ([a, b], [c.fill(xs.iter().copied()), d.fill(ys.iter().copied())])
}

/// Computes the slow-path pairs into `out`.
#[cold]
#[inline(never)]
fn recompute_slow_pairs<F: Binary<T>, T: Number>(out: &mut [T], [xs, ys]: [&[T]; 2]) {
    for (slot, (&x, &y)) in out.iter_mut().zip(xs.iter().zip(ys)) {
        if F::needs_slow_path(x, y) {
            *slot = F::slow(x, y);
        }
    }
}
