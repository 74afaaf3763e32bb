//! Positions in sorted arrays (`searchsorted`), and linear interpolation between points (`interp`). They run when they are called.
//!
//! Keys are searched in groups of [`GROUP`], step by step together: a search by itself waits for memory at each step.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order, c_strides};
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::host::threads::Threads;
use crate::ops::promote::promote_types;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use fastnp_codegen::{DType, ThreadPool};

/// Keys that are searched together.
const GROUP: usize = 8;
/// Nanoseconds of a step of a search.
const STEP_NS: f64 = 0.8;
/// Nanoseconds of an interpolation besides its search.
const INTERPOLATION_NS: f64 = 4.0;

/// Which of the positions between equal elements is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Before them.
    Left,
    /// After them.
    Right,
}

/// A type whose numbers are searched.
trait SearchKey: Copy + Default + Send + Sync {
    /// The order of a sort: nan is last.
    fn is_less(self, other: Self) -> bool;
}

impl SearchKey for f64 {
    #[inline(always)]
    fn is_less(self, other: f64) -> bool {
        self < other || (other.is_nan() && !self.is_nan())
    }
}

impl SearchKey for i64 {
    #[inline(always)]
    fn is_less(self, other: i64) -> bool {
        self < other
    }
}

/// For each key the position in a sorted array of one axis where it would be inserted, as `int64`.
///
/// # Errors
/// `Unsupported` for types but integers of at most 63 bits and floats of at most double precision, and for an array of other than one
/// axis; `MemoryError`.
///
/// ```
/// use fastnp::{Array, Side, search_sorted};
/// let at = search_sorted(&Array::from(vec![1.0, 2.0, 3.0]), &Array::from(vec![2.0, 9.0]), Side::Left)?;
/// assert_eq!(at.to_vec::<i64>()?, [1, 3]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn search_sorted(sorted: &Array, keys: &Array, side: Side) -> Result<Array> {
    if sorted.ndim() != 1 {
        return Err(Error::unsupported("a search in other than one axis"));
    }
    let dtype = match promote_types(sorted.dtype(), keys.dtype()) {
        DType::U64 | DType::F16 => return Err(Error::unsupported("a search in uint64 or float16")),
        dtype if dtype.is_integer() || dtype == DType::Bool => DType::I64,
        DType::F32 | DType::F64 => DType::F64,
        dtype => return Err(Error::unsupported(format!("a search in {dtype}"))),
    };
    let (sorted, keys) = (dense_as(sorted, dtype)?, dense_as(keys, dtype)?);
    if dtype == DType::I64 { searched::<i64>(&sorted, &keys, side) } else { searched::<f64>(&sorted, &keys, side) }
}

/// The elements, dense in row-major order and in a type.
pub(crate) fn dense_as(x: &Array, dtype: DType) -> Result<Array> {
    if x.dtype() == dtype && x.is_c_contiguous() { Ok(x.clone()) } else { x.cast_order(dtype, Order::C) }
}

fn searched<T: SearchKey>(sorted: &Array, keys: &Array, side: Side) -> Result<Array> {
    let size = keys.size() * size_of::<i64>();
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let (table, wanted) = (gate.read_stable(sorted)?, gate.read_stable(keys)?);
    let storage = gate.create(size, |_, to| {
        // SAFETY: both are of this type and stay as they are while the runtime is locked.
        let (table, wanted) = unsafe { (table.elements::<T>(), wanted.elements::<T>()) };
        let to = to.expose_provenance();
        let nanoseconds = (table.len() + 2).ilog2() as f64 * STEP_NS;
        run_over(size, || {
            in_parts(wanted.len(), nanoseconds, |start, end| {
                // SAFETY: the new storage has a number for each key, and parts do not overlap.
                let found = unsafe {
                    let to = std::ptr::with_exposed_provenance_mut::<i64>(to).add(start);
                    std::slice::from_raw_parts_mut(to, end - start)
                };
                for (keys, found) in wanted[start..end].chunks(GROUP).zip(found.chunks_mut(GROUP)) {
                    let mut group = [T::default(); GROUP];
                    group[..keys.len()].copy_from_slice(keys);
                    let at = match side {
                        Side::Left => positions(table, group, T::is_less),
                        Side::Right => positions(table, group, |element, key| !key.is_less(element)),
                    };
                    found.iter_mut().zip(at).for_each(|(found, at)| *found = at as i64);
                }
            });
        });
        Ok(())
    })?;
    let layout = Layout { shape: keys.shape().into(), strides: c_strides(keys.shape(), 8), offset: 0 };
    Ok(Array { storage, layout, dtype: DType::I64, writeable: true })
}

