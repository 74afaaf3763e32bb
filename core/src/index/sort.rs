//! Sorted elements, and the orders that sort. All are stable, with nan last, and run when called.
//!
//! Rows that are sorted already are found out first, in one pass. Numbers of 8 and 16 bits are sorted by their bytes (radix sort), all others
//! merged (the standard library's sort).

use crate::array::array::Array;
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::index::order::made_of;
use crate::index::search::dense_as;
use fastnp_codegen::DType;
use half::f16;
use std::cmp::Ordering;

/// From so many numbers in a row on, those of few bits are sorted by their bytes.
const RADIX_FROM: usize = 64;
/// Values of a byte.
const DIGITS: usize = 256;

/// An array sorted upwards along its last axis, nan last; equal numbers stay in order.
///
/// # Errors
/// `Unsupported` for arrays without axes and for complex numbers; `MemoryError`.
///
/// ```
/// use fastnp::{Array, sorted};
/// assert_eq!(sorted(&Array::from(vec![3i64, 1, 2]))?.to_vec::<i64>()?, [1, 2, 3]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn sorted(x: &Array) -> Result<Array> {
    match x.dtype() {
        _ if x.ndim() == 0 => Err(Error::unsupported("a sort of a number")),
        DType::I8 => sorted_rows::<i8>(x),
        DType::U8 | DType::Bool => sorted_rows::<u8>(x),
        DType::I16 => sorted_rows::<i16>(x),
        DType::U16 => sorted_rows::<u16>(x),
        DType::I32 => sorted_rows::<i32>(x),
        DType::U32 => sorted_rows::<u32>(x),
        DType::I64 => sorted_rows::<i64>(x),
        DType::U64 => sorted_rows::<u64>(x),
        DType::F16 => sorted_rows::<f16>(x),
        DType::F32 => sorted_rows::<f32>(x),
        DType::F64 => sorted_rows::<f64>(x),
        DType::C64 | DType::C128 => Err(Error::unsupported("a sort of complex numbers")),
    }
}

/// The indices that sort an array along its last axis as [`sorted`] does, in `int64`.
///
/// # Errors
/// `Unsupported` for arrays without axes, for complex numbers, and for rows of 2^32 elements; `MemoryError`.
///
/// ```
/// use fastnp::{Array, argsorted};
/// assert_eq!(argsorted(&Array::from(vec![3.0, 1.0, 3.0, 2.0]))?.to_vec::<i64>()?, [1, 3, 0, 2]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn argsorted(x: &Array) -> Result<Array> {
    match x.dtype() {
        _ if x.ndim() == 0 || u32::try_from(x.shape()[x.ndim() - 1]).is_err() => {
            Err(Error::unsupported("an order of a number, or of too many"))
        }
        DType::I8 => argsorted_rows::<i8>(x),
        DType::U8 | DType::Bool => argsorted_rows::<u8>(x),
        DType::I16 => argsorted_rows::<i16>(x),
        DType::U16 => argsorted_rows::<u16>(x),
        DType::I32 => argsorted_rows::<i32>(x),
        DType::U32 => argsorted_rows::<u32>(x),
        DType::I64 => argsorted_rows::<i64>(x),
        DType::U64 => argsorted_rows::<u64>(x),
        DType::F16 => argsorted_rows::<f16>(x),
        DType::F32 => argsorted_rows::<f32>(x),
        DType::F64 => argsorted_rows::<f64>(x),
        DType::C64 | DType::C128 => Err(Error::unsupported("an order of complex numbers")),
    }
}

/// A type of elements that have an order.
trait SortElement: Copy + PartialOrd {
    /// Bytes that elements are sorted by, from the lowest; zero for types that are merged.
    const BYTES: u32 = 0;

    fn is_nan(self) -> bool {
        false
    }

    /// The order of numbers that are not nan.
    fn compare(self, other: Self) -> Ordering;

