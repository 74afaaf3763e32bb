//! The reductions of arrays: NumPy's arguments, the engine's folds.

use crate::call::argument::{Arg, full, quick};
use crate::call::dtype;
use crate::call::keywords::{Out, mask_of};
use crate::call::parse::{Arguments, entry, method};
use crate::deliver;
use crate::object::methods::{axes_of, native};
use crate::object::ndarray::{NdArray, numpy_error, numpy_method};
use crate::object::payload::Open;
use crate::object::raw_slots::of_array;
use fastnp::{Array, DType, Error, ErrorKind, Folding, Op, Reduction, Value};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use smallvec::SmallVec;

type Object<'py> = Bound<'py, PyAny>;
type Args<'py> = Bound<'py, PyTuple>;
type Keywords<'a, 'py> = &'a Bound<'py, PyDict>;

/// The arguments that reductions share.
struct Reduce<'py> {
    axes: Option<SmallVec<[isize; 4]>>,
    dtype: Option<DType>,
    keepdims: bool,
    ddof: f64,
    initial: Option<Object<'py>>,
    mask: Option<Array>,
    mean: Option<Object<'py>>,
    out: Out<'py>,
}

/// Reads a reduction's arguments by NumPy's names and positions; none where one of them is not native.
fn reduce_arguments<'py>(
    positions: &[&str],
    args: impl ExactSizeIterator<Item = Object<'py>>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Reduce<'py>>> {
    let mut out = Reduce {
        axes: None,
        dtype: None,
        keepdims: false,
        ddof: 0.0,
        initial: None,
        mask: None,
        mean: None,
        out: Out::New,
    };
    if args.len() > positions.len() {
        return Ok(None);
    }
    for (value, name) in args.zip(positions) {
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

impl<'py> Reduce<'py> {
    /// Takes one argument; false where it is not native.
    fn read(&mut self, name: &str, value: &Bound<'py, PyAny>) -> PyResult<bool> {
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
            "where" => match mask_of(value)? {
                Some(mask) => self.mask = mask,
                None => return Ok(false),
            },
            // None asks for a fold without the identity.
            "initial" if value.is_none() => return Ok(false),
            "initial" => self.initial = Some(value.clone()),
            "mean" => self.mean = Some(value.clone()).filter(|m| !m.is_none()),
            "out" => match Out::read(value)? {
                Some(out) => self.out = out,
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether nothing but the array was given, and perhaps `ddof`.
    fn is_plain(&self) -> bool {
        self.dtype.is_none()
            && self.axes.is_none()
            && !self.keepdims
            && self.initial.is_none()
            && self.mask.is_none()
            && self.mean.is_none()
            && matches!(self.out, Out::New)
    }

    /// Reduces with everything read; none where the first number or the mean is not native.
    fn run(
        &self,
        py: Python<'py>,
        reduce: impl FnOnce(&Folding<'_>) -> fastnp::Result<Array>,
    ) -> PyResult<Option<fastnp::Result<Array>>> {
        let initial = self.initial.as_ref().map(quick).transpose()?;
        let initial = match &initial {
            None => None,
            Some(Arg::Number(number)) => Some(*number),
            Some(Arg::Ours(_) | Arg::Made(_) | Arg::Other) => return Ok(None),
        };
        let mean = self.mean.as_ref().map(full).transpose()?;
        let mean = match mean.as_ref().map(|m| m.value(py)).transpose()? {
            None => None,
            Some(Some(Value::Array(mean))) => Some(mean),
            Some(_) => return Ok(None),
        };
        let target = match &self.out {
            Out::Given(out) => Some(out.open()),
            Out::New | Out::NewArray => None,
        };
        let how = Folding {
            axes: self.axes.as_deref(),
            dtype: self.dtype,
            keepdims: self.keepdims,
            initial,
            mask: self.mask.as_ref(),
            out: target.as_ref().map(|out| out.array(py)).transpose()?,
            mean,
        };
        Ok(Some(reduce(&how)))
    }
}

/// The array a ufunc's method works on, and whether it was one of ours; none where it is no native array.
fn subject<'py>(args: &Args<'py>) -> PyResult<Option<Array>> {
    let py = args.py();
    let Ok(first) = args.get_item(0) else { return Ok(None) };
    let given = full(&first)?;
    Ok(match given.value(py)? {
        Some(Value::Array(array)) => Some(array.clone()),
        _ => None,
    })
}

/// What the engine gave, or the error it found; one of another kind where NumPy has to do it.
type Outcome<'py> = PyResult<fastnp::Result<Object<'py>>>;

/// For NumPy to do.
fn elsewhere<T>() -> fastnp::Result<T> {
    Err(Error::new(ErrorKind::Unsupported, ""))
}

/// `ufunc.reduce`.
pub(crate) fn fold<'py>(op: Op, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> Outcome<'py> {
    let py = args.py();
    let positions = ["axis", "dtype", "out", "keepdims", "initial", "where"];
    let Some(array) = subject(args)? else { return Ok(elsewhere()) };
    let Some(mut asked) = reduce_arguments(&positions, args.iter().skip(1), kwargs)? else { return Ok(elsewhere()) };
    if asked.mean.is_some() || asked.ddof != 0.0 {
        return Ok(elsewhere());
    }
    // The first axis unless told otherwise; an array without axes has none to name.
    if !names_axis(args, kwargs) {
        asked.axes = Some(SmallVec::from_iter([0]));
    }
    if array.ndim() == 0 && asked.axes.as_deref().is_some_and(|axes| matches!(axes, [0 | -1])) {
        asked.axes = None;
    }
    match asked.run(py, |how| array.fold_by(op, how))? {
        Some(Ok(result)) => asked.out.deliver(py, result).map(Ok),
        Some(Err(error)) => refused(py, error),
        None => Ok(elsewhere()),
    }
}

fn names_axis(args: &Args<'_>, kwargs: Option<Keywords<'_, '_>>) -> bool {
    args.len() > 1 || kwargs.is_some_and(|k| k.contains("axis").unwrap_or(false))
}

/// An error that NumPy words, unless memory ran out.
fn refused<'py>(py: Python<'py>, error: Error) -> Outcome<'py> {
    if error.kind().is_final() { Err(crate::call::error::raise(py, error)) } else { Ok(Err(error)) }
}

/// `ufunc.accumulate`.
pub(crate) fn accumulate<'py>(op: Op, args: &Args<'py>, kwargs: Option<Keywords<'_, 'py>>) -> Outcome<'py> {
    let py = args.py();
    let Some(array) = subject(args)? else { return Ok(elsewhere()) };
    let Some(asked) = reduce_arguments(&["axis", "dtype", "out"], args.iter().skip(1), kwargs)? else {
        return Ok(elsewhere());
    };
    let axes = asked.axes.as_deref().unwrap_or(if names_axis(args, kwargs) { &[] } else { &[0] });
    let plain = !asked.keepdims && asked.initial.is_none() && asked.mask.is_none() && asked.mean.is_none();
    match axes {
        &[axis] if plain => run_scan(py, &array, op, Some(axis), &asked),
        _ => Ok(elsewhere()),
    }
}

