//! The buffer protocol of array objects that are dense in row-major order; any other array, and every refusal, is left to NumPy.
//!
//! The structure's owner is the array object itself, as it is NumPy's array under NumPy. What keeps the memory alive and in place is an
//! [`Export`], in an allocation that the structure refers to until it is released.

use crate::interpreter::error::to_py_result;
use crate::object::ndarray::NdArray;
use crate::object::payload::Open;
use fastnp::{Array, DType, Export};
use pyo3::ffi;
use pyo3::prelude::*;
use smallvec::SmallVec;
use std::ffi::{CStr, c_int, c_long};

/// What a filled structure refers to.
struct BufferData {
    _export: Export,
    /// Extents, then strides.
    axes: SmallVec<[isize; 8]>,
}

/// The format of an element in the notation of the module `struct`, as NumPy words it.
fn format(dtype: DType) -> &'static CStr {
    match dtype {
        DType::Bool => c"?",
        DType::I8 => c"b",
        DType::U8 => c"B",
        DType::I16 => c"h",
        DType::U16 => c"H",
        DType::I32 => c"i",
        DType::U32 => c"I",
        DType::I64 => c"l",
        DType::U64 => c"L",
        DType::F16 => c"e",
        DType::F32 => c"f",
        DType::F64 => c"d",
        DType::C64 => c"Zf",
        DType::C128 => c"Zd",
    }
}

/// Whether a request for a buffer is one that an array which is dense in row-major order meets as it is.
fn is_met(array: &Array, flags: c_int) -> bool {
    let wants = |flag| flags & flag == flag;
    // Where a `long` of C has four bytes NumPy has other letters for integers.
    size_of::<c_long>() == size_of::<i64>()
        && array.ndim() > 0
        && array.is_c_contiguous()
        && (array.is_writeable() || !wants(ffi::PyBUF_WRITABLE))
        && (array.ndim() == 1 || !wants(ffi::PyBUF_F_CONTIGUOUS))
}

/// Fills the structure; whether it did.
///
/// # Safety
/// The structure is one that Python passes to be filled.
pub(crate) unsafe fn fill(this: &Bound<'_, NdArray>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<bool> {
    let me = this.open();
    let array = me.array(this.py())?;
    array.stay_open();
    if !is_met(array, flags) || array.is_exported_on_device() {
        return Ok(false);
    }
    let export = to_py_result(this.py(), array.export())?;
    let (n, size) = (array.ndim(), array.dtype().size());
    let address = export.address();
    let mut axes: SmallVec<[isize; 8]> = array.shape().iter().map(|&extent| extent as isize).collect();
    axes.resize(2 * n, 0);
    let mut stride = size as isize;
    for i in (0..n).rev() {
        axes[n + i] = stride;
        stride *= axes[i];
    }
    let mut data = Box::new(BufferData { _export: export, axes });
    let axes = data.axes.as_mut_ptr();
    let wants = |flag| flags & flag == flag;
    // SAFETY: the caller's contract. The allocation lives until the structure is released, and holds so many extents and strides; the memory
    // is the export's, and the format a constant.
    unsafe {
        (*view).buf = address.cast();
        (*view).obj = this.clone().into_any().into_ptr();
        (*view).len = array.nbytes() as isize;
        (*view).itemsize = size as isize;
        (*view).readonly = c_int::from(!array.is_writeable());
        (*view).ndim = if wants(ffi::PyBUF_ND) { n as c_int } else { 0 };
        (*view).format =
            if wants(ffi::PyBUF_FORMAT) { format(array.dtype()).as_ptr().cast_mut() } else { std::ptr::null_mut() };
        (*view).shape = if wants(ffi::PyBUF_ND) { axes } else { std::ptr::null_mut() };
        (*view).strides = if wants(ffi::PyBUF_STRIDES) { axes.add(n) } else { std::ptr::null_mut() };
        (*view).suboffsets = std::ptr::null_mut();
        (*view).internal = Box::into_raw(data).cast();
    }
    Ok(true)
}

/// Ends the use of a structure that [`fill`] has filled.
///
/// # Safety
/// The structure is one that was filled and is released once.
pub(crate) unsafe fn release(view: *mut ffi::Py_buffer) {
    // SAFETY: the caller's contract.
    drop(unsafe { Box::from_raw((*view).internal.cast::<BufferData>()) });
}
