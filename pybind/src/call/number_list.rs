//! Lists and tuples of numbers as arrays, without NumPy.
//!
//! An array has the type of the widest of its numbers, or the one that is asked for where no number is wider. Every other object in a list,
//! an integer of more than 64 bits and a number that overflows leave the list to NumPy, with its errors and warnings.

use crate::interpreter::dtype;
use crate::interpreter::exact_int::int_at;
use crate::interpreter::sequence_items::Items;
use fastnp::{Array, Complex, DType, Element};
use pyo3::prelude::*;
use pyo3::{Borrowed, ffi};

/// The items of a list or a tuple that is not empty.
fn items_of<'a, 'py>(sequence: &'a Bound<'py, PyAny>) -> Option<Items<'a, 'py>> {
    Items::of(sequence).filter(|items| items.count > 0)
}

/// An element type that numbers of Python's are read as.
trait OfNumber: Element {
    /// The value of a number of this kind or a narrower one; `None` for any other object, or if it overflows.
    ///
    /// # Safety
    /// The object is alive, and the GIL is held.
    unsafe fn read(py: Python<'_>, object: *mut ffi::PyObject) -> Option<Self>;
}

impl OfNumber for bool {
    #[inline(always)]
    unsafe fn read(_: Python<'_>, object: *mut ffi::PyObject) -> Option<bool> {
        // SAFETY: the caller's contract.
        unsafe { (ffi::PyBool_Check(object) != 0).then(|| object == ffi::Py_True()) }
    }
}

impl OfNumber for i64 {
    #[inline(always)]
    unsafe fn read(py: Python<'_>, object: *mut ffi::PyObject) -> Option<i64> {
        // SAFETY: the caller's contract.
        unsafe {
            if ffi::PyLong_CheckExact(object) == 0 {
                return dtype::int64_at(py, object).or_else(|| bool::read(py, object).map(i64::from));
            }
            int_at(object)
        }
    }
}

impl OfNumber for f64 {
    #[inline(always)]
    unsafe fn read(py: Python<'_>, object: *mut ffi::PyObject) -> Option<f64> {
        // SAFETY: the caller's contract; the class is checked. A `numpy.float64` has the layout of a Python float.
        unsafe {
            if ffi::PyFloat_CheckExact(object) != 0 || dtype::is_scalar_of(py, object, DType::F64) {
                return Some(ffi::PyFloat_AsDouble(object));
            }
            if let Some(value) = dtype::float32_at(py, object) {
                return Some(value.into());
            }
            i64::read(py, object).map(|i| i as f64)
        }
    }
}

impl OfNumber for f32 {
    #[inline(always)]
    unsafe fn read(py: Python<'_>, object: *mut ffi::PyObject) -> Option<f32> {
        // SAFETY: the caller's contract. NumPy goes through doubles, too.
        let wide = unsafe { f64::read(py, object) }?;
        let value = wide as f32;
        (value.is_finite() || !wide.is_finite()).then_some(value)
    }
}

impl OfNumber for Complex<f64> {
    #[inline(always)]
    unsafe fn read(py: Python<'_>, object: *mut ffi::PyObject) -> Option<Complex<f64>> {
        // SAFETY: the caller's contract.
        unsafe {
            if ffi::PyComplex_CheckExact(object) != 0 {
                return Some(Complex::new(ffi::PyComplex_RealAsDouble(object), ffi::PyComplex_ImagAsDouble(object)));
            }
            f64::read(py, object).map(Complex::from)
        }
    }
}

/// The types that numbers have without being asked for one, from the narrowest.
const NATURAL: [DType; 4] = [DType::Bool, DType::I64, DType::F64, DType::C128];
/// The place of double precision among them.
const DOUBLE: usize = 2;

/// The natural type of a number.
///
/// # Safety
/// The object is alive.
unsafe fn natural(py: Python<'_>, object: *mut ffi::PyObject) -> Option<usize> {
    // SAFETY: the caller's contract.
    let is = |dtype| unsafe {
        match dtype {
            DType::F64 => ffi::PyFloat_CheckExact(object) != 0 || dtype::is_scalar_of(py, object, DType::F64),
            DType::I64 => ffi::PyLong_CheckExact(object) != 0 || dtype::int64_at(py, object).is_some(),
            DType::Bool => ffi::PyBool_Check(object) != 0,
            _ => ffi::PyComplex_CheckExact(object) != 0,
        }
    };
    NATURAL.iter().position(|&dtype| is(dtype))
}

/// An array of rows of numbers read as one type.
fn collect<T: OfNumber>(rows: &[Items<'_, '_>], shape: &[usize]) -> Option<Array> {
    let mut values = Vec::with_capacity(shape.iter().product());
    for row in rows {
        for i in 0..row.count {
            // SAFETY: reading numbers runs no code that could change the sequence.
            values.push(unsafe { T::read(row.sequence.py(), row.get(i)) }?);
        }
    }
    Array::from_slice(&values, shape).ok()
}

/// The same, for a type.
fn collect_as(rows: &[Items<'_, '_>], shape: &[usize], dtype: DType) -> Option<Array> {
    match dtype {
        DType::Bool => collect::<bool>(rows, shape),
        DType::I64 => collect::<i64>(rows, shape),
        DType::F32 => collect::<f32>(rows, shape),
        DType::F64 => collect::<f64>(rows, shape),
        DType::C128 => collect::<Complex<f64>>(rows, shape),
        _ => None,
    }
}

/// An array of a list or tuple of numbers, or of rows of them, of one length; `None` if it is left to NumPy.
pub(crate) fn of_numbers(sequence: &Bound<'_, PyAny>, dtype: Option<DType>) -> Option<Array> {
    let py = sequence.py();
    let items = items_of(sequence)?;
    // SAFETY: there is an item.
    let first = unsafe { Borrowed::from_ptr(py, items.get(0)) };
    if items_of(&first).is_none() {
        return of_rows(&[items], &[items.count], dtype);
    }
    // SAFETY: nothing changes the sequence.
    let item = |i| unsafe { Borrowed::from_ptr(py, items.get(i)) };
    let given: Vec<Borrowed<'_, '_, PyAny>> = (0..items.count).map(item).collect();
    let rows: Option<Vec<Items<'_, '_>>> = given.iter().map(|given| items_of(given)).collect();
    let rows = rows?;
    let length = rows[0].count;
    if rows.iter().any(|row| row.count != length) {
        return None;
    }
    of_rows(&rows, &[rows.len(), length], dtype)
}

/// An array of rows of numbers.
fn of_rows(rows: &[Items<'_, '_>], shape: &[usize], dtype: Option<DType>) -> Option<Array> {
    if let Some(dtype) = dtype {
        return collect_as(rows, shape, dtype);
    }
    let py = rows[0].sequence.py();
    // SAFETY: nothing changes the sequences.
    let item = |row: &Items<'_, '_>, i| unsafe { row.get(i) };
    // SAFETY: the object is an item of a list.
    let is_single = |object| unsafe { dtype::float32_at(py, object) }.is_some();
    if is_single(item(&rows[0], 0)) {
        let are_single = rows.iter().all(|row| (0..row.count).all(|i| is_single(item(row, i))));
        return if are_single { collect::<f32>(rows, shape) } else { None };
    }
    // Nearly always all numbers are of the first one's type.
    // SAFETY: there is an item.
    let first = unsafe { natural(py, item(&rows[0], 0)) }?;
    collect_as(rows, shape, NATURAL[first]).or_else(|| {
        let mut widest = first;
        for row in rows {
            for i in 0..row.count {
                // With integers a number of single precision makes doubles; what it makes with bools alone is left to NumPy.
                let of_single = || (first > 0 && is_single(item(row, i))).then_some(DOUBLE);
                // SAFETY: the item is alive.
                widest = widest.max(unsafe { natural(py, item(row, i)) }.or_else(of_single)?);
            }
        }
        if widest > first { collect_as(rows, shape, NATURAL[widest]) } else { None }
    })
}
