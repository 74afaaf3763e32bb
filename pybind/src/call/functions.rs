//! Functions of the module on arrays: `where`, products, broadcasting, tests for shared memory.

use crate::call::argument::{Arg, parse_any};
use crate::call::array_arguments::shape_of;
use crate::call::ufunc_call::{apply_with_options, inner_with_numpys, wrap};
use crate::fallback::by_name::{numpy_counted, numpy_on_its_own, numpy_with};
use crate::interop::numpy_memory::numpy_without_owner;
use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::interpreter::fallback::fallback;
use crate::interpreter::fastcall::{Arguments, entry};
use crate::object::construct::new_object;
use crate::object::header::is_numpys;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{
    Array, Complex, DType, Element, FunctionName, Op, Options, Order, Reduction, Value, dot as dot_of,
    matmul as product_of, select,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use smallvec::SmallVec;

/// NumPy's `where` with three arguments.
#[pyfunction(name = "where", text_signature = "(condition, x=None, y=None, /)")]
fn where_<'py>(
    condition: &Bound<'py, PyAny>,
    x: &Bound<'py, PyAny>,
    y: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = condition.py();
    let (c, a, b) = (parse_any(condition)?, parse_any(x)?, parse_any(y)?);
    if let (Some(c), Some(a), Some(b)) = (c.value(py)?, a.value(py)?, b.value(py)?)
        && let Ok(result) = truth(c).and_then(|c| select(&c, a, b))
        // NumPy warns of a number that its type does not hold.
        && ![a, b].iter().any(|number| number.overflows(result.dtype()))
    {
        return new_object(py, result);
    }
    numpy_with(py, "where", &[condition, x, y].map(Bound::clone), None, false)
}

/// The condition, cast to bool: an array, of no axes for a number.
fn truth(condition: Value<'_>) -> fastnp::Result<Array> {
    let number = match condition {
        Value::Array(array) if array.dtype() == DType::Bool => return Ok(array.clone()),
        Value::Array(array) => return array.cast(DType::Bool),
        Value::Scalar(number) => number.truth(),
        Value::Int(number) => number != 0,
        Value::Float(number) => number != 0.0,
        Value::Complex(number) => number != Complex::ZERO,
    };
    Array::full(&[], number.scalar(), Order::C)
}

/// `matmul` or `dot` of two objects.
pub(crate) fn product<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    name: &'static str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    if is_numpys(a) && is_numpys(b) {
        // Without arrays of ours a product is NumPy's, which need not be given the memory.
        return numpy_on_its_own(py, name, &[a, b].map(Bound::clone), false);
    }
    if (is_numpys(a) || is_numpys(b))
        && let Some(result) = inner_with_numpys(name == "matmul", a, b)?
    {
        return wrap(py, result);
    }
    let (x, y) = (parse_any(a)?, parse_any(b)?);
    if let (Some(Value::Array(x)), Some(Value::Array(y))) = (x.value(py)?, y.value(py)?) {
        // `dot` of more than two axes has another definition than `matmul`, and `dot` with a scalar is a multiplication.
        let alike = name == "matmul" || (x.ndim() <= 2 && y.ndim() <= 2 && x.ndim() > 0 && y.ndim() > 0);
        let multiply = if name == "matmul" { product_of } else { dot_of };
        if alike && let Ok(result) = multiply(x, y) {
            return wrap(py, result);
        }
    }
    if name == "matmul" {
        return fallback(py, "ufunc")?.call1((name, "__call__", (a, b), PyDict::new(py)));
    }
    numpy_with(py, name, &[a, b].map(Bound::clone), None, true)
}

/// `matmul`.
fn matmul<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let ([a, b], None) = (call.positions(), call.named().next()) {
        return product(a, b, "matmul");
    }
    fallback(call.py(), "ufunc")?.call1(("matmul", "__call__", call.tuple()?, call.dict()?))
}

/// NumPy's `dot`.
fn dot<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    match call.read(["a", "b", "out"])? {
        Some([Some(a), Some(b), out]) if out.is_none_or(|out| out.is_none()) => product(a, b, "dot"),
        _ => numpy_counted(call, "dot"),
    }
}

