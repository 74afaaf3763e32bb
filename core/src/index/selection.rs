//! `a[mask]`, not yet taken out of `a`.
//!
//! How many elements a boolean mask selects depends on data, so an array of them cannot be recorded. But most selections are
//! reduced (`a[m].mean()`) or computed on and put back through the same mask (`z[m] = z[m]**2 + c[m]`), and both are
//! elementwise over the full array: the selection stays a pair of full arrays, values and mask, and becomes a select inside
//! the kernel. Only an escape (its length, its elements) compacts it.
//!
//! Values at places that are not selected are kept at a number that no operation raises a floating-point flag for, so what is not
//! selected can never warn.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order};
use crate::array::snapshot::Capture;
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::index::mask_device::{chosen_there, how_many};
use crate::index::mask_loops::{compact, count_true, expand};
use crate::ops::elementwise::{apply, select};
use crate::ops::reduce::Reduction;
use crate::runtime::recorder::engine;
use fastnp_codegen::{DType, Fold, Op, Scalar};

/// Elements of an array where a mask of the same shape is true, in row-major order.
#[derive(Clone)]
pub struct Selection {
    /// The values as they were when selected; anything where the mask is false.
    values: Capture,
    /// The mask as it was then.
    mask: Capture,
    /// The stamp of the mask's storage, its layout and version, to tell whether another selection is by the same one.
    origin: u64,
    layout: Layout,
    version: u64,
    dtype: DType,
}

impl Selection {
    /// Selects elements of `source` where `mask` (bool, of the same shape) is true, as both are now.
    ///
    /// # Errors
    /// `IndexError` where the shapes differ.
    ///
    /// ```
    /// use fastnp::{Array, Op, Reduction, Selection, apply};
    /// let x = Array::from(vec![1.0, -2.0, 3.0]);
    /// let positive = apply(Op::Greater, &[(&x).into(), 0.0.into()])?;
    /// let selected = Selection::new(&x, &positive)?;
    /// assert_eq!(selected.reduce(Reduction::Mean)?.item()?.to_f64(), 2.0);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn new(source: &Array, mask: &Array) -> Result<Selection> {
        if let Some(axis) = (0..source.ndim()).find(|&i| mask.shape().get(i) != Some(&source.shape()[i])) {
            return Err(Error::index(format!(
                "boolean index did not match indexed array along axis {axis}; size of axis is {} but size of \
                 corresponding boolean axis is {}",
                source.shape()[axis],
                mask.shape().get(axis).copied().unwrap_or(0)
            )));
        }
        Ok(Selection {
            values: Capture::of(source)?,
            mask: Capture::of(mask)?,
            origin: mask.storage.stamp(),
            layout: mask.layout.clone(),
            version: mask.version(),
            dtype: source.dtype(),
        })
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Whether `mask` is, now, the mask this selection was made with.
    pub fn is_by(&self, mask: &Array) -> bool {
        self.origin == mask.storage.stamp()
            && self.layout == mask.layout
            && self.version == mask.version()
            && !mask.storage.is_shared()
    }

    /// Whether both were made with the same mask.
    pub fn same_mask(&self, other: &Selection) -> bool {
        self.origin == other.origin && self.layout == other.layout && self.version == other.version
    }

