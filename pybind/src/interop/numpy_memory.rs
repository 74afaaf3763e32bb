//! Memory shared with NumPy: arrays imported from NumPy and exported to it, without a copy.

use crate::interop::bytes_owner::BytesOwner;
use crate::interop::device_import::DeviceOwner;
use crate::interop::lent;
use crate::interpreter::dtype;
use crate::interpreter::dtype::not_native;
use crate::interpreter::error::{to_py_err, to_py_result};
use crate::object::header::is_numpys;
use crate::object::ndarray::{NdArray, root};
use crate::object::payload::{Open, Payload, Repr};
use fastnp::{Array, DType, Export, Layout, LentElements, Order, Owner, Shape, Strides};
use numpy::npyffi::{
    self, NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS, NPY_ARRAY_OWNDATA, NPY_ARRAY_WRITEABLE,
    PY_ARRAY_API, PyArrayObject,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMemoryView, PySequence, PyTuple};
use pyo3::{Borrowed, ffi};
use smallvec::SmallVec;
use std::any::Any;
use std::ffi::c_int;

/// Size up to which a new NumPy array is copied: a copy takes 2 to 3 µs. Of 800 KB it took as long as the function that made them.
const MAX_COPIED_BYTES: usize = 1 << 16;

/// Keeps exported memory alive: the base of the NumPy arrays on it.
#[pyclass(name = "Memory", module = "fastnp._fastnp", frozen)]
pub(crate) struct Memory {
    pub(crate) export: Export,
    /// The array that owns the memory. It becomes the base of arrays that are imported back.
    pub(crate) root: Option<Py<NdArray>>,
}

#[pymethods]
impl Memory {
    /// The whole memory, read-only. NumPy uses its bounds when an array's strides are set.
    unsafe fn __getbuffer__(this: &Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let (start, bytes) = this.get().export.memory();
        // SAFETY: the object keeps the memory alive, and the buffer keeps the object.
        if unsafe { ffi::PyBuffer_FillInfo(view, this.as_ptr(), start.cast(), bytes as isize, 1, flags) } != 0 {
            return Err(PyErr::fetch(this.py()));
        }
        Ok(())
    }
}

/// A NumPy array that owns the memory of an imported array.
struct NumpyOwner {
    array: Py<PyAny>,
    /// A second reference, if a user handed the array in. NumPy's `resize` reallocates an array with at most two references, which it
    /// takes for a variable of its caller and that of the call; ours must not be mistaken for either.
    users: Option<Py<PyAny>>,
}

impl Owner for NumpyOwner {
    /// A user's array is shared for good: the program may have kept its address or a weak reference. Any other array is shared
    /// while something else references it. Callers hold the GIL, so reading reference counts is sound; the core never calls this
    /// from its own threads.
    fn is_shared(&self) -> bool {
        // SAFETY: the owner keeps the array alive.
        self.users.is_some() || unsafe { !is_sole_way(self.array.as_ptr()) }
    }

    fn is_private(&self) -> bool {
        self.users.is_none()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether the one reference to an object is the only way to its memory: the object is a NumPy array that owns the memory, or a view
/// of a base that owns it, or of bytes, that nothing else references, and there are no weak references.
///
/// # Safety
/// The object is alive and the GIL is held.
unsafe fn is_sole_way(mut at: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract; an array keeps its base alive, and each base is checked before it is read as an array.
    unsafe {
        let class = ffi::Py_TYPE(at);
        loop {
            if ffi::Py_TYPE(at) != class || ffi::Py_REFCNT(at) > 1 {
                return false;
            }
            let fields = &(*at.cast::<PyArrayObject>()).fields;
            if !fields.weakreflist.is_null() {
                return false;
            }
            if fields.base.is_null() {
                return fields.flags & NPY_ARRAY_OWNDATA != 0;
            }
            if ffi::PyBytes_CheckExact(fields.base) != 0 {
                // What NumPy unpickles stays in the bytes of the pickle.
                return ffi::Py_REFCNT(fields.base) == 1;
            }
            at = fields.base;
        }
    }
}

/// A NumPy array on the evaluated memory of an array object, writeable if the array is. If the memory is exported on a device it is a
/// read-only copy, because a write to it would be missing on the device.
pub(crate) fn numpy_of<'py>(this: &Bound<'py, NdArray>) -> PyResult<Bound<'py, PyAny>> {
    let me = this.open();
    to_numpy(this.py(), me.array(this.py())?, Some(root(this, &me)))
}

