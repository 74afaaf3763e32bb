//! Native functions of the package in their most common form: arrays of ours, and arguments by position. Such a call runs no Python code,
//! which takes as long as ten operations on few elements. Every other form is left to the function in Python, or to NumPy's, which are asked
//! second.

use crate::call::argument::{Arg, is_numpys_with_axes, is_sequence, parse_any, parse_fast, strong_scalar};
use crate::call::array_arguments::shape_of;
use crate::call::assign::{fits, put, stores};
use crate::call::common_arguments::{done, integer, of_one, of_two, ours, with_numbers};
use crate::call::convert::shared;
use crate::call::masks::put_where;
use crate::call::number_list::of_numbers;
use crate::call::reduce;
use crate::call::small_matrices;
use crate::call::sorting;
use crate::call::ufunc_call::wrap;
use crate::fallback::by_name::numpy_on_its_own;
use crate::fallback::function::{CommonCall, native_function, numpy_function};
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::{Arguments, entry};
use crate::object::construct::{new_object, view_of};
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{
    Array, Casting, DType, Error, ErrorKind, Index, Layout, Op, Order, Reduction, Result, ResultOrder, Scalar, Shape,
    Side, Value, Wide,
};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::slice::PySliceIndices;
use pyo3::types::{PyBool, PyInt, PyList, PyModule, PySlice, PyString, PyTuple};
use smallvec::SmallVec;

/// The common call of a function of NumPy's.
fn common_call(name: &str) -> Option<CommonCall> {
    Some(match name {
        "angle" => angle,
        "argwhere" => argwhere,
        "atleast_1d" => at_least_1d,
        "bincount" => bincount,
        "count_nonzero" => count_nonzero,
        "delete" => delete,
        "diff" => diff,
        "digitize" => digitize,
        "fill_diagonal" => fill_diagonal,
        "indices" => indices,
        "insert" => insert,
        "interp" => interp,
        "lib.stride_tricks.sliding_window_view" => sliding_window_view,
        "linalg.norm" => norm,
        "place" => place,
        "polyval" => polyval,
        "putmask" => putmask,
        "repeat" => repeat,
        "roll" => roll,
        "searchsorted" => searchsorted,
        "tile" => tile,
        "unravel_index" => unravel_index,
        "vander" => vander,
        _ => {
            return sorting::common_call(name)
                .or_else(|| small_matrices::common_call(name))
                .or_else(|| reduce::common_call(name));
        }
    })
}

/// The common call of a function of NumPy's, and whether it takes arrays of NumPy's.
fn known(name: &str) -> Option<(CommonCall, bool)> {
    common_call(name).map(|common| (common, takes_numpys(name)))
}

/// Whether the common call of a function takes arrays of NumPy's too.
fn takes_numpys(name: &str) -> bool {
    matches!(name, "argsort" | "atleast_1d" | "bincount" | "diff" | "sort" | "union1d" | "unique")
}

/// The elements of an array from a position along an axis up to another.
fn part(array: &Array, axis: usize, from: Option<isize>, to: Option<isize>) -> Result<Array> {
    let mut index: SmallVec<[Index; 4]> = SmallVec::from_elem(Index::from(..), axis);
    index.push(Index::Range(from, to, 1));
    array.index(&index)
}

/// `angle(z)` of complex numbers.
fn angle<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(z) = call.sole() else { return Ok(None) };
    of_one(
        z,
        |z| z.dtype().is_complex(),
        |z| {
            let parts = [z.imag().unwrap_or_else(|| z.real()), z.real()];
            fastnp::apply(Op::Arctan2, &[Value::Array(&parts[0]), Value::Array(&parts[1])])
        },
    )
}

