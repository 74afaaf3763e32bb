//! The ufunc class: one object for every row of the op table.

use crate::arg::{Arg, full, quick};
use crate::call::{direct, general, unary, with_options, wrap};
use crate::contents::Open;
use crate::dtype::{Asked, asked};
use crate::fallback;
use crate::ndarray::NdArray;
use fastnp::{Op, Options};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use smallvec::SmallVec;

/// A function that works element by element.
#[pyclass(name = "ufunc", module = "fastnp", frozen, weakref)]
pub(crate) struct Ufunc {
    op: Op,
    /// NumPy's own.
    original: Py<PyAny>,
}

impl Ufunc {
    fn elsewhere<'py>(
        &self,
        py: Python<'py>,
        method: &str,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let kwargs = kwargs.cloned().unwrap_or_else(|| PyDict::new(py));
        fallback(py, "ufunc")?.call1((self.op.name(), method, args, kwargs))
    }

    /// The call with `out=` (or one more argument), `dtype=` or `casting="same_kind"`; none where NumPy has to do it.
    fn with_keywords<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let arity = self.op.arity();
        let mut out = (args.len() == arity + 1).then(|| args.get_item(arity)).transpose()?;
        let mut dtype = None;
        for (name, value) in kwargs.into_iter().flat_map(|k| k.iter()) {
            match name.cast::<PyString>()?.to_str()? {
                "out" => {
                    out = match value.cast::<PyTuple>() {
                        Ok(tuple) if tuple.len() == 1 => Some(tuple.get_item(0)?),
                        Ok(_) => return Ok(None),
                        Err(_) => Some(value),
                    };
                }
                "dtype" if value.is_none() => {}
                "dtype" => match asked(&value)? {
                    Asked::Native(d) => dtype = Some(d),
                    Asked::Other => return Ok(None),
                },
                "where" if value.is(pyo3::types::PyBool::new(py, true).as_any()) => {}
                "subok" | "order" if value.extract::<String>().is_ok_and(|o| o == "K") => {}
                _ => return Ok(None),
            }
        }
        let out = out.filter(|o| !o.is_none());
        let objects = args.iter().take(arity).collect::<SmallVec<[Bound<'_, PyAny>; 2]>>();
        let inputs = objects.iter().map(full).collect::<PyResult<SmallVec<[Arg<'_>; 2]>>>()?;
        let Some(out) = out else {
            let result = with_options(py, self.op, &inputs, Options { dtype, ..Options::default() })?;
            return result.map(|r| wrap(py, r)).transpose();
        };
        let Ok(target) = out.cast_exact::<NdArray>() else { return Ok(None) };
        let target = target.open();
        let options = Options { out: Some(target.array(py)?), dtype, casting: None };
        Ok(with_options(py, self.op, &inputs, options)?.map(|_| out.clone()))
    }
}

