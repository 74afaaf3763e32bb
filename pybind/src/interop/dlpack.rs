//! DLPack: memory exchanged with other libraries without a copy, in capsules with a deleter.
//!
//! Host memory goes through NumPy (`fastnp._interop.interchange` decides that), so that every detail is NumPy's. Device memory is exported and
//! imported here. The structures are those of `dlpack.h`, version 1, and of the version before it.

use crate::interop::device_import::{ImportedMemory, import_array};
use crate::interop::numpy_memory::numpy_of;
use crate::interpreter::error::to_py_result;
use crate::object::construct::new_object;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, DeviceExport, Export, Kind, MAX_DIMS, Order, Owner};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::any::Any;
use std::ffi::{CStr, c_void};

type Object<'py> = Bound<'py, PyAny>;

/// The host's device type and ordinal.
const HOST: (i32, i32) = (1, 0);
/// The version of DLPack that is implemented here.
const VERSION: [u32; 2] = [1, 0];
const READ_ONLY: u64 = 1;
const COPIED: u64 = 2;

#[repr(C)]
struct Tensor {
    data: *mut u8,
    device: [i32; 2],
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Versioned {
    version: [u32; 2],
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

#[repr(C)]
struct Unversioned {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

/// One of the two structures that capsules hold.
trait Managed: Sized + 'static {
    /// The name of a capsule, and the name it gets when a consumer takes its tensor.
    const NAME: &CStr;
    const USED: &CStr;

    fn new(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self;

    /// The function that releases it.
    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)>;
}

impl Managed for Versioned {
    const NAME: &CStr = c"dltensor_versioned";
    const USED: &CStr = c"used_dltensor_versioned";

    fn new(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Versioned { version: VERSION, context: std::ptr::null_mut(), deleter: Some(deleter), flags, tensor }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

impl Managed for Unversioned {
    const NAME: &CStr = c"dltensor";
    const USED: &CStr = c"used_dltensor";

    fn new(tensor: Tensor, _: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self {
        Unversioned { tensor, context: std::ptr::null_mut(), deleter: Some(deleter) }
    }

    fn deleter(&self) -> Option<unsafe extern "C" fn(*mut Self)> {
        self.deleter
    }
}

/// An exported tensor with all that it points to.
#[repr(C)]
struct ExportedTensor<M> {
    managed: M,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    memory: TensorMemory,
}

/// The export that keeps the memory alive.
enum TensorMemory {
    Export(Export),
    DeviceExport(DeviceExport),
}

impl TensorMemory {
    fn address(&self) -> *mut u8 {
        match self {
            TensorMemory::Export(export) => export.address(),
            TensorMemory::DeviceExport(export) => export.address(),
        }
    }

    fn device(&self) -> (i32, i32) {
        match self {
            TensorMemory::Export(_) => HOST,
            TensorMemory::DeviceExport(export) => export.dlpack_device(),
        }
    }
}

/// Releases an exported tensor; called by its consumer, on any thread.
unsafe extern "C" fn release<M>(managed: *mut M) {
    // After the interpreter's end the memory is not released any more.
    let _ = Python::try_attach(|_| {
        // SAFETY: the pointer is to the first field of what `new_capsule` leaked, and its consumer calls this once.
        drop(unsafe { Box::from_raw(managed.cast::<ExportedTensor<M>>()) });
    });
}

/// The destructor of our capsules: releases a tensor without a consumer.
unsafe extern "C" fn discard<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it with the capsule, which keeps its name until a consumer takes the tensor.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) != 0 {
            release(ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast::<M>());
        }
    }
}

/// A new capsule with an array's memory, which `memory` keeps alive.
fn new_capsule<'py, M: Managed>(
    py: Python<'py>,
    array: &Array,
    memory: TensorMemory,
    flags: u64,
) -> PyResult<Object<'py>> {
    let size = array.dtype().size() as isize;
    let shape: Box<[i64]> = array.shape().iter().map(|&n| n as i64).collect();
    let strides: Box<[i64]> = array.strides().iter().map(|&s| (s / size) as i64).collect();
    let (code, bits) = code_of(array.dtype());
    let device = memory.device();
    let tensor = Tensor {
        data: memory.address(),
        device: [device.0, device.1],
        ndim: shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: shape.as_ptr().cast_mut(),
        strides: strides.as_ptr().cast_mut(),
        byte_offset: 0,
    };
    let managed = M::new(tensor, flags, release::<M>);
    let new_capsule = Box::into_raw(Box::new(ExportedTensor { managed, shape, strides, memory }));
    // SAFETY: the pointer is not null, and the destructor knows its type.
    let capsule = unsafe { ffi::PyCapsule_New(new_capsule.cast(), M::NAME.as_ptr(), Some(discard::<M>)) };
    if capsule.is_null() {
        // SAFETY: there is no capsule, so the pointer has no other copy.
        drop(unsafe { Box::from_raw(new_capsule) });
    }
    // SAFETY: a new reference, or null with an error set.
    unsafe { Bound::from_owned_ptr_or_err(py, capsule) }
}

