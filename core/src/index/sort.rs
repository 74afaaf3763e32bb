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
    of_type(x, false)
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
    match x.shape().last() {
        Some(&n) if u32::try_from(n).is_err() => Err(Error::unsupported("an order of so many")),
        _ => of_type(x, true),
    }
}

/// Sorts the rows of an array by what its type has, or gives their orders.
fn of_type(x: &Array, gives_order: bool) -> Result<Array> {
    match x.dtype() {
        _ if x.ndim() == 0 => Err(Error::unsupported("a sort of a number")),
        DType::I8 => rows(x, (1, digit_i8), gives_order),
        DType::U8 | DType::Bool => rows(x, (1, digit_u8), gives_order),
        DType::I16 => rows(x, (2, digit_i16), gives_order),
        DType::U16 => rows(x, (2, digit_u16), gives_order),
        DType::I32 => rows(x, (0, no_digit::<i32>), gives_order),
        DType::U32 => rows(x, (0, no_digit::<u32>), gives_order),
        DType::I64 => rows(x, (0, no_digit::<i64>), gives_order),
        DType::U64 => rows(x, (0, no_digit::<u64>), gives_order),
        DType::F16 => rows(x, (0, no_digit::<f16>), gives_order),
        DType::F32 => rows(x, (0, no_digit::<f32>), gives_order),
        DType::F64 => rows(x, (0, no_digit::<f64>), gives_order),
        DType::C64 | DType::C128 => Err(Error::unsupported("a sort of complex numbers")),
    }
}

fn rows<T: Copy + PartialOrd, D: Fn(T, u32) -> usize + Copy>(
    x: &Array,
    bytes: Bytes<D>,
    gives_order: bool,
) -> Result<Array> {
    if gives_order { argsorted_rows(x, bytes) } else { sorted_rows(x, bytes) }
}

/// The bytes of a number from the lowest on, in the order of the numbers: how many, and the function that gives one. None of types that are
/// merged.
type Bytes<D> = (u32, D);

fn no_digit<T>(_: T, _: u32) -> usize {
    0
}

fn digit_u8(x: u8, _: u32) -> usize {
    usize::from(x)
}

fn digit_i8(x: i8, _: u32) -> usize {
    usize::from(x as u8 ^ 1 << 7)
}

fn digit_u16(x: u16, byte: u32) -> usize {
    usize::from(x >> (8 * byte) & 0xff)
}

fn digit_i16(x: i16, byte: u32) -> usize {
    digit_u16(x as u16 ^ 1 << 15, byte)
}

/// The order of numbers that are not nan.
fn compare<T: PartialOrd>(a: T, b: T) -> Ordering {
    a.partial_cmp(&b).unwrap_or(Ordering::Equal)
}

#[expect(clippy::eq_op, reason = "a nan alone differs from itself")]
fn is_nan<T: PartialOrd + Copy>(x: T) -> bool {
    x != x
}

/// Whether a row of so many is sorted by bytes.
fn is_radix(bytes: u32, n: usize) -> bool {
    bytes > 0 && n >= RADIX_FROM
}

/// Whether a row has its elements in order. A nan is in no order with others.
fn is_in_order<T: PartialOrd>(row: &[T]) -> bool {
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
fn sorted_rows<T: Copy + PartialOrd, D: Fn(T, u32) -> usize + Copy>(x: &Array, bytes: Bytes<D>) -> Result<Array> {
    let (x, n) = (dense_as(x, x.dtype())?, x.shape()[x.ndim() - 1]);
    made_of(&x, x.shape(), x.dtype(), |from, to| {
        // SAFETY: both have so many elements of the type.
        let to = unsafe {
            let from: &[T] = from.elements();
            std::ptr::copy_nonoverlapping(from.as_ptr(), to.cast(), from.len());
            std::slice::from_raw_parts_mut(to.cast::<T>(), from.len())
        };
        run_over(size_of_val(to), || to.chunks_mut(n.max(1)).for_each(|row| sort_row(row, bytes)));
    })
}

fn sort_row<T: Copy + PartialOrd>(row: &mut [T], (bytes, digit): Bytes<impl Fn(T, u32) -> usize>) {
    if is_in_order(row) {
        return;
    }
    if is_radix(bytes, row.len()) {
        return if bytes == 1 { count_row(row, digit) } else { radix_row(row, digit) };
    }
    if row.iter().any(|&x| is_nan(x)) {
        let (numbers, nans): (Vec<T>, Vec<T>) = row.iter().partition(|&&x| !is_nan(x));
        row[..numbers.len()].copy_from_slice(&numbers);
        row[numbers.len()..].copy_from_slice(&nans);
        row[..numbers.len()].sort_by(|&a, &b| compare(a, b));
        return;
    }
    row.sort_by(|&a, &b| compare(a, b));
}

/// Sorts single bytes by counting them: equal ones are the same.
fn count_row<T: Copy>(row: &mut [T], digit: impl Fn(T, u32) -> usize) {
    let mut values = [(0usize, row[0]); DIGITS];
    for &x in row.iter() {
        let value = &mut values[digit(x, 0)];
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
fn radix_row<T: Copy>(row: &mut [T], digit: impl Fn(T, u32) -> usize) {
    let mut by_low = row.to_vec();
    by_digit(row, &mut by_low, |x| digit(x, 0));
    by_digit(&by_low, row, |x| digit(x, 1));
}

/// For each row of an array the indices that sort it.
fn argsorted_rows<T: Copy + PartialOrd, D: Fn(T, u32) -> usize + Copy>(x: &Array, bytes: Bytes<D>) -> Result<Array> {
    let (x, n) = (dense_as(x, x.dtype())?, x.shape()[x.ndim() - 1]);
    made_of(&x, x.shape(), DType::I64, |from, to| {
        // SAFETY: of this type, and the new storage has an integer for each.
        let (from, to) = unsafe {
            let from: &[T] = from.elements();
            (from, std::slice::from_raw_parts_mut(to.cast::<i64>(), from.len()))
        };
        let rows = from.chunks(n.max(1)).zip(to.chunks_mut(n.max(1)));
        run_over(size_of_val(from), || rows.for_each(|(row, order)| argsort_row(row, order, bytes)));
    })
}

fn argsort_row<T: Copy + PartialOrd>(row: &[T], order: &mut [i64], (bytes, digit): Bytes<impl Fn(T, u32) -> usize>) {
    if is_in_order(row) {
        return order.iter_mut().zip(0..).for_each(|(to, i)| *to = i);
    }
    // Values move with their indices: looking them up by index misses the cache.
    let indexed = || row.iter().zip(0u32..);
    if is_radix(bytes, row.len()) {
        let mut from: Vec<(T, u32)> = indexed().map(|(&x, i)| (x, i)).collect();
        let mut to = from.clone();
        for byte in 0..bytes {
            by_digit(&from, &mut to, |(x, _)| digit(x, byte));
            std::mem::swap(&mut from, &mut to);
        }
        return order.iter_mut().zip(from).for_each(|(to, (_, i))| *to = i64::from(i));
    }
    let mut numbers: Vec<(T, u32)> = indexed().filter(|&(&x, _)| !is_nan(x)).map(|(&x, i)| (x, i)).collect();
    numbers.sort_by(|a, b| compare(a.0, b.0));
    let nans = indexed().filter(|&(&x, _)| is_nan(x)).map(|(_, i)| i);
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
