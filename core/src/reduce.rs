//! Reductions and scans.
//!
//! Each is recorded as folds and elementwise operations, so that a mean is one kernel (a sum with a division in its epilogue)
//! and a variance two (the mean, then the mean of squared distances from it).

use crate::array::Array;
use crate::elementwise::{Options, apply, apply_with};
use crate::engine::recording;
use crate::error::{Error, Result};
use crate::layout::{Order, Shape, Steps, Strides, c_strides, normalize_axis};
use crate::nesting;
use crate::trace::{Input, Operation, Statement, View};
use crate::value::Value;
use fastnp_codegen::{DType, Fold, Kind, Op};
use smallvec::SmallVec;

/// What a reduction computes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Reduction {
    /// Sum.
    Sum,
    /// Product.
    Prod,
    /// Smallest element; nan if there is one.
    Min,
    /// Largest element; nan if there is one.
    Max,
    /// Whether any element is true.
    Any,
    /// Whether all elements are true.
    All,
    /// Position of the first smallest element.
    ArgMin,
    /// Position of the first largest element.
    ArgMax,
    /// How many elements are not zero.
    CountNonzero,
    /// Arithmetic mean.
    Mean,
    /// Variance with the given delta degrees of freedom.
    Var(f64),
    /// Standard deviation with the given delta degrees of freedom.
    Std(f64),
}

/// Which axes to fold, as bits.
fn mask_of(axes: Option<&[isize]>, ndim: usize) -> Result<u64> {
    let Some(axes) = axes else { return Ok(if ndim == 64 { u64::MAX } else { (1 << ndim) - 1 }) };
    let mut mask = 0u64;
    for &axis in axes {
        let bit = 1 << normalize_axis(axis, ndim)?;
        if mask & bit != 0 {
            return Err(Error::value("duplicate value in 'axis'"));
        }
        mask |= bit;
    }
    Ok(mask)
}

fn is_reduced(mask: u64, axis: usize) -> bool {
    mask >> axis & 1 != 0
}

/// NumPy's type for sums and products: narrow integers and bools widen to 64 bits.
fn sum_type(dtype: DType) -> DType {
    match dtype.kind() {
        Kind::Bool | Kind::Signed => DType::I64,
        Kind::Unsigned => DType::U64,
        Kind::Float | Kind::Complex => dtype,
    }
}

