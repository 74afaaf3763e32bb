//! Functions of the module that make arrays, select, multiply matrices and copy.

use crate::arg::{Arg, full};
use crate::call::wrap;
use crate::dtype::{self, Asked, asked};
use crate::methods::order_of;
use crate::ndarray::{NdArray, object};
use crate::{deliver, fallback};
use fastnp::{Array, DType, Order, Scalar, Shape, Value, matmul as product_of, result_type, select};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyTuple};
use smallvec::SmallVec;

/// NumPy's function of a name on these arguments, through the fallback.
fn numpy<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("numpy")?.getattr(name)?;
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    fallback(py, "uncounted")?.call1((function, args, kwargs))
}

/// A shape as creation functions take it; none where it is something NumPy should judge.
fn shape_of(shape: &Bound<'_, PyAny>) -> Option<Shape> {
    if let Ok(n) = shape.extract::<usize>() {
        return Some(SmallVec::from_iter([n]));
    }
    shape.try_iter().ok()?.map(|n| n.ok()?.extract::<usize>().ok()).collect()
}

/// `dtype=` of a creation function: the default, a native type, or none.
fn type_of(dtype: Option<&Bound<'_, PyAny>>, default: DType) -> PyResult<Option<DType>> {
    match dtype.filter(|d| !d.is_none()) {
        None => Ok(Some(default)),
        Some(d) => Ok(match asked(d)? {
            Asked::Native(d) => Some(d),
            Asked::Other => None,
        }),
    }
}

/// Named arguments read by position or keyword; none where there is one of another name.
fn arguments<'py, const N: usize>(
    names: [&str; N],
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<[Option<Bound<'py, PyAny>>; N]>> {
    let mut out = [const { None }; N];
    if args.len() > N {
        return Ok(None);
    }
    for (slot, value) in out.iter_mut().zip(args.iter()) {
        *slot = Some(value);
    }
    for (name, value) in kwargs.into_iter().flat_map(|k| k.iter()) {
        let name = name.extract::<String>()?;
        match names.iter().position(|n| *n == name) {
            Some(i) if out[i].is_none() => out[i] = Some(value),
            _ => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// `order=` as it is given; none where NumPy has to judge it.
fn order_argument(order: &Option<Bound<'_, PyAny>>, default: Order) -> Option<Order> {
    match order.as_ref().filter(|o| !o.is_none()) {
        None => Some(default),
        Some(order) => order_of(Some(order.extract::<&str>().ok()?), default),
    }
}

fn filled<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    value: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(shape), dtype, order]) = arguments(["shape", "dtype", "order"], args, kwargs)?
        && let (Some(shape), Some(dtype)) = (shape_of(&shape), type_of(dtype.as_ref(), DType::F64)?)
        && shape.len() <= fastnp::MAX_DIMS
        && let Some(order) = order_argument(&order, Order::C)
    {
        let made = match value {
            Some(value) => Array::full(&shape, Scalar::new(dtype, value), order),
            None => Array::empty(&shape, dtype, order),
        };
        if let Ok(array) = made {
            return object(py, array);
        }
    }
    numpy(py, name, args, kwargs)
}

macro_rules! creation {
    ($($name:ident $like:ident $value:expr;)*) => {$(
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        #[pyfunction]
        #[pyo3(
            signature = (*args, **kwargs),
            text_signature = "(shape, dtype=None, order='C', *, device=None, like=None)"
        )]
        fn $name<'py>(
            py: Python<'py>,
            args: &Bound<'py, PyTuple>,
            kwargs: Option<&Bound<'py, PyDict>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            filled(py, stringify!($name), args, kwargs, $value)
        }

        #[doc = concat!("NumPy's `", stringify!($like), "`.")]
        #[pyfunction]
        #[pyo3(signature = (*args, **kwargs))]
        fn $like<'py>(
            py: Python<'py>,
            args: &Bound<'py, PyTuple>,
            kwargs: Option<&Bound<'py, PyDict>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            like(py, stringify!($like), args, kwargs, |dtype| $value.map(|v: i64| Scalar::new(dtype, v)))
        }
    )*};
}

