//! Attributes of arrays.

use crate::contents::{Contents, Open, Repr};
use crate::foreign::{import, numpy_of, owner_object, to_numpy};
use crate::ndarray::{NdArray, object, view_of};
use crate::{deliver, dtype};
use fastnp::DType;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyModule, PyTuple};

type Object<'py> = Bound<'py, PyAny>;

/// Sets an attribute as NumPy does: on a view of the memory, whose shape, strides and type this array then takes over.
fn set_by_numpy(this: &Bound<'_, NdArray>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    let py = this.py();
    let array = this.open().array(py)?.clone();
    if !array.is_lent() {
        let view = numpy_of(this)?;
        view.setattr(name, value)?;
        return this.get().contents.replace(py, import(&view)?.repr);
    }
    // NumPy may not have this memory. It tells by other memory that is as large how the array would lie there.
    let zero = fastnp::Scalar::zero(DType::U8);
    let other = deliver(py, fastnp::Array::full(&[array.storage_bytes()], zero, fastnp::Order::C))?;
    let other = deliver(py, other.view_as(array.dtype(), array.layout().clone()))?;
    let view = to_numpy(py, &other, None)?;
    view.setattr(name, value)?;
    let changed = import(&view)?;
    let changed = changed.array(py)?;
    let changed = deliver(py, array.view_as(changed.dtype(), changed.layout().clone()))?;
    this.get().contents.replace(py, Repr::Dense(changed))
}

#[pymethods]
impl NdArray {
    /// Tuple of array dimensions.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.contents.open(py).array(py)?.shape())
    }

    #[setter]
    fn set_shape(this: &Bound<'_, Self>, shape: &Bound<'_, PyAny>) -> PyResult<()> {
        set_by_numpy(this, "shape", shape)
    }

    /// Tuple of bytes to step in each dimension when traversing an array.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.contents.open(py).array(py)?.strides())
    }

    #[setter]
    fn set_strides(this: &Bound<'_, Self>, strides: &Bound<'_, PyAny>) -> PyResult<()> {
        set_by_numpy(this, "strides", strides)
    }

    /// Data-type of the array's elements.
    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> PyResult<Object<'py>> {
        let dtype = dtype_of(py, &self.contents.open(py))?;
        dtype::descriptor(py, dtype)
    }

    #[setter]
    fn set_dtype(this: &Bound<'_, Self>, dtype: &Bound<'_, PyAny>) -> PyResult<()> {
        set_by_numpy(this, "dtype", dtype)
    }

    /// Number of array dimensions.
    #[getter]
    fn ndim(&self, py: Python<'_>) -> PyResult<usize> {
        let me = self.contents.open(py);
        Ok(match me.selection() {
            Some(_) => 1,
            None => me.array(py)?.ndim(),
        })
    }

    /// Number of elements in the array.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<usize> {
        let me = self.contents.open(py);
        match me.selection() {
            Some(selection) => deliver(py, selection.count()),
            None => Ok(me.array(py)?.size()),
        }
    }

    /// Length of one array element in bytes.
    #[getter]
    fn itemsize(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(dtype_of(py, &self.contents.open(py))?.size())
    }

    /// Total bytes consumed by the elements of the array.
    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.contents.open(py).array(py)?.nbytes())
    }

    /// View of the transposed array.
    #[getter(T)]
    fn transposed<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        view_of(this, this.open().array(this.py())?.t())
    }

    /// View of the matrix transposed array.
    #[getter(mT)]
    fn matrix_transposed<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let me = this.open();
        let array = me.array(this.py())?;
        let n = array.ndim() as isize;
        if n < 2 {
            return Err(PyValueError::new_err("matrix transpose with ndim < 2 is undefined"));
        }
        let axes: Vec<isize> = (0..n - 2).chain([n - 1, n - 2]).collect();
        view_of(this, deliver(this.py(), array.transpose(&axes))?)
    }

    /// The real part of the array.
    #[getter]
    fn real<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let me = this.open();
        let array = me.array(this.py())?;
        if array.dtype().is_complex() { view_of(this, array.real()) } else { Ok(this.as_any().clone()) }
    }

    #[setter]
    fn set_real(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        NdArray::real(this)?.set_item(this.py().Ellipsis(), value)
    }

    /// The imaginary part of the array.
    #[getter]
    fn imag<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let me = this.open();
        let array = me.array(this.py())?;
        if let Some(view) = array.imag() {
            return view_of(this, view);
        }
        let zero = fastnp::Scalar::zero(array.dtype());
        let mut zeros = deliver(this.py(), fastnp::Array::full(array.shape(), zero, fastnp::Order::C))?;
        zeros.set_writeable(false);
        object(this.py(), zeros)
    }

    #[setter]
    fn set_imag(this: &Bound<'_, Self>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let view = this.open().array(this.py())?.imag();
        match view {
            Some(view) => object(this.py(), view)?.set_item(this.py().Ellipsis(), value),
            None => Err(PyTypeError::new_err("array does not have imaginary part to set")),
        }
    }

    /// Information about the memory layout of the array.
    #[getter]
    fn flags<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        this.py().import("fastnp._flags")?.getattr("flagsobj")?.call1((this,))
    }

    /// Base object if memory is from some other object.
    #[getter]
    fn base<'py>(&self, py: Python<'py>) -> PyResult<Option<Object<'py>>> {
        let me = self.contents.open(py);
        if let Some(base) = &me.base {
            return Ok(Some(base.bind(py).clone().into_any()));
        }
        Ok(owner_object(py, me.array(py)?))
    }

    /// Array protocol: Python side.
    #[getter]
    fn __array_interface__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        expose(this)?.getattr("__array_interface__")
    }

    /// Array protocol: C-struct side.
    #[getter]
    fn __array_struct__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        expose(this)?.getattr("__array_struct__")
    }

    /// CUDA array interface: there only where arrays are computed on a GPU, or the memory is one's already. The memory is lent for as
    /// long as the array lives.
    #[getter]
    fn __cuda_array_interface__<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        let py = this.py();
        match this.open().array(py)?.place() {
            Some((fastnp::CUDA, _)) => py.import("fastnp._interchange")?.getattr("cuda_interface")?.call1((this,)),
            _ => Err(PyAttributeError::new_err("the array is not on a CUDA device")),
        }
    }

    /// Python buffer object pointing to the start of the array's data.
    #[getter]
    fn data<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        numpy_of(this)?.getattr("data")
    }

    /// An object to simplify the interaction of the array with the ctypes module.
    #[getter]
    fn ctypes<'py>(this: &Bound<'py, Self>) -> PyResult<Object<'py>> {
        expose(this)?.getattr("ctypes")
    }

    /// Where the array is to be found: always "cpu".
    #[getter]
    fn device(&self) -> &'static str {
        "cpu"
    }
}

