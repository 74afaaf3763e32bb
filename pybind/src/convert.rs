//! Functions of the module that make arrays of what is given: `array`, `asarray` and their kin.

use crate::arg::{Arg, quick};
use crate::contents::Open;
use crate::create::numpy;
use crate::ndarray::{NdArray, object};
use crate::{deliver, dtype};
use fastnp::{Array, Order, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyList, PyTuple};

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
            object(py, deliver(py, array.open().array(py)?.copy(Order::K))?)
        } else {
            Ok(array.as_any().clone())
        };
    }
    if args.len() == 1
        && let Some(array) = listed(&args.get_item(0)?, kwargs)?
    {
        return object(py, array);
    }
    numpy(py, name, args, kwargs)
}

/// An array of a list of numbers, with no argument but perhaps a native dtype; none where the long way has to be gone.
fn listed(value: &Bound<'_, PyAny>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Array>> {
    let py = value.py();
    let types = dtype::types(py)?;
    let dtype = match kwargs {
        None => None,
        Some(k) if k.is_empty() => None,
        Some(k) if k.len() == 1 => k.get_item("dtype")?,
        Some(_) => return Ok(None),
    };
    if kwargs.is_some_and(|k| !k.is_empty()) && dtype.is_none() {
        return Ok(None);
    }
    if dtype.is_none()
        && let Ok(list) = value.cast_exact::<PyList>()
        && let Some(array) = flat_list(list)?
    {
        return Ok(Some(array));
    }
    // Where the first innermost item is a number nearly always all are; NumPy reads whatever comes after it.
    let mut item = value.clone();
    for _ in 0..=fastnp::MAX_DIMS {
        let Ok(list) = item.cast_exact::<PyList>() else { break };
        match list.get_item(0) {
            Ok(first) => item = first,
            Err(_) => return Ok(None),
        }
    }
    let number = item.is_exact_instance_of::<PyFloat>()
        || item.is_exact_instance_of::<PyInt>()
        || item.is_exact_instance_of::<PyBool>()
        || item.is_exact_instance_of::<PyComplex>();
    if !number || item.is(value) {
        return Ok(None);
    }
    let made = match dtype {
        None => types.as_array(value)?,
        Some(dtype) => types.as_array_of(value, &dtype)?,
    };
    if dtype::of_descriptor(&made.getattr("dtype")?)?.is_none() {
        return Ok(None);
    }
    crate::foreign::from_numpy(&made).map(Some)
}

/// An array of a list that holds nothing but floats, or nothing but integers that fit.
fn flat_list(list: &Bound<'_, PyList>) -> PyResult<Option<Array>> {
    let Ok(first) = list.get_item(0) else { return Ok(None) };
    if first.is_exact_instance_of::<PyFloat>() {
        let mut values: Vec<f64> = Vec::with_capacity(list.len());
        for item in list {
            match item.cast_exact::<PyFloat>() {
                Ok(x) => values.push(x.value()),
                Err(_) => return Ok(None),
            }
        }
        return Ok(Array::from_slice(&values, &[values.len()]).ok());
    }
    if !first.is_exact_instance_of::<PyInt>() {
        return Ok(None);
    }
    let mut values: Vec<i64> = Vec::with_capacity(list.len());
    for item in list {
        match quick(&item)? {
            Arg::Number(Value::Int(i)) => values.push(i),
            _ => return Ok(None),
        }
    }
    Ok(Array::from_slice(&values, &[values.len()]).ok())
}

macro_rules! conversions {
    ($($name:ident $copies:expr;)*) => {$(
        #[doc = concat!("NumPy's `", stringify!($name), "`.")]
        #[pyfunction]
        #[pyo3(signature = (*args, **kwargs), text_signature = "(a, order='K', subok=False)")] // of `copy`; the others take NumPy's
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
        let me = object_.open();
        let array = me.array(py)?;
        if array.ndim() > 0 {
            let already = if order == Order::C { array.is_c_contiguous() } else { array.is_f_contiguous() };
            return if already { Ok(object_.as_any().clone()) } else { object(py, deliver(py, array.copy(order))?) };
        }
    }
    numpy(py, name, args, kwargs)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! functions {
        ($($name:ident)*) => { $(module.add_function(wrap_pyfunction!($name, module)?)?;)* };
    }
    functions! { array copy asarray asanyarray ascontiguousarray asfortranarray }
    Ok(())
}
