//! Functions that sort, in their most common form ([`crate::call::common_calls`]): few elements, of arrays of ours, of NumPy's, or of lists.
//!
//! NumPy's sorts are not stable as a rule, and their order of equal elements is its own. So a function that shows it, as `argsort` does, is left to
//! NumPy where elements are equal.

use crate::call::common_arguments::{done, integer, of_one, ours};
use crate::call::number_list::of_numbers;
use crate::call::ufunc_call::wrap;
use crate::fallback::function::CommonCall;
use crate::fallback::run::Call;
use crate::interop::numpy_memory::copy_of;
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fallback::NOT_NATIVE;
use crate::interpreter::fastcall::Arguments;
use crate::interpreter::sequence_items::Items;
use crate::object::construct::new_object;
use fastnp::{Array, Order};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// The common call of a function that sorts.
pub(crate) fn common_call(name: &str) -> Option<CommonCall> {
    Some(match name {
        "argsort" => argsort,
        "lexsort" => lexsort,
        "partition" => partition,
        "sort" => sort,
        "union1d" => union,
        "unique" => unique,
        _ => return None,
    })
}

/// The most elements that are sorted here where NumPy's quicksort is asked for: 32 doubles take .7 µs, in NumPy 1.2; 64 take 1.4 in both.
const MAX_SORTED: usize = 32;

/// How a call of `sort` or `argsort` sorts: with `kind=` and `stable=`, along the last axis.
struct SortCall<'a, 'py> {
    a: &'a Bound<'py, PyAny>,
    is_stable: bool,
}

impl<'a, 'py> SortCall<'a, 'py> {
    /// `None` for other arguments.
    fn read(call: &'a Arguments<'_, 'py>) -> PyResult<Option<SortCall<'a, 'py>>> {
        if let Some(a) = call.sole() {
            return Ok(Some(SortCall { a, is_stable: false }));
        }
        let Some([Some(a), axis, kind, order, stable]) = call.read(["a", "axis", "kind", "order", "stable"])? else {
            return Ok(None);
        };
        let is_last = axis.is_none_or(|axis| integer(axis) == Some(-1));
        let is_stable = stable.filter(|stable| !stable.is_none()).map(|stable| stable.is_truthy()).transpose()?;
        let kind = kind.filter(|kind| !kind.is_none());
        let Some(kind) = kind.map_or(Some(""), |kind| kind.cast_exact::<PyString>().ok()?.to_str().ok()) else {
            return Ok(None);
        };
        let is_stable = match (kind, is_stable) {
            ("", is_stable) => is_stable.unwrap_or(false),
            ("stable" | "mergesort", None) => true,
            ("heapsort" | "quicksort", None) => false,
            _ => return Ok(None),
        };
        let is_positional = call.positions().len() <= 3 && !call.positions().is_empty();
        let is_known = is_last && order.is_none_or(|order| order.is_none()) && is_positional;
        Ok(is_known.then_some(SortCall { a, is_stable }))
    }
}

/// Calls `run` with the few elements of an array of ours, of NumPy's, or of a list or tuple of numbers; `None` for others.
fn with_few<'py>(
    value: &Bound<'py, PyAny>,
    run: impl FnOnce(&Array) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(me) = ours(value) {
        return match me.dense().filter(|array| array.is_ready_and_few(MAX_SORTED)) {
            Some(array) => run(array),
            None => Ok(None),
        };
    }
    // A type of few bytes may have more elements.
    if let Some(array) = copy_of(value, |bytes| bytes <= MAX_SORTED * size_of::<f64>())? {
        return if array.size() <= MAX_SORTED { run(&array) } else { Ok(None) };
    }
    let Some(items) = Items::of(value) else { return Ok(None) };
    match (items.count <= MAX_SORTED).then(|| of_numbers(value, None)).flatten() {
        Some(array) if array.size() <= MAX_SORTED => run(&array),
        _ => Ok(None),
    }
}

