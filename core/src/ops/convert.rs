//! From and to `ndarray` and vectors, and printing.

use crate::array::array::Array;
use crate::array::element::Element;
use crate::array::layout::Order;
use crate::error::{Error, Result};
use fastnp_codegen::DType;
use half::f16;
use ndarray::{ArrayD, ArrayViewD, IxDyn, ShapeBuilder};
use num_complex::Complex;
use std::fmt;

impl Array {
    /// The elements in row-major order.
    ///
    /// # Errors
    /// `TypeError` where `T` is not the element type, `MemoryError`.
    ///
    /// ```
    /// use fastnp::Array;
    /// assert_eq!(Array::from(vec![1.5, 2.5]).to_vec::<f64>()?, [1.5, 2.5]);
    /// assert!(Array::arange(3).to_vec::<f64>().is_err());
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if T::DTYPE != self.dtype {
            return Err(Error::type_(format!("the elements are {}, not {}", self.dtype, T::DTYPE)));
        }
        let dense = if self.is_c_contiguous() { self.clone() } else { self.copy(Order::C)? };
        let mut out: Vec<T> = Vec::with_capacity(dense.size());
        // SAFETY: the array is dense in row-major order and settled, and holds `size` elements of T, all of whose bit
        // patterns it can hold are values.
        dense.read_with(|address| unsafe {
            std::ptr::copy_nonoverlapping(address.cast::<T>(), out.as_mut_ptr(), dense.size());
            out.set_len(dense.size());
        })?;
        Ok(out)
    }

    /// A copy as an `ndarray` array.
    ///
    /// # Errors
    /// `TypeError` where `T` is not the element type, `MemoryError`.
    ///
    /// ```
    /// use fastnp::Array;
    /// let nd = ndarray::arr2(&[[1.0, 2.0], [3.0, 4.0]]);
    /// let a = Array::from(nd.view().into_dyn());
    /// assert_eq!(a.to_ndarray::<f64>()?, nd.into_dyn());
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn to_ndarray<T: Element>(&self) -> Result<ArrayD<T>> {
        let elements = self.to_vec()?;
        ArrayD::from_shape_vec(IxDyn(self.shape()).into_shape_with_order(), elements)
            .map_err(|e| Error::value(e.to_string()))
    }
}

impl<T: Element> From<ArrayViewD<'_, T>> for Array {
    fn from(view: ArrayViewD<'_, T>) -> Array {
        let elements: Vec<T> = view.iter().copied().collect();
        Array::from_slice(&elements, view.shape()).expect("a view has as many elements as its shape says")
    }
}

impl<T: Element> From<ArrayD<T>> for Array {
    fn from(array: ArrayD<T>) -> Array {
        Array::from(array.view())
    }
}

impl<T: Element> From<Vec<T>> for Array {
    fn from(elements: Vec<T>) -> Array {
        Array::from_slice(&elements, &[elements.len()]).expect("a vector is an array of one axis")
    }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn show<T: Element + fmt::Display>(array: &Array, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match array.to_ndarray::<T>() {
                Ok(elements) => fmt::Display::fmt(&elements, f),
                Err(error) => write!(f, "<{error}>"),
            }
        }
        match self.dtype {
            DType::Bool => show::<bool>(self, f),
            DType::I8 => show::<i8>(self, f),
            DType::U8 => show::<u8>(self, f),
            DType::I16 => show::<i16>(self, f),
            DType::U16 => show::<u16>(self, f),
            DType::I32 => show::<i32>(self, f),
            DType::U32 => show::<u32>(self, f),
            DType::I64 => show::<i64>(self, f),
            DType::U64 => show::<u64>(self, f),
            DType::F16 => show::<f16>(self, f),
            DType::F32 => show::<f32>(self, f),
            DType::F64 => show::<f64>(self, f),
            DType::C64 => show::<Complex<f32>>(self, f),
            DType::C128 => show::<Complex<f64>>(self, f),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({}, {:?}, {self})", self.dtype, self.shape())
    }
}
