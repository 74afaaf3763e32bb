//! Masked selection: `a[mask]` as values and a mask, compacted lazily.
//!
//! How many elements a mask selects depends on data, so a compacted array cannot be recorded. Most selections are reduced
//! (`a[m].mean()`), or computed with and stored through the same mask (`z[m] = z[m]**2 + c[m]`). Both are elementwise over the full
//! array, so the selection stays a pair of full arrays and becomes a select in the kernel. Only reading its length or its elements
//! compacts it.
//!
//! Before an operation, values that are not selected are replaced by a number that raises no floating-point flag, so they never
//! cause a warning.

use crate::array::array::Array;
use crate::array::layout::{Layout, Order};
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::count_true::count_true;
use crate::host::interpreter_lock::run_over;
use crate::index::mask_device::{compact_on_device, count_selected};
use crate::index::mask_loops::compact;
use crate::ops::elementwise::{apply, select};
use crate::ops::reduce::Reduction;
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::runtime;
use crate::runtime::snapshot::Snapshot;
use fastnp_codegen::{DType, Fold, Op, Scalar};

/// Elements of an array where a mask of the same shape is true, in row-major order.
#[derive(Clone)]
pub struct Selection {
    /// A snapshot of the values. Where the mask is false they are arbitrary.
    values: Snapshot,
    /// A snapshot of the mask.
    mask: Snapshot,
    /// The stamp of the mask's storage, its layout and its version: they identify the mask.
    origin: u64,
    layout: Layout,
    version: u64,
    dtype: DType,
}

impl Selection {
    /// Selects elements of `source` where `mask` (bool, of the same shape) is true. Later writes to either have no effect on it.
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
        // A mask that code outside can write has other contents each time, so a selection has a copy with an identity of its own.
        let copy = if mask.storage.is_shared() { Some(mask.copy(Order::C)?) } else { None };
        let mask = copy.as_ref().unwrap_or(mask);
        // Before the snapshot is taken: a thread that writes the mask in between makes another version of it.
        let version = mask.version();
        Ok(Selection {
            values: Snapshot::of(source)?,
            mask: Snapshot::of(mask)?,
            origin: mask.storage.identity(),
            layout: mask.layout.clone(),
            version,
            dtype: source.dtype(),
        })
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Bytes of the array that it is compacted to, at most.
    pub(crate) fn most_bytes(&self) -> usize {
        self.layout.size() * self.dtype.size()
    }