/// `sort(a)` along the last axis: where NumPy's sort is a slower one, and of few elements.
fn sort<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(sort) = SortCall::read(&call)? else { return Ok(None) };
    if ours(sort.a).is_none() {
        return with_few(sort.a, |few| match few.ndim() {
            1 => done(call.py(), fastnp::sorted(few), |sorted| wrap(call.py(), sorted)),
            _ => Ok(None),
        });
    }
    let is_slower = |a: &Array| sort.is_stable || a.dtype().size() == 1;
    let takes = |a: &Array| (a.ndim() == 1 || a.is_c_contiguous()) && (a.size() <= MAX_SORTED || is_slower(a));
    of_one(sort.a, takes, fastnp::sorted)
}

/// `argsort(a)` along the last axis: stable, or of few elements all of which differ.
fn argsort<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(sort) = SortCall::read(&call)? else { return Ok(None) };
    if !sort.is_stable {
        return with_few(sort.a, |few| match fastnp::argsorted_distinct(few) {
            Ok(Some(order)) => wrap(call.py(), order).map(Some),
            _ => Ok(None),
        });
    }
    of_one(sort.a, |a| sort.is_stable && (a.ndim() == 1 || a.is_c_contiguous()), fastnp::argsorted)
}

/// The most elements that are ordered here: 32 by two keys take .8 µs, in NumPy .9; 64 take 1.7 and 1.4.
const MAX_ORDERED: usize = 32;

/// `lexsort((a, b, …))`.
fn lexsort<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([keys], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let Ok(keys) = keys.cast_exact::<PyTuple>() else { return Ok(None) };
    let keys: Vec<_> = keys.iter().collect();
    let Some(opened) = keys.iter().map(ours).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let Some(arrays) = opened.iter().map(|key| key.dense()).collect::<Option<Vec<_>>>() else { return Ok(None) };
    if arrays.iter().any(|key| key.size() > MAX_ORDERED) {
        return Ok(None);
    }
    done(call.py(), fastnp::lexsorted(&arrays), |order| wrap(call.py(), order))
}

/// The most elements of an array that is copied here before NumPy partitions the copy. NumPy copies 100,000 as quickly itself.
const MAX_PARTED: usize = 1 << 14;

/// `partition(a, kth)` along the last axis: NumPy's method on a copy. What NumPy's function does besides is in Python, a third of its time on few
/// elements.
fn partition<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([a, kth], true) = (call.positions(), call.names().is_none()) else { return Ok(None) };
    let py = call.py();
    let Some(me) = ours(a) else { return Ok(None) };
    let is_few = |array: &&Array| array.ndim() > 0 && array.size() <= MAX_PARTED;
    let Some(array) = me.dense().filter(is_few) else { return Ok(None) };
    let copy = new_object(py, to_py_result(py, array.copy(Order::K))?)?;
    let method = dtype::types(py)?.array.bind(py).getattr(intern!(py, "partition"))?;
    let entry = Some((intern!(py, "partition"), intern!(py, NOT_NATIVE)));
    Ok(Call::new(&method, entry).run(&[copy.clone(), kth.clone()], None)?.map(|_| copy))
}

/// `unique(ar)` of few elements.
fn unique<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(a) = call.sole() else { return Ok(None) };
    with_few(a, |few| distinct(call.py(), few))
}

/// `union1d(ar1, ar2)` of few elements.
fn union<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([a, b], true) = (call.positions(), call.names().is_none()) else { return Ok(None) };
    with_few(a, |a| {
        with_few(b, |b| match (a.ndim(), b.ndim()) {
            (1, 1) => match fastnp::concatenate(&[a, b], 0) {
                Ok(all) => distinct(call.py(), &all),
                Err(_) => Ok(None),
            },
            _ => Ok(None),
        })
    })
}

/// The distinct elements in order; `None` if they are NumPy's to find.
fn distinct<'py>(py: Python<'py>, few: &Array) -> PyResult<Option<Bound<'py, PyAny>>> {
    match fastnp::distinct(few) {
        Ok(Some(found)) => wrap(py, found).map(Some),
        _ => Ok(None),
    }
}