/// For each key the number of elements that are before it, which are the first ones.
#[inline(always)]
fn positions<T: SearchKey>(table: &[T], keys: [T; GROUP], is_before: impl Fn(T, T) -> bool) -> [usize; GROUP] {
    let mut at = [0; GROUP];
    if table.is_empty() {
        return at;
    }
    let mut length = table.len();
    while length > 1 {
        let half = length / 2;
        for (at, &key) in at.iter_mut().zip(&keys) {
            // SAFETY: `at + length` is at most the table's length.
            let element = unsafe { *table.get_unchecked(*at + half - 1) };
            *at += if is_before(element, key) { half } else { 0 };
        }
        length -= half;
    }
    for (at, &key) in at.iter_mut().zip(&keys) {
        // SAFETY: as above, and the length is one.
        let element = unsafe { *table.get_unchecked(*at) };
        *at += usize::from(is_before(element, key));
    }
    at
}

/// Runs work on parts of a range, on several threads if it takes so many nanoseconds for each element.
fn in_parts(n: usize, nanoseconds: f64, work: impl Fn(usize, usize) + Sync) {
    let tasks = Threads.tasks(n as f64 * nanoseconds).clamp(1, n.max(1));
    let each = n.div_ceil(tasks).next_multiple_of(GROUP);
    Threads.run(n.div_ceil(each.max(1)), &|task| work(task * each, n.min((task + 1) * each)));
}

/// Linear interpolation at `x` between points, whose coordinates increase: outside them `left` and `right`, or the nearest one's value.
/// Arrays are taken as `float64`; the points have one axis.
///
/// # Errors
/// `Unsupported` for complex numbers, and for points that are none or of another shape; `MemoryError`.
///
/// ```
/// use fastnp::{Array, interpolate};
/// let points = (&Array::from(vec![0.0, 2.0]), &Array::from(vec![1.0, 5.0]));
/// let y = interpolate(&Array::from(vec![0.5, 3.0]), points, (None, None))?;
/// assert_eq!(y.to_vec::<f64>()?, [2.0, 5.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn interpolate(
    x: &Array,
    (coordinates, values): (&Array, &Array),
    (left, right): (Option<f64>, Option<f64>),
) -> Result<Array> {
    let is_complex = [x, coordinates, values].iter().any(|a| a.dtype().is_complex());
    if is_complex || coordinates.ndim() != 1 || coordinates.shape() != values.shape() || coordinates.size() == 0 {
        return Err(Error::unsupported("an interpolation of such points"));
    }
    let (x, coordinates, values) =
        (dense_as(x, DType::F64)?, dense_as(coordinates, DType::F64)?, dense_as(values, DType::F64)?);
    let size = x.size() * size_of::<f64>();
    let mut runtime = runtime();
    let mut gate = Eager::unlimited(&mut runtime);
    let (xs, at, of) = (gate.read_stable(&x)?, gate.read_stable(&coordinates)?, gate.read_stable(&values)?);
    let storage = gate.create(size, |_, to| {
        // SAFETY: all are of this type and stay as they are while the runtime is locked.
        let (xs, at, of) = unsafe { (xs.elements::<f64>(), at.elements::<f64>(), of.elements::<f64>()) };
        let ends = (left.unwrap_or(of[0]), right.unwrap_or(of[of.len() - 1]));
        let nanoseconds = at.len().ilog2() as f64 * STEP_NS + INTERPOLATION_NS;
        let to = to.expose_provenance();
        run_over(size, || {
            in_parts(xs.len(), nanoseconds, |start, end| {
                // SAFETY: the new storage has a number for each of `x`, and parts do not overlap.
                let found = unsafe {
                    let to = std::ptr::with_exposed_provenance_mut::<f64>(to).add(start);
                    std::slice::from_raw_parts_mut(to, end - start)
                };
                for (xs, found) in xs[start..end].chunks(GROUP).zip(found.chunks_mut(GROUP)) {
                    let mut group = [0.0; GROUP];
                    group[..xs.len()].copy_from_slice(xs);
                    let after = positions(at, group, |coordinate, x| coordinate <= x);
                    for ((found, &x), after) in found.iter_mut().zip(xs).zip(after) {
                        *found = between((at, of), x, after, ends);
                    }
                }
            });
        });
        Ok(())
    })?;
    let layout = Layout { shape: x.shape().into(), strides: c_strides(x.shape(), 8), offset: 0 };
    Ok(Array { storage, layout, dtype: DType::F64, writeable: true })
}

/// The value at `x`, with so many points at or before it. As NumPy computes it, from the left point unless that gives nan.
#[inline(always)]
fn between((at, of): (&[f64], &[f64]), x: f64, after: usize, (left, right): (f64, f64)) -> f64 {
    let last = at.len() - 1;
    if x.is_nan() {
        // NumPy compares with a point by itself.
        return if last == 0 { of[0] } else { x };
    }
    if after == 0 {
        return left;
    }
    let j = after - 1;
    if j == last {
        return if x > at[last] { right } else { of[last] };
    }
    if at[j] == x {
        return of[j];
    }
    let slope = (of[j + 1] - of[j]) / (at[j + 1] - at[j]);
    let mut y = slope * (x - at[j]) + of[j];
    if y.is_nan() {
        y = slope * (x - at[j + 1]) + of[j + 1];
        if y.is_nan() && of[j] == of[j + 1] {
            y = of[j];
        }
    }
    y
}
