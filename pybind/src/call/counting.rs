//! Counting, searching, correlations, bits, and elements put in or left out, as `fastnp._functions` asks for them: `None` says that NumPy has to do it.

use crate::call::argument::parse_any;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fastcall::{Arguments, entry};
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, BitOrder, Error, ErrorKind, Index, Op, Overlap, Result, ResultOrder, Side, Value};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// A result as an object; `None` for what is not native.
fn native_or_none(py: Python<'_>, result: Result<Array>) -> PyResult<Option<Bound<'_, PyAny>>> {
    match result {
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(None),
        result => new_object(py, to_py_result(py, result)?).map(Some),
    }
}

/// Calls `run` with objects as arrays; `None` if one is not native.
fn with_arrays<'py, const N: usize>(
    py: Python<'py>,
    objects: [&Bound<'py, PyAny>; N],
    run: impl FnOnce([&Array; N]) -> Result<Array>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut args = Vec::with_capacity(N);
    for object in objects {
        args.push(parse_any(object)?);
    }
    let mut arrays = Vec::with_capacity(N);
    for arg in &args {
        match arg.value(py)? {
            Some(Value::Array(array)) => arrays.push(array),
            _ => return Ok(None),
        }
    }
    match arrays.try_into() {
        Ok(arrays) => native_or_none(py, run(arrays)),
        Err(_) => Ok(None),
    }
}

/// `count_numbers(x, weights, minimum)`: NumPy's `bincount`.
#[pyfunction]
fn count_numbers<'py>(
    x: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
    minimum: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match weights {
        None => with_arrays(x.py(), [x], |[x]| fastnp::bincount(x, None, minimum)),
        Some(weights) => with_arrays(x.py(), [x, weights], |[x, weights]| fastnp::bincount(x, Some(weights), minimum)),
    }
}

/// `even_histogram(x, edges, weights)`: how many elements fall into bins of equal width, or the sums of their weights.
#[pyfunction]
fn even_histogram<'py>(
    x: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    weights: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    match weights {
        None => with_arrays(x.py(), [x, edges], |[x, edges]| fastnp::even_histogram(x, edges, None)),
        Some(weights) => with_arrays(x.py(), [x, edges, weights], |[x, edges, weights]| {
            fastnp::even_histogram(x, edges, Some(weights))
        }),
    }
}

/// `search_sorted(a, v, is_right)`: NumPy's `searchsorted`.
#[pyfunction]
fn search_sorted<'py>(
    a: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    is_right: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let side = if is_right { Side::Right } else { Side::Left };
    with_arrays(a.py(), [a, v], |[a, v]| fastnp::search_sorted(a, v, side))
}

/// `bins_of_numbers(x, edges, is_right)`: NumPy's `digitize`.
#[pyfunction]
fn bins_of_numbers<'py>(
    x: &Bound<'py, PyAny>,
    edges: &Bound<'py, PyAny>,
    is_right: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_arrays(x.py(), [x, edges], |[x, edges]| fastnp::digitize(x, edges, is_right))
}

/// `interpolate(x, xp, fp, left, right)`: NumPy's `interp`.
#[pyfunction]
fn interpolate<'py>(
    x: &Bound<'py, PyAny>,
    xp: &Bound<'py, PyAny>,
    fp: &Bound<'py, PyAny>,
    left: Option<f64>,
    right: Option<f64>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_arrays(x.py(), [x, xp, fp], |[x, xp, fp]| fastnp::interpolate(x, (xp, fp), (left, right)))
}

/// `without_positions(x, positions)`: NumPy's `delete` of positions of a vector.
#[pyfunction]
fn without_positions<'py>(x: &Bound<'py, PyAny>, positions: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_arrays(x.py(), [x, positions], |[x, positions]| {
        fastnp::without_positions(x, 0, positions, ResultOrder::RowMajor)
    })
}

/// `inserted(x, axis, positions, values)`: NumPy's `insert` of a value for each position, or one for all, in row-major order.
#[pyfunction]
fn inserted<'py>(
    x: &Bound<'py, PyAny>,
    axis: usize,
    positions: &Bound<'py, PyAny>,
    values: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_arrays(x.py(), [x, positions, values], |[x, positions, values]| fastnp::inserted(x, axis, positions, values))
}

/// `correlate_vectors(a, v, overlap)`: sums of products at every shift (`"full"`), as many as `a` has elements (`"same"`), or those with
/// all terms (any other text). `v` is no longer than `a`, and not conjugated.
#[pyfunction]
fn correlate_vectors<'py>(
    a: &Bound<'py, PyAny>,
    v: &Bound<'py, PyAny>,
    overlap: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let overlap = overlap_of(overlap).unwrap_or(Overlap::Valid);
    with_arrays(a.py(), [a, v], |[a, v]| fastnp::correlate(a, v, overlap))
}

/// The sums that NumPy's name of a mode stands for.
fn overlap_of(mode: &str) -> Option<Overlap> {
    match mode {
        "full" => Some(Overlap::Full),
        "same" => Some(Overlap::Same),
        "valid" => Some(Overlap::Valid),
        _ => None,
    }
}

