//! Creation functions: `empty`, `zeros`, `ones`, `full`, their `_like` forms, and `arange`.

use crate::call::argument::{Arg, parse_fast};
use crate::call::array_arguments::{integer, order_argument, shape_of, type_of};
use crate::call::assign::fits;
use crate::fallback::by_name::{numpy, numpys_own};
use crate::interop::numpy_creation::new_array;
use crate::interop::numpy_memory::dense_form;
use crate::interpreter::dtype::is_numpys_alone;
use crate::interpreter::error::to_py_result;
use crate::interpreter::exact_int::int_at;
use crate::interpreter::fastcall::{Arguments, Function, entry};
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, Layout, Order, Scalar, Shape, result_type};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt};

/// `empty`, `zeros` and `ones`.
fn filled<'py>(call: Arguments<'_, 'py>, name: &'static str, value: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
    let read = match (call.positions(), call.names()) {
        // To read the names of a call without any takes a tenth of it.
        ([shape], None) => Some([Some(shape), None, None]),
        ([shape, dtype], None) => Some([Some(shape), Some(dtype), None]),
        _ => call.read(["shape", "dtype", "order"])?,
    };
    if let Some([Some(shape), Some(dtype), order]) = read
        && is_numpys_alone(dtype)
        && let Some(shape) = shape_of(shape)
    {
        if order.is_none()
            && value != Some(1)
            && let Some(made) = new_array(&shape, dtype, value.is_some())?
        {
            return Ok(made);
        }
        return numpys_own(call, name);
    }
    if let Some([Some(shape), dtype, order]) = read
        && let (Some(shape), Some(dtype)) = (shape_of(shape), type_of(dtype, DType::F64)?)
        && shape.len() <= fastnp::MAX_DIMS
        && let Some(order @ (Order::C | Order::F)) = order_argument(order, Order::C)
    {
        let made = match value {
            Some(value) => Array::full(&shape, Scalar::new(dtype, value), order),
            None => Array::empty(&shape, dtype, order),
        };
        if let Ok(array) = made {
            return new_object(call.py(), array);
        }
    }
    numpy(call, name)
}

/// `empty_like`, `zeros_like` and `ones_like`.
fn like<'py>(call: Arguments<'_, 'py>, name: &'static str, value: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    let first = if value.is_none() { "prototype" } else { "a" };
    if let Some([Some(a), dtype, order]) = call.read([first, "dtype", "order"])?
        && let Ok(a) = a.cast_exact::<NdArray>()
        && let Some(dtype) = type_of(dtype, a.open().array(py)?.dtype())?
        && let Some(order) = order_argument(order, Order::K)
    {
        let a = a.open();
        let a = a.array(py)?;
        // `empty_like` keeps the axis order of `a`.
        let made = to_py_result(py, a.empty_like(dtype, order))?;
        if let Some(value) = value {
            to_py_result(py, made.assign(Scalar::new(dtype, value)))?;
        }
        return new_object(py, made);
    }
    if let Some([Some(a), dtype, order]) = call.read([first, "dtype", "order"])?
        && let Some((shape, dtype, order)) = form_of_numpys(a, dtype, order)?
    {
        let made = match value {
            Some(value) => Array::full(&shape, Scalar::new(dtype, value), order),
            None => Array::empty(&shape, dtype, order),
        };
        return new_object(py, to_py_result(py, made)?);
    }
    numpy(call, name)
}

/// The shape, type and order of an array like one of NumPy's; `None` if it is left to NumPy.
fn form_of_numpys(
    a: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    order: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<(Shape, DType, Order)>> {
    if is_numpys(a)
        && let Some((shape, of_numpys, dense)) = dense_form(a)?
        && let Some(dtype) = type_of(dtype, of_numpys)?
        && let Some(order) = order_argument(order, Order::K)
    {
        return Ok(Some((shape, dtype, if matches!(order, Order::K | Order::A) { dense } else { order })));
    }
    Ok(None)
}

/// `full`.
fn full<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(shape), Some(value), dtype, order]) = call.read(["shape", "fill_value", "dtype", "order"])?
        && let (Some(shape), Arg::Number(number)) = (shape_of(shape), parse_fast(value)?)
        && let Some(dtype) = type_of(dtype, result_type(&[number.arg_type()]))?
        && fits(number, dtype)
        && let Some(order @ (Order::C | Order::F)) = order_argument(order, Order::C)
        && let Ok(array) = Array::empty(&shape, dtype, order)
        && array.assign(number).is_ok()
    {
        return new_object(call.py(), array);
    }
    numpy(call, "full")
}

