//! Sorted elements, and the orders that sort. All are stable, with nan last, and run when called.
//!
//! Numbers of 8 bits, and many of 16, are counted: a table has a place for each value. All others are merged (the standard library's sort).

use crate::array::array::Array;
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::index::order::made_of;
use crate::index::search::dense_as;
use fastnp_codegen::DType;
use half::f16;
use std::cmp::Ordering;

/// From so many numbers of 16 bits in a row on, a table of all values pays: 2^14 take .03 ms so and .5 ms merged, 2^11 .03 and .04.
const COUNTED_FROM: usize = 1 << 11;

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
trait SortElement: Copy {
    /// How many values the type has, if a table may have a place for each; else zero.
    const VALUES: usize = 0;

    fn is_nan(self) -> bool {
        false
    }

    /// The order of numbers that are not nan.
    fn compare(self, other: Self) -> Ordering;

    /// The place of a value among all of its type, where these are counted.
    fn place(self) -> usize {
        unreachable!("only values of few bits are counted")
    }

    /// The value of a place.
    fn at_place(_: usize) -> Self {
        unreachable!("only values of few bits are counted")
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

macro_rules! counted_integers {
    ($($type:ident)*) => { $(
        impl SortElement for $type {
            const VALUES: usize = 1 << $type::BITS;

            fn compare(self, other: $type) -> Ordering {
                self.cmp(&other)
            }

            fn place(self) -> usize {
                (self as isize - $type::MIN as isize) as usize
            }

            fn at_place(place: usize) -> $type {
                (place as isize + $type::MIN as isize) as $type
            }
        }
    )* };
}
counted_integers! { i8 u8 i16 u16 }

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

/// Whether a row is counted: of single bytes from some numbers on, of two bytes from many on.
fn is_counted<T: SortElement>(n: usize) -> bool {
    T::VALUES > 0 && n >= if T::VALUES <= 1 << 8 { T::VALUES / 4 } else { COUNTED_FROM }
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
    if is_counted::<T>(row.len()) {
        let mut counts = vec![0usize; T::VALUES];
        row.iter().for_each(|x| counts[x.place()] += 1);
        let mut rest = row;
        for (place, &count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (same, after) = rest.split_at_mut(count);
            same.fill(T::at_place(place));
            rest = after;
        }
        return;
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
    if is_counted::<T>(row.len()) {
        // Where the next of each value goes.
        let mut next = vec![0usize; T::VALUES + 1];
        row.iter().for_each(|x| next[x.place() + 1] += 1);
        (0..T::VALUES).for_each(|place| next[place + 1] += next[place]);
        for (i, x) in row.iter().enumerate() {
            let at = &mut next[x.place()];
            order[*at] = i as i64;
            *at += 1;
        }
        return;
    }
    // Values move with their indices: looking them up by index misses the cache.
    let indexed = || row.iter().zip(0u32..);
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
