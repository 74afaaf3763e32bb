//! The reductions of arrays: NumPy's arguments, the engine's folds.

use crate::call::wrap;
use crate::contents::Open;
use crate::methods::{axes_of, native};
use crate::ndarray::{NdArray, numpy_error, numpy_method};
use fastnp::{DType, Op, Reduction};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
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
    for (value, name) in args.iter_borrowed().zip(positions) {
        if !out.read(name, &value)? {
            return Ok(None);
        }
    }
    for (name, value) in kwargs.into_iter().flat_map(|k| k.iter()) {
        if !out.read(name.cast::<PyString>()?.to_str()?, &value)? {
            return Ok(None);
        }
    }
    Ok(Some(out))
}

impl Reduce {
    /// Takes one argument; false where it is not native.
    fn read(&mut self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        match name {
            "axis" => match axes_of(Some(value)) {
                Ok(axes) => self.axes = axes,
                Err(_) => return Ok(false),
            },
            "dtype" => match native(Some(value))? {
                Some(dtype) => self.dtype = dtype,
                None => return Ok(false),
            },
            "keepdims" => self.keepdims = value.is_truthy()?,
            "ddof" => match value.extract() {
                Ok(ddof) => self.ddof = ddof,
                Err(_) => return Ok(false),
            },
            "out" => return Ok(value.is_none()),
            _ => return Ok(false),
        }
        Ok(true)
    }
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
    if let Some(asked) = reduce_arguments(positions, args, kwargs)? {
        let me = this.open();
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
    if let Some(asked) = reduce_arguments(&["axis", "dtype", "out"], args, kwargs)?
        && asked.axes.as_ref().is_none_or(|a| a.len() == 1)
    {
        let axis = asked.axes.as_ref().map(|a| a[0]);
        match this.open().array(py)?.scan(op, axis, asked.dtype) {
            Ok(result) => return crate::ndarray::object(py, crate::deliver(py, Ok(result))?),
            Err(error) => return numpy_error(this, name, args, kwargs, error),
        }
    }
    numpy_method(this, name, args, kwargs)
}

#[pymethods]
impl NdArray {
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None, **kwargs)"
    )]
    fn sum<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "sum", &["axis", "dtype", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None, **kwargs)"
    )]
    fn prod<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "prod", &["axis", "dtype", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, out=None, **kwargs)"
    )]
    fn min<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "min", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, out=None, **kwargs)"
    )]
    fn max<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "max", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, out=None, keepdims=False, *, where=True)"
    )]
    fn any<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "any", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, out=None, keepdims=False, *, where=True)"
    )]
    fn all<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "all", &["axis", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, out=None, *, keepdims=False)"
    )]
    fn argmin<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "argmin", &["axis", "out"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, out=None, *, keepdims=False)"
    )]
    fn argmax<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "argmax", &["axis", "out"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None, **kwargs)"
    )]
    fn mean<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        reduce(this, "mean", &["axis", "dtype", "out", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None, ddof=0, **kwargs)"
    )]
    fn var<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "var", &["axis", "dtype", "out", "ddof", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None, ddof=0, **kwargs)"
    )]
    fn std<'py>(this: &Bound<'py, Self>, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> PyResult<Object<'py>> {
        reduce(this, "std", &["axis", "dtype", "out", "ddof", "keepdims"], args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None)"
    )]
    fn cumsum<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        scan(this, "cumsum", Op::Add, args, kwargs)
    }

    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "($self, /, axis=None, dtype=None, out=None)"
    )]
    fn cumprod<'py>(
        this: &Bound<'py, Self>,
        args: &Args<'py>,
        kwargs: Option<Keywords<'_, 'py>>,
    ) -> PyResult<Object<'py>> {
        scan(this, "cumprod", Op::Multiply, args, kwargs)
    }
}
