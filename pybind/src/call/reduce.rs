//! Reductions and scans: NumPy's arguments parsed for the core's folds.

use crate::call::argument::{Arg, parse_any, parse_fast};
use crate::call::array_arguments::{axes_of, native};
use crate::call::array_list::fold_items;
use crate::call::common_arguments::{done, ours};
use crate::call::keywords::{Out, mask_of};
use crate::fallback::function::CommonCall;
use crate::fallback::method::{numpy_error, numpy_method};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::Arguments;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::object::raw_slots::{method, method_entry, of_array};
use fastnp::{Array, DType, Error, ErrorKind, Op, ReduceOptions, Reduction, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple};
use smallvec::SmallVec;

type Object<'py> = Bound<'py, PyAny>;
type Args<'py> = Bound<'py, PyTuple>;
type Kwargs<'a, 'py> = &'a Bound<'py, PyDict>;

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

/// What is called: NumPy's ufuncs take more as `out=` than methods of arrays do, which pass it on by position.
#[derive(Clone, Copy, PartialEq)]
enum Caller {
    Ufunc,
    Method,
}

/// The names of the arguments that a function takes, and how many of them may be given by position.
struct Signature(&'static [&'static str], usize);

const OF_FOLD: Signature = Signature(&["axis", "dtype", "out", "keepdims", "initial", "where"], 6);
const OF_SCAN: Signature = Signature(&["axis", "dtype", "out"], 3);

/// Parses a reduction's arguments by NumPy's names and positions; `None` if one of them is not native, or not the function's.
fn reduce_arguments<'py>(
    &Signature(names, positions): &Signature,
    args: impl ExactSizeIterator<Item = Object<'py>>,
    kwargs: Option<&Bound<'py, PyDict>>,
    caller: Caller,
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
    let given = args.len();
    if given > positions {
        return Ok(None);
    }
    for (value, name) in args.zip(names) {
        if !out.read(name, &value, Caller::Method)? {
            return Ok(None);
        }
    }
    for (name, value) in kwargs.into_iter().flat_map(|k| k.iter()) {
        let name = name.cast::<PyString>()?.to_str()?;
        if !names[..].contains(&name) || names[..given].contains(&name) || !out.read(name, &value, caller)? {
            return Ok(None);
        }
    }
    Ok(Some(out))
}

