//! Eager path of ops on dense arrays of one shape and of the type computed in: by far the most frequent calls.
//!
//! Such a call builds neither views nor a statement. Run eagerly, `a + b` on ten elements costs half of what it costs as a
//! statement; recorded, two thirds. Operands of an eager call may also be strided vectors, such as columns of a matrix.

use crate::array::array::Array;
use crate::array::layout::{Layout, count, same_shape};
use crate::array::value::Value;
use crate::error::Result;
use crate::plan::trace::Operation;
use crate::runtime::eager_gate::{Eager, EagerLimit};
use crate::runtime::eager_kernels::{IN_PLACE, StatementKey, masked_write_kernel};
use crate::runtime::lock::recording;
use crate::runtime::record::DenseStatement;
use crate::runtime::state::Runtime;
use fastnp_codegen::{DType, Launch, Op, Scalar};

/// Applies an op to dense arrays and numbers, eagerly if they are small and ready, else recorded; `None` where the arguments are of
/// another kind.
///
/// # Errors
/// `OverflowError` for a Python integer out of bounds, `MemoryError`.
pub(crate) fn apply(op: Op, compute: DType, args: &[Value<'_>]) -> Result<Option<Array>> {
    let shape = args.iter().find_map(|arg| if let Value::Array(a) = arg { Some(a.shape()) } else { None });
    let Some(shape) = shape else { return Ok(None) };
    let Some(is_dense) = all_dense(args, compute, shape) else { return Ok(None) };
    let points = count(shape);
    if points == 0 {
        return Ok(None);
    }
    let mut runtime = recording()?;
    let (statement, dtype) = (Operation::Apply(op), op.result(compute));
    let gate = Eager::for_statement(&mut runtime, points, statement, compute, dtype.size());
    let Some(gate) = gate else { return record(&mut runtime, (op, compute, dtype), args, shape, is_dense) };
    let mut addresses = [std::ptr::null_mut(); 3];
    let mut strides = [0; 3];
    let mut scalars = [Scalar::zero(compute); 2];
    let (mut arrays, mut numbers, mut kinds) = (0, 0, 0);
    for (i, arg) in args.iter().enumerate() {
        if let Value::Array(a) = arg {
            let Some(start) = gate.read(&a.storage) else {
                return record(&mut runtime, (op, compute, dtype), args, shape, is_dense);
            };
            addresses[arrays] = start.cast_mut().wrapping_offset(a.layout.offset);
            strides[arrays] = stride(a, is_dense);
            arrays += 1;
        } else {
            scalars[numbers] = arg.scalar(compute)?.unwrap_or(scalars[numbers]).cast(compute);
            numbers += 1;
            kinds |= 1 << i;
        }
    }
    let layout = Layout::dense(shape, dtype.size());
    // No overflow: an element is sixteen bytes at most, and an array is less than a sixteenth of the address space.
    let bytes = points * dtype.size();
    let storage = gate.create(bytes, |gate, address| {
        addresses[arrays] = address;
        strides[arrays] = dtype.size() as isize;
        let launch = Launch {
            outer: &[points],
            inner: &[],
            addresses: &addresses[..=arrays],
            strides: &strides[..=arrays],
            scalars: &scalars[..numbers],
        };
        // SAFETY: the arrays are ready and have so many elements; the memory is new and has room for the result.
        unsafe { gate.launch_dense(op, compute, kinds, &launch) }
    })?;
    Ok(Some(Array { storage, layout, dtype, writeable: true }))
}

/// Records an op on dense arrays and numbers, computed in one type and with a result of another; `None` where the arrays are strided.
///
/// # Errors
/// As [`apply`].
#[inline(never)]
fn record(
    runtime: &mut Runtime,
    (op, compute, dtype): (Op, DType, DType),
    args: &[Value<'_>],
    shape: &[usize],
    is_dense: bool,
) -> Result<Option<Array>> {
    if !is_dense {
        return Ok(None);
    }
    let mut scalars = [Scalar::zero(compute); 2];
    for (number, arg) in scalars.iter_mut().zip(args.iter().filter(|arg| !matches!(arg, Value::Array(_)))) {
        *number = arg.scalar(compute)?.unwrap_or(*number).cast(compute);
    }
    let storage = runtime.trace.new_storage(count(shape) * dtype.size()).into();
    let result = Array { storage, layout: Layout::dense(shape, dtype.size()), dtype, writeable: true };
    let op = Operation::Apply(op);
    runtime.record_dense(DenseStatement { op, compute, args, numbers: &scalars, result: &result, covers: true })?;
    Ok(Some(result))
}

/// Applies an op to dense arrays and numbers and writes to a dense array, eagerly if they are small and ready, else recorded;
/// whether the arguments were of that kind.
///
/// # Errors
/// `OverflowError` for a Python integer out of bounds, `MemoryError`.
pub(crate) fn apply_to(op: Op, compute: DType, args: &[Value<'_>], out: &Array) -> Result<bool> {
    let (out_is_dense, dtype) = (out.is_c_contiguous(), op.result(compute));
    if !out.writeable || out.dtype != dtype || !(out_is_dense || is_strided_vector(out)) {
        return Ok(false);
    }
    let Some(is_dense) = all_dense(args, compute, out.shape()).map(|dense| dense && out_is_dense) else {
        return Ok(false);
    };
    let points = out.size();
    let mut runtime = recording()?;
    if points == 0 {
        return Ok(false);
    }
    let statement = Operation::Apply(op);
    let mut gate = Eager::for_statement(&mut runtime, points, statement, compute, dtype.size())
        .and_then(|gate| gate.target(&out.storage).map(|target| (gate, target)));
    let mut addresses = [std::ptr::null_mut(); 3];
    let mut scalars = [Scalar::zero(compute); 2];
    let (mut arrays, mut numbers, mut kinds) = (0, 0, IN_PLACE);
    let mut strides = [0; 3];
    for (i, arg) in args.iter().enumerate() {
        if let Value::Array(a) = arg {
            if !same_or_disjoint(a, out) {
                return Ok(false);
            }
            strides[arrays] = stride(a, is_dense);
            match gate.as_ref().and_then(|(gate, _)| gate.read(&a.storage)) {
                Some(start) => addresses[arrays] = start.cast_mut().wrapping_offset(a.layout.offset),
                None => gate = None,
            }
            arrays += 1;
        } else {
            scalars[numbers] = arg.scalar(compute)?.unwrap_or(scalars[numbers]).cast(compute);
            numbers += 1;
            kinds |= 1 << i;
        }
    }
    let Some((gate, target)) = gate else {
        // A statement copies the target for its snapshots first.
        let is_dense = is_dense && !out.storage.has_snapshots();
        if is_dense {
            let (op, covers) = (statement, out.covers_storage());
            runtime.record_dense(DenseStatement { op, compute, args, numbers: &scalars, result: out, covers })?;
        }
        return Ok(is_dense);
    };
    gate.write(target, |gate, start| {
        addresses[arrays] = start.wrapping_offset(out.layout.offset);
        strides[arrays] = stride(out, is_dense);
        let launch = Launch {
            outer: &[points],
            inner: &[],
            addresses: &addresses[..=arrays],
            strides: &strides[..=arrays],
            scalars: &scalars[..numbers],
        };
        // SAFETY: all arrays are ready and have so many elements; each source is disjoint from the target or the same elements,
        // which `IN_PLACE` allows.
        unsafe { gate.launch_dense(op, compute, kinds, &launch) }
    })?;
    Ok(true)
}

/// Writes a number, or the elements of a dense array of the same type, where a mask is true, if all are dense, of one shape, few and
/// ready; whether it did.
///
/// # Errors
/// `OverflowError` for a Python integer out of bounds, `MemoryError`.
pub(crate) fn assign_where(out: &Array, mask: &Array, value: &Value<'_>) -> Result<bool> {
    let (points, dtype) = (out.size(), out.dtype);
    let is_alike = |a: &Array, dtype: DType| {
        a.dtype == dtype && a.is_c_contiguous() && same_shape(a.shape(), out.shape()) && same_or_disjoint(a, out)
    };
    if points == 0 || !out.is_c_contiguous() || !is_alike(mask, DType::Bool) {
        return Ok(false);
    }
    // A number of another type is cast by the kernel of a statement, which notes the flags.
    let number = value.scalar(dtype)?;
    if number.is_some_and(|number| number.dtype() != dtype) {
        return Ok(false);
    }
    let mut runtime = recording()?;
    let Some(gate) = Eager::within(&mut runtime, points, EagerLimit::Points(dtype.size())) else { return Ok(false) };
    let (Some(flags), Some(target)) = (gate.read(&mask.storage), gate.target(&out.storage)) else { return Ok(false) };
    let size = dtype.size() as isize;
    let mut key = StatementKey::default();
    let mut addresses = [flags.cast_mut().wrapping_offset(mask.layout.offset); 4];
    key.push_memory(DType::Bool);
    let arrays = match value {
        Value::Array(a) => {
            let Some(start) = is_alike(a, dtype).then(|| gate.read(&a.storage)).flatten() else { return Ok(false) };
            addresses[1] = start.cast_mut().wrapping_offset(a.layout.offset);
            key.push_memory(dtype);
            2
        }
        _ => {
            key.push_scalar(dtype);
            1
        }
    };
    key.push_memory(dtype);
    let key = key.of(Operation::Select, dtype, dtype, (1, 0));
    gate.write(target, |gate, start| {
        // What is not selected stays: the target is read as well.
        addresses[arrays..].fill(start.wrapping_offset(out.layout.offset));
        let launch = Launch {
            outer: &[points],
            inner: &[],
            addresses: &addresses[..arrays + 2],
            strides: &[1, size, size, size][..arrays + 2],
            scalars: number.as_slice(),
        };
        let kernel = || masked_write_kernel(dtype, number.is_some());
        // SAFETY: all arrays are ready and have so many elements; each source is disjoint from the target or the same elements.
        unsafe { gate.launch_keyed(key, kernel, &launch, None) }
    })?;
    Ok(true)
}

/// Whether all arrays among the arguments are dense (else all are strided vectors); `None` where one is neither, or of another
/// shape or type.
#[inline]
fn all_dense(args: &[Value<'_>], compute: DType, shape: &[usize]) -> Option<bool> {
    let mut is_dense = true;
    for arg in args {
        let Value::Array(a) = arg else { continue };
        let dense = a.is_c_contiguous();
        if a.dtype != compute || !(dense || is_strided_vector(a)) || !same_shape(a.shape(), shape) {
            return None;
        }
        is_dense &= dense;
    }
    Some(is_dense)
}

/// Whether an array has one axis, and elements that do not overlap.
#[inline]
fn is_strided_vector(a: &Array) -> bool {
    matches!(a.strides(), [stride] if stride.unsigned_abs() >= a.dtype.size())
}

/// Byte stride of the elements of arrays that are all dense, or all strided vectors.
#[inline]
fn stride(a: &Array, is_dense: bool) -> isize {
    if is_dense { a.dtype.size() as isize } else { a.strides()[0] }
}

/// Whether two arrays are the same elements, or disjoint in memory. Each is dense or a strided vector.
#[inline]
fn same_or_disjoint(a: &Array, b: &Array) -> bool {
    let place = |x: &Array| x.storage.known_address().map(|start| start.addr() as isize + x.layout.offset);
    let (from, to) = if a.same_storage(b) {
        (a.layout.offset, b.layout.offset)
    } else {
        // By address, since two storages may be on the same foreign memory. Storages without memory are disjoint.
        let (Some(from), Some(to)) = (place(a), place(b)) else { return true };
        (from, to)
    };
    let (from, to) = (byte_range(a, from), byte_range(b, to));
    let is_same = from == to && a.dtype == b.dtype && (a.ndim() != 1 || a.strides() == b.strides());
    is_same || from.1 <= to.0 || to.1 <= from.0
}

/// First byte and end of a dense array or a strided vector.
#[inline]
fn byte_range(a: &Array, start: isize) -> (isize, isize) {
    match a.strides() {
        [stride] => {
            let last = start + stride * (a.size() as isize - 1);
            (start.min(last), start.max(last) + a.dtype.size() as isize)
        }
        _ => (start, start + a.nbytes() as isize),
    }
}