pub(crate) fn to_numpy<'py>(py: Python<'py>, array: &Array, root: Option<Py<NdArray>>) -> PyResult<Bound<'py, PyAny>> {
    if array.is_exported_on_device() {
        let mut copy = crate::interpreter::error::to_py_result(py, array.copy(Order::K))?;
        copy.set_writeable(false);
        return to_numpy(py, &copy, None);
    }
    crate::interpreter::error::to_py_result(py, array.address())?;
    let export = array.export().map_err(|e| to_py_err(py, e))?;
    let address = export.address();
    let made = numpy_without_owner(py, array, address)?;
    let memory = Bound::new(py, Memory { export, root })?;
    // SAFETY: the object is a NumPy array without a base, which takes over the reference; the base keeps alive the memory that the
    // address, shape and strides describe. It is evaluated.
    if unsafe { PY_ARRAY_API.PyArray_SetBaseObject(py, made.as_ptr().cast(), memory.into_ptr()) } != 0 {
        return Err(PyErr::fetch(py));
    }
    Ok(made)
}

/// A NumPy array with the shape, strides and type of an array, on memory without an owner. Only its layout may be used, not its
/// elements.
pub(crate) fn numpy_without_owner<'py>(
    py: Python<'py>,
    array: &Array,
    address: *mut u8,
) -> PyResult<Bound<'py, PyAny>> {
    let mut shape: SmallVec<[npyffi::npy_intp; 4]> = array.shape().iter().map(|&n| n as npyffi::npy_intp).collect();
    let mut strides: SmallVec<[npyffi::npy_intp; 4]> = array.strides().iter().map(|&s| s as npyffi::npy_intp).collect();
    let descriptor = dtype::descriptor(py, array.dtype())?;
    let flags = if array.is_writeable() { NPY_ARRAY_WRITEABLE } else { 0 };
    // SAFETY: NumPy does not access the memory here; it takes over the descriptor's reference.
    unsafe {
        let made = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type),
            descriptor.into_ptr().cast(),
            shape.len() as i32,
            shape.as_mut_ptr(),
            strides.as_mut_ptr(),
            address.cast(),
            flags,
            std::ptr::null_mut(),
        );
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// A NumPy array of a native type to read from: on its memory, or a copy if that is unaligned, or new and small.
///
/// # Errors
/// `TypeError` if the element type is not native.
pub(crate) fn from_numpy(object: &Bound<'_, PyAny>) -> PyResult<Array> {
    let py = object.py();
    if let Some(array) = copy_if_new(object)? {
        return Ok(array);
    }
    let imported = match import(object) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => adopt(&object.call_method1("copy", ("K",))?),
        imported => imported,
    };
    imported?.array(py).cloned()
}

/// Up to this size an operand is copied: that takes 40 ns and 20 ns a kilobyte, a share in the memory and its end 200 ns.
pub(crate) const MAX_COPIED_OPERAND: usize = 8 << 10;

/// A NumPy array of a native type as an operand of one operation, which means its elements as they are now: a copy of few, else its memory.
/// `None` for another type.
pub(crate) fn operand(object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    if let Some(array) = copy_of(object, |bytes| bytes <= MAX_COPIED_OPERAND)? {
        return Ok(Some(array));
    }
    match ArrayFields::of(object).dtype()? {
        Some(_) => from_numpy(object).map(Some),
        None => Ok(None),
    }
}

/// The elements of a NumPy array of a native type, with axes, dense in row-major order and aligned, for one operation.
///
/// # Safety
/// They are used before code of Python's runs.
pub(crate) unsafe fn lent_elements<'a>(object: &'a Bound<'_, PyAny>) -> PyResult<Option<LentElements<'a>>> {
    let header = ArrayFields::of(object);
    let needed = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
    if header.flags & needed != needed || header.shape.is_empty() {
        return Ok(None);
    }
    Ok(header.dtype()?.map(|dtype| LentElements { start: header.address, shape: header.shape, dtype }))
}

/// A copy of a small new NumPy array of a native type, to which only the caller has a reference. NumPy aligns memory to 16 bytes only,
/// and its reference counts must be checked at every use.
fn copy_if_new(object: &Bound<'_, PyAny>) -> PyResult<Option<Array>> {
    if !is_numpys(object) || !is_new(object) {
        return Ok(None);
    }
    copy_of(object, |bytes| bytes <= MAX_COPIED_BYTES)
}

