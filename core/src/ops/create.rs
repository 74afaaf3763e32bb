//! Array creation: empty, filled and evenly spaced arrays, and copies of foreign memory.

use crate::array::array::Array;
use crate::array::element::Element;
use crate::array::layout::{Index, Order, byte_count, c_strides, f_strides, for_axes};
use crate::error::{Error, Result};
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager_fill;
use crate::runtime::lock::{recording, runtime};
use fastnp_codegen::{DType, Scalar, Wide};

impl Array {
    /// An array with uninitialised contents.
    ///
    /// # Errors
    /// `ValueError` where the size does not fit an address, `MemoryError`.
    pub fn empty(shape: &[usize], dtype: DType, order: Order) -> Result<Array> {
        let strides = if order == Order::F { f_strides(shape, dtype.size()) } else { c_strides(shape, dtype.size()) };
        let array = Array::fresh(shape, strides, dtype)?;
        if array.storage.bytes() >= crate::runtime::allocate::CHECK_MEMORY_FROM {
            runtime().ensure_memory(&array.storage)?;
        }
        // A byte of a boolean array must be 0 or 1, so it cannot stay uninitialised.
        if dtype == DType::Bool {
            array.fill(Scalar::zero(dtype))?;
        }
        Ok(array)
    }

    /// An array with one value everywhere.
    ///
    /// # Errors
    /// As [`Array::empty`].
    ///
    /// ```
    /// use fastnp::{Array, Element, Order};
    /// let a = Array::full(&[2, 2], 0.5f32.scalar(), Order::C)?;
    /// assert_eq!(a.to_vec::<f32>()?, [0.5; 4]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn full(shape: &[usize], value: Scalar, order: Order) -> Result<Array> {
        let dtype = value.dtype();
        if shape.len() <= 1 || order != Order::F {
            return eager_fill::full(shape, value);
        }
        let array = Array::fresh(shape, f_strides(shape, dtype.size()), dtype)?;
        array.fill(value)?;
        Ok(array)
    }

    /// An array of zeros.
    ///
    /// # Panics
    /// Where the size does not fit an address; [`Array::full`] returns the error instead.
    pub fn zeros(shape: &[usize], dtype: DType) -> Array {
        Array::full(shape, Scalar::zero(dtype), Order::C).expect("the size fits an address")
    }

    /// An array of ones.
    ///
    /// # Panics
    /// Where the size does not fit an address; [`Array::full`] returns the error instead.
    pub fn ones(shape: &[usize], dtype: DType) -> Array {
        Array::full(shape, Scalar::new(dtype, 1i64), Order::C).expect("the size fits an address")
    }

    /// `start + i * step` for `i` from 0 to `n`, computed in the type of `start` and `step`.
    ///
    /// # Errors
    /// `TypeError` where the two types differ, `ValueError` where the size does not fit an address.
    ///
    /// ```
    /// use fastnp::{Array, Element};
    /// assert_eq!(Array::ramp(1.0.scalar(), 0.5.scalar(), 3)?.to_vec::<f64>()?, [1.0, 1.5, 2.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn ramp(start: Scalar, step: Scalar, n: usize) -> Result<Array> {
        let dtype = start.dtype();
        if step.dtype() != dtype || dtype == DType::Bool {
            return Err(Error::type_("start and step of a ramp are numbers of one type"));
        }
        // `0, 1, 2, …` has an eager path: one loop, where the general one takes four.
        let counts = start == Scalar::zero(dtype) && step == Scalar::new(dtype, 1i64);
        if counts && let Some(array) = eager_fill::count_up(n, dtype)? {
            return Ok(array);
        }
        let array = Array::by_rows(&[n], dtype)?;
        let inputs = [Input::Scalar(start), Input::Scalar(step)];
        recording()?.submit(&Statement {
            op: Operation::Ramp,
            compute: dtype,
            domain: &[n],
            reduced: 0,
            inputs: if counts { &[] } else { &inputs },
            target: array.over(&[n]),
            covers: true,
        })?;
        Ok(array)
    }

    /// The integers from 0 to `n`.
    ///
    /// # Panics
    /// Where the size does not fit an address.
    pub fn arange(n: usize) -> Array {
        let scalar = |i: i64| Scalar::new(DType::I64, Wide::from(i));
        Array::ramp(scalar(0), scalar(1), n).expect("the size fits an address")
    }

    /// `n` numbers evenly spaced from `start` to `stop`, both included.
    ///
    /// # Panics
    /// Where the size does not fit an address.
    ///
    /// ```
    /// use fastnp::Array;
    /// assert_eq!(Array::linspace(0.0, 1.0, 3).to_vec::<f64>()?, [0.0, 0.5, 1.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn linspace(start: f64, stop: f64, n: usize) -> Array {
        let step = if n > 1 { (stop - start) / (n - 1) as f64 } else { 0.0 };
        let array = Array::ramp(start.scalar(), step.scalar(), n).expect("the size fits an address");
        if n > 1 {
            // The last element is exact, whatever the rounding of the steps.
            let last = array.index(&[Index::At(-1)]).and_then(|end| end.assign(stop));
            last.expect("the array has an end");
        }
        array
    }

    /// A copy of memory with the same strides, which leave no gaps.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// # Safety
    /// The elements must be readable and occupy consecutive bytes from `address` on, the first of them there. Bools must be 0 or 1.
    pub unsafe fn from_memory(address: *const u8, shape: &[usize], strides: &[isize], dtype: DType) -> Result<Array> {
        let bytes = shape.iter().product::<usize>() * dtype.size();
        Array::filled(shape, for_axes(strides), dtype, |own| {
            // SAFETY: the new storage holds as many bytes, and has no other reference; the caller's contract.
            unsafe { std::ptr::copy_nonoverlapping(address, own, bytes) };
        })
    }

    /// An array of the given elements in row-major order.
    ///
    /// # Errors
    /// `ValueError` where their number is not the shape's.
    ///
    /// ```
    /// use fastnp::Array;
    /// let a = Array::from_slice(&[1u8, 2, 3, 4], &[2, 2])?;
    /// assert_eq!(a.t().to_vec::<u8>()?, [1, 3, 2, 4]);
    /// assert!(Array::from_slice(&[1u8, 2, 3], &[2, 2]).is_err());
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn from_slice<T: Element>(elements: &[T], shape: &[usize]) -> Result<Array> {
        let bytes = byte_count(shape, T::DTYPE.size())?;
        if bytes != std::mem::size_of_val(elements) {
            return Err(Error::value(format!(
                "cannot reshape array of size {} into shape {}",
                elements.len(),
                crate::array::layout::Tuple(shape)
            )));
        }
        Array::filled(shape, c_strides(shape, T::DTYPE.size()), T::DTYPE, |own| {
            // SAFETY: the new storage holds as many bytes as the slice, and has no other reference.
            unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr().cast(), own, bytes) };
        })
    }
}
