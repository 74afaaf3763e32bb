//! The header of an array object: what code outside reads of a `numpy.ndarray`, always valid.
//!
//! The class derives from NumPy's, so an object begins with NumPy's `PyArrayObject`. Compiled code that checks the class reads shape,
//! strides, type and address there without asking. They are written when the object gets its payload. The address may be a guarded one
//! ([`fastnp::guard_addresses`]), and so may that of shape and strides ([`GuardedHeader`]): the first touch of either computes the
//! contents. Flags say what NumPy's would, except that no array owns its memory as NumPy means it (`malloc`, to be reallocated by
//! `resize`).
//!
//! Where they are not guarded, shape and strides lie in a block from Python's raw allocator, as NumPy's do: compiled code that exchanges the
//! fields of two headers may give it to NumPy. (NumPy's own setters run ours: `class::numpy_entry_points`.) Block and guarded page stay with
//! the memory of the object when that is reused.

use crate::interpreter::dtype;
use crate::interpreter::error::to_py_result;
use crate::object::free_list;
use crate::object::import_table;
use fastnp::{Array, GuardedHeader, LazySelection};
use numpy::npyffi::{
    self, NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_F_CONTIGUOUS, NPY_ARRAY_OWNDATA, NPY_ARRAY_WRITEABLE,
    PyArrayObject,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::ffi;
use pyo3::impl_::pycell::{PyClassObjectBaseLayout, PyStaticClassObject};
use pyo3::impl_::pyclass::{PyClassBaseType, PyClassImpl};
use pyo3::impl_::pyclass_init::PyNativeTypeInitializer;
use pyo3::prelude::*;
use pyo3::pycell::PyBorrowError;
use pyo3::type_object::{PyLayout, PyTypeInfo};
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

/// Axes that a block of the usual size has room for.
const USUAL_AXES: usize = 4;

unsafe extern "C" {
    // In the stable ABI from 3.13 on, and exported by every Python before.
    fn PyMem_RawMalloc(bytes: usize) -> *mut c_void;
    fn PyMem_RawFree(block: *mut c_void);
}

/// `numpy.ndarray` as a base class.
pub(crate) struct NumpyArray;

// SAFETY: the type object is NumPy's.
unsafe impl PyTypeInfo for NumpyArray {
    #[inline]
    fn type_object_raw(py: Python<'_>) -> *mut ffi::PyTypeObject {
        static KNOWN: AtomicPtr<ffi::PyTypeObject> = AtomicPtr::new(std::ptr::null_mut());
        let known = KNOWN.load(Ordering::Relaxed);
        if !known.is_null() {
            return known;
        }
        // SAFETY: NumPy is imported before a class derives from its own.
        let class = unsafe { npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type) };
        KNOWN.store(class, Ordering::Relaxed);
        class
    }
}

impl PyClassBaseType for NumpyArray {
    type LayoutAsBase = Header;
    type BaseNativeType = NumpyArray;
    type Initializer = PyNativeTypeInitializer<NumpyArray>;
    type PyClassMutability = <PyAny as PyClassBaseType>::PyClassMutability;
    type Layout<T: PyClassImpl> = PyStaticClassObject<T>;
}

/// NumPy's `PyArrayObject`, and what belongs to an object's memory.
#[repr(C)]
pub(crate) struct Header {
    numpys: NumpyHeader,
    /// The block for shape and strides, and for how many axes; null before it is needed.
    block: *mut isize,
    block_axes: usize,
    guard: GuardedHeader,
    /// The address of the array of NumPy's that the object is known as the conversion of (`import_table`); zero for most.
    imported_from: usize,
}

/// NumPy's `PyArrayObject` with the fields that it does not publish.
#[repr(C)]
struct NumpyHeader {
    array: PyArrayObject,
    /// What NumPy's buffer protocol keeps.
    buffer_info: *mut c_void,
    /// The allocator of memory that NumPy owns.
    mem_handler: *mut ffi::PyObject,
}

