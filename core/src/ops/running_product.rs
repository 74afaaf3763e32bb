//! Products of floats, where the order of the factors shows in more than a rounding.
//!
//! A fold multiplies in lanes, whose results it multiplies in the end. Lanes of `[0, 1e200, 1e200, …]` overflow, and zero times infinity is
//! nan, where the product from the first factor on, as NumPy computes it, stays zero. A fold that raised a flag is therefore thrown away,
//! with its flags, and computed again in NumPy's order by a scan.

use crate::array::array::Array;
use crate::array::layout::Index;
use crate::error::Result;
use crate::ops::reduce::is_reduced;
use crate::runtime::fp_flags::flags_of;
use crate::runtime::lock::runtime;
use fastnp_codegen::{DType, Fold, FoldOrder, Op};
use smallvec::SmallVec;

/// Whether a fold in lanes may give another result than one from the first element on, beyond rounding. `float16` is folded in `float32`,
/// whose range is larger.
pub(crate) fn depends_on_order(fold: Fold, compute: DType) -> bool {
    compute != DType::F16 && fold.row().is_some_and(|row| row.order == FoldOrder::Lanes && row.rounds(compute))
}

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
        let factors = self.factors_in_order(reduced)?.cast(compute)?;
        let (running, raised) = flags_of("accumulate", || {
            let running = factors.scan(Op::Multiply, Some(-1), Some(compute))?;
            running.evaluate()?;
            Ok(running)
        })?;
        if !raised.is_empty() {
            runtime().telemetry.fp_flags.add("reduce", raised);
        }
        let last = running.index(&[Index::Ellipsis, Index::At(-1)])?;
        product.assign(&last.reshape(product.shape())?)?;
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