/// Whether a NumPy array owns its memory, and only the caller has a reference to it.
#[inline]
fn is_new(numpys: &Bound<'_, PyAny>) -> bool {
    let needed = NPY_ARRAY_OWNDATA | NPY_ARRAY_WRITEABLE;
    // SAFETY: the object is alive.
    let is_alone = unsafe { ffi::Py_REFCNT(numpys.as_ptr()) } == 1;
    // SAFETY: the object is a NumPy array.
    let fields = unsafe { &(*numpys.as_ptr().cast::<PyArrayObject>()).fields };
    is_alone && fields.flags & needed == needed && fields.weakreflist.is_null()
}

/// The array of ours for a NumPy array that a call returned, if it is small and new: most results are.
#[inline]
pub(crate) fn adopt_if_small<'py>(numpys: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_new(numpys) { copied_if_small(numpys) } else { Ok(None) }
}

/// An array of ours with the elements of a NumPy array, if they are few and dense, and of a native type.
fn copied_if_small<'py>(numpys: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let header = ArrayFields::of(numpys);
    let Some(dtype) = header.dtype()? else { return Ok(None) };
    if !header.is_dense(dtype) || header.bytes(dtype) > MAX_COPIED_BYTES {
        return Ok(None);
    }
    // SAFETY: NumPy vouches for the elements of its array, which fill so many bytes from the first one on.
    let copy = unsafe { Array::shown_from_memory(header.address, header.shape, header.strides, dtype) };
    match copy {
        Ok(array) => crate::object::construct::new_object(numpys.py(), array).map(Some),
        Err(_) => Ok(None),
    }
}

/// The array of ours for a NumPy array that a call returned, if it is new: nothing else references it or its memory. `None` for any
/// other object, and for types that are not native.
pub(crate) fn adopt_if_new<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = object.py();
    // SAFETY: the object is alive, and its class is checked before it is read as an array.
    let is_new = is_numpys(object) && unsafe { is_sole_way(object.as_ptr()) };
    if !is_new {
        return Ok(None);
    }
    // A copy takes 40 ns, a share in the memory and its end 200. Nothing else sees the memory, also where it is that of another array of NumPy's.
    let is_writeable = ArrayFields::of(object).flags & NPY_ARRAY_WRITEABLE != 0;
    let is_arrays = || base_of_numpys(object).flatten().is_none_or(|base| is_numpys(&base));
    if is_writeable
        && is_arrays()
        && let Some(ours) = copied_if_small(object)?
    {
        return Ok(Some(ours));
    }
    match adopt(object) {
        Ok(payload) => crate::object::construct::new_object(py, payload).map(Some),
        Err(error) if error.is_instance_of::<PyTypeError>(py) => Ok(None),
        Err(error) => Err(error),
    }
}

/// [`adopt_if_new`] of each item of a new tuple or list, in place.
fn adopt_new_items(result: &Bound<'_, PyAny>) -> PyResult<()> {
    let (is_tuple, is_list) = (result.is_instance_of::<PyTuple>(), result.is_exact_instance_of::<PyList>());
    // SAFETY: the object is alive.
    if !(is_tuple || is_list) || unsafe { ffi::Py_REFCNT(result.as_ptr()) } != 1 {
        return Ok(());
    }
    // SAFETY: a tuple or list to which this is the only reference, so its items may be replaced. An item is read by a borrowed reference, so
    // that the count is that of others; replacing the item drops it, and the call takes over the reference to the new one.
    unsafe {
        let read = if is_tuple { ffi::PyTuple_GetItem } else { ffi::PyList_GetItem };
        let replace = if is_tuple { ffi::PyTuple_SetItem } else { ffi::PyList_SetItem };
        for i in 0..ffi::PyObject_Length(result.as_ptr()) {
            let item = std::mem::ManuallyDrop::new(Bound::from_owned_ptr(result.py(), read(result.as_ptr(), i)));
            if let Some(ours) = adopt_if_new(&item)?
                && replace(result.as_ptr(), i, ours.into_ptr()) != 0
            {
                return Err(PyErr::fetch(result.py()));
            }
        }
    }
    Ok(())
}

