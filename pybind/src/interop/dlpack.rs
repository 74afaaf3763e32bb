//! DLPack: memory that other libraries use too, without a copy, by capsules that say who gives it back.
//!
//! What is on the host goes through NumPy (`fastnp._interop.interchange` decides that), so that it is NumPy's in every detail.
//! What is on a device is lent and borrowed here. The structures are those of `dlpack.h`, version 1, and of the version before it.

use crate::deliver;
use crate::interop::device_import::{Borrowed, taken};
use crate::interop::foreign::numpy_of;
use crate::object::ndarray::{NdArray, object};
use crate::object::payload::Open;
use fastnp::{Array, DType, Export, Kind, Loan, MAX_DIMS, Order, Owner};
use pyo3::exceptions::{PyBufferError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::any::Any;
use std::ffi::{CStr, c_void};

type Object<'py> = Bound<'py, PyAny>;

/// The host, as DLPack knows it.
const HOST: (i32, i32) = (1, 0);
/// The version that is spoken here.
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
    /// The name of a capsule, and its name once somebody has taken what it holds.
    const NAME: &CStr;
    const USED: &CStr;

    fn new(tensor: Tensor, flags: u64, deleter: unsafe extern "C" fn(*mut Self)) -> Self;

    /// What takes it back.
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

/// What a capsule of ours holds, and what that needs.
#[repr(C)]
struct Given<M> {
    managed: M,
    shape: Box<[i64]>,
    strides: Box<[i64]>,
    held: Held,
}

/// What keeps memory alive and open.
enum Held {
    Export(Export),
    Loan(Loan),
}

impl Held {
    fn address(&self) -> *mut u8 {
        match self {
            Held::Export(export) => export.address(),
            Held::Loan(loan) => loan.address(),
        }
    }

    fn place(&self) -> (i32, i32) {
        match self {
            Held::Export(_) => HOST,
            Held::Loan(loan) => loan.place(),
        }
    }
}

/// Takes back what a capsule of ours held; called by whoever took it, on any thread.
unsafe extern "C" fn take_back<M>(managed: *mut M) {
    // Once the interpreter is gone nobody needs the memory any more.
    let _ = Python::try_attach(|_| {
        // SAFETY: it is the first field of what `given` leaked, and its last owner's.
        drop(unsafe { Box::from_raw(managed.cast::<Given<M>>()) });
    });
}

/// The destructor of our capsules: takes back what nobody took.
unsafe extern "C" fn discard<M: Managed>(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it with the capsule, which still has its name if what it holds was not taken.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, M::NAME.as_ptr()) != 0 {
            take_back(ffi::PyCapsule_GetPointer(capsule, M::NAME.as_ptr()).cast::<M>());
        }
    }
}