/// `argwhere(a)` of one axis: a view of the positions, as NumPy's.
fn argwhere<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(a) = call.sole() else { return Ok(None) };
    let (py, Some(me)) = (call.py(), ours(a)) else { return Ok(None) };
    let Some(array) = me.dense().filter(|array| array.ndim() == 1) else { return Ok(None) };
    let found = array.nonzero().and_then(|found| found.reshape(&[1, found.size()]));
    done(py, found, |found| {
        let view = to_py_result(py, found.transpose(&[1, 0]))?;
        view_of(&new_object(py, found)?.cast_into::<NdArray>()?, view)
    })
}

/// `atleast_1d(x)` of an array that has axes.
fn at_least_1d<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(x) = call.sole() else { return Ok(None) };
    if let Some(me) = ours(x) {
        return Ok(me.dense().filter(|array| array.ndim() > 0).map(|_| x.clone()));
    }
    if is_numpys_with_axes(x) { shared(x) } else { Ok(None) }
}

/// `bincount(x, weights=None, minlength=0)`.
fn bincount<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some([Some(x), weights, least]) = call.read(["x", "weights", "minlength"])? else { return Ok(None) };
    let least = least.map_or(Some(0), integer).and_then(|least| usize::try_from(least).ok());
    let (Some(least), false) = (least, call.positions().is_empty()) else { return Ok(None) };
    match weights.filter(|weights| !weights.is_none()) {
        Some(weights) => of_two([x, weights], |x, weights| fastnp::bincount(x, Some(weights), least)),
        None if is_sequence(x) => Ok(None),
        None => {
            with_numbers(x, |array| done(x.py(), fastnp::bincount(array, None, least), |counts| wrap(x.py(), counts)))
        }
    }
}

/// `count_nonzero(x)` of booleans. The type of the count depends on NumPy's version.
fn count_nonzero<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    static IS_INT: PyOnceLock<bool> = PyOnceLock::new();
    let py = call.py();
    let Some(x) = call.sole().and_then(ours) else { return Ok(None) };
    let Some(array) = x.dense().filter(|array| array.dtype() == DType::Bool) else { return Ok(None) };
    let Some(count) = to_py_result(py, array.reduce_now(Reduction::CountNonzero))? else { return Ok(None) };
    let is_int = IS_INT.get_or_try_init(py, || -> PyResult<bool> {
        let nothing = PyTuple::empty(py).into_any();
        Ok(numpy_on_its_own(py, "count_nonzero", &[nothing], false)?.is_exact_instance_of::<PyInt>())
    })?;
    match is_int {
        true => Ok(Some(count.to_i64().into_pyobject(py)?.into_any())),
        false => dtype::to_scalar(py, Scalar::new(DType::I64, count.to_i64())).map(Some),
    }
}

/// What a call of `delete` or `insert` works on.
struct Along {
    array: Array,
    axis: usize,
    /// Whether these are those of the transpose: NumPy's results are column-major where the array is.
    is_flipped: bool,
}

impl Along {
    /// The array and the axis of a call, or all elements in a row; `None` where the function in Python has another way.
    fn of(array: &Array, axis: Option<&Bound<'_, PyAny>>) -> Option<Along> {
        let ndim = array.ndim() as isize;
        let axis = match axis.filter(|axis| !axis.is_none()) {
            None if ndim == 1 => 0,
            None => {
                let array = array.reshape(&[array.size()]).ok()?;
                return Some(Along { array, axis: 0, is_flipped: false });
            }
            Some(axis) => integer(axis).filter(|axis| (-ndim..ndim).contains(axis))?.rem_euclid(ndim) as usize,
        };
        if ndim == 1 {
            return Some(Along { array: array.clone(), axis, is_flipped: false });
        }
        if array.size() == 0 || !fastnp::targets_host() {
            return None;
        }
        Some(match array.is_f_contiguous() && !array.is_c_contiguous() {
            true => Along { array: array.t(), axis: array.ndim() - 1 - axis, is_flipped: true },
            false => Along { array: array.clone(), axis, is_flipped: false },
        })
    }

    /// Whether the axes lie in memory as they are counted.
    fn is_in_order(&self) -> bool {
        let steps = self.array.strides().iter().zip(self.array.shape()).filter(|(_, n)| **n > 1);
        steps.map(|(step, _)| std::cmp::Reverse(step.unsigned_abs())).is_sorted()
    }