#[pymethods]
impl Ufunc {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let plain = kwargs.is_none_or(|k| k.is_empty());
        let arity = self.op.arity();
        let ours = args.iter_borrowed().any(|a| a.is_instance_of::<NdArray>());
        if plain && args.len() == arity && ours {
            let first = args.get_item(0)?;
            if arity == 1 {
                return unary(self.op, &first);
            }
            let second = args.get_item(1)?;
            if let Some(result) = direct(self.op, &first, &second)? {
                return Ok(result);
            }
            return general(self.op, &[&first, &second]);
        }
        if ours
            && (args.len() == arity || args.len() == arity + 1)
            && let Some(result) = self.with_keywords(py, args, kwargs)?
        {
            return Ok(result);
        }
        if !ours && plain && args.iter_borrowed().all(|a| matches!(quick(&a), Ok(Arg::Number(_)))) {
            // Numbers alone are nothing of ours.
            return self.original.bind(py).call1(args);
        }
        self.elsewhere(py, "__call__", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let method = match self.op {
            Op::Add => Some("sum"),
            Op::Multiply => Some("prod"),
            Op::Minimum => Some("min"),
            Op::Maximum => Some("max"),
            Op::LogicalAnd => Some("all"),
            Op::LogicalOr => Some("any"),
            _ => None,
        };
        // `reduce` folds the first axis unless told otherwise; a lone array is the common call.
        if let (Some(method), true) = (method, args.len() <= 2 && !args.is_empty())
            && let Ok(array) = args.get_item(0)?.cast_exact::<NdArray>()
            && kwargs.is_none_or(|k| k.len() == k.contains("axis").unwrap_or(false) as usize)
        {
            let axis = match (args.len(), kwargs.and_then(|k| k.get_item("axis").ok().flatten())) {
                (2, None) => args.get_item(1)?,
                (1, Some(axis)) => axis,
                _ => 0i32.into_pyobject(py)?.into_any(),
            };
            let bools = array.open().array(py)?.dtype() == fastnp::DType::Bool;
            if !(bools && matches!(self.op, Op::Add | Op::Multiply)) && array.open().array(py)?.ndim() > 0 {
                return array.call_method1(method, (axis,));
            }
        }
        self.elsewhere(py, "reduce", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn accumulate<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.elsewhere(py, "accumulate", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn reduceat<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.elsewhere(py, "reduceat", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn outer<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if args.len() == 2
            && kwargs.is_none_or(|k| k.is_empty())
            && self.op.arity() == 2
            && let (Ok(a), Ok(b)) =
                (args.get_item(0)?.cast_exact::<NdArray>(), args.get_item(1)?.cast_exact::<NdArray>())
        {
            let (left, right) = (a.open(), b.open());
            let (left, right) = (left.array(py)?, right.array(py)?);
            let mut shape = left.shape_vec();
            shape.extend(std::iter::repeat_n(1, right.ndim()));
            let mut layout = left.layout().clone();
            layout.strides.extend(std::iter::repeat_n(0, right.ndim()));
            layout.shape = shape;
            if layout.shape.len() <= fastnp::MAX_DIMS
                && let Ok(column) = left.view_as(left.dtype(), layout)
                && let Ok(result) = fastnp::apply(self.op, &[(&column).into(), right.into()])
            {
                return wrap(py, result);
            }
        }
        self.elsewhere(py, "outer", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn at<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.elsewhere(py, "at", args, kwargs)
    }

    #[pyo3(signature = (*args, **kwargs))]
    fn resolve_dtypes<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.original.bind(py).call_method("resolve_dtypes", args, kwargs)
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.op.name()
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.op.name()
    }

    fn __repr__(&self) -> String {
        format!("<ufunc '{}'>", self.op.name())
    }

    fn __reduce__(&self) -> &'static str {
        self.op.name()
    }

    fn __getattr__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        self.original.bind(py).getattr(name)
    }
}

/// Adds the class's objects to the module, as `UFUNCS`.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let all = PyDict::new(py);
    let numpy = py.import("numpy")?;
    for &op in Op::ALL {
        let original = numpy.getattr(op.name())?.unbind();
        all.set_item(op.name(), Bound::new(py, Ufunc { op, original })?)?;
    }
    if all.is_empty() {
        return Err(PyTypeError::new_err("the op table is empty"));
    }
    module.add("UFUNCS", all)
}

/// NumPy's ufunc objects by address, with their ops, in the order of addresses.
static BY_ADDRESS: PyOnceLock<Vec<(usize, Op)>> = PyOnceLock::new();

/// What a call of a NumPy ufunc, `args` being the ufunc, its method and the inputs, is natively; none where somebody else
/// has to decide.
pub(crate) fn called_by_numpy<'py>(args: &Bound<'py, PyTuple>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = args.py();
    let known = BY_ADDRESS.get_or_try_init(py, || {
        let numpy = py.import("numpy")?;
        let address = |&op: &Op| Ok::<_, PyErr>((numpy.getattr(op.name())?.as_ptr() as usize, op));
        let mut known = Op::ALL.iter().map(address).collect::<PyResult<Vec<_>>>()?;
        known.sort_unstable_by_key(|k| k.0);
        Ok::<_, PyErr>(known)
    })?;
    if args.len() < 3 {
        return Ok(None);
    }
    let (ufunc, method) = (args.get_borrowed_item(0)?, args.get_borrowed_item(1)?);
    let Ok(at) = known.binary_search_by_key(&(ufunc.as_ptr() as usize), |k| k.0) else { return Ok(None) };
    let op = known[at].1;
    if args.len() != 2 + op.arity() || method.cast::<PyString>()?.to_str()? != "__call__" {
        return Ok(None);
    }
    // Arrays of ours and numbers only: any other class may want a say.
    let first = args.get_borrowed_item(2)?;
    if op.arity() == 2 {
        return crate::call::direct(op, &first, &*args.get_borrowed_item(3)?);
    }
    if first.is_exact_instance_of::<NdArray>() { unary(op, &first).map(Some) } else { Ok(None) }
}
