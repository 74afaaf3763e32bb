//! Elements replaced in order at an index, `x[i] = op(x[i], y)`, where the index may name an element several times: NumPy's `ufunc.at`.
//!
//! An update is not recorded. It has no parallel form, since which operand comes last decides what is rounded, and a kernel has no domain
//! whose points depend on each other; so it runs when it is called, on one thread.

use crate::array::array::Array;
use crate::array::layout::{Order, Shape, same_shape};
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::host::interpreter_lock::run_over;
use crate::index::fancy::{FancyIndex, IndexPart};
use crate::index::take_rows::check_bounds;
use crate::ops::promote::{ArgType, Casting, can_cast, resolve};
use crate::runtime::eager_gate::Eager;
use crate::runtime::lock::recording;
use fastnp_codegen::drive::fp_status::flags_raised;
use fastnp_codegen::portable::update::{Update, UpdatedRows};
use fastnp_codegen::{DType, Op};
use smallvec::SmallVec;

/// Replaces the elements at an index by an op of each and its operand, in the index's order. An element that is named twice is replaced
/// twice. The operand broadcasts to the shape of `array[parts]`; its type counts in promotion, also that of a number. An op of one
/// argument takes none.
///
/// # Errors
/// As [`Array::fancy_index`]; `ValueError` where the array is read-only or the operand's shape does not fit; `Unsupported` for types
/// that the op has no loop for, for results that only an unsafe cast brings back to the array's type (integers among themselves aside),
/// for integer powers, and for an array whose elements share memory; `MemoryError`.
///
/// ```
/// use fastnp::{Array, IndexPart, Op, update_at};
/// let a = Array::from(vec![1.0, 2.0, 3.0]);
/// let i = Array::from(vec![0i64, 2, 0]);
/// update_at(&a, &[IndexPart::Positions(i)], Op::Add, Some((&Array::from(vec![10.0, 20.0, 30.0])).into()))?;
/// assert_eq!(a.to_vec::<f64>()?, [41.0, 2.0, 23.0]);
/// # Ok::<(), fastnp::Error>(())
/// ```
pub fn update_at(array: &Array, parts: &[IndexPart], op: Op, operand: Option<Value<'_>>) -> Result<()> {
    array.check_target("array is read-only")?;
    let compute = compute_type(array.dtype(), op, operand.as_ref())?;
    let update = Update::new(op, compute, array.dtype()).ok_or_else(|| Error::unsupported("an op without a loop"))?;
    if let [IndexPart::Positions(positions)] = parts
        && update_vector(array, positions, (op, &update), (compute, operand.as_ref()))?
    {
        return Ok(());
    }
    let index = array.fancy_index_with(parts, true)?;
    let operand = operand.map(|value| index.operand(value, compute)).transpose()?;
    if index.offsets.size() * index.basic.size() > 0 { index.run(&update, operand.as_ref()) } else { Ok(()) }
}

/// Whether NumPy has a loop of its own for updates of vectors by an op, in whose name it then warns.
fn is_indexed(op: Op) -> bool {
    use Op::{Add, Divide, FloorDivide, Fmax, Fmin, Maximum, Minimum, Multiply, Subtract};
    matches!(op, Add | Subtract | Multiply | Divide | FloorDivide | Maximum | Minimum | Fmax | Fmin)
}