    /// Whether a call by a position or a slice is left to the function in Python, whose assignments fuse.
    fn fuses(&self) -> bool {
        self.array.ndim() > 1 && !self.array.is_ready_and_few(2_000)
    }

    /// The result of a call as an object.
    fn done<'py>(&self, py: Python<'py>, result: Result<Array>) -> PyResult<Option<Bound<'py, PyAny>>> {
        done(py, result, |result| wrap(py, if self.is_flipped { result.t() } else { result }))
    }
}

/// Positions as a dense `int64` vector; an error for other numbers than integers, and for unsigned ones of that size, which may not fit.
fn positions_of(numbers: &Array) -> Result<Array> {
    if !numbers.dtype().is_integer() || numbers.dtype() == DType::U64 {
        return Err(Error::new(ErrorKind::Unsupported, "positions of another type"));
    }
    let numbers = if numbers.ndim() == 1 { numbers.clone() } else { numbers.reshape(&[numbers.size()])? };
    match numbers.dtype() == DType::I64 && numbers.is_c_contiguous() {
        true => Ok(numbers),
        false => numbers.cast_order(DType::I64, Order::C),
    }
}

/// The positions of a slice.
fn positions_in(range: &PySliceIndices) -> Result<Array> {
    let scalar = |i: isize| Scalar::new(DType::I64, i as i64);
    Array::ramp(scalar(range.start), scalar(range.step), range.slicelength)
}

/// `delete(x, position)`, `delete(x, slice)` and `delete(x, positions or mask)`, with the axis.
fn delete<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some([Some(x), Some(what), axis]) = call.read(["arr", "obj", "axis"])? else { return Ok(None) };
    let py = call.py();
    let (Some(me), false) = (ours(x), call.positions().is_empty()) else { return Ok(None) };
    let Some(along) = me.dense().and_then(|array| Along::of(array, axis)) else { return Ok(None) };
    let (array, axis) = (&along.array, along.axis);
    let n = array.shape()[axis] as isize;
    if let Some(at) = integer(what) {
        if !(-n..n).contains(&at) {
            return Ok(None);
        }
        let at = at.rem_euclid(n);
        let left = match array.ndim() {
            1 => part(array, 0, None, Some(at))
                .and_then(|before| fastnp::concatenate(&[&before, &part(array, 0, Some(at + 1), None)?], 0)),
            _ if along.fuses() => return Ok(None),
            _ => fastnp::without_positions(array, axis, &Array::from(vec![at as i64]), ResultOrder::RowMajor),
        };
        return along.done(py, left);
    }
    if let Ok(range) = what.cast_exact::<PySlice>() {
        let range = range.indices(n)?;
        if range.slicelength == 0 || along.fuses() {
            return Ok(None);
        }
        let left = positions_in(&range)
            .and_then(|positions| fastnp::without_positions(array, axis, &positions, ResultOrder::RowMajor));
        return along.done(py, left);
    }
    with_numbers(what, |what| {
        let left = match what.dtype() {
            // NumPy takes a single position by itself.
            dtype if dtype != DType::Bool && what.size() == 1 => positions_of(what)
                .and_then(|positions| fastnp::without_positions(array, axis, &positions, ResultOrder::RowMajor)),
            _ if !along.is_in_order() => return Ok(None),
            DType::Bool if array.ndim() > 1 => fastnp::without_masked(array, axis, what, ResultOrder::AxisFirst),
            DType::Bool if what.shape() != array.shape() => return Ok(None),
            DType::Bool => {
                let kept = to_py_result(py, fastnp::apply(Op::LogicalNot, &[Value::Array(what)]))?;
                return Ok(match to_py_result(py, fastnp::select_now(array, &kept))? {
                    Some(left) => Some(wrap(py, left)?),
                    None => None,
                });
            }
            _ => positions_of(what)
                .and_then(|positions| fastnp::without_positions(array, axis, &positions, ResultOrder::AxisFirst)),
        };
        along.done(py, left)
    })
}