/// Whether an object is exactly a `numpy.ndarray`.
#[inline]
pub(crate) fn is_numpys(object: &Bound<'_, PyAny>) -> bool {
    // SAFETY: every object has a type.
    unsafe { ffi::Py_TYPE(object.as_ptr()) == NumpyArray::type_object_raw(object.py()) }
}

/// Whether NumPy's arrays are as large as [`NumpyHeader`] assumes.
pub(crate) fn is_as_assumed(py: Python<'_>) -> PyResult<bool> {
    Ok(NumpyArray::type_object(py).getattr("__basicsize__")?.extract::<usize>()? == size_of::<NumpyHeader>())
}

// SAFETY: an object of the class begins so.
unsafe impl PyLayout<NumpyArray> for Header {}

impl PyClassObjectBaseLayout<NumpyArray> for Header {
    fn ensure_threadsafe(&self) {}

    fn check_threadsafe(&self) -> Result<(), PyBorrowError> {
        Ok(())
    }

    unsafe fn tp_dealloc(py: Python<'_>, this: *mut ffi::PyObject) {
        // SAFETY: the object is dead and begins with a header; its type is a heap type, of which it has a reference.
        unsafe {
            let class = ffi::Py_TYPE(this);
            Header::dealloc(py, this);
            ffi::Py_DECREF(class.cast());
        }
    }
}

/// NumPy's own `tp_dealloc`.
fn numpy_dealloc(py: Python<'_>) -> ffi::destructor {
    // SAFETY: a type always has the slot.
    unsafe {
        let slot = ffi::PyType_GetSlot(NumpyArray::type_object_raw(py), ffi::Py_tp_dealloc);
        std::mem::transmute::<*mut c_void, ffi::destructor>(slot)
    }
}

impl Header {
    /// The header of an object of the class.
    ///
    /// # Safety
    /// The object is one, and the reference is the only one to its header while it lives.
    #[inline(always)]
    unsafe fn of<'a>(object: *mut ffi::PyObject) -> &'a mut Header {
        // SAFETY: the caller's contract.
        unsafe { &mut *object.cast::<Header>() }
    }

    /// Prepares the memory of an object that was just allocated.
    ///
    /// # Safety
    /// As [`Header::of`], but for what is written here.
    pub(crate) unsafe fn init(object: *mut ffi::PyObject) {
        let header = object.cast::<Header>();
        // SAFETY: the memory of a header, whose fields are not in use.
        unsafe {
            (&raw mut (*header).block).write(std::ptr::null_mut());
            (&raw mut (*header).block_axes).write(0);
            (&raw mut (*header).guard).write(GuardedHeader::none());
            (&raw mut (*header).imported_from).write(0);
        }
    }

    /// Notes that the object leaves the table of imports when it ends.
    ///
    /// # Safety
    /// As [`Header::of`].
    #[inline]
    pub(crate) unsafe fn set_imported_from(object: *mut ffi::PyObject, numpys: usize) {
        // SAFETY: the caller's contract.
        unsafe { Header::of(object).imported_from = numpys };
    }

    /// Writes the header of a new object, whose NumPy fields are zero or those of a dead object. The array is the object's payload.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// # Safety
    /// As [`Header::of`].
    #[inline(always)]
    pub(crate) unsafe fn write(py: Python<'_>, object: *mut ffi::PyObject, array: &Array) -> PyResult<()> {
        // SAFETY: the caller's contract; the block has room for so many axes.
        unsafe {
            let header = Header::of(object);
            let descriptor = dtype::raw_descriptor(array.dtype());
            if descriptor.is_null() || array.ndim() > header.block_axes {
                return Header::write_slowly(py, object, array);
            }
            let address = match array.known_shown_address() {
                Some(address) => address,
                None => to_py_result(py, array.shown_address())?,
            };
            ffi::Py_INCREF(descriptor);
            let fields = &mut header.numpys.array.fields;
            fields.descr = descriptor.cast();
            fields.data = address.cast();
            Header::write_axes(header, array);
        }
        Ok(())
    }

