//! Functions of the module that make arrays of a shape.

use crate::arg::Arg;
use crate::contents::Open;
use crate::dtype::{Asked, asked};
use crate::methods::order_of;
use crate::ndarray::{NdArray, object};
use crate::{deliver, fallback};
use fastnp::{Array, DType, Order, Scalar, Shape, Value, result_type};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyInt, PyString, PyTuple};
use pyo3::{Borrowed, ffi};
use smallvec::SmallVec;
use std::convert::Infallible;

/// NumPy's function of a name on these arguments, through the fallback.
pub(crate) fn numpy<'py>(
    py: Python<'py>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("numpy")?.getattr(name)?;
    let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
    // Another class may make the array.
    let run = if kwargs.contains("like")? { "call" } else { "uncounted" };
    fallback(py, run)?.call1((function, args, kwargs))
}

/// An argument that may not be there, which is not the same as `None`.
#[derive(Default)]
struct Given<'py>(Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = Infallible;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> Result<Given<'py>, Infallible> {
        Ok(Given(Some(object.to_owned())))
    }
}

/// A call by up to `P` positions and `N` names, as Python makes it: no tuple and no dictionary, which take as long as a small
/// array does (`arange(10, dtype=t)`: 0.40 of NumPy's speed with them).
struct Call<'a, 'py, const P: usize, const N: usize> {
    positions: [Given<'py>; P],
    named: [(&'static str, Given<'py>); N],
    /// What else there is. (No keywords: a function that takes any is always given a dictionary.)
    rest: &'a Bound<'py, PyTuple>,
}

impl<'py, const P: usize, const N: usize> Call<'_, 'py, P, N> {
    /// Whether there is nothing else, but for these of the names.
    fn is_plain(&self, names: usize) -> bool {
        self.rest.is_empty() && self.named[names..].iter().all(|(_, value)| value.0.is_none())
    }

    /// What is given at a position.
    fn at(&self, position: usize) -> Option<&Bound<'py, PyAny>> {
        self.positions[position].0.as_ref()
    }

    /// What is given by name.
    fn by_name(&self, name: usize) -> Option<&Bound<'py, PyAny>> {
        self.named[name].1.0.as_ref()
    }

    /// NumPy's function of a name on these arguments.
    fn numpy(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let py = self.rest.py();
        let positions = self.positions.iter().filter_map(|p| p.0.clone());
        let args = PyTuple::new(py, positions.chain(self.rest.iter()).collect::<Vec<_>>())?;
        let kwargs = PyDict::new(py);
        for (name, value) in &self.named {
            if let Some(value) = &value.0 {
                kwargs.set_item(name, value)?;
            }
        }
        numpy(py, name, &args, Some(&kwargs))
    }
}