    /// Whether this selection was made with `mask`, and the mask has not changed since.
    pub fn is_by(&self, mask: &Array) -> bool {
        self.origin == mask.storage.identity()
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
        let harmless = harmless(op);
        let mut safe: Vec<Array> = Vec::with_capacity(args.len());
        for arg in args {
            if let SelectionArg::Selection(s) = arg {
                if !s.same_mask(first) {
                    return Err(Error::unsupported("selections by different masks"));
                }
                safe.push(if op.row().effects.is_empty() {
                    s.values.array()
                } else {
                    s.values_or(Scalar::new(s.dtype, harmless))?
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
        Ok(first.with_values(apply(op, &values)?))
    }

    /// A selection of other values by the same mask.
    fn with_values(&self, values: Array) -> Selection {
        Selection { dtype: values.dtype(), values: Snapshot::fixed(values), ..self.clone() }
    }

    /// The values where selected, a number elsewhere.
    fn values_or(&self, number: Scalar) -> Result<Array> {
        select(&self.mask.array(), (&self.values.array()).into(), Value::Scalar(number))
    }

    /// Reduces all selected elements.
    ///
    /// # Errors
    /// `ValueError` for the smallest or largest of nothing; `Unsupported` for reductions that depend on positions, and for the
    /// mean of nothing, for which NumPy warns.
    pub fn reduce(&self, what: Reduction) -> Result<Array> {
        let as_array = |number: Scalar| Array::full(&[], number, Order::C);
        match what {
            Reduction::CountNonzero => self.values_or(Scalar::zero(self.dtype))?.reduce(what, None, None, false),
            Reduction::Mean => as_array(self.mean()?),
            _ => match what.fold() {
                Some(Fold::Op(op)) => match op.fold().and_then(|row| row.identity(self.dtype)) {
                    Some(identity) => self.values_or(identity)?.reduce(what, None, None, false),
                    None => as_array(self.extreme(op, what)?),
                },
                Some(Fold::ArgMin | Fold::ArgMax) | None => Err(Error::unsupported("this reduction of a selection")),
            },
        }
    }

    /// [`Selection::reduce`] to a number, which is read under the same lock: what died unread the last time, as the mask does, is not stored
    /// (`x[x > t].mean()` of a million doubles: 0.17 ms, 0.68 with it). `None` for reductions that stay pending.
    ///
    /// # Errors
    /// As [`Selection::reduce`].
    ///
    /// ```
    /// use fastnp::{Array, Op, Reduction, Selection, apply};
    /// let x = Array::from(vec![1.0, -2.0, 3.0]);
    /// let positive = apply(Op::Greater, &[(&x).into(), 0.0.into()])?;
    /// let least = Selection::new(&x, &positive)?.reduce_now(Reduction::Min)?;
    /// assert_eq!(least.map(|number| number.to_f64()), Some(1.0));
    /// # Ok::<(), fastnp::Error>(())
    /// ```
    pub fn reduce_now(&self, what: Reduction) -> Result<Option<Scalar>> {
        match (what, what.fold()) {
            (Reduction::Mean, _) => self.mean().map(Some),
            (_, Some(Fold::Op(op))) if op.fold().and_then(|row| row.identity(self.dtype)).is_none() => {
                self.extreme(op, what).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The fold of all selected elements by an op without an identity. Elements that are not selected are replaced by its neutral element.
    fn extreme(&self, op: Op, what: Reduction) -> Result<Scalar> {
        let neutral = op.fold().and_then(|row| row.neutral(self.dtype));
        let Some(neutral) = neutral.filter(|_| !self.dtype.is_complex() && self.dtype != DType::F16) else {
            return Err(Error::unsupported("an extreme of a selection in this type"));
        };
        let nothing = || {
            let name = op.name();
            Error::value(format!("zero-size array to reduction operation {name} which has no identity"))
        };
        if self.mask.array().size() == 0 {
            return Err(nothing());
        }
        let extreme = self.values_or(neutral)?.reduce(what, None, None, false)?;
        // One kernel computes both, in one flush.
        let [extreme, count] = numbers([&extreme, &self.counted()?])?;
        if count.to_i64() == 0 { Err(nothing()) } else { Ok(extreme) }
    }

    fn mean(&self) -> Result<Scalar> {
        let dtype = if self.dtype().is_float() { self.dtype() } else { DType::F64 };
        if self.dtype().is_complex() || dtype == DType::F16 {
            return Err(Error::unsupported("the mean of a selection in this type"));
        }
        let full = all_axes(self.layout.ndim());
        let sum = self.values_or(Scalar::zero(self.dtype))?.fold(Fold::Op(Op::Add), dtype, full, false)?;
        let count = self.counted()?;
        let mean = apply(Op::Divide, &[(&sum).into(), (&count.cast(dtype)?).into()])?;
        let [mean, count] = numbers([&mean, &count])?;
        if count.to_i64() == 0 {
            runtime().telemetry.fp_flags.discard(Op::Divide.name());
            return Err(Error::unsupported("the mean of nothing, which warns"));
        }
        Ok(mean)
    }

    /// How many elements are selected, pending.
    fn counted(&self) -> Result<Array> {
        self.mask.array().fold(Fold::Op(Op::Add), DType::I64, all_axes(self.layout.ndim()), false)
    }

    /// How many elements are selected. Evaluates only the mask.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn count(&self) -> Result<usize> {
        count_selected(&self.mask.array())
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
        if let Some(compacted) = compact_on_device(&mask, Some(&values))? {
            return Ok(compacted);
        }
        let (values, mask) = (dense(values)?, dense(mask)?);
        // Locked from the count to the end, as the result has as many elements as were counted.
        let mut runtime = runtime();
        let mut gate = Eager::unlimited(&mut runtime);
        let from = gate.read_flushed(&values.storage)?.wrapping_offset(values.layout.offset);
        let flags = gate.read_stable(&mask)?;
        // SAFETY: the runtime stays locked. Booleans are read as bytes.
        let bytes = unsafe { flags.elements::<u8>() };
        let (count, size) = (run_over(bytes.len(), || count_true(bytes)), self.dtype.size());
        // Code outside may know the elements by another address already.
        let (storage, to) = runtime.allocate_closed(count * size)?;
        // SAFETY: values and mask are dense, evaluated and of one shape; the target has room for every selected element.
        run_over(bytes.len() * size, || unsafe { compact(from, bytes, to, count, size) });
        let layout = Layout::dense(&[count], size);
        Ok(Array { storage, layout, dtype: self.dtype, writeable: true })
    }

    /// `target[mask] = self` for the mask of this selection.
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
            return Err(Error::unsupported("a selection assigned to another shape"));
        }
        target.assign_where(&mask, Value::Array(&self.values.array()))
    }

    /// A copy converted to a type.
    ///
    /// # Errors
    /// `MemoryError`.
    pub fn cast(&self, dtype: DType) -> Result<Selection> {
        Ok(self.with_values(self.values_or(Scalar::zero(self.dtype))?.cast(dtype)?))
    }
}

/// All axes of so many, as a bit set.
fn all_axes(ndim: usize) -> u64 {
    if ndim >= 64 { u64::MAX } else { (1 << ndim) - 1 }
}

/// The elements of arrays without axes, read in one flush for their sake.
fn numbers<const N: usize>(arrays: [&Array; N]) -> Result<[Scalar; N]> {
    runtime().read_scalars(arrays.map(|array| (&*array.storage, array.layout.offset, array.dtype)))
}

/// An argument of [`Selection::apply`].
#[derive(Clone, Copy)]
pub enum SelectionArg<'a> {
    /// A selection.
    Selection(&'a Selection),
    /// A number (any [`Value`] but an array).
    Number(Value<'a>),
}

/// A number inside an op's domain, for which it raises no flag.
fn harmless(op: Op) -> f64 {
    match op.row().domain {
        fastnp_codegen::Domain::Unit => 0.0,
        fastnp_codegen::Domain::Any
        | fastnp_codegen::Domain::Small
        | fastnp_codegen::Domain::Positive
        | fastnp_codegen::Domain::AboveOne => 1.0,
    }
}

/// The array if it is dense in row-major order, else such a copy.
pub(super) fn dense(array: Array) -> Result<Array> {
    if array.is_c_contiguous() { Ok(array) } else { array.copy(Order::C) }
}