/// Where `insert` puts values in.
enum Places {
    /// Before one position, in a call with that number, or with an array or a slice of it.
    One { at: isize, is_alone: bool },
    /// Before each of several.
    Several(Array),
}

/// The places that a call of `insert` names; `None` for what is left to Python.
fn places_of(at: &Bound<'_, PyAny>, n: isize) -> PyResult<Option<Places>> {
    if let Some(at) = integer(at) {
        return Ok(Some(Places::One { at, is_alone: true }));
    }
    let py = at.py();
    let positions = if let Ok(range) = at.cast_exact::<PySlice>() {
        positions_in(&range.indices(n)?)
    } else if let Some(me) = ours(at) {
        match me.dense().filter(|at| at.ndim() == 1) {
            Some(mask) if mask.dtype() == DType::Bool => {
                mask.nonzero().and_then(|found| found.reshape(&[found.size()]))
            }
            // Sums with positions in smaller types may wrap.
            Some(at) if at.dtype() == DType::I64 => positions_of(at),
            Some(_) | None => return Ok(None),
        }
    } else {
        match at.is_exact_instance_of::<PyList>().then(|| of_numbers(at, None)).flatten() {
            Some(at) if at.ndim() == 1 && at.dtype() == DType::I64 => Ok(at),
            Some(_) | None => return Ok(None),
        }
    };
    let positions = to_py_result(py, positions)?;
    Ok(Some(match positions.size() {
        1 => Places::One {
            at: to_py_result(py, positions.index(&[Index::At(0)]).and_then(|at| at.item()))?.to_i64() as isize,
            is_alone: false,
        },
        _ => Places::Several(positions),
    }))
}

/// Values for `insert`, of the array's type and of its shape but for the axis; `None` for what is left to Python.
fn values_of(values: &Bound<'_, PyAny>, along: &Along, is_alone: bool) -> PyResult<Option<Array>> {
    let (py, dtype, ndim) = (values.py(), along.array.dtype(), along.array.ndim());
    let mut shape = Shape::from(along.array.shape());
    let mut axis = along.axis;
    if along.is_flipped {
        shape.reverse();
        axis = ndim - 1 - axis;
    }
    let arg = parse_any(values)?;
    let made = match arg.value(py)?.filter(|&parsed| stores(values, parsed, dtype)) {
        // Python's integers are checked.
        Some(Value::Int(i)) if dtype.is_integer() && Scalar::new(dtype, i).wide() != Wide::Int(i.into()) => {
            return Ok(None);
        }
        Some(Value::Array(values)) if values.ndim() <= ndim => {
            let mut alike = Shape::from_elem(1, ndim - values.ndim());
            alike.extend(values.shape().iter().copied());
            // As in `a[:, 0, :] = values`, whose axes are those without the one of the position.
            let mut order: SmallVec<[isize; 4]> = (0..ndim as isize).collect();
            if is_alone {
                order[..=axis].rotate_left(1);
            }
            let length = |i: usize| alike[order[i] as usize];
            shape[axis] = length(axis);
            if (0..ndim).any(|i| length(i) != shape[i] && length(i) != 1) {
                return Ok(None);
            }
            values.cast(dtype).and_then(|values| values.reshape(&alike)?.transpose(&order)?.broadcast_to(&shape))
        }
        Some(Value::Array(_)) | None => return Ok(None),
        Some(number) => {
            shape[axis] = 1;
            Array::full(&shape, strong_scalar(number).cast(dtype), Order::C)
        }
    };
    let made = to_py_result(py, made)?;
    Ok(Some(if along.is_flipped { made.t() } else { made }))
}

