//! Positions in sorted arrays (`searchsorted`), and linear interpolation between points (`interp`). They run when they are called.
//!
//! [`fastnp_codegen::host::sorted_search`] has the loops.

use crate::array::array::Array;
use crate::array::layout::{Index, Layout, Order, c_strides};
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::host::threads::Threads;
use crate::ops::elementwise::apply;
use crate::ops::promote::promote_types;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use fastnp_codegen::host::sorted_search::{self, SearchKey};
use fastnp_codegen::{DType, Op, ThreadPool};

/// Threads search multiples of so many keys.
const GROUP: usize = 16;
/// Keys whose positions are found before the values between the points there are computed.
const BLOCK: usize = 256;
/// Nanoseconds of a step of a search.
const STEP_NS: f64 = 0.8;
/// Nanoseconds of an interpolation besides its search.
const INTERPOLATION_NS: f64 = 4.0;

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
    let dtype = key_type(sorted, keys)?;
    let (sorted, keys) = (dense_as(sorted, dtype)?, dense_as(keys, dtype)?);
    if dtype == DType::I64 { searched::<i64>(&sorted, &keys, side) } else { searched::<f64>(&sorted, &keys, side) }
}

/// Which of the positions between equal elements is found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Before them.
    Left,
    /// After them.
    Right,
}

/// The type that keys are searched in.
fn key_type(sorted: &Array, keys: &Array) -> Result<DType> {
    match promote_types(sorted.dtype(), keys.dtype()) {
        DType::U64 | DType::F16 => Err(Error::unsupported("a search in uint64 or float16")),
        dtype if dtype.is_integer() || dtype == DType::Bool => Ok(DType::I64),
        DType::F32 | DType::F64 => Ok(DType::F64),
        dtype => Err(Error::unsupported(format!("a search in {dtype}"))),
    }
}

/// For each element of `x` the bin that it is in, as `int64`: of `edges` that increase, the number of edges at or below it; of edges that
/// decrease, the number above it. An edge itself is in the bin before it if bins include their `right` end.
///
/// # Errors
/// `Unsupported` as for [`search_sorted`], and for edges that neither increase nor decrease; `MemoryError`.
///
/// ```
/// use fastnp::{Array, digitize};
/// let bins = digitize(&Array::from(vec![0.5, 1.0, 3.0]), &Array::from(vec![1.0, 2.0]), false)?;
/// assert_eq!(bins.to_vec::<i64>()?, [0, 1, 2]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn digitize(x: &Array, edges: &Array, right: bool) -> Result<Array> {
    if edges.ndim() != 1 {
        return Err(Error::unsupported("edges of other than one axis"));
    }
    let dtype = key_type(edges, x)?;
    let edges = dense_as(edges, dtype)?;
    let side = if right { Side::Left } else { Side::Right };
    let (rises, falls) = if dtype == DType::I64 { directions::<i64>(&edges)? } else { directions::<f64>(&edges)? };
    if rises {
        return search_sorted(&edges, x, side);
    }
    if !falls {
        return Err(Error::unsupported("edges that neither increase nor decrease"));
    }
    let reversed = edges.index(&[Index::Range(None, None, -1)])?;
    let above = search_sorted(&reversed, x, side)?;
    apply(Op::Subtract, &[Value::Int(edges.size() as i64), Value::Array(&above)])
}

/// Whether numbers nowhere fall, and whether they nowhere rise. Next to nan they do neither.
fn directions<T: PartialOrd>(x: &Array) -> Result<(bool, bool)> {
    let mut runtime = runtime();
    let x = Eager::unlimited(&mut runtime).read_stable(x)?;
    // SAFETY: the array is of this type and stays as it is while the runtime is locked.
    let pairs = unsafe { x.elements::<T>() }.windows(2);
    Ok((pairs.clone().all(|pair| pair[0] <= pair[1]), pairs.clone().all(|pair| pair[0] >= pair[1])))
}

/// The elements, dense in row-major order and in a type.
pub(crate) fn dense_as(x: &Array, dtype: DType) -> Result<Array> {
    if x.dtype() == dtype && x.is_c_contiguous() { Ok(x.clone()) } else { x.cast_order(dtype, Order::C) }
}

fn searched<T: SearchKey + Send + Sync>(sorted: &Array, keys: &Array, side: Side) -> Result<Array> {
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
                match side {
                    Side::Left => sorted_search::search_sorted::<T, false>(table, &wanted[start..end], found),
                    Side::Right => sorted_search::search_sorted::<T, true>(table, &wanted[start..end], found),
                }
            });
        });
        Ok(())
    })?;
    let layout = Layout { shape: keys.shape().into(), strides: c_strides(keys.shape(), 8), offset: 0 };
    Ok(Array { storage, layout, dtype: DType::I64, writeable: true })
}

/// Runs work on parts of a range, on several threads if it takes so many nanoseconds for each element.
pub(crate) fn in_parts(n: usize, nanoseconds: f64, work: impl Fn(usize, usize) + Sync) {
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
                let mut after = [0; BLOCK];
                for (xs, found) in xs[start..end].chunks(BLOCK).zip(found.chunks_mut(BLOCK)) {
                    sorted_search::search_sorted::<f64, true>(at, xs, &mut after);
                    for ((found, &x), &after) in found.iter_mut().zip(xs).zip(&after) {
                        *found = between((at, of), x, after as usize, ends);
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
