//! The reductions of arrays: NumPy's arguments, the engine's folds.

use crate::call::wrap;
use crate::methods::{axes_of, native};
use crate::ndarray::{NdArray, is_exact, numpy_error, numpy_method};
use fastnp::{DType, Op, Reduction};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;

type Object<'py> = Bound<'py, PyAny>;
type Args<'py> = Bound<'py, PyTuple>;
type Keywords<'a, 'py> = &'a Bound<'py, PyDict>;

/// The arguments that reductions share.
struct Reduce {
    axes: Option<SmallVec<[isize; 4]>>,
    dtype: Option<DType>,
    keepdims: bool,
    ddof: f64,
}

/// Reads a reduction's arguments by NumPy's names and positions; none where one of them is not native.
fn reduce_arguments(
    positions: &[&str],
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<Reduce>> {
    let mut out = Reduce { axes: None, dtype: None, keepdims: false, ddof: 0.0 };
    if args.len() > positions.len() {
        return Ok(None);
    }
    let named = kwargs.into_iter().flat_map(|k| k.iter()).map(|(k, v)| Ok::<_, PyErr>((k.extract::<String>()?, v)));
    let given = args.iter().zip(positions).map(|(v, k)| Ok(((*k).to_owned(), v))).chain(named);
    for item in given {
        let (name, value): (String, Bound<'_, PyAny>) = item?;
        match name.as_str() {
            "axis" => match axes_of(Some(&value)) {
                Ok(axes) => out.axes = axes,
                Err(_) => return Ok(None),
            },
            "dtype" => match native(Some(&value))? {
                Some(dtype) => out.dtype = dtype,
                None => return Ok(None),
            },
            "keepdims" => out.keepdims = value.is_truthy()?,
            "ddof" => match value.extract() {
                Ok(ddof) => out.ddof = ddof,
                Err(_) => return Ok(None),
            },
            "out" if value.is_none() => {}
            _ => return Ok(None),
        }
    }
    Ok(Some(out))
}

/// The reductions, by NumPy's names.
fn reduction(name: &str, ddof: f64) -> Reduction {
    match name {
        "sum" => Reduction::Sum,
        "prod" => Reduction::Prod,
        "min" => Reduction::Min,
        "max" => Reduction::Max,
        "any" => Reduction::Any,
        "all" => Reduction::All,
        "argmin" => Reduction::ArgMin,
        "argmax" => Reduction::ArgMax,
        "mean" => Reduction::Mean,
        "var" => Reduction::Var(ddof),
        _ => Reduction::Std(ddof),
    }
}

fn reduce<'py>(
    this: &Bound<'py, NdArray>,
    name: &'static str,
    positions: &[&str],
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if is_exact(this.as_any())
        && let Some(asked) = reduce_arguments(positions, args, kwargs)?
    {
        let me = this.borrow();
        let what = reduction(name, asked.ddof);
        // A dtype for extremes, positions and truth means something else in each; NumPy knows.
        let typed =
            matches!(what, Reduction::Sum | Reduction::Prod | Reduction::Mean | Reduction::Var(_) | Reduction::Std(_));
        let plain = asked.dtype.is_none() && asked.axes.is_none() && !asked.keepdims;
        let result = match me.selection() {
            Some(selection) if plain => Some(selection.reduce(what)),
            _ if asked.dtype.is_some() && !typed => None,
            _ => Some(me.array(py)?.reduce(what, asked.axes.as_deref(), asked.dtype, asked.keepdims)),
        };
        match result {
            Some(Ok(result)) => return wrap(py, result),
            Some(Err(error)) => return numpy_error(this, name, args, kwargs, error),
            None => {}
        }
    }
    numpy_method(this, name, args, kwargs)
}

fn scan<'py>(
    this: &Bound<'py, NdArray>,
    name: &'static str,
    op: Op,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if is_exact(this.as_any())
        && let Some(asked) = reduce_arguments(&["axis", "dtype", "out"], args, kwargs)?
        && asked.axes.as_ref().is_none_or(|a| a.len() == 1)
    {
        let axis = asked.axes.as_ref().map(|a| a[0]);
        match this.borrow().array(py)?.scan(op, axis, asked.dtype) {
            Ok(result) => return crate::ndarray::object(py, crate::deliver(py, Ok(result))?),
            Err(error) => return numpy_error(this, name, args, kwargs, error),
        }
    }
    numpy_method(this, name, args, kwargs)
}

#[pymethods]
impl NdArray {
    #[pyo3(signature = (*args, **kwargs))]
    fn sum<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "sum", &["axis", "dtype", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn prod<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "prod", &["axis", "dtype", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn min<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "min", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn max<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "max", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn any<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "any", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn all<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "all", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn argmin<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "argmin", &["axis", "out"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn argmax<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "argmax", &["axis", "out"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn mean<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "mean", &["axis", "dtype", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn var<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "var", &["axis", "dtype", "out", "ddof", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn std<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "std", &["axis", "dtype", "out", "ddof", "keepdims"], args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn cumsum<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        scan(this, "cumsum", Op::Add, args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn cumprod<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        scan(this, "cumprod", Op::Multiply, args, kwargs)
    }
}