/// A capsule of an array's memory, which `held` keeps open.
fn given<'py, M: Managed>(py: Python<'py>, array: &Array, held: Held, flags: u64) -> PyResult<Object<'py>> {
    let size = array.dtype().size() as isize;
    let shape: Box<[i64]> = array.shape().iter().map(|&n| n as i64).collect();
    let strides: Box<[i64]> = array.strides().iter().map(|&s| (s / size) as i64).collect();
    let (code, bits) = code_of(array.dtype());
    let place = held.place();
    let tensor = Tensor {
        data: held.address(),
        device: [place.0, place.1],
        ndim: shape.len() as i32,
        code,
        bits,
        lanes: 1,
        shape: shape.as_ptr().cast_mut(),
        strides: strides.as_ptr().cast_mut(),
        byte_offset: 0,
    };
    let managed = M::new(tensor, flags, take_back::<M>);
    let given = Box::into_raw(Box::new(Given { managed, shape, strides, held }));
    // SAFETY: the pointer is not null, and the destructor knows what it points to.
    let capsule = unsafe { ffi::PyCapsule_New(given.cast(), M::NAME.as_ptr(), Some(discard::<M>)) };
    if capsule.is_null() {
        // SAFETY: nobody else was told of it.
        drop(unsafe { Box::from_raw(given) });
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

/// What others ask for when they call `__dlpack__`.
struct Wanted {
    is_versioned: bool,
    place: Option<(i32, i32)>,
    copy: Option<bool>,
}

impl Wanted {
    /// # Errors
    /// `TypeError`, in NumPy's words.
    fn read(version: Option<&Object<'_>>, place: Option<&Object<'_>>, copy: Option<&Object<'_>>) -> PyResult<Wanted> {
        let is_versioned = match version {
            None => false,
            Some(version) => {
                let pair = version.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
                let none = || PyTypeError::new_err("max_version must be None or a tuple with two elements.");
                pair.ok_or_else(none)?.get_item(0)?.extract::<i64>()? >= VERSION[0] as i64
            }
        };
        let place = match place {
            None => None,
            Some(place) if !place.is_instance_of::<PyTuple>() => {
                return Err(PyTypeError::new_err("dl_device must be a tuple"));
            }
            Some(place) => Some(place.extract()?),
        };
        Ok(Wanted { is_versioned, place, copy: copy.map(|copy| copy.is_truthy()).transpose()? })
    }

    /// The capsule.
    fn given<'py>(&self, py: Python<'py>, array: &Array, held: Held, flags: u64) -> PyResult<Object<'py>> {
        if self.is_versioned {
            given::<Versioned>(py, array, held, flags)
        } else {
            given::<Unversioned>(py, array, held, flags)
        }
    }
}

/// `__dlpack__` of an array on a device.
fn lent<'py>(py: Python<'py>, array: &Array, here: (i32, i32), wanted: &Wanted) -> PyResult<Object<'py>> {
    if wanted.place == Some(HOST) {
        if wanted.copy == Some(false) {
            return Err(PyBufferError::new_err("the array is on a device: on the host there can only be a copy of it"));
        }
        let copy = deliver(py, array.copy(Order::K))?;
        let export = deliver(py, copy.export())?;
        return wanted.given(py, &copy, Held::Export(export), COPIED);
    }
    if wanted.place.is_some_and(|place| place != here) {
        return Err(PyBufferError::new_err("unsupported device requested"));
    }
    let is_copied = wanted.copy == Some(true);
    let flags = match (is_copied, array.is_writeable()) {
        (true, _) => COPIED,
        (false, true) => 0,
        (false, false) => READ_ONLY,
    };
    if flags == READ_ONLY && !wanted.is_versioned {
        return Err(PyBufferError::new_err(
            "Cannot export readonly array since signalling readonly is unsupported by DLPack (supported by newer DLPack \
             version).",
        ));
    }
    let size = array.dtype().size() as isize;
    if !is_copied && array.size() > 1 && array.strides().iter().any(|s| s % size != 0) {
        return Err(PyBufferError::new_err("DLPack only supports strides which are a multiple of itemsize."));
    }
    let array = if is_copied { &deliver(py, array.copy(Order::K))? } else { array };
    let loan = deliver(py, array.lend())?;
    wanted.given(py, array, Held::Loan(loan), flags)
}

#[pymethods]
impl NdArray {
    /// A capsule of the array's memory: NumPy's, where arrays are computed on the host; else of the memory on the device, which is
    /// lent until the capsule, or whoever takes what it holds, is gone. It is waited for, so that any stream will do.
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
        if let Some(here) = array.place() {
            return lent(py, array, here, &Wanted::read(max_version, dl_device, copy)?);
        }
        let kwargs = PyDict::new(py);
        for (name, value) in
            [("stream", stream), ("max_version", max_version), ("dl_device", dl_device), ("copy", copy)]
        {
            kwargs.set_item(name, value)?;
        }
        numpy_of(this)?.call_method("__dlpack__", (), Some(&kwargs))
    }

    /// Type and number of the device that `__dlpack__` gives memory on: the one that others share it on already, else the one that
    /// arrays are computed on.
    fn __dlpack_device__(this: &Bound<'_, Self>) -> PyResult<(i32, i32)> {
        Ok(this.open().array(this.py())?.place().unwrap_or(HOST))
    }
}