    /// One of the bytes, in the order of the numbers.
    fn digit(self, _byte: u32) -> usize {
        unreachable!("only numbers of few bits are sorted by bytes")
    }
}

macro_rules! integers {
    ($($type:ident)*) => { $(
        impl SortElement for $type {
            fn compare(self, other: $type) -> Ordering {
                self.cmp(&other)
            }
        }
    )* };
}
integers! { i32 u32 i64 u64 }

macro_rules! small_integers {
    ($($type:ident)*) => { $(
        impl SortElement for $type {
            const BYTES: u32 = $type::BITS / 8;

            fn compare(self, other: $type) -> Ordering {
                self.cmp(&other)
            }

            fn digit(self, byte: u32) -> usize {
                (self as isize - $type::MIN as isize) as usize >> (8 * byte) & (DIGITS - 1)
            }
        }
    )* };
}
small_integers! { i8 u8 i16 u16 }

macro_rules! floats {
    ($($type:ident)*) => { $(
        impl SortElement for $type {
            fn is_nan(self) -> bool {
                $type::is_nan(self)
            }

            fn compare(self, other: $type) -> Ordering {
                self.partial_cmp(&other).unwrap_or(Ordering::Equal)
            }
        }
    )* };
}
floats! { f16 f32 f64 }

/// Whether a row of so many is sorted by bytes.
fn is_radix<T: SortElement>(n: usize) -> bool {
    T::BYTES > 0 && n >= RADIX_FROM
}

/// Whether a row has its elements in order. A nan is in no order with others.
fn is_in_order<T: SortElement>(row: &[T]) -> bool {
    row.is_sorted_by(|a, b| a <= b)
}

/// Copies items in the order of a byte of theirs; those of one byte stay in order.
fn by_digit<I: Copy>(from: &[I], to: &mut [I], digit: impl Fn(I) -> usize) {
    let mut next = [0usize; DIGITS];
    from.iter().for_each(|&item| next[digit(item)] += 1);
    let mut start = 0;
    for next in &mut next {
        let count = std::mem::replace(next, start);
        start += count;
    }
    for &item in from {
        let at = &mut next[digit(item)];
        to[*at] = item;
        *at += 1;
    }
}

/// Each row of an array, sorted.
fn sorted_rows<T: SortElement>(x: &Array) -> Result<Array> {
    let (x, n) = (dense_as(x, x.dtype())?, x.shape()[x.ndim() - 1]);
    made_of(&x, x.shape(), x.dtype(), |from, to| {
        // SAFETY: both have so many elements of the type.
        let to = unsafe {
            let from: &[T] = from.elements();
            std::ptr::copy_nonoverlapping(from.as_ptr(), to.cast(), from.len());
            std::slice::from_raw_parts_mut(to.cast::<T>(), from.len())
        };
        run_over(size_of_val(to), || to.chunks_mut(n.max(1)).for_each(sort_row));
    })
}

fn sort_row<T: SortElement>(row: &mut [T]) {
    if is_in_order(row) {
        return;
    }
    if is_radix::<T>(row.len()) {
        return if T::BYTES == 1 { count_row(row) } else { radix_row(row) };
    }
    if row.iter().any(|x| x.is_nan()) {
        let (numbers, nans): (Vec<T>, Vec<T>) = row.iter().partition(|x| !x.is_nan());
        row[..numbers.len()].copy_from_slice(&numbers);
        row[numbers.len()..].copy_from_slice(&nans);
        row[..numbers.len()].sort_by(|a, b| a.compare(*b));
        return;
    }
    row.sort_by(|a, b| a.compare(*b));
}

/// Sorts single bytes by counting them: equal ones are the same.
fn count_row<T: SortElement>(row: &mut [T]) {
    let mut values = [(0usize, row[0]); DIGITS];
    for &x in row.iter() {
        let value = &mut values[x.digit(0)];
        *value = (value.0 + 1, x);
    }
    let mut rest = row;
    for (count, value) in values {
        let (same, after) = rest.split_at_mut(count);
        same.fill(value);
        rest = after;
    }
}