/// DLPack's code and bits of a type.
fn code_of(dtype: DType) -> (u8, u8) {
    let code = match dtype.kind() {
        Kind::Signed => 0,
        Kind::Unsigned => 1,
        Kind::Float => 2,
        Kind::Complex => 5,
        Kind::Bool => 6,
    };
    (code, 8 * dtype.size() as u8)
}

/// The arguments of `__dlpack__`.
struct ExportRequest {
    is_versioned: bool,
    device: Option<(i32, i32)>,
    copy: Option<bool>,
}

impl ExportRequest {
    /// # Errors
    /// `TypeError`, with NumPy's text.
    fn read(
        version: Option<&Object<'_>>,
        device: Option<&Object<'_>>,
        copy: Option<&Object<'_>>,
    ) -> PyResult<ExportRequest> {
        let is_versioned = match version {
            None => false,
            Some(version) => {
                let pair = version.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
                let none = || PyTypeError::new_err("max_version must be None or a tuple with two elements.");
                pair.ok_or_else(none)?.get_item(0)?.extract::<i64>()? >= VERSION[0] as i64
            }
        };
        let device = match device {
            None => None,
            Some(device) if !device.is_instance_of::<PyTuple>() => {
                return Err(PyTypeError::new_err("dl_device must be a tuple"));
            }
            Some(device) => Some(device.extract()?),
        };
        Ok(ExportRequest { is_versioned, device, copy: copy.map(|copy| copy.is_truthy()).transpose()? })
    }

    /// The capsule of the requested version.
    fn new_capsule<'py>(
        &self,
        py: Python<'py>,
        array: &Array,
        memory: TensorMemory,
        flags: u64,
    ) -> PyResult<Object<'py>> {
        if self.is_versioned {
            new_capsule::<Versioned>(py, array, memory, flags)
        } else {
            new_capsule::<Unversioned>(py, array, memory, flags)
        }
    }
}

/// `__dlpack__` of an array on a device.
fn export_device_array<'py>(
    py: Python<'py>,
    array: &Array,
    device_of_array: (i32, i32),
    request: &ExportRequest,
) -> PyResult<Object<'py>> {
    if request.device == Some(HOST) {
        if request.copy == Some(false) {
            return Err(PyBufferError::new_err("the array is on a device: on the host there can only be a copy of it"));
        }
        let copy = to_py_result(py, array.copy(Order::K))?;
        let export = to_py_result(py, copy.export())?;
        return request.new_capsule(py, &copy, TensorMemory::Export(export), COPIED);
    }
    if request.device.is_some_and(|device| device != device_of_array) {
        return Err(PyBufferError::new_err("unsupported device requested"));
    }
    let is_copied = request.copy == Some(true);
    let flags = match (is_copied, array.is_writeable()) {
        (true, _) => COPIED,
        (false, true) => 0,
        (false, false) => READ_ONLY,
    };
    if flags == READ_ONLY && !request.is_versioned {
        return Err(PyBufferError::new_err(
            "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack \
             version).",
        ));
    }
    let size = array.dtype().size() as isize;
    let is_stepped = |(n, stride): (&usize, &isize)| *n != 1 && stride % size != 0;
    if !is_copied && array.size() > 0 && array.shape().iter().zip(array.strides()).any(is_stepped) {
        return Err(PyBufferError::new_err("DLPack only supports strides which are a multiple of itemsize."));
    }
    let array = if is_copied { &to_py_result(py, array.copy(Order::K))? } else { array };
    let export = to_py_result(py, array.export_on_device())?;
    request.new_capsule(py, array, TensorMemory::DeviceExport(export), flags)
}

#[pymethods]
impl NdArray {
    /// A capsule of the array's memory. On the host it is NumPy's; on a device the memory is exported until the capsule, or its consumer,
    /// releases it. The device is synchronized first, so any stream is valid.
    #[pyo3(
        signature = (*, stream=None, max_version=None, dl_device=None, copy=None),
        text_signature = "($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)"
    )]
    fn __dlpack__<'py>(
        this: &Bound<'py, Self>,
        stream: Option<&Object<'py>>,
        max_version: Option<&Object<'py>>,
        dl_device: Option<&Object<'py>>,
        copy: Option<&Object<'py>>,
    ) -> PyResult<Object<'py>> {
        let (py, me) = (this.py(), this.open());
        let array = me.array(py)?;
        if let Some(device_of_array) = array.dlpack_device() {
            return export_device_array(
                py,
                array,
                device_of_array,
                &ExportRequest::read(max_version, dl_device, copy)?,
            );
        }
        let kwargs = PyDict::new(py);
        for (name, value) in
            [("stream", stream), ("max_version", max_version), ("dl_device", dl_device), ("copy", copy)]
        {
            kwargs.set_item(name, value)?;
        }
        numpy_of(this)?.call_method("__dlpack__", (), Some(&kwargs))
    }

    /// DLPack's type and ordinal of the device that `__dlpack__` exports memory on: the one that it is exported on already, else the
    /// current one.
    fn __dlpack_device__(this: &Bound<'_, Self>) -> PyResult<(i32, i32)> {
        Ok(this.open().array(this.py())?.dlpack_device().unwrap_or(HOST))
    }
}