/// `full_like`.
fn full_like<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let Some([Some(a), Some(value), dtype, order]) = call.read(["a", "fill_value", "dtype", "order"])?
        && let (Ok(a), Arg::Number(number)) = (a.cast_exact::<NdArray>(), parse_fast(value)?)
    {
        let a = a.open();
        let a = a.array(py)?;
        if let Some(dtype) = type_of(dtype, a.dtype())?
            && fits(number, dtype)
            && let Some(order) = order_argument(order, Order::K)
        {
            let made = to_py_result(py, a.empty_like(dtype, order))?;
            if made.assign(number).is_ok() {
                return new_object(py, made);
            }
        }
    }
    if let Some([Some(a), Some(value), dtype, order]) = call.read(["a", "fill_value", "dtype", "order"])?
        && let Arg::Number(number) = parse_fast(value)?
        && let Some((shape, dtype, order)) = form_of_numpys(a, dtype, order)?
        && fits(number, dtype)
        && let Ok(made) = Array::empty(&shape, dtype, order)
        && made.assign(number).is_ok()
    {
        return new_object(py, made);
    }
    numpy(call, "full_like")
}

/// `eye`.
fn eye<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(rows), columns, k, dtype, order]) = call.read(["N", "M", "k", "dtype", "order"])?
        && let Some(rows) = extent_of(rows)
        && let Some(columns) = columns.filter(|columns| !columns.is_none()).map_or(Some(rows), extent_of)
        && let Some(k) = k.map_or(Some(0), |k| k.extract::<isize>().ok())
        && let Some(dtype) = type_of(dtype, DType::F64)?
        && let Some(order @ (Order::C | Order::F)) = order_argument(order, Order::C)
        && let Ok(array) = Array::full(&[rows, columns], Scalar::zero(dtype), order)
    {
        // The first row and column of the diagonal, and how long it is.
        let (row, column) = (k.min(0).unsigned_abs(), k.max(0).unsigned_abs());
        let count = rows.saturating_sub(row).min(columns.saturating_sub(column));
        if count > 0 {
            let strides = array.strides();
            let offset = row as isize * strides[0] + column as isize * strides[1];
            let layout = Layout {
                shape: [count].as_slice().into(),
                strides: [strides[0] + strides[1]].as_slice().into(),
                offset,
            };
            let diagonal = to_py_result(call.py(), array.view_as(dtype, layout))?;
            to_py_result(call.py(), diagonal.assign(Scalar::new(dtype, 1)))?;
        }
        return new_object(call.py(), array);
    }
    numpy(call, "eye")
}

/// An extent; `None` for what is none, which NumPy refuses or reads.
fn extent_of(value: &Bound<'_, PyAny>) -> Option<usize> {
    integer::<usize>(value).ok()
}

/// `arange`.
fn arange<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    // Native for integers and the common float form. For anything else NumPy computes the length.
    let args = call.positions();
    if (1..4).contains(&args.len())
        && args.iter().all(|a| a.is_exact_instance_of::<PyInt>() || a.is_exact_instance_of::<PyFloat>())
        && let Some([.., dtype]) = call.read(["", "", "", "dtype"])?
        && let Some(array) = ramp(args, dtype)?
    {
        return new_object(call.py(), array);
    }
    numpy(call, "arange")
}