/// A shape as creation functions take it; none where it is something NumPy should judge.
pub(crate) fn shape_of(shape: &Bound<'_, PyAny>) -> Option<Shape> {
    if shape.is_exact_instance_of::<PyInt>() {
        // SAFETY: the object is exactly an int; what is none of a shape is reported as an error, or less than nothing.
        let n = unsafe { ffi::PyLong_AsSsize_t(shape.as_ptr()) };
        if let Ok(n) = usize::try_from(n) {
            return Some(SmallVec::from_iter([n]));
        }
        drop(PyErr::take(shape.py()));
        return None;
    }
    // A failed conversion makes an exception first, which costs more than the array.
    if let Ok(tuple) = shape.cast::<PyTuple>() {
        return tuple.iter_borrowed().map(|n| n.extract::<usize>().ok()).collect();
    }
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
pub(crate) fn arguments<'py, const N: usize>(
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
        let name = name.cast::<PyString>()?.to_str()?;
        match names.iter().position(|n| *n == name) {
            Some(i) if out[i].is_none() => out[i] = Some(value),
            _ => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// `order=` as it is given; none where NumPy has to judge it.
fn order_argument(order: Option<&Bound<'_, PyAny>>, default: Order) -> Option<Order> {
    match order.filter(|o| !o.is_none()) {
        None => Some(default),
        Some(order) => order_of(Some(order.extract::<&str>().ok()?), default),
    }
}

fn filled<'py>(
    py: Python<'py>,
    name: &str,
    call: &Call<'_, 'py, 3, 5>,
    value: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    // What is given twice is NumPy's to complain about.
    let twice = (0..3).any(|i| call.at(i).is_some() && call.by_name(i).is_some());
    let given = |i| call.at(i).or(call.by_name(i));
    if call.is_plain(3)
        && !twice
        && let Some(shape) = given(0)
        && let (Some(shape), Some(dtype)) = (shape_of(shape), type_of(given(1), DType::F64)?)
        && shape.len() <= fastnp::MAX_DIMS
        && let Some(order) = order_argument(given(2), Order::C)
    {
        let made = match value {
            Some(value) => Array::full(&shape, Scalar::new(dtype, value), order),
            None => Array::empty(&shape, dtype, order),
        };
        if let Ok(array) = made {
            return object(py, array);
        }
    }
    call.numpy(name)
}

macro_rules! creation {
    ($($name:ident $like:ident $value:expr, $text:tt;)*) => {$(
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        #[pyfunction]
        #[pyo3(
            signature = (a = Given(None), b = Given(None), c = Given(None), /, *rest,
                shape = Given(None), dtype = Given(None), order = Given(None), device = Given(None), like = Given(None)),
            text_signature = "(shape, dtype=None, order='C', *, device=None, like=None)"
        )]
        #[allow(clippy::too_many_arguments, reason = "Python's")]
        fn $name<'py>(
            py: Python<'py>,
            a: Given<'py>,
            b: Given<'py>,
            c: Given<'py>,
            rest: &Bound<'py, PyTuple>,
            shape: Given<'py>,
            dtype: Given<'py>,
            order: Given<'py>,
            device: Given<'py>,
            like: Given<'py>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let named = [("shape", shape), ("dtype", dtype), ("order", order), ("device", device), ("like", like)];
            filled(py, stringify!($name), &Call { positions: [a, b, c], named, rest }, $value)
        }

        #[doc = concat!("NumPy's `", stringify!($like), "`.")]
        #[pyfunction]
        #[pyo3(signature = (*args, **kwargs), text_signature = $text)]
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
    empty empty_like None, "(prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None)";
    zeros zeros_like Some(0), "(a, dtype=None, order='K', subok=True, shape=None, *, device=None)";
    ones ones_like Some(1), "(a, dtype=None, order='K', subok=True, shape=None, *, device=None)";
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
        && let Some(dtype) = type_of(dtype.as_ref(), a.open().array(py)?.dtype())?
        && let Some(order) = order_argument(order.as_ref(), Order::K)
    {
        let a = a.open();
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
        && let Some(order) = order_argument(order.as_ref(), Order::C)
        && let Ok(array) = Array::empty(&shape, dtype, order)
        && array.assign(number).is_ok()
    {
        return object(py, array);
    }
    numpy(py, "full", args, kwargs)
}

/// NumPy's `full_like`.
#[pyfunction]
#[pyo3(
    signature = (*args, **kwargs),
    text_signature = "(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None)"
)]
fn full_like<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(a), Some(value), dtype, order]) = arguments(["a", "fill_value", "dtype", "order"], args, kwargs)?
        && let (Ok(a), Arg::Number(number)) = (a.cast_exact::<NdArray>(), crate::arg::quick(&value)?)
    {
        let a = a.open();
        let a = a.array(py)?;
        if let Some(dtype) = type_of(dtype.as_ref(), a.dtype())?
            && (dtype.is_complex() || !matches!(number, Value::Complex(_)))
            && let Some(order) = order_argument(order.as_ref(), Order::K)
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
#[pyo3(
    signature = (a = Given(None), b = Given(None), c = Given(None), /, *rest, dtype = Given(None), start = Given(None),
        stop = Given(None), step = Given(None), device = Given(None), like = Given(None)),
    text_signature = "(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None)"
)]
#[allow(clippy::too_many_arguments, reason = "Python's")]
fn arange<'py>(
    py: Python<'py>,
    a: Given<'py>,
    b: Given<'py>,
    c: Given<'py>,
    rest: &Bound<'py, PyTuple>,
    dtype: Given<'py>,
    start: Given<'py>,
    stop: Given<'py>,
    step: Given<'py>,
    device: Given<'py>,
    like: Given<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let named =
        [("dtype", dtype), ("start", start), ("stop", stop), ("step", step), ("device", device), ("like", like)];
    let call = Call { positions: [a, b, c], named, rest };
    // Integers and the common float form; the length of anything else is NumPy's to work out.
    let args: SmallVec<[&Bound<'_, PyAny>; 3]> = (0..3).filter_map(|i| call.at(i)).collect();
    if call.is_plain(1)
        && !args.is_empty()
        && args.iter().all(|a| a.is_exact_instance_of::<PyInt>() || a.is_exact_instance_of::<PyFloat>())
        && let Some(array) = ramp(&args, call.by_name(0))?
    {
        return object(py, array);
    }
    call.numpy("arange")
}

fn ramp(args: &[&Bound<'_, PyAny>], dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Array>> {
    let whole = args.iter().all(|a| a.is_exact_instance_of::<PyInt>());
    let Some(dtype) = type_of(dtype, if whole { DType::I64 } else { DType::F64 })? else { return Ok(None) };
    if whole && dtype != DType::Bool && dtype != DType::F16 && !dtype.is_complex() {
        let read = |i: usize| args[i].extract::<i64>().ok();
        let parts = match args.len() {
            1 => (Some(0), read(0), Some(1)),
            2 => (read(0), read(1), Some(1)),
            _ => (read(0), read(1), read(2)),
        };
        let (Some(start), Some(stop), Some(step)) = parts else { return Ok(None) };
        if step == 0 {
            return Ok(None);
        }
        let span = stop as i128 - start as i128;
        // A division of 128 bits takes as long as making the array object.
        let n = if step == 1 { span } else { (span + step as i128 - step.signum() as i128) / step as i128 };
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
    let read = |i: usize| args[i].extract::<f64>();
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

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! functions {
        ($($name:ident)*) => { $(module.add_function(wrap_pyfunction!($name, module)?)?;)* };
    }
    functions! { empty empty_like zeros zeros_like ones ones_like full_ full_like arange }
    Ok(())
}