/// Updates the elements of a vector at dense positions, by a number or dense operands of the type computed in; whether the arguments were
/// of that kind, and the op has a loop for single elements.
fn update_vector(
    array: &Array,
    positions: &Array,
    (op, update): (Op, &Update),
    (compute, operand): (DType, Option<&Value<'_>>),
) -> Result<bool> {
    let (&[extent], &[step], Some(operand)) = (array.shape(), array.strides(), operand) else { return Ok(false) };
    let is_apart = |x: &Array| x.is_c_contiguous() && !x.may_share_memory(array);
    if !update.has_loop() || positions.dtype() != DType::I64 || !is_apart(positions) {
        return Ok(false);
    }
    let number = operand.scalar(compute)?.map(|number| number.cast(compute).bytes());
    if let Value::Array(y) = operand
        && (y.dtype() != compute || y.shape() != positions.shape() || !is_apart(y))
    {
        return Ok(false);
    }
    let mut runtime = recording()?;
    let mut gate = Eager::unlimited(&mut runtime);
    let target = gate.target_flushed(&array.storage)?;
    let at = gate.read_stable(positions)?;
    // SAFETY: the type was checked, and the runtime stays locked.
    let at = unsafe { at.elements::<i64>() };
    check_bounds(at, extent as i64)?;
    let y = match (operand, &number) {
        (Value::Array(y), _) => gate.read_flushed(&y.storage)?.wrapping_offset(y.layout.offset),
        (_, Some(bytes)) => bytes.as_ptr(),
        (_, None) => return Ok(false),
    };
    gate.write(target, |gate, start| {
        let x = start.wrapping_offset(array.layout.offset);
        let raised = run_over(size_of_val(at), || {
            // SAFETY: positions were checked and stay as they are; elements of the vector are distinct, and operands are no part of it.
            flags_raised(|| unsafe { update.run_at(x, at, (extent, step), y, number.is_some()) })
        });
        gate.note_flags(if is_indexed(op) { op.name() } else { "at" }, raised & update.effects());
        Ok(())
    })?;
    Ok(true)
}

/// The type that a loop computes in; results must cast back to the array's.
fn compute_type(dtype: DType, op: Op, operand: Option<&Value<'_>>) -> Result<DType> {
    let mut types: SmallVec<[ArgType; 2]> = SmallVec::from_elem(ArgType::Strong(dtype), 1);
    types.extend(operand.map(Value::arg_type));
    if types.len() != op.arity() {
        return Err(Error::unsupported("another number of operands than the op has"));
    }
    let is_mixed = types.contains(&ArgType::Strong(DType::U64)) && types.iter().any(|t| is_signed(*t));
    let compute = resolve(op, &types)?;
    let result = op.result(compute);
    let is_integer = |d: DType| d.is_integer() || d == DType::Bool;
    if !(can_cast(result, dtype, Casting::SameKind) || is_integer(result) && is_integer(dtype)) {
        return Err(Error::unsupported("results that do not cast to the array's type"));
    }
    let half = compute == DType::F16 && (dtype != DType::F16 || matches!(op, Op::Nextafter | Op::Spacing));
    if half || is_mixed || op == Op::Power && is_integer(compute) {
        return Err(Error::unsupported(format!("an update by {op} in {compute}")));
    }
    Ok(if compute == DType::F16 { DType::F32 } else { compute })
}

/// Whether an argument is a signed integer, which NumPy compares with unsigned ones exactly.
fn is_signed(arg: ArgType) -> bool {
    matches!(arg, ArgType::Strong(DType::I8 | DType::I16 | DType::I32 | DType::I64))
}

impl FancyIndex {
    /// An operand of a type, dense in the order in which elements are updated: one for each, or a single one for all.
    fn operand(&self, value: Value<'_>, dtype: DType) -> Result<Array> {
        let value = match value {
            Value::Array(array) => array,
            number => {
                let number = number.scalar(dtype)?.ok_or_else(|| Error::unsupported("a number without a type"))?;
                return Array::full(&[], number.cast(dtype), Order::C);
            }
        };
        let shape = self.result_shape();
        let over = if same_shape(value.shape(), &shape) { value.clone() } else { value.broadcast_to(&shape)? };
        // What belongs to the index's arrays comes first.
        let ndim = self.shape.len();
        let at = self.insert_at..self.insert_at + ndim;
        let axes: SmallVec<[isize; 4]> =
            at.clone().chain(0..at.start).chain(at.end..shape.len()).map(|axis| axis as isize).collect();
        let over = match value.size() {
            1 => value.clone(),
            _ if at.start == 0 => over,
            _ => over.transpose(&axes)?,
        };
        if over.dtype() != dtype {
            over.cast_order(dtype, Order::C)
        } else if !over.is_c_contiguous() || over.may_share_memory(&self.array) {
            over.copy(Order::C)
        } else {
            Ok(over)
        }
    }

    /// Updates the elements; operands are as [`FancyIndex::operand`] makes them.
    fn run(&self, update: &Update, operand: Option<&Array>) -> Result<()> {
        let (rows, length, step) = self.rows();
        let mut runtime = recording()?;
        let mut gate = Eager::unlimited(&mut runtime);
        let target = gate.target_flushed(&self.array.storage)?;
        let y = match operand {
            Some(y) => gate.read_flushed(&y.storage)?.wrapping_offset(y.layout.offset),
            None => std::ptr::null(),
        };
        let offsets = gate.read_flushed(&self.offsets.storage)?.wrapping_offset(self.offsets.layout.offset);
        // SAFETY: the array of offsets is dense, evaluated and private to the index.
        let offsets = unsafe { std::slice::from_raw_parts(offsets.cast::<i64>(), self.offsets.size()) };
        let elements = UpdatedRows { offsets, rows: &rows, length, step };
        let is_one = operand.is_none_or(|y| y.size() == 1);
        gate.write(target, |gate, start| {
            let x = start.wrapping_offset(self.basic.offset);
            let raised = run_over(offsets.len() * self.basic.size() * size_of::<i64>(), || {
                // SAFETY: the offsets were checked, elements of one array that share no memory are distinct, and operands are no part of it.
                flags_raised(|| unsafe { update.run(x, elements, y, is_one) })
            });
            gate.note_flags("at", raised & update.effects());
            Ok(())
        })
    }

    /// The basic part as rows of evenly spaced elements: bytes from its beginning to each, elements of one, bytes between them.
    fn rows(&self) -> (SmallVec<[isize; 1]>, usize, isize) {
        let size = self.array.dtype().size();
        if self.basic.is_c_contiguous(size) {
            return (SmallVec::from_elem(0, 1), self.basic.size(), size as isize);
        }
        let Some((&length, outer)) = self.basic.shape.split_last() else {
            return (SmallVec::from_elem(0, 1), 1, size as isize);
        };
        let step = self.basic.strides[outer.len()];
        let mut rows: SmallVec<[isize; 1]> = SmallVec::from_elem(0, 1);
        for (&n, &stride) in Shape::from_slice(outer).iter().zip(&self.basic.strides) {
            rows = rows.iter().flat_map(|&row| (0..n as isize).map(move |i| row + i * stride)).collect();
        }
        (rows, length, step)
    }
}