fn ramp(args: &[Bound<'_, PyAny>], dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Array>> {
    let whole = args.iter().all(|a| a.is_exact_instance_of::<PyInt>());
    let Some(dtype) = type_of(dtype, if whole { DType::I64 } else { DType::F64 })? else { return Ok(None) };
    if whole && dtype != DType::Bool && dtype != DType::F16 && !dtype.is_complex() {
        let read = |i: usize| args[i].extract::<i64>().ok();
        let parts = match args.len() {
            1 => (Some(0), read(0), Some(1)),
            2 => (read(0), read(1), Some(1)),
            _ => (read(0), read(1), read(2)),
        };
        let (Some(start), Some(stop), Some(step)) = parts else { return Ok(None) };
        if step == 0 {
            return Ok(None);
        }
        let span = stop as i128 - start as i128;
        // A 128-bit division takes as long as making the array object, so the common step has none.
        let n = if step == 1 { span } else { (span + step as i128 - step.signum() as i128) / step as i128 };
        let n = n.max(0) as usize;
        let value = |i: i64| {
            let scalar = Scalar::new(dtype, i);
            (scalar.to_f64() == i as f64).then_some(scalar)
        };
        let (Some(first), Some(step)) = (value(start), value(step)) else { return Ok(None) };
        return Ok(Array::ramp(first, step, n).ok());
    }
    if dtype != DType::F64 || whole {
        return Ok(None);
    }
    // Python's conversion of an integer looks for `__float__` first: 60 instructions.
    // SAFETY: the object is alive.
    let read = |i: usize| match unsafe { int_at(args[i].as_ptr()) } {
        Some(i) if i.unsigned_abs() < 1 << f64::MANTISSA_DIGITS => Ok(i as f64),
        _ => args[i].extract::<f64>(),
    };
    let (start, stop, step) = match args.len() {
        1 => (0.0, read(0)?, 1.0),
        2 => (read(0)?, read(1)?, 1.0),
        _ => (read(0)?, read(1)?, read(2)?),
    };
    let n = ((stop - start) / step).ceil();
    if !(n.is_finite() && n < 1e15) {
        return Ok(None);
    }
    // NumPy's step is the rounded difference of the first two elements.
    let delta = (start + step) - start;
    Ok(Array::ramp(Scalar::new(dtype, start), Scalar::new(dtype, delta), n.max(0.0) as usize).ok())
}

/// The functions of this file, by NumPy's names.
const CREATE_FUNCTIONS: [Function; 10] = [
    (
        c"empty",
        c"empty(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n",
        entry!(|call| filled(call, "empty", None)),
    ),
    (
        c"zeros",
        c"zeros(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n",
        entry!(|call| filled(call, "zeros", Some(0))),
    ),
    (
        c"ones",
        c"ones(shape, dtype=None, order='C', *, device=None, like=None)\n--\n\n",
        entry!(|call| filled(call, "ones", Some(1))),
    ),
    (
        c"empty_like",
        c"empty_like(prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None)\n--\n\n",
        entry!(|call| like(call, "empty_like", None)),
    ),
    (
        c"zeros_like",
        c"zeros_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None)\n--\n\n",
        entry!(|call| like(call, "zeros_like", Some(0))),
    ),
    (
        c"ones_like",
        c"ones_like(a, dtype=None, order='K', subok=True, shape=None, *, device=None)\n--\n\n",
        entry!(|call| like(call, "ones_like", Some(1))),
    ),
    (c"full", c"full(shape, fill_value, dtype=None, order='C', *, device=None, like=None)\n--\n\n", entry!(full)),
    (
        c"full_like",
        c"full_like(a, fill_value, dtype=None, order='K', subok=True, shape=None, *, device=None)\n--\n\n",
        entry!(full_like),
    ),
    (c"eye", c"eye(N, M=None, k=0, dtype=None, order='C', *, device=None, like=None)\n--\n\n", entry!(eye)),
    (
        c"arange",
        c"arange(start_or_stop, /, stop=None, step=1, *, dtype=None, device=None, like=None)\n--\n\n",
        entry!(arange),
    ),
];

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    crate::interpreter::fastcall::add(module, &CREATE_FUNCTIONS)
}