/// The NumPy array of an array whose address is given away: who has it does not say when it is used no more.
///
/// # Errors
/// `BufferError` where the memory is lent on a device, and has no address on the host.
fn expose<'py>(this: &Bound<'py, NdArray>) -> PyResult<Object<'py>> {
    deliver(this.py(), this.open().array(this.py())?.expose())?;
    numpy_of(this)
}

/// The engine type of an array or a selection.
pub(crate) fn dtype_of(py: Python<'_>, array: &Contents) -> PyResult<DType> {
    match array.selection() {
        Some(selection) => Ok(selection.dtype()),
        None => Ok(array.array(py)?.dtype()),
    }
}

/// `layout_flags(x)`: whether `x` is dense in row-major order, dense in column-major order, and writeable. Computes nothing.
#[pyfunction]
fn layout_flags(py: Python<'_>, x: &NdArray) -> PyResult<(bool, bool, bool)> {
    let me = x.contents.open(py);
    let array = me.array(py)?;
    Ok((array.is_c_contiguous(), array.is_f_contiguous(), array.is_writeable()))
}

/// `set_writeable(x, value)`: lets elements of `x` be assigned, or forbids it; other views of the memory keep their own mark.
#[pyfunction]
fn set_writeable(x: &Bound<'_, NdArray>, value: bool) -> PyResult<()> {
    let mut array = x.open().array(x.py())?.clone();
    array.set_writeable(value);
    x.get().contents.replace(x.py(), Repr::Dense(array))
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(layout_flags, module)?)?;
    module.add_function(wrap_pyfunction!(set_writeable, module)?)
}