/// The sums for two vectors of ours, the common call, by `run`; any other call by the function of `fastnp._functions.signal`.
fn sums_of_products<'py>(
    call: Arguments<'_, 'py>,
    name: &str,
    default: Overlap,
    run: impl FnOnce(&Array, &Array, Overlap) -> Result<Array>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some([Some(a), Some(v), mode]) = call.read(["a", "v", "mode"])?
        && let (Ok(a), Ok(v)) = (a.cast_exact::<NdArray>(), v.cast_exact::<NdArray>())
        && let Some(overlap) = match mode.map(|mode| mode.cast_exact::<PyString>()) {
            None => Some(default),
            Some(mode) => mode.ok().and_then(|mode| overlap_of(mode.to_str().ok()?)),
        }
    {
        let (a, v) = (a.open(), v.open());
        if let (Some(a), Some(v)) = (a.dense(), v.dense())
            && let Some(made) = native_or_none(py, run(a, v, overlap))?
        {
            return Ok(made);
        }
    }
    py.import("fastnp._functions.signal")?.getattr(name)?.call(call.tuple()?, Some(&call.dict()?))
}

/// NumPy's `correlate`.
fn correlate<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    sums_of_products(call, "correlate", Overlap::Valid, |a, v, overlap| match v.dtype().is_complex() {
        true => fastnp::correlate(a, &fastnp::apply(Op::Conjugate, &[Value::Array(v)])?, overlap),
        false => fastnp::correlate(a, v, overlap),
    })
}

/// NumPy's `convolve`.
fn convolve<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    sums_of_products(call, "convolve", Overlap::Full, |a, v, overlap| {
        let (long, short) = if a.size() >= v.size() { (a, v) } else { (v, a) };
        if short.ndim() != 1 {
            return Err(Error::new(ErrorKind::Unsupported, ""));
        }
        fastnp::correlate(long, &short.index(&[Index::Range(None, None, -1)])?, overlap)
    })
}

/// The order of bits.
fn bit_order(is_big: bool) -> BitOrder {
    if is_big { BitOrder::Big } else { BitOrder::Little }
}

/// `pack_bits(x, is_big)`: NumPy's `packbits` along the last axis.
#[pyfunction]
fn pack_bits<'py>(x: &Bound<'py, PyAny>, is_big: bool) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_arrays(x.py(), [x], |[x]| fastnp::pack_bits(x, bit_order(is_big)))
}

/// `unpack_bits(x, is_big, count)`: NumPy's `unpackbits` along the last axis.
#[pyfunction]
fn unpack_bits<'py>(x: &Bound<'py, PyAny>, is_big: bool, count: Option<usize>) -> PyResult<Option<Bound<'py, PyAny>>> {
    with_arrays(x.py(), [x], |[x]| fastnp::unpack_bits(x, bit_order(is_big), count))
}

/// The bits of a vector of ours, the common call, by `run`; any other call by the function of `fastnp._functions.bits`.
fn bits<'py>(
    call: Arguments<'_, 'py>,
    name: &str,
    run: impl FnOnce(&Array) -> Result<Array>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some(Ok(x)) = call.sole().map(|x| x.cast_exact::<NdArray>())
        && let Some(array) = x.open().dense().filter(|array| array.ndim() == 1)
        && let Some(made) = native_or_none(py, run(array))?
    {
        return Ok(made);
    }
    py.import("fastnp._functions.bits")?.getattr(name)?.call(call.tuple()?, Some(&call.dict()?))
}

/// NumPy's `packbits`.
fn packbits<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    bits(call, "packbits", |x| fastnp::pack_bits(x, BitOrder::Big))
}

/// NumPy's `unpackbits`.
fn unpackbits<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    bits(call, "unpackbits", |x| fastnp::unpack_bits(x, BitOrder::Big, None))
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(correlate_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(pack_bits, module)?)?;
    module.add_function(wrap_pyfunction!(unpack_bits, module)?)?;
    module.add_function(wrap_pyfunction!(count_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(even_histogram, module)?)?;
    module.add_function(wrap_pyfunction!(search_sorted, module)?)?;
    module.add_function(wrap_pyfunction!(bins_of_numbers, module)?)?;
    module.add_function(wrap_pyfunction!(interpolate, module)?)?;
    module.add_function(wrap_pyfunction!(without_positions, module)?)?;
    module.add_function(wrap_pyfunction!(inserted, module)?)?;
    crate::interpreter::fastcall::add(
        module,
        &[
            (c"packbits", c"packbits(a, /, axis=None, bitorder='big')\n--\n\n", entry!(packbits)),
            (c"correlate", c"correlate(a, v, mode='valid')\n--\n\n", entry!(correlate)),
            (c"convolve", c"convolve(a, v, mode='full')\n--\n\n", entry!(convolve)),
            (c"unpackbits", c"unpackbits(a, /, axis=None, count=None, bitorder='big')\n--\n\n", entry!(unpackbits)),
        ],
    )
}