/// A tensor taken from a capsule. Dropping it releases the memory.
struct ImportedTensor<M: Managed>(*mut M);

// SAFETY: DLPack's deleters may be called on any thread.
unsafe impl<M: Managed> Send for ImportedTensor<M> {}
// SAFETY: only the drop reads it.
unsafe impl<M: Managed> Sync for ImportedTensor<M> {}

impl<M: Managed> Owner for ImportedTensor<M> {
    fn is_shared(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<M: Managed> Drop for ImportedTensor<M> {
    fn drop(&mut self) {
        let _ = Python::try_attach(|_| {
            // SAFETY: it was taken from a capsule, lives until its deleter is called, and only this calls that.
            unsafe {
                if let Some(deleter) = (*self.0).deleter() {
                    deleter(self.0);
                }
            }
        });
    }
}

/// `from_capsule(capsule, copy)`: an array on the device memory of a capsule, whose tensor is taken. It is copied only if the elements
/// are unaligned and `copy` is not False.
#[pyfunction]
pub(crate) fn from_capsule<'py>(capsule: &Object<'py>, copy: Option<bool>) -> PyResult<Object<'py>> {
    if let Some(versioned) = memory::<Versioned>(capsule) {
        // SAFETY: a capsule of this name holds this structure, whose first fields are the same in every version.
        let ([major, minor], flags) = unsafe { ((*versioned).version, (*versioned).flags) };
        if major != VERSION[0] {
            return Err(PyBufferError::new_err(format!(
                "from_dlpack(): the exported DLPack major version is too high to be imported by this version: {major}.{minor}"
            )));
        }
        // SAFETY: as above, and of this version.
        let tensor = unsafe { &(*versioned).tensor };
        return import_tensor(capsule, versioned, tensor, flags & READ_ONLY == 0, copy);
    }
    match memory::<Unversioned>(capsule) {
        // Without a version there is no read-only flag, so the array is read-only, as in NumPy.
        // SAFETY: a capsule of this name holds this structure.
        Some(managed) => import_tensor(capsule, managed, unsafe { &(*managed).tensor }, false, copy),
        None => Err(PyValueError::new_err("__dlpack__ gave no capsule, or one that was taken already")),
    }
}

/// The structure in a capsule, if the capsule has its name.
fn memory<M: Managed>(capsule: &Object<'_>) -> Option<*mut M> {
    // SAFETY: any object may be checked; a capsule of the name has a pointer.
    unsafe {
        let is_one = ffi::PyCapsule_IsValid(capsule.as_ptr(), M::NAME.as_ptr()) != 0;
        is_one.then(|| ffi::PyCapsule_GetPointer(capsule.as_ptr(), M::NAME.as_ptr()).cast::<M>())
    }
}

/// An array on the tensor of a capsule. The tensor is taken after all checks but that for the device.
fn import_tensor<'py, M: Managed>(
    capsule: &Object<'py>,
    managed: *mut M,
    tensor: &Tensor,
    writeable: bool,
    copy: Option<bool>,
) -> PyResult<Object<'py>> {
    let py = capsule.py();
    if !(0..=MAX_DIMS as i32).contains(&tensor.ndim) {
        return Err(PyRuntimeError::new_err("maxdims of DLPack tensor is higher than the supported maxdims."));
    }
    if tensor.lanes != 1 {
        return Err(PyBufferError::new_err("Unsupported lanes in DLTensor dtype."));
    }
    let known = |&d: &DType| code_of(d) == (tensor.code, tensor.bits);
    let Some(dtype) = DType::ALL.into_iter().find(known) else {
        return Err(PyBufferError::new_err("Unsupported dtype in DLTensor."));
    };
    let list = |at: *mut i64| {
        // SAFETY: DLPack's arrays have an item for each axis, and are null only without axes.
        let items = if at.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(at, tensor.ndim as usize) } };
        items.to_vec()
    };
    let strides = (!tensor.strides.is_null() && tensor.ndim > 0)
        .then(|| list(tensor.strides).iter().map(|&s| s as isize * dtype.size() as isize).collect());
    let memory = ImportedMemory {
        device: (tensor.device[0], tensor.device[1]),
        address: tensor.data.wrapping_add(tensor.byte_offset as usize),
        shape: list(tensor.shape).iter().map(|&n| n as usize).collect(),
        strides,
        dtype,
        writeable,
    };
    memory.check(copy)?;
    // SAFETY: the name is static; from here on the owner releases the tensor.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) } != 0 {
        return Err(PyErr::fetch(py));
    }
    new_object(py, import_array(py, memory, Box::new(ImportedTensor(managed)))?)
}
