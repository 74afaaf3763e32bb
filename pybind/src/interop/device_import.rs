//! Device memory: arrays on memory that another library owns, and exports to libraries that do not say when they are done.

use crate::interpreter::dtype::of_descriptor;
use crate::interpreter::error::to_py_result;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, DeviceExport, Layout, Order, Owner, Shape, Strides};
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyModule;
use std::any::Any;

/// Device memory of another library, with the layout of its elements.
pub(crate) struct ImportedMemory {
    /// DLPack's type and ordinal of the device.
    pub(crate) device: (i32, i32),
    /// The first element.
    pub(crate) address: *mut u8,
    pub(crate) shape: Shape,
    /// Byte strides; `None` if the elements are dense and row-major.
    pub(crate) strides: Option<Strides>,
    pub(crate) dtype: DType,
    pub(crate) writeable: bool,
}

impl ImportedMemory {
    fn layout(&self) -> Layout {
        match &self.strides {
            Some(strides) => Layout { shape: self.shape.clone(), strides: strides.clone(), offset: 0 },
            None => Layout::dense(&self.shape, self.dtype.size()),
        }
    }

    fn is_aligned(&self) -> bool {
        self.layout().is_aligned(self.address.addr(), self.dtype.align())
    }

    /// Checks whether an array can use it without a copy.
    ///
    /// # Errors
    /// `BufferError` if it needs a copy and `copy` is false.
    pub(crate) fn check(&self, copy: Option<bool>) -> PyResult<()> {
        if copy == Some(false) && !self.is_aligned() {
            return Err(PyBufferError::new_err("the elements are not aligned: there can only be a copy of them"));
        }
        Ok(())
    }
}

/// An array on imported memory; if that is unaligned, a read-only copy. (Writes to a copy would silently be missing in the
/// original.)
///
/// # Errors
/// `BufferError` if there is no such device.
pub(crate) fn import_array(py: Python<'_>, memory: ImportedMemory, owner: Box<dyn Owner>) -> PyResult<Array> {
    let is_aligned = memory.is_aligned();
    let mut layout = memory.layout();
    let mut dtype = memory.dtype;
    if !is_aligned {
        layout.shape.push(dtype.size());
        layout.strides.push(1);
        dtype = DType::U8;
    }
    let (low, high) = layout.extent(dtype.size());
    let layout = Layout { offset: -low, ..layout };
    let (start, bytes) = (memory.address.wrapping_offset(low), (high - low) as usize);
    // SAFETY: the exporting library vouches for the elements, which the owner keeps alive; bytes are always aligned.
    let array = unsafe { Array::from_device(memory.device, (start, bytes), layout, dtype, memory.writeable, owner) };
    let array = to_py_result(py, array)?;
    if is_aligned {
        return Ok(array);
    }
    let copy = to_py_result(py, array.copy(Order::C))?;
    let mut whole = to_py_result(py, copy.view_as(memory.dtype, Layout::dense(&memory.shape, memory.dtype.size())))?;
    whole.set_writeable(false);
    Ok(whole)
}

/// A Python object that owns device memory as long as it lives.
pub(crate) struct DeviceOwner(pub(crate) Py<PyAny>);

impl Owner for DeviceOwner {
    fn is_shared(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// `import_device_memory(owner, device, address, shape, strides, dtype, writeable, copy)`: an array on device memory that `owner` keeps alive; None
/// if the type is not native.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // what the protocol says
fn import_device_memory<'py>(
    owner: &Bound<'py, PyAny>,
    device: (i32, i32),
    address: usize,
    shape: Vec<usize>,
    strides: Option<Vec<isize>>,
    dtype: &Bound<'py, PyAny>,
    writeable: bool,
    copy: Option<bool>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = owner.py();
    let Some(dtype) = of_descriptor(dtype)? else { return Ok(None) };
    let address = std::ptr::with_exposed_provenance_mut(address);
    let (shape, strides) = (shape.into(), strides.map(Into::into));
    let memory = ImportedMemory { device, address, shape, strides, dtype, writeable };
    memory.check(copy)?;
    new_object(py, import_array(py, memory, Box::new(DeviceOwner(owner.clone().unbind())))?).map(Some)
}

/// An export of an array's device memory, until this object dies.
#[pyclass(name = "DeviceExport", module = "fastnp._fastnp", frozen)]
struct PyDeviceExport(DeviceExport);

#[pymethods]
impl PyDeviceExport {
    /// The first element's address on the device.
    #[getter]
    fn address(&self) -> usize {
        self.0.address().expose_provenance()
    }
}

/// `export_on_device(x)`: exports the memory of `x` on the device.
#[pyfunction]
fn export_on_device(x: &Bound<'_, NdArray>) -> PyResult<PyDeviceExport> {
    let py = x.py();
    to_py_result(py, x.open().array(py)?.export_on_device()).map(PyDeviceExport)
}

/// `is_exported_on_device(x)`: whether the memory of `x` is exported on a device.
#[pyfunction]
fn is_exported_on_device(x: &Bound<'_, NdArray>) -> PyResult<bool> {
    Ok(x.open().array(x.py())?.is_exported_on_device())
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyDeviceExport>()?;
    module.add_function(wrap_pyfunction!(import_device_memory, module)?)?;
    module.add_function(wrap_pyfunction!(export_on_device, module)?)?;
    module.add_function(wrap_pyfunction!(is_exported_on_device, module)?)
}
