//! Operations on part of the elements: `where=` of NumPy's ufuncs.
//!
//! A kernel computes every element, so arguments that are left out are replaced by numbers that raise no floating-point
//! flag, and the result is selected against what the destination holds. All of it fuses.

use crate::array::Array;
use crate::elementwise::{Options, apply_with, check_out, compute_type, select, submit};
use crate::error::Result;
use crate::layout::broadcast;
use crate::promote::ArgType;
use crate::trace::Operation;
use crate::value::Value;
use fastnp_codegen::{Domain, Op, ResultRule, Scalar};
use smallvec::SmallVec;

/// [`apply_with`] under a mask. Without a destination, elements left out are zero.
pub(crate) fn apply(op: Op, args: &[Value<'_>], options: &Options<'_>) -> Result<Array> {
    let Some(mask) = options.mask else { return apply_with(op, args, *options) };
    let tamed = if may_raise(op, options) { tame(op, args, mask, options)? } else { SmallVec::new() };
    let args: SmallVec<[Value<'_>; 2]> = match tamed.is_empty() {
        true => args.into(),
        false => tamed.iter().zip(args).map(|(t, &arg)| t.as_ref().map_or(arg, Value::Array)).collect(),
    };
    let result = apply_with(op, &args, Options { out: None, mask: None, order: None, ..*options })?;
    let Some(out) = options.out else {
        let dtype = result.dtype();
        let args = [Value::Array(mask), (&result).into(), Scalar::zero(dtype).into()];
        let options = Options { order: options.order, ..Options::default() };
        return submit(Operation::Select, dtype, dtype, &args, &options, op.name());
    };
    let domain = broadcast(&[result.shape(), mask.shape()])?;
    check_out(out, &domain, result.dtype(), options.casting, op.name())?;
    out.assign_where(mask, (&result).into())?;
    Ok(out.clone())
}

/// Whether an element may raise a flag, by the op or by a cast to what was asked for.
fn may_raise(op: Op, options: &Options<'_>) -> bool {
    let casts = options.dtype.is_some() || options.out.is_some();
    !op.row().effects.is_empty() || casts && op.row().result != ResultRule::Bool
}

/// Arguments that are harmless where the mask is false; `None` for one that is harmless as it is.
fn tame(op: Op, args: &[Value<'_>], mask: &Array, options: &Options<'_>) -> Result<SmallVec<[Option<Array>; 2]>> {
    let types: SmallVec<[ArgType; 2]> = args.iter().map(Value::arg_type).collect();
    let compute = compute_type(op, &types, options)?;
    // Zero where the op wants a sine, one where it may not be zero.
    let harmless = i64::from(op.row().domain != Domain::Unit);
    let tame = |&arg: &Value<'_>| {
        let dtype = match arg {
            Value::Array(a) => a.dtype(),
            // One to the power of any number is one, and a number as the exponent makes cheaper ops.
            _ if op == Op::Power => return Ok(None),
            Value::Scalar(s) => s.dtype(),
            Value::Int(_) | Value::Float(_) | Value::Complex(_) => compute,
        };
        let number = arg.scalar(dtype)?.map(Value::Scalar);
        select(mask, number.unwrap_or(arg), Scalar::new(dtype, harmless).into()).map(Some)
    };
    args.iter().map(tame).collect()
}
