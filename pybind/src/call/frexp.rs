//! `frexp`: mantissas and exponents of arrays, two operations that fuse. What is not native is left to NumPy's ufunc.

use crate::call::argument::{Arg, parse_any};
use crate::call::keywords::{Keywords, Out};
use crate::call::ufunc_call::{both_of, warn_of_mask_alone, wrap};
use crate::fallback::by_name::function;
use crate::interpreter::error::to_py_err;
use crate::interpreter::fastcall::Arguments;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, Casting, DType, Op, Options, Scalar, Value, apply, apply_with, can_cast, select};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use smallvec::SmallVec;

/// NumPy's `frexp`; `None` where NumPy's function is to be called.
pub(crate) fn frexp<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = call.py();
    let [object, rest @ ..] = call.positions() else { return Ok(None) };
    let arg = parse_any(object)?;
    // Numbers alone are left to NumPy.
    if matches!(arg, Arg::Number(_)) {
        return Ok(None);
    }
    let Some(Value::Array(x)) = arg.value(py)? else { return Ok(None) };
    if call.sole().is_none() {
        return in_full(call, x, rest);
    }
    let part = |op| apply(op, &[Value::Array(x)]);
    both_of(py, part(Op::FrexpMantissa).and_then(|mantissas| Ok((mantissas, part(Op::FrexpExponent)?))))
}

/// The two destinations of a call.
type Outs<'py> = [Option<Bound<'py, NdArray>>; 2];

/// What a call asks for besides an argument.
struct Request<'py> {
    outs: Outs<'py>,
    /// Its `out` is not used.
    keywords: Keywords<'py>,
}

