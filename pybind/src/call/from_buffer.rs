//! `frombuffer`: an array on the memory of `bytes`. Other objects with buffers, and every refusal, are left to NumPy.
//!
//! The array that NumPy makes would have to be converted: 5,200 instructions in all, where this takes 1,700, and NumPy's call alone 2,700.

use crate::call::array_arguments::type_of;
use crate::fallback::by_name::numpy_counted;
use crate::interop::bytes_owner::BytesOwner;
use crate::interpreter::fastcall::{Arguments, Function, entry};
use crate::object::construct::new_object;
use fastnp::{Array, DType, Layout};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt};

/// The elements of a buffer that a call of `frombuffer` asks for.
struct Elements {
    address: *mut u8,
    count: usize,
}

/// `frombuffer`.
fn from_buffer<'py>(call: Arguments<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
    if let Some([Some(buffer), dtype, count, offset]) = call.read(["buffer", "dtype", "count", "offset"])?
        && let Ok(bytes) = buffer.cast_exact::<PyBytes>()
        && let (Some(count), Some(offset)) = (integer_of(count, -1), integer_of(offset, 0))
        && let Some(dtype) = type_of(dtype, DType::F64)?
        && let Some(elements) = elements_of(bytes, dtype, count, offset)
    {
        let Elements { address, count } = elements;
        // An empty array has this stride too.
        let strides = [dtype.size() as isize].as_slice().into();
        let layout = Layout { shape: [count].as_slice().into(), strides, offset: 0 };
        // SAFETY: the elements lie within the bytes, which the owner keeps alive; their alignment was checked, and any bits are a number of
        // the type.
        let array = unsafe {
            let owner = Box::new(BytesOwner::new(bytes));
            Array::from_foreign(address, count * dtype.size(), layout, dtype, false, owner)
        };
        return new_object(call.py(), array);
    }
    numpy_counted(call, "frombuffer")
}

/// An integer; `None` for any other object, and one that is too large.
fn integer_of(value: Option<&Bound<'_, PyAny>>, default: isize) -> Option<isize> {
    match value {
        None => Some(default),
        Some(value) if value.is_exact_instance_of::<PyInt>() => value.extract().ok(),
        Some(_) => None,
    }
}

/// The elements from an offset on, all of them for a negative count; `None` where NumPy refuses, or they are not aligned.
fn elements_of(bytes: &Bound<'_, PyBytes>, dtype: DType, count: isize, offset: isize) -> Option<Elements> {
    // Bytes other than 0 and 1 are no truth values.
    if dtype == DType::Bool {
        return None;
    }
    let text = bytes.as_bytes();
    let rest = text.len().checked_sub(usize::try_from(offset).ok()?)?;
    // SAFETY: the object is exactly `bytes`; the offset was found to be within them.
    let address = unsafe { ffi::PyBytes_AsString(bytes.as_ptr()).cast::<u8>().offset(offset) };
    let count = match usize::try_from(count) {
        Ok(count) => count,
        Err(_) if rest % dtype.size() == 0 => rest / dtype.size(),
        Err(_) => return None,
    };
    let fits = count.checked_mul(dtype.size())? <= rest && address.addr() % dtype.align() == 0;
    fits.then_some(Elements { address, count })
}

/// Adds the function to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    const FUNCTIONS: [Function; 1] = [(
        c"frombuffer",
        c"frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None)\n--\n\n",
        entry!(from_buffer),
    )];
    crate::interpreter::fastcall::add(module, &FUNCTIONS)
}