impl<'py> Reduce<'py> {
    /// Parses one argument; false if it is not native.
    fn read(&mut self, name: &str, value: &Bound<'py, PyAny>, caller: Caller) -> PyResult<bool> {
        match name {
            "axis" => match axes_of(Some(value)) {
                Ok(axes) => self.axes = axes,
                Err(_) => return Ok(false),
            },
            "dtype" => match native(Some(value))? {
                Some(dtype) => self.dtype = dtype,
                None => return Ok(false),
            },
            "keepdims" => match value.is_exact_instance_of::<PyInt>() || value.is_exact_instance_of::<PyBool>() {
                true => self.keepdims = value.is_truthy()?,
                false => return Ok(false),
            },
            "ddof" => match value.extract() {
                Ok(ddof) => self.ddof = ddof,
                Err(_) => return Ok(false),
            },
            "where" => match mask_of(value)? {
                Some(mask) => self.mask = mask,
                None => return Ok(false),
            },
            // `initial=None` requests a fold without the identity.
            "initial" if value.is_none() => return Ok(false),
            "initial" => self.initial = Some(value.clone()),
            "mean" => self.mean = Some(value.clone()).filter(|m| !m.is_none()),
            "out" => match if caller == Caller::Ufunc { Out::read(value) } else { Out::read_array(value) }? {
                Some(out) => self.out = out,
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Whether there are no arguments but the array and `ddof`.
    fn is_plain(&self) -> bool {
        self.dtype.is_none()
            && self.axes.is_none()
            && !self.keepdims
            && self.initial.is_none()
            && self.mask.is_none()
            && self.mean.is_none()
            && matches!(self.out, Out::New)
    }

    /// Runs a reduction with the parsed arguments; `None` if the initial value or the mean is not native.
    fn run(
        &self,
        py: Python<'py>,
        reduce: impl FnOnce(&ReduceOptions<'_>) -> fastnp::Result<Array>,
    ) -> PyResult<Option<fastnp::Result<Array>>> {
        let initial = self.initial.as_ref().map(parse_fast).transpose()?;
        let initial = match &initial {
            None => None,
            Some(Arg::Number(number)) => Some(*number),
            Some(Arg::Ours(_) | Arg::Converted(_) | Arg::Other) => return Ok(None),
        };
        let mean = self.mean.as_ref().map(parse_any).transpose()?;
        let mean = match mean.as_ref().map(|m| m.value(py)).transpose()? {
            None => None,
            Some(Some(Value::Array(mean))) => Some(mean),
            Some(_) => return Ok(None),
        };
        let target = match &self.out {
            Out::Given(out) => Some(out.open()),
            Out::New | Out::NewArray => None,
        };
        let how = ReduceOptions {
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

/// The array that a ufunc's method was called with; `None` if it is not native.
fn subject<'py>(args: &Args<'py>) -> PyResult<Option<Array>> {
    let py = args.py();
    let Ok(first) = args.get_item(0) else { return Ok(None) };
    let given = parse_any(&first)?;
    Ok(match given.value(py)? {
        Some(Value::Array(array)) => Some(array.clone()),
        _ => None,
    })
}

/// The result of the core or its error. After an error of this kind NumPy has to make the call.
type Outcome<'py> = PyResult<fastnp::Result<Object<'py>>>;

/// The error of calls that are left to NumPy.
fn left_to_numpy<T>() -> fastnp::Result<T> {
    Err(Error::new(ErrorKind::Unsupported, ""))
}

/// `ufunc.reduce`.
pub(crate) fn fold<'py>(op: Op, args: &Args<'py>, kwargs: Option<Kwargs<'_, 'py>>) -> Outcome<'py> {
    let py = args.py();
    if args.len() == 1
        && kwargs.is_none_or(|kwargs| kwargs.is_empty())
        && let Some(result) = fold_items(op, &args.get_item(0)?)?
    {
        return match result {
            Ok(result) => new_object(py, result).map(Ok),
            Err(error) => outcome_of_error(py, error),
        };
    }
    let Some(array) = subject(args)? else { return Ok(left_to_numpy()) };
    let Some(mut requested) = reduce_arguments(&OF_FOLD, args.iter().skip(1), kwargs, Caller::Ufunc)? else {
        return Ok(left_to_numpy());
    };
    // The default is the first axis. An array without axes may be reduced along axis 0 or -1, which it does not have.
    if !names_axis(args, kwargs) {
        requested.axes = Some(SmallVec::from_iter([0]));
    }
    if array.ndim() == 0 && requested.axes.as_deref().is_some_and(|axes| matches!(axes, [0 | -1])) {
        requested.axes = None;
    }
    match requested.run(py, |how| array.fold_by(op, how))? {
        Some(Ok(result)) => requested.out.to_py_result(py, result).map(Ok),
        Some(Err(error)) => outcome_of_error(py, error),
        None => Ok(left_to_numpy()),
    }
}

fn names_axis(args: &Args<'_>, kwargs: Option<Kwargs<'_, '_>>) -> bool {
    args.len() > 1 || kwargs.is_some_and(|k| k.contains("axis").unwrap_or(false))
}

/// The outcome of an error: raised if it is final (like a lack of memory), else left to NumPy.
fn outcome_of_error<'py>(py: Python<'py>, error: Error) -> Outcome<'py> {
    if error.kind().is_final() { Err(crate::interpreter::error::to_py_err(py, error)) } else { Ok(Err(error)) }
}

/// `ufunc.accumulate`.
pub(crate) fn accumulate<'py>(op: Op, args: &Args<'py>, kwargs: Option<Kwargs<'_, 'py>>) -> Outcome<'py> {
    let py = args.py();
    let Some(array) = subject(args)? else { return Ok(left_to_numpy()) };
    let Some(requested) = reduce_arguments(&OF_SCAN, args.iter().skip(1), kwargs, Caller::Ufunc)? else {
        return Ok(left_to_numpy());
    };
    let axes = requested.axes.as_deref().unwrap_or(if names_axis(args, kwargs) { &[] } else { &[0] });
    match axes {
        &[axis] => run_scan(py, &array, op, Some(axis), &requested),
        _ => Ok(left_to_numpy()),
    }
}