/// A copy of a NumPy array, with its strides, if its class is exactly NumPy's, its type native, its elements without gaps, and
/// `suits` accepts its size.
pub(crate) fn copy_of(object: &Bound<'_, PyAny>, suits: impl FnOnce(usize) -> bool) -> PyResult<Option<Array>> {
    if !is_numpys(object) {
        return Ok(None);
    }
    let header = ArrayFields::of(object);
    let Some(dtype) = header.dtype()? else { return Ok(None) };
    if !header.is_dense(dtype) || !suits(header.bytes(dtype)) {
        return Ok(None);
    }
    // SAFETY: NumPy vouches for the elements of its array, which fill so many bytes from the first one on.
    Ok(unsafe { Array::from_memory(header.address, header.shape, header.strides, dtype) }.ok())
}

/// Whether an object is an array of NumPy's class, or one derived from it, but not of ours.
pub(crate) fn is_numpy(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    if is_numpys(object) {
        return Ok(true);
    }
    let array = dtype::types(object.py())?.array.as_ptr().cast();
    // SAFETY: the class of an object, and NumPy's, whose metaclass is Python's own.
    Ok(!object.is_exact_instance_of::<NdArray>()
        && unsafe { ffi::PyType_IsSubtype(ffi::Py_TYPE(object.as_ptr()), array) != 0 })
}

/// The shape and type of a NumPy array, and the order in which it is dense; `None` if its type is not native, or it has gaps or another
/// order.
pub(crate) fn dense_form(object: &Bound<'_, PyAny>) -> PyResult<Option<(Shape, DType, Order)>> {
    let header = ArrayFields::of(object);
    let order = match header.flags {
        flags if flags & NPY_ARRAY_C_CONTIGUOUS != 0 => Order::C,
        flags if flags & NPY_ARRAY_F_CONTIGUOUS != 0 => Order::F,
        _ => return Ok(None),
    };
    Ok(header.dtype()?.map(|dtype| (Shape::from_slice(header.shape), dtype, order)))
}

/// Whether the elements of a NumPy array are of a native type.
pub(crate) fn has_native_type(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    // SAFETY: the object is a NumPy array, which holds a reference to its type.
    let descriptor =
        unsafe { Borrowed::from_ptr(object.py(), (*object.as_ptr().cast::<PyArrayObject>()).fields.descr.cast()) };
    // SAFETY: the type of an array.
    Ok(unsafe { dtype::of_descriptor_unchecked(&descriptor)? }.is_some())
}

/// Whether a NumPy array has axes and is dense in an order.
pub(crate) fn is_dense(object: &Bound<'_, PyAny>, order: Order) -> bool {
    let header = ArrayFields::of(object);
    let flag = if order == Order::C { NPY_ARRAY_C_CONTIGUOUS } else { NPY_ARRAY_F_CONTIGUOUS };
    header.flags & flag != 0 && !header.shape.is_empty()
}

/// What an array keeps for each of its axes.
///
/// # Safety
/// There are so many values at the address, which are not written while the slice is used.
unsafe fn axes_at<'a, T>(at: *const T, axes: c_int) -> &'a [T] {
    // SAFETY: the caller's contract; without axes the address may be null.
    if axes == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, axes as usize) } }
}

/// The first fields of a NumPy array.
pub(crate) struct ArrayFields<'a, 'py> {
    address: *mut u8,
    shape: &'a [usize],
    strides: &'a [isize],
    descriptor: Borrowed<'a, 'py, PyAny>,
    flags: c_int,
}

impl<'a, 'py> ArrayFields<'a, 'py> {
    /// The core type of the elements, if there is one.
    fn dtype(&self) -> PyResult<Option<DType>> {
        // SAFETY: the type of an array.
        unsafe { dtype::of_descriptor_unchecked(&self.descriptor) }
    }

    /// How many bytes the elements take.
    #[inline]
    fn bytes(&self, dtype: DType) -> usize {
        self.shape.iter().product::<usize>() * dtype.size()
    }

    /// Whether the elements, of this type, fill memory from the first one on without gaps.
    #[inline]
    fn is_dense(&self, dtype: DType) -> bool {
        self.flags & (NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS) != 0
            || self.layout().extent(dtype.size()) == (0, self.bytes(dtype) as isize)
    }

    /// Shape and strides, with the offset zero.
    fn layout(&self) -> Layout {
        Layout { shape: Shape::from_slice(self.shape), strides: Strides::from_slice(self.strides), offset: 0 }
    }

