//! Products of floats, where the order of the factors shows in more than a rounding.
//!
//! A fold multiplies in lanes, whose results it multiplies in the end. Lanes of `[0, 1e200, 1e200, …]` overflow, and zero times infinity is
//! nan, where the product from the first factor on, as NumPy computes it, stays zero. A fold that raised a flag is therefore thrown away,
//! with its flags, and computed again in NumPy's order.

use crate::array::array::Array;
use crate::array::element::Element;
use crate::array::layout::Order;
use crate::error::Result;
use crate::host::interpreter_lock::run_over;
use crate::ops::reduce::is_reduced;
use crate::runtime::eager_fold::flags_of;
use crate::runtime::lock::runtime;
use fastnp_codegen::drive::fp_status::flags_raised;
use fastnp_codegen::{DType, Fold, FpFlags, Op};
use num_complex::Complex;
use smallvec::SmallVec;
use std::ops::Mul;

impl Array {
    /// The product over axes, at once: whether the order matters is known when it has run.
    ///
    /// # Errors
    /// `MemoryError`.
    pub(crate) fn product(&self, compute: DType, reduced: u64, keepdims: bool) -> Result<Array> {
        self.evaluate()?;
        let (product, raised) = flags_of("reduce", || {
            let product = self.fold(Fold::Op(Op::Multiply), compute, reduced, keepdims)?;
            product.evaluate()?;
            Ok(product)
        })?;
        if raised.is_empty() {
            return Ok(product);
        }
        let factors = self.factors_in_order(reduced)?.cast_order(compute, Order::C)?;
        let (products, raised) = match compute {
            DType::F32 => products::<f32>(&factors)?,
            DType::F64 => products::<f64>(&factors)?,
            DType::C64 => products::<Complex<f32>>(&factors)?,
            _ => products::<Complex<f64>>(&factors)?,
        };
        if !raised.is_empty() {
            runtime().telemetry.fp_flags.add("reduce", raised);
        }
        product.assign(&products.reshape(product.shape())?)?;
        Ok(product)
    }

    /// The factors of each product along one axis, the last one, in NumPy's order: axes as they are nested in memory.
    fn factors_in_order(&self, reduced: u64) -> Result<Array> {
        let is_folded = |axis: isize| is_reduced(reduced, axis as usize);
        let kept = (0..self.ndim() as isize).filter(|&axis| !is_folded(axis));
        let folded = self.axes_in_memory().into_iter().filter(|&axis| is_folded(axis));
        let axes: SmallVec<[isize; 4]> = kept.clone().chain(folded).collect();
        let mut shape: SmallVec<[usize; 4]> = kept.map(|axis| self.shape()[axis as usize]).collect();
        shape.push(self.size() / shape.iter().product::<usize>().max(1));
        self.transpose(&axes)?.reshape(&shape)
    }
}

/// The product of each row of a dense array, one factor after the other, and the flags raised.
fn products<T: Element + Mul<Output = T>>(factors: &Array) -> Result<(Array, FpFlags)> {
    let &[.., length] = factors.shape() else { unreachable!("the factors lie along an axis") };
    let mut found = Vec::with_capacity(factors.size() / length);
    let raised = factors.read_with(|start| {
        // SAFETY: the elements are of this type, dense and evaluated, and stay as they are meanwhile.
        let elements = unsafe { std::slice::from_raw_parts(start.cast::<T>(), factors.size()) };
        run_over(size_of_val(elements), || {
            flags_raised(|| {
                let rows = elements.chunks_exact(length);
                found.extend(rows.map(|row| row[1..].iter().fold(row[0], |product, &factor| product * factor)));
            })
        })
    })?;
    Ok((Array::from(found), raised))
}
