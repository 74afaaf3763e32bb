//! Attributes of arrays.

use crate::foreign::to_numpy;
use crate::ndarray::{NdArray, Repr, object};
use crate::{deliver, dtype};
use fastnp::DType;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

#[pymethods]
impl NdArray {
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array(py)?.shape())
    }

    #[setter]
    fn set_shape(&mut self, py: Python<'_>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        let array = self.array(py)?;
        let shape = crate::methods::shape_of(shape, array.size())?;
        let view = deliver(py, array.reshape(&shape))?;
        if !view.same_storage(array) {
            return Err(PyAttributeError::new_err(
                "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired shape.",
            ));
        }
        self.repr = Repr::Dense(view);
        Ok(())
    }

    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.array(py)?.strides())
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dtype = match self.selection() {
            Some(selection) => selection.dtype(),
            None => self.array(py)?.dtype(),
        };
        dtype::descriptor(py, dtype)
    }

    #[getter]
    fn ndim(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(match self.selection() {
            Some(_) => 1,
            None => self.array(py)?.ndim(),
        })
    }

    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<usize> {
        match self.selection() {
            Some(selection) => deliver(py, selection.count()),
            None => Ok(self.array(py)?.size()),
        }
    }

    #[getter]
    fn itemsize(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.array(py)?.dtype().size())
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.array(py)?.nbytes())
    }

    #[getter(T)]
    fn transposed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        object(py, self.array(py)?.t())
    }

    #[getter(mT)]
    fn matrix_transposed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        let n = array.ndim() as isize;
        if n < 2 {
            return Err(PyValueError::new_err("matrix transpose with ndim < 2 is undefined"));
        }
        let axes: Vec<isize> = (0..n - 2).chain([n - 1, n - 2]).collect();
        object(py, deliver(py, array.transpose(&axes))?)
    }

    #[getter]
    fn real<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = this.py();
        let me = this.borrow();
        let array = me.array(py)?;
        if array.dtype().is_complex() { object(py, array.real()) } else { Ok(this.as_any().clone()) }
    }

    #[setter]
    fn set_real(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = NdArray::real(this)?;
        view.set_item(this.py().Ellipsis(), value)
    }

    #[getter]
    fn imag<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array(py)?;
        match array.imag() {
            Some(view) => object(py, view),
            None => {
                let mut zeros = deliver(
                    py,
                    fastnp::Array::full(array.shape(), fastnp::Scalar::zero(array.dtype()), fastnp::Order::C),
                )?;
                zeros.set_writeable(false);
                object(py, zeros)
            }
        }
    }

    #[setter]
    fn set_imag(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match self.array(py)?.imag() {
            Some(view) => object(py, view)?.set_item(py.Ellipsis(), value),
            None => Err(PyTypeError::new_err("array does not have imaginary part to set")),
        }
    }

    #[getter]
    fn flags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, self.array(py)?)?.getattr("flags")
    }

    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let array = self.array(py)?;
        if let Some(owner) = crate::foreign::owner_object(py, array) {
            return Ok(Some(owner));
        }
        if array.nbytes() == array.storage_bytes() && array.is_writeable() {
            return Ok(None);
        }
        let layout = fastnp::Layout::dense(&[array.storage_bytes() / array.dtype().size()], array.dtype().size());
        object(py, deliver(py, array.view_as(array.dtype(), layout))?).map(Some)
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, self.array(py)?)?.getattr("__array_interface__")
    }

    #[getter]
    fn data<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, self.array(py)?)?.getattr("data")
    }

    #[getter]
    fn ctypes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_numpy(py, self.array(py)?)?.getattr("ctypes")
    }

    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }
}

/// The engine type of an array or a selection.
pub(crate) fn dtype_of(py: Python<'_>, array: &NdArray) -> PyResult<DType> {
    match array.selection() {
        Some(selection) => Ok(selection.dtype()),
        None => Ok(array.array(py)?.dtype()),
    }
}