/// A running fold with what was asked for.
fn run_scan<'py>(py: Python<'py>, array: &Array, op: Op, axis: Option<isize>, asked: &Reduce<'py>) -> Outcome<'py> {
    let target = match &asked.out {
        Out::Given(out) => Some(out.open()),
        Out::New | Out::NewArray => None,
    };
    let out = target.as_ref().map(|out| out.array(py)).transpose()?;
    match array.scan_into(op, axis, asked.dtype, out) {
        Ok(result) => match &asked.out {
            Out::Given(out) => Ok(Ok(out.clone().into_any())),
            Out::New | Out::NewArray => crate::object::ndarray::object(py, crate::deliver(py, Ok(result))?).map(Ok),
        },
        Err(error) => refused(py, error),
    }
}

/// The reduction of one of the names below.
fn reduction(name: &str, ddof: f64) -> Reduction {
    Reduction::from_name(name, ddof).expect("the methods are named as reductions")
}

/// A reduction by NumPy's name, with the names of what it takes by position.
fn reduce<'py>(
    this: &Bound<'py, NdArray>,
    name: &'static str,
    positions: &[&str],
    call: Arguments<'_, 'py>,
) -> PyResult<Object<'py>> {
    let py = this.py();
    if call.is_empty() {
        // Nothing to read, which takes as long as NumPy takes for `a.argmax()` on ten elements.
        let me = this.open();
        if let Some(array) = me.dense()
            && let Some(value) = deliver(py, array.reduce_now(reduction(name, 0.0)))?
        {
            return dtype::to_scalar(py, value);
        }
    }
    let (args, kwargs) = (call.tuple()?, Some(call.dict()?));
    reduce_asked(this, name, positions, &args, kwargs.as_ref())
}

