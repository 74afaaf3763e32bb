//! The array class: its state, its operators, iteration and conversion to Python's own types.

use crate::call::argument::{Arg, full, quick};
use crate::call::ufunc_call::{binary, in_place, unary};
use crate::object::payload::{Contents, ContentsCell, Open, Repr};
use crate::object::raw_slots::{answer, array_at, of_array};
use crate::{deliver, fallback};
use fastnp::{Array, Op};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString, PyTuple, PyType};
use std::ffi::c_void;

/// An n-dimensional array whose elements are computed when somebody needs them.
///
/// A sequence to Python, as NumPy's. To PyO3 it is a mapping, for which it leaves a sequence's slots to us: its own makes an int of
/// every position, to read it again.
#[pyclass(name = "ndarray", module = "fastnp", frozen, weakref, mapping)]
pub(crate) struct NdArray {
    pub(crate) contents: ContentsCell,
}

impl<T: Into<Contents>> From<T> for NdArray {
    #[inline(always)]
    fn from(contents: T) -> NdArray {
        NdArray { contents: ContentsCell::new(contents.into()) }
    }
}

/// A new object of a new array, or of other contents.
#[inline(always)]
pub(crate) fn object(py: Python<'_>, contents: impl Into<Contents>) -> PyResult<Bound<'_, PyAny>> {
    Ok(crate::object::object_pool::born(py, contents)?.into_any())
}

/// A view that `lay` makes of a view of no elements of an array; or what `lay` says is wrong.
#[inline(always)]
pub(crate) fn view_laid<'py>(
    this: &Bound<'py, NdArray>,
    me: &Contents,
    array: &Array,
    lay: impl FnOnce(&mut Array) -> fastnp::Result<()>,
) -> PyResult<fastnp::Result<Bound<'py, PyAny>>> {
    let nothing = Contents { repr: Repr::Dense(array.empty_view()), base: Some(root(this, me)) };
    crate::object::object_pool::laid(this.py(), nothing, lay)
}

/// A view of an array, that knows whose memory it is.
#[inline]
pub(crate) fn view_of<'py>(this: &Bound<'py, NdArray>, view: Array) -> PyResult<Bound<'py, PyAny>> {
    view_in(this, &this.open(), view)
}

/// [`view_of`] for a caller that has the array object open already.
#[inline(always)]
pub(crate) fn view_in<'py>(this: &Bound<'py, NdArray>, me: &Contents, view: Array) -> PyResult<Bound<'py, PyAny>> {
    object(this.py(), Contents { repr: Repr::Dense(view), base: Some(root(this, me)) })
}

/// The array that a view of `this` names as its base: the one that owns the memory.
#[inline]
pub(crate) fn root(this: &Bound<'_, NdArray>, me: &Contents) -> Py<NdArray> {
    match &me.base {
        Some(base) => base.clone_ref(this.py()),
        None => this.clone().unbind(),
    }
}

/// NumPy's own method of this name on this array, entered as a fallback.
pub(crate) fn numpy_method<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    fallback(this.py(), "method")?.call1((this, name, args, kwargs))
}

/// NumPy's own method where the engine found an error: NumPy finds the same one and words it.
#[cold]
pub(crate) fn numpy_error<'py>(
    this: &Bound<'py, NdArray>,
    name: &str,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
    error: fastnp::Error,
) -> PyResult<Bound<'py, PyAny>> {
    match error.kind() {
        kind if kind.is_final() => Err(crate::call::error::raise(this.py(), error)),
        fastnp::ErrorKind::Unsupported => numpy_method(this, name, args, kwargs),
        _ => fallback(this.py(), "method_uncounted")?.call1((this, name, args, kwargs)),
    }
}