/// Sorts numbers of two bytes by the low one, then by the high one.
fn radix_row<T: SortElement>(row: &mut [T]) {
    let mut by_low = row.to_vec();
    by_digit(row, &mut by_low, |x| x.digit(0));
    by_digit(&by_low, row, |x| x.digit(1));
}

/// For each row of an array the indices that sort it.
fn argsorted_rows<T: SortElement>(x: &Array) -> Result<Array> {
    let (x, n) = (dense_as(x, x.dtype())?, x.shape()[x.ndim() - 1]);
    made_of(&x, x.shape(), DType::I64, |from, to| {
        // SAFETY: of this type, and the new storage has an integer for each.
        let (from, to) = unsafe {
            let from: &[T] = from.elements();
            (from, std::slice::from_raw_parts_mut(to.cast::<i64>(), from.len()))
        };
        let rows = from.chunks(n.max(1)).zip(to.chunks_mut(n.max(1)));
        run_over(size_of_val(from), || rows.for_each(|(row, order)| argsort_row(row, order)));
    })
}

fn argsort_row<T: SortElement>(row: &[T], order: &mut [i64]) {
    if is_in_order(row) {
        return order.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
    }
    // Values move with their indices: looking them up by index misses the cache.
    let indexed = || row.iter().zip(0u32..);
    if is_radix::<T>(row.len()) {
        let mut from: Vec<(T, u32)> = indexed().map(|(&x, i)| (x, i)).collect();
        let mut to = from.clone();
        for byte in 0..T::BYTES {
            by_digit(&from, &mut to, |(x, _)| x.digit(byte));
            std::mem::swap(&mut from, &mut to);
        }
        return order.iter_mut().zip(from).for_each(|(to, (_, i))| *to = i64::from(i));
    }
    let mut numbers: Vec<(T, u32)> = indexed().filter(|(x, _)| !x.is_nan()).map(|(&x, i)| (x, i)).collect();
    numbers.sort_by(|a, b| a.0.compare(b.0));
    let nans = indexed().filter(|(x, _)| x.is_nan()).map(|(_, i)| i);
    let all = numbers.iter().map(|number| number.1).chain(nans);
    order.iter_mut().zip(all).for_each(|(to, i)| *to = i64::from(i));
}

fn by_value(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The order that sorts by the last of some keys, then by that before, and so on; keys are vectors of one length.
///
/// # Errors
/// `Unsupported` for no keys, for keys of several lengths, and for complex ones; `MemoryError`.
///
/// ```
/// use fastnp::{Array, lexsorted};
/// let (a, b) = (Array::from(vec![2i64, 1, 0]), Array::from(vec![0.5, 0.0, 0.5]));
/// assert_eq!(lexsorted(&[&a, &b])?.to_vec::<i64>()?, [1, 2, 0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn lexsorted(keys: &[&Array]) -> Result<Array> {
    let n = keys.first().map_or(0, |key| key.size());
    if keys.is_empty() || keys.iter().any(|key| key.shape() != [n] || key.dtype().is_complex()) {
        return Err(Error::unsupported("an order by these keys"));
    }
    let mut order: Vec<i64> = (0..n as i64).collect();
    // Each sort keeps the order of the one before among equal keys.
    for key in keys {
        if key.dtype().is_float() {
            let key = dense_as(key, DType::F64)?.to_vec::<f64>()?;
            order.sort_by(|&i, &j| by_value(key[i as usize], key[j as usize]));
        } else if key.dtype() == DType::U64 {
            let key = dense_as(key, DType::U64)?.to_vec::<u64>()?;
            order.sort_by_key(|&i| key[i as usize]);
        } else {
            let key = dense_as(key, DType::I64)?.to_vec::<i64>()?;
            order.sort_by_key(|&i| key[i as usize]);
        }
    }
    Ok(Array::from(order))
}
