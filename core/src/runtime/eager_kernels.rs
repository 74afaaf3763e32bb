//! Kernels of single statements, for eager execution, and their launch shapes.

use crate::array::layout::Shape;
use crate::plan::lower::{collapse, compute, fold_of};
use crate::plan::trace::{Input, Operation, Statement};
use fastnp_codegen::{Access, DType, Fold, Kernel, KernelBuilder, Op, Template};
use smallvec::SmallVec;

/// Extents and strides of a launch of one statement.
pub(crate) struct LaunchShape {
    pub(crate) outer: Shape,
    pub(crate) inner: Shape,
    pub(crate) strides: SmallVec<[isize; 8]>,
}

impl LaunchShape {
    pub(crate) fn of(s: &Statement<'_>) -> LaunchShape {
        if let ([n], 0) = (s.domain, s.reduced) {
            // One axis needs no merging and no ordering. An axis of extent one is dropped.
            let mut shape = LaunchShape { outer: Shape::new(), inner: Shape::new(), strides: SmallVec::new() };
            if *n != 1 {
                shape.outer.push(*n);
                s.views().for_each(|v| shape.strides.push(v.strides[0]));
            }
            return shape;
        }
        let all: SmallVec<[&[isize]; 4]> = s.views().map(|v| &v.strides[..]).collect();
        let mut writes: SmallVec<[bool; 4]> = SmallVec::from_elem(false, all.len());
        writes[all.len() - 1] = true;
        let ordered = matches!(s.op, Operation::Fold(_) | Operation::Ramp | Operation::Scatter);
        let (outer, inner, strides) = collapse(s.domain, s.reduced, &all, &writes, ordered);
        LaunchShape { outer, inner, strides: strides.into() }
    }
}

/// The bit of kinds that marks a kernel whose target may be one of its sources.
pub(crate) const IN_PLACE: usize = 4;
/// Number of kinds.
pub(crate) const DENSE_KINDS: usize = 8;

/// The kernel of an op on dense arrays of one type; the bits of `kinds` say which arguments are numbers, and whether it works in
/// place.
pub(crate) fn dense_kernel(op: Op, compute: DType, kinds: usize) -> Kernel {
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
    let target = k.operand(op.result(compute), Access::Write, kinds & IN_PLACE == 0);
    let mut body = k.body();
    let value = body.apply(op, &args);
    let value = body.cast(value, op.result(compute));
    body.store(target, value);
    k.finish()
}

/// The kernel of a fold of one axis.
pub(crate) fn fold_kernel(fold: Fold, [from, compute, to]: [DType; 3]) -> Kernel {
    let mut k = KernelBuilder::new(Template::Reduce, 0, 1);
    let operand = k.operand(from, Access::Read, false);
    let target = k.operand(to, Access::Write, false);
    let mut body = k.body();
    let value = body.load(operand);
    let value = body.cast(value, compute);
    let folded = k.accumulate(fold, value);
    let mut epilogue = k.epilogue();
    let value = epilogue.result(folded);
    let value = epilogue.cast(value, to);
    epilogue.store(target, value);
    k.finish()
}

/// The kernel of an inner product.
pub(crate) fn inner_kernel(a: DType, b: DType, compute: DType) -> Kernel {
    let mut k = KernelBuilder::new(Template::Reduce, 0, 1);
    let operands = [k.operand(a, Access::Read, false), k.operand(b, Access::Read, false)];
    let target = k.operand(compute, Access::Write, true);
    let mut body = k.body();
    let factors = operands.map(|operand| {
        let value = body.load(operand);
        body.cast(value, compute)
    });
    let product = body.apply(Op::Multiply, &factors);
    let sum = k.accumulate(Fold::Op(Op::Add), product);
    let mut epilogue = k.epilogue();
    let value = epilogue.result(sum);
    epilogue.store(target, value);
    k.finish()
}

/// The kernel of one statement, its operands in order and without regard to which of them are the same.
pub(crate) fn statement_kernel(s: &Statement<'_>, outer: usize, inner: usize) -> Kernel {
    let fold = if inner == 0 { None } else { fold_of(s.op) };
    let template = match (s.op, fold) {
        (Operation::Scan(_), Some(_)) => Template::Scan,
        (_, Some(_)) => Template::Reduce,
        (_, None) => Template::Map,
    };
    let mut k = KernelBuilder::new(template, outer as u8, inner as u8);
    let mut args: SmallVec<[_; 3]> = SmallVec::new();
    let mut gathered = None;
    for input in s.inputs {
        args.push(match input {
            Input::Memory(view) if s.op == Operation::Gather && gathered.is_none() => {
                gathered = Some(k.operand(view.dtype, Access::Read, false));
                continue;
            }
            Input::Memory(view) => {
                let operand = k.operand(view.dtype, Access::Read, false);
                k.body().load(operand)
            }
            Input::Scalar(scalar) => {
                let parameter = k.scalar(scalar.dtype());
                k.body().param(parameter)
            }
        });
    }
    let target = k.operand(s.target.dtype, Access::Write, false);
    match fold {
        Some(fold) => {
            let value = k.body().cast(args[0], s.compute);
            let folded = k.accumulate(fold, value);
            let mut epilogue = k.epilogue();
            let value = epilogue.result(folded);
            let value = epilogue.cast(value, s.target.dtype);
            epilogue.store(target, value);
        }
        None => {
            let axis = (outer > 0).then_some(0);
            let mut body = k.body();
            let value = match (s.op, gathered) {
                (Operation::Scatter, _) => {
                    let value = body.cast(args[0], s.target.dtype);
                    body.scatter(target, args[1], value);
                    return k.finish();
                }
                (_, Some(from)) => body.gather(from, args[0]),
                (_, None) => compute(&mut body, s.op, s.compute, &args, axis),
            };
            let value = body.cast(value, s.target.dtype);
            body.store(target, value);
        }
    }
    k.finish()
}