    /// Writes shape, strides and flags.
    ///
    /// # Safety
    /// The block has room for the axes.
    #[inline(always)]
    unsafe fn write_axes(header: &mut Header, array: &Array) {
        let (fields, n) = (&mut header.numpys.array.fields, array.ndim());
        fields.nd = n as c_int;
        fields.flags = array_flags(array);
        // SAFETY: the page has its place in the object, as the array has.
        if let Some(page) = unsafe { header.guard.page(array) } {
            (fields.dimensions, fields.strides) = (page, page.wrapping_add(n));
            return;
        }
        (fields.dimensions, fields.strides) = (header.block, header.block.wrapping_add(n));
        for (i, (&extent, &stride)) in array.shape().iter().zip(array.strides()).enumerate() {
            // SAFETY: the caller's contract.
            unsafe {
                fields.dimensions.add(i).write(extent as isize);
                fields.strides.add(i).write(stride);
            }
        }
    }

    /// [`Header::write`] where memory for the axes is still missing.
    #[cold]
    unsafe fn write_slowly(py: Python<'_>, object: *mut ffi::PyObject, array: &Array) -> PyResult<()> {
        let address = to_py_result(py, array.shown_address())?;
        let descriptor = dtype::descriptor(py, array.dtype())?;
        // SAFETY: the caller's contract.
        unsafe {
            let header = Header::of(object);
            header.ensure_block(array.ndim())?;
            Header::write_axes(header, array);
            let fields = &mut header.numpys.array.fields;
            fields.data = address.cast();
            fields.descr = descriptor.into_ptr().cast();
        }
        Ok(())
    }

    /// Writes the header of a new object with a selection. Its length is at a guarded address too.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// # Safety
    /// As [`Header::of`].
    pub(crate) unsafe fn write_selection(
        py: Python<'_>,
        object: *mut ffi::PyObject,
        selection: &mut Box<LazySelection>,
    ) -> PyResult<()> {
        let shown = selection.show();
        let (Some((elements, length)), Some(of)) = (shown, selection.selection()) else {
            // SAFETY: the caller's contract.
            return unsafe { Header::write(py, object, to_py_result(py, selection.array())?) };
        };
        let descriptor = dtype::descriptor(py, of.dtype())?;
        // SAFETY: the caller's contract; the block has room for one axis.
        unsafe {
            let header = Header::of(object);
            header.ensure_block(1)?;
            let fields = &mut header.numpys.array.fields;
            fields.nd = 1;
            fields.dimensions = length;
            fields.strides = header.block.add(1);
            fields.strides.write(of.dtype().size() as isize);
            fields.data = elements.cast();
            fields.descr = descriptor.into_ptr().cast();
            fields.flags = NPY_ARRAY_ALIGNED | NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_WRITEABLE;
        }
        Ok(())
    }

    /// Writes the header of an object again, whose payload has changed.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// # Safety
    /// As [`Header::of`].
    pub(crate) unsafe fn rewrite(py: Python<'_>, object: *mut ffi::PyObject, array: &Array) -> PyResult<()> {
        // SAFETY: the caller's contract; the header has a reference to its type.
        unsafe {
            let before = Header::of(object).numpys.array.fields.descr;
            Header::of(object).guard.close();
            Header::write(py, object, array)?;
            ffi::Py_XDECREF(before.cast());
        }
        Ok(())
    }

    /// Whether NumPy has filled a structure of the buffer protocol for the object.
    ///
    /// # Safety
    /// As [`Header::of`].
    pub(crate) unsafe fn has_given_buffers(object: *mut ffi::PyObject) -> bool {
        // SAFETY: the caller's contract.
        unsafe { !Header::of(object).numpys.buffer_info.is_null() }
    }