    /// Applies an op to selections by one mask and numbers.
    ///
    /// # Errors
    /// As [`apply`]; `Unsupported` for arguments that are arrays, or selections by other masks.
    pub fn apply(op: Op, args: &[SelectionArg<'_>]) -> Result<Selection> {
        let first = args.iter().find_map(|a| match a {
            SelectionArg::Selection(s) => Some(*s),
            SelectionArg::Number(_) => None,
        });
        let Some(first) = first else { return Err(Error::unsupported("an operation on no selection")) };
        let benign = benign(op);
        let mut safe: Vec<Array> = Vec::with_capacity(args.len());
        for arg in args {
            if let SelectionArg::Selection(s) = arg {
                if !s.same_mask(first) {
                    return Err(Error::unsupported("selections by different masks"));
                }
                safe.push(if op.row().effects.is_empty() {
                    s.values.array()
                } else {
                    s.or(Scalar::new(s.dtype, benign))?
                });
            }
        }
        let mut safe = safe.iter();
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match arg {
                SelectionArg::Selection(_) => Value::Array(safe.next().expect("one for each selection")),
                SelectionArg::Number(number) => *number,
            });
        }
        Ok(first.with(apply(op, &values)?))
    }

    /// Other values under the same mask.
    fn with(&self, values: Array) -> Selection {
        Selection { dtype: values.dtype(), values: Capture::fixed(values), ..self.clone() }
    }

    /// The values where selected, a number elsewhere.
    fn or(&self, number: Scalar) -> Result<Array> {
        select(&self.mask.array(), (&self.values.array()).into(), Value::Scalar(number))
    }

    /// Reduces all selected elements.
    ///
    /// # Errors
    /// `ValueError` for the smallest or largest of nothing; `Unsupported` for reductions that depend on positions, and for the
    /// mean of nothing, which warns.
    pub fn reduce(&self, what: Reduction) -> Result<Array> {
        match what {
            Reduction::CountNonzero => self.or(Scalar::zero(self.dtype))?.reduce(what, None, None, false),
            Reduction::Mean => self.mean(),
            _ => match what.fold() {
                Some(Fold::Op(op)) => self.fold(op, what),
                Some(Fold::ArgMin | Fold::ArgMax) | None => Err(Error::unsupported("this reduction of a selection")),
            },
        }
    }

    /// Reduces all selected elements by an op: what is not selected counts as the identity, or as what changes nothing.
    fn fold(&self, op: Op, what: Reduction) -> Result<Array> {
        let row = op.fold();
        if let Some(identity) = row.and_then(|row| row.identity(self.dtype)) {
            return self.or(identity)?.reduce(what, None, None, false);
        }
        let neutral = row.and_then(|row| row.neutral(self.dtype));
        let Some(neutral) = neutral.filter(|_| !self.dtype.is_complex() && self.dtype != DType::F16) else {
            return Err(Error::unsupported("an extreme of a selection in this type"));
        };
        if self.count()? == 0 {
            let name = op.name();
            return Err(Error::value(format!("zero-size array to reduction operation {name} which has no identity")));
        }
        self.or(neutral)?.reduce(what, None, None, false)
    }

    fn mean(&self) -> Result<Array> {
        let dtype = if self.dtype().is_float() { self.dtype() } else { DType::F64 };
        if self.dtype().is_complex() || dtype == DType::F16 {
            return Err(Error::unsupported("the mean of a selection in this type"));
        }
        let mask = self.mask.array();
        let full = if mask.ndim() >= 64 { u64::MAX } else { (1 << mask.ndim()) - 1 };
        let sum = self.or(Scalar::zero(self.dtype))?.fold(Fold::Op(Op::Add), dtype, full, false)?;
        let count = mask.fold(Fold::Op(Op::Add), DType::I64, full, false)?;
        let mean = apply(Op::Divide, &[(&sum).into(), (&count.cast(dtype)?).into()])?;
        // Both are there after one flush, by one kernel.
        mean.evaluate()?;
        if count.item()?.to_i64() == 0 {
            engine().seen.raised.forget(Op::Divide.name());
            return Err(Error::unsupported("the mean of nothing, which warns"));
        }
        Ok(mean)
    }

    /// How many elements are selected. Evaluates the mask, nothing else.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn count(&self) -> Result<usize> {
        how_many(&self.mask.array())
    }

    /// The selected elements as an array of one axis.
    ///
    /// # Errors
    /// `MemoryError`.
    ///
    /// ```
    /// use fastnp::{Array, Op, Selection, apply};
    /// let x = Array::arange(6);
    /// let odd = apply(Op::BitwiseAnd, &[(&x).into(), 1.into()])?.cast(fastnp::DType::Bool)?;
    /// assert_eq!(Selection::new(&x, &odd)?.to_array()?.to_vec::<i64>()?, [1, 3, 5]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn to_array(&self) -> Result<Array> {
        let (values, mask) = (self.values.array(), self.mask.array());
        if let Some(chosen) = chosen_there(&mask, Some(&values))? {
            return Ok(chosen);
        }
        let (values, mask) = (dense(values)?, dense(mask)?);
        let (from, chosen) = (values.address()?, mask.address()?);
        // SAFETY: the mask is dense and settled.
        let bytes = unsafe { std::slice::from_raw_parts(chosen, mask.size()) };
        let count = count_true(bytes);
        let out = Array::by_rows(&[count], self.dtype)?;
        let target = out.storage.materialize()?;
        // SAFETY: values and mask are dense, settled and of one shape; the target has room for every selected element.
        unsafe { compact(from, bytes, target, count, self.dtype.size()) };
        Ok(out)
    }

    /// `target[mask] = self`, for the mask this selection was made with, or a number broadcast.
    ///
    /// # Errors
    /// `ValueError` where the target is read-only.
    ///
    /// ```
    /// use fastnp::{Array, Op, Selection, SelectionArg, apply};
    /// let z = Array::from(vec![1.0, -2.0, 3.0]);
    /// let mask = apply(Op::Greater, &[(&z).into(), 0.0.into()])?;
    /// let squares = Selection::apply(Op::Square, &[SelectionArg::Selection(&Selection::new(&z, &mask)?)])?;
    /// squares.assign_to(&z)?; // z[mask] = z[mask] ** 2
    /// assert_eq!(z.to_vec::<f64>()?, [1.0, -2.0, 9.0]);
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn assign_to(&self, target: &Array) -> Result<()> {
        let mask = self.mask.array();
        if target.shape() != mask.shape() {
            return Err(Error::unsupported("a selection put back into another shape"));
        }
        target.assign_where(&mask, Value::Array(&self.values.array()))
    }

    /// A copy converted to a type.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn cast(&self, dtype: DType) -> Result<Selection> {
        Ok(self.with(self.or(Scalar::zero(self.dtype))?.cast(dtype)?))
    }
}

