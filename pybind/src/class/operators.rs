//! Binary operators of the array class: forward, reflected, in place.
//!
//! They are written out, because `#[pymethods]` does not expand a `macro_rules!` within its impl.

use crate::call::ufunc_call::{InPlaceOperand, binary, in_place};
use crate::object::ndarray::NdArray;
use fastnp::Op;
use pyo3::prelude::*;

type Object<'py> = Bound<'py, PyAny>;

#[pymethods]
impl NdArray {
    fn __add__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Add, this.as_any(), other)
    }

    fn __radd__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Add, other, this.as_any())
    }

    fn __iadd__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::Add, this, &other.0)
    }

    fn __sub__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Subtract, this.as_any(), other)
    }

    fn __rsub__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Subtract, other, this.as_any())
    }

    fn __isub__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::Subtract, this, &other.0)
    }

    fn __mul__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Multiply, this.as_any(), other)
    }

    fn __rmul__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Multiply, other, this.as_any())
    }

    fn __imul__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::Multiply, this, &other.0)
    }

    fn __truediv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Divide, this.as_any(), other)
    }

    fn __rtruediv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Divide, other, this.as_any())
    }

    fn __itruediv__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::Divide, this, &other.0)
    }

    fn __floordiv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::FloorDivide, this.as_any(), other)
    }

    fn __rfloordiv__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::FloorDivide, other, this.as_any())
    }

    fn __ifloordiv__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::FloorDivide, this, &other.0)
    }

    fn __mod__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Remainder, this.as_any(), other)
    }

    fn __rmod__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::Remainder, other, this.as_any())
    }

    fn __imod__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::Remainder, this, &other.0)
    }

    fn __and__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseAnd, this.as_any(), other)
    }

    fn __rand__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseAnd, other, this.as_any())
    }

    fn __iand__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::BitwiseAnd, this, &other.0)
    }

    fn __or__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseOr, this.as_any(), other)
    }

    fn __ror__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseOr, other, this.as_any())
    }

    fn __ior__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::BitwiseOr, this, &other.0)
    }

    fn __xor__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseXor, this.as_any(), other)
    }

    fn __rxor__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::BitwiseXor, other, this.as_any())
    }

    fn __ixor__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::BitwiseXor, this, &other.0)
    }

    fn __lshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::LeftShift, this.as_any(), other)
    }

    fn __rlshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::LeftShift, other, this.as_any())
    }

    fn __ilshift__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::LeftShift, this, &other.0)
    }

    fn __rshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::RightShift, this.as_any(), other)
    }

    fn __rrshift__<'py>(this: &Bound<'py, Self>, other: &Object<'py>) -> PyResult<Object<'py>> {
        binary(Op::RightShift, other, this.as_any())
    }

    fn __irshift__(this: &Bound<'_, Self>, other: InPlaceOperand<'_, '_>) -> PyResult<()> {
        in_place(Op::RightShift, this, &other.0)
    }
}
