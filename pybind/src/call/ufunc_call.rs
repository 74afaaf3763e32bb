//! Calls of an op: native if the core can, else by NumPy's ufunc through the fallback, which also raises the errors.

use crate::call::argument::{Arg, parse_any, parse_fast};
use crate::fallback::by_name::function;
use crate::fallback::overridden::by_class;
use crate::fallback::run::Call;
use crate::fallback::ufunc::run_ufunc;
use crate::interop::numpy_memory::lent_elements;
use crate::interpreter::cast::exactly;
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fallback::fallback;
use crate::interpreter::protocol;
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::{Open, Payload, PayloadRef, Repr};
use fastnp::{
    Array, DType, Error, ErrorKind, FunctionName, LentOperand, Op, Options, Scalar, Selection, SelectionArg, Value,
    apply, apply_lent, apply_to, apply_with, inner_lent,
};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat, PyList, PyTuple};
use smallvec::SmallVec;

/// A result as a Python object: a NumPy scalar for an array without axes, unless it stays lazy.
#[inline]
pub(crate) fn wrap<'py>(py: Python<'py>, result: Array) -> PyResult<Bound<'py, PyAny>> {
    if result.ndim() == 0 && !result.stays_lazy() {
        let value = to_py_result(py, result.item())?;
        return dtype::to_scalar(py, value);
    }
    if fastnp::has_fp_reports() {
        crate::interpreter::errstate::report(py)?;
    }
    new_object(py, result)
}

/// Applies a binary op to two objects, one of which is an array object: the operator `+`.
#[inline]
pub(crate) fn binary<'py>(op: Op, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match apply_native(op, a, b)? {
        Some(result) => Ok(result),
        None => apply_deferring(op, a, b, None),
    }
}

/// Compares an array object with another object by an op: `==`.
pub(crate) fn compare<'py>(op: Op, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(result) = apply_native(op, a, b)? {
        return Ok(result);
    }
    if !matches!(op, Op::Equal | Op::NotEqual) {
        return apply_deferring(op, a, b, None);
    }
    let other = parse_any(b)?;
    if matches!(other, Arg::Other) && !defers_to(b)? {
        // Operands that cannot be compared are unequal. The ufunc would raise.
        let name = if op == Op::Equal { "__eq__" } else { "__ne__" };
        return fallback(a.py(), "comparison")?.call1((a, name, b));
    }
    apply_deferring(op, a, b, Some(other))
}

/// Applies a binary op to an array object and any other object, unless that goes first. It may have been parsed.
fn apply_deferring<'a, 'py>(
    op: Op,
    a: &'a Bound<'py, PyAny>,
    b: &'a Bound<'py, PyAny>,
    other: Option<Arg<'a>>,
) -> PyResult<Bound<'py, PyAny>> {
    // Only the left operand may defer: Python calls the right one after the left one declined.
    if defers_to(b)? {
        return Ok(a.py().NotImplemented().into_bound(a.py()));
    }
    if is_derived(a)? {
        return fallback(a.py(), "operator")?.call1((op.name(), a, b));
    }
    let other = match other {
        Some(other) => other,
        None => parse_any(b)?,
    };
    apply_parsed(op, &[a, b], &[parse_any(a)?, other])
}

/// Applies a binary op to array objects, NumPy's arrays and numbers; `None` if one argument is anything else.
#[inline]
pub(crate) fn apply_native<'py>(
    op: Op,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = a.py();
    if (is_numpys(a) || is_numpys(b))
        && let Some(result) = apply_to_numpys(op, a, b)?
    {
        return wrap(py, result).map(Some);
    }
    let (x, y) = (parse_fast(a)?, parse_fast(b)?);
    if let (Some(v), Some(w)) = (dense(&x), dense(&y)) {
        return match apply_checked(op, &[v, w]) {
            Ok(result) => wrap(py, result).map(Some),
            Err(error) => numpy(py, op, &[a, b], error).map(Some),
        };
    }
    match selected(op, &[&x, &y]) {
        Some(result) => new_object(py, result).map(Some),
        None => Ok(None),
    }
}