    /// The header of an object with the layout of NumPy's arrays, for code that does not run any of Python's before it is done with it.
    fn of(object: &'a Bound<'py, PyAny>) -> ArrayFields<'a, 'py> {
        // SAFETY: the header is read while the GIL is held and the object is alive; it holds a reference to its descriptor.
        unsafe {
            let fields = &(*object.as_ptr().cast::<PyArrayObject>()).fields;
            ArrayFields {
                address: fields.data.cast(),
                shape: axes_at(fields.dimensions.cast::<usize>(), fields.nd),
                strides: axes_at(fields.strides, fields.nd),
                descriptor: Borrowed::from_ptr(object.py(), fields.descr.cast()),
                flags: fields.flags,
            }
        }
    }
}

/// The payload for the memory of a NumPy array that a user handed in: a view of the array that exported it, if it is ours.
///
/// # Errors
/// `TypeError` if the element type is not native, or the elements are unaligned: writes to a copy would be missing in the
/// original. `ValueError` if it is a view of our memory that reaches outside.
pub(crate) fn import(object: &Bound<'_, PyAny>) -> PyResult<Payload> {
    import_owned(object, true)
}

/// [`import`] of an array that no user has had: its memory is private once nothing else references it.
pub(crate) fn adopt(object: &Bound<'_, PyAny>) -> PyResult<Payload> {
    import_owned(object, false)
}

fn import_owned(object: &Bound<'_, PyAny>, is_users: bool) -> PyResult<Payload> {
    if !is_numpy(object)? {
        return Err(not_native("an object that is no numpy.ndarray"));
    }
    let header = ArrayFields::of(object);
    let Some(dtype) = header.dtype()? else {
        return Err(not_native(&header.descriptor.str()?.to_string_lossy()));
    };
    let layout = header.layout();
    let ArrayFields { address, descriptor, flags, .. } = header;
    if !layout.is_aligned(address.addr(), dtype.align()) {
        return Err(not_native(&format!("unaligned {}", descriptor.str()?.to_string_lossy())));
    }
    let writeable = flags & NPY_ARRAY_WRITEABLE != 0;
    if let Some(array) = find_exported(object, address, dtype, &layout, writeable)? {
        return Ok(array);
    }
    if let Some((start, whole)) = Array::at_guarded_address(address) {
        // Another library made an array on memory of ours.
        let layout = Layout { offset: address.addr().wrapping_sub(start) as isize, ..layout };
        let mut array = to_py_result(object.py(), whole.view_as(dtype, layout))?;
        array.set_writeable(writeable);
        return Ok(array.into());
    }
    let (low, high) = layout.extent(dtype.size());
    let layout = Layout { offset: -low, ..layout };
    let array = object.clone().unbind();
    let owner = Box::new(NumpyOwner { users: is_users.then(|| array.clone_ref(object.py())), array });
    // SAFETY: NumPy vouches for the elements of its array, which the owner keeps alive; alignment was checked.
    let array = unsafe {
        Array::from_foreign(address.wrapping_offset(low), (high - low) as usize, layout, dtype, writeable, owner)
    };
    Ok(array.into())
}

/// The base of an array of exactly NumPy's class, if it has one; the outer `None` for any other object.
fn base_of_numpys<'py>(object: &Bound<'py, PyAny>) -> Option<Option<Bound<'py, PyAny>>> {
    if !is_numpys(object) {
        return None;
    }
    // SAFETY: the class was checked; an array holds a reference to its base.
    let base = unsafe { (*object.as_ptr().cast::<PyArrayObject>()).fields.base };
    // SAFETY: as above.
    Some(unsafe { Bound::from_borrowed_ptr_or_opt(object.py(), base) })
}