/// [`reduce`] by what was asked for.
fn reduce_asked<'py>(
    this: &Bound<'py, NdArray>,
    name: &'static str,
    positions: &[&str],
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if let Some(asked) = reduce_arguments(positions, args.iter(), kwargs)? {
        let me = this.open();
        let what = reduction(name, asked.ddof);
        // A dtype for extremes, positions and truth means something else in each; NumPy knows.
        let typed =
            matches!(what, Reduction::Sum | Reduction::Prod | Reduction::Mean | Reduction::Var(_) | Reduction::Std(_));
        let plain = asked.is_plain();
        if plain
            && let Some(array) = me.dense()
            && let Some(value) = deliver(py, array.reduce_now(what))?
        {
            return dtype::to_scalar(py, value);
        }
        let result = match me.selection() {
            Some(selection) if plain => Some(selection.reduce(what)),
            _ if asked.dtype.is_some() && !typed => None,
            _ => {
                let array = me.array(py)?;
                asked.run(py, |how| array.reduce_with(what, how))?
            }
        };
        match result {
            Some(Ok(result)) => return asked.out.deliver(py, result),
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
    call: Arguments<'_, 'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    let (args, kwargs) = (&call.tuple()?, Some(&call.dict()?));
    if let Some(asked) = reduce_arguments(&["axis", "dtype", "out"], args.iter(), kwargs)?
        && asked.axes.as_ref().is_none_or(|a| a.len() == 1)
    {
        let axis = asked.axes.as_ref().map(|a| a[0]);
        return match run_scan(py, this.open().array(py)?, op, axis, &asked)? {
            Ok(result) => Ok(result),
            Err(error) => numpy_error(this, name, args, kwargs, error),
        };
    }
    numpy_method(this, name, args, kwargs)
}

fn sum<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "sum", &["axis", "dtype", "out", "keepdims", "initial", "where"], call)
}

fn prod<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "prod", &["axis", "dtype", "out", "keepdims", "initial", "where"], call)
}

fn min<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "min", &["axis", "out", "keepdims", "initial", "where"], call)
}

fn max<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "max", &["axis", "out", "keepdims", "initial", "where"], call)
}

fn any<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "any", &["axis", "out", "keepdims"], call)
}

fn all<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "all", &["axis", "out", "keepdims"], call)
}

fn argmin<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "argmin", &["axis", "out"], call)
}

fn argmax<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "argmax", &["axis", "out"], call)
}

fn mean<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "mean", &["axis", "dtype", "out", "keepdims"], call)
}

fn var<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "var", &["axis", "dtype", "out", "ddof", "keepdims"], call)
}

fn std<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "std", &["axis", "dtype", "out", "ddof", "keepdims"], call)
}

fn cumsum<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    scan(this, "cumsum", Op::Add, call)
}

fn cumprod<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    scan(this, "cumprod", Op::Multiply, call)
}

pyo3::inventory::submit! {
    of_array(&[
        method(c"sum", entry!(this, sum)),
        method(c"prod", entry!(this, prod)),
        method(c"min", entry!(this, min)),
        method(c"max", entry!(this, max)),
        method(c"any", entry!(this, any)),
        method(c"all", entry!(this, all)),
        method(c"argmin", entry!(this, argmin)),
        method(c"argmax", entry!(this, argmax)),
        method(c"mean", entry!(this, mean)),
        method(c"var", entry!(this, var)),
        method(c"std", entry!(this, std)),
        method(c"cumsum", entry!(this, cumsum)),
        method(c"cumprod", entry!(this, cumprod)),
    ], &[])
}