/// `insert(x, position, values)` and `insert(x, positions, values)` with the axis, with a number or an array of values.
fn insert<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some([Some(x), Some(at), Some(values), axis]) = call.read(["arr", "obj", "values", "axis"])? else {
        return Ok(None);
    };
    let py = call.py();
    let (Some(me), false) = (ours(x), call.positions().is_empty()) else { return Ok(None) };
    let Some(along) = me.dense().and_then(|array| Along::of(array, axis)) else { return Ok(None) };
    let (array, axis) = (&along.array, along.axis);
    let n = array.shape()[axis] as isize;
    let Some(places) = places_of(at, n)? else { return Ok(None) };
    let is_alone = matches!(places, Places::One { is_alone: true, .. });
    let Some(values) = values_of(values, &along, is_alone)? else { return Ok(None) };
    let new = match places {
        Places::Several(positions) => fastnp::inserted(array, axis, &positions, &values),
        Places::One { at, .. } if !(-n..=n).contains(&at) || along.fuses() => return Ok(None),
        Places::One { at, .. } if array.ndim() == 1 => {
            let at = if at < 0 { at + n } else { at };
            part(array, 0, None, Some(at))
                .and_then(|before| fastnp::concatenate(&[&before, &values, &part(array, 0, Some(at), None)?], 0))
        }
        Places::One { at, .. } => {
            let positions = Array::from(vec![at as i64; values.shape()[axis]]);
            fastnp::inserted(array, axis, &positions, &values)
        }
    };
    along.done(py, new)
}

/// `diff(x)` of a vector, or a list of numbers.
fn diff<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(x) = call.sole() else { return Ok(None) };
    with_numbers(x, |array| {
        if array.ndim() != 1 || array.dtype() == DType::Bool {
            return Ok(None);
        }
        let steps = part(array, 0, Some(1), None).and_then(|after| {
            let before = part(array, 0, None, Some(-1))?;
            fastnp::apply(Op::Subtract, &[Value::Array(&after), Value::Array(&before)])
        });
        done(x.py(), steps, |steps| wrap(x.py(), steps))
    })
}

/// `digitize(x, bins, right=False)`.
fn digitize<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some([Some(x), Some(bins), right]) = call.read(["x", "bins", "right"])? else { return Ok(None) };
    let right = match right.map(|right| right.cast_exact::<PyBool>()) {
        None => false,
        Some(Ok(right)) => right.is_true(),
        Some(Err(_)) => return Ok(None),
    };
    of_two([x, bins], |x, bins| fastnp::digitize(x, bins, right))
}

/// `interp(x, xp, fp)` at a number, or an array of ours, between points in arrays of ours.
fn interp<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([x, xp, fp], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let py = call.py();
    let (Some(xp), Some(fp)) = (ours(xp), ours(fp)) else { return Ok(None) };
    let (Some(xp), Some(fp)) = (xp.dense(), fp.dense()) else { return Ok(None) };
    let found = match parse_fast(x)? {
        Arg::Ours(x) => match x.dense() {
            Some(x) => fastnp::interpolate(x, (xp, fp), (None, None)),
            None => return Ok(None),
        },
        Arg::Number(number) if !strong_scalar(number).dtype().is_complex() => {
            Array::full(&[], strong_scalar(number).cast(DType::F64), Order::C)
                .and_then(|x| fastnp::interpolate(&x, (xp, fp), (None, None)))
        }
        _ => return Ok(None),
    };
    done(py, found, |found| wrap(py, found))
}

/// `linalg.norm(x)` of dense real numbers: the root of their inner product.
fn norm<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(x) = call.sole() else { return Ok(None) };
    with_numbers(x, |array| {
        let is_float = matches!(array.dtype(), DType::F32 | DType::F64);
        if !array.is_c_contiguous() || !is_float && !array.dtype().is_integer() {
            return Ok(None);
        }
        let root = array.reshape(&[array.size()]).and_then(|flat| {
            let flat = if is_float { flat } else { flat.cast(DType::F64)? };
            let square = fastnp::dot(&flat, &flat)?;
            fastnp::apply(Op::Sqrt, &[Value::Array(&square)])
        });
        done(x.py(), root, |root| wrap(x.py(), root))
    })
}