/// Applies a binary op to two arrays, or one and a float, where elements of NumPy's can be read where they are; `None` otherwise.
fn apply_to_numpys(op: Op, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    // SAFETY: the call runs no code of Python's, and the GIL is held.
    with_lent_operands(a, b, |operands| unsafe { apply_lent(op, operands) })
}

/// The inner product of a vector of ours and one of NumPy's, `dot` or `matmul`, where that one's elements can be read where they are; `None`
/// otherwise.
pub(crate) fn inner_with_numpys(
    is_matmul: bool,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
) -> PyResult<Option<Array>> {
    // SAFETY: as above.
    with_lent_operands(a, b, |operands| unsafe { inner_lent(is_matmul, operands) })
}

/// Calls `compute`, which runs no code of Python's, with two operands; `None` where one is of another kind.
fn with_lent_operands(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    compute: impl FnOnce(&[LentOperand<'_>; 2]) -> fastnp::Result<Option<Array>>,
) -> PyResult<Option<Array>> {
    let (mine, others) = (opened(a), opened(b));
    let (Some(x), Some(y)) = (lent_operand(a, mine.as_deref())?, lent_operand(b, others.as_deref())?) else {
        return Ok(None);
    };
    to_py_result(a.py(), compute(&[x, y]))
}

/// The payload of an array of ours.
fn opened<'a>(object: &'a Bound<'_, PyAny>) -> Option<PayloadRef<'a>> {
    Some(exactly::<NdArray>(object)?.open())
}

/// An argument of [`apply_to_numpys`]; an array of ours has a payload.
fn lent_operand<'a>(object: &'a Bound<'_, PyAny>, mine: Option<&'a Payload>) -> PyResult<Option<LentOperand<'a>>> {
    if let Some(mine) = mine {
        return Ok(mine.dense().map(|array| LentOperand::Value(Value::Array(array))));
    }
    if is_numpys(object) {
        // SAFETY: the caller uses them at once.
        return Ok(unsafe { lent_elements(object)? }.map(LentOperand::Lent));
    }
    let number = exactly::<PyFloat>(object).map(|number| number.value());
    Ok(number.map(|number| LentOperand::Value(Value::Float(number))))
}

/// Applies an op to one array: the operator `-`.
#[inline]
pub(crate) fn unary<'py>(op: Op, a: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    if is_numpys(a)
        && let Some(operand) = lent_operand(a, None)?
        // SAFETY: the call runs no code of Python's, and the GIL is held.
        && let Some(result) = to_py_result(py, unsafe { apply_lent(op, &[operand]) })?
    {
        return wrap(py, result);
    }
    let x = parse_fast(a)?;
    if let Some(v) = dense(&x) {
        return match apply(op, &[v]) {
            Ok(result) => wrap(py, result),
            Err(error) => numpy(py, op, &[a], error),
        };
    }
    match selected(op, &[&x]) {
        Some(result) => new_object(py, result),
        None => apply_any(op, &[a]),
    }
}

/// Applies an op to any objects.
pub(crate) fn apply_any<'py>(op: Op, objects: &[&Bound<'py, PyAny>]) -> PyResult<Bound<'py, PyAny>> {
    let args = objects.iter().map(|o| parse_any(o)).collect::<PyResult<SmallVec<[Arg<'_>; 2]>>>()?;
    apply_parsed(op, objects, &args)
}