/// An argument of [`Selection::apply`].
#[derive(Clone, Copy)]
pub enum SelectionArg<'a> {
    /// A selection.
    Selection(&'a Selection),
    /// A number (any [`Value`] but an array).
    Number(Value<'a>),
}

/// A number inside an op's domain, where it raises nothing.
fn benign(op: Op) -> f64 {
    match op.row().domain {
        fastnp_codegen::Domain::Unit => 0.0,
        fastnp_codegen::Domain::Any
        | fastnp_codegen::Domain::Small
        | fastnp_codegen::Domain::Positive
        | fastnp_codegen::Domain::AboveOne => 1.0,
    }
}

/// The array, or a copy of it, dense in row-major order.
fn dense(array: Array) -> Result<Array> {
    if array.is_c_contiguous() { Ok(array) } else { array.copy(Order::C) }
}

/// `source[mask]` for a mask of the source's shape, at once: what keeping it as a [`Selection`] costs more than. `None` where the
/// elements are many, or not dense.
///
/// # Errors
/// `MemoryError`.
///
/// ```
/// use fastnp::{Array, select_now};
/// let x = Array::from(vec![1.0, 2.0, 3.0]);
/// let chosen = select_now(&x, &Array::from(vec![true, false, true]))?.expect("three are few");
/// assert_eq!(chosen.to_vec::<f64>()?, [1.0, 3.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn select_now(source: &Array, mask: &Array) -> Result<Option<Array>> {
    let mut engine = engine();
    let fits = source.shape() == mask.shape() && mask.dtype() == DType::Bool && mask.size() <= engine.tiny;
    if !fits || !source.is_c_contiguous() || !mask.is_c_contiguous() {
        return Ok(None);
    }
    let chosen = engine.settle(&mask.storage)?.wrapping_offset(mask.layout.offset);
    let from = engine.settle(&source.storage)?.wrapping_offset(source.layout.offset);
    // SAFETY: the mask is dense and settled.
    let bytes = unsafe { std::slice::from_raw_parts(chosen, mask.size()) };
    let (count, size) = (count_true(bytes), source.dtype().size());
    let (storage, to) = engine.made(count * size)?;
    // SAFETY: values and mask are dense, settled and of one shape; the target has room for every selected element.
    unsafe { compact(from, bytes, to, count, size) };
    engine.seen.stats.ran_at_once();
    let layout = Layout::dense(&[count], size);
    Ok(Some(Array { storage, layout, dtype: source.dtype(), writeable: true }))
}

/// `target[mask] = values` for as many values as the mask selects; evaluates all three.
///
/// # Errors
/// `Unsupported` where the numbers differ, or the target is not dense; `ValueError` where it is read-only.
///
/// ```
/// use fastnp::{Array, put_selected};
/// let target = Array::from(vec![1.0, 2.0, 3.0]);
/// put_selected(&target, &Array::from(vec![true, false, true]), &Array::from(vec![7.0, 9.0]))?;
/// assert_eq!(target.to_vec::<f64>()?, [7.0, 2.0, 9.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn put_selected(target: &Array, mask: &Array, values: &Array) -> Result<()> {
    target.check_target("assignment destination is read-only")?;
    let fits = target.is_c_contiguous() && target.shape() == mask.shape() && values.ndim() == 1;
    if !fits || values.may_share_memory(target) || mask.may_share_memory(target) {
        return Err(Error::unsupported("values put into a selection of an array that is not dense, or is among them"));
    }
    let values = if values.dtype() == target.dtype() { values.clone() } else { values.cast(target.dtype())? };
    let (values, mask) = (dense(values)?, dense(mask.clone())?);
    let (from, chosen) = (values.address()?, mask.address()?);
    // SAFETY: the mask is dense and settled.
    let bytes = unsafe { std::slice::from_raw_parts(chosen, mask.size()) };
    if count_true(bytes) != values.size() {
        return Err(Error::unsupported("as many values as the mask does not select"));
    }
    // SAFETY: the target is dense, settled, of the mask's shape and shares no memory with the values.
    target.write_with(|to| unsafe { expand(from, bytes, to, values.size(), target.dtype().size()) })
}