/// NumPy's `may_share_memory`, by byte ranges.
#[pyfunction]
#[pyo3(signature = (a, b, /, max_work=None), text_signature = "(a, b, /, max_work=0)")]
fn may_share_memory<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    max_work: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    shared(a, b, max_work, "may_share_memory")
}

/// NumPy's `shares_memory`, exactly.
#[pyfunction]
#[pyo3(signature = (a, b, /, max_work=None), text_signature = "(a, b, /, max_work=-1)")]
fn shares_memory<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    max_work: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    shared(a, b, max_work, "shares_memory")
}

fn shared<'py>(
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    max_work: Option<&Bound<'py, PyAny>>,
    name: &'static str,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let mut outlines = None;
    if let (Ok(x), Ok(y)) = (a.cast::<NdArray>(), b.cast::<NdArray>()) {
        let (x, y) = (x.open(), y.open());
        let (x, y) = (x.array(py)?, y.array(py)?);
        if !x.may_share_memory(y) {
            return Ok(pyo3::types::PyBool::new(py, false).to_owned().into_any());
        }
        if let (Some(there), Some(too)) = (x.exported_address(), y.exported_address()) {
            // NumPy would get copies of exported device memory, so it gets arrays with the layout on the device.
            outlines = Some([numpy_without_owner(py, x, there)?, numpy_without_owner(py, y, too)?]);
        }
    }
    let args = match outlines {
        Some(outlines) => outlines,
        None => [a, b].map(Bound::clone),
    };
    let kwargs = PyDict::new(py);
    if let Some(work) = max_work {
        kwargs.set_item("max_work", work)?;
    }
    numpy_with(py, name, &args, Some(&kwargs), false)
}

/// `broadcast_to(x, shape)`: a read-only view of `x`, broadcast to a shape.
#[pyfunction]
fn broadcast_to<'py>(x: &Bound<'py, NdArray>, shape: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = x.py();
    if let Some(shape) = shape_of(shape)
        && let Ok(view) = x.open().array(py)?.broadcast_to(&shape)
    {
        return crate::object::construct::view_of(x, view);
    }
    numpy_with(py, "broadcast_to", &[x.as_any(), shape].map(Bound::clone), None, false)
}

/// Whether a `numpy.dtype` is native.
#[pyfunction]
fn is_native(dtype: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(dtype::of_descriptor(dtype)?.is_some())
}

/// The product of two vectors of one length; `None` for any other call.
fn vector_product<'py>(call: Arguments<'_, 'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let ([a, b], None) = (call.positions(), call.names()) else { return Ok(None) };
    let (Ok(a), Ok(b)) = (a.cast_exact::<NdArray>(), b.cast_exact::<NdArray>()) else { return Ok(None) };
    let (x, y) = (a.open(), b.open());
    let (Some(x), Some(y)) = (x.dense(), y.dense()) else { return Ok(None) };
    if x.ndim() != 1 || x.shape() != y.shape() || x.dtype().is_complex() {
        return Ok(None);
    }
    dot_of(x, y).ok().map(|product| wrap(call.py(), product)).transpose()
}

/// NumPy's `inner` or `vdot`: what is no product of two vectors is left to NumPy, where both are its arrays, or to the function of
/// `fastnp._functions.linear_algebra`.
fn inner_product<'py>(call: Arguments<'_, 'py>, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    if let ([a, b], None) = (call.positions(), call.names())
        && is_numpys(a)
        && is_numpys(b)
    {
        return numpy_on_its_own(py, name, call.positions(), true);
    }
    if let Some(product) = vector_product(call)? {
        return Ok(product);
    }
    let function = py.import("fastnp._functions.linear_algebra")?.getattr(name)?;
    function.call(call.tuple()?, Some(&call.dict()?))
}