/// Applies an op to objects that have been parsed.
fn apply_parsed<'py>(op: Op, objects: &[&Bound<'py, PyAny>], args: &[Arg<'_>]) -> PyResult<Bound<'py, PyAny>> {
    let py = objects[0].py();
    let mut values: SmallVec<[Value<'_>; 2]> = SmallVec::new();
    for arg in args {
        match arg.value(py)? {
            Some(value) => values.push(value),
            None => return numpy(py, op, objects, Error::new(ErrorKind::Unsupported, "")),
        }
    }
    match apply_checked(op, &values) {
        Ok(result) => wrap(py, result),
        Err(error) => numpy(py, op, objects, error),
    }
}

/// Applies an op with a destination, a type or a casting rule.
pub(crate) fn apply_with_options(
    py: Python<'_>,
    op: Op,
    args: &[Arg<'_>],
    options: Options<'_>,
) -> PyResult<fastnp::Result<Array>> {
    let mut values: SmallVec<[Value<'_>; 2]> = SmallVec::new();
    for arg in args {
        match arg.value(py)? {
            Some(value) => values.push(value),
            None => return Ok(Err(Error::new(ErrorKind::Unsupported, ""))),
        }
    }
    match apply_checked_with(op, &values, options) {
        Ok(result) => to_py_result(py, Ok(result)).map(Ok),
        Err(error) if error.kind().is_final() => Err(crate::interpreter::error::to_py_err(py, error)),
        Err(error) => Ok(Err(error)),
    }
}

/// `a op= b`: the array, or what the other operand's `__array_ufunc__` returns.
pub(crate) fn in_place<'py>(
    op: Op,
    target: &Bound<'py, NdArray>,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = target.py();
    // The common case parses each argument once and makes no list (a fifth of `a += b` on ten elements).
    let (value, me) = (parse_fast(other)?, target.open());
    if let (Some(array), Some(value)) = (me.dense(), dense(&value)) {
        if into_dense(py, op, &[Value::Array(array), value], array)? {
            return Ok(target.as_any().clone());
        }
    } else if into(op, &[target.as_any(), other], target)? {
        return Ok(target.as_any().clone());
    }
    drop((value, me));
    if !protocol::has(&other.get_type(), intern!(py, "__array_ufunc__"))? && defers_to(other)? {
        return Ok(py.NotImplemented().into_bound(py));
    }
    let kwargs = PyDict::new(py);
    kwargs.set_item("out", (target,))?;
    let args = PyTuple::new(py, [target.as_any(), other])?;
    fallback(py, "ufunc")?.call1((op.name(), "__call__", args, kwargs))
}

/// Applies an op to any objects, and writes to an array; returns false if that is left to NumPy.
pub(crate) fn into<'py>(op: Op, objects: &[&Bound<'py, PyAny>], target: &Bound<'py, NdArray>) -> PyResult<bool> {
    let (py, out) = (target.py(), target.open());
    if let Some(out) = out.dense() {
        let args = objects.iter().map(|o| parse_fast(o)).collect::<PyResult<SmallVec<[Arg<'_>; 2]>>>()?;
        if let Some(values) = args.iter().map(dense).collect::<Option<SmallVec<[Value<'_>; 2]>>>()
            && into_dense(py, op, &values, out)?
        {
            return Ok(true);
        }
    }
    let args = objects.iter().map(|o| parse_any(o)).collect::<PyResult<SmallVec<[Arg<'_>; 2]>>>()?;
    let mut values: SmallVec<[Value<'_>; 2]> = SmallVec::new();
    for arg in &args {
        match arg.value(py)? {
            Some(value) => values.push(value),
            None => return Ok(false),
        }
    }
    let options = Options { out: Some(out.array(py)?), ..Options::default() };
    match apply_checked_with(op, &values, options) {
        Ok(_) => to_py_result(py, Ok(true)),
        Err(error) if error.kind().is_final() => Err(crate::interpreter::error::to_py_err(py, error)),
        Err(_) => Ok(false),
    }
}

/// Applies an op to dense operands, and writes to a dense array; returns false if that is to be tried in another way.
#[inline]
fn into_dense(py: Python<'_>, op: Op, values: &[Value<'_>], out: &Array) -> PyResult<bool> {
    match check_numbers(op, values).and_then(|()| apply_to(op, values, out)) {
        Ok(()) => to_py_result(py, Ok(true)),
        Err(error) if error.kind().is_final() => Err(crate::interpreter::error::to_py_err(py, error)),
        Err(_) => Ok(false),
    }
}

/// `divmod`: the quotient and the remainder, two operations that fuse; `None` where NumPy's function is to be called.
pub(crate) fn divmod<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = a.py();
    let args = [parse_any(a)?, parse_any(b)?];
    if args.iter().all(|arg| matches!(arg, Arg::Number(_))) {
        return Ok(None);
    }
    let mut values: SmallVec<[Value<'_>; 2]> = SmallVec::new();
    for arg in &args {
        let Some(value) = arg.value(py)? else { return Ok(None) };
        values.push(value);
    }
    let options = Options { step_of: Some(FunctionName::new("divmod")), ..Options::default() };
    let step = |op| apply_checked_with(op, &values, options);
    // Flags are reported once both are recorded, so once for both.
    both_of(py, step(Op::FloorDivide).and_then(|quotient| Ok((quotient, step(Op::Remainder)?))))
}

/// Two results as a tuple; `None` after an error that NumPy's function is to find again.
pub(crate) fn both_of<'py>(
    py: Python<'py>,
    both: fastnp::Result<(Array, Array)>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match both {
        Ok((first, second)) => {
            let both = [wrap(py, first)?, wrap(py, second)?];
            PyTuple::new(py, both).map(|both| Some(both.into_any()))
        }
        Err(error) if error.kind().is_final() => Err(crate::interpreter::error::to_py_err(py, error)),
        Err(_) => Ok(None),
    }
}

/// `modf` of an array of floats: the fractions and the integral parts, exact operations that fuse; `None` where NumPy's function is to be
/// called.
pub(crate) fn modf<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    let arg = parse_fast(object)?;
    let Some(Value::Array(x)) = arg.value(py)? else { return Ok(None) };
    if !x.dtype().is_float() {
        return Ok(None);
    }
    let step = |op, values: &[&Array]| {
        let values: SmallVec<[Value<'_>; 2]> = values.iter().map(|&x| Value::Array(x)).collect();
        fastnp::apply(op, &values)
    };
    let parts = || {
        // Infinities have the fraction zero, with their sign.
        let zero = Value::Scalar(Scalar::new(DType::F64, 0.0).cast(x.dtype()));
        let finite = fastnp::select(&step(Op::Isinf, &[x])?, zero, Value::Array(x))?;
        let fraction = step(Op::Subtract, &[&finite, &step(Op::Trunc, &[&finite])?])?;
        Ok((step(Op::Copysign, &[&fraction, x])?, step(Op::Trunc, &[x])?))
    };
    both_of(py, parts())
}

/// Has NumPy warn, in the words of its version and if it does, of `where=` without `out=` in a call of a ufunc of so many operands.
#[cold]
pub(crate) fn warn_of_mask_alone(py: Python<'_>, ufunc: &Bound<'_, PyAny>, arity: usize) -> PyResult<()> {
    let mask = PyDict::new(py);
    mask.set_item("where", dtype::to_scalar(py, Scalar::new(DType::Bool, false))?)?;
    let numbers = PyTuple::new(py, std::iter::repeat_n(1, arity))?;
    ufunc.call(numbers, Some(&mask)).map(drop)
}

/// Calls NumPy's ufunc: for what is not native, and for NumPy's own error.
#[cold]
fn numpy<'py>(py: Python<'py>, op: Op, objects: &[&Bound<'py, PyAny>], error: Error) -> PyResult<Bound<'py, PyAny>> {
    if error.kind().is_final() {
        return Err(crate::interpreter::error::to_py_err(py, error));
    }
    let wrong = error.kind() != ErrorKind::Unsupported;
    let ufunc = function(py, op.name())?;
    if !wrong {
        let operands: SmallVec<[Bound<'py, PyAny>; 2]> = objects.iter().map(|&operand| operand.clone()).collect();
        if let Some(result) = by_class(&ufunc, &operands)? {
            return Ok(result);
        }
    }
    let args = PyTuple::new(py, objects)?;
    let result = match wrong {
        // NumPy raises the error in its own words, with no frame of ours between it and the caller.
        true => Call::of_ufunc(&ufunc, None).run(&args.iter().collect::<SmallVec<[_; 2]>>(), None)?,
        false => run_ufunc(&ufunc, "__call__", &args, None)?,
    };
    if let Some(result) = result {
        return Ok(result);
    }
    fallback(py, "ufunc")?.call1((op.name(), "__call__", args, PyDict::new(py), wrong))
}

/// Whether an operator of the array class returns `NotImplemented` for this other operand, by NumPy's rule.
pub(crate) fn defers_to(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if object.is_instance_of::<NdArray>()
        || is_numpys(object)
        || object.is_exact_instance_of::<PyList>()
        || object.is_exact_instance_of::<PyTuple>()
    {
        return Ok(false);
    }
    if is_derived(object)? {
        // Python lets the right operand go first if its class derives from the left one's, and this one derives from NumPy's.
        return Ok(true);
    }
    match protocol::of_class(&object.get_type(), intern!(object.py(), "__array_ufunc__"))? {
        Some(value) => Ok(value.is_none()),
        // Without the protocol, an operand with a higher priority goes first.
        None => match object.getattr_opt(intern!(object.py(), "__array_priority__"))? {
            Some(priority) => Ok(priority.extract::<f64>().is_ok_and(|p| p > 0.0)),
            None => Ok(false),
        },
    }
}

/// Whether an object is of a class derived from NumPy's array, but not of ours.
pub(crate) fn is_derived(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let is_array = object.is_exact_instance_of::<NdArray>() || is_numpys(object);
    let array = dtype::types(object.py())?.array.bind(object.py());
    Ok(!is_array && object.get_type().is_subclass(array)?)
}

/// Applies an op, unless a number is too large for the arrays' type: NumPy warns in that case.
#[inline]
fn apply_checked(op: Op, values: &[Value<'_>]) -> fastnp::Result<Array> {
    check_numbers(op, values)?;
    apply(op, values)
}

/// [`apply_checked`] with options.
fn apply_checked_with(op: Op, values: &[Value<'_>], options: Options<'_>) -> fastnp::Result<Array> {
    check_numbers(op, values)?;
    apply_with(op, values, options)
}

#[inline]
fn check_numbers(op: Op, values: &[Value<'_>]) -> fastnp::Result<()> {
    // NumPy scalars are strong: they promote.
    let weak = |v: &&Value<'_>| !matches!(v, Value::Array(_) | Value::Scalar(_));
    if !values.iter().any(|v| weak(&v)) {
        // The common case, checked first: the rest takes a twentieth of `a + b`.
        return Ok(());
    }
    let in_type = |dtype| values.iter().filter(weak).any(|v| v.overflows(dtype));
    // int8 and uint8 are computed in float16 if there is no integer loop.
    let in_half = |a: &Array| {
        let dtype = a.dtype();
        let halves = matches!(dtype, DType::I8 | DType::U8) && !op.has_loop(dtype);
        halves && values.iter().any(|v| matches!(v, Value::Int(_)) && v.overflows(DType::F16))
    };
    if values.iter().any(|v| matches!(v, Value::Array(a) if in_type(a.dtype()) || in_half(a))) {
        return Err(Error::new(ErrorKind::Unsupported, ""));
    }
    Ok(())
}

/// The value of an argument that is evaluated without work.
#[inline]
fn dense<'a>(arg: &'a Arg<'_>) -> Option<Value<'a>> {
    match arg {
        Arg::Ours(array) => array.dense().map(Value::Array),
        Arg::Number(number) => Some(*number),
        Arg::Converted(array) => Some(Value::Array(array)),
        Arg::Other => None,
    }
}

/// The op on selections by one mask and numbers; the result is a selection.
pub(crate) fn selected(op: Op, args: &[&Arg<'_>]) -> Option<Selection> {
    let mut list: SmallVec<[SelectionArg<'_>; 2]> = SmallVec::new();
    for arg in args {
        list.push(match arg {
            Arg::Ours(array) => match &array.repr {
                Repr::LazySelection(lazy) => SelectionArg::Selection(lazy.selection()?),
                Repr::Dense(_) => return None,
            },
            Arg::Number(number) => SelectionArg::Number(*number),
            Arg::Converted(_) | Arg::Other => return None,
        });
    }
    Selection::apply(op, &list).ok()
}
