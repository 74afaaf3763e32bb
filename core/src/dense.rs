//! Ops on dense arrays of one shape and of the type computed in: the commonest calls by far.
//!
//! They become neither views nor a statement. Run at once, `a + b` on ten elements costs half of what it costs as a
//! statement; recorded, two thirds.

use crate::array::Array;
use crate::engine::recording;
use crate::error::Result;
use crate::layout::{Layout, same_shape};
use crate::storage::Storage;
use crate::value::Value;
use fastnp_codegen::{Access, DType, Kernel, KernelBuilder, Launch, Op, Scalar, Template};
use smallvec::SmallVec;
use std::sync::Arc;

/// Applies an op to dense arrays and numbers, at once where they are few and ready; `None` where the arguments are not such.
///
/// # Errors
/// `OverflowError` for a Python integer out of bounds, `MemoryError`.
pub(crate) fn apply(op: Op, compute: DType, args: &[Value<'_>]) -> Result<Option<Array>> {
    let mut first: Option<&Array> = None;
    for arg in args {
        let Value::Array(a) = arg else { continue };
        if a.dtype != compute || !a.is_c_contiguous() || first.is_some_and(|f| !same_shape(f.shape(), a.shape())) {
            return Ok(None);
        }
        first.get_or_insert(a);
    }
    let Some(first) = first else { return Ok(None) };
    let points = first.size();
    if points == 0 {
        return Ok(None);
    }
    let mut addresses = [std::ptr::null_mut(); 3];
    let mut scalars = [Scalar::zero(compute); 2];
    let (mut arrays, mut numbers, mut kinds) = (0, 0, 0);
    let mut engine = recording()?;
    let mut now = points <= engine.tiny;
    for (i, arg) in args.iter().enumerate() {
        if let Value::Array(a) = arg {
            match engine.ready_address(&a.storage) {
                Some(start) if now => addresses[arrays] = start.wrapping_offset(a.layout.offset),
                _ => now = false,
            }
            arrays += 1;
        } else {
            scalars[numbers] = arg.scalar(compute)?.unwrap_or(scalars[numbers]).cast(compute);
            numbers += 1;
            kinds |= 1 << i;
        }
    }
    let dtype = op.result(compute);
    let layout = Layout::dense(first.shape(), dtype.size());
    // No overflow: the types are sixteen bytes at most, and an array is not a sixteenth of the address space.
    let bytes = points * dtype.size();
    if !now {
        let result = Array { storage: engine.trace.storage(bytes), layout, dtype, writeable: true };
        engine.record_dense(op, compute, args, &scalars, &result)?;
        return Ok(Some(result));
    }
    let (storage, address) = Storage::made(bytes)?;
    addresses[arrays] = address;
    let size = compute.size() as isize;
    let mut strides = [size; 3];
    strides[arrays] = dtype.size() as isize;
    let launch = Launch {
        outer: &[points],
        inner: &[],
        addresses: &addresses[..=arrays],
        strides: &strides[..=arrays],
        scalars: &scalars[..numbers],
    };
    engine.launch_dense(op, compute, kinds, &launch);
    Ok(Some(Array { storage: Arc::new(storage), layout, dtype, writeable: true }))
}

/// The kernel of an op on dense arrays of one type; `kinds` says, bit by bit, which of the arguments are numbers.
pub(crate) fn kernel(op: Op, compute: DType, kinds: usize) -> Kernel {
    let mut k = KernelBuilder::new(Template::Map, 1, 0);
    let mut args: SmallVec<[_; 2]> = SmallVec::new();
    for i in 0..op.arity() {
        args.push(if kinds >> i & 1 != 0 {
            let parameter = k.scalar(compute);
            k.body().param(parameter)
        } else {
            let operand = k.operand(compute, Access::Read, false);
            k.body().load(operand)
        });
    }
    let target = k.operand(op.result(compute), Access::Write, true);
    let mut body = k.body();
    let value = body.apply(op, &args);
    let value = body.cast(value, op.result(compute));
    body.store(target, value);
    k.finish()
}