/// `count_true(x)`: how many elements of a bool array are true.
fn count_true<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = call.py();
    let Some(Ok(array)) = call.sole().map(|value| value.cast_exact::<NdArray>()) else {
        return Err(PyTypeError::new_err("count_true takes one array"));
    };
    let me = array.open();
    let count = match me.selection() {
        Some(selection) => to_py_result(py, selection.reduce(Reduction::CountNonzero).and_then(|count| count.item()))?,
        None => {
            let array = me.array(py)?;
            match to_py_result(py, array.reduce_now(Reduction::CountNonzero))? {
                Some(count) => count,
                None => {
                    to_py_result(py, array.reduce(Reduction::CountNonzero, None, None, false).and_then(|n| n.item()))?
                }
            }
        }
    };
    Ok(count.to_i64().into_pyobject(py)?.into_any())
}

/// An op of arrays and numbers as a step of a function, under whose name floating-point flags are reported; `None` where it does not run
/// natively.
#[pyfunction]
#[pyo3(signature = (function, name, *args))]
fn apply_step<'py>(function: &str, name: &str, args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = args.py();
    let op = Op::from_name(name).filter(|op| op.arity() == args.len());
    let op = op.ok_or_else(|| PyValueError::new_err(format!("{name} is no op of {} operands", args.len())))?;
    let objects: SmallVec<[Bound<'py, PyAny>; 2]> = args.iter().collect();
    let parsed = objects.iter().map(parse_any).collect::<PyResult<SmallVec<[Arg<'_>; 2]>>>()?;
    let options = Options { step_of: Some(FunctionName::new(function)), ..Options::default() };
    match apply_with_options(py, op, &parsed, options)? {
        Ok(result) => new_object(py, result).map(Some),
        Err(_) => Ok(None),
    }
}

/// NumPy's `divmod` of two arguments; any other call in general.
fn divmod<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let ([a, b], None) = (call.positions(), call.named().next())
        && let Some(both) = crate::call::ufunc_call::divmod(a, b)?
    {
        return Ok(both);
    }
    in_general(call, "divmod")
}

/// NumPy's `modf` of one array of floats; any other call in general.
fn modf<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(x) = call.sole()
        && let Some(both) = crate::call::ufunc_call::modf(x)?
    {
        return Ok(both);
    }
    in_general(call, "modf")
}

/// NumPy's `ldexp` of an array; any other call in general.
fn ldexp<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let ([x, exponent], None) = (call.positions(), call.named().next())
        && let Some(scaled) = crate::call::ldexp::ldexp(x, exponent)?
    {
        return Ok(scaled);
    }
    in_general(call, "ldexp")
}

/// NumPy's `frexp` of an array; any other call in general.
fn frexp<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    match crate::call::frexp::frexp(call)? {
        Some(both) => Ok(both),
        None => in_general(call, "frexp"),
    }
}

/// A call of a ufunc outside the op table that the extension leaves.
fn in_general<'py>(call: Arguments<'_, 'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let general = call.py().import("fastnp._functions.elementwise")?.getattr("in_general")?;
    general.call1((name, call.tuple()?, call.dict()?))
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    macro_rules! functions {
        ($($name:ident)*) => { $(module.add_function(wrap_pyfunction!($name, module)?)?;)* };
    }
    functions! { where_ broadcast_to may_share_memory shares_memory is_native apply_step }
    crate::interpreter::fastcall::add(
        module,
        &[
            (c"dot", c"dot(a, b, out=None)\n--\n\n", entry!(dot)),
            (c"divmod", c"divmod(x1, x2, /)\n--\n\n", entry!(divmod)),
            (c"modf", c"modf(x, /)\n--\n\n", entry!(modf)),
            (c"frexp", c"frexp(x, /)\n--\n\n", entry!(frexp)),
            (c"ldexp", c"ldexp(x1, x2, /)\n--\n\n", entry!(ldexp)),
            (c"matmul", c"matmul(x1, x2, /)\n--\n\n", entry!(matmul)),
            (c"inner", c"inner(a, b, /)\n--\n\n", entry!(|call| inner_product(call, "inner"))),
            (c"vdot", c"vdot(a, b, /)\n--\n\n", entry!(|call| inner_product(call, "vdot"))),
            (c"count_true", c"count_true(x, /)\n--\n\n", entry!(count_true)),
        ],
    )
}
