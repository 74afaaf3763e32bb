//! Special methods of the array class that are neither binary operators nor protocols: powers, comparisons, truth, length, text.

use crate::call::ufunc_call::{binary, compare, divmod, is_derived, unary};
use crate::interpreter::error::to_py_result;
use crate::interpreter::fallback::fallback;
use crate::interpreter::raw_call::call_python;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use crate::object::raw_slots::{array_at, of_array};
use fastnp::Op;
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyTuple, PyType};
use std::ffi::c_void;

/// `divmod(a, b)`, one of which is an array object.
fn divided<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match divmod(a, b)? {
        Some(both) => Ok(both),
        None => fallback(a.py(), "ufunc")?.call1(("divmod", "__call__", (a, b), PyDict::new(a.py()))),
    }
}

/// `this ** other` where `other` goes first. A class that derives from NumPy's array may leave it to the array, as `matrix` does: Python
/// has asked it already where the array's class is NumPy's.
#[cold]
fn power_of_derived<'py>(this: &Bound<'py, NdArray>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = this.py();
    if !is_derived(other)? {
        return Ok(py.NotImplemented().into_bound(py));
    }
    let reflected = other.call_method1("__rpow__", (this,))?;
    if !reflected.is(py.NotImplemented()) {
        return Ok(reflected);
    }
    fallback(py, "ufunc")?.call1(("power", "__call__", (this, other), PyDict::new(py)))
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
        crate::class::metaclass::construct(cls.py(), args, kwargs)
    }

    fn __pow__<'py>(
        this: &Bound<'py, Self>,
        other: &Bound<'py, PyAny>,
        modulo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if modulo.is_none() {
            // Unlike the ufunc, NumPy's operator squares for the int exponent 2; squares of booleans are int8.
            let py = this.py();
            if other.is_exact_instance_of::<PyInt>() && other.eq(2)? {
                let base = this.open();
                if base.dtype(py)? == fastnp::DType::Bool {
                    return crate::call::ufunc_call::wrap(
                        py,
                        crate::interpreter::error::to_py_result(py, base.array(py)?.cast(fastnp::DType::I8))?,
                    );
                }
                if let Some(flags) = base.selection().filter(|s| s.dtype() == fastnp::DType::Bool) {
                    let squared = crate::interpreter::error::to_py_result(py, flags.cast(fastnp::DType::I8))?;
                    return new_object(py, squared);
                }
            }
            let result = binary(Op::Power, this.as_any(), other)?;
            if result.is(this.py().NotImplemented()) { power_of_derived(this, other) } else { Ok(result) }
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

    fn __divmod__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        if crate::call::ufunc_call::defers_to(other)? {
            return Ok(py.NotImplemented().into_bound(py));
        }
        divided(this.as_any(), other)
    }

    fn __rdivmod__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        divided(other, this.as_any())
    }

    fn __matmul__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if crate::call::ufunc_call::defers_to(other)? {
            return Ok(this.py().NotImplemented().into_bound(this.py()));
        }
        crate::call::functions::product(this.as_any(), other, "matmul")
    }

    fn __rmatmul__<'py>(this: &Bound<'py, Self>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        crate::call::functions::product(other, this.as_any(), "matmul")
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
        compare(op, this.as_any(), other)
    }

    /// NumPy's arrays do not concatenate by `+`, and `operator.concat` raises this text.
    fn __concat__(&self, _other: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely on \
             this error; it may not be given on all Python implementations.",
        ))
    }

    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        let me = self.payload.open(py);
        let array = me.array(py)?;
        match array.size() {
            1 => Ok(to_py_result(py, array.item())?.truth()),
            0 => Err(PyValueError::new_err(
                "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty.",
            )),
            _ => Err(PyValueError::new_err(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()",
            )),
        }
    }

    fn __contains__(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        let equal = this.as_any().rich_compare(value, CompareOp::Eq)?;
        match equal.cast::<PyBool>() {
            // Neither operand compares with the other.
            Ok(same) => Ok(same.is_true()),
            Err(_) => equal.call_method0("any")?.is_truthy(),
        }
    }

    fn __iter__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::index::subscript::iterate(this)
    }

    fn __repr__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::interop::numpy_memory::numpy_of(this)?.call_method0("__repr__")
    }

    fn __str__<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        crate::interop::numpy_memory::numpy_of(this)?.call_method0("__str__")
    }

    fn __format__<'py>(this: &Bound<'py, Self>, spec: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        crate::interop::numpy_memory::numpy_of(this)?.call_method1("__format__", (spec,))
    }

    #[classattr]
    fn __array_priority__() -> f64 {
        0.0
    }
}

/// The slot of `len(this)`.
unsafe extern "C" fn length(this: *mut ffi::PyObject) -> ffi::Py_ssize_t {
    // SAFETY: Python calls the slot of a class with one of its objects and the GIL held.
    unsafe {
        call_python(-1, |py| {
            let this = array_at(py, this);
            let me = this.open();
            if let Some(selection) = me.selection() {
                return to_py_result(py, selection.count()).map(|n| n as ffi::Py_ssize_t);
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