creation! {
    empty empty_like None;
    zeros zeros_like Some(0);
    ones ones_like Some(1);
}

fn like<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    value: impl Fn(DType) -> Option<Scalar>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(a), dtype, order]) = arguments([first_name(name), "dtype", "order"], args, kwargs)?
        && let Ok(a) = a.cast_exact::<NdArray>()
        && let Some(dtype) = type_of(dtype.as_ref(), a.borrow().array(py)?.dtype())?
        && let Some(order) = order_argument(&order, Order::K)
    {
        let a = a.borrow();
        let a = a.array(py)?;
        // A dense array nested as `a` is, without its contents.
        let made = deliver(py, a.empty_like(dtype, order))?;
        if let Some(value) = value(dtype) {
            deliver(py, made.assign(value))?;
        }
        return object(py, made);
    }
    numpy(py, name, args, kwargs)
}

fn first_name(name: &str) -> &'static str {
    if name == "empty_like" { "prototype" } else { "a" }
}

/// NumPy's `full`.
#[pyfunction]
#[pyo3(
    name = "full",
    signature = (*args, **kwargs),
    text_signature = "(shape, fill_value, dtype=None, order='C', *, device=None, like=None)"
)]
fn full_<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(shape), Some(value), dtype, order]) =
        arguments(["shape", "fill_value", "dtype", "order"], args, kwargs)?
        && let (Some(shape), Arg::Number(number)) = (shape_of(&shape), crate::arg::quick(&value)?)
        && let Some(dtype) = type_of(dtype.as_ref(), result_type(&[number.arg_type()]))?
        && (dtype.is_complex() || !matches!(number, Value::Complex(_)))
        && let Some(order) = order_argument(&order, Order::C)
    {
        if let Ok(array) = Array::empty(&shape, dtype, order)
            && array.assign(number).is_ok()
        {
            return object(py, array);
        }
    }
    numpy(py, "full", args, kwargs)
}

/// NumPy's `full_like`.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn full_like<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(a), Some(value), dtype, order]) = arguments(["a", "fill_value", "dtype", "order"], args, kwargs)?
        && let (Ok(a), Arg::Number(number)) = (a.cast_exact::<NdArray>(), crate::arg::quick(&value)?)
    {
        let a = a.borrow();
        let a = a.array(py)?;
        if let Some(dtype) = type_of(dtype.as_ref(), a.dtype())?
            && (dtype.is_complex() || !matches!(number, Value::Complex(_)))
            && let Some(order) = order_argument(&order, Order::K)
        {
            let made = deliver(py, a.empty_like(dtype, order))?;
            if made.assign(number).is_ok() {
                return object(py, made);
            }
        }
    }
    numpy(py, "full_like", args, kwargs)
}

/// NumPy's `arange`.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn arange<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    // Integers and the common float form; the length of anything else is NumPy's to work out.
    let dtype = match kwargs {
        None => Some(None),
        Some(k) if k.len() == 1 => k.get_item("dtype")?.map(Some),
        Some(_) => None,
    };
    if let Some(dtype) = dtype
        && (1..=3).contains(&args.len())
        && args.iter().all(|a| a.is_exact_instance_of::<PyInt>() || a.is_exact_instance_of::<PyFloat>())
        && let Some(array) = ramp(args, dtype.as_ref())?
    {
        return object(py, array);
    }
    numpy(py, "arange", args, kwargs)
}