impl<'py> Request<'py> {
    /// Parses the arguments after the first, `rest` of which are by position; `None` if one is not native.
    fn read(call: Arguments<'_, 'py>, rest: &[Bound<'py, PyAny>]) -> PyResult<Option<Request<'py>>> {
        let py = call.py();
        let (mut given, mut named, mut signature) = (None, None, None);
        let mut has_out = !rest.is_empty();
        for (name, value) in call.named() {
            match name.cast::<PyString>()?.to_str()? {
                "out" if has_out => return Ok(None),
                "out" => {
                    let Ok(tuple) = value.cast_exact::<PyTuple>() else { return Ok(None) };
                    (given, has_out) = (Some(tuple.iter().collect::<SmallVec<[_; 2]>>()), true);
                }
                // Both results are of the type that is asked for, of which there is no loop.
                "dtype" if !value.is_none() => return Ok(None),
                "signature" | "sig" if value.is_none() => {}
                "signature" | "sig" => match (signature, loop_of(value)) {
                    (None, Some(dtype)) => signature = Some(dtype),
                    _ => return Ok(None),
                },
                _ => named.get_or_insert_with(|| PyDict::new(py)).set_item(name, value)?,
            }
        }
        let Some(outs) = destinations(given.as_deref().unwrap_or(rest), given.is_some()) else { return Ok(None) };
        let mut keywords =
            Keywords { out: Out::New, dtype: None, casting: None, order: None, mask: None, has_out: false };
        if let Some(named) = &named {
            let input = PyTuple::new(py, call.positions().first())?;
            match Keywords::read(Op::FrexpMantissa, &input, Some(named))? {
                Some(read) => keywords = read,
                None => return Ok(None),
            }
        }
        (keywords.dtype, keywords.has_out) = (signature, has_out);
        Ok(Some(Request { outs, keywords }))
    }
}

/// A call with other arguments than an array; `rest` are those by position.
fn in_full<'py>(
    call: Arguments<'_, 'py>,
    x: &Array,
    rest: &[Bound<'py, PyAny>],
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = call.py();
    let Some(Request { outs, keywords }) = Request::read(call, rest)? else { return Ok(None) };
    let mask = keywords.mask.as_ref();
    // Elements that the mask excludes are not cast, which may raise a flag; and its layout takes part in that of the results.
    let is_cast = keywords.dtype.is_some_and(|dtype| dtype != x.dtype());
    if mask.is_some() && (is_cast || keywords.order.is_some()) {
        return Ok(None);
    }
    let opened = outs.each_ref().map(|out| out.as_ref().map(Open::open));
    let target = |i: usize| opened[i].as_ref().map(|out| out.array(py)).transpose();
    let targets = [target(0)?, target(1)?];
    if !fit(x, targets, &keywords) {
        return Ok(None);
    }
    let options =
        Options { dtype: keywords.dtype, casting: keywords.casting, order: keywords.order, ..Options::default() };
    // Then the results are computed where they belong.
    let is_apart = |target: &Option<&Array>| target.is_none_or(|target| !target.may_share_memory(x));
    let is_direct = mask.is_none() && targets.iter().all(is_apart);
    let part = |op, target: Option<&Array>| {
        apply_with(op, &[Value::Array(x)], Options { out: target.filter(|_| is_direct), ..options })
    };
    let parts = part(Op::FrexpMantissa, targets[0]).and_then(|m| Ok([m, part(Op::FrexpExponent, targets[1])?]));
    let parts = match parts {
        Ok(parts) => parts,
        Err(error) if error.kind().is_final() => return Err(to_py_err(py, error)),
        Err(_) => return Ok(None),
    };
    if mask.is_some() && !keywords.has_out {
        warn_of_mask_alone(py, &function(py, "frexp")?, 1)?;
    }
    let mut results: SmallVec<[Bound<'py, PyAny>; 2]> = SmallVec::new();
    for (part, (target, out)) in parts.into_iter().zip(targets.into_iter().zip(outs.iter())) {
        let written = if is_direct && target.is_some() { Ok(None) } else { written(part, target, mask) };
        results.push(match (written, out) {
            (Ok(Some(new)), _) => wrap(py, new)?,
            (Ok(None), Some(out)) => out.clone().into_any(),
            (Err(error), _) if error.kind().is_final() => return Err(to_py_err(py, error)),
            _ => return Ok(None),
        });
    }
    PyTuple::new(py, results).map(|both| Some(both.into_any()))
}

/// Writes a result to its destination, where the mask is true; without a destination a new array, zero elsewhere.
fn written(part: Array, target: Option<&Array>, mask: Option<&Array>) -> fastnp::Result<Option<Array>> {
    match (target, mask) {
        (Some(target), Some(mask)) => target.assign_where(mask, (&part).into()).map(|()| None),
        (Some(target), None) => target.assign(&part).map(|()| None),
        (None, Some(mask)) => select(mask, (&part).into(), Value::Scalar(Scalar::zero(part.dtype()))).map(Some),
        (None, None) => Ok(Some(part)),
    }
}

/// The type of a loop by its signature, such as `"d->di"`.
fn loop_of(signature: &Bound<'_, PyAny>) -> Option<DType> {
    let text = signature.cast_exact::<PyString>().ok()?.to_str().ok()?;
    ["e->ei", "f->fi", "d->di"].contains(&text).then(|| DType::from_code(text.as_bytes()[0]))?
}

/// The arrays of ours among the destinations; `None` if one is anything else but None. A tuple of them names both.
fn destinations<'py>(given: &[Bound<'py, PyAny>], is_tuple: bool) -> Option<Outs<'py>> {
    if given.len() > 2 || is_tuple && given.len() != 2 {
        return None;
    }
    let mut outs = [None, None];
    for (out, value) in outs.iter_mut().zip(given) {
        if !value.is_none() {
            *out = Some(value.cast_exact::<NdArray>().ok()?.clone());
        }
    }
    Some(outs)
}

/// Whether the destinations have the argument's shape and take the results, and share no memory with each other or with the mask, which
/// is read after the first of them is written. Nan is no integer, of which NumPy warns, as it does of elements of complex destinations
/// that a mask excludes.
fn fit(x: &Array, targets: [Option<&Array>; 2], keywords: &Keywords<'_>) -> bool {
    let Some(computed) = keywords.dtype.or_else(|| computed_type(x.dtype())) else { return false };
    let rule = keywords.casting.unwrap_or(Casting::SameKind);
    let mask = keywords.mask.as_ref();
    let mut seen: Option<&Array> = None;
    targets.into_iter().zip([computed, DType::I32]).filter_map(|(target, result)| Some((target?, result))).all(
        |(target, result)| {
            let is_apart = |other: Option<&Array>| other.is_none_or(|other| !target.may_share_memory(other));
            let is_known =
                |mask: &Array| (mask.ndim() == 0 || mask.shape() == x.shape()) && !target.dtype().is_complex();
            is_apart(seen.replace(target))
                && is_apart(mask)
                && mask.is_none_or(is_known)
                && target.shape() == x.shape()
                && target.is_writeable()
                && can_cast(result, target.dtype(), rule)
                && !(result.is_float() && target.dtype().is_integer())
        },
    )
}

/// The type that numbers of a type are computed in: NumPy's first loop to which they cast safely.
fn computed_type(dtype: DType) -> Option<DType> {
    [DType::F16, DType::F32, DType::F64].into_iter().find(|&wide| can_cast(dtype, wide, Casting::Safe))
}