/// A scan with the parsed arguments.
fn run_scan<'py>(py: Python<'py>, array: &Array, op: Op, axis: Option<isize>, requested: &Reduce<'py>) -> Outcome<'py> {
    let target = match &requested.out {
        Out::Given(out) => Some(out.open()),
        Out::New | Out::NewArray => None,
    };
    let out = target.as_ref().map(|out| out.array(py)).transpose()?;
    if out.is_some_and(|out| out.ndim() == 0) && array.ndim() > 0 {
        // NumPy writes beyond the one element.
        return Err(PyValueError::new_err("provided out is the wrong size for the accumulation."));
    }
    match array.scan_into(op, axis, requested.dtype, out) {
        Ok(result) => match &requested.out {
            Out::Given(out) => Ok(Ok(out.clone().into_any())),
            Out::New | Out::NewArray => {
                crate::object::construct::new_object(py, crate::interpreter::error::to_py_result(py, Ok(result))?)
                    .map(Ok)
            }
        },
        Err(error) => outcome_of_error(py, error),
    }
}

/// The reduction of a NumPy name.
fn reduction(name: &str, ddof: f64) -> Reduction {
    Reduction::from_name(name, ddof).expect("the methods are named as reductions")
}

/// The common call of a function that reduces an array of ours, of all its elements or along axes: without Python code, which takes 130 of the
/// 800 ns of `np.sum(x)` of a thousand doubles.
pub(crate) fn common_call(name: &str) -> Option<CommonCall> {
    Some(match name {
        "sum" => |call| common_form(call, "sum"),
        "prod" => |call| common_form(call, "prod"),
        "min" | "amin" => |call| common_form(call, "min"),
        "max" | "amax" => |call| common_form(call, "max"),
        "any" => |call| common_form(call, "any"),
        "all" => |call| common_form(call, "all"),
        "argmin" => |call| common_form(call, "argmin"),
        "argmax" => |call| common_form(call, "argmax"),
        "mean" => |call| common_form(call, "mean"),
        "var" => |call| common_form(call, "var"),
        "std" => |call| common_form(call, "std"),
        _ => return None,
    })
}

/// `np.name(a)`, `np.name(a, axis)` and `np.name(a, axis, keepdims=keepdims)`.
fn common_form<'py>(call: Arguments<'_, 'py>, name: &'static str) -> PyResult<Option<Object<'py>>> {
    let (py, what) = (call.py(), reduction(name, 0.0));
    let axis_and_keepdims = match call.sole() {
        Some(_) => [None, None],
        None if call.positions().len() > 2 => return Ok(None),
        None => match call.read(["a", "axis", "keepdims"])? {
            Some([Some(_), rest @ ..]) => rest,
            _ => return Ok(None),
        },
    };
    let Some(me) = call.positions().first().and_then(ours) else { return Ok(None) };
    let Some(array) = me.dense() else { return Ok(None) };
    let [axis, keepdims] = axis_and_keepdims;
    let is_whole = axis.is_none_or(|axis| axis.is_none()) && keepdims.is_none();
    if is_whole {
        match array.reduce_now(what) {
            Ok(Some(value)) => return dtype::to_scalar(py, to_py_result(py, Ok(value))?).map(Some),
            Ok(None) => {}
            // The function in Python finds the error again, and words it.
            Err(_) => return Ok(None),
        }
    }
    let keepdims = match keepdims.map(|keepdims| keepdims.cast_exact::<PyBool>()) {
        None => false,
        Some(Ok(keepdims)) => keepdims.is_true(),
        Some(Err(_)) => return Ok(None),
    };
    let Ok(axes) = axes_of(axis) else { return Ok(None) };
    let how = ReduceOptions {
        axes: axes.as_deref(),
        dtype: None,
        keepdims,
        initial: None,
        mask: None,
        out: None,
        mean: None,
    };
    done(py, array.reduce_with(what, &how), |result| Out::New.to_py_result(py, result))
}

/// A reduction by NumPy's name.
fn reduce<'py>(
    this: &Bound<'py, NdArray>,
    name: &'static str,
    signature: &Signature,
    call: Arguments<'_, 'py>,
) -> PyResult<Object<'py>> {
    let py = this.py();
    if call.is_empty() {
        // Without arguments there is nothing to parse. Parsing takes as long as NumPy's `a.argmax()` on ten elements.
        let me = this.open();
        if let Some(array) = me.dense()
            && let Some(value) = to_py_result(py, array.reduce_now(reduction(name, 0.0)))?
        {
            return dtype::to_scalar(py, value);
        }
    }
    let (args, kwargs) = (call.tuple()?, Some(call.dict()?));
    reduce_asked(this, name, signature, &args, kwargs.as_ref())
}