    /// Makes room in the block for so many axes.
    ///
    /// # Errors
    /// `MemoryError`; then the block is as before.
    fn ensure_block(&mut self, axes: usize) -> PyResult<()> {
        if axes <= self.block_axes {
            return Ok(());
        }
        let axes = axes.max(USUAL_AXES);
        // SAFETY: a block of Python's raw allocator, as the one it replaces.
        unsafe {
            let block = PyMem_RawMalloc(2 * axes * size_of::<isize>());
            if block.is_null() {
                return Err(PyMemoryError::new_err(()));
            }
            PyMem_RawFree(self.block.cast());
            (self.block, self.block_axes) = (block.cast(), axes);
        }
        Ok(())
    }

    /// Ends an object whose payload is dropped: keeps its memory for the next, or has NumPy end it where NumPy has changed the header.
    unsafe fn dealloc(py: Python<'_>, this: *mut ffi::PyObject) {
        // SAFETY: the object is dead; what it references is dropped once.
        unsafe {
            let header = Header::of(this);
            header.guard.close();
            if header.imported_from != 0 {
                import_table::remove(py, std::mem::take(&mut header.imported_from), this);
            }
            let numpys = &mut header.numpys;
            let fields = &mut numpys.array.fields;
            if !fields.weakreflist.is_null() {
                ffi::PyObject_ClearWeakRefs(this);
            }
            let is_ours = fields.flags & NPY_ARRAY_OWNDATA == 0
                && fields.base.is_null()
                && numpys.buffer_info.is_null()
                && numpys.mem_handler.is_null();
            if !is_ours {
                let own = header.block..=header.block.wrapping_add(2 * header.block_axes);
                if GuardedHeader::is_page(fields.dimensions) || own.contains(&fields.strides) {
                    fields.dimensions = std::ptr::null_mut();
                } else {
                    // Compiled code has put a block of NumPy's there, and ours is where that was.
                    (header.block, header.block_axes) = (std::ptr::null_mut(), 0);
                }
                header.free_memory();
                return numpy_dealloc(py)(this);
            }
            // Null where the header could not be written.
            ffi::Py_XDECREF(fields.descr.cast());
            fields.descr = std::ptr::null_mut();
            if !free_list::put(py, this) {
                header.free_memory();
                ffi::PyObject_GC_Del(this.cast());
            }
        }
    }

    /// Frees the block and the page of an object whose memory is freed.
    fn free_memory(&mut self) {
        self.guard = GuardedHeader::none();
        // SAFETY: the block is Python's raw allocator's, and not used any more.
        unsafe { PyMem_RawFree(self.block.cast()) };
        (self.block, self.block_axes) = (std::ptr::null_mut(), 0);
    }
}

/// Whether a NumPy array is one on memory that it does not own, without a base, weak references, or anything else beside its layout.
///
/// # Safety
/// The object is an array of NumPy's class.
pub(crate) unsafe fn has_only_fields(object: *mut ffi::PyObject) -> bool {
    // SAFETY: the caller's contract.
    let header = unsafe { &*object.cast::<NumpyHeader>() };
    let fields = &header.array.fields;
    let is_block_whole = fields.nd == 0 || fields.strides == fields.dimensions.wrapping_add(fields.nd as usize);
    is_block_whole
        && fields.flags & NPY_ARRAY_OWNDATA == 0
        && fields.base.is_null()
        && fields.weakreflist.is_null()
        && header.buffer_info.is_null()
        && header.mem_handler.is_null()
}

/// The flags of NumPy for an array.
#[inline(always)]
pub(crate) fn array_flags(array: &Array) -> c_int {
    let mut flags = NPY_ARRAY_ALIGNED;
    if array.is_c_contiguous() {
        flags |= NPY_ARRAY_C_CONTIGUOUS;
        // In one axis, or none, both orders are one.
        if array.ndim() < 2 || array.is_f_contiguous() {
            flags |= NPY_ARRAY_F_CONTIGUOUS;
        }
    } else if array.is_f_contiguous() {
        flags |= NPY_ARRAY_F_CONTIGUOUS;
    }
    if array.is_writeable() {
        flags |= NPY_ARRAY_WRITEABLE;
    }
    flags
}