fn ramp(args: &Bound<'_, PyTuple>, dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Array>> {
    let whole = args.iter().all(|a| a.is_exact_instance_of::<PyInt>());
    let Some(dtype) = type_of(dtype, if whole { DType::I64 } else { DType::F64 })? else { return Ok(None) };
    let get = |i: usize| args.get_item(i);
    if whole && dtype != DType::Bool && dtype != DType::F16 && !dtype.is_complex() {
        let read = |i: usize| get(i).and_then(|v| v.extract::<i64>()).ok();
        let parts = match args.len() {
            1 => (Some(0), read(0), Some(1)),
            2 => (read(0), read(1), Some(1)),
            _ => (read(0), read(1), read(2)),
        };
        let (Some(start), Some(stop), Some(step)) = parts else { return Ok(None) };
        if step == 0 {
            return Ok(None);
        }
        let n = (stop as i128 - start as i128 + step as i128 - step.signum() as i128) / step as i128;
        let n = n.max(0) as usize;
        let value = |i: i64| {
            let scalar = Scalar::new(dtype, i);
            (scalar.to_f64() == i as f64).then_some(scalar)
        };
        let (Some(first), Some(step)) = (value(start), value(step)) else { return Ok(None) };
        return Ok(Array::ramp(first, step, n).ok());
    }
    if dtype != DType::F64 || whole {
        return Ok(None);
    }
    let read = |i: usize| get(i).and_then(|v| v.extract::<f64>());
    let (start, stop, step) = match args.len() {
        1 => (0.0, read(0)?, 1.0),
        2 => (read(0)?, read(1)?, 1.0),
        _ => (read(0)?, read(1)?, read(2)?),
    };
    let n = ((stop - start) / step).ceil();
    if !(n.is_finite() && n < 1e15) {
        return Ok(None);
    }
    // NumPy steps by the difference of the first two elements, rounded as they are.
    let delta = (start + step) - start;
    Ok(Array::ramp(Scalar::new(dtype, start), Scalar::new(dtype, delta), n.max(0.0) as usize).ok())
}

/// What `array`, `asarray` and their kin have in common: the object as an array of ours, or as NumPy makes it.
fn converted<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    copies: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if args.len() == 1
        && kwargs.is_none_or(|k| k.is_empty())
        && let Ok(array) = args.get_item(0)?.cast_exact::<NdArray>()
    {
        return if copies {
            object(py, deliver(py, array.borrow().array(py)?.copy(Order::K))?)
        } else {
            Ok(array.as_any().clone())
        };
    }
    numpy(py, name, args, kwargs)
}

macro_rules! conversions {
    ($($name:ident $copies:expr;)*) => {$(
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        #[pyfunction]
        #[pyo3(signature = (*args, **kwargs))]
        fn $name<'py>(
            py: Python<'py>,
            args: &Bound<'py, PyTuple>,
            kwargs: Option<&Bound<'py, PyDict>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            converted(py, stringify!($name), args, kwargs, $copies)
        }
    )*};
}

conversions! {
    array true;
    copy true;
    asarray false;
    asanyarray false;
}

/// NumPy's `ascontiguousarray`.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn ascontiguousarray<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    dense(py, "ascontiguousarray", args, kwargs, Order::C)
}

/// NumPy's `asfortranarray`.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn asfortranarray<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    dense(py, "asfortranarray", args, kwargs, Order::F)
}

fn dense<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    order: Order,
) -> PyResult<Bound<'py, PyAny>> {
    if args.len() == 1
        && kwargs.is_none_or(|k| k.is_empty())
        && let Ok(object_) = args.get_item(0)?.cast_exact::<NdArray>()
    {
        let me = object_.borrow();
        let array = me.array(py)?;
        if array.ndim() > 0 {
            let already = if order == Order::C { array.is_c_contiguous() } else { array.is_f_contiguous() };
            return if already { Ok(object_.as_any().clone()) } else { object(py, deliver(py, array.copy(order))?) };
        }
    }
    numpy(py, name, args, kwargs)
}

