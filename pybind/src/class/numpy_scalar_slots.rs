//! Operators of NumPy's scalar types with an array of ours on the right: `scalar * array`.
//!
//! Python asks the left operand first, and NumPy's scalar hands the operation to its ufunc, which reads `__array_ufunc__` from our class
//! four times and then calls it: 370 of the 606 ns of `scalar * array` on ten elements (of a development build). So the number slots of the
//! scalar types are replaced by functions that apply the op where the right operand is exactly of our class, and run NumPy's function for all
//! others. A class derived from a scalar type inherits the slot; its objects are left to NumPy, which asks for their own `__array_ufunc__`.
//!
//! The table of a type's number slots has no name in the stable ABI. It is taken from the place where every Python so far has it, and used
//! only if it holds what Python says of each slot; otherwise, the operators stay NumPy's.

use crate::call::ufunc_call::apply_native;
use crate::interpreter::dtype;
use crate::interpreter::raw_call::{call_python, object_at};
use crate::object::ndarray::NdArray;
use fastnp::{DType, Op};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use std::ffi::{c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Bytes from a type object to its pointer to the table.
const TABLE: usize = 12 * size_of::<usize>();

/// A slot of two operands: Python's number for it, its place in the table, and the op.
const SLOTS: [(c_int, usize, Op); 11] = [
    (ffi::Py_nb_add, 0, Op::Add),
    (ffi::Py_nb_subtract, 1, Op::Subtract),
    (ffi::Py_nb_multiply, 2, Op::Multiply),
    (ffi::Py_nb_remainder, 3, Op::Remainder),
    (ffi::Py_nb_lshift, 11, Op::LeftShift),
    (ffi::Py_nb_rshift, 12, Op::RightShift),
    (ffi::Py_nb_and, 13, Op::BitwiseAnd),
    (ffi::Py_nb_xor, 14, Op::BitwiseXor),
    (ffi::Py_nb_or, 15, Op::BitwiseOr),
    (ffi::Py_nb_floor_divide, 29, Op::FloorDivide),
    (ffi::Py_nb_true_divide, 30, Op::Divide),
];

/// NumPy's functions, by scalar type and slot; null where a slot is not replaced. Accessed with the GIL held.
static NUMPYS: [[AtomicPtr<c_void>; SLOTS.len()]; DType::ALL.len()] =
    [const { [const { AtomicPtr::new(std::ptr::null_mut()) }; SLOTS.len()] }; DType::ALL.len()];

/// The slot `SLOT` of the scalar type of `DType::ALL[TYPE]`.
unsafe extern "C" fn apply<const TYPE: usize, const SLOT: usize>(
    a: *mut ffi::PyObject,
    b: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls a slot with two live objects and the GIL held. NumPy's function is such a slot.
    unsafe {
        let py = Python::assume_attached();
        if ffi::Py_TYPE(b) == NdArray::type_object_raw(py) && dtype::is_scalar_of(py, a, DType::ALL[TYPE]) {
            let failed = Some(std::ptr::null_mut());
            let result = call_python(failed, |py| {
                let result = apply_native(SLOTS[SLOT].2, &object_at(py, a), &object_at(py, b))?;
                Ok(result.map(Bound::into_ptr))
            });
            if let Some(result) = result {
                return result;
            }
        }
        transmute::<*mut c_void, ffi::binaryfunc>(NUMPYS[TYPE][SLOT].load(Ordering::Relaxed))(a, b)
    }
}

/// The functions for the slots of a scalar type.
const fn of_type<const TYPE: usize>() -> [ffi::binaryfunc; SLOTS.len()] {
    [
        apply::<TYPE, 0>, apply::<TYPE, 1>, apply::<TYPE, 2>, apply::<TYPE, 3>, apply::<TYPE, 4>, apply::<TYPE, 5>,
        apply::<TYPE, 6>, apply::<TYPE, 7>, apply::<TYPE, 8>, apply::<TYPE, 9>, apply::<TYPE, 10>,
    ]
}

/// Those of all scalar types, in the order of [`DType::ALL`].
const REPLACEMENTS: [[ffi::binaryfunc; SLOTS.len()]; DType::ALL.len()] = [
    of_type::<0>(),
    of_type::<1>(),
    of_type::<2>(),
    of_type::<3>(),
    of_type::<4>(),
    of_type::<5>(),
    of_type::<6>(),
    of_type::<7>(),
    of_type::<8>(),
    of_type::<9>(),
    of_type::<10>(),
    of_type::<11>(),
    of_type::<12>(),
    of_type::<13>(),
];

/// Replaces the slots of NumPy's scalar types.
pub(crate) fn replace_slots(py: Python<'_>) -> PyResult<()> {
    let types = dtype::types(py)?;
    for (scalar, (numpys, replacements)) in types.scalars().zip(NUMPYS.iter().zip(REPLACEMENTS)) {
        let class = scalar.as_ptr().cast::<ffi::PyTypeObject>();
        // SAFETY: a type object of the size that Python documents; the pointer read is compared with what Python says before it is used.
        let table = unsafe { class.byte_add(TABLE).cast::<*mut *mut c_void>().read() };
        let told = SLOTS.map(|(slot, ..)| {
            // SAFETY: a type and one of Python's slots.
            unsafe { ffi::PyType_GetSlot(class, slot) }
        });
        // SAFETY: NumPy's scalar types have such a table.
        let is_table = !table.is_null() && (0..SLOTS.len()).all(|i| unsafe { *table.add(SLOTS[i].1) } == told[i]);
        if !is_table {
            continue;
        }
        for (i, replacement) in replacements.into_iter().enumerate() {
            if numpys[i].load(Ordering::Relaxed).is_null() && !told[i].is_null() {
                numpys[i].store(told[i], Ordering::Relaxed);
                // SAFETY: the table is NumPy's own variable, lasts as long as the process, and is read while the GIL is held, as here. What is
                // put there takes the arguments of what stood there.
                unsafe { *table.add(SLOTS[i].1) = replacement as *mut c_void };
            }
        }
    }
    Ok(())
}