#[pymethods]
impl NdArray {
    #[new]
    #[classmethod]
    #[allow(clippy::new_ret_no_self, reason = "NumPy's own array where the type is not native")]
    #[pyo3(
        signature = (*args, **kwargs),
        text_signature = "(shape, dtype=None, buffer=None, offset=0, strides=None, order=None)"
    )]
    fn new<'py>(
        cls: &Bound<'py, PyType>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        crate::object::class::construct(cls.py(), args, kwargs)
    }

    fn __pow__<'py>(
        this: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if modulo.is_none() {
            // NumPy's operator, unlike its function, squares where the exponent is the number 2; squares of booleans are int8.
            let py = this.py();
            if other.is_exact_instance_of::<PyInt>() && other.eq(2)? {
                let base = this.open();
                if crate::object::attributes::dtype_of(py, &base)? == fastnp::DType::Bool {
                    return crate::call::ufunc_call::wrap(
                        py,
                        crate::deliver(py, base.array(py)?.cast(fastnp::DType::I8))?,
                    );
                }
                if let Some(flags) = base.selection().filter(|s| s.dtype() == fastnp::DType::Bool) {
                    let squared = crate::deliver(py, flags.cast(fastnp::DType::I8))?;
                    return object(py, squared);
                }
            }
            binary(Op::Power, this.as_any(), other)
        } else {
            Ok(this.py().NotImplemented().into_bound(this.py()))
        }
    }

    fn __rpow__<'py>(
        this: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if modulo.is_none() {
            binary(Op::Power, other, this.as_any())
        } else {
            Ok(this.py().NotImplemented().into_bound(this.py()))
        }
    }

    fn __ipow__(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>, _modulo: &Bound<'_, PyAny>) -> PyResult<()> {
        in_place(Op::Power, this, other)
    }

    fn __divmod__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        if crate::call::ufunc_call::gives_way(other)? {
            return Ok(py.NotImplemented().into_bound(py));
        }
        let args = (this, other);
        fallback(py, "ufunc")?.call1(("divmod", "__call__", args, PyDict::new(py)))
    }

    fn __rdivmod__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let args = (other, this);
        fallback(py, "ufunc")?.call1(("divmod", "__call__", args, PyDict::new(py)))
    }

    fn __matmul__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if crate::call::ufunc_call::gives_way(other)? {
            return Ok(this.py().NotImplemented().into_bound(this.py()));
        }
        crate::call::functions::product(this.as_any(), other, "matmul")
    }

    fn __rmatmul__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        crate::call::functions::product(other, this.as_any(), "matmul")
    }

    fn __imatmul__(this: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<()> {
        // Not `matmul` with `out=`: the operator takes no vector on the right.
        fallback(this.py(), "method")?.call1((this, "__imatmul__", (other,)))?;
        Ok(())
    }

    fn __neg__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        unary(Op::Negative, this.as_any())
    }

    fn __pos__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        unary(Op::Positive, this.as_any())
    }

    fn __abs__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        unary(Op::Absolute, this.as_any())
    }

    fn __invert__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        unary(Op::Invert, this.as_any())
    }

    fn __richcmp__<'py>(
        this: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        how: CompareOp,
    ) -> PyResult<Bound<'py, PyAny>> {
        let op = match how {
            CompareOp::Lt => Op::Less,
            CompareOp::Le => Op::LessEqual,
            CompareOp::Eq => Op::Equal,
            CompareOp::Ne => Op::NotEqual,
            CompareOp::Gt => Op::Greater,
            CompareOp::Ge => Op::GreaterEqual,
        };
        if matches!(op, Op::Equal | Op::NotEqual)
            && matches!(quick(other)?, Arg::Other)
            && matches!(full(other)?, Arg::Other)
            && !crate::call::ufunc_call::gives_way(other)?
        {
            // What cannot be compared is unequal, which the ufunc does not know.
            let name = if op == Op::Equal { "__eq__" } else { "__ne__" };
            return fallback(this.py(), "comparison")?.call1((this, name, other));
        }
        binary(op, this.as_any(), other)
    }

    /// NumPy's arrays do not join by `+`, and say so to `operator.concat`.
    fn __concat__(&self, _other: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on \
             this error; it may not be given on all Python implementations.",
        ))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let me = self.contents.open(py);
        let array = me.array(py)?;
        match array.size() {
            1 => Ok(deliver(py, array.item())?.truth()),
            0 => Err(PyValueError::new_err(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
            )),
            _ => Err(PyValueError::new_err(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            )),
        }
    }

    fn __contains__(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        binary(Op::Equal, this.as_any(), value)?.call_method0("any")?.is_truthy()
    }

    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::index::subscript::iterate(this)
    }

    fn __repr__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::interop::foreign::numpy_of(this)?.call_method0("__repr__")
    }

    fn __str__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::interop::foreign::numpy_of(this)?.call_method0("__str__")
    }

    fn __format__<'py>(this: &Bound<'py, Self>, spec: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        crate::interop::foreign::numpy_of(this)?.call_method1("__format__", (spec,))
    }

    #[classattr]
    fn __array_priority__() -> f64 {
        0.0
    }

    /// What `isinstance` asks where the type does not answer: an array of ours counts as NumPy's, so that packages which ask
    /// take it for an array; `docs/neighbours.md` has what each of them does otherwise.
    #[getter]
    fn __class__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyType>> {
        Ok(crate::call::dtype::types(this.py())?.array.bind(this.py()).clone())
    }

    #[setter(__class__)]
    fn set_class(this: &Bound<'_, Self>, class: &Bound<'_, PyAny>) -> PyResult<()> {
        let object = this.py().get_type::<PyAny>();
        object.getattr("__dict__")?.get_item("__class__")?.call_method1("__set__", (this, class))?;
        Ok(())
    }
}

/// The slot of `len(this)`.
unsafe extern "C" fn length(this: *mut ffi::PyObject) -> ffi::Py_ssize_t {
    // SAFETY: Python calls the slot of a class with one of its objects and the GIL held.
    unsafe {
        answer(-1, |py| {
            let this = array_at(py, this);
            let me = this.open();
            if let Some(selection) = me.selection() {
                return deliver(py, selection.count()).map(|n| n as ffi::Py_ssize_t);
            }
            match me.array(py)?.shape().first() {
                Some(&n) => Ok(n as ffi::Py_ssize_t),
                None => Err(PyTypeError::new_err("len() of unsized object")),
            }
        })
    }
}

pyo3::inventory::submit! {
    of_array(&[], &[ffi::PyType_Slot { slot: ffi::Py_sq_length, pfunc: length as *mut c_void }])
}