/// NumPy's `where` with three arguments.
#[pyfunction(name = "where")]
fn where_<'py>(
    condition: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = condition.py();
    let (c, a, b) = (full(condition)?, full(x)?, full(y)?);
    if let (Some(Value::Array(c)), Some(a), Some(b)) = (c.value(py)?, a.value(py)?, b.value(py)?)
        && let Ok(result) = truth(c).and_then(|c| select(&c, a, b))
    {
        return object(py, deliver(py, Ok(result))?);
    }
    numpy(py, "where", &PyTuple::new(py, [condition, x, y])?, None)
}

/// The array as bool.
fn truth(array: &Array) -> fastnp::Result<Array> {
    if array.dtype() == DType::Bool { Ok(array.clone()) } else { array.cast(DType::Bool) }
}

/// `matmul` or `dot` of two objects.
pub(crate) fn product<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let (x, y) = (full(a)?, full(b)?);
    if let (Some(Value::Array(x)), Some(Value::Array(y))) = (x.value(py)?, y.value(py)?) {
        // Beyond two axes `dot` pairs axes in its own way; with none it multiplies.
        let alike = name == "matmul" || (x.ndim() <= 2 && y.ndim() <= 2 && x.ndim() > 0 && y.ndim() > 0);
        if alike && let Ok(result) = product_of(x, y) {
            return wrap(py, result);
        }
    }
    if name == "matmul" {
        return fallback(py, "ufunc")?.call1((name, "__call__", (a, b), PyDict::new(py)));
    }
    let function = py.import("numpy")?.getattr(name)?;
    fallback(py, "call")?.call1((function, (a, b), PyDict::new(py), name))
}

/// NumPy's `matmul`.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn matmul<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if args.len() == 2 && kwargs.is_none_or(|k| k.is_empty()) {
        return product(&args.get_item(0)?, &args.get_item(1)?, "matmul");
    }
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    fallback(py, "ufunc")?.call1(("matmul", "__call__", args, kwargs))
}

/// NumPy's `dot`.
#[pyfunction]
#[pyo3(signature = (a, b, out=None))]
fn dot<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    match out.filter(|o| !o.is_none()) {
        None => product(a, b, "dot"),
        Some(out) => {
            let function = py.import("numpy")?.getattr("dot")?;
            fallback(py, "call")?.call1((function, (a, b, out), PyDict::new(py), "dot"))
        }
    }
}

/// NumPy's `concatenate`.
#[pyfunction]
#[pyo3(signature = (*args, **kwargs))]
fn concatenate<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(parts), axis, out, dtype, casting]) =
        arguments(["arrays", "axis", "out", "dtype", "casting"], args, kwargs)?
        && out.is_none_or(|o| o.is_none())
        && dtype.is_none_or(|d| d.is_none())
        && casting.is_none_or(|c| c.extract::<String>().is_ok_and(|c| c == "same_kind"))
    {
        let axis = match axis {
            None => Some(0),
            Some(axis) => axis.extract::<isize>().ok(),
        };
        if let Some(axis) = axis
            && few(&parts)?
            && let Ok(iterator) = parts.try_iter()
        {
            let parts = iterator.map(|p| full(&p?)).collect::<PyResult<Vec<_>>>()?;
            let mut arrays: Vec<&Array> = Vec::with_capacity(parts.len());
            for part in &parts {
                if let Some(Value::Array(array)) = part.value(py)? {
                    arrays.push(array);
                }
            }
            if arrays.len() == parts.len()
                && let Ok(joined) = fastnp::concatenate(&arrays, axis)
            {
                return object(py, deliver(py, Ok(joined))?);
            }
        }
    }
    let function = py.import("numpy")?.getattr("concatenate")?;
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    fallback(py, "call")?.call1((function, args, kwargs, "concatenate"))
}