/// The core's own storage, if the NumPy array's memory was exported from it.
///
/// # Errors
/// `ValueError` if the array reaches outside of it.
fn find_exported(
    object: &Bound<'_, PyAny>,
    address: *mut u8,
    dtype: DType,
    layout: &Layout,
    writeable: bool,
) -> PyResult<Option<Payload>> {
    let py = object.py();
    let mut base = object.clone();
    loop {
        if let Some(next) = base_of_numpys(&base) {
            match next.or_else(|| lent::owner_of(&base)) {
                Some(next) => base = next,
                None => return Ok(None),
            }
            continue;
        }
        if let Ok(ours) = base.cast_exact::<NdArray>() {
            // NumPy made a view of an array of ours.
            let me = ours.open();
            let whole = me.array(py)?;
            let offset = (address as isize).wrapping_sub(to_py_result(py, whole.shown_address())? as isize);
            let layout = Layout { offset: whole.layout().offset.wrapping_add(offset), ..layout.clone() };
            let Ok(mut array) = whole.view_as(dtype, layout) else {
                return Err(PyValueError::new_err("strides is not compatible with available memory"));
            };
            array.set_writeable(writeable);
            return Ok(Some(Payload { repr: Repr::Dense(array), base: Some(root(ours, &me)) }));
        }
        if let Ok(memory) = base.cast_exact::<Memory>() {
            let memory = memory.get();
            let (start, _) = memory.export.memory();
            let offset = (address as isize).wrapping_sub(start as isize);
            let layout = Layout { offset, ..layout.clone() };
            let Ok(array) = memory.export.array(dtype, layout, writeable) else {
                return Err(PyValueError::new_err("strides is not compatible with available memory"));
            };
            let base = memory.root.as_ref().map(|r| r.clone_ref(py));
            return Ok(Some(Payload { repr: Repr::Dense(array), base }));
        }
        if base.is_exact_instance_of::<PyMemoryView>() {
            // NumPy made this view of our buffer; its `obj` is the array that exported the buffer.
            base = base.getattr("obj")?;
            continue;
        }
        if !is_numpy(&base)? {
            return Ok(None);
        }
        // SAFETY: `base` is a NumPy array; the borrowed base object lives as long as it does.
        let next = unsafe { Bound::from_borrowed_ptr_or_opt(py, (*base.as_ptr().cast::<PyArrayObject>()).fields.base) };
        match next {
            Some(next) => base = next,
            None => return Ok(None),
        }
    }
}

/// The object that owns an imported array's memory: a NumPy array, `bytes`, or an object with device memory. `None` if only this array
/// references it, which then behaves as if it owned the memory.
pub(crate) fn owner_object<'py>(py: Python<'py>, array: &Array) -> Option<Bound<'py, PyAny>> {
    let owner = array.owner()?;
    if let Some(DeviceOwner(object)) = owner.as_any().downcast_ref() {
        return Some(object.bind(py).clone());
    }
    if let Some(bytes) = owner.as_any().downcast_ref::<BytesOwner>() {
        return Some(bytes.object(py));
    }
    let is_shared = owner.is_shared();
    let owner = owner.as_any().downcast_ref::<NumpyOwner>()?.array.bind(py);
    // SAFETY: the owner of foreign memory is a NumPy array; its base is null or an object that it references.
    let base = unsafe { Bound::from_borrowed_ptr_or_opt(py, (*owner.as_ptr().cast::<PyArrayObject>()).fields.base) };
    // If NumPy made the array on the memory of another object (a buffer, a memory map), that object is the owner.
    let other = base.filter(|base| !base.is_instance(owner.get_type().as_any()).unwrap_or(true));
    if is_shared { Some(other.unwrap_or_else(|| owner.clone())) } else { other }
}

/// `to_numpy(x)`: a NumPy array on the same memory.
#[pyfunction(name = "to_numpy")]
pub(crate) fn py_to_numpy<'py>(array: &Bound<'py, NdArray>) -> PyResult<Bound<'py, PyAny>> {
    numpy_of(array)
}

/// `from_numpy(a)`: an array on the same memory.
#[pyfunction(name = "from_numpy")]
pub(crate) fn py_from_numpy<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    crate::object::construct::new_object(array.py(), import(array)?)
}

/// `adopt(a)`: an array on the memory of a NumPy array that no user has had.
#[pyfunction(name = "adopt")]
pub(crate) fn py_adopt<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    crate::object::construct::new_object(array.py(), adopt(array)?)
}

/// `call_numpy(function, args, kwargs=None)`: the result of a NumPy function on these arguments; new arrays, also in a tuple or list, become
/// arrays of ours.
#[pyfunction]
#[pyo3(signature = (function, args, kwargs=None, /))]
pub(crate) fn call_numpy<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyAny>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let args = match args.cast::<PyTuple>() {
        Ok(args) => args.clone(),
        Err(_) => args.cast::<PySequence>()?.to_tuple()?,
    };
    let result = function.call(args, kwargs.filter(|kwargs| !kwargs.is_empty()))?;
    if let Some(ours) = adopt_if_new(&result)? {
        return Ok(ours);
    }
    adopt_new_items(&result)?;
    Ok(result)
}
