//! Binary operators of the array class: forward, reflected, in place.
//!
//! They are written out, because `#[pymethods]` does not expand a `macro_rules!` within its impl. Those in place are slots: PyO3's
//! methods for them return the array, whatever the other operand makes of the call.

use crate::call::ufunc_call::{binary, in_place};
use crate::fallback::method::numpy_method;
use crate::interpreter::raw_call::{call_python, object_at};
use crate::object::ndarray::NdArray;
use crate::object::raw_slots::{array_at, of_array};
use fastnp::Op;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::{c_int, c_void};

type Object<'py> = Bound<'py, PyAny>;

#[pymethods]
impl NdArray {
    fn __add__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Add, this.as_any(), other)
    }

    fn __radd__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Add, other, this.as_any())
    }

    fn __sub__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Subtract, this.as_any(), other)
    }

    fn __rsub__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Subtract, other, this.as_any())
    }

    fn __mul__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Multiply, this.as_any(), other)
    }

    fn __rmul__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Multiply, other, this.as_any())
    }

    fn __truediv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Divide, this.as_any(), other)
    }

    fn __rtruediv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Divide, other, this.as_any())
    }

    fn __floordiv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::FloorDivide, this.as_any(), other)
    }

    fn __rfloordiv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::FloorDivide, other, this.as_any())
    }

    fn __mod__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Remainder, this.as_any(), other)
    }

    fn __rmod__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Remainder, other, this.as_any())
    }

    fn __and__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseAnd, this.as_any(), other)
    }

    fn __rand__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseAnd, other, this.as_any())
    }

    fn __or__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseOr, this.as_any(), other)
    }

    fn __ror__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseOr, other, this.as_any())
    }

    fn __xor__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseXor, this.as_any(), other)
    }

    fn __rxor__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseXor, other, this.as_any())
    }

    fn __lshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::LeftShift, this.as_any(), other)
    }

    fn __rlshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::LeftShift, other, this.as_any())
    }

    fn __rshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::RightShift, this.as_any(), other)
    }

    fn __rrshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::RightShift, other, this.as_any())
    }
}

/// `this op= other`, for the op of a number.
unsafe extern "C" fn of_op<const OP: usize>(this: *mut ffi::PyObject, other: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with an object of the class on the left, and with the GIL held.
    unsafe {
        call_python(std::ptr::null_mut(), |py| {
            in_place(Op::ALL[OP], &array_at(py, this), &object_at(py, other)).map(Bound::into_ptr)
        })
    }
}

/// The slot of an operator in place.
const fn slot<const OP: usize>(slot: c_int) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc: of_op::<OP> as *mut c_void }
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
        slot::<{ Op::Add as usize }>(ffi::Py_nb_inplace_add),
        slot::<{ Op::Subtract as usize }>(ffi::Py_nb_inplace_subtract),
        slot::<{ Op::Multiply as usize }>(ffi::Py_nb_inplace_multiply),
        slot::<{ Op::Divide as usize }>(ffi::Py_nb_inplace_true_divide),
        slot::<{ Op::FloorDivide as usize }>(ffi::Py_nb_inplace_floor_divide),
        slot::<{ Op::Remainder as usize }>(ffi::Py_nb_inplace_remainder),
        slot::<{ Op::BitwiseAnd as usize }>(ffi::Py_nb_inplace_and),
        slot::<{ Op::BitwiseOr as usize }>(ffi::Py_nb_inplace_or),
        slot::<{ Op::BitwiseXor as usize }>(ffi::Py_nb_inplace_xor),
        slot::<{ Op::LeftShift as usize }>(ffi::Py_nb_inplace_lshift),
        slot::<{ Op::RightShift as usize }>(ffi::Py_nb_inplace_rshift),
        ffi::PyType_Slot { slot: ffi::Py_nb_inplace_power, pfunc: power_in_place as *mut c_void },
        ffi::PyType_Slot { slot: ffi::Py_nb_inplace_matrix_multiply, pfunc: product_in_place as *mut c_void },
    ])
}
