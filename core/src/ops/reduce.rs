//! Reductions and scans.
//!
//! Each is recorded as folds and elementwise operations, so that a mean is one kernel (a sum with a division in its epilogue)
//! and a variance two (the mean, then the mean of squared distances from it).

use crate::array::array::Array;
use crate::array::element;
use crate::array::layout::{CowStrides, Order, Shape, Strides, broadcast, c_strides, normalize_axis};
use crate::array::result_order;
use crate::array::strided_view::StridedView;
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::count_true::count_true;
use crate::ops::elementwise::{Options, apply, apply_with, drops_imaginary, select};
use crate::ops::promote::{Casting, can_cast, promote_types, result_type};
use crate::plan::trace::{Input, Operation, Statement};
use crate::runtime::eager_fold::{self, depends_on_order};
use crate::runtime::eager_gate::Eager;
use crate::runtime::fold_memo::Number;
use crate::runtime::lock::{recording, runtime};
use fastnp_codegen::{DType, Fold, FoldRow, Kind, Op, ResultRule, Scalar, for_each_fold};
use smallvec::SmallVec;

/// Makes variants of the folds that NumPy has a reduction of.
macro_rules! declare_reductions {
    ($($Op:ident [$($Reduction:ident $name:literal $($scan:literal)?)?] $identity:expr, $order:ident, $repeats:ident, $type:ident
       { $($class:ident $is:tt $what:ident;)* } $doc:literal)*) => {
        /// What a reduction computes: a fold of the table ([`fastnp_codegen::ir::fold`]), or several folds and operations.
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub enum Reduction {
            $($(#[doc = $doc] $Reduction,)?)*
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

        impl Reduction {
            /// The reduction of NumPy's name; `ddof` is that of variances and standard deviations.
            ///
            /// ```
            /// use fastnp::Reduction;
            /// assert_eq!(Reduction::from_name("prod", 0.0), Some(Reduction::Prod));
            /// assert_eq!(Reduction::from_name("var", 1.0), Some(Reduction::Var(1.0)));
            /// assert_eq!(Reduction::from_name("median", 0.0), None);
            /// ```
            pub fn from_name(name: &str, ddof: f64) -> Option<Reduction> {
                match name {
                    $($($name => Some(Reduction::$Reduction),)?)*
                    "argmin" => Some(Reduction::ArgMin),
                    "argmax" => Some(Reduction::ArgMax),
                    "count_nonzero" => Some(Reduction::CountNonzero),
                    "mean" => Some(Reduction::Mean),
                    "var" => Some(Reduction::Var(ddof)),
                    "std" => Some(Reduction::Std(ddof)),
                    _ => None,
                }
            }

            /// The fold, if the reduction is a single one.
            pub(crate) fn fold(self) -> Option<Fold> {
                match self {
                    $($(Reduction::$Reduction => Some(Fold::Op(Op::$Op)),)?)*
                    Reduction::ArgMin => Some(Fold::ArgMin),
                    Reduction::ArgMax => Some(Fold::ArgMax),
                    Reduction::CountNonzero | Reduction::Mean | Reduction::Var(_) | Reduction::Std(_) => None,
                }
            }
        }
    };
}

for_each_fold!(declare_reductions);

/// What NumPy's reductions take besides the array.
#[derive(Clone, Copy, Default)]
pub struct ReduceOptions<'a> {
    /// The axes; all of them if `None`.
    pub axes: Option<&'a [isize]>,
    /// The type to compute in and return; NumPy's default if `None`.
    pub dtype: Option<DType>,
    /// Whether reduced axes are kept, with extent one.
    pub keepdims: bool,
    /// A number that the fold begins with.
    pub initial: Option<Value<'a>>,
    /// Bools that broadcast to the array's shape: only elements where they are true are reduced.
    pub mask: Option<&'a Array>,
    /// The destination, of the result's shape.
    pub out: Option<&'a Array>,
    /// The mean to measure variances from, of a shape that broadcasts to the array's.
    pub mean: Option<&'a Array>,
}

/// The axes to reduce, as a bit set.
fn axis_bits(axes: Option<&[isize]>, ndim: usize) -> Result<u64> {
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

pub(crate) fn is_reduced(mask: u64, axis: usize) -> bool {
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

/// The result, cast and stored in the destination if there is one.
fn store_in_out(result: Array, out: Option<&Array>) -> Result<Array> {
    let Some(out) = out else { return Ok(result) };
    out.check_target("output array is read-only")?;
    if out.shape() != result.shape() {
        return Err(Error::value("output parameter for reduction operation has the wrong shape"));
    }
    out.assign(&result)?;
    Ok(out.clone())
}

/// How many elements each result reduces.
enum Count {
    Uniform(usize),
    PerResult(Array),
}

/// `sum / count` in a type, whatever the type of the counts.
fn quotient(sum: &Array, count: &Array, compute: DType) -> Result<Array> {
    let options = Options { dtype: Some(compute), casting: Some(Casting::Unsafe), ..Options::default() };
    apply_with(Op::Divide, &[sum.into(), count.into()], options)
}

impl Array {
    /// Reduces axes (all of them if `None`).
    ///
    /// `dtype` is the type to compute and return sums, products and means in, if not NumPy's default. With `keepdims` reduced axes
    /// are kept, with extent one.
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
        self.reduce_with(what, &ReduceOptions { axes, dtype, keepdims, ..ReduceOptions::default() })
    }

    /// [`Array::reduce`] with a mask, an initial value, a destination.
    ///
    /// # Errors
    /// As [`Array::reduce`], and for a destination of another shape.
    ///
    /// ```
    /// use fastnp::{Array, ReduceOptions, Reduction};
    /// let (a, odd) = (Array::arange(4), Array::from(vec![false, true, false, true]));
    /// let sum = a.reduce_with(Reduction::Sum, &ReduceOptions { mask: Some(&odd), ..ReduceOptions::default() })?;
    /// assert_eq!(sum.item()?.to_i64(), 4);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn reduce_with(&self, what: Reduction, how: &ReduceOptions<'_>) -> Result<Array> {
        match what.fold() {
            Some(Fold::Op(op)) => self.fold_by(op, how),
            _ => self.reduce_composite(what, how),
        }
    }

    /// Reduces all axes eagerly if the array is small, dense and has no pending writes; `None` if not.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::{Array, Reduction};
    /// let a = Array::from(vec![1.0, 3.0]);
    /// assert_eq!(a.reduce_now(Reduction::ArgMax)?.map(|position| position.to_i64()), Some(1));
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn reduce_now(&self, what: Reduction) -> Result<Option<Scalar>> {
        if what == Reduction::CountNonzero {
            return Ok(self.count_true().map(|count| Scalar::new(DType::I64, count as i64)));
        }
        let Some(fold) = what.fold() else { return Ok(None) };
        let compute = match fold {
            Fold::Op(op) => match self.fold_type(op, &ReduceOptions::default()) {
                Ok((_, compute)) => compute,
                Err(_) => return Ok(None),
            },
            Fold::ArgMin | Fold::ArgMax => self.dtype,
        };
        eager_fold::fold(self, fold, compute)
    }

    /// How many elements are true, for a dense array without pending writes. Bytes are counted in bytes; a sum would widen each to 64
    /// bits.
    fn count_true(&self) -> Option<usize> {
        if self.dtype != DType::Bool || !self.is_c_contiguous() {
            return None;
        }
        let mut runtime = runtime();
        let gate = Eager::unlimited(&mut runtime);
        let start = gate.read(&self.storage)?.wrapping_offset(self.layout.offset);
        // SAFETY: the array is dense and has no pending writes, and nothing runs while the lock is held.
        Some(count_true(unsafe { std::slice::from_raw_parts(start, self.size()) }))
    }

    /// The reductions that are made of several folds and operations.
    fn reduce_composite(&self, what: Reduction, how: &ReduceOptions<'_>) -> Result<Array> {
        let mask = axis_bits(how.axes, self.ndim())?;
        let folded = self.elements_per_result(mask);
        let result = match what {
            Reduction::ArgMin => self.position(Fold::ArgMin, how.axes, mask, folded, how.keepdims)?,
            Reduction::ArgMax => self.position(Fold::ArgMax, how.axes, mask, folded, how.keepdims)?,
            Reduction::CountNonzero => {
                self.cast_order(DType::Bool, Order::K)?.fold(Fold::Op(Op::Add), DType::I64, mask, how.keepdims)?
            }
            Reduction::Mean => self.mean(how, mask, folded)?,
            Reduction::Var(ddof) => self.variance(how, mask, folded, ddof)?,
            Reduction::Std(ddof) => {
                let variance = self.variance(how, mask, folded, ddof)?;
                apply(Op::Sqrt, &[(&variance).into()])?
            }
            _ => return Err(Error::unsupported("a fold of an op")),
        };
        // NumPy would compute in the destination's type.
        if how.out.is_some_and(|out| out.dtype != result.dtype) {
            return Err(Error::unsupported("a mean into another type"));
        }
        store_in_out(result, how.out)
    }

    /// Reduces axes by a binary op, as NumPy's `ufunc.reduce`.
    ///
    /// # Errors
    /// `AxisError`; `ValueError` for an empty reduction by an op without an identity, and for a destination of another shape.
    ///
    /// ```
    /// use fastnp::{Array, ReduceOptions, Op};
    /// let a = Array::from(vec![6i64, 3]);
    /// assert_eq!(a.fold_by(Op::BitwiseXor, &ReduceOptions::default())?.item()?.to_i64(), 5);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn fold_by(&self, op: Op, how: &ReduceOptions<'_>) -> Result<Array> {
        let reduced = axis_bits(how.axes, self.ndim())?;
        let (row, compute) = self.fold_type(op, how)?;
        if how.out.is_some_and(|out| *out.shape() != self.reduced_shape(reduced, how.keepdims)[..]) {
            // The check is before anything runs, so that an error comes without warnings.
            return Err(Error::value("output parameter for reduction operation has the wrong shape"));
        }
        let initial = how.initial.map(|value| value.scalar(compute)).transpose()?.flatten().map(|s| s.cast(compute));
        if initial.is_some() != how.initial.is_some() {
            return Err(Error::unsupported("a fold that begins with an array"));
        }
        if how.initial.is_some_and(|value| drops_imaginary(result_type(&[value.arg_type()]), compute)) {
            return Err(Error::unsupported("a real fold that begins with a complex number"));
        }
        let identity = row.identity(compute);
        if identity.is_none() && initial.is_none() && (self.elements_per_result(reduced) == 0 || how.mask.is_some()) {
            let name = op.name();
            return Err(Error::value(format!("zero-size array to reduction operation {name} which has no identity")));
        }
        // A sum starts from positive zero, and `-0.0 + 0.0` would lose the sign.
        let differs = |i: Scalar, start: Scalar| i.to_complex() == start.to_complex() && i.bits() != start.bits();
        if initial.zip(row.start(compute)).is_some_and(|(initial, start)| differs(initial, start)) {
            return Err(Error::unsupported("a sum that begins with a negative zero"));
        }
        let masked;
        let source = match (how.mask, identity.or(initial)) {
            (Some(mask), Some(left_out)) => {
                masked = self.masked(mask, compute, left_out)?;
                &masked
            }
            _ => self,
        };
        let empty = self.elements_per_result(reduced) == 0;
        let stands_alone = identity.is_none() && empty;
        let mut result = match initial.filter(|_| stands_alone) {
            Some(initial) => Array::full(&source.reduced_shape(reduced, how.keepdims), initial, Order::C)?,
            None if !empty && depends_on_order(Fold::Op(op), compute) => {
                source.product(compute, reduced, how.keepdims)?
            }
            None => source.fold(Fold::Op(op), compute, reduced, how.keepdims)?,
        };
        if let Some(initial) = initial.filter(|_| !stands_alone) {
            result = apply(op, &[initial.into(), (&result).into()])?;
        }
        store_in_out(result, how.out)
    }

    /// The table's row of a fold by an op, and the type it is computed in, by NumPy's rule.
    pub(crate) fn fold_type(&self, op: Op, how: &ReduceOptions<'_>) -> Result<(&'static FoldRow, DType)> {
        let (own, row) = (self.dtype, op.fold());
        let is_truth = row.is_some() && op.row().result == ResultRule::Bool;
        if is_truth && how.dtype.is_some_and(|d| d != DType::Bool) {
            return Err(Error::unsupported("truth in another type"));
        }
        let compute = match (how.dtype, how.out) {
            _ if is_truth => DType::Bool,
            (Some(dtype), _) => dtype,
            (None, Some(out)) => promote_types(own, out.dtype),
            (None, None) if row.is_some_and(|row| row.widens) => sum_type(own),
            (None, None) => own,
        };
        // NumPy accumulates in the destination, so its type must hold every intermediate result.
        let holds =
            |to: DType| how.dtype.is_none() && can_cast(compute, to, Casting::Safe) && !drops_imaginary(to, compute);
        let fits = op.has_loop(compute)
            && !drops_imaginary(own, compute)
            && how.out.is_none_or(|out| out.dtype == compute || holds(out.dtype));
        let row = row.filter(|_| fits).ok_or_else(|| Error::unsupported(format!("{op} folded in {compute}")))?;
        Ok((row, compute))
    }

    /// This array in the type a fold computes in, with the neutral element where the mask is false.
    fn masked(&self, mask: &Array, compute: DType, neutral: Scalar) -> Result<Array> {
        let fits = mask.ndim() <= self.ndim();
        if !fits || broadcast(&[mask.shape(), self.shape()])?[..] != *self.shape() {
            return Err(Error::value("non-broadcastable operand with shape"));
        }
        let cast;
        let source = if self.dtype == compute {
            self
        } else {
            // An element where the mask is false may not fit the type, and must not raise a flag in the cast.
            cast = select(mask, self.into(), Scalar::new(self.dtype, 1).into())?.cast(compute)?;
            &cast
        };
        select(mask, source.into(), neutral.into())
    }

    /// How many elements each result reduces.
    fn elements_per_result(&self, reduced: u64) -> usize {
        (0..self.ndim()).filter(|&i| is_reduced(reduced, i)).map(|i| self.shape()[i]).product()
    }

    /// The shape of the result of a reduction.
    fn reduced_shape(&self, reduced: u64, keepdims: bool) -> Shape {
        let extent = |i: usize| match is_reduced(reduced, i) {
            true => keepdims.then_some(1),
            false => Some(self.shape()[i]),
        };
        (0..self.ndim()).filter_map(extent).collect()
    }

    fn position(&self, fold: Fold, axes: Option<&[isize]>, mask: u64, folded: usize, keepdims: bool) -> Result<Array> {
        if folded == 0 {
            return Err(Error::value(format!("attempt to get {} of an empty sequence", fold.name())));
        }
        if axes.is_some_and(|a| a.len() != 1) {
            return Err(Error::unsupported("the position of an extreme over several axes"));
        }
        self.fold(fold, self.dtype, mask, keepdims)
    }

    fn mean(&self, how: &ReduceOptions<'_>, reduced: u64, folded: usize) -> Result<Array> {
        if folded == 0 {
            return Err(Error::unsupported("the mean of nothing, which warns"));
        }
        let result = match how.dtype {
            Some(dtype) => dtype,
            None if self.dtype.is_integer() || self.dtype == DType::Bool => DType::F64,
            None => self.dtype,
        };
        if !(result.is_float() || result.is_complex()) {
            return Err(Error::unsupported("a mean computed in integers"));
        }
        // float16 is summed in float32, as NumPy does.
        let compute = if result == DType::F16 { DType::F32 } else { result };
        let sum = ReduceOptions { dtype: Some(compute), out: None, ..*how };
        let sum = self.fold_by(Op::Add, &sum)?;
        let count = self.count(how, reduced, folded)?;
        let mean = match &count {
            Count::Uniform(n) => {
                let mean = apply(Op::Divide, &[(&sum).into(), Value::Float(*n as f64)])?;
                let is_exact_in_type = self.dtype == compute || self.dtype.is_integer();
                if *n == self.size() && is_exact_in_type && result == compute && how.initial.is_none() {
                    runtime().note_recorded_number(self, Number::Mean(compute), &mean);
                }
                mean
            }
            Count::PerResult(n) => quotient(&sum, n, compute)?,
        };
        if result == compute { Ok(mean) } else { mean.cast(result) }
    }

    /// How many elements each result reduces: fewer than all under a mask.
    fn count(&self, how: &ReduceOptions<'_>, reduced: u64, folded: usize) -> Result<Count> {
        let Some(mask) = how.mask else { return Ok(Count::Uniform(folded)) };
        let over = mask.broadcast_to(self.shape())?;
        let count = over.fold(Fold::Op(Op::Add), DType::I64, reduced, how.keepdims)?;
        let least = count.reduce(Reduction::Min, None, None, false);
        // NumPy warns if a mask selects nothing.
        match count.size() {
            0 => Ok(Count::PerResult(count)),
            _ if least?.item()?.to_i64() > 0 => Ok(Count::PerResult(count)),
            _ => Err(Error::unsupported("the mean of nothing, which warns")),
        }
    }

    fn variance(&self, how: &ReduceOptions<'_>, reduced: u64, folded: usize, ddof: f64) -> Result<Array> {
        let degrees_of_freedom = folded as f64 - ddof;
        if degrees_of_freedom <= 0.0 || self.dtype.is_complex() || how.dtype.is_some_and(|d| !d.is_float()) {
            return Err(Error::unsupported("a variance of complex numbers, or without degrees of freedom"));
        }
        let result = how.dtype.unwrap_or(if self.dtype.is_float() { self.dtype } else { DType::F64 });
        let compute = if result == DType::F16 { DType::F32 } else { result };
        let inner = ReduceOptions { dtype: Some(compute), out: None, keepdims: true, ..*how };
        let made;
        let mean = match how.mean {
            Some(given)
                if given.dtype == compute && broadcast(&[given.shape(), self.shape()])?[..] == *self.shape() =>
            {
                given
            }
            Some(_) => return Err(Error::unsupported("a mean of another type or shape")),
            None => {
                let is_of_all = folded == self.size() && how.mask.is_none() && how.initial.is_none();
                let known = is_of_all.then(|| runtime().known_number(self, Number::Mean(compute))).flatten();
                made = match known {
                    Some(value) => {
                        let shape = self.reduced_shape(reduced, true);
                        let strides = c_strides(&shape, compute.size());
                        Array::filled(&shape, strides, compute, |to| element::write(to, value))?
                    }
                    None => self.mean(&inner, reduced, folded)?,
                };
                &made
            }
        };
        let distance = apply(Op::Subtract, &[self.into(), mean.into()])?;
        if distance.shape() != self.shape() || !distance.dtype.is_float() {
            return Err(Error::unsupported("a mean of another type or shape"));
        }
        let squared = apply(Op::Square, &[(&distance).into()])?;
        let sum = squared.fold_by(Op::Add, &ReduceOptions { keepdims: how.keepdims, ..inner })?;
        let variance = match self.count(how, reduced, folded)? {
            Count::Uniform(_) => apply(Op::Divide, &[(&sum).into(), Value::Float(degrees_of_freedom)])?,
            Count::PerResult(n) => {
                let degrees_of_freedom = apply(Op::Subtract, &[(&n).into(), Value::Float(ddof)])?;
                let least = degrees_of_freedom.reduce(Reduction::Min, None, None, false);
                if degrees_of_freedom.size() > 0 && least?.item()?.to_f64() <= 0.0 {
                    return Err(Error::unsupported("a variance without degrees of freedom, which warns"));
                }
                quotient(&sum, &degrees_of_freedom, compute)?
            }
        };
        if result == compute { Ok(variance) } else { variance.cast(result) }
    }

    /// Folds the axes of a bit set.
    pub(crate) fn fold(&self, fold: Fold, compute: DType, mask: u64, keepdims: bool) -> Result<Array> {
        let dtype = fold.result(compute);
        let kept = |i: &usize| !is_reduced(mask, *i);
        let shape: Shape = (0..self.ndim()).filter(kept).map(|i| self.shape()[i]).collect();
        let own: Strides = (0..self.ndim()).filter(kept).map(|i| self.strides()[i]).collect();
        let strides = match fold {
            // NumPy copies the array with this axis last, so the result is row-major.
            Fold::ArgMin | Fold::ArgMax => c_strides(&shape, dtype.size()),
            Fold::Op(_) => result_order::of_operands(&shape, dtype.size(), &[&own]),
        };
        let known = match shape.is_empty() {
            true => recording()?.known_number(self, Number::Fold((fold, compute))),
            false => None,
        };
        let target = match known {
            Some(value) => Array::filled(&shape, strides, dtype, |to| element::write(to, value))?,
            None => Array::fresh(&shape, strides, dtype)?,
        };
        if known.is_none() {
            self.fold_to(fold, compute, mask, &target)?;
        }
        if !keepdims {
            return Ok(target);
        }
        let mut layout = target.layout.clone();
        for axis in (0..self.ndim()).filter(|&i| is_reduced(mask, i)) {
            layout.shape.insert(axis, 1);
            layout.strides.insert(axis, 0);
        }
        let full = crate::array::layout::c_strides(&layout.shape, dtype.size());
        for axis in (0..self.ndim()).filter(|&i| is_reduced(mask, i)) {
            layout.strides[axis] = full[axis];
        }
        Ok(target.with_layout(layout))
    }

    /// Folds the axes of a bit set into a new array of the reduced shape.
    pub(crate) fn fold_to(&self, fold: Fold, compute: DType, mask: u64, target: &Array) -> Result<()> {
        let mut along: Strides = SmallVec::from_elem(0, self.ndim());
        for (axis, &stride) in (0..self.ndim()).filter(|&i| !is_reduced(mask, i)).zip(target.strides()) {
            along[axis] = stride;
        }
        let mut runtime = recording()?;
        runtime.submit(&Statement {
            op: Operation::Fold(fold),
            compute,
            domain: self.shape(),
            reduced: mask,
            inputs: &[Input::Memory(self.over(self.shape()))],
            target: StridedView {
                storage: &target.storage,
                dtype: target.dtype,
                offset: 0,
                strides: CowStrides::Owned(along),
            },
            covers: true,
        })?;
        if target.ndim() == 0 {
            runtime.note_recorded_number(self, Number::Fold((fold, compute)), target);
        }
        Ok(())
    }

    /// Prefix scan: running sums (`Op::Add`), products (`Op::Multiply`) or extremes along an axis; flattened first if `None`.
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
        self.scan_into(op, axis, dtype, None)
    }

    /// [`Array::scan`] with a destination of the result's shape.
    ///
    /// # Errors
    /// As [`Array::scan`], and for a destination of another shape.
    pub fn scan_into(&self, op: Op, axis: Option<isize>, dtype: Option<DType>, out: Option<&Array>) -> Result<Array> {
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
        let (_, dtype) = self.fold_type(op, &ReduceOptions { dtype, out, ..ReduceOptions::default() })?;
        // NumPy reports flags of these casts under another name than elsewhere.
        let safe = |from, to| can_cast(from, to, Casting::Safe) || from.is_integer() && to.is_integer();
        if !safe(self.dtype, dtype) || out.is_some_and(|out| !safe(dtype, out.dtype)) {
            return Err(Error::unsupported("a running fold with casts that may warn"));
        }
        // NumPy rounds to float16 at every step; a kernel would accumulate in float32.
        if dtype == DType::F16 {
            return Err(Error::unsupported("a running fold in float16"));
        }
        let strides = result_order::of_operands(array.shape(), dtype.size(), &[array.strides()]);
        let target = Array::fresh(array.shape(), strides, dtype)?;
        if array.size() == 0 {
            return store_in_out(target, out);
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
        store_in_out(target, out)
    }
}