/// `place(x, mask, values)` with values of the array's type.
fn place<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([x, mask, values], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let py = call.py();
    let (Some(x), Some(mask)) = (ours(x), ours(mask)) else { return Ok(None) };
    let (Some(x), Some(mask)) = (x.dense(), mask.dense()) else { return Ok(None) };
    if mask.dtype() != DType::Bool {
        return Ok(None);
    }
    let values = parse_any(values)?;
    let placed = match values.value(py)? {
        Some(Value::Array(values)) if values.dtype() == x.dtype() => match (values.ndim(), values.size()) {
            (_, 1) if !values.may_share_memory(x) => {
                values.reshape(&[]).and_then(|value| put_where(x, mask, Value::Array(&value.broadcast_to(x.shape())?)))
            }
            (1, _) => fastnp::place(x, mask, values),
            _ => values.reshape(&[values.size()]).and_then(|flat| fastnp::place(x, mask, &flat)),
        },
        None | Some(Value::Array(_)) => return Ok(None),
        Some(number) => {
            let number = strong_scalar(number);
            if !fastnp::can_cast(number.dtype(), x.dtype(), Casting::Safe) {
                return Ok(None);
            }
            put_where(x, mask, Value::Scalar(number.cast(x.dtype())))
        }
    };
    done(py, placed, |()| Ok(py.None().into_bound(py)))
}

/// Polynomials of so many coefficients are evaluated without Python code.
const MAX_COEFFICIENTS: usize = 32;

/// `polyval(p, x)` of few coefficients, by Horner's rule. They take part in promotion, as they are NumPy scalars there.
fn polyval<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([p, x], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let py = call.py();
    let (Some(p), Some(x)) = (ours(p), ours(x)) else { return Ok(None) };
    let (Some(p), Some(x)) = (p.dense(), x.dense()) else { return Ok(None) };
    if p.ndim() != 1 || !p.is_ready_and_few(MAX_COEFFICIENTS) || !x.is_c_contiguous() || x.ndim() == 0 {
        return Ok(None);
    }
    let value = (0..p.size()).try_fold(Array::zeros(x.shape(), x.dtype()), |sum, i| {
        let coefficient = p.index(&[Index::At(i as isize)])?.item()?;
        let product = fastnp::apply(Op::Multiply, &[Value::Array(&sum), Value::Array(x)])?;
        fastnp::apply(Op::Add, &[Value::Array(&product), Value::Scalar(coefficient)])
    });
    done(py, value, |value| wrap(py, value))
}

/// `putmask(x, mask, values)` with a number, or values of the array's shape.
fn putmask<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([x, mask, values], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let py = call.py();
    let Some(me) = ours(x) else { return Ok(None) };
    let (Some(x), mask) = (me.dense(), parse_any(mask)?) else { return Ok(None) };
    let Some(Value::Array(mask)) = mask.value(py)? else { return Ok(None) };
    let is_done = put(x, values, |value| put_where(x, mask, value))?.is_ok();
    Ok(is_done.then(|| py.None().into_bound(py)))
}

/// `roll(x, shift, axis=None)` of a row-major array along one axis, or all of it as a vector.
fn roll<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some([Some(x), Some(shift), axis]) = call.read(["a", "shift", "axis"])? else { return Ok(None) };
    let py = call.py();
    let (Some(me), Some(shift)) = (ours(x), integer(shift)) else { return Ok(None) };
    let Some(array) = me.dense().filter(|x| x.is_c_contiguous() && x.size() > 0 && x.ndim() > 0) else {
        return Ok(None);
    };
    let rolled = match axis.filter(|axis| !axis.is_none()) {
        None => array.reshape(&[array.size()]).and_then(|flat| rolled(&flat, shift, 0)?.reshape(array.shape())),
        Some(axis) => match integer(axis).map(|axis| fastnp::normalize_axis(axis, array.ndim())) {
            Some(Ok(axis)) => rolled(array, shift, axis),
            _ => return Ok(None),
        },
    };
    done(py, rolled, |result| wrap(py, result))
}

