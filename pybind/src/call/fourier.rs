//! `numpy.fft` on the host, as `fastnp._functions.fft` asks for it: `None` says that the current device's library or NumPy has
//! to do it.

use crate::call::argument::parse_any;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::{Arguments, entry};
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, AxisTransform, DType, ErrorKind, NonFinite, Transform, Value, transform_axes};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyModule, PyString, PyTuple};
use smallvec::SmallVec;

/// Sizes or axes.
type Numbers = SmallVec<[isize; 4]>;

/// Largest number of points whose factor NumPy can compute in float16.
const MAX_HALF_POINTS: usize = 65_504;

/// Elements up to which NumPy transforms an array of its own. Another package gives it to NumPy's function, as a class of quantities does
/// with what it holds, and programs compare: both have NumPy's bits then. Of 128 elements that takes 2.6 µs instead of 0.8.
const MAX_NUMPYS: usize = 256;

/// Which direction of a pair of transforms is normalised.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Normalization {
    Backward,
    Ortho,
    Forward,
}

impl Normalization {
    /// Parses `norm=`; `None` for what NumPy refuses.
    fn read(value: &Bound<'_, PyAny>) -> PyResult<Option<Normalization>> {
        if value.is_none() {
            return Ok(Some(Normalization::Backward));
        }
        let Ok(name) = value.cast_exact::<PyString>() else { return Ok(None) };
        Ok(match name.to_str()? {
            "backward" => Some(Normalization::Backward),
            "ortho" => Some(Normalization::Ortho),
            "forward" => Some(Normalization::Forward),
            _ => None,
        })
    }

    /// What a transform is multiplied by. NumPy computes it in the real type of the operand; in float16 that shows.
    fn factor(self, transform: Transform, points: usize, dtype: DType) -> Option<f64> {
        let is_forward = matches!(transform, Transform::Forward | Transform::FromReal);
        let n = points as f64;
        let is_half = dtype == DType::F16;
        let round = |x: f64| if is_half { fastnp::Scalar::new(DType::F16, x).to_f64() } else { x };
        match self {
            Normalization::Backward if is_forward => Some(1.0),
            Normalization::Forward if !is_forward => Some(1.0),
            _ if is_half && points > MAX_HALF_POINTS => None,
            Normalization::Ortho => Some(round(1.0 / round(round(n).sqrt()))),
            _ => Some(round(1.0 / round(n))),
        }
    }
}

/// A whole number, without Python's bools.
fn number(value: &Bound<'_, PyAny>) -> Option<isize> {
    if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() }
}

/// The numbers of a list or a tuple.
fn numbers(value: &Bound<'_, PyAny>) -> Option<Numbers> {
    if let Ok(tuple) = value.cast_exact::<PyTuple>() {
        return tuple.iter().map(|one| number(&one)).collect();
    }
    value.cast_exact::<PyList>().ok()?.iter().map(|one| number(&one)).collect()
}

/// The transform of a name.
fn transform_of(name: &Bound<'_, PyAny>) -> PyResult<Transform> {
    match name.extract::<&str>()? {
        "forward" => Ok(Transform::Forward),
        "inverse" => Ok(Transform::Inverse),
        "from real" => Ok(Transform::FromReal),
        "to real" => Ok(Transform::ToReal),
        other => Err(PyTypeError::new_err(format!("there is no transform {other:?}"))),
    }
}

/// Points and axis of each pass, in NumPy's order; `None` for what NumPy refuses or warns of.
fn passes(
    x: &Array,
    kind: Transform,
    sizes: Option<Numbers>,
    axes: Option<Numbers>,
) -> Option<SmallVec<[(Transform, usize, isize); 4]>> {
    let ndim = x.ndim() as isize;
    if axes.is_none() && sizes.is_some() {
        return None;
    }
    let axes = axes.unwrap_or_else(|| (0..ndim).collect());
    let axes: Numbers = axes.iter().map(|&axis| if axis < 0 { axis + ndim } else { axis }).collect();
    if axes.is_empty() || axes.iter().any(|axis| !(0..ndim).contains(axis)) {
        return None;
    }
    let extent = |axis: isize| x.shape()[axis as usize] as isize;
    let last = axes.len() - 1;
    let sizes = match sizes {
        Some(sizes) if sizes.len() != axes.len() => return None,
        // Of one axis, -1 points are refused.
        Some(sizes) => sizes.iter().zip(&axes).map(|(&n, &axis)| if n == -1 { extent(axis) } else { n }).collect(),
        None => {
            let mut sizes: Numbers = axes.iter().map(|&axis| extent(axis)).collect();
            if kind == Transform::ToReal {
                sizes[last] = (sizes[last] - 1) * 2;
            }
            sizes
        }
    };
    let of = |i: usize| {
        let transform = match kind {
            Transform::FromReal if i < last => Transform::Forward,
            Transform::ToReal if i < last => Transform::Inverse,
            kind => kind,
        };
        (transform, axes[i] as usize, sizes[i])
    };
    // Transforms to real numbers begin at the first axis, the others at the last one.
    Some(if kind == Transform::ToReal { (0..=last).map(of).collect() } else { (0..=last).rev().map(of).collect() })
}

