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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::layout::CowStrides;
    use crate::array::strided_view::StridedView;
    use crate::memory::storage::Storage;
    use crate::memory::storage_ref::StorageRef;
    use crate::plan::lower::{InputType, lower_statement};
    use fastnp_codegen::Scalar;

    fn check(what: &str, a: Kernel, b: Kernel) {
        if a.to_string() != b.to_string() {
            println!("DIFFERENT {what}\n{a}\n{b}");
            panic!("{what}");
        }
        assert!(a == b);
    }

    #[test]
    fn dense() {
        let mut n = 0;
        for &op in Op::ALL {
            for compute in DType::ALL {
                if !op.has_loop(compute) {
                    continue;
                }
                for kinds in 0..DENSE_KINDS {
                    if kinds & 3 >= 1 << op.arity() || op.arity() > 2 {
                        continue;
                    }
                    let inputs: Vec<_> =
                        (0..op.arity())
                            .map(|i| {
                                if kinds >> i & 1 != 0 {
                                    InputType::Scalar(compute)
                                } else {
                                    InputType::Memory(compute)
                                }
                            })
                            .collect();
                    n += 1;
                    check(
                        op.name(),
                        dense_kernel(op, compute, kinds),
                        lower_statement(
                            Operation::Apply(op),
                            compute,
                            &inputs,
                            op.result(compute),
                            (1, 0),
                            kinds & IN_PLACE == 0,
                        ),
                    );
                }
            }
        }
        println!("{n} dense");
    }

    #[test]
    fn folds() {
        let mut n = 0;
        let folds =
            Op::ALL.iter().filter(|op| op.fold().is_some()).map(|&op| Fold::Op(op)).chain([Fold::ArgMin, Fold::ArgMax]);
        for fold in folds {
            for compute in DType::ALL {
                for from in DType::ALL {
                    if let Fold::Op(op) = fold
                        && !op.has_loop(compute)
                    {
                        continue;
                    }
                    let to = fold.result(compute);
                    n += 1;
                    check(
                        "fold",
                        fold_kernel(fold, [from, compute, to]),
                        lower_statement(Operation::Fold(fold), compute, &[InputType::Memory(from)], to, (0, 1), false),
                    );
                }
            }
        }
        println!("{n} folds");
    }

    #[test]
    fn statements() {
        let storage = StorageRef::new(Storage::pending(8));
        let mut n = 0;
        let mut ops: Vec<(Operation, usize, bool)> = vec![
            (Operation::Copy, 1, false),
            (Operation::Select, 3, false),
            (Operation::Ramp, 0, false),
            (Operation::Ramp, 2, false),
            (Operation::Gather, 2, false),
            (Operation::Scatter, 2, false),
        ];
        for &op in Op::ALL {
            ops.push((Operation::Apply(op), op.arity(), false));
            if op.fold().is_some() {
                ops.push((Operation::Fold(Fold::Op(op)), 1, true));
                ops.push((Operation::Scan(op), 1, true));
            }
        }
        ops.push((Operation::Fold(Fold::ArgMin), 1, true));
        ops.push((Operation::Part(crate::host::gemm::Product::Matmul, Op::Multiply), 2, false));
        for (op, arity, folds) in ops {
            for compute in DType::ALL {
                for from in DType::ALL {
                    for to in [compute, DType::F64, DType::I64] {
                        for (outer, inner) in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 2)] {
                            if inner > 0 && !folds {
                                continue;
                            }
                            if let Operation::Apply(o)
                            | Operation::Part(_, o)
                            | Operation::Fold(Fold::Op(o))
                            | Operation::Scan(o) = op
                                && !o.has_loop(compute)
                            {
                                continue;
                            }
                            if let Operation::Scan(_) = op
                                && inner > 1
                            {
                                continue;
                            }
                            for mask in 0..1 << arity {
                                if matches!(op, Operation::Gather) && mask & 1 != 0 {
                                    continue;
                                }
                                if matches!(op, Operation::Gather | Operation::Scatter) && mask & 2 != 0 {
                                    continue;
                                }
                                let view = |dtype| StridedView {
                                    storage: &storage,
                                    dtype,
                                    offset: 0,
                                    strides: CowStrides::Borrowed(&[]),
                                };
                                let inputs: Vec<Input> = (0..arity)
                                    .map(|i| {
                                        let t = if matches!(op, Operation::Gather | Operation::Scatter) && i == 1 {
                                            DType::I64
                                        } else {
                                            from
                                        };
                                        if mask >> i & 1 != 0 {
                                            Input::Scalar(Scalar::zero(t))
                                        } else {
                                            Input::Memory(view(t))
                                        }
                                    })
                                    .collect();
                                let types: Vec<InputType> = inputs
                                    .iter()
                                    .map(|x| match x {
                                        Input::Memory(v) => InputType::Memory(v.dtype),
                                        Input::Scalar(s) => InputType::Scalar(s.dtype()),
                                    })
                                    .collect();
                                let to = match op {
                                    Operation::Apply(o) | Operation::Part(_, o) => o.result(compute),
                                    Operation::Gather => from,
                                    _ => to,
                                };
                                let s = Statement {
                                    op,
                                    compute,
                                    domain: &[],
                                    reduced: 0,
                                    inputs: &inputs,
                                    target: view(to),
                                    covers: true,
                                };
                                n += 1;
                                check(
                                    &format!("{op:?} {outer} {inner}"),
                                    statement_kernel(&s, outer, inner),
                                    lower_statement(op, compute, &types, to, (outer, inner), false),
                                );
                            }
                        }
                    }
                }
            }
        }
        println!("{n} statements");
    }
}