/// The array with elements shifted along an axis, which is not empty.
fn rolled(array: &Array, shift: isize, axis: usize) -> Result<Array> {
    let cut = (array.shape()[axis] as isize) - shift.rem_euclid(array.shape()[axis] as isize);
    let (after, before) = (part(array, axis, Some(cut), None)?, part(array, axis, None, Some(cut))?);
    fastnp::concatenate(&[&after, &before], axis as isize)
}

/// `repeat(a, times)` of one axis.
fn repeat<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    times(call, true)
}

/// `sliding_window_view(x, window)` of one axis.
fn sliding_window_view<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([x, window], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let (py, Ok(x)) = (call.py(), x.cast_exact::<NdArray>()) else { return Ok(None) };
    let me = x.open();
    let Some(array) = me.dense().filter(|array| array.ndim() == 1) else { return Ok(None) };
    let Some(Ok(window)) = integer(window).map(usize::try_from) else { return Ok(None) };
    if window == 0 || window > array.size() {
        return Ok(None);
    }
    let step = array.strides()[0];
    let layout = Layout {
        shape: [array.size() - window + 1, window].as_slice().into(),
        strides: [step, step].as_slice().into(),
        offset: array.layout().offset,
    };
    done(py, array.view_as(array.dtype(), layout), |mut view| {
        view.set_writeable(false);
        view_of(x, view)
    })
}

/// `tile(a, times)` of one axis.
fn tile<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    times(call, false)
}

/// The most elements of a result that is not recorded: more may fuse with what stores them.
const MAX_REPEATED: usize = 1 << 14;

fn times<'py>(call: Arguments<'_, 'py>, is_each: bool) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([a, times], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let Some(Ok(times)) = integer(times).map(usize::try_from) else { return Ok(None) };
    // NumPy's arrays without elements have strides of their own.
    let takes = |a: &Array| {
        let is_few = (1..=MAX_REPEATED).contains(&a.size().saturating_mul(times));
        is_few && a.ndim() == 1 && a.is_ready_and_few(MAX_REPEATED)
    };
    of_one(a, takes, |a| fastnp::repeated(a, times, is_each))
}

/// `unravel_index(indices, shape)`: views of one array, as NumPy's.
fn unravel_index<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([indices, shape], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let (Some(me), Some(shape)) = (ours(indices), shape_of(shape)) else { return Ok(None) };
    let Some(positions) = me.dense().filter(|positions| positions.ndim() > 0 && positions.size() > 0) else {
        return Ok(None);
    };
    let py = call.py();
    done(py, fastnp::coordinates(positions, &shape), |found| {
        let all = new_object(py, found)?.cast_into::<NdArray>()?;
        let part = |axis: usize| {
            let me = all.open();
            let index = [Index::Ellipsis, Index::At(axis as isize)];
            view_of(&all, to_py_result(py, me.array(py)?.index(&index))?)
        };
        Ok(PyTuple::new(py, (0..shape.len()).map(part).collect::<PyResult<Vec<_>>>()?)?.into_any())
    })
}

/// `searchsorted(a, v, side="left", sorter=None)`.
fn searchsorted<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some([Some(a), Some(v), side, sorter]) = call.read(["a", "v", "side", "sorter"])? else { return Ok(None) };
    let side = match side.map(|side| side.cast_exact::<PyString>()) {
        None => Side::Left,
        Some(Ok(side)) => match side.to_str()? {
            "left" => Side::Left,
            "right" => Side::Right,
            _ => return Ok(None),
        },
        Some(Err(_)) => return Ok(None),
    };
    if sorter.is_some_and(|sorter| !sorter.is_none()) {
        return Ok(None);
    }
    of_two([a, v], |a, v| fastnp::search_sorted(a, v, side))
}