impl Array {
    /// Reduces axes (all of them if `None`).
    ///
    /// `dtype` is the type to compute and return sums, products and means in, if not the usual one. With `keepdims`
    /// reduced axes stay, with extent one.
    ///
    /// # Errors
    /// `AxisError`; `ValueError` for the smallest or largest of nothing.
    ///
    /// ```
    /// use fastnp::{Array, Reduction};
    /// let a = Array::arange(6).reshape(&[2, 3])?;
    /// assert_eq!(a.reduce(Reduction::Sum, Some(&[0]), None, false)?.to_vec::<i64>()?, [3, 5, 7]);
    /// assert_eq!(a.reduce(Reduction::Mean, None, None, false)?.item()?.to_f64(), 2.5);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn reduce(
        &self,
        what: Reduction,
        axes: Option<&[isize]>,
        dtype: Option<DType>,
        keepdims: bool,
    ) -> Result<Array> {
        let mask = mask_of(axes, self.ndim())?;
        let folded: usize = (0..self.ndim()).filter(|&i| is_reduced(mask, i)).map(|i| self.shape()[i]).product();
        let own = self.dtype;
        match what {
            Reduction::Sum => self.fold(Fold::Op(Op::Add), dtype.unwrap_or(sum_type(own)), mask, keepdims),
            Reduction::Prod => self.fold(Fold::Op(Op::Multiply), dtype.unwrap_or(sum_type(own)), mask, keepdims),
            Reduction::Any => self.fold(Fold::Op(Op::LogicalOr), DType::Bool, mask, keepdims),
            Reduction::All => self.fold(Fold::Op(Op::LogicalAnd), DType::Bool, mask, keepdims),
            Reduction::Min | Reduction::Max if folded == 0 => {
                let name = if what == Reduction::Min { "minimum" } else { "maximum" };
                Err(Error::value(format!("zero-size array to reduction operation {name} which has no identity")))
            }
            Reduction::Min => self.fold(Fold::Op(Op::Minimum), own, mask, keepdims),
            Reduction::Max => self.fold(Fold::Op(Op::Maximum), own, mask, keepdims),
            Reduction::ArgMin | Reduction::ArgMax => self.position(what, axes, mask, folded, keepdims),
            Reduction::CountNonzero => {
                self.cast_order(DType::Bool, Order::K)?.fold(Fold::Op(Op::Add), DType::I64, mask, keepdims)
            }
            Reduction::Mean => self.mean(dtype, mask, folded, keepdims),
            Reduction::Var(ddof) => self.variance(dtype, mask, folded, ddof, keepdims),
            Reduction::Std(ddof) => {
                let variance = self.variance(dtype, mask, folded, ddof, keepdims)?;
                apply(Op::Sqrt, &[(&variance).into()])
            }
        }
    }

    fn position(
        &self,
        what: Reduction,
        axes: Option<&[isize]>,
        mask: u64,
        folded: usize,
        keepdims: bool,
    ) -> Result<Array> {
        let (fold, name) = match what {
            Reduction::ArgMin => (Fold::ArgMin, "argmin"),
            _ => (Fold::ArgMax, "argmax"),
        };
        if folded == 0 {
            return Err(Error::value(format!("attempt to get {name} of an empty sequence")));
        }
        if axes.is_some_and(|a| a.len() != 1) {
            return Err(Error::unsupported("the position of an extreme over several axes"));
        }
        self.fold(fold, self.dtype, mask, keepdims)
    }

    fn mean(&self, dtype: Option<DType>, mask: u64, folded: usize, keepdims: bool) -> Result<Array> {
        if folded == 0 {
            return Err(Error::unsupported("the mean of nothing, which warns"));
        }
        let result =
            dtype.unwrap_or(if self.dtype.is_integer() || self.dtype == DType::Bool { DType::F64 } else { self.dtype });
        if !(result.is_float() || result.is_complex()) {
            return Err(Error::unsupported("a mean computed in integers"));
        }
        // float16 is summed as float32, as NumPy does.
        let compute = if result == DType::F16 { DType::F32 } else { result };
        let sum = self.fold(Fold::Op(Op::Add), compute, mask, keepdims)?;
        let mean = apply(Op::Divide, &[(&sum).into(), Value::Float(folded as f64)])?;
        if result == compute { Ok(mean) } else { mean.cast(result) }
    }

    fn variance(&self, dtype: Option<DType>, mask: u64, folded: usize, ddof: f64, keepdims: bool) -> Result<Array> {
        let free = folded as f64 - ddof;
        if free <= 0.0 || self.dtype.is_complex() || dtype.is_some_and(|d| !d.is_float()) {
            return Err(Error::unsupported("a variance of complex numbers, or without degrees of freedom"));
        }
        let result = dtype.unwrap_or(if self.dtype.is_float() { self.dtype } else { DType::F64 });
        let compute = if result == DType::F16 { DType::F32 } else { result };
        let mean = self.mean(Some(compute), mask, folded, true)?;
        let options = Options { dtype: Some(compute), ..Options::default() };
        let distance = apply_with(Op::Subtract, &[self.into(), (&mean).into()], options)?;
        let squared = apply(Op::Square, &[(&distance).into()])?;
        let sum = squared.fold(Fold::Op(Op::Add), compute, mask, keepdims)?;
        let variance = apply(Op::Divide, &[(&sum).into(), Value::Float(free)])?;
        if result == compute { Ok(variance) } else { variance.cast(result) }
    }

    /// Folds the axes of a mask.
    pub(crate) fn fold(&self, fold: Fold, compute: DType, mask: u64, keepdims: bool) -> Result<Array> {
        let dtype = match fold {
            Fold::ArgMin | Fold::ArgMax => DType::I64,
            Fold::Op(_) => compute,
        };
        let kept = |i: &usize| !is_reduced(mask, *i);
        let shape: Shape = (0..self.ndim()).filter(kept).map(|i| self.shape()[i]).collect();
        let own: Strides = (0..self.ndim()).filter(kept).map(|i| self.strides()[i]).collect();
        let strides = match fold {
            // NumPy moves the axis to the end of a copy first.
            Fold::ArgMin | Fold::ArgMax => c_strides(&shape, dtype.size()),
            Fold::Op(_) => nesting::of_operands(&shape, dtype.size(), &[&own]),
        };
        let target = Array::fresh(&shape, strides, dtype)?;
        self.fold_to(fold, compute, mask, &target)?;
        if !keepdims {
            return Ok(target);
        }
        let mut layout = target.layout.clone();
        for axis in (0..self.ndim()).filter(|&i| is_reduced(mask, i)) {
            layout.shape.insert(axis, 1);
            layout.strides.insert(axis, 0);
        }
        let full = crate::layout::c_strides(&layout.shape, dtype.size());
        for axis in (0..self.ndim()).filter(|&i| is_reduced(mask, i)) {
            layout.strides[axis] = full[axis];
        }
        Ok(target.with_layout(layout))
    }

    /// Folds the axes of a mask into a new array of the shape that is left.
    pub(crate) fn fold_to(&self, fold: Fold, compute: DType, mask: u64, target: &Array) -> Result<()> {
        let mut along: Strides = SmallVec::from_elem(0, self.ndim());
        for (axis, &stride) in (0..self.ndim()).filter(|&i| !is_reduced(mask, i)).zip(target.strides()) {
            along[axis] = stride;
        }
        recording()?.submit(&Statement {
            op: Operation::Fold(fold),
            compute,
            domain: self.shape(),
            reduced: mask,
            inputs: &[Input::Memory(self.over(self.shape()))],
            target: View { storage: &target.storage, dtype: target.dtype, offset: 0, strides: Steps::Owned(along) },
            covers: true,
        })
    }

    /// Running sums (`Op::Add`), products (`Op::Multiply`) or extremes along an axis; flattened first if `None`.
    ///
    /// # Errors
    /// `AxisError`.
    ///
    /// ```
    /// use fastnp::{Array, Op};
    /// assert_eq!(Array::arange(5).scan(Op::Add, None, None)?.to_vec::<i64>()?, [0, 1, 3, 6, 10]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn scan(&self, op: Op, axis: Option<isize>, dtype: Option<DType>) -> Result<Array> {
        let flat;
        let (array, axis) = match axis {
            Some(axis) => (self, normalize_axis(axis, self.ndim())?),
            None => {
                flat = self.reshape(&[self.size()])?;
                (&flat, 0)
            }
        };
        if array.ndim() == 0 {
            return Err(Error::unsupported("a running fold over no axis"));
        }
        let widens = matches!(op, Op::Add | Op::Multiply);
        let dtype = dtype.unwrap_or(if widens { sum_type(self.dtype) } else { self.dtype });
        if !op.has_loop(dtype) || op.result(dtype) != dtype {
            return Err(Error::unsupported(format!("a running {op} in {dtype}")));
        }
        // float16 rounds at every step in NumPy; a kernel would carry float32.
        if dtype == DType::F16 {
            return Err(Error::unsupported("a running fold in float16"));
        }
        let strides = nesting::of_operands(array.shape(), dtype.size(), &[array.strides()]);
        let target = Array::fresh(array.shape(), strides, dtype)?;
        if array.size() == 0 {
            return Ok(target);
        }
        recording()?.submit(&Statement {
            op: Operation::Scan(op),
            compute: dtype,
            domain: array.shape(),
            reduced: 1 << axis,
            inputs: &[Input::Memory(array.over(array.shape()))],
            target: target.over(array.shape()),
            covers: true,
        })?;
        Ok(target)
    }
}
