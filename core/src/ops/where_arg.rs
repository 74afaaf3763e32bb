//! Masked ufunc calls: the `where=` argument.
//!
//! A kernel computes every element. Arguments are replaced by harmless numbers where the mask is false, so that no floating-point
//! flag is raised there, and a select keeps the destination's old elements. All of it fuses into one kernel.

use crate::array::array::Array;
use crate::array::layout::{Order, broadcast};
use crate::array::value::Value;
use crate::error::{Error, Result};
use crate::ops::elementwise::{
    Options, all_column_major, apply_with, check_out, compute_type, drops_imaginary, select, submit,
};
use crate::ops::promote::ArgType;
use crate::plan::trace::Operation;
use fastnp_codegen::{DType, Domain, Op, ResultRule, Scalar};
use smallvec::SmallVec;

/// [`apply_with`] with a mask. Without a destination, elements where the mask is false are zero.
pub(crate) fn apply(op: Op, args: &[Value<'_>], options: &Options<'_>) -> Result<Array> {
    let Some(mask) = options.mask else { return apply_with(op, args, *options) };
    let types: SmallVec<[ArgType; 2]> = args.iter().map(Value::arg_type).collect();
    let compute = match op.row().result {
        // Comparisons of types without a common type have no loop.
        ResultRule::Bool if options.dtype.is_none() && op.row().effects.is_empty() => DType::Bool,
        _ => compute_type(op, &types, options)?,
    };
    if let Some(out) = options.out {
        let result = op.result(compute);
        // NumPy casts the elements that the mask excludes to the loop's type and back.
        if drops_imaginary(result, out.dtype()) || drops_imaginary(out.dtype(), result) {
            return Err(Error::unsupported("a cast that drops imaginary parts, which warns"));
        }
        // The check is before anything runs, so that an error comes without warnings.
        let shapes: SmallVec<[&[usize]; 3]> = args.iter().map(Value::shape).chain([mask.shape()]).collect();
        check_out(out, &broadcast(&shapes)?, op.result(compute), options.casting, op.name())?;
    }
    if let Some(out) = options.out.filter(|out| out.size() == 0) {
        return Ok(out.clone());
    }
    let order = match options.order {
        Some(Order::A) if all_column_major(args) && mask.is_f_contiguous() => Some(Order::F),
        Some(Order::A) => Some(Order::C),
        other => other,
    };
    let replaced = if may_raise(op, options) { replace_excluded(op, args, mask, compute)? } else { SmallVec::new() };
    let args: SmallVec<[Value<'_>; 2]> = match replaced.is_empty() {
        true => args.into(),
        false => replaced.iter().zip(args).map(|(t, &arg)| t.as_ref().map_or(arg, Value::Array)).collect(),
    };
    let result = apply_with(op, &args, Options { out: None, mask: None, order: None, ..*options })?;
    let Some(out) = options.out else {
        let dtype = result.dtype();
        let args = [Value::Array(mask), (&result).into(), Scalar::zero(dtype).into()];
        let options = Options { order, ..Options::default() };
        return submit(Operation::Select, dtype, dtype, &args, &options, op.name());
    };
    out.assign_where(mask, (&result).into())?;
    Ok(out.clone())
}

/// Whether an element may raise a flag: by the op, or by a cast to a requested type.
fn may_raise(op: Op, options: &Options<'_>) -> bool {
    let casts = options.dtype.is_some() || options.out.is_some();
    !op.row().effects.is_empty() || casts && op.row().result != ResultRule::Bool
}

/// The arguments with harmless numbers where the mask is false; `None` for an argument that needs no change.
fn replace_excluded(op: Op, args: &[Value<'_>], mask: &Array, compute: DType) -> Result<SmallVec<[Option<Array>; 2]>> {
    // Zero is in the domain of every op with the domain `Unit`. For all others one is: zero may be a pole.
    let harmless = i64::from(op.row().domain != Domain::Unit);
    let replace_excluded = |&arg: &Value<'_>| {
        let dtype = match arg {
            Value::Array(a) => a.dtype(),
            // One to the power of any number is one. And a scalar exponent may select a cheaper op.
            _ if op == Op::Power => return Ok(None),
            Value::Scalar(s) => s.dtype(),
            Value::Int(_) | Value::Float(_) | Value::Complex(_) => compute,
        };
        let number = arg.scalar(dtype)?.map(Value::Scalar);
        select(mask, number.unwrap_or(arg), Scalar::new(dtype, harmless).into()).map(Some)
    };
    args.iter().map(replace_excluded).collect()
}
