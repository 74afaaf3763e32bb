//! Binary operators of the array class: forward, reflected, in place.
//!
//! They are slots without PyO3's wrappers, which take 95 of the 2,600 instructions in which `a + b` is recorded. Python calls a slot for operands
//! on either side, so it is both the operator and the reflected one.

use crate::call::ufunc_call::{binary, in_place};
use crate::fallback::method::numpy_method;
use crate::interpreter::raw_call::{call_python, object_at};
use crate::object::raw_slots::{array_at, of_array};
use fastnp::Op;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::{c_int, c_void};

/// `left op right`, for the op of a number: one of them is an array object, or both are.
unsafe extern "C" fn of_op<const OP: usize>(left: *mut ffi::PyObject, right: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with the GIL held.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            binary(Op::ALL[OP], &object_at(py, left), &object_at(py, right)).map(Bound::into_ptr)
        })
    }
}

/// `this op= other`, for the op of a number.
unsafe extern "C" fn of_op_in_place<const OP: usize>(
    this: *mut ffi::PyObject,
    other: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with an object of the class on the left, and with the GIL held.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            in_place(Op::ALL[OP], &array_at(py, this), &object_at(py, other)).map(Bound::into_ptr)
        })
    }
}

/// The slot of an operator.
const fn slot<const OP: usize>(slot: c_int) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc: of_op::<OP> as *mut c_void }
}

/// The slot of an operator in place.
const fn slot_in_place<const OP: usize>(slot: c_int) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc: of_op_in_place::<OP> as *mut c_void }
}

/// `this **= exponent`.
unsafe extern "C" fn power_in_place(
    this: *mut ffi::PyObject,
    exponent: *mut ffi::PyObject,
    _modulo: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: as for the other slots.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            in_place(Op::Power, &array_at(py, this), &object_at(py, exponent)).map(Bound::into_ptr)
        })
    }
}

/// `this @= other`. Not `matmul` with `out=`: the operator does not take a vector on the right.
unsafe extern "C" fn product_in_place(this: *mut ffi::PyObject, other: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: as for the other slots.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            let other = PyTuple::new(py, [object_at(py, other)])?;
            numpy_method(&array_at(py, this), "__imatmul__", &other, None).map(Bound::into_ptr)
        })
    }
}

pyo3::inventory::submit! {
    of_array(&[], &[
        slot::<{ Op::Add as usize }>(ffi::Py_nb_add),
        slot::<{ Op::Subtract as usize }>(ffi::Py_nb_subtract),
        slot::<{ Op::Multiply as usize }>(ffi::Py_nb_multiply),
        slot::<{ Op::Divide as usize }>(ffi::Py_nb_true_divide),
        slot::<{ Op::FloorDivide as usize }>(ffi::Py_nb_floor_divide),
        slot::<{ Op::Remainder as usize }>(ffi::Py_nb_remainder),
        slot::<{ Op::BitwiseAnd as usize }>(ffi::Py_nb_and),
        slot::<{ Op::BitwiseOr as usize }>(ffi::Py_nb_or),
        slot::<{ Op::BitwiseXor as usize }>(ffi::Py_nb_xor),
        slot::<{ Op::LeftShift as usize }>(ffi::Py_nb_lshift),
        slot::<{ Op::RightShift as usize }>(ffi::Py_nb_rshift),
        slot_in_place::<{ Op::Add as usize }>(ffi::Py_nb_inplace_add),
        slot_in_place::<{ Op::Subtract as usize }>(ffi::Py_nb_inplace_subtract),
        slot_in_place::<{ Op::Multiply as usize }>(ffi::Py_nb_inplace_multiply),
        slot_in_place::<{ Op::Divide as usize }>(ffi::Py_nb_inplace_true_divide),
        slot_in_place::<{ Op::FloorDivide as usize }>(ffi::Py_nb_inplace_floor_divide),
        slot_in_place::<{ Op::Remainder as usize }>(ffi::Py_nb_inplace_remainder),
        slot_in_place::<{ Op::BitwiseAnd as usize }>(ffi::Py_nb_inplace_and),
        slot_in_place::<{ Op::BitwiseOr as usize }>(ffi::Py_nb_inplace_or),
        slot_in_place::<{ Op::BitwiseXor as usize }>(ffi::Py_nb_inplace_xor),
        slot_in_place::<{ Op::LeftShift as usize }>(ffi::Py_nb_inplace_lshift),
        slot_in_place::<{ Op::RightShift as usize }>(ffi::Py_nb_inplace_rshift),
        ffi::PyType_Slot { slot: ffi::Py_nb_inplace_power, pfunc: power_in_place as *mut c_void },
        ffi::PyType_Slot { slot: ffi::Py_nb_inplace_matrix_multiply, pfunc: product_in_place as *mut c_void },
    ])
}