/// More powers are computed by the function in Python, in one scan.
const FEW_POWERS: usize = 200;

/// `fill_diagonal(a, number)` of a matrix: one slice of its elements in a row.
fn fill_diagonal<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([a, number], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let (py, Some(me), Arg::Number(number)) = (call.py(), ours(a), parse_fast(number)?) else { return Ok(None) };
    let suits = |a: &&Array| a.ndim() == 2 && a.size() > 0 && a.is_c_contiguous() && a.is_writeable();
    let Some(a) = me.dense().filter(suits).filter(|a| fits(number, a.dtype())) else { return Ok(None) };
    let columns = a.shape()[1] as isize;
    let row =
        a.reshape(&[a.size()]).and_then(|row| row.index(&[Index::Range(None, Some(columns * columns), columns + 1)]));
    done(py, row.and_then(|row| row.assign(number)), |()| Ok(py.None().into_bound(py)))
}

/// `indices(dimensions)`.
fn indices<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = call.py();
    let Some(shape) = call.sole().and_then(|dimensions| dimensions.cast_exact::<PyTuple>().ok()) else {
        return Ok(None);
    };
    let extent = |n: Bound<'_, PyAny>| usize::try_from(integer(&n)?).ok();
    let Some(shape) = shape.iter().map(extent).collect::<Option<Shape>>() else { return Ok(None) };
    let axes = shape.len();
    if !(1..fastnp::MAX_DIMS).contains(&axes) {
        return Ok(None);
    }
    let whole: Shape = std::iter::once(axes).chain(shape.iter().copied()).collect();
    let made = Array::empty(&whole, DType::I64, Order::C).and_then(|made| {
        for (axis, &n) in shape.iter().enumerate() {
            let ramp = Array::ramp(Scalar::new(DType::I64, 0), Scalar::new(DType::I64, 1), n)?;
            let mut column: Shape = SmallVec::from_elem(1, axes - axis);
            column[0] = n;
            made.index(&[Index::At(axis as isize)])?.assign(&ramp.reshape(&column)?)?;
        }
        Ok(made)
    });
    done(py, made, |made| new_object(py, made))
}

/// `vander(x, N)` of few doubles or 64-bit integers: a column for each power, each the last one's times `x`.
fn vander<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([x, columns], None) = (call.positions(), call.named().next()) else { return Ok(None) };
    let py = call.py();
    let (Some(me), Some(columns)) = (ours(x), integer(columns)) else { return Ok(None) };
    let is_known = |x: &&Array| x.ndim() == 1 && matches!(x.dtype(), DType::F64 | DType::I64);
    let Some(x) = me.dense().filter(is_known) else { return Ok(None) };
    let Some(columns) = usize::try_from(columns).ok().filter(|&n| n <= FEW_POWERS) else { return Ok(None) };
    if !x.is_ready_and_few(FEW_POWERS) || x.size() * columns > FEW_POWERS {
        return Ok(None);
    }
    let result = Array::full(&[x.size(), columns], Scalar::new(x.dtype(), 1), Order::C).and_then(|result| {
        let mut power = x.clone();
        for column in (0..columns.saturating_sub(1)).rev() {
            result.index(&[Index::from(..), Index::At(column as isize)])?.assign(&power)?;
            if column > 0 {
                power = fastnp::apply(Op::Multiply, &[Value::Array(&power), Value::Array(x)])?;
            }
        }
        Ok(result)
    });
    done(py, result, |result| wrap(py, result))
}

/// Adds the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let of_numpys = c"numpy_function(original, direct, name, reason, receiver, writes_lists, on_device, /)\n--\n\n";
    let of_ours = c"native_function(original, direct, name, reason, function, few, /)\n--\n\n";
    crate::interpreter::fastcall::add(
        module,
        &[
            (c"numpy_function", of_numpys, entry!(|call| numpy_function(call, known))),
            (c"native_function", of_ours, entry!(|call| native_function(call, known))),
        ],
    )
}