/// Refuses more arrays than NumPy joins, before anyone looks at each.
fn few(parts: &Bound<'_, PyAny>) -> PyResult<bool> {
    match parts.len() {
        Ok(n) if n > i32::MAX as usize => Err(pyo3::exceptions::PyValueError::new_err(format!(
            "concatenate() only supports up to {} arrays but got {n}.",
            i32::MAX
        ))),
        _ => Ok(true),
    }
}

/// NumPy's `copyto`.
#[pyfunction]
#[pyo3(signature = (dst, src, casting="same_kind", r#where=None))]
fn copyto<'py>(
    dst: &Bound<'py, PyAny>,
    src: &Bound<'py, PyAny>,
    casting: &str,
    r#where: Option<&Bound<'py, PyAny>>,
) -> PyResult<()> {
    let py = dst.py();
    let everywhere = r#where.is_none_or(|w| w.is(pyo3::types::PyBool::new(py, true).as_any()));
    if everywhere
        && casting == "same_kind"
        && let Ok(target) = dst.cast::<NdArray>()
        && let Arg::Ours(source) = full(src)?
    {
        let (target, source) = (target.borrow(), source.array(py)?);
        let target = target.array(py)?;
        if fastnp::can_cast(source.dtype(), target.dtype(), fastnp::Casting::SameKind) && target.assign(source).is_ok()
        {
            return deliver(py, Ok(()));
        }
    }
    let function = py.import("numpy")?.getattr("copyto")?;
    let kwargs = PyDict::new(py);
    kwargs.set_item("casting", casting)?;
    if let Some(mask) = r#where {
        kwargs.set_item("where", mask)?;
    }
    fallback(py, "call")?.call1((function, (dst, src), kwargs, "copyto"))?;
    Ok(())
}

/// NumPy's `may_share_memory`, by byte ranges.
#[pyfunction]
#[pyo3(signature = (a, b, /, max_work=None))]
fn may_share_memory<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    max_work: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    shared(a, b, max_work, "may_share_memory")
}

/// NumPy's `shares_memory`, exactly.
#[pyfunction]
#[pyo3(signature = (a, b, /, max_work=None))]
fn shares_memory<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    max_work: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    shared(a, b, max_work, "shares_memory")
}

fn shared<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    max_work: Option<&Bound<'py, PyAny>>,
    name: &str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    if let (Ok(x), Ok(y)) = (a.cast::<NdArray>(), b.cast::<NdArray>()) {
        let (x, y) = (x.borrow(), y.borrow());
        if !x.array(py)?.may_share_memory(y.array(py)?) {
            return Ok(pyo3::types::PyBool::new(py, false).to_owned().into_any());
        }
    }
    let args = PyTuple::new(py, [a, b])?;
    let kwargs = PyDict::new(py);
    if let Some(work) = max_work {
        kwargs.set_item("max_work", work)?;
    }
    numpy(py, name, &args, Some(&kwargs))
}

/// `broadcast_to(x, shape)`: a read-only view of `x` stretched to a shape.
#[pyfunction]
fn broadcast_to<'py>(x: &Bound<'py, NdArray>, shape: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    if let Some(shape) = shape_of(shape)
        && let Ok(view) = x.borrow().array(py)?.broadcast_to(&shape)
    {
        return crate::ndarray::view_of(x, view);
    }
    numpy(py, "broadcast_to", &PyTuple::new(py, [x.as_any(), shape])?, None)
}

/// Whether the engine computes with a `numpy.dtype`.
#[pyfunction]
fn is_native(dtype: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(dtype::of_descriptor(dtype)?.is_some())
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! functions {
        ($($name:ident)*) => { $(module.add_function(wrap_pyfunction!($name, module)?)?;)* };
    }
    functions! {
        empty empty_like zeros zeros_like ones ones_like full_like arange array copy asarray asanyarray
        ascontiguousarray asfortranarray where_ matmul dot concatenate copyto broadcast_to may_share_memory shares_memory is_native
    }
    module.add("full", wrap_pyfunction!(full_, module)?)
}