/// Transforms `a` along axes. What is not finite is NumPy's to transform, so that the same results are infinite or nan.
fn transform<'py>(
    kind: Transform,
    a: &Bound<'py, PyAny>,
    (sizes, axes): (Option<Numbers>, Option<Numbers>),
    norm: Normalization,
    out: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !fastnp::targets_host() {
        return Ok(None);
    }
    let py = a.py();
    let arg = parse_any(a)?;
    let Some(Value::Array(x)) = arg.value(py)? else { return Ok(None) };
    if is_numpys(a) && x.size() <= MAX_NUMPYS {
        return Ok(None);
    }
    let Some(passes) = passes(x, kind, sizes, axes) else { return Ok(None) };
    let mut along: SmallVec<[AxisTransform; 4]> = SmallVec::new();
    for (i, &(transform, axis, points)) in passes.iter().enumerate() {
        // The results of all but the last transform to real numbers are complex.
        let dtype = if i == 0 { x.dtype() } else { DType::C128 };
        let Some(factor) = usize::try_from(points).ok().and_then(|n| norm.factor(transform, n, dtype)) else {
            return Ok(None);
        };
        along.push(AxisTransform { transform, axis, points: points as usize, factor });
    }
    let given = (!out.is_none()).then(|| out.cast_exact::<NdArray>());
    let result = match given {
        None => transform_axes(x, &along, None, NonFinite::Refuse),
        Some(Err(_)) => return Ok(None),
        Some(Ok(object)) => {
            let open = object.open();
            let out = open.array(py)?;
            // NumPy's `irfftn` gives the array to the last transform alone.
            match along.split_last() {
                Some((last, first)) if kind == Transform::ToReal && !first.is_empty() => {
                    // What an overflow in the last transform has overwritten cannot be left to NumPy.
                    let non_finite = if out.may_share_memory(x) { NonFinite::Transform } else { NonFinite::Refuse };
                    transform_axes(x, first, None, NonFinite::Refuse)
                        .and_then(|x| transform_axes(&x, &[*last], Some(out), non_finite))
                }
                _ => transform_axes(x, &along, Some(out), NonFinite::Refuse),
            }
        }
    };
    match result {
        Err(error) if matches!(error.kind(), ErrorKind::Unsupported | ErrorKind::Value) => Ok(None),
        result => {
            let made = to_py_result(py, result)?;
            if out.is_none() { new_object(py, made).map(Some) } else { Ok(Some(out.clone())) }
        }
    }
}

/// The result of a call, or `None`.
fn or_none<'py>(py: Python<'py>, result: Option<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    Ok(result.unwrap_or_else(|| py.None().into_bound(py)))
}

/// `transform_axis(kind, a, n, axis, norm, out)`: a transform of `n` points along one axis.
fn transform_axis<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let [kind, a, n, axis, norm, out] = call.positions() else {
        return Err(PyTypeError::new_err("transform_axis takes six arguments"));
    };
    let points = if n.is_none() { Some(None) } else { number(n).filter(|&n| n > 0).map(Some) };
    let (Some(points), Some(axis), Some(norm)) = (points, number(axis), Normalization::read(norm)?) else {
        return or_none(call.py(), None);
    };
    let sizes = points.map(|n| Numbers::from_slice(&[n]));
    let found = transform(transform_of(kind)?, a, (sizes, Some(Numbers::from_slice(&[axis]))), norm, out)?;
    or_none(call.py(), found)
}

/// `transform_along(kind, a, s, axes, norm, out)`: transforms along several axes, one after the other.
fn transform_along<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let [kind, a, s, axes, norm, out] = call.positions() else {
        return Err(PyTypeError::new_err("transform_along takes six arguments"));
    };
    let read = |value: &Bound<'py, PyAny>| if value.is_none() { Some(None) } else { numbers(value).map(Some) };
    let (Some(sizes), Some(axes), Some(norm)) = (read(s), read(axes), Normalization::read(norm)?) else {
        return or_none(call.py(), None);
    };
    let found = transform(transform_of(kind)?, a, (sizes, axes), norm, out)?;
    or_none(call.py(), found)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::interpreter::fastcall::add(
        module,
        &[
            (c"transform_axis", c"transform_axis(kind, a, n, axis, norm, out, /)\n--\n\n", entry!(transform_axis)),
            (c"transform_along", c"transform_along(kind, a, s, axes, norm, out, /)\n--\n\n", entry!(transform_along)),
        ],
    )
}