/// [`reduce`] with arguments to parse.
fn reduce_asked<'py>(
    this: &Bound<'py, NdArray>,
    name: &'static str,
    signature: &Signature,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if let Some(requested) = reduce_arguments(signature, args.iter(), kwargs, Caller::Method)? {
        let me = this.open();
        let what = reduction(name, requested.ddof);
        // `dtype=` of other reductions has another meaning in each, so they are left to NumPy.
        let typed =
            matches!(what, Reduction::Sum | Reduction::Prod | Reduction::Mean | Reduction::Var(_) | Reduction::Std(_));
        let plain = requested.is_plain();
        if plain
            && let Some(array) = me.dense()
            && let Some(value) = to_py_result(py, array.reduce_now(what))?
        {
            return dtype::to_scalar(py, value);
        }
        let result = match me.selection() {
            Some(selection) if plain => match selection.reduce_now(what) {
                Ok(Some(number)) => return dtype::to_scalar(py, number),
                Ok(None) => Some(selection.reduce(what)),
                Err(error) => Some(Err(error)),
            },
            _ if requested.dtype.is_some() && !typed => None,
            _ => {
                let array = me.array(py)?;
                requested.run(py, |how| array.reduce_with(what, how))?
            }
        };
        match result {
            Some(Ok(result)) => return requested.out.to_py_result(py, result),
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
    if let Some(requested) = reduce_arguments(&OF_SCAN, args.iter(), kwargs, Caller::Method)?
        && requested.axes.as_ref().is_none_or(|a| a.len() == 1)
    {
        let axis = requested.axes.as_ref().map(|a| a[0]);
        return match run_scan(py, this.open().array(py)?, op, axis, &requested)? {
            Ok(result) => Ok(result),
            Err(error) => numpy_error(this, name, args, kwargs, error),
        };
    }
    numpy_method(this, name, args, kwargs)
}

fn sum<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "sum", &OF_FOLD, call)
}

fn prod<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "prod", &OF_FOLD, call)
}

fn min<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "min", &Signature(&["axis", "out", "keepdims", "initial", "where"], 5), call)
}

fn max<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "max", &Signature(&["axis", "out", "keepdims", "initial", "where"], 5), call)
}

fn any<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "any", &Signature(&["axis", "out", "keepdims", "where"], 3), call)
}

fn all<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "all", &Signature(&["axis", "out", "keepdims", "where"], 3), call)
}

fn argmin<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "argmin", &Signature(&["axis", "out", "keepdims"], 2), call)
}

fn argmax<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "argmax", &Signature(&["axis", "out", "keepdims"], 2), call)
}

fn mean<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "mean", &Signature(&["axis", "dtype", "out", "keepdims", "where"], 4), call)
}

fn var<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "var", &Signature(&["axis", "dtype", "out", "ddof", "keepdims", "where", "mean"], 5), call)
}

fn std<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    reduce(this, "std", &Signature(&["axis", "dtype", "out", "ddof", "keepdims", "where", "mean"], 5), call)
}

fn cumsum<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    scan(this, "cumsum", Op::Add, call)
}

fn cumprod<'py>(this: &Bound<'py, NdArray>, call: Arguments<'_, 'py>) -> PyResult<Object<'py>> {
    scan(this, "cumprod", Op::Multiply, call)
}

pyo3::inventory::submit! {
    of_array(&[
        method(c"sum", method_entry!(sum)),
        method(c"prod", method_entry!(prod)),
        method(c"min", method_entry!(min)),
        method(c"max", method_entry!(max)),
        method(c"any", method_entry!(any)),
        method(c"all", method_entry!(all)),
        method(c"argmin", method_entry!(argmin)),
        method(c"argmax", method_entry!(argmax)),
        method(c"mean", method_entry!(mean)),
        method(c"var", method_entry!(var)),
        method(c"std", method_entry!(std)),
        method(c"cumsum", method_entry!(cumsum)),
        method(c"cumprod", method_entry!(cumprod)),
    ], &[])
}