/// What was taken from a capsule, until it is given back.
struct Taken<M: Managed>(*mut M);

// SAFETY: DLPack lets what a capsule held be given back on any thread.
unsafe impl<M: Managed> Send for Taken<M> {}
// SAFETY: nobody looks into it but who gives it back.
unsafe impl<M: Managed> Sync for Taken<M> {}

impl<M: Managed> Owner for Taken<M> {
    fn is_shared(&self) -> bool {
        true
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl<M: Managed> Drop for Taken<M> {
    fn drop(&mut self) {
        let _ = Python::try_attach(|_| {
            // SAFETY: it was taken from a capsule, stays until its deleter is called, and nobody calls that but this.
            unsafe {
                if let Some(deleter) = (*self.0).deleter() {
                    deleter(self.0);
                }
            }
        });
    }
}

/// `from_capsule(capsule, copy)`: an array of ours on the memory of a device that a capsule holds, which is taken. Without a copy,
/// unless the elements are not aligned and `copy` is not False.
#[pyfunction]
pub(crate) fn from_capsule<'py>(capsule: &Object<'py>, copy: Option<bool>) -> PyResult<Object<'py>> {
    if let Some(versioned) = held::<Versioned>(capsule) {
        // SAFETY: a capsule of this name holds this structure, whose first fields every version has.
        let ([major, minor], flags) = unsafe { ((*versioned).version, (*versioned).flags) };
        if major != VERSION[0] {
            return Err(PyBufferError::new_err(format!(
                "from_dlpack(): the exported DLPack major version is too high to be imported by this version: {major}.{minor}"
            )));
        }
        // SAFETY: as above, and of this version.
        let tensor = unsafe { &(*versioned).tensor };
        return imported(capsule, versioned, tensor, flags & READ_ONLY == 0, copy);
    }
    match held::<Unversioned>(capsule) {
        // Nobody says whether it may be written: NumPy does not.
        // SAFETY: a capsule of this name holds this structure.
        Some(managed) => imported(capsule, managed, unsafe { &(*managed).tensor }, false, copy),
        None => Err(PyValueError::new_err("__dlpack__ gave no capsule, or one that was taken already")),
    }
}

/// What a capsule of one of the names holds.
fn held<M: Managed>(capsule: &Object<'_>) -> Option<*mut M> {
    // SAFETY: any object may be asked; what has the name has a pointer.
    unsafe {
        let is_one = ffi::PyCapsule_IsValid(capsule.as_ptr(), M::NAME.as_ptr()) != 0;
        is_one.then(|| ffi::PyCapsule_GetPointer(capsule.as_ptr(), M::NAME.as_ptr()).cast::<M>())
    }
}

/// An array on what a capsule holds, which is taken once nothing can go wrong any more but for want of a device.
fn imported<'py, M: Managed>(
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
        // SAFETY: DLPack's lists have an item for each axis, and are nowhere only where there is nothing to say.
        let items = if at.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(at, tensor.ndim as usize) } };
        items.to_vec()
    };
    let strides = (!tensor.strides.is_null() && tensor.ndim > 0)
        .then(|| list(tensor.strides).iter().map(|&s| s as isize * dtype.size() as isize).collect());
    let memory = Borrowed {
        place: (tensor.device[0], tensor.device[1]),
        address: tensor.data.wrapping_add(tensor.byte_offset as usize),
        shape: list(tensor.shape).iter().map(|&n| n as usize).collect(),
        strides,
        dtype,
        writeable,
    };
    memory.check(copy)?;
    // SAFETY: the name lives for good; from here on the owner gives back what the capsule held.
    if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), M::USED.as_ptr()) } != 0 {
        return Err(PyErr::fetch(py));
    }
    object(py, taken(py, memory, Box::new(Taken(managed)))?)
}
